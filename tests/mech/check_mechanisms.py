#!/usr/bin/env python3
"""Runs the papers' programs, and their forms with DMA, at size tiny with every built-in mechanism.

Checks that results stay correct, and that a mechanism that requested nothing changed nothing. Two mechanisms must run
together with the same statistics in either order, or be refused with a reason. Each mechanism runs separately on every
program. Each pair runs on one program on which both are active. Pairs take such programs in turn, always in the same
order."""

import itertools
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kit

# With these options a mechanism only observes.
IDLE = {"mthwp": "throttle_start=5,period=4000000000"}
# Pairs with it run on a machine where it is active more often: there scratchpad memory limits the blocks of more
# programs.
MACHINES = {"sharing": "sharing-14sm"}


def figures(stats):
    """Returns the figures that must not change: the counters of each launch, without the host's time."""
    kept = ("name", "cycles", "thread_instructions", "warp_instructions", "cycle_stack", "counters", "loads")
    return [{key: kernel.get(key) for key in kept} for kernel in stats["kernels"]]


def without(mechanisms, launches):
    """Returns the figures of a run without the mechanisms' counters."""
    own = tuple(f"{mechanism}." for mechanism in mechanisms)
    for launch in launches:
        launch["counters"] = {name: value for name, value in launch["counters"].items() if not name.startswith(own)}
        launch["loads"] = None
    return launches


class Checker:
    def __init__(self, known, work):
        self.known, self.work, self.count = known, Path(work), itertools.count()
        listed = known.command("mech", "list").splitlines()
        self.parts = {line.split()[0]: self.parts_of(line.split()[0]) for line in listed}
        self.baseline = {}
        self.acts = {mechanism: set() for mechanism in self.parts}  # the programs whose figures it changes

    def parts_of(self, mechanism):
        """Returns the mechanism, or the members of the group that it stands for."""
        shown = self.known.command("mech", "show", mechanism).splitlines()
        stands_for = next((line for line in shown if line.startswith("stands for: ")), f": {mechanism}")
        return stands_for.split(": ")[1].split(", ")

    def run(self, program, *mechanisms, machine="gtx480"):
        """Returns the process, and its statistics if it passed."""
        file = self.work / f"{next(self.count)}.json"
        words = [word for mechanism in mechanisms for word in ("--mech", mechanism)]
        words += ["-m", machine, "--size", "tiny", "--stats", file]
        done = self.known.command("programs", "run", *words, program, check=False)
        return done, json.loads(file.read_text()) if done.returncode == 0 else None

    def asked(self, stats, mechanism):
        """Returns the number of lines requested by the mechanism or its group's members; None: it sends no requests."""
        counted = [stats["totals"]["counters"].get(f"{part}.asked") for part in self.parts[mechanism]]
        return sum(filter(None, counted)) if any(count is not None for count in counted) else None

    def alone(self, program, mechanism):
        name = mechanism.split(":")[0]
        done, stats = self.run(program, mechanism)
        if not stats:
            yield f"{program} with {mechanism}: status {done.returncode}\n{done.stdout}{done.stderr}"
            return
        asked = self.asked(stats, name)
        if ":" in mechanism and asked != 0:
            yield f"{program} with {mechanism}: asked for {asked} lines"
        differs = without(self.parts[name], figures(stats)) != self.baseline[program]
        if asked == 0 and differs and self.parts[name] == [name]:  # with several parts, another one may order warps
            yield f"{program} with {mechanism}: the machine's figures differ, though it asked for nothing"
        if name == mechanism and differs:
            self.acts[name].add(program)

    def pair(self, program, one, other):
        machine = MACHINES.get(one) or MACHINES.get(other) or "gtx480"
        done, first = self.run(program, one, other, machine=machine)
        again, second = self.run(program, other, one, machine=machine)
        what = f"{program} with {one} and {other} on {machine}"
        if first and second:
            if figures(first) != figures(second):
                yield f"{what}: statistics depend on which is named first"
        elif done.returncode != 2 or again.returncode != 2 or not self.are_named((one, other), done.stderr):
            yield f"{what}: neither right nor refused\n{done.stdout}{done.stderr}{again.stdout}{again.stderr}"

    def are_named(self, mechanisms, message):
        return all(any(part in message for part in self.parts[mechanism]) for mechanism in mechanisms)

    def plain(self, program):
        done, stats = self.run(program)
        if not stats:
            return [f"{program}: status {done.returncode}\n{done.stdout}{done.stderr}"]
        self.baseline[program] = figures(stats)
        return []

    def jobs_alone(self, names):
        yield from ((self.alone, program, mechanism) for mechanism in self.parts for program in names)
        for mechanism, idle in IDLE.items():
            if mechanism in self.parts:
                yield from ((self.alone, program, f"{mechanism}:{idle}") for program in names)

    def jobs_of_pairs(self, names):
        """Runs after the checks of single mechanisms, which find the programs on which each is active."""
        for turn, (one, other) in enumerate(itertools.combinations(self.parts, 2)):
            those = self.acts[one] & self.acts[other] or self.acts[one] | self.acts[other] or set(names)
            yield self.pair, sorted(those)[turn % len(those)], one, other


def dma_forms(those):
    """Returns the papers' names of the program forms that move tiles by DMA."""
    return [word for program in those for words in program["papers"].values() for word in words if word.endswith(" DMA")]


def body():
    known, those = kit.programs.chosen(__doc__)
    names = [program["name"] for program in those] + dma_forms(those)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        checker = Checker(known, work)
        wrong = [message for found in pool.map(checker.plain, names) for message in found]
        count = 0
        for make in (checker.jobs_alone, checker.jobs_of_pairs) if not wrong else ():
            for found in pool.map(lambda job: list(job[0](*job[1:])), list(make(names))):
                wrong += found
                count += 1
    print(f"{len(names)} programs, {len(checker.parts)} mechanisms, {count} checks, {len(wrong)} failed")
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    kit.reference.main(body)
