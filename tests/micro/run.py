#!/usr/bin/env python3
"""Measures the machine from outside, with CUDA programs, and compares each figure with its closed form.

Every figure is a difference of whole kernels' cycles (or of a counter), so that common costs cancel:

  step   bodies of 16 and 32 steps, each at two trip counts: ((c32 - c32') - (c16 - c16')) / (trips * 16)
  rate   the body of 32 steps at two trip counts, for all warps of the launch: (c32 - c32') / (trips * 32 * warps)
  wave   grids of two sizes: (c - c') / blocks per SM
  whole  the launch itself

Then each row is measured again with one option changed, for several of the options in its formula: the measured value
must follow the formula. Exit status 1 when a value is beyond its tolerance.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import forms  # noqa: E402
import rows  # noqa: E402
import rows_bandwidth  # noqa: E402
import rows_latency  # noqa: E402
import rows_sm  # noqa: E402

PROGRAMS = {
    "latency": rows_latency.latency,
    "bandwidth": rows_bandwidth.bandwidth,
    "issue": rows_sm.issue,
    "shared_conflicts": rows_sm.shared_conflicts,
    "coalescing": rows_sm.coalescing,
    "barrier": rows_sm.barrier,
    "atomics": rows_bandwidth.atomics,
    "launch": rows_sm.launch,
}

MACHINES = ("gtx480", "gtx480-v4")

# Runs a program with AddressSanitizer's library loaded first, if libcudart uses it.
LAUNCHER = 'sluice=$1; . "$2"; shift 2; LD_PRELOAD=$preload exec "$@"'


class Failure(Exception):
    """An error that is not a wrong figure: a program that does not compile or run."""


def command(arguments, environment=None):
    done = subprocess.run(
        [str(argument) for argument in arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        raise Failure(f"status {done.returncode} of: {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")


class Bench:
    """The compiled programs and their launches."""

    def __init__(self, build, work):
        self.sluice = Path(build).resolve() / "bin/sluice"
        if not self.sluice.exists():
            raise Failure(f"{self.sluice} does not exist: build first, or name the build folder with --build")
        self.work = Path(work)
        self.machines = {}

    def compile(self, program):
        command([self.sluice, "cc", HERE / f"{program}.cu", "-o", self.work / program])

    def machine(self, name, options):
        key = (name, *options.items())
        if key not in self.machines:
            self.machines[key] = forms.Machine(self.sluice, name, options)
        return self.machines[key]

    def launch(self, program, points, machine, options):
        """The records of the points' measured launches, in order: each follows its warm launch."""
        stats = self.work / "stats.json"
        environment = {
            "SLUICE_MACHINE": machine,
            "SLUICE_OPTIONS": "\n".join(f"{key}={value}" for key, value in options.items()),
            "SLUICE_STATS": str(stats),
            "SLUICE_PROGRESS": "0",
        }
        preload = HERE.parent / "cuda/preload.sh"
        command(["sh", "-c", LAUNCHER, "launcher", self.sluice, preload, self.work / program, *points], environment)
        return json.loads(stats.read_text())["kernels"][1::2]


def launches(row, machine):
    """The launches of a row, in the order that measure() expects, each a dictionary."""
    given = {"warps": 1, "blocks": 1, "warm": 1, "warm_warps": 1} | row.point(machine)
    if row.method == rows.WHOLE:
        each = [{"body": 16, "trips": 1}]
    elif row.method == rows.WAVE:
        each = [{"body": 16, "trips": 1, "blocks": trips * machine["sm.count"]} for trips in row.trips]
    else:
        bodies = (16, 32) if row.method == rows.STEP else (32,)
        each = [{"body": body, "trips": trips} for body in bodies for trips in row.trips]
    for one in each:
        numbers = given | one
        called = {k: v(numbers["body"], numbers["trips"]) if callable(v) else v for k, v in numbers.items()}
        yield called


def point_text(row, numbers):
    return f"{row.kernel}:" + ",".join(f"{name}={value}" for name, value in numbers.items())


def measure(row, machine, records, numbers):
    """The row's figure for one step."""

    def figure(record):
        return record["cycles"] if row.figure == "cycles" else record["counters"][row.figure]

    value = [figure(record) for record in records]
    trips = row.trips[1] - row.trips[0]
    if row.method == rows.WHOLE:
        result = value[0]
    elif row.method == rows.WAVE:
        result = (value[1] - value[0]) / trips
    elif row.method == rows.STEP:
        result = ((value[3] - value[2]) - (value[1] - value[0])) / (trips * 16)
    else:
        result = (value[1] - value[0]) / (trips * 32 * numbers["warps"] * numbers["blocks"])
    if row.unit == rows.DRAM_CYCLES:
        result *= machine.period("core") / machine.period("dram")
    return result / row.scale


class Result:
    """One row on one machine with one set of options."""

    def __init__(self, row, name, machine, options, changed):
        self.row, self.name, self.options, self.changed = row, name, options, changed
        self.machine = machine
        self.expected = row.expected(machine)
        self.launches = list(launches(row, machine))
        self.measured = None

    def read(self, records):
        self.measured = measure(self.row, self.machine, records, self.launches[0])

    @property
    def right(self):
        return self.row.tolerance.holds(self.expected, self.measured)

    @property
    def error(self):
        return self.measured - self.expected


def results_of(bench, all_rows, name):
    """The results of the rows on a machine, each followed by those with one option changed; not measured yet."""
    for row in all_rows:
        if name not in row.machines:
            continue
        variants = [(row.options, None)] + [(row.options | {key: value}, key) for key, value in row.follow.items()]
        for options, changed in variants:
            yield Result(row, name, bench.machine(name, options), options, changed)


def run_all(bench, results):
    """Runs the launches with the same program and options together."""
    groups = {}
    for result in results:
        groups.setdefault((result.row.program, result.name, *result.options.items()), []).append(result)
    for group in groups.values():
        first = group[0]
        points = [point_text(result.row, numbers) for result in group for numbers in result.launches]
        records = bench.launch(first.row.program, points, first.name, first.options)
        for result in group:
            count = len(result.launches)
            result.read(records[:count])
            records = records[count:]


def number(value):
    text = f"{value:.{3 if abs(value) >= 1 else 4}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def name_of(row):
    options = ", ".join(f"{key}={value}" for key, value in row.options.items())
    return row.what + (f" [{options}]" if options else "")


def print_table(results):
    line = "{:4}{:64}{:>9}{:>11}{:>9}  {}"
    print(line.format("", "what", "expected", "measured", "error", "unit; formula; tolerance"))
    for result in results:
        row = result.row
        what, note = name_of(row), f"{row.unit}; {row.formula}; {row.tolerance.text}"
        if result.changed:
            what, note = f"   with {result.changed}={result.options[result.changed]}", ""
        print(
            line.format(
                "" if result.right else "BAD",
                what,
                number(result.expected),
                number(result.measured),
                number(result.error),
                note,
            ).rstrip()
        )


def print_markdown(by_machine):
    """One table per program for all machines. The last column names the changed options."""
    names = list(by_machine)
    unchanged = {(name, id(r.row)): r for name in names for r in by_machine[name] if not r.changed}
    program = None
    for row in {id(r.row): r.row for name in names for r in by_machine[name]}.values():
        if row.program != program:
            program = row.program
            print(f"\n### {program}.cu")
            print(f"| what | closed form | unit | {' | '.join(names)} | tolerance | follows |")
            print("|---|---|---|" + "--:|" * len(names) + "---|---|")
        cells = []
        for name in names:
            result = unchanged.get((name, id(row)))
            expected, measured = (number(result.expected), number(result.measured)) if result else ("-", "-")
            cells.append(expected if expected == measured else f"{expected}: {measured}")
        follows = ", ".join(f"`{key}`" for key in row.follow)
        cells = [name_of(row), row.formula, row.unit, *cells, row.tolerance.text, follows]
        print(f"| {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=HERE.parent.parent / "build", metavar="FOLDER", help="default: build")
    parser.add_argument("--only", metavar="PROGRAM,...", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--machine", choices=MACHINES, help="this machine only")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/explanation/microbenchmarks.md")
    options = parser.parse_args()
    programs = options.only.split(",") if options.only else list(PROGRAMS)
    for program in programs:
        if program not in PROGRAMS:
            raise Failure(f"there is no program {program}; there are: {', '.join(PROGRAMS)}")
    chosen = [row for program in programs for row in PROGRAMS[program]()]
    by_machine = {}
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(options.build, work)
        for program in programs:
            bench.compile(program)
        for name in [options.machine] if options.machine else MACHINES:
            by_machine[name] = list(results_of(bench, chosen, name))
            run_all(bench, by_machine[name])
    if options.markdown:
        print_markdown(by_machine)
    else:
        for name, results in by_machine.items():
            print(f"{name}")
            print_table(results)
            print()
    return 0 if all(result.right for results in by_machine.values() for result in results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"run.py: {failure}", file=sys.stderr)
        sys.exit(1)
