#!/usr/bin/env python3
"""Measures the simulator's speed on the reference kernels and compares it with GPGPU-Sim's; docs/explanation/fidelity.md explains
how."""

import argparse
import datetime
import json
import re
import shutil
import statistics
import subprocess
from pathlib import Path

import reference

RIVAL = "v4.2.0"  # the version whose host figures are in results.csv, without its power statistics
MEAN_RATIO, LOWEST_RATIO = 150, 40
GUARD = 0.03  # the growth of host instructions that the guard accepts
# The kernels whose host instructions are recorded: from fma, which is dominated by issue, to transpose_naive, whose
# stores are not coalesced.
GUARDED = ["fma", "saxpy", "histogram", "matmul_naive", "transpose_naive", "bfs"]
GUARD_FILE = reference.SOURCE / "tests/data/golden/host_instructions.json"

# valgrind's basic-block counter, which only counts and is therefore several times faster than callgrind.
COUNT_INSTRUCTIONS = ["valgrind", "--tool=exp-bbv", "--instr-count-only=yes"]
COUNT_INSTRUCTIONS += ["--bb-out-file=/dev/null", "--pc-out-file=/dev/null"]


def wall_time(bench, kernel, machine, registers, runs):
    """Returns warp instructions per host second, of the fastest of several runs."""
    done = [bench.run(kernel, machine, registers).totals for _ in range(runs)]
    return max(totals["warp_instructions"] / totals["host_seconds"] for totals in done)


def host_instructions(bench, kernel, machine, registers):
    """Returns host instructions of the whole program per warp instruction."""
    run = bench.run(kernel, machine, registers, COUNT_INSTRUCTIONS)
    counts = re.findall(r"Total instructions: (\d+)", run.output)
    if not counts:
        raise reference.Failure(f"valgrind printed no instruction count for {kernel}:\n{run.output}")
    return sum(map(int, counts)) / run.totals["warp_instructions"]


def need_valgrind():
    if not shutil.which("valgrind"):
        raise reference.Failure("host instructions are counted with valgrind: install it, or give --no-instructions")


def count_all(bench, kernels, machine, rows):
    """Returns {kernel: host instructions per warp instruction}. Uses all cores, because a busy machine does not change
    counts."""
    need_valgrind()

    def count(kernel):
        return host_instructions(bench, kernel, machine, rows[kernel]["regs"])

    slowest_first = sorted(kernels, key=lambda kernel: -rows[kernel]["cycles"])
    return reference.raise_failures(reference.in_parallel(count, slowest_first))


def revision():
    """Returns the tree's commit, with a + if files differ from it; "unknown" outside a repository or without git."""

    def git(*arguments):
        try:
            done = subprocess.run(["git", "-C", reference.SOURCE, *arguments], capture_output=True, text=True)
        except FileNotFoundError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = git("rev-parse", "--short", "HEAD")
    return (commit or "unknown") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def host_name():
    """Returns the processor's model. Wall times of different models are not comparable."""
    try:
        model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        model = None
    return model[1] if model else "unknown"


def previous_entry(path, machine):
    """Returns the file's newest entry for this machine."""
    if not path.exists():
        return None
    entries = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return next((entry for entry in reversed(entries) if entry["machine"] == machine), None)


class Column:
    """One metric: for each kernel our value, the rival's, the ratio, and the change since the last entry."""

    def __init__(self, title, key, rival, scale, more_is_better):
        self.title, self.key, self.rival, self.scale, self.more_is_better = title, key, rival, scale, more_is_better

    def ratio(self, kernel, entry, rows):
        ours, theirs = entry["kernels"][kernel][self.key], self.rival(rows[kernel])
        return ours / theirs if self.more_is_better else theirs / ours

    def change(self, kernel, entry, before):
        then = before["kernels"].get(kernel, {}).get(self.key) if before else None
        return f"{100 * (entry['kernels'][kernel][self.key] / then - 1):+.1f} %" if then else "-"


SPEED = Column(
    "thousand warp instructions per second",
    "per_second",
    lambda row: row["warp_insn"] / row["host_wall_s_trimmed"],
    1e-3,
    True,
)
COST = Column(
    "host instructions per warp instruction",
    "host_instructions",
    lambda row: row["host_insn_per_warp_insn_trimmed"],
    1,
    False,
)


def print_tables(entry, before, rows, columns):
    print(f"{entry['machine']}, revision {entry['revision']}, {entry['build']} build, {entry['host']}")
    print(f"\n{'':16}" + "".join(f" |{column.title:^46}" for column in columns))
    print(f"{'kernel':16}" + f" |{'ours':>10}{'GPGPU-Sim':>13}{'ratio':>10}{'change':>12} " * len(columns))
    print("-" * 16 + ("-+" + "-" * 46) * len(columns))
    for kernel, figures in entry["kernels"].items():
        line = f"{kernel:16}"
        for column in columns:
            ours, theirs = figures[column.key] * column.scale, column.rival(rows[kernel]) * column.scale
            ratio = column.ratio(kernel, entry, rows)
            line += f" |{ours:>10,.0f}{theirs:>13,.1f}{ratio:>10.1f}{column.change(kernel, entry, before):>12} "
        print(line.rstrip())


def print_targets(entry, before, rows, columns):
    print(f"\nGPGPU-Sim is {RIVAL[1:]} without its power statistics. ", end="")
    print(f"Change is against revision {before['revision']} of {before['time']}." if before else "No entry before.")
    if before and before["host"] != entry["host"]:
        print(f"That entry was measured on another processor: {before['host']}.")
    for column in columns:
        ratios = {kernel: column.ratio(kernel, entry, rows) for kernel in entry["kernels"]}
        mean, lowest = statistics.geometric_mean(ratios.values()), min(ratios, key=ratios.get)
        ours = statistics.geometric_mean(figures[column.key] for figures in entry["kernels"].values())
        print(f"\n{column.title}: geometric mean {ours * column.scale:,.0f}")
        for name, value, target in (
            ("geometric mean of the ratio", mean, MEAN_RATIO),
            (f"lowest ratio ({lowest})", ratios[lowest], LOWEST_RATIO),
        ):
            print(f"  {name:<36} {value:8.1f}   target >= {target:<5} {'met' if value >= target else 'MISSED'}")
        print_mean_change(column, entry, before)


def print_mean_change(column, entry, before):
    changes = [
        figures[column.key] / before["kernels"][kernel][column.key]
        for kernel, figures in entry["kernels"].items()
        if before and before["kernels"].get(kernel, {}).get(column.key)
    ]
    if changes:
        mean = statistics.geometric_mean(changes)
        print(f"  {'change, geometric mean':<36} {100 * (mean - 1):+7.1f} %")


def build_type(build):
    """Returns CMake's build type. Only figures of a Release build are meaningful."""
    cache = Path(build) / "CMakeCache.txt"
    text = cache.read_text() if cache.exists() else ""
    found = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", text, re.MULTILINE)
    sanitize = re.search(r"^SLUICE_SANITIZE:BOOL=ON", text, re.MULTILINE)
    return (found[1] if found else "unknown") + (" sanitized" if sanitize else "")


def guard(bench, kernels, machine, rows, update):
    """Compares host instructions with the recorded ones. Growth beyond the limit is a failure."""
    recorded = json.loads(GUARD_FILE.read_text()) if GUARD_FILE.exists() else {}
    missing = [kernel for kernel in kernels if kernel not in recorded]
    if missing and not update:
        raise reference.Failure(f"nothing is recorded for {', '.join(missing)}: run tools/bench.py --guard-update")
    counted = count_all(bench, kernels, machine, rows)
    if update:
        record = recorded | {kernel: round(counted[kernel], 1) for kernel in kernels}
        GUARD_FILE.write_text(json.dumps(record, indent=1) + "\n")
        print(f"written: {GUARD_FILE}")
        return 0
    grown = False
    print(f"{'kernel':16}{'recorded':>12}{'now':>12}{'change':>10}   host instructions per warp instruction")
    for kernel in kernels:
        change = counted[kernel] / recorded[kernel] - 1
        grown |= change > GUARD
        note = "SLOWER" if change > GUARD else "faster: record it" if change < -GUARD else ""
        line = f"{kernel:16}{recorded[kernel]:>12,.1f}{counted[kernel]:>12,.1f}{100 * change:>+8.1f} %   {note}"
        print(line.rstrip())
    if grown:
        print(f"more than the guard of {100 * GUARD:.0f} %; if it is intended, record it with tools/bench.py --guard-update")
    return 1 if grown else 0


def measure(bench, kernels, options, rows):
    """Returns this run's entry: wall times, measured one run at a time, then instruction counts."""
    figures = {}
    for kernel in kernels:
        speed = wall_time(bench, kernel, options.machine, rows[kernel]["regs"], options.runs)
        figures[kernel] = {"per_second": round(speed, 1)}
    if options.instructions:
        for kernel, count in count_all(bench, kernels, options.machine, rows).items():
            figures[kernel]["host_instructions"] = round(count, 2)
    return {
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "revision": revision(),
        "build": build_type(options.build),
        "host": host_name(),
        "machine": options.machine,
        "kernels": figures,
    }


def body():
    parser = argparse.ArgumentParser(description=__doc__)
    reference.add_arguments(parser)
    parser.add_argument("--machine", choices=list(reference.VERSION_OF_MACHINE), default="gtx480")
    parser.add_argument("--runs", type=int, default=3, help="number of runs, of which the best wall time counts (default: 3)")
    parser.add_argument(
        "--instructions",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="count host instructions with valgrind, at each kernel's full size: takes minutes",
    )
    parser.add_argument("--guard", action="store_true", help="only compare instruction counts with the recorded ones")
    parser.add_argument("--guard-update", action="store_true", help="record them")
    options = parser.parse_args()
    guarding = options.guard or options.guard_update
    out = Path(options.out or options.build)
    rows = reference.read_results(RIVAL)
    # The rival's host time was measured only for the first fourteen kernels.
    timed = [kernel for kernel, row in rows.items() if row["host_wall_s_trimmed"]]
    kernels = reference.chosen_kernels(options.only or ",".join(GUARDED if guarding else timed))
    bench = reference.Bench(options.build, out / ("guard" if guarding else "bench"))
    if options.instructions or guarding:
        need_valgrind()
    reference.raise_failures(reference.in_parallel(bench.compile, kernels))
    if guarding:
        return guard(bench, kernels, options.machine, rows, options.guard_update)

    history = out / "bench.jsonl"
    before = previous_entry(history, options.machine)
    entry = measure(bench, kernels, options, rows)
    with open(history, "a") as file:
        file.write(json.dumps(entry) + "\n")
    columns = [SPEED, COST] if options.instructions else [SPEED]
    print_tables(entry, before, rows, columns)
    print_targets(entry, before, rows, columns)
    print(f"\nadded to {history}")
    return 0


if __name__ == "__main__":
    reference.main(body)
