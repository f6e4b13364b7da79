#!/usr/bin/env python3
"""Runs every variant of the papers' programs at size tiny, with checks for races, unwritten memory and reads that the
static analyzer did not predict. Compares block sizes, shared bytes, shared variables and accesses to local memory with
the papers' values in program.yaml."""

import json
import math
import tempfile
from pathlib import Path

import programs
import reference


def launches(stats, kernel):
    return [launch for launch in stats["kernels"] if programs.plain_name(launch["name"]) == kernel["name"]]


def local_accesses(launch):
    """Returns warp instructions that access local memory, except spills."""
    counters = launch["counters"]
    return counters["sm.local_accesses"] - counters["sm.spill_loads"] - counters["sm.spill_stores"]


def check_launches(kernel, runs):
    """Returns a message for each difference between the run and program.yaml."""
    variants = [variant for variant in runs if not kernel["variants"] or variant in kernel["variants"]]
    ran = False
    for variant in variants:
        found = launches(runs[variant], kernel)
        ran |= bool(found)
        if kernel["variants"] and not found:
            yield f"{kernel['name']} does not run in variant {variant}"
        for block in sorted({math.prod(launch["block"]) for launch in found} - {kernel.get("block")}):
            if "block" in kernel:
                yield f"{kernel['name']}, variant {variant}: {block} threads per block, not {kernel['block']}"
        for shared in sorted({launch["shared_bytes"] for launch in found} - {kernel.get("shared")}):
            if "shared" in kernel:
                yield f"{kernel['name']}, variant {variant}: {shared} bytes of shared memory, not {kernel['shared']}"
        if (local := sum(map(local_accesses, found))) != kernel.get("local", local):
            yield f"{kernel['name']}, variant {variant}: {local} local memory accesses, not {kernel['local']}"
    if not kernel["variants"] and not ran:
        yield f"{kernel['name']} does not run in any variant"


def check_variables(kernel, ptx):
    if "variables" not in kernel:
        return
    for mangled, count in programs.shared_variables(ptx).items():
        if programs.plain_name(mangled) == kernel["name"] and count != kernel["variables"]:
            yield f"{mangled}: {count} shared variables, not {kernel['variables']}"


def check(known, program, work):
    """Runs one program and prints its table. Returns the number of errors."""
    words = ["--all", program["name"], "--check", "race,init,divergence,footprint", "--stats", work]
    done = known.command("programs", "run", *words, check=False)
    print(done.stdout + done.stderr, end="")
    wrong = []
    if done.returncode == 0:
        runs = {v: json.loads((Path(work) / f"{program['name']}-{v}.json").read_text()) for v in program["variants"]}
        for kernel in program["kernels"]:
            wrong += [*check_launches(kernel, runs), *check_variables(kernel, known.ptx(program))]
    for message in wrong:
        print(f"programs/{program['name']}/program.yaml: {message}")
    return len(wrong) + (done.returncode != 0)


def body():
    known, those = programs.chosen(__doc__)
    wrong = 0
    for program in those:
        with tempfile.TemporaryDirectory() as work:
            wrong += check(known, program, work)
    return 1 if wrong else 0


if __name__ == "__main__":
    reference.main(body)
