#include "gpu/session.h"

#include "gpu/dispatch.h"

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

void session_find_polls(const struct gpu *gpu, const struct dispatch *dispatch, struct simt_polls *polls,
                        bool is_livelock)
{
	*polls = (struct simt_polls){.blocks = dispatch->blocks, .blocks_left = dispatch->blocks - dispatch->placed};
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		for (uint32_t w = 0; w < gpu->sm[i].config.warps; w++) {
			const struct sm *sm = &gpu->sm[i];
			const struct simt_kept kept = {.holder = gpu_kept_by(sm, w),
			                               .order = is_livelock ? gpu_left_out_by(sm, w) : NULL,
			                               .starver = is_livelock ? livelock_starves(sm, w) : NULL,
			                               .issuers = scheduler_issuers(sm, w),
			                               .sm = i};
			if (sm->warp[w].simt)
				simt_polls_add(polls, sm->warp[w].simt, &kept);
		}
}

bool session_is_stuck(const struct gpu *gpu, struct session_watch *watch, uint64_t warp_instructions)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	uint64_t count = warp_instructions + gpu->to_sms.stats.packets + gpu->to_slices.stats.packets;
	if (count == watch->last_count)
		return cycle - watch->last_change > gpu->machine.watchdog;
	watch->last_count = count;
	watch->last_change = cycle;
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
	run->launch.core_mhz = gpu->machine.core_mhz;
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
	seam_launch(gpu->seam, run->place, &seen, &run->analyses);
}

/* Calls a function for each kernel that is left, and for the session. */
static void for_kernels(struct gpu *gpu, const struct dispatch *dispatch,
                        void (*call)(struct seam *seam, uint32_t kernel))
{
	for (uint32_t place = 0; place < SM_MAX_KERNELS; place++)
		if (dispatch->grid[place].run)
			call(gpu->seam, place);
	if (gpu->seam->several)
		call(gpu->seam, SEAM_ALL);
}

static void end_kernels(struct gpu *gpu, const struct dispatch *dispatch, const struct session_finish *with)
{
	if (with->end != GPU_DONE)
		for_kernels(gpu, dispatch, seam_account_unfinished);
	for (uint32_t place = 0; place < SM_MAX_KERNELS; place++) {
		struct gpu_run *run = dispatch->grid[place].run;
		if (!run)
			continue;
		seam_kernel_end(gpu->seam, place);
		if (with->counted)
			with->counted(with->user, run);
	}
	if (gpu->seam->several)
		seam_end_session(gpu->seam);
}

void session_end(struct gpu *gpu, const struct dispatch *dispatch, const struct session_finish *with)
{
	team_end_threads(gpu->team);
	for_kernels(gpu, dispatch, seam_cycles_ended);
	if (with->end == GPU_DONE)
		expect_quiet(gpu);
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		sm_account(&gpu->sm[i], with->start + with->cycles);
		sm_end(&gpu->sm[i]);
	}
	for (uint32_t i = 0; i < gpu->slices; i++)
		cache_end_prefetches(&gpu->slice[i].cache, UINT32_MAX);
	end_kernels(gpu, dispatch, with);
	for (uint32_t i = 0; i < gpu->slices; i++) {
		slice_settle(&gpu->slice[i], gpu->clock[CLOCK_L2].cycle);
		slice_entry_settle(&gpu->slice[i], max_u64(gpu->clock[CLOCK_L2].cycle, gpu->slice[i].entry.settled));
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_settle(&gpu->channel[i], gpu->clock[CLOCK_DRAM].cycle);
}

void session_explain(struct gpu *gpu, enum gpu_end *end, bool is_livelock, char *message, size_t size)
{
	const struct seam_mistake *mistake = seam_mistake(gpu->seam);
	if (mistake && *end != GPU_FAULT) {
		*end = GPU_MISTAKE;
		snprintf(message, size, "%s", mistake->text);
	}
	if (*end == GPU_STALLED && !is_livelock)
		gpu_explain_deadlock(gpu, message, size);
	gpu->has_unfinished_work = *end != GPU_DONE;
}
