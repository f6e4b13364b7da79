/* row_real: models in plain C of comparisons, selections, floating-point instructions and conversions. */
#ifndef SLUICE_TESTS_ROW_REAL_H
#define SLUICE_TESTS_ROW_REAL_H

#include "row_numbers.h"

/* --- comparisons --- */

static inline bool compares(const struct row *row, struct row_type type, uint64_t x, uint64_t y)
{
	bool real = type.kind == 'f' || type.kind == 'h' || type.kind == 'o';
	double a = real ? number(type, x, row_has(row, "ftz")) : 0, b = real ? number(type, y, row_has(row, "ftz")) : 0;
	wide wa = real ? 0 : whole(type, x), wb = real ? 0 : whole(type, y);
	bool unordered = a != a || b != b;
	bool less = real ? a < b : wa < wb, equal = real ? a == b : wa == wb, more = !less && !equal && !unordered;
	static const struct {
		const char *word;
		bool less, equal, more, unordered;
	} words[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},	 {"gt", 0, 0, 1, 0},
		     {"ge", 0, 1, 1, 0},  {"lo", 1, 0, 0, 0},  {"ls", 1, 1, 0, 0},  {"hi", 0, 0, 1, 0},	 {"hs", 0, 1, 1, 0},
		     {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1}, {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1},
		     {"geu", 0, 1, 1, 1}, {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
	for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
		if (row_has(row, words[k].word))
			return (less && words[k].less) || (equal && words[k].equal) || (more && words[k].more) ||
			       (unordered && words[k].unordered);
	fail_msg("no comparison in %s", row->text);
	return false;
}

static inline bool combines(const struct row *row, bool holds, const uint64_t in[4])
{
	bool with = (in[3] & 1) != row->negated;
	return row_has(row, "and") ? holds && with : row_has(row, "or") ? holds || with : row_has(row, "xor") ? holds != with : holds;
}

static inline uint64_t true_bits(struct row_type type)
{
	if (type.kind == 'f')
		return float_bits(1);
	return type.kind == 'h' ? 0x3c00 : type.kind == 'o' ? 0x3f80 : UINT32_MAX;
}

static inline bool comparison(const struct row *row, const uint64_t in[4], struct expected *out)
{
	struct row_type type = row->type[0], from = row->type[row_is(row, "set") ? 1 : 0], half = from;
	half.bits = from.bits / from.parts;
	bool low = compares(row, half, in[0], in[1]), high = from.parts > 1 && compares(row, half, in[0] >> 16, in[1] >> 16);
	if (row_is(row, "setp")) {
		out->bits = combines(row, low, in);
		out->second = combines(row, from.parts > 1 ? high : !low, in);
	} else if (from.parts > 1) {
		uint64_t holds = true_bits(type) & 0xffff;
		out->bits = (combines(row, low, in) ? holds : 0) | (combines(row, high, in) ? holds << 16 : 0);
	} else {
		out->bits = combines(row, low, in) ? true_bits(type) : 0;
	}
	return true;
}

static inline bool selection(const struct row *row, const uint64_t in[4], struct expected *out)
{
	struct row_type last = row->type[1];
	bool first = (in[3] & 1) != row->negated;
	if (row_is(row, "slct"))
		first = last.kind == 's' ? whole(last, in[2]) >= 0 : number(last, in[2], row_has(row, "ftz")) >= 0;
	out->bits = in[first ? 0 : 1];
	return true;
}

/* --- floating point --- */

/* a + b, rounded to odd: if it is not exact, the neighbor whose last bit is set. */
static inline quad exact_sum(quad a, quad b)
{
	quad sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
	uwide bits;
	memcpy(&bits, &sum, sizeof bits);
	if (sum - sum == 0 && lost != 0 && !(bits & 1))
		bits += (sum > 0) == (lost > 0) ? (uwide)1 : -(uwide)1;
	memcpy(&sum, &bits, sizeof bits);
	return sum;
}

static inline double real_extreme(const struct row *row, double a, double b)
{
	bool signs = !signbit(a) != !signbit(b), magnitudes = row_has(row, "xorsign");
	if (magnitudes) {
		a = fabs(a);
		b = fabs(b);
	}
	double result = a == b ? ((signbit(a) != 0) == row_is(row, "min") ? a : b) : (a < b) == row_is(row, "min") ? a : b;
	if (a != a || b != b)
		result = row_has(row, "NaN") ? NAN : a != a ? b : a;
	return magnitudes && signs ? -result : result;
}

/* Sums, products and similar operations in single and double precision, by the host in the row's rounding. */
static inline uint64_t by_host(const struct row *row, double a, double b, double c)
{
	const char *op = row->op;
	set_rounding(row);
	volatile double da = a, db = b, dc = c, d = 0;
	volatile float fa = (float)a, fb = (float)b, fc = (float)c, f = 0;
	if (row->type[0].bits == 64)
		d = IS("add") ? da + db : IS("sub") ? da - db : IS("mul") ? da * db : IS("div") ? da / db : IS("rcp") ? 1 / da : IS("sqrt") ? sqrt(da) : fma(da, db, dc);
	else
		f = IS("add") ? fa + fb : IS("sub") ? fa - fb : IS("mul") ? fa * fb : IS("div") ? fa / fb : IS("rcp") ? 1 / fa : IS("sqrt") ? sqrtf(fa) : fmaf(fa, fb, fc);
	fesetround(FE_TONEAREST);
	double result = row->type[0].bits == 64 ? d : (double)f;
	return to_type(row, row->type[0], (quad)result, signbit(result));
}

static inline bool approximates(const struct row *row, double a, struct expected *out)
{
	const char *op = row->op;
	double value = IS("rsqrt") ? 1 / sqrt(a) : IS("sin") ? sin(a) : IS("cos") ? cos(a) : IS("lg2") ? log2(a) : IS("ex2") ? exp2(a) : IS("tanh") ? tanh(a) : 0;
	out->bits = to_type(row, row->type[0], (quad)value, signbit(value));
	out->near = true;
	return IS("rsqrt") || IS("sin") || IS("cos") || IS("lg2") || IS("ex2") || IS("tanh");
}

static inline bool tests(const struct row *row, double a, struct expected *out)
{
	int class = row->type[0].bits == 64 ? fpclassify(a) : fpclassify((float)a);
	out->bits = row_has(row, "finite")	 ? class != FP_NAN && class != FP_INFINITE
		    : row_has(row, "infinite")	 ? class == FP_INFINITE
		    : row_has(row, "number")	 ? class != FP_NAN
		    : row_has(row, "notanumber") ? class == FP_NAN
		    : row_has(row, "normal")	 ? class == FP_NORMAL || class == FP_ZERO
						 : class == FP_SUBNORMAL;
	return true;
}

/* The NaN of an operation in double precision: the first operand that is one, made quiet, in the order in which the
 * hardware looks at them; or the negative quiet NaN. */
static inline uint64_t nan_of(const struct row *row, const uint64_t in[4])
{
	const char *op = row->op;
	const char *order = IS("fma") || IS("mad") ? "120" : IS("div") ? "01" : IS("add") || IS("sub") || IS("mul") || IS("min") || IS("max") ? "10" : "0";
	for (; *order; order++)
		if (isnan(bits_double(in[*order - '0'])))
			return in[*order - '0'] | (uint64_t)1 << 51;
	return 0xfff8000000000000;
}

/* Changes only the sign bit; abs and neg of a NaN are arithmetic. */
static inline uint64_t with_sign(const struct row *row, const uint64_t in[4], uint64_t a, uint64_t b)
{
	struct row_type type = row->type[0];
	uint64_t sign = (uint64_t)1 << (type.bits - 1);
	if (!row_is(row, "copysign") && isnan(number(type, a, false)))
		return type.bits == 64 ? nan_of(row, in) : sign - 1;
	if (row_has(row, "ftz") && number(type, a, true) == 0)
		a &= sign;
	return row_is(row, "abs") ? a & ~sign : row_is(row, "neg") ? a ^ sign : (a & sign) | (b & ~sign);
}

static inline bool finite_operation(const struct row *row, const uint64_t in[4], struct expected *out)
{
	struct row_type type = row->type[0];
	bool ftz = row_has(row, "ftz");
	const char *op = row->op;
	bool mixed = row->type[1].bits; /* all sources but the last are of another type */
	double a = number(mixed ? row->type[1] : type, in[0], ftz), c = number(type, in[2], ftz);
	double b = number(mixed && IS("fma") ? row->type[1] : type, in[1], ftz);
	if (IS("testp"))
		return tests(row, number(type, in[0], false), out);
	if (IS("abs") || IS("neg") || IS("copysign")) {
		out->bits = with_sign(row, in, in[0], in[1]);
		return true;
	}
	if (IS("min") || IS("max")) {
		double value = real_extreme(row, a, b);
		out->bits = to_type(row, type, (quad)value, signbit(value));
		return true;
	}
	bool basic = IS("add") || IS("sub") || IS("mul") || IS("mad") || IS("fma") || IS("div") || IS("rcp") || IS("sqrt");
	if (!basic)
		return approximates(row, a, out);
	if (type.kind == 'f') {
		out->bits = by_host(row, a, b, c);
		out->near = row_has(row, "approx") || row_has(row, "full");
		return true;
	}
	quad value = IS("add") ? (quad)a + b : IS("sub") ? (quad)a - b : IS("mul") ? (quad)a * b : exact_sum((quad)a * b, (quad)c);
	/* the sign of an exact zero */
	double zero = IS("add") ? a + b : IS("sub") ? a - b : IS("mul") ? a * b : a * b + c;
	out->bits = to_type(row, type, value, signbit(zero));
	return true;
}

static inline bool real_operation(const struct row *row, const uint64_t in[4], struct expected *out)
{
	bool known = finite_operation(row, in, out);
	struct row_type type = row->type[0];
	if (type.kind == 'f' && type.bits == 64 && !row_is(row, "testp") && isnan(bits_double(out->bits)) && !row_is(row, "copysign"))
		out->bits = nan_of(row, in);
	return known;
}

/* --- conversions --- */

/* A NaN whose sign and top payload bits the conversion keeps. Through 64 bits: the sign, 11 ones, and the payload. */
static inline bool converted_nan(const struct row *row, struct row_type to, struct row_type from, uint64_t bits,
                                 uint64_t *result)
{
	unsigned payload = from.bits == 64 ? 52 : from.bits == 32 ? 23 : from.kind == 'h' ? 10 : 7;
	uint64_t fraction = (bits & ones(payload)) << (52 - payload), sign = bits >> (from.bits - 1) & 1;
	bool to_single = to.kind == 'f' && to.bits == 32;
	if (row_has(row, "sat"))
		return false;
	if (to.kind == 't' && row_has(row, "rna")) {
		*result = ((uint32_t)bits >> 13 << 13) - (row_has(row, "satfinite") ? 0x2000 : 0);
		return true;
	}
	if (to.kind == 'f' && to.bits == 64 && from.bits < 64 && row_has(row, "ftz")) { /* canonical before it widens */
		*result = 0x7fffffffe0000000;
		return true;
	}
	if (to_single && from.kind == 'o' && !row_has(row, "ftz")) {
		*result = bits << 16;
		return true;
	}
	if (from.bits < 64 && !(to.kind == 'f' && to.bits == 64))
		return false;
	unsigned kept = to.bits == 64 ? 52 : to_single ? 23 : to.kind == 'h' ? 10 : 7;
	uint64_t quiet = fraction | (uint64_t)1 << 51;
	*result = sign << (to.bits - 1) | ones(to.bits - 1 - kept) << kept | quiet >> (52 - kept);
	return true;
}

/* Moves: single and double precision to itself, without a rounding. */
static inline bool is_plain(const struct row *row)
{
	return row->count == 0 && row->type[0].kind == 'f' && row->type[1].kind == 'f' && row->type[0].bits == row->type[1].bits;
}

static inline quad rounded_whole(const struct row *row, double value)
{
	return (quad)(row_has(row, "rni") ? rint(value) : row_has(row, "rzi") ? trunc(value) : row_has(row, "rmi") ? floor(value) : row_has(row, "rpi") ? ceil(value) : value);
}

static inline uint64_t converted(const struct row *row, uint64_t bits)
{
	struct row_type to = row->type[0], from = row->type[1];
	bool from_real = from.kind != 'u' && from.kind != 's', to_real = to.kind != 'u' && to.kind != 's';
	to.bits /= to.parts;
	if (!from_real && !to_real) {
		wide value = whole(from, bits);
		value = row_has(row, "sat") ? clamp(value, least(to), most(to)) : value;
		return (uint64_t)whole(to, (uint64_t)value);
	}
	if (!from_real) {
		wide value = whole(from, bits);
		return to_type(row, to, (quad)value, false);
	}
	double value = number(from, bits, row_has(row, "ftz") && from.kind == 'f' && from.bits == 32 && to.kind != 'h');
	uint64_t nan;
	if (is_plain(row))
		return bits;
	if (to_real && isnan(value) && row->type[0].parts == 1 && converted_nan(row, to, from, bits & ones(from.bits), &nan))
		return nan;
	quad result = rounded_whole(row, value);
	if (to_real)
		return to_type(row, to, result, signbit(value));
	bool is_long = to.bits == 64 || (from.kind == 'f' && from.bits == 64);
	if (value != value)
		return is_long ? (uint64_t)whole(to, (uint64_t)1 << (to.bits - 1)) : 0;
	wide low = least(to), high = most(to);
	return (uint64_t)(result < (quad)low ? low : result > (quad)high ? high : (wide)result);
}

static inline bool conversion(const struct row *row, const uint64_t in[4], struct expected *out)
{
	unsigned width = row->type[0].bits / 2, apart = row->type[1].bits / 2;
	out->bits = converted(row, in[0]);
	if (row->type[1].parts > 1)
		out->bits = converted(row, in[0] >> apart) << width | (converted(row, in[0] & ones(apart)) & ones(width));
	else if (row->type[0].parts > 1)
		out->bits = out->bits << width | (converted(row, in[1]) & ones(width));
	return true;
}

#endif
