#!/usr/bin/env python3
"""Compares sampled runs with whole runs, for the tables of docs/how-to/sampling.md: cycles, estimates, real and estimated
errors, host time."""

import argparse
import json
import re
import resource
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs/how-to/sampling.md"
BEGIN, END = "<!-- tools/sampling.py writes what follows -->\n", "<!-- up to here -->\n"

# All programs that launch at least 16 kernels at size small, and iterative programs with more steps.
LAUNCHES = [
    ("components", ""), ("fast_walsh", ""), ("gaussian", ""), ("jacobi1d", ""), ("lud", ""), ("needleman", ""),
    ("page_view_rank", ""), ("pathfinder", ""), ("hotspot", "--steps 40"), ("jacobi", "--sweeps 40"),
    ("jacobi1d", "--steps 4000"), ("laplace3d", "--sweeps 40"), ("srad", "--steps 20"),
]  # fmt: skip
# The ten programs with the most blocks in a launch at size small.
BLOCKS = [(name, "") for name in ("dct8x8", "fft", "filters", "matrix_add", "nearest_neighbor", "saxpy", "scan",
                                  "sobel_edges", "transpose", "vecadd")]  # fmt: skip


def processor_seconds():
    """Returns the processor time of all child processes so far. A busy computer affects it less than wall time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(sluice, program, arguments, options, machine):
    """Returns the statistics of a run at size small, and its processor time."""
    before = processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        command = [sluice, "programs", "run", program, "--size", "small", "-m", machine, "--no-progress"]
        command += [*options, "--stats", file, "--", *arguments.split()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{program}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(file.read_text()), processor_seconds() - before


def simulated(run):
    """Describes which part of the program was simulated."""
    kernels = run["kernels"]
    if "launches" in run["sampling"]:
        return f"{sum(kernel['sample']['simulated'] for kernel in kernels)} of {len(kernels)} launches"
    volume = [kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2] for kernel in kernels]
    done = sum(kernel["sample"].get("blocks", blocks) for kernel, blocks in zip(kernels, volume))
    return f"{done:,} of {sum(volume):,} blocks"


class Row:
    def __init__(self, sluice, machine, option, program, arguments):
        whole, whole_seconds = measure(sluice, program, arguments, [], machine)
        sampled, sampled_seconds = measure(sluice, program, arguments, [option], machine)
        estimate = sampled["totals"]["estimate"]
        self.cells = [f"{program} {arguments}".strip(), simulated(sampled)]
        self.cycles, self.estimate, self.claimed = whole["totals"]["cycles"], estimate["cycles"], estimate["error"]
        self.speed = whole_seconds / sampled_seconds
        self.error = self.estimate - self.cycles
        self.is_whole = estimate["simulated"] == estimate["launches"]

    def is_within(self):
        return self.claimed is not None and abs(self.error) <= self.claimed

    def text(self):
        claimed = "not known" if self.claimed is None else f"{100 * self.claimed / self.estimate:.1f} %"
        cells = [*self.cells, f"{self.cycles:,}", f"{self.estimate:,.0f}", f"{100 * self.error / self.cycles:+.1f} %"]
        within = "all simulated" if self.is_whole else "yes" if self.is_within() else "no"
        cells += [claimed, within, f"{self.speed:.1f} x"]
        return "| " + " | ".join(cells) + " |\n"


def mean(values):
    return sum(values) / max(1, len(values))


def table(title, rows):
    text = f"\n### {title}\n\n| program | simulated | cycles | estimate | real error | estimated error | within | speed-up |\n"
    text += "|---|---|--:|--:|--:|--:|---|--:|\n" + "".join(row.text() for row in rows)
    estimates = [row for row in rows if not row.is_whole]
    errors = [abs(row.error) / row.cycles for row in estimates]
    text += f"\nOf {len(estimates)} estimates the real error lies within the estimated one in {sum(row.is_within() for row in estimates)}; "
    text += f"its mean is {100 * mean(errors):.1f} %, the largest {100 * max(errors, default=0):.1f} %; the speed-up of the whole run's processor time "
    product = 1.0
    for row in rows:
        product *= row.speed
    return text + f"is {product ** (1 / len(rows)):.1f} x as geometric mean of all programs.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCE / "build")
    parser.add_argument("--machine", default="gtx480")
    parser.add_argument("--only", default="", help="only these programs, separated by commas")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/how-to/sampling.md")
    options = parser.parse_args()
    sluice, text = options.build / "bin/sluice", ""
    for title, option, programs in (("Launches", "--sample-launches", LAUNCHES), ("Blocks", "--sample-blocks", BLOCKS)):
        chosen = [one for one in programs if not options.only or one[0] in options.only.split(",")]
        if chosen:
            text += table(title, [Row(sluice, options.machine, option, *one) for one in chosen])
    print(text)
    if options.write:
        page = PAGE.read_text()
        pattern = re.escape(BEGIN) + ".*" + re.escape(END)
        PAGE.write_text(re.sub(pattern, lambda _: BEGIN + text + "\n" + END, page, flags=re.DOTALL))


if __name__ == "__main__":
    main()
