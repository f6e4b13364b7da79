#!/bin/sh
# Protects `sluice run --timeout` and --stray-reads. A process that takes too long ends with its statistics.
# Out-of-bounds reads are permitted with the option, and each line is reported once.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >wrong.cu <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__constant__ int table[4] = {1, 2, 3, 4};
struct Pair { int a, b; };
__global__ void beside(const int *in, int *out, int by) { out[threadIdx.x] = in[(int)threadIdx.x + by] + 1; }
__global__ void vectors(const int4 *in, int *out, int by)
{
	int4 v = in[(int)threadIdx.x + by];
	out[threadIdx.x] = v.x + v.w + table[threadIdx.x & 3];
}
__global__ void store(int *out, int by) { out[threadIdx.x + by] = 1; }
__global__ void generic(int *out, int by)
{
	__shared__ int tile[32];
	tile[threadIdx.x % 32] = 9;
	__syncthreads();
	const int *from = threadIdx.x & 1 ? tile : out + by;
	out[threadIdx.x] = from[threadIdx.x % 32];
}
__global__ void spin(volatile int *flag) { while (*flag == 0); }
int main(int argc, char **argv)
{
	int *in, *out, *hole, kind = argv[1][0], host[64] = {};
	cudaMalloc(&in, 256);
	cudaMalloc(&hole, 4096);
	cudaMalloc(&out, 4096);
	cudaMemset(in, 0, 256);
	cudaMemset(out, 0, 4096);
	int far = 1 << 18;
	for (int i = 0; i < 2; i++) {
		if (kind == 'b') beside<<<1, 64>>>(in, out, far);
		if (kind == 'v') vectors<<<1, 64>>>((int4 *)in, out, far - 32);
		if (kind == 's') store<<<1, 64>>>(out, far);
		if (kind == 'g') generic<<<1, 64>>>(out, far);
		if (kind == 'w') beside<<<1, 64>>>(in, out, 64 << 20);
		if (kind == 'n') beside<<<1, 64>>>(nullptr, out, 0);
	}
	if (kind == 'f') { cudaFree(hole); beside<<<1, 64>>>(hole, out, 0); }
	if (kind == 'l') spin<<<1, 1>>>(out);
	if (kind == 'm') {
		int *flag;
		cudaMallocHost(&flag, 4);
		*flag = 0;
		spin<<<1, 1>>>(flag);
		*flag = 1;
	}
	if (kind == 'h') pause();
	cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	printf("%s %d %d %d\n", cudaGetErrorName(error), host[0], host[1], host[63]);
	return 0;
}
EOF
try 0 cc -w wrong.cu -o wrong

# The reads return zeros at any width, the other lanes get correct values, and each line gives one warning.
for mode in "" --functional; do
	try_program 0 run $mode --stray-reads=warn --stats s.json -- ./wrong b
	says_only out "cudaSuccess 1 1 1"
	says err "warning: kernel '_Z6beside"
	says err "read outside every allocation; it gives 0"
	says err "wrong.cu:6"
	says err "64 times in this launch"
	[ "$(grep -c warning err)" = 1 ] || fail "expected one warning"
	try_program 0 run $mode --stray-reads=warn --stats s.json -- ./wrong v
	says_only out "cudaSuccess 1 2 4"
	try_program 0 run $mode --stray-reads=warn --stats s.json -- ./wrong g
	says_only out "cudaSuccess 0 9 9"
	# writes, freed memory and unmapped addresses stay faults, and so does everything without the option
	for kind in s f n; do
		try_program 1 run $mode --stray-reads=warn --stats s.json -- ./wrong $kind
		says out "cudaErrorIllegalAddress"
	done
	try_program 1 run $mode --stray-reads=fault --stats s.json -- ./wrong b
	says out "cudaErrorIllegalAddress"
	# the fault message mentions the option if the option would help
	try_program 1 run $mode --stats s.json -- ./wrong b
	says out "cudaErrorIllegalAddress"
	says err "'sluice run --stray-reads=warn'"
	for kind in s w f n; do
		try_program 1 run $mode --stats s.json -- ./wrong $kind
		grep -qF -e "--stray-reads" err && fail "did not expect --stray-reads in stderr"
	done
done
try 2 run --stray-reads=wran -- ./wrong b
says err "--stray-reads: expected warn or fault, not 'wran'"

# Inside and outside a kernel.
for kind in l h; do
	try_program 124 run -o launch.livelock=0 --timeout=1 --stats s.json -- ./wrong $kind
	says err "stopped: it ran longer than the 1 seconds of --timeout"
	grep -q '"ended": "stopped' s.json || grep -q '"ended": "exit' s.json || fail "the statistics do not say that it was stopped"
done
# A kernel that waits for a host write after the launch, and one that polls device memory: the message names the polling
# instruction.
for how in --timeout=1 --max-instructions=10000 "--functional --timeout=1" "--functional --max-instructions=10000"; do
	try_program 124 run $how --stats s.json -- ./wrong m
	says err "wrong.cu:21) block (0,0,0), thread (0,0,0) polls address 0x"
	says err "which is host memory"
	try_program 124 run -o launch.livelock=0 $how --stats s.json -- ./wrong l
	says err "again and again, 4 bytes with the value 0x0; allocation 0x"
	says err "no resident warp can write it"
	grep -q "polls address" err && fail "a loop on device memory waits for the host"
done
# A kernel that only polls counts as stalled and ends before its time limit.
# Also when checks, or a trace that is written, replace the functions of its instructions.
for how in "" --check=init --check=all --trace-out=traces; do
	try_program 1 run $how -o launch.livelock=50000 --timeout=100 --stats s.json -- ./wrong l
	says err "for 50000 cycles (launch.livelock) its warps have only polled locations that none of them writes"
	says err "wrong.cu:"
done
try_program 0 run --timeout=100 --stats s.json -- ./wrong x
try 2 run --timeout=soon -- ./wrong b
finish
