/* ranges: access ranges of variables (section 6.1). A point is in the access range of a set of variables under two
 * conditions. One of them is accessed on some path from the function's entry to it, and one on some path from it to
 * the end (definition 6.2). */
#ifndef SLUICE_MECH_SHARING_RANGES_H
#define SLUICE_MECH_SHARING_RANGES_H

#include "flow/analyses.h"

/* By block, the sets of variables for which PreIN, PreOUT, PostIN and PostOUT are true. */
struct sharing_ranges {
	uint64_t *pre_in, *pre_out, *post_in, *post_out;
};

/* `accessed`: by instruction, a set of variables. */
struct sharing_ranges sharing_ranges(struct arena *arena, const struct flow_cfg *cfg, const uint64_t *accessed);

/* AccIN and AccOUT. */
static inline bool sharing_in_range(uint64_t pre, uint64_t post, uint64_t set)
{
	return pre & set && post & set;
}

/* Instructions with the same variables accessed up to them, and from them on, both including themselves. */
struct sharing_stretch {
	uint64_t up_to, from;
	uint64_t weight; /* number of instructions; in loops, times `loops` for each enclosing loop */
};

struct sharing_stretches {
	struct sharing_stretch *stretch;
	uint32_t count;
};

struct sharing_stretches sharing_stretches(struct arena *arena, const struct flow_cfg *cfg,
                                           const struct analysis_loops *loops, uint32_t trips, const uint64_t *accessed);

/* Returns the weighted number of instructions in a set's access range, from the first access to the last. */
uint64_t sharing_range_weight(const struct sharing_stretches *stretches, uint64_t set);

#endif
