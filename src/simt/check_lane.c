/* check_lane: checks the member masks of instructions by which lanes of a warp exchange values or wait for each
 * other. */
#include "simt/checks.h"

bool lane_has_mask(const struct simt_inst *inst)
{
	switch (inst->ptx->op) {
	case PTX_OP_SHFL:
	case PTX_OP_VOTE:
	case PTX_OP_MATCH:
	case PTX_OP_REDUX:
	case PTX_OP_ELECT:
		return inst->ptx->sync;
	case PTX_OP_BAR:
		return inst->ptx->warp;
	default:
		return false;
	}
}

const uint32_t *lane_masks(const struct simt_warp *warp, const struct simt_inst *inst)
{
	unsigned k = inst->ptx->op == PTX_OP_SHFL                                   ? 3
	             : inst->ptx->op == PTX_OP_BAR || inst->ptx->op == PTX_OP_ELECT ? 0
	                                                                            : 1;
	return source(warp, inst, k);
}

static void tell(struct simt_warp *warp, const struct simt_inst *inst, enum finding_kind kind, unsigned lane,
                 uint32_t mask, unsigned other)
{
	finding_add(
		warp->block,
		&(struct finding){.kind = kind, .access = {{inst, warp->index, lane}}, .address = mask, .size = other});
}

/* Returns the lanes that have this mask. */
static uint32_t same_mask(const uint32_t *mask, uint32_t value)
{
	uint32_t lanes = 0;
	for (unsigned i = 0; i < WARP_SIZE; i++)
		lanes |= mask[i] == value ? lane_bit[i] : 0;
	return lanes;
}

void lane_check(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	const uint32_t *mask = lane_masks(warp, inst);
	bool shuffles = inst->ptx->op == PTX_OP_SHFL;
	/* A lane in the mask that runs elsewhere is a matter of --check divergence: since Volta it may still arrive. */
	uint32_t alive = warp->exists & ~warp->exited;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (!(mask[lane] & lane_bit[lane])) {
			tell(warp, inst, FINDING_MASK, lane, mask[lane], lane);
			continue;
		}
		uint32_t others = step->lanes & mask[lane] & ~same_mask(mask, mask[lane]);
		if (others) {
			tell(warp, inst, FINDING_MASKS, lane, mask[lane], (unsigned)__builtin_ctz(others));
			continue;
		}
		unsigned from = shuffles ? shuffle_from(warp, inst, lane) : lane;
		if (!(alive & mask[lane] & lane_bit[from]))
			tell(warp, inst, FINDING_LANE, lane, mask[lane], from);
	}
}
