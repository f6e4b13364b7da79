#!/bin/sh
# Protects `sluice figure` when it is ended at random moments. No child continues, and the store is a valid database
# with all earlier runs. Figure files are complete, and a rerun gives the same figure as an undisturbed run. For other
# seeds: RANDOM_SEEDS=FIRST:COUNT.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
export SLUICE_PROGRAMS="$work/programs"
sluice=$(realpath "$sluice")
mkdir -p "$work/programs/one"
cd "$work" || exit 1
printf 'name: one\nabout: x\nvariants: [plain]\n' >programs/one/program.yaml
# A program that takes long if a file says so, and otherwise writes statistics as the runtime does.
cat >programs/one/one <<'SCRIPT'
#!/bin/sh
for slow; do :; done
[ ! -e "slow$slow" ] || exec sleep 600
sleep 0.0$slow
echo '{"kernels": [{"name": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "cycles": 1'$slow', "thread_instructions": 90,' >"$SLUICE_STATS"
echo '"counters": {}}], "totals": {}}' >>"$SLUICE_STATS"
echo PASS
SCRIPT
chmod +x programs/one/one
cat >ipc.yaml <<'YAML'
title: Rows that may be slow
metric: thread_instructions / cycles
columns: {large: {machine: gtx480}, small: {machine: gtx480, options: [sm.count=2]}}
rows: {a: {program: one, arguments: [1]}, b: {program: one, arguments: [2]}, c: {program: one, arguments: [3]}}
YAML
python3 - "$sluice" "${RANDOM_SEEDS:-1:15}" <<'PY' || failures=1
import contextlib, os, pathlib, random, signal, sqlite3, subprocess, sys, time

sluice, seeds = sys.argv[1:]
first, count = map(int, seeds.split(":"))
work = pathlib.Path.cwd()
results, figures = work / "results.db", work / "figures"
failures = 0


def stored():
    if not results.exists():
        return set()
    with contextlib.closing(sqlite3.connect(results)) as database:
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)], "the database is broken"
        if not database.execute("select 1 from sqlite_master").fetchall():
            return set()  # ended before it created its table
        return set(database.execute("select * from runs"))


def left():
    """Processes with this folder as theirs, but for this one and its parents."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (process / "stat").read_text().rsplit(")", 1)[1].split()[0]
            mine = int(process.name) in (os.getpid(), os.getppid())
            if state not in "ZX" and not mine and os.readlink(process / "cwd") == str(work):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def figure(*options):
    return subprocess.Popen([sluice, "figure", "./ipc.yaml", *options], stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def make():
    """The figure's table and numbers."""
    process = figure("-j", "3")
    out, messages = process.communicate(timeout=60)
    assert process.returncode == 0, f"exit status {process.returncode}: {messages}"
    return out, (figures / "ipc.csv").read_text()


def end(draw, seed):
    """Starts the figure and ends it."""
    number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[seed % 3]
    slow = [work / f"slow{k}" for k in (1, 2, 3) if draw.random() < 0.3]
    for path in slow:
        path.touch()
    process = figure("-j", str(draw.randint(1, 3)))
    time.sleep(draw.uniform(0, 0.5) if draw.randrange(4) else draw.uniform(0, 1.5))
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    _, messages = process.communicate(timeout=30)
    for path in slow:
        path.unlink()
    assert process.returncode in (-number, 0), f"exit status {process.returncode} after signal {number}: {messages}"


def attempt(seed, whole):
    draw = random.Random(seed)
    if seed % 4 == 0:
        results.unlink(missing_ok=True)
    before = stored()
    end(draw, seed)
    for _ in range(60):
        if not (running := left()):
            break
        time.sleep(0.05)
    assert not running, f"{running} go on"
    after = stored()
    assert before <= after, "runs are lost"
    csv = figures / "ipc.csv"
    assert not csv.exists() or csv.read_text() == whole[1], "the figure's numbers are cut"
    if seed % 2:
        assert make() == whole, "another figure than an undisturbed one"
        assert after <= stored(), "runs were made again"


whole = make()
results.unlink()
for seed in range(first, first + count):
    try:
        attempt(seed, whole)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        print(f"FAILED: seed {seed}: {error}")
        failures += 1

sys.exit(failures != 0)
PY
finish
