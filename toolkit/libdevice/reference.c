#include "reference.h"

#include <math.h>
#include <stdbool.h>

static const mpfr_rnd_t NEAREST = MPFR_RNDN;

/* True when `term` is below the precision of `sum`. */
static int vanishes(mpfr_srcptr term, mpfr_srcptr sum)
{
	return !mpfr_regular_p(term) || !mpfr_regular_p(sum) ||
	       mpfr_get_exp(term) < mpfr_get_exp(sum) - (mpfr_exp_t)mpfr_get_prec(sum);
}

static void times_root_two(mpfr_ptr result, mpfr_srcptr x)
{
	mpfr_t root;
	mpfr_init_set_ui(root, 2, NEAREST);
	mpfr_sqrt(root, root, NEAREST);
	mpfr_mul(result, x, root, NEAREST);
	mpfr_clear(root);
}

REFERENCE(rcbrt)
{
	mpfr_cbrt(result, x, rounding);
	return mpfr_ui_div(result, 1, result, rounding);
}

/* 1 / (x sqrt pi) (1 - 1 / (2 x^2) + 3 / (2 x^2)^2 - ...). The terms fall below every precision in use before they
 * grow. */
static void erfcx_of_large(mpfr_ptr result, mpfr_srcptr x)
{
	mpfr_t term, step, pi;
	mpfr_inits(step, pi, NULL);
	mpfr_init_set_ui(term, 1, NEAREST);
	mpfr_sqr(step, x, NEAREST);
	mpfr_mul_si(step, step, -2, NEAREST);
	mpfr_set_ui(result, 1, NEAREST);
	for (unsigned k = 1; !vanishes(term, result); k += 2) {
		mpfr_mul_ui(term, term, k, NEAREST);
		mpfr_div(term, term, step, NEAREST);
		mpfr_add(result, result, term, NEAREST);
	}
	mpfr_const_pi(pi, NEAREST);
	mpfr_sqrt(pi, pi, NEAREST);
	mpfr_mul(pi, pi, x, NEAREST);
	mpfr_div(result, result, pi, NEAREST);
	mpfr_clears(term, step, pi, NULL);
}

REFERENCE(erfcx)
{
	(void)rounding;
	if (mpfr_cmp_ui(x, 100) > 0) {
		erfcx_of_large(result, x);
		return 0;
	}
	mpfr_t power;
	mpfr_init(power);
	mpfr_sqr(power, x, NEAREST);
	mpfr_exp(power, power, NEAREST);
	mpfr_erfc(result, x, NEAREST);
	mpfr_mul(result, result, power, NEAREST);
	mpfr_clear(power);
	return 0;
}

/* 2 / sqrt(pi) e^(-x^2), erf's derivative */
static void erf_slope(mpfr_ptr result, mpfr_srcptr x)
{
	mpfr_t root;
	mpfr_init(root);
	mpfr_const_pi(root, NEAREST);
	mpfr_sqrt(root, root, NEAREST);
	mpfr_sqr(result, x, NEAREST);
	mpfr_neg(result, result, NEAREST);
	mpfr_exp(result, result, NEAREST);
	mpfr_mul_ui(result, result, 2, NEAREST);
	mpfr_div(result, result, root, NEAREST);
	mpfr_clear(root);
}

/* The step of Newton's method at x for erf x = y. */
static void erf_step(mpfr_ptr step, mpfr_srcptr x, mpfr_srcptr y)
{
	mpfr_t slope;
	mpfr_init(slope);
	erf_slope(slope, x);
	mpfr_erf(step, x, NEAREST);
	mpfr_sub(step, y, step, NEAREST);
	mpfr_div(step, step, slope, NEAREST);
	mpfr_clear(slope);
}

/* The step of Newton's method at x for log erfc x = log y. */
static void erfc_step(mpfr_ptr step, mpfr_srcptr x, mpfr_srcptr y)
{
	mpfr_t slope, value;
	mpfr_inits(slope, value, NULL);
	erf_slope(slope, x);
	mpfr_erfc(value, x, NEAREST);
	mpfr_div(step, value, y, NEAREST);
	mpfr_log(step, step, NEAREST);
	mpfr_mul(step, step, value, NEAREST);
	mpfr_div(step, step, slope, NEAREST);
	mpfr_clears(slope, value, NULL);
}

/* Both functions are concave, so the method approaches the solution from one side and needs no good start. It ends
 * after a step below half the precision, because the next step would be below the full precision. */
static void solve(mpfr_ptr x, mpfr_srcptr y, void (*step_of)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr))
{
	mpfr_t step;
	mpfr_init(step);
	do {
		step_of(step, x, y);
		mpfr_add(x, x, step, NEAREST);
	} while (mpfr_regular_p(step) &&
	         mpfr_get_exp(step) > mpfr_get_exp(x) - (mpfr_exp_t)mpfr_get_prec(x) / 2 - 8);
	mpfr_clear(step);
}

/* A start value for erfc x = y, 0 < y <= 1: the same method with the host's erfc(). */
static double erfcinv_estimate(double y)
{
	double x = sqrt(-log(y));
	for (int i = 0; i < 6; i++) {
		double e = erfc(x);
		x += log(e / y) * e / (2 / sqrt(3.14159265358979323846) * exp(-x * x));
	}
	return x;
}

REFERENCE(erfcinv)
{
	(void)rounding;
	mpfr_t y;
	if (mpfr_cmp_ui(x, 0) <= 0 || mpfr_cmp_ui(x, 2) >= 0) { /* also for a NaN, which compares equal */
		if (mpfr_zero_p(x))
			mpfr_set_inf(result, 1);
		else if (!mpfr_nan_p(x) && mpfr_cmp_ui(x, 2) == 0)
			mpfr_set_inf(result, -1);
		else
			mpfr_set_nan(result);
		return 0;
	}
	mpfr_init(y);
	bool above = mpfr_cmp_ui(x, 1) > 0;
	if (above)
		mpfr_ui_sub(y, 2, x, NEAREST);
	else
		mpfr_set(y, x, NEAREST);
	mpfr_set_d(result, erfcinv_estimate(mpfr_get_d(y, NEAREST)), NEAREST);
	solve(result, y, erfc_step);
	if (above)
		mpfr_neg(result, result, NEAREST);
	mpfr_clear(y);
	return 0;
}

REFERENCE(erfinv)
{
	if (mpfr_zero_p(x))
		return mpfr_set(result, x, rounding);
	if (mpfr_cmpabs_ui(x, 1) < 0 && mpfr_get_exp(x) < 0) { /* below a half */
		mpfr_set(result, x, NEAREST);
		solve(result, x, erf_step);
		return 0;
	}
	mpfr_t y;
	mpfr_init(y);
	mpfr_ui_sub(y, 1, x, NEAREST);
	reference_erfcinv(result, y, rounding);
	mpfr_clear(y);
	return 0;
}

REFERENCE(normcdf)
{
	mpfr_t y;
	mpfr_init(y);
	times_root_two(y, x);
	mpfr_div_si(y, y, -2, NEAREST);
	mpfr_erfc(result, y, NEAREST);
	mpfr_clear(y);
	return mpfr_div_ui(result, result, 2, rounding);
}

REFERENCE(normcdfinv)
{
	mpfr_t y;
	mpfr_init(y);
	mpfr_mul_ui(y, x, 2, NEAREST);
	reference_erfcinv(result, y, NEAREST);
	times_root_two(result, result);
	mpfr_clear(y);
	return mpfr_neg(result, result, rounding);
}

REFERENCE(lgamma)
{
	int sign;
	return mpfr_lgamma(result, &sign, x, rounding);
}

/* The power series of a modified Bessel function of order n. */
static int bessel_i(mpfr_ptr result, unsigned n, mpfr_srcptr x)
{
	if (mpfr_nan_p(x) || (n && mpfr_zero_p(x)))
		return mpfr_set(result, x, NEAREST);
	if (mpfr_cmpabs_ui(x, 2000) > 0) {
		mpfr_set_inf(result, n ? mpfr_sgn(x) : 1);
		return 0;
	}
	mpfr_t term, step;
	mpfr_inits(term, step, NULL);
	mpfr_sqr(step, x, NEAREST);
	mpfr_div_ui(step, step, 4, NEAREST);
	mpfr_set_ui(term, 1, NEAREST);
	if (n)
		mpfr_div_ui(term, x, 2, NEAREST);
	mpfr_set(result, term, NEAREST);
	for (unsigned k = 1; !vanishes(term, result); k++) {
		mpfr_mul(term, term, step, NEAREST);
		mpfr_div_ui(term, term, k * (k + n), NEAREST);
		mpfr_add(result, result, term, NEAREST);
	}
	mpfr_clears(term, step, NULL);
	return 0;
}

REFERENCE(cyl_bessel_i0)
{
	(void)rounding;
	return bessel_i(result, 0, x);
}

REFERENCE(cyl_bessel_i1)
{
	(void)rounding;
	return bessel_i(result, 1, x);
}

#define ORDER(name, n)                                                                                                 \
	REFERENCE(name##n)                                                                                             \
	{                                                                                                              \
		return mpfr_##name(result, n, x, rounding);                                                            \
	}
ORDER(jn, 2)
ORDER(jn, 7)
ORDER(jn, 128)
ORDER(yn, 2)
ORDER(yn, 7)

REFERENCE(logb)
{
	if (mpfr_regular_p(x))
		return mpfr_set_si(result, mpfr_get_exp(x) - 1, rounding);
	if (mpfr_nan_p(x))
		mpfr_set_nan(result);
	else
		mpfr_set_inf(result, mpfr_inf_p(x) ? 1 : -1);
	return 0;
}

REFERENCE2(rhypot)
{
	mpfr_hypot(result, x, y, rounding);
	return mpfr_ui_div(result, 1, result, rounding);
}

REFERENCE2(norm3)
{
	mpfr_t z;
	mpfr_init(z);
	times_root_two(z, y);
	mpfr_hypot(result, x, z, rounding);
	mpfr_clear(z);
	return 0;
}

REFERENCE2(norm4)
{
	mpfr_hypot(result, x, y, rounding);
	times_root_two(result, result);
	return 0;
}

REFERENCE2(rnorm3)
{
	reference_norm3(result, x, y, rounding);
	return mpfr_ui_div(result, 1, result, rounding);
}

REFERENCE2(rnorm4)
{
	reference_norm4(result, x, y, rounding);
	return mpfr_ui_div(result, 1, result, rounding);
}

REFERENCE2(copysign)
{
	return mpfr_copysign(result, x, y, rounding);
}
