/* ranges: live ranges with holes, inside flow.
 *
 * Time within a function is counted in half instructions: instruction i reads at 2i and writes at 2i + 1, so that a
 * result may take the register of a source that dies with it.
 */
#ifndef SLUICE_FLOW_RANGES_H
#define SLUICE_FLOW_RANGES_H

#include "flow/flow.h"

struct range {
	uint32_t begin, end; /* [begin, end) in half instructions */
};

/* The live ranges of all registers: those of a register are a list, the latest first. */
struct live_range {
	struct range range;
	struct live_range *next;
};

struct ranges {
	struct arena *arena;
	struct live_range **of; /* by register; ends up with the earliest first */
	uint32_t *live_until;   /* by register, while scanning backwards: end of the range being built, or 0 */
	bool held;
};

/* held: a register is free again only some instructions behind its last read in a block, as assemblers have it that
 * have registers to spare. What reads memory reads its registers late; and nothing need wait for a register's last reader
 * where there is another register. */
void ranges_find(struct arena *arena, const struct flow_cfg *cfg, const struct flow_liveness *live, bool held,
                 struct ranges *ranges);

#endif
