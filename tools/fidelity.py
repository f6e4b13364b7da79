#!/usr/bin/env python3
"""Runs the reference kernels and compares our figures with GPGPU-Sim's; docs/explanation/fidelity.md explains them."""

import argparse
import csv
import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import reference
from scatter import scatter

# Kernels with races: their counts depend on timing and may differ by this fraction.
RACY = {"bfs": 0.01}

# Targets for cycles, by machine: mean absolute error, and largest error.
TARGETS = {"gtx480": (0.05, 0.15), "gtx480-v4": (0.05, 0.15), "qv100": (0.03, 0.10), "rtx3070": (0.03, 0.10)}
CORRELATION = 0.99
FAR_LAUNCH = 0.05

# Variants that are practically equal to the compared machine: the path to memory is one or two cycles longer or
# shorter. Their cycles differ only because events occur in another order. No error can be known more precisely than
# this difference.
ON_THE_WAY = {"gtx480": (120, 100), "gtx480-v4": (120, 100), "qv100": (160, 100), "rtx3070": (187, 254)}
NEIGHBOURS = {
    machine: [f"{option}={cycles + by}" for option, cycles in (("l2.delay", delay), ("dram.latency", latency)) for by in (-2, -1, 1, 2)]
    for machine, (delay, latency) in ON_THE_WAY.items()
}


def ratio(part, whole):
    return part / whole if whole else None


@dataclass
class Metric:
    """A compared figure: ours from a run, theirs from a row. The error of a rate is in percentage points, all others
    are relative."""

    name: str
    ours: Callable
    theirs: Callable
    rate: bool = False
    digits: int = 0
    target: float = None

    def error(self, ours, theirs):
        if ours is None or theirs is None:
            return None
        if self.rate:
            return ours - theirs
        if theirs == 0:
            return 0.0 if ours == 0 else math.inf
        return ours / theirs - 1

    def show(self, value):
        if value is None:
            return "-"
        return f"{100 * value:.1f} %" if self.rate else f"{value:,.{self.digits}f}"

    def show_error(self, error):
        if error is None:
            return "-"
        if math.isinf(error):
            return "new"
        return f"{100 * error:+.1f} pt" if self.rate else f"{100 * error:+.1f} %"


def total(name):
    return lambda run: run.totals[name]


def counter(name):
    return lambda run: run.counter(name)


def share(part, whole):
    return lambda run: ratio(run.counter(part), run.counter(whole))


def cell(name):
    return lambda row: row[name]


def cells(part, whole):
    return lambda row: ratio(row[part], row[whole])


CYCLES = Metric("cycles", total("cycles"), cell("cycles"))
IPC = Metric("IPC", lambda run: run.totals["thread_instructions"] / run.totals["cycles"], cell("ipc"), digits=2)
TABLES = [
    [CYCLES, IPC],
    [
        Metric("L1D accesses", counter("l1d.accesses"), cell("l1d_access"), target=0.02),
        Metric("L1D miss rate", share("l1d.misses", "l1d.accesses"), cells("l1d_miss", "l1d_access"), True, 0, 0.02),
    ],
    [
        Metric("L2 accesses", counter("l2.accesses"), cell("l2_access"), target=0.02),
        Metric("L2 miss rate", share("l2.misses", "l2.accesses"), cells("l2_miss", "l2_access"), True, 0, 0.02),
    ],
    [
        Metric("DRAM reads", counter("dram.reads"), cell("dram_rd_cmd"), target=0.05),
        Metric("DRAM writes", counter("dram.writes"), cell("dram_wr_cmd")),
        Metric("row locality", share("dram.requests", "dram.activates"), cells("dram_req", "dram_act"), digits=2),
    ],
]
METRICS = [metric for table in TABLES for metric in table]


@dataclass
class Comparison:
    """One machine compared with one version: {kernel: {metric name: (ours, theirs, error)}}; the counts that differ;
    launches with large errors: (kernel, number, ours, theirs, error). With --spread {kernel: errors of its cycles on
    machines with slightly other latencies}."""

    machine: str
    version: str
    figures: dict
    wrong_counts: list
    far_launches: list
    spread: dict

    def cycle_errors(self):
        return {kernel: figures["cycles"][2] for kernel, figures in self.figures.items()}


def wrong_counts(kernel, run, row):
    """Returns messages for thread and warp instruction counts that differ from the reference."""
    slack = RACY.get(kernel, 0)
    for ours, theirs in (("thread_instructions", "thread_insn"), ("warp_instructions", "warp_insn")):
        if abs(run.totals[ours] - row[theirs]) > slack * row[theirs]:
            yield f"{kernel}: {ours} are {run.totals[ours]:,.0f}, the reference counted {row[theirs]:,.0f}"


def launches(kernel, run, row):
    """Returns each launch's number, our cycles, the reference's cycles, and the error."""
    theirs = [float(cycles) for cycles in str(row["kernel_cycles"]).split()]
    if len(theirs) != len(run.launch_cycles):
        raise reference.Failure(f"{kernel}: {len(run.launch_cycles)} launches, the reference has {len(theirs)}")
    for number, (cycles, reference_cycles) in enumerate(zip(run.launch_cycles, theirs), 1):
        yield kernel, number, cycles, reference_cycles, cycles / reference_cycles - 1


def compare(machine, runs, neighbors):
    version = reference.VERSION_OF_MACHINE[machine]
    rows = reference.read_results(version)
    figures, wrong, far, spread = {}, [], [], {}
    for kernel, run in runs.items():
        row = rows[kernel]
        wrong += wrong_counts(kernel, run, row)
        far += [launch for launch in launches(kernel, run, row) if abs(launch[-1]) > FAR_LAUNCH]
        others = [CYCLES.error(CYCLES.ours(other), CYCLES.theirs(row)) for other in neighbors.get(kernel, [])]
        spread[kernel] = sorted([CYCLES.error(CYCLES.ours(run), CYCLES.theirs(row)), *others])
        figures[kernel] = {}
        for metric in METRICS:
            ours, theirs = metric.ours(run), metric.theirs(row)
            figures[kernel][metric.name] = (ours, theirs, metric.error(ours, theirs))
    return Comparison(machine, version, figures, wrong, far, spread)


def print_table(table, figures, worst):
    """Prints one line per kernel: for each metric our value, theirs and the error, with a star if the target is missed."""
    print(f"\n{'':16}" + "".join(f" |{metric.name:^34}" for metric in table))
    print(f"{'kernel':16}" + f" |{'ours':>12}{'reference':>12}{'error':>9} " * len(table))
    print("-" * 16 + ("-+" + "-" * 34) * len(table))
    for kernel, of_kernel in figures.items():
        line = f"{kernel:16}"
        for metric in table:
            ours, theirs, error = of_kernel[metric.name]
            limit = worst if metric is CYCLES else metric.target
            star = "*" if limit is not None and error is not None and abs(error) > limit else " "
            line += f" |{metric.show(ours):>12}{metric.show(theirs):>12}{metric.show_error(error):>9}{star}"
        print(line.rstrip())


def verdict(name, value, target, met):
    print(f"  {name:<32} {value:<42} target {target:<16} {'met' if met else 'MISSED'}")


def correlation(pairs):
    """Returns Pearson's correlation of [(ours, theirs), ...]; None if undefined."""
    try:
        return statistics.correlation(*zip(*pairs))
    except statistics.StatisticsError:
        return None


def print_targets(comparison):
    print(f"\n{comparison.machine} against {reference.SIMULATOR[comparison.version]}")
    wrong = len({message.split(":")[0] for message in comparison.wrong_counts})
    verdict("instruction counts", f"{wrong} kernels differ" if wrong else "equal", "equal", not wrong)
    errors = comparison.cycle_errors()
    mean = statistics.fmean(abs(error) for error in errors.values())
    mean_target, worst_target = TARGETS[comparison.machine]
    verdict("cycles: mean absolute error", f"{100 * mean:.2f} %", f"<= {100 * mean_target:.0f} %", mean <= mean_target)
    worst = max(errors, key=lambda kernel: abs(errors[kernel]))
    verdict(
        "cycles: worst kernel",
        f"{100 * errors[worst]:+.1f} % ({worst})",
        f"<= {100 * worst_target:.0f} %",
        abs(errors[worst]) <= worst_target,
    )
    pairs = [figures["cycles"][:2] for figures in comparison.figures.values()]
    plain = correlation(pairs)
    if plain is not None:
        logs = correlation([(math.log(ours), math.log(theirs)) for ours, theirs in pairs])
        value = f"{plain:.5f} (of logarithms {logs:.5f})"
        verdict("cycles: correlation", value, f">= {CORRELATION}", plain >= CORRELATION)
    for metric in METRICS:
        if metric.target is None:
            continue
        # Sorted by the size of the error, largest first.
        all_errors = {kernel: figures[metric.name][2] for kernel, figures in comparison.figures.items()}
        far = [kernel for kernel, error in all_errors.items() if error is not None and abs(error) > metric.target]
        far.sort(key=lambda kernel: -abs(all_errors[kernel]))
        unit = "points" if metric.rate else "%"
        note = f"{len(all_errors) - len(far)} of {len(all_errors)} kernels within"
        verdict(metric.name, note, f"<= {100 * metric.target:.0f} {unit}", not far)
        if far:
            print(f"{'':35}beyond: " + ", ".join(f"{k} {metric.show_error(all_errors[k])}" for k in far))


def print_launches(comparison):
    print(f"\nlaunches more than {100 * FAR_LAUNCH:.0f} % off: {len(comparison.far_launches) or 'none'}")
    for kernel, number, ours, theirs, error in comparison.far_launches:
        print(f"{kernel:16} launch {number:<3} |{ours:>12,.0f}{theirs:>12,.0f}{100 * error:>+8.1f} %")


def print_spread(comparison):
    print(f"\nerror of cycles on {len(NEIGHBOURS[comparison.machine]) + 1} machines with slightly other latencies\n{'kernel':16} |{'least':>9}{'median':>9}{'most':>9}")
    for kernel, errors in comparison.spread.items():
        figures = (errors[0], statistics.median(errors), errors[-1])
        print(f"{kernel:16} |" + "".join(f"{100 * error:>+7.1f} %" for error in figures))
    medians = [abs(statistics.median(errors)) for errors in comparison.spread.values()]
    print(f"{'mean of the medians, absolute':35}{100 * statistics.fmean(medians):.2f} %")


def print_comparison(comparison):
    print(f"\n=== {comparison.machine} next to {reference.SIMULATOR[comparison.version]}; * is beyond the target")
    for table in TABLES:
        print_table(table, comparison.figures, TARGETS[comparison.machine][1])
    print_launches(comparison)
    if any(len(errors) > 1 for errors in comparison.spread.values()):
        print_spread(comparison)
    for message in comparison.wrong_counts:
        print(f"WRONG COUNT: {message}")


def write_csv(path, comparisons):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["machine", "version", "kernel", "metric", "ours", "reference", "error"])
        for comparison in comparisons:
            for kernel, figures in comparison.figures.items():
                for name, values in figures.items():
                    cells_of_row = ["" if value is None else f"{value:.10g}" for value in values]
                    writer.writerow([comparison.machine, comparison.version, kernel, name, *cells_of_row])


def write_svg(path, comparisons):
    series = []
    for comparison in comparisons:
        points = [(kernel, f["cycles"][1], f["cycles"][0]) for kernel, f in comparison.figures.items()]
        series.append((f"{comparison.machine} next to {reference.SIMULATOR[comparison.version]}", points))
    path.write_text(scatter("Cycles of the reference kernels", "GPGPU-Sim, cycles", "Sluice, cycles", series))


def is_good(run):
    return isinstance(run, reference.Run)


def body():
    parser = argparse.ArgumentParser(description=__doc__)
    reference.add_arguments(parser)
    parser.add_argument("--machine", choices=list(reference.VERSION_OF_MACHINE), help="this machine only")
    parser.add_argument("--spread", action="store_true", help="also run machines with slightly other latencies, which takes nine times as long")
    options = parser.parse_args()
    out = Path(options.out or options.build)
    machines = [options.machine] if options.machine else reference.machines()
    kernels = reference.chosen_kernels(options.only)
    bench = reference.Bench(options.build, out / "fidelity")

    rows = reference.read_results("v3.2.2")
    compiled = reference.in_parallel(bench.compile, kernels)
    # The longest kernel first, so that it does not run alone at the end.
    kernels_by_cycles = sorted(kernels, key=lambda kernel: -rows[kernel]["cycles"])
    changes = {machine: [None, *(NEIGHBOURS[machine] if options.spread else [])] for machine in machines}
    work = [(k, m, c) for k in kernels_by_cycles if not isinstance(compiled[k], reference.Failure) for m in machines for c in changes[m]]

    def run(item):
        kernel, machine, change = item
        return bench.run(kernel, machine, rows[kernel]["regs"], options=[*reference.ADDRESSES, *([change] if change else [])])

    runs = reference.in_parallel(run, work)

    def compared(machine):
        good = {k: runs[k, machine, None] for k in kernels if is_good(runs.get((k, machine, None)))}
        neighbors = {k: [runs[k, machine, c] for c in changes[machine][1:] if is_good(runs[k, machine, c])] for k in good}
        return compare(machine, good, neighbors)

    comparisons = [compared(machine) for machine in machines]
    comparisons = [comparison for comparison in comparisons if comparison.figures]
    for comparison in comparisons:
        print_comparison(comparison)
    for comparison in comparisons:
        print_targets(comparison)
    if comparisons:
        write_csv(out / "fidelity.csv", comparisons)
        write_svg(out / "fidelity.svg", comparisons)
        print(f"\nwritten: {out / 'fidelity.csv'}, {out / 'fidelity.svg'}")
    failed = reference.failures(compiled) + reference.failures(runs)
    for message in failed:
        print(f"\nFAILED: {message}")
    return 1 if failed or any(comparison.wrong_counts for comparison in comparisons) else 0


if __name__ == "__main__":
    reference.main(body)
