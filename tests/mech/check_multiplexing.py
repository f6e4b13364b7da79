#!/usr/bin/env python3
"""Protects scratchpad sharing between joined blocks, each of which does the work of two plain blocks. Half of a joined block
may release its memory before the other half; the halves synchronize at barriers for part of the block. Each thread
releases once, and each block of a pair has released in the end. Results are correct and free of races."""

import itertools
import json
import math
import tempfile
from pathlib import Path

import kit

PLAIN = {
    "convolution": "columns",
    "fft": "kfft",
    "histogram": "multiplexing",
    "marching_cubes": "mc",
    "matrix_vector": "plain",
    "scalar_product": "plain",
}
JOINED = ["vtb", "vtb_pipe", "co_vtb"]
UNSHARED = [("histogram", "co_vtb")]  # two blocks fill an SM's 16 KB
SETTINGS = [f"release={r},layout={on}" for r, on in itertools.product(["optimal", "postdom", "exit"], ["yes", "no"])]


def launch(known, program, variant, work, *options):
    """Returns the launch with the most shared memory per block. One SM: even the blocks of a small grid are paired."""
    file = work / "out.json"
    words = ["--variant", variant, "-m", "sharing-14sm", "-o", "sm.count=1", "--check", "race", "--stats", file]
    known.command("programs", "run", *words, *options, program)
    return max(json.loads(file.read_text())["kernels"], key=lambda kernel: kernel["shared_bytes"])


def check_shape(what, plain, joined):
    blocks = math.prod(plain["grid"]) / math.prod(joined["grid"])
    threads = math.prod(joined["block"]) / math.prod(plain["block"])
    if blocks != 2 or threads != 2:
        yield f"{what}: {blocks:g} plain blocks per joined block, with {threads:g} times the threads"


def check_sharing(what, kernel, shares):
    counters = {name.removeprefix("sharing."): n for name, n in kernel["counters"].items() if name.startswith("sharing.")}
    blocks = math.prod(kernel["grid"])
    threads = blocks * math.prod(kernel["block"])
    paired = counters["paired_blocks"]
    if counters["relssp"] != threads or counters["repeated_relssp"]:
        yield f"{what}: {threads} threads released {counters['relssp']} times, {counters['repeated_relssp']} of them repeated"
    if paired != (blocks if shares else 0) or counters["released"] != paired:
        yield f"{what}: of {blocks} blocks {paired} were paired, {counters['released']} released"


def check(known, program, variant, work):
    shares = (program, variant) not in UNSHARED
    for setting in SETTINGS:
        options = ["--mech", f"sharing:{setting}", "--mech", "owf"]
        kernel = launch(known, program, variant, work, *options)
        yield from check_sharing(f"{program} {variant}, {setting}", kernel, shares)


def body():
    known, those = kit.programs.chosen(__doc__)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for program in those:
            name = program["name"]
            if name not in PLAIN:
                continue
            plain = launch(known, name, PLAIN[name], work)
            for variant in filter(program["variants"].__contains__, JOINED):
                wrong += check_shape(f"{name} {variant}", plain, launch(known, name, variant, work))
                wrong += check(known, name, variant, work)
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    kit.reference.main(body)
