#!/usr/bin/env python3
"""Protects NVTX ranges: the ranges of each launch, and `sluice run --range`, against a model of a few lines.

    test_ranges.py SLUICE SOURCE_DIR [SEED]

The same program (ranges_program.cu) runs scripts of calls by two host threads: one written by hand, then random ones.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SLUICE, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
SCRIPTS, LINES = 12, 60
NAMES = ["outer", "inner", "step", "a::b"]
DOMAINS = ["-", "-", "lib"]

BY_HAND = """0 one - - -
0 push plain - outer
0 one - - -
1 two - - -
1 start plain - job
0 push wide - inner
0 one - - -
1 two - - -
0 pop - - -
1 push ex lib inner
1 two - - -
0 start registered lib job
1 end - - job
1 two - - -
0 pop - - -
0 one - - -
0 end - lib job
1 pop - lib -
1 pop - - -
1 two - - -
0 push plain - inner
0 two - - -"""


class Model:
    """The ranges of a process. Executes a script; `launches` has the open ranges of each launch as (name, pass)."""

    def __init__(self, script):
        self.pushed, self.started, self.passes = {0: [], 1: []}, {}, {}
        self.order, self.launches, self.printed, self.kernels = 0, [], [], []
        self.over = []  # per launch: the names of passes that were left before it
        self.left = []
        for line in script:
            thread, call, _, domain, name = line.split()
            getattr(self, "launch" if call in ("one", "two") else call)(int(thread), domain, name, call)

    def enter(self, domain, name):
        text = name if domain == "-" else f"{name}@{domain}"
        self.passes[text] = self.passes.get(text, 0) + 1
        self.order += 1
        return (self.order, text, self.passes[text], domain)

    def push(self, thread, domain, name, _):
        self.printed.append(sum(r[3] == domain for r in self.pushed[thread]))
        self.pushed[thread].append(self.enter(domain, name))

    def pop(self, thread, domain, _name, _call):
        own = [r for r in self.pushed[thread] if r[3] == domain]
        if own:
            self.pushed[thread].remove(own[-1])
            self.left.append(own[-1])
        self.printed.append(len(own) - 1)

    def start(self, _thread, domain, name, _):
        self.started[domain, name] = self.enter(domain, name)

    def end(self, _thread, domain, name, _):
        self.left.append(self.started.pop((domain, name)))

    def launch(self, thread, _domain, _name, call):
        self.launches.append(sorted(self.pushed[thread] + list(self.started.values())))
        self.kernels.append(call)
        open_now = self.pushed[0] + self.pushed[1] + list(self.started.values())
        self.over.append((list(self.left), open_now))


def holds(wish, ranges):
    return any(wish in (text, f"{text}:{number}") for _, text, number, _ in ranges)


def random_script(dice):
    script, started = [], set()
    for _ in range(LINES):
        thread, domain, name = dice.randrange(2), dice.choice(DOMAINS), dice.choice(NAMES)
        form = dice.choice(["plain", "wide", "ex", "registered"])
        call = dice.choice(["one", "two", "two", "push", "push", "pop", "start", "end"])
        if call == "start" and (domain, name) in started:
            continue  # the script names a range by its name, so only one is open
        if call == "end":
            if not started:
                continue
            domain, name = dice.choice(sorted(started))
            started.remove((domain, name))
        if call == "start":
            started.add((domain, name))
        script.append(f"{thread} {call} {form} {domain} {name}")
    return script


def run(script, *options, status=0, stats=True):
    with open("script", "w") as file:
        file.write("\n".join(script) + "\n")
    command = [SLUICE, "run", "-m", "gtx480", *options, *(["--stats", "s.json"] if stats else []), "--", "./program", "script"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == status, (options, done.returncode, done.stderr)
    return (json.load(open("s.json")) if stats else None), done


def check(script, wish, kernel=None):
    model = Model(script)
    stats, done = run(script, "--range", wish, *(["--kernel", kernel] if kernel else []))
    assert [int(word) for word in done.stdout.split()] == model.printed, (script, done.stdout, model.printed)
    assert len(stats["kernels"]) == len(model.launches)
    used = False
    for launch, ranges, called in zip(stats["kernels"], model.launches, model.kernels):
        texts = [text for _, text, _, _ in ranges]
        used = used or "ranges" in launch
        assert launch.get("ranges", []) == texts, (script, launch["launch"], launch.get("ranges"), texts)
        wanted = any(holds(part, ranges) for part in wish.split(",")) and kernel in (None, called)
        assert launch["selected"] == ("yes" if wanted else "no"), (script, wish, launch["launch"], ranges)


def check_stop(script, wish):
    """The run ends at the first launch after the range was left and before it is open again."""
    model = Model(script)
    ends = [i for i, (left, now) in enumerate(model.over)
            if all(holds(part, left) and not holds(part, now) for part in wish.split(","))]
    stats, _ = run(script, "--range", wish, "--stop-after", status=124 if ends else 0)
    expected = ends[0] if ends else len(model.launches)
    assert len(stats["kernels"]) == expected, (script, wish, len(stats["kernels"]), expected)


def by_hand():
    script = BY_HAND.split("\n")
    for wish in ("outer", "inner", "inner:2", "job", "inner@lib", "job@lib,inner:1", "job:1", "job:2", "inner@lib:1", "none"):
        check(script, wish)
    check(script, "outer,inner@lib", "two")
    check(script, "outer", "one")
    for wish in ("outer", "inner:1", "inner:2", "job,inner@lib", "none"):
        check_stop(script, wish)
    # a region must hold too, and the program has none
    stats, _ = run(script, "--range", "outer", "--region")
    assert {launch["selected"] for launch in stats["kernels"]} == {"no"}
    assert stats["selection"]["ranges"] == "outer"
    # several options are one list
    stats, _ = run(script, "--range", "outer", "--range", "job@lib")
    assert stats["selection"]["ranges"] == "outer,job@lib"
    # launches before the first range have no list; without NVTX no launch has one
    assert "ranges" not in stats["kernels"][0] and stats["kernels"][1]["ranges"] == ["outer"]
    stats, _ = run(["0 one - - -", "1 two - - -"])
    assert not any("ranges" in launch for launch in stats["kernels"])
    # what never occurred
    _, done = run(script, "--range", "nowhere", stats=False)
    assert "no launch was selected: range nowhere" in done.stderr, done.stderr
    assert "range nowhere did not occur; the program had outer, job, inner, inner@lib, job@lib\n" in done.stderr, done.stderr
    _, done = run(["0 one - - -"], "--range", "nowhere", stats=False)
    assert "range nowhere did not occur; the program had no range" in done.stderr, done.stderr
    many = [f"0 push plain - r{i}" for i in range(13)] + ["0 one - - -"]
    _, done = run(many, "--range", "r0:2", stats=False)
    assert "range r0:2 did not occur; the program had r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 3 more" in done.stderr
    for wrong, words in (("a,,b", "expected NAME"), ("", "expected"), ("a:0", "numbered from 1")):
        done = subprocess.run([SLUICE, "run", "--range", wrong, "--", "./program", "script"], capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr, (wrong, done.stderr)


def without_runtime(compiler):
    """A C program that includes only the header links without the runtime, and gets the values of no profiler."""
    with open("alone.c", "w") as file:
        file.write("""#include <nvtx3/nvToolsExt.h>
int main(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("lib");
	nvtxRangeEnd(nvtxRangeStartA("a"));
	return domain || nvtxRangePushA("a") != NVTX_NO_PUSH_POP_TRACKING || nvtxRangePop() != NVTX_NO_PUSH_POP_TRACKING;
}
""")
    for pie in ("-fPIE -pie", "-fno-pie -no-pie", "-static", "-fvisibility=hidden"):
        subprocess.run([compiler, *pie.split(), "-Wall", "-Wextra", "-Werror", "-I", f"{SOURCE}/include/cuda", "alone.c",
                        "-o", "alone"], check=True)
        assert subprocess.run(["./alone"]).returncode == 0, pie


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    preload = subprocess.run(["sh", "-c", f". {SOURCE}/tests/cuda/preload.sh; echo $preload"], capture_output=True,
                             text=True).stdout.strip()
    ENVIRONMENT = {**os.environ, "LD_PRELOAD": preload}
    subprocess.run([SLUICE, "cc", f"{SOURCE}/tests/cli/ranges_program.cu", "-o", "program"], check=True)
    without_runtime(os.environ.get("CC", "cc"))
    by_hand()
    dice = random.Random(SEED)
    for _ in range(SCRIPTS):
        script = random_script(dice)
        texts = sorted(Model(script).passes)
        if not texts:
            continue
        wish = dice.choice(texts) + dice.choice(["", "", ":1", ":2"])
        if dice.randrange(3) == 0:
            wish += "," + dice.choice(texts)
        check(script, wish, dice.choice([None, None, "one"]))
        check_stop(script, wish)
