/* gate_kit: a mechanism that blocks progress until a given cycle, and a kernel whose threads write their own
 * numbers. */
#ifndef SLUICE_TESTS_GATE_KIT_H
#define SLUICE_TESTS_GATE_KIT_H

#include "gpu_kit.h"

enum { WARP = 32 };

/* A mechanism that blocks progress until a given cycle, by each of the means that the seam offers. */
enum way { AT_DISPATCH, AT_START, AT_START_FROM_GPU, AT_HOLD, AT_ISSUE, WAYS };

struct gate_config {
	uint32_t way;
	uint64_t opens;
};

struct gate_stats {
	uint64_t first_issue, first_block; /* cycles, plus one */
};

static const struct base_counter gate_counters[] = {
	{"first_issue", "", BASE_SCOPE_SM, offsetof(struct gate_stats, first_issue), "", BASE_COMBINE_LARGEST},
	{"first_block", "", BASE_SCOPE_SM, offsetof(struct gate_stats, first_block), "", BASE_COMBINE_LARGEST},
};

struct gate_sm {
	uint64_t held; /* bit mask of slots */
};

struct gate_gpu {
	uint64_t cycle;
};

static inline uint64_t gate_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	const struct gate_config *config = gpu->config;
	((struct gate_gpu *)gpu->state)->cycle = cycle;
	if (cycle == config->opens && config->way == AT_START_FROM_GPU)
		for (uint32_t s = 0; s < gpu->machine->sms; s++) {
			struct mech_sm *sm = mech_part(gpu, s);
			for (uint64_t left = ((struct gate_sm *)sm->state)->held; left; left &= left - 1)
				mech_release_block(sm, (uint32_t)__builtin_ctzll(left));
		}
	return cycle < config->opens ? config->opens : MECH_NEVER;
}

static inline bool gate_may_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	const struct gate_config *config = gpu->config;
	(void)dispatch;
	return config->way != AT_DISPATCH || ((struct gate_gpu *)gpu->state)->cycle >= config->opens;
}

static inline void gate_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	const struct gate_config *config = sm->config;
	struct gate_stats *stats = sm->stats;
	if (!stats->first_block)
		stats->first_block = block->cycle + 1;
	if (config->way == AT_HOLD)
		mech_hold_block(sm, block->slot);
}

static inline bool gate_may_start(struct mech_sm *sm, const struct mech_block *block)
{
	const struct gate_config *config = sm->config;
	struct gate_sm *own = sm->state;
	own->held |= 1ull << block->slot;
	return config->way != AT_START && config->way != AT_START_FROM_GPU;
}

static inline uint64_t gate_cycle(struct mech_sm *sm, uint64_t cycle)
{
	const struct gate_config *config = sm->config;
	const struct gate_sm *own = sm->state;
	if (cycle < config->opens)
		return config->opens;
	if (cycle == config->opens && (config->way == AT_START || config->way == AT_HOLD))
		for (uint64_t left = own->held; left; left &= left - 1)
			mech_release_block(sm, (uint32_t)__builtin_ctzll(left));
	return MECH_NEVER;
}

static inline bool gate_may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct gate_config *config = sm->config;
	return config->way != AT_ISSUE || issue->cycle >= config->opens;
}

static inline void gate_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct gate_stats *stats = sm->stats;
	if (!stats->first_issue)
		stats->first_issue = issue->cycle + 1;
}

static struct gate_config gate_defaults;

static const struct mech gate = {
	.version = MECH_VERSION,
	.name = "gate",
	.config_size = sizeof(struct gate_config),
	.defaults = &gate_defaults,
	.counters = gate_counters,
	.counter_count = 2,
	.stats_size = sizeof(struct gate_stats),
	.gpu_size = sizeof(struct gate_gpu),
	.sm_size = sizeof(struct gate_sm),
	.gpu_cycle = gate_gpu_cycle,
	.may_dispatch = gate_may_dispatch,
	.block_begin = gate_block_begin,
	.may_start = gate_may_start,
	.cycle = gate_cycle,
	.may_issue = gate_may_issue,
	.issue = gate_issue,
};

/* Four warps whose threads write their own global thread numbers. */
static const char who[] = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1;\n"
			  "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r3; exit;";

static inline void check_who(const struct gpu_kit *kit, uint32_t threads)
{
	const uint32_t *value = simt_host(kit->gpu->memory, kit->param);
	for (uint32_t i = 0; i < threads; i++)
		assert_int_equal(value[i], i);
}

#endif
