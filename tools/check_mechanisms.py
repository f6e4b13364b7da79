#!/usr/bin/env python3
"""Runs the papers' programs, and their forms with DMA, at size tiny with every mechanism that is built in: results stay right; a mechanism that asked for
nothing changed nothing; two of them run together, with the same statistics in either order, or are refused with a reason."""

import itertools
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
import reference

WARP_ORDER = "the warp order"
# With these options a mechanism looks on and does nothing.
IDLE = {"mthwp": "throttle_start=5,period=4000000000"}
# Warp orders, whose machine is otherwise the same, and pairs run these.
FEW = ["matrix_vector", "reduction", "bfs", "SGEMV DMA", "LUD1 DMA"]


def figures(stats):
    """What must not change: the counters of each launch, without the host's time."""
    kept = ("name", "cycles", "thread_instructions", "warp_instructions", "cycle_stack", "counters", "loads")
    return [{key: kernel.get(key) for key in kept} for kernel in stats["kernels"]]


def without(mechanism, launches):
    """The figures of a run without the counters of a mechanism."""
    own = f"{mechanism}."
    for launch in launches:
        launch["counters"] = {name: value for name, value in launch["counters"].items() if not name.startswith(own)}
        launch["loads"] = None
    return launches


class Checker:
    def __init__(self, known, work):
        self.known, self.work, self.count = known, Path(work), itertools.count()
        listed = known.command("mech", "list").splitlines()
        self.seats = {line.split()[0]: self.seats_of(line.split()[0]) for line in listed}
        self.baseline = {}

    def seats_of(self, mechanism):
        shown = self.known.command("mech", "show", mechanism).splitlines()
        return next((line for line in shown if line.startswith("seats: ")), "seats: ")

    def run(self, program, *mechanisms):
        """The process, and its statistics when it passed."""
        file = self.work / f"{next(self.count)}.json"
        words = [word for mechanism in mechanisms for word in ("--mech", mechanism)]
        done = self.known.command("programs", "run", "--size", "tiny", "--stats", file, *words, program, check=False)
        return done, json.loads(file.read_text()) if done.returncode == 0 else None

    def alone(self, program, mechanism):
        name = mechanism.split(":")[0]
        done, stats = self.run(program, mechanism)
        if not stats:
            yield f"{program} with {mechanism}: status {done.returncode}\n{done.stdout}{done.stderr}"
            return
        asked = stats["totals"]["counters"].get(f"{name}.asked")
        if ":" in mechanism and asked != 0:
            yield f"{program} with {mechanism}: asked for {asked} lines"
        if asked == 0 and without(name, figures(stats)) != self.baseline[program]:
            yield f"{program} with {mechanism}: the machine's figures differ, though it asked for nothing"

    def pair(self, program, one, other):
        (done, first), (again, second) = self.run(program, one, other), self.run(program, other, one)
        what = f"{program} with {one} and {other}"
        if first and second:
            if figures(first) != figures(second):
                yield f"{what}: statistics depend on which is named first"
        elif done.returncode != 2 or again.returncode != 2 or not all(name in done.stderr for name in (one, other)):
            yield f"{what}: neither right nor refused\n{done.stdout}{done.stderr}{again.stdout}{again.stderr}"

    def plain(self, program):
        done, stats = self.run(program)
        if not stats:
            return [f"{program}: status {done.returncode}\n{done.stdout}{done.stderr}"]
        self.baseline[program] = figures(stats)
        return []

    def jobs(self, names):
        """All that is to be run, behind the runs without a mechanism."""
        for mechanism, seats in self.seats.items():
            of_some = [name for name in names if name in FEW] if WARP_ORDER in seats else names
            yield from ((self.alone, program, mechanism) for program in of_some)
        for mechanism, idle in IDLE.items():
            if mechanism in self.seats:
                yield from ((self.alone, program, f"{mechanism}:{idle}") for program in names)
        for one, other in itertools.combinations(self.seats, 2):
            yield from ((self.pair, program, one, other) for program in names if program in FEW)


def dma_forms(those):
    """Papers' names of the programs' forms that move tiles by DMA."""
    return [word for program in those for words in program["papers"].values() for word in words if word.endswith(" DMA")]


def body():
    known, those = programs.chosen(__doc__)
    names = [program["name"] for program in those] + dma_forms(those)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        checker = Checker(known, work)
        wrong = [message for found in pool.map(checker.plain, names) for message in found]
        jobs = list(checker.jobs(names)) if not wrong else []
        for found in pool.map(lambda job: list(job[0](*job[1:])), jobs):
            wrong += found
    print(f"{len(names)} programs, {len(checker.seats)} mechanisms, {len(jobs)} checks, {len(wrong)} failed")
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    reference.main(body)
