"""The reference kernels: their measurements, and how they are compiled and run."""

import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
REFERENCE = SOURCE / "tests/data/reference"

# The version of the rows of results.csv with which each machine file is compared.
VERSION_OF_MACHINE = {"gtx480": "v3.2.2", "gtx480-v4": "v4.2.0", "qv100": "qv100", "rtx3070": "rtx3070"}

SIMULATOR = {
    "v3.2.2": "GPGPU-Sim 3.2.2",
    "v4.2.0": "GPGPU-Sim 4.2.0",
    "qv100": "GPGPU-Sim 4.2.0 (SM7_QV100)",
    "rtx3070": "GPGPU-Sim 4.2.0 (SM86_RTX3070)",
}

# GPGPU-Sim's address assignment, where our machines follow CUDA: it does not pad rows, does not reuse addresses, and
# places code without gaps.
ADDRESSES = ("memory.pitch=1", "memory.reuse_freed=false", "memory.code_align=8")

# Kernels whose PTX name differs from the program's name.
ENTRY = {"fma": "fma4"}

# The kernels whose exact figures are recorded: together they use every pipeline stage, in little time.
QUICK = ["reduce", "fma", "histogram", "vecadd"]

# Prefix that preloads what a libcudart with AddressSanitizer needs.
LAUNCHER = 'sluice=$1; . "$2"; shift 2; LD_PRELOAD=$preload exec "$@"'


class Failure(Exception):
    """A kernel that did not compile, run or pass its own check."""


@dataclass
class Run:
    """The figures of one run: totals over its launches, the cycles of each launch, and its output."""

    totals: dict
    launch_cycles: list
    output: str

    def counter(self, name):
        return self.totals["counters"][name]


def number(text):
    """Returns a cell of results.csv: None if the reference does not print the figure, a text if it is not a number."""
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def read_results(version):
    """Returns the rows of one version, by kernel."""
    with open(REFERENCE / "results.csv", newline="") as file:
        return {
            row["kernel"]: {key: number(value) for key, value in row.items()}
            for row in csv.DictReader(file)
            if row["version"] == version
        }


def machines():
    """Returns the machines of the table above that exist."""
    folder = Path(os.environ.get("SLUICE_MACHINES") or SOURCE / "machines")
    return [name for name in VERSION_OF_MACHINE if (folder / f"{name}.yaml").exists()]


class Bench:
    """The programs of the reference kernels, compiled with one build of Sluice into one folder."""

    def __init__(self, build, work):
        self.build = Path(build).resolve()
        self.work = Path(work).resolve()
        self.sluice = self.build / "bin/sluice"
        if not self.sluice.exists():
            raise Failure(f"{self.sluice} does not exist: build first, or name the build folder with --build")
        self.work.mkdir(parents=True, exist_ok=True)

    def command(self, arguments, launcher=(), **environment):
        arguments = [str(argument) for argument in arguments]
        done = subprocess.run(
            [*launcher, *arguments], env=os.environ | environment, capture_output=True, text=True, errors="replace"
        )
        if done.returncode != 0:
            raise Failure(f"status {done.returncode} of: {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def compile(self, kernel):
        stem = REFERENCE / "kernels" / kernel
        self.command([self.sluice, "cc", f"{stem}.cu", "--device-ptx", f"{stem}.ptx", "-o", self.work / kernel])

    def run(self, kernel, machine, registers, prefix=(), options=()):
        """Runs a compiled kernel's program, prefixed by the command PREFIX if given. The program must pass its own
        check."""
        stats = self.work / f"{kernel}.{machine}{''.join(f'.{option}' for option in options)}.json"
        registers = f"kernel.{ENTRY.get(kernel, kernel)}.registers={registers:.0f}"
        environment = {
            "SLUICE_MACHINE": machine,
            "SLUICE_OPTIONS": "\n".join([registers, *options]),
            "SLUICE_STATS": str(stats),
            "SLUICE_PROGRESS": "0",
        }
        preload = SOURCE / "tests/cuda/preload.sh"
        launcher = ["sh", "-c", LAUNCHER, "launcher", str(self.sluice), str(preload)]
        output = self.command([*prefix, self.work / kernel], launcher, **environment)
        if not re.search(rf"^HOST_RESULT {kernel} PASS\b", output, re.MULTILINE):
            raise Failure(f"{kernel} on {machine} failed its own check:\n{output}")
        record = json.loads(stats.read_text())
        return Run(record["totals"], [launch["cycles"] for launch in record["kernels"]], output)


def in_parallel(function, items):
    """Returns {item: function(item)}, computed on all cores. A failure replaces the result."""

    def attempt(item):
        try:
            return function(item)
        except Failure as failure:
            return failure

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(items, pool.map(attempt, items)))


def failures(results):
    """Returns the failures among the results of in_parallel, as messages."""
    return [str(result) for result in results.values() if isinstance(result, Failure)]


def raise_failures(results):
    """Returns the results of in_parallel. Raises an exception if one is a failure."""
    failed = failures(results)
    if failed:
        raise Failure("\n".join(failed))
    return results


def chosen_kernels(only):
    """Returns the kernels of a --only list, in the order of results.csv; all kernels without a list."""
    known = list(read_results("v3.2.2"))
    if not only:
        return known
    wanted = only.split(",")
    for name in wanted:
        if name not in known:
            raise Failure(f"no reference kernel is called {name}; there are: {', '.join(known)}")
    return [name for name in known if name in wanted]


def add_arguments(parser):
    """Adds the options that all three tools have."""
    parser.add_argument("--build", default=SOURCE / "build", metavar="FOLDER", help="the build to run (default: build)")
    parser.add_argument("--out", metavar="FOLDER", help="where results go (default: the build folder)")
    parser.add_argument("--only", metavar="KERNEL,...", help="these kernels instead of all")


def main(body):
    """Runs a tool. A failure prints a message and exits with status 1, without a traceback."""
    try:
        sys.exit(body())
    except Failure as failure:
        print(f"{Path(sys.argv[0]).name}: {failure}", file=sys.stderr)
        sys.exit(1)
