#!/bin/sh
# Protects execution traces (--trace). Perfetto's format has the same events as the CSV of the same run, and the
# counters equal the samples. Filters exclude exactly what they name. No figure changes, and nothing depends on threads
# or sleep. A compressed trace, and that of a killed process, are complete.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1
PYTHONPATH=$source_dir/tests/cli
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

cat >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void stream(const float *in, float *out, int n)
{
	float a = 0;
	for (int i = 0; i < n; i++)
		a += in[(blockIdx.x * n + i) * blockDim.x + threadIdx.x];
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
template <typename A, typename B> __global__ void named(A *a, B b) { a[threadIdx.x] = b; }
int main(int argc, char **argv)
{
	float *in, *out;
	cudaMalloc(&in, 4 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 4 << 20);
	for (int i = 0; i < atoi(argv[1]); i++) {
		stream<<<30, 64>>>(in, out, 20);
		named<float, int><<<1, 32>>>(out, 1);
	}
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

# same TRACE CSV: the same events on the same tracks.
cat >same.py <<'PY'
import collections, csv, json, sys
import perfetto
tracks, events, _ = perfetto.read(sys.argv[1])
starts = {}
run = json.load(open(sys.argv[3]))
mine, theirs = collections.Counter(), collections.Counter()
for uuid, found in events.items():
    track = tracks[uuid]
    for event in found:
        if track.name.startswith("kernel"):
            starts[event.arguments["launch"]] = event.begin
for uuid, found in events.items():
    track = tracks[uuid]
    for event in found:
        kernel = event.arguments.pop("kernel")
        arguments = " ".join(f"{name}={value}" for name, value in event.arguments.items())
        name = event.name.split(".")[-1]
        mine[tracks[track.parent].name, name, event.begin - starts[kernel], event.end - starts[kernel], arguments, kernel] += 1
for row in csv.DictReader(open(sys.argv[2])):
    name = row["name"].split(".")[-1] if "(" not in row["name"] else row["name"]
    theirs[row["unit"], name, int(row["cycle_begin"]), int(row["cycle_end"]), row["args"], int(row["kernel"])] += 1
assert mine == theirs, ((mine - theirs).most_common(3), (theirs - mine).most_common(3))
kinds = {name for _, name, *_ in mine}
assert kinds >= set(sys.argv[4:]), kinds
assert sum(count for key, count in mine.items() if key[1] == "block") == 31 * len(run["kernels"]) // 2
names = {track.name.split()[0] for track in tracks.values()}
assert names >= {"warp", "request", "bank", "block", "SM", "L2"}, names
PY

try_program 0 run --stats without.json --mech mthwp -- ./program 2
try_program 0 run --stats with.json --mech mthwp --trace t.perfetto -- ./program 2
try_program 0 run --mech mthwp --mech trace --timeline t.csv -- ./program 2
python3 same.py t.perfetto t.csv with.json load arithmetic barrier ready from_dram from_l2 store code prefetched in_slice used row >out 2>err ||
	fail "trace and CSV differ"
for file in without with; do
	sed 's/"host_seconds": [^,]*,//; s/"trace[^"]*": [^,}]*[,}]*//; /"observers":/,/\]/d' $file.json >$file.figures
done
python3 - >out 2>err <<'PY' || fail "a trace changes figures"
import json
one, other = (json.load(open(name + ".json")) for name in ("without", "with"))
assert one["mechanisms"] == other["mechanisms"] and one["mechanisms"][0].startswith("mthwp:"), other["mechanisms"]
assert one["observers"] == [] and [text.split(":")[0] for text in other["observers"]] == ["trace"], other["observers"]
without, traced = one["kernels"], other["kernels"]
for one, other in zip(without, traced):
    assert one["cycles"] == other["cycles"]
    other["counters"] = {name: value for name, value in other["counters"].items() if not name.startswith("trace.")}
    assert one["counters"] == other["counters"]
PY

for setting in "-o launch.sleep=false" "--threads 2"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run --mech mthwp --trace other.perfetto $setting -- ./program 2
	cmp t.perfetto other.perfetto || fail "traces depend on $setting"
done

# Counters equal the samples of the same cycles.
try_program 0 run --trace c.perfetto --trace-what counters --trace-every 300 --sample 300:c.csv -- ./program 2
python3 - >out 2>err <<'PY' || fail "counters differ from the samples"
import csv
import perfetto
tracks, events, counts = perfetto.read("c.perfetto")
assert set(len(found) for found in events.values()) == {4}, events  # kernels
kernels = sorted((event.begin, event.end) for found in events.values() for event in found)
rows = list(csv.DictReader(open("c.csv")))
by_name = {tracks[uuid].name: dict(values) for uuid, values in counts.items()}
assert set(by_name) >= {"IPC", "live warps", "L1 hits", "L2 hits", "DRAM pins"}, by_name.keys()
assert all(tracks[tracks[uuid].parent].name == "GPU" for uuid in counts)
def close(one, other):
    assert abs(one - other) <= 1e-3 * max(1, abs(other)), (one, other)
for row in rows:
    cycles = int(row["cycles"])
    if not cycles:
        continue
    time = kernels[int(row["kernel"]) - 1][0] + int(row["cycle"]) - cycles
    close(by_name["IPC"][time], float(row["ipc"]))
    close(by_name["live warps"][time], float(row["live_warps"]))
    accesses = int(row["l1d.accesses"])
    close(by_name["L1 hits"][time], 100 * int(row["l1d.hits"]) / accesses if accesses else 0)
PY

# Filters.
try_program 0 run --trace few.perfetto --trace-sm 2,5-6 --trace-what warps,requests --trace-cycles 500-900 -- ./program 1
python3 - >out 2>err <<'PY' || fail "a filter does not exclude what it names"
import perfetto
tracks, events, counts = perfetto.read("few.perfetto")
assert not counts
found = [(tracks[tracks[uuid].parent].name, tracks[uuid].name, event) for uuid in events for event in events[uuid]]
assert {unit for unit, *_ in found if unit.startswith("SM")} == {"SM 2", "SM 5", "SM 6"}
assert {name.split()[0] for unit, name, _ in found} == {"warp", "request", "kernel"}
assert all(event.end >= 500 and event.begin <= 900 for *_, event in found) and len(found) > 20
PY

# Compressed: the same contents, smaller.
if command -v zstd >/dev/null; then
	try_program 0 run --mech mthwp --trace t.perfetto.zst -- ./program 2
	zstd -dcq t.perfetto.zst >unpacked && cmp t.perfetto unpacked || fail "the compressed trace differs"
	[ "$(wc -c <t.perfetto.zst)" -lt $(($(wc -c <t.perfetto) / 3)) ] || fail "not much smaller"
fi

# Limited, cut, and killed.
try_program 0 run --trace full.perfetto --timeline-events 100 -- ./program 1
says err "the timeline is full"
python3 -c 'import perfetto; assert sum(map(len, perfetto.read("full.perfetto")[1].values())) == 100' || fail "expected exactly the 100 requested events"
try_program 124 run --max-instructions 30000 --trace cut.perfetto -- ./program 1
python3 "$source_dir/tests/cli/perfetto.py" cut.perfetto >out 2>err || fail "the trace of a cut run is invalid"
mkdir elsewhere
(cd elsewhere && LD_PRELOAD=$preload exec "$sluice" run --trace killed.perfetto -- ../program 100000 >../out 2>../err) &
child=$!
for _ in $(seq 300); do
	[ -f elsewhere/killed.perfetto ] && [ "$(wc -c <elsewhere/killed.perfetto)" -ge 1000000 ] && break
	sleep 0.1
done
kill -9 $child
wait $child 2>/dev/null
python3 "$source_dir/tests/cli/perfetto.py" elsewhere/killed.perfetto killed >out 2>err || fail "the trace of a killed run is invalid"

try 2 run --trace x.perfetto --timeline y.csv -- ./program 1
says err "--trace and --timeline both write the timeline"
try 2 run --trace-sm 3 -- ./program 1
says err "choose what --trace shows; give --trace too"
try 2 run --trace x.perfetto --trace-cycles 9-3 -- ./program 1
says err "--trace-cycles: expected FIRST-LAST or FIRST-, in core cycles, not '9-3'"
try 2 run --trace x.perfetto --trace-sm a -- ./program 1
says err "--trace-sm: expected numbers and ranges"
try 2 run --trace x.perfetto --trace-sm 77 -- ./program 1
says err "the machine has 0 to 14, none of '77'"
try 2 run --trace x.perfetto --trace-what warp -- ./program 1
says err "warps"
try 2 run --functional --trace x.perfetto -- ./program 1
try 2 run --trace /nowhere/x.perfetto -- ./program 1
says err "cannot write /nowhere/x.perfetto"

finish
