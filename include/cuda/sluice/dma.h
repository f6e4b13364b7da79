/* dma: transfers of a block's data from global to shared memory by a DMA engine (docs/reference/dma.md), with D2MA's
 * intrinsics (Jamshidi et al.: D2MA: Accelerating Coarse-Grained Data Transfer for GPUs, PACT 2014).
 *
 *   __shared__ float tile[1024];
 *   dma_set_datatype_float();
 *   dma_configure_flat_unit_stride(tile, x, 1024);       // starts the transfer
 *   ...                                                  // code that does not need the data
 *   sum += tile[i];                                      // waits if necessary: no __syncthreads()
 *   dma_execute(tile, x + 1024, 0);                      // next transfer, when all warps have reached this
 *
 * All threads of the block that have not exited call these functions with the same values. A block has four buffers, 0
 * to 3; each describes one transfer. The data arrive at the same addresses on a machine without an engine. When another
 * compiler builds the program, the block copies the data itself, between two barriers.
 */
#ifndef SLUICE_CUDA_DMA_H
#define SLUICE_CUDA_DMA_H

#include "macros_off.h"

#include <cuda_runtime.h>

enum dma_order { DMA_ROW_MAJOR, DMA_COLUMN_MAJOR };

enum { DMA_BUFFERS = 4, DMA_INTERIOR = 9 };

/* Returns the position of a tile in a matrix of rows x columns of tiles: 1 2 3, 4 9 5, 6 7 8. A tile at two opposite
 * borders has no region: 0. */
static __host__ __device__ inline unsigned int dma_region(unsigned int row, unsigned int rows, unsigned int column,
                                                          unsigned int columns)
{
	bool top = row == 0, bottom = row + 1 == rows, left = column == 0, right = column + 1 == columns;
	if ((top && bottom) || (left && right))
		return 0;
	if (top)
		return left ? 1 : right ? 3 : 2;
	if (bottom)
		return left ? 6 : right ? 8 : 7;
	return left ? 4 : right ? 5 : DMA_INTERIOR;
}

/* Returns the region in the transposed matrix, whose lines are columns. */
static __device__ __forceinline__ unsigned int sluice_dma_turned(unsigned int region)
{
	return region < 1 || region > 9 ? region : (0x9853726410ull >> 4 * region & 15);
}

#if defined(SLUICE_CUDA) && !defined(SLUICE_DMA_COPIES)

#define SLUICE_DMA_CALL static __device__ __forceinline__

/* The instructions. A line is contiguous in global memory: a row or a column. */
SLUICE_DMA_CALL unsigned int sluice_dma_shared(const void *shared)
{
	return (unsigned int)__cvta_generic_to_shared(shared);
}

#define SLUICE_DMA_BYTES(bytes) asm volatile("dma_type %0;" ::"n"(bytes) : "memory")

SLUICE_DMA_CALL void sluice_dma_halo(unsigned int buffer, unsigned int lines, unsigned int elements,
                                                       unsigned int region, unsigned int constant)
{
	asm volatile("dma_halo %0, %1, %2, %3, %4;" ::"r"(buffer), "r"(lines), "r"(elements), "r"(region), "r"(constant)
	             : "memory");
}

SLUICE_DMA_CALL void dma_set_elements_per_bank(unsigned int elements, unsigned int buffer = 0)
{
	asm volatile("dma_spaced %0, %1;" ::"r"(buffer), "r"(elements) : "memory");
}

SLUICE_DMA_CALL void dma_configure_flat_unit_stride(void *shared, const void *global,
                                                                      unsigned int elements, unsigned int buffer = 0)
{
	asm volatile("dma_flat %0, %1, %2, %3;" ::"r"(buffer), "r"(sluice_dma_shared(shared)), "l"(global), "r"(elements)
	             : "memory");
}

SLUICE_DMA_CALL void dma_configure_flat_strided(void *shared, const void *global,
                                                                  unsigned int elements, unsigned int stride,
                                                                  unsigned int buffer = 0)
{
	asm volatile("dma_strided %0, %1, %2, %3, %4;" ::"r"(buffer), "r"(sluice_dma_shared(shared)), "l"(global),
	             "r"(elements), "r"(stride)
	             : "memory");
}

SLUICE_DMA_CALL void sluice_dma_matrix(void *shared, const void *global, unsigned int lines,
                                                         unsigned int elements, unsigned int leading_dimension,
                                                         unsigned int buffer)
{
	asm volatile("dma_matrix %0, %1, %2, %3, %4, %5;" ::"r"(buffer), "r"(sluice_dma_shared(shared)), "l"(global),
	             "r"(lines), "r"(elements), "r"(leading_dimension)
	             : "memory");
}

SLUICE_DMA_CALL void dma_execute(void *shared, const void *global, unsigned int buffer)
{
	asm volatile("dma_execute %0, %1, %2;" ::"r"(buffer), "r"(sluice_dma_shared(shared)), "l"(global) : "memory");
}

#else

#define SLUICE_DMA_CALL static __device__ __forceinline__

enum : unsigned int { SLUICE_DMA_TOLD = 0x51d3a0b7 };

/* Replaces the engine: the block itself copies the data. Shared memory also holds the last description of each
 * buffer. */
struct sluice_dma_state {
	unsigned int bytes, halo_lines, halo_elements, region, constant, each_bank; /* of the next transfer */
	/* equal to SLUICE_DMA_TOLD when halo, or elements per bank, are set; shared memory is not initialized */
	unsigned int has_halo, has_banks;
	struct sluice_dma_buffer {
		unsigned int bytes, lines, elements, pitch, halo_lines, halo_elements, region, constant, each_bank;
	} buffer[DMA_BUFFERS];
	unsigned int ranks; /* ranks given to threads so far */
};

static __device__ __forceinline__ sluice_dma_state &sluice_dma()
{
	__shared__ sluice_dma_state state;
	return state;
}

/* Sets a value on which all threads of the block agree, once per warp. A barrier precedes the next read of the
 * state. */
static __device__ __forceinline__ void sluice_dma_note(unsigned int &place, unsigned int value)
{
	unsigned int lane;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	if ((__activemask() & ((1u << lane) - 1)) == 0)
		atomicExch(&place, value);
}

/* Returns the thread's rank among the threads that have not exited, and their number in `threads`. Contains a
 * barrier. */
static __device__ __forceinline__ unsigned int sluice_dma_rank(unsigned int &threads)
{
	sluice_dma_note(sluice_dma().ranks, 0);
	threads = __syncthreads_count(1);
	if (threads == blockDim.x * blockDim.y * blockDim.z)
		return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	return atomicAdd(&sluice_dma().ranks, 1);
}

/* True when an element of the halo lies outside the matrix. */
static __device__ inline bool sluice_dma_beyond(const sluice_dma_state::sluice_dma_buffer &b, unsigned int line,
                                                unsigned int at)
{
	bool first = b.region >= 1 && b.region <= 3, last = b.region >= 6 && b.region <= 8;
	bool begin = b.region == 1 || b.region == 4 || b.region == 6, end = b.region == 3 || b.region == 5 || b.region == 8;
	return (first && line < b.halo_lines) || (last && line >= b.halo_lines + b.lines) ||
	       (begin && at < b.halo_elements) || (end && at >= b.halo_elements + b.elements);
}

static __device__ inline void sluice_dma_copy(void *shared, const void *global, unsigned int buffer, unsigned int rank,
                                              unsigned int threads)
{
	const sluice_dma_state::sluice_dma_buffer b = sluice_dma().buffer[buffer];
	unsigned int length = b.elements + 2 * b.halo_elements, all = (b.lines + 2 * b.halo_lines) * length;
	for (unsigned int i = rank; i < all; i += threads) {
		unsigned int line = i / length, at = i % length;
		long long away = ((long long)line - b.halo_lines) * b.pitch + ((long long)at - b.halo_elements);
		char *to = (char *)shared + (size_t)i * b.bytes + (b.each_bank ? i / b.each_bank * 4 : 0);
		for (unsigned int k = 0; k < b.bytes; k++)
			to[k] = sluice_dma_beyond(b, line, at) ? (char)(k < 4 ? b.constant >> 8 * k : 0)
			                                       : ((const char *)global)[away * (long long)b.bytes + k];
	}
	__syncthreads();
}

static __device__ inline void dma_execute(void *shared, const void *global, unsigned int buffer)
{
	unsigned int threads, rank = sluice_dma_rank(threads);
	sluice_dma_copy(shared, global, buffer, rank, threads);
}

#define SLUICE_DMA_BYTES(count) sluice_dma_note(sluice_dma().bytes, (count))

static __device__ __forceinline__ void sluice_dma_halo(unsigned int, unsigned int lines, unsigned int elements,
                                                       unsigned int region, unsigned int constant)
{
	sluice_dma_state &state = sluice_dma();
	sluice_dma_note(state.halo_lines, lines);
	sluice_dma_note(state.halo_elements, elements);
	sluice_dma_note(state.region, region);
	sluice_dma_note(state.constant, constant);
	sluice_dma_note(state.has_halo, SLUICE_DMA_TOLD);
}

static __device__ __forceinline__ void dma_set_elements_per_bank(unsigned int elements, unsigned int = 0)
{
	sluice_dma_note(sluice_dma().each_bank, elements);
	sluice_dma_note(sluice_dma().has_banks, SLUICE_DMA_TOLD);
}

static __device__ inline void sluice_dma_matrix(void *shared, const void *global, unsigned int lines,
                                                unsigned int elements, unsigned int leading_dimension,
                                                unsigned int buffer)
{
	sluice_dma_state &state = sluice_dma();
	unsigned int threads, rank = sluice_dma_rank(threads);
	if (rank == 0) {
		bool halo = state.has_halo == SLUICE_DMA_TOLD, banks = state.has_banks == SLUICE_DMA_TOLD;
		state.buffer[buffer] = {state.bytes,
		                        lines,
		                        elements,
		                        leading_dimension,
		                        halo ? state.halo_lines : 0,
		                        halo ? state.halo_elements : 0,
		                        halo ? state.region : 0,
		                        halo ? state.constant : 0,
		                        banks ? state.each_bank : 0};
		state.has_halo = state.has_banks = 0;
	}
	__syncthreads();
	sluice_dma_copy(shared, global, buffer, rank, threads);
}

static __device__ inline void dma_configure_flat_unit_stride(void *shared, const void *global, unsigned int elements,
                                                             unsigned int buffer = 0)
{
	sluice_dma_matrix(shared, global, 1, elements, 1, buffer);
}

static __device__ inline void dma_configure_flat_strided(void *shared, const void *global, unsigned int elements,
                                                         unsigned int stride, unsigned int buffer = 0)
{
	sluice_dma_matrix(shared, global, elements, 1, stride, buffer);
}

#endif

/* Sets the element size of the transfers configured afterwards. */
#define SLUICE_DMA_TYPE(name, type)                                                                                    \
	SLUICE_DMA_CALL void dma_set_datatype_##name()                                               \
	{                                                                                                              \
		SLUICE_DMA_BYTES(sizeof(type));                                                                        \
	}
SLUICE_DMA_TYPE(char, char)
SLUICE_DMA_TYPE(short, short)
SLUICE_DMA_TYPE(int, int)
SLUICE_DMA_TYPE(float, float)
SLUICE_DMA_TYPE(double, double)
SLUICE_DMA_TYPE(long_long, long long)
/* vector types, moved as a whole */
SLUICE_DMA_TYPE(char2, char2)
SLUICE_DMA_TYPE(char4, char4)
SLUICE_DMA_TYPE(short2, short2)
SLUICE_DMA_TYPE(short4, short4)
SLUICE_DMA_TYPE(int2, int2)
SLUICE_DMA_TYPE(float2, float2)
#undef SLUICE_DMA_TYPE
#undef SLUICE_DMA_BYTES

/* Configures a tile of rows x columns of a matrix. Its rows (or columns) begin leading_dimension elements apart. The
 * tile is stored densely, in the same order. */
SLUICE_DMA_CALL void dma_configure_matrix(void *shared, const void *global, unsigned int rows,
                                                            unsigned int columns, unsigned int leading_dimension,
                                                            enum dma_order order = DMA_ROW_MAJOR,
                                                            unsigned int buffer = 0)
{
	bool by_rows = order == DMA_ROW_MAJOR;
	sluice_dma_matrix(shared, global, by_rows ? rows : columns, by_rows ? columns : rows, leading_dimension, buffer);
}

/* Adds a halo of halo_rows above and below and halo_columns on each side, read from the neighboring tiles. Outside the
 * matrix the halo is `constant`: the low 16 bits of an element, whose other bits are 0. `global` is the tile's first
 * element; `shared` receives the halo's first one. */
SLUICE_DMA_CALL void
dma_configure_matrix_halo(void *shared, const void *global, unsigned int rows, unsigned int columns,
                          unsigned int leading_dimension, enum dma_order order, unsigned int halo_rows,
                          unsigned int halo_columns, unsigned int region, unsigned int constant = 0,
                          unsigned int buffer = 0)
{
	if (order == DMA_ROW_MAJOR)
		sluice_dma_halo(buffer, halo_rows, halo_columns, region, constant);
	else
		sluice_dma_halo(buffer, halo_columns, halo_rows, sluice_dma_turned(region), constant);
	dma_configure_matrix(shared, global, rows, columns, leading_dimension, order, buffer);
}

#include "macros_on.h"

#endif
