/* exec_atomic: atomics, lane after lane. They run at once on shared memory and at commit on global memory. `red` is
 * `atom` without a destination. */
#include "simt/access.h"
#include "simt/convert.h"

typedef uint16_t __attribute__((may_alias)) mem_u16;
typedef uint32_t __attribute__((may_alias)) mem_u32;
typedef uint64_t __attribute__((may_alias)) mem_u64;

/* Builds an instruction from apply_name(). Lanes that access global memory wait for the commit. */
#define ATOMIC_STEPS(name)                                                                                             \
	static void atomic_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)        \
	{                                                                                                              \
		struct reach reach;                                                                                    \
		if (UNLIKELY(!access_reach(warp, inst, step, &reach)))                                                 \
			return;                                                                                        \
		uint32_t later = global_lanes(step);                                                                   \
		step->commits = later != 0;                                                                            \
		apply_##name(warp, inst, reach.base, reach.where, step->lanes & ~later, false);                        \
	}                                                                                                              \
	static void commit_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)        \
	{                                                                                                              \
		struct reach reach;                                                                                    \
		access_again(warp, step, &reach);                                                                      \
		apply_##name(warp, inst, reach.base, reach.where, global_lanes(step), true);                           \
	}

/* Defines an execution function and its commit. `value`: the value stored, from `old`, `b`, (cas) `c`, and
 * `is_global`: the memory. */
#define ATOMIC(name, C, M, value)                                                                                      \
	static void apply_##name(struct simt_warp *warp, const struct simt_inst *inst, uintptr_t base,                 \
	                         const uint64_t *where, uint32_t lanes, bool is_global)                                \
	{                                                                                                              \
		SOURCE(pb, C, 1);                                                                                      \
		SOURCE(pc, C, 2);                                                                                      \
		C *d = inst->dst[0] == SIMT_NO_REGISTER ? NULL : destination(warp, inst, 0);                           \
		(void)pc;                                                                                              \
		(void)is_global;                                                                                       \
		for (; lanes; lanes &= lanes - 1) {                                                                    \
			unsigned i = (unsigned)__builtin_ctz(lanes);                                                   \
			M *place = (M *)(base + where[i]);                                                             \
			M old = *place, b = (M)pb[i];                                                                  \
			*place = (M)(value);                                                                           \
			if (d)                                                                                         \
				d[i] = old;                                                                            \
		}                                                                                                      \
	}                                                                                                              \
	ATOMIC_STEPS(name)

#define ATOMIC_BITS(bits, C, M, S)                                                                                     \
	ATOMIC(add_##bits, C, M, old + b)                                                                              \
	ATOMIC(and_##bits, C, M, old &b)                                                                               \
	ATOMIC(or_##bits, C, M, old | b)                                                                               \
	ATOMIC(xor_##bits, C, M, old ^ b)                                                                              \
	ATOMIC(exch_##bits, C, M, b)                                                                                   \
	ATOMIC(cas_##bits, C, M, old == b ? (M)pc[i] : old)                                                            \
	ATOMIC(umin_##bits, C, M, old < b ? old : b)                                                                   \
	ATOMIC(umax_##bits, C, M, old > b ? old : b)                                                                   \
	ATOMIC(smin_##bits, C, M, (S)old < (S)b ? old : b)                                                             \
	ATOMIC(smax_##bits, C, M, (S)old > (S)b ? old : b)
ATOMIC_BITS(32, lane32, mem_u32, int32_t)
ATOMIC_BITS(64, lane64, mem_u64, int64_t)
ATOMIC(inc_32, lane32, mem_u32, old >= b ? 0 : old + 1)
ATOMIC(dec_32, lane32, mem_u32, old == 0 || old > b ? b : old - 1)
ATOMIC(exch_16, lane32, mem_u16, b)
ATOMIC(cas_16, lane32, mem_u16, old == b ? (mem_u16)pc[i] : old)

/* 128 bits: a register is two rows, its lower half first. */
static void apply_wide(struct simt_warp *warp, const struct simt_inst *inst, uintptr_t base, const uint64_t *where,
                       uint32_t lanes, bool is_global)
{
	(void)is_global;
	bool compares = inst->ptx->atomic == PTX_ATOM_CAS;
	const lane64 *b[2], *to[2];
	for (unsigned k = 0; k < 2; k++) {
		b[k] = source(warp, inst, 1 + k);
		to[k] = source(warp, inst, (compares ? 3 : 1) + k);
	}
	for (; lanes; lanes &= lanes - 1) {
		unsigned i = (unsigned)__builtin_ctz(lanes);
		mem_u64 *place = (mem_u64 *)(base + where[i]);
		const uint64_t old[2] = {place[0], place[1]}, new[2] = {to[0][i], to[1][i]};
		bool stores = !compares || (old[0] == b[0][i] && old[1] == b[1][i]);
		for (unsigned k = 0; k < 2; k++) {
			place[k] = stores ? new[k] : old[k];
			if (inst->dst[k] != SIMT_NO_REGISTER)
				((lane64 *)destination(warp, inst, k))[i] = old[k];
		}
	}
}
ATOMIC_STEPS(wide)

/* Additions on global memory flush subnormal numbers of single precision; on shared memory they do not (PTX). */
static uint32_t add_single(uint32_t old, uint32_t b, bool is_global)
{
	uint32_t keep = is_global ? 0 : UINT32_MAX;
	float sum = canonical_f32(flush_f32(bits_float(old), keep) + flush_f32(bits_float(b), keep));
	return float_bits(flush_f32(sum, keep));
}

/* In global memory an H100 leaves a NaN operand as it is, and `b` counts before the old value. */
static uint64_t add_double(uint64_t old, uint64_t b, bool is_global)
{
	double x = bits_double(old), y = bits_double(b);
	if (is_global && (x != x || y != y))
		return y != y ? b : old;
	return double_bits(sum_f64(y, x));
}

static uint16_t add_half(enum ptx_type type, uint16_t a, uint16_t b)
{
	return (uint16_t)small_round(type, small_value(type, a) + small_value(type, b), PTX_RN);
}

static uint32_t add_pair(enum ptx_type type, uint32_t a, uint32_t b)
{
	uint32_t upper = add_half(type, (uint16_t)(a >> 16), (uint16_t)(b >> 16));
	return upper << 16 | add_half(type, (uint16_t)a, (uint16_t)b);
}

/* Returns the minimum or maximum. It is NaN only when both are. +0 is greater than -0. */
static uint16_t extreme_half(enum ptx_type type, uint16_t a, uint16_t b, bool least)
{
	double x = small_value(type, a), y = small_value(type, b);
	if (x != x || y != y)
		return x == x ? a : y == y ? b : 0x7fff;
	bool less = x < y || (x == y && a >> 15);
	return less == least ? a : b;
}

static uint32_t extreme_pair(enum ptx_type type, uint32_t a, uint32_t b, bool least)
{
	uint32_t upper = extreme_half(type, (uint16_t)(a >> 16), (uint16_t)(b >> 16), least);
	return upper << 16 | extreme_half(type, (uint16_t)a, (uint16_t)b, least);
}

ATOMIC(min_f16, lane32, mem_u16, extreme_half(PTX_F16, old, b, true))
ATOMIC(max_f16, lane32, mem_u16, extreme_half(PTX_F16, old, b, false))
ATOMIC(min_bf16, lane32, mem_u16, extreme_half(PTX_BF16, old, b, true))
ATOMIC(max_bf16, lane32, mem_u16, extreme_half(PTX_BF16, old, b, false))
ATOMIC(min_f16x2, lane32, mem_u32, extreme_pair(PTX_F16, old, b, true))
ATOMIC(max_f16x2, lane32, mem_u32, extreme_pair(PTX_F16, old, b, false))
ATOMIC(min_bf16x2, lane32, mem_u32, extreme_pair(PTX_BF16, old, b, true))
ATOMIC(max_bf16x2, lane32, mem_u32, extreme_pair(PTX_BF16, old, b, false))
ATOMIC(add_f32, lane32, mem_u32, add_single(old, b, is_global))
ATOMIC(add_f64, lane64, mem_u64, add_double(old, b, is_global))
ATOMIC(add_f16, lane32, mem_u16, add_half(PTX_F16, old, b))
ATOMIC(add_bf16, lane32, mem_u16, add_half(PTX_BF16, old, b))
ATOMIC(add_f16x2, lane32, mem_u32, add_pair(PTX_F16, old, b))
ATOMIC(add_bf16x2, lane32, mem_u32, add_pair(PTX_BF16, old, b))

struct atomic_pair {
	simt_exec *exec, *commit;
};

simt_exec *exec_find_atomic(const struct exec_query *query, simt_exec **commit)
{
#define PAIR(name)                                                                                                     \
	{                                                                                                              \
		atomic_##name, commit_##name                                                                           \
	}
#define BITS_ROW(bits)                                                                                                 \
	{                                                                                                              \
		[PTX_ATOM_ADD] = PAIR(add_##bits), [PTX_ATOM_AND] = PAIR(and_##bits), [PTX_ATOM_OR] = PAIR(or_##bits), \
		[PTX_ATOM_XOR] = PAIR(xor_##bits), [PTX_ATOM_EXCH] = PAIR(exch_##bits),                                \
		[PTX_ATOM_CAS] = PAIR(cas_##bits), [PTX_ATOM_MIN] = PAIR(umin_##bits),                                 \
		[PTX_ATOM_MAX] = PAIR(umax_##bits),                                                                    \
	}
	static const struct atomic_pair bits_16[PTX_ATOM_CAS + 1] = {
		[PTX_ATOM_EXCH] = PAIR(exch_16), [PTX_ATOM_CAS] = PAIR(cas_16)};
	static const struct atomic_pair bits_32[PTX_ATOM_CAS + 1] = BITS_ROW(32);
	static const struct atomic_pair bits_64[PTX_ATOM_CAS + 1] = BITS_ROW(64);
	static const struct atomic_pair least[2] = {PAIR(smin_32), PAIR(smin_64)};
	static const struct atomic_pair most[2] = {PAIR(smax_32), PAIR(smax_64)};
	static const struct atomic_pair add[PTX_TYPES] = {
		[PTX_F32] = PAIR(add_f32),   [PTX_F64] = PAIR(add_f64),     [PTX_F16] = PAIR(add_f16),
		[PTX_BF16] = PAIR(add_bf16), [PTX_F16X2] = PAIR(add_f16x2), [PTX_BF16X2] = PAIR(add_bf16x2),
	};
	static const struct atomic_pair extreme[2][PTX_TYPES] = {
		{[PTX_F16] = PAIR(min_f16),
	         [PTX_BF16] = PAIR(min_bf16),
	         [PTX_F16X2] = PAIR(min_f16x2),
	         [PTX_BF16X2] = PAIR(min_bf16x2)},
		{[PTX_F16] = PAIR(max_f16),
	         [PTX_BF16] = PAIR(max_bf16),
	         [PTX_F16X2] = PAIR(max_f16x2),
	         [PTX_BF16X2] = PAIR(max_bf16x2)},
	};
	static const struct atomic_pair count[2] = {PAIR(inc_32), PAIR(dec_32)}, of_128 = PAIR(wide);
	enum ptx_atomic atomic = query->ptx->atomic;
	uint32_t bytes = ptx_type_bytes(query->type);
	bool wide = bytes == 8, is_float = ptx_type_is_float(query->type), is_signed = ptx_type_is_signed(query->type);
	const struct atomic_pair *pair = NULL;
	if (bytes == 16)
		pair = &of_128;
	else if (is_float && atomic == PTX_ATOM_ADD)
		pair = &add[query->type];
	else if (is_float)
		pair = &extreme[atomic == PTX_ATOM_MAX][query->type];
	else if (bytes == 2)
		pair = &bits_16[atomic];
	else if (atomic == PTX_ATOM_INC || atomic == PTX_ATOM_DEC)
		pair = wide ? NULL : &count[atomic == PTX_ATOM_DEC];
	else if (is_signed && atomic == PTX_ATOM_MIN)
		pair = &least[wide];
	else if (is_signed && atomic == PTX_ATOM_MAX)
		pair = &most[wide];
	else
		pair = wide ? &bits_64[atomic] : &bits_32[atomic];
	if (!pair)
		return NULL;
	*commit = pair->commit;
	return pair->exec;
}
