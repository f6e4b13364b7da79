#!/usr/bin/env python3
"""Runs every program of the papers with vetoes.c, which answers all vetoes at random: whatever mechanisms answer, a program ends,
its results are right and its accounts add up (the machine checks them at each kernel's end). And every kind of veto was
refused somewhere, or the run would show nothing."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tools"))

import programs  # noqa: E402
import reference  # noqa: E402

MACHINES = ["gtx480", "gtx480-v4"]  # one whose L1 answers at once, one with a pipe in front of it
ANSWERS = ["not_dispatched", "not_started", "not_issued", "not_allocated"]


def compile_mechanism(known, work):
    built = work / "vetoes.so"
    flags = known.command("mech", "--cflags").split()
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *flags, SOURCE / "tests/mech/vetoes.c", "-o", built], check=True)
    return built


def check(known, names, machine, mechanism, work):
    words = ["--size", "tiny", "-m", machine, "--mech", mechanism, "--stats", work]
    done = known.command("programs", "run", *words, *(names or ["--all"]), check=False)
    if done.returncode != 0:
        yield f"{machine}: status {done.returncode}\n{done.stdout}{done.stderr}"
        return
    totals = [json.loads(file.read_text())["totals"]["counters"] for file in work.glob("*.json")]
    for answer in ANSWERS:
        if not sum(counters[f"vetoes.{answer}"] for counters in totals):
            yield f"{machine}: {answer} is 0 in all {len(totals)} runs"


def body():
    known, those = programs.chosen(__doc__)
    names = [program["name"] for program in those] if len(sys.argv) > 3 else []
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        mechanism = compile_mechanism(known, Path(work))
        for machine in MACHINES:
            folder = Path(work) / machine
            folder.mkdir()
            wrong += check(known, names, machine, mechanism, folder)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    reference.main(body)
