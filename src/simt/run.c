#include "base/arena.h"
#include "simt/exec.h"
#include "simt/program.h"
#include "simt/trial.h"

#include <assert.h>
#include <stdlib.h>

/* Steps before the next warp or block has its turn. Turns are short enough for warps that poll for each other, and
 * long enough that registers stay in the host's caches. A block's turn cycles through its warps until it is used
 * up. */
enum { WARP_TURN = 64, BLOCK_TURN = 8192 };

/* Returns true for instructions after which a warp continues with the next one, unless lanes synchronize there. */
static bool goes_straight_on(const struct simt_inst *inst)
{
	return (inst->kind == SIMT_ALU || inst->kind == SIMT_LOAD) && !inst->together;
}

void run_mark_stretches(struct simt_program *program)
{
	bool *meets = base_calloc(program->count + 1, sizeof *meets);
	for (uint32_t pc = 0; pc < program->count; pc++)
		if (program->code[pc].reconverge != SIMT_NO_PC)
			meets[program->code[pc].reconverge] = true;
	for (uint32_t pc = program->count; pc-- > 0;) {
		struct simt_inst *inst = &program->code[pc];
		uint32_t behind = pc + 1 < program->count && !meets[pc + 1] ? inst[1].stretch : 0;
		inst->stretch = goes_straight_on(inst) ? (uint8_t)(behind < WARP_TURN ? behind + 1 : WARP_TURN) : 0;
	}
	free(meets);
}

/* Runs an instruction without advancing pc. The caller clears commits, exited and fault after it has read them. */
static inline void execute(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t lanes = guarded_lanes(warp, inst);
	step->inst = inst;
	step->lanes = lanes;
	step->mixed_spaces = false;
	step->apart = false;
	step->unit_stride = false;
	step->same = false;
	step->space = inst->space;
	if (LIKELY(lanes))
		inst->exec(warp, inst, step);
	else if (inst->skipped)
		inst->skipped(warp, inst, step);
}

static inline void run_instruction(struct simt_warp *warp, struct simt_step *step)
{
	const struct simt_inst *inst = &warp->code[warp->pc];
	step->issued = warp->lanes;
	warp->pc++;
	execute(warp, inst, step);
	if (UNLIKELY(warp->pc == warp->reconverge))
		control_join(warp);
}

void simt_step(struct simt_warp *warp, struct simt_step *step)
{
	step->commits = false;
	step->exited = false;
	step->fault.what = NULL;
	run_instruction(warp, step);
}

void simt_commit(struct simt_warp *warp, struct simt_step *step)
{
	if (step->commits)
		step->inst->commit(warp, step->inst, step);
}

static bool can_run(const struct simt_warp *warp)
{
	return !warp->done && !(warp->block->waiting >> warp->index & 1);
}

/* Completes a step: its stores, a barrier, a fault. Returns false when the warp does not continue. */
static bool finish_step(struct simt_warp *warp, struct simt_step *step, struct simt_run *run, struct simt_trial *trial)
{
	if (trial && step->commits && !step->fault.what)
		trial_keep(trial, step);
	if (!step->fault.what)
		simt_commit(warp, step);
	if (UNLIKELY(step->fault.what != NULL)) {
		run->fault = step->fault;
		return false;
	}
	if (step->inst->kind == SIMT_BARRIER || step->exited)
		simt_barrier(warp, step);
	step->commits = step->exited = false;
	return can_run(warp);
}

static inline void count(struct simt_run *run, const struct simt_step *step)
{
	run->warp_instructions++;
	run->thread_instructions += (uint64_t)__builtin_popcount(step->lanes);
}

/* Runs up to `most` consecutive instructions, as long as a step needs no completion. Returns their number. */
static unsigned run_stretch(struct simt_warp *warp, struct simt_step *step, struct simt_run *run, unsigned most)
{
	const struct simt_inst *inst = &warp->code[warp->pc], *end = inst + most, *begin = inst;
	step->issued = warp->lanes;
	do {
		execute(warp, inst++, step);
		count(run, step);
	} while (inst < end && !step->fault.what && !step->commits);
	warp->pc += (uint32_t)(inst - begin);
	if (UNLIKELY(warp->pc == warp->reconverge))
		control_join(warp);
	return (unsigned)(inst - begin);
}

/* Returns the number of instructions of a stretch that a warp may run before limits must be checked; 0: the next
 * instruction is in no stretch. */
static inline unsigned room_for(const struct simt_warp *warp, const struct simt_run *run, unsigned turn, uint64_t limit)
{
	unsigned length = warp->code[warp->pc].stretch;
	length = length < turn ? length : turn;
	return limit - run->thread_instructions > (uint64_t)WARP_TURN * WARP_SIZE ? length : 0;
}

/* Runs a warp until it waits, is done, has used its turn, or the run ends. Instantiated twice, so that a run
 * without a trial has no overhead. */
static inline __attribute__((always_inline)) void run_warp(struct simt_warp *warp, struct simt_run *run, uint64_t limit,
                                                           struct simt_trial *trial)
{
	struct simt_step step;
	step.commits = step.exited = false;
	step.fault.what = NULL;
	for (unsigned turn = WARP_TURN; turn;) {
		if (UNLIKELY(run->thread_instructions >= limit)) {
			run->stopped = true;
			return;
		}
		unsigned length = room_for(warp, run, turn, limit), done = 1;
		uint32_t pc = warp->pc;
		if (length) {
			done = run_stretch(warp, &step, run, length);
		} else {
			run_instruction(warp, &step);
			count(run, &step);
		}
		turn -= done;
		if (trial)
			trial_count(trial, pc, done);
		bool is_plain = !step.commits && !step.exited && !step.fault.what && step.inst->kind != SIMT_BARRIER;
		if (!is_plain && !finish_step(warp, &step, run, trial))
			return;
	}
}

static void run_plain(struct simt_warp *warp, struct simt_run *run, uint64_t limit)
{
	run_warp(warp, run, limit, NULL);
}

static void run_tried(struct simt_warp *warp, struct simt_run *run, uint64_t limit)
{
	run_warp(warp, run, limit, warp->block->launch->trial);
}

static bool has_ended(const struct simt_run *run)
{
	return run->stopped || run->fault.what;
}

/* Gives each warp its turn. */
static void run_turn(struct simt_block *block, struct simt_run *run, uint64_t limit)
{
	assert(block->live & ~block->waiting);
	for (uint32_t w = 0; w < block->warps && !has_ended(run); w++) {
		if (can_run(&block->warp[w]))
			(block->launch->trial ? run_tried : run_plain)(&block->warp[w], run, limit);
		run->stopped |= simt_is_stopped(block->launch);
	}
}

/* The blocks that are resident together, each at its own index. */
struct residents {
	const struct simt_launch *launch;
	struct simt_block *place;
	uint64_t places, blocks;
	uint64_t next; /* next block to start */
};

/* Gives one index its turn, and starts the next block there when one has ended. Blocks shorter than a turn run one
 * after the other at one index. Returns whether any block is left. */
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

/* Gives each index its turn. Returns whether any block is left. */
static bool run_round(struct residents *residents, struct simt_run *run, uint64_t limit)
{
	bool left = false;
	for (uint64_t i = 0; i < residents->places && !has_ended(run); i++)
		left |= run_place(residents, &residents->place[i], run, limit);
	return left;
}

static void find_polls(const struct residents *residents, struct simt_polls *polls)
{
	for (uint64_t i = 0; i < residents->places; i++)
		for (uint32_t w = 0; residents->place[i].live && w < residents->place[i].warps; w++)
			simt_polls_add(polls, &residents->place[i].warp[w], &(struct simt_kept){0});
	polls->blocks = residents->blocks;
	polls->blocks_left = residents->blocks - residents->next;
}

static void open_residents(struct residents *residents, const struct simt_launch *launch, struct simt_run *run)
{
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z, left = blocks - launch->first;
	*residents = (struct residents){.launch = launch, .blocks = blocks, .next = launch->first};
	residents->places = launch->cooperative || launch->resident > left ? left
	                    : launch->resident                             ? launch->resident
	                                                                   : 1;
	residents->place = base_calloc(residents->places, sizeof *residents->place);
	*run = (struct simt_run){0};
	for (uint64_t i = 0; i < residents->places; i++)
		residents->place[i].clock = &run->warp_instructions;
}

static void close_residents(struct residents *residents, struct simt_run *run)
{
	if (run->stopped)
		find_polls(residents, &run->polls);
	for (uint64_t i = 0; i < residents->places; i++)
		simt_block_free(&residents->place[i]);
	free(residents->place);
}

void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run)
{
	uint64_t limit = max_instructions ? max_instructions : UINT64_MAX;
	struct residents residents;
	open_residents(&residents, launch, run);
	while (!has_ended(run) && run_round(&residents, run, limit))
		;
	close_residents(&residents, run);
}

/* A launch of several that take turns. */
struct turn {
	struct simt_job *job;
	struct residents residents;
	struct turn *next;
};

/* Begins launches while there are some that may begin. Appends them to the list that ends at `last`. */
static void begin_turns(const struct simt_feed *feed, struct turn **last)
{
	for (struct simt_job *job; (job = feed->next(feed->user));) {
		struct turn *turn = *last = base_calloc(1, sizeof *turn);
		turn->job = job;
		open_residents(&turn->residents, job->launch, &job->run);
		last = &turn->next;
	}
}

static void end_turn(struct turn **at)
{
	struct turn *turn = *at;
	*at = turn->next;
	close_residents(&turn->residents, &turn->job->run);
	free(turn);
}

/* Gives the launch its turn. Returns false when it has ended, and calls the feed's `ended`. */
static bool run_turn_of_launch(const struct simt_feed *feed, struct turn **at)
{
	struct simt_job *job = (*at)->job;
	bool left = run_round(&(*at)->residents, &job->run, UINT64_MAX);
	if (left && !has_ended(&job->run))
		return true;
	end_turn(at);
	feed->ended(feed->user, job);
	return false;
}

static struct turn **end_of(struct turn **list)
{
	while (*list)
		list = &(*list)->next;
	return list;
}

struct simt_turns {
	struct turn *first, **at; /* whose turn it is */
};

bool simt_run_together(const struct simt_feed *feed, struct simt_turns **state)
{
	struct simt_turns *turns = *state;
	if (!turns) {
		turns = *state = base_calloc(1, sizeof *turns);
		turns->at = &turns->first;
	}
	begin_turns(feed, end_of(&turns->first));
	bool has_enough = feed->has_enough(feed->user);
	while (turns->first && !has_enough) {
		struct turn *turn = *turns->at;
		bool has_ended = !run_turn_of_launch(feed, turns->at);
		if (has_ended || (feed->has_new && *feed->has_new)) {
			begin_turns(feed, end_of(turns->at));
			has_enough = feed->has_enough(feed->user);
		}
		if (!has_ended)
			turns->at = &turn->next;
		if (!*turns->at)
			turns->at = &turns->first;
	}
	bool is_over = !turns->first;
	if (is_over)
		simt_cut_turns(state);
	return is_over;
}

void simt_cut_turns(struct simt_turns **state)
{
	struct simt_turns *turns = *state;
	while (turns->first)
		end_turn(&turns->first);
	free(turns);
	*state = NULL;
}
