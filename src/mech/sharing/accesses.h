/* accesses: alias analysis for shared memory: which of a kernel's shared variables each instruction may touch, and
 * up to which offset.
 *
 * An address is traced from variables' names through computations, through parameters and results of functions, and
 * between address spaces (addresses.h). It is assumed to stay within the variables that it comes from. An untraced
 * address is one from memory or from a parameter of the kernel. It may touch the variables whose addresses have been
 * stored to memory or passed to unknown code. If there are none, a load or store of .shared memory may touch all. So
 * may an address that is a plain number, or that lies outside its variable.
 *
 * A call touches what its callee touches, including the callee's calls; a call by address touches all. */
#ifndef SLUICE_MECH_SHARING_ACCESSES_H
#define SLUICE_MECH_SHARING_ACCESSES_H

#include "mech/sharing/layout.h"

/* Sets of variables, by number. The last bit also represents all variables beyond it. */
enum { SHARING_SET = 64 };
#define SHARING_EVERYTHING UINT64_MAX

static inline uint64_t sharing_bit(uint32_t variable)
{
	return UINT64_C(1) << (variable < SHARING_SET ? variable : SHARING_SET - 1);
}

struct sharing_touch {
	uint64_t variables; /* set */
	uint64_t end;       /* end of the touched bytes, relative to a variable's begin; UINT64_MAX: up to its end */
};

struct sharing_accesses {
	const struct flow_dependences *on;
	struct sharing_layout layout;
	struct sharing_touch *touch; /* by instruction, numbered as in dependences: the kernel's are the first */
	uint64_t exposed;            /* variables whose addresses are in memory */
	uint32_t unfollowed;         /* number of instructions with an untraced address that may touch shared memory */
	/* code may depend on variables' addresses: an address is a plain number, or there is a call by address */
	bool by_place;
};

/* `dynamic`: bytes of shared memory that the launch adds. */
struct sharing_accesses *sharing_accesses(struct arena *arena, const struct ptx_function *kernel, uint64_t dynamic);

/* Whether the instruction may touch a byte of the block's shared memory from `boundary` on. */
bool sharing_touches_from(const struct sharing_accesses *accesses, uint32_t inst, uint64_t boundary);

#endif
