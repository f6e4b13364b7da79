#!/bin/sh
# Protects the timeline (--timeline). It is Trace Event Format JSON or CSV, with each block, each kernel and the events
# of a user's mechanism. It does not depend on sleep or threads, changes no figure, is valid when the process is killed,
# and stops when it is full.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
template <typename A> __global__ void stream(const A *in, A *out, int n)
{
	A a = 0;
	for (int i = 0; i < n; i++)
		a += in[(blockIdx.x * n + i) * blockDim.x + threadIdx.x];
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
int main(int argc, char **argv)
{
	float *in, *out;
	cudaMalloc(&in, 4 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 4 << 20);
	for (int i = 0; i < atoi(argv[1]); i++)
		stream<float><<<30, 64>>>(in, out, 40);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program
cat >spans.c <<'C'
#include "seam/mech.h"
/* From a warp's load to its next one, and every access of L2. */
static const struct mech_event_row events[] = {{"load", "from a load to the next", {"pc", "lanes"}}, {"asked", "L2 is asked", {"bytes"}}};
struct state {
	uint64_t last[MECH_MAX_WARPS];
};
static void on_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct state *state = sm->state;
	if (issue->space != MECH_GLOBAL || issue->kind != MECH_LOAD || issue->type != MECH_MEMORY)
		return;
	if (state->last[issue->warp])
		mech_draw(sm->output, &(struct mech_event){.row = 0, .track = issue->warp, .begin = state->last[issue->warp],
		                                           .end = issue->cycle, .arguments = {issue->pc, issue->lanes}});
	state->last[issue->warp] = issue->cycle;
}
static void on_block(struct mech_sm *sm, const struct mech_block *block)
{
	struct state *state = sm->state;
	for (uint32_t w = 0; w < block->warps; w++)
		state->last[block->first_warp + w] = 0;
}
static void on_access(struct mech_partition *partition, const struct mech_access *access)
{
	mech_draw(partition->output, &(struct mech_event){.row = 1, .begin = access->cycle, .end = access->cycle, .arguments = {access->bytes}});
}
static const struct mech spans = {.version = MECH_VERSION, .name = "spans", .summary = "draws", .citation = "none", .events = events,
                                  .event_count = 2, .sm_size = sizeof(struct state), .issue = on_issue, .block_begin = on_block,
                                  .partition_access = on_access};
MECHANISM(spans);
C
# shellcheck disable=SC2046 # words
cc -shared -fPIC $("$sluice" mech --cflags) spans.c -o spans.so || fail "the mechanism does not compile"
try 0 mech show ./spans.so
says out "load               from a load to the next"

try_program 0 run --mech ./spans.so --stats without.json -- ./program 2
try_program 0 run --mech ./spans.so --stats with.json --timeline t.json -- ./program 2
try_program 0 run --mech ./spans.so --timeline t.csv -- ./program 2
for file in without with; do
	sed 's/"host_seconds": [^,]*,//' $file.json >$file.figures
done
cmp without.figures with.figures || fail "drawing changes figures"
tried="the timeline of two kernels"
python3 - >out 2>err <<'PY' || fail "it differs from the statistics"
import csv, json
run, trace, rows = json.load(open("with.json")), json.load(open("t.json"))["traceEvents"], list(csv.DictReader(open("t.csv")))
processes = {e["pid"]: e["args"]["name"] for e in trace if e["name"] == "process_name"}
threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace if e["name"] == "thread_name"}
assert list(processes.values())[:2] == ["GPU", "SM 0"] and "L2 slice 0" in processes.values()
events = [e for e in trace if e["ph"] != "M"]
assert len(events) == len(rows)
start = 0
for kernel in run["kernels"]:
    mine = [e for e in events if e["args"]["kernel"] == kernel["launch"]]
    table = [row for row in rows if int(row["kernel"]) == kernel["launch"]]
    (launch,) = [e for e in mine if e["pid"] == 0]
    assert launch["name"] == kernel["demangled"] and launch["ts"] == start and launch["dur"] == kernel["cycles"]
    blocks = [e for e in mine if e["name"] == "block"]
    assert sorted(e["args"]["number"] for e in blocks) == list(range(30))
    assert all(start <= e["ts"] and e["ts"] + e["dur"] <= start + kernel["cycles"] for e in blocks)
    assert all(threads[e["pid"], e["tid"]].startswith("block ") for e in blocks)
    loads = [e for e in mine if e["name"] == "load"]
    assert len(loads) == kernel["counters"]["sm.global_loads"] - 60
    assert all(e["ph"] == "X" and e["args"]["lanes"] == 0xffffffff and threads[e["pid"], e["tid"]].startswith("spans ") for e in loads)
    asked = [e for e in mine if e["name"] == "asked"]
    assert len(asked) == kernel["counters"]["l2.accesses"] and all(e["ph"] == "i" for e in asked)
    assert [int(row["cycle_begin"]) for row in table] == [e["ts"] - start for e in mine]
    assert [int(row["cycle_end"]) for row in table] == [e["ts"] + e.get("dur", 0) - start for e in mine]
    assert [row["unit"] for row in table] == [processes[e["pid"]] for e in mine]
    assert {row["name"] for row in table} == {"block", "spans.load", "spans.asked", kernel["demangled"]}
    assert table[-1]["args"] == f"launch={kernel['launch']}"
    assert {row["args"].split("=")[0] for row in table if row["name"] == "spans.load"} == {"pc"}
    start += kernel["cycles"]
PY

for setting in "-o launch.sleep=false" "--threads 2" "--threads 4"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run --mech ./spans.so --timeline other.json $setting -- ./program 2
	cmp t.json other.json || fail "the timeline depends on $setting"
done

# Full: this number of events, one note, and a valid file.
try_program 0 run --timeline full.json --timeline-events 40 -- ./program 2
[ "$(grep -c 'the timeline is full' "$work/err")" = 1 ] || fail "expected one note"
python3 -c 'import json; assert sum(e["ph"] != "M" for e in json.load(open("full.json"))["traceEvents"]) == 40' ||
	fail "expected 40 events"

# A kernel that is cut: its blocks end with it.
try_program 124 run --max-instructions 60000 --stats cut.json --timeline cut.csv -- ./program 1
python3 - <<'PY' || fail "expected all blocks of the kernel that is cut"
import csv, json
rows, (kernel,) = list(csv.DictReader(open("cut.csv"))), json.load(open("cut.json"))["kernels"]
assert sum(row["name"] == "block" for row in rows) == 30 and max(int(row["cycle_end"]) for row in rows) == kernel["cycles"]
PY

# Killed: the events so far, in a valid file.
mkdir elsewhere
(cd elsewhere && LD_PRELOAD=$preload exec "$sluice" run --timeline killed.json -- ../program 1000 >../out 2>../err) &
child=$!
for _ in $(seq 300); do
	grep -q '"launch":2' elsewhere/killed.json 2>/dev/null && break
	sleep 0.1
done
kill -9 $child
wait $child 2>/dev/null
python3 -c 'import json; assert len(json.load(open("elsewhere/killed.json"))["traceEvents"]) > 60' || fail "the remaining file is not valid"

try 2 run --functional --timeline t.json -- ./program 1
says_only err "sluice run: timeline: a functional run has no cycles"
try 2 run --timeline /nowhere/x.json -- ./program 1
says_only err "sluice run: cannot write /nowhere/x.json: No such file or directory"

finish
