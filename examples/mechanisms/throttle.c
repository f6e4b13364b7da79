/* throttle: limits the warps that use memory at a time, so that each finds its data in L1. The limit is found by
 * trial.
 *
 * Only the `limit` resident warps in the first slots may issue memory instructions. A round tries all, a half, a
 * quarter and an eighth of the SM's warps, for one `epoch` each. Then it keeps the limit with the most issued
 * instructions for `keep` epochs. As a veto, the mechanism works with any warp order. A barrier may wait for a
 * refused warp, so an epoch without an issued instruction begins a new round. */
#include "seam/mech.h"

enum { TRIES = 4 };

struct config {
	uint32_t epoch, keep;
};

static const struct config defaults = {.epoch = 4096, .keep = 60};

static const struct base_option options[] = {
	{"epoch", BASE_OPTION_U32, offsetof(struct config, epoch), 16, 1 << 30, NULL, "cycles",
         "interval between two decisions"},
	{"keep", BASE_OPTION_U32, offsetof(struct config, keep), 1, 1 << 20, NULL, "epochs",
         "duration of the best limit after a round"},
};

struct stats {
	uint64_t refused;
};

static const struct base_counter counters[] = {
	{"refused", "warp-cycles", BASE_SCOPE_SM, offsetof(struct stats, refused),
         "cycles in which a warp's memory instruction was refused", BASE_COMBINE_SUM},
};

enum { AT_LIMIT, VECTORS };

static const struct base_counter_vector vectors[VECTORS] = {
	[AT_LIMIT] = {.name = "at_limit",
                      .unit = "warps",
                      .meaning = "epochs by their limit",
                      .scope = BASE_SCOPE_SM,
                      .kind = BASE_VECTOR_LINEAR,
                      .length = MECH_MAX_WARPS / 4 + 1,
                      .bin = 4},
};

struct state {
	uint64_t ends;          /* end of the epoch */
	uint32_t turn;          /* index of the epoch in the round */
	uint32_t limit, issued; /* of the epoch */
	uint32_t best, most_issued;
	uint64_t resident[MECH_MAX_WARPS / 64]; /* slots, as bits */
};

static void begin_epoch(struct mech_sm *sm, uint32_t turn, uint64_t cycle)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	uint32_t tried = sm->machine->warps >> turn;
	state->ends = cycle + config->epoch;
	state->turn = turn;
	state->limit = turn >= TRIES ? state->best : tried ? tried : 1;
	state->issued = 0;
	if (turn == 0)
		state->most_issued = 0;
}

static void on_kernel(struct mech_sm *sm)
{
	*(struct state *)sm->state = (struct state){.limit = sm->machine->warps};
}

static void change_slots(struct state *state, const struct mech_block *block)
{
	for (uint32_t warp = block->first_warp; warp < block->first_warp + block->warps; warp++)
		state->resident[warp / 64] ^= 1ull << warp % 64;
}

/* The first epoch begins with the SM's first block. */
static void on_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct state *state = sm->state;
	change_slots(state, block);
	if (!state->ends)
		begin_epoch(sm, 0, block->cycle);
}

static void on_block_end(struct mech_sm *sm, const struct mech_block *block)
{
	change_slots(sm->state, block);
}

/* Number of resident warps in slots before this one. */
static uint32_t warps_before(const struct state *state, uint32_t warp)
{
	uint32_t before = (uint32_t)__builtin_popcountll(state->resident[warp / 64] & ((1ull << warp % 64) - 1));
	for (uint32_t word = 0; word < warp / 64; word++)
		before += (uint32_t)__builtin_popcountll(state->resident[word]);
	return before;
}

static uint64_t on_cycle(struct mech_sm *sm, uint64_t cycle)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	if (!state->ends || cycle < state->ends)
		return state->ends ? state->ends : MECH_NEVER;
	mech_observe(sm->output, AT_LIMIT, state->limit);
	if (state->turn < TRIES && state->issued > state->most_issued) {
		state->best = state->limit;
		state->most_issued = state->issued;
	}
	bool over = !state->issued || state->turn + 1 == TRIES + config->keep;
	begin_epoch(sm, over ? 0 : state->turn + 1, cycle);
	return state->ends;
}

static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct state *state = sm->state;
	bool may = issue->type != MECH_MEMORY || warps_before(state, issue->warp) < state->limit;
	((struct stats *)sm->stats)->refused += !may;
	return may;
}

static void on_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)issue;
	((struct state *)sm->state)->issued++;
}

static const struct mech throttle = {
	.version = MECH_VERSION,
	.name = "throttle",
	.summary = "limits the warps that use memory at a time to the number that issues most",
	.citation = "after T. G. Rogers et al.: Cache-Conscious Wavefront Scheduling, MICRO 2012",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.vectors = vectors,
	.vector_count = VECTORS,
	.sm_size = sizeof(struct state),
	.kernel_begin = on_kernel,
	.block_begin = on_block_begin,
	.block_end = on_block_end,
	.cycle = on_cycle,
	.may_issue = may_issue,
	.issue = on_issue,
	.forgets = true,             /* kernel_begin resets the state */
	.kernels = MECH_ALL_KERNELS, /* the limit holds for the SM's warps, of whatever kernels: they share L1 */
};

MECHANISM(throttle);
