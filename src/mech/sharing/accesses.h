/* accesses: which of a kernel's shared variables each instruction may touch, and how far from their begin: by addresses.
 *
 * An address is followed from the names of variables through all that computes, through the parameters and results of functions, and from one
 * address space to another (addresses.h). It stays within the variables that it comes from. What is not followed (an address out of memory or from a
 * parameter of the kernel) touches those variables whose address has been stored to memory or handed to somebody unknown; a load
 * or store of .shared memory, where there are none such, all. So does an address that is a mere number, or lies outside its variable.
 *
 * A call touches what its callee does, in all that it calls; one by address touches all. */
#ifndef SLUICE_MECH_SHARING_ACCESSES_H
#define SLUICE_MECH_SHARING_ACCESSES_H

#include "mech/sharing/layout.h"

/* Sets of variables, by their numbers; the last takes those beyond it, too. */
enum { SHARING_SET = 64 };
#define SHARING_EVERYTHING UINT64_MAX

static inline uint64_t sharing_bit(uint32_t variable)
{
	return UINT64_C(1) << (variable < SHARING_SET ? variable : SHARING_SET - 1);
}

struct sharing_touch {
	uint64_t variables; /* set */
	uint64_t end;       /* behind the last byte, from a variable's begin; UINT64_MAX: to its end */
};

struct sharing_accesses {
	const struct flow_dependences *on;
	struct sharing_layout layout;
	struct sharing_touch *touch; /* by instruction, as dependences number them: the kernel's are the first */
	uint64_t exposed;            /* variables whose address lies in memory */
	uint32_t unfollowed;         /* instructions whose address is not followed, and that may touch shared memory */
	bool by_place; /* something may depend on where variables lie: an address that is a number, a call by address */
};

/* `dynamic`: bytes of shared memory that the launch adds. */
struct sharing_accesses *sharing_accesses(struct arena *arena, const struct ptx_function *kernel, uint64_t dynamic);

/* Whether the instruction may touch a byte of the block's shared memory from `boundary` on. */
bool sharing_touches_from(const struct sharing_accesses *accesses, uint32_t inst, uint64_t boundary);

#endif
