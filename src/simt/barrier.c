/* Barriers of a block. Warps arrive as wholes, whatever lanes of them are active. */
#include "simt/exec.h"
#include "simt/access.h"
#include "simt/program.h"

static uint32_t uniform(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lanes)
{
	SOURCE(row, lane32, k);
	return row[__builtin_ctz(lanes)];
}

/* Sources 0 and 1: the barrier's number and its thread count, 0 for all threads. */
void control_barrier(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unsigned lane = (unsigned)__builtin_ctz(step->lanes);
	if (uniform(warp, inst, 0, step->lanes) >= SIMT_BARRIERS)
		fault_set(warp, inst, step, "barrier number beyond 15", lane, 0);
	else if (uniform(warp, inst, 1, step->lanes) % WARP_SIZE)
		fault_set(warp, inst, step, "barrier for a number of threads that is not whole warps", lane, 0);
}

static void write_reduction(struct simt_warp *warp, const struct simt_barrier *barrier)
{
	const struct simt_inst *inst = warp->barrier_inst;
	uint32_t lanes = warp->barrier_lanes;
	if (inst->ptx->barrier != PTX_BARRIER_RED)
		return;
	if (inst->ptx->atomic != PTX_ATOM_ADD) {
		bool holds = inst->ptx->atomic == PTX_ATOM_AND ? barrier->red_and : barrier->red_or;
		write_pred(warp, inst, 0, holds ? ALL_LANES : 0, lanes);
		return;
	}
	lane32 *d = destination(warp, inst, 0);
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (lanes >> i & 1)
			d[i] = barrier->red_count;
}

/* Lets all go when all have come. */
static uint64_t complete(struct simt_block *block, struct simt_barrier *barrier)
{
	bool all = barrier->expected ? barrier->threads >= barrier->expected : (block->live & ~barrier->arrived) == 0;
	if (barrier->threads == 0 || !all)
		return 0;
	uint64_t released = barrier->arrived;
	for (uint64_t rest = released; rest; rest &= rest - 1)
		write_reduction(&block->warp[__builtin_ctzll(rest)], barrier);
	*barrier = (struct simt_barrier){0};
	block->waiting &= ~released;
	return released;
}

static uint64_t arrive(struct simt_warp *warp, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	struct simt_block *block = warp->block;
	struct simt_barrier *barrier = &block->barrier[uniform(warp, inst, 0, step->lanes)];
	uint64_t bit = (uint64_t)1 << warp->index;
	if (barrier->threads == 0)
		barrier->red_and = 1;
	barrier->expected = uniform(warp, inst, 1, step->lanes);
	barrier->threads += WARP_SIZE;
	if (inst->ptx->barrier == PTX_BARRIER_RED) {
		uint32_t yes = source_pred(warp, inst, 2) & step->lanes;
		barrier->red_count += (uint32_t)__builtin_popcount(yes);
		barrier->red_and &= yes == step->lanes;
		barrier->red_or |= yes != 0;
	}
	if (inst->ptx->barrier == PTX_BARRIER_ARRIVE)
		return complete(block, barrier) | bit;
	warp->barrier_inst = inst;
	warp->barrier_lanes = step->lanes;
	barrier->arrived |= bit;
	block->waiting |= bit;
	return complete(block, barrier);
}

uint64_t simt_barrier(struct simt_warp *warp, const struct simt_step *step)
{
	uint64_t released = 0;
	if (step->inst->kind == SIMT_BARRIER)
		released = step->lanes ? arrive(warp, step) : (uint64_t)1 << warp->index;
	if (warp->done)
		for (unsigned k = 0; k < SIMT_BARRIERS; k++)
			released |= complete(warp->block, &warp->block->barrier[k]);
	return released;
}
