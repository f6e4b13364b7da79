/* The prefetch generator: adders that compute one address per cycle from a base address and a stride (section V). */
#include "cap.h"

static struct cap_run *run_at(struct mech_sm *sm, uint32_t number)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	return &state->run[(state->first + number) % config->runs];
}

/* The leading warp has its data, so it needs no prefetch. */
static void skip_leader(struct cap_run *run)
{
	run->warp += run->warp == run->base.warp;
}

/* Bits of warps [first, end), for end of at most 64. */
static uint64_t bits_of(uint32_t first, uint32_t end)
{
	return first < end ? UINT64_MAX >> (64 - (end - first)) << first : 0;
}

uint32_t cap_generate(struct mech_sm *sm, uint32_t slot, struct cap_base *base, int64_t stride, uint32_t warp,
                      uint32_t end, uint64_t cycle)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	if (state->runs == config->runs) {
		((struct cap_stats *)sm->stats)->generator_full++;
		return 0;
	}
	struct cap_run *run = run_at(sm, state->runs++);
	base->foreseen |= bits_of(warp, end) & ~(1ull << base->warp);
	*run = (struct cap_run){.base = *base,
	                        .stride = stride,
	                        .block = state->resident[slot].number,
	                        .slot = slot,
	                        .warp = warp,
	                        .end = end,
	                        .ready = cycle + 1};
	skip_leader(run);
	return end - warp - (base->warp >= warp && base->warp < end);
}

/* Address of the run's current access for its current warp. */
static uint64_t address_of(const struct cap_run *run)
{
	return run->base.address[run->access] + (uint64_t)(run->stride * ((int64_t)run->warp - run->base.warp));
}

static void make_one(struct mech_sm *sm, struct cap_run *run)
{
	const struct cap_config *config = sm->config;
	const struct cap_state *state = sm->state;
	const struct mech_request like = {.to = MECH_TO_L1,
	                                  .pc = run->base.key.pc,
	                                  .block = run->slot,
	                                  .once = !config->retry,
	                                  .bound = true,
	                                  .warp = state->resident[run->slot].first_warp + run->warp};
	uint64_t first = address_of(run);
	mech_send_bytes(sm, &like, first, first + run->base.bytes[run->access]);
	((struct cap_stats *)sm->stats)->addresses++;
	if (++run->access == run->base.accesses) {
		run->access = 0;
		run->warp++;
		skip_leader(run);
	}
}

/* Whether the run still has warps left and its block is still resident. */
static bool is_wanted(const struct cap_state *state, const struct cap_run *run)
{
	const struct mech_block *resident = &state->resident[run->slot];
	return run->warp < run->end && resident->warps && resident->number == run->block;
}

static void drop_done(struct mech_sm *sm)
{
	struct cap_state *state = sm->state;
	for (; state->runs && !is_wanted(state, run_at(sm, 0)); state->runs--)
		state->first = (state->first + 1) % ((const struct cap_config *)sm->config)->runs;
}

/* Whether the queue before L1 has space for all requests of the run's next address. An empty queue always has. */
static bool has_room(struct mech_sm *sm, const struct cap_run *run)
{
	uint64_t first = address_of(run);
	uint32_t room = sm->machine->send_queue, waiting = mech_waiting_to_send(sm);
	return !waiting || mech_requests_for(sm, first, first + run->base.bytes[run->access]) <= room - waiting;
}

/* The generator stalls while the queue has no space. */
uint64_t cap_cycle(struct mech_sm *sm, uint64_t cycle)
{
	struct cap_state *state = sm->state;
	drop_done(sm);
	if (!state->runs)
		return MECH_NEVER;
	struct cap_run *run = run_at(sm, 0);
	if (run->ready <= cycle && has_room(sm, run))
		make_one(sm, run);
	drop_done(sm);
	return state->runs ? cycle + 1 : MECH_NEVER;
}
