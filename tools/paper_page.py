#!/usr/bin/env python3
"""Inserts the output of `sluice figure` into pages, between the lines `<!-- figure NAME -->` and `<!-- end -->`.

    tools/paper_page.py                          regenerates all pages of docs/papers, as `make pages` does
    tools/paper_page.py docs/papers/caps.md      regenerates one page
    tools/paper_page.py --check                  changes nothing; shows differences and exits with status 1
    tools/paper_page.py --recorded               regenerates tests/data/pages: some figures of each page at size tiny
    tools/paper_page.py --recorded --check       only compares them, as the ordinary tests do

A marker may end in `--size SIZE`; the default size is small. `<!-- scorecard PAPER -->` (or without PAPER, for all
papers) stands for `sluice figure --scorecard`, where each experiment has its own size. Figures whose runs are already
in the results file (--results) take no time. Runs of another build are repeated, so a page always holds the output of this build. Each
page's time is printed.

A page that links to figures/NAME.svg (other sizes: figures/NAME.SIZE.svg) gets that picture with its figure.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- (figure|scorecard)(?: (?!-)(\S+))?(?: --size (\w+))? -->\n).*?(<!-- end -->)", re.S)
RECORDED = ROOT / "tests/data/pages"


def print_figure(arguments, kind, name, size, folder):
    command = [os.path.join(arguments.build, "bin", "sluice"), "figure", "--results", arguments.results, "--out", folder,
               "-q", "-j", str(arguments.jobs)]
    command += ["--size", size or "small"] if kind == "figure" else ["--scorecard"]
    command += [name] if name else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    while lines and (not lines[-1] or lines[-1].startswith(folder)):
        lines.pop()
    return "\n".join(lines)


def write_picture(page, text, name, size, folder):
    """Copies a figure's picture next to its page, if the page shows it."""
    picture = f"figures/{name}.{size}.svg" if size else f"figures/{name}.svg"
    if f"({picture})" in text:
        (page.parent / "figures").mkdir(exist_ok=True)
        shutil.copyfile(os.path.join(folder, f"{name}.svg"), page.parent / picture)


def made(arguments, page, text):
    """Returns the text with its figures regenerated, and their number."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        def replace(match):
            nonlocal count
            if arguments.only not in (None, match[4] or "small"):
                return match[0]
            count += 1
            kind, name, size = match[2], match[3], match[4]
            printed = print_figure(arguments, kind, name, size, folder)
            picture = name if kind == "figure" else f"scorecard.{name}" if name else "scorecard"
            if not arguments.check:
                write_picture(page, text, picture, size, folder)
            return f"{match[1]}```\n{printed}\n```\n{match[5]}"
        return BLOCK.sub(replace, text), count


def differs(arguments, path, before, text):
    """Writes the page, or shows the differences. Returns true when a check has found some."""
    if not arguments.check:
        path.write_text(text, encoding="utf-8")
        return False
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), text.splitlines(True), f"{path}, as it is", f"{path}, by this build"))
    return before != text


def do_page(arguments, page):
    begin = time.monotonic()
    before = page.read_text(encoding="utf-8")
    text, count = made(arguments, page, before)
    wrong = differs(arguments, page, before, text)
    print(f"{page}: {count} figures, {time.monotonic() - begin:.0f} s{', differs' if wrong else ''}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="*", type=Path, help="default: all pages of the folder")
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--results", default="results.db")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page differs from this build's output")
    parser.add_argument("--recorded", action="store_true", help="process tests/data/pages, at size tiny")
    parser.add_argument("--only", metavar="SIZE", help="regenerate only the figures of this size")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    folder = RECORDED if arguments.recorded else ROOT / "docs/papers"
    pages = arguments.page or sorted(folder.glob("*.md"))
    for page in pages:
        if not BLOCK.search(page.read_text(encoding="utf-8")):
            sys.exit(f"{page}: no figures in it")
    wrong = [do_page(arguments, page) for page in pages]
    if any(wrong):
        sys.exit(f"{sum(wrong)} of {len(pages)} pages differ from what this build prints; 'tools/paper_page.py FILE' regenerates one, "
                 "'make pages' all")


if __name__ == "__main__":
    main()
