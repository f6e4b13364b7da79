/* exec_compare: comparison and selection. */
#include "simt/exec.h"

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

/* Bit i is the sign of lane i. */
static inline uint32_t sign_mask(const int32_t *row)
{
	uint32_t mask = 0;
#if defined(__AVX512DQ__)
	for (unsigned i = 0; i < WARP_SIZE; i += 16)
		mask |= (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(row + i)) << i;
#elif defined(__AVX2__)
	for (unsigned i = 0; i < WARP_SIZE; i += 8)
		mask |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_load_si256((const void *)(row + i))))
		        << i;
#elif defined(__SSE2__)
	for (unsigned i = 0; i < WARP_SIZE; i += 4)
		mask |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_load_si128((const void *)(row + i)))) << i;
#else
	for (unsigned i = 0; i < WARP_SIZE; i++)
		mask |= (uint32_t)row[i] >> 31 << i;
#endif
	return mask;
}

/* setp: p = (a op b) bool c, and the second destination !(a op b) bool c. */
static inline void write_setp(struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes, uint32_t mask)
{
	uint32_t inverse = ~mask;
	if (UNLIKELY(inst->immediate & (EXEC_THIRD | EXEC_SECOND))) {
		uint32_t with = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 2) : 0;
		mask = combine_pred(inst->immediate, mask, with);
		if (inst->immediate & EXEC_SECOND)
			write_pred(warp, inst, 1, combine_pred(inst->immediate, inverse, with), lanes);
	}
	write_pred(warp, inst, 0, mask, lanes);
}

/* set: all ones, or 1.0 into an f32. */
static void write_set(struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes, uint32_t mask)
{
	uint32_t with = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 2) : 0;
	uint32_t row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN)));
	uint32_t holds = inst->ptx->type == PTX_F32 ? float_bits(1.0f) : UINT32_MAX;
	mask = combine_pred(inst->immediate, mask, with);
	FOR_LANES
	row[i] = mask & lane_bit[i] ? holds : 0;
	blend32(destination(warp, inst, 0), row, lanes);
}

/* Defines a comparison of two rows, and the two instructions that use it. `load` converts a lane to a value of type
 * T. */
#define COMPARE(cmp, t, C, T, load, holds)                                                                             \
	static inline uint32_t mask_##cmp##_##t(const struct simt_warp *warp, const struct simt_inst *inst)            \
	{                                                                                                              \
		SOURCE(pa, C, 0);                                                                                      \
		SOURCE(pb, C, 1);                                                                                      \
		int32_t row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN)));                                           \
		FOR_LANES                                                                                              \
		{                                                                                                      \
			T a = load(pa[i]);                                                                             \
			T b = load(pb[i]);                                                                             \
			row[i] = (holds) ? -1 : 0;                                                                     \
		}                                                                                                      \
		return sign_mask(row);                                                                                 \
	}                                                                                                              \
	static void setp_##cmp##_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)     \
	{                                                                                                              \
		write_setp(warp, inst, step->lanes, mask_##cmp##_##t(warp, inst));                                     \
	}                                                                                                              \
	static void set_##cmp##_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)      \
	{                                                                                                              \
		write_set(warp, inst, step->lanes, mask_##cmp##_##t(warp, inst));                                      \
	}

#define PLAIN(x) (x)
#define FLUSH(x) flush_f32(x, 0)

#define COMPARE_ORDERED(t, C, T, load)                                                                                 \
	COMPARE(eq, t, C, T, load, a == b)                                                                             \
	COMPARE(lt, t, C, T, load, a < b)                                                                              \
	COMPARE(le, t, C, T, load, a <= b)                                                                             \
	COMPARE(gt, t, C, T, load, a > b)                                                                              \
	COMPARE(ge, t, C, T, load, a >= b)
#define COMPARE_INT(t, C, T, load)                                                                                     \
	COMPARE_ORDERED(t, C, T, load)                                                                                 \
	COMPARE(ne, t, C, T, load, a != b)
#define COMPARE_REAL(t, C, T, load)                                                                                    \
	COMPARE_ORDERED(t, C, T, load)                                                                                 \
	COMPARE(ne, t, C, T, load, a<b || a> b)                                                                        \
	COMPARE(equ, t, C, T, load, !(a < b || a > b))                                                                 \
	COMPARE(neu, t, C, T, load, a != b)                                                                            \
	COMPARE(ltu, t, C, T, load, !(a >= b))                                                                         \
	COMPARE(leu, t, C, T, load, !(a > b))                                                                          \
	COMPARE(gtu, t, C, T, load, !(a <= b))                                                                         \
	COMPARE(geu, t, C, T, load, !(a < b))                                                                          \
	COMPARE(num, t, C, T, load, a == a && b == b)                                                                  \
	COMPARE(nan, t, C, T, load, a != a || b != b)
COMPARE_INT(u16, lane32, uint16_t, (uint16_t))
COMPARE_INT(s16, lane32, int16_t, (int16_t))
COMPARE_INT(u32, lane32, uint32_t, (uint32_t))
COMPARE_INT(s32, lane32, int32_t, (int32_t))
COMPARE_INT(u64, lane64, uint64_t, (uint64_t))
COMPARE_INT(s64, lane64, int64_t, (int64_t))
COMPARE_REAL(f32, lanef, float, PLAIN)
COMPARE_REAL(ftz, lanef, float, FLUSH)
COMPARE_REAL(f64, laned, double, PLAIN)

#define INT_CMP(f, t)                                                                                                  \
	{                                                                                                              \
		[PTX_EQ] = f##_eq_##t, [PTX_NE] = f##_ne_##t, [PTX_LT] = f##_lt_##t, [PTX_LE] = f##_le_##t,            \
		[PTX_GT] = f##_gt_##t, [PTX_GE] = f##_ge_##t,                                                          \
	}
#define UNSIGNED_CMP(f, t)                                                                                             \
	{                                                                                                              \
		[PTX_EQ] = f##_eq_##t, [PTX_NE] = f##_ne_##t, [PTX_LT] = f##_lt_##t, [PTX_LE] = f##_le_##t,            \
		[PTX_GT] = f##_gt_##t, [PTX_GE] = f##_ge_##t, [PTX_CMP_LO] = f##_lt_##t, [PTX_CMP_LS] = f##_le_##t,    \
		[PTX_CMP_HI] = f##_gt_##t, [PTX_CMP_HS] = f##_ge_##t,                                                  \
	}
#define REAL_CMP(f, t)                                                                                                 \
	{                                                                                                              \
		[PTX_EQ] = f##_eq_##t, [PTX_NE] = f##_ne_##t, [PTX_LT] = f##_lt_##t, [PTX_LE] = f##_le_##t,            \
		[PTX_GT] = f##_gt_##t, [PTX_GE] = f##_ge_##t, [PTX_EQU] = f##_equ_##t, [PTX_NEU] = f##_neu_##t,        \
		[PTX_LTU] = f##_ltu_##t, [PTX_LEU] = f##_leu_##t, [PTX_GTU] = f##_gtu_##t, [PTX_GEU] = f##_geu_##t,    \
		[PTX_NUM] = f##_num_##t, [PTX_NAN] = f##_nan_##t,                                                      \
	}
enum { COMPARISONS = PTX_NAN + 1 };
/* The row after the last type is that of .ftz.f32. */
#define TABLE(f)                                                                                                       \
	{                                                                                                              \
		[PTX_B16] = UNSIGNED_CMP(f, u16), [PTX_U16] = UNSIGNED_CMP(f, u16), [PTX_S16] = INT_CMP(f, s16),       \
		[PTX_B32] = UNSIGNED_CMP(f, u32), [PTX_U32] = UNSIGNED_CMP(f, u32), [PTX_S32] = INT_CMP(f, s32),       \
		[PTX_B64] = UNSIGNED_CMP(f, u64), [PTX_U64] = UNSIGNED_CMP(f, u64), [PTX_S64] = INT_CMP(f, s64),       \
		[PTX_F32] = REAL_CMP(f, f32), [PTX_F64] = REAL_CMP(f, f64), [PTX_TYPES] = REAL_CMP(f, ftz),            \
	}

/* selp */
#define SELECT(t, C)                                                                                                   \
	LANE_FUNCTION(selp_##t, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1);                                                 \
	              uint32_t mask = source_pred(warp, inst, 2), mask & lane_bit[i] ? pa[i] : pb[i])
SELECT(32, lane32)
SELECT(64, lane64)

/* slct: a where c >= 0, else b. NaN selects b, -0 selects a. */
#define SLCT(t, C)                                                                                                     \
	LANE_FUNCTION(slct_s32_##t, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1);                                             \
	              SOURCE(pc, lane32, 2), (int32_t)pc[i] >= 0 ? pa[i] : pb[i])                                      \
	LANE_FUNCTION(slct_f32_##t, C, SOURCE(pa, C, 0); SOURCE(pb, C, 1); SOURCE(pc, lanef, 2);                       \
	              uint32_t keep = ftz_keep(inst), flush_f32(pc[i], keep) >= 0 ? pa[i] : pb[i])
SLCT(32, lane32)
SLCT(64, lane64)

/* testp, by exponent and mantissa. */
static inline bool test_class(enum ptx_testp test, bool exponent_zero, bool exponent_ones, bool mantissa_zero)
{
	switch (test) {
	case PTX_FINITE:
		return !exponent_ones;
	case PTX_INFINITE:
		return exponent_ones && mantissa_zero;
	case PTX_NUMBER:
		return !exponent_ones || mantissa_zero;
	case PTX_NOTANUMBER:
		return exponent_ones && !mantissa_zero;
	case PTX_NORMAL: /* zero counts as normal too (PTX) */
		return !exponent_ones && (!exponent_zero || mantissa_zero);
	case PTX_SUBNORMAL:
		return exponent_zero && !mantissa_zero;
	default:
		return false;
	}
}

#define TESTP(t, C, exponent, mantissa)                                                                                \
	static void testp_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)            \
	{                                                                                                              \
		SOURCE(pa, C, 0);                                                                                      \
		uint32_t mask = 0;                                                                                     \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			mask |= (uint32_t)test_class(inst->ptx->testp, (pa[i] & (exponent)) == 0,                      \
			                             (pa[i] & (exponent)) == (exponent), (pa[i] & (mantissa)) == 0)    \
			        << i;                                                                                  \
		write_pred(warp, inst, 0, mask, step->lanes);                                                          \
	}
TESTP(f32, lane32, 0x7f800000u, 0x007fffffu)
TESTP(f64, lane64, 0x7ff0000000000000u, 0x000fffffffffffffu)

simt_exec *ISA(exec_find_compare)(const struct exec_query *query)
{
	static simt_exec *const setp[PTX_TYPES + 1][COMPARISONS] = TABLE(setp);
	static simt_exec *const set[PTX_TYPES + 1][COMPARISONS] = TABLE(set);
	const struct ptx_inst *ptx = query->ptx;
	bool wide = ptx_type_bytes(query->type) == 8;
	bool by_f32 = query->type2 == PTX_F32;
	switch (ptx->op) {
	case PTX_OP_SETP:
		return setp[query->type == PTX_F32 && ptx->ftz ? PTX_TYPES : query->type][ptx->cmp];
	case PTX_OP_SET:
		if (query->type != PTX_U32 && query->type != PTX_S32 && query->type != PTX_F32)
			return NULL;
		return set[query->type2 == PTX_F32 && ptx->ftz ? PTX_TYPES : query->type2][ptx->cmp];
	case PTX_OP_SELP:
		return wide ? selp_64 : selp_32;
	case PTX_OP_SLCT:
		return wide ? (by_f32 ? slct_f32_64 : slct_s32_64) : (by_f32 ? slct_f32_32 : slct_s32_32);
	case PTX_OP_TESTP:
		return query->type == PTX_F64 ? testp_f64 : query->type == PTX_F32 ? testp_f32 : NULL;
	default:
		return NULL;
	}
}
