/* lrr: warp order "loose round robin": the next warp after the one that issued last. */
#include "seam/mech.h"

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return mech_next(warps, candidates);
}

const struct mech mech_lrr = {
	.version = MECH_VERSION,
	.name = "lrr",
	.summary = "warp order: loose round robin",
	.citation = "GPGPU-Sim's lrr scheduler",
	.policies = MECH_POLICY_WARP_ORDER,
	.pick_warp = pick_warp,
};
