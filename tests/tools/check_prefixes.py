#!/usr/bin/env python3
"""Protects those who include seam/mech.h and flow/pass.h next to other headers: each name that these expose has a prefix.

    check_prefixes.py SOURCE_DIR CLANG

Reads clang's syntax tree of all headers that `make install` installs for mechanisms and passes. A name is a structure, an
enum, an enumerator, a function, a variable, or a macro that is still defined at the end.
"""
import json
import re
import subprocess
import sys

SOURCE_DIR, CLANG = sys.argv[1:3]
SEAM = ["mech.h", "mech_table.h", "mech_lines.h", "mech_levels.h", "mech_numbers.h", "mech_strides.h", "mech_listed.h", "mech_bulk.h"]
HEADERS = [f"seam/{name}" for name in SEAM] + ["flow/pass.h", "flow/affine.h"]

# A module's prefix, or the module's one structure that has its name.
PREFIXES = ["mech", "base", "bulk", "tensor", "diag", "arena", "pass", "edit", "flow", "analysis", "analyses", "affine", "ptx", "sluice"]
ALLOWED = re.compile(rf"^_*({'|'.join(PREFIXES)})_|^(mech|arena|diag)$|^MECHANISM$", re.I)
KINDS = {"RecordDecl", "EnumDecl", "FunctionDecl", "VarDecl", "TypedefDecl"}


def clang(*options):
    text = "".join(f'#include "{header}"\n' for header in HEADERS)
    command = [CLANG, "-xc", "-std=c17", f"-I{SOURCE_DIR}/src", *options, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def declared():
    """Names at file scope of our headers. A location leaves out the file when it is that of the one before."""
    file = ""
    for node in json.loads(clang("-fsyntax-only", "-Xclang", "-ast-dump=json"))["inner"]:
        place = node.get("loc", {})
        for found in (place, place.get("expansionLoc", {}), place.get("spellingLoc", {})):
            file = found.get("file", file)
        if not file.startswith(SOURCE_DIR) or node["kind"] not in KINDS or node.get("isImplicit"):
            continue
        if node.get("name") and not node["name"].startswith("__builtin_"):
            yield node["name"]
        for part in node.get("inner", []):
            if part["kind"] == "EnumConstantDecl":
                yield part["name"]


def macros():
    names, file = set(), ""
    for line in clang("-E", "-dD").split("\n"):
        place = re.match(r'# \d+ "([^"]*)"', line)
        change = re.match(r"#(define|undef) (\w+)", line)
        if place:
            file = place[1]
        elif change and change[1] == "undef":
            names.discard(change[2])
        elif change and file.startswith(SOURCE_DIR):
            names.add(change[2])
    return names


def main():
    names = set(declared()) | macros()
    bare = sorted(name for name in names if not ALLOWED.match(name))
    for name in bare:
        print(f"{name}: exposed to mechanisms without a prefix of {', '.join(PREFIXES)}")
    if len(names) < 500:
        print(f"only {len(names)} names found: is the syntax tree read?")
    return 1 if bare or len(names) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
