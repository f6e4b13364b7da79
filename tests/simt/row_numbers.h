/* row_numbers: integers, and small and large floating-point numbers, computed from their definitions, for the models of
 * rows. */
#ifndef SLUICE_TESTS_ROW_NUMBERS_H
#define SLUICE_TESTS_ROW_NUMBERS_H

#include "row_kit.h"

#include <fenv.h>
#include <math.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;
#if __LDBL_MANT_DIG__ >= 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

#define IS(name) (strcmp(op, name) == 0)

/* The expected result of an instruction. */
struct expected {
	uint64_t bits, second; /* second: the second predicate, or the carry */
	/* an approximation: the last place may differ (in single and double precision the last two) */
	bool near;
};

static inline uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static inline wide whole(struct row_type type, uint64_t bits)
{
	bits &= ones(type.bits);
	return type.kind == 's' && bits >> (type.bits - 1) ? (wide)bits - ((wide)1 << type.bits) : (wide)bits;
}

static inline wide least(struct row_type type)
{
	return type.kind == 's' ? -((wide)1 << (type.bits - 1)) : 0;
}

static inline wide most(struct row_type type)
{
	return least(type) + (wide)ones(type.bits);
}

static inline wide clamp(wide value, wide low, wide high)
{
	return value < low ? low : value > high ? high : value;
}

static inline float single_of(uint64_t bits)
{
	return bits_float((uint32_t)bits);
}

/* Returns the bits of exponent and mantissa of a small type. */
static inline unsigned exponent_bits(struct row_type type)
{
	switch (type.kind) {
	case 'h':
	case '5':
		return 5;
	case '4':
		return 4;
	case '3':
		return 3;
	case '2':
	case '1':
		return 2;
	default:
		return 8;
	}
}

static inline unsigned mantissa_bits(struct row_type type)
{
	switch (type.kind) {
	case 'o':
		return 7;
	case '5':
	case '3':
		return 2;
	case '4':
	case '2':
		return 3;
	case '1':
		return 1;
	default:
		return 10;
	}
}

/* True for the types with IEEE infinities. In the others the last number is NaN (e4m3), or they have no special
 * values. */
static inline bool has_infinity(struct row_type type)
{
	return type.kind < '1' || type.kind > '4';
}

/* Returns a small number by its definition; infinity stands for the next number after the largest. */
static inline double small_magnitude(struct row_type type, unsigned bits)
{
	unsigned m = mantissa_bits(type), exponent = bits >> m, fraction = bits & ((1u << m) - 1);
	int bias = (1 << (exponent_bits(type) - 1)) - 1;
	return exponent ? ldexp(1 + ldexp(fraction, -(int)m), (int)exponent - bias) : ldexp(fraction, 1 - bias - (int)m);
}

static inline unsigned small_infinity(struct row_type type)
{
	if (!has_infinity(type))
		return (1u << (exponent_bits(type) + mantissa_bits(type))) - (type.kind == '4');
	return ((1u << exponent_bits(type)) - 1) << mantissa_bits(type);
}

static inline double small_number(struct row_type type, uint64_t bits)
{
	unsigned sign = 1u << (exponent_bits(type) + mantissa_bits(type)), magnitude = (unsigned)bits & (sign - 1);
	double value = magnitude > small_infinity(type) || (magnitude == small_infinity(type) && !has_infinity(type)) ? NAN : magnitude == small_infinity(type) ? INFINITY : small_magnitude(type, magnitude);
	return bits & sign ? -value : value;
}

/* Finds the nearest number by a search. */
static inline uint64_t to_small(struct row_type type, quad value, bool negative, const char *rounding)
{
	unsigned sign = negative ? 1u << (exponent_bits(type) + mantissa_bits(type)) : 0, zeros = type.kind == 't' ? 13 : 0;
	unsigned low = 0, high = small_infinity(type), last = high - !has_infinity(type);
	if (value != value)
		return type.kind == 't' ? 0x7fffe000 : type.kind == '5' || type.kind == '4' ? 0x7f : has_infinity(type) ? 0x7fff : last;
	quad magnitude = value < 0 ? -value : value;
	if (magnitude - magnitude != 0)
		return (uint64_t)(sign | last) << zeros;
	if (magnitude >= small_magnitude(type, high)) {
		low = high - 1;
	} else {
		while (high - low > 1) {
			unsigned middle = (low + high) / 2;
			*(small_magnitude(type, middle) <= magnitude ? &low : &high) = middle;
		}
	}
	quad below = magnitude - (quad)small_magnitude(type, low), above = (quad)small_magnitude(type, low + 1) - magnitude;
	bool up = below > above || (below == above && (low & 1 || strcmp(rounding, "rna") == 0));
	if (strcmp(rounding, "rz") == 0 || strcmp(rounding, "rm") == 0 || strcmp(rounding, "rp") == 0)
		up = below > 0 && strcmp(rounding, "rz") != 0 && (strcmp(rounding, "rm") == 0) == negative;
	return (uint64_t)(sign | (low + up < last ? low + up : last)) << zeros;
}

static inline double number(struct row_type type, uint64_t bits, bool ftz)
{
	double value = type.kind == 'f' ? (type.bits == 64 ? bits_double(bits) : (double)single_of(bits)) : small_number(type, bits);
	double normal = type.bits == 64 ? 0 : type.kind == 'h' ? 0x1p-14 : 0x1p-126;
	return ftz && fabs(value) < normal ? copysign(0, value) : value;
}

static const char *rounding_of(const struct row *row)
{
	static const char *const all[] = {"rn", "rz", "rm", "rp", "rna"};
	for (unsigned k = 0; k < 5; k++)
		if (row_has(row, all[k]))
			return all[k];
	return "rn";
}

static inline void set_rounding(const struct row *row)
{
	const char *rounding = rounding_of(row);
	fesetround(rounding[1] == 'z' ? FE_TOWARDZERO : rounding[1] == 'm' ? FE_DOWNWARD : rounding[1] == 'p' ? FE_UPWARD : FE_TONEAREST);
}

/* Converts a value to the type, with the row's rounding, .sat, .relu and .ftz. */
static inline uint64_t to_type(const struct row *row, struct row_type type, quad value, bool negative_zero)
{
	bool negative = value < 0 || (value == 0 && negative_zero);
	if (row_has(row, "sat") || row_has(row, "relu")) {
		bool relu = row_has(row, "relu");
		if (value != value && !relu)
			value = 0;
		if (value == value) {
			value = value > 0 ? value : 0;
			value = value < 1 || relu ? value : 1;
			negative = false;
		}
	}
	if (type.kind == 'f' && type.bits == 64) {
		set_rounding(row);
		volatile double rounded = (double)value;
		fesetround(FE_TONEAREST);
		return isnan(rounded) ? 0x7ff8000000000000 : double_bits(copysign(rounded, negative ? -1 : 1));
	}
	if (type.kind == 'f') {
		set_rounding(row);
		volatile float rounded = (float)value;
		fesetround(FE_TONEAREST);
		float result = copysignf(rounded, negative ? -1 : 1);
		if (row_has(row, "ftz") && fabsf(result) < 0x1p-126f)
			result = copysignf(0, result);
		return isnan(rounded) ? 0x7fffffff : float_bits(result);
	}
	uint64_t bits = to_small(type, value, negative, rounding_of(row));
	double rounded = small_number(type, bits >> (type.kind == 't' ? 13 : 0));
	if (row_has(row, "satfinite") && isinf(rounded))
		bits -= (uint64_t)1 << (type.kind == 't' ? 13 : 0);
	/* flushed by the value before it is rounded */
	quad normal = type.kind == 'h' ? 0x1p-14 : 0x1p-126;
	if (row_has(row, "ftz") && !row_is(row, "cvt") && value < normal && -value < normal)
		bits &= 0x8000;
	return bits;
}

#endif
