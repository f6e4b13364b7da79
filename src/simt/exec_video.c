/* exec_video: video instructions. They compute sums, differences and similar operations on parts of registers: one
 * part (vadd), two (vadd2) or four (vadd4). Sources are signed or unsigned and extended before the operation. The
 * result is saturated if .sat is given, and then merged into a third source or combined with it. */
#include "simt/exec.h"

/* An instruction's operand modifiers, decoded once for all lanes. */
struct video {
	const struct ptx_inst *ptx;
	unsigned parts, bits; /* of one part of the result */
	enum ptx_type to, a, b;
	const char *select_d, *select_a, *select_b;
	bool merges; /* scalar: into one part of the third source */
};

static int64_t extend(uint32_t value, unsigned bits, bool is_signed)
{
	uint64_t up = (uint64_t)value << (64 - bits);
	return is_signed ? (int64_t)up >> (64 - bits) : (int64_t)(up >> (64 - bits));
}

/* Returns the part of a register that a selector's digit names; its kind is 'b' or 'h'. */
static int64_t take(uint32_t value, char kind, unsigned digit, enum ptx_type type)
{
	unsigned bits = kind == 'b' ? 8 : 16;
	return extend(value >> (digit * bits), bits, ptx_type_is_signed(type));
}

/* Returns the source of a scalar instruction. */
static int64_t scalar(uint32_t value, const char *select, enum ptx_type type)
{
	if (!select[0])
		return extend(value, 32, ptx_type_is_signed(type));
	return take(value, select[0], (unsigned)(select[1] - '0'), type);
}

/* Returns part number `part` of a source with several parts. A selector chooses the parts from both registers; its
 * first digit selects the highest part. */
static int64_t element(uint32_t a, uint32_t b, const char *select, unsigned parts, unsigned part, enum ptx_type type)
{
	unsigned digit = (unsigned)(select[parts - part] - '0');
	return take(digit >= parts ? b : a, select[0], digit % parts, type);
}

static bool holds(enum ptx_cmp cmp, int64_t a, int64_t b)
{
	switch (cmp) {
	case PTX_EQ:
		return a == b;
	case PTX_NE:
		return a != b;
	case PTX_LT:
		return a < b;
	case PTX_LE:
		return a <= b;
	case PTX_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static int128 shifted(const struct ptx_inst *ptx, int64_t a, int64_t b)
{
	uint32_t amount = (uint32_t)b;
	amount = ptx->clamp ? (amount > 32 ? 32 : amount) : amount & 31;
	return ptx->op == PTX_OP_VSHL ? (int128)a * ((int128)1 << amount) : (int128)a >> amount;
}

static int128 compute(const struct ptx_inst *ptx, int64_t a, int64_t b)
{
	switch (ptx->op) {
	case PTX_OP_VADD:
	case PTX_OP_VADD2:
	case PTX_OP_VADD4:
		return a + b;
	case PTX_OP_VSUB:
	case PTX_OP_VSUB2:
	case PTX_OP_VSUB4:
		return a - b;
	case PTX_OP_VAVRG2:
	case PTX_OP_VAVRG4:
		return (a + b + (a + b >= 0)) >> 1;
	case PTX_OP_VABSDIFF:
	case PTX_OP_VABSDIFF2:
	case PTX_OP_VABSDIFF4:
		return a > b ? a - b : b - a;
	case PTX_OP_VMIN:
	case PTX_OP_VMIN2:
	case PTX_OP_VMIN4:
		return a < b ? a : b;
	case PTX_OP_VMAX:
	case PTX_OP_VMAX2:
	case PTX_OP_VMAX4:
		return a > b ? a : b;
	case PTX_OP_VSHL:
	case PTX_OP_VSHR:
		return shifted(ptx, a, b);
	default:
		return holds(ptx->cmp, a, b);
	}
}

static int128 saturate(int128 value, unsigned bits, bool is_signed)
{
	int128 low = is_signed ? -((int128)1 << (bits - 1)) : 0, high = low + ((int128)1 << bits) - 1;
	return value < low ? low : value > high ? high : value;
}

static uint32_t merge(uint32_t into, uint32_t value, unsigned part, unsigned bits)
{
	uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1) << (part * bits);
	return (into & ~mask) | (value << (part * bits) & mask);
}

/* Combines one result with the third source, if there is one. */
static uint32_t second_step(const struct video *video, int128 value, uint32_t c)
{
	int128 other = extend(c, 32, ptx_type_is_signed(video->to));
	switch (video->ptx->atomic) {
	case PTX_ATOM_ADD:
		return (uint32_t)value + c;
	case PTX_ATOM_MIN:
		return (uint32_t)(value < other ? value : other);
	case PTX_ATOM_MAX:
		return (uint32_t)(value > other ? value : other);
	default:
		return video->merges ? merge(c, (uint32_t)value, (unsigned)(video->select_d[1] - '0'), video->bits)
		                     : (uint32_t)value;
	}
}

/* a * b + c with extra bits, shifted down. */
static uint32_t multiply_add(const struct video *video, int64_t a, int64_t b, uint32_t c)
{
	bool is_signed = ptx_type_is_signed(video->a) || ptx_type_is_signed(video->b);
	int128 sum = (int128)a * b + extend(c, 32, is_signed) + video->ptx->plus_one;
	sum >>= video->ptx->scale;
	return (uint32_t)(video->ptx->sat ? saturate(sum, 32, is_signed) : sum);
}

static uint32_t one(const struct video *video, uint32_t a, uint32_t b, uint32_t c)
{
	int64_t x = scalar(a, video->select_a, video->a), y = scalar(b, video->select_b, video->b);
	if (video->ptx->op == PTX_OP_VMAD)
		return multiply_add(video, x, y, c);
	int128 value = compute(video->ptx, x, y);
	if (video->ptx->sat)
		value = saturate(value, video->bits, ptx_type_is_signed(video->to));
	return second_step(video, value, c);
}

/* Parts that the destination's selector does not name come from the third source; in a sum they add nothing. */
static uint32_t several(const struct video *video, uint32_t a, uint32_t b, uint32_t c)
{
	bool adds = video->ptx->atomic == PTX_ATOM_ADD;
	uint32_t result = c;
	for (unsigned part = 0; part < video->parts; part++) {
		if (!strchr(video->select_d + 1, (int)('0' + part)))
			continue;
		int128 value = compute(video->ptx, element(a, b, video->select_a, video->parts, part, video->a),
		                       element(a, b, video->select_b, video->parts, part, video->b));
		if (video->ptx->sat)
			value = saturate(value, video->bits, ptx_type_is_signed(video->to));
		result = adds ? result + (uint32_t)value : merge(result, (uint32_t)value, part, video->bits);
	}
	return result;
}

static const char *selector(const struct ptx_operand *operand, const char *otherwise)
{
	return operand->select[0] ? operand->select : otherwise;
}

static struct video take_apart(const struct ptx_inst *ptx)
{
	static const char *const own[] = {[1] = "", [2] = "h10", [4] = "b3210"};
	static const char *const second[] = {[1] = "", [2] = "h32", [4] = "b7654"};
	struct video video = {
		.ptx = ptx, .parts = ptx_op_parts(ptx->op), .to = ptx->type, .a = ptx->type2, .b = ptx->type3};
	if (ptx->type3 == PTX_NO_TYPE) { /* vset: a result without a type */
		video.to = PTX_U32;
		video.a = ptx->type;
		video.b = ptx->type2;
	}
	video.select_d = selector(&ptx->operand[0], own[video.parts]);
	video.select_a = selector(&ptx->operand[1], own[video.parts]);
	video.select_b = selector(&ptx->operand[2], second[video.parts]);
	video.merges = video.select_d[0];
	video.bits = !video.merges ? 32 : video.select_d[0] == 'b' ? 8 : 16;
	return video;
}

static void run(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct video video = take_apart(inst->ptx);
	bool has_third = inst->ptx->operands == 4;
	SOURCE(pa, lane32, 0);
	SOURCE(pb, lane32, 1);
	const lane32 *pc = has_third ? source(warp, inst, 2) : NULL;
	lane32 *d = destination(warp, inst, 0);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		uint32_t c = pc ? pc[i] : 0;
		d[i] = video.parts == 1 ? one(&video, pa[i], pb[i], c) : several(&video, pa[i], pb[i], c);
	}
}

simt_exec *exec_find_video(const struct exec_query *query)
{
	(void)query;
	return run;
}
