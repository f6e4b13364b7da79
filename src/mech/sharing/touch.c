/* Which instructions touch what a pair shares (Figure 4, steps b to d): told by the addresses of their lanes, whatever their opcode; a warp whose lanes touch
 * both parts touches what is shared. A transfer by DMA does where it is asked for, since it may write from then on. */
#include "mech/sharing/sharing.h"

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

/* --- transfers by DMA (docs/dma.md) --- */

static uint32_t lanes_that_ask(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct sharing_block *block = &sharing_of(sm)->block[issue->block];
	uint32_t command = dma_command_of(issue->name);
	uint64_t value[DMA_MAX_FIELDS];
	if (!dma_asks(command))
		return 0;
	uint32_t lanes = mech_dma_values(sm, issue, value);
	struct dma_warp said = sharing_of(sm)->warp[issue->warp].said;
	if (!lanes)
		return 0;
	const struct dma_transfer asked = dma_asked(&said, command, value, &block->last[value[0] % DMA_BUFFERS]);
	return dma_elements(&asked) && dma_end(&asked) > residency_of(sm)->own ? lanes : 0;
}

void sharing_listen(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct dma_warp *said = &sharing_of(sm)->warp[issue->warp].said;
	uint32_t command = dma_command_of(issue->name);
	uint64_t value[DMA_MAX_FIELDS];
	if (command == DMA_COMMANDS || !mech_dma_values(sm, issue, value))
		return;
	struct dma_transfer *last = &sharing_of(sm)->block[issue->block].last[value[0] % DMA_BUFFERS];
	if (dma_asks(command))
		*last = dma_asked(said, command, value, last);
	else
		dma_tell(said, command, value);
}

uint32_t sharing_touches(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->type == MECH_MEMORY)
		return issue->space == MECH_SHARED || issue->space == MECH_GENERIC ? lanes_that_access(sm, issue) : 0;
	return issue->type == MECH_BARRIER ? lanes_that_ask(sm, issue) : 0;
}
