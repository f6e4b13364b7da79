/* layout: addresses of the shared variables of a kernel and of the functions that it calls, as simt/layout.c assigns
 * them. */
#ifndef SLUICE_MECH_SHARING_LAYOUT_H
#define SLUICE_MECH_SHARING_LAYOUT_H

#include "flow/dependences.h"

struct sharing_variable {
	/* for dynamic memory: its first name; all of its names are one variable here */
	const struct ptx_variable *variable;
	uint64_t offset, size;
	bool is_dynamic;
};

/* In the order of their addresses: the functions' own variables (the kernel's first), the module's by their first
 * use, dynamic memory. */
struct sharing_layout {
	struct sharing_variable *variable;
	uint32_t count;
	uint64_t dynamic; /* bytes that the launch adds */
	uint64_t bytes;   /* bytes per block */
};

struct sharing_layout sharing_layout_of(struct arena *arena, const struct flow_dependences *on, uint64_t dynamic);
/* Computes offsets and the total size for the variables' current order. */
void sharing_place(struct sharing_layout *layout);
/* Returns the number of a variable of shared memory, or FLOW_NONE. */
uint32_t sharing_number(const struct sharing_layout *layout, const struct ptx_variable *variable);

#endif
