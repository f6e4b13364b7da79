#!/bin/sh
# Protects runs of which only some launches are simulated in cycles (--kernel, --warm, --region, --stop-after). Results
# equal those of a whole run. Totals have only the selected launches. A selected launch has the cycles of the whole run
# when everything before it is warm. Mistakes are refused with one message.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >parts.cu <<'CU'
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
__global__ void fill(unsigned *data, unsigned by) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; data[i] += by * i; }
__global__ void mix(unsigned *sum, const unsigned *data, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	sum[i] = sum[i] * 3 + data[(i * 33) % n];
}
int main()
{
	const unsigned n = 4096;
	unsigned *data, *sums, host[n], sum = 0;
	cudaMalloc(&data, sizeof host);
	cudaMalloc(&sums, sizeof host);
	cudaMemset(data, 0, sizeof host);
	cudaMemset(sums, 0, sizeof host);
	for (unsigned i = 0; i < 5; i++) {
		if (i == 2)
			cudaProfilerStart();
		fill<<<n / 128, 128>>>(data, i);
		mix<<<n / 128, 128>>>(sums, data, n / 2);
		if (i == 3)
			cudaProfilerStop();
		if (cudaDeviceSynchronize() != cudaSuccess)
			return 1;
	}
	cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < n; i++)
		sum = sum * 31 + host[i];
	printf("sum %u\n", sum);
	return 0;
}
CU
try 0 cc parts.cu -o parts

# run NAME OPTION...: statistics in NAME.json, the program's output in NAME.txt
part()
{
	name=$1
	shift
	LD_PRELOAD=$preload "$sluice" run "$@" --stats "$name.json" -- ./parts >"$name.txt" 2>"$name.err"
}
# which NAME EXPECTED: the numbers of the launches by what happened to them
which()
{
	python3 - "$1.json" "$2" <<'PY' || fail "$1: selection"
import json, sys
run = json.load(open(sys.argv[1]))
found = "".join({"yes": "S", "warm": "w", "no": "."}[k["selected"]] for k in run["kernels"])
total = sum(k["cycles"] for k in run["kernels"] if k["selected"] == "yes")
threads = sum(k["thread_instructions"] for k in run["kernels"] if k["selected"] == "yes")
assert found == sys.argv[2], f"{found} instead of {sys.argv[2]}"
assert all((k["cycles"] is None) == (k["selected"] == "no") for k in run["kernels"])
assert total == run["totals"]["cycles"], (total, run["totals"]["cycles"])
assert threads == run["totals"]["thread_instructions"]
PY
}

part all || fail "the whole run"
for case in '5 ....S.....' '3-4 ..SS......' 'mix .S.S.S.S.S' 'mix:3 .....S....' '1,fill:5 S.......S.'; do
	part some --kernel "${case% *}" || fail "--kernel ${case% *}"
	which some "${case#* }"
	cmp -s all.txt some.txt || fail "--kernel ${case% *} changes the result"
done
part some --region && which some '....SSSS..' && cmp -s all.txt some.txt || fail "--region"
part some --region --kernel mix && which some '.....S.S..' || fail "--region --kernel"
part some --kernel 6 --warm 2 && which some '...wwS....' || fail "--warm"

# everything before the launch is warm: it has the cycles and counters of the whole run
part warm --kernel 6 --warm 9 || fail "--warm 9"
which warm 'wwwwwS....'
python3 - <<'PY' || fail "a launch after warm launches differs"
import json
a, b = (json.load(open(name))["kernels"][5] for name in ("all.json", "warm.json"))
for key in ("cycles", "counters", "cycle_stack"):
    assert a[key] == b[key], key
PY

# the end after the last one
part end --kernel 2-3 --stop-after
[ $? -eq 124 ] || fail "--stop-after: exit status"
which end '.SS'
[ ! -s end.txt ] || fail "--stop-after: the program went on"
part end --region --stop-after
[ $? -eq 124 ] || fail "--region --stop-after: exit status"
which end '....SSSS'

# the table counts the others
try_program 0 run --kernel 4 --warm 1 -- ./parts
says err '8 other launches ran functionally, 1 warmed the caches, and are not counted here'
[ "$(grep -c ', launch ' err)" -eq 1 ] || fail "table: launches"
try_program 0 run --kernel 99 -- ./parts
says err 'no launch was selected: 99'

# tools that read the statistics
try_program 0 run --kernel 6 --warm 2 --energy --stats energy.json -- ./parts
[ ! -s err ] || fail "messages"
try 0 energy energy.json
says out '1 launch on'
try 0 stats energy.json
[ "$(grep -c '  -  ' out)" -eq 7 ] || fail "stats: launches without cycles"
try 0 report energy.json -o report.html

# a program that is started directly
SLUICE_KERNELS=4 SLUICE_WARM=1 SLUICE_STATS=direct.json LD_PRELOAD=$preload ./parts >direct.txt 2>&1 || fail "environment"
which direct '..wS......'

# mistakes
try 2 run --kernel 0 -- ./parts
says err "selected kernels: '0' contains no launch"
try 2 run --kernel mix --warm 1 -- ./parts
says err "launches before 'mix' cannot warm the caches"
try 2 run --warm 1 -- ./parts
says err "need selected numbers"
try 2 run --stop-after -- ./parts
says err "none is selected"
try 2 run --kernel 1 --functional -- ./parts
says err "a functional run simulates none in cycles"
try 2 run --kernel 1 --sample-launches -- ./parts
says err "exclude each other"
try 2 run --warm 1 --trace-in .
says err "not for --trace-in"
finish
