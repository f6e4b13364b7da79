/* erf_inverse: inverses of the error function, of its complement and of the normal distribution. */
#include "double_core.h"
#include "float_exp_log.h"

float __nv_logf(float x);
double __nv_log(double x);

/* erfinv x for |x| <= 0.7: error 2^-29 */
INLINE float erfinvf_centre(float x)
{
	float p = POLYF(x * x, 0x1.c5bf8ap-1f, 0x1.db2a26p-3f, 0x1.05315ep-3f, 0x1.64a1bep-4f, 0x1.df0fp-5f,
	                0x1.9025c4p-4f, -0x1.34e336p-3f, 0x1.0b2c6ep-1f, -0x1.4c7978p-1f, 0x1.d98476p-2f);
	return x * p;
}

/* erfcinv q for q from 0 to 1/2. With w^2 = -log q, x / w is a polynomial in (w - 3) / (w + 3), for w up to 10.2:
 * error 2^-28. */
INLINE float erfcinvf_tail(float q)
{
	float w = sqrtf(-__nv_logf(q));
	float t = (w - 3) / (w + 3);
	float p = POLYF(t, 0x1.cf51b8p-1f, 0x1.183b88p-2f, -0x1.5b1a9ep-2f, 0x1.1d5864p-2f, -0x1.6d98ecp-3f,
	                0x1.1cbccp-4f, 0x1.53dc24p-6f, -0x1.412cd2p-4f, 0x1.7da4fp-4f, -0x1.576c0ap-4f, 0x1.5a428p-4f,
	                -0x1.27f53p-5f, -0x1.66be14p-4f, 0x1.799872p-4f);
	return q == 0 ? F32_INF : w * p;
}

float __nv_erfinvf(float x)
{
	float a = __builtin_fabsf(x);
	if (a <= 0.7f)
		return erfinvf_centre(x);
	return f32_sign_of(erfcinvf_tail(1 - a), x);
}

float __nv_erfcinvf(float x)
{
	if (__builtin_fabsf(x - 1) <= 0.7f)
		return erfinvf_centre(1 - x);
	return x > 1 ? -erfcinvf_tail(2 - x) : erfcinvf_tail(x);
}

float __nv_normcdfinvf(float x)
{
	return -0x1.6a09e6p+0f * __nv_erfcinvf(x + x);
}

/* erfinv x for |x| <= 1/2: error 2^-61 */
INLINE double erfinv_centre(double x)
{
	double p = POLYD(x * x, 0x1.c5bf891b4ef6bp-1, 0x1.db29fb2fee5d7p-3, 0x1.053c2c0aba07cp-3, 0x1.62847c4705debp-4,
	                 0x1.0a1318d0130dcp-4, 0x1.a7c84db275d4ap-5, 0x1.5eec804dd7c46p-5, 0x1.2aa3f3e188ee7p-5,
	                 0x1.049c5b96cfb4p-5, 0x1.b9dcba921c856p-6, 0x1.fa6e99af1c795p-6, -0x1.7eea0f1d96346p-10,
	                 0x1.6549e2528d134p-4, -0x1.8af293987967fp-4, 0x1.ebabd1a6a2469p-4);
	return x * p;
}

/* erfcinv q for q from 0 to 1/2. The start is a polynomial as in erfcinvf_tail(), for w up to 27.3, with error 2^-24.
 * One step of Halley's method on log erfc triples the digits; its derivatives follow from erfcx. */
INLINE double erfcinv_tail(double q)
{
	double logarithm = __nv_log(q), w = sqrt(-logarithm);
	double t = (w - 3) / (w + 3);
	double x = w * POLYD(t, 0x1.cf51b82cc8504p-1, 0x1.183b77d38c389p-2, -0x1.5b1b6a0092536p-2, 0x1.1d5d71658a60cp-2, -0x1.6d6160eb71825p-3, 0x1.1ad566de8511ap-4, 0x1.3dde9f5c0878ap-6, -0x1.2cfbeecf35862p-4, 0x1.9d1a94da617e4p-4, -0x1.c13118939bec8p-4, 0x1.072ec2faac6cep-4, 0x1.e1899dae5bdadp-6, -0x1.144e076e916c6p-4, 0x1.c9e14e82a11fep-6);
	double erfcx = f64_erfcx_positive(x);
	double slope = -0x1.20dd750429b6dp+0 / erfcx;
	double newton = (logarithm - fma(-x, x, __nv_log(erfcx))) / slope;
	double y = x + newton / fma(newton, fma(-0.5, slope, -x), 1);
	return q == 0 ? F64_INF : y;
}

double __nv_erfinv(double x)
{
	double a = __builtin_fabs(x);
	if (a <= 0.5)
		return erfinv_centre(x);
	return f64_sign_of(erfcinv_tail(1 - a), x);
}

double __nv_erfcinv(double x)
{
	if (__builtin_fabs(x - 1) <= 0.5)
		return erfinv_centre(1 - x);
	return x > 1 ? -erfcinv_tail(2 - x) : erfcinv_tail(x);
}

double __nv_normcdfinv(double x)
{
	return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(x + x);
}
