/* staging: measures how long software takes to bring tiles from global to shared memory, and how long SMs wait for
 * them (README.md). It is passive: it never changes what the machine does. */
#include "staging.h"

#include <string.h>

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct staging_stats, name), meaning, BASE_COMBINE_SUM},
	STAGING_COUNTERS(X)
#undef X
};

enum { BINS = 20 };

#define LENGTHS(of)                                                                                                    \
	{                                                                                                              \
		.name = of "_lengths", .unit = "cycles", .meaning = "transfers by their " of " cycles",                \
		.scope = BASE_SCOPE_SM, .kind = BASE_VECTOR_POWERS, .length = BINS                                     \
	}

static const struct base_counter_vector vectors[STAGING_VECTORS] = {
	[AGEN_LENGTHS] = LENGTHS("agen"), [MEM_LENGTHS] = LENGTHS("mem"), [TRANSFER_LENGTHS] = LENGTHS("transfer")};

static const struct mech_event_row events[STAGING_EVENTS] = {
	[AGEN] = {"agen", "a block generates a tile's addresses and issues its loads", {"array", "bytes"}},
	[MEM] = {"mem", "from the last load's issue until all data are in shared memory", {"array", "bytes"}},
	[COMP] = {"comp", "the block computes on the tile, until its next transfer or its end", {"array", NULL}},
};

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	struct staging_kernel *kernel = gpu->state;
	uint32_t count;
	const struct mech_staging_inst *found = mech_staging_code(gpu, &count);
	struct mech_staging_inst *role = mech_alloc(gpu->kernel_pool, gpu->launch->instructions * sizeof *role);
	uint32_t arrays = 0;
	for (uint32_t i = 0; i < count; i++) {
		role[found[i].pc] = found[i];
		arrays |= found[i].stores;
	}
	*kernel = (struct staging_kernel){role, arrays ? 32 - (uint32_t)__builtin_clz(arrays) : 0};
}

static void sm_open(struct mech_sm *sm)
{
	struct staging_sm *own = sm->state;
	own->block = mech_alloc(sm->pool, sm->machine->blocks * sizeof *own->block);
}

static void kernel_begin(struct mech_sm *sm)
{
	struct staging_sm *own = sm->state;
	*own = (struct staging_sm){.block = own->block};
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct staging_sm *own = sm->state;
	own->block[block->slot] = (struct block){
		.first_warp = block->first_warp, .warps = block->warps, .live = UINT64_MAX >> (64 - block->warps)};
	if (!own->resident)
		own->since = block->cycle;
	own->resident |= UINT64_C(1) << block->slot;
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	struct staging_sm *own = sm->state;
	tiles_block_end(sm, block->slot, block->cycle);
	own->resident &= ~(UINT64_C(1) << block->slot);
	if (!own->resident)
		((struct staging_stats *)sm->stats)->resident_cycles += block->cycle - own->since;
}

/* --- instructions and shared-memory accesses --- */

static bool is_barrier(const struct mech_issue *issue)
{
	return issue->type == MECH_BARRIER && strncmp(issue->name, "bar", 3) == 0;
}

static bool is_complete(const struct barrier *barrier, uint64_t live)
{
	if (barrier->threads)
		return (uint32_t)__builtin_popcountll(barrier->came) * MECH_LANES >= barrier->threads;
	return !(live & ~barrier->came);
}

static void look_at_barrier(struct mech_sm *sm, uint32_t slot, struct barrier *barrier, uint64_t cycle)
{
	const struct block *block = &((struct staging_sm *)sm->state)->block[slot];
	if (!barrier->came || !is_complete(barrier, block->live))
		return;
	tiles_passed(sm, slot, barrier->came, cycle);
	*barrier = (struct barrier){0};
}

/* Records the arrival of a warp at a barrier. Source 0 is the barrier's number, source 1 the thread count, a
 * multiple of the warp size. In bar.red, source 1 is a predicate, which is below the warp size. */
static void come_to_barrier(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct block *block = &((struct staging_sm *)sm->state)->block[issue->block];
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	if (!operands.lanes)
		return;
	uint32_t lane = (uint32_t)__builtin_ctz(operands.lanes);
	struct barrier *barrier = &block->barrier[operands.source[0][lane] % BARRIERS];
	uint32_t threads = operands.sources > 1 ? (uint32_t)operands.source[1][lane] : 0;
	barrier->came |= UINT64_C(1) << (issue->warp - block->first_warp);
	barrier->threads = threads >= MECH_LANES ? threads : 0;
	look_at_barrier(sm, issue->block, barrier, issue->cycle); /* other warps may issue in the same cycle */
}

static void issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct mech_staging_inst *role = &staging_kernel(sm)->role[issue->pc];
	((struct staging_sm *)sm->state)->issued = issue->cycle + 1;
	if (is_barrier(issue))
		come_to_barrier(sm, issue);
	else if (role->loads | role->handles | role->addresses)
		tiles_issue(sm, issue, role);
}

static void shared_access(struct mech_sm *sm, const struct mech_shared *access)
{
	const struct mech_staging_inst *role = &staging_kernel(sm)->role[access->pc];
	if (role->stores && access->lanes)
		tiles_stored(sm, access, role);
}

/* --- end of a cycle --- */

/* Conditions over all warps of an SM. stalled: waits for loads or for other warps. blocked: the same, or waits for
 * space in the memory pipe. one_...: at least one such warp waits for a transfer. */
struct waiting {
	bool all_stalled, one_stalled;
	bool all_blocked, one_blocked;
};

/* If no warp issues, a warp that has all that its next instruction needs finds no space in its pipe. */
static void look_at_warp(const struct mech_warp *warp, const struct mech_staging_inst *next, struct waiting *waiting)
{
	bool waits = warp->waits_for_loads || warp->at_barrier || warp->at_fence;
	bool is_ready = !waits && warp->has_instruction && !warp->waits_for && !warp->held;
	bool for_transfer = warp->waits_for_loads && next->handles;
	waiting->all_stalled &= waits;
	waiting->one_stalled |= for_transfer;
	waiting->all_blocked &= waits || is_ready;
	waiting->one_blocked |= for_transfer || (is_ready && (next->loads || next->stores));
}

static void look_at_warps(struct mech_sm *sm, struct block *block, struct waiting *waiting)
{
	const struct mech_staging_inst *role = staging_kernel(sm)->role;
	block->live = 0;
	for (uint32_t w = 0; w < block->warps; w++) {
		struct mech_warp warp;
		mech_look_at_warp(sm, block->first_warp + w, &warp);
		if (!warp.live)
			continue;
		block->live |= UINT64_C(1) << w;
		look_at_warp(&warp, &role[warp.pc], waiting);
	}
}

/* Extends or ends a period. A cycle belongs to it if the condition held before the cycle and nothing issued in it.
 * Nothing changes in an SM that does not tick. Periods are counted at their end, so that samples do not depend on
 * sleep. */
static void go_on(struct stretch *stretch, bool is_so, bool has_issued, uint64_t cycle, uint64_t *counter)
{
	if (stretch->is_on && (has_issued || !is_so)) {
		*counter += cycle + !has_issued - stretch->begin;
		stretch->is_on = false;
	}
	if (is_so && !stretch->is_on)
		*stretch = (struct stretch){true, cycle + 1};
}

static uint64_t cycle(struct mech_sm *sm, uint64_t cycle)
{
	struct staging_sm *own = sm->state;
	struct staging_stats *stats = sm->stats;
	struct waiting waiting = {.all_stalled = true, .all_blocked = true};
	for (uint64_t left = own->resident; left; left &= left - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(left);
		look_at_warps(sm, &own->block[slot], &waiting);
		for (uint32_t b = 0; b < BARRIERS; b++) /* warps that exit can complete a barrier */
			look_at_barrier(sm, slot, &own->block[slot].barrier[b], cycle);
	}
	bool has_issued = own->issued > cycle;
	go_on(&own->stalled, waiting.all_stalled && waiting.one_stalled, has_issued, cycle, &stats->stalled_cycles);
	go_on(&own->blocked, waiting.all_blocked && waiting.one_blocked, has_issued, cycle, &stats->blocked_cycles);
	return MECH_NEVER;
}

const struct mech mech_staging = {
	.version = MECH_VERSION,
	.name = "staging",
	.summary = "measures how long software takes to bring tiles from global to shared memory",
	.citation =
		"after D. A. Jamshidi, M. Samadi, S. Mahlke: D2MA: Accelerating Coarse-Grained Data Transfer for GPUs, "
		"PACT 2014, section 5.2",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct staging_stats),
	.vectors = vectors,
	.vector_count = STAGING_VECTORS,
	.events = events,
	.event_count = STAGING_EVENTS,
	.splits_copies = true,
	.gpu_size = sizeof(struct staging_kernel),
	.sm_size = sizeof(struct staging_sm),
	.gpu_kernel_begin = gpu_kernel_begin,
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.block_begin = block_begin,
	.block_end = block_end,
	.issue = issue,
	.shared_access = shared_access,
	.cycle = cycle,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
