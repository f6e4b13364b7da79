/* two_level: warp order in which a small set of warps competes round robin. A warp that waits for memory or a
 * barrier leaves the set; the waiting warp outside that has waited longest takes its place (Narasiman et al., MICRO
 * 2011). */
#include "seam/mech_levels.h"

struct config {
	uint32_t ready;
	uint32_t pick; /* enum mech_pick */
};

static const struct config defaults = {.ready = 6}; /* GPGPU-Sim's two_level_active:6 */

static const struct base_option options[] = {
	{"ready", BASE_OPTION_U32, offsetof(struct config, ready), 1, MECH_MAX_SCHEDULER_WARPS, NULL, "warps",
         "warps per scheduler that compete"},
	{"pick", BASE_OPTION_ENUM, offsetof(struct config, pick), 0, 0, mech_picks, "",
         "which of these goes first: the next after the last one that issued, or the oldest"},
};

static uint64_t warps_that_compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	const struct config *config = sm->config;
	struct mech_levels *levels = mech_two_levels_of(sm, warps);
	mech_levels_leave(levels, warps);
	mech_levels_join(levels, warps);
	mech_levels_enter(levels, warps, config->ready);
	return levels->ready;
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	const struct config *config = sm->config;
	return mech_pick(warps, candidates, config->pick);
}

const struct mech mech_two_level = {
	.version = MECH_VERSION,
	.name = "two_level",
	.summary = "warp order: round robin within a small set of warps per scheduler",
	.citation = "V. Narasiman et al.: Improving GPU Performance via Large Warps and Two-Level Warp Scheduling, "
		    "MICRO 2011",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.sm_size = sizeof(struct mech_two_levels),
	.policies = MECH_POLICY_WARP_ORDER,
	.kernel_begin = mech_two_levels_begin,
	.block_end = mech_two_levels_block_end,
	.warps_that_compete = warps_that_compete,
	.pick_warp = pick_warp,
	.forgets = true,
	.kernels = MECH_ALL_KERNELS,
};
