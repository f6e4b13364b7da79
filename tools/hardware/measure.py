#!/usr/bin/env python3
"""Measures the GPU of this machine: microbenchmarks and kernels. Writes one CSV.

    tools/hardware/measure.py -o h100.csv              everything, at most twenty minutes, no root
    tools/hardware/measure.py -o h100.csv --only micro only the microbenchmarks
    tools/hardware/measure.py -o quick.csv --quick     a first look: fewer points

It needs nvcc, Python 3 and a GPU. Where ncu may read the counters, each launch's counters are added. The columns:

    part,measure,parameters,value,unit,repeats,lowest,highest

`value` is the median of the repeats. Rows are written as soon as they are measured, so a stopped run keeps its rows.
"""

import argparse
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import counters  # noqa: E402
import workloads  # noqa: E402

HERE = Path(__file__).resolve().parent
COLUMNS = ["part", "measure", "parameters", "value", "unit", "repeats", "lowest", "highest"]
PARTS = ("micro", "kernels")
SIZES = ("tiny", "small", "paper")
MICRO_SECONDS, KERNEL_SECONDS = 60, 60
TIMED, COUNTED = 40, 6  # the first launches of a program, that are timed and whose counters are read

# Properties of the card that nvidia-smi prints.
CARD = ("name", "driver_version", "pstate", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "power.limit",
        "temperature.gpu", "mig.mode.current")

# Options of nvcc that one microbenchmark needs.
FLAGS = {
    "wgmma": ["-gencode=arch=compute_{capability}a,code=sm_{capability}a", "--split-compile=0"],
}


def say(text):
    print(f"measure.py: {text}", file=sys.stderr, flush=True)


@dataclass
class Kit:
    """The tools, the folder of built programs and the file of rows of one run."""

    nvcc: str
    capability: int
    work: Path
    output: Path
    quick: bool
    prefix: list
    built: bool
    deadline: float
    rows: list = field(default_factory=list)

    def run(self, command, seconds, extra=None, prefix=True):
        """Runs a command. Returns its standard output. Notes a failure, or a stop after SECONDS."""
        words = [str(word) for word in ([*self.prefix, *command] if prefix else command)]
        seconds = min(seconds, max(1, self.deadline - time.monotonic()))
        try:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=seconds,
                                  env=os.environ | (extra or {}), check=False)
        except subprocess.TimeoutExpired as stopped:
            say(f"stopped after {seconds:.0f} s: {' '.join(words)}")
            return (stopped.stdout or b"").decode(errors="replace")
        for line in done.stderr.splitlines()[:6]:
            say(f"{Path(str(command[0])).name}: {line}")
        if done.returncode != 0:
            say(f"status {done.returncode} of {' '.join(words)}")
            tail = done.stdout.splitlines()[-3:]
            say(" | ".join(tail))
        return done.stdout

    def write(self, rows):
        self.rows += rows
        new = not self.output.exists()
        with self.output.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(COLUMNS)
            writer.writerows(rows)

    def is_late(self):
        return time.monotonic() > self.deadline


def compiled(kit, source, flags=()):
    """Builds one program, unless --built says that it is there. Returns its path, or None with a note."""
    target = kit.work / f"{source.parent.name}-{source.stem}"
    if kit.built and target.exists():
        return target
    chosen = [flag.format(capability=kit.capability) for flag in FLAGS.get(source.stem, ["-arch=sm_{capability}"])]
    command = [kit.nvcc, "-std=c++17", "-O2", *chosen, *flags, source, "-o", target]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return target
    errors = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line or "fatal" in line]
    say(f"{source.name} does not build: {errors[0] if errors else 'status ' + str(done.returncode)}")
    return None


def compile_all(kit, sources, flags=()):
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        built = pool.map(lambda source: compiled(kit, source, flags), sources)
        return dict(zip(sources, built, strict=True))


# --- microbenchmarks ---


def measure_micro(kit, only):
    sources = sorted((HERE / "micro").glob("*.cu"))
    if only:
        sources = [source for source in sources if source.stem in only]
    for source, program in compile_all(kit, sources).items():
        if not program or kit.is_late():
            continue
        start = time.monotonic()
        output = kit.run([program, *(["--quick"] if kit.quick else [])], MICRO_SECONDS)
        rows = [line.split(",") for line in output.splitlines()]
        kit.write([row for row in rows if len(row) == len(COLUMNS)])
        say(f"{source.stem}: {len(rows)} rows in {time.monotonic() - start:.1f} s")


# --- kernels ---


def place(run, size, launch, name, grid, block):
    """The parameters of a kernel's row."""
    short = re.sub(r"[\s,]+", "_", name)
    program = f"program={run.name} variant={run.variant} size={size}"
    return f"{program} launch={launch} kernel={short} grid={grid} block={block}"


def timed_launches(kit, library, run, program, size):
    """Runs a program once. Returns {place: nanoseconds}, and whether the program's own check holds."""
    with tempfile.NamedTemporaryFile(prefix="launches-", dir=kit.work) as file:
        extra = {"LD_PRELOAD": str(library), "LAUNCHES": file.name, "CUDA_MODULE_LOADING": "EAGER"}
        output = kit.run([program, *run.arguments(size)], KERNEL_SECONDS, extra)
        lines = Path(file.name).read_text().splitlines()
    times = {}
    for line in lines[:TIMED]:
        number, nanoseconds, gx, gy, gz, bx, by, bz, _, name = line.split(",", 9)
        times[place(run, size, number, name, f"{gx}x{gy}x{gz}", f"{bx}x{by}x{bz}")] = float(nanoseconds)
    return times, len(lines), "PASS" in output


def time_kernels(kit, library, run, program, size, repeats):
    samples = {}
    for _ in range(repeats):
        times, launches, passed = timed_launches(kit, library, run, program, size)
        for where, nanoseconds in times.items():
            samples.setdefault(where, []).append(nanoseconds)
    where = f"program={run.name} variant={run.variant} size={size}"
    kit.write([["program", "correct", where, int(passed), "yes", 1, int(passed), int(passed)],
               ["program", "launches", where, launches, "launches", 1, launches, launches]])
    for where, times in samples.items():
        middle, lowest, highest = (f"{value:.0f}" for value in (statistics.median(times), min(times), max(times)))
        kit.write([["kernel", "time", where, middle, "ns", len(times), lowest, highest]])


def count_kernels(kit, ncu, names, run, program, size):
    """Reads the counters of a program's first launches by ncu."""
    with tempfile.TemporaryDirectory(prefix="ncu-", dir=kit.work) as folder:
        log = Path(folder) / "counters.csv"
        command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
                   "--clock-control", "none", "--cache-control", "none", "--launch-count", COUNTED,
                   "--metrics", ",".join(names), "--log-file", log, program, *run.arguments(size)]
        kit.run(command, KERNEL_SECONDS, prefix=False)
        rows = []
        for launch, line in enumerate(counters.read(log, names) if log.exists() else []):
            where = place(run, size, launch, line.name, line.grid, line.block)
            rows += [["kernel", name, where, value, unit, 1, value, value] for name, value, unit in line.values]
        kit.write(rows)


def measure_kernels(kit, runs, sizes, repeats, without_counters):
    headers = kit.work / "include/sluice"
    headers.mkdir(parents=True, exist_ok=True)
    for header in workloads.HEADERS:
        shutil.copy(header, headers)
    flags = ["-cudart", "shared", "-lcuda", "-I", workloads.ROOT / "programs", "-I", kit.work / "include"]
    built = compile_all(kit, sorted({run.source for run in runs}), flags)
    library = compiled(kit, HERE / "launch_times.cu", ["-cudart", "shared", "-shared", "-Xcompiler", "-fPIC"])
    ncu = None if without_counters else shutil.which("ncu")
    names = counters.known(ncu) if ncu else []
    say(f"ncu counts {len(names)} metrics" if names else "no ncu, or it may not read the counters: times only")
    for size in sizes:
        for run in runs:
            program = built[run.source]
            if not program or kit.is_late():
                continue
            if repeats:
                time_kernels(kit, library, run, program, size, repeats)
            if names:
                count_kernels(kit, ncu, names, run, program, size)
        say(f"size {size}: {len(kit.rows)} rows, {kit.deadline - time.monotonic():.0f} s left")


# --- the card ---


def describe_card(kit):
    if not shutil.which("nvidia-smi"):
        return
    query = ["nvidia-smi", f"--query-gpu={','.join(CARD)}", "--format=csv,noheader,nounits", "-i", "0"]
    values = [value.strip() for value in kit.run(query, 30, prefix=False).split(",")]
    kit.write([["card", name, "", value, "text", 1, "", ""] for name, value in zip(CARD, values, strict=False)])


def capability_of(options):
    if options.capability:
        return options.capability
    output = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "-i", "0"],
                            capture_output=True, text=True, check=False).stdout if shutil.which("nvidia-smi") else ""
    found = re.match(r"(\d+)\.(\d)", output)
    if not found:
        sys.exit("measure.py: no GPU found by nvidia-smi; --capability 90 names one")
    return 10 * int(found[1]) + int(found[2])


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="hardware.csv", type=Path, help="the CSV; new rows are appended")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--capability", type=int, help="compute capability, such as 90; default: that of GPU 0")
    parser.add_argument("--only", choices=PARTS, help="one part instead of both")
    parser.add_argument("--names", nargs="*", default=[], help="these microbenchmarks or programs instead of all")
    parser.add_argument("--sizes", nargs="*", choices=SIZES, default=list(SIZES), help="sizes of the kernels")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each kernel program")
    parser.add_argument("--all-variants", action="store_true", help="every variant of the programs, not the first only")
    parser.add_argument("--no-counters", action="store_true", help="never start ncu")
    parser.add_argument("--quick", action="store_true", help="fewer points")
    parser.add_argument("--seconds", type=float, default=1200, help="stop after this time")
    parser.add_argument("--work", type=Path, help="folder for built programs; default: a temporary one")
    parser.add_argument("--built", action="store_true", help="run the programs that --work already holds")
    parser.add_argument("--prefix", default="", help="a command before each program, such as 'sluice run -m qv100 --'")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="hardware-") as folder:
        work = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        kit = Kit(options.nvcc, capability_of(options), work, options.output, options.quick, options.prefix.split(),
                  options.built, time.monotonic() + options.seconds)
        describe_card(kit)
        if options.only in (None, "micro"):
            measure_micro(kit, options.names)
        if options.only in (None, "kernels"):
            runs = workloads.runs(options.all_variants)
            chosen = [run for run in runs if not options.names or run.name in options.names]
            measure_kernels(kit, chosen, options.sizes, options.repeats, options.no_counters)
        say(f"{len(kit.rows)} rows in {options.output}")


if __name__ == "__main__":
    main()
