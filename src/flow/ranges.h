/* ranges: live ranges with holes. Internal to flow.
 *
 * A function has two program points per instruction: instruction i reads at point 2i and writes at point 2i + 1. A
 * result may therefore take the register of a source whose last use is that instruction.
 */
#ifndef SLUICE_FLOW_RANGES_H
#define SLUICE_FLOW_RANGES_H

#include "flow/flow.h"

struct range {
	uint32_t begin, end; /* program points [begin, end) */
};

/* The live ranges of all registers. The ranges of one register are a list, latest first. */
struct live_range {
	struct range range;
	struct live_range *next;
};

struct ranges {
	struct arena *arena;
	struct live_range **of; /* by register; the finished list begins with the earliest range */
	uint32_t *live_until;   /* by register, during the backward scan: end of the current range, or 0 */
	bool held;
};

/* Finds the live ranges. held: a register becomes free only some instructions after its last read in a block, as
 * with assemblers that have registers to spare. Memory instructions read their registers late. Using another
 * register avoids waiting for the last reader of one. */
void ranges_find(struct arena *arena, const struct flow_cfg *cfg, const struct flow_liveness *live, bool held,
                 struct ranges *ranges);

#endif
