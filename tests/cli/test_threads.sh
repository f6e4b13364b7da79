#!/bin/sh
# Protects host threads: simulation threads make progress when other work occupies the cores, and no figure depends on
# them.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_THREADS
cd "$work" || exit 1

cat >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void spin(float *p, int n)
{
	float a = p[threadIdx.x];
	for (int i = 0; i < n; i++)
		a = a * 1.5f + 0.5f;
	p[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
int main(int argc, char **argv)
{
	float *p;
	cudaMalloc(&p, 1 << 20);
	cudaMemset(p, 0, 1 << 20);
	spin<<<60, 256>>>(p, atoi(argv[1]));
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

# timed THREADS: prints the duration in tenths of a second. Writes the statistics without the host's time to
# THREADS.json.
timed() {
	tried="$1 threads"
	since=$(date +%s%N)
	LD_PRELOAD=$preload SLUICE_THREADS=$1 SLUICE_STATS=$1.json timeout "$limit" ./program 1000 >out 2>err ||
		fail "no result in $limit s"
	took=$((($(date +%s%N) - since) / 100000000))
	says out cudaSuccess
	sed 's/"host_seconds": [^,]*,//; /"threads": /d' "$1.json" >"$1.figures"
	grep -q '"l1d.accesses"' "$1.figures" || fail "expected figures"
}

# A busy loop on each core: several threads take a small multiple of one thread's time, once they have detected the
# waiting.
loops=
for _ in $(seq "$(nproc)"); do
	(while :; do :; done) &
	loops="$loops $!"
done
limit=600
timed 1
limit=$((took * 4 / 10 + 10))
timed 2
cmp 1.figures 2.figures || fail "figures depend on the threads"
timed 4
cmp 1.figures 4.figures || fail "figures depend on the threads"
[ "$(grep -c 'one thread is faster now' err)" -le 1 ] || fail "expected at most one message"
# shellcheck disable=SC2086 # a list
kill $loops

finish
