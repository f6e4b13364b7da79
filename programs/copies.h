// copies.h: copies of tiles to shared memory while a kernel computes. There are three ways: the threads' asynchronous
// copies (cp.async, compute capability 8.0); bulk copies by the copy engine, counted by an mbarrier (9.0); and separate
// copying warps that synchronize with the others through named barriers (CudaDMA's way, on every GPU).
#ifndef SLUICE_PROGRAMS_COPIES_H
#define SLUICE_PROGRAMS_COPIES_H

#include "program.h"

#include <cuda.h>
#include <cuda_pipeline.h>

namespace copies {

// --- asynchronous copies of the block's threads ---

// Copies `floats` floats, a multiple of 4, with `threads` threads. In each round, every thread copies 16 bytes.
__device__ inline void copy_async(float *to, const float *from, int floats, int thread, int threads)
{
	for (int i = 4 * thread; i < floats; i += 4 * threads)
		__pipeline_memcpy_async(to + i, from + i, 16);
}

// --- bulk copies ---

// An mbarrier: a phase ends when all announced bytes have arrived.
struct Barrier {
	uint64_t word;

	__device__ unsigned int address() { return (unsigned int)__cvta_generic_to_shared(&word); }

	// Called by one thread, for one announcing thread. Other threads may use the barrier after a __syncthreads().
	__device__ void init()
	{
		asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" ::"r"(address())
		             : "memory");
	}

	__device__ void announce(unsigned int bytes)
	{
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
	}

	// Waits for the end of phase number `phase`, counted from 0.
	__device__ void wait(int phase)
	{
		unsigned int over;
		do {
			asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
			             "selp.u32 %0, 1, 0, p;\n\t}"
			             : "=r"(over)
			             : "r"(address()), "r"(phase & 1)
			             : "memory");
		} while (!over);
	}
};

// Copies `bytes` bytes, a multiple of 16. The barrier counts their arrival.
__device__ inline void copy_bulk(void *to, const void *from, unsigned int bytes, Barrier &barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     (unsigned int)__cvta_generic_to_shared(to)),
	             "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier.address())
	             : "memory");
}

// Copies the tile of a map in global memory at a column and a row. Elements outside the tensor are 0.
__device__ inline void copy_tile(void *to, const CUtensorMap *map, int column, int row, Barrier &barrier)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
	             "[%4];" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
	             "l"(map), "r"(column), "r"(row), "r"(barrier.address())
	             : "memory");
}

// Returns the map of a matrix of floats, with the sizes of matrix and tiles in columns and rows.
inline CUtensorMap tiles_of(const float *matrix, int columns, int rows, unsigned int tile_columns, unsigned int tile_rows)
{
	CUtensorMap map;
	const cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows}, pitch[] = {columns * sizeof(float)};
	const cuuint32_t box[] = {tile_columns, tile_rows}, steps[] = {1, 1};
	CUresult result = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)matrix, size, pitch, box,
	                                         steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	                                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", (int)result);
		exit(EXIT_FAILURE);
	}
	return map;
}

// --- warps that copy ---

// A named barrier of THREADS threads. Some arrive and continue, while the others wait for all of them.
template <int NUMBER, int THREADS> __device__ inline void arrive()
{
	__threadfence_block(); // an arrival does not order earlier stores
	asm volatile("bar.arrive %0, %1;" ::"n"(NUMBER), "n"(THREADS) : "memory");
}

template <int NUMBER, int THREADS> __device__ inline void wait()
{
	asm volatile("bar.sync %0, %1;" ::"n"(NUMBER), "n"(THREADS) : "memory");
}

// Barriers of two alternating buffers: `empty` means that `half` may be filled, `full` that it is filled.
template <int THREADS> struct Halves {
	static __device__ void wait_empty(int half) { half ? wait<2, THREADS>() : wait<1, THREADS>(); }
	static __device__ void wait_full(int half) { half ? wait<4, THREADS>() : wait<3, THREADS>(); }
	static __device__ void arrive_empty(int half) { half ? arrive<2, THREADS>() : arrive<1, THREADS>(); }
	static __device__ void arrive_full(int half) { half ? arrive<4, THREADS>() : arrive<3, THREADS>(); }
};

// One warp copies ROWS rows of COLUMNS floats, `pitch` apart in the source and dense in the copy; their number is a
// multiple of 32. All loads are issued before the first store, as in CudaDMA's transfers.
template <int ROWS, int COLUMNS> __device__ inline void copy_by_warp(float *to, const float *from, int pitch)
{
	const int WARP = 32, EACH = ROWS * COLUMNS / WARP;
	int lane = threadIdx.x % WARP;
	float loaded[EACH];
#pragma unroll
	for (int i = 0; i < EACH; i++) {
		int element = i * WARP + lane;
		loaded[i] = from[element / COLUMNS * pitch + element % COLUMNS];
	}
#pragma unroll
	for (int i = 0; i < EACH; i++)
		to[i * WARP + lane] = loaded[i];
}

} // namespace copies

#endif
