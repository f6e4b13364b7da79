#!/usr/bin/env python3
"""Measures how many launches before a selected one must run in cycles: `sluice run --kernel N --warm W`.

    tools/warming.py --size tiny              all programs with three launches or more, each of their forms
    tools/warming.py --size small bfs lud     two programs

For the middle launch of each program it prints the cycles in a run of all launches and, in percent of these, the
difference of its cycles after W warming launches, or after all if there are fewer. docs/how-to/part-of-a-run.md has the table.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WARM = [0, 1, 2, 4, 8, 16, 32]
# Programs whose default is one or two launches, with arguments for more.
LONGER = {
    "fdtd3d": ["--steps", "6"],
    "heartwall": ["--frames", "6"],
    "hotspot": ["--steps", "12", "--pyramid", "1"],
    "jacobi": ["--sweeps", "8"],
    "kmeans": ["--iterations", "6"],
    "laplace3d": ["--sweeps", "8"],
    "stencil": ["--sweeps", "8"],
}


def run(arguments, program, variant, options):
    """The launches of a run, or None if it fails."""
    with tempfile.NamedTemporaryFile(suffix=".json") as stats:
        command = [f"{arguments.build}/bin/sluice", "run", "-m", arguments.machine, f"--stats={stats.name}", *options,
                   "--", f"{arguments.build}/bin/programs/{program}", "--size", arguments.size, "--variant", variant, *LONGER.get(program, [])]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return json.load(open(stats.name, encoding="utf-8"))["kernels"] if done.returncode == 0 else None


def variants(arguments, program):
    command = [f"{arguments.build}/bin/programs/{program}", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.search(r"\[--variant ([^\]]*)\]", text)
    return found.group(1).split("|") if found else ["plain"]


def differences(arguments, program, variant, number, cycles):
    last = -1
    for wanted in WARM:
        warm = min(wanted, number - 1)  # all launches before it
        if warm == last:
            yield "-"
            continue
        last = warm
        options = [f"--kernel={number}"] + ([f"--warm={warm}"] if warm else [])
        launch = run(arguments, program, variant, options)[number - 1]
        if launch["selected"] != "yes":
            sys.exit(f"{program}: launch {number} was not selected")
        yield f"{100 * (launch['cycles'] / cycles - 1):+.1f}"


def measure(arguments, program, variant, seen):
    launches = run(arguments, program, variant, [])
    if not launches or len(launches) < 3:
        return
    number = len(launches) // 2 + 1
    cycles = launches[number - 1]["cycles"]
    if (launches[number - 1]["name"], cycles) in seen:  # forms of a program may share that kernel
        return
    seen.add((launches[number - 1]["name"], cycles))
    cells = " | ".join(differences(arguments, program, variant, number, cycles))
    print(f"| {program} {variant} | {number} of {len(launches)} | {cycles:,} | {cells} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--machine", default="gtx480")
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    folder = Path(arguments.build) / "bin/programs"
    programs = arguments.programs or sorted(file.name for file in folder.iterdir() if not file.suffix)
    print("| program | launch | cycles | " + " | ".join(f"warm {warm}" for warm in WARM) + " |")
    print("|---|--:|--:|" + "--:|" * len(WARM))
    seen = set()
    for program in programs:
        for variant in variants(arguments, program):
            if "dma" not in variant:  # these need a mechanism
                measure(arguments, program, variant, seen)


if __name__ == "__main__":
    main()
