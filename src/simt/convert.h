/* convert: numbers of any type and rounding, one at a time. */
#ifndef SLUICE_SIMT_CONVERT_H
#define SLUICE_SIMT_CONVERT_H

#include "ptx/module.h"

/* A half-precision number's value, and the nearest half in a rounding (rn, rz, rm, rp); NaN becomes 0x7fff. */
double half_value(uint16_t half);
uint16_t half_round(double value, enum ptx_round round);

/* Sets the host's rounding to PTX's (rn where none is given); returns the old one, for fesetround(). */
int round_set(enum ptx_round round);

/* What cvt makes of the low bits of a lane: the result's bits, extended to 64. */
uint64_t convert_lane(const struct ptx_inst *ptx, uint64_t bits);

#endif
