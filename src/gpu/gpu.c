#include "gpu/gpu.h"

#include "gpu/dispatch.h"
#include "gpu/sender.h"
#include "gpu/stats.h"
#include "gpu/team.h"

#include <stdlib.h>
#include <string.h>

#define FEMTOSECONDS_PER_MHZ_CYCLE 1000000000ull /* 1 / 1 MHz */

static uint32_t route_to_slice(const struct request *request)
{
	return request->slice;
}

static uint32_t route_to_sm(const struct request *request)
{
	return request->sm;
}

/* The one place where units learn of each other: by their ports. */
static void wire_sms(struct gpu *gpu, struct worker *requests, struct worker *replies)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		struct sm *sm = &gpu->sm[i];
		struct worker *worker = worker_of_sm(gpu, i);
		struct port *out = &gpu->to_slices.input[i].port;
		sm->network = &gpu->to_slices;
		out->producer = &sm->wake;
		worker_join(out, worker, requests);
		port_open(&sm->from_network, &gpu->arena, gpu->machine.network.boundary_flits, &sm->wake);
		gpu->to_sms.output[i].port = &sm->from_network;
		worker_join(&sm->from_network, replies, worker);
	}
}

static void wire_slices(struct gpu *gpu, struct worker *requests, struct worker *replies)
{
	const struct machine *machine = &gpu->machine;
	for (uint32_t i = 0; i < gpu->slices; i++) {
		struct slice *slice = &gpu->slice[i];
		struct worker *worker = worker_of_slice(gpu, i);
		struct dram_channel *channel = &gpu->channel[i / machine->map.slices_per_channel];
		struct port *out = &gpu->to_sms.input[i].port;
		uint32_t local = i % machine->map.slices_per_channel;
		port_open(&slice->from_network, &gpu->arena, machine->network.boundary_flits, &slice->wake);
		gpu->to_slices.output[i].port = &slice->from_network;
		worker_join(&slice->from_network, requests, worker);
		slice->replies = &gpu->to_sms;
		out->producer = &slice->wake;
		worker_join(out, worker, replies);
		port_open(&channel->from_l2[local], &gpu->arena, machine->slice.to_dram_queue, &channel->wake);
		slice->to_dram = &channel->from_l2[local];
		slice->to_dram->producer = &slice->wake;
		channel->to_l2[local] = &slice->from_dram;
	}
}

/* The dispatcher's inputs of the request network, behind those of the SMs: one an L2 slice. */
static void wire_sender(struct gpu *gpu)
{
	static const enum crossbar_preference preferences[] = {[MECH_FAIR] = CROSSBAR_FAIR,
	                                                       [MECH_BEFORE_SMS] = CROSSBAR_FIRST,
	                                                       [MECH_AFTER_SMS] = CROSSBAR_LAST,
	                                                       [MECH_ALTERNATE] = CROSSBAR_ALTERNATE};
	const struct seam_gpu *seam = &gpu->seam->gpu;
	if (seam->sends)
		crossbar_prefer(&gpu->to_slices, gpu->machine.sms, gpu->slices, preferences[seam->preference]);
}

static void show_access(void *user, const struct request *request, enum cache_result result, uint64_t cycle)
{
	static const enum mech_result results[] = {
		[CACHE_HIT] = MECH_HIT, [CACHE_MISS] = MECH_MISS, [CACHE_MERGED] = MECH_MERGED};
	const struct mech_access access = {.address = request->address,
	                                   .bytes = request->bytes,
	                                   .sm = request->sm,
	                                   .warp = request->warp,
	                                   .pc = MECH_NO_PC,
	                                   .kind = request->kind == REQUEST_ATOMIC ? MECH_ATOMIC
	                                           : request->is_write             ? MECH_STORE
	                                                                           : MECH_LOAD,
	                                   .local = request->kind == REQUEST_LOCAL_READ ||
	                                            request->kind == REQUEST_LOCAL_WRITE,
	                                   .result = results[result],
	                                   .cycle = cycle};
	seam_partition_access(user, &access);
}

/* Makes all units, empty. */
static void build(struct gpu *gpu)
{
	const struct machine *machine = &gpu->machine;
	uint32_t per_channel = machine->map.slices_per_channel;
	const struct mech_machine seen = gpu_mech_machine(machine);
	gpu->seam = seam_open(gpu->attached, gpu->attachments, &seen, &gpu->clock[CLOCK_CORE].cycle);
	gpu->sm = arena_array(&gpu->arena, machine->sms, sizeof *gpu->sm);
	gpu->slice = arena_array(&gpu->arena, gpu->slices, sizeof *gpu->slice);
	gpu->channel = arena_array(&gpu->arena, machine->map.channels, sizeof *gpu->channel);
	for (uint32_t i = 0; i < machine->sms; i++)
		sm_open(&gpu->sm[i], i, machine->sms, &machine->sm, &gpu->seam->sm[i], &machine->map,
		        &worker_of_sm(gpu, i)->requests, gpu->clock[CLOCK_CORE].period);
	crossbar_open(&gpu->to_slices, &machine->network, machine->sms + (gpu->seam->gpu.sends ? gpu->slices : 0),
	              gpu->slices, route_to_slice, &gpu->arena);
	crossbar_open(&gpu->to_sms, &machine->network, gpu->slices, machine->sms, route_to_sm, &gpu->arena);
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_open(&gpu->slice[i], i, &machine->slice, &machine->l2, &machine->map,
		           &worker_of_slice(gpu, i)->requests, gpu->clock[CLOCK_L2].period, &gpu->arena);
	for (uint32_t i = 0; i < gpu->slices; i++)
		if (gpu->seam->partition[i].access.count) {
			gpu->slice[i].look = show_access;
			gpu->slice[i].look_user = &gpu->seam->partition[i];
		}
	for (uint32_t i = 0; i < machine->map.channels; i++)
		dram_open(&gpu->channel[i], &machine->dram, &machine->map,
		          &worker_of_slice(gpu, i * per_channel)->requests, gpu->clock[CLOCK_DRAM].period,
		          gpu->clock[CLOCK_L2].period, &gpu->arena);
	struct worker *requests = &gpu->worker[gpu->workers - 1], *replies = gpu->worker;
	requests->request_network = replies->reply_network = true;
	wire_sms(gpu, requests, replies);
	wire_slices(gpu, requests, replies);
	wire_sender(gpu);
	gpu->last_sm = machine->sms - 1;
}

static void tear_down(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_close(&gpu->sm[i]);
	seam_close(gpu->seam);
	workers_empty(gpu);
	arena_free(&gpu->arena);
}

struct mech_machine gpu_mech_machine(const struct machine *machine)
{
	const struct sm_config *sm = &machine->sm;
	return (struct mech_machine){.sms = machine->sms,
	                             .partitions = machine->map.channels * machine->map.slices_per_channel,
	                             .warps = sm->warps,
	                             .blocks = sm->blocks,
	                             .schedulers = sm->schedulers,
	                             .shared_bytes = sm->shared_bytes,
	                             .registers = sm->registers,
	                             .line_bytes = sm->l1d.line_bytes,
	                             .l1_sets = sm->l1d.sets,
	                             .l1_ways = sm->l1d.ways,
	                             .l1_mshrs = sm->l1d.mshrs,
	                             .l1_sector_bytes = sm->l1d.line_bytes / sm->l1d.sectors,
	                             .send_queue = machine->send_queue};
}

/* No worker is without an SM. */
static uint32_t useful_workers(uint32_t threads, uint32_t sms)
{
	uint32_t most = sms < MAX_WORKERS ? sms : MAX_WORKERS;
	return threads < most ? threads : most;
}

struct gpu *gpu_open(const struct machine *machine, const struct seam_attached *attached, uint32_t attachments,
                     uint32_t threads)
{
	uint32_t mhz[CLOCKS] = {machine->core_mhz, machine->network_mhz, machine->l2_mhz, machine->dram_mhz};
	uint64_t mebibyte = 1u << 20;
	struct simt_memory *memory = simt_memory_open(machine->heap_base_mib * mebibyte, machine->memory_mib * mebibyte,
	                                              machine->reuse_freed);
	if (!memory)
		return NULL;
	struct gpu *gpu = xcalloc(1, sizeof *gpu);
	gpu->machine = *machine;
	machine_derive(&gpu->machine);
	gpu->memory = memory;
	gpu->attachments = attachments;
	for (uint32_t i = 0; i < attachments; i++)
		gpu->attached[i] = attached[i];
	gpu->slices = machine->map.channels * machine->map.slices_per_channel;
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].period = (FEMTOSECONDS_PER_MHZ_CYCLE + mhz[d] / 2) / mhz[d];
	gpu->workers = useful_workers(threads, machine->sms);
	gpu->worker = arena_array(&gpu->host, gpu->workers, sizeof *gpu->worker);
	workers_open(gpu);
	build(gpu);
	gpu->team = team_open(gpu);
	return gpu;
}

void gpu_close(struct gpu *gpu)
{
	if (!gpu)
		return;
	team_close(gpu->team);
	tear_down(gpu);
	workers_close(gpu);
	arena_free(&gpu->host);
	simt_memory_close(gpu->memory);
	free(gpu);
}

double gpu_seconds(const struct gpu *gpu)
{
	return (double)gpu->now * 1e-15;
}

static uint64_t cycle_from(const struct gpu *gpu, enum clock_domain domain, uint64_t time)
{
	uint64_t period = gpu->clock[domain].period;
	return (time + period - 1) / period;
}

/* Moves every clock to its first cycle at or after `time`. */
static void skip_to(struct gpu *gpu, uint64_t time)
{
	for (int d = 0; d < CLOCKS; d++) {
		uint64_t cycle = cycle_from(gpu, d, time);
		if (cycle > gpu->clock[d].cycle)
			gpu->clock[d].cycle = cycle;
	}
}

/* One step: all clocks but DRAM's whose time has come, DRAM up to then, and new blocks. True when a unit ticked or a block
 * started. */
static bool step(struct gpu *gpu, struct dispatch *dispatch)
{
	uint64_t at[CLOCKS];
	gpu->now = UINT64_MAX;
	for (int d = 0; d < CLOCK_DRAM; d++) {
		at[d] = gpu->clock[d].cycle * gpu->clock[d].period;
		gpu->now = at[d] < gpu->now ? at[d] : gpu->now;
	}
	struct step step = {.number = ++gpu->step,
	                    .now = gpu->now,
	                    .core = at[CLOCK_CORE] == gpu->now,
	                    .network = at[CLOCK_NETWORK] == gpu->now,
	                    .l2 = at[CLOCK_L2] == gpu->now,
	                    .core_cycle = gpu->clock[CLOCK_CORE].cycle,
	                    .network_cycle = gpu->clock[CLOCK_NETWORK].cycle,
	                    .l2_cycle = gpu->clock[CLOCK_L2].cycle};
	team_step(gpu->team, gpu, &step);
	bool ticked = false;
	for (uint32_t w = 0; w < gpu->workers; w++) {
		ticked |= gpu->worker[w].ticked;
		dispatch->try |= gpu->worker[w].starved;
	}
	if (step.core && dispatch_cycle(dispatch, gpu)) {
		gpu->worker[0].last_ticked = gpu->now;
		ticked = true;
	}
	for (int d = 0; d < CLOCK_DRAM; d++)
		gpu->clock[d].cycle += at[d] == gpu->now;
	return ticked;
}

/* The earliest time at which any unit wants to tick, when none did. */
static uint64_t next_event(const struct gpu *gpu, const struct dispatch *dispatch)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t w = 0; w < gpu->workers; w++)
		first = gpu->worker[w].next < first ? gpu->worker[w].next : first;
	const struct seam_gpu *seam = &gpu->seam->gpu;
	if (seam->first_wake != MECH_NEVER) {
		uint64_t time = seam->first_wake * gpu->clock[CLOCK_CORE].period;
		first = time < first ? time : first;
	}
	/* at the next core cycle, which need not be the next step */
	return seam->queued || dispatch_asks(dispatch) ? gpu->now + 1 : first;
}

static uint64_t last_ticked(const struct gpu *gpu)
{
	uint64_t last = 0;
	for (uint32_t w = 0; w < gpu->workers; w++)
		last = gpu->worker[w].last_ticked > last ? gpu->worker[w].last_ticked : last;
	return last;
}

static bool faulted(const struct gpu *gpu, struct simt_fault *fault)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].fault.what) {
			*fault = gpu->sm[i].fault;
			return true;
		}
	return false;
}

static uint64_t instructions(const struct gpu *gpu, uint64_t *threads)
{
	uint64_t warps = 0;
	*threads = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		warps += gpu->sm[i].stats.warp_instructions;
		*threads += gpu->sm[i].stats.thread_instructions;
	}
	return warps;
}

/* What is looked at only now and then: faults, limits, progress. */
struct watch {
	uint64_t next, last_count, last_change;
};

enum { WATCH_STEPS = 256 };

static bool must_stop(struct gpu *gpu, struct gpu_run *run, struct watch *watch, const struct dispatch *dispatch,
                      uint64_t start)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, threads;
	if (faulted(gpu, &run->fault)) {
		run->end = GPU_FAULT;
		return true;
	}
	if (seam_mistake(gpu->seam)) {
		run->end = GPU_MISTAKE;
		return true;
	}
	uint64_t warps = instructions(gpu, &threads);
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
		return true;
	}
	if (run->progress)
		run->progress(run->progress_user, dispatch_done(gpu), dispatch->blocks, cycle - start, warps);
	return false;
}

static void run_to_end(struct gpu *gpu, struct gpu_run *run, struct dispatch *dispatch, uint64_t start)
{
	struct watch watch = {.last_change = start};
	run->end = GPU_DONE;
	for (uint64_t steps = 0;; steps++) {
		if (!step(gpu, dispatch)) {
			uint64_t event = next_event(gpu, dispatch);
			if (event == UINT64_MAX) {
				if (faulted(gpu, &run->fault))
					run->end = GPU_FAULT;
				else if (dispatch_done(gpu) < dispatch->blocks)
					run->end = GPU_STALLED;
				break;
			}
			skip_to(gpu, event);
		}
		if (steps % WATCH_STEPS == 0 && must_stop(gpu, run, &watch, dispatch, start))
			break;
	}
	uint64_t end = cycle_from(gpu, CLOCK_CORE, last_ticked(gpu)) + 1;
	end = end > start ? end : start + 1;
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].cycle = cycle_from(gpu, d, end * gpu->clock[CLOCK_CORE].period);
	run->cycles = end - start;
}

/* Brings all units' and workers' clocks to the launch's beginning. */
static void begin(struct gpu *gpu, const struct gpu_run *run, uint64_t start)
{
	for (uint32_t w = 0; w < gpu->workers; w++) {
		gpu->worker[w].dram_cycle = gpu->clock[CLOCK_DRAM].cycle;
		gpu->worker[w].last_ticked = 0;
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		gpu->channel[i].last_cycle = gpu->clock[CLOCK_DRAM].cycle;
	for (uint32_t i = 0; i < gpu->slices; i++)
		gpu->slice[i].settled = gpu->clock[CLOCK_L2].cycle;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		gpu->sm[i].accounted = start;
		sm_begin(&gpu->sm[i], &run->launch, run->blocks_limit);
	}
}

static void show_launch(struct gpu *gpu, const struct gpu_run *run)
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
	};
	seam_launch(gpu->seam, &seen, &run->analyses);
}

void gpu_mech_stats(const struct gpu *gpu, uint32_t number, void *stats, struct mech_requests *requests,
                    struct mech_requests *by_pc)
{
	seam_stats(gpu->seam, number, stats, requests, by_pc);
}

void gpu_run(struct gpu *gpu, struct gpu_run *run)
{
	struct dispatch dispatch;
	run->launch.memory = gpu->memory;
	run->launch.sm_count = gpu->machine.sms;
	run->launch.first_path = gpu->machine.sm.first_path;
	run->launch.id = ++gpu->kernels;
	stats_reset(gpu);
	show_launch(gpu, run);
	dispatch_begin(&dispatch, gpu, run);
	seam_kernel_begin(gpu->seam, run->blocks_limit);
	uint64_t start = gpu->clock[CLOCK_CORE].cycle;
	begin(gpu, run, start);
	run_to_end(gpu, run, &dispatch, start);
	team_rest(gpu->team);
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		sm_account(&gpu->sm[i], start + run->cycles);
		sm_end(&gpu->sm[i]);
	}
	seam_kernel_end(gpu->seam);
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_settle(&gpu->slice[i], gpu->clock[CLOCK_L2].cycle);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_settle(&gpu->channel[i], gpu->clock[CLOCK_DRAM].cycle);
	stats_collect(gpu, &run->stats);
	const struct seam_mistake *mistake = seam_mistake(gpu->seam);
	if (mistake && run->end != GPU_FAULT) {
		run->end = GPU_MISTAKE;
		snprintf(run->message, sizeof run->message, "%s", mistake->text);
	}
	if (run->end == GPU_STALLED)
		gpu_explain_deadlock(gpu, run->message, sizeof run->message);
	if (run->end != GPU_DONE) { /* the units are full of what will never end: begin with empty ones */
		tear_down(gpu);
		build(gpu);
	}
}
