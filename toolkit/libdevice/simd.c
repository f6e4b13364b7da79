/* simd: operations on a word as two halves or four bytes, each computed separately. GPUs from Maxwell on have no
 * instructions for these; they use ordinary ones, as here. */
#include "libdevice.h"

INLINE int32_t clamp(int32_t x, int32_t least, int32_t most)
{
	return x < least ? least : x > most ? most : x;
}

/* Part i of a word, sign-extended or not; BITS is the width of a part. */
#define SIGNED(x, i, BITS)   ((int32_t)((x) << (32 - BITS - (i) * BITS)) >> (32 - BITS))
#define UNSIGNED(x, i, BITS) ((int32_t)((x) << (32 - BITS - (i) * BITS) >> (32 - BITS)))
#define MOST(BITS)           ((1 << BITS) - 1)
#define MOST_SIGNED(BITS)    (MOST(BITS) >> 1)

/* Each part of the result is `expression` of the parts a and b, truncated to its width. */
#define EACH(name, BITS, PART, expression)                                                                             \
	uint32_t name(uint32_t x, uint32_t y)                                                                          \
	{                                                                                                              \
		uint32_t result = 0;                                                                                   \
		_Pragma("GCC unroll 4") for (int i = 0; i < 32 / BITS; i++)                                            \
		{                                                                                                      \
			int32_t a = PART(x, i, BITS), b = PART(y, i, BITS);                                            \
			result |= ((uint32_t)(expression) & MOST(BITS)) << i * BITS;                                   \
		}                                                                                                      \
		return result;                                                                                         \
	}
/* The sum of `expression` over all parts. */
#define SUM(name, BITS, PART, expression)                                                                              \
	uint32_t name(uint32_t x, uint32_t y)                                                                          \
	{                                                                                                              \
		uint32_t result = 0;                                                                                   \
		_Pragma("GCC unroll 4") for (int i = 0; i < 32 / BITS; i++)                                            \
		{                                                                                                      \
			int32_t a = PART(x, i, BITS), b = PART(y, i, BITS);                                            \
			result += (uint32_t)(expression);                                                              \
		}                                                                                                      \
		return result;                                                                                         \
	}
#define UNARY(name, binary)                                                                                            \
	uint32_t name(uint32_t x)                                                                                      \
	{                                                                                                              \
		return binary(x, 0);                                                                                   \
	}

/* For true, cmp yields all ones and set yields one. */
#define COMPARISON(n, BITS, suffix, PART, operator)                                                                    \
	EACH(__nv_vcmp##suffix##n, BITS, PART, a operator b ? MOST(BITS) : 0)                                          \
	EACH(__nv_vset##suffix##n, BITS, PART, a operator b)

/* `n` parts of `BITS` bits. */
#define ALL(n, BITS)                                                                                                   \
	EACH(__nv_vadd##n, BITS, UNSIGNED, a + b)                                                                      \
	EACH(__nv_vaddss##n, BITS, SIGNED, clamp(a + b, -1 - MOST_SIGNED(BITS), MOST_SIGNED(BITS)))                    \
	EACH(__nv_vaddus##n, BITS, UNSIGNED, clamp(a + b, 0, MOST(BITS)))                                              \
	EACH(__nv_vsub##n, BITS, UNSIGNED, a - b)                                                                      \
	EACH(__nv_vsubss##n, BITS, SIGNED, clamp(a - b, -1 - MOST_SIGNED(BITS), MOST_SIGNED(BITS)))                    \
	EACH(__nv_vsubus##n, BITS, UNSIGNED, clamp(a - b, 0, MOST(BITS)))                                              \
	EACH(__nv_vabsdiffs##n, BITS, SIGNED, a > b ? a - b : b - a)                                                   \
	EACH(__nv_vabsdiffu##n, BITS, UNSIGNED, a > b ? a - b : b - a)                                                 \
	static EACH(saturated_difference##n, BITS, SIGNED, clamp(a > b ? a - b : b - a, 0, MOST_SIGNED(BITS)))                \
	/* averages: halves rounded away from zero for signed sums of zero and more, up for unsigned ones */           \
	EACH(__nv_vavgs##n, BITS, SIGNED, (a + b + (a + b >= 0)) >> 1)                                                 \
	EACH(__nv_vavgu##n, BITS, UNSIGNED, (a + b + 1) >> 1)                                                          \
	EACH(__nv_vhaddu##n, BITS, UNSIGNED, (a + b) >> 1)                                                             \
	EACH(__nv_vmaxs##n, BITS, SIGNED, a > b ? a : b)                                                               \
	EACH(__nv_vmaxu##n, BITS, UNSIGNED, a > b ? a : b)                                                             \
	EACH(__nv_vmins##n, BITS, SIGNED, a < b ? a : b)                                                               \
	EACH(__nv_vminu##n, BITS, UNSIGNED, a < b ? a : b)                                                             \
	SUM(__nv_vsads##n, BITS, SIGNED, a > b ? a - b : b - a)                                                        \
	SUM(__nv_vsadu##n, BITS, UNSIGNED, a > b ? a - b : b - a)                                                      \
	UNARY(__nv_vabs##n, __nv_vabsdiffs##n)                                                                         \
	UNARY(__nv_vabsss##n, saturated_difference##n)                                                                 \
	uint32_t __nv_vneg##n(uint32_t x)                                                                              \
	{                                                                                                              \
		return __nv_vsub##n(0, x);                                                                             \
	}                                                                                                              \
	uint32_t __nv_vnegss##n(uint32_t x)                                                                            \
	{                                                                                                              \
		return __nv_vsubss##n(0, x);                                                                           \
	}                                                                                                              \
	COMPARISON(n, BITS, eq, SIGNED, ==)                                                                            \
	COMPARISON(n, BITS, ne, SIGNED, !=)                                                                            \
	COMPARISON(n, BITS, ges, SIGNED, >=)                                                                           \
	COMPARISON(n, BITS, geu, UNSIGNED, >=)                                                                         \
	COMPARISON(n, BITS, gts, SIGNED, >)                                                                            \
	COMPARISON(n, BITS, gtu, UNSIGNED, >)                                                                          \
	COMPARISON(n, BITS, les, SIGNED, <=)                                                                           \
	COMPARISON(n, BITS, leu, UNSIGNED, <=)                                                                         \
	COMPARISON(n, BITS, lts, SIGNED, <)                                                                            \
	COMPARISON(n, BITS, ltu, UNSIGNED, <)
ALL(2, 16)
ALL(4, 8)
