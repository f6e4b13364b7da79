/* staging: the code with which a kernel brings tiles from global into shared memory through registers.
 *
 * A transfer store is a store to shared memory of what was loaded from global memory: going back from the registers that it stores,
 * through all that may have given their values (flow/dependences.h), one comes to loads of global memory, the transfer loads, to constants,
 * parameters and what is computed of these; and to nothing else that memory has given: neither shared nor local memory, atomics or
 * textures. Moves, conversions, byte permutations and selections may bring several loads together: a lane stores one of them, or a halo's
 * constant in their place. Computing may change a loaded value (subtract a mean, scale it) but not combine two: where an instruction
 * computes of two registers that may both hold loaded values, what comes out is no element of a tile any more. That is why an
 * accumulator is no transfer: around its loop it may hold loaded values itself, beside the one that it takes in.
 *
 * Transfers are told apart by the variable of shared memory that the store's address comes from: "arrays", in the order of their first
 * stores in the code. All whose address comes from several, or from none, are together one of these arrays.
 *
 * All else that the loads and stores depend on is address generation: of their addresses, of other values stored, and of the guards and
 * branches that decide whether they run, as a halo's conditions. An instruction of all these is `own` when nothing but transfers depends on it:
 * no other store, atomic, barrier or return. The counter of a loop with a barrier in it is not.
 *
 * A generic access is one of shared memory when a variable of that comes into its address, also from a caller; else of global memory when a
 * parameter of the kernel or a variable of global memory does. Requires nothing.
 */
#ifndef SLUICE_FLOW_STAGING_H
#define SLUICE_FLOW_STAGING_H

#include "flow/dependences.h"

enum { FLOW_STAGING_ARRAYS = 8 }; /* the last takes what lies beyond it, too */

/* What an instruction does for transfers, as sets of arrays: bit a for array a. */
struct flow_role {
	uint8_t loads;
	uint8_t handles; /* it has a loaded value on its way, as the store does at last: */
	uint8_t stores;
	uint8_t addresses;
	bool own;
};

struct flow_staging {
	uint32_t arrays;
	const struct flow_dependences *on;
	struct flow_role *inst; /* by their numbers */
};

/* Of a kernel with all that it calls. */
struct flow_staging *flow_staging(struct arena *arena, const struct ptx_function *kernel);

#endif
