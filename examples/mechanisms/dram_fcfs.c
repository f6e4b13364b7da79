/* dram_fcfs: serves DRAM's requests in the order of their arrival, regardless of open rows. It is the usual baseline
 * for schedulers that prefer row hits.
 *
 * The channel calls `dram_next` to choose the next request, among those whose banks are free. The oldest of them
 * gives first come, first served over the free banks. With `strict`, no request passes an older one: while that
 * one's bank is busy, all wait. */
#include "seam/mech.h"

struct config {
	bool strict;
};

static const struct config defaults = {.strict = false};

static const struct base_option options[] = {
	{"strict", BASE_OPTION_BOOL, offsetof(struct config, strict), 0, 1, NULL, "", "no request passes an older one"},
};

struct stats {
	uint64_t taken, row_hits_passed;
};

static const struct base_counter counters[] = {
	{"taken", "requests", BASE_SCOPE_GPU, offsetof(struct stats, taken), "requests chosen", BASE_COMBINE_SUM},
	{"row_hits_passed", "times", BASE_SCOPE_GPU, offsetof(struct stats, row_hits_passed),
         "a request to a closed row was served while one to an open row waited", BASE_COMBINE_SUM},
};

struct state {
	/* requests served; with `strict`, also the next one's number, as arrivals are numbered from 0 */
	uint64_t served;
};

static bool somebody_would_hit(const struct mech_queue *queue)
{
	bool any = false;
	for (uint32_t i = 1; i < queue->count; i++)
		any |= queue->waiting[i].row_is_open;
	return any;
}

static uint32_t next(struct mech_partition *partition, const struct mech_queue *queue)
{
	const struct config *config = partition->config;
	struct state *state = partition->state;
	struct stats *stats = partition->stats;
	const struct mech_waiting *oldest = &queue->waiting[0];
	if (config->strict && oldest->arrival != state->served)
		return MECH_NOWHERE;
	state->served++;
	stats->taken++;
	stats->row_hits_passed += !oldest->row_is_open && somebody_would_hit(queue);
	return 0;
}

/* Saves what one kernel leaves to the next, or restores it: arrivals are numbered over all kernels. */
static void keep(struct mech_partition *partition, struct mech_kept *kept)
{
	struct state *state = partition->state;
	mech_keep(kept, &state->served, sizeof state->served);
}

static const struct mech dram_fcfs = {
	.version = MECH_VERSION,
	.name = "dram_fcfs",
	.summary = "serves DRAM's requests first come, first served",
	.citation = "the baseline of S. Rixner et al.: Memory Access Scheduling, ISCA 2000",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.partition_size = sizeof(struct state),
	.policies = MECH_POLICY_DRAM,
	.dram_next = next,
	.partition_keep = keep,
	.kernels = MECH_ALL_KERNELS, /* one scheduler serves the requests of all kernels */
};

MECHANISM(dram_fcfs);
