/* dma: what the DMA instructions do to a block's shared memory (docs/reference/dma.md). What a transfer costs is for a mechanism to say.
 *
 * A buffer's first command moves its data at once, for whichever warp comes first; the others' same command does nothing. Each later one
 * overwrites what warps may still read: it moves its data when every live warp of the block has come to it, and until then those that
 * have come wait, unless whoever gives the transfers their time lets them go on (simt_launch.dma_overlaps). */
#ifndef SLUICE_SIMT_DMA_H
#define SLUICE_SIMT_DMA_H

#include "base/dma.h"
#include "simt/simt.h"

/* What a block has asked of a buffer. */
struct dma_buffer {
	struct dma_transfer transfer, next; /* the last one that was made; the one that warps have come to and that is not */
	uint32_t moved;                     /* commands whose data have been moved */
	bool has_next;
};

struct dma_block {
	struct dma_buffer buffer[DMA_BUFFERS];
	struct dma_warp warp[]; /* by warp of the block */
};

/* The block begins, in which nothing has been asked for; its room is given back. */
void dma_block_start(struct simt_block *block);
void dma_block_free(struct simt_block *block);

/* A warp's command of a buffer that its step has made waits for all warps: the buffer's number, or DMA_BUFFERS. */
uint32_t dma_waits_for(const struct simt_warp *warp, const struct simt_step *step);
/* All live warps have come to the buffer's next command. */
void dma_move(struct simt_block *block, uint32_t buffer);

/* For instructions of these opcodes. */
simt_exec dma_say, dma_configure, dma_execute;

#endif
