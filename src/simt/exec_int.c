/* exec_int: integer arithmetic and bit operations. */
#include "simt/exec.h"

/* FUNCTION(suffix, lanes, C type, signed C type of twice the width, unsigned type, bits) */
#define SIGNED_AND_UNSIGNED(FUNCTION)                                                                                  \
	FUNCTION(u16, lane32, uint16_t, uint32_t, uint16_t, 16)                                                        \
	FUNCTION(s16, lane32, int16_t, int32_t, uint16_t, 16)                                                          \
	FUNCTION(u32, lane32, uint32_t, uint64_t, uint32_t, 32)                                                        \
	FUNCTION(s32, lane32, int32_t, int64_t, uint32_t, 32)                                                          \
	FUNCTION(u64, lane64, uint64_t, uint128, uint64_t, 64)                                                         \
	FUNCTION(s64, lane64, int64_t, int128, uint64_t, 64)

#define UNTYPED(FUNCTION)                                                                                              \
	FUNCTION(b16, lane32, uint16_t, 16)                                                                            \
	FUNCTION(b32, lane32, uint32_t, 32)                                                                            \
	FUNCTION(b64, lane64, uint64_t, 64)

#define INT1(name, C, T, U, value)                                                                                     \
	static inline U name##_lane(T a)                                                                               \
	{                                                                                                              \
		return (U)(value);                                                                                     \
	}                                                                                                              \
	LANE_FUNCTION(name, C, SOURCE(pa, C, 0), name##_lane((T)pa[i]))

#define INT2(name, C, T, U, value)                                                                                     \
	static inline U name##_lane(T a, T b)                                                                          \
	{                                                                                                              \
		return (U)(value);                                                                                     \
	}                                                                                                              \
	LANE_FUNCTION(name, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1), name##_lane((T)pa[i], (T)pb[i]))

#define INT3(name, C, T, U, value)                                                                                     \
	static inline U name##_lane(T a, T b, T c)                                                                     \
	{                                                                                                              \
		return (U)(value);                                                                                     \
	}                                                                                                              \
	LANE_FUNCTION(name, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1);                                                     \
	              SOURCE(pc, C, 2), name##_lane((T)pa[i], (T)pb[i], (T)pc[i]))

/* A shift-like operation: the second source has 32 bits for every type. */
#define INT_SHIFT(name, C, T, U, value)                                                                                \
	static inline U name##_lane(T a, uint32_t b)                                                                   \
	{                                                                                                              \
		return (U)(value);                                                                                     \
	}                                                                                                              \
	LANE_FUNCTION(name, C, SOURCE(pa, C, 0); SOURCE(pb, lane32, 1), name##_lane((T)pa[i], pb[i]))

/* Products are computed in an unsigned type of at least 32 bits, because C would promote 16-bit operands to signed
 * int. */
#define PRODUCT(a, b) ((a)*1u * (b))
#define UNTYPED_ARITHMETIC(t, C, U, bits)                                                                              \
	INT2(add_##t, C, U, U, a + b)                                                                                  \
	INT2(sub_##t, C, U, U, a - b)                                                                                  \
	INT2(mul_lo_##t, C, U, U, PRODUCT(a, b))                                                                       \
	INT3(mad_lo_##t, C, U, U, PRODUCT(a, b) + c)                                                                   \
	INT1(neg_##t, C, U, U, 0u - a)                                                                                 \
	INT2(and_##t, C, U, U, a &b)                                                                                   \
	INT2(or_##t, C, U, U, a | b)                                                                                   \
	INT2(xor_##t, C, U, U, a ^ b)                                                                                  \
	INT1(not_##t, C, U, U, ~a)                                                                                     \
	INT1(cnot_##t, C, U, U, a == 0)                                                                                \
	INT_SHIFT(shl_##t, C, U, U, b < (bits) ? (U)(a << (b & ((bits)-1))) : 0)
UNTYPED(UNTYPED_ARITHMETIC)

/* As on hardware, division by zero gives all ones, and so does its remainder. The lowest number divided by -1 wraps
 * around. */
#define ABSOLUTE(U, a)     ((a) < 0 ? 0u - (U)(a) : (U)(a))
#define LOWEST(T, U, bits) ((T)((U)1 << ((bits)-1)))
#define IS_SIGNED(T)       ((T)-1 < (T)1)
#define TYPED_ARITHMETIC(t, C, T, W, U, bits)                                                                          \
	INT2(min_##t, C, T, U, a < b ? a : b)                                                                          \
	INT2(max_##t, C, T, U, a > b ? a : b)                                                                          \
	INT2(mul_hi_##t, C, T, U, ((W)a * (W)b) >> (bits))                                                             \
	INT3(mad_hi_##t, C, T, U, (U)(((W)a * (W)b) >> (bits)) + (U)c)                                                 \
	INT3(sad_##t, C, T, U, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))                                             \
	INT_SHIFT(shr_##t, C, T, U, a >> (b < (bits) ? b : (bits)-1) >> (b < (bits) || IS_SIGNED(T) ? 0 : 1))          \
	INT2(div_##t, C, T, U,                                                                                         \
	     b == 0                                                  ? (T)-1                                           \
	     : IS_SIGNED(T) && b == (T)-1 && a == LOWEST(T, U, bits) ? a                                               \
	                                                             : (T)(a / b))                                     \
	INT2(rem_##t, C, T, U, b == 0 ? (T)-1 : IS_SIGNED(T) && b == (T)-1 ? (T)0 : (T)(a % b))
SIGNED_AND_UNSIGNED(TYPED_ARITHMETIC)

INT1(abs_s16, lane32, int16_t, uint16_t, ABSOLUTE(uint16_t, a))
INT1(abs_s32, lane32, int32_t, uint32_t, ABSOLUTE(uint32_t, a))
INT1(abs_s64, lane64, int64_t, uint64_t, ABSOLUTE(uint64_t, a))

static inline uint32_t saturate_s32(int64_t value)
{
	return (uint32_t)(int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

INT2(add_sat_s32, lane32, int32_t, uint32_t, saturate_s32((int64_t)a + b))
INT2(sub_sat_s32, lane32, int32_t, uint32_t, saturate_s32((int64_t)a - b))
INT3(mad_hi_sat_s32, lane32, int32_t, uint32_t, saturate_s32(((int64_t)a * b >> 32) + c))

/* Results with twice the width of the sources. */
#define WIDE(t, D, T, W, U)                                                                                            \
	static inline U mul_wide_##t##_lane(T a, T b)                                                                  \
	{                                                                                                              \
		return (U)((W)a * (W)b);                                                                               \
	}                                                                                                              \
	LANE_FUNCTION(mul_wide_##t, D, SOURCE(pa, lane32, 0);                                                          \
	              SOURCE(pb, lane32, 1), mul_wide_##t##_lane((T)pa[i], (T)pb[i]))                                  \
	LANE_FUNCTION(mad_wide_##t, D, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1);                                   \
	              SOURCE(pc, D, 2), mul_wide_##t##_lane((T)pa[i], (T)pb[i]) + (U)pc[i])
WIDE(u16, lane32, uint16_t, uint32_t, uint32_t)
WIDE(s16, lane32, int16_t, int32_t, uint32_t)
WIDE(u32, lane64, uint32_t, uint64_t, uint64_t)
WIDE(s32, lane64, int32_t, int64_t, uint64_t)

/* 24-bit products: use only the low 24 bits of the sources, sign-extended for s32. */
static inline int64_t product24_s32(uint32_t a, uint32_t b)
{
	return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}

static inline uint64_t product24_u32(uint32_t a, uint32_t b)
{
	return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

INT2(mul24_lo_u32, lane32, uint32_t, uint32_t, product24_u32(a, b))
INT2(mul24_lo_s32, lane32, uint32_t, uint32_t, product24_s32(a, b))
INT2(mul24_hi_u32, lane32, uint32_t, uint32_t, product24_u32(a, b) >> 16)
INT2(mul24_hi_s32, lane32, uint32_t, uint32_t, product24_s32(a, b) >> 16)
INT3(mad24_lo_u32, lane32, uint32_t, uint32_t, product24_u32(a, b) + c)
INT3(mad24_lo_s32, lane32, uint32_t, uint32_t, (uint32_t)product24_s32(a, b) + c)
INT3(mad24_hi_u32, lane32, uint32_t, uint32_t, (product24_u32(a, b) >> 16) + c)
INT3(mad24_hi_s32, lane32, uint32_t, uint32_t, (uint32_t)(product24_s32(a, b) >> 16) + c)
INT3(mad24_hi_sat_s32, lane32, uint32_t, uint32_t, saturate_s32((product24_s32(a, b) >> 16) + (int32_t)c))

/* Counting and reversing. */
static inline uint32_t reverse32(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}

INT1(brev_b32, lane32, uint32_t, uint32_t, reverse32(a))
INT1(brev_b64, lane64, uint64_t, uint64_t, (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))
INT1(popc_b32, lane32, uint32_t, uint32_t, __builtin_popcount(a))
INT1(clz_b32, lane32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
LANE_FUNCTION(popc_b64, lane32, SOURCE(pa, lane64, 0), __builtin_popcountll(pa[i]))
LANE_FUNCTION(clz_b64, lane32, SOURCE(pa, lane64, 0), pa[i] ? __builtin_clzll(pa[i]) : 64)

/* bfind: the position of the highest bit that differs from the sign (signed) or is set (unsigned). With .shiftamt,
 * the shift that moves it to the top. 0xffffffff when there is none. */
static inline uint32_t find32(uint32_t a, bool shift)
{
	uint32_t zeros = a ? (uint32_t)__builtin_clz(a) : 0;
	return a == 0 ? UINT32_MAX : shift ? zeros : 31 - zeros;
}

static inline uint32_t find64(uint64_t a, bool shift)
{
	uint32_t zeros = a ? (uint32_t)__builtin_clzll(a) : 0;
	return a == 0 ? UINT32_MAX : shift ? zeros : 63 - zeros;
}

#define FIND(t, C, T, U, find)                                                                                         \
	LANE_FUNCTION(bfind_##t, lane32, SOURCE(pa, C, 0), find((U)((T)pa[i] < 0 ? ~pa[i] : pa[i]), false))            \
	LANE_FUNCTION(bfind_shift_##t, lane32, SOURCE(pa, C, 0), find((U)((T)pa[i] < 0 ? ~pa[i] : pa[i]), true))
FIND(s32, lane32, int32_t, uint32_t, find32)
FIND(s64, lane64, int64_t, uint64_t, find64)
LANE_FUNCTION(bfind_u32, lane32, SOURCE(pa, lane32, 0), find32(pa[i], false))
LANE_FUNCTION(bfind_u64, lane32, SOURCE(pa, lane64, 0), find64(pa[i], false))
LANE_FUNCTION(bfind_shift_u32, lane32, SOURCE(pa, lane32, 0), find32(pa[i], true))
LANE_FUNCTION(bfind_shift_u64, lane32, SOURCE(pa, lane64, 0), find64(pa[i], true))

/* Bit fields: PTX restricts position and length to 0..255. Hardware uses only the low 8 bits of larger ones, but all
 * bits in the forms with 64 bits. Bits above the register are the sign (signed bfe) or zero. */
#define EXTRACT(t, C, T, U, bits, used)                                                                                \
	static inline U bfe_##t##_lane(U a, uint32_t position, uint32_t length)                                        \
	{                                                                                                              \
		uint64_t end = (uint64_t)position + length;                                                            \
		uint32_t last = end < (bits) ? (uint32_t)end - 1 : (bits)-1;                                           \
		bool negative = IS_SIGNED(T) && length && (a >> last & 1);                                             \
		U field = position < (bits) ? a >> (position & ((bits)-1)) : 0;                                        \
		U mask = length < (bits) ? ((U)1 << (length & ((bits)-1))) - 1 : (U)-1;                                \
		U inside = position < (bits) ? (U)-1 >> (position & ((bits)-1)) : 0;                                   \
		return negative ? (field & mask) | ~(mask & inside) : field & mask;                                    \
	}                                                                                                              \
	LANE_FUNCTION(bfe_##t, C, SOURCE(pa, C, 0); SOURCE(pb, lane32, 1);                                             \
	              SOURCE(pc, lane32, 2), bfe_##t##_lane(pa[i], pb[i] & (used), pc[i] & (used)))
EXTRACT(u32, lane32, uint32_t, uint32_t, 32, 0xff)
EXTRACT(s32, lane32, int32_t, uint32_t, 32, 0xff)
EXTRACT(u64, lane64, uint64_t, uint64_t, 64, UINT32_MAX)
EXTRACT(s64, lane64, int64_t, uint64_t, 64, UINT32_MAX)

#define INSERT(t, C, U, bits, used)                                                                                    \
	static inline U bfi_##t##_lane(U field, U into, uint32_t position, uint32_t length)                            \
	{                                                                                                              \
		U mask = length < (bits) ? ((U)1 << (length & ((bits)-1))) - 1 : (U)-1;                                \
		mask = position < (bits) ? mask << (position & ((bits)-1)) : 0;                                        \
		return (into & ~mask) | (field << (position & ((bits)-1)) & mask);                                     \
	}                                                                                                              \
	LANE_FUNCTION(bfi_##t, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1); SOURCE(pc, lane32, 2);                           \
	              SOURCE(pd, lane32, 3), bfi_##t##_lane(pa[i], pb[i], pc[i] & (used), pd[i] & (used)))
INSERT(b32, lane32, uint32_t, 32, 0xff)
INSERT(b64, lane64, uint64_t, 64, UINT32_MAX)

/* Funnel shifts of b:a. */
#define FUNNEL(name, amount, value)                                                                                    \
	static inline uint32_t name##_lane(uint32_t a, uint32_t b, uint32_t c)                                         \
	{                                                                                                              \
		uint64_t both = (uint64_t)b << 32 | a;                                                                 \
		uint32_t n = amount;                                                                                   \
		return (uint32_t)(value);                                                                              \
	}                                                                                                              \
	LANE_FUNCTION(name, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1);                                      \
	              SOURCE(pc, lane32, 2), name##_lane(pa[i], pb[i], pc[i]))
FUNNEL(shf_l_wrap, c & 31, both << n >> 32)
FUNNEL(shf_r_wrap, c & 31, both >> n)
FUNNEL(shf_l_clamp, c < 32 ? c : 32, both << n >> 32)
FUNNEL(shf_r_clamp, c < 32 ? c : 32, both >> n)

/* lop3: bit 4a+2b+c of the table is the result; all lanes use the same table. */
static inline uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t result = 0;
	for (unsigned k = 0; k < 8; k++) {
		uint32_t minterm = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
		result |= minterm & (0u - (table >> k & 1));
	}
	return result;
}

LANE_FUNCTION(lop3_b32, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1); SOURCE(pc, lane32, 2);
              SOURCE(pd, lane32, 3), lookup3(pa[i], pb[i], pc[i], pd[i]))

/* lop3.or, lop3.and: combine with a predicate whether the result is nonzero. */
static void lop3_test(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(pa, lane32, 0);
	SOURCE(pb, lane32, 1);
	SOURCE(pc, lane32, 2);
	SOURCE(pd, lane32, 3);
	uint32_t row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN))), any = 0;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		row[i] = lookup3(pa[i], pb[i], pc[i], pd[i]);
		any |= row[i] ? lane_bit[i] : 0;
	}
	write_pred(warp, inst, 1, combine_pred(inst->immediate, any, source_pred(warp, inst, 4)), step->lanes);
	blend32(destination(warp, inst, 0), row, step->lanes);
}

/* prmt: 4-bit byte selectors; the top bit of a selector replicates the byte's sign. */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t result = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t selector = selectors >> (4 * k) & 15;
		uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 0xff;
		if (selector & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << (8 * k);
	}
	return result;
}

/* Returns the selectors of the special modes, by the low two bits of the third source. */
static inline uint32_t mode_selectors(enum ptx_prmt mode, uint32_t c)
{
	static const uint16_t table[][4] = {
		[PTX_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PTX_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
		[PTX_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PTX_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
		[PTX_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PTX_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
	};
	return table[mode][c & 3];
}

LANE_FUNCTION(prmt_b32, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1);
              SOURCE(pc, lane32, 2), permute(pa[i], pb[i], pc[i]))
LANE_FUNCTION(prmt_mode_b32, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1); SOURCE(pc, lane32, 2);
              enum ptx_prmt mode = inst->ptx->prmt, permute(pa[i], pb[i], mode_selectors(mode, pc[i])))

/* dp4a: four products of bytes; each source is signed or unsigned by its own type. dp2a: two products of a's halves
 * with b's bytes, from bit `first` on. */
#define DOT(name, A, B, bits, first)                                                                                   \
	static inline uint32_t name##_lane(uint32_t a, uint32_t b, uint32_t c)                                         \
	{                                                                                                              \
		for (unsigned k = 0; k < 32 / (bits); k++)                                                             \
			c += (uint32_t)(A)(a >> k * (bits)) * (uint32_t)(B)(b >> (k * 8 + (first)));                   \
		return c;                                                                                              \
	}                                                                                                              \
	LANE_FUNCTION(name, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1);                                      \
	              SOURCE(pc, lane32, 2), name##_lane(pa[i], pb[i], pc[i]))
#define DOTS(name, a, bits, first)                                                                                     \
	DOT(name##_uu, uint##a##_t, uint8_t, bits, first)                                                              \
	DOT(name##_us, uint##a##_t, int8_t, bits, first)                                                               \
	DOT(name##_su, int##a##_t, uint8_t, bits, first)                                                               \
	DOT(name##_ss, int##a##_t, int8_t, bits, first)
DOTS(dp4a, 8, 8, 0)
DOTS(dp2a_lo, 16, 16, 0)
DOTS(dp2a_hi, 16, 16, 16)

/* bmsk: b ones, starting at position a. A position or width beyond the register is used unchanged (clamp) or
 * reduced to its low bits (wrap). */
static inline uint32_t mask_clamp(uint32_t a, uint32_t b)
{
	uint32_t from = a < 32 ? UINT32_MAX << (a & 31) : 0;
	uint64_t end = (uint64_t)a + b;
	return end < 32 ? from & ~(UINT32_MAX << end) : from;
}

INT2(bmsk_clamp, lane32, uint32_t, uint32_t, mask_clamp(a, b))
INT2(bmsk_wrap, lane32, uint32_t, uint32_t, mask_clamp(a & 31, b & 31))

/* szext: extends the low b bits; with b = 0 the result is 0. */
static inline uint32_t zero_extend(uint32_t a, uint32_t bits)
{
	return bits < 32 ? a & ~(UINT32_MAX << bits) : a;
}

static inline uint32_t sign_extend(uint32_t a, uint32_t bits)
{
	uint32_t top = bits && bits < 32 ? 1u << (bits - 1) : 0;
	uint32_t low = zero_extend(a, bits);
	return (low ^ top) - top;
}

INT_SHIFT(szext_clamp_u32, lane32, uint32_t, uint32_t, zero_extend(a, b))
INT_SHIFT(szext_clamp_s32, lane32, uint32_t, uint32_t, sign_extend(a, b))
INT_SHIFT(szext_wrap_u32, lane32, uint32_t, uint32_t, zero_extend(a, b & 31))
INT_SHIFT(szext_wrap_s32, lane32, uint32_t, uint32_t, sign_extend(a, b & 31))

/* fns: the position of the c-th set bit of a, counted upwards from position b, or downwards if c is negative. With
 * c = 0, b if its bit is set. 0xffffffff when there is none. Hardware returns 0 for the lowest c. */
static inline uint32_t find_nth(uint32_t a, uint32_t b, int32_t c)
{
	int32_t step = c < 0 ? -1 : 1;
	uint32_t left = c < 0 ? 0u - (uint32_t)c : (uint32_t)c;
	if (c == 0)
		return b < 32 && a >> b & 1 ? b : UINT32_MAX;
	for (int64_t at = (int32_t)b; at >= 0 && at < 32; at += step)
		if (a >> at & 1 && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

INT3(fns_b32, lane32, uint32_t, uint32_t, c == 1u << 31 ? 0 : find_nth(a, b, (int32_t)c))

/* Two 16-bit numbers in a register. */
#define PAIR(t, T)                                                                                                     \
	static inline uint32_t min_##t##_pair(uint32_t a, uint32_t b)                                                  \
	{                                                                                                              \
		uint32_t low = (T)a < (T)b ? a : b, high = (T)(a >> 16) < (T)(b >> 16) ? a : b;                        \
		return (low & 0xffff) | (high & 0xffff0000);                                                           \
	}                                                                                                              \
	static inline uint32_t max_##t##_pair(uint32_t a, uint32_t b)                                                  \
	{                                                                                                              \
		uint32_t low = (T)a > (T)b ? a : b, high = (T)(a >> 16) > (T)(b >> 16) ? a : b;                        \
		return (low & 0xffff) | (high & 0xffff0000);                                                           \
	}                                                                                                              \
	INT2(min_##t, lane32, uint32_t, uint32_t, min_##t##_pair(a, b))                                                \
	INT2(max_##t, lane32, uint32_t, uint32_t, max_##t##_pair(a, b))
PAIR(u16x2, uint16_t)
PAIR(s16x2, int16_t)
INT2(add_x2, lane32, uint32_t, uint32_t, ((a & 0xffff0000) + (b & 0xffff0000)) | ((a + b) & 0xffff))
INT2(min_relu_s16x2, lane32, uint32_t, uint32_t, max_s16x2_pair(min_s16x2_pair(a, b), 0))
INT2(max_relu_s16x2, lane32, uint32_t, uint32_t, max_s16x2_pair(max_s16x2_pair(a, b), 0))
INT2(min_relu_s32, lane32, int32_t, uint32_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
INT2(max_relu_s32, lane32, int32_t, uint32_t, a > b ? (a > 0 ? a : 0) : (b > 0 ? b : 0))

/* Addition with the carry flag, a predicate. Source `carry` is the carry-in, destination 1 the carry-out
 * (EXEC_SECOND). A subtraction adds the complement. The flag is hardware's also then: it is the complement of PTX's
 * borrow, so a subtraction after an addition borrows where the addition had no carry. */
#define CARRY(t, C, U, W, bits)                                                                                        \
	static void carry_##t(struct simt_warp *warp, const struct simt_inst *inst, const C *pa, const C *pb, U flip,  \
	                      uint32_t carry, uint32_t lanes)                                                          \
	{                                                                                                              \
		C *d = destination(warp, inst, 0);                                                                     \
		uint32_t out = 0;                                                                                      \
		for (unsigned i = 0; i < WARP_SIZE; i++) {                                                             \
			W sum = (W)pa[i] + (U)(pb[i] ^ flip) + (carry >> i & 1);                                       \
			out |= (uint32_t)(sum >> (bits)&1) << i;                                                       \
			if (lanes >> i & 1)                                                                            \
				d[i] = (U)sum;                                                                         \
		}                                                                                                      \
		if (inst->immediate & EXEC_SECOND)                                                                     \
			write_pred(warp, inst, 1, out, lanes);                                                         \
	}                                                                                                              \
	static void add_carry_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)        \
	{                                                                                                              \
		uint32_t carry = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 3) : 0;                        \
		carry_##t(warp, inst, source(warp, inst, 0), source(warp, inst, 1), 0, carry, step->lanes);            \
	}                                                                                                              \
	static void sub_carry_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)        \
	{                                                                                                              \
		uint32_t carry = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 3) : ALL_LANES;                \
		carry_##t(warp, inst, source(warp, inst, 0), source(warp, inst, 1), (U)-1, carry, step->lanes);        \
	}
CARRY(b32, lane32, uint32_t, uint64_t, 32)
CARRY(b64, lane64, uint64_t, uint128, 64)

#define MAD_CARRY(t, C, T, U, W, half, shift)                                                                          \
	static void mad_carry_##half##_##t(struct simt_warp *warp, const struct simt_inst *inst,                       \
	                                   struct simt_step *step)                                                     \
	{                                                                                                              \
		SOURCE(pa, C, 0);                                                                                      \
		SOURCE(pb, C, 1);                                                                                      \
		SOURCE(pc, C, 2);                                                                                      \
		C product[WARP_SIZE];                                                                                  \
		FOR_LANES                                                                                              \
		product[i] = (U)(((W)(T)pa[i] * (W)(T)pb[i]) >> (shift));                                              \
		uint32_t carry = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 3) : 0;                        \
		carry_##t(warp, inst, product, pc, 0, carry, step->lanes);                                             \
	}
MAD_CARRY(b32, lane32, uint32_t, uint32_t, uint64_t, lo, 0)
MAD_CARRY(b64, lane64, uint64_t, uint64_t, uint128, lo, 0)
MAD_CARRY(b32, lane32, uint32_t, uint32_t, uint64_t, hi_u, 32)
MAD_CARRY(b32, lane32, int32_t, uint32_t, int64_t, hi_s, 32)
MAD_CARRY(b64, lane64, uint64_t, uint64_t, uint128, hi_u, 64)
MAD_CARRY(b64, lane64, int64_t, uint64_t, int128, hi_s, 64)

#define UNTYPED_ROW(f)                                                                                                 \
	{                                                                                                              \
		[PTX_B16] = f##_b16, [PTX_U16] = f##_b16, [PTX_S16] = f##_b16, [PTX_B32] = f##_b32,                    \
		[PTX_U32] = f##_b32, [PTX_S32] = f##_b32, [PTX_B64] = f##_b64, [PTX_U64] = f##_b64,                    \
		[PTX_S64] = f##_b64,                                                                                   \
	}
#define WIDE_UNTYPED_ROW(f)                                                                                            \
	{                                                                                                              \
		[PTX_B32] = f##_b32, [PTX_U32] = f##_b32, [PTX_S32] = f##_b32, [PTX_B64] = f##_b64,                    \
		[PTX_U64] = f##_b64, [PTX_S64] = f##_b64,                                                              \
	}
#define TYPED_ROW(f)                                                                                                   \
	{                                                                                                              \
		[PTX_B16] = f##_u16, [PTX_U16] = f##_u16, [PTX_S16] = f##_s16, [PTX_B32] = f##_u32,                    \
		[PTX_U32] = f##_u32, [PTX_S32] = f##_s32, [PTX_B64] = f##_u64, [PTX_U64] = f##_u64,                    \
		[PTX_S64] = f##_s64,                                                                                   \
	}
#define WIDE_TYPED_ROW(f)                                                                                              \
	{                                                                                                              \
		[PTX_U32] = f##_u32, [PTX_S32] = f##_s32, [PTX_U64] = f##_u64, [PTX_S64] = f##_s64,                    \
	}

typedef simt_exec *const exec_row[PTX_TYPES];

/* By opcode and type; no modifiers. */
static exec_row plain_table[PTX_OPCODES] = {
	[PTX_OP_ADD] = UNTYPED_ROW(add),
	[PTX_OP_SUB] = UNTYPED_ROW(sub),
	[PTX_OP_NEG] = UNTYPED_ROW(neg),
	[PTX_OP_AND] = UNTYPED_ROW(and),
	[PTX_OP_OR] = UNTYPED_ROW(or),
	[PTX_OP_XOR] = UNTYPED_ROW(xor),
	[PTX_OP_NOT] = UNTYPED_ROW(not ),
	[PTX_OP_CNOT] = UNTYPED_ROW(cnot),
	[PTX_OP_SHL] = UNTYPED_ROW(shl),
	[PTX_OP_SHR] = TYPED_ROW(shr),
	[PTX_OP_MIN] = TYPED_ROW(min),
	[PTX_OP_MAX] = TYPED_ROW(max),
	[PTX_OP_SAD] = TYPED_ROW(sad),
	[PTX_OP_DIV] = TYPED_ROW(div),
	[PTX_OP_REM] = TYPED_ROW(rem),
	[PTX_OP_ABS] = {[PTX_S16] = abs_s16, [PTX_S32] = abs_s32, [PTX_S64] = abs_s64},
	[PTX_OP_BREV] = {[PTX_B32] = brev_b32, [PTX_B64] = brev_b64},
	[PTX_OP_POPC] = {[PTX_B32] = popc_b32, [PTX_B64] = popc_b64},
	[PTX_OP_CLZ] = {[PTX_B32] = clz_b32, [PTX_B64] = clz_b64},
	[PTX_OP_BFE] = WIDE_TYPED_ROW(bfe),
	[PTX_OP_BFI] = {[PTX_B32] = bfi_b32, [PTX_B64] = bfi_b64},
	[PTX_OP_FNS] = {[PTX_B32] = fns_b32},
};

/* Pairs of 16 bits. */
static exec_row pair_table[PTX_OPCODES] = {
	[PTX_OP_ADD] = {[PTX_U16X2] = add_x2, [PTX_S16X2] = add_x2},
	[PTX_OP_MIN] = {[PTX_U16X2] = min_u16x2, [PTX_S16X2] = min_s16x2},
	[PTX_OP_MAX] = {[PTX_U16X2] = max_u16x2, [PTX_S16X2] = max_s16x2},
};

static exec_row mul_table[] = {
	[PTX_LO] = UNTYPED_ROW(mul_lo),
	[PTX_HI] = TYPED_ROW(mul_hi),
	[PTX_WIDE] = {[PTX_U16] = mul_wide_u16,
                      [PTX_S16] = mul_wide_s16,
                      [PTX_U32] = mul_wide_u32,
                      [PTX_S32] = mul_wide_s32},
};

static exec_row mad_table[] = {
	[PTX_LO] = UNTYPED_ROW(mad_lo),
	[PTX_HI] = TYPED_ROW(mad_hi),
	[PTX_WIDE] = {[PTX_U16] = mad_wide_u16,
                      [PTX_S16] = mad_wide_s16,
                      [PTX_U32] = mad_wide_u32,
                      [PTX_S32] = mad_wide_s32},
};

static exec_row mul24_table[] = {
	[PTX_LO] = {[PTX_U32] = mul24_lo_u32, [PTX_S32] = mul24_lo_s32},
	[PTX_HI] = {[PTX_U32] = mul24_hi_u32, [PTX_S32] = mul24_hi_s32},
	[PTX_WIDE] = {0},
};

static exec_row mad24_table[] = {
	[PTX_LO] = {[PTX_U32] = mad24_lo_u32, [PTX_S32] = mad24_lo_s32},
	[PTX_HI] = {[PTX_U32] = mad24_hi_u32, [PTX_S32] = mad24_hi_s32},
	[PTX_WIDE] = {0},
};

static exec_row bfind_table[] = {WIDE_TYPED_ROW(bfind), WIDE_TYPED_ROW(bfind_shift)};
static exec_row carry_table[] = {WIDE_UNTYPED_ROW(add_carry), WIDE_UNTYPED_ROW(sub_carry)};
static exec_row mad_carry_table[] = {
	[PTX_LO] = WIDE_UNTYPED_ROW(mad_carry_lo),
	[PTX_HI] = {[PTX_U32] = mad_carry_hi_u_b32,
                    [PTX_S32] = mad_carry_hi_s_b32,
                    [PTX_U64] = mad_carry_hi_u_b64,
                    [PTX_S64] = mad_carry_hi_s_b64},
	[PTX_WIDE] = {0},
};

static simt_exec *find_saturating(const struct ptx_inst *ptx)
{
	if (ptx->type != PTX_S32)
		return NULL;
	switch (ptx->op) {
	case PTX_OP_ADD:
		return add_sat_s32;
	case PTX_OP_SUB:
		return sub_sat_s32;
	case PTX_OP_MAD:
		return ptx->half == PTX_HI ? mad_hi_sat_s32 : NULL;
	case PTX_OP_MAD24:
		return ptx->half == PTX_HI ? mad24_hi_sat_s32 : NULL;
	default:
		return NULL;
	}
}

static simt_exec *find_dot(const struct ptx_inst *ptx)
{
	bool b_signed = ptx->type2 == PTX_NO_TYPE ? ptx->type == PTX_S32 : ptx->type2 == PTX_S32;
	static simt_exec *const dots[][4] = {{dp4a_uu, dp4a_us, dp4a_su, dp4a_ss},
	                                     {dp2a_lo_uu, dp2a_lo_us, dp2a_lo_su, dp2a_lo_ss},
	                                     {dp2a_hi_uu, dp2a_hi_us, dp2a_hi_su, dp2a_hi_ss}};
	unsigned which = ptx->op == PTX_OP_DP4A ? 0 : ptx->half == PTX_LO ? 1 : 2;
	return dots[which][2 * (ptx->type == PTX_S32) + b_signed];
}

simt_exec *ISA(exec_find_int)(const struct exec_query *query)
{
	static simt_exec *const funnel[2][2] = {{shf_r_wrap, shf_r_clamp}, {shf_l_wrap, shf_l_clamp}};
	const struct ptx_inst *ptx = query->ptx;
	enum ptx_type type = query->type;
	enum ptx_half half = ptx->half == PTX_HALF_NONE ? PTX_LO : ptx->half;
	static exec_row relu[2] = {{[PTX_S32] = min_relu_s32, [PTX_S16X2] = min_relu_s16x2},
	                           {[PTX_S32] = max_relu_s32, [PTX_S16X2] = max_relu_s16x2}};
	static exec_row mask[2] = {{[PTX_B32] = bmsk_wrap, [PTX_U32] = szext_wrap_u32, [PTX_S32] = szext_wrap_s32},
	                           {[PTX_B32] = bmsk_clamp, [PTX_U32] = szext_clamp_u32, [PTX_S32] = szext_clamp_s32}};
	if (ptx->sat)
		return find_saturating(ptx);
	if (ptx->relu)
		return relu[ptx->op == PTX_OP_MAX][type];
	if (type == PTX_U16X2 || type == PTX_S16X2)
		return pair_table[ptx->op][type];
	switch (ptx->op) {
	case PTX_OP_LOP3:
		return ptx->destinations == 2 ? lop3_test : lop3_b32;
	case PTX_OP_BMSK:
	case PTX_OP_SZEXT:
		return mask[ptx->clamp][type];
	case PTX_OP_MUL:
		return mul_table[half][type];
	case PTX_OP_MAD:
		return ptx->carry_out ? mad_carry_table[half][type] : mad_table[half][type];
	case PTX_OP_MADC:
		return mad_carry_table[half][type];
	case PTX_OP_MUL24:
		return mul24_table[half][type];
	case PTX_OP_MAD24:
		return mad24_table[half][type];
	case PTX_OP_ADDC:
		return carry_table[0][type];
	case PTX_OP_SUBC:
		return carry_table[1][type];
	case PTX_OP_BFIND:
		return bfind_table[ptx->shiftamt][type];
	case PTX_OP_SHF:
		return type == PTX_B32 ? funnel[ptx->shf_left][ptx->clamp] : NULL;
	case PTX_OP_PRMT:
		return ptx->prmt == PTX_PRMT_NONE ? prmt_b32 : prmt_mode_b32;
	case PTX_OP_DP4A:
	case PTX_OP_DP2A:
		return find_dot(ptx);
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		if (ptx->carry_out)
			return carry_table[ptx->op == PTX_OP_SUB][type];
		return plain_table[ptx->op][type];
	default:
		return plain_table[ptx->op][type];
	}
}
