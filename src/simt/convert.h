/* convert: converts single numbers of any type, with any rounding. */
#ifndef SLUICE_SIMT_CONVERT_H
#define SLUICE_SIMT_CONVERT_H

#include "ptx/module.h"

/* Small types: f16, bf16, types of 8, 6 and 4 bits (for a pair, one of its elements), and tf32, which has 32 bits
 * with the last 13 zero. small_value() returns a number's value. small_round() returns the nearest number under a
 * rounding mode (rn, rz, rm, rp, rna). NaN becomes the NaN with all bits set except the sign. In a type without NaN
 * it becomes the largest number; so does infinity in a type without infinity. */
double small_value(enum ptx_type type, uint32_t bits);
uint32_t small_round(enum ptx_type type, double value, enum ptx_round round);

/* Returns the distance in bits between the elements of a pair. */
unsigned small_bits(enum ptx_type type);

/* Sets the host's rounding mode to PTX's (rn if none is given). Returns the old mode, for fesetround(). */
int round_set(enum ptx_round round);

/* Applies cvt to the low bits of a lane. Returns the result's bits, extended to 64. */
uint64_t convert_lane(const struct ptx_inst *ptx, uint64_t bits);

#endif
