/* exec_half: half-precision arithmetic and comparison, for f16 and bf16, single or in pairs. It works lane by lane
 * in double precision. Sums in double are rounded to odd, so that the second rounding still resolves ties
 * correctly. */
#include "simt/convert.h"
#include "simt/exec.h"

#include <math.h>

static bool is_pair(enum ptx_type type)
{
	return type == PTX_F16X2 || type == PTX_BF16X2;
}

static double flush(enum ptx_type type, double value, bool ftz)
{
	double least = type == PTX_F16 || type == PTX_F16X2 ? 0x1p-14 : 0x1p-126;
	return ftz && fabs(value) < least ? copysign(0, value) : value;
}

/* Returns a + b. An inexact result is rounded to odd: its last bit is set. */
static double odd_sum(double a, double b)
{
	double sum = a + b, part = sum - a;
	double lost = (a - (sum - part)) + (b - part);
	uint64_t bits = double_bits(sum);
	if (!isfinite(sum) || lost == 0 || bits & 1)
		return sum;
	return bits_double((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* min and max: -0 is less than +0. The result is NaN only with .NaN, or when both operands are NaN. .xorsign.abs
 * compares magnitudes, and the sign is the product of both signs. */
static double extreme(const struct ptx_inst *ptx, double a, double b)
{
	bool negative = ptx->xorsign && !signbit(a) != !signbit(b);
	if (ptx->xorsign) {
		a = fabs(a);
		b = fabs(b);
	}
	bool first = ptx->op == PTX_OP_MIN ? a < b || (a == b && signbit(a)) : a > b || (a == b && signbit(b));
	double result = first ? a : b;
	if (isnan(a) || isnan(b))
		result = ptx->nan ? NAN : isnan(a) ? b : a;
	return negative && !isnan(result) ? -result : result;
}

static double compute(const struct ptx_inst *ptx, double a, double b, double c)
{
	switch (ptx->op) {
	case PTX_OP_ADD:
		return odd_sum(a, b);
	case PTX_OP_SUB:
		return odd_sum(a, -b);
	case PTX_OP_MUL:
		return a * b;
	case PTX_OP_FMA:
		return odd_sum(a * b, c);
	case PTX_OP_EX2:
		return exp2(a);
	case PTX_OP_TANH:
		return tanh(a);
	default:
		return extreme(ptx, a, b);
	}
}

/* abs and neg change only the sign bit. A NaN becomes the canonical one. */
static uint32_t other_sign(const struct ptx_inst *ptx, uint32_t bits)
{
	const uint32_t sign = 0x8000;
	bits &= UINT16_MAX;
	if (isnan(small_value(ptx->type, bits)))
		return small_round(ptx->type, NAN, PTX_RN);
	if (ptx->ftz && flush(ptx->type, small_value(ptx->type, bits), true) == 0)
		bits &= sign;
	return ptx->op == PTX_OP_ABS ? bits & ~sign : bits ^ sign;
}

/* Computes one result of one type from 16 bits of each source. */
static uint32_t one_half(const struct ptx_inst *ptx, const uint32_t bits[3])
{
	double value[3];
	if (ptx->op == PTX_OP_ABS || ptx->op == PTX_OP_NEG)
		return other_sign(ptx, bits[0]);
	for (unsigned k = 0; k < 3; k++)
		value[k] = flush(ptx->type, small_value(ptx->type, bits[k] & 0xffff), ptx->ftz);
	double result = compute(ptx, value[0], value[1], value[2]);
	if (ptx->sat)
		result = result > 0 ? (result < 1 ? result : 1) : 0;
	if (ptx->relu && !isnan(result))
		result = result > 0 ? result : 0;
	/* A result is flushed by its value before it is rounded. */
	return small_round(ptx->type, flush(ptx->type, result, ptx->ftz), PTX_RN);
}

static void half(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const lane32 *p[3];
	unsigned sources = inst->ptx->operands - 1u, parts = is_pair(inst->ptx->type) ? 2 : 1;
	for (unsigned k = 0; k < 3; k++)
		p[k] = source(warp, inst, k < sources ? k : 0);
	lane32 *d = destination(warp, inst, 0);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		uint32_t result = 0;
		for (unsigned part = 0; part < parts; part++) {
			const uint32_t bits[3] = {p[0][i] >> 16 * part, p[1][i] >> 16 * part, p[2][i] >> 16 * part};
			result |= one_half(inst->ptx, bits) << 16 * part;
		}
		d[i] = result;
	}
}

/* min and max of single precision with .NaN or .xorsign.abs. */
static void extreme_f32(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(pa, lanef, 0);
	SOURCE(pb, lanef, 1);
	lanef *d = destination(warp, inst, 0);
	uint32_t keep = ftz_keep(inst);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		d[i] = canonical_f32((float)extreme(inst->ptx, flush_f32(pa[i], keep), flush_f32(pb[i], keep)));
	}
}

/* --- comparison --- */

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

/* `order` is negative, 0 or positive when a is less than, equal to or greater than b. */
static bool whole_compare(enum ptx_cmp cmp, int order)
{
	switch (cmp) {
	case PTX_EQ:
		return order == 0;
	case PTX_NE:
		return order != 0;
	case PTX_LT:
	case PTX_CMP_LO:
		return order < 0;
	case PTX_LE:
	case PTX_CMP_LS:
		return order <= 0;
	case PTX_GT:
	case PTX_CMP_HI:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* Compares values of any type, as they lie in a lane. */
static bool compare(const struct ptx_inst *ptx, enum ptx_type type, uint64_t a, uint64_t b)
{
	if (is_half_type(type))
		return real_compare(ptx->cmp, flush(type, small_value(type, a & 0xffff), ptx->ftz),
		                    flush(type, small_value(type, b & 0xffff), ptx->ftz));
	if (type == PTX_F64)
		return real_compare(ptx->cmp, bits_double(a), bits_double(b));
	uint32_t keep = ptx->ftz ? 0 : UINT32_MAX;
	if (type == PTX_F32)
		return real_compare(ptx->cmp, flush_f32(bits_float((uint32_t)a), keep),
		                    flush_f32(bits_float((uint32_t)b), keep));
	unsigned shift = 64 - 8 * ptx_type_bytes(type);
	a <<= shift;
	b <<= shift;
	int order =
		ptx_type_is_signed(type) ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);
	return whole_compare(ptx->cmp, order);
}

/* Returns the lanes in which the comparison of sources 0 and 1 is true. `part`: first or second half of a pair. */
static uint32_t compare_lanes(const struct simt_warp *warp, const struct simt_inst *inst, enum ptx_type type,
                              unsigned part)
{
	bool wide = ptx_type_bytes(type) == 8;
	SOURCE(pa, lane32, 0);
	SOURCE(pb, lane32, 1);
	SOURCE(wide_a, lane64, 0);
	SOURCE(wide_b, lane64, 1);
	uint32_t mask = 0;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t a = wide ? wide_a[i] : pa[i] >> 16 * part, b = wide ? wide_b[i] : pb[i] >> 16 * part;
		mask |= compare(inst->ptx, type, a, b) ? lane_bit[i] : 0;
	}
	return mask;
}

static uint32_t combined(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t mask)
{
	uint32_t with = inst->immediate & EXEC_THIRD ? source_pred(warp, inst, 2) : 0;
	return combine_pred(inst->immediate, mask, with);
}

/* The second destination is the inverse of the first; for a pair it is the result of the second half. */
static void half_setp(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	enum ptx_type type = inst->ptx->type;
	uint32_t first = compare_lanes(warp, inst, type, 0);
	uint32_t second = is_pair(type) ? compare_lanes(warp, inst, type, 1) : ~first;
	first = combined(warp, inst, first);
	second = combined(warp, inst, second);
	if (inst->immediate & EXEC_SECOND)
		write_pred(warp, inst, 1, second, step->lanes);
	write_pred(warp, inst, 0, first, step->lanes);
}

/* Returns the value that set writes where a comparison is true: 1.0, or all ones. */
static uint32_t true_of(enum ptx_type type)
{
	if (type == PTX_F32)
		return float_bits(1);
	if (is_half_type(type))
		return small_round(type, 1, PTX_RN);
	return ptx_type_bytes(type) == 2 ? UINT16_MAX : UINT32_MAX;
}

/* set with halves as source or destination. */
static void half_set(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct ptx_inst *ptx = inst->ptx;
	lane32 *d = destination(warp, inst, 0);
	bool pair = is_pair(ptx->type2);
	uint32_t low = combined(warp, inst, compare_lanes(warp, inst, ptx->type2, 0));
	uint32_t high = pair ? combined(warp, inst, compare_lanes(warp, inst, ptx->type2, 1)) : 0;
	uint32_t holds = true_of(ptx->type) & (pair ? UINT16_MAX : UINT32_MAX);
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (step->lanes & lane_bit[i])
			d[i] = (low & lane_bit[i] ? holds : 0) | (high & lane_bit[i] ? holds << 16 : 0);
}

simt_exec *exec_find_half(const struct exec_query *query)
{
	const struct ptx_inst *ptx = query->ptx;
	switch (ptx->op) {
	case PTX_OP_SETP:
		return half_setp;
	case PTX_OP_SET:
		return half_set;
	case PTX_OP_MIN:
	case PTX_OP_MAX:
		return query->type == PTX_F32 ? extreme_f32 : half;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
	case PTX_OP_FMA:
	case PTX_OP_ABS:
	case PTX_OP_NEG:
	case PTX_OP_EX2:
	case PTX_OP_TANH:
		return half;
	default:
		return NULL;
	}
}
