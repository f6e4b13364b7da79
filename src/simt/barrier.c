/* barrier: the barriers of a block. A warp arrives as a whole, whichever of its lanes are active. */
#include "simt/checks.h"
#include "simt/dma.h"
#include "simt/message.h"
#include "simt/program.h"

static uint32_t uniform(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lanes)
{
	SOURCE(row, lane32, k);
	return row[__builtin_ctz(lanes)];
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

/* Returns true when all expected threads have arrived. `live`: the warps that have not ended. */
static bool is_complete(const struct simt_barrier *barrier, uint64_t live)
{
	if (barrier->threads == 0)
		return false;
	return barrier->expected ? barrier->threads >= barrier->expected : (live & ~barrier->arrived) == 0;
}

/* Releases the waiting warps when the barrier is complete. */
static uint64_t complete(struct simt_block *block, struct simt_barrier *barrier)
{
	if (!is_complete(barrier, block->live))
		return 0;
	uint64_t released = barrier->arrived;
	uint32_t number = (uint32_t)(barrier - block->barrier);
	if (has_race_check(block))
		race_release(block, number, released);
	if (number >= SIMT_BARRIERS) {
		dma_move(block, number - SIMT_BARRIERS);
		released = block->launch->dma_overlaps ? 0 : released; /* no warp waits */
	}
	for (uint64_t rest = released; rest; rest &= rest - 1)
		write_reduction(&block->warp[__builtin_ctzll(rest)], barrier);
	*barrier = (struct simt_barrier){0};
	block->waiting &= ~released;
	return released;
}

/* Returns the number of threads that a warp's barrier expects; 0: all of the block, as at a DMA buffer. */
static uint32_t expected_by(const struct simt_warp *warp, const struct simt_step *step, uint32_t number)
{
	return number < SIMT_BARRIERS ? uniform(warp, step->inst, 1, step->lanes) : 0;
}

static uint64_t arrive(struct simt_warp *warp, const struct simt_step *step, uint32_t number)
{
	const struct simt_inst *inst = step->inst;
	struct simt_block *block = warp->block;
	struct simt_barrier *barrier = &block->barrier[number];
	uint64_t bit = (uint64_t)1 << warp->index;
	if (has_race_check(block))
		race_arrive(warp, number);
	if (barrier->threads == 0) {
		barrier->red_and = 1;
		barrier->first_inst = inst;
		barrier->first_warp = warp->index;
	}
	barrier->expected = expected_by(warp, step, number);
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
	if (number >= SIMT_BARRIERS && block->launch->dma_overlaps)
		return complete(block, barrier) | bit;
	block->waiting |= bit;
	return complete(block, barrier);
}

/* --- barrier errors --- */

/* Returns true when warps arrive at one barrier with different counts. No count means the count of all threads. */
static bool counts_differ(const struct simt_block *block, const struct simt_barrier *barrier, uint32_t expected)
{
	uint32_t all = block->warps * WARP_SIZE;
	return barrier->threads && (expected ? expected : all) != (barrier->expected ? barrier->expected : all);
}

static void fault_counts(struct simt_warp *warp, struct simt_step *step, uint32_t number, uint32_t expected)
{
	const struct simt_launch *launch = warp->block->launch;
	const struct simt_barrier *barrier = &warp->block->barrier[number];
	uint32_t all = warp->block->warps * WARP_SIZE;
	fault_set(warp, step->inst, step, SIMT_FAULT_COUNTS, "barrier for different numbers of threads",
	          (unsigned)__builtin_ctz(step->lanes));
	step->fault.barrier = number;
	step->fault.expected = expected ? expected : all;
	step->fault.other = barrier->first_inst;
	step->fault.other_thread = simt_thread(launch, barrier->first_warp, 0);
	step->fault.other_expected = barrier->expected ? barrier->expected : all;
}

/* Returns the barrier at which a warp waits. */
static uint32_t waits_at(const struct simt_warp *warp)
{
	uint32_t number = 0;
	while (!(warp->block->barrier[number].arrived >> warp->index & 1))
		number++;
	return number;
}

/* All live warps wait at incomplete barriers, so no warp is left that could arrive. The message names the first
 * warp and the first that waits at another barrier, independent of the arrival order. */
static void fault_stuck(struct simt_block *block, struct simt_step *step)
{
	struct simt_warp *first = &block->warp[__builtin_ctzll(block->live)];
	uint32_t number = waits_at(first);
	const struct simt_barrier *barrier = &block->barrier[number];
	fault_set(first, first->barrier_inst, step, SIMT_FAULT_BARRIER, "barrier that can never complete",
	          (unsigned)__builtin_ctz(first->barrier_lanes));
	step->fault.barrier = number;
	step->fault.arrived = barrier->threads;
	step->fault.expected =
		barrier->expected ? barrier->expected : (uint32_t)__builtin_popcountll(block->live) * WARP_SIZE;
	for (uint64_t rest = block->live & ~barrier->arrived; rest && !step->fault.other; rest &= rest - 1) {
		const struct simt_warp *other = &block->warp[__builtin_ctzll(rest)];
		step->fault.other = other->barrier_inst;
		step->fault.other_thread =
			simt_thread(block->launch, other->index, (unsigned)__builtin_ctz(other->barrier_lanes));
		step->fault.other_barrier = waits_at(other);
	}
}

/* Returns true when the warp is the last that runs and its arrival completes nothing. The warp is then added to the
 * waiting warps. */
static bool is_last_and_stuck(struct simt_warp *warp, const struct simt_step *step, uint32_t number, uint32_t expected)
{
	struct simt_block *block = warp->block;
	uint64_t bit = (uint64_t)1 << warp->index;
	if (step->inst->ptx->barrier == PTX_BARRIER_ARRIVE || block->live & ~(block->waiting | bit))
		return false;
	struct simt_barrier then = block->barrier[number];
	then.threads += WARP_SIZE;
	then.arrived |= bit;
	then.expected = expected;
	if (is_complete(&then, block->live))
		return false;
	arrive(warp, step, number);
	return true;
}

/* Threads that were inactive when their warp passed a barrier count as arrived, and may still end. If they reach a
 * barrier instead, the warp's threads should have met and have not. */
static bool has_diverged(struct simt_warp *warp, struct simt_step *step)
{
	uint32_t apart = step->lanes & warp->missed;
	if (apart && warp->block->launch->whole_warp_barriers) {
		fault_set(warp, step->inst, step, SIMT_FAULT_DIVERGED,
		          "barrier that threads of one warp reach separately", (unsigned)__builtin_ctz(apart));
		step->fault.other = warp->missed_inst;
		step->fault.other_thread = simt_thread(warp->block->launch, warp->index, warp->missed_by);
		return true;
	}
	uint32_t absent = warp->exists & ~warp->exited & ~step->lanes;
	if (absent) {
		warp->missed |= absent;
		warp->missed_by = (uint32_t)__builtin_ctz(step->lanes);
		warp->missed_inst = step->inst;
	}
	return false;
}

/* Source 0 is the barrier's number; source 1 is its thread count, 0 for all threads. */
void control_barrier(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct simt_block *block = warp->block;
	unsigned lane = (unsigned)__builtin_ctz(step->lanes);
	uint32_t number = uniform(warp, inst, 0, step->lanes), expected = uniform(warp, inst, 1, step->lanes);
	if (number >= SIMT_CLUSTER && inst->ptx->op != PTX_OP_BARRIER_CLUSTER)
		fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "barrier number beyond 15", lane);
	else if (expected % WARP_SIZE)
		fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION,
		          "barrier for a number of threads that is not whole warps", lane);
	else if (counts_differ(block, &block->barrier[number], expected))
		fault_counts(warp, step, number, expected);
	else if (!has_diverged(warp, step) && is_last_and_stuck(warp, step, number, expected))
		fault_stuck(block, step);
}

void barrier_of_dma(struct simt_warp *warp, struct simt_step *step)
{
	struct simt_block *block = warp->block;
	uint32_t buffer = dma_waits_for(warp, step);
	if (buffer < DMA_BUFFERS && !block->launch->dma_overlaps &&
	    is_last_and_stuck(warp, step, SIMT_BARRIERS + buffer, 0))
		fault_stuck(block, step);
}

void barrier_exit(struct simt_warp *warp, struct simt_step *step)
{
	struct simt_block *block = warp->block;
	if (has_race_check(block))
		race_exit(warp);
	if (UNLIKELY(block->checks != NULL) && block->live == 0)
		checks_block_end(block);
	if (block->live == 0 || block->live & ~block->waiting)
		return;
	for (unsigned k = 0; k < SIMT_WAITS; k++)
		if (is_complete(&block->barrier[k], block->live))
			return;
	fault_stuck(block, step);
}

/* The warp has executed a barrier or a DMA transfer, at which it may have to wait. */
static uint64_t arrive_at_wait(struct simt_warp *warp, const struct simt_step *step)
{
	uint64_t bit = (uint64_t)1 << warp->index;
	if (!step->lanes)
		return bit;
	if (step->inst->ptx->barrier != PTX_BARRIER_NONE)
		return arrive(warp, step, uniform(warp, step->inst, 0, step->lanes));
	uint32_t buffer = dma_waits_for(warp, step);
	return buffer < DMA_BUFFERS ? arrive(warp, step, SIMT_BARRIERS + buffer) : bit;
}

uint64_t simt_barrier(struct simt_warp *warp, const struct simt_step *step)
{
	uint64_t released = 0;
	if (step->inst->kind == SIMT_BARRIER)
		released = arrive_at_wait(warp, step);
	if (warp->done)
		for (unsigned k = 0; k < SIMT_WAITS; k++)
			released |= complete(warp->block, &warp->block->barrier[k]);
	return released;
}
