#!/bin/sh
# Protects --check leaks: allocations that host and kernels never free give one message per allocation site, with
# functions and lines. Freed allocations give none.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_CHECK
cd "$work" || exit 1

# leaks STATUS ARGUMENT...: runs the program with the check.
leaks() {
	wanted=$1
	shift
	tried="leaks $*"
	got=0
	LD_PRELOAD=$preload "$sluice" run --check leaks --stats /dev/null "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

cat >leak.cu <<'END'
#include <cuda.h>
__device__ char *kept[4];
__global__ void grow() {
	kept[threadIdx.x] = (char *)malloc(16);
}
__global__ void drop(int n) { if (threadIdx.x < n) free(kept[threadIdx.x]); }
static __attribute__((noinline)) int *make(int n) {
	int *p;
	cudaMalloc(&p, n);
	return p;
}
int main(int argc, char **) {
	int *a = make(100), *b = make(200), *managed, *pooled, *pinned;
	CUdeviceptr driver;
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMallocManaged(&managed, 64);
	cudaMallocHost(&pinned, 65);
	for (int i = 0; i < 3; i++) {
		cudaMallocAsync(&pooled, 32, 0);
		if (argc == 1)
			cudaFreeAsync(pooled, 0);
	}
	cuMemAlloc(&driver, 77);
	cudaMallocArray(&array, &format, 16, 0);
	grow<<<1, 4>>>();
	drop<<<1, 4>>>(argc == 1 ? 4 : 2);
	cudaFree(a);
	if (argc == 1) {
		cudaFree(b);
		cudaFree(managed);
		cudaFreeHost(pinned);
		cuMemFree(driver);
		cudaFreeArray(array);
	}
	return cudaDeviceSynchronize();
}
END
try 0 cc -g -O0 leak.cu -o leak -lcuda
for mode in --functional --threads=1; do
	leaks 0 "$mode" -- ./leak
	! grep -q leak err || fail "expected no message"
	leaks 1 "$mode" -- ./leak all
	[ "$(grep -c '^sluice: leak: ' err)" = 7 ] || fail "expected seven leaks"
	says err "leak: 2 allocations of 32 bytes together, never freed"
	says err "kernel '_Z4growv', malloc at device code:"
	says err "leak.cu:4)"
	says err "leak: 1 allocation of 200 bytes together, never freed"
	says err "leak: 3 allocations of 96 bytes together, never freed"
	says err "cudaMallocAsync at "
	says err "leak: 1 allocation of 77 bytes together, never freed"
	says err "leak: 1 allocation of 65 bytes together, never freed"
	says err "cudaMallocArray at "
	if command -v addr2line >/dev/null; then
		says err "cudaMalloc at make(int) (leak.cu:9)"
		says err "called by main (leak.cu:13)"
		says err "cudaMallocManaged at main (leak.cu:17)"
	fi
done

# Without addr2line, and without lines.
try 0 cc -O2 leak.cu -o bare -lcuda
leaks 1 --functional -- /usr/bin/env PATH=/nonexistent ./bare all
[ "$(grep -c '^sluice: leak: ' err)" -ge 7 ] || fail "expected seven leaks"
says err "cudaMallocArray at bare+0x"
# No message without the check.
LD_PRELOAD=$preload "$sluice" run --functional --stats /dev/null -- ./leak all >out 2>err || fail "it fails"
silent err
finish
