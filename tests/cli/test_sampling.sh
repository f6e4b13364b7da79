#!/bin/sh
# Protects sampled runs (--sample-launches, --sample-blocks). Memory equals that of full runs, for every kind of
# instruction that writes. Estimates are separate from simulated values. Invalid values and combinations are refused
# with one message. Without the options nothing changes.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >phases.cu <<'CU'
#include <cstdio>
#include <cstdlib>
// Accumulates, so that a launch that runs twice, or not at all, shows in the sum.
__global__ void phase(unsigned *sum, unsigned long long *wide, unsigned char *bytes, int turns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x = sum[i];
	for (int k = 0; k < turns; k++)
		x = x * 1664525 + 1013904223;
	sum[i] = x;
	bytes[i] += x >> 24;
	atomicAdd(wide + i % 7, (unsigned long long)x);
	if (i % 3 == 0)
		wide[8 + i] ^= x;
}
__global__ void says(int i) { if (!threadIdx.x && !blockIdx.x) printf("launch %d\n", i); }
int main(int argc, char **argv)
{
	const int n = 64 * 256;
	unsigned *sum;
	unsigned long long *wide;
	unsigned char *bytes;
	cudaMalloc(&sum, n * 4), cudaMalloc(&wide, (n + 8) * 8);
	cudaMallocManaged(&bytes, n);
	cudaMemset(sum, 1, n * 4), cudaMemset(wide, 0, (n + 8) * 8), cudaMemset(bytes, 7, n);
	for (int i = 0; i < atoi(argv[1]); i++) {
		phase<<<256, 64>>>(sum, wide, bytes, i % 3 == 1 ? 200 : 3);
		if (i < 6)
			says<<<1, 32>>>(i);
	}
	cudaDeviceSynchronize();
	unsigned long long digest = 0, *copy = (unsigned long long *)malloc((n + 8) * 8);
	unsigned *words = (unsigned *)malloc(n * 4);
	cudaMemcpy(words, sum, n * 4, cudaMemcpyDeviceToHost), cudaMemcpy(copy, wide, (n + 8) * 8, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		digest = digest * 31 + words[i] + bytes[i] * 3 + copy[i];
	printf("%llx %s\n", digest, cudaGetErrorName(cudaGetLastError()));
}
CU
try 0 cc phases.cu -o phases

try_program 0 run --stats whole.json -- ./phases 24
cp out whole.out
grep -q '"sampl\|"estimate"' whole.json && fail "the report of a full run mentions samples"
for how in --sample-launches --sample-launches=1 --sample-blocks "--sample-blocks=0.4 --sample-error 50%" "--sample-blocks -o sm.count=1"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run $how --stats sampled.json -- ./phases 24
	cmp whole.out out || fail "$how changes results"
done

# Two phases form two groups; the estimate is close and adds up. Kernels that print are simulated in full, which is
# reported once.
try_program 0 run --sample-launches --stats sampled.json -- ./phases 24
says err "note: all of kernel '_Z4saysi' is simulated"
[ "$(grep -c note: err)" = 1 ] || fail "a note is printed more than once"
python3 - >out 2>err <<'PY' || fail "the statistics are not as they should be"
import json
whole, sampled = json.load(open("whole.json")), json.load(open("sampled.json"))
assert sampled["sampling"] == {"launches": 32}, sampled["sampling"]
estimate, kernels = sampled["totals"]["estimate"], sampled["kernels"]
assert sampled["totals"]["cycles"] is None and sampled["totals"]["counters"]["l2.hits"] is None
assert estimate["groups"] == 2 and estimate["launches"] == 30 and estimate["confidence"] == 0.95
assert estimate["simulated"] == sum(kernel["sample"]["simulated"] for kernel in kernels) < 25
assert abs(estimate["cycles"] / whole["totals"]["cycles"] - 1) < 0.05, estimate["cycles"]
for kernel, all_of_it in zip(kernels, whole["kernels"]):
    assert (kernel["cycles"] is None) == (not kernel["sample"]["simulated"])
    assert kernel["warp_instructions"] == all_of_it["warp_instructions"]
for name in "sm.blocks", "sm.warp_instructions", "sm.thread_instructions":
    assert estimate["counters"][name] == whole["totals"]["counters"][name], name
PY
try_program 0 run --sample-launches -- ./phases 24
says err "estimated cycles"
says err "of 30 launches simulated wholly, 2 groups of similar launches"

try_program 0 run --sample-blocks=0.1 -o sm.count=1 --stats sampled.json -- ./phases 1
python3 - >out 2>err <<'PY' || fail "the statistics of blocks are not as they should be"
import json
run = json.load(open("sampled.json"))
assert run["sampling"] == {"blocks": 0.1, "error": 0.03}, run["sampling"]
kernel = run["kernels"][0]
assert kernel["cycles"] is None and 26 <= kernel["sample"]["blocks"] < 256 and kernel["sample"]["distance"] < 0.01
assert kernel["estimate"]["cycles"] > kernel["sample"]["cycles"] and kernel["estimate"]["error"] > 0
PY

# Estimates do not depend on host threads.
for how in "--sample-launches --mech mthwp" "--sample-blocks=0.1 -o sm.count=2"; do
	for threads in 1 2; do
		# shellcheck disable=SC2086 # words
		try_program 0 run $how --threads $threads --stats threads.json -- ./phases 12
		sed 's/"host_seconds": [^,]*,//; s/"threads": .*//' threads.json >threads.$threads
	done
	cmp threads.1 threads.2 || fail "$how depends on threads"
done
grep -q '"mthwp.useful": null' sampled.json && fail "a mechanism that is not attached is reported"
try_program 0 run --sample-launches --mech mthwp --stats sampled.json -- ./phases 12
grep -q '"mthwp.useful": null' sampled.json || fail "a part of a mechanism's counter counts as the whole"

# A report marks a sampled run and shows no estimate as a figure.
try_program 0 run --sample-launches --stats sampled.json -- ./phases 12
try 0 report whole.json sampled.json -o page.html
grep -q 'in part: about [0-9]* cycles, estimated error' page.html || fail "the page does not say that a run was sampled"

# Invalid values and combinations.
for wrong in --sample-launches=0 --sample-launches=x --sample-blocks=2 --sample-blocks=-0.1 --sample-blocks=1% --sample-blocks= \
	"--sample-blocks --sample-error 0" "--sample-blocks --sample-error 200%" "--sample-blocks --sample-error nan" "--sample-error 0.1" \
	"--sample-launches --sample-blocks" "--sample-launches --stats-format gpgpusim" "--sample-launches --functional" \
	"--sample-launches --check race" "--sample-blocks --timeline t.json" "--sample-blocks --trace t.perfetto" "--sample-launches --profile p.json" \
	"--sample-launches --energy" "--sample-blocks --trace-out traces" "--sample-launches --sample 100" "--sample-blocks --mech teleport"; do
	[ "$wrong" = --sample-blocks=1% ] && wanted=0 || wanted=2
	# shellcheck disable=SC2086 # words
	try_program $wanted run $wrong -- ./phases 1
	[ $wanted = 0 ] || [ "$(grep -c 'sampl\|--sample' err)" -ge 1 ] || fail "$wrong: no reason"
done
echo 'int main() { return cudaFree(0) != cudaSuccess; }' >none.cu
try 0 cc none.cu -o none
SLUICE_SAMPLE_BLOCKS=1.5 try_program 1 run -- ./none
says err "SLUICE_SAMPLE_BLOCKS: expected a number from 0 to 1, not '1.5'"
try_program 0 run --trace-out traces -- ./phases 1
try_program 1 run --sample-launches --trace-in traces
says err "an instruction trace cannot run functionally"
finish
