/* dma: applies DMA instructions to a block's shared memory (docs/reference/dma.md). A mechanism models the time of a
 * transfer.
 *
 * A buffer's first command moves its data at once, for the first warp that reaches it. The same command of the
 * other warps does nothing. Each later command overwrites data that warps may still read. It moves its data when
 * every live warp of the block has reached it. Until then the warps that have reached it wait, unless the mechanism
 * that times the transfers lets them proceed (simt_launch.dma_overlaps). */
#ifndef SLUICE_SIMT_DMA_H
#define SLUICE_SIMT_DMA_H

#include "base/dma.h"
#include "simt/simt.h"

/* Commands of a block for one buffer. */
struct dma_buffer {
	/* the last transfer that was made; the pending one that some warps have reached */
	struct dma_transfer transfer, next;
	uint32_t moved;                     /* commands whose data have been moved */
	bool has_next;
};

struct dma_block {
	struct dma_buffer buffer[DMA_BUFFERS];
	struct dma_warp warp[]; /* by warp of the block */
};

/* Begins a block without commands, and frees its memory. */
void dma_block_start(struct simt_block *block);
void dma_block_free(struct simt_block *block);

/* Returns the buffer whose command in this step waits for all warps, or DMA_BUFFERS. */
uint32_t dma_waits_for(const struct simt_warp *warp, const struct simt_step *step);
/* Moves the data of the buffer's next command. All live warps have reached it. */
void dma_move(struct simt_block *block, uint32_t buffer);

/* Execution functions of these opcodes. */
simt_exec dma_say, dma_configure, dma_execute;

#endif
