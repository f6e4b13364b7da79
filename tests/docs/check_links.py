#!/usr/bin/env python3
"""Protects links in pages: `check_links.py FOLDER` checks all *.md below FOLDER. A relative link must name an existing
file, and a fragment must name a heading of that page."""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchor(heading):
    """Returns a heading's name in links: lower-case letters and digits, with - for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def pages(folder):
    return [page for page in folder.rglob("*.md") if not any(part.startswith("build") for part in page.relative_to(folder).parts)]


def broken(page):
    """Yields a page's links without a target."""
    for link in LINK.findall(page.read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, place = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield link
        elif place and place not in map(anchor, HEADING.findall(target.read_text())):
            yield link


folder = Path(sys.argv[1])
found = pages(folder)
bad = [f"{page}: {link}" for page in found for link in broken(page)]
print("\n".join(bad) or f"{len(found)} pages")
sys.exit(bool(bad) or not found)
