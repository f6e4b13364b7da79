#include "gpu/gpu.h"

#include "gpu/wiring.h"

#include <assert.h>
#include <stdlib.h>

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
	                             .shared_banks = sm->shared_banks,
	                             .channels = machine->map.channels,
	                             .dram_banks = machine->map.banks,
	                             .line_bytes = sm->l1d.line_bytes,
	                             .l1_sets = sm->l1d.sets,
	                             .l1_ways = sm->l1d.ways,
	                             .l1_mshrs = sm->l1d.mshrs,
	                             .l1_sector_bytes = sm->l1d.line_bytes / sm->l1d.sectors,
	                             .l2_sector_bytes = machine->l2.line_bytes / machine->l2.sectors,
	                             .core_mhz = machine->core_mhz,
	                             .l2_mhz = machine->l2_mhz,
	                             .dram_mhz = machine->dram_mhz,
	                             .send_queue = machine->send_queue};
}

/* The number of workers with which each one has at least one SM or cluster. */
static uint32_t useful_workers(uint32_t threads, uint32_t ports)
{
	uint32_t most = ports < MAX_WORKERS ? ports : MAX_WORKERS;
	return threads < most ? threads : most;
}

struct gpu *gpu_open(const struct machine *machine, const struct seam_attached *attached, uint32_t attachments,
                     uint32_t threads)
{
	uint64_t mebibyte = 1u << 20;
	struct simt_memory *memory = simt_memory_open(machine->heap_base_mib * mebibyte, machine->memory_mib * mebibyte,
	                                              machine->reuse_freed);
	if (!memory)
		return NULL;
	struct gpu *gpu = base_calloc(1, sizeof *gpu);
	gpu->machine = *machine;
	machine_derive(&gpu->machine);
	gpu->memory = memory;
	gpu->attachments = attachments;
	for (uint32_t i = 0; i < attachments; i++)
		gpu->attached[i] = attached[i];
	gpu->slices = machine->map.channels * machine->map.slices_per_channel;
	gpu->ports = machine->sms / machine->cluster.sms;
	gpu->clusters = machine->cluster.sms > 1 ? gpu->ports : 0;
	clocks_open(gpu->clock, &gpu->machine);
	clocks_open(gpu->reply_side.clock, &gpu->machine);
	workers_open(&gpu->workers, useful_workers(threads, gpu->ports), worker_sms_run, gpu, &gpu->host);
	worker_sms_open(gpu);
	wiring_build(gpu);
	gpu->team = team_open(&gpu->workers, &gpu->host);
	return gpu;
}

void gpu_close(struct gpu *gpu)
{
	if (!gpu)
		return;
	team_close(gpu->team);
	wiring_tear_down(gpu);
	workers_close(&gpu->workers);
	outbox_free(&gpu->reply_side.outbox);
	arena_free(&gpu->host);
	simt_memory_close(gpu->memory);
	free(gpu);
}

void gpu_keep_blocks(struct gpu *gpu)
{
	gpu->keeps_blocks = true;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		blocks_keep_ended(&gpu->sm[i]);
}

uint64_t gpu_core_cycle(const struct gpu *gpu)
{
	return gpu->clock[CLOCK_CORE].cycle;
}

/* GPGPU-Sim 4.2.0: gpgpu_sim::perf_memcpy_to_gpu(), for copies in both directions. */
void gpu_copied(struct gpu *gpu, uint64_t address, uint64_t bytes)
{
	if (!gpu->machine.copies_fill_l2)
		return;
	uint64_t cycle = gpu->reply_side.clock[CLOCK_L2].cycle;
	uint32_t sector = gpu->machine.l2.line_bytes / gpu->machine.l2.sectors;
	struct request request = {.kind = REQUEST_L2_FILL, .bytes = sector};
	for (uint64_t at = address & ~(uint64_t)(sector - 1); at < address + bytes; at += sector) {
		request.address = at;
		address_map_place(&gpu->machine.map, &request);
		cache_put(&gpu->slice[request.slice].cache, &request, cycle);
	}
}

void gpu_wait_until(struct gpu *gpu, uint64_t cycle)
{
	const struct clock *core = &gpu->clock[CLOCK_CORE];
	assert(cycle > core->cycle);
	clocks_set(gpu->clock, cycle * core->period);
	clocks_set(gpu->reply_side.clock, cycle * core->period);
	gpu->now = (cycle - 1) * core->period;
}

double gpu_seconds(const struct gpu *gpu)
{
	return (double)gpu->now * 1e-15;
}
