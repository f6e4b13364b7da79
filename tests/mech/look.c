/* A mechanism with one hook, -DHOOK=its name, that does nothing; without HOOK it has no hooks. */
#include "empty.h"

#define PASTE(one, other) one##other
#define EMPTY_OF(hook)    PASTE(empty_, hook)

static const struct mech look = {
	.version = MECH_VERSION,
	.name = "look",
	.summary = "does nothing",
	.citation = "a test",
	.only_looks = true,
	.gpu_size = 1,
	.sm_size = 1,
	.partition_size = 1,
#ifdef HOOK
	.HOOK = EMPTY_OF(HOOK),
#endif
};
MECHANISM(look);
