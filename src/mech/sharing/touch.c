/* Finds instructions that touch the common part of a pair, by the addresses of their lanes, whatever the opcode (V.
 * Jatala et al., Scratchpad Sharing in GPUs, 2016: section 3; Figure 4, steps b to d). A warp whose lanes touch both
 * parts touches the common part. A DMA transfer touches it at its command, because it may write from then on. */
#include "mech/sharing/sharing.h"

#include "ptx/access.h"
#include "seam/mech_bulk.h"
#include "seam/mech_dma.h"

static const struct sharing_residency *residency_of(const struct mech_sm *sm)
{
	return &sharing_of(sm)->residency;
}

static uint32_t lanes_that_access(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint32_t own = residency_of(sm)->own, found = 0;
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	for (uint32_t left = operands.bytes ? operands.lanes : 0; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		if (operands.space[lane] == MECH_SHARED && operands.address[lane] + operands.bytes > own)
			found |= 1u << lane;
	}
	return found;
}

/* --- transfers by DMA (docs/reference/dma.md) --- */

static uint32_t lanes_that_start_transfers(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct sharing_block *block = &sharing_of(sm)->block[issue->block];
	uint32_t command = dma_command_of(issue->name);
	uint64_t value[DMA_MAX_FIELDS];
	if (!dma_is_transfer(command))
		return 0;
	uint32_t lanes = mech_dma_values(sm, issue, value);
	struct dma_warp dma = sharing_of(sm)->warp[issue->warp].dma;
	if (!lanes)
		return 0;
	const struct dma_transfer transfer =
		dma_transfer_of(&dma, command, value, &block->last[value[0] % DMA_BUFFERS]);
	return dma_elements(&transfer) && dma_end(&transfer) > residency_of(sm)->own ? lanes : 0;
}

static void track_dma(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct dma_warp *dma = &sharing_of(sm)->warp[issue->warp].dma;
	uint32_t command = dma_command_of(issue->name);
	uint64_t value[DMA_MAX_FIELDS];
	if (command == DMA_COMMANDS || !mech_dma_values(sm, issue, value))
		return;
	struct dma_transfer *last = &sharing_of(sm)->block[issue->block].last[value[0] % DMA_BUFFERS];
	if (dma_is_transfer(command))
		*last = dma_transfer_of(dma, command, value, last);
	else
		dma_set_parameters(dma, command, value);
}

/* --- copies in bulk --- */

static bool is_bulk_copy(uint32_t opcode)
{
	return opcode >= PTX_OP_CP_BULK && opcode <= PTX_OP_CP_REDUCE_BULK_TENSOR;
}

/* Whether the last shared-memory byte of a copy, or of its mbarrier, lies beyond the block's private bytes. Tiles
 * are swizzled within 128 bytes. */
static bool is_copy_of_common(const struct bulk_copy *copy, uint32_t own)
{
	uint64_t end = copy->shared + copy->bytes;
	if (copy->kind == BULK_PREFETCH)
		return false;
	if (copy->rank && copy->map.swizzle)
		end = (end + TENSOR_LINE - 1) / TENSOR_LINE * TENSOR_LINE;
	bool touches = end > own || (copy->kind == BULK_WITHIN && copy->global + copy->bytes > own);
	bool tells = copy->kind == BULK_TO_SHARED || copy->kind == BULK_WITHIN;
	return touches || (tells && copy->barrier + 8 > own);
}

static uint32_t lanes_that_copy(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint32_t found = 0;
	for (uint32_t left = issue->lanes; left; left &= left - 1) {
		struct bulk_copy copy;
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		if (mech_bulk_copy(sm, issue, lane, &copy) && is_copy_of_common(&copy, residency_of(sm)->own))
			found |= 1u << lane;
	}
	return found;
}

/* Groups are not distinguished: a wait for any of them counts, so that no correct program is stopped. */
static void track_bulk_copies(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct sharing_warp *warp = &sharing_of(sm)->warp[issue->warp];
	struct bulk_copy copy;
	if (issue->opcode == PTX_OP_CP_BULK_WAIT)
		warp->copying &= ~issue->lanes;
	if (!is_bulk_copy(issue->opcode))
		return;
	for (uint32_t left = lanes_that_copy(sm, issue); left; left &= left - 1)
		if (mech_bulk_copy(sm, issue, (uint32_t)__builtin_ctz(left), &copy) &&
		    (copy.kind == BULK_FROM_SHARED || copy.kind == BULK_REDUCE))
			warp->copying |= left & -left;
}

void sharing_track(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->type == MECH_MEMORY)
		return;
	track_dma(sm, issue);
	track_bulk_copies(sm, issue);
}

/* An opcode that accesses shared memory by the table of ptx/access.h, at addresses that are not known here, counts
 * as a touch. */
uint32_t sharing_touches(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->type == MECH_MEMORY)
		return issue->space == MECH_SHARED || issue->space == MECH_GENERIC ? lanes_that_access(sm, issue) : 0;
	if (!ptx_op_may_touch_shared((enum ptx_opcode)issue->opcode))
		return 0;
	if (is_bulk_copy(issue->opcode))
		return lanes_that_copy(sm, issue);
	return dma_command_of(issue->name) != DMA_COMMANDS ? lanes_that_start_transfers(sm, issue) : issue->lanes;
}
