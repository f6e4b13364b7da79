#!/usr/bin/env python3
"""Runs the cases of a program compiled from a source of this folder: run.py SLUICE PROGRAM SOURCE.cu [CASE].

A comment before its kernel announces a case:
    //: NAME: error ERROR      the kernel stops with that CUDA error and one message (--check divergence)
    //: NAME: stops ERROR CHECKS   the same, but only with --check CHECKS; without them there is no error
    //: NAME: check CHECKS [K] K messages (1) of `sluice run --check CHECKS`, and no CUDA error
    //: NAME: right [CHECKS]   no message with --check CHECKS (race,init)
    //| TEXT                   the text occurs on standard error

@LABEL in a text stands for the number of the line that ends with "// @LABEL". Each case runs functionally and timed;
cases with checks also run on two host threads. The program itself always ends with status 0. `sluice run` must fail
when there was a message. An assertion is the exception, because the program asks for the error.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import sanitized  # noqa: E402


# Notes about the run: the number of threads, streams in turn, and that DMA transfers and bulk copies take no time.
ASIDE = re.compile("one thread is faster now|which takes? no time|of different streams run in turn")


def read_cases(path):
    cases, labels = {}, {}
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if label := re.search(r"// @(\w+)$", line):
            labels[label[1]] = number
    case = None
    for line in lines:
        if head := re.match(r"//: (\w+): (\w+) ?(\S*) ?(\S*)$", line):
            count = int(head[4]) if head[4].isdigit() else 1
            case = cases[head[1]] = {"kind": head[2], "what": head[3], "more": head[4], "count": count, "texts": []}
        elif line.startswith("//| "):
            case["texts"].append(re.sub(r"@(\w+)", lambda m: str(labels[m[1]]), line[4:]))
    return cases


def run_case(sluice, program, name, case, mode, before):
    checks = {"error": "divergence", "check": case["what"], "right": case["what"] or "race,init",
              "stops": case["more"], "unseen": ""}[case["kind"]]
    command = [sluice, "run", *mode, "--stats", os.devnull]
    command += ["--check", checks] if checks else []
    command += ["--", *before, program, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    expected = case["what"] if case["kind"] in ("error", "stops") else "cudaSuccess"
    messages = sum(line.startswith("sluice: ") and not ASIDE.search(line) for line in done.stderr.splitlines())
    wrong = []
    if messages != (0 if case["kind"] in ("right", "unseen") else case["count"]):
        wrong.append(f"{messages} messages")
    ends_well = case["kind"] in ("right", "unseen") or expected == "cudaErrorAssert"
    if (done.returncode == 0) != ends_well:
        wrong.append(f"exit status {done.returncode}")
    if done.stdout.split()[-1:] != [expected]:
        wrong.append(f"printed {done.stdout!r}, expected {expected}")
    wrong += [f"not said: {text}" for text in case["texts"] if text not in done.stderr]
    for problem in wrong:
        print(f"{name} {' '.join(mode)}: {problem}")
    if wrong:
        print(done.stderr)
    return not wrong


def main():
    sluice, program, source = sys.argv[1:4]
    cases = read_cases(source)
    before = sanitized.preload(sluice)
    fine = bool(cases)
    for name, case in cases.items():
        if sys.argv[4:] in ([], [name]):
            for mode in ["--functional"], [], *([] if case["kind"] in ("error", "stops") else [["--threads", "2"]]):
                fine &= run_case(sluice, program, name, case, mode, before)
            if case["kind"] == "stops":
                unseen = {**case, "kind": "unseen", "texts": []}
                fine &= run_case(sluice, program, name, unseen, ["--functional"], before)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
