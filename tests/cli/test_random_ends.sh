#!/bin/sh
# Protects the end of processes in random ways at random moments (tests/data/random_ends.cu). Each process and its
# forked children end as intended. The statistics file is valid and names the kind of end. For other seeds:
# RANDOM_SEEDS=FIRST:COUNT.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
[ -z "$preload" ] || exit 0 # AddressSanitizer handles SIGSEGV
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
try 0 cc "$source_dir/tests/data/random_ends.cu" -o "$work/program"
cd "$work" || exit 1
python3 - "${RANDOM_SEEDS:-1:40}" <<'PY' || failures=1
import json, os, pathlib, re, subprocess, sys

LIMIT = 60  # seconds; most take a tenth of a second
first, count = map(int, sys.argv[1].split(":"))
failures = 0


def problem(seed):
    stats = pathlib.Path("stats.json")
    stats.unlink(missing_ok=True)
    environment = dict(os.environ, SLUICE_THREADS=str(1 + seed % 4), SLUICE_STATS=str(stats), SLUICE_STATS_FORMAT="json")
    process = subprocess.Popen(["./program", str(seed)], env=environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        end, messages = process.communicate(timeout=LIMIT)  # its children have ended by then, too
    except subprocess.TimeoutExpired:
        process.kill()
        return "does not end"
    end = end.split("\n")[0]
    kind, number = re.search(r"(\w+) (\d+)$", end).groups()
    wanted = -int(number) if kind == "signal" else int(number)
    if process.returncode != wanted:
        return f"{end}: exit status {process.returncode}, expected {wanted}"
    if "is no stream" in messages:
        return f"{end}: {messages}"
    text = stats.read_text()
    try:
        said = json.loads(text)["ended"]
    except ValueError as error:
        # docs/reference/statistics.md: when the system kills the process it may cut a write at a page end
        cut = end in ("_exit 5", "signal 9") and len(text) % 4096 == 0
        return None if cut else f"{end}: {error}"
    # _exit() and kill -9 leave no time; the end may cut a kernel
    fits = {"running"} if end in ("_exit 5", "signal 9") else {end, "stopped, " + end}
    return None if said in fits else f"{end}: the statistics say '{said}'"


for seed in range(first, first + count):
    found = problem(seed)
    if found:
        print(f"FAILED: seed {seed}: {found}")
        failures += 1
sys.exit(failures != 0)
PY
finish
