#!/usr/bin/env python3
"""Protects that an SM that sleeps counts the same as one that ticks in every cycle (launch.sleep). It runs all programs on both
machines with a warp order that limits the competing warps. sender.c sends requests to sleeping SMs, and chance.c holds
and releases blocks there."""

import tempfile
from pathlib import Path

import kit
from check_looks import differences, figures

ORDER = "two_level:ready=2"


def check(known, machine, program, mechanisms, work):
    ways = ("launch.sleep=true", "launch.sleep=false")
    asleep, awake = (figures(known, machine, program, [*mechanisms, ORDER], work, "-o", option) for option in ways)
    for part in (asleep, awake):
        del part["options"], part["configuration"]
    for difference in differences(awake, asleep):
        yield f"{program} on {machine}, asleep: {difference}"


def body():
    known, those = kit.programs.chosen(__doc__)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sender = kit.compile_mechanism(known, "sender.c", work / "sender.so")
        chance = kit.compile_mechanism(known, "chance.c", work / "chance.so")
        mechanisms = [sender, f"{chance}:hold=1,buffer=no"]
        for machine in kit.MACHINES:
            for program in those:
                wrong += check(known, machine, program["name"], mechanisms, work)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    kit.reference.main(body)
