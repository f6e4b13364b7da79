#!/usr/bin/env python3
"""Executes the instructions of a page of docs/ in an empty folder: writes the files that its code blocks contain, runs its
sh blocks in order with `sluice` in the PATH, and evaluates the given checks."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PRELOAD = Path(__file__).resolve().parent.parent / "cuda/preload.sh"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("sluice", type=Path, help="the folder of the sluice program")
    parser.add_argument("check", nargs="*", help="a Python expression over `output` (of all sh blocks) and `text(FILE)`")
    options = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLUICE_")}
    environment["PATH"] = f"{options.sluice.resolve()}:{environment['PATH']}"
    if (options.sluice / "../lib/libcudart.so").exists():  # with AddressSanitizer, programs need a preloaded library
        script = 'sluice=$1; . "$2"; echo "$preload"; echo "${ASAN_OPTIONS-}"'
        words = ["sh", "-c", script, "preload", str(options.sluice / "sluice"), str(PRELOAD)]
        preload, asan = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
        environment |= {"LD_PRELOAD": preload, "ASAN_OPTIONS": asan} if preload else {}
    output = ""
    with tempfile.TemporaryDirectory() as work:
        blocks = BLOCK.findall(options.page.read_text())
        for language, name, body in blocks:
            if name:
                (Path(work) / name).write_text(body)
                continue
            done = subprocess.run(["sh", "-eux"], input=body, cwd=work, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            output += done.stdout
            if language != "sh" or done.returncode != 0:
                sys.exit(f"{options.page}: this block exits with {done.returncode}:\n{body}\n{done.stdout}")
        for check in options.check:
            if not eval(check, {"output": output, "text": lambda file: (Path(work) / file).read_text()}):
                sys.exit(f"{options.page}: check failed: {check}\n{output}")
    if not blocks:
        sys.exit(f"{options.page}: no code blocks")


main()
