/* keep_prefetches: L1 replaces prefetched lines that no instruction has used yet last. It is for studies: a run with it
 * shows how many early evictions the replacement policy causes (README.md). */
#include "seam/mech.h"

struct stats {
	uint64_t spared, overfull;
};

static const struct base_counter counters[] = {
	{"spared", "lines", BASE_SCOPE_SM, offsetof(struct stats, spared),
         "unused prefetched lines that stayed, though the machine's policy would have replaced them", BASE_COMBINE_SUM},
	{"overfull", "lines", BASE_SCOPE_SM, offsetof(struct stats, overfull),
         "unused prefetched lines replaced because no other line of their set could go", BASE_COMBINE_SUM},
};

static bool is_unused_prefetch(const struct mech_way *way)
{
	return way->sender != MECH_NOBODY && !way->was_used;
}

/* Returns the first line in the machine's order that may go and is no unused prefetch; set->ways if there is none. */
static uint32_t first_other(const struct mech_set *set)
{
	uint32_t first = set->ways;
	for (uint32_t i = 0; i < set->ways; i++) {
		const struct mech_way *way = &set->way[i];
		bool sooner = first == set->ways || way->order < set->way[first].order;
		if (way->may_go && !is_unused_prefetch(way) && sooner)
			first = i;
	}
	return first;
}

static uint32_t victim(struct mech_sm *sm, const struct mech_set *set)
{
	struct stats *stats = sm->stats;
	if (!is_unused_prefetch(&set->way[set->usual]))
		return set->usual;
	uint32_t other = first_other(set);
	if (other == set->ways) {
		stats->overfull++;
		return set->usual;
	}
	stats->spared++;
	return other;
}

const struct mech mech_keep_prefetches = {
	.version = MECH_VERSION,
	.name = "keep_prefetches",
	.summary = "L1 replaces prefetched lines that no instruction has used yet after all others",
	.citation = "our own, for studies of G. Koo et al., IPDPS 2018, Fig. 14",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.policies = MECH_POLICY_L1_REPLACEMENT,
	.l1_victim = victim,
	.kernels = MECH_ALL_KERNELS,
};
