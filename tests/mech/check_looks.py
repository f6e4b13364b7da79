#!/usr/bin/env python3
"""Protects that a mechanism with read-only hooks changes nothing. All statistics are the same with and without look.c,
which has one hook at a time or none. sender.c is attached in both runs, so that the accounts of requests are covered."""

import json
import tempfile
from pathlib import Path

import kit

HOOKS = """gpu_open gpu_kernel_begin gpu_kernel_end gpu_block gpu_cycle sm_open kernel_begin kernel_end block_begin block_end
issue memory access fill evict packet_out packet_in cycle on_reply on_outcome partition_open partition_access partition_fill partition_evict
partition_packet_in partition_packet_out partition_command""".split()
# They use loads, stores and atomics, and reach the buffer, L1 and the levels below it.
PROGRAMS = ["bfs", "histogram", "matrix_vector"]


def figures(known, machine, program, mechanisms, work, *options):
    """Returns all statistics except the attached mechanisms and the host's time."""
    file = work / "out.json"
    words = [word for mechanism in mechanisms for word in ("--mech", mechanism)]
    known.command("programs", "run", "--size", "tiny", "-m", machine, "--stats", file, *options, *words, program)
    stats = json.loads(file.read_text())
    del stats["mechanisms"], stats["observers"]
    for part in [*stats["kernels"], stats["totals"]]:
        del part["host_seconds"]
    return stats


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{path}/{index}")
    elif one != other:
        yield f"{path} is {other}, not {one}"


def untold(figures, run):
    """Yields errors: each issued request has one reported outcome, and exactly the useful and late ones have a distance."""
    counters, vectors = figures["totals"]["counters"], figures["totals"]["vectors"]
    issued, told = counters["sender.issued"], counters["sender.told"]
    wanted = counters["sender.useful"] + counters["sender.late"]
    sorted_in = sum(vectors["sender.prefetch_distance"]["values"])
    if told != issued:
        yield f"{run}: {told} outcomes reported for {issued} issued requests"
    if sorted_in != wanted:
        yield f"{run}: {sorted_in} requests have a distance, {wanted} were useful or late"


def check(known, machine, program, sender, looks, work):
    alone = figures(known, machine, program, [sender], work)
    if not alone["totals"]["counters"]["sender.useful"]:
        yield f"{program} on {machine}: no request of sender was useful"
    yield from untold(alone, f"{program} on {machine}")
    for hook, look in looks.items():
        for difference in differences(alone, figures(known, machine, program, [sender, look], work)):
            yield f"{program} on {machine}, with hook {hook}: {difference}"


def body():
    known, those = kit.programs.chosen(__doc__)
    names = [program["name"] for program in those if program["name"] in PROGRAMS]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sender = kit.compile_mechanism(known, "sender.c", work / "sender.so")
        looks = {hook: kit.compile_mechanism(known, "look.c", work / f"{hook}.so", f"-DHOOK={hook}") for hook in HOOKS}
        looks["nothing"] = kit.compile_mechanism(known, "look.c", work / "nothing.so")
        for machine in kit.MACHINES:
            for name in names:
                wrong += check(known, machine, name, sender, looks, work)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    kit.reference.main(body)
