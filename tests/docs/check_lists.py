#!/usr/bin/env python3
"""Protects lists in pages: `check_lists.py FOLDER` checks all *.md below FOLDER. The site's Markdown nests an item only at an
indent of four spaces, and shows code in a list only at eight. A wrapped line that begins with a sign or a number is no item."""
import re
import sys
from pathlib import Path

ITEM = re.compile(r"( *)([-+*]|\d+[.)]) ")
FENCE = re.compile(r"\s*```")


def pages(folder):
    return [page for page in folder.rglob("*.md") if not any(part.startswith("build") for part in page.relative_to(folder).parts)]


def fault(before, listed, line):
    """Returns what is wrong with a line after `before`, in a list or not."""
    item = ITEM.match(line)
    if not item:
        indent = len(line) - len(line.lstrip())
        return "in a list, text after an empty line has 4 spaces, code 8" if listed and not before and indent % 4 else None
    if len(item[1]) % 4:
        return "a nested item has 4 spaces"
    if item[2] in "+*":
        return "an item begins with '- ' or a number; a wrapped line does not begin with a sign"
    if not listed and re.search(r"[\w,(]$", before) and not before.startswith("#"):
        return "the line above ends within a sentence: a wrapped line does not begin with a sign or a number"
    return None


def faults(page):
    before, listed, fenced = "", False, False
    for number, line in enumerate(page.read_text().split("\n"), 1):
        fence = FENCE.match(line)
        what = None if fenced or fence or line.startswith("    ") and not listed else fault(before, listed, line)
        if what:
            yield f"{page}:{number}: {what}"
        fenced ^= bool(fence)
        if not fenced:
            listed = bool(ITEM.match(line)) or listed and (not line or line.startswith(" "))
        before = line


found = pages(Path(sys.argv[1]))
bad = [what for page in found for what in faults(page)]
print("\n".join(bad) or f"{len(found)} pages")
sys.exit(bool(bad) or not found)
