#!/usr/bin/env python3
"""Computes throughput, turnaround and fairness of pairs of kernels from the CSV of the figure pairs.progress.

    sluice figure pairs.progress && tools/pair_metrics.py figures/pairs.progress.csv

With NP a kernel's normalized progress (its cycles alone over its cycles in the pair): STP, the system throughput, is the sum
of both NP, and equals the weighted speedup of two programs. ANTT, the average normalized turnaround time, is the mean of both
1 / NP. Fairness is the smaller NP over the larger (Eyerman and Eeckhout, IEEE Micro 28(3), 2008). docs/papers/pairs.md has
the table.
"""
import csv
import math
import re
import sys

COLUMNS = ["leftover", "even", "shares", "TELEPORT shares", "CAPS shares"]


def progress(path):
    """NP by kernel, its partner and column."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pair = re.fullmatch(r"(\w+) \(with (\w+)\)", row["row"])
            if pair and row["ours"]:
                found[pair[1], pair[2], row["column"]] = float(row["ours"])
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    found = progress(sys.argv[1])
    pairs = [(one, other) for one, other, column in found if column == COLUMNS[0] and (other, one, column) in found]
    pairs = [pair for i, pair in enumerate(pairs) if pair[::-1] not in pairs[:i]]
    print(f"{'STP, ANTT, fairness':18}" + "".join(f"{column:>20}" for column in COLUMNS))
    sums = [[[], [], []] for _ in COLUMNS]
    for one, other in pairs:
        cells = ""
        for i, column in enumerate(COLUMNS):
            both = [found[one, other, column], found[other, one, column]]
            values = (sum(both), sum(1 / value for value in both) / 2, min(both) / max(both))
            for into, value in zip(sums[i], values):
                into.append(value)
            cells += "  {:6.2f}{:6.2f}{:6.2f}".format(*values)
        print(f"{one + ' + ' + other:18}{cells}")
    means = [[math.exp(sum(map(math.log, values)) / len(values)) for values in column] for column in sums]
    print(f"{'geometric mean':18}" + "".join("  {:6.2f}{:6.2f}{:6.2f}".format(*column) for column in means))


if __name__ == "__main__":
    main()
