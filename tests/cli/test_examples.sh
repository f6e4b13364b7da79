#!/bin/sh
# Protects the mechanisms in examples/: each builds as its README describes. Its effect matches a closed form or a
# comparison with the machine without it.
set -u
tried=examples
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
examples=$source_dir/examples/mechanisms

for source in "$examples"/*.c; do
	name=$(basename "$source" .c)
	# shellcheck disable=SC2046 # no spaces in it
	cc -std=c17 -Wall -Wextra -Wpedantic -Werror -shared -fPIC $("$sluice" mech --cflags) "$source" -o "$name.so" ||
		fail "$name does not compile"
	grep -qF "\`$name.c\`" "$examples/README.md" || fail "the README does not know $name.c"
	try 0 mech show "$name.so"
	says out "$name: "
done

# Runs a program with a known kernel and grid. The results with some options are written to NAME.json.
run() { # NAME PROGRAM OPTION...
	name=$1 program=$2
	shift 2
	try_program 0 run -o sm.count=1 "$@" --stats "$name.json" -- "./$program"
	says out PASS
}

# holds EXPRESSION: checks the only kernel k of each NAME.json: c(NAME, COUNTER), v(NAME, VECTOR), l(NAME, VECTOR).
holds() {
	tried="holds $1"
	: >out
	python3 -c '
import json, sys
def kernel(name):
    return json.load(open(name + ".json"))["kernels"][0]
def c(name, counter):
    return kernel(name)[counter] if counter == "cycles" else kernel(name)["counters"][counter]
def v(name, vector):
    return kernel(name)["vectors"][vector]["values"]
def l(name, vector):
    return kernel(name)["vectors"][vector]["labels"]
sys.exit(not eval(sys.argv[1]))' "$1" 2>err || fail "it does not"
}

# l2_by_array: 60 blocks of 256 threads. Each warp reads one line from each of two arrays and from a variable, and
# writes one line of a third array. A fourth array is not a parameter and is never read. The constant is no array.
cat >add.cu <<'END'
#include <cstdio>
__device__ float weight[60 * 256];
__constant__ float scale[4] = {1};
__global__ void add(const float *a, const float *b, float *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	sum[i] = scale[0] * (a[i] + b[i] * weight[i]);
}
int main()
{
	const int n = 60 * 256;
	float *a, *b, *sum, *unused, first;
	cudaMalloc(&a, n * sizeof *a), cudaMalloc(&b, n * sizeof *b), cudaMalloc(&sum, n * sizeof *sum);
	cudaMalloc(&unused, 4);
	cudaMemset(a, 0, n * sizeof *a), cudaMemset(b, 0, n * sizeof *b);
	add<<<60, 256>>>(a, b, sum);
	cudaMemcpy(&first, sum, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc add.cu -o add
run arrays add --mech l2_by_array.so
holds 'l("arrays", "l2_by_array.accesses") == ["weight", "param_0", "param_1", "param_2", "malloc 4", "elsewhere"]'
holds 'v("arrays", "l2_by_array.accesses")[:5] == [480, 480, 480, 480, 0]'
holds 'v("arrays", "l2_by_array.misses")[:3] == [480, 480, 480]'
holds 'sum(v("arrays", "l2_by_array.accesses")) == c("arrays", "l2.accesses")'
holds 'sum(v("arrays", "l2_by_array.misses")) == c("arrays", "l2.misses")'
try 0 stats --counters arrays.json
says out "l2_by_array.accesses[elsewhere]"

# l1_bypass: a stream without reuse, and 96 lines that each warp reads repeatedly. The lines fit into L1 without the
# stream.
cat >stream.cu <<'END'
#include <cstdio>
__global__ void stream(const float *once, const float *often, float *out)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
	float sum = 0;
	for (int i = 0; i < 192; i++)
		sum += once[i * threads + thread] + often[(i % 96) * 32 + threadIdx.x % 32];
	out[thread] = sum;
}
int main()
{
	const int threads = 8 * 128;
	float *once, *often, *out, first;
	cudaMalloc(&once, 192 * threads * sizeof *once), cudaMalloc(&often, 96 * 128), cudaMalloc(&out, threads * sizeof *out);
	cudaMemset(once, 0, 192 * threads * sizeof *once), cudaMemset(often, 0, 96 * 128);
	stream<<<8, 128>>>(once, often, out);
	cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc stream.cu -o stream
run looks stream
run past stream --mech l1_bypass.so
run never stream --mech l1_bypass.so:probe=1
holds 'c("past", "l1d.hits") > c("looks", "l1d.hits")'
holds 'sum(v("past", "l1_bypass.past_l1")) > 0.9 * 32 * 192 and c("past", "cycles") < c("looks", "cycles")'
holds 'c("past", "l1d.accesses") == c("looks", "l1d.accesses") - sum(v("past", "l1_bypass.past_l1"))'
# If every transaction looks up L1, the mechanism has no effect.
holds 'sum(v("never", "l1_bypass.past_l1")) == 0 and c("never", "cycles") == c("looks", "cycles")'

# throttle: each of 48 warps reads its own 8 lines repeatedly: 384 lines, while L1 holds 128.
cat >thrash.cu <<'END'
#include <cstdio>
__global__ void thrash(const float *in, float *out)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32;
	float sum = 0;
	for (int i = 0; i < 256; i++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum += in[(warp * 8 + (i + k) % 8) * 32 + thread % 32];
	out[thread] = sum;
}
int main()
{
	const int threads = 8 * 192;
	float *in, *out, first;
	cudaMalloc(&in, 8 * threads * sizeof *in), cudaMalloc(&out, threads * sizeof *out);
	cudaMemset(in, 0, 8 * threads * sizeof *in);
	thrash<<<8, 192>>>(in, out);
	cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc thrash.cu -o thrash
run all thrash --mech gto
run fewer thrash --mech gto --mech throttle.so
run late thrash --mech gto --mech throttle.so:epoch=1073741824
holds 'c("fewer", "l1d.misses") < 0.1 * c("all", "l1d.misses") and c("fewer", "cycles") < c("all", "cycles")'
# An epoch lasts 4096 cycles. A round tries limits of 48, 24, 12 and 6 warps; most epochs use 12, whose 96 lines fit.
holds 'sum(v("fewer", "throttle.at_limit")) == c("fewer", "cycles") // 4096'
holds 'all(v("fewer", "throttle.at_limit")[n // 4] >= 2 for n in (48, 24, 12, 6))'
holds 'v("fewer", "throttle.at_limit")[12 // 4] > 0.8 * sum(v("fewer", "throttle.at_limit"))'
# Before its first decision the mechanism has no effect.
holds 'c("late", "throttle.refused") == 0 and c("late", "cycles") == c("all", "cycles")'

# victim_cache: 50 rounds over six lines of one four-way L1 set. Each round finds the lines that the previous round
# evicted.
cat >around.cu <<'END'
#include <cstdio>
__global__ void around(const float *in, float *out, int lines, int rounds)
{
	float sum = 0;
#pragma unroll 1
	for (int i = 0; i < lines * rounds; i++)
		sum += in[i % lines * 1024 + threadIdx.x];
	out[threadIdx.x] = sum;
}
int main()
{
	const int lines = 6;
	float *in, *out, first;
	cudaMalloc(&in, lines * 4096), cudaMalloc(&out, 128);
	cudaMemset(in, 0, lines * 4096);
	around<<<1, 32>>>(in, out, lines, 50);
	cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc around.cu -o around
run missed around
run found around --mech victim_cache.so
run small around --mech victim_cache.so:lines=1
holds 'c("missed", "l1d.hits") == 0 == c("found", "l1d.hits") and c("found", "l1d.misses") == c("missed", "l1d.misses")'
holds 'c("found", "victim_cache.answered") == 6 * 49 == c("missed", "l2.accesses") - c("found", "l2.accesses")'
holds 'c("found", "cycles") < 0.5 * c("missed", "cycles")'
# One entry is too small for six rotating lines: the next line is already evicted.
holds 'c("small", "victim_cache.answered") == 0 and c("small", "cycles") == c("missed", "cycles")'

# dram_fcfs: two arrays in different rows of the same banks.
cat >rows.cu <<'END'
#include <cstdio>
__global__ void rows(const float *a, const float *b, float *out)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	out[thread] = a[thread] + b[thread];
}
int main()
{
	const int threads = 240 * 256, apart = 393216;
	float *a, *out, first;
	cudaMalloc(&a, 2 * apart), cudaMalloc(&out, threads * sizeof *out);
	cudaMemset(a, 0, 2 * apart);
	rows<<<240, 256>>>(a, a + apart / sizeof *a, out);
	cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc rows.cu -o rows
run first rows -o sm.count=15
run fcfs rows -o sm.count=15 --mech dram_fcfs.so
run strict rows -o sm.count=15 --mech dram_fcfs.so:strict=true
holds 'c("fcfs", "dram_fcfs.taken") == c("fcfs", "dram.requests") == c("strict", "dram_fcfs.taken")'
holds 'c("fcfs", "dram_fcfs.row_hits_passed") > 1000 and c("first", "cycles") < c("fcfs", "cycles") < c("strict", "cycles")'
holds 'c("first", "dram.activates") < c("fcfs", "dram.activates")'

# l2_rrip: 512 lines that are read twice a round, then 2,048 lines that are read once. LRU evicts all of them.
cat >scan.cu <<'END'
#include <cstdio>
__global__ void scan(const float *once, const float *often, float *out)
{
	float sum = 0;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	for (int round = 0; round < 8; round++) {
		for (int i = warp; i < 512; i += 4)
			sum += often[i * 32 + lane] + often[(511 - i) * 32 + lane];
		for (int i = warp; i < 2048; i += 4)
			sum += once[(round * 2048 + i) * 32 + lane];
	}
	out[threadIdx.x] = sum;
}
int main()
{
	const int n = 8 * 2048 * 32;
	float *once, *often, *out, first;
	cudaMalloc(&once, n * sizeof *once), cudaMalloc(&often, 512 * 128), cudaMalloc(&out, 512);
	cudaMemset(once, 0, n * sizeof *once), cudaMemset(often, 0, 512 * 128);
	scan<<<1, 128>>>(once, often, out);
	cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
	std::puts(first == 0 ? "PASS" : "FAIL");
}
END
try 0 cc scan.cu -o scan
run recent scan -o l2.sets=16
run rrip scan -o l2.sets=16 --mech l2_rrip.so
holds 'c("rrip", "l2.hits") > 1.8 * c("recent", "l2.hits") and c("rrip", "cycles") < c("recent", "cycles")'
holds 'c("rrip", "l2.accesses") == c("recent", "l2.accesses") and c("rrip", "l2_rrip.other") > 0'

# end_together: two kernels of equal blocks, 300 and 60 of them, on one SM. In the machine's order the short kernel
# starts when the long one has started all its blocks. With the mechanism both start at once and end together.
cat >two.cu <<'END'
#include <cstdio>
__global__ void work(float *out)
{
	float sum = 0;
	for (int i = 0; i < 200; i++)
		sum = sum * 0.5f + i;
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main()
{
	cudaStream_t stream[2];
	float *out[2];
	for (int i = 0; i < 2; i++)
		cudaStreamCreate(&stream[i]), cudaMalloc(&out[i], 300 * 256 * 4);
	work<<<300, 256, 0, stream[0]>>>(out[0]);
	work<<<60, 256, 0, stream[1]>>>(out[1]);
	std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
}
END
try 0 cc two.cu -o two
run order two
run fair two --mech end_together.so
run kept two --mech end_together.so:wait=true
cat >ends.py <<'END'
import json, sys
def ends(name):
    kernels = json.load(open(name + ".json"))["kernels"]
    return [k["started"] + k["cycles"] for k in kernels], [k["first_block"] - k["started"] for k in kernels]
order, order_begins = ends("order")
for name in ("fair", "kept"):
    both, begins = ends(name)
    block = max(order) / (360 / 6)  # six blocks at a time
    assert max(begins) < 10, (name, begins)
    assert abs(both[0] - both[1]) < 2 * block, (name, both, block)
    assert abs(max(both) - max(order)) < 2 * block, (name, both, order)
assert order_begins[1] > 0.7 * max(order), order_begins
counters = json.load(open("fair.json"))["sessions"][0]["counters"]
assert counters["end_together.overtaken"] >= 60, counters["end_together.overtaken"]
END
tried="ends.py"
python3 ends.py >out 2>err || fail "the kernels do not end together"
try 2 run --mech ./end_together.so -o launch.policy=even -- ./two
says err "mechanism end_together chooses the kernels: launch.policy must be leftover"

# Two kernels in two streams run at the same time with those that say how they serve several kernels.
cat >both.cu <<'END'
#include <cstdio>
__global__ void fill(int *x, int value)
{
	for (int i = threadIdx.x; i < 4096; i += blockDim.x)
		x[i] = x[i] + value;
}
int main()
{
	int *x[2], first[2];
	cudaStream_t stream[2];
	for (int i = 0; i < 2; i++) {
		cudaMalloc(&x[i], 4096 * sizeof(int)), cudaStreamCreate(&stream[i]);
		cudaMemset(x[i], 0, 4096 * sizeof(int));
	}
	for (int i = 0; i < 2; i++)
		fill<<<2, 128, 0, stream[i]>>>(x[i], i + 1);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2; i++)
		cudaMemcpy(&first[i], x[i], sizeof first[i], cudaMemcpyDeviceToHost);
	std::puts(first[0] == 1 || first[0] == 2 ? "PASS" : "FAIL");
}
END
try 0 cc both.cu -o both
for source in "$examples"/*.c; do
	name=$(basename "$source" .c)
	run both both -o sm.count=2 --mech "$name.so"
	turns=$(grep -c "mechanism $name sees one kernel at a time" err)
	case $name in
	victim_cache | l2_by_array) [ "$turns" = 1 ] || fail "$name: expected the kernels to run in turn" ;;
	*) [ "$turns" = 0 ] || fail "$name: expected the kernels to run at the same time" ;;
	esac
done

finish
