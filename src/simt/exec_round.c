/* Arithmetic with directed rounding, half precision, and the conversions that exec_convert.c leaves: lane by lane. */
#include "simt/convert.h"
#include "simt/exec.h"

#include <fenv.h>
#include <math.h>

#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#endif

/* Volatile operands keep the operation between the two changes of the rounding mode. */
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

static float unit_f32(float value)
{
	return value > 0 ? (value < 1 ? value : 1) : 0;
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
ROUNDED(f32, float, FLUSHED, lanef,
        inst->immediate &EXEC_SAT ? unit_f32(canonical_f32(r)) : flush_f32(canonical_f32(r), keep))
ROUNDED(f64, double, PLAIN, laned, canonical_f64(r))

/* Half precision. Every operation's double result, rounded once more, is the right one: a sum, product, quotient or
 * root has more than twice the bits, and a fused result that double cannot hold is never near a tie. */
static double half_arithmetic(enum ptx_opcode op, double a, double b, double c)
{
	switch (op) {
	case PTX_OP_ABS:
		return fabs(a);
	case PTX_OP_NEG:
		return -a;
	case PTX_OP_MIN:
		return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
	case PTX_OP_MAX:
		return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && signbit(b)) ? a : b;
	case PTX_OP_EX2:
		return exp2(a);
	case PTX_OP_TANH:
		return tanh(a);
	case PTX_OP_MAD:
		return fma(a, b, c);
	default:
		return arithmetic_f64(op, a, b, c);
	}
}

static double half_flush(double value, bool ftz)
{
	return ftz && fabs(value) < 0x1p-14 ? copysign(0, value) : value;
}

static void half(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const lane32 *p[3];
	unsigned sources = inst->ptx->operands - 1u;
	for (unsigned k = 0; k < 3; k++)
		p[k] = source(warp, inst, k < sources ? k : 0);
	lane32 *d = destination(warp, inst, 0);
	bool ftz = inst->immediate & EXEC_FTZ;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		if (!(step->lanes >> i & 1))
			continue;
		double value[3];
		for (unsigned k = 0; k < 3; k++)
			value[k] = half_flush(half_value((uint16_t)p[k][i]), ftz);
		double result = half_arithmetic(inst->ptx->op, value[0], value[1], value[2]);
		if (inst->immediate & EXEC_SAT)
			result = result > 0 ? (result < 1 ? result : 1) : 0;
		d[i] = half_round(half_flush(result, ftz), inst->ptx->round);
	}
}

static bool real_compare(enum ptx_cmp cmp, double a, double b)
{
	bool unordered = isnan(a) || isnan(b);
	switch (cmp) {
	case PTX_EQ:
		return a == b;
	case PTX_NE:
		return !unordered && a != b;
	case PTX_LT:
		return a < b;
	case PTX_LE:
		return a <= b;
	case PTX_GT:
		return a > b;
	case PTX_GE:
		return a >= b;
	case PTX_EQU:
		return unordered || a == b;
	case PTX_NEU:
		return a != b;
	case PTX_LTU:
		return unordered || a < b;
	case PTX_LEU:
		return unordered || a <= b;
	case PTX_GTU:
		return unordered || a > b;
	case PTX_GEU:
		return unordered || a >= b;
	case PTX_NUM:
		return !unordered;
	default:
		return unordered;
	}
}

static void half_setp(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(pa, lane32, 0);
	SOURCE(pb, lane32, 1);
	bool ftz = inst->immediate & EXEC_FTZ;
	uint32_t mask = 0, with = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 2) : 0;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		double a = half_flush(half_value((uint16_t)pa[i]), ftz);
		double b = half_flush(half_value((uint16_t)pb[i]), ftz);
		mask |= (uint32_t)real_compare(inst->ptx->cmp, a, b) << i;
	}
	if (inst->immediate & EXEC_SECOND)
		write_pred(warp, inst, 1, combine_pred(inst->immediate, ~mask, with), step->lanes);
	write_pred(warp, inst, 0, combine_pred(inst->immediate, mask, with), step->lanes);
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

simt_exec *exec_find_round(const struct exec_query *query)
{
	static simt_exec *const convert[2][2] = {{convert_44, convert_48}, {convert_84, convert_88}};
	switch (query->ptx->op) {
	case PTX_OP_CVT:
		if (query->type == PTX_F16X2 || query->type2 == PTX_F16X2 || query->ptx->round == PTX_RNA)
			return NULL;
		return convert[query->src_bytes == 8][query->dst_bytes == 8];
	case PTX_OP_SETP:
		return query->type == PTX_F16 ? half_setp : NULL;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
	case PTX_OP_MAD:
	case PTX_OP_FMA:
	case PTX_OP_DIV:
	case PTX_OP_RCP:
	case PTX_OP_SQRT:
		return query->type == PTX_F16 ? half : query->type == PTX_F32 ? round_f32 : round_f64;
	case PTX_OP_ABS:
	case PTX_OP_NEG:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
	case PTX_OP_EX2:
	case PTX_OP_TANH:
		return query->type == PTX_F16 ? half : NULL;
	default:
		return NULL;
	}
}
