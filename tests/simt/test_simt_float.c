/* Protects floating-point instructions, against values computed in higher precision whose rounding is compared with the
 * exact result. All instruction-set levels of the host agree bit for bit. */
#include "simt_ops.h"

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG >= 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

static float single(uint64_t bits)
{
	return bits_float((uint32_t)bits);
}

static uint64_t of_single(float value)
{
	return isnan(value) ? 0x7fffffff : float_bits(value);
}

/* A NaN is the first operand that is one, in the order of their numbers, made quiet; or the negative quiet NaN. */
static uint64_t of_double(double value, const uint64_t *in, const char *order)
{
	for (; isnan(value) && *order; order++)
		if (isnan(bits_double(in[*order - '0'])))
			return in[*order - '0'] | (uint64_t)1 << 51;
	return isnan(value) ? 0xfff8000000000000 : double_bits(value);
}

/* Patterns of f32: special values crossed with each other, then random ones with similar exponents. */
static void fill_single(struct ops_data *data)
{
	static const uint32_t edge[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
	                                0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff,
	                                0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001,
	                                0x3f000000, 0x4b000001, 0x5f000000, 0x33800000, 0x40490fdb};
	const unsigned edges = sizeof edge / sizeof *edge;
	uint64_t state = 7;
	memset(data, 0, sizeof *data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		for (unsigned k = 0; k < OPS_SOURCES; k++) {
			uint32_t random = (uint32_t)kit_random(&state);
			uint32_t exponent = 127 - 13 + (uint32_t)(kit_random(&state) % 27);
			data->in[i][k] = (random & 0x807fffff) | exponent << 23;
			if (i < edges * edges)
				data->in[i][k] = edge[k == 0   ? i % edges
				                      : k == 1 ? i / edges
				                               : (i * 7 + i / 20) % edges];
		}
}

static void fill_double(struct ops_data *data)
{
	static const uint64_t edge[] = {0,
	                                0x8000000000000000,
	                                1,
	                                0x000fffffffffffff,
	                                0x0010000000000000,
	                                0x3ff0000000000000,
	                                0xbff0000000000000,
	                                0x3ff0000000000001,
	                                0x7fefffffffffffff,
	                                0x7ff0000000000000,
	                                0xfff0000000000000,
	                                0x7ff8000000000000,
	                                0x7ff4000000000001,
	                                0x3fe0000000000000,
	                                0x4330000000000001,
	                                0x41dfffffffc00000,
	                                0xc1e0000000000000,
	                                0x43e0000000000000,
	                                0xc3e0000000000000,
	                                0x40091eb851eb851f};
	const unsigned edges = sizeof edge / sizeof *edge;
	uint64_t state = 9;
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		for (unsigned k = 0; k < OPS_SOURCES; k++) {
			uint64_t exponent = 1023 - 30 + kit_random(&state) % 61;
			data->in[i][k] = (kit_random(&state) & 0x800fffffffffffff) | exponent << 52;
			if (i < edges * edges)
				data->in[i][k] = edge[k == 0   ? i % edges
				                      : k == 1 ? i / edges
				                               : (i * 7 + i / 20) % edges];
		}
}

static void check(const char *instruction, char destination, unsigned bits, struct ops_data *data,
                  const uint64_t *expected)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	for (unsigned level = 0; exec_levels()[level]; level++) {
		ops_run(instruction, destination, level, data);
		for (unsigned i = 0; i < OPS_VECTORS; i++)
			if ((data->out[i] & mask) != (expected[i] & mask))
				fail_msg("%s (%s) of %llx %llx %llx gives %llx, expected %llx", instruction,
				         exec_levels()[level]->name, (unsigned long long)data->in[i][0],
				         (unsigned long long)data->in[i][1], (unsigned long long)data->in[i][2],
				         (unsigned long long)data->out[i], (unsigned long long)expected[i]);
	}
}

/* The value of an operation in 113 bits. It is exact for a sum, product or quotient that is rounded to less than half
 * of them (double rounding is innocuous). */
static quad operate(unsigned op, quad a, quad b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a * b;
	default:
		return a / b;
	}
}

static void nearest(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const name[] = {"add", "sub", "mul", "div"};
	char text[64];
	for (unsigned op = 0; op < 4; op++) {
		fill_single(&data);
		for (unsigned i = 0; i < OPS_VECTORS; i++)
			expected[i] =
				of_single((float)operate(op, (quad)single(data.in[i][0]), (quad)single(data.in[i][1])));
		snprintf(text, sizeof text, "%s.rn.f32 %%r0, %%r1, %%r2", name[op]);
		check(text, 'r', 32, &data, expected);
		fill_double(&data);
		for (unsigned i = 0; i < OPS_VECTORS; i++)
			expected[i] = of_double(
				(double)operate(op, (quad)bits_double(data.in[i][0]), (quad)bits_double(data.in[i][1])),
				data.in[i], op == 3 ? "01" : "10");
		snprintf(text, sizeof text, "%s.rn.f64 %%d0, %%d1, %%d2", name[op]);
		check(text, 'd', 64, &data, expected);
	}
	fill_single(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_single((float)((quad)single(data.in[i][0]) * (quad)single(data.in[i][1]) +
		                                (quad)single(data.in[i][2])));
	check("fma.rn.f32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected);
	check("mad.rn.f32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected);
}

/* fma.f64: its error against the exact sum of the two halves of the product must be at most half a unit. The product is
 * exact in 113 bits. Where the sum is not, the host's fma is the only reference. */
static void fused_double(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	fill_double(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_double(
			fma(bits_double(data.in[i][0]), bits_double(data.in[i][1]), bits_double(data.in[i][2])),
			data.in[i], "120");
	check("fma.rn.f64 %d0, %d1, %d2, %d3", 'd', 64, &data, expected);
}

/* .ftz and .sat: their effect on sources and results of the plain operation. */
static float flushed(float value)
{
	return fabsf(value) < FLT_MIN ? copysignf(0, value) : value;
}

static float unit(float value)
{
	return isnan(value) || value <= 0 ? 0 : value > 1 ? 1 : value;
}

static void modifiers(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[3][OPS_VECTORS];
	fill_single(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		float a = flushed(single(data.in[i][0])), b = flushed(single(data.in[i][1]));
		float c = flushed(single(data.in[i][2]));
		expected[0][i] = of_single(flushed((float)((quad)a * (quad)b)));
		expected[1][i] = of_single(unit((float)((quad)single(data.in[i][0]) + (quad)single(data.in[i][1]))));
		expected[2][i] = of_single(unit(flushed((float)((quad)a * (quad)b + (quad)c))));
	}
	check("mul.ftz.f32 %r0, %r1, %r2", 'r', 32, &data, expected[0]);
	check("add.sat.f32 %r0, %r1, %r2", 'r', 32, &data, expected[1]);
	check("fma.rn.ftz.sat.f32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[2]);
}

/* True if `result` is the greatest float not above the exact value s + e (down), or the least not below it (up). */
static bool is_directed(char direction, double result, double next, double s, double e)
{
	if (direction == 'm')
		return (result < s || (result == s && e >= 0)) && (next > s || (next == s && e < 0));
	return (result > s || (result == s && e <= 0)) && (next < s || (next == s && e > 0));
}

/* rm, rp, rz of f32: the exact value is a double and its error term. */
static void directed(void **state)
{
	(void)state;
	static struct ops_data data;
	static const char *const name[] = {"add", "mul", "fma"};
	static const char direction[] = {'m', 'p', 'z'};
	char text[64];
	fill_single(&data);
	for (unsigned op = 0; op < 3; op++)
		for (unsigned d = 0; d < 3; d++) {
			snprintf(text, sizeof text, "%s.r%c.f32 %%r0, %%r1, %%r2%s", name[op], direction[d],
			         op == 2 ? ", %r3" : "");
			ops_run(text, 'r', 0, &data);
			for (unsigned i = 420; i < OPS_VECTORS; i++) { /* after the special values */
				double a = single(data.in[i][0]), b = single(data.in[i][1]), c = single(data.in[i][2]);
				double x = op == 0 ? a : a * b, y = op == 0 ? b : op == 1 ? 0 : c;
				double s = x + y, back = s - x, e = (x - (s - back)) + (y - back);
				float result = single(data.out[i]);
				char way = direction[d] != 'z' ? direction[d] : s > 0 ? 'm' : 'p';
				float next = nextafterf(result, way == 'm' ? INFINITY : -INFINITY);
				if (!is_directed(way, result, next, s, e))
					fail_msg("%s of %a %a %a gives %a", text, a, b, c, result);
			}
		}
}

static void roots_and_quotients(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[3][OPS_VECTORS];
	fill_single(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		float a = single(data.in[i][0]);
		expected[0][i] = of_single((float)sqrt((double)a));
		expected[1][i] = of_single((float)((quad)1 / (quad)a));
		expected[2][i] = of_single((float)(1 / sqrt((double)a)));
	}
	check("sqrt.rn.f32 %r0, %r1", 'r', 32, &data, expected[0]);
	check("rcp.rn.f32 %r0, %r1", 'r', 32, &data, expected[1]);
	check("rsqrt.approx.f32 %r0, %r1", 'r', 32, &data, expected[2]);
}

/* The approximate functions against the C library in double precision: they differ by at most one unit in the last
 * place. */
static void approximations(void **state)
{
	(void)state;
	static struct ops_data data;
	static const struct {
		const char *name;
		double (*function)(double);
	} rows[] = {{"sin", sin}, {"cos", cos}, {"ex2", exp2}, {"lg2", log2}, {"tanh", tanh}};
	char text[64];
	for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
		fill_single(&data);
		snprintf(text, sizeof text, "%s.approx.f32 %%r0, %%r1", rows[r].name);
		ops_run(text, 'r', 0, &data);
		for (unsigned i = 0; i < OPS_VECTORS; i++) {
			float a = single(data.in[i][0]), result = single(data.out[i]);
			float expected = (float)rows[r].function((double)a);
			bool close = result == expected || result == nextafterf(expected, INFINITY) ||
			             result == nextafterf(expected, -INFINITY);
			if (!close && !(isnan(result) && isnan(expected)))
				fail_msg("%s of %a gives %a, expected %a", text, a, result, expected);
		}
	}
}

static void extremes_and_signs(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[5][OPS_VECTORS];
	fill_single(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		float a = single(data.in[i][0]), b = single(data.in[i][1]);
		float low = isnan(a) ? b : isnan(b) ? a : a < b ? a : b < a ? b : signbit(a) ? a : b;
		float high = isnan(a) ? b : isnan(b) ? a : a > b ? a : b > a ? b : signbit(a) ? b : a;
		expected[0][i] = of_single(low);
		expected[1][i] = of_single(high);
		expected[2][i] = isnan(a) ? 0x7fffffff : data.in[i][0] & 0x7fffffff;
		expected[3][i] = isnan(a) ? 0x7fffffff : data.in[i][0] ^ 0x80000000;
		expected[4][i] = (data.in[i][0] & 0x80000000) | (data.in[i][1] & 0x7fffffff);
	}
	check("min.f32 %r0, %r1, %r2", 'r', 32, &data, expected[0]);
	check("max.f32 %r0, %r1, %r2", 'r', 32, &data, expected[1]);
	check("abs.f32 %r0, %r1", 'r', 32, &data, expected[2]);
	check("neg.f32 %r0, %r1", 'r', 32, &data, expected[3]);
	check("copysign.f32 %r0, %r1, %r2", 'r', 32, &data, expected[4]);
}

/* With NaN, ordered comparisons are false and unordered ones true. */
static void comparisons(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const name[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	char text[64];
	for (unsigned size = 0; size < 2; size++)
		for (unsigned cmp = 0; cmp < 6; cmp++)
			for (unsigned unordered = 0; unordered < 2; unordered++) {
				if (size)
					fill_double(&data);
				else
					fill_single(&data);
				for (unsigned i = 0; i < OPS_VECTORS; i++) {
					double a = size ? bits_double(data.in[i][0]) : single(data.in[i][0]);
					double b = size ? bits_double(data.in[i][1]) : single(data.in[i][1]);
					int order = a < b ? -1 : a > b;
					const bool holds[] = {order == 0, order != 0, order<0, order <= 0, order> 0,
					                      order >= 0};
					expected[i] = isnan(a) || isnan(b) ? unordered : holds[cmp];
				}
				snprintf(text, sizeof text, "setp.%s%s.f%d %%p0, %%%c1, %%%c2", name[cmp],
				         unordered ? "u" : "", size ? 64 : 32, size ? 'd' : 'r', size ? 'd' : 'r');
				check(text, 'p', 32, &data, expected);
			}
	fill_single(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = isnan(single(data.in[i][0])) || isnan(single(data.in[i][1]));
	check("setp.nan.f32 %p0, %r1, %r2", 'p', 32, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = flushed(single(data.in[i][0])) < flushed(single(data.in[i][1])) ? 0x3f800000 : 0;
	check("set.lt.ftz.f32.f32 %r0, %r1, %r2", 'r', 32, &data, expected);
}

static void classes(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const name[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
	char text[64];
	fill_single(&data);
	for (unsigned t = 0; t < 6; t++) {
		for (unsigned i = 0; i < OPS_VECTORS; i++) {
			int class = fpclassify(single(data.in[i][0]));
			const bool holds[] = {class != FP_NAN && class != FP_INFINITE,
			                      class == FP_INFINITE,
			                      class != FP_NAN,
			                      class == FP_NAN,
			                      class == FP_NORMAL || class == FP_ZERO,
			                      class == FP_SUBNORMAL};
			expected[i] = holds[t];
		}
		snprintf(text, sizeof text, "testp.%s.f32 %%p0, %%r1", name[t]);
		check(text, 'p', 32, &data, expected);
	}
}

/* To integers: rounded by the C library in long double, clamped; NaN as in the manual. */
static uint64_t to_integer(long double x, unsigned rounding, unsigned bits, bool is_signed, bool from_double)
{
	if (isnan(x))
		return from_double || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
	long double whole = rounding == 0 ? rintl(x) : rounding == 1 ? truncl(x) : rounding == 2 ? floorl(x) : ceill(x);
	long double high = ldexpl(1, (int)(is_signed ? bits - 1 : bits)), low = is_signed ? -high : 0;
	if (whole >= high)
		return is_signed    ? ((uint64_t)1 << (bits - 1)) - 1
		       : bits == 64 ? UINT64_MAX
		                    : ((uint64_t)1 << bits) - 1;
	if (whole < low)
		whole = low;
	return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

static void to_integers(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const rounding[] = {"rni", "rzi", "rmi", "rpi"};
	char text[64];
	for (unsigned size = 0; size < 2; size++)
		for (unsigned r = 0; r < 4; r++)
			for (unsigned bits = 8; bits <= 64; bits *= 2)
				for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
					if (size)
						fill_double(&data);
					else
						fill_single(&data);
					for (unsigned i = 0; i < OPS_VECTORS; i++) {
						double x = size ? bits_double(data.in[i][0]) : single(data.in[i][0]);
						expected[i] = to_integer(x, r, bits, is_signed, size);
					}
					char to = bits == 64 ? 'd' : bits == 32 ? 'r' : 'h';
					snprintf(text, sizeof text, "cvt.%s.%c%u.f%u %%%c0, %%%c1", rounding[r],
					         is_signed ? 's' : 'u', bits, size ? 64 : 32, to, size ? 'd' : 'r');
					check(text, to, bits, &data, expected);
				}
}

static void from_integers(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	uint64_t random = 3;
	memset(&data, 0, sizeof data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		data.in[i][0] = (kit_random(&random) >> (i % 64)) + (i % 3) - 1;
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_single((float)(quad)data.in[i][0]);
	check("cvt.rn.f32.u64 %r0, %d1", 'r', 32, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = double_bits((double)(quad)(int64_t)data.in[i][0]);
	check("cvt.rn.f64.s64 %d0, %d1", 'd', 64, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_single((float)(quad)(int32_t)data.in[i][0]);
	check("cvt.rn.f32.s32 %r0, %r1", 'r', 32, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_single((float)(int8_t)data.in[i][0]);
	check("cvt.rn.f32.s8 %r0, %r1", 'r', 32, &data, expected);
	/* Directed: not above the value, and less than a unit below it. */
	ops_run("cvt.rm.f32.s64 %r0, %d1", 'r', 0, &data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		quad exact = (quad)(int64_t)data.in[i][0];
		float result = single(data.out[i]);
		assert_true((quad)result <= exact && (quad)nextafterf(result, INFINITY) > exact);
	}
}

/* f16: values by their definition; rounding by a search for the nearest of all halves. */
static double half_of(unsigned bits)
{
	double m = bits & 1023;
	int e = bits >> 10 & 31;
	double v = e == 31 ? (m != 0 ? NAN : INFINITY) : e ? ldexp(1 + m / 1024, e - 15) : ldexp(m, -24);
	return bits & 0x8000 ? -v : v;
}

static unsigned nearest_half(double x)
{
	unsigned sign = signbit(x) ? 0x8000 : 0, best = 0;
	double magnitude = fabs(x);
	if (isnan(x))
		return 0x7fff;
	if (magnitude >= 65520) /* half a unit above the largest */
		return sign | 0x7c00;
	/* halves have the same order as their bit patterns */
	for (unsigned low = 0, high = 0x7c00; low + 1 < high;) {
		best = (low + high) / 2;
		if (half_of(best) <= magnitude)
			low = best;
		else
			high = best;
		best = low;
	}
	double below = magnitude - half_of(best), above = half_of(best + 1) - magnitude;
	if (best + 1 == 0x7c00)
		above = 65536 - magnitude;
	return sign | (below < above || (below == above && best % 2 == 0) ? best : best + 1);
}

static void halves(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	uint64_t random = 5;
	memset(&data, 0, sizeof data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		for (unsigned k = 0; k < 3; k++)
			data.in[i][k] = kit_random(&random) & 0xffff;
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = of_single((float)half_of((unsigned)data.in[i][0]));
	check("cvt.f32.f16 %r0, %h1", 'r', 32, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = nearest_half(half_of((unsigned)data.in[i][0]) + half_of((unsigned)data.in[i][1]));
	check("add.rn.f16 %h0, %h1, %h2", 'h', 16, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = nearest_half(half_of((unsigned)data.in[i][0]) * half_of((unsigned)data.in[i][1]));
	check("mul.rn.f16 %h0, %h1, %h2", 'h', 16, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		data.in[i][0] = float_bits((float)ldexp((double)(kit_random(&random) % 8192), (int)(i % 40) - 35));
		expected[i] = nearest_half(single(data.in[i][0]));
	}
	check("cvt.rn.f16.f32 %h0, %r1", 'h', 16, &data, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest),
		cmocka_unit_test(fused_double),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(directed),
		cmocka_unit_test(roots_and_quotients),
		cmocka_unit_test(approximations),
		cmocka_unit_test(extremes_and_signs),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(classes),
		cmocka_unit_test(to_integers),
		cmocka_unit_test(from_integers),
		cmocka_unit_test(halves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
