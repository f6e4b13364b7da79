/* Communication between the lanes of a warp. Member masks of the .sync forms only say who must take part; those who
 * run together here do. */
#include "simt/exec.h"

static void write_uniform(struct simt_warp *warp, const struct simt_inst *inst, uint32_t value, uint32_t lanes)
{
	lane32 *d = destination(warp, inst, 0);
	FOR_LANES
	d[i] = lanes & lane_bit[i] ? value : d[i];
}

/* The lanes that vote: the active ones, of them those of the member mask where there is one. */
static uint32_t members(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step, unsigned k)
{
	if (!inst->ptx->sync)
		return step->lanes;
	SOURCE(mask, lane32, k);
	return step->lanes & mask[__builtin_ctz(step->lanes)];
}

static void vote(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t voters = members(warp, inst, step, 1);
	uint32_t yes = source_pred(warp, inst, 0) & voters;
	switch (inst->ptx->vote) {
	case PTX_VOTE_ALL:
		write_pred(warp, inst, 0, yes == voters ? ALL_LANES : 0, step->lanes);
		break;
	case PTX_VOTE_ANY:
		write_pred(warp, inst, 0, yes ? ALL_LANES : 0, step->lanes);
		break;
	case PTX_VOTE_UNI:
		write_pred(warp, inst, 0, yes == voters || yes == 0 ? ALL_LANES : 0, step->lanes);
		break;
	default:
		write_uniform(warp, inst, yes, step->lanes);
		break;
	}
}

static void activemask(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	write_uniform(warp, inst, step->lanes, step->lanes);
}

/* match.any: the lanes with this lane's value; match.all: all members if they agree, with a predicate. */
#define MATCH(t, C, D)                                                                                                 \
	static void match_##t(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)            \
	{                                                                                                              \
		SOURCE(pa, C, 0);                                                                                      \
		uint32_t lanes = members(warp, inst, step, 1);                                                         \
		D row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN))) = {0};                                           \
		uint32_t agree = ALL_LANES;                                                                            \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			for (unsigned k = 0; k < WARP_SIZE; k++)                                                       \
				row[i] |= (lanes >> k & 1) && pa[i] == pa[k] ? lane_bit[k] : 0;                        \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			if (lanes >> i & 1 && row[i] != lanes)                                                         \
				agree = 0;                                                                             \
		if (inst->ptx->match_all) {                                                                            \
			if (inst->immediate & EXEC_SECOND)                                                             \
				write_pred(warp, inst, 1, agree, step->lanes);                                         \
			for (unsigned i = 0; i < WARP_SIZE; i++)                                                       \
				row[i] = agree & lanes;                                                                \
		}                                                                                                      \
		D *d = destination(warp, inst, 0);                                                                     \
		BLEND(d, row, step->lanes);                                                                            \
	}
MATCH(32, lane32, lane32)
MATCH(64, lane64, lane32)
MATCH(64_wide, lane64, lane64)

/* shfl: c holds the clamp in bits 0-4 and the segment mask in bits 8-12. */
static unsigned shuffle_source(enum ptx_shuffle mode, unsigned lane, uint32_t b, uint32_t c, bool *valid)
{
	uint32_t clamp = c & 31, segment = c >> 8 & 31;
	b &= 31;
	uint32_t low = lane & segment, high = low | (clamp & ~segment);
	int from;
	switch (mode) {
	case PTX_SHUFFLE_UP:
		from = (int)lane - (int)b;
		*valid = from >= (int)high;
		break;
	case PTX_SHUFFLE_DOWN:
		from = (int)(lane + b);
		*valid = from <= (int)high;
		break;
	case PTX_SHUFFLE_BFLY:
		from = (int)(lane ^ b);
		*valid = from <= (int)high;
		break;
	default:
		from = (int)(low | (b & ~segment));
		*valid = from <= (int)high;
		break;
	}
	return *valid ? (unsigned)from : lane;
}

static void shuffle(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(pa, lane32, 0);
	SOURCE(pb, lane32, 1);
	SOURCE(pc, lane32, 2);
	uint32_t row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN))), mask = 0;
	enum ptx_shuffle mode = inst->ptx->shuffle;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		bool valid;
		row[i] = pa[shuffle_source(mode, i, pb[i], pc[i], &valid)];
		mask |= (uint32_t)valid << i;
	}
	if (inst->immediate & EXEC_SECOND)
		write_pred(warp, inst, 1, mask, step->lanes);
	blend32(destination(warp, inst, 0), row, step->lanes);
}

static uint32_t reduce(const struct ptx_inst *ptx, uint32_t a, uint32_t b)
{
	bool is_signed = ptx->type == PTX_S32;
	bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
	switch (ptx->atomic) {
	case PTX_ATOM_ADD:
		return a + b;
	case PTX_ATOM_AND:
		return a & b;
	case PTX_ATOM_OR:
		return a | b;
	case PTX_ATOM_XOR:
		return a ^ b;
	case PTX_ATOM_MIN:
		return less ? a : b;
	default:
		return less ? b : a;
	}
}

static void redux(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(pa, lane32, 0);
	uint32_t lanes = members(warp, inst, step, 1);
	uint32_t value = 0;
	bool any = false;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t a = pa[__builtin_ctz(lanes)];
		value = any ? reduce(inst->ptx, value, a) : a;
		any = true;
	}
	write_uniform(warp, inst, value, step->lanes);
}

simt_exec *exec_find_lane(const struct exec_query *query)
{
	switch (query->ptx->op) {
	case PTX_OP_VOTE:
		return vote;
	case PTX_OP_ACTIVEMASK:
		return activemask;
	case PTX_OP_MATCH:
		if (ptx_type_bytes(query->type) == 4)
			return match_32;
		return query->dst_bytes == 8 ? match_64_wide : match_64;
	case PTX_OP_SHFL:
		return shuffle;
	case PTX_OP_REDUX:
		return redux;
	default:
		return NULL;
	}
}
