/* indirect: which loads read at addresses that come out of memory: through registers, backwards over all that may have given their values
 * (flow/dependences.h), one comes to another load or an atomic. Parameters and constant memory are no memory in this sense, unless they are looked up by what is,
 * nor are registers that were spilled. Branches do not count, selections by a predicate do. Requires nothing.
 */
#ifndef SLUICE_FLOW_INDIRECT_H
#define SLUICE_FLOW_INDIRECT_H

#include "flow/dependences.h"

struct flow_loads {
	const struct flow_dependences *on;
	uint8_t *indirect; /* by instruction: its address comes out of memory */
};

/* Of the global and generic loads of a kernel and of the functions that it calls. */
struct flow_loads *flow_find_loads(struct arena *arena, const struct ptx_function *kernel);

/* Whether that instruction is one of them. */
bool flow_is_global_load(const struct ptx_inst *inst);

#endif
