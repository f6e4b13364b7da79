#!/bin/sh
# Protects samples (--sample). A kernel's rows add up to its statistics, for the machine and for mechanisms, also if it
# is cut. They do not depend on sleep or the number of threads, change no figure, and are complete when the process is
# killed.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat "$source_dir/tests/cli/stream_kernel.cu" - >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
template <typename A, typename B> __global__ void named(A *a, B b) { a[threadIdx.x] = b; }
int main(int argc, char **argv)
{
	float *in, *out;
	cudaMalloc(&in, 4 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 4 << 20);
	for (int i = 0; i < atoi(argv[1]); i++) {
		stream<<<30, 64>>>(in, out, 40);
		named<float, int><<<1, 32>>>(out, 1);
	}
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

# check ROWS STATS EVERY: the rows agree with the statistics.
check() {
	python3 - "$@" >out 2>err <<'PY' || fail "$1 differs from $2"
import csv, json, sys
rows, run, every = list(csv.DictReader(open(sys.argv[1]))), json.load(open(sys.argv[2])), int(sys.argv[3])
assert all(len(row) == len(rows[0]) and None not in row.values() for row in rows)
for kernel in run["kernels"]:
    mine = [row for row in rows if int(row["kernel"]) == kernel["launch"]]
    assert {row["name"] for row in mine} == {kernel["demangled"]}, kernel["demangled"]
    assert sum(int(row["cycles"]) for row in mine) == kernel["cycles"] == int(mine[-1]["cycle"])
    assert [int(row["cycle"]) for row in mine][:kernel["cycles"] // every] == list(range(every, kernel["cycles"] + 1, every))
    for name, value in kernel["counters"].items():
        if name not in sys.argv[4:]:
            assert sum(int(row[name]) for row in mine) == value, name
    last = mine[0]
    cycles = int(last["cycles"])
    assert abs(float(last["ipc"]) - int(last["sm.thread_instructions"]) / cycles) < 1e-4
    assert abs(float(last["live_warps"]) - int(last["sm.resident_warp_cycles"]) / cycles) < 1e-4
    assert int(last["dram_bytes"]) % run["configuration"]["dram.atom_bytes"] == 0
PY
}

try_program 0 run --mech mthwp --stats without.json -- ./program 2
try_program 0 run --mech mthwp --stats with.json --sample 300:with.csv -- ./program 2
check with.csv with.json 300
head -1 with.csv | grep -q '^kernel,name,cycle,cycles,ipc,live_warps,dram_bytes,sm.warp_instructions,' || fail "other columns"
head -1 with.csv | grep -q ',mthwp.useful,' || fail "expected the mechanism's account"
for file in without with; do
	sed 's/"host_seconds": [^,]*,//' $file.json >$file.figures
done
cmp without.figures with.figures || fail "sampling changes figures"

for setting in "-o launch.sleep=false" "--threads 2" "--threads 4"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run --mech mthwp --sample 300 $setting -- ./program 2
	cmp with.csv samples.csv || fail "samples depend on $setting"
done

# A cut run has a last row, too.
try_program 124 run --max-instructions 50000 --stats cut.json --sample 100:cut.csv -- ./program 1
check cut.csv cut.json 100

# A killed process leaves only complete rows.
mkdir elsewhere
(cd elsewhere && LD_PRELOAD=$preload exec "$sluice" run --sample 5:killed.csv -- ../program 1000 >../out 2>../err) &
child=$!
for _ in $(seq 300); do
	[ -f elsewhere/killed.csv ] && [ "$(wc -l <elsewhere/killed.csv)" -ge 50 ] && break
	sleep 0.1
done
kill -9 $child
wait $child 2>/dev/null
[ -z "$(tail -c 1 elsewhere/killed.csv)" ] || fail "the last row is cut"
python3 -c 'import csv; assert len({len(row) for row in csv.reader(open("elsewhere/killed.csv"))}) == 1' || fail "rows of different length"

try 2 run --sample 0 -- ./program 1
says err "--sample: expected a whole number of at least 1, not '0'"
try 2 run --sample 5: -- ./program 1
try 2 run --functional --sample 5 -- ./program 1
says_only err "sluice run: samples: a functional run has no cycles"
try 2 run --sample 5:/nowhere/x.csv -- ./program 1
says_only err "sluice run: cannot write /nowhere/x.csv: No such file or directory"
try 2 run --sample 5:/dev/null -- ./program 1
says_only err "sluice run: samples: /dev/null is not an ordinary file"

finish
