#!/usr/bin/env python3
"""Compares cycles and counters of four quick kernels with recorded ones, for each machine; --update records new ones."""

import argparse
import json
from pathlib import Path

import reference

GOLDEN = reference.SOURCE / "tests/data/golden"


def record_path(machine):
    return GOLDEN / f"{machine}.json"


def figures(run):
    """Returns the recorded figures of a run: the cycles of each launch, and every total except the host's time."""
    record = {"cycles": run.totals["cycles"], "launch_cycles": run.launch_cycles}
    for count in ("thread_instructions", "warp_instructions"):
        record[count] = run.totals[count]
    return record | run.totals["counters"]


def moved(kernel, recorded, now):
    """Returns (kernel, figure, recorded, now) of each figure that differs. New counters are ignored."""
    for name, value in recorded.items():
        if now.get(name) != value:
            yield kernel, name, value, now.get(name)


def show(value):
    if isinstance(value, list):
        return " ".join(f"{each:,}" for each in value)
    return "gone" if value is None else f"{value:,}"


def print_moved(rows):
    print(f"{'kernel':12}{'figure':34}{'recorded':>18}{'now':>18}{'change':>12}")
    for kernel, name, recorded, now in rows:
        change = ""
        if isinstance(recorded, int) and isinstance(now, int) and recorded:
            change = f"{100 * (now / recorded - 1):+.3f} %"
        print(f"{kernel:12}{name:34}{show(recorded):>18}{show(now):>18}{change:>12}".rstrip())


def compare(machine, record):
    recorded = json.loads(record_path(machine).read_text())
    for kernel in record:
        if kernel not in recorded:
            raise reference.Failure(f"nothing is recorded for {kernel} on {machine}: run tools/golden.py --update")
    rows = [row for kernel in record for row in moved(kernel, recorded[kernel], record[kernel])]
    kernels = list(dict.fromkeys(row[0] for row in rows))
    if not rows:
        print(f"{machine}: {', '.join(record)}: as recorded")
        return True
    print(f"{machine}: the figures of {', '.join(kernels)} moved")
    print_moved(rows)
    print(f"\nIf that is intended, record it: tools/golden.py --update --machine {machine}\n")
    return False


def update(machine, record):
    """Records the figures of these kernels; those of other kernels stay."""
    path = record_path(machine)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    recorded = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(recorded | record, indent=1) + "\n")
    print(f"written: {path}")


def body():
    parser = argparse.ArgumentParser(description=__doc__)
    reference.add_arguments(parser)
    parser.add_argument("--machine", choices=list(reference.VERSION_OF_MACHINE), help="this machine only")
    parser.add_argument("--update", action="store_true", help="record the figures of this build")
    options = parser.parse_args()
    machines = [options.machine] if options.machine else reference.machines()
    if not options.update:
        machines = [machine for machine in machines if record_path(machine).exists()]
    if not machines:
        raise reference.Failure("nothing is recorded to compare with")
    kernels = reference.chosen_kernels(options.only or ",".join(reference.QUICK))
    bench = reference.Bench(options.build, Path(options.out or options.build) / "golden")
    rows = reference.read_results("v3.2.2")

    reference.raise_failures(reference.in_parallel(bench.compile, kernels))
    work = [(kernel, machine) for machine in machines for kernel in kernels]
    runs = reference.raise_failures(reference.in_parallel(lambda item: bench.run(*item, rows[item[0]]["regs"]), work))
    right = True
    for machine in machines:
        record = {kernel: figures(runs[kernel, machine]) for kernel in kernels}
        if options.update:
            update(machine, record)
        else:
            right &= compare(machine, record)
    return 0 if right else 1


if __name__ == "__main__":
    reference.main(body)
