// gemm_async: the product of gemm_mma with three stages in shared memory, which asynchronous copies (cp.async) fill two
// steps ahead. One barrier per step. See gemm_half.h.
#include "gemm_half.h"

using namespace gemm;

const int STAGES = 3;

__device__ void fetch(Stage &stage, const __half *a, const __half *b, int n)
{
#pragma unroll
	for (int p = 0; p < PIECES; p++) {
		Place to_a = place_a(p), to_b = place_b(p);
		mma::copy16(&stage.a[to_a.row][to_a.column], a + (size_t)to_a.row * n + to_a.column);
		mma::copy16(&stage.b[to_b.row][to_b.column], b + (size_t)to_b.row * n + to_b.column);
	}
}

__global__ void __launch_bounds__(THREADS) gemm_async(const __half *a, const __half *b, float *c, int n)
{
	extern __shared__ __align__(16) unsigned char bytes[];
	Stage *stages = (Stage *)bytes;
	a += (size_t)blockIdx.y * TILE * n;
	b += blockIdx.x * TILE;
	Sums sums;
	sums.clear();
	int steps = n / DEPTH;
	for (int s = 0; s < STAGES - 1; s++) {
		fetch(stages[s], a + s * DEPTH, b + (size_t)s * DEPTH * n, n);
		mma::commit();
	}
	for (int step = 0; step < steps; step++) {
		mma::wait<STAGES - 2>();
		__syncthreads();
		int ahead = step + STAGES - 1;
		if (ahead < steps)
			fetch(stages[ahead % STAGES], a + ahead * DEPTH, b + (size_t)ahead * DEPTH * n, n);
		mma::commit();
		sums.add(stages[step % STAGES]);
	}
	sums.store(c + (size_t)blockIdx.y * TILE * n + blockIdx.x * TILE, n);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "gemm_async");
	int n = arguments.number("size-of-matrix", 256, 1280, 6144, "rows and columns, a multiple of 128");
	arguments.end();
	return run(arguments, "gemm_async", gemm_async, n, STAGES * sizeof(Stage));
}
