"""Protects `--journal` of sweeps: runs that a time limit, a lost task or a killed sweep has cut go on, and have the figures
of a sweep that was not. Runs that do not progress end with a message. Stand-ins replace Slurm's commands (fake_slurm.py);
test_slurm.sh does the same with Slurm.

    test_sweep_journal.py SLUICE SOURCE_DIR
"""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLUICE, SOURCE_DIR = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
work = Path(tempfile.mkdtemp())
os.chdir(work)
for variable in [name for name in os.environ if name.startswith(("SLUICE_", "SLURM_"))]:
    del os.environ[variable]
failures = 0

PROGRAM = """
#include <cstdlib>
__global__ void step(float *x, int n)
{
	float value = x[blockIdx.x * blockDim.x + threadIdx.x];
	for (int i = 0; i < n; i++)
		value = value * 1.0001f + 1;
	x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main(int argc, char **argv)
{
	float *x;
	cudaStream_t stream[2] = {};
	cudaMalloc(&x, 4 * 15 * 256);
	cudaMemset(x, 0, 4 * 15 * 256);
	if (argc > 3)
		cudaStreamCreate(&stream[1]);
	for (int i = 0; i < atoi(argv[2]); i++)
		step<<<15, 256, 0, stream[i % 2]>>>(x, atoi(argv[1]) + i);
	return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def fail(text):
    global failures
    print("FAILED:", text)
    failures += 1


def expect(condition, text):
    if not condition:
        fail(text)


def sweep(*options, command=("./program", "{n}", "12"), wanted=0, **environment):
    process = subprocess.run([SLUICE, "sweep", *options, "--metric", "cycles", "--", *command], env={**os.environ, **environment},
                             capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if process.returncode != wanted:
        fail(f"{options}: status {process.returncode}, expected {wanted}: {process.stderr}")
    return process.stderr


def without_host(value):
    if isinstance(value, dict):
        return {name: without_host(inner) for name, inner in value.items()
                if not name.startswith(("host_", "warp_instructions_per_host")) and name not in ("program", "started_at")}
    return [without_host(inner) for inner in value] if isinstance(value, list) else value


def stored(results):
    """The runs' statistics by their arguments."""
    with contextlib.closing(sqlite3.connect(results)) as database:
        rows = database.execute("select arguments, verdict, stats from runs").fetchall()
    return {arguments: (verdict, without_host(json.loads(stats)) if verdict == "PASS" else None) for arguments, verdict, stats in rows}


def same(results, what, other="plain.db"):
    ours, theirs = stored(results), stored(other)
    for arguments, (verdict, stats) in theirs.items():
        own = ours.get(arguments)
        expect(own == (verdict, stats), f"{what}: {arguments}: {own and own[0]}, other statistics than those of a run that was not cut")


def journals(name, pattern="*"):
    return sorted(path.name for path in Path("sweeps", name, "journals").glob(pattern))


def output(name):
    return "".join(path.read_text(encoding="utf-8") for path in Path("sweeps", name, "out").iterdir())


def starts():
    return [json.loads(path.read_text(encoding="utf-8"))["starts"] for path in Path("fake").iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]


def new_cluster():
    shutil.rmtree("fake", ignore_errors=True)
    Path("fake").mkdir()


def await_tasks():
    for _ in range(600):
        if not subprocess.run(["squeue"], capture_output=True, check=True).stdout:
            return
        time.sleep(0.1)
    fail("the tasks do not end")


def check_limits():
    """The time limit cuts runs several times. The warning comes before it; the tasks start again by themselves."""
    new_cluster()
    err = sweep("--slurm", "--journal", "--axis", axis, "--name", "cut", "--results", "cut.db", FAKE_SLURM_LAUNCHES="4")
    same("cut.db", "time limit")
    expect(min(starts()) >= 2, f"expected several starts: {starts()}")
    expect("starting try" not in err, f"expected the tasks to go on by themselves: {err}")
    expect(not journals("cut"), f"expected no journals to be left: {journals('cut')}")
    expect("the time limit is near: run" in output("cut"), "expected a line about the limit in the task's output")


def check_detached():
    """Nobody waits; a later command collects."""
    new_cluster()
    sweep("--slurm", "--detach", "--journal", "--axis", axis, "--name", "alone", "--results", "alone.db", FAKE_SLURM_LAUNCHES="4")
    await_tasks()
    expect(len(list(Path("sweeps/alone/records").iterdir())) == 2 and not journals("alone"), f"detached: {output('alone')}")
    sweep("--slurm", "--journal", "--axis", axis, "--name", "alone", "--results", "alone.db")
    same("alone.db", "detached")


def check_without_warning(what, *options, **environment):
    """Tasks that end without a warning, or that Slurm does not start again, are submitted again while they progress."""
    new_cluster()
    err = sweep("--slurm", "--journal", "--tries", "2", *options, "--axis", one, "--name", what, "--results", f"{what}.db",
                FAKE_SLURM_LAUNCHES="4", **environment)
    same(f"{what}.db", what, "one.db")
    expect("it goes on from its journal, after launch" in err, f"{what}: {err}")
    expect(not journals(what), f"{what}: expected no journals to be left")


def check_stuck():
    """A launch that is longer than the limit. With a longer limit, the run goes on after the launches before it."""
    new_cluster()
    command = ("./program", "{n}", "2")
    options = ("--slurm", "--journal", "--axis", "n=4000000", "--name", "stuck", "--results", "stuck.db")
    sweep(*options, "--tries", "2", command=command, wanted=1, FAKE_SLURM_LIMIT="0.8")
    verdict = next(iter(stored("stuck.db").values()))[0]
    expect(verdict == "FAIL: the time limit ended it 2 times in a row before launch 1 was in its journal; give a longer --time and --retry",
           f"stuck: {verdict}")
    expect(starts() == [2], f"stuck: started {starts()} times")
    expect(journals("stuck", "*[!s]"), "stuck: expected the journal to be left for --retry")
    sweep(*options, "--sbatch=--signal=USR2", "--tries", "1", "--retry", command=command, wanted=1, FAKE_SLURM_LIMIT="0.8")
    verdict = next(iter(stored("stuck.db").values()))[0]
    expect(verdict == "FAIL: Slurm: TIMEOUT, started 1 times without another launch after the 0 in its journal; give a longer --time and --retry",
           f"stuck, without a warning: {verdict}")


def check_lock():
    """A node that Slurm has lost may still run the run: the task waits for its journal."""
    new_cluster()
    sweep("--slurm", "--detach", "--journal", "--axis", "n=30", "--name", "locked", "--results", "locked.db", PATH=f"{work}/held:{os.environ['PATH']}")
    folder = Path("sweeps/locked/journals") / json.loads(Path("sweeps/locked/batch.0").read_text(encoding="utf-8"))["id"]
    folder.mkdir()
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        task = subprocess.Popen([SLUICE, "sweep", "task", "sweeps/locked", "0"], env={**os.environ, "SLURM_ARRAY_TASK_ID": "0"})
        time.sleep(1)
        expect(not list(Path("sweeps/locked/records").iterdir()) and task.poll() is None, "expected the task to wait for the lock")
    expect(task.wait() == 0 and len(list(Path("sweeps/locked/records").iterdir())) == 1, "the task did not go on after the lock was free")


def check_local():
    """A local sweep that is killed goes on in its runs, too, and does not simulate again what the journals have."""
    launches = {}
    for number in signal.SIGKILL, signal.SIGTERM:
        process = subprocess.Popen([SLUICE, "sweep", "-j", "1", "--journal", "--axis", one, "--name", "local", "--results", "local.db", "--metric", "cycles",
                                    "--", "./program", "{n}", "12"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before, launches = launches, {}
        while len(launches) < len(before) + 3 and process.poll() is None:
            time.sleep(0.01)
            launches = {path: path.stat().st_ino for path in Path("sweeps/local/journals").glob("*/*.launch")}
        process.send_signal(number)
        process.wait()
        expect(launches and before.items() <= launches.items(), f"{number}: the journal had {before}, now {launches}")
    sweep("-j", "1", "--journal", "--axis", one, "--name", "local", "--results", "local.db")
    same("local.db", "local sweep", "one.db")
    expect(not journals("local"), "local: expected no journals to be left")


def check_refusals():
    """Runs that a journal would change fail; a mechanism that cannot keep its state runs without one."""
    sweep("--journal", "--axis", "n=20", "--name", "streams", "--results", "streams.db", command=("./program", "{n}", "4", "streams"), wanted=1)
    verdict = next(iter(stored("streams.db").values()))[0]
    expect(verdict == "FAIL: it launches in several streams, which run in turn with a journal; leave out --journal", f"streams: {verdict}")
    sweep("--retry", "--axis", "n=20", "--name", "streams", "--results", "streams.db", command=("./program", "{n}", "4", "streams"))
    err = sweep("--journal", "--axis", "n=20", "--mech", "none,trace", "--name", "mech", "--results", "mech.db", command=("./program", "{n}", "4"))
    expect("1 of the runs keep no journal: mechanism trace does not say what it keeps" in err, f"mechanism: {err}")
    with open("p.yaml", "w", encoding="utf-8") as plan:
        plan.write("title: P\nmetric: cycles\naxes: {n: [20], command: './program {n} 2'}\n")
    process = subprocess.run([SLUICE, "figure", "./p.yaml", "--journal", "--results", "figure.db"], capture_output=True, text=True, check=False)
    expect(process.returncode == 0 and not journals("p"), f"figure: {process.stderr}")


Path("program.cu").write_text(PROGRAM, encoding="utf-8")
subprocess.run([SLUICE, "cc", "program.cu", "-o", "program"], check=True)
Path("bin").mkdir()
subprocess.run([sys.executable, SOURCE_DIR / "tests/cli/fake_slurm.py", "install", "bin"], check=True)
Path("held").mkdir()
Path("held/sbatch").write_text("#!/bin/sh\necho 99\n", encoding="utf-8")
Path("held/sbatch").chmod(0o755)
os.environ["PATH"] = f"{work}/bin:{os.environ['PATH']}"
os.environ["FAKE_SLURM"] = str(work / "fake")
new_cluster()
one = "n=5000"
sweep("-j", "1", "--axis", one, "--name", "one", "--results", "one.db")
axis = "n=5000,5001"
sweep("-j", "1", "--axis", axis, "--name", "plain", "--results", "plain.db")
check_limits()
check_detached()
check_without_warning("refused", FAKE_SLURM_REFUSES="1")
check_without_warning("unwarned", "--sbatch=--signal=USR2")
check_stuck()
check_lock()
check_local()
check_refusals()
shutil.rmtree(work)
sys.exit(bool(failures))
