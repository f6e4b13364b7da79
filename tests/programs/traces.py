#!/usr/bin/env python3
"""Compares each program's run with the replay of its instruction trace (docs/how-to/traces.md): cycles and counters must
match.

Each kernel of each variant is compared in all statistics except the host's seconds.

    tests/programs/traces.py SLUICE PROGRAMS MACHINE[,MACHINE...] [--without NAME,...] [--threads N] [--mech MECH]
        [NAME...]
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import sanitized  # noqa: E402

# Fields of a kernel's record that depend on the host.
HOST = {"host_seconds"}


def variants(programs, name):
    text = (programs / name / "program.yaml").read_text()
    return re.search(r"^variants: *\[(.*?)\]", text, re.M | re.S).group(1).replace(" ", "").replace("\n", "").split(",")


def run(command):
    """Returns False if the program uses features that traces cannot hold."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and "which instruction traces cannot record" in done.stderr:
        return False
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return True


def figures(value, place=""):
    """Yields each number of a record with its path."""
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() if key not in HOST for k, v in figures(inner, f"{place}.{key}").items()}
    if isinstance(value, list):
        return {k: v for key, inner in enumerate(value) for k, v in figures(inner, f"{place}.{key}").items()}
    return {place[1:]: value}


def differences(first, second):
    kernels = [json.loads(file.read_text())["kernels"] for file in (first, second)]
    if len(kernels[0]) != len(kernels[1]):
        return [f"{len(kernels[0])} kernels, of its trace {len(kernels[1])}"]
    found = []
    for number, (a, b) in enumerate(zip(*kernels)):
        a, b = figures(a), figures(b)
        differ = [key for key in a.keys() | b.keys() if a.get(key) != b.get(key)]
        found += [f"kernel {number} {a['name']}: {key}: {a.get(key)}, of its trace {b.get(key)}" for key in sorted(differ)[:5]]
    return found


def compare(sluice, machine, name, variant, options):
    """Returns the differences, or None if there is no trace."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        machine = ["-m", machine, "--no-progress", *options]
        before = sanitized.preload(sluice)
        if not run([*before, sluice, "programs", "run", name, "--variant", variant, "--size", "tiny", *machine, "--stats",
                    folder / "run.json", "--trace-out", folder / "trace"]):
            return None
        run([*before, sluice, "run", *machine, "--stats", folder / "trace.json", "--trace-in", folder / "trace"])
        return differences(folder / "run.json", folder / "trace.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sluice")
    parser.add_argument("programs", type=Path)
    parser.add_argument("machines")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mech", action="append", default=[], help="a mechanism; may be repeated")
    parser.add_argument("--without", default="", help="programs that are left out, with commas")
    arguments = parser.parse_args()
    names = arguments.names or sorted(file.parent.name for file in arguments.programs.glob("*/program.yaml"))
    names = [name for name in names if name not in arguments.without.split(",")]
    compared, wrong = 0, 0
    for machine in arguments.machines.split(","):
        for name in names:
            for variant in variants(arguments.programs, name):
                options = ["--threads", str(arguments.threads), *(f"--mech={mech}" for mech in arguments.mech)]
                found = compare(arguments.sluice, machine, name, variant, options)
                compared += found is not None
                wrong += bool(found)
                for line in found or []:
                    print(f"{machine} {name}/{variant}: {line}", flush=True)
    print(f"{compared} runs and their traces, {wrong} of which differ")
    return 1 if wrong or not compared else 0


sys.exit(main())
