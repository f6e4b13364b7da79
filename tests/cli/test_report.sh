#!/bin/sh
# Protects `sluice report`: the page shows what the files contain, whatever their names. A wrong file gets one message
# with the remedy, and no incomplete page is left. Names cannot end the script that contains them, and the page needs no
# other file. tests/report tests the page in a browser.
set -u
. "$(dirname "$0")/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

# python TEXT: runs Python code with data(), which reads the data of report.html, and with the module of made-up runs.
python() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$source_dir/tests/report" python3 - 2>python.err <<PYTHON || fail "$(tail -n 1 python.err)"
import json, re
import made_up
def data(path="report.html"):
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', open(path).read(), re.S)[1])
$1
PYTHON
}

# A result file with a column of a later version: all counters of all launches are present.
tried="made-up results"
python 'made_up.store("results.db", 40, counters=60)'
try 0 report
says_only out "report.html: 40 runs"
silent err
python '
import sqlite3
page, runs = data(), sqlite3.connect("results.db").execute("select stats, machine, verdict from runs order by id").fetchall()
assert len(page["runs"]) == len(runs) == 40
first = page["configurations"][0]
for shown, (stats, machine, verdict) in zip(page["runs"], runs):
    stats, names = json.loads(stats), [page["counters"][i] for i in page["shapes"][shown["shape"]]]
    assert [dict(zip(names, values)) for values in shown["counters"]] == [kernel["counters"] for kernel in stats["kernels"]]
    assert [dict(zip([page["causes"][i] for i in shown["causes"]], values)) for values in shown["stacks"]] == [kernel["cycle_stack"] for kernel in stats["kernels"]]
    assert first | page["configurations"][shown["configuration"]] == stats["configuration"]
    assert page["texts"][shown["facts"]["machine"]] == machine and page["texts"][shown["facts"]["verdict"]] == verdict
    assert [page["kernels"][launch[0]][1] for launch in shown["launches"]] == [kernel["demangled"] for kernel in stats["kernels"]]
assert len(page["configurations"]) == len({json.dumps(json.loads(stats)["configuration"]) for stats, _, _ in runs}) and "clock.core" not in page["configurations"][1]
assert page["meanings"]["l1d.hits"][0] == "requests" and page["keys"]["sm.count"][0] == "SMs"
'
try 0 report results.db --program bfs --verdict PASS -o bfs.html
says out "bfs.html: 5 runs"
try 2 report results.db --program nothing
says err "results.db: no run meets all filters; 'sluice results' lists the runs"
cp report.html before.html

# Launches in streams: when they ran, and the session of those that ran together. A launch that was the only one of its
# session has all that the session counted. A run of one stream has no lanes.
python '
stack, counters = {"issued": 5}, {"l1d.hits": 3}
launch = lambda number, stream, started: made_up.in_stream(made_up.kernel("add", 100, stack, counters, number), stream, started)
kernels = [launch(1, 0, 0)] + [made_up.in_session(launch(number, number, 100), 1) for number in (2, 3)] + [made_up.in_session(launch(4, 4, 250), 2)]
sessions = [made_up.session(1, [2, 3], 100, 150, stack, {"l1d.hits": 9}), made_up.session(2, [4], 250, 100, stack, {"l1d.hits": 8})]
json.dump(made_up.statistics("add", kernels, sessions=sessions), open("streams.json", "w"))
json.dump(made_up.statistics("add", kernels[:1]), open("stream.json", "w"))
'
for limit in 50 2; do
	try 0 report streams.json stream.json --launches $limit -o streams.html
	LIMIT=$limit python '
import os
page = data("streams.html")
streams, stream = page["runs"]
summed = os.environ["LIMIT"] == "2"
rows = [[1, None, [3]], [1, "together", [None]], [1, "together", [None]], [1, None, [8]], [2, "session", [9]]]
if summed:
    rows = [[2, None, [11]], [2, "together", [None]], [2, "session", [9]]]
assert [[launch[1], launch[15] if len(launch) > 15 else None, counters] for launch, counters in zip(streams["launches"], streams["counters"])] == rows
assert page["kernels"][streams["launches"][-1][0]] == ["session 1", "session 1"]
assert len(streams["streams"].pop("warp_instructions")) == 4
assert streams["streams"] == {"row": [0, 1, 1, 0] if summed else [0, 1, 2, 3], "launch": [1, 2, 3, 4], "stream": [0, 2, 3, 4], "session": [None, 1, 1, None],
    "started": [0, 100, 100, 250], "first_block": [0, 100, 100, 250], "cycles": 4 * [100], "grid": 4 * [[15, 1, 1]], "block": 4 * [[256, 1, 1]],
    "launched_by": 4 * [None]}
assert "streams" not in stream
'
done

# Files of one run follow its statistics. A file's kind is recognized by its contents, not by its name.
python '
stats = made_up.statistics("add", [made_up.kernel("add", 100 + launch, {"issued": 5, "dram": 7}, {"l1d.hits": 3, "cap.asked": launch, "teleport.rows": 10 - launch}, launch) for launch in (1, 2, 3)])
stats["kernels"][2]["ended"], stats["kernels"][2]["message"] = "stopped", "at cycle 7"
for kernel in stats["kernels"]:
    kernel["loads"] = {"cap": [{"pc": 9, "line": 4, "issued": 10, "useful": 3}]}
json.dump(stats, open("a", "w"))
json.dump(made_up.profile({3: {"dram": 9}}), open("b", "w"))
rows = [f"{1 + row // 5000},add(float*),{100 * (row % 5000) + 100},100,2.5,{row},0,5" for row in range(9000)] + ["2,add(float*),400050,50,10,0,0,7"]
open("c", "w").write("kernel,name,cycle,cycles,ipc,l1d.hits,never,teleport.rows\n" + "\n".join(rows) + "\n1,add,5")
open("d", "w").write("kernel,cycle_begin,cycle_end,unit,track,name,args\n2,5,9,SM 3,1,\"add<int, 2>\",a=1\n2,5")
json.dump({"traceEvents": [
    {"ph": "M", "pid": 0, "name": "process_name", "args": {"name": "GPU"}}, {"ph": "M", "pid": 4, "name": "process_name", "args": {"name": "SM 3"}},
    {"ph": "M", "pid": 4, "tid": 1, "name": "thread_name", "args": {"name": "block 2"}}, {"ph": "M", "pid": 4, "tid": 2, "name": "thread_name", "args": {"name": "d2ma 5"}},
    {"ph": "M", "pid": 0, "tid": 3, "name": "thread_name", "args": {"name": "kernel 0"}},
    {"pid": 4, "tid": 1, "ts": 1010, "name": "block", "ph": "X", "dur": 20, "args": {"kernel": 1, "number": 17, "warps": 8}},
    {"pid": 4, "tid": 2, "ts": 1030, "name": "mem", "ph": "i", "args": {"kernel": 1, "bytes": 4}},
    {"pid": 0, "tid": 3, "ts": 1000, "name": "add(float*)", "ph": "X", "dur": 90, "args": {"kernel": 1, "launch": 1}}]}, open("e", "w"))
'
try 0 report a b c d -o kept.html
says out "kept.html: 1 run"
try 0 report a b c d -o again.html
cmp -s kept.html again.html || fail "expected the same page for the same files"
python '
(run,) = data("kept.html")["runs"]
assert [launch[2] for launch in run["launches"]] == [1, 2, 3]
assert run["profile"][0]["instructions"][0]["waits"] == {"dram": 9}
samples = dict(zip(run["samples"]["names"], run["samples"]["values"]))
assert len(samples["cycle"]) <= 4000 and run["samples"]["merged"] == 3 and "never" not in samples
assert sum(samples["l1d.hits"]) == sum(range(9000)) and sum(samples["cycles"]) == 900050
assert set(samples["ipc"][:-1]) == {2.5} and abs(samples["ipc"][-1] - (100 * 2.5 + 50 * 10) / 150) < 1e-6 and samples["teleport.rows"][-1] == 7
assert [cycle for cycle, kernel in zip(samples["cycle"], samples["kernel"]) if kernel == 1][-1] == 500000
timeline = run["timeline"]
assert [timeline["texts"][timeline[key][0]] for key in ("unit", "name", "args")] == ["SM 3", "add<int, 2>", "a=1"] and timeline["cycles"] == [4]
assert len(run["loads"]) == 1 and run["loads"][0][2] == {"pc": 9, "line": 4, "issued": 30, "useful": 9}
'
# Sums over the launches of a kernel: a mechanism's maximum is not summed, and the end of an incomplete launch is
# preserved.
try 0 report a --launches 2 -o kept.html
python '
(run,) = data("kept.html")["runs"]
(launch,), page = run["launches"], data("kept.html")
assert launch[1] == 3 and launch[3:5] == ["stopped", "at cycle 7"] and launch[11] == 306 and launch[14] == 0.75, launch
assert dict(zip((page["counters"][i] for i in page["shapes"][run["shape"]]), run["counters"][0])) == {"l1d.hits": 9, "cap.asked": 6, "teleport.rows": 9}
assert run["stacks"] == [[15, 21]]
'
# A run with a selection: each launch says what it was. Sums are per kernel and choice.
cat >selected <<'END'
{"version": 1, "machine": "m", "kernels": [
 {"name": "add", "demangled": "add()", "launch": 1, "ended": "done", "cycles": null, "selected": "no", "counters": {"l1d.hits": null}, "cycle_stack": {"issued": null}},
 {"name": "add", "demangled": "add()", "launch": 2, "ended": "done", "cycles": 20, "selected": "warm", "counters": {"l1d.hits": 2}, "cycle_stack": {"issued": 2}},
 {"name": "add", "demangled": "add()", "launch": 3, "ended": "done", "cycles": 30, "selected": "yes", "counters": {"l1d.hits": 3}, "cycle_stack": {"issued": 3}},
 {"name": "add", "demangled": "add()", "launch": 4, "ended": "done", "cycles": 40, "selected": "yes", "counters": {"l1d.hits": 4}, "cycle_stack": {"issued": 4}}],
 "totals": {"cycles": 70}}
END
try 0 report selected -o kept.html
python '
assert [(launch[2], launch[11], launch[15]) for launch in data("kept.html")["runs"][0]["launches"]] == [(1, None, "no"), (2, 20, "warm"), (3, 30, "yes"), (4, 40, "yes")]
'
try 0 report selected --launches 2 -o kept.html
python '
assert [(launch[1], launch[11], launch[15]) for launch in data("kept.html")["runs"][0]["launches"]] == [(1, None, "no"), (1, 20, "warm"), (2, 70, "yes")]
'
# Trace events: cycles are relative to the kernel.
try 0 report a e -o kept.html
python '
timeline = data("kept.html")["runs"][0]["timeline"]
events = [(timeline["texts"][timeline["unit"][i]], timeline["texts"][timeline["name"][i]], timeline["texts"][timeline["args"][i]], timeline["begin"][i], timeline["cycles"][i], timeline["track"][i])
          for i in range(3)]
assert events == [("SM 3", "block", "number=17 warps=8", 10, 20, 2), ("SM 3", "d2ma.mem", "bytes=4", 30, 0, 5), ("GPU", "add(float*)", "launch=1", 0, 90, 0)], events
'
# Entries of an unexpected kind are skipped.
python '
json.dump(made_up.statistics("odd", [None, 3, {"name": 4, "cycle_stack": [], "counters": "x", "loads": {"cap": 5}}], mechanisms=[None, "cap", {}], totals={"energy": 3, "vectors": {"a.b": {"labels": "x", "values": [1]}, "a.c": {"bins": [0, 1], "values": [5, 6]}}})
          | {"options": 7, "ended": [], "program": {}, "configuration": []}, open("odd", "w"))
'
try 0 report odd -o kept.html
python '
(run,) = data("kept.html")["runs"]
assert run["mechanisms"] == ["cap"] and [*run["vectors"]] == ["a.c"] and not {"options", "ended", "command", "energy", "configuration"} & run.keys() and len(run["launches"]) == 3, run
'
# A profile without statistics is a separate run.
try 0 report b -o kept.html
says out "kept.html: 1 run"

# Names with arbitrary bytes: only the page's own scripts begin or end, and the names are preserved.
tried="hostile names"
python '
name = "</script><script>alert(1)</script><!--<script>\u2028\"\\\\ & \x07"
json.dump(made_up.statistics(name, [made_up.kernel(name, 9, {name: 1}, {name: 1}, demangled=name)], machine=name, mechanisms=[name]), open("hostile", "w"))
import sqlite3, shutil
shutil.copy("results.db", "hostile.db")
base = sqlite3.connect("hostile.db")
base.execute("update runs set program = cast(? as text), output = ?", (b"\xff</script>", name))
base.commit()
'
try 0 report hostile hostile.db -o hostile.html
[ "$(grep -c '<script' hostile.html)" = "$(grep -c '<script' before.html)" ] || fail "expected as many beginnings of scripts"
[ "$(grep -o '</script' hostile.html | wc -l)" = "$(grep -o '</script' before.html | wc -l)" ] || fail "expected as many ends of scripts"
python '
page = data("hostile.html")
name = "</script><script>alert(1)</script><!--<script>\u2028\"\\\\ & \x07"
assert name in page["counters"] and name in page["causes"] and [name, name] in page["kernels"] and "?</script>" in page["texts"]
'
# The page loads nothing: addresses occur only in comments and XML namespaces, and its policy forbids loading.
grep -q "default-src 'none'" report.html || fail "expected a policy"
! grep -qE '(src|href) *= *"[a-z]*:?//' report.html || fail "expected no address"
grep -q 'The MIT License' report.html || fail "expected the charting library's license"

# Errors are reported, and an existing page stays.
wrong() { # MESSAGE ARGUMENT...
	message=$1
	shift
	try 2 report "$@"
	says err "$message"
	silent out
	cmp -s report.html before.html || fail "expected the page to be as before"
}
wrong "sluice report: cannot read none.json: No such file or directory" none.json
wrong "sluice report: cannot read no/results.db: No such file or directory" no/results.db
: >empty
wrong "sluice report: empty: the file is empty" empty
echo 'cycles 12' >text
wrong "sluice report: text: not a file of results (results.db), statistics, a profile, samples or a timeline" text
printf '{"kernels": [\n 1,,2]}' >broken
wrong "broken:2:4: error: not JSON" broken
echo '{"name": "x"}' >other
wrong "sluice report: other: JSON, but not statistics, a profile or a timeline" other
echo '{"version": 2, "kernels": []}' >later
wrong "sluice report: later: not statistics of version 1" later
echo '{"profile": 1}' >half
wrong "sluice report: half: a profile without kernels" half
wrong "sluice report: c: samples of which run? Name the run's statistics (--stats) before it" c
wrong "sluice report: d: a timeline of which run?" results.db d
wrong "sluice report: e: a timeline of which run?" e a
echo 'kernel,cycle_begin,cycle_end,unit,track,name,args' >none
wrong "sluice report: none: a timeline without events" a none
wrong "sluice report: --launches: expected a whole number of at least 1, not '0'" --launches 0 a
python '
import sqlite3
base = sqlite3.connect("empty.db"); base.execute("create table runs (id integer primary key, program text, stats text)"); base.commit()
base = sqlite3.connect("other.db"); base.execute("create table others (id integer primary key)"); base.commit()
'
wrong "sluice report: empty.db: it has no runs; 'sluice figure NAME' makes some" empty.db
wrong "sluice report: other.db: cannot read the runs: no such table: runs" other.db
head -c 5000 results.db >cut.db
wrong "sluice report: cut.db: cannot open it: database disk image is malformed" cut.db

# A full disk, a file that may not grow, a missing folder.
try 1 report a -o /dev/full
says err "sluice report: cannot write /dev/full: No space left on device"
try 1 report a -o no/report.html
says err "sluice report: cannot write no/report.html: No such file or directory"
tried="a limit of file size"
(
	trap '' XFSZ
	ulimit -f 64
	"$sluice" report a >out 2>err
)
[ $? = 1 ] || fail "expected a failure"
grep -q "sluice report: cannot write report.html: File too large" err || fail "expected the reason"
cmp -s report.html before.html || fail "expected the page to be as before"
[ -z "$(ls -d report.html.* 2>/dev/null)" ] || fail "expected no half page"

# Figures of experiments: equal to those of `sluice figure` for the same runs. Missing runs are reported; a figure that
# is not based on stored runs is refused.
cat >program <<'SCRIPT'
#!/bin/sh
sets=$(echo "${SLUICE_OPTIONS-}" | sed -n 's/.*l1d.sets=//p')
echo "{\"kernels\": [{\"name\": \"k\", \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cycles\": $(($1 * 1000 + ${sets:-0})), \
\"counters\": {}}], \"totals\": {}}" >"$SLUICE_STATS"
SCRIPT
chmod +x program
cat >bars.yaml <<'YAML'
title: Bars
source: a paper, Fig. 1
metric: 1 / cycles
unit: speed
show: percent
relative_to: usual
mean: geometric
columns: {usual: {machine: gtx480}, few: {machine: gtx480, options: [l1d.sets=16]}, count: {machine: gtx480, metric: cycles, show: value, unit: cycles}}
rows: {one: {program: ./program, arguments: ["1"], published: [~, 3.5, ~]}, two: {program: ./program, arguments: ["2"]}}
YAML
cat >lines.yaml <<'YAML'
title: Lines
metric: cycles
over: {l1d.sets: sets of L1}
axes: {l1d.sets: [16, 32], mechanisms: [none, lrr], n: [1, 2], command: "./program {n}"}
YAML
cat >none.yaml <<'YAML'
title: None
metric: cycles
columns: {usual: {machine: gtx480, options: [l1d.sets=64]}}
rows: {one: {program: ./program, arguments: ["7"]}}
YAML
printf 'title: T\nshow: machine\ncolumns: {a: {machine: gtx480}}\nrows: {sm.count: {}}\n' >table.yaml
for name in bars lines; do
	try 0 figure -q ./$name.yaml --results figures.db
done
try 0 report figures.db --figure ./bars.yaml --figure ./lines.yaml -o figures.html
silent err
says out "figures.html: "
python '
import csv
bars, lines = data("figures.html")["figures"]
for shown in (bars, lines):
    rows = {(row["row"], row["column"]): row for row in csv.DictReader(open("figures/" + shown["name"] + ".csv"))}
    for thing, ours, published in zip(shown["things"], shown["ours"], shown["published"]):
        for column, one, paper in zip(shown["columns"], ours, published):
            row = rows.get((thing, column["name"]))
            assert row or thing == shown.get("mean"), (thing, column)
            for value, text in ((one, row["ours"]), (paper, row["paper"])) if row else ():
                assert value is None if text == "" else abs(value - float(text)) < 1e-8 * max(1, abs(value)), (row, one, paper)
assert bars["things"] == ["one", "two", "geomean"] and bars["mean"] == "geomean" and bars["published"][0][1] == 3.5 and bars["source"] == "a paper, Fig. 1"
assert [column.get("what") for column in bars["columns"]] == ["speedup over usual, %"] * 2 + ["cycles"] and bars["columns"][0]["base"] and "base" not in bars["columns"][1]
assert lines["logarithmic"] is False and not any("percent" in column for column in bars["columns"] + lines["columns"])
assert lines["over"] == "sets of L1" and [(column["at"], column["line"]) for column in lines["columns"]] == [(16, "none"), (16, "lrr"), (32, "none"), (32, "lrr")]
'
try 0 results check --results figures.db
sed 's/"2"/"3"/' bars.yaml >more.yaml
try 0 report figures.db --figure ./more.yaml -o figures.html
says err "sluice report: more: 3 of its cells have no value; 'sluice figure more' makes their runs"
python 'assert data("figures.html")["figures"][0]["missing"] == 3 and data("figures.html")["figures"][0]["ours"][1] == [None] * 3'
says err "no run of it is stored, or it failed"
cat >zero.yaml <<'YAML'
title: No values
metric: 1 / (cycles - cycles)
columns: {usual: {machine: gtx480}}
rows: {one: {program: ./program, arguments: ["7"]}}
YAML
try 1 figure -q ./zero.yaml --results figures.db
says_only err "sluice figure: zero: 1 of its cells has no value
  one, usual: division by 0"
wrong "sluice report: zero: 1 of its cells has no value, although the runs are stored" figures.db --figure ./zero.yaml
wrong "sluice report: none: none of its runs is stored; 'sluice figure none' makes them" figures.db --figure ./none.yaml
wrong "sluice report: table: not a figure of stored runs; 'sluice figure table' shows it" figures.db --figure ./table.yaml
wrong "sluice report: no figure 'caps.1O'; did you mean 'caps.10'?" figures.db --figure caps.1O
wrong "sluice report: a: not a file of results; figures need one, named first" a --figure ./bars.yaml

# The default when there are no results.
mkdir bare && cd bare || exit 1
try 2 report
says err "sluice report: cannot read results.db: No such file or directory; 'sluice figure NAME' makes it"
[ -z "$(ls)" ] || fail "expected no page"
finish
