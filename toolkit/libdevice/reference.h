/* reference: true values of functions that MPFR lacks, with MPFR's interface. The result has nearly the precision of
 * *result; the rounding mode is ignored. */
#ifndef SLUICE_LIBDEVICE_REFERENCE_H
#define SLUICE_LIBDEVICE_REFERENCE_H

#include <mpfr.h>

#define REFERENCE(name)  int reference_##name(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
#define REFERENCE2(name) int reference_##name(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)

REFERENCE(rcbrt);
REFERENCE(erfcx);
REFERENCE(erfinv);
REFERENCE(erfcinv);
REFERENCE(normcdf);
REFERENCE(normcdfinv);
REFERENCE(lgamma); /* log |gamma|; mpfr_lngamma() has no value where gamma is negative */
REFERENCE(cyl_bessel_i0);
REFERENCE(cyl_bessel_i1);
REFERENCE(jn2);
REFERENCE(jn7);
REFERENCE(jn128);
REFERENCE(yn2);
REFERENCE(yn7);
REFERENCE(logb);
REFERENCE2(rhypot);
REFERENCE2(norm3); /* of (x, y, -y) */
REFERENCE2(norm4); /* of (x, y, -y, x) */
REFERENCE2(rnorm3);
REFERENCE2(rnorm4);
REFERENCE2(copysign);

#endif
