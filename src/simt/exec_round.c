/* exec_round: arithmetic with directed rounding, and the conversions that exec_convert.c does not handle, lane by
 * lane. */
#include "simt/convert.h"
#include "simt/exec.h"

#include <fenv.h>
#include <math.h>

#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#endif

/* Volatile operands prevent the compiler from moving the operation out of the section between the two changes of
 * the rounding mode. */
#define ARITHMETIC(T, t, fma_function, sqrt_function)                                                                  \
	static T arithmetic_##t(enum ptx_opcode op, T in_a, T in_b, T in_c)                                            \
	{                                                                                                              \
		volatile T a = in_a, b = in_b, c = in_c;                                                               \
		volatile T result = 0;                                                                                 \
		switch (op) {                                                                                          \
		case PTX_OP_ADD:                                                                                       \
			result = a + b;                                                                                \
			break;                                                                                         \
		case PTX_OP_SUB:                                                                                       \
			result = a - b;                                                                                \
			break;                                                                                         \
		case PTX_OP_MUL:                                                                                       \
			result = a * b;                                                                                \
			break;                                                                                         \
		case PTX_OP_DIV:                                                                                       \
			result = a / b;                                                                                \
			break;                                                                                         \
		case PTX_OP_RCP:                                                                                       \
			result = (T)1 / a;                                                                             \
			break;                                                                                         \
		case PTX_OP_SQRT:                                                                                      \
			result = sqrt_function(a);                                                                     \
			break;                                                                                         \
		default:                                                                                               \
			result = fma_function(a, b, c);                                                                \
			break;                                                                                         \
		}                                                                                                      \
		return result;                                                                                         \
	}
ARITHMETIC(float, f32, fmaf, sqrtf)
ARITHMETIC(double, f64, fma, sqrt)

static float finish_f32(float value, const struct simt_inst *inst)
{
	value = flush_f32(canonical_f32(value), ftz_keep(inst));
	if (!(inst->immediate & EXEC_SAT))
		return value;
	return value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Operations with one source have it in all three. */
static double finish_f64(enum ptx_opcode op, double value, double a, double b, double c)
{
	if (op == PTX_OP_FMA || op == PTX_OP_MAD)
		return nan3_f64(value, b, c, a);
	return op == PTX_OP_DIV ? nan2_f64(value, a, b) : nan2_f64(value, b, a);
}

#define ROUNDED(t, T, B, lane, finish)                                                                                 \
	static void round_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)            \
	{                                                                                                              \
		const lane *p[3];                                                                                      \
		unsigned sources = inst->ptx->operands - 1u;                                                           \
		for (unsigned k = 0; k < 3; k++)                                                                       \
			p[k] = source(warp, inst, k < sources ? k : 0);                                                \
		lane *d = destination(warp, inst, 0);                                                                  \
		uint32_t keep = ftz_keep(inst);                                                                        \
		(void)keep;                                                                                            \
		int old = round_set(inst->ptx->round);                                                                 \
		for (unsigned i = 0; i < WARP_SIZE; i++) {                                                             \
			if (!(step->lanes >> i & 1))                                                                   \
				continue;                                                                              \
			T r = arithmetic_##t(inst->ptx->op, B(p[0][i]), B(p[1][i]), B(p[2][i]));                       \
			d[i] = finish;                                                                                 \
		}                                                                                                      \
		fesetround(old);                                                                                       \
	}
#define FLUSHED(x) flush_f32(x, keep)
#define PLAIN(x)   (x)
ROUNDED(f32, float, FLUSHED, lanef, finish_f32(r, inst))
ROUNDED(f64, double, PLAIN, laned, finish_f64(inst->ptx->op, r, p[0][i], p[1][i], p[2][i]))

/* A pair of single-precision numbers in 64 bits. */
static void round_f32x2(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unsigned sources = inst->ptx->operands - 1u;
	uint32_t keep = ftz_keep(inst);
	lane64 *d = destination(warp, inst, 0);
	int old = round_set(inst->ptx->round);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		uint64_t result = 0;
		for (unsigned shift = 0; shift < 64; shift += 32) {
			float value[3];
			for (unsigned k = 0; k < 3; k++) {
				const lane64 *p = source(warp, inst, k < sources ? k : 0);
				value[k] = FLUSHED(bits_float((uint32_t)(p[i] >> shift)));
			}
			float r = arithmetic_f32(inst->ptx->op, value[0], value[1], value[2]);
			result |= (uint64_t)float_bits(finish_f32(r, inst)) << shift;
		}
		d[i] = result;
	}
	fesetround(old);
}

/* Sums and products with two types: all sources except the last are halves, which single precision represents
 * exactly. */
static void round_mixed(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct ptx_inst *ptx = inst->ptx;
	unsigned last = ptx->operands - 2u;
	lane32 *d = destination(warp, inst, 0);
	int old = round_set(ptx->round);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		float value[3] = {0};
		for (unsigned k = 0; k <= last; k++) {
			uint32_t bits = ((const lane32 *)source(warp, inst, k))[i];
			value[k] = k == last ? bits_float(bits) : (float)small_value(ptx->type2, bits & UINT16_MAX);
		}
		d[i] = float_bits(finish_f32(arithmetic_f32(ptx->op, value[0], value[1], value[2]), inst));
	}
	fesetround(old);
}

#define CONVERT(name, D, S)                                                                                            \
	static void name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)                 \
	{                                                                                                              \
		SOURCE(pa, S, 0);                                                                                      \
		D *d = destination(warp, inst, 0);                                                                     \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			if (step->lanes >> i & 1)                                                                      \
				d[i] = (D)convert_lane(inst->ptx, pa[i]);                                              \
	}
CONVERT(convert_44, lane32, lane32)
CONVERT(convert_48, lane64, lane32)
CONVERT(convert_84, lane32, lane64)
CONVERT(convert_88, lane64, lane64)

/* Converts two numbers into the two parts of one register, the first into the upper part; or converts a pair to a
 * pair. */
static void convert_pair(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct ptx_inst *ptx = inst->ptx;
	bool is_pair = ptx->operands == 2;
	unsigned width = small_bits(ptx->type), shift = is_pair ? small_bits(ptx->type2) : 0;
	SOURCE(upper, lane32, 0);
	SOURCE(lower, lane32, is_pair ? 0 : 1);
	lane32 *d = destination(warp, inst, 0);
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (step->lanes >> i & 1)
			d[i] = (lane32)convert_lane(ptx, upper[i] >> shift) << width |
			       ((lane32)convert_lane(ptx, lower[i]) & ((1u << width) - 1));
}

simt_exec *exec_find_round(const struct exec_query *query)
{
	static simt_exec *const convert[2][2] = {{convert_44, convert_48}, {convert_84, convert_88}};
	switch (query->ptx->op) {
	case PTX_OP_CVT:
		if (query->type == PTX_F16X2 || query->type == PTX_BF16X2 ||
		    (query->type >= PTX_E4M3X2 && query->type <= PTX_E2M1X2))
			return convert_pair;
		return convert[query->src_bytes == 8][query->dst_bytes == 8];
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
	case PTX_OP_MAD:
	case PTX_OP_FMA:
	case PTX_OP_DIV:
	case PTX_OP_RCP:
	case PTX_OP_SQRT:
		return query->type2 != PTX_NO_TYPE ? round_mixed
		       : query->type == PTX_F32X2  ? round_f32x2
		       : query->type == PTX_F32    ? round_f32
		                                   : round_f64;
	default:
		return NULL;
	}
}
