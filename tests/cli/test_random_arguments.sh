#!/bin/sh
# Protects `sluice figure`, `sweep`, `results` and `programs` with random arguments: each command succeeds, or soon
# fails with a message that names the rejected argument. For other seeds: RANDOM_SEEDS=FIRST:COUNT.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
export SLUICE_PROGRAMS="$work/programs" SLUICE_EXPERIMENTS="$work/experiments"
sluice=$(realpath "$sluice")
mkdir -p "$work/programs/one" "$work/programs/two" "$work/experiments"
cd "$work" || exit 1
for name in one two; do
	printf 'name: %s\nabout: x\npapers: {teleport: {S%s: fast}, caps: S}\nvariants: [plain, fast]\n' $name $name \
		>programs/$name/program.yaml
	cat >programs/$name/$name <<'SCRIPT'
#!/bin/sh
[ -z "${SLUICE_STATS-}" ] ||
	echo '{"kernels": [{"name": "k", "cycles": 10, "thread_instructions": 90, "counters": {}}], "totals": {}}' >"$SLUICE_STATS"
echo PASS
SCRIPT
	chmod +x programs/$name/$name
done
cat >experiments/ipc.yaml <<'YAML'
title: One cell
metric: thread_instructions / cycles
columns: {large: {machine: gtx480}}
rows: {one: {}}
YAML
mkdir bin # pictures would take most of the time
printf '#!/bin/sh\ncat >/dev/null\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$work/bin:$PATH
python3 - "$sluice" "${RANDOM_SEEDS:-1:60}" <<'PY' || failures=1
import random, re, subprocess, sys

sluice, seeds = sys.argv[1:]
first, count = map(int, seeds.split(":"))
LIMIT = 20  # seconds; a command takes a hundredth of a second
NUMBERS = "0 1 2 3 -1 4294967296 18446744073709551616 99999999999999999999 1e3 0x10 1.5 + nan".split() + ["", " 1"]
NAMES = ["one", "two", "ONE", "Sone", "S", "three", "ipc", "./experiments/ipc.yaml", "ipcc", "/", ".", "", "%s%n", "a b", "\u00e9",
         "x" * 300, "x/" * 3000, "--", "-"]
FILES = ["a.db", "folder", "none/x", "/dev/null", "/dev/full", "/", ".", "", "a b", "y" * 300]
MACHINES = ["gtx480", "gtx480-v4", "gtx840", "experiments/ipc.yaml", "none.yaml", "", "/"]
OPTIONS = ["sm.count=2", "sm.count=0", "sm.cuont=2", "sm.count", "=", "", "=2", "sm.count=99999999999", "l1d.sets=3"]
MECHANISMS = ["gto", "two_level:ready=4", "two_level:raedy=4", "teleport:model=R", "gto:x=1", ":", "", "./none.so"]
CHECKS = ["race", "race,init", "footprint", "footprin", "", ","]
SIZES, PAPERS = ["tiny", "small", "paper", "large", ""], ["teleport", "caps", "teleprot", ""]
FIGURE = {"-j": NUMBERS, "--jobs": NUMBERS, "--size": SIZES, "--seed": NUMBERS, "--results": FILES, "--out": FILES, "--any-build": None,
          "--again": None, "--no-run": None, "-q": None, "--quiet": None, "--help": None, "--usage": None}
LISTS = ["gtx480", "gtx480,gtx840", "none,gto", "none,two_level:ready=4,x=1+gto", "l1d.sets=16,32", "l1d.sets=", "=1", ",", "", "n=1,2", "size=tiny,small",
         "program=one,two", "command=./a", "seed=x", "gto:x=1", "%s=%n", "'=\"", "x" * 300]
SWEEP = {name: values for name, values in FIGURE.items() if name != "--no-run"} | {
    "--dry-run": None, "--retry": None, "--journal": None, "--memory": NUMBERS + ["1G", "1X", "G"], "-m": LISTS, "-o": LISTS, "--mech": LISTS, "--axis": LISTS,
    "--metric": ["cycles", "cycle", "1 /", ""], "--name": NAMES, "--per-task": NUMBERS, "--tries": NUMBERS}
QUIET = {"-q": None, "--results": FILES}
RESULTS = {"--results": FILES, "--program": NAMES, "--seed": NUMBERS, "--csv": None, "--json": None, "--help": None}
LIST = {"--paper": PAPERS, "--json": None}
RUN = {"--all": None, "--paper": PAPERS, "--size": SIZES, "--variant": NAMES + ["plain", "fast"], "--seed": NUMBERS, "-j": NUMBERS,
       "-m": MACHINES, "-o": OPTIONS, "--mech": MECHANISMS, "--check": CHECKS, "--stats": FILES, "--functional": None,
       "--stats-format": ["table", "json", "gpgpusim", "xml"], "--threads": NUMBERS, "--max-instructions": NUMBERS}
COMMANDS = [(["figure"], FIGURE), (["sweep"], SWEEP), (["sweep"], SWEEP), (["sweep", "status"], QUIET), (["sweep", "failed"], QUIET),
            (["sweep", "cancel"], QUIET), (["results"], RESULTS), (["results", "merge"], RESULTS), (["results", "check"], RESULTS),
            (["results", "why"], RESULTS)] + [(["programs", action], options) for action, options in (
    ("list", LIST), ("show", {"--paper": PAPERS}), ("run", RUN), ("run", RUN), ("rnu", RUN))] + [(["programs"], LIST)]


def words(draw):
    start, options = draw.choice(COMMANDS)
    said = []
    for _ in range(draw.randrange(5)):
        name = draw.choice(list(options))
        value = options[name] and draw.choice(options[name])
        if draw.randrange(12) == 0:
            name = name[:draw.randrange(len(name))] + draw.choice(["", "x", "-", "=", "="])
        if value is None or draw.randrange(20) == 0:
            said.append([name])
        else:
            said.append([f"{name}={value}"] if name.startswith("--") and draw.randrange(2) else [name, value])
    for _ in range(draw.choice([0, 1, 1, 1, 2])):
        said.append([draw.choice(NAMES[:4]) if draw.randrange(2) else draw.choice(NAMES)])
    if start[0] in ("figure", "sweep") and draw.randrange(2):
        said.append(["ipc"])
    draw.shuffle(said)
    return start + [word for part in said for word in part]


def named(message, said):
    """Whether a message has a word that was said, or says what is missing."""
    parts = [part for word in said for part in [word, *re.split(r"[=:,]", word)] if part.strip("-")]
    return any(part in message for part in parts) or re.search(r"''|'-'|option -- '.'|option '---'|no program given|expected a plan|requires", message)


def problem(said):
    try:
        done = subprocess.run([sluice, *said], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "does not end"
    messages = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        return f"exit status {done.returncode}: {messages}"
    if "Sanitizer" in messages or "runtime error:" in messages:
        return messages
    if done.returncode and not named(messages, said[1:]):
        return f"no message that names what is wrong: {messages!r}"
    return None


failures = 0
for seed in range(first, first + count):
    said = words(random.Random(seed))
    found = problem(said)
    if found:
        print(f"FAILED: seed {seed}: sluice {said}: {found}")
        failures += 1
sys.exit(failures != 0)
PY
finish
