#include "simt/exec.h"
#include "simt/program.h"

#include <assert.h>

void simt_step(struct simt_warp *warp, struct simt_step *step)
{
	const struct simt_inst *inst = &warp->code[warp->pc];
	uint32_t lanes = guarded_lanes(warp, inst);
	step->inst = inst;
	step->issued = warp->lanes;
	step->lanes = lanes;
	step->commits = false;
	step->exited = false;
	step->mixed_spaces = false;
	step->unit_stride = false;
	step->space = inst->space;
	step->fault.what = NULL;
	warp->pc = inst->pc + 1;
	if (LIKELY(lanes))
		inst->exec(warp, inst, step);
	if (UNLIKELY(warp->pc == warp->reconverge))
		control_join(warp);
}

void simt_commit(struct simt_warp *warp, struct simt_step *step)
{
	if (step->commits)
		step->inst->commit(warp, step->inst, step);
}

/* Steps of one warp before the next has its turn: short enough for warps that wait for each other in a loop. */
enum { TURN = 4096 };

/* Runs a warp until it waits, is done, has used its turn, or the run ends. */
static void run_warp(struct simt_warp *warp, struct simt_run *run, uint64_t limit)
{
	struct simt_step step;
	uint64_t bit = (uint64_t)1 << warp->index;
	for (unsigned turn = 0; turn < TURN && !warp->done && !(warp->block->waiting & bit); turn++) {
		if (run->thread_instructions >= limit) {
			run->stopped = true;
			return;
		}
		simt_step(warp, &step);
		run->warp_instructions++;
		run->thread_instructions += (uint64_t)__builtin_popcount(step.lanes);
		if (UNLIKELY(step.fault.what != NULL)) {
			run->fault = step.fault;
			return;
		}
		if (step.commits) {
			simt_commit(warp, &step);
			if (UNLIKELY(step.fault.what != NULL)) {
				run->fault = step.fault;
				return;
			}
		}
		if (step.inst->kind == SIMT_BARRIER || step.exited)
			simt_barrier(warp, &step);
	}
}

static void run_block(struct simt_block *block, struct simt_run *run, uint64_t limit)
{
	while (block->live) {
		assert(block->live & ~block->waiting);
		for (uint32_t w = 0; w < block->warps; w++) {
			run_warp(&block->warp[w], run, limit);
			run->stopped |= simt_is_stopped(block->launch);
			if (run->stopped || run->fault.what)
				return;
		}
	}
}

void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run)
{
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	uint64_t limit = max_instructions ? max_instructions : UINT64_MAX;
	struct simt_block block = {0};
	*run = (struct simt_run){0};
	block.clock = &run->warp_instructions;
	for (uint64_t number = 0; number < blocks && !run->stopped && !run->fault.what; number++) {
		simt_block_start(&block, launch, number, 0);
		run_block(&block, run, limit);
	}
	simt_block_free(&block);
}
