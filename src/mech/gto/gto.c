/* gto: warp order "greedy, then oldest": the warp that issued last if it can issue, else the oldest. */
#include "seam/mech.h"

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return candidates >> warps->last & 1 ? warps->last : mech_oldest(warps, candidates);
}

const struct mech mech_gto = {
	.version = MECH_VERSION,
	.name = "gto",
	.summary = "warp order: greedy, then oldest",
	.citation = "T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012",
	.policies = MECH_POLICY_WARP_ORDER,
	.pick_warp = pick_warp,
};
