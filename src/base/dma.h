/* dma: what a transfer by DMA moves, from global memory to a block's shared memory: its shape, and where each element comes from and goes
 * (docs/dma.md).
 *
 * Elements lie in lines: of a line all follow each other in global memory, lines are `pitch` elements apart. Unit stride is one line; a
 * stride, lines of one element; a matrix has its rows as lines, or its columns. In shared memory all lie densely, line by line.
 * Around them there may be a halo; what of it lies beyond the whole matrix is a constant. */
#ifndef SLUICE_BASE_DMA_H
#define SLUICE_BASE_DMA_H

#include <stdbool.h>
#include <stdint.h>

enum { DMA_BUFFERS = 4, DMA_BANK_BYTES = 4 };

enum dma_shape { DMA_FLAT, DMA_STRIDED, DMA_MATRIX };

/* Borders of the whole matrix at which a tile lies. */
enum dma_side { DMA_FIRST_LINE = 1, DMA_LAST_LINE = 2, DMA_LINE_BEGIN = 4, DMA_LINE_END = 8 };

struct dma_transfer {
	uint64_t global; /* address of the first element within the halo */
	uint32_t shared; /* from the start of the block's, of the first element, the halo's included */
	uint32_t shape;  /* enum dma_shape */
	uint32_t element_bytes; /* 1, 2, 4 or 8 */
	uint32_t lines, length, pitch; /* without the halo; elements */
	uint32_t halo_lines, halo_length; /* on each side: lines, elements of a line */
	uint32_t sides;     /* enum dma_side, ored: beyond them the halo is constant */
	uint64_t constant;  /* bits of an element */
	uint32_t each_bank; /* behind so many elements a bank is left out; 0: none is */
};

static inline uint32_t dma_lines(const struct dma_transfer *transfer)
{
	return transfer->lines + 2 * transfer->halo_lines;
}

static inline uint32_t dma_length(const struct dma_transfer *transfer)
{
	return transfer->length + 2 * transfer->halo_length;
}

/* With the halo. */
static inline uint64_t dma_elements(const struct dma_transfer *transfer)
{
	return (uint64_t)dma_lines(transfer) * dma_length(transfer);
}

/* Where element `at` of a line comes from, the halo's included: whether it is constant, or its address. */
static inline bool dma_is_constant(const struct dma_transfer *transfer, uint32_t line, uint32_t at)
{
	uint32_t sides = transfer->sides;
	return (sides & DMA_FIRST_LINE && line < transfer->halo_lines) ||
	       (sides & DMA_LAST_LINE && line >= transfer->halo_lines + transfer->lines) ||
	       (sides & DMA_LINE_BEGIN && at < transfer->halo_length) ||
	       (sides & DMA_LINE_END && at >= transfer->halo_length + transfer->length);
}

static inline uint64_t dma_source(const struct dma_transfer *transfer, uint32_t line, uint32_t at)
{
	int64_t lines = (int64_t)line - transfer->halo_lines, elements = (int64_t)at - transfer->halo_length;
	return transfer->global + (uint64_t)((lines * transfer->pitch + elements) * transfer->element_bytes);
}

/* Where element number `element`, line by line, goes in the block's shared memory; and where the last one ends. */
static inline uint64_t dma_place(const struct dma_transfer *transfer, uint64_t element)
{
	uint64_t banks = transfer->each_bank ? element / transfer->each_bank : 0;
	return transfer->shared + element * transfer->element_bytes + banks * DMA_BANK_BYTES;
}

static inline uint64_t dma_end(const struct dma_transfer *transfer)
{
	return dma_place(transfer, dma_elements(transfer) - 1) + transfer->element_bytes;
}

#endif
