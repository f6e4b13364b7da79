/* staging: finds the code with which a kernel copies tiles from global to shared memory through registers.
 *
 * A transfer store stores to shared memory what was loaded from global memory. Walking back from the registers that
 * it stores, over all possible providers (flow/dependences.h), one reaches loads of global memory: the transfer
 * loads. All other origins must be constants, parameters, or values computed from these. No origin may be shared or
 * local memory, an atomic or a texture.
 *
 * Moves, conversions, byte permutations and selections may merge several loads: a lane stores one of them, or a
 * halo's constant instead. Arithmetic may change a loaded value (subtract a mean, scale it) but not combine two.
 * The result of an instruction with two registers that may both hold loaded values is no tile element. An
 * accumulator is therefore no transfer: inside its loop it may hold loaded values itself, in addition to its new
 * operand.
 *
 * Transfers are grouped into "arrays" by the shared variable from which the store's address derives. Arrays are in
 * the order of their first stores in the code. Addresses that derive from several variables, or from none, form one
 * array together.
 *
 * All other dependencies of the loads and stores are address generation. They include the addresses, other stored
 * values, and the guards and branches that decide whether they run, such as a halo's conditions. One of these
 * instructions is `own` when only transfers depend on it: no other store, atomic, barrier or return. The counter of
 * a loop with a barrier is not.
 *
 * A generic access is to shared memory when its address derives from a shared variable, also from a caller's.
 * Otherwise it is to global memory when its address derives from a kernel parameter or a global variable. Requires
 * nothing.
 */
#ifndef SLUICE_FLOW_STAGING_H
#define SLUICE_FLOW_STAGING_H

#include "flow/dependences.h"

enum { FLOW_STAGING_ARRAYS = 8 }; /* the last array also holds all further ones */

/* The roles of an instruction in transfers, as sets of arrays: bit a for array a. */
struct flow_role {
	uint8_t loads;
	uint8_t handles; /* passes on a loaded value, including the store itself */
	uint8_t stores;
	uint8_t addresses;
	bool own;
};

struct flow_staging {
	uint32_t arrays;
	const struct flow_dependences *on;
	struct flow_role *inst; /* by instruction number */
};

/* Analyzes a kernel with all functions that it calls. */
struct flow_staging *flow_staging(struct arena *arena, const struct ptx_function *kernel);

#endif
