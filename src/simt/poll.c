/* Who waits in a loop for the host when a run is stopped. */
#include "simt/access.h"
#include "simt/message.h"
#include "simt/split.h"

#include <inttypes.h>

static bool is_shared(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *allocation = simt_find(memory, simt_address(memory, address));
	return allocation && allocation->owner == SIMT_SHARE;
}

static void look_at(const struct simt_warp *warp, struct simt_poll *poll)
{
	const struct simt_inst *inst = warp->done ? NULL : split_poll(warp);
	uint64_t address[WARP_SIZE];
	if (!inst || (inst->space != PTX_GLOBAL && inst->space != PTX_GENERIC))
		return;
	access_addresses(warp, inst, address);
	for (uint32_t rest = warp->lanes; rest && !poll->inst; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (is_shared(warp->block->launch->memory, address[lane]))
			*poll = (struct simt_poll){inst, address[lane], warp->block->index,
			                           simt_thread(warp->block->launch, warp->index, lane)};
	}
}

void simt_find_poll(const struct simt_block *block, struct simt_poll *poll)
{
	for (uint32_t w = 0; w < block->warps && !poll->inst; w++)
		look_at(&block->warp[w], poll);
}

void simt_poll_print(const struct simt_launch *launch, const struct simt_poll *poll, char *text, size_t size)
{
	struct message out = {text, size};
	if (!size)
		return;
	text[0] = '\0';
	if (!poll->inst)
		return;
	message_add(&out, "\n  at ");
	message_place(&out, launch, poll->inst->ptx);
	message_add(&out, " block ");
	message_dim(&out, poll->block);
	message_add(&out, ", thread ");
	message_dim(&out, poll->thread);
	message_add(&out,
	            " polls address 0x%" PRIx64
	            ", which is the host's memory: a kernel runs when it is launched, so what "
	            "the host writes there afterwards never comes",
	            poll->address);
}
