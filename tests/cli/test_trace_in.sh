#!/bin/sh
# Protects instruction traces on the command line. A run and the replay of its trace print the same, and run options
# apply to traces. Features that need a program are refused with the reason. A bad file has one message with its
# position, and a nonzero status.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >program.cu <<'CU'
#include <cstdio>
__device__ __noinline__ float twice(float x) { return x + x; }
__global__ void first(float *a, int n)
{
	__shared__ float tile[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	tile[threadIdx.x] = i < n ? a[i] : 0;
	__syncthreads();
	if (threadIdx.x % 3 == 0)
		a[i] = twice(tile[63 - threadIdx.x]);
	else if (i < n)
		atomicAdd(a, 1.0f);
}
__global__ void second(float *a) { a[threadIdx.x] = threadIdx.x; }
int main(int argc, char **)
{
	float *a, b[256] = {0};
	cudaMalloc(&a, sizeof b);
	cudaMemcpy(a, b, sizeof b, cudaMemcpyHostToDevice);
	for (int i = 0; i < 2; i++)
		first<<<4, 64>>>(a, 200), second<<<1, 40>>>(a);
	if (argc > 1)
		second<<<1, 40>>>(NULL);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

# without_host FILE: the statistics without the fields that depend on the host and the command line.
without_host() {
	python3 - "$1" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
for kernel in run["kernels"]:
    kernel.pop("host_seconds")
print(json.dumps(run["kernels"], indent=1, sort_keys=True))
PY
}

# same FILE FILE: both have the same statistics for the same kernels.
same() {
	without_host "$1" >one
	without_host "$2" >other
	cmp -s one other || fail "$1 and $2 differ: $(diff one other | head -5)"
}

for machine in gtx480 rtx3070; do
	rm -rf traces
	try_program 0 run -m $machine --stats run.json --trace-out traces -- ./program
	try_program 0 run -m $machine --stats plain.json -- ./program
	same run.json plain.json # writing the trace changes nothing
	[ "$(sed 1d traces/kernelslist.g | tr '\n' ' ')" = "kernel-1.traceg kernel-2.traceg kernel-3.traceg kernel-4.traceg " ] ||
		fail "expected four kernels in the list: $(cat traces/kernelslist.g)"
	grep -q '^MemcpyHtoD,0x[0-9a-f]*,1024$' traces/kernelslist.g || fail "expected the copy in the list"
	try 0 run -m $machine --stats trace.json --trace-in traces
	same run.json trace.json
	try 0 run -m $machine --threads 2 --stats threads.json --trace-in traces/kernelslist.g
	same run.json threads.json
done
# Several threads write the same trace as one.
try_program 0 run -m rtx3070 --threads 2 --trace-out threads -- ./program
for file in traces/*; do
	cmp -s "$file" "threads/${file#traces/}" || fail "$file depends on threads"
done
# A kernel that faults leaves no trace.
try_program 1 run -m rtx3070 --trace-out cut -- ./program faults
says err "global store outside every allocation"
diff -r cut traces >out || fail "expected the trace of the kernels that ended"
# Functional runs also write their warps' instructions, and traces run functionally.
try_program 0 run --functional --trace-out functional -- ./program
try 0 run --functional --stats functional.json --trace-in functional
[ "$(grep -c '"name": "_Z' functional.json)" = 4 ] || fail "expected four kernels"

# Features of later machines: asynchronous copies, some of which read only a part or nothing; matrices in shared memory;
# mbarriers that block warps. A machine's own copy engine has no effect in a trace.
cat >later.cu <<'CU'
#include <cstdio>
#include <cuda_pipeline_primitives.h>
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void copies(const float *a, float *b, int n)
{
	__shared__ __align__(16) float tile[3][4 * 64];
	for (int k = 0; k < 6; k++) {
		int i = (blockIdx.x * 6 + k) * 256 + 4 * threadIdx.x, left = n - i;
		if (k != 4 || threadIdx.x % 5) // lanes that copy nothing; zeros past the array's end
			__pipeline_memcpy_async(&tile[k % 3][4 * (k & 1 ? threadIdx.x : 63 - threadIdx.x)], left > 0 ? a + i : (float *)0, 16,
			                        left >= 4 ? 0 : left > 0 ? 4 * (4 - left) : 16);
		__pipeline_commit();
		__pipeline_wait_prior(k & 1);
		__syncthreads();
		b[i / 4] = tile[k % 3][4 * threadIdx.x + k % 4];
	}
}
__global__ void matrices(float *b)
{
	__shared__ __align__(16) unsigned char rows[32][16 * 3];
	unsigned r[4];
	for (int i = 0; i < 48; i++)
		rows[threadIdx.x][i] = threadIdx.x + i;
	__syncthreads();
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(rows[threadIdx.x])));
	b[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
__global__ void phases(float *b)
{
	__shared__ unsigned long long full;
	__shared__ float value;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full)) : "memory");
	__syncthreads();
	for (int k = 0; k < 5; k++) {
		if (threadIdx.x == 0) {
			value = b[k];
			asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(place(&full)) : "memory");
		}
		asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra W; }" ::"r"(place(&full)), "r"(k & 1)
		             : "memory");
		b[100 + threadIdx.x] += value;
		__syncthreads();
	}
}
#ifdef ARRIVES
__global__ void arrives(float *b)
{
	__shared__ unsigned long long full;
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place(&full)) : "memory");
}
#endif
int main()
{
	float *a;
	cudaMalloc(&a, 1 << 16);
	cudaMemset(a, 0, 1 << 16);
	copies<<<3, 64>>>(a, a + 8192, 4600);
	matrices<<<1, 32>>>(a);
	phases<<<2, 96>>>(a);
#ifdef ARRIVES
	arrives<<<1, 32>>>(a);
#endif
	puts(cudaGetErrorName(cudaGetLastError()));
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc -arch=sm_80 later.cu -o later
for machine in qv100 rtx3070 hopper-like; do
	rm -rf copied
	try_program 0 run -m $machine --stats run.json --trace-out copied -- ./later
	try 0 run -m $machine --stats trace.json --trace-in copied
	same run.json trace.json
done
[ "$(grep -c '"name": "_Z' trace.json)" = 3 ] || fail "expected three kernels"
try 0 run -m qv100 --trace-in copied # a machine that executes copies as loads
try 1 run -m hopper-like --mech tma --trace-in copied
says err "mechanism tma runs its own instructions"
try 0 cc -arch=sm_80 -DARRIVES later.cu -o later
try_program 0 run -m rtx3070 --trace-out copied -- ./later
says err "has asynchronous copies that arrive at mbarriers"

# Run options: machine keys, mechanisms, formats, limits, and the choice of kernels.
try 0 run -o sm.count=1 --trace-in traces
says err "options       sm.count=1"
try 0 run --mech nlp --trace-in traces
says err "nlp"
try 0 run --mech load_counts --stats-format gpgpusim --stats - --trace-in traces
says out "gpu_sim_cycle"
try 124 run --max-instructions 100 --trace-in traces
says err "stopped at cycle"
try 0 run --kernel 2-3 --stats some.json --trace-in traces
[ "$(grep -c '"name": "_Z' some.json)" = 2 ] || fail "expected two kernels"
try 0 run --kernel _Z6secondPf --stats some.json --trace-in traces
[ "$(grep -c '"name": "_Z6secondPf"' some.json)" = 2 ] || fail "expected the two launches of that name"
try 1 run --kernel third --trace-in traces
says err "none of the list's 4 kernels is 'third'"

# Features that need a program.
try 1 run --mech teleport --trace-in traces
says err "a mechanism queries the bytes that blocks read"
try 1 run --pass dead-code --trace-in traces
says err "passes rewrite PTX"
try 1 run --check race --trace-in traces
says err "checks inspect the values that a program computes"
try 1 run --profile profile.json --trace-in traces
says err "a profile lists PTX"
try 1 run --trace-out again --trace-in traces
says err "an instruction trace is recorded from a program"
try 2 run --trace-in traces -- ./program
says err "remove './program'"
try 2 run --trace-in traces --kernel 1 --stop-after
says err "--warm, --region, --range, --stop-after and --journal are for programs"

# Unreadable files.
try 1 run --trace-in nowhere
says err "cannot read nowhere"
sed -i '40s/ [0-9]/ x/' traces/kernel-3.traceg
try 1 run --trace-in traces
says err "traces/kernel-3.traceg:40:"
[ "$(grep -c "error:" err)" = 1 ] || fail "expected one message"
rm traces/kernel-3.traceg
try 1 run --trace-in traces
says err "cannot read traces/kernel-3.traceg: No such file or directory"
try 2 run --trace-out /dev/null/traces -- ./program
says err "/dev/null/traces/kernelslist.g"
finish
