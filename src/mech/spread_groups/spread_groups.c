/* spread_groups: a two-level warp order in which consecutive warps are in different groups (README.md). */
#include "seam/mech_levels.h"

struct config {
	uint32_t ready, apart;
};

static const struct config defaults = {.ready = 8, .apart = 2}; /* README.md */

static const struct base_option options[] = {
	{"ready", BASE_OPTION_U32, offsetof(struct config, ready), 1, MECH_MAX_SCHEDULER_WARPS, NULL, "warps",
         "warps per scheduler that compete: a group"},
	{"apart", BASE_OPTION_U32, offsetof(struct config, apart), 1, MECH_MAX_SCHEDULER_WARPS, NULL, "warps",
         "distance between two warps of a group; 1: groups of consecutive warps"},
};

/* Puts new warps into the queue, one group after the other. In each `apart` x `ready` consecutive warps, every
 * `apart`th forms a group. */
static void add_new_warps(struct mech_levels *levels, const struct mech_warps *warps, const struct config *config)
{
	uint64_t fresh = mech_levels_unknown(levels, warps);
	for (uint32_t first = 0; fresh; first += config->apart * config->ready)
		for (uint32_t group = 0; group < config->apart; group++)
			for (uint32_t i = 0; i < config->ready; i++) {
				uint32_t warp = first + i * config->apart + group;
				if (warp < MECH_MAX_SCHEDULER_WARPS && fresh >> warp & 1) {
					mech_levels_push(levels, warp);
					fresh &= ~(1ull << warp);
				}
			}
}

static uint64_t warps_that_compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	const struct config *config = sm->config;
	struct mech_levels *levels = mech_two_levels_of(sm, warps);
	mech_levels_leave(levels, warps);
	add_new_warps(levels, warps, config);
	mech_levels_enter(levels, warps, config->ready);
	return levels->ready;
}

const struct mech mech_spread_groups = {
	.version = MECH_VERSION,
	.name = "spread_groups",
	.summary = "warp order: two levels, with consecutive warps in different groups",
	.citation = "A. Jog et al.: Orchestrated Scheduling and Prefetching for GPGPUs, ISCA 2013",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.sm_size = sizeof(struct mech_two_levels),
	.policies = MECH_POLICY_WARP_ORDER,
	.kernel_begin = mech_two_levels_begin,
	.block_end = mech_two_levels_block_end,
	.warps_that_compete = warps_that_compete,
	.pick_warp = mech_two_levels_pick,
	.forgets = true,
	.kernels = MECH_ALL_KERNELS,
};
