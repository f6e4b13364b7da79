#include "cli/launch_plan/elements.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct element_type element_types[ELEMENT_COUNT] = {
	[ELEMENT_I8] = {"i8", "|i1", 1, false, 0, 0},
	[ELEMENT_I16] = {"i16", "<i2", 2, false, 0, 0},
	[ELEMENT_I32] = {"i32", "<i4", 4, false, 0, 0},
	[ELEMENT_I64] = {"i64", "<i8", 8, false, 0, 0},
	[ELEMENT_U8] = {"u8", "|u1", 1, false, 0, 0},
	[ELEMENT_U16] = {"u16", "<u2", 2, false, 0, 0},
	[ELEMENT_U32] = {"u32", "<u4", 4, false, 0, 0},
	[ELEMENT_U64] = {"u64", "<u8", 8, false, 0, 0},
	[ELEMENT_F16] = {"f16", "<f2", 2, true, 1e-3, 1e-5},
	[ELEMENT_BF16] = {"bf16", "<V2", 2, true, 1.6e-2, 1e-5}, /* NumPy has no such type; ml_dtypes writes <V2 */
	[ELEMENT_F32] = {"f32", "<f4", 4, true, 1.3e-6, 1e-5},
	[ELEMENT_F64] = {"f64", "<f8", 8, true, 1e-7, 1e-7},
};

enum element element_named(const char *name)
{
	enum element type = 0;
	while (type < ELEMENT_COUNT && strcmp(element_types[type].name, name) != 0)
		type++;
	return type;
}

/* A binary floating-point format of 16 bits. Its exponent bias is that of IEEE formats. */
struct small_float {
	int exponent_bits, fraction_bits;
};

static const struct small_float half = {5, 10}, bfloat = {8, 7};

static double small_value(struct small_float format, uint16_t bits)
{
	int bias = (1 << (format.exponent_bits - 1)) - 1, most = (1 << format.exponent_bits) - 1;
	int exponent = (bits >> format.fraction_bits) & most;
	int fraction = bits & ((1 << format.fraction_bits) - 1);
	double value;
	if (exponent == most)
		value = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		value = ldexp(fraction, 1 - bias - format.fraction_bits);
	else
		value = ldexp(fraction + (1 << format.fraction_bits), exponent - bias - format.fraction_bits);
	return bits >> 15 ? -value : value;
}

/* Rounds to the nearest value, to an even fraction in the middle of two. */
static uint16_t small_bits(struct small_float format, double value)
{
	int bias = (1 << (format.exponent_bits - 1)) - 1, most = (1 << format.exponent_bits) - 1;
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	if (isnan(value))
		return (uint16_t)(sign | most << format.fraction_bits | 1 << (format.fraction_bits - 1));
	int exponent = 1 - bias;
	if (value != 0 && !isinf(value) && ilogb(value) > exponent)
		exponent = ilogb(value);
	double steps = isinf(value) ? INFINITY : nearbyint(ldexp(fabs(value), format.fraction_bits - exponent));
	/* A subnormal value has no leading 1 to remove, and a carry out of the fraction raises the exponent. */
	double bits = steps + ldexp(exponent + bias - 1, format.fraction_bits);
	double infinite = ldexp(most, format.fraction_bits);
	return (uint16_t)(sign | (int)(bits < infinite ? bits : infinite));
}

#define AT(type) (((const type *)data)[index])

double element_get(enum element type, const void *data, size_t index)
{
	switch (type) {
	case ELEMENT_I8:
		return AT(int8_t);
	case ELEMENT_I16:
		return AT(int16_t);
	case ELEMENT_I32:
		return AT(int32_t);
	case ELEMENT_I64:
		return (double)AT(int64_t);
	case ELEMENT_U8:
		return AT(uint8_t);
	case ELEMENT_U16:
		return AT(uint16_t);
	case ELEMENT_U32:
		return AT(uint32_t);
	case ELEMENT_U64:
		return (double)AT(uint64_t);
	case ELEMENT_F16:
		return small_value(half, AT(uint16_t));
	case ELEMENT_BF16:
		return small_value(bfloat, AT(uint16_t));
	case ELEMENT_F32:
		return AT(float);
	case ELEMENT_F64:
	case ELEMENT_COUNT:
		break;
	}
	return AT(double);
}

#undef AT
#define SET(type, value) (((type *)data)[index] = (type)(value))

void element_set(enum element type, void *data, size_t index, double value)
{
	switch (type) {
	case ELEMENT_I8:
	case ELEMENT_U8:
		SET(uint8_t, (int64_t)value);
		break;
	case ELEMENT_I16:
	case ELEMENT_U16:
		SET(uint16_t, (int64_t)value);
		break;
	case ELEMENT_I32:
	case ELEMENT_U32:
		SET(uint32_t, (int64_t)value);
		break;
	case ELEMENT_I64:
		SET(int64_t, value);
		break;
	case ELEMENT_U64:
		SET(uint64_t, value);
		break;
	case ELEMENT_F16:
		SET(uint16_t, small_bits(half, value));
		break;
	case ELEMENT_BF16:
		SET(uint16_t, small_bits(bfloat, value));
		break;
	case ELEMENT_F32:
		SET(float, value);
		break;
	case ELEMENT_F64:
	case ELEMENT_COUNT:
		SET(double, value);
	}
}

#undef SET

/* Reads an integer of the type's size. A signed type also takes the bit patterns of its unsigned one (0xffffffff). */
static bool parse_integer(const struct element_type *type, const char *text, void *element)
{
	char *end;
	errno = 0;
	bool is_negative = text[0] == '-', is_signed = type->name[0] == 'i';
	uint64_t bits = is_negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	uint64_t sign = UINT64_C(1) << (8 * type->bytes - 1);
	uint64_t most = sign + (sign - 1);
	bool fits = is_negative ? is_signed && (int64_t)bits >= -(int64_t)(sign - 1) - 1 : bits <= most;
	if (end == text || *end || errno || !fits)
		return false;
	memcpy(element, &bits, type->bytes);
	return true;
}

bool element_parse(enum element type, const char *text, void *element)
{
	if (!element_types[type].is_float)
		return parse_integer(&element_types[type], text, element);
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end)
		return false;
	element_set(type, element, 0, value);
	return true;
}
