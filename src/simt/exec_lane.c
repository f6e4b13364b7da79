/* exec_lane: communication between the lanes of a warp.
 *
 * The lanes of a .sync form take part in groups. The lanes that run it together with the same member mask are one
 * group. A lane receives values only from lanes of its group that the mask names. The instruction does not wait for
 * lanes in the mask that run elsewhere, as on machines before Volta: the reconvergence stack runs one path after
 * the other.
 */
#include "simt/access.h"
#include "simt/exec.h"

static void write_uniform(struct simt_warp *warp, const struct simt_inst *inst, uint32_t value, uint32_t lanes)
{
	lane32 *d = destination(warp, inst, 0);
	FOR_LANES
	d[i] = lanes & lane_bit[i] ? value : d[i];
}

/* Lanes of a step that take part together, and the lanes of these that the mask names. */
struct group {
	uint32_t lanes, members;
};

/* Removes the next group from the lanes in *rest. Source k is the member mask of a .sync form. In other forms all
 * lanes are one group. */
static struct group next_group(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t *rest)
{
	struct group group = {*rest, *rest};
	if (inst->ptx->sync) {
		SOURCE(mask, lane32, k);
		uint32_t first = mask[__builtin_ctz(*rest)], same = 0;
		FOR_LANES
		same |= mask[i] == first ? lane_bit[i] : 0;
		group.lanes = *rest & same;
		group.members = group.lanes & first;
	}
	*rest &= ~group.lanes;
	return group;
}

/* With --check divergence a mask must not name a thread that runs elsewhere. Returns false after a fault. */
static bool all_here(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned k)
{
	if (LIKELY(!warp->block->launch->whole_warp_barriers) || !(inst->ptx->sync || inst->ptx->warp))
		return true;
	SOURCE(mask, lane32, k);
	uint32_t elsewhere = warp->exists & ~warp->exited & ~step->lanes;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1)
		if (mask[__builtin_ctz(rest)] & elsewhere) {
			fault_set(warp, inst, step, SIMT_FAULT_DIVERGED,
			          "member mask that names a thread which runs elsewhere",
			          (unsigned)__builtin_ctz(rest));
			return false;
		}
	return true;
}

static void vote_group(struct simt_warp *warp, const struct simt_inst *inst, struct group group)
{
	uint32_t voters = group.members, yes = source_pred(warp, inst, 0) & voters;
	bool holds = inst->ptx->vote == PTX_VOTE_ALL   ? yes == voters
	             : inst->ptx->vote == PTX_VOTE_ANY ? yes != 0
	                                               : yes == voters || yes == 0;
	if (inst->ptx->vote == PTX_VOTE_BALLOT)
		write_uniform(warp, inst, yes, group.lanes);
	else
		write_pred(warp, inst, 0, holds ? ALL_LANES : 0, group.lanes);
}

static void elect_group(struct simt_warp *warp, const struct simt_inst *inst, struct group group)
{
	uint32_t leader = group.members & -group.members;
	write_uniform(warp, inst, leader ? (uint32_t)__builtin_ctz(leader) : 0, group.lanes);
	if (inst->immediate & EXEC_SECOND)
		write_pred(warp, inst, 1, leader, group.lanes);
}

/* Defines an execution function that runs group by group; source `k` is the member mask. */
#define BY_GROUP(name, k)                                                                                              \
	static void name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)                 \
	{                                                                                                              \
		if (!all_here(warp, inst, step, k))                                                                    \
			return;                                                                                        \
		for (uint32_t rest = step->lanes; rest;)                                                               \
			name##_group(warp, inst, next_group(warp, inst, k, &rest));                                    \
	}
BY_GROUP(vote, 1)
BY_GROUP(elect, 0)

/* bar.warp.sync: lanes that run together need not wait. */
static void warp_barrier(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)all_here(warp, inst, step, 0);
}

static void activemask(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	write_uniform(warp, inst, step->lanes, step->lanes);
}

/* match.any: the members with this lane's value; match.all: all members if they agree, with a predicate. */
#define MATCH(t, C, D)                                                                                                 \
	static void match_##t##_group(struct simt_warp *warp, const struct simt_inst *inst, struct group group)        \
	{                                                                                                              \
		SOURCE(pa, C, 0);                                                                                      \
		D row[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN))) = {0};                                           \
		uint32_t agree = ALL_LANES;                                                                            \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			for (unsigned k = 0; k < WARP_SIZE; k++)                                                       \
				row[i] |= (group.members >> k & 1) && pa[i] == pa[k] ? lane_bit[k] : 0;                \
		for (unsigned i = 0; i < WARP_SIZE; i++)                                                               \
			if (group.members >> i & 1 && row[i] != group.members)                                         \
				agree = 0;                                                                             \
		if (inst->ptx->match_all) {                                                                            \
			if (inst->immediate & EXEC_SECOND)                                                             \
				write_pred(warp, inst, 1, agree, group.lanes);                                         \
			for (unsigned i = 0; i < WARP_SIZE; i++)                                                       \
				row[i] = agree & group.members;                                                        \
		}                                                                                                      \
		D *d = destination(warp, inst, 0);                                                                     \
		BLEND(d, row, group.lanes);                                                                            \
	}                                                                                                              \
	BY_GROUP(match_##t, 1)
MATCH(32, lane32, lane32)
MATCH(64, lane64, lane32)
MATCH(64_wide, lane64, lane64)

/* shfl: c has the clamp in bits 0-4 and the segment mask in bits 8-12. */
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

unsigned shuffle_from(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	SOURCE(pb, lane32, 1);
	SOURCE(pc, lane32, 2);
	bool valid;
	return shuffle_source(inst->ptx->shuffle, lane, pb[lane], pc[lane], &valid);
}

/* A lane reads the register of the lane that it names, whether that lane is active or not. PTX leaves the value
 * open when that lane is not in the member mask, so masks have no effect here. */
static void shuffle(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (!all_here(warp, inst, step, 3))
		return;
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

/* The result is NaN only with .NaN, or when both operands are NaN. +0 is greater than -0. */
static float reduce_real(const struct ptx_inst *ptx, float a, float b)
{
	if (a != a || b != b)
		return ptx->nan ? a + b : a != a ? b : a;
	bool less = a < b || (a == b && float_bits(a) >> 31);
	return less == (ptx->atomic == PTX_ATOM_MIN) ? a : b;
}

static void redux_real_group(struct simt_warp *warp, const struct simt_inst *inst, struct group group)
{
	SOURCE(pa, lane32, 0);
	uint32_t keep = inst->ptx->magnitudes ? INT32_MAX : UINT32_MAX;
	float value = 0;
	for (uint32_t rest = group.members; rest; rest &= rest - 1) {
		float a = bits_float(pa[__builtin_ctz(rest)] & keep);
		value = rest == group.members ? a : reduce_real(inst->ptx, value, a);
	}
	write_uniform(warp, inst, float_bits(canonical_f32(value)), group.lanes);
}
BY_GROUP(redux_real, 1)

static void redux_group(struct simt_warp *warp, const struct simt_inst *inst, struct group group)
{
	SOURCE(pa, lane32, 0);
	uint32_t value = 0;
	for (uint32_t rest = group.members; rest; rest &= rest - 1) {
		uint32_t a = pa[__builtin_ctz(rest)];
		value = rest == group.members ? a : reduce(inst->ptx, value, a);
	}
	write_uniform(warp, inst, value, group.lanes);
}
BY_GROUP(redux, 1)

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
		return ptx_type_is_float(query->type) ? redux_real : redux;
	case PTX_OP_ELECT:
		return elect;
	case PTX_OP_BAR: /* bar.warp.sync */
		return warp_barrier;
	default:
		return NULL;
	}
}
