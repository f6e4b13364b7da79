/* orch: orchestrated scheduling and prefetching, a prefetcher and the warp order that suits it (README.md). */
#include "seam/mech.h"

static const char *const parts[] = {"lap", "spread_groups"};

const struct mech mech_orch = {
	.version = MECH_VERSION,
	.name = "orch",
	.summary = "lap, with consecutive warps in different groups so that one prefetches for the other",
	.citation = "A. Jog et al.: Orchestrated Scheduling and Prefetching for GPGPUs, ISCA 2013",
	.stands_for = parts,
	.stands_for_count = sizeof parts / sizeof *parts,
};
