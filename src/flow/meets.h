/* meets: which loads of a kernel can read what the same launch stores.
 *
 * By the pointers that their addresses are made of: the kernel's parameters and its .global variables. A register holds what any instruction
 * that writes it may give it, wherever that stands, and an address the pointers of all registers that it was computed from. So nothing is left
 * out, but for an address that leaves the memory of its pointer; and a launch, which knows where pointers point to, compares allocations.
 */
#ifndef SLUICE_FLOW_MEETS_H
#define SLUICE_FLOW_MEETS_H

#include "base/arena.h"
#include "ptx/module.h"

enum {
	MEETS_SOURCES = 61, /* pointers that are told from each other */
	MEETS_IMAGE = 61,   /* of surfaces: no pointer points there */
	MEETS_INSIDE = 62,  /* shared, local, parameter and constant memory: no store to global memory is there */
	MEETS_UNKNOWN = 63, /* memory gave the pointer, or there were too many */
};

/* Pointers, as bits: sources, and the three above. */
typedef uint64_t meets_set;

/* Where a pointer comes from. */
struct meets_source {
	const struct ptx_variable *variable; /* .global; NULL: a parameter, */
	uint64_t offset;                     /* of 8 bytes at this place among them */
};

struct meets_load {
	uint32_t inst; /* in the kernel's body */
	meets_set from;
};

struct meets {
	struct meets_source source[MEETS_SOURCES];
	uint32_t sources;
	meets_set stored;        /* of the addresses of all stores and atomics */
	struct meets_load *load; /* as meets_is_load() says */
	uint32_t loads;
};

/* It loads from memory that others can store to: global, or behind generic addresses, or a surface's. None is a load that promises that nobody stores
 * there (.nc), nor one of a texture, which may give what it likes of what the same launch has stored. */
bool meets_is_load(const struct ptx_inst *inst);

/* It reads or writes global memory when others want it, in no order that its place in the code gives: copies in bulk, and DMA. */
bool meets_goes_on_by_itself(const struct ptx_inst *inst);

/* In `arena`, for a kernel with a body. Of one that calls functions, any load can meet any store. */
const struct meets *meets_of(struct arena *arena, const struct ptx_function *kernel);

#endif
