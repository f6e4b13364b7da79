/* run: the run of one kernel, from its launch to the last reply or an earlier end. together.c runs several kernels. */
#include "gpu/session.h"

#include "gpu/dispatch.h"
#include "gpu/gpu.h"
#include "gpu/livelock.h"
#include "gpu/profile.h"
#include "gpu/sampler.h"
#include "gpu/stats.h"
#include "gpu/wiring.h"

bool session_faulted(const struct gpu *gpu, struct simt_fault *fault)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].fault.what) {
			*fault = gpu->sm[i].fault;
			return true;
		}
	return false;
}

uint64_t session_instructions(const struct gpu *gpu, uint64_t *threads)
{
	uint64_t warps = 0;
	*threads = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		warps += gpu->sm[i].stats.warp_instructions;
		*threads += gpu->sm[i].stats.thread_instructions;
	}
	return warps;
}

/* Checks that are made only at intervals: faults, limits, progress. */
struct watch {
	uint64_t next; /* step of the next check */
	uint64_t last_count, last_change;
	struct livelock livelock;
};

enum { WATCH_STEPS = 256 };

/* The minimum number of steps before the kernel can reach its instruction limit. In a step each scheduler issues at
 * most one instruction. So the limit is detected in the exact cycle in which it is reached, even after skipped
 * steps. */
static uint64_t steps_to_limit(const struct gpu *gpu, const struct gpu_run *run, uint64_t threads)
{
	uint64_t most = (uint64_t)gpu->machine.sms * gpu->machine.sm.schedulers * WARP_SIZE;
	return (run->max_thread_instructions - threads - 1) / most + 1;
}

/* No window passes the limit, and near it the check follows each window. */
static void come_to_limit(struct gpu *gpu, struct watch *watch, uint64_t steps)
{
	bool is_near = steps < WATCH_STEPS + gpu->machine.window;
	gpu->window.cycles = (uint32_t)min_u64(steps, gpu->machine.window);
	if (is_near)
		watch->next = gpu->step + 1;
}

void session_find_polls(const struct gpu *gpu, const struct dispatch *dispatch, struct simt_polls *polls,
                        bool is_livelock)
{
	*polls = (struct simt_polls){.blocks = dispatch->blocks, .blocks_left = dispatch->blocks - dispatch->placed};
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		for (uint32_t w = 0; w < gpu->sm[i].config.warps; w++)
			if (gpu->sm[i].warp[w].simt)
				simt_polls_add(polls, gpu->sm[i].warp[w].simt, gpu_kept_by(&gpu->sm[i], w),
				               is_livelock ? gpu_left_out_by(&gpu->sm[i], w) : NULL);
}

static bool must_stop(struct gpu *gpu, struct gpu_run *run, struct watch *watch, const struct dispatch *dispatch,
                      uint64_t start)
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
	uint64_t count = warps + gpu->to_sms.stats.packets + gpu->to_slices.stats.packets;
	if (count != watch->last_count) {
		watch->last_count = count;
		watch->last_change = cycle;
	} else if (cycle - watch->last_change > gpu->machine.watchdog) {
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
	watch->next = gpu->step + WATCH_STEPS;
	if (run->max_thread_instructions)
		come_to_limit(gpu, watch, steps_to_limit(gpu, run, threads));
	if (run->progress)
		run->progress(run->progress_user, dispatch_done(gpu), dispatch->blocks, cycle - start, warps);
	return false;
}

/* A kernel that ran to its end leaves nothing in flight. */
static void expect_quiet(const struct gpu *gpu)
{
	assert(!gpu->to_slices.in_flight && !gpu->to_sms.in_flight);
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		assert(!gpu->sm[i].blocks.resident && port_empty(&gpu->sm[i].network.replies));
	for (uint32_t i = 0; i < gpu->clusters; i++)
		assert(port_empty(&gpu->cluster[i].from_network) && port_empty(&gpu->cluster[i].replies));
	for (uint32_t i = 0; i < gpu->slices; i++)
		assert(!gpu->slice[i].busy && gpu->slice[i].entry.left == gpu->slice[i].entry.entered);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		assert(!gpu->channel[i].pending && !gpu->channel[i].serving && !gpu->channel[i].transfers);
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
	struct watch watch = {.next = gpu->step, .last_change = max_u64(start, dispatch->grid->from)};
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

void session_begin(struct gpu *gpu, const struct session_start *with, uint64_t start)
{
	cycle_begin(gpu, &with->cycles);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		gpu->channel[i].last_cycle = gpu->clock[CLOCK_DRAM].cycle;
	for (uint32_t i = 0; i < gpu->slices; i++)
		gpu->slice[i].settled = gpu->slice[i].entry.settled = gpu->clock[CLOCK_L2].cycle;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		if (with->l1_may_be_stale)
			cache_invalidate(&gpu->sm[i].l1.data);
		gpu->sm[i].accounted = start;
		gpu->sm[i].mechanisms_send = seam_sends(gpu->seam);
		gpu->sm[i].loads_that_wait = with->waiting_loads;
		sm_begin(&gpu->sm[i], with->several);
	}
}

void session_prepare(struct gpu *gpu, struct gpu_run *run)
{
	run->launch.memory = gpu->memory;
	run->launch.sm_count = gpu->machine.sms;
	run->launch.first_path = gpu->machine.sm.first_path;
	run->launch.id = ++gpu->kernels;
	run->launch.copies_overlap = gpu->machine.sm.async_copies;
	run->launch.bulk_overlaps =
		seam_owns_opcode(gpu->seam, PTX_OP_CP_BULK) && seam_owns_opcode(gpu->seam, PTX_OP_CP_BULK_TENSOR);
	run->launch.dma_overlaps = seam_owns_opcode(gpu->seam, PTX_OP_DMA_FLAT);
}

void session_show_launch(struct gpu *gpu, const struct gpu_run *run)
{
	const struct simt_launch *launch = &run->launch;
	uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
	const struct mech_launch seen = {
		.kernel = launch->program->kernel->name,
		.number = launch->id,
		.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
		.block = {launch->block.x, launch->block.y, launch->block.z},
		.threads = threads,
		.warps = (threads + WARP_SIZE - 1) / WARP_SIZE,
		.shared_bytes = launch->program->shared_bytes + launch->dynamic_shared_bytes,
		.blocks_per_sm = run->blocks_per_sm,
		.instructions = launch->program->count,
		.line = run->line,
		.polls = launch->program->polls,
	};
	seam_launch(gpu->seam, &seen, &run->analyses);
}

void gpu_renew(struct gpu *gpu)
{
	if (!gpu->has_unfinished_work)
		return;
	wiring_tear_down(gpu);
	wiring_build(gpu);
	gpu->has_unfinished_work = false;
}

void session_end(struct gpu *gpu, enum gpu_end end, uint64_t start, uint64_t cycles)
{
	team_end_threads(gpu->team);
	seam_cycles_ended(gpu->seam);
	if (end == GPU_DONE)
		expect_quiet(gpu);
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		sm_account(&gpu->sm[i], start + cycles);
		sm_end(&gpu->sm[i]);
	}
	for (uint32_t i = 0; i < gpu->slices; i++)
		cache_watch_end(&gpu->slice[i].cache);
	if (end != GPU_DONE)
		seam_account_unfinished(gpu->seam);
	seam_kernel_end(gpu->seam);
	for (uint32_t i = 0; i < gpu->slices; i++) {
		slice_settle(&gpu->slice[i], gpu->clock[CLOCK_L2].cycle);
		slice_entry_settle(&gpu->slice[i], max_u64(gpu->clock[CLOCK_L2].cycle, gpu->slice[i].entry.settled));
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_settle(&gpu->channel[i], gpu->clock[CLOCK_DRAM].cycle);
}

void gpu_run(struct gpu *gpu, struct gpu_run *run)
{
	struct dispatch dispatch;
	gpu_renew(gpu);
	session_prepare(gpu, run);
	stats_reset(gpu);
	session_show_launch(gpu, run);
	dispatch_begin(&dispatch);
	dispatch_limit(gpu, run);
	seam_kernel_begin(gpu->seam, run->blocks_limit);
	uint64_t start = gpu->clock[CLOCK_CORE].cycle;
	if (run->profile)
		gpu_profile_begin(gpu, run->launch.program->count);
	const struct session_start with = {.cycles = {.may_run_ahead = run->run_ahead.allowed && !run->launch.checks,
	                                              .may_overlap = !run->max_thread_instructions},
	                                   .l1_may_be_stale = run->l1_may_be_stale,
	                                   .waiting_loads = run->run_ahead.waiting_loads};
	session_begin(gpu, &with, start);
	uint32_t place = dispatch_add(&dispatch, gpu, run);
	visits_begin(gpu, &run->visitor, start);
	if (fits_together(gpu, run, &dispatch))
		run_to_end(gpu, run, &dispatch, start);
	session_end(gpu, run->end, start, run->cycles);
	stats_collect(gpu, &run->stats);
	if (run->profile)
		gpu_profile_end(gpu, run->profile);
	visits_end(gpu, run->cycles);
	const struct seam_mistake *mistake = seam_mistake(gpu->seam);
	if (mistake && run->end != GPU_FAULT) {
		run->end = GPU_MISTAKE;
		snprintf(run->message, sizeof run->message, "%s", mistake->text);
	}
	if (run->end == GPU_STALLED && !run->livelock)
		gpu_explain_deadlock(gpu, run->message, sizeof run->message);
	gpu->has_unfinished_work = run->end != GPU_DONE;
	if (run->end == GPU_DONE)
		dispatch_remove(&dispatch, gpu, place);
}
