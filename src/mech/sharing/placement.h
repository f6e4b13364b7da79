/* placement: where to insert relssp, so that every path through a function executes one, and only after its last
 * access (section 6.3). */
#ifndef SLUICE_MECH_SHARING_PLACEMENT_H
#define SLUICE_MECH_SHARING_PLACEMENT_H

#include "flow/flow.h"

/* By block: whether its begin and its end are safe: no access can follow. A block's end does not distinguish edges:
 * an edge is safe if its target's begin is. */
struct sharing_safety {
	bool *in, *out;
};

/* `accesses`: by instruction. */
struct sharing_safety sharing_safety(struct arena *arena, const struct flow_cfg *cfg, const bool *accesses);

/* INS at OUT, equation (1): after the block's last access. */
static inline bool sharing_inserts_in(const struct sharing_safety *safety, uint32_t block)
{
	return safety->out[block] && !safety->in[block];
}

/* INS at IN, equation (2), in the edge's target, or in the block that splits the edge if it is critical. */
static inline bool sharing_inserts_on(const struct sharing_safety *safety, uint32_t from, uint32_t to)
{
	return safety->in[to] && !safety->out[from];
}

/* Returns the last instruction of a block that accesses, or FLOW_NONE. */
uint32_t sharing_last_access(const struct flow_cfg *cfg, uint32_t block, const bool *accesses);

/* Returns the first block that every path to the end passes exactly once, with no access after the block's end. It
 * post-dominates the blocks with the last accesses. Returns the virtual exit when there is no other. */
uint32_t sharing_post_dominator(const struct flow_cfg *cfg, const uint32_t *idom, const struct sharing_safety *safety);

#endif
