#include "simt/checks.h"
#include "simt/dma.h"
#include "simt/image.h"
#include "simt/program.h"
#include "simt/polling_lanes.h"

#include "base/arena.h"
#include "base/snapshot.h"

#include <assert.h>
#include <stdlib.h>

static size_t aligned(size_t bytes)
{
	return (bytes + SIMT_ALIGN - 1) / SIMT_ALIGN * SIMT_ALIGN;
}

/* Returns special registers that have the same value in all lanes while the block runs. */
static uint32_t uniform_sreg(const struct simt_warp *warp, enum ptx_sreg sreg)
{
	const struct simt_block *block = warp->block;
	const struct simt_launch *launch = block->launch;
	switch (sreg) {
	case PTX_NTID_X:
		return launch->block.x;
	case PTX_NTID_Y:
		return launch->block.y;
	case PTX_NTID_Z:
		return launch->block.z;
	case PTX_CTAID_X:
	case PTX_CLUSTERID_X:
		return block->index.x;
	case PTX_CTAID_Y:
	case PTX_CLUSTERID_Y:
		return block->index.y;
	case PTX_CTAID_Z:
	case PTX_CLUSTERID_Z:
		return block->index.z;
	case PTX_NCTAID_X:
	case PTX_NCLUSTERID_X:
		return launch->grid.x;
	case PTX_NCTAID_Y:
	case PTX_NCLUSTERID_Y:
		return launch->grid.y;
	case PTX_NCTAID_Z:
	case PTX_NCLUSTERID_Z:
		return launch->grid.z;
	case PTX_CLUSTER_NCTAID_X: /* a cluster is one block: its first and only one */
	case PTX_CLUSTER_NCTAID_Y:
	case PTX_CLUSTER_NCTAID_Z:
	case PTX_CLUSTER_NCTARANK:
		return 1;
	case PTX_WARPID:
		return warp->hardware;
	case PTX_NWARPID:
		return SIMT_MAX_WARPS;
	case PTX_NSMID:
		return launch->sm_count;
	case PTX_DYNAMIC_SMEM_SIZE:
		return launch->dynamic_shared_bytes;
	case PTX_TOTAL_SMEM_SIZE:
	case PTX_AGGR_SMEM_SIZE:
		return block->shared_bytes;
	/* %cluster_ctaid, %cluster_ctarank; %envreg, which a driver sets; %reserved_smem_*, of which no system
	 * takes any here */
	default:
		return 0;
	}
}

static void fill_tid(const struct simt_warp *warp, enum ptx_sreg sreg, lane32 *row)
{
	struct dim3 size = warp->block->launch->block;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint32_t number = warp->index * WARP_SIZE + i;
		row[i] = sreg == PTX_TID_X   ? number % size.x
		         : sreg == PTX_TID_Y ? number / size.x % size.y
		                             : number / size.x / size.y;
	}
}

static void fill_special(const struct simt_warp *warp, const struct simt_sreg_row *special)
{
	lane32 *row = (lane32 *)(warp->registers + special->offset);
	if (special->sreg >= PTX_TID_X && special->sreg <= PTX_TID_Z) {
		fill_tid(warp, special->sreg, row);
		return;
	}
	uint32_t value = uniform_sreg(warp, special->sreg);
	FOR_LANES
	row[i] = value;
}

/* Allocates memory for all of the block's values in one piece. Returns it aligned. */
static uint8_t *reserve(struct simt_block *block, size_t bytes)
{
	if (block->storage_bytes < bytes + SIMT_ALIGN) {
		free(block->storage);
		block->storage_bytes = bytes + SIMT_ALIGN;
		block->storage = base_malloc(block->storage_bytes);
	}
	return block->storage + (SIMT_ALIGN - (uintptr_t)block->storage % SIMT_ALIGN) % SIMT_ALIGN;
}

static void reserve_warps(struct simt_block *block, uint32_t warps)
{
	assert(warps <= SIMT_MAX_WARPS);
	if (block->warp_capacity >= warps)
		return;
	block->warp = base_realloc(block->warp, warps * sizeof *block->warp);
	memset(block->warp + block->warp_capacity, 0, (warps - block->warp_capacity) * sizeof *block->warp);
	block->warp_capacity = warps;
}

static void warp_start(struct simt_warp *warp, struct simt_block *block, uint32_t threads)
{
	const struct simt_program *program = block->launch->program;
	if (!warp->stack) {
		warp->stack_capacity = 16;
		warp->stack = base_malloc(warp->stack_capacity * sizeof *warp->stack);
	}
	warp->block = block;
	warp->constants = program->constants;
	warp->code = program->code;
	warp->exists = threads >= WARP_SIZE ? ALL_LANES : ((uint32_t)1 << threads) - 1;
	warp->exited = 0;
	warp->done = false;
	warp->pc = program->entry;
	warp->lanes = warp->exists;
	warp->reconverge = SIMT_NO_PC;
	warp->depth = 1;
	warp->stack[0] = (struct simt_stack_entry){program->entry, SIMT_NO_PC, warp->exists, false};
	warp->frames_used = 0;
	warp->frame = 0;
	warp->frame_top = program->local_bytes - program->stack_bytes;
	warp->barrier_inst = NULL;
	warp->missed = 0;
	warp->parked_count = 0;
	warp->apart = false;
	warp->polls = 0;
	for (uint32_t k = 0; k < program->sreg_row_count; k++)
		fill_special(warp, &program->sreg_rows[k]);
}

void simt_block_start(struct simt_block *block, const struct simt_launch *launch, uint64_t number, uint32_t hardware)
{
	const struct simt_program *program = launch->program;
	uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
	uint32_t warps = (threads + WARP_SIZE - 1) / WARP_SIZE;
	size_t registers = aligned(program->register_bytes);
	size_t local = program->source ? 0 : (size_t)program->local_bytes * WARP_SIZE; /* a trace needs no values */
	block->launch = launch;
	block->number = number;
	block->index =
		(struct dim3){(uint32_t)(number % launch->grid.x), (uint32_t)(number / launch->grid.x % launch->grid.y),
	                      (uint32_t)(number / launch->grid.x / launch->grid.y)};
	block->shared_bytes = program->shared_bytes + launch->dynamic_shared_bytes;
	size_t shared = aligned(block->shared_bytes);
	uint8_t *storage = reserve(block, shared + warps * (registers + aligned(local)));
	block->shared = storage;
	block->global = simt_host(launch->memory, 0);
	block->warps = warps;
	block->live = warps == 64 ? UINT64_MAX : ((uint64_t)1 << warps) - 1;
	block->waiting = 0;
	memset(block->barrier, 0, sizeof block->barrier);
	memset(block->range, 0, sizeof block->range);
	/* Everything starts as zero, so that reads before the first write are the same in every run. The stack of
	 * recursive functions is too large for that and is left unchanged. */
	memset(storage, 0, shared + warps * registers);
	reserve_warps(block, warps);
	for (uint32_t w = 0; w < warps; w++) {
		struct simt_warp *warp = &block->warp[w];
		warp->index = w;
		warp->hardware = hardware + w;
		warp->registers = storage + shared + w * registers;
		warp->local = local ? storage + shared + warps * registers + w * aligned(local) : NULL;
		for (unsigned i = 0; warp->local && i < WARP_SIZE; i++)
			memset(warp->local + i * (size_t)program->local_bytes, 0,
			       program->local_bytes - program->stack_bytes);
		warp_start(warp, block, threads - w * WARP_SIZE);
	}
	dma_block_start(block);
	image_block_start(block);
	if (launch->checks)
		checks_block_start(block);
	block->recorded = NULL;
	if (program->source)
		program->source->begin(block);
}

/* The values that a warp polls are first compared with those that the one before it in the slot polled last. */
void simt_block_snapshot(struct simt_block *block, struct snapshot *snapshot)
{
	uint32_t warps = block->warp_capacity;
	snapshot_value(snapshot, warps);
	reserve_warps(block, warps < SIMT_MAX_WARPS ? warps : SIMT_MAX_WARPS);
	for (uint32_t w = 0; w < block->warp_capacity; w++)
		snapshot_value(snapshot, block->warp[w].polled);
}

void simt_block_free(struct simt_block *block)
{
	if (!block->warp) /* never started or restored */
		return;
	for (uint32_t w = 0; w < block->warp_capacity; w++) {
		free(block->warp[w].stack);
		free(block->warp[w].frames);
	}
	polling_block_free(block);
	checks_block_free(block);
	dma_block_free(block);
	image_block_free(block);
	free(block->warp);
	free(block->storage);
	*block = (struct simt_block){0};
}
