#!/usr/bin/env python3
"""Protects links in pages: `check_links.py FOLDER` checks all *.md below FOLDER. A relative link must name an existing
file, and a fragment must name a heading of that page. Pages on the source code must name files and functions that the
source tree has."""
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


def pages_on_code(folder):
    explained = sorted((folder / "docs/explanation").glob("*.md"))
    return [folder / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "TESTING.md")] + explained


def unknown_names(folder):
    """Yields files and functions in back quotes that do not exist. Upper-case NAME stands for any name."""
    sources = [file for top in ("src", "include", "tests") for file in (folder / top).rglob("*") if file.is_file()]
    files = {file.name for file in sources}
    text = "".join(file.read_text() for file in sources if file.suffix in (".c", ".h"))
    words = set(re.findall(r"\w+", text))
    for page in pages_on_code(folder):
        for name in re.findall(r"`([\w/.*]+\.(?:c|h|def)|\w+\(\))`", page.read_text()):
            known = name[:-2] in words if name.endswith("()") else name.split("/")[-1] in files
            if not known and "NAME" not in name and "*" not in name:
                yield f"{page}: `{name}` is not in the source tree"


folder = Path(sys.argv[1])
found = pages(folder)
bad = [f"{page}: {link}" for page in found for link in broken(page)]
if (folder / "src").exists():  # an installation has pages without sources
    bad += unknown_names(folder)
print("\n".join(bad) or f"{len(found)} pages")
sys.exit(bool(bad) or not found)
