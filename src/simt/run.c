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
	else if (inst->skipped)
		inst->skipped(warp, inst, step);
	if (UNLIKELY(warp->pc == warp->reconverge))
		control_join(warp);
}

void simt_commit(struct simt_warp *warp, struct simt_step *step)
{
	if (step->commits)
		step->inst->commit(warp, step->inst, step);
}

/* Steps before another has its turn: short enough for those that wait for each other in a loop, and long enough that
 * registers stay in the host's caches. A block's turn goes round its warps until it has used it. */
enum { WARP_TURN = 64, BLOCK_TURN = 8192 };

/* Runs a warp until it waits, is done, has used its turn, or the run ends. */
static void run_warp(struct simt_warp *warp, struct simt_run *run, uint64_t limit)
{
	struct simt_step step;
	uint64_t bit = (uint64_t)1 << warp->index;
	for (unsigned turn = 0; turn < WARP_TURN && !warp->done && !(warp->block->waiting & bit); turn++) {
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

/* The blocks that are resident together, each in a place. */
struct residents {
	const struct simt_launch *launch;
	struct simt_block *place;
	uint64_t places, blocks;
	uint64_t next; /* block to start */
};

/* What runs in a place has its turn, and the next block begins where one has ended: so blocks shorter than a turn run one
 * behind the other, in one place. Returns whether any is left. */
static bool run_place(struct residents *residents, struct simt_block *place, struct simt_run *run, uint64_t limit)
{
	uint64_t end = run->warp_instructions + BLOCK_TURN;
	while (run->warp_instructions < end && !has_ended(run)) {
		if (!place->live) {
			if (residents->next == residents->blocks)
				return false;
			simt_block_start(place, residents->launch, residents->next++, 0);
		}
		run_turn(place, run, limit);
	}
	return place->live || residents->next < residents->blocks;
}

/* Each place's turn. Returns whether any block is left. */
static bool run_round(struct residents *residents, struct simt_run *run, uint64_t limit)
{
	bool left = false;
	for (uint64_t i = 0; i < residents->places && !has_ended(run); i++)
		left |= run_place(residents, &residents->place[i], run, limit);
	return left;
}

void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run)
{
	uint64_t limit = max_instructions ? max_instructions : UINT64_MAX;
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	struct residents residents = {.launch = launch, .blocks = blocks};
	residents.places = launch->cooperative || launch->resident > blocks ? blocks
	                   : launch->resident                               ? launch->resident
	                                                                    : 1;
	residents.place = xcalloc(residents.places, sizeof *residents.place);
	*run = (struct simt_run){0};
	for (uint64_t i = 0; i < residents.places; i++)
		residents.place[i].clock = &run->warp_instructions;
	while (!has_ended(run) && run_round(&residents, run, limit))
		;
	for (uint64_t i = 0; run->stopped && i < residents.places; i++)
		if (residents.place[i].live)
			simt_find_poll(&residents.place[i], &run->poll);
	for (uint64_t i = 0; i < residents.places; i++)
		simt_block_free(&residents.place[i]);
	free(residents.place);
}
