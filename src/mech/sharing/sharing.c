/* sharing: two blocks with one shared memory between them (Jatala, Anantpur and Karkare, "Scratchpad Sharing in GPUs"). */
#include "passes.h"

#include "seam/mech.h"

static const struct pass *const passes[] = {&sharing_pass_layout, &sharing_pass_relssp};

const struct mech mech_sharing = {
	.version = MECH_VERSION,
	.name = "sharing",
	.summary = "passes of scratchpad sharing",
	.citation = "Jatala, Anantpur and Karkare: Scratchpad Sharing in GPUs (ACM TACO 2017)",
	.passes = passes,
	.pass_count = sizeof passes / sizeof *passes,
};
