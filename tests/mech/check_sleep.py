#!/usr/bin/env python3
"""An SM that sleeps counts what one counts that ticks in every cycle (launch.sleep): all programs, on both machines, under a warp order
that limits who competes, beside sender.c, whose requests come to SMs that sleep, and chance.c, which holds blocks there and lets them go."""

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
