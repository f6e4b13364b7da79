"""Protects python/sluice.py: its values equal the JSON, the store and the files of the same runs, to the last digit.
Errors are exceptions with the tool's own message. Without matplotlib everything except drawing works.
"""

import contextlib
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import sluice

PROGRAM = """
#include <cstdio>
#include <cstdlib>
__global__ void scale(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void add(float *x, const float *y) { x[threadIdx.x] += y[threadIdx.x]; }
int main(int argc, char **argv)
{
	float *x, *y;
	int status = argc > 1 ? atoi(argv[1]) : 0;
	cudaMalloc(&x, 65536), cudaMalloc(&y, 4096);
	for (int i = 1; i <= 2; i++)
		scale<<<16 * i, 256>>>(x, 2);
	add<<<1, 256>>>(x, y);
	printf("%s, %d\\n", cudaGetErrorName(cudaDeviceSynchronize()), status);
	if (status)
		fprintf(stderr, "it went wrong\\n");
	return status;
}
"""
EXPERIMENT = """
title: Two orders
metric: thread_instructions / cycles
columns:
  LRR: {machine: gtx480, options: [sm.count=2, sm.warp_order=lrr]}
  GTO: {machine: gtx480, options: [sm.count=2, sm.warp_order=gto]}
rows:
  scale: {program: ./scale, kernel: scale}
"""

COMMAND = sys.argv[1]


def command(*words):
    return subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True).stdout


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.before = os.getcwd()
        os.chdir(cls.work.name)
        Path("scale.cu").write_text(PROGRAM)
        cls.program = sluice.compile("scale.cu")
        cls.run_ = sluice.run(cls.program, machine="gtx480", options={"sm.count": 2, "launch.sleep": True}, mechanisms=["mthwp:distance=2"],
                              sample="100:samples.csv", timeline="timeline.csv", profile="profile.json")
        command("run", "-o", "sm.count=2", "-o", "launch.sleep=true", "--mech", "mthwp:distance=2", "--stats", "direct.json", "--", "./scale")
        cls.direct = json.loads(Path("direct.json").read_text())

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.work.cleanup()

    def test_tool(self):
        self.assertEqual(Path(sluice.tool()).resolve(), Path(COMMAND).resolve())

    def test_figures_are_those_of_the_json(self):
        """A run through the module and a run of the command differ only in the host's seconds."""
        self.assertEqual(len(self.run_.kernels), 3)
        for launch, wanted in zip(self.run_.kernels, self.direct["kernels"]):
            self.assertEqual({**launch.data, "host_seconds": 0}, {**wanted, "host_seconds": 0})
            self.assertEqual((launch.name, launch.launch, launch.cycles), (wanted["demangled"], wanted["launch"], wanted["cycles"]))
            self.assertAlmostEqual(launch.ipc, wanted["ipc"], places=4)
            self.assertEqual(launch.cycle_stack, wanted["cycle_stack"])
            self.assertEqual(launch["mthwp.asked"], wanted["counters"]["mthwp.asked"])
        totals = self.direct["totals"]
        self.assertEqual((self.run_.cycles, self.run_.counters, self.run_["thread_instructions"]),
                         (totals["cycles"], totals["counters"], totals["thread_instructions"]))
        self.assertEqual(self.run_.cycles, sum(launch.cycles for launch in self.run_.kernels))
        self.assertEqual(self.run_.configuration, self.direct["configuration"])
        self.assertEqual((self.run_.machine, self.run_.options, self.run_.ended), ("gtx480", ["sm.count=2", "launch.sleep=true"], "exit 0"))
        self.assertEqual(self.run_.mechanisms, self.direct["mechanisms"])
        self.assertIn("cudaSuccess, 0", self.run_.output)
        with self.assertRaisesRegex(KeyError, "no counter 'l1d.hit'"):
            self.run_["l1d.hit"]

    def test_load(self):
        loaded = sluice.load("direct.json")
        self.assertEqual(loaded.data, self.direct["totals"])
        self.assertEqual([launch.name for launch in loaded.of("scale")], ["scale(float*, float)"] * 2)
        self.assertEqual(loaded.of("scale(float*, float)"), loaded.kernels[:2])
        self.assertEqual(loaded.of("scal"), [])

    def test_rows(self):
        """Flat rows lose nothing: each counter, each part of the cycle stack, and the run's identity."""
        for row, wanted in zip(self.run_.rows(), self.direct["kernels"]):
            for name, value in wanted["counters"].items():
                self.assertEqual(row[name], value)
            self.assertEqual(sum(value for name, value in row.items() if name.startswith("stack.")), sum(wanted["cycle_stack"].values()))
            self.assertEqual((row["cycles"], row["mechanisms"]), (wanted["cycles"], self.direct["mechanisms"][0]))
            self.assertFalse([name for name, value in row.items() if isinstance(value, (list, dict))])
        self.assertEqual(self.run_.row()["l1d.accesses"], self.direct["totals"]["counters"]["l1d.accesses"])

    def test_functional_and_energy(self):
        functional = sluice.run("scale", functional=True)
        self.assertEqual((functional.kernels[0].cycles, functional.kernels[0].ipc), (None, 0))
        self.assertEqual(functional.rows()[0]["thread_instructions"], self.direct["kernels"][0]["thread_instructions"])
        priced = sluice.run("scale", energy=True)
        self.assertEqual(priced.row()["energy.total"], priced.data["energy"]["total"])

    def test_samples(self):
        rows = sluice.samples("samples.csv")
        self.assertEqual(len(rows), len(Path("samples.csv").read_text().splitlines()) - 1)
        for launch in self.run_.kernels:
            mine = [row for row in rows if row["kernel"] == launch.launch]
            self.assertEqual(sum(row["l1d.misses"] for row in mine), launch["l1d.misses"])
            self.assertEqual(mine[0]["name"], launch.name)

    def test_timeline(self):
        events = sluice.timeline("timeline.csv")
        blocks = [event for event in events if event["name"] == "block"]
        self.assertEqual(len(blocks), self.run_["sm.blocks"])
        self.assertEqual(max(event["cycle_end"] for event in blocks if event["kernel"] == 2), max(
            int(row["cycle_end"]) for row in read_csv("timeline.csv") if row["kernel"] == "2" and row["name"] == "block"))

    def test_profile(self):
        rows = sluice.profile("profile.json")
        self.assertEqual(sum(row.get("issues", 0) for row in rows), self.run_["warp_instructions"])
        self.assertEqual(sum(row.get("waits.dram", 0) for row in rows), self.run_["sm.stack_dram"])
        self.assertEqual({row["kernel"] for row in rows}, {launch.name for launch in self.run_.kernels})

    def test_store(self):
        """The store's runs equal those that `sluice results` shows with the same filters."""
        Path("plan.yaml").write_text(EXPERIMENT)
        command("figure", "./plan.yaml", "-q")
        runs = sluice.store()
        self.assertEqual([run.facts["options"] for run in runs], [json.loads(line)["options"] for line in self.results()])
        self.assertEqual([run.whole for run in runs],
                         [json.loads(stats) for (stats,) in sqlite3.connect("results.db").execute("SELECT stats FROM runs ORDER BY id")])
        (one,) = sluice.store("results.db", options=runs[1].facts["options"])
        self.assertEqual((one.cycles, one.row()["verdict"], one.row()["seed"]), (runs[1].cycles, "PASS", runs[1].facts["seed"]))
        for row in read_csv("figures/plan.csv"):
            (one,) = sluice.store(options=f"sm.count=2 sm.warp_order={row['column'].lower()}")
            scale = one.of("scale")
            self.assertAlmostEqual(sum(k["thread_instructions"] for k in scale) / sum(k.cycles for k in scale), float(row["ours"]), places=4)
        self.assertEqual(sluice.store(program="./nothing"), [])
        # A newer version's file may have more columns. A row without statistics is a failed run. A file without the
        # table is no store.
        shutil.copy("results.db", "newer.db")
        with contextlib.closing(sqlite3.connect("newer.db")) as newer:
            newer.executescript("ALTER TABLE runs ADD farm TEXT NOT NULL DEFAULT 'here'; UPDATE runs SET stats = '' WHERE id = 1; "
                                "PRAGMA user_version = 3")
        first, second = sluice.store("newer.db", farm="here")
        self.assertEqual((first.ended, first.kernels, first.row()["cycles"], second.cycles), ("not begun", [], 0, runs[1].cycles))
        sqlite3.connect("empty.db").execute("CREATE TABLE other (a)").connection.close()
        with self.assertRaisesRegex(sluice.Error, "empty.db: not a results file of sluice"):
            sluice.store("empty.db")
        with self.assertRaisesRegex(sluice.Error, "the store has no column 'kernel'; it has program, variant"):
            sluice.store(kernel="scale")

    @staticmethod
    def results():
        return [json.dumps(run) for run in json.loads(command("results", "--json"))]

    def test_errors(self):
        """Each exception has the tool's message and status."""
        self.assertEqual((sluice.run("true").ended, sluice.run("true").kernels), ("not begun", []))
        for call, status, text in (
                (lambda: sluice.run("scale", machine="gtx"), 2, "machine"),
                (lambda: sluice.run("scale", options=["sm.cont=1"]), 2, "sm.cont"),
                (lambda: sluice.run("./absent"), 127, "./absent"),
                (lambda: sluice.run(["scale", "3"]), 3, "it went wrong"),
                (lambda: sluice.run("scale", machine="gtx", strict=False), None, "machine"),
                (lambda: sluice.run("scale", no_such_option=1), 2, "--no-such-option"),
                (lambda: sluice.program("absent"), 2, "absent")):
            with self.assertRaisesRegex(sluice.Error, text) as caught:
                call()
            self.assertEqual(caught.exception.status, status)
        Path("bad.cu").write_text("__global__ void f() { missing(); }\n")
        with self.assertRaisesRegex(sluice.Error, "bad.cu:1:23: error: use of undeclared identifier 'missing'"):
            sluice.compile("bad.cu")
        Path("bad.json").write_text("{")
        for reader, file, text in ((sluice.load, "bad.json", "bad.json: Expecting"), (sluice.load, "none.json", "No such file"),
                                   (sluice.profile, "direct.json", None), (sluice.samples, "timeline.csv", "has no column 'cycle'"),
                                   (sluice.timeline, "samples.csv", "has no column 'cycle_begin'"),
                                   (sluice.store, "none.db", "there is no none.db"), (sluice.store, "bad.json", "bad.json: ")):
            if text:
                with self.assertRaisesRegex(sluice.Error, text):
                    reader(file)
        for wrong in ({"mechanisms": "mthwp"}, {"options": "sm.count=2"}):
            with self.assertRaisesRegex(TypeError, "expected a list"):
                sluice.run("scale", **wrong)

    def test_ends(self):
        """A failed run is returned to callers that request it; a run that reached its limit is not a failure."""
        failed = sluice.run(["scale", "3"], strict=False)
        self.assertEqual((failed.ended, len(failed.kernels)), ("exit 3", 3))
        cut = sluice.run("scale", max_instructions=20000)
        self.assertEqual((cut.ended, cut.kernels[-1].data["ended"]), ("stopped, exit 124", "stopped"))
        self.assertGreaterEqual(cut["thread_instructions"], 20000)

    def test_drawing(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(sluice.Error, "python3-matplotlib"):
                sluice.plot_bars({"a": {"b": 1}})
            self.skipTest("no matplotlib")
        bars = {"scale": {"none": 1.0, "MTHWP": 1.5}, "add": {"none": 2.0}}
        axes = sluice.plot_bars(bars, unit="speed", file="bars.svg")
        self.assertEqual([(bar.get_height(), round(bar.get_x() + bar.get_width() / 2, 6)) for bar in axes.patches],
                         [(1.0, -0.2), (2.0, 0.8), (1.5, 0.2)])
        self.assertEqual([label.get_text() for label in axes.get_xticklabels()], ["scale", "add"])
        self.assertIn("<svg", Path("bars.svg").read_text())
        axes = sluice.plot_stacks(self.run_.kernels, ["1", "2", "3"], file="stacks.png")
        for bar in range(3):
            self.assertAlmostEqual(sum(part[bar].get_height() for part in axes.containers), 100)
        names = [part.get_label() for part in axes.containers]
        stack = self.run_.kernels[1].cycle_stack
        self.assertAlmostEqual(axes.containers[names.index("dram")][1].get_height(), 100 * stack["dram"] / sum(stack.values()))
        self.assertGreater(Path("stacks.png").stat().st_size, 1000)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = pandas.DataFrame(self.run_.rows())
        self.assertEqual(frame.groupby("demangled")["cycles"].sum().to_dict(), {
            name: sum(k["cycles"] for k in self.direct["kernels"] if k["demangled"] == name) for name in set(frame["demangled"])})
        self.assertTrue((frame["l1d.hits"] + frame["l1d.misses"] + frame["l1d.merged"] == frame["l1d.accesses"]).all())
        self.assertEqual(pandas.DataFrame(sluice.samples("samples.csv"))["l2.accesses"].sum(), self.run_["l2.accesses"])

    def test_installed_command_goes_first(self):
        """An installed module uses the command next to it, whatever PATH has."""
        for folder in ("prefix/bin", "prefix/share/sluice/python"):
            Path(folder).mkdir(parents=True)
        Path("prefix/bin/sluice").write_text("#!/bin/sh\necho this one >&2\nexit 9\n")
        Path("prefix/bin/sluice").chmod(0o755)
        shutil.copy(sluice.__file__, "prefix/share/sluice/python")
        words = [sys.executable, "-c", "import sluice; sluice.run('a')"]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": "prefix/share/sluice/python"}, capture_output=True, text=True, check=False)
        self.assertIn("sluice.Error: this one", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
