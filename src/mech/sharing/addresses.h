/* addresses: abstract values of registers, as addresses in shared memory. */
#ifndef SLUICE_MECH_SHARING_ADDRESSES_H
#define SLUICE_MECH_SHARING_ADDRESSES_H

#include "mech/sharing/layout.h"

/* The variables into which a value may point, and its distance from their begin. Without variables, the value is a
 * number. [low, high] is the distance, or the number, modulo 2 to the register's width: it remains correct on
 * wrap-around. */
struct sharing_address {
	bool is_known;  /* an instruction sets the value; until then, the other fields are undefined */
	bool is_strange; /* it may also come from memory or unknown code */
	uint64_t variables;
	int64_t low, high;
};

struct sharing_addresses {
	const struct flow_dependences *on;
	const struct sharing_layout *layout;
	struct sharing_address *given; /* by instruction */
	uint8_t *grown;                /* by instruction: how often its bounds have grown */
	bool loose;    /* parameters of functions are accessed other than by name, so they are strange */
	bool has_call_by_address;
};

/* Distances beyond this limit are not distinguished; the bounds are then these limits. */
#define SHARING_FAR (INT64_C(1) << 31)

static inline bool sharing_is_bounded(const struct sharing_address *address)
{
	return address->low > -SHARING_FAR && address->high < SHARING_FAR;
}

/* Returns the value with its bounds removed. */
struct sharing_address sharing_unbounded(struct sharing_address value);
/* Makes `value` the union of both. */
void sharing_join(struct sharing_address *value, struct sharing_address more);

struct sharing_addresses *sharing_find_addresses(struct arena *arena, const struct flow_dependences *on,
                                                 const struct sharing_layout *layout);

/* Returns the value of an instruction's operand: for a memory operand, the address; otherwise, the value read. */
struct sharing_address sharing_operand(const struct sharing_addresses *addresses, uint32_t inst,
                                       const struct ptx_operand *operand);

/* Computes the instruction's result from its operands (arithmetic.c). */
struct sharing_address sharing_compute(const struct sharing_addresses *addresses, uint32_t inst);

#endif
