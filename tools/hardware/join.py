#!/usr/bin/env python3
"""Joins CSVs of the same card, which several runs of measure.py wrote.

    tools/hardware/join.py -o h100.csv first.csv second.csv     .xz files too

Rows of the same measure and parameters become one row: the median of their values, the sum of their repeats, and the
range of all.
"""

import argparse
import csv
import lzma
import statistics
from pathlib import Path

from measure import COLUMNS

KEY = ("part", "measure", "parameters", "unit")


def opened(path, mode):
    return lzma.open(path, mode + "t", newline="") if str(path).endswith(".xz") else open(path, mode, newline="")


def read(path):
    """Returns the rows of a CSV, without repeated headers and incomplete lines."""
    with opened(path, "r") as file:
        rows = [row for row in csv.reader(file) if len(row) == len(COLUMNS)]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows if row[0] != COLUMNS[0]]


def joined(rows):
    if len(rows) == 1 or not rows[0]["lowest"]:
        return rows[0]
    try:
        values = [float(row["value"]) for row in rows]
        lowest, highest = min(float(row["lowest"]) for row in rows), max(float(row["highest"]) for row in rows)
    except ValueError:
        return rows[0]  # text, such as a scheduling policy
    return rows[0] | {"value": f"{statistics.median(values):.10g}", "repeats": sum(int(row["repeats"]) for row in rows),
                      "lowest": f"{lowest:.10g}", "highest": f"{highest:.10g}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    groups = {}
    for row in (row for path in options.files for row in read(path)):
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    with opened(options.output, "w") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(joined(rows) for rows in groups.values())


if __name__ == "__main__":
    main()
