#include "simt/convert.h"

#include "simt/exec.h"

#include <fenv.h>
#include <float.h>
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

/* Format of a small type: bits of exponent and mantissa, the number of trailing zero bits, and the bits of the
 * largest number and of NaN without these. After the largest number follows infinity, only NaN, or nothing. A type
 * without NaN converts NaN to the largest number. */
struct small_format {
	int exponent, mantissa, zeros;
	uint32_t largest, nan;
};

static struct small_format format_of(enum ptx_type type)
{
	switch (type) {
	case PTX_TF32:
		return (struct small_format){8, 10, 13, 0x3fbff, 0x3ffff};
	case PTX_BF16:
	case PTX_BF16X2:
		return (struct small_format){8, 7, 0, 0x7f7f, 0x7fff};
	case PTX_E5M2X2:
		return (struct small_format){5, 2, 0, 0x7b, 0x7f};
	case PTX_E4M3X2:
		return (struct small_format){4, 3, 0, 0x7e, 0x7f};
	case PTX_E3M2X2:
		return (struct small_format){3, 2, 0, 0x1f, 0x1f};
	case PTX_E2M3X2:
		return (struct small_format){2, 3, 0, 0x1f, 0x1f};
	case PTX_E2M1X2:
		return (struct small_format){2, 1, 0, 0x7, 0x7};
	default:
		return (struct small_format){5, 10, 0, 0x7bff, 0x7fff};
	}
}

/* IEEE formats end with infinity and NaN. */
static bool has_infinity(struct small_format format)
{
	return format.largest + 1 == ((1u << format.exponent) - 1) << format.mantissa;
}

double small_value(enum ptx_type type, uint32_t bits)
{
	struct small_format format = format_of(type);
	bits >>= format.zeros;
	uint32_t ones = (1u << format.exponent) - 1;
	uint32_t exponent = bits >> format.mantissa & ones, mantissa = bits & ((1u << format.mantissa) - 1);
	/* exponent of the last bit of subnormal numbers */
	int unit = 2 - (1 << (format.exponent - 1)) - format.mantissa;
	uint32_t all = exponent << format.mantissa | mantissa;
	double magnitude = all > format.largest ? (all == format.largest + 1 && has_infinity(format) ? INFINITY : NAN)
	                   : exponent == 0      ? ldexp(mantissa, unit)
	                                        : ldexp(mantissa + (1u << format.mantissa), (int)exponent - 1 + unit);
	return bits >> (format.exponent + format.mantissa) & 1 ? -magnitude : magnitude;
}

/* Rounds a positive number that is given in units of the last place. */
static double round_units(double units, bool negative, enum ptx_round round)
{
	double below = trunc(units), rest = units - below;
	bool away = round == PTX_RZ    ? false
	            : round == PTX_RM  ? negative && rest > 0
	            : round == PTX_RP  ? !negative && rest > 0
	            : round == PTX_RNA ? rest >= 0.5
	                               : rest > 0.5 || (rest == 0.5 && fmod(below, 2) == 1);
	return below + away;
}

uint32_t small_round(enum ptx_type type, double value, enum ptx_round round)
{
	struct small_format format = format_of(type);
	bool negative = signbit(value);
	uint32_t sign = (uint32_t)negative << (format.exponent + format.mantissa);
	uint32_t above = format.largest + has_infinity(format), one = 1u << format.mantissa;
	int bias = (1 << (format.exponent - 1)) - 1, exponent = 1 - bias; /* smaller numbers are subnormal */
	double magnitude = fabs(value);
	if (isnan(value))
		return format.nan << format.zeros;
	if (isinf(value))
		return (sign | above) << format.zeros;
	if (magnitude >= ldexp(1, exponent))
		exponent = ilogb(magnitude);
	double units = round_units(ldexp(magnitude, format.mantissa - exponent), negative, round);
	if (units >= 2 * one) {
		units /= 2;
		exponent++;
	}
	uint32_t mantissa = (uint32_t)units;
	uint64_t bits =
		mantissa < one ? mantissa : (uint64_t)(exponent + bias) << format.mantissa | (mantissa & (one - 1));
	/* infinity, or the largest number when the rounding mode does not reach infinity */
	if (bits > format.largest) {
		bool stays = round == PTX_RZ || (round == PTX_RM && !negative) || (round == PTX_RP && negative);
		bits = stays ? format.largest : above;
	}
	return (sign | (uint32_t)bits) << format.zeros;
}

unsigned small_bits(enum ptx_type type)
{
	return type == PTX_E2M1X2 ? 4 : type >= PTX_E4M3X2 && type <= PTX_E3M2X2 ? 8 : 16;
}

static uint32_t small_mask(enum ptx_type type)
{
	unsigned bits = small_bits(type);
	return type == PTX_TF32 ? UINT32_MAX : (1u << bits) - 1;
}

/* A value between source and destination type: an integer as sign and magnitude, or a double, which holds any
 * smaller type. */
struct number {
	bool is_real, negative;
	uint64_t magnitude;
	double real;
};

/* `ftz`: subnormal numbers of single precision are zero. */
static struct number unpack(enum ptx_type type, uint64_t bits, bool ftz)
{
	struct number number = {.is_real = ptx_type_is_float(type)};
	uint32_t width = 8 * ptx_type_bytes(type);
	if (type == PTX_F64)
		number.real = bits_double(bits);
	else if (type == PTX_F32)
		number.real = flush_f32(bits_float((uint32_t)bits), ftz ? 0 : UINT32_MAX);
	else if (number.is_real)
		number.real = small_value(type, (uint32_t)bits & small_mask(type));
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

/* Converts to an integer, clamped to the type's range. */
static uint64_t clamp_integer(enum ptx_type type, struct number number)
{
	uint32_t width = 8 * ptx_type_bytes(type);
	bool is_signed = ptx_type_is_signed(type);
	uint64_t highest = UINT64_MAX >> (64 - width + is_signed);
	uint64_t lowest = is_signed ? highest + 1 : 0; /* a magnitude */
	uint64_t limit = number.negative ? lowest : highest;
	uint64_t magnitude = number.magnitude < limit ? number.magnitude : limit;
	return number.negative ? 0 - magnitude : magnitude;
}

static uint64_t real_to_integer(const struct ptx_inst *ptx, double real)
{
	bool wide = ptx->type2 == PTX_F64 || ptx_type_bytes(ptx->type) == 8;
	if (isnan(real)) { /* only the top bit, extended as the type has a sign */
		uint64_t top = wide ? (uint64_t)1 << (8 * ptx_type_bytes(ptx->type) - 1) : 0;
		return ptx_type_is_signed(ptx->type) ? 0 - top : top;
	}
	double whole = ptx->round == PTX_RZI   ? trunc(real)
	               : ptx->round == PTX_RMI ? floor(real)
	               : ptx->round == PTX_RPI ? ceil(real)
	                                       : rint(real);
	struct number number = {.negative = whole < 0};
	double magnitude = fabs(whole);
	number.magnitude = magnitude < 0x1p64 ? (uint64_t)magnitude : UINT64_MAX;
	return clamp_integer(ptx->type, number);
}

/* Wraps around unless saturating; extended according to the destination's type. */
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

/* Real to real, of the same or another type. An integral rounding (rni...) rounds to an integer. */
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

/* Returns an integer as a double. An inexact result is rounded to odd: its last bit is set, so that a second
 * rounding gives the same result as rounding the integer directly. */
static double odd_double(struct number number)
{
	const unsigned beyond = 11; /* bits that an integer has more than a double's mantissa */
	uint64_t lost = number.magnitude & ((1u << beyond) - 1);
	double real = number.magnitude >> 53 ? ldexp((double)(number.magnitude >> beyond | (lost != 0)), (int)beyond)
	                                     : (double)number.magnitude;
	return number.negative ? -real : real;
}

static uint64_t to_small(const struct ptx_inst *ptx, struct number number)
{
	double real = number.is_real ? whole_of(ptx->round, number.real) : odd_double(number);
	if (ptx->sat)
		real = clamp_unit(real);
	if (ptx->relu && !isnan(real))
		real = real > 0 ? real : 0;
	uint32_t bits = small_round(ptx->type, real, ptx->round);
	if (ptx->satfinite && !isnan(real) && isinf(small_value(ptx->type, bits)))
		bits = small_round(ptx->type, real > 0 ? DBL_MAX : -DBL_MAX, PTX_RZ);
	return bits;
}

static uint64_t to_real(const struct ptx_inst *ptx, struct number number)
{
	int old = round_set(ptx->round);
	volatile double real = number.real; /* volatile: rounded here, in this mode */
	volatile float single;
	if (number.is_real) {
		real = whole_of(ptx->round, real);
		single = (float)real;
	} else { /* converted with its sign, since directed roundings depend on it */
		volatile uint64_t magnitude = number.magnitude;
		volatile int64_t negated = (int64_t)(0 - number.magnitude);
		real = number.negative ? (double)negated : (double)magnitude;
		single = number.negative ? (float)negated : (float)magnitude;
	}
	fesetround(old);
	if (ptx->sat) {
		real = clamp_unit(real);
		single = (float)clamp_unit(single);
	}
	if (ptx->type == PTX_F64)
		return double_bits(nan1_f64(real, number.real));
	return float_bits(flush_f32(canonical_f32(single), ptx->ftz ? 0 : UINT32_MAX));
}

/* Returns the bits in which single precision holds a NaN of a smaller type. */
static uint32_t nan_as_f32(enum ptx_type type, uint64_t bits)
{
	return type == PTX_F16 ? (uint32_t)((bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13)
	                       : (uint32_t)bits << 16;
}

/* A conversion that keeps a NaN's sign and the top bits of its payload, as an H100's instructions do. Others return
 * the canonical NaN of the type. */
static bool keeps_nan(const struct ptx_inst *ptx, uint64_t bits, uint64_t *result)
{
	enum ptx_type to = ptx->type, from = ptx->type2;
	if (ptx->sat)
		return false;
	if (from == PTX_F64) {
		uint32_t narrow = narrow_nan(bits);
		*result = to == PTX_F64    ? double_bits(quiet_f64(bits_double(bits)))
		          : to == PTX_F32  ? narrow
		          : to == PTX_BF16 ? narrow >> 16
		                           : (narrow >> 16 & 0x8000) | 0x7c00 | (narrow >> 13 & 0x3ff);
		return to == PTX_F64 || to == PTX_F32 || to == PTX_BF16 || to == PTX_F16;
	}
	if (to == PTX_F64) {
		*result = wide_nan(from != PTX_F32 ? nan_as_f32(from, bits) : ptx->ftz ? 0x7fffffff : (uint32_t)bits);
		return true;
	}
	if (to == PTX_F32 && from == PTX_BF16 && !ptx->ftz) {
		*result = nan_as_f32(from, bits);
		return true;
	}
	/* .rna rounds a NaN's payload towards zero, even to infinity; .satfinite then takes one unit of it */
	*result = (bits & 0xffffe000) - (ptx->satfinite ? 0x2000 : 0);
	return to == PTX_TF32 && ptx->round == PTX_RNA;
}

uint64_t convert_lane(const struct ptx_inst *ptx, uint64_t bits)
{
	/* PTX: .ftz makes single-precision sources zero. To f16, hardware does not. */
	struct number number = unpack(ptx->type2, bits, ptx->ftz && ptx->type != PTX_F16);
	uint64_t nan;
	if (number.is_real && isnan(number.real) && keeps_nan(ptx, bits, &nan))
		return nan;
	if (ptx->type == PTX_F32 || ptx->type == PTX_F64)
		return to_real(ptx, number);
	if (ptx_type_is_float(ptx->type))
		return to_small(ptx, number);
	return number.is_real ? real_to_integer(ptx, number.real) : integer_to_integer(ptx, number);
}
