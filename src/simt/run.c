#include "base/arena.h"
#include "simt/exec.h"
#include "simt/program.h"

#include <assert.h>
#include <stdlib.h>

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
	step->apart = false;
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

static bool has_ended(const struct simt_run *run)
{
	return run->stopped || run->fault.what;
}

/* Each warp's turn. */
static void run_turn(struct simt_block *block, struct simt_run *run, uint64_t limit)
{
	assert(block->live & ~block->waiting);
	for (uint32_t w = 0; w < block->warps && !has_ended(run); w++) {
		run_warp(&block->warp[w], run, limit);
		run->stopped |= simt_is_stopped(block->launch);
	}
}

static void run_in_order(const struct simt_launch *launch, uint64_t blocks, struct simt_run *run, uint64_t limit)
{
	struct simt_block block = {.clock = &run->warp_instructions};
	for (uint64_t number = 0; number < blocks && !has_ended(run); number++) {
		simt_block_start(&block, launch, number, 0);
		while (block.live && !has_ended(run))
			run_turn(&block, run, limit);
	}
	simt_block_free(&block);
}

/* One that waits for another lets it have its turn. */
static void run_together(const struct simt_launch *launch, uint64_t blocks, struct simt_run *run, uint64_t limit)
{
	struct simt_block *block = xcalloc(blocks, sizeof *block);
	for (uint64_t number = 0; number < blocks; number++) {
		block[number].clock = &run->warp_instructions;
		simt_block_start(&block[number], launch, number, 0);
	}
	for (bool live = true; live && !has_ended(run);) {
		live = false;
		for (uint64_t number = 0; number < blocks && !has_ended(run); number++)
			if (block[number].live) {
				run_turn(&block[number], run, limit);
				live = true;
			}
	}
	for (uint64_t number = 0; number < blocks; number++)
		simt_block_free(&block[number]);
	free(block);
}

void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run)
{
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	uint64_t limit = max_instructions ? max_instructions : UINT64_MAX;
	*run = (struct simt_run){0};
	if (launch->cooperative)
		run_together(launch, blocks, run, limit);
	else
		run_in_order(launch, blocks, run, limit);
}
