/* ahead: for each line that a load misses in L1, prefetches the line `distance` lines after it.
 *
 * A mechanism consists of hooks that the machine calls, and three tables: options, counters, hooks. It may change
 * timing, never results. */
#include "seam/mech.h"

/* Options for users: --mech ./mechanism.so:distance=4. */
struct config {
	uint32_t distance;
};

static const struct config defaults = {.distance = 1};

static const struct base_option options[] = {
	{"distance", BASE_OPTION_U32, offsetof(struct config, distance), 1, 1024, NULL, "lines",
		"distance from the missed line"},
};

/* Counters of the mechanism. The machine counts the outcomes of its requests: ahead.issued, ahead.useful,
 * ahead.late ... */
struct stats {
	uint64_t misses;
};

static const struct base_counter counters[] = {
	{"misses", "accesses", BASE_SCOPE_SM, offsetof(struct stats, misses), "global loads that missed in L1", BASE_COMBINE_SUM},
};

/* The machine calls this for every transaction of an instruction that L1 has accepted, even if it bypasses L1. */
static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	uint64_t bytes = sm->machine->line_bytes, line = access->address & ~(bytes - 1);

	if (access->kind != MECH_LOAD || access->local || access->result != MECH_MISS)
		return;
	stats->misses++;
	const struct mech_request request = {
		.address = line + config->distance * bytes, .bytes = (uint32_t)bytes, .to = MECH_TO_L1, .pc = access->pc};
	mech_send(sm, &request);
}

static const struct mech ahead = {
	.version = MECH_VERSION,
	.name = "ahead",
	.summary = "prefetches the line some lines after each miss",
	.citation = "of this study",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sends = true, /* makes the machine account for its requests */
	.access = on_access,
};

MECHANISM(ahead);
