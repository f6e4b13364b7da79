#!/usr/bin/env python3
"""Runs random programs of works in streams with --check global-race: random_orders.py SLUICE PROGRAM FIRST LAST.

A program prints the pairs of works that race (random_orders.cu). Each reported pair must be one of them. If there are
any, at least one is reported: a later work overwrites the record of an earlier one, so not all are.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import sanitized  # noqa: E402

WORK = r"(?:kernel '(\w+)'|(cuda\w+))"
RACE = re.compile(f"^sluice: {WORK} and {WORK}: race on global memory: nothing orders the two$", re.M)


def check(sluice, program, seed, mode, before):
    command = [sluice, "run", *mode, "--check", "global-race", "--stats", os.devnull, "--", *before, program, str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    races = {tuple(line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("pair ")}
    found = {(a or b, c or d) for a, b, c, d in RACE.findall(done.stderr)}
    good = done.stdout.rstrip().endswith("cudaSuccess") and done.returncode == (1 if races else 0)
    good = good and found <= races and bool(found) == bool(races)
    if not good:
        print(f"seed {seed} {' '.join(mode)}: status {done.returncode}; not racing: {sorted(found - races)}; "
              f"racing: {sorted(races)}\n{done.stderr}")
    return good, len(races), len(found)


def main():
    sluice, program, first, last = sys.argv[1:5]
    before = sanitized.preload(sluice)
    fine, racing, silent, pairs = True, 0, 0, 0
    for seed in range(int(first), int(last) + 1):
        good, races, found = check(sluice, program, seed, [] if seed % 4 == 0 else ["--functional"], before)
        fine &= good
        racing += races > 0
        silent += races == 0
        pairs += found
    print(f"{racing} programs with races, {pairs} pairs found; {silent} programs without")
    if racing < 3 or silent < 3:
        fine = False
        print("too few programs of one kind")
    sys.exit(not fine)


main()
