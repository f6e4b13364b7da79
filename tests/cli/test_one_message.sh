#!/bin/sh
# One mistake, one message. A random command line or machine file with a single mistake fails within a minute and prints
# one message, whatever correct options it also has. For other seeds: RANDOM_SEEDS=FIRST:COUNT.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES SLUICE_MECHANISMS
sluice=$(realpath "$sluice")
cp "$kernels/vecadd.ptx" "$work/v.ptx"
cd "$work" || exit 1
printf 'base: gtx480\nsm:\n  count: 4\n  warps: 32\nl1d: {sets: 64, ways: 4}\n' >right.yaml
printf '#!/bin/sh\ntrue\n' >a
chmod +x a
echo "no YAML: [" >broken.yaml
echo "neither" >text.so
python3 - "$sluice" "${RANDOM_SEEDS:-1:150}" <<'PY' || failures=1
import random, re, subprocess, sys

sluice, seeds = sys.argv[1:]
first, count = map(int, seeds.split(":"))
LIMIT = 60  # seconds; a command takes about 0.01 s

# Correct options of `run`. A functional run has no cycles and refuses those of TIMED.
ANY = [["-m", "gtx480"], ["-m", "right.yaml"], ["-o", "sm.warps=16"], ["--threads", "2"], ["--check", "race"], ["--stats", "s.json"],
       ["--max-instructions=1000"], ["--timeout", "100"], ["--stray-reads", "warn"], ["--no-progress"]]
TIMED = [["--mech", "gto"], ["--sample", "100:s.csv"], ["--timeline", "t.csv"], ["--profile", "p.json"], ["--energy"]]
# Wrong options; those of FUNCTIONAL are wrong in a functional run too.
WRONG = [["-m", "gtx840"], ["-m", "none.yaml"], ["-m", "broken.yaml"], ["-m", "/"], ["-m", "/dev/null"], ["-o", "sm.cuont=2"],
         ["-o", "sm.count"], ["-o", "sm.count="], ["-o", "=1"], ["-o", "sm.count=0"], ["-o", "sm.count=x"], ["-o", "sm=1"],
         ["-o", "l1d.line_bytes=100"], ["-o", "kernel.x=1"], ["-o", "mechanisms=nope"], ["--check", "rase"], ["--check", ""],
         ["--threads", "0"], ["--threads", "x"], ["--stats", "none/s.json"], ["--stats", ""], ["--stats-format", "xml"],
         ["--max-instructions", "0"], ["--timeout", "0"], ["--stray-reads", "yes"], ["--no-such-option"], ["--functional=1"],
         ["--pass", "nope"], ["--pass", ""], ["--timeout"]]
FUNCTIONAL = [["--mech", "nope"], ["--mech", "gto:x=1"], ["--mech", ""], ["--mech", ":"], ["--mech", "two_level:ready=x"],
              ["--mech", "two_level:ready"], ["--mech", "./none.so"], ["--mech", "./text.so"], ["--energy=none"], ["--energy=none.yaml"],
              ["--energy="], ["--sample", "0"], ["--sample", "9:none/x"], ["--timeline", "none/t"], ["--trace-cycles", "5-1"],
              ["--sample-launches=0"], ["--sample-blocks=2"], ["--profile", "none/p"], ["--timeline-events", "0"]]
OTHERS = [["machine", "show", "nope"], ["machine", "show", "broken.yaml"], ["machine", "diff", "gtx480", "nope"], ["machine", "shwo", "x"],
          ["mech", "show", "nope"], ["mech", "show", "./text.so"], ["stats", "--describe", "nope"], ["ptx", "none.ptx"], ["ptx", "right.yaml"],
          ["ptx"], ["opt", "v.ptx", "-o", "x.ptx", "--pass", "nope"], ["opt", "none.ptx", "-o", "x.ptx"], ["annotate", "none.cu"],
          ["profile", "none.json"], ["profile", "right.yaml"], ["energy", "none.json"], ["energy", "right.yaml"], ["report", "none.db"],
          ["figure", "nope"], ["figure", "./broken.yaml"], ["sweep", "none.yaml"], ["sweep", "broken.yaml"], ["sweep", "--", "nope"],
          ["sweep", "-o", "sm.cuont=1,2", "--", "./a"], ["sweep", "-m", "gtx840", "--", "./a"], ["sweep", "--mech", "nope", "--", "./a"],
          ["sweep", "--metric", "1 /", "--", "./a"], ["sweep", "status", "nope"], ["results", "--results", "none.db"],
          ["results", "merge", "none.db"], ["results", "why", "1", "--results", "none.db"], ["programs", "show", "nope"],
          ["programs", "run", "nope"], ["programs", "lsit"], ["init", "/"], ["effort", "none.cu"], ["mix", "none.cu:k"], ["analyze", "none.cu"],
          ["run", "--trace-in", "none"], ["run", "--", "./none"], ["run"], ["run", "./right.yaml"], ["nope"], ["--nope"], ["cc", "--nope=1"]]
TEXT = open("right.yaml").read()


def machine(draw):
    """A machine file with one character inserted, removed or replaced."""
    at, kind = draw.randrange(len("base: gtx480\n"), len(TEXT)), draw.randrange(3)
    character = draw.choice("[]{}:'\"&*!|>%@#\t-x9?\\ \n")
    with open("drawn.yaml", "w") as file:
        file.write(TEXT[:at] + ("" if kind == 0 else character) + TEXT[at + (kind != 1):])
    return ["-m", "drawn.yaml"]


def words(draw):
    """The words of a command line, and whether it is certainly wrong."""
    what = draw.randrange(4)
    if what == 0:
        return draw.choice(OTHERS), True
    functional = draw.randrange(3) == 0
    wrong = machine(draw) if what == 1 else draw.choice(WRONG + FUNCTIONAL)
    right = [["--functional"]] * functional
    if wrong in FUNCTIONAL and wrong[0] != "--mech":
        right = []  # a functional run would be a second mistake
    beside = ANY + TIMED * (not right)
    right += [option for option in draw.sample(beside, draw.randrange(3)) if option[0] != wrong[0].split("=")[0]]
    said = right + [wrong]
    draw.shuffle(said)
    return ["run"] + [word for option in said for word in option] + ["--", "./a"], what != 1


def messages(text):
    """The first lines of messages, without source lines, continuation lines and the hint at --help."""
    lines = [line for line in text.splitlines() if line and not line[0].isspace() and not re.match("Try [`']", line)]
    return [line for line in lines if not re.search(r": (note|warning): ", line)]


failures = 0
for seed in range(first, first + count):
    said, wrong = words(random.Random(seed))
    try:
        done = subprocess.run([sluice, *said], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        text, status = done.stderr.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired:
        text, status = "does not end", -1
    found = messages(text)
    fine = len(found) == 1 and 1 <= status < 128 if wrong or status else not found
    if not fine:
        drawn = "" if "drawn.yaml" not in said else "\n" + open("drawn.yaml").read()
        print(f"FAILED: seed {seed}: sluice {said}: status {status}, {len(found)} messages:\n{text}{drawn}")
        failures += 1
sys.exit(failures != 0)
PY
finish
