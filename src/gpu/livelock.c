#include "gpu/livelock.h"

#include "base/arena.h"
#include "gpu/sampler.h"

#include <stdlib.h>

void livelock_begin(struct livelock *livelock, const struct gpu *gpu, uint64_t cycle)
{
	uint32_t said = gpu->machine.livelock, cycles = said && said < LIVELOCK_LEAST ? LIVELOCK_LEAST : said;
	*livelock = (struct livelock){.next = cycles ? cycle + cycles : UINT64_MAX,
	                              .since = cycle,
	                              .interval = cycles / LIVELOCK_LOOKS,
	                              .cycles = cycles,
	                              .warps = gpu->machine.sm.warps};
}

void livelock_end(struct livelock *livelock)
{
	free(livelock->state);
	free(livelock->states);
}

/* The owner of the warp order, when it has let other warps issue in place of this one since the last change. */
const char *livelock_starves(const struct sm *sm, uint32_t slot)
{
	return scheduler_starves(sm, slot) && scheduler_issuers(sm, slot) ? sm->seam->order->mech->name : NULL;
}

/* True when a warp polls device memory or cannot continue. A warp that is excluded, or starved, only for a while
 * reaches new states between checks. */
static bool is_stuck(const struct sm *sm, uint32_t slot, bool *polls)
{
	const struct simt_warp *warp = sm->warp[slot].simt;
	struct simt_poll poll;
	if (warp->done || warp->block->waiting >> warp->index & 1 || gpu_kept_by(sm, slot) ||
	    livelock_starves(sm, slot))
		return true;
	if (!simt_warp_polls(warp, &poll))
		return gpu_left_out_by(sm, slot) != NULL;
	*polls |= !poll.is_host;
	return !poll.is_host;
}

static bool all_stuck(const struct gpu *gpu)
{
	bool polls = false;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		for (uint32_t w = 0; w < gpu->sm[i].config.warps; w++)
			if (gpu->sm[i].warp[w].simt && !is_stuck(&gpu->sm[i], w, &polls))
				return false;
	return polls;
}

/* Stores a state if it is new. */
static bool is_new(struct livelock *livelock, uint32_t number, uint64_t state)
{
	uint8_t *count = &livelock->states[number];
	uint64_t *known = livelock->state[number];
	for (uint32_t i = 0; i < *count; i++)
		if (known[i] == state)
			return false;
	if (*count == LIVELOCK_STATES)
		*count = 0;
	known[(*count)++] = state;
	return true;
}

static bool any_new(struct livelock *livelock, const struct gpu *gpu)
{
	bool any = false;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		for (uint32_t w = 0; w < gpu->sm[i].config.warps; w++) {
			const struct simt_warp *warp = gpu->sm[i].warp[w].simt;
			if (warp && !warp->done)
				any |= is_new(livelock, i * livelock->warps + w, simt_warp_hash(warp));
		}
	return any;
}

/* Allocates the states when a kernel polls for the first time. */
static void reserve(struct livelock *livelock, uint32_t sms)
{
	size_t warps = (size_t)sms * livelock->warps;
	if (livelock->state)
		return;
	livelock->state = base_calloc(warps, sizeof *livelock->state);
	livelock->states = base_calloc(warps, sizeof *livelock->states);
}

/* A warp that stores or reaches a barrier has left its loop. */
static uint64_t stores_of(const struct gpu *gpu)
{
	uint64_t stores = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		stores += gpu->sm[i].stats.global_stores + gpu->sm[i].stats.barriers;
	return stores;
}

/* From here on a warp must issue to show that it is not starved. */
static void forget_issues(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		scheduler_forget_issues(&gpu->sm[i]);
}

bool livelock_look(struct livelock *livelock, struct gpu *gpu, const struct dispatch *dispatch, uint64_t cycle)
{
	bool sampled = dispatch->sampler && dispatch->blocks < dispatch->sampler->blocks;
	uint64_t stores = stores_of(gpu);
	bool moves = dispatch->placed != livelock->placed || stores != livelock->stores || sampled || !all_stuck(gpu);
	livelock->stores = stores;
	livelock->next = cycle + livelock->interval;
	livelock->placed = dispatch->placed;
	if (!moves) {
		reserve(livelock, gpu->machine.sms);
		moves = any_new(livelock, gpu);
	}
	if (moves) {
		livelock->since = cycle;
		forget_issues(gpu);
	}
	return cycle - livelock->since >= livelock->cycles;
}
