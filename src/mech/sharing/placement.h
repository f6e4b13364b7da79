/* placement: where `relssp` goes, so that every way through a function passes one, and only behind its last access (section 6.3). */
#ifndef SLUICE_MECH_SHARING_PLACEMENT_H
#define SLUICE_MECH_SHARING_PLACEMENT_H

#include "flow/flow.h"

/* By block: whether it is safe where the block begins and where it ends: no access can come from there on. Blocks' ends do not know
 * of edges: on an edge it is safe if it is where that leads. */
struct sharing_safety {
	bool *in, *out;
};

/* `accesses`: by instruction. */
struct sharing_safety sharing_safety(struct arena *arena, const struct flow_cfg *cfg, const bool *accesses);

/* INS at OUT, equation (1): behind the last access of the block. */
static inline bool sharing_inserts_in(const struct sharing_safety *safety, uint32_t block)
{
	return safety->out[block] && !safety->in[block];
}

/* INS at IN, equation (2), of the block that an edge leads to, or, if it is critical, of the one that splits it. */
static inline bool sharing_inserts_on(const struct sharing_safety *safety, uint32_t from, uint32_t to)
{
	return safety->in[to] && !safety->out[from];
}

/* The last instruction of a block that accesses, or FLOW_NONE. */
uint32_t sharing_last_access(const struct flow_cfg *cfg, uint32_t block, const bool *accesses);

/* The block that every way to the end passes, once, and behind whose end nothing is accessed: the first such. So it post-dominates
 * the blocks with the last accesses. The virtual exit where there is no other. */
uint32_t sharing_post_dominator(const struct flow_cfg *cfg, const uint32_t *idom, const struct sharing_safety *safety);

#endif
