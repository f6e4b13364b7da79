#!/bin/sh
# Protects --units: the lists of every counter add up to the counter on machines with clusters and with several
# channels, with mechanisms; `sluice stats --units` prints them with the spread; samples have columns by SM that add up.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat "$source_dir/tests/cli/stream_kernel.cu" - >program.cu <<'CU'
#include <cstdio>
int main()
{
	float *in, *out;
	cudaMalloc(&in, 4 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 4 << 20);
	stream<<<20, 64>>>(in, out, 30);
	stream<<<3, 64>>>(in, out, 30);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

# check STATS [SAMPLES]: each list adds up (or is a maximum) for each launch and the totals.
check() {
	python3 - "$@" >out 2>err <<'PY' || fail "$*: $(tail -1 err)"
import csv, json, sys
run, compared = json.load(open(sys.argv[1])), 0
for kernel in run["kernels"] + [run["totals"]]:
    assert set(kernel["units"]) == set(run["units"])
    for name, values in kernel["units"].items():
        largest = name.startswith("teleport.largest_") or name in ("teleport.rows", "teleport.dropped_rows", "teleport.unfit_rows")
        assert kernel["counters"][name] == (max(values) if largest else sum(values)), name
        compared += 1
    blocks = kernel.get("blocks")
    assert (blocks is None) == ("launch" not in kernel)
    if blocks:
        count = kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2]
        assert all(len(values) == count for values in blocks.values()) and len(blocks) == 4, blocks
        assert sum(blocks["warp_instructions"]) == kernel["counters"]["sm.warp_instructions"]
        assert [blocks["sm"].count(sm) for sm in range(run["configuration"]["sm.count"])] == kernel["units"]["sm.blocks"]
        assert min(blocks["begin"]) == kernel["first_block"] and all(begin < end for begin, end in zip(blocks["begin"], blocks["end"]))
        assert max(blocks["end"]) <= kernel["started"] + kernel["cycles"]
    gone = [name for name in kernel["counters"] if name not in kernel["units"] and name.split(".")[0] in ("sm", "l1d", "l2", "slice", "dram")]
    assert not gone, gone
assert compared > 400, compared
if len(sys.argv) > 2:
    rows = list(csv.DictReader(open(sys.argv[2])))
    columns = [name for name in rows[0] if name.endswith("]")]
    assert columns == [f"sm.warp_instructions[{sm}]" for sm in range(run["configuration"]["sm.count"])], columns
    assert list(rows[0])[-len(columns):] == columns
    for row in rows:
        assert sum(int(row[name]) for name in columns) == int(row["sm.warp_instructions"])
    for kernel in run["kernels"]:
        mine = [row for row in rows if int(row["kernel"]) == kernel["launch"]]
        assert [sum(int(row[name]) for row in mine) for name in columns] == kernel["units"]["sm.warp_instructions"]
PY
}

try_program 0 run --units --sample 200:a.csv --stats a.json -- ./program
check a.json a.csv
# clusters of SMs, and other numbers of SMs and channels
try_program 0 run -m sharing-14sm -o sm.per_cluster=2 --units --stats b.json -- ./program
check b.json
python3 -c 'import json; u = json.load(open("b.json"))["totals"]["units"]; assert len(u["cluster.requests"]) < len(u["sm.blocks"]) and len(u["dram.reads"]) > 1' ||
	fail "expected clusters and channels"
for mechanism in caps teleport; do
	try_program 0 run --mech $mechanism --units --sample 200:c.csv --stats c.json -- ./program
	check c.json c.csv
done
try_program 0 run -m gtx480-d2ma --mech d2ma --units --stats c.json -- ./program
check c.json

# A mechanism that counts in SMs and in slices: both are in its lists.
cc -shared -fPIC $("$sluice" mech --cflags) "$source_dir/tests/mech/sender.c" -o sender.so || fail "cannot compile"
try_program 0 run --mech ./sender.so --units --stats c.json -- ./program
check c.json
try 0 stats --units c.json sender.useful
grep -qE '^  slice 11 +[0-9]+$' "$work/out" || fail "expected slices after the SMs"

# by the environment
SLUICE_UNITS=yes SLUICE_STATS=d.json SLUICE_STATS_FORMAT=json ./program >out 2>err || fail "the program ended with $?"
python3 -c 'import json; a, d = (json.load(open(f + ".json")) for f in "ad"); assert a["totals"]["units"] == d["totals"]["units"]' || fail "SLUICE_UNITS: other units"

# off: neither lists nor columns
try_program 0 run --sample 200:e.csv --stats e.json -- ./program
! grep -q '"units"' e.json || fail "units without --units"
! head -1 e.csv | grep -q '\[' || fail "columns by SM without --units"
try_program 0 run --functional --units --stats f.json -- ./program
python3 -c 'import json; f = json.load(open("f.json")); assert all("units" not in k for k in f["kernels"] + [f["totals"]])' || fail "units of a functional run"

# The table: 15 SMs, of which 3 have a block in launch 2.
try 0 stats --units a.json sm.blocks 'dram.re*'
says out "stream(float const*, float*, int), launch 2"
grep -qE '^  maximum/mean +5\.000$' "$work/out" || fail "expected 1 block of 3 on 15 SMs as maximum/mean 5"
grep -qE '^  channel +dram.reads +dram.requests$' "$work/out" || fail "expected the columns of channels"
[ "$(grep -cE '^  SM ' "$work/out")" = 3 ] || fail "expected a table for each launch and the totals"
[ "$(grep -cE '^  14 ' "$work/out")" = 3 ] || fail "expected a row for each SM"
try 0 stats --units --csv a.json sm.blocks
head -1 "$work/out" | grep -qx 'launch,kernel,unit,number,counter,value' || fail "other CSV columns"
[ "$(grep -c '^2,"stream(float const\*, float\*, int)",SM,[0-9]*,sm.blocks,1$' "$work/out")" = 3 ] || fail "expected three SMs with a block"
[ "$(wc -l <"$work/out")" = 46 ] || fail "expected 15 rows for each launch and the totals"
try 1 stats --units a.json nothing
says err "no kernel that ran in cycles has such a counter by unit"
try 1 stats --units e.json
says err "sluice run --units --stats FILE.json"
try 2 stats a.json sm.blocks
says err "expected one file"
try 2 stats --csv a.json
says err "--csv is for --units"
try 2 run --units -- ./program
says err "give --stats FILE or --sample too"

# The report draws the SMs of the samples.
try 0 report a.json a.csv -o r.html
grep -q 'sm.warp_instructions\[14\]' r.html || fail "expected the columns by SM in the page"

# Metrics of a sweep read units. The file of results has them, and only for runs that need them.
cat >plan.yaml <<'END'
title: Work of SMs
metric: max(sm.warp_instructions) / mean(sm.warp_instructions) + sm.blocks[14]
axes:
  sm.warp_order: [gto, lrr]
  command: ./program
END
try 0 sweep plan.yaml
sed 's/^metric: .*/metric: sm.warp_instructions/' plan.yaml >whole.yaml
try 0 sweep whole.yaml
python3 - >out 2>err <<'END' || fail "other units in the sweep: $(cat err)"
import csv, json, sqlite3
rows = [json.loads(text) for (text,) in sqlite3.connect("results.db").execute("SELECT stats FROM runs ORDER BY id")]
assert [("units" in row["totals"]) for row in rows] == [True, True, False, False], [list(row["totals"]) for row in rows]
a = json.load(open("a.json"))["totals"]["units"]
for row, line in zip(rows, csv.reader(open("figures/plan.runs.csv").readlines()[1:])):
    units = row["totals"]["units"]
    work = units["sm.warp_instructions"]
    wanted = max(work) / (sum(work) / len(work)) + units["sm.blocks"][14]
    assert abs(float(line[-1]) - wanted) < 1e-3 * wanted, (line, wanted)
    assert sorted(units) == sorted(a)
END
sed 's/^metric: .*/metric: sm.blocks[15]/' plan.yaml >beyond.yaml
try 1 figure ./beyond.yaml
says err "'sm.blocks' has no unit 15; it has 15"

finish
