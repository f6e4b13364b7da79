#!/usr/bin/env python3
"""Stands for Slurm's commands in tests: sbatch, squeue, scontrol, scancel and sacct. Tasks are processes of this computer that
begin at once. It has what sweeps use: job arrays, a time limit with a warning (--signal=B:N@T), and requeueing. The state is
in the folder FAKE_SLURM: JOB.TASK per task, and JOB.TASK.line, its line of squeue, until it ends.

    fake_slurm.py install FOLDER    makes the commands

    FAKE_SLURM_LIMIT    time limit in seconds; none without it. A task that is warned is warned then, and has 20 seconds more
    FAKE_SLURM_LAUNCHES the same limit, not by time but by the launches that the journal of the task's only run gets in a start
    FAKE_SLURM_REFUSES  not empty: scontrol requeue fails
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

folder = Path(os.environ.get("FAKE_SLURM", "."))


def write(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.rename(path)


def save(path, task):
    write(path, json.dumps(task))
    line = path.with_name(f"{path.name}.line")
    if task["state"] in ("PENDING", "RUNNING"):
        write(line, "|".join((task["job_name"], task["number"], task["state"], task["job"], "None")) + "\n")
    else:
        line.unlink(missing_ok=True)


def tasks():
    return sorted(path for path in folder.iterdir() if re.fullmatch(r"\d+\.\d+", path.name))


def launches(task):
    sweep = Path(task["script"]).parent
    lines = (sweep / f"batch.{task['words'][0]}").read_text(encoding="utf-8").splitlines()
    return len(list((sweep / "journals" / json.loads(lines[int(task["number"])])["id"]).glob("*.launch")))


def run_once(task, environment):
    """Returns the state in which the start ends."""
    limit, most = float(os.environ.get("FAKE_SLURM_LIMIT", 1e6)), int(os.environ.get("FAKE_SLURM_LAUNCHES", 0))
    most += launches(task) if most else 0
    with open(task["output"], "a", encoding="utf-8") as output:
        process = subprocess.Popen([task["script"], *task["words"]], stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment,
                                   start_new_session=True)
    begin, warned, late = time.monotonic(), False, False
    while process.poll() is None:
        spent = time.monotonic() - begin
        if most and launches(task) >= most:
            limit, most = spent, 0
            continue
        if task["warning"] and not warned and spent > limit:
            warned = True
            limit += 20
            process.send_signal(task["warning"])
        if spent > limit or (folder / f"{task['name']}.cancel").exists():
            late = spent > limit
            process.kill()
        time.sleep(0.01)
    return "TIMEOUT" if late else "COMPLETED" if process.returncode == 0 else "FAILED"


def keep_running(path):
    """The daemon of a task."""
    task = json.loads(path.read_text(encoding="utf-8"))
    environment = {**os.environ, "SLURM_ARRAY_JOB_ID": task["job"], "SLURM_ARRAY_TASK_ID": task["number"]}
    again = folder / f"{task['name']}.requeue"
    while True:
        task["state"] = "RUNNING"
        task["starts"] += 1
        save(path, task)
        state = run_once(task, environment)
        if not again.exists():
            break
        again.unlink()
        task["state"] = "PENDING"
        save(path, task)
        time.sleep(0.1)
    task["state"] = state
    save(path, task)


def sbatch(words):
    options, rest = {}, []
    for word in words:
        if not rest and word.startswith("-"):
            name, _, value = word.partition("=")
            options[name] = value
        else:
            rest.append(word)
    job = str(1 + max([int(path.name.split(".")[0]) for path in tasks()], default=0))
    warning = re.fullmatch(r"B:(\d+)@\d+", options.get("--signal", ""))
    for number in range(int(options["--array"].split("-")[1]) + 1):
        name = f"{job}.{number}"
        task = {"job": job, "number": str(number), "name": name, "job_name": options["--job-name"], "script": rest[0], "words": rest[1:],
                "output": options["--output"].replace("%A", job).replace("%a", str(number)),
                "warning": int(warning[1]) if warning else 0, "state": "PENDING", "starts": 0}
        save(folder / name, task)
        subprocess.Popen([sys.executable, __file__, "daemon", str(folder / name)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    print(job)


def scontrol(words):
    if words[0] == "requeue":
        if os.environ.get("FAKE_SLURM_REFUSES"):
            sys.exit("Job violates accounting/QOS policy")
        (folder / f"{words[1].replace('_', '.')}.requeue").touch()
    elif words[-2] == "job":
        print("JobId=1 JobState=" + json.loads((folder / words[-1].replace("_", ".")).read_text(encoding="utf-8"))["state"])


def scancel(words):
    for path in tasks():
        if path.name.split(".")[0] == words[-1]:
            (folder / f"{path.name}.cancel").touch()


def install(target):
    scripts = {name: f"exec {sys.executable} -S -E '{Path(__file__).resolve()}' {name} \"$@\"" for name in ("sbatch", "scontrol", "scancel")}
    scripts["squeue"] = "cat \"$FAKE_SLURM\"/*.line 2>/dev/null\nexit 0"
    scripts["sacct"] = "exit 1  # no accounting"
    for name, text in scripts.items():
        (target / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (target / name).chmod(0o755)


def main():
    action, words = sys.argv[1], sys.argv[2:]
    if action == "install":
        install(Path(words[0]))
    elif action == "daemon":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        keep_running(Path(words[0]))
    else:
        {"sbatch": sbatch, "scontrol": scontrol, "scancel": scancel}[action](words)


main()
