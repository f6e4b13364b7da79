"""Protects journals: a run that is killed ten times and resumed has the figures, the output and the results of one that
is not, on three machines and with mechanisms. Damaged, foreign and unwritable journals give one message and lose nothing.
For other seeds: RANDOM_SEEDS=FIRST:COUNT.

    test_journal.py SLUICE SOURCE_DIR
"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLUICE, SOURCE_DIR = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
work = Path(tempfile.mkdtemp())
os.chdir(work)
for name in [name for name in os.environ if name.startswith("SLUICE_")]:
    del os.environ[name]
failures = 0
STEPS = "6"


def fail(text):
    global failures
    print("FAILED:", text)
    failures += 1


def start(*options, program=("./program", STEPS), limit=None):
    limits = (lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                       resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))) if limit else None
    return subprocess.Popen([SLUICE, "run", *options, "--", *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=limits)


def run(*options, wanted=0, **others):
    """Runs to the end. Returns the output and the messages."""
    process = start(*options, **others)
    out, err = process.communicate()
    err = "".join(line for line in err.splitlines(True) if "run in turn" not in line and "one thread is faster" not in line)
    if process.returncode != wanted:
        fail(f"{options}: status {process.returncode}, expected {wanted}: {err}")
    return out, err


def figures(path):
    """The statistics without what differs from run to run."""
    def without_host(value):
        if isinstance(value, dict):
            return {name: without_host(inner) for name, inner in value.items() if not name.startswith(("host_", "warp_instructions_per_host"))}
        return [without_host(inner) for inner in value] if isinstance(value, list) else value
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    for name in ("in_turn", "ended", "started_at"):
        data.pop(name, None)
    data.pop("program")
    return without_host(data)


def same(one, other, what):
    if one == other:
        return
    for first, second in zip(one["kernels"], other["kernels"]):
        for name, value in first["counters"].items():
            if second["counters"].get(name) != value:
                fail(f"{what}: launch {first['launch']}, {name}: {value} and {second['counters'].get(name)}")
                return
    fail(f"{what}: statistics differ: {[name for name in one if one[name] != other.get(name)]}")


def says(text, expected, what):
    if expected not in text or len(text.strip().split("\n")) != 1:
        fail(f"{what}: expected one message with '{expected}', not: {text}")


def entries(folder="J"):
    return sorted(Path(folder).glob("*.launch"))


def kill_often(options, chance, times=10):
    """Runs with a journal, killed at random moments. Returns the output of the run that reached the end."""
    shutil.rmtree("J", ignore_errors=True)
    begin = time.monotonic()
    run("--stats", "whole.json", "--journal", "whole", *options)
    duration = time.monotonic() - begin
    shutil.rmtree("whole")
    for _ in range(times):
        process = start("--stats", "killed.json", "--journal", "J", "--resume", *options)
        try:
            process.communicate(timeout=chance.uniform(0, duration / 3))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    out, err = run("--stats", "killed.json", "--journal", "J", "--resume", *options)
    if err:
        fail(f"{options}: {err}")
    return out


def check_kills(options, chance, times=10):
    out, _ = run("--stats", "plain.json", *options)
    killed = kill_often(options, chance, times)
    same(figures("plain.json"), figures("killed.json"), f"{options}, killed {times} times")
    if killed != out:
        fail(f"{options}: output {killed}\nexpected {out}")
    resumed, _ = run("--stats", "again.json", "--journal", "J", "--resume", *options)
    same(figures("plain.json"), figures("again.json"), f"{options}, resumed at the end")
    if resumed != out:
        fail(f"{options}, resumed at the end: another output")


def check_examples(chance):
    """Each mechanism in examples/ keeps what it needs."""
    flags = subprocess.run([SLUICE, "mech", "--cflags"], capture_output=True, text=True, check=True).stdout.split()
    for source in sorted((SOURCE_DIR / "examples/mechanisms").glob("*.c")):
        subprocess.run(["cc", "-shared", "-fPIC", *flags, source, "-o", f"{source.stem}.so"], check=True)
        option = {"dram_fcfs": ":strict=true", "throttle": ":epoch=64"}.get(source.stem, "")
        check_kills(("-m", "gtx480", "-o", "sm.count=4", "--mech", f"./{source.stem}.so{option}"), chance, 3)


def check_damage():
    """Each damaged launch is simulated again, with one message."""
    out, _ = run("--stats", "plain.json")
    shutil.rmtree("J", ignore_errors=True)
    run("--stats", "first.json", "--journal", "J")
    third = entries()[2]
    whole = third.read_bytes()
    damages = {"its end is missing": whole[:-100], "it is too short": whole[:40], "it is no launch of a journal": b"x" * 2000,
               "its begin is damaged": whole[:30] + b"?" + whole[31:], "its content is damaged": whole[:-50] + b"?" + whole[-49:],
               "it is too long": whole + b"x"}
    for reason, content in damages.items():
        third.write_bytes(content)
        again, err = run("--stats", "again.json", "--journal", "J", "--resume")
        says(err, f"{third.name} is not used: {reason}; the launch is simulated", reason)
        same(figures("plain.json"), figures("again.json"), reason)
        if again != out or third.read_bytes()!= whole:
            fail(f"{reason}: the launch was not written again")
    third.unlink()
    third.mkdir()
    _, err = run("--stats", "again.json", "--journal", "J", "--resume")
    if "is not used" not in err:
        fail(f"a folder in place of a launch: {err}")
    third.rmdir()


def check_refusals():
    """A journal of another run is not touched."""
    shutil.rmtree("J", ignore_errors=True)
    run("--journal", "J", "--stats", "a.json")
    before = {path.name: path.read_bytes() for path in entries()}
    for options, message in [((), "it has launches already"), (("--resume", "-m", "rtx3070"), "another machine"),
                             (("--resume", "--mech", "nlp"), "another mechanisms"), (("--resume", "--pass", "dead-code"), "another options")]:
        _, err = run("--journal", "J", *options, wanted=1)
        if err.count(message) != 1:
            fail(f"{options}: {err}")
    Path("file").write_text("x", encoding="utf-8")
    _, err = run("--journal", "file/J", wanted=1)
    if err.count("cannot create the folder") != 1:
        fail(f"folder in a file: {err}")
    for options in (["--functional"], ["--sample-launches"], ["--sample-blocks"], ["--check", "bounds"], ["--timeline", "t.json"], ["--profile", "p.json"],
                    ["--sample", "100"], ["--trace-out", "T"], ["--mech", "trace"]):
        _, err = run("--journal", "J", "--resume", *options, wanted=2)
        says(err, "journal: ", options)
    _, err = run("--resume", wanted=2)
    if "--resume needs --journal" not in err:
        fail(f"--resume alone: {err}")
    if before != {path.name: path.read_bytes() for path in entries()}:
        fail("a refused run changed the journal")
    process = start("--journal", "J", "--resume", program=("./program", "60"))
    time.sleep(0.5)
    _, err = run("--journal", "J", "--resume", wanted=1)
    if "another process uses it" not in err:
        fail(f"two processes: {err}")
    process.kill()
    process.communicate()


def check_full_disk():
    """Launches that do not fit are not written; the run goes on, and is right. The statistics go to a pipe."""
    run("--stats", "plain.json")
    shutil.rmtree("J", ignore_errors=True)
    out, err = run("--stats", "-", "--stats-format", "json", "--journal", "J", limit=65000)
    says(err, "The run goes on; no further launches are written", "full disk")
    Path("full.json").write_text(out[out.index("{"):], encoding="utf-8")
    same(figures("plain.json"), figures("full.json"), "full disk")
    if len(os.listdir("J")) != len(entries("J")) + 2 or any(path.stat().st_size >= 65000 for path in entries()):
        fail(f"full disk: a part of a file is left: {os.listdir('J')}")


def check_other_program():
    """A program that does something else is told where, and simulated from there on."""
    shutil.rmtree("J", ignore_errors=True)
    run("--journal", "J", "--stats", "a.json")
    run("--stats", "plain.json", program=("./program", STEPS, "5", "2"))
    _, err = run("--journal", "J", "--resume", "--stats", "other.json", program=("./program", STEPS, "5", "2"))
    says(err, "launch 7, kernel step(", "another argument")
    says(err, "its arguments differ. From here on, launches are simulated", "another argument")
    same(figures("plain.json"), figures("other.json"), "another argument")
    _, err = run("--journal", "J", "--resume", "--stats", "other.json", program=("./program", STEPS, "5", "2"))
    if err:
        fail(f"the journal of the changed program: {err}")


def check_selection():
    """Launches that run functionally are not in the journal, and run again."""
    options = ("--kernel", "4-6,10", "--warm", "1")
    run("--stats", "plain.json", *options)
    shutil.rmtree("J", ignore_errors=True)
    for name in ("first.json", "again.json"):
        run("--stats", name, "--journal", "J", "--resume", *options)
        same(figures("plain.json"), figures(name), f"{options}, {name}")
    if [path.name for path in entries()] != [f"{number:08}.launch" for number in (3, 4, 5, 6, 9, 10)]:
        fail(f"selection: {entries()}")


subprocess.run([SLUICE, "cc", SOURCE_DIR / "tests/cli/journal_program.cu", "-o", "program"], check=True)
seeds = [int(word) for word in os.environ.get("RANDOM_SEEDS", "1:1").split(":")]
for seed in range(seeds[0], sum(seeds)):
    for machine in (("-m", "gtx480"), ("-m", "rtx3070", "-o", "sm.count=4", "--units"), ("-m", "gtx480", "--mech", "mthwp", "--mech", "l1_by_load", "--threads", "2")):
        check_kills(machine, random.Random(seed))
check_examples(random.Random(seeds[0]))
check_damage()
check_refusals()
check_full_disk()
check_other_program()
check_selection()
shutil.rmtree(work)
sys.exit(bool(failures))
