#include "simt/convert.h"

#include "simt/exec.h"

#include <fenv.h>
#include <math.h>

#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#endif

int round_set(enum ptx_round round)
{
	int old = fegetround();
	switch (round) {
	case PTX_RZ:
	case PTX_RZI:
		fesetround(FE_TOWARDZERO);
		break;
	case PTX_RM:
	case PTX_RMI:
		fesetround(FE_DOWNWARD);
		break;
	case PTX_RP:
	case PTX_RPI:
		fesetround(FE_UPWARD);
		break;
	default:
		fesetround(FE_TONEAREST);
		break;
	}
	return old;
}

double half_value(uint16_t half)
{
	uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
	double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
	                   : exponent == 0 ? ldexp(mantissa, -24)
	                                   : ldexp(mantissa + 1024, (int)exponent - 25);
	return half & 0x8000 ? -magnitude : magnitude;
}

uint16_t half_round(double value, enum ptx_round round)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs(value);
	if (isnan(value))
		return 0x7fff;
	if (isinf(value))
		return sign | 0x7c00;
	int exponent = -14; /* of the unit of the leading bit; smaller numbers are subnormal */
	if (magnitude >= 0x1p-14)
		exponent = ilogb(magnitude);
	double units = ldexp(magnitude, 10 - exponent); /* below 2^11, in units of the last place; exact */
	double below = trunc(units), rest = units - below;
	bool away = round == PTX_RZ   ? false
	            : round == PTX_RM ? sign && rest > 0
	            : round == PTX_RP ? !sign && rest > 0
	                              : rest > 0.5 || (rest == 0.5 && fmod(below, 2) == 1);
	below += away;
	if (below >= 2048) {
		below /= 2;
		exponent++;
	}
	if (exponent > 15) { /* too large: infinity, or the largest number when rounding does not lead there */
		bool stays = round == PTX_RZ || (round == PTX_RM && !sign) || (round == PTX_RP && sign);
		return sign | (stays ? 0x7bff : 0x7c00);
	}
	uint16_t mantissa = (uint16_t)below;
	return sign | (uint16_t)(mantissa < 1024 ? mantissa : (exponent + 15) << 10 | (mantissa & 1023));
}

/* A number between the types: an integer as sign and magnitude, or a double (which holds any f32 and f16). */
struct number {
	bool is_real, negative;
	uint64_t magnitude;
	double real;
};

static struct number unpack(enum ptx_type type, uint64_t bits, bool ftz)
{
	struct number number = {.is_real = ptx_type_is_float(type)};
	uint32_t width = 8 * ptx_type_bytes(type);
	if (type == PTX_F64)
		number.real = bits_double(bits);
	else if (type == PTX_F32)
		number.real = flush_f32(bits_float((uint32_t)bits), ftz ? 0 : UINT32_MAX);
	else if (type == PTX_F16)
		number.real = half_value((uint16_t)bits);
	else {
		if (width < 64)
			bits &= ((uint64_t)1 << width) - 1;
		number.negative = ptx_type_is_signed(type) && bits >> (width - 1) & 1;
		if (number.negative && width < 64)
			bits |= ~(uint64_t)0 << width;
		number.magnitude = number.negative ? 0 - bits : bits;
	}
	return number;
}

/* To an integer of the range, clamped. */
static uint64_t clamp_integer(enum ptx_type type, struct number number)
{
	uint32_t width = 8 * ptx_type_bytes(type);
	bool is_signed = ptx_type_is_signed(type);
	uint64_t highest = UINT64_MAX >> (64 - width + is_signed);
	uint64_t lowest = is_signed ? highest + 1 : 0; /* magnitude */
	uint64_t limit = number.negative ? lowest : highest;
	uint64_t magnitude = number.magnitude < limit ? number.magnitude : limit;
	return number.negative ? 0 - magnitude : magnitude;
}

static uint64_t real_to_integer(const struct ptx_inst *ptx, double real)
{
	bool wide = ptx->type2 == PTX_F64 || ptx_type_bytes(ptx->type) == 8;
	if (isnan(real))
		return wide ? (uint64_t)1 << (8 * ptx_type_bytes(ptx->type) - 1) : 0;
	double whole = ptx->round == PTX_RZI   ? trunc(real)
	               : ptx->round == PTX_RMI ? floor(real)
	               : ptx->round == PTX_RPI ? ceil(real)
	                                       : rint(real);
	struct number number = {.negative = whole < 0};
	double magnitude = fabs(whole);
	number.magnitude = magnitude < 0x1p64 ? (uint64_t)magnitude : UINT64_MAX;
	return clamp_integer(ptx->type, number);
}

/* Wraps around, unless saturating; extended as the destination's type says. */
static uint64_t integer_to_integer(const struct ptx_inst *ptx, struct number number)
{
	uint64_t value = ptx->sat ? clamp_integer(ptx->type, number)
	                          : (number.negative ? 0 - number.magnitude : number.magnitude);
	uint32_t shift = 64 - 8 * ptx_type_bytes(ptx->type);
	value <<= shift;
	return ptx_type_is_signed(ptx->type) ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static double clamp_unit(double value)
{
	return value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Real to real of the same or another type; an integral rounding (rni...) rounds to a whole number. */
static double whole_of(enum ptx_round round, double real)
{
	switch (round) {
	case PTX_RNI:
		return rint(real);
	case PTX_RZI:
		return trunc(real);
	case PTX_RMI:
		return floor(real);
	case PTX_RPI:
		return ceil(real);
	default:
		return real;
	}
}

static uint64_t to_real(const struct ptx_inst *ptx, struct number number)
{
	int old = round_set(ptx->round);
	volatile double real = number.real; /* volatile: rounded here, in this mode */
	volatile float single;
	if (number.is_real) {
		real = whole_of(ptx->round, real);
		if (ptx->sat)
			real = clamp_unit(real);
		single = (float)real;
	} else { /* converted with its sign, since directed roundings have a direction */
		volatile uint64_t magnitude = number.magnitude;
		volatile int64_t negated = (int64_t)(0 - number.magnitude);
		real = number.negative ? (double)negated : (double)magnitude;
		single = number.negative ? (float)negated : (float)magnitude;
	}
	fesetround(old);
	if (ptx->type == PTX_F64)
		return double_bits(canonical_f64(real));
	if (ptx->type == PTX_F32)
		return float_bits(flush_f32(canonical_f32(single), ptx->ftz ? 0 : UINT32_MAX));
	if (!number.is_real) /* 64 bits of an integer do not fit a double; what is lost is beyond half's range */
		real = number.negative ? -(double)number.magnitude : (double)number.magnitude;
	return half_round(real, ptx->round);
}

uint64_t convert_lane(const struct ptx_inst *ptx, uint64_t bits)
{
	struct number number = unpack(ptx->type2, bits, ptx->ftz);
	if (ptx_type_is_float(ptx->type))
		return to_real(ptx, number);
	return number.is_real ? real_to_integer(ptx, number.real) : integer_to_integer(ptx, number);
}
