/* test_libdevice: accuracy of the device's mathematics, compiled for the host, against MPFR. It covers every
 * polynomial, reduction and special case: no function may exceed the error bound of its row in functions.c. With
 * --table it prints errors measured with many more values, next to CUDA's documented bounds, for
 * docs/reference/math.md. */
#include "functions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
	SAMPLES = 200,
	TABLE_SAMPLES = 20000,
	PRECISION = 200,    /* of the references, in bits; the printed digits of errors are exact */
	EXPONENTS = 1 << 20 /* exponent range of the references */
};

/* float and double */
struct format {
	int digits, least; /* digits of the significand; exponent of the smallest number */
	double largest;
};
static const struct format single = {24, -149, 0x1.fffffep127};
static const struct format dual = {53, -1074, 0x1.fffffffffffffp1023};

/* The largest error found, and its arguments. */
struct worst {
	double error, x, y;
};

static uint64_t random_bits(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Half of the values are uniform in the range; the others have uniform exponents. */
static double sample(double low, double high)
{
	double u = (double)(random_bits() >> 11) * 0x1p-53;
	double x = low + (high - low) * u;
	if (random_bits() & 1) {
		double y = (random_bits() & 1 ? low : high) * exp2(-40 * u);
		if (y >= low && y <= high)
			x = y;
	}
	return x;
}

/* Distance of a result from the true value, which is overwritten. Special values must match exactly. */
static double distance(double got, mpfr_ptr want, const struct format *format, bool absolute)
{
	if (mpfr_nan_p(want) || isnan(got))
		return mpfr_nan_p(want) && isnan(got) ? 0 : INFINITY;
	bool same_sign = !signbit(got) == !mpfr_signbit(want);
	if (isinf(got))
		return same_sign && mpfr_cmp_d(want, copysign(format->largest, got)) * (got > 0 ? 1 : -1) > 0 ? 0 : INFINITY;
	if (mpfr_inf_p(want))
		return INFINITY;
	if (mpfr_cmp_d(want, got) == 0)
		return same_sign || got != 0 ? 0 : INFINITY;
	int e = mpfr_zero_p(want) ? format->least : (int)mpfr_get_exp(want) - format->digits;
	mpfr_sub_d(want, want, got, MPFR_RNDN);
	if (!absolute)
		mpfr_mul_2si(want, want, e < format->least ? -format->least : -e, MPFR_RNDN);
	return fabs(mpfr_get_d(want, MPFR_RNDN));
}

static void try(const struct function *function, const struct format *format, double x, double y, struct worst *worst)
{
	double got;
	mpfr_t want, wide_x, wide_y;
	bool is_single = format == &single;
	x = is_single ? (float)x : x;
	y = is_single ? (float)y : y;
	mpfr_init(want);
	mpfr_init_set_d(wide_x, x, MPFR_RNDN);
	mpfr_init_set_d(wide_y, y, MPFR_RNDN);
	if (function->reference2) {
		got = is_single ? function->single2((float)x, (float)y) : function->dual2(x, y);
		function->reference2(want, wide_x, wide_y, MPFR_RNDN);
	} else {
		got = is_single ? function->single((float)x) : function->dual(x);
		function->reference(want, wide_x, MPFR_RNDN);
	}
	double error = distance(got, want, format, function->absolute);
	if (error > worst->error)
		*worst = (struct worst){error, x, y};
	mpfr_clears(want, wide_x, wide_y, NULL);
}

static const double special[] = {0.0,   -0.0,   1,     -1,     0.5,    -0.5,     2,         -2,   3,
                                 -3,    1e-300, 1e-45, -1e-45, 4e-320, 100,      -100,      1e10, -1e10,
                                 1e300, 3e38,   -3e38, 2.5,    -2.5,   INFINITY, -INFINITY, NAN};
enum { SPECIALS = sizeof special / sizeof special[0] };

static void try_special(const struct function *function, const struct format *format, struct worst *worst)
{
	for (int i = 0; i < SPECIALS; i++)
		for (int k = 0; k < (function->reference2 ? SPECIALS : 1); k++)
			try(function, format, special[i], special[k], worst);
}

static struct worst measure(const struct function *function, const struct format *format, int samples)
{
	struct worst worst = {-1, 0, 0};
	if (!function->part)
		try_special(function, format, &worst);
	for (int k = 0; k < RANGES; k++) {
		const struct range *range = &function->ranges[k];
		bool used = range->low < range->high && range->low < format->largest;
		for (int i = 0; used && i < samples; i++)
			try(function, format, sample(range->low, range->high),
			    sample(function->second.low, function->second.high), &worst);
	}
	return worst;
}

static bool has_dual(const struct function *function)
{
	return function->dual || function->dual2;
}

static bool keeps(const struct function *function, const struct format *format, double bound)
{
	struct worst worst = measure(function, format, SAMPLES);
	if (worst.error <= bound)
		return true;
	print_error("%s%s: %g (bound %g) at (%a, %a)\n", function->name, format == &single ? "f" : "", worst.error,
	            bound, worst.x, worst.y);
	return false;
}

static void test_single(void **state)
{
	(void)state;
	int failures = 0;
	for (const struct function *function = functions; function->name; function++)
		failures += !keeps(function, &single, function->single_bound);
	assert_int_equal(failures, 0);
}

static void test_dual(void **state)
{
	(void)state;
	int failures = 0;
	for (const struct function *function = functions; function->name; function++)
		failures += has_dual(function) && !keeps(function, &dual, function->dual_bound);
	assert_int_equal(failures, 0);
}

static void print_bound(double bound, bool absolute)
{
	if (isnan(bound))
		fputs(" |", stdout);
	else
		printf(absolute ? " %.1e |" : " %g |", bound);
}

static void print_columns(const struct function *function, const struct format *format, double cuda)
{
	printf(function->absolute ? " %.1e |" : " %.2f |", measure(function, format, TABLE_SAMPLES).error);
	print_bound(cuda, function->absolute);
}

static void print_table(void)
{
	puts("| function | float | CUDA | double | CUDA |\n|---|--:|--:|--:|--:|");
	for (const struct function *function = functions; function->name; function++) {
		printf("| %s%s%s |", function->name, function->part ? ", " : "", function->part ? function->part : "");
		print_columns(function, &single, function->cuda_single);
		if (has_dual(function))
			print_columns(function, &dual, function->cuda_dual);
		else
			fputs(" | |", stdout);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_dual),
	};
	mpfr_set_default_prec(PRECISION);
	mpfr_set_emax(EXPONENTS);
	mpfr_set_emin(-EXPONENTS);
	if (argc > 1 && strcmp(argv[1], "--table") == 0) {
		print_table();
		mpfr_free_cache();
		return 0;
	}
	int failures = cmocka_run_group_tests(tests, NULL, NULL);
	mpfr_free_cache();
	return failures;
}
