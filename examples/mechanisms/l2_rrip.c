/* l2_rrip: L2's replacement by re-reference intervals: a line that comes is expected back late, one that was used soon, so that what is
 * read once goes before what is read again, however much of it comes.
 *
 * Each line has a prediction of `bits` bits. It begins one below the highest, an access that finds the line makes it 0; the line to go
 * is one with the highest prediction, and while there is none all of the set grow. */
#include "seam/mech.h"

struct config {
	uint32_t bits;
};

static const struct config defaults = {.bits = 2};

static const struct option options[] = {
	{"bits", OPTION_U32, offsetof(struct config, bits), 1, 8, NULL, "bits", "of a line's prediction"},
};

struct stats {
	uint64_t rounds, other;
};

static const struct counter counters[] = {
	{"rounds", "rounds", SCOPE_GPU, offsetof(struct stats, rounds), "in which all predictions of a set grew",
         COMBINE_SUM},
	{"other", "lines", SCOPE_GPU, offsetof(struct stats, other),
         "that went though the machine's rule takes another", COMBINE_SUM},
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

/* The first way with the highest prediction, of those that may go; `ways` where there is none. */
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
	cost[0] = (struct mech_cost){"predictions", "bits a line", config->bits};
	return 1;
}

static const struct mech l2_rrip = {
	.version = MECH_VERSION,
	.name = "l2_rrip",
	.summary = "L2's replacement by predicted re-reference intervals",
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
	.seats = MECH_SEAT_L2_REPLACEMENT,
	.l2_victim = victim,
	.l2_used = on_use,
};

MECHANISM(l2_rrip);
