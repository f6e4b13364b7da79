/* caps: stands for the prefetcher cap and the scheduler pas (README.md). */
#include "seam/mech.h"

static const char *const parts[] = {"cap", "pas"};

const struct mech mech_caps = {
	.version = MECH_VERSION,
	.name = "caps",
	.summary = "CTA-aware prefetcher and scheduler: cap and pas",
	.citation = "G. Koo, H. Jeon, Z. Liu, N. S. Kim, M. Annavaram: CTA-Aware Prefetching and Scheduling for GPU, "
		    "IPDPS 2018",
	.stands_for = parts,
	.stands_for_count = sizeof parts / sizeof *parts,
};
