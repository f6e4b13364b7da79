"""Figure 10 of CAPS from scratch: the speed of prefetchers over none, for a few programs.

A script in cells: run it whole (PYTHONPATH=$(sluice python) python3 caps_10.py), or cell by cell in an editor that knows "# %%". It leaves
caps_10.csv and, where matplotlib is there, caps_10.svg. `sluice figure caps.10` makes the same of all programs, at size small.
"""

# %% What runs: the programs by the paper's names, and the prefetchers, all on the paper's machine.
import csv
import math

import sluice

PROGRAMS = ["STE", "LPS", "MM"]
SIZE = "tiny"  # small takes minutes
PREFETCHERS = {"INTRA": "intra", "INTER": "inter", "MTA": "mta", "NLP": "nlp", "LAP": "lap", "ORCH": "orch", "CAPS": "caps"}


def measure(program, mechanisms):
    return sluice.program(program, paper="caps", size=SIZE, machine="gtx480-caps", mechanisms=mechanisms)


# %% The runs. Each program checks its result, and a wrong one is an exception.
baseline = {program: measure(program, []) for program in PROGRAMS}
runs = {program: {name: measure(program, [mechanism]) for name, mechanism in PREFETCHERS.items()} for program in PROGRAMS}

# %% The figure's numbers: cycles without over cycles with, and the geometric mean.
speed = {program: {name: baseline[program].cycles / run.cycles for name, run in runs[program].items()} for program in PROGRAMS}
speed["mean"] = {
    name: math.exp(sum(math.log(speed[program][name]) for program in PROGRAMS) / len(PROGRAMS)) for name in PREFETCHERS
}
print(f"{'':8}" + "".join(f"{name:>8}" for name in PREFETCHERS))
for program, row in speed.items():
    print(f"{program:8}" + "".join(f"{value:8.3f}" for value in row.values()))

# %% What the numbers come from: how many of CAPS's requests were in time, and what the warps wait for.
for program in PROGRAMS:
    caps = runs[program]["CAPS"]
    waits = [100 * each.cycle_stack["dram"] / sum(each.cycle_stack.values()) for each in (baseline[program], caps)]
    print(f"{program}: {caps['cap.issued']} requests, {caps['cap.useful']} useful, {caps['cap.late']} late; "
          f"waits for DRAM {waits[0]:.1f} % before, {waits[1]:.1f} % with CAPS")

# %% As a table for others.
with open("caps_10.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["program", *PREFETCHERS])
    table.writerows([program, *row.values()] for program, row in speed.items())

# %% As a picture.
try:
    axes = sluice.plot_bars(speed, unit="speed over none")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.figure.savefig("caps_10.svg")
except sluice.Error as reason:
    print(reason)
