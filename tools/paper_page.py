#!/usr/bin/env python3
"""Puts what `sluice figure` prints into a page of docs/papers: the lines between `<!-- figure NAME -->` and `<!-- end -->`.

    tools/paper_page.py docs/papers/teleport.md [--build build] [--results results.db] [--only small] [-j 2]

The marker may end in `--size SIZE`; else figures are of size small.

Figures whose runs are in the store already take no time; the page so holds what the simulator printed, and nothing else.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- figure (\S+)(?: --size (\w+))? -->\n).*?(<!-- end -->)", re.S)


def print_figure(arguments, name, size, folder):
    command = [os.path.join(arguments.build, "bin", "sluice"), "figure", name, "--size", size or "small",
               "--results", arguments.results, "--out", folder, "-q", "-j", str(arguments.jobs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    while lines and (not lines[-1] or lines[-1].startswith(folder)):
        lines.pop()
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--build", default="build")
    parser.add_argument("--results", default="results.db")
    parser.add_argument("--only", metavar="SIZE", help="make the figures of this size alone; others stay as they are")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    with open(arguments.page, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        def replace(match):
            if arguments.only not in (None, match[3] or "small"):
                return match[0]
            return f"{match[1]}```\n{print_figure(arguments, match[2], match[3], folder)}\n```\n{match[4]}"
        text = BLOCK.sub(replace, text)
    with open(arguments.page, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
