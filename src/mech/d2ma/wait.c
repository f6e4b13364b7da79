/* Dynamic synchronization (section 4.3, Figure 7). An instruction whose addresses lie in an unfinished transfer is
 * refused at issue. Its warp is held, and is woken when a transfer of its block completes. Stores and atomics wait
 * as loads do, because the transfer's data would overwrite theirs. */
#include "mech/d2ma/d2ma.h"

struct range {
	uint64_t first, end; /* bytes of the block's shared memory */
};

static struct range range_of(const struct dma_transfer *transfer)
{
	return (struct range){transfer->shared, dma_end(transfer)};
}

/* Lists the ranges that the warp must not access: up to two transfers per buffer. All warps wait for a transfer that
 * is ignited or waits for ignition. If some warps have not issued the command yet, only those that have wait: the
 * others may still use the old data. */
static uint32_t ranges_of(const struct d2ma_buffer *buffer, const struct d2ma_warp *warp, uint32_t number,
                          struct range range[2])
{
	uint32_t count = 0;
	if (d2ma_is_unfinished(buffer) && buffer->state != D2MA_CONFIGURED)
		range[count++] = range_of(&buffer->now);
	if (buffer->commanded > buffer->ignited)
		range[count++] = range_of(&buffer->last);
	else if (buffer->has_next && warp->dma.commands[number] > buffer->commanded)
		range[count++] = range_of(&buffer->next);
	return count;
}

static bool touches(const struct mech_operands *operands, const struct range *range)
{
	for (uint32_t left = operands->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t first = operands->address[lane];
		if (operands->space[lane] == MECH_SHARED && first < range->end &&
		    first + operands->bytes > range->first)
			return true;
	}
	return false;
}

static bool is_of_shared(const struct mech_operands *operands)
{
	for (uint32_t left = operands->lanes; left; left &= left - 1)
		if (operands->space[__builtin_ctz(left)] == MECH_SHARED)
			return true;
	return false;
}

static bool is_in_transfer(const struct d2ma_controller *controller, const struct d2ma_warp *warp,
                           const struct mech_operands *operands)
{
	for (uint32_t b = 0; b < DMA_BUFFERS; b++) {
		struct range range[2];
		uint32_t ranges = ranges_of(&controller->buffer[b], warp, b, range);
		for (uint32_t r = 0; r < ranges; r++)
			if (touches(operands, &range[r]))
				return true;
	}
	return false;
}

/* Whether a live warp of the block has not issued the buffer's first command. */
static bool is_awaited(struct mech_sm *sm, const struct d2ma_controller *controller, uint32_t number)
{
	const struct d2ma_sm *engine = d2ma_engine(sm);
	for (uint32_t w = controller->first_warp; w < controller->first_warp + controller->warps; w++) {
		struct mech_warp seen;
		if (engine->warp[w].dma.commands[number])
			continue;
		mech_look_at_warp(sm, w, &seen);
		if (seen.live)
			return true;
	}
	return false;
}

/* For sync=barrier: whether the warp must wait between its commands and the first use. It need not if no transfer of
 * the block is in progress and all warps have issued the commands that this warp has. */
static bool is_at_barrier(struct mech_sm *sm, const struct d2ma_controller *controller, const struct d2ma_warp *warp)
{
	for (uint32_t b = 0; b < DMA_BUFFERS; b++) {
		const struct d2ma_buffer *buffer = &controller->buffer[b];
		uint32_t commands = warp->dma.commands[b];
		if (d2ma_is_unfinished(buffer) || (buffer->has_next && commands > buffer->commanded) ||
		    (commands && is_awaited(sm, controller, b)))
			return true;
	}
	return false;
}

static void hold(struct mech_sm *sm, uint32_t warp, enum d2ma_waits reason)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	engine->warp[warp].waits = reason;
	engine->held++;
	mech_hold_warp(sm, warp);
}

bool d2ma_may_access(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_sm *engine = d2ma_engine(sm);
	const struct d2ma_controller *controller = &engine->controller[issue->block];
	struct d2ma_stats *stats = sm->stats;
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	if (!is_of_shared(&operands))
		return true;
	if (config->sync == D2MA_BY_BARRIER ? !is_at_barrier(sm, controller, &engine->warp[issue->warp])
	                                    : !is_in_transfer(controller, &engine->warp[issue->warp], &operands))
		return true;
	*(issue->kind == MECH_LOAD ? &stats->squashed_loads : &stats->squashed_stores) += 1;
	hold(sm, issue->warp, D2MA_FOR_DATA);
	return false;
}

bool d2ma_may_command(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_stats *stats = sm->stats;
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	if (!operands.lanes)
		return true;
	uint32_t number = (uint32_t)operands.source[0][__builtin_ctz(operands.lanes)];
	if (number >= DMA_BUFFERS ||
	    engine->warp[issue->warp].dma.commands[number] <= engine->controller[issue->block].buffer[number].ignited)
		return true;
	stats->held_commands++;
	hold(sm, issue->warp, D2MA_FOR_IGNITION);
	return false;
}

static void wake(struct mech_sm *sm, uint32_t warp)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	engine->warp[warp].waits = D2MA_FOR_NOTHING;
	engine->held--;
	mech_wake_warp(sm, warp);
}

void d2ma_wake(struct mech_sm *sm, uint32_t slot, enum d2ma_waits reason)
{
	const struct d2ma_sm *engine = d2ma_engine(sm);
	const struct d2ma_controller *controller = &engine->controller[slot];
	for (uint32_t w = controller->first_warp; engine->held && w < controller->first_warp + controller->warps; w++)
		if (engine->warp[w].waits == reason)
			wake(sm, w);
}

void d2ma_wake_at_barrier(struct mech_sm *sm, uint32_t slot)
{
	const struct d2ma_config *config = sm->config;
	const struct d2ma_sm *engine = d2ma_engine(sm);
	const struct d2ma_controller *controller = &engine->controller[slot];
	if (config->sync != D2MA_BY_BARRIER)
		return;
	for (uint32_t w = controller->first_warp; engine->held && w < controller->first_warp + controller->warps; w++)
		if (engine->warp[w].waits == D2MA_FOR_DATA && !is_at_barrier(sm, controller, &engine->warp[w]))
			wake(sm, w);
}

/* --- stalls --- */

static bool waits_for_memory(struct mech_sm *sm, uint32_t warp)
{
	struct mech_warp seen;
	mech_look_at_warp(sm, warp, &seen);
	return !seen.live || seen.held || seen.at_barrier || seen.at_fence || seen.waits_for_loads;
}

/* Section 5.2: all threads of the SM's blocks wait for memory during a transfer. The warp that last did not wait is
 * checked first: most often it still does not. */
static bool is_stalled(struct mech_sm *sm)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	if (engine->held == engine->resident)
		return true;
	if (!waits_for_memory(sm, engine->awake))
		return false;
	for (uint32_t w = 0; w < sm->machine->warps; w++)
		if (!engine->warp[w].waits && !waits_for_memory(sm, w)) {
			engine->awake = w;
			return false;
		}
	return true;
}

/* A tick's condition holds until the next tick. Periods are counted at their end, so that samples do not depend on
 * sleep. */
void d2ma_count_stalls(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_stats *stats = sm->stats;
	bool stalled = engine->held && is_stalled(sm);
	if (stalled == engine->stalled)
		return;
	if (engine->stalled)
		stats->stalled_cycles += cycle - engine->stalled_since;
	engine->stalled = stalled;
	engine->stalled_since = cycle;
}
