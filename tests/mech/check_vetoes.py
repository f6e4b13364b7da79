#!/usr/bin/env python3
"""Protects the papers' programs from any answers to vetoes: vetoes.c answers all of them at random. Each program ends with
correct results and consistent accounts, which the machine checks at each kernel's end. Each kind of veto must have
refused at least once: a run without refusals would test nothing."""

import json
import tempfile
from pathlib import Path

import kit

ANSWERS = ["not_dispatched", "not_started", "not_issued", "not_allocated", "not_accessed", "replayed", "not_ended"]


def check(known, names, machine, mechanism, work):
    words = ["--all", *names, "--size", "tiny", "-m", machine, "--mech", mechanism, "--stats", work]
    done = known.command("programs", "run", *words, check=False)
    if done.returncode != 0:
        yield f"{machine}: status {done.returncode}\n{done.stdout}{done.stderr}"
        return
    totals = [json.loads(file.read_text())["totals"]["counters"] for file in work.glob("*.json")]
    for answer in ANSWERS:
        if not sum(counters[f"vetoes.{answer}"] for counters in totals):
            yield f"{machine}: {answer} is 0 in all {len(totals)} runs"


def body():
    known, those = kit.programs.chosen(__doc__)
    names = [program["name"] for program in those]
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        mechanism = kit.compile_mechanism(known, "vetoes.c", Path(work) / "vetoes.so")
        for machine in kit.MACHINES:
            folder = Path(work) / machine
            folder.mkdir()
            wrong += check(known, names, machine, mechanism, folder)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    kit.reference.main(body)
