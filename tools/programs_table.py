#!/usr/bin/env python3
"""Measures the papers' programs and writes the tables of programs/README.md. Results newer than the compiled program
are stored in the build folder, so that the tool can be interrupted and restarted."""

import argparse
import functools
import json
import math
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import programs
import reference

README = reference.SOURCE / "programs/README.md"
MARK = "<!-- tools/programs_table.py writes what follows -->\n"
SIZES = ["tiny", "small", "paper"]
PAPER_LIMIT = 60  # seconds for a functional run at the paper's size
MACHINES = {"gtx480": "GTX 480", "sharing-14sm": "sharing"}
DRAM_ATOM = 64  # bytes of a column read or write on gtx480


@dataclass
class Kernel:
    """All launches of a kernel in one run."""

    launches: list

    def values(self, key):
        return sorted({self.figure(launch, key) for launch in self.launches})

    @staticmethod
    def figure(launch, key):
        value = launch[key]
        return math.prod(value) if isinstance(value, list) else value

    def total(self, key):
        return sum(launch[key] for launch in self.launches)

    def counter(self, key):
        return sum(launch["counters"][key] for launch in self.launches)

    def threads(self):
        return sum(self.figure(launch, "grid") * self.figure(launch, "block") for launch in self.launches)

    def grid(self):
        """Returns '8x4'; with several launches '20 of 8x4' or '20 of 1 to 9 blocks'."""
        shapes = {"x".join(map(str, launch["grid"])) for launch in self.launches}
        shape = re.sub(r"(x1)+$", "", shapes.pop()) if len(shapes) == 1 else f"{span(self.values('grid'))} blocks"
        return shape if len(self.launches) == 1 else f"{len(self.launches)} of {shape}"

    def intensity(self):
        """Returns thread instructions other than memory accesses, per byte moved between L2 and DRAM."""
        if self.launches[0]["cycles"] is None:
            return None
        warps = self.counter("sm.sp_instructions") + self.counter("sm.sfu_instructions")
        arithmetic = warps / self.total("warp_instructions") * self.total("thread_instructions")
        traffic = DRAM_ATOM * (self.counter("dram.reads") + self.counter("dram.writes"))
        return arithmetic / traffic if traffic else math.inf


def span(values):
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,} to {values[-1]:,}"


class Measured:
    """The statistics of every program, variant and size, in the build folder."""

    def __init__(self, known, work):
        self.known, self.work = known, Path(work)

    def stats_path(self, program, variant, size):
        return self.work / size / f"{program['name']}-{variant}.json"

    def measure(self, program, variant, size):
        """Runs everything that has not been run since the program was compiled. A run at the paper's size that takes
        too long leaves an empty file."""
        path = self.stats_path(program, variant, size)
        if path.exists() and path.stat().st_mtime > Path(program["binary"]).stat().st_mtime:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        words = [program["name"], "--variant", variant, "--size", size]
        print(*words, flush=True)
        try:
            paper = size == "paper"
            words += ["--all", "--stats", path.parent, *["--functional"] * paper]
            self.known.command("programs", "run", *words, timeout=PAPER_LIMIT if paper else None)
        except subprocess.TimeoutExpired:
            path.write_text("")

    def kernels(self, program, variant, size):
        """Returns {name: Kernel} in the order of first launches; empty if nothing was measured."""
        return self.read(self.stats_path(program, variant, size))

    @staticmethod
    @functools.cache
    def read(path):
        text = path.read_text() if path.exists() else ""
        found = {}
        for launch in json.loads(text)["kernels"] if text else []:
            found.setdefault(launch["name"], Kernel([])).launches.append(launch)
        return found


def resources(known, machine):
    """The resources of a machine's SM, for occupancy."""
    shown = known.command("machine", "show", machine)
    section = re.search(r"^sm:\n((?:  .*\n)*)", shown, re.MULTILINE)[1]
    return {key: int(value) for key, value in re.findall(r"^  (\w+): (\d+)$", section, re.MULTILINE)}


def occupancy(sm, threads, registers, shared):
    """Returns '6 (registers)': the blocks that fit on an SM, and the limiting resource, as in src/gpu/occupancy.c."""
    warps = -(-threads // 32)
    unit = sm["register_unit"]
    limits = {"slots": sm["blocks"], "threads": sm["warps"] // warps}
    limits["registers"] = sm["registers"] // max(1, -(-registers // unit) * unit * warps * 32)
    if shared:
        limits["shared"] = sm["shared_bytes"] // shared
    fewest = min(limits, key=limits.get)
    return f"{limits[fewest]} ({fewest})"


def table(columns, rows):
    """Returns a Markdown table. Columns whose name begins with '>' are right-aligned."""
    yield "| " + " | ".join(column.lstrip(">") for column in columns) + " |"
    yield "|" + "|".join("--:" if column.startswith(">") else "---" for column in columns) + "|"
    for row in rows:
        yield "| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |"


def each_kernel(measured, size):
    for program in measured.known.list():
        for variant in program["variants"]:
            for mangled, kernel in measured.kernels(program, variant, size).items():
                yield program, variant, mangled, kernel


def fact(program, variant, mangled):
    """Returns program.yaml's entry for a kernel in a variant, or nothing."""
    for kernel in program["kernels"]:
        if kernel["name"] == programs.plain_name(mangled) and variant in (kernel["variants"] or [variant]):
            return kernel
    return {}


def marked(text, is_fixed):
    return f"**{text}**" if is_fixed else text


def name_rows(measured):
    for program in measured.known.list():
        for paper, names in program["papers"].items():
            for name, variant in names.items():
                yield [paper, name, program["name"], variant]


def resource_rows(measured):
    machines = [resources(measured.known, machine) for machine in MACHINES]
    variables = {}
    for program, variant, mangled, kernel in each_kernel(measured, "tiny"):
        if program["name"] not in variables:
            variables[program["name"]] = programs.shared_variables(measured.known.ptx(program))
        fixed = fact(program, variant, mangled)
        largest = [kernel.values(key)[-1] for key in ("block", "registers", "shared_bytes")]
        yield [
            program["name"],
            variant,
            programs.plain_name(mangled),
            marked(span(kernel.values("block")), "block" in fixed),
            largest[1],
            marked(span(kernel.values("shared_bytes")), "shared" in fixed),
            marked(variables[program["name"]].get(mangled, 0), "variables" in fixed),
            *[occupancy(machine, *largest) for machine in machines],
        ]


def size_rows(measured):
    for program, variant, mangled, kernel in each_kernel(measured, "tiny"):
        row = [program["name"], variant, programs.plain_name(mangled)]
        for size in SIZES:
            found = measured.kernels(program, variant, size).get(mangled)
            row += [found.grid(), f"{found.total('warp_instructions'):,}"] if found else [None, None]
            if size == "small":
                intensity = found.intensity() if found else None
                row.append(None if intensity is None else f"{intensity:.1f}")
        yield row


def published_rows(measured):
    """Selects what a paper's count describes, by its number of threads: the whole program, or the average of a launch."""
    for program, variant, mangled, kernel in each_kernel(measured, "paper"):
        published = fact(program, variant, mangled).get("published", {})
        if not published:
            continue
        launches = len(kernel.launches)
        wanted = published.get("threads", kernel.threads())
        part = min((1, launches), key=lambda n: abs(math.log(kernel.threads() / n / wanted)))
        threads, instructions = kernel.threads() / part, kernel.total("thread_instructions") / part
        row = [program["name"], variant, programs.plain_name(mangled), launches, "a launch" if part > 1 else "all"]
        for ours, key in ((threads, "threads"), (instructions, "instructions")):
            theirs = published.get(key)
            row += [f"{ours:,.0f}", theirs and f"{theirs:,}", theirs and f"{100 * (ours / theirs - 1):+.1f} %"]
        yield row


NAMES = """## Names in the papers

The table lists the papers' names and their variants. TELEPORT measures its mechanism on the plain forms.
"""
RESOURCES = """
## Kernels and what fits on an SM

All values are at size tiny. Bold values are fixed by a paper, or equal in two compared forms; a test compares them with
the compiled kernel. Registers are those of Sluice's allocator (docs/explanation/deviations.md 5). "Blocks per SM" gives occupancy
and the limiting resource, on the GTX 480 of TELEPORT, D2MA and CAPS, and on `sharing-14sm`.
"""
GRIDS = """
## Sizes

For each size, the table gives the grid (`launches of grid` for several launches) and the warp instructions of all
launches. The paper's size was run functionally, where that takes less than a minute. "Instructions per byte" counts
thread instructions other than memory accesses, per byte that DRAM reads or writes, at size small on `gtx480`. For a
DMA form, it excludes the bytes that a DMA engine would read.
"""
PUBLISHED = """
## Published counts

The table compares threads and thread instructions at the paper's size with scratchpad sharing's Tables 4 and 9. Counts
are of all launches, or of the average launch where the paper's thread count shows that it means this. Our compiler
differs from its CUDA 4.0.
"""


def written(measured):
    kernel = ["program", "variant", "kernel"]
    blocks = [f">blocks per SM: {title}" for title in MACHINES.values()]
    columns = [*kernel, ">threads per block", ">registers", ">shared bytes", ">shared variables", *blocks]
    yield NAMES
    yield from table(["paper", "name", "program", "variant"], sorted(name_rows(measured)))
    yield RESOURCES
    yield from table(columns, resource_rows(measured))
    count = ">warp instr."
    columns = [*kernel, ">tiny: grid", count, ">small: grid", count, ">instr. a byte", ">paper: grid", count]
    yield GRIDS
    yield from table(columns, size_rows(measured))
    columns = [*kernel, ">launches", "counted", ">threads", ">paper", ">", ">thread instr.", ">paper", ">"]
    yield PUBLISHED
    yield from table(columns, published_rows(measured))


def body():
    parser = argparse.ArgumentParser(description=__doc__)
    programs.add_build(parser)
    parser.add_argument("--sizes", default=",".join(SIZES), metavar="SIZE,...", help="measure only these")
    parser.add_argument("program", nargs="*", help="measure only these, and write nothing")
    options = parser.parse_args()
    known = programs.Programs(options.build)
    measured = Measured(known, known.build / "programs_table")
    chosen = [(program, variant) for program in known.list(options.program) for variant in program["variants"]]
    failures = []
    for size in options.sizes.split(","):
        for program, variant in chosen:
            try:
                measured.measure(program, variant, size)
            except reference.Failure as failure:
                failures.append(str(failure))
    if failures:
        raise reference.Failure("\n".join(failures))
    if not options.program:
        before = README.read_text().partition(MARK)[0]
        README.write_text(before + MARK + "\n" + "\n".join(written(measured)) + "\n")
        print(f"written: {README}")
    return 0


if __name__ == "__main__":
    reference.main(body)
