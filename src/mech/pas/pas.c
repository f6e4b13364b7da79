/* pas: the prefetch-aware scheduler of CAPS (README.md). One warp of each block has priority, so that the block's
 * base addresses are known early. A warp whose prefetched data have arrived joins the competing warps. */
#include "seam/mech_levels.h"

enum order { TWO_LEVEL, LRR, GTO };
enum marker { LIFE, FIRST_LOAD };
enum leader { FIRST, SPREAD };

struct config {
	uint32_t order; /* enum order */
	uint32_t ready;
	uint32_t marker; /* enum marker */
	uint32_t pick;   /* enum mech_pick */
	uint32_t leader; /* enum leader */
	bool wake_up;
};

/* State of one scheduler. */
struct scheduler {
	struct mech_levels levels;
	uint64_t leading; /* the leading warp of each block, as bits */
	uint64_t woken;   /* warps whose data have arrived and that have not been handled yet, as bits */
};

struct state {
	struct scheduler scheduler[MECH_MAX_SCHEDULERS];
};

struct stats {
	uint64_t leading, wake_ups, woken_ready, pushed_out;
};

static const struct config defaults = {.order = TWO_LEVEL, .ready = 8, .wake_up = true}; /* Table III */

static const char *const orders[] = {[TWO_LEVEL] = "two_level", [LRR] = "lrr", [GTO] = "gto", NULL};
static const char *const markers[] = {[LIFE] = "life", [FIRST_LOAD] = "first_load", NULL};
static const char *const leaders[] = {[FIRST] = "first", [SPREAD] = "spread", NULL};

static const struct base_option options[] = {
	{"order", BASE_OPTION_ENUM, offsetof(struct config, order), 0, 0, orders, "",
         "order among leading warps, and among the others"},
	{"ready", BASE_OPTION_U32, offsetof(struct config, ready), 1, MECH_MAX_SCHEDULER_WARPS, NULL, "warps",
         "warps per scheduler that compete (order=two_level)"},
	{"leader", BASE_OPTION_ENUM, offsetof(struct config, leader), 0, 0, leaders, "",
         "the marked warp of a block: its first, or its first on a scheduler that changes from block slot to block "
         "slot"},
	{"marker", BASE_OPTION_ENUM, offsetof(struct config, marker), 0, 0, markers, "",
         "how long a leading warp has priority: as long as it lives, or until its first load from global memory"},
	{"pick", BASE_OPTION_ENUM, offsetof(struct config, pick), 0, 0, mech_picks, "",
         "which warp goes first among equals: the next after the last one that issued, or the oldest "
         "(order=two_level)"},
	{"wake_up", BASE_OPTION_BOOL, offsetof(struct config, wake_up), 0, 1, NULL, "",
         "a prefetch that fills L1 makes its warp compete (order=two_level)"},
};

static const struct base_counter counters[] = {
	{"leading", "warps", BASE_SCOPE_SM, offsetof(struct stats, leading),
         "warps that had priority over the others of their blocks", BASE_COMBINE_SUM},
	{"wake_ups", "fills", BASE_SCOPE_SM, offsetof(struct stats, wake_ups),
         "L1 fills by prefetches bound to a live warp", BASE_COMBINE_SUM},
	{"woken_ready", "fills", BASE_SCOPE_SM, offsetof(struct stats, woken_ready),
         "such fills whose warp was already competing", BASE_COMBINE_SUM},
	{"pushed_out", "warps", BASE_SCOPE_SM, offsetof(struct stats, pushed_out),
         "competing warps replaced by a woken one", BASE_COMBINE_SUM},
};

static struct scheduler *scheduler_of(struct mech_sm *sm, uint32_t slot)
{
	return &((struct state *)sm->state)->scheduler[slot % sm->machine->schedulers];
}

static uint64_t bit_of(const struct mech_sm *sm, uint32_t slot)
{
	return 1ull << slot / sm->machine->schedulers;
}

/* --- leading warps --- */

static void kernel_begin(struct mech_sm *sm)
{
	*(struct state *)sm->state = (struct state){0};
}

/* With SPREAD, blocks in successive slots have their marked warps on successive schedulers. */
static uint32_t warp_to_mark(const struct mech_sm *sm, const struct mech_block *block)
{
	const struct config *config = sm->config;
	uint32_t schedulers = sm->machine->schedulers;
	uint32_t ahead = (block->slot + schedulers - block->first_warp % schedulers) % schedulers;
	return block->first_warp + (config->leader == SPREAD && ahead < block->warps ? ahead : 0);
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	uint32_t slot = warp_to_mark(sm, block);
	scheduler_of(sm, slot)->leading |= bit_of(sm, slot);
	((struct stats *)sm->stats)->leading++;
}

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct config *config = sm->config;
	if (config->marker == FIRST_LOAD && load->kind == MECH_LOAD && !load->local)
		scheduler_of(sm, load->warp)->leading &= ~bit_of(sm, load->warp);
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	for (uint32_t s = 0; s < sm->machine->schedulers; s++) {
		struct scheduler *scheduler = &((struct state *)sm->state)->scheduler[s];
		uint64_t gone = mech_warps_of_block(sm, block, s);
		mech_levels_forget(&scheduler->levels, gone);
		scheduler->leading &= ~gone;
		scheduler->woken &= ~gone;
	}
}

/* --- wake-up --- */

static bool wakes(const struct config *config)
{
	return config->wake_up && config->order == TWO_LEVEL;
}

static void fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	struct stats *stats = sm->stats;
	struct mech_warp warp;
	if (!wakes(sm->config) || fill->sender == MECH_NOBODY || fill->warp == MECH_NOBODY)
		return;
	mech_look_at_warp(sm, fill->warp, &warp);
	if (!warp.live)
		return;
	struct scheduler *scheduler = scheduler_of(sm, fill->warp);
	uint64_t bit = bit_of(sm, fill->warp);
	stats->wake_ups++;
	if (scheduler->levels.ready & bit)
		stats->woken_ready++;
	else
		scheduler->woken |= bit;
}

/* The warp to replace: the youngest that does not lead, else the youngest. */
static uint32_t to_push_out(const struct scheduler *scheduler, const struct mech_warps *warps)
{
	uint64_t others = scheduler->levels.ready & ~scheduler->leading;
	return mech_youngest(warps, others ? others : scheduler->levels.ready);
}

/* Gives places to the woken warps, oldest first. If no place is free, another warp is replaced. A woken warp that
 * waits for something else is skipped. */
static void enter_woken(struct mech_sm *sm, struct scheduler *scheduler, const struct mech_warps *warps)
{
	const struct config *config = sm->config;
	struct mech_levels *levels = &scheduler->levels;
	for (uint64_t left = scheduler->woken; left;) {
		uint32_t warp = mech_oldest(warps, left);
		uint64_t bit = 1ull << warp;
		left &= ~bit;
		if (mech_is_waiting(warps, bit) || levels->ready & bit)
			continue;
		if (mech_levels_are_full(levels, config->ready)) {
			uint32_t out = to_push_out(scheduler, warps);
			levels->ready &= ~(1ull << out);
			mech_levels_push(levels, out);
			((struct stats *)sm->stats)->pushed_out++;
		}
		mech_levels_enter_first(levels, warps, bit, config->ready);
	}
	scheduler->woken = 0;
}

/* --- the order --- */

static uint64_t warps_that_compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	const struct config *config = sm->config;
	struct scheduler *scheduler = &((struct state *)sm->state)->scheduler[warps->index];
	struct mech_levels *levels = &scheduler->levels;
	if (config->order != TWO_LEVEL)
		return UINT64_MAX;
	mech_levels_leave(levels, warps);
	mech_levels_join(levels, warps);
	if (scheduler->woken)
		enter_woken(sm, scheduler, warps);
	mech_levels_enter_first(levels, warps, scheduler->leading, config->ready);
	mech_levels_enter(levels, warps, config->ready);
	return levels->ready;
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	const struct config *config = sm->config;
	uint64_t leading = candidates & ((struct state *)sm->state)->scheduler[warps->index].leading;
	uint64_t among = leading ? leading : candidates;
	if (config->order == TWO_LEVEL)
		return mech_pick(warps, among, config->pick);
	if (config->order == LRR)
		return mech_next(warps, among);
	return among >> warps->last & 1 ? warps->last : mech_oldest(warps, among);
}

const struct mech mech_pas = {
	.version = MECH_VERSION,
	.name = "pas",
	.summary = "warp order: each block's first warp has priority; warps whose prefetched data have arrived compete",
	.citation = "G. Koo, H. Jeon, Z. Liu, N. S. Kim, M. Annavaram: CTA-Aware Prefetching and Scheduling for GPU, "
		    "IPDPS 2018",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.policies = MECH_POLICY_WARP_ORDER,
	.kernel_begin = kernel_begin,
	.block_begin = block_begin,
	.block_end = block_end,
	.fill = fill,
	.memory = memory,
	.warps_that_compete = warps_that_compete,
	.pick_warp = pick_warp,
	.forgets = true,
	.kernels = MECH_ALL_KERNELS,
};
