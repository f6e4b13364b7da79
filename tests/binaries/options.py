#!/usr/bin/env python3
"""Checks that our nvcc knows every option in the help of an installed nvcc: in its table, or as one of clang's own.

Without nvcc the test is skipped.

options.py FLAGS.DEF
"""

import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# Options that cc.c or clang take under the same name.
SAME = set("""E M MM MD MMD MF MP MT c o include l D U I isystem L pg profile g O optimize shared save-temps ptx v w h
help x e r arch Werror""".split())


def main():
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        print("skipped: no nvcc")
        sys.exit(SKIPPED)
    text = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    if "Sluice" in text:
        print("skipped: nvcc is ours")
        sys.exit(SKIPPED)
    names = set()
    for line in re.findall(r"^--\w.*$", text, flags=re.M):
        names |= set(re.findall(r"(?:^|\()--?([\w-]+)", line))
    known = set(re.findall(r'^\{"([\w-]+)"', pathlib.Path(sys.argv[1]).read_text(), flags=re.M)) | SAME
    if len(names) < 200:
        sys.exit(f"found only {len(names)} options in the help of {nvcc}")
    unknown = sorted(names - known)
    if unknown:
        sys.exit("options of nvcc without a row in src/cli/cc/flags.def: " + ", ".join(unknown))


main()
