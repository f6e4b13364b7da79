/* Ownership of a pair's common part. The first block to touch it owns it until its last thread has executed relssp
 * (section 6.2, Figure 11), or until it ends. If an owner ends without a release, its partner becomes the owner, and
 * not the block that replaces the owner (section 4). A warp that touches what the partner owns is refused at issue,
 * and woken when the owner may have changed. */
#include "mech/sharing/sharing.h"

enum rank { OWNER, UNSHARED, NON_OWNER }; /* ranks of warps, section 4: lower ranks have priority */

static uint32_t *owner_of(struct mech_sm *sm, uint32_t slot)
{
	struct sharing_sm *state = sharing_of(sm);
	return &state->owner[sharing_pair(&state->residency, slot)];
}

static bool is_paired(const struct mech_sm *sm, uint32_t slot)
{
	return sharing_partner(&sharing_of(sm)->residency, slot) != SHARING_NOBODY;
}

/* Whether the times of the block's parts are counted. */
static bool is_measured(const struct mech_sm *sm, uint32_t slot)
{
	return is_paired(sm, slot) || sharing_of(sm)->residency.only_measured;
}

static void rank_block(struct mech_sm *sm, uint32_t slot, enum rank rank)
{
	const struct sharing_block *block = &sharing_of(sm)->block[slot];
	for (uint32_t w = block->first_warp; w < block->first_warp + block->warps; w++) {
		struct mech_warp seen;
		mech_look_at_warp(sm, w, &seen);
		if (seen.live)
			mech_rank_warp(sm, w, rank);
	}
}

static void draw(struct mech_sm *sm, enum sharing_event row, uint32_t slot, uint64_t begin, uint64_t end)
{
	mech_draw(sm->output, &(struct mech_event){.row = row, .track = slot, .begin = begin, .end = end});
}

/* --- waiting --- */

static void wait_for_owner(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct sharing_config *config = sm->config;
	struct sharing_warp *warp = &sharing_of(sm)->warp[issue->warp];
	struct sharing_stats *stats = sm->stats;
	*(warp->waits ? &stats->polls : &stats->lock_waits) += 1;
	if (!warp->waits)
		warp->since = issue->cycle;
	warp->waits = true;
	if (!config->poll)
		mech_hold_warp(sm, issue->warp);
}

static void stop_waiting(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct sharing_warp *warp = &sharing_of(sm)->warp[slot];
	((struct sharing_stats *)sm->stats)->lock_wait_cycles += cycle - warp->since;
	warp->waits = false;
}

/* Wakes the block's waiting warps, which try again. The timeline shows the wait of the one that waited longest. */
static void wake_block(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	const struct sharing_config *config = sm->config;
	const struct sharing_block *block = &sharing_of(sm)->block[slot];
	uint64_t since = cycle;
	for (uint32_t w = block->first_warp; w < block->first_warp + block->warps; w++) {
		const struct sharing_warp *warp = &sharing_of(sm)->warp[w];
		if (!warp->waits)
			continue;
		since = warp->since < since ? warp->since : since;
		stop_waiting(sm, w, cycle);
		if (!config->poll)
			mech_wake_warp(sm, w);
	}
	if (since < cycle)
		draw(sm, SHARING_WAITS, slot, since, cycle);
}

/* --- the lock --- */

static void give_lock(struct mech_sm *sm, uint32_t slot)
{
	*owner_of(sm, slot) = slot;
	rank_block(sm, slot, OWNER);
}

/* Ends the ownership of the pair's owner, which may have ended. */
static void take_from_owner(struct mech_sm *sm, uint32_t pair, uint64_t cycle)
{
	struct sharing_sm *state = sharing_of(sm);
	uint32_t slot = state->owner[pair], partner = sharing_partner(&state->residency, slot);
	struct sharing_block *other = &state->block[partner];
	if (state->block[slot].resident)
		rank_block(sm, slot, NON_OWNER);
	state->owner[pair] = SHARING_NOBODY;
	if (!other->resident)
		return;
	if (!state->block[slot].released && !other->released) { /* the owner has ended */
		other->inherited = true;
		give_lock(sm, partner);
	}
	wake_block(sm, partner, cycle);
}

/* Runs after the schedulers, so that no scheduler sees what happened in the same cycle. */
void sharing_settle(struct mech_sm *sm, uint64_t cycle)
{
	struct sharing_sm *state = sharing_of(sm);
	for (; state->given_up; state->given_up &= state->given_up - 1)
		take_from_owner(sm, (uint32_t)__builtin_ctz(state->given_up), cycle);
}

static void give_up(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct sharing_sm *state = sharing_of(sm);
	const struct sharing_block *block = &state->block[slot];
	state->given_up |= 1u << sharing_pair(&state->residency, slot);
	if (block->touched)
		draw(sm, SHARING_OWNS, slot, block->touch, cycle);
}

static void release(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct sharing_block *block = &sharing_of(sm)->block[slot];
	block->released = true;
	block->release = cycle;
	if (!is_paired(sm, slot) || *owner_of(sm, slot) != slot)
		return;
	((struct sharing_stats *)sm->stats)->released++;
	give_up(sm, slot, cycle);
}

/* --- instructions --- */

static const char released_thread[] = "touches shared memory that its pair of blocks shares, after its relssp";
static const char copy_goes_on[] =
	"releases what its pair of blocks shares while its own copy in bulk may still read it";
static const char no_lock[] = "touches shared memory that its pair of blocks shares, without owning it";

/* Fast test: the block owns the common part and has touched it before, and no thread of the warp has released it.
 * Then it does not matter what the instruction touches. */
static bool touches_freely(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct sharing_sm *state = sharing_of(sm);
	return state->block[issue->block].touched && !state->warp[issue->warp].released &&
	       (!is_paired(sm, issue->block) || *owner_of(sm, issue->block) == issue->block);
}

bool sharing_may_touch(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct sharing_warp *warp = &sharing_of(sm)->warp[issue->warp];
	warp->touches = false;
	if (!is_measured(sm, issue->block) || touches_freely(sm, issue))
		return true;
	uint32_t lanes = sharing_touches(sm, issue), wrong = lanes & warp->released;
	uint32_t owner = is_paired(sm, issue->block) ? *owner_of(sm, issue->block) : issue->block;
	if (wrong)
		mech_stop(sm, issue, (uint32_t)__builtin_ctz(wrong), released_thread);
	warp->touches = lanes != 0;
	if (!lanes || owner == issue->block || owner == SHARING_NOBODY)
		return true;
	wait_for_owner(sm, issue);
	return false;
}

void sharing_touch(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct sharing_block *block = &sharing_of(sm)->block[issue->block];
	struct sharing_warp *warp = &sharing_of(sm)->warp[issue->warp];
	struct sharing_stats *stats = sm->stats;
	if (!warp->touches)
		return;
	warp->touches = false;
	if (is_paired(sm, issue->block) && *owner_of(sm, issue->block) == SHARING_NOBODY)
		give_lock(sm, issue->block);
	if (is_paired(sm, issue->block) && *owner_of(sm, issue->block) != issue->block)
		mech_stop(sm, issue, 0, no_lock);
	if (block->touched)
		return;
	block->touched = true;
	block->touch = issue->cycle;
	stats->owners++;
	stats->inherited += block->inherited;
}

void sharing_lanes_done(struct mech_sm *sm, const struct mech_issue *issue, bool exit)
{
	struct sharing_block *block = &sharing_of(sm)->block[issue->block];
	struct sharing_warp *warp = &sharing_of(sm)->warp[issue->warp];
	struct sharing_stats *stats = sm->stats;
	uint32_t done = warp->unreleased & issue->lanes;
	if (!exit) {
		if (issue->lanes & warp->copying && is_paired(sm, issue->block))
			mech_stop(sm, issue, (uint32_t)__builtin_ctz(issue->lanes & warp->copying), copy_goes_on);
		stats->relssp += (uint32_t)__builtin_popcount(issue->lanes);
		stats->repeated_relssp += (uint32_t)__builtin_popcount(issue->lanes & warp->released);
		warp->released |= issue->lanes;
		block->has_relssp = true;
	}
	warp->unreleased ^= done;
	block->unreleased -= (uint32_t)__builtin_popcount(done);
	if (!block->unreleased && block->has_relssp && !block->released)
		release(sm, issue->block, issue->cycle);
}

/* --- blocks --- */

void sharing_block_begin(struct mech_sm *sm, const struct mech_block *event)
{
	struct sharing_sm *state = sharing_of(sm);
	struct sharing_stats *stats = sm->stats;
	uint32_t threads = sm->launch->threads;
	bool paired = is_paired(sm, event->slot);
	state->block[event->slot] = (struct sharing_block){.resident = true,
	                                                   .first_warp = event->first_warp,
	                                                   .warps = event->warps,
	                                                   .unreleased = threads,
	                                                   .begin = event->cycle};
	for (uint32_t w = 0; w < event->warps; w++)
		state->warp[event->first_warp + w] = (struct sharing_warp){.unreleased = UINT32_MAX};
	*(paired ? &stats->paired_blocks : &stats->unshared_blocks) += 1;
	rank_block(sm, event->slot, paired ? NON_OWNER : UNSHARED);
}

static void count_times(struct mech_sm *sm, const struct sharing_block *block, uint64_t end)
{
	struct sharing_stats *stats = sm->stats;
	uint64_t touch = block->touched ? block->touch : end, release = block->released ? block->release : end;
	release = release < touch ? touch : release; /* released without a touch */
	stats->cycles_before += touch - block->begin;
	stats->cycles_in += release - touch;
	stats->cycles_after += end - release;
	uint64_t half = (end - block->begin) / 2, in = release - touch;
	stats->cycles_least += in > half ? in : half;
}

void sharing_block_end(struct mech_sm *sm, const struct mech_block *event)
{
	struct sharing_block *block = &sharing_of(sm)->block[event->slot];
	block->resident = false;
	if (is_measured(sm, event->slot))
		count_times(sm, block, event->cycle);
	if (!is_paired(sm, event->slot))
		return;
	if (*owner_of(sm, event->slot) == event->slot && !block->released)
		give_up(sm, event->slot, event->cycle);
}
