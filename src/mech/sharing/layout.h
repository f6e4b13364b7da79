/* layout: where the shared variables of a kernel, with all that it calls, lie: as simt/layout.c places them. */
#ifndef SLUICE_MECH_SHARING_LAYOUT_H
#define SLUICE_MECH_SHARING_LAYOUT_H

#include "flow/dependences.h"

struct sharing_variable {
	const struct ptx_variable *variable; /* of dynamic memory: the first of its names, which are one variable here */
	uint64_t offset, size;
	bool is_dynamic;
};

/* In the order in which they lie: the functions' own, the kernel's first, then the module's by their first use, then dynamic memory. */
struct sharing_layout {
	struct sharing_variable *variable;
	uint32_t count;
	uint64_t dynamic; /* bytes that the launch adds */
	uint64_t bytes;   /* of a block */
};

struct sharing_layout sharing_layout_of(struct arena *arena, const struct flow_dependences *on, uint64_t dynamic);
/* Offsets and bytes for the order in which the variables are. */
void sharing_place(struct sharing_layout *layout);
/* The number of a variable of shared memory, or FLOW_NONE. */
uint32_t sharing_number(const struct sharing_layout *layout, const struct ptx_variable *variable);

#endif
