/* convert: numbers of any type and rounding, one at a time. */
#ifndef SLUICE_SIMT_CONVERT_H
#define SLUICE_SIMT_CONVERT_H

#include "ptx/module.h"

/* The small types: f16, bf16, those of 8, 6 and 4 bits (of a pair, one of its parts), and tf32, which has 32 bits with the last 13
 * zero. A number's value, and the nearest number in a rounding (rn, rz, rm, rp, rna); NaN becomes the one with all bits but the sign,
 * and where a type has none its largest number, as infinity does where there is none. */
double small_value(enum ptx_type type, uint32_t bits);
uint32_t small_round(enum ptx_type type, double value, enum ptx_round round);

/* The bits between the parts of a pair of them. */
unsigned small_bits(enum ptx_type type);

/* Sets the host's rounding to PTX's (rn where none is given); returns the old one, for fesetround(). */
int round_set(enum ptx_round round);

/* What cvt makes of the low bits of a lane: the result's bits, extended to 64. */
uint64_t convert_lane(const struct ptx_inst *ptx, uint64_t bits);

#endif
