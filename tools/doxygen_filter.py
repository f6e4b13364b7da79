#!/usr/bin/env python3
"""Turns the plain comments of a header into Doxygen's, for docs/Doxyfile: tools/doxygen_filter.py FILE

A comment on its own lines documents what follows; one after code on the same line documents that code. A comment at a line's
begin that is followed by an empty line, or that draws a heading, stays as it is.
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*(?!\*)(.*?)\*/", re.S)


def convert(text):
    out, last = [], 0
    for match in COMMENT.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        after = text[match.end():match.end() + 2]
        body = re.sub(r"([<>@\\#%&])", r"\\\1", match[1])
        body = re.sub(r"`([^`\n]+)`", r"<tt>\1</tt>", body)
        if not last:
            first = "/** @file\n * " + body.strip() + "\n */"
        elif match[1].startswith(" ---") or re.match(r"\n\s*\n|\n\s*$", after) and not line.strip():
            first = match[0]
        elif line.strip().startswith("#"):
            first = match[0]
        elif line.strip() and "\n" not in line:
            first = "/**<" + body + "*/"
        else:
            first = "/**" + body + "*/"
        out += [text[last:match.start()], first]
        last = match.end()
    return "".join(out) + text[last:]


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text()
    print(text if sys.argv[1].endswith(".md") else convert(text), end="")
