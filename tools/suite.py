#!/usr/bin/env python3
"""tools/suite.py FOLDER: builds each program of a suite with its own Makefile, with Sluice's toolkit in place of CUDA,
runs it, and prints a table of the results.

A program is a folder with a Makefile and with CUDA sources in it or below. It is run by its file `run` (a script or a
program), or else by its Makefile's target `run`. Otherwise its executables are run without arguments. The verdict is

  correct  the output equals the file `expected` next to the Makefile or, without that file, states that the program passed
  wrong    the output differs, or states that the program failed
  ran      the program ended normally without such a statement
  status N, timeout, no kernel, not built

The suite is copied first and stays unchanged. The exit status is 0 when every verdict is correct or ran.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
TOOLKIT_NAMES = ("CUDA_HOME", "CUDA_PATH", "CUDA_DIR", "CUDA_ROOT", "CUDA_INSTALL_PATH", "CUDA_TOOLKIT_PATH", "CUDAHOME")
# The paths at which suites expect the helpers of CUDA's samples, and the toolkit's replacements.
HELPER_NAMES = {"SDK_DIR": "samples", "CUDA_SDK_PATH": "samples", "CUDA_SAMPLES_DIR": "samples", "NVIDIA_COMPUTE_SDK_LOCATION": "sdk"}
PASSED = re.compile(r"\b(pass(ed)?|success(ful(ly)?)?|correct)\b", re.IGNORECASE)
FAILED = re.compile(r"\b(fail(ed|ure)?|incorrect|mismatch(es)?|test error|not correct)\b", re.IGNORECASE)
NONE_FAILED = re.compile(r"\b(0|no|non-?matching[^\n]*:\s*0)\s+(\w+\s+)?(fail(ed|ures?)?|mismatch(es)?)", re.IGNORECASE)


def makefile(folder):
    return next((folder / name for name in MAKEFILES if (folder / name).is_file()), None)


def has_sources(folder):
    """Returns the CUDA sources in this folder, and in subfolders without their own Makefile."""
    for entry in sorted(folder.iterdir()):
        if entry.is_file() and entry.suffix == ".cu":
            return True
        if entry.is_dir() and not entry.is_symlink() and not makefile(entry) and has_sources(entry):
            return True
    return False


def find_programs(folder):
    if makefile(folder) and has_sources(folder):
        return [folder]
    return [program for entry in sorted(folder.iterdir()) if entry.is_dir() and not entry.is_symlink()
            for program in find_programs(entry)]


def executables(folder):
    return {path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF"
            and path.suffix not in (".o", ".so", ".a")}


def call(command, folder, environment, limit):
    """Returns status (None: timeout), output, errors and seconds."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, errors = process.communicate()
        status = None
    return status, output.decode(errors="replace"), errors.decode(errors="replace"), time.monotonic() - start


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [line for line in lines if re.search(r"\berror\b|undefined reference|No such file|not found", line)]
    return (found or lines or ["nothing said"])[0][:110]


class Suite:
    def __init__(self, arguments):
        self.arguments = arguments
        self.sluice = str(Path(arguments.sluice).resolve())
        self.toolkit = subprocess.run([self.sluice, "toolkit"], check=True, capture_output=True, text=True).stdout.strip()
        self.environment = dict(os.environ)
        self.environment["PATH"] = f"{self.toolkit}/bin:{Path(self.sluice).parent}:{self.environment['PATH']}"
        self.places = {name: self.toolkit for name in TOOLKIT_NAMES}
        self.places.update({name: f"{self.toolkit}/{part}" for name, part in HELPER_NAMES.items()})
        self.environment.update(self.places)
        # for Makefiles with paths of the author's computer
        for name, part in {"LIBRARY_PATH": "lib64", "CPATH": "include"}.items():
            self.environment[name] = os.pathsep.join(filter(None, [f"{self.toolkit}/{part}", os.environ.get(name)]))
        self.words = [f"{name}={place}" for name, place in self.places.items()]

    def build(self, folder):
        return call(["make", *self.words, *self.arguments.make], folder, self.environment, self.arguments.timeout)

    def commands(self, folder, built):
        if (folder / "run").is_file():
            return [["./run"] if os.access(folder / "run", os.X_OK) else ["sh", "./run"]]
        if re.search(r"^run\s*:", makefile(folder).read_text(errors="replace"), re.MULTILINE):
            return [["make", *self.words, "run"]]
        return [[str(path)] for path in sorted(built)]

    def run(self, folder, command, stats):
        options = ["--functional"] if not self.arguments.machine else ["-m", self.arguments.machine]
        return call([self.sluice, "run", "--no-progress", *options, *self.arguments.run, "--stats", str(stats), "--", *command], folder,
                    self.environment, self.arguments.timeout)

    def judge(self, folder, status, output, kernels):
        if status is None:
            return "timeout"
        if status != 0:
            return f"status {status}"
        if not kernels:
            return "no kernel"
        expected = folder / "expected"
        if expected.is_file():
            return "correct" if output == expected.read_text() else "wrong"
        if FAILED.search(NONE_FAILED.sub("", output)):
            return "wrong"
        return "correct" if PASSED.search(output) else "ran"

    def program(self, root, folder):
        row = {"program": str(folder.relative_to(root)), "built": False, "verdict": "not built", "kernels": 0, "seconds": 0.0, "said": ""}
        before = executables(folder)
        status, output, errors, _ = self.build(folder)
        if status != 0:
            row["said"] = "make took too long" if status is None else first_error(errors + output)
            return row
        row["built"] = True
        commands = self.commands(folder, executables(folder) - before)
        if not commands:
            row.update(verdict="no program", said="nothing to run: no file run, no target run, no executable")
        for command in commands:
            with tempfile.NamedTemporaryFile(suffix=".json") as stats:
                status, output, errors, seconds = self.run(folder, command, stats.name)
                try:
                    row["kernels"] += len(json.load(open(stats.name))["kernels"])
                except (OSError, ValueError, KeyError):
                    pass
            row["seconds"] += seconds
            row["verdict"] = self.judge(folder, status, output, row["kernels"])
            if row["verdict"] not in ("correct", "ran"):
                row["said"] = first_error(errors + output)
                return row
        return row


def print_row(row, width):
    print(f"{row['program']:<{width}}  {'yes' if row['built'] else 'no':<5}  {row['kernels']:>7}  {row['seconds']:>7.1f}  {row['verdict']:<10}  {row['said']}".rstrip(),
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", action="append", default=[], metavar="WORD", help="a word for every make; may be repeated")
    parser.add_argument("--run", action="append", default=[], metavar="WORD",
                        help="a word for every 'sluice run', as --run=--stray-reads=warn; may be repeated")
    parser.add_argument("--sluice", default=str(Path(__file__).resolve().parent.parent / "build/bin/sluice"))
    parser.add_argument("--machine", help="simulate this machine in cycles; default: functional runs")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="only programs whose folder name contains this text; may be repeated")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each make and run; default 600")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table to this file")
    parser.add_argument("--in-place", action="store_true", help="build in the folder itself")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"{arguments.folder} is not a folder")
    suite = Suite(arguments)
    with tempfile.TemporaryDirectory(prefix="sluice-suite-") as work:
        root = arguments.folder.resolve()
        if not arguments.in_place:
            shutil.copytree(root, Path(work) / "suite", symlinks=True)
            root = Path(work) / "suite"
        programs = [folder for folder in find_programs(root)
                    if not arguments.only or any(text in str(folder.relative_to(root)) for text in arguments.only)]
        if not programs:
            sys.exit(f"{arguments.folder}: no folder with a Makefile and CUDA sources")
        width = max(len(str(folder.relative_to(root))) for folder in programs)
        print(f"{'program':<{width}}  built  kernels  seconds  verdict")
        rows = []
        for folder in programs:
            rows.append(suite.program(root, folder))
            print_row(rows[-1], width)
    good = [row for row in rows if row["verdict"] in ("correct", "ran")]
    print(f"{len(rows)} programs: {sum(row['built'] for row in rows)} built, {len(good)} ran to a successful end, "
          f"{sum(row['verdict'] == 'correct' for row in rows)} known to be correct")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if len(good) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
