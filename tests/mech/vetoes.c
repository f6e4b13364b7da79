/* A mechanism that answers every veto at random, but the same in every run, and has every other hook, empty. As long as
 * every veto is eventually granted, programs end with correct results and consistent counts. */
#include "keep_all.h"
#include "draw.h"
#include "holds.h"
#include "empty.h"

struct config {
	uint32_t seed;
};

static const struct config defaults = {.seed = 1};

static const struct base_option options[] = {
	{"seed", BASE_OPTION_U32, offsetof(struct config, seed), 0, 1e9, NULL, "", "of the answers"},
};

/* The number of refusals by each veto: a run without refusals would test nothing. */
struct stats {
	uint64_t not_dispatched, not_started, not_issued, not_allocated, not_accessed, replayed, not_ended;
};

#define NO(name)                                                                                                       \
	{                                                                                                              \
#name, "answers", BASE_SCOPE_SM, offsetof(struct stats, name), "that were no", BASE_COMBINE_SUM        \
	}
static const struct base_counter counters[] = {NO(not_dispatched), NO(not_started), NO(not_issued), NO(not_allocated),
                                               NO(not_accessed),   NO(replayed),    NO(not_ended)};

enum { LONGEST_HOLD = 700, LONGEST_REPLAY = 50, LOOKS_IN = 100 };

struct sm_state {
	struct holds holds;
	struct random random;
};

static bool coin(struct mech_sm *sm, uint64_t *no)
{
	const struct config *config = sm->config;
	struct sm_state *own = sm->state;
	bool yes = draw(&own->random, config->seed, sm->sm) & 1;
	*no += !yes;
	return yes;
}

static bool may_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	const struct config *config = gpu->config;
	struct stats *stats = gpu->stats;
	(void)dispatch;
	bool yes = draw(gpu->state, config->seed, UINT32_MAX) & 1;
	stats->not_dispatched += !yes;
	return yes;
}

static bool may_start(struct mech_sm *sm, const struct mech_block *block)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	struct sm_state *own = sm->state;
	bool yes = coin(sm, &stats->not_started);
	if (!yes)
		own->holds.due[block->slot] =
			block->cycle + 1 + draw(&own->random, config->seed, sm->sm) % LONGEST_HOLD;
	return yes;
}

/* By address, too: words of odd number wait longer. */
static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct stats *stats = sm->stats;
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	bool odd = operands.bytes && operands.lanes && operands.address[__builtin_ctz(operands.lanes)] & 4;
	if (coin(sm, &stats->not_issued) && (!odd || coin(sm, &stats->not_issued)))
		return true;
	if (coin(sm, &stats->replayed))
		return false;
	holds_warp(sm, issue->warp, issue->cycle + 1 + issue->pc % LONGEST_REPLAY);
	return false;
}

/* Called when gpu_cycle is due, after the last block. */
static bool may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	const struct config *config = gpu->config;
	struct stats *stats = gpu->stats;
	(void)end;
	bool yes = draw(gpu->state, config->seed, UINT32_MAX) & 1;
	stats->not_ended += !yes;
	return yes;
}

static uint64_t gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	uint64_t next = holds_gpu_cycle(gpu, cycle);
	return next < cycle + LOOKS_IN ? next : cycle + LOOKS_IN;
}

static bool may_allocate(struct mech_sm *sm, const struct mech_access *access)
{
	struct stats *stats = sm->stats;
	(void)access;
	return coin(sm, &stats->not_allocated);
}

static bool may_access_shared(struct mech_sm *sm, const struct mech_shared *access)
{
	struct stats *stats = sm->stats;
	(void)access;
	return coin(sm, &stats->not_accessed);
}

static const struct mech vetoes = {
	.version = MECH_VERSION,
#ifdef EACH
	.name = "vetoes_each",
	.kernels = MECH_EACH_KERNEL,
#else
	.name = "vetoes",
	.partition_access = empty_partition_access,
#endif
	.summary = "answers every veto at random",
	.citation = "a test",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.gpu_size = sizeof(struct random),
	KEEP_ALL,
	.sm_size = sizeof(struct sm_state),
	.partition_size = 1,
	.sends = true,
	.may_dispatch = may_dispatch,
	.may_start = may_start,
	.may_issue = may_issue,
	.may_allocate = may_allocate,
	.may_access_shared = may_access_shared,
	.may_end = may_end,
	.cycle = holds_cycle,
	.gpu_cycle = gpu_cycle,
	.gpu_open = empty_gpu_open,
	.gpu_kernel_begin = empty_gpu_kernel_begin,
	.gpu_kernel_end = empty_gpu_kernel_end,
	.gpu_block = empty_gpu_block,
	.sm_open = empty_sm_open,
	.kernel_begin = empty_kernel_begin,
	.kernel_end = empty_kernel_end,
	.block_begin = empty_block_begin,
	.block_end = holds_block_end,
	.issue = empty_issue,
	.memory = empty_memory,
	.access = empty_access,
	.fill = empty_fill,
	.on_reply = empty_on_reply,
	.partition_open = empty_partition_open,
};
MECHANISM(vetoes);
