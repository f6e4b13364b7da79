/* A copy from its issue to its end. */
#include "mech/tma/tma.h"

#include <assert.h>

static struct tma_copy *free_entry(struct mech_sm *sm)
{
	struct tma_sm *engine = tma_engine(sm);
	for (uint32_t i = 0; i < tma_entries(sm); i++)
		if (engine->copy[i].state == TMA_FREE)
			return &engine->copy[i];
	assert(!"an instruction issues when there is an entry");
	return NULL;
}

void tma_start(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const struct bulk_copy *what)
{
	const struct tma_config *config = sm->config;
	struct tma_sm *engine = tma_engine(sm);
	struct tma_stats *stats = sm->stats;
	struct tma_copy *copy = free_entry(sm);
	*copy = (struct tma_copy){.state = TMA_WAITING,
	                          .what = *what,
	                          .serial = ++engine->serials,
	                          .block = issue->block,
	                          .warp = issue->warp,
	                          .lane = lane,
	                          .group = engine->committed[issue->warp * MECH_LANES + lane],
	                          .issued = issue->cycle,
	                          .ready = issue->cycle + config->latency};
	engine->used++;
	stats->copies++;
}

static void count(struct mech_sm *sm, const struct tma_copy *copy, uint64_t cycle)
{
	struct tma_stats *stats = sm->stats;
	uint32_t track = (uint32_t)(copy - tma_engine(sm)->copy);
	uint64_t bytes = copy->what.bytes;
	bool in = copy->what.kind == BULK_TO_SHARED || copy->what.kind == BULK_WITHIN;
	stats->completed++;
	*(in ? &stats->bytes_in : &stats->bytes_out) += copy->what.kind == BULK_PREFETCH ? 0 : bytes;
	stats->copy_cycles += cycle - copy->issued;
	stats->queued_cycles += copy->begin - copy->issued;
	stats->agen_cycles += copy->generated - copy->begin;
	stats->mem_cycles += cycle - copy->generated;
	mech_observe(sm->output, TMA_COPY_TIME, cycle - copy->issued);
	mech_draw(sm->output,
	          &(struct mech_event){TMA_AGEN, track, copy->begin, copy->generated, {copy->serial, bytes}});
	mech_draw(sm->output, &(struct mech_event){TMA_MEM, track, copy->generated, cycle, {copy->serial, bytes}});
}

void tma_come_on(struct mech_sm *sm, struct tma_copy *copy, uint64_t cycle)
{
	struct tma_sm *engine = tma_engine(sm);
	const struct bulk_copy *what = &copy->what;
	if (copy->state != TMA_IN_FLIGHT || copy->coming)
		return;
	count(sm, copy, cycle);
	copy->state = TMA_FREE;
	engine->used--;
	if (what->kind == BULK_TO_SHARED || what->kind == BULK_WITHIN)
		mech_complete_bytes(sm, copy->block, (uint32_t)what->barrier, 0, what->bytes);
	tma_wake(sm, TMA_FOR_ENTRY);
	tma_wake(sm, TMA_FOR_GROUP);
}

void tma_block_ends(struct mech_sm *sm, uint32_t block, uint64_t cycle)
{
	struct tma_sm *engine = tma_engine(sm);
	struct tma_stats *stats = sm->stats;
	if (engine->agen.copy && engine->agen.copy->block == block)
		tma_agen_leave(sm, cycle);
	for (uint32_t i = 0; i < tma_entries(sm); i++) {
		struct tma_copy *copy = &engine->copy[i];
		if (copy->state == TMA_FREE || copy->block != block)
			continue;
		if (copy->state == TMA_IN_FLIGHT &&
		    tma_is_of_group(copy)) { /* its data have been read from shared memory: it continues */
			copy->block = copy->warp = MECH_NOWHERE;
			continue;
		}
		copy->state = TMA_FREE;
		engine->used--;
		stats->abandoned++;
	}
	tma_wake(sm, TMA_FOR_ENTRY);
	tma_wake(sm, TMA_FOR_GROUP);
}
