/* l2_rrip: L2 replacement by re-reference interval prediction. A new line is expected to be reused late, a used line
 * soon. So data that are read once are replaced before data that are reused, however much of the former arrives.
 *
 * Each line has a prediction of `bits` bits. It begins one below the maximum, and a hit sets it to 0. The victim is
 * a line with the maximum; while there is none, all predictions of the set are incremented. */
#include "seam/mech.h"

struct config {
	uint32_t bits;
};

static const struct config defaults = {.bits = 2};

static const struct base_option options[] = {
	{"bits", BASE_OPTION_U32, offsetof(struct config, bits), 1, 8, NULL, "bits", "width of a line's prediction"},
};

struct stats {
	uint64_t rounds, other;
};

static const struct base_counter counters[] = {
	{"rounds", "rounds", BASE_SCOPE_GPU, offsetof(struct stats, rounds), "increments of all predictions of a set",
         BASE_COMBINE_SUM},
	{"other", "lines", BASE_SCOPE_GPU, offsetof(struct stats, other),
         "victims that the machine's policy would not choose", BASE_COMBINE_SUM},
};

static uint64_t latest(const struct mech_partition *partition)
{
	const struct config *config = partition->config;
	return (1u << config->bits) - 1;
}

static void on_use(struct mech_partition *partition, const struct mech_use *use)
{
	if (use->event == MECH_INSERTED)
		*use->data = latest(partition) - 1;
	else if (use->event == MECH_USED)
		*use->data = 0;
}

/* Returns the first way with the highest prediction among those that may be replaced; `ways` when there is none. */
static uint32_t find(const struct mech_set *set, uint64_t highest)
{
	uint32_t way = 0;
	while (way < set->ways && (set->data[way] < highest || !set->way[way].may_go))
		way++;
	return way;
}

static uint32_t victim(struct mech_partition *partition, const struct mech_set *set)
{
	struct stats *stats = partition->stats;
	uint64_t highest = latest(partition);
	uint32_t way;
	while ((way = find(set, highest)) == set->ways) {
		for (uint32_t i = 0; i < set->ways; i++)
			set->data[i] += set->data[i] < highest;
		stats->rounds++;
	}
	stats->other += way != set->usual;
	return way;
}

static uint32_t costs(const void *pointer, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct config *config = pointer;
	(void)machine;
	cost[0] = (struct mech_cost){"predictions", "bits per line", config->bits};
	return 1;
}

static const struct mech l2_rrip = {
	.version = MECH_VERSION,
	.name = "l2_rrip",
	.summary = "L2 replacement by re-reference interval prediction",
	.citation = "A. Jaleel et al.: High Performance Cache Replacement Using Re-Reference Interval Prediction "
		    "(RRIP), ISCA 2010",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.costs = costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.policies = MECH_POLICY_L2_REPLACEMENT,
	.l2_victim = victim,
	.l2_used = on_use,
	/* It has no states to save: the words of lines are saved with L2. */
	.kernels = MECH_ALL_KERNELS, /* L2 has the lines of all kernels */
};

MECHANISM(l2_rrip);
