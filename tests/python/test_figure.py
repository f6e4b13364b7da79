"""Protects examples/python/caps_10.py: the numbers that it computes with sluice.py equal the CSV of `sluice figure` for
the same cells.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND, SOURCE = sys.argv[1], Path(sys.argv[2])
SCRIPT = SOURCE / "examples/python/caps_10.py"


def experiment(programs):
    """experiments/caps.10.yaml, reduced to a few of its rows, without the causes, which name other rows."""
    text = (SOURCE / "experiments/caps.10.yaml").read_text()
    head, _ = text.split("\nrows:\n")
    head = re.sub(r"(?m)^causes:\n(?:  .*\n)+", "", head + "\n")
    return head + "rows:\n" + "".join(f"  {program}: {{}}\n" for program in programs)


class Figure(unittest.TestCase):
    def test_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open("caps_10.csv", newline="") as file:
                ours = {row.pop("program"): row for row in csv.DictReader(file)}
            Path("some.yaml").write_text(experiment([program for program in ours if program != "mean"]))
            done = subprocess.run([COMMAND, "figure", "./some.yaml", "--size", "tiny", "-q"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open("figures/some.csv", newline="") as file:
                wanted = [row for row in csv.DictReader(file) if row["column"] in ours["mean"]]
            self.assertEqual(len(wanted), 7 * len(ours))
            for row in wanted:
                program = "mean" if "mean" in row["row"] else row["row"]
                self.assertAlmostEqual(float(ours[program][row["column"]]), float(row["ours"]), places=8, msg=row)
            self.assertGreater(len({row["ours"] for row in wanted}), 10)  # the values must differ among themselves
            try:
                import matplotlib  # noqa: F401
                self.assertIn("<svg", Path("caps_10.svg").read_text())
            except ImportError:
                self.assertFalse(Path("caps_10.svg").exists())

    def test_cells(self):
        """Editors find the cells (`# %%`), which run one at a time in order."""
        cells = re.split(r"(?m)^# %% .*$", SCRIPT.read_text())
        self.assertGreaterEqual(len(cells), 6)
        for cell in cells:
            compile(cell, SCRIPT, "exec")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
