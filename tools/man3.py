#!/usr/bin/env python3
"""Prints docs/man/man3/sluice.3, the manual page of include/sluice.h, from that header.

    tools/man3.py            prints the page
    tools/man3.py --check    compares it with docs/man/man3/sluice.3; the exit status is 1 when they differ
    tools/man3.py --write    writes that page
"""
import re
import sys
from pathlib import Path

import generated_page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/man/man3/sluice.3"
HEADER = ROOT / "include/sluice.h"


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def lines_of(comment):
    return [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment.strip("\n").split("\n")]


def paragraphs(comment):
    """Prose is filled; lines that are indented by two spaces more stay as they are."""
    out, is_code, is_first = "", False, True
    for line in lines_of(comment):
        wants_code = line.startswith("  ")
        if wants_code != is_code:
            out += ".PP\n.RS\n.nf\n" if wants_code else ".fi\n.RE\n.PP\n"
            is_code = wants_code
        if line.strip():
            out += escape(line.strip() if not is_code else line[2:]) + "\n"
        elif not is_first and not is_code:
            out += ".PP\n"
        is_first = False
    return out + (".fi\n.RE\n" if is_code else "")


def code_of(code):
    text = re.sub(r"SLUICE_API ", "", code).rstrip("\n")
    return ".PP\n.RS\n.nf\n" + escape(text.expandtabs(4)) + "\n.fi\n.RE\n" if text else ""


def declarations(text):
    """Comment and code in turn: code ends at the next comment that begins a line, or at an empty line."""
    for match in re.finditer(r"^/\*(.*?)\*/\n(.*?)(?=^/\*|^#ifdef __cplusplus\n\}|\Z)", text, re.S | re.M):
        yield match[1], "\n".join(line for line in match[2].split("\n") if not line.startswith("#")).strip("\n")


def page():
    text = HEADER.read_text()
    first = re.match(r"/\*(.*?)\*/", text, re.S)
    intro = first[1].split("\n", 1)[1]
    body = text[text.index("/* Initializes the member `size`"):]
    version = re.search(r"project\(sluice VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    out = '.\\" Printed by tools/man3.py from include/sluice.h.\n'
    out += f'.TH SLUICE 3 "" "Sluice {version}" "Library Functions"\n.SH NAME\nsluice \\- C API of a cycle\\-level GPU simulator\n'
    out += ".SH SYNOPSIS\n.nf\n.B #include <sluice.h>\n.PP\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs sluice)\n.fi\n"
    out += ".SH DESCRIPTION\n" + paragraphs(intro)
    for comment, code in declarations(body):
        heading = re.match(r" --- (.*) --- $", comment)
        if heading:
            out += f".SH {escape(heading[1].upper())}\n"
        else:
            out += ".PP\n" + paragraphs(comment)
        out += code_of(code)
    return out + ".SH SEE ALSO\n.BR sluice (1)\n"


if __name__ == "__main__":
    sys.exit(generated_page.keep(PAGE, page()))
