/* indirect: finds loads whose addresses derive from memory. Walking back through registers over all possible
 * providers (flow/dependences.h), one reaches another load or an atomic. Parameters, constant memory and spilled
 * registers do not count as memory. A parameter or constant counts if its own address derives from memory. Branches
 * do not count; selections by a predicate do. Requires nothing.
 */
#ifndef SLUICE_FLOW_INDIRECT_H
#define SLUICE_FLOW_INDIRECT_H

#include "flow/dependences.h"

struct flow_loads {
	const struct flow_dependences *on;
	uint8_t *indirect; /* by instruction: its address derives from memory */
};

/* Analyzes the global and generic loads of a kernel and of the functions that it calls. */
struct flow_loads *flow_find_loads(struct arena *arena, const struct ptx_function *kernel);

/* Returns true when the instruction is such a load. */
bool flow_is_global_load(const struct ptx_inst *inst);

#endif
