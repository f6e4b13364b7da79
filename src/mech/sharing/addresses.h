/* addresses: what registers hold of addresses of shared memory. */
#ifndef SLUICE_MECH_SHARING_ADDRESSES_H
#define SLUICE_MECH_SHARING_ADDRESSES_H

#include "mech/sharing/layout.h"

/* The variables that a value may be an address in, and how far from their begin; of none: a number. [low, high] is the
 * distance, or the number, up to a multiple of 2 to the bits of the register: what wraps around stays true. */
struct sharing_address {
	bool is_known;  /* something gives a value; until then the rest is nothing */
	bool is_strange; /* it may also come out of memory, or from somebody unknown */
	uint64_t variables;
	int64_t low, high;
};

struct sharing_addresses {
	const struct flow_dependences *on;
	const struct sharing_layout *layout;
	struct sharing_address *given; /* by instruction */
	uint8_t *grown;                /* by instruction: how often its bounds have */
	bool loose;    /* parameters of functions are not only loaded and stored by their names: they are strange then */
	bool has_call_by_address;
};

/* Distances beyond are not told apart: bounds are these then. */
#define SHARING_FAR (INT64_C(1) << 31)

static inline bool sharing_is_bounded(const struct sharing_address *address)
{
	return address->low > -SHARING_FAR && address->high < SHARING_FAR;
}

/* With bounds let go. */
struct sharing_address sharing_unbounded(struct sharing_address value);
/* What the one or the other may be. */
void sharing_join(struct sharing_address *value, struct sharing_address more);

struct sharing_addresses *sharing_find_addresses(struct arena *arena, const struct flow_dependences *on,
                                                 const struct sharing_layout *layout);

/* What an operand of an instruction is: the address that it accesses, the value that it reads. */
struct sharing_address sharing_operand(const struct sharing_addresses *addresses, uint32_t inst,
                                       const struct ptx_operand *operand);

/* The value that an instruction gives, of what others do (arithmetic.c). */
struct sharing_address sharing_compute(const struct sharing_addresses *addresses, uint32_t inst);

#endif
