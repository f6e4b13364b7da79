/* orch: orchestrated scheduling and prefetching. Stands for a prefetcher and a warp order that supports it
 * (README.md). */
#include "seam/mech.h"

static const char *const parts[] = {"lap", "spread_groups"};

const struct mech mech_orch = {
	.version = MECH_VERSION,
	.name = "orch",
	.summary = "lap and spread_groups: a group of warps prefetches for the next group's warps",
	.citation = "A. Jog et al.: Orchestrated Scheduling and Prefetching for GPGPUs, ISCA 2013",
	.stands_for = parts,
	.stands_for_count = sizeof parts / sizeof *parts,
};
