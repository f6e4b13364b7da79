#include "gpu/gpu.h"

#include "gpu/dispatch.h"
#include "gpu/stats.h"

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
static void wire(struct gpu *gpu)
{
	const struct machine *machine = &gpu->machine;
	struct arena *arena = &gpu->arena;
	uint32_t slices_per_channel = machine->map.slices_per_channel, boundary = machine->network.boundary_flits;

	for (uint32_t i = 0; i < machine->sms; i++) {
		struct sm *sm = &gpu->sm[i];
		sm->network = &gpu->to_slices;
		sm->replies = &gpu->to_sms;
		port_open(&sm->from_network, arena, boundary, &sm->wake);
		gpu->to_slices.input[i].port.producer = &sm->wake;
		gpu->to_sms.output[i].port = &sm->from_network;
	}
	for (uint32_t i = 0; i < gpu->slices; i++) {
		struct slice *slice = &gpu->slice[i];
		struct dram_channel *channel = &gpu->channel[i / slices_per_channel];
		uint32_t local = i % slices_per_channel;
		slice->requests = &gpu->to_slices;
		slice->replies = &gpu->to_sms;
		port_open(&slice->from_network, arena, boundary, &slice->wake);
		gpu->to_slices.output[i].port = &slice->from_network;
		port_open(&channel->from_l2[local], arena, machine->slice.to_dram_queue, &channel->wake);
		slice->to_dram = &channel->from_l2[local];
		slice->to_dram->producer = &slice->wake;
		gpu->to_sms.input[i].port.producer = &slice->wake;
		channel->to_l2[local] = &slice->from_dram;
	}
}

/* Makes all units, empty. */
static void build(struct gpu *gpu)
{
	const struct machine *machine = &gpu->machine;
	gpu->requests = (struct request_pool){.arena = &gpu->arena};
	gpu->sm = arena_array(&gpu->arena, machine->sms, sizeof *gpu->sm);
	gpu->slice = arena_array(&gpu->arena, gpu->slices, sizeof *gpu->slice);
	gpu->channel = arena_array(&gpu->arena, machine->map.channels, sizeof *gpu->channel);
	for (uint32_t i = 0; i < machine->sms; i++)
		sm_open(&gpu->sm[i], i, machine->sms, &machine->sm, &machine->map, gpu->clock[CLOCK_CORE].period);
	crossbar_open(&gpu->to_slices, &machine->network, machine->sms, gpu->slices, route_to_slice, &gpu->arena);
	crossbar_open(&gpu->to_sms, &machine->network, gpu->slices, machine->sms, route_to_sm, &gpu->arena);
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_open(&gpu->slice[i], i, &machine->slice, &machine->l2, &machine->map, &gpu->requests,
		           gpu->clock[CLOCK_L2].period, &gpu->arena);
	for (uint32_t i = 0; i < machine->map.channels; i++)
		dram_open(&gpu->channel[i], &machine->dram, &machine->map, gpu->clock[CLOCK_DRAM].period,
		          gpu->clock[CLOCK_L2].period, &gpu->arena);
	wire(gpu);
	gpu->last_sm = machine->sms - 1;
}

static void tear_down(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_close(&gpu->sm[i]);
	arena_free(&gpu->arena);
}

struct gpu *gpu_open(const struct machine *machine)
{
	uint32_t mhz[CLOCKS] = {machine->core_mhz, machine->network_mhz, machine->l2_mhz, machine->dram_mhz};
	uint64_t mebibyte = 1u << 20;
	struct simt_memory *memory =
		simt_memory_open(machine->heap_base_mib * mebibyte, machine->memory_mib * mebibyte);
	if (!memory)
		return NULL;
	struct gpu *gpu = xcalloc(1, sizeof *gpu);
	gpu->machine = *machine;
	machine_derive(&gpu->machine);
	gpu->memory = memory;
	gpu->slices = machine->map.channels * machine->map.slices_per_channel;
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].period = (FEMTOSECONDS_PER_MHZ_CYCLE + mhz[d] / 2) / mhz[d];
	build(gpu);
	return gpu;
}

void gpu_close(struct gpu *gpu)
{
	if (!gpu)
		return;
	tear_down(gpu);
	simt_memory_close(gpu->memory);
	free(gpu);
}

double gpu_seconds(const struct gpu *gpu)
{
	return (double)gpu->now * 1e-15;
}

/* The units of a domain tick when they have asked to. True when one did. */
static bool tick_core(struct gpu *gpu, struct dispatch *dispatch)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	bool ticked = false, commits = false;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].wake <= gpu->now) {
			sm_tick(&gpu->sm[i], cycle, gpu->now);
			commits |= gpu->sm[i].commits;
			ticked = true;
		}
	for (uint32_t i = 0; commits && i < gpu->machine.sms; i++)
		if (gpu->sm[i].commits)
			sm_commit(&gpu->sm[i]);
	return dispatch_blocks(dispatch, gpu) || ticked;
}

static bool tick_network(struct gpu *gpu)
{
	uint64_t cycle = gpu->clock[CLOCK_NETWORK].cycle;
	bool ticked = false;
	struct crossbar *crossbars[] = {&gpu->to_slices, &gpu->to_sms};
	for (int i = 0; i < 2; i++)
		if (crossbars[i]->wake <= gpu->now) {
			crossbar_tick(crossbars[i], cycle, gpu->now);
			ticked = true;
		}
	return ticked;
}

static bool tick_l2(struct gpu *gpu)
{
	bool ticked = false;
	for (uint32_t i = 0; i < gpu->slices; i++)
		if (gpu->slice[i].wake <= gpu->now) {
			slice_tick(&gpu->slice[i], gpu->clock[CLOCK_L2].cycle, gpu->now);
			ticked = true;
		}
	return ticked;
}

static bool tick_dram(struct gpu *gpu)
{
	bool ticked = false;
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		if (gpu->channel[i].wake <= gpu->now) {
			dram_tick(&gpu->channel[i], gpu->clock[CLOCK_DRAM].cycle, gpu->clock[CLOCK_L2].cycle, gpu->now);
			ticked = true;
		}
	return ticked;
}

/* The earliest time at which any unit wants to tick. */
static uint64_t next_event(const struct gpu *gpu)
{
	uint64_t first = gpu->to_slices.wake < gpu->to_sms.wake ? gpu->to_slices.wake : gpu->to_sms.wake;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].wake < first)
			first = gpu->sm[i].wake;
	for (uint32_t i = 0; i < gpu->slices; i++)
		if (gpu->slice[i].wake < first)
			first = gpu->slice[i].wake;
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		if (gpu->channel[i].wake < first)
			first = gpu->channel[i].wake;
	return first;
}

/* Moves every clock to its first cycle at or after `time`. */
static void skip_to(struct gpu *gpu, uint64_t time)
{
	for (int d = 0; d < CLOCKS; d++) {
		struct clock *clock = &gpu->clock[d];
		uint64_t cycle = (time + clock->period - 1) / clock->period;
		if (cycle > clock->cycle)
			clock->cycle = cycle;
	}
}

/* One step: the domains that are due, in any order, since units meet only at ports. True when a unit ticked. */
static bool step(struct gpu *gpu, struct dispatch *dispatch)
{
	uint64_t at[CLOCKS];
	gpu->now = UINT64_MAX;
	for (int d = 0; d < CLOCKS; d++) {
		at[d] = gpu->clock[d].cycle * gpu->clock[d].period;
		if (at[d] < gpu->now)
			gpu->now = at[d];
	}
	bool ticked = false;
	if (at[CLOCK_CORE] == gpu->now)
		ticked |= tick_core(gpu, dispatch);
	if (at[CLOCK_NETWORK] == gpu->now)
		ticked |= tick_network(gpu);
	if (at[CLOCK_DRAM] == gpu->now)
		ticked |= tick_dram(gpu);
	if (at[CLOCK_L2] == gpu->now)
		ticked |= tick_l2(gpu);
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].cycle += at[d] == gpu->now;
	return ticked;
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
	uint64_t warps = instructions(gpu, &threads);
	uint64_t count = warps + gpu->to_sms.stats.packets + gpu->to_slices.stats.packets;
	if (count != watch->last_count) {
		watch->last_count = count;
		watch->last_change = cycle;
	} else if (cycle - watch->last_change > gpu->machine.watchdog) {
		run->end = GPU_STALLED;
		return true;
	}
	if (run->max_thread_instructions && threads >= run->max_thread_instructions) {
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
	uint64_t last_active = start;
	run->end = GPU_DONE;
	for (uint64_t steps = 0;; steps++) {
		uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
		if (step(gpu, dispatch)) {
			last_active = cycle;
		} else {
			uint64_t event = next_event(gpu);
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
	skip_to(gpu, (last_active + 1) * gpu->clock[CLOCK_CORE].period);
	run->cycles = last_active + 1 - start;
}

void gpu_run(struct gpu *gpu, struct gpu_run *run)
{
	struct dispatch dispatch;
	run->launch.memory = gpu->memory;
	run->launch.sm_count = gpu->machine.sms;
	run->launch.id = ++gpu->kernels;
	stats_reset(gpu);
	dispatch_begin(&dispatch, gpu, run);
	uint64_t start = gpu->clock[CLOCK_CORE].cycle;
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		gpu->channel[i].last_cycle = gpu->clock[CLOCK_DRAM].cycle;
	for (uint32_t i = 0; i < gpu->slices; i++)
		gpu->slice[i].settled = gpu->clock[CLOCK_L2].cycle;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		gpu->sm[i].accounted = start;
		sm_begin(&gpu->sm[i], &run->launch, run->blocks_limit);
	}
	run_to_end(gpu, run, &dispatch, start);
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		sm_account(&gpu->sm[i], start + run->cycles);
		sm_end(&gpu->sm[i]);
	}
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_settle(&gpu->slice[i], gpu->clock[CLOCK_L2].cycle);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_settle(&gpu->channel[i], gpu->clock[CLOCK_DRAM].cycle);
	stats_collect(gpu, &run->stats);
	if (run->end == GPU_STALLED)
		gpu_explain_stall(gpu, run->message, sizeof run->message);
	if (run->end != GPU_DONE) { /* the units are full of what will never end: begin with empty ones */
		tear_down(gpu);
		build(gpu);
	}
}
