/* owf: warp order "owner warps first": lowest rank first, and the oldest among equal ranks. */
#include "seam/mech.h"

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	for (uint32_t r = 0; r < MECH_RANKS; r++)
		if (candidates & warps->rank[r])
			return mech_oldest(warps, candidates & warps->rank[r]);
	return mech_oldest(warps, candidates);
}

const struct mech mech_owf = {
	.version = MECH_VERSION,
	.name = "owf",
	.summary = "warp order: by rank (owner warps first), then oldest",
	.citation = "V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016",
	.policies = MECH_POLICY_WARP_ORDER,
	.pick_warp = pick_warp,
};
