"""Runs random sessions of commands in one folder, each drawn from a seed. See test_random_sessions.sh.

Usage: random_sessions.py SLUICE FIRST:COUNT.
"""
import contextlib, json, os, pathlib, random, re, shutil, signal, sqlite3, subprocess, sys, time

LIMIT = 20  # limit of a command's duration in seconds
WORDS = ["", "a b", "it's", 'say "x"', "é ü", "--", "-x", "\\", "100", "$HOME", "\n"]
ENVIRONMENT = ["SLUICE_FUNCTIONAL", "SLUICE_PROGRESS", "SLUICE_THREADS", "SLUICE_TIMEOUT", "SLUICE_MACHINE", "SLUICE_CHECK", "SLUICE_FUNCTONAL", "SLUICE_X"]
VALUES = ["yes", "off", "", "perhaps", "é", "2", "./folder", "-1"]
RUN = {  # option: values
    "--stats-format": ["json", "table", "gpgpusim", "xml", ""],
    "--timeout": ["1", "5", "0", "-1", "abc", "99999999999"],
    "--trace": ["t.perfetto", "t.pftrace.zst", "t.json", "t"],
    "--trace-sm": ["0-3,7", "99", "a", "3-1"],
    "--timeline": ["t.csv", "t.json", "results.db", ""],
    "--sample": ["100", "100:s.csv", "0", "10:"],
    "--check": ["all", "bounds,leaks", "race", "", "nope", "bounds,"],
    "--threads": ["1", "2", "0", "x", "4294967296"],
    "-o": ["sm.count=2", "l1d.sets=0", "sm.cont=2", "sm.count", "kernel.nope.registers=10"],
    "--mech": ["caps", "two_level:ready=8", "nope", "caps:x=1", "./folder", ""],
    "-m": ["gtx480", "qv100", "nope", "./folder", "./bad.yaml", "/dev/null"],
    "--max-instructions": ["100", "0", "x"],
}
SWEEP = {
    "-o": ["sm.count=2,4", "l1d.sets=16,32", "sm.count=", "sm.count=2,x", "nope=1,2", "sm.count=2,2"],
    "--mech": ["none,mta", "none,", "caps,nope"],
    "-j": ["1", "2", "0", "x"],
    "--metric": ["1 / cycles", "nope", ""],
    "--name": ["mine", "é ü", "a/b", ".."],
}
OTHERS = [["results"], ["results", "check"], ["results", "--json"], ["results", "export", "runs.jsonl"], ["results", "export", "results.db"],
          ["results", "merge", "runs.jsonl"], ["results", "merge", "cut"], ["results", "why", "1"], ["results", "--results", "results.db", "check"],
          ["report"], ["report", "-o", "page.html", "one.json"], ["report", "-o", "results.db"], ["energy"], ["energy", "one.json"], ["energy", "--json"],
          ["stats", "one.json"], ["stats", "--counters", "cut"], ["stats", "fifo"], ["profile", "show", "one.profile"], ["profile", "diff", "cut", "null"],
          ["annotate", "--profile=one.profile", "program.cu"], ["cc", "program.cu", "-o", "again"], ["cc", "cut", "-o", "again"], ["sweep", "status", "mine"]]


class Fault(Exception):
    pass


def drawn(draw, options, chance):
    return [word for option, values in options.items() if draw.random() < chance for word in (option, draw.choice(values))]


def output(draw, name):
    return draw.choice([name] * 4 + ["folder", "null", "none/x", "results.db", "-", ""])


def program(draw):
    return draw.choice([["./program"], ["./program", draw.choice(WORDS)], ["./a program"], ["./none"], ["./folder"], ["/bin/true"]])


def command(draw):
    kind = draw.choice(["run", "run", "run", "sweep", "other", "other"])
    if kind == "run":
        files = [word for option, name in (("--stats", "one.json"), ("--profile", "one.profile")) if draw.random() < 0.5
                 for word in (option, output(draw, name))]
        return ["run", *files, *drawn(draw, RUN, 0.1), *(["--functional"] if draw.random() < 0.1 else []), "--", *program(draw)]
    if kind == "sweep":
        return ["sweep", *drawn(draw, SWEEP, 0.25), "--", *program(draw)]
    return draw.choice(OTHERS)


def fresh(folder, source):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("program", "a program"):
        shutil.copy(source / "program", folder / name)
    shutil.copy(source / "program.cu", folder)
    (folder / "folder").mkdir()
    (folder / "temporary").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "null").symlink_to("/dev/null")
    (folder / "cut").write_text('{"kernels": [')
    (folder / "bad.yaml").write_text("base: gtx480\nsm.count: many\n")


def stored(folder):
    """The columns that identify each run of the store."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True)) as database:
            return set(database.execute("select program, arguments, options, mechanisms from runs"))
    except sqlite3.Error:
        return set()


def check_answer(words, status, messages, sent):
    allowed = {0, 1, 2, 124} | ({7, 126, 127} if words[0] == "run" else set()) | ({-sent, 128 + sent} if sent else set())
    if status not in allowed:
        raise Fault(f"exit status {status}")
    if status and not sent and not messages.strip():
        raise Fault(f"exit status {status} and no message")
    if "sluice: error: " in re.sub(r"(^|\n)sluice: error: ", "", messages):
        raise Fault("a message inside another one")


def check_statistics(sluice, folder):
    """The file is valid JSON, and the table shows the same cycles."""
    path = folder / "one.json"
    text = path.read_text() if path.is_file() else ""
    if not text.startswith("{"):
        return
    cycles = [str(kernel["cycles"]) for kernel in json.loads(text)["kernels"] if kernel["cycles"] is not None]
    table = subprocess.run([sluice, "stats", path], capture_output=True, text=True, timeout=LIMIT)
    shown = [line.split()[-3] for line in table.stdout.splitlines()[2:]]
    if table.returncode or (cycles and shown != cycles):
        raise Fault(f"the table has {shown} cycles, the file {cycles}: {table.stderr}")


def step(sluice, folder, draw):
    words = command(draw)
    extra = {draw.choice(ENVIRONMENT): draw.choice(VALUES)} if draw.random() < 0.15 else {}
    number = draw.choice([signal.SIGINT, signal.SIGTERM]) if draw.random() < 0.15 else 0
    wait = draw.uniform(0, 0.2)
    before, sent = stored(folder), 0
    process = subprocess.Popen([sluice, *words], cwd=folder, env=dict(os.environ, TMPDIR=str(folder / "temporary"), **extra),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if number:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(wait)
            sent = number if process.poll() is None else 0
            process.send_signal(number)
        out, messages = (text.decode(errors="replace") for text in process.communicate(timeout=LIMIT))
        check_answer(words, process.returncode, messages, sent)
        left = list((folder / "temporary").iterdir())
        if left:
            raise Fault(f"{left} is left")
        if not before <= stored(folder):
            raise Fault("runs are lost")
        if words[0] == "run" and "--stats" in words and "one.json" in words:
            check_statistics(sluice, folder)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Fault(f"{words} {extra}: does not end") from None
    except (Fault, ValueError) as fault:
        raise Fault(f"{words} {extra}, signal {sent}: {fault}\n  {messages[:600]}") from None


def main():
    sluice, seeds = sys.argv[1:]
    first, count = map(int, seeds.split(":"))
    source = pathlib.Path.cwd()
    failures = 0
    for seed in range(first, first + count):
        draw, folder = random.Random(seed), source / "a session"
        fresh(folder, source)
        try:
            for _ in range(draw.randint(4, 12)):
                step(sluice, folder, draw)
        except Fault as fault:
            print(f"FAILED: seed {seed}: {fault}")
            failures += 1
    sys.exit(failures != 0)


main()
