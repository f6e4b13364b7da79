/* exec_convert: the common conversions and moves. convert.c does all other conversions lane by lane. */
#include "simt/exec.h"

#include <math.h>

LANE_FUNCTION(move_32, lane32, SOURCE(pa, lane32, 0), pa[i])
LANE_FUNCTION(move_64, lane64, SOURCE(pa, lane64, 0), pa[i])

/* Integers: the low bits of a lane, extended as type T to the destination's lane. */
#define EXTEND(t, T)                                                                                                   \
	LANE_FUNCTION(extend_##t##_44, lane32, SOURCE(pa, lane32, 0), (T)pa[i])                                        \
	LANE_FUNCTION(extend_##t##_48, lane64, SOURCE(pa, lane32, 0), (T)pa[i])                                        \
	LANE_FUNCTION(extend_##t##_84, lane32, SOURCE(pa, lane64, 0), (T)pa[i])                                        \
	LANE_FUNCTION(extend_##t##_88, lane64, SOURCE(pa, lane64, 0), (T)pa[i])
EXTEND(u8, uint8_t)
EXTEND(s8, int8_t)
EXTEND(u16, uint16_t)
EXTEND(s16, int16_t)
EXTEND(u32, uint32_t)
EXTEND(s32, int32_t)

/* Integer to floating point, to nearest even. */
#define TO_REAL(t, C, T)                                                                                               \
	LANE_FUNCTION(f32_from_##t, lanef, SOURCE(pa, C, 0), (T)pa[i])                                                 \
	LANE_FUNCTION(f64_from_##t, laned, SOURCE(pa, C, 0), (T)pa[i])
TO_REAL(u8, lane32, uint8_t)
TO_REAL(s8, lane32, int8_t)
TO_REAL(u16, lane32, uint16_t)
TO_REAL(s16, lane32, int16_t)
TO_REAL(u32, lane32, uint32_t)
TO_REAL(s32, lane32, int32_t)
TO_REAL(u64, lane64, uint64_t)
TO_REAL(s64, lane64, int64_t)

/* Floating point to integer, clamped to the range. NaN gives 0, or only the top bit set when one side has 64 bits
 * (PTX). */
#define CLAMPED(name, F, T, U, low, high, lowest, highest, nan)                                                        \
	static inline U name(F x)                                                                                      \
	{                                                                                                              \
		F inside = x >= (low) && x < (high) ? x : 0;                                                           \
		U result = (U)(T)inside;                                                                               \
		result = x >= (high) ? (U)(highest) : result;                                                          \
		result = x < (low) ? (U)(lowest) : result;                                                             \
		return x == x ? result : (U)(nan);                                                                     \
	}
#define TOP32 0x80000000u
#define TOP64 0x8000000000000000u
CLAMPED(s32_of_f32, float, int32_t, uint32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
CLAMPED(u32_of_f32, float, uint32_t, uint32_t, 0.0f, 0x1p32f, 0, UINT32_MAX, 0)
CLAMPED(s64_of_f32, float, int64_t, uint64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, TOP64)
CLAMPED(u64_of_f32, float, uint64_t, uint64_t, 0.0f, 0x1p64f, 0, UINT64_MAX, TOP64)
CLAMPED(s32_of_f64, double, int32_t, uint32_t, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, TOP32)
CLAMPED(u32_of_f64, double, uint32_t, uint32_t, 0.0, 0x1p32, 0, UINT32_MAX, TOP32)
CLAMPED(s64_of_f64, double, int64_t, uint64_t, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, TOP64)
CLAMPED(u64_of_f64, double, uint64_t, uint64_t, 0.0, 0x1p64, 0, UINT64_MAX, TOP64)

#define FROM_REAL(round, f32_round, f64_round)                                                                         \
	LANE_FUNCTION(s32_from_f32_##round, lane32, SOURCE(pa, lanef, 0), s32_of_f32(f32_round(pa[i])))                \
	LANE_FUNCTION(u32_from_f32_##round, lane32, SOURCE(pa, lanef, 0), u32_of_f32(f32_round(pa[i])))                \
	LANE_FUNCTION(s64_from_f32_##round, lane64, SOURCE(pa, lanef, 0), s64_of_f32(f32_round(pa[i])))                \
	LANE_FUNCTION(u64_from_f32_##round, lane64, SOURCE(pa, lanef, 0), u64_of_f32(f32_round(pa[i])))                \
	LANE_FUNCTION(s32_from_f64_##round, lane32, SOURCE(pa, laned, 0), s32_of_f64(f64_round(pa[i])))                \
	LANE_FUNCTION(u32_from_f64_##round, lane32, SOURCE(pa, laned, 0), u32_of_f64(f64_round(pa[i])))                \
	LANE_FUNCTION(s64_from_f64_##round, lane64, SOURCE(pa, laned, 0), s64_of_f64(f64_round(pa[i])))                \
	LANE_FUNCTION(u64_from_f64_##round, lane64, SOURCE(pa, laned, 0), u64_of_f64(f64_round(pa[i])))                \
	LANE_FUNCTION(f32_##round, lanef, SOURCE(pa, lanef, 0), canonical_f32(f32_round(pa[i])))                       \
	LANE_FUNCTION(f64_##round, laned, SOURCE(pa, laned, 0), nan1_f64(f64_round(pa[i]), pa[i]))
FROM_REAL(rni, rintf, rint)
FROM_REAL(rzi, truncf, trunc)
FROM_REAL(rmi, floorf, floor)
FROM_REAL(rpi, ceilf, ceil)

/* A NaN keeps the top bits of its payload and becomes quiet. */
static inline float narrowed(double a)
{
	return a == a ? (float)a : bits_float(narrow_nan(double_bits(a)));
}

static inline double widened(float a)
{
	return a == a ? (double)a : bits_double(wide_nan(float_bits(a)));
}

LANE_FUNCTION(f32_from_f64, lanef, SOURCE(pa, laned, 0), narrowed(pa[i]))
LANE_FUNCTION(f64_from_f32, laned, SOURCE(pa, lanef, 0), widened(pa[i]))

/* An integer conversion without saturation keeps the low bits of the narrower type; that type's sign determines the
 * upper bits. Sets `type` to the type that is extended. Returns false when two extensions would be needed. */
static bool narrower(enum ptx_type to, enum ptx_type from, uint8_t dst_bytes, enum ptx_type *type)
{
	uint32_t to_bytes = ptx_type_bytes(to), from_bytes = ptx_type_bytes(from);
	*type = to_bytes <= from_bytes ? to : from;
	return to_bytes <= from_bytes || !ptx_type_is_signed(from) || ptx_type_is_signed(to) || to_bytes == dst_bytes;
}

#define EXTEND_ROW(t)                                                                                                  \
	{                                                                                                              \
		{extend_##t##_44, extend_##t##_48},                                                                    \
		{                                                                                                      \
			extend_##t##_84, extend_##t##_88                                                               \
		}                                                                                                      \
	}

static simt_exec *find_extend(const struct exec_query *query)
{
	static simt_exec *const table[PTX_TYPES][2][2] = {
		[PTX_U8] = EXTEND_ROW(u8),
		[PTX_S8] = EXTEND_ROW(s8),
		[PTX_U16] = EXTEND_ROW(u16),
		[PTX_S16] = EXTEND_ROW(s16),
		[PTX_U32] = EXTEND_ROW(u32),
		[PTX_S32] = EXTEND_ROW(s32),
		[PTX_U64] = {{0}, {move_32, move_64}},
		[PTX_S64] = {{0}, {move_32, move_64}},
	};
	enum ptx_type type;
	if (!narrower(query->type, query->type2, query->dst_bytes, &type))
		return NULL;
	return table[type][query->src_bytes == 8][query->dst_bytes == 8];
}

#define TO_ROW(t)                                                                                                      \
	{                                                                                                              \
		f32_from_##t, f64_from_##t                                                                             \
	}
#define FROM_ROW(round)                                                                                                \
	{                                                                                                              \
		[PTX_S32] = {s32_from_f32_##round, s32_from_f64_##round},                                              \
		[PTX_U32] = {u32_from_f32_##round, u32_from_f64_##round},                                              \
		[PTX_S64] = {s64_from_f32_##round, s64_from_f64_##round},                                              \
		[PTX_U64] = {u64_from_f32_##round, u64_from_f64_##round}, [PTX_F32] = {f32_##round, NULL},             \
		[PTX_F64] = {NULL, f64_##round},                                                                       \
	}

/* Returns NULL for conversions that convert.c does. */
simt_exec *ISA(exec_find_convert)(const struct exec_query *query)
{
	static simt_exec *const to_real[PTX_TYPES][2] = {
		[PTX_U8] = TO_ROW(u8),   [PTX_S8] = TO_ROW(s8),   [PTX_U16] = TO_ROW(u16), [PTX_S16] = TO_ROW(s16),
		[PTX_U32] = TO_ROW(u32), [PTX_S32] = TO_ROW(s32), [PTX_U64] = TO_ROW(u64), [PTX_S64] = TO_ROW(s64),
	};
	static simt_exec *const from_real[][PTX_TYPES][2] = {
		[PTX_RNI] = FROM_ROW(rni),
		[PTX_RZI] = FROM_ROW(rzi),
		[PTX_RMI] = FROM_ROW(rmi),
		[PTX_RPI] = FROM_ROW(rpi),
	};
	const struct ptx_inst *ptx = query->ptx;
	enum ptx_type to = query->type, from = query->type2;
	bool from_f32 = from == PTX_F32, from_f64 = from == PTX_F64;
	bool to_f32 = to == PTX_F32, to_f64 = to == PTX_F64;
	bool is_small = (to >= PTX_F16 && to <= PTX_TF32) || (from >= PTX_F16 && from <= PTX_TF32);
	if (ptx->ftz || ptx->sat || is_small)
		return NULL;
	if (from_f32 || from_f64) {
		bool same = query->dst_bytes == ptx_type_bytes(to) && query->src_bytes == ptx_type_bytes(from);
		if (!same)
			return NULL;
		if (ptx->round >= PTX_RNI && ptx->round <= PTX_RPI)
			return from_real[ptx->round][to][from_f64];
		if (from_f32 && to_f64)
			return f64_from_f32;
		if (to == from)
			return to_f64 ? move_64 : move_32;
		return from_f64 && to_f32 && ptx->round <= PTX_RN ? f32_from_f64 : NULL;
	}
	if (to_f32 || to_f64) {
		uint8_t lane = ptx_type_bytes(from) == 8 ? 8 : 4;
		return ptx->round <= PTX_RN && query->src_bytes == lane ? to_real[from][to_f64] : NULL;
	}
	return find_extend(query);
}

simt_exec *ISA(exec_find_move)(const struct exec_query *query)
{
	return query->dst_bytes == 8 ? move_64 : move_32;
}
