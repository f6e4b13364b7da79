#!/bin/sh
# Protects random sessions of commands in one folder (random_sessions.py): run, sweep and the commands that read their
# files. They include unwritable outputs, invalid values, odd words and signals. Each command ends in time with a
# documented status, and with a message if it failed. No temporary file remains, no stored run is lost, and statistics
# agree with their table. For other seeds: RANDOM_SEEDS=FIRST:COUNT.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
[ -z "$preload" ] || exit 0 # programs would need the sanitizer's library in each command
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
sluice=$(realpath "$sluice")
cd "$work" || exit 1
cat >program.cu <<'CU'
#include <cstdio>
__global__ void k(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main()
{
	int *p;
	if (cudaMalloc(&p, 4096) || cudaMemset(p, 0, 4096))
		return 7;
	for (int i = 0; i < 2; i++)
		k<<<4, 64>>>(p);
	bool fine = !cudaDeviceSynchronize();
	cudaFree(p);
	puts(fine ? "PASS" : "FAIL");
	return fine ? 0 : 7;
}
CU
try 0 cc program.cu -o program
python3 "$source_dir/tests/cli/random_sessions.py" "$sluice" "${RANDOM_SEEDS:-1:10}" || failures=1
finish
