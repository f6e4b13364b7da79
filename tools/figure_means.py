#!/usr/bin/env python3
"""Prints the last row of figures, their mean, as one Markdown table with a line for each column of the first figure.

    sluice figure caps.readings; sluice figure caps.readings.accuracy
    tools/figure_means.py figures/caps.readings.csv figures/caps.readings.accuracy.csv

A column has the name of its line, or that name and a suffix that an argument gives: `FILE.csv:, LRR` takes the
columns that end with ", LRR". Lines without a value have a dash."""

import csv
import sys


def means(path):
    """Returns the values of the mean row by column, in order, and the published values."""
    ours, paper = {}, {}
    for line in csv.DictReader(open(path)):
        if line["row"].endswith(" mean"):
            ours[line["column"]] = line["ours"]
            paper[line["column"]] = line["paper"]
    return ours, paper


def number(text):
    if not text:
        return "-"
    value = float(text)
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    names, columns, headings = [], [], []
    for argument in sys.argv[1:]:
        path, _, suffix = argument.partition(":")
        ours, _ = means(path)
        if not names:
            names = [name for name in ours if ours[name] and not name.startswith("none")]
        columns.append([number(ours.get(name + suffix, "")) for name in names])
        headings.append(path.rpartition("/")[2].removesuffix(".csv") + suffix)
    print("| | " + " | ".join(headings) + " |")
    print("|---|" + "--:|" * len(columns))
    for i, name in enumerate(names):
        print(f"| {name} | " + " | ".join(column[i] for column in columns) + " |")


if __name__ == "__main__":
    main()
