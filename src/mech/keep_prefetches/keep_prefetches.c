/* keep_prefetches: L1 replaces the lines last that a prefetch brought and no instruction has used yet. For studies:
 * it bounds what the replacement policy contributes to early evictions (README.md). */
#include "seam/mech.h"

struct stats {
	uint64_t spared, overfull;
};

static const struct base_counter counters[] = {
	{"spared", "lines", BASE_SCOPE_SM, offsetof(struct stats, spared),
         "unused prefetched lines that the machine's policy would have replaced", BASE_COMBINE_SUM},
	{"overfull", "lines", BASE_SCOPE_SM, offsetof(struct stats, overfull),
         "unused prefetched lines replaced because their set held no others", BASE_COMBINE_SUM},
};

static bool is_unused_prefetch(const struct mech_way *way)
{
	return way->sender != MECH_NOBODY && !way->was_used;
}

/* The least recently used of the lines that are no unused prefetches; if there is none, the machine's choice. */
static uint32_t victim(struct mech_sm *sm, const struct mech_set *set)
{
	struct stats *stats = sm->stats;
	uint32_t best = set->ways;
	if (!is_unused_prefetch(&set->way[set->usual]))
		return set->usual;
	for (uint32_t i = 0; i < set->ways; i++) {
		const struct mech_way *way = &set->way[i];
		if (way->may_go && !is_unused_prefetch(way) &&
		    (best == set->ways || way->order < set->way[best].order))
			best = i;
	}
	stats->spared += best < set->ways;
	stats->overfull += best == set->ways;
	return best < set->ways ? best : set->usual;
}

const struct mech mech_keep_prefetches = {
	.version = MECH_VERSION,
	.name = "keep_prefetches",
	.summary = "L1 replaces prefetched lines that no instruction has used yet last",
	.citation = "our own, for studies of G. Koo et al., IPDPS 2018, Fig. 14",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.policies = MECH_POLICY_L1_REPLACEMENT,
	.l1_victim = victim,
};
