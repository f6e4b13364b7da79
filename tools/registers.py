#!/usr/bin/env python3
"""Compares our registers per thread of the reference kernels with those of a vendor's assembler."""

import argparse
import csv
import re
import statistics
import subprocess
from pathlib import Path

import reference


def vendor_registers():
    """Returns the registers by kernel, in the file's order."""
    with open(reference.REFERENCE / "results.csv", newline="") as file:
        return {row["kernel"]: int(row["regs"]) for row in csv.DictReader(file)}


def our_registers(sluice, kernel):
    command = [sluice, "ptx", reference.REFERENCE / f"kernels/{kernel}.ptx"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(re.search(r"^  registers +(\d+) per thread$", text, re.MULTILINE)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=reference.SOURCE / "build", help="build folder (build)")
    build = parser.parse_args().build
    print("| kernel | ours | vendor | ours / vendor |\n|---|---|---|---|")
    ratios = []
    for kernel, vendor in vendor_registers().items():
        ours = our_registers(build / "bin/sluice", kernel)
        ratios.append(ours / vendor)
        print(f"| {kernel} | {ours} | {vendor} | {ours / vendor:.2f} |")
    distance = statistics.mean(abs(ratio - 1) for ratio in ratios)
    print(f"| mean; mean distance from 1 | | | {statistics.mean(ratios):.2f}; {distance:.2f} |")


if __name__ == "__main__":
    main()
