// Protects the race check of DMA transfers (docs/how-to/checks.md): each error that a program can make, next to a
// correct program. tests/simt/test_simt_race_dma.c tests every ordering operation.
#include "cases.h"

#include <sluice/dma.h>

enum { THREADS = 96 };

// One warp reads the old data while another warp may already have started the transfer that overwrites it.
//: early: check race
//| race on shared memory: a DMA transfer that nothing orders
//| read at device code:
//| transfers.cu:@early_read), thread (
//| transfer of DMA buffer 0 at device code:
//| block (0,0,0), shared address 0x
//| , 4 bytes, 'tile' +
__global__ void early(const int *in, int *out)
{
	__shared__ int tile[THREADS];
	int t = threadIdx.x;
	tile[t] = t;
	__syncthreads();
	out[t] = tile[t ^ 1]; // @early_read
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	out[t] += tile[t];
}

//: in_time: right race,shared-init
__global__ void in_time(const int *in, int *out)
{
	__shared__ int tile[THREADS];
	int t = threadIdx.x;
	tile[t] = t;
	__syncthreads();
	out[t] = tile[t ^ 1];
	__syncthreads();
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	out[t] += tile[t];
}

// The source is written while the engine may still read it: no thread has waited for the transfer.
//: source: check race
//| race on global memory: written while a DMA transfer may read it
//| transfer of DMA buffer 0 at device code:
//| write at device code:
//| transfers.cu:@source_write), thread (
//| allocation: 0x
__global__ void source(int *in, int *out)
{
	__shared__ int tile[THREADS];
	int t = threadIdx.x;
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	__syncthreads();
	in[t] = t; // @source_write
	out[t] = tile[t];
}

//: source_behind: right race
__global__ void source_behind(int *in, int *out)
{
	__shared__ int tile[THREADS];
	int t = threadIdx.x;
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	out[t] = tile[t];
	in[t] = t;
}

// After the transfer, the stores of other warps are as unordered as any other store.
//: neighbor: check race
//| race on shared memory: two warps that nothing orders
//| transfers.cu:@neighbor_write), thread (
//| transfers.cu:@neighbor_read), thread (
__global__ void neighbor(const int *in, int *out)
{
	__shared__ int tile[THREADS];
	int t = threadIdx.x;
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	tile[t] += t; // @neighbor_write
	out[t] = tile[(t + 32) % THREADS]; // @neighbor_read
}

// Two buffers write to the same location.
//: overlap: check race
//| transfer of DMA buffer 0 at device code:
//| transfer of DMA buffer 1 at device code:
__global__ void overlap(const int *in, int *out)
{
	__shared__ int tile[2 * THREADS];
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS, 0);
	dma_configure_flat_unit_stride(tile + THREADS - 1, in, THREADS, 1);
	out[threadIdx.x] = tile[threadIdx.x];
}

// A DMA command is no barrier for other data.
//: aside: check race
//| race on shared memory: two warps that nothing orders
//| transfers.cu:@aside_write), thread (
//| transfers.cu:@aside_read), thread (
__global__ void aside(const int *in, int *out)
{
	__shared__ int tile[THREADS], other[THREADS];
	int t = threadIdx.x;
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, in, THREADS);
	other[t] = t; // @aside_write
	dma_execute(tile, in + THREADS, 0);
	out[t] = other[(t + 32) % THREADS]; // @aside_read
}

// A transfer copies unwritten bytes as unwritten; a halo's constants count as written.
//: unwritten: check init,shared-init
//| read of shared memory that nobody wrote
//| transfers.cu:@unwritten_read), thread (1,0,0)
//| 'tile' + 4
//| 1 times in this launch
__global__ void unwritten(int *in, int *out)
{
	__shared__ int tile[3 * 3];
	if (threadIdx.x == 0)
		in[0] = 5;
	__syncthreads();
	dma_set_datatype_int();
	dma_configure_matrix_halo(tile, in, 1, 2, 2, DMA_ROW_MAJOR, 0, 0, DMA_INTERIOR, 0, 1);
	if (threadIdx.x < 2)
		out[threadIdx.x] = tile[threadIdx.x]; // @unwritten_read
	dma_configure_matrix_halo(tile, in, 1, 1, 1, DMA_ROW_MAJOR, 0, 1, 4, 9, 1);
	if (threadIdx.x < 2)
		out[threadIdx.x] = tile[threadIdx.x];
}

// A kernel without DMA after a kernel with DMA, and the reverse.
//: between: check race
//| race on shared memory: two warps that nothing orders
//| transfers.cu:@between_write), thread (
//| transfers.cu:@between_read), thread (
__global__ void between(int *out)
{
	__shared__ int other[8 * THREADS];
	int t = threadIdx.x;
	other[t] = t; // @between_write
	out[t] = other[(t + blockDim.x / 2) % blockDim.x]; // @between_read
}

// Two alternating buffers, whose data are updated in place; warps that exit; source data that the block itself wrote.
//: turns: right race,init,shared-init
__global__ void turns(int *in, int *out)
{
	__shared__ int tile[2][THREADS];
	int t = threadIdx.x, sum = 0;
	in[t] = t;
	__syncthreads();
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile[0], in, THREADS, 0);
	dma_configure_flat_unit_stride(tile[1], in + THREADS, THREADS, 1);
	for (int i = 0; i < 6; i++) {
		if (i == 3 && t / 32 == 1)
			return;
		tile[i % 2][t] += sum;
		sum += tile[i % 2][t];
		in[i % 2 * THREADS + t] = sum;
		dma_execute(tile[i % 2], in + i % 2 * THREADS, i % 2);
	}
	out[t] = sum + tile[0][t ^ 32];
}

static void run_case()
{
	int *in = ints(2 * THREADS, 7), *out = ints(2 * THREADS, 0);
	CASE(early) early<<<2, THREADS>>>(in, out);
	CASE(in_time) in_time<<<2, THREADS>>>(in, out);
	CASE(source) source<<<1, THREADS>>>(in, out);
	CASE(source_behind) source_behind<<<1, THREADS>>>(in, out);
	CASE(neighbor) neighbor<<<1, THREADS>>>(in, out);
	CASE(overlap) overlap<<<1, THREADS>>>(in, out);
	CASE(aside) aside<<<1, THREADS>>>(in, out);
	CASE(between)
	for (int i = 0; i < 2; i++) {
		in_time<<<30, THREADS>>>(in, out);
		between<<<30, 2 * THREADS>>>(out);
	}
	CASE(unwritten)
	{
		int *fresh;
		cudaMalloc(&fresh, 2 * sizeof *fresh);
		unwritten<<<1, THREADS>>>(fresh, out);
	}
	CASE(turns) turns<<<1, THREADS>>>(in, out);
}
