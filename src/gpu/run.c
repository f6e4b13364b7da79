/* run: the run of one kernel, from its launch to the last reply or an earlier end. together.c runs several kernels. */
#include "gpu/session.h"

#include "gpu/dispatch.h"
#include "gpu/gpu.h"
#include "gpu/livelock.h"
#include "gpu/profile.h"
#include "gpu/sampler.h"
#include "gpu/stats.h"
#include "gpu/wiring.h"

/* The minimum number of steps before the kernel can reach its instruction limit. In a step each scheduler issues at
 * most one instruction. So the limit is detected in the exact cycle in which it is reached, even after skipped
 * steps. */
static uint64_t steps_to_limit(const struct gpu *gpu, const struct gpu_run *run, uint64_t threads)
{
	uint64_t most = (uint64_t)gpu->machine.sms * gpu->machine.sm.schedulers * WARP_SIZE;
	return (run->max_thread_instructions - threads - 1) / most + 1;
}

/* No window passes the limit, and near it the check follows each window. */
static void come_to_limit(struct gpu *gpu, struct session_watch *watch, uint64_t steps)
{
	bool is_near = steps < SESSION_WATCH_STEPS + gpu->machine.window;
	gpu->window.cycles = (uint32_t)min_u64(steps, gpu->machine.window);
	if (is_near)
		watch->next = gpu->step + 1;
}

static bool must_stop(struct gpu *gpu, struct gpu_run *run, struct session_watch *watch,
                      const struct dispatch *dispatch, uint64_t start)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, threads;
	if (session_faulted(gpu, &run->fault)) {
		run->end = GPU_FAULT;
		return true;
	}
	if (seam_mistake(gpu->seam)) {
		run->end = GPU_MISTAKE;
		return true;
	}
	uint64_t warps = session_instructions(gpu, &threads);
	if (session_is_stuck(gpu, watch, warps)) {
		run->end = GPU_STALLED;
		return true;
	}
	if (simt_is_stopped(&run->launch) ||
	    (run->max_thread_instructions && threads >= run->max_thread_instructions)) {
		run->end = GPU_STOPPED;
		session_find_polls(gpu, dispatch, &run->polls, run->livelock);
		return true;
	}
	if (cycle >= watch->livelock.next && livelock_look(&watch->livelock, gpu, dispatch, cycle)) {
		run->end = GPU_STALLED;
		run->livelock = true;
		session_find_polls(gpu, dispatch, &run->polls, run->livelock);
		return true;
	}
	watch->next = gpu->step + SESSION_WATCH_STEPS;
	if (run->max_thread_instructions)
		come_to_limit(gpu, watch, steps_to_limit(gpu, run, threads));
	if (run->progress)
		run->progress(run->progress_user, dispatch_done(gpu), dispatch->blocks, cycle - start, warps);
	return false;
}

/* The blocks of a cooperative launch wait for each other, so all must fit at the same time. A mechanism can have
 * reduced the capacity. */
static bool fits_together(const struct gpu *gpu, struct gpu_run *run, const struct dispatch *dispatch)
{
	uint64_t room = (uint64_t)run->blocks_limit * gpu->machine.sms;
	if (!run->launch.cooperative || dispatch->blocks <= room)
		return true;
	run->end = GPU_MISTAKE;
	snprintf(run->message, sizeof run->message,
	         "a cooperative launch of %llu blocks; mechanisms leave space for only %llu at a time",
	         (unsigned long long)dispatch->blocks, (unsigned long long)room);
	return false;
}

/* Placed blocks may wait for those that were to be omitted. */
static void place_rest(struct dispatch *dispatch, uint64_t cycle)
{
	if (!dispatch->sampler || !sampler_gives_up(dispatch->sampler, cycle - dispatch->grid->launched))
		return;
	dispatch->blocks = dispatch->grid->blocks = dispatch->sampler->blocks;
	dispatch->try = true;
}

static void run_to_end(struct gpu *gpu, struct gpu_run *run, struct dispatch *dispatch, uint64_t start)
{
	struct session_watch watch = {.next = gpu->step, .last_change = max_u64(start, dispatch->grid->from)};
	run->end = GPU_DONE;
	run->livelock = false;
	livelock_begin(&watch.livelock, gpu, watch.last_change);
	if (run->max_thread_instructions)
		come_to_limit(gpu, &watch, steps_to_limit(gpu, run, 0));
	for (;;) {
		if (!cycle_window(gpu, dispatch)) {
			if (session_faulted(gpu, &run->fault))
				run->end = GPU_FAULT;
			else if (dispatch_done(gpu) < dispatch->blocks)
				run->end = GPU_STALLED;
			break;
		}
		if (gpu->step < watch.next)
			continue;
		if (must_stop(gpu, run, &watch, dispatch, start))
			break;
		place_rest(dispatch, gpu->clock[CLOCK_CORE].cycle);
	}
	livelock_end(&watch.livelock);
	cycle_settle(gpu);
	run->cycles = cycle_end(gpu, start) - start;
}

void gpu_renew(struct gpu *gpu)
{
	if (!gpu->has_unfinished_work)
		return;
	wiring_tear_down(gpu);
	wiring_build(gpu);
	gpu->has_unfinished_work = false;
}

void gpu_run(struct gpu *gpu, struct gpu_run *run)
{
	struct dispatch dispatch;
	gpu_renew(gpu);
	session_prepare(gpu, run);
	stats_reset(gpu);
	dispatch_begin(&dispatch);
	dispatch_place(&dispatch, run);
	session_show_launch(gpu, run);
	dispatch_limit(gpu, run);
	seam_kernel_begin(gpu->seam, run->place, run->blocks_limit);
	uint64_t start = gpu->clock[CLOCK_CORE].cycle;
	if (run->profile)
		gpu_profile_begin(gpu, run->launch.program->count);
	const struct session_start with = {.cycles = {.may_run_ahead = run->run_ahead.allowed && !run->launch.checks,
	                                              .may_overlap = !run->max_thread_instructions},
	                                   .l1_may_be_stale = run->l1_may_be_stale,
	                                   .waiting_loads = run->run_ahead.waiting_loads};
	session_begin(gpu, &with, start);
	dispatch_add(&dispatch, gpu, run);
	visits_begin(gpu, &run->visitor, start);
	if (fits_together(gpu, run, &dispatch))
		run_to_end(gpu, run, &dispatch, start);
	run->started = start;
	run->first_block = dispatch.grid[run->place].next ? dispatch.grid[run->place].first_block : start + run->cycles;
	session_end(gpu, &dispatch, &(struct session_finish){.end = run->end, .start = start, .cycles = run->cycles});
	stats_collect(gpu, &run->stats);
	if (run->profile)
		gpu_profile_end(gpu, run->profile);
	visits_end(gpu, run->cycles);
	session_explain(gpu, &run->end, run->livelock, run->message, sizeof run->message);
	if (run->end == GPU_DONE)
		dispatch_remove(&dispatch, gpu, run->place);
}
