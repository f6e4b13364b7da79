/* alias: alias analysis, which finds the loads of a kernel that may read data stored by the same launch.
 *
 * It compares the pointers from which addresses derive: the kernel's parameters and its .global variables. A
 * register may hold the value of any instruction that writes it, regardless of position. An address derives from
 * the pointers of all registers it was computed from. The result is conservative, except for an address that leaves
 * the memory of its pointer. A launch knows where pointers point, and compares allocations.
 */
#ifndef SLUICE_FLOW_MEETS_H
#define SLUICE_FLOW_MEETS_H

#include "base/arena.h"
#include "ptx/module.h"

enum {
	ALIAS_SOURCES = 61, /* number of pointers that are distinguished */
	ALIAS_IMAGE = 61,   /* memory of surfaces: no pointer points there */
	ALIAS_INSIDE = 62,  /* shared, local, parameter and constant memory: no store to global memory writes it */
	ALIAS_UNKNOWN = 63, /* the pointer was loaded from memory, or there are too many pointers */
};

/* A set of pointers as bits: sources, and the three kinds above. */
typedef uint64_t alias_set;

/* The origin of a pointer. */
struct alias_source {
	const struct ptx_variable *variable; /* .global variable; NULL: a parameter */
	uint64_t offset;                     /* offset of its 8 bytes among the parameters */
};

struct alias_load {
	uint32_t inst; /* in the kernel's body */
	alias_set from;
};

struct alias_info {
	struct alias_source source[ALIAS_SOURCES];
	uint32_t sources;
	alias_set stored;        /* pointers of the addresses of all stores and atomics */
	struct alias_load *load; /* loads for which alias_is_load() is true */
	uint32_t loads;
};

/* Returns true for loads from memory that other threads can store to: global or generic addresses, or surfaces.
 * Loads that promise read-only data (.nc) do not count. Nor do texture reads, which may return old or new data for
 * stores of the same launch. */
bool alias_is_load(const struct ptx_inst *inst);

/* Returns true for bulk copies and DMA. They read or write global memory asynchronously, in an order that their
 * position in the code does not determine. */
bool alias_is_asynchronous(const struct ptx_inst *inst);

/* Analyzes a kernel with a body; the result is in `arena`. If the kernel calls functions, any load may alias any
 * store. */
const struct alias_info *alias_of(struct arena *arena, const struct ptx_function *kernel);

#endif
