// gemm_mma: FP16 product by tensor cores (mma.sync, ldmatrix) with FP32 sums. The threads load the next tiles to
// registers while the warps multiply the current ones; a single stage is in shared memory. See gemm_half.h.
#include "gemm_half.h"

using namespace gemm;

struct Pieces {
	uint4 a[PIECES], b[PIECES];

	__device__ void fetch(const __half *from_a, const __half *from_b, int n)
	{
#pragma unroll
		for (int p = 0; p < PIECES; p++) {
			Place to_a = place_a(p), to_b = place_b(p);
			a[p] = *(const uint4 *)(from_a + (size_t)to_a.row * n + to_a.column);
			b[p] = *(const uint4 *)(from_b + (size_t)to_b.row * n + to_b.column);
		}
	}

	__device__ void put(Stage &stage) const
	{
#pragma unroll
		for (int p = 0; p < PIECES; p++) {
			Place to_a = place_a(p), to_b = place_b(p);
			*(uint4 *)&stage.a[to_a.row][to_a.column] = a[p];
			*(uint4 *)&stage.b[to_b.row][to_b.column] = b[p];
		}
	}
};

__global__ void __launch_bounds__(THREADS) gemm_mma(const __half *a, const __half *b, float *c, int n)
{
	__shared__ __align__(16) Stage stage;
	a += (size_t)blockIdx.y * TILE * n;
	b += blockIdx.x * TILE;
	Sums sums;
	sums.clear();
	Pieces next;
	next.fetch(a, b, n);
	for (int k = 0; k < n; k += DEPTH) {
		next.put(stage);
		__syncthreads();
		if (k + DEPTH < n)
			next.fetch(a + k + DEPTH, b + (size_t)(k + DEPTH) * n, n);
		sums.add(stage);
		__syncthreads();
	}
	sums.store(c + (size_t)blockIdx.y * TILE * n + blockIdx.x * TILE, n);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "gemm_mma");
	int n = arguments.number("size-of-matrix", 256, 1280, 6144, "rows and columns, a multiple of 128");
	arguments.end();
	return run(arguments, "gemm_mma", gemm_mma, n, 0);
}
