#!/usr/bin/env python3
"""test_hardware.py SLUICE NVCC WORK: protects tools/hardware.

The kit measures the simulated machine qv100 without its machine file, and must find the latencies that the file
implies. It must time a program's launches, and join two CSVs.
"""

import csv
import subprocess
import sys
from pathlib import Path

import yaml

SOURCE = Path(__file__).resolve().parents[2]
KIT = SOURCE / "tools/hardware"

# Issue to issue of a dependent shared load and of a load that hits the L1: the option's cycles, and the stages from
# issue to the memory pipeline and back (docs/explanation/timing.md).
SHARED = {"option": "sm.shared_latency", "more": 5}
L1 = {"option": "sm.l1_latency", "more": 4}


def output(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def measure(sluice, nvcc, work, name, *arguments, options=""):
    file = work / f"{name}.csv"
    file.unlink(missing_ok=True)
    prefix = f"{sluice} run -m qv100 {options} --stats /dev/null --"
    output(sys.executable, KIT / "measure.py", "-o", file, "--nvcc", nvcc, "--capability", "70", "--quick",
           "--work", work / "programs", "--prefix", prefix, "--no-counters", *arguments)
    return file


def value(file, measure_name, parameters):
    with file.open() as lines:
        found = [row for row in csv.DictReader(lines) if row["measure"] == measure_name and row["parameters"] == parameters]
    assert len(found) == 1, f"{file.name}: {len(found)} rows of {measure_name}, {parameters}"
    return float(found[0]["value"])


def option(sluice, name):
    keys = name.split(".")
    machine = yaml.safe_load(output(sluice, "machine", "show", "qv100"))
    for key in keys:
        machine = machine[key]
    return machine


def expect(what, got, want, tolerance=0.002):
    assert abs(got - want) <= tolerance * want, f"{what}: {got}, expected {want}"


def main():
    sluice, nvcc, work = (Path(word) for word in sys.argv[1:])
    (work / "programs").mkdir(parents=True, exist_ok=True)
    for shift in (0, 7):
        changed = {known["option"]: option(sluice, known["option"]) + shift for known in (SHARED, L1)}
        options = " ".join(f"-o {name}={cycles}" for name, cycles in changed.items())
        file = measure(sluice, nvcc, work, "levels", "--only", "micro", "--names", "levels", options=options)
        expect("shared", value(file, "on_chip", "space=shared width=4"), changed[SHARED["option"]] + SHARED["more"])
        hit = value(file, "l1_footprint", "kind=ca stride=128 order=random carve=0 bytes=4096")
        expect("L1", hit, changed[L1["option"]] + L1["more"])

    kernels = ["--only", "kernels", "--names", "reference_reduce", "--sizes", "tiny", "--repeats", "2"]
    file = measure(sluice, nvcc, work, "kernels", *kernels)
    expect("correct", value(file, "correct", "program=reference_reduce variant=default size=tiny"), 1)
    expect("launches", value(file, "launches", "program=reference_reduce variant=default size=tiny"), 2)

    joined = work / "joined.csv.xz"
    output(sys.executable, KIT / "join.py", "-o", joined, file, file)
    output(sys.executable, KIT / "join.py", "-o", work / "again.csv", joined)
    with (work / "again.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    with file.open() as lines:
        once = list(csv.DictReader(lines))
    assert len(rows) == len(once), f"{len(rows)} rows, expected {len(once)}"
    assert all(int(row["repeats"]) == 2 * int(known["repeats"]) for row, known in zip(rows, once, strict=True))


if __name__ == "__main__":
    main()
