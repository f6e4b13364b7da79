#!/usr/bin/python3
"""Protects src/limits/: in every program, on each kind of machine, each unit is used at most at its peak, rates are at
most the peaks, and each bound is at least 1. A peak that a program passes is wrong, or its counter is.

Usage: limits.py SLUICE PRELOAD.SH MACHINE,MACHINE... PROGRAM...
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sluice, preload, machines, programs = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4:]
failures = compared = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}", flush=True)


def analyze(title, row):
    """Clipped at 1, `used` would hide a passed peak: counts are compared."""
    global compared
    limits = row["limits"]
    for unit in limits["use"]:
        check(unit["count"] <= 1.0001 * unit["peak"], f"{title}: {unit['name']}: {unit['count']} of {unit['peak']}")
        compared += 1
    roofline = limits["roofline"]
    for roof in roofline["compute"] + roofline["memory"]:
        check(roof["rate"] <= 1.0001 * roof["peak"], f"{title}: {roof['name']}: {roof['rate']:.4g} of {roof['peak']:.4g} per second")
    check(limits["occupancy"]["achieved"] <= 1, f"{title}: occupancy")
    check(all(rule["gain"] >= 1 for rule in limits["rules"]), f"{title}: a bound below 1")


with tempfile.TemporaryDirectory() as folder:
    for machine in machines:
        for program in programs:
            stats = Path(folder) / "run.json"
            command = ". \"$1\"; shift; LD_PRELOAD=$preload exec \"$@\""
            run = subprocess.run(["sh", "-c", f"sluice={sluice}; {command}", "sh", preload, sluice, "programs", "run", program, "--size", "tiny",
                                  "-m", machine, "--stats", stats], capture_output=True, text=True, check=False)
            check(run.returncode == 0, f"{program} on {machine}: {run.stderr[-300:]}")
            shown = subprocess.run([sluice, "stats", "--limits", "--json", stats], capture_output=True, text=True, check=False)
            check(shown.returncode == 0, f"{program} on {machine}: {shown.stderr}")
            for row in json.loads(shown.stdout or "[]"):
                analyze(f"{program} on {machine}, {row['name']}", row)
print(f"{compared} uses of units compared, {failures} failures")
sys.exit(failures > 0 or not compared)
