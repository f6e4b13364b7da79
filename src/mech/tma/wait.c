/* Warps that wait: for an entry of the engine, or for groups of copies. */
#include "mech/tma/tma.h"

static bool hold(struct mech_sm *sm, uint32_t warp, enum tma_waits reason)
{
	struct tma_sm *engine = tma_engine(sm);
	engine->held++;
	engine->waits[warp] = reason;
	mech_hold_warp(sm, warp);
	return false;
}

bool tma_may_copy(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct tma_config *config = sm->config;
	struct tma_stats *stats = sm->stats;
	if (tma_engine(sm)->used < config->entries)
		return true;
	stats->held_copies++;
	return hold(sm, issue->warp, TMA_FOR_ENTRY);
}

void tma_commit(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint32_t *committed = &tma_engine(sm)->committed[issue->warp * MECH_LANES];
	for (uint32_t left = issue->lanes; left; left &= left - 1)
		committed[__builtin_ctz(left)]++;
}

/* Whether the copy belongs to a group that its thread waits for. */
static bool is_awaited(const struct tma_sm *engine, const struct tma_copy *copy, uint32_t warp,
                       const struct mech_operands *operands)
{
	if (copy->state == TMA_FREE || !tma_is_of_group(copy) || copy->warp != warp ||
	    !(operands->lanes >> copy->lane & 1))
		return false;
	uint32_t may_be = (uint32_t)operands->source[0][copy->lane];
	bool reads_only = operands->source[1][copy->lane];
	uint32_t committed = engine->committed[warp * MECH_LANES + copy->lane];
	return copy->group < committed && committed - copy->group > may_be &&
	       !(reads_only && copy->state == TMA_IN_FLIGHT);
}

bool tma_may_pass(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct tma_sm *engine = tma_engine(sm);
	struct tma_stats *stats = sm->stats;
	struct mech_operands operands;
	if (!engine->used)
		return true;
	mech_operands(sm, issue, &operands);
	for (uint32_t i = 0; i < tma_entries(sm); i++)
		if (is_awaited(engine, &engine->copy[i], issue->warp, &operands)) {
			stats->held_waits++;
			return hold(sm, issue->warp, TMA_FOR_GROUP);
		}
	return true;
}

void tma_wake(struct mech_sm *sm, enum tma_waits reason)
{
	struct tma_sm *engine = tma_engine(sm);
	for (uint32_t w = 0; engine->held && w < sm->machine->warps; w++)
		if (engine->waits[w] == reason) {
			engine->waits[w] = TMA_FOR_NOTHING;
			engine->held--;
			mech_wake_warp(sm, w);
		}
}
