/* cap: the CTA-aware prefetcher of CAPS (README.md). The first warp of a block that executes a load gives the
 * block's base address. Two warps of one block give the stride, which all blocks share. Base and stride together
 * predict the addresses of all other warps. */
#include "cap.h"

static const struct cap_config defaults = {.block_entries = 4,
                                           .stride_entries = 4,
                                           .accesses = 4,
                                           .threshold = 128,
                                           .runs = 16,
                                           .case_a = CAP_SAME_WARP,
                                           .keep_strides = true};

static const char *const loops[] = {[CAP_FOLLOW] = "follow", [CAP_VERIFY] = "verify", NULL};
static const char *const when_full[] = {[CAP_REPLACE] = "replace", [CAP_IGNORE] = "ignore", NULL};
static const char *const cases[] = {[CAP_SAME_WARP] = "same_warp", [CAP_WHOLE_BLOCK] = "whole_block", NULL};

#define AT(field) offsetof(struct cap_config, field)
static const struct base_option options[] = {
	{"block_entries", BASE_OPTION_U32, AT(block_entries), 1, 64, NULL, "loads",
         "rows of each block's table (PerCTA), one per load"},
	{"stride_entries", BASE_OPTION_U32, AT(stride_entries), 1, 64, NULL, "loads",
         "rows of the SM's table of strides (DIST), one per load"},
	{"accesses", BASE_OPTION_U32, AT(accesses), 1, CAP_MAX_ACCESSES, NULL, "addresses",
         "addresses in a row; loads with more coalesced accesses are ignored"},
	{"threshold", BASE_OPTION_U32, AT(threshold), 0, CAP_MOST_MISPREDICTIONS, NULL, "mispredictions",
         "mispredictions of a stride above which it triggers no prefetch"},
	{"runs", BASE_OPTION_U32, AT(runs), 1, 1024, NULL, "runs",
         "capacity of the generator's queue; a run is the prefetches for one block"},
	{"case_a", BASE_OPTION_ENUM, AT(case_a), 0, 0, cases, "",
         "prefetches when a warp of the leading block loads: for the same warp of the other blocks, or for all "
         "their warps"},
	{"loops", BASE_OPTION_ENUM, AT(loops), 0, 0, loops, "",
         "when the leading warp repeats a load: the row follows with the new addresses, or keeps the old ones, against "
         "which the load is verified"},
	{"full", BASE_OPTION_ENUM, AT(full), 0, 0, when_full, "",
         "a load without a row that finds its block's table full: it replaces the least recently updated row, or is "
         "ignored"},
	{"indirect", BASE_OPTION_BOOL, AT(indirect), 0, 1, NULL, "",
         "handle loads whose addresses depend on loaded data, too"},
	{"retry", BASE_OPTION_BOOL, AT(retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
	{"keep_strides", BASE_OPTION_BOOL, AT(keep_strides), 0, 1, NULL, "",
         "keep strides and misprediction counts for the next launch of the same kernel"},
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct cap_stats, name), meaning, BASE_COMBINE_SUM},
	CAP_COUNTERS(X)
#undef X
};

/* --- table lookups by a load --- */

static void set_base(struct cap_base *base, const struct mech_memory *load)
{
	base->warp = load->warp_of_block;
	base->foreseen = 0;
	base->accesses = load->transactions;
	for (uint32_t i = 0; i < load->transactions; i++) {
		base->address[i] = load->transaction[i].address;
		base->bytes[i] = load->transaction[i].bytes;
	}
}

/* Computes the bytes from one warp to the next. Returns false when they differ among the accesses or are no whole
 * number. */
static bool stride_between(const struct cap_base *base, const struct mech_memory *load, int64_t *stride)
{
	int64_t warps = (int64_t)load->warp_of_block - base->warp;
	if (load->transactions != base->accesses)
		return false;
	int64_t bytes = (int64_t)(load->transaction[0].address - base->address[0]);
	for (uint32_t i = 1; i < base->accesses; i++)
		if ((int64_t)(load->transaction[i].address - base->address[i]) != bytes)
			return false;
	*stride = bytes / warps;
	return bytes % warps == 0;
}

static bool is_predicted(const struct cap_base *base, int64_t stride, const struct mech_memory *load)
{
	int64_t away = stride * ((int64_t)load->warp_of_block - base->warp);
	bool same = load->transactions == base->accesses;
	for (uint32_t i = 0; same && i < base->accesses; i++)
		same = load->transaction[i].address == base->address[i] + (uint64_t)away;
	return same;
}

/* Counts whether the prefetch address computed for this warp equals its demand address (section V-B). */
static void verify(struct mech_sm *sm, const struct cap_base *base, struct cap_stride *stride,
                   const struct mech_memory *load)
{
	struct cap_stats *stats = sm->stats;
	bool foreseen = base->foreseen >> load->warp_of_block & 1;
	stats->verified++;
	stats->foreseen += foreseen;
	if (is_predicted(base, stride->bytes, load))
		return;
	stats->mispredicted++;
	stats->foreseen_wrong += foreseen;
	stride->mispredictions += stride->mispredictions < CAP_MOST_MISPREDICTIONS;
}

/* --- prefetches --- */

static bool may_prefetch(struct mech_sm *sm, const struct cap_stride *stride)
{
	const struct cap_config *config = sm->config;
	bool may = stride->mispredictions <= config->threshold;
	((struct cap_stats *)sm->stats)->silenced += !may;
	return may;
}

/* A warp of the leading block has executed the load (Fig. 9a): prefetches for the other blocks with known bases. */
static void prefetch_for_others(struct mech_sm *sm, const struct cap_stride *stride, const struct mech_memory *load)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	struct cap_stats *stats = sm->stats;
	if (!may_prefetch(sm, stride))
		return;
	for (uint32_t slot = 0; slot < sm->machine->blocks; slot++) {
		uint32_t warps = state->resident[slot].warps, warp = load->warp_of_block;
		if (!warps || slot == load->block)
			continue;
		stats->table_accesses++;
		struct cap_base *base = mech_table_find(&state->block[slot], load->pc, slot);
		if (!base)
			continue;
		if (config->case_a == CAP_WHOLE_BLOCK)
			stats->for_same_warp += cap_generate(sm, slot, base, stride->bytes, 0, warps, load->cycle);
		else if (warp != base->warp && warp < warps)
			stats->for_same_warp +=
				cap_generate(sm, slot, base, stride->bytes, warp, warp + 1, load->cycle);
	}
}

/* The leading warp of another block has executed the load (Fig. 9b): prefetches for the block's other warps. */
static void prefetch_for_block(struct mech_sm *sm, struct cap_base *base, const struct cap_stride *stride,
                               const struct mech_memory *load)
{
	struct cap_state *state = sm->state;
	uint32_t warps = state->resident[load->block].warps;
	if (!may_prefetch(sm, stride))
		return;
	((struct cap_stats *)sm->stats)->for_block +=
		cap_generate(sm, load->block, base, stride->bytes, 0, warps, load->cycle);
}

/* --- a load --- */

/* Part of the key of a stride: equal pcs of different kernels are different loads. */
static uint32_t kernel_of(const struct mech_sm *sm)
{
	return ((const struct cap_gpu *)sm->gpu->state)->kernel;
}

static void lead(struct mech_sm *sm, struct cap_base *base, const struct cap_stride *stride,
                 const struct mech_memory *load)
{
	set_base(base, load);
	if (stride && stride->leader != load->block)
		prefetch_for_block(sm, base, stride, load);
}

/* The second warp of a block: its distance from the first gives the load's stride, and its block becomes the leading
 * one. */
static void find_stride(struct mech_sm *sm, struct cap_base *base, const struct mech_memory *load)
{
	struct cap_state *state = sm->state;
	struct cap_stats *stats = sm->stats;
	int64_t bytes;
	if (!stride_between(base, load, &bytes)) {
		stats->unequal++;
		mech_table_free(base);
		return;
	}
	struct cap_stride *stride = mech_table_claim(&state->stride, load->pc, kernel_of(sm));
	stride->bytes = bytes;
	stride->leader = load->block;
	stats->strides++;
	prefetch_for_others(sm, stride, load);
}

static void look_up(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	struct cap_stats *stats = sm->stats;
	struct mech_table *table = &state->block[load->block];
	struct cap_base *base = mech_table_find(table, load->pc, load->block);
	struct cap_stride *stride = mech_table_find(&state->stride, load->pc, kernel_of(sm));
	stats->loads++;
	stats->table_accesses++;
	if (!base) {
		if (config->full == CAP_IGNORE && mech_table_is_full(table))
			return;
		stats->bases++;
		lead(sm, mech_table_claim(table, load->pc, load->block), stride, load);
	} else if (base->warp == load->warp_of_block && config->loops == CAP_FOLLOW) {
		stats->rebased++;
		mech_table_touch(table, base);
		lead(sm, base, stride, load);
	} else if (!stride) {
		if (base->warp != load->warp_of_block) /* one warp gives no stride */
			find_stride(sm, base, load);
	} else {
		verify(sm, base, stride, load);
		if (stride->leader == load->block)
			prefetch_for_others(sm, stride, load);
	}
}

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct cap_config *config = sm->config;
	const struct cap_gpu *gpu = sm->gpu->state;
	struct cap_stats *stats = sm->stats;
	struct mech_transaction passed[MECH_MAX_ACCESSES];
	if (load->kind != MECH_LOAD || load->local)
		return;
	const struct mech_memory seen = mech_past_buffer(load, passed);
	if (!seen.transactions)
		return;
	if (seen.transactions > config->accesses)
		stats->wide++;
	else if (gpu->is_indirect[seen.pc] && !config->indirect)
		stats->indirect++;
	else
		look_up(sm, &seen);
}

/* --- blocks and kernels --- */

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	((struct cap_state *)sm->state)->resident[block->slot] = *block;
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	struct cap_state *state = sm->state;
	state->resident[block->slot].warps = 0;
	mech_table_clear(&state->block[block->slot]);
	for (uint32_t i = 0; i < state->stride.rows; i++) {
		struct cap_stride *stride = (struct cap_stride *)(void *)mech_table_row(&state->stride, i);
		if (stride->leader == block->slot)
			stride->leader = MECH_NOWHERE;
	}
}

static void sm_open(struct mech_sm *sm)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	for (uint32_t slot = 0; slot < sm->machine->blocks; slot++)
		mech_table_open(&state->block[slot], sm->pool, config->block_entries, sizeof(struct cap_base));
	mech_table_open(&state->stride, sm->pool, config->stride_entries, sizeof(struct cap_stride));
	state->run = mech_alloc(sm->pool, config->runs * sizeof *state->run);
}

/* No block is resident at this point. */
static void kernel_begin(struct mech_sm *sm)
{
	const struct cap_config *config = sm->config;
	struct cap_state *state = sm->state;
	if (!config->keep_strides)
		mech_table_clear(&state->stride);
	state->runs = 0;
}

static const struct cap_kernel *find_kernel(struct mech_gpu *gpu)
{
	struct cap_gpu *state = gpu->state;
	for (const struct cap_kernel *kernel = state->kernels; kernel; kernel = kernel->next)
		if (strcmp(kernel->name, gpu->launch->kernel) == 0)
			return kernel;
	size_t length = strlen(gpu->launch->kernel);
	char *name = mech_alloc(gpu->pool, length + 1);
	struct cap_kernel *kernel = mech_alloc(gpu->pool, sizeof *kernel);
	memcpy(name, gpu->launch->kernel, length);
	*kernel = (struct cap_kernel){name, state->kernels ? state->kernels->number + 1 : 0, state->kernels};
	return state->kernels = kernel;
}

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	uint32_t count;
	const struct mech_load *load = mech_loads(gpu, &count);
	uint8_t *is_indirect = mech_alloc(gpu->kernel_pool, gpu->launch->instructions);
	for (uint32_t i = 0; i < count; i++)
		is_indirect[load[i].pc] = load[i].indirect;
	((struct cap_gpu *)gpu->state)->is_indirect = is_indirect;
	((struct cap_gpu *)gpu->state)->kernel = find_kernel(gpu)->number;
}

/* The list begins with the newest kernel. */
static void gpu_keep(struct mech_gpu *gpu, struct mech_kept *kept)
{
	struct cap_kernel **place = &((struct cap_gpu *)gpu->state)->kernels;
	uint32_t count = *place ? (*place)->number + 1 : 0;
	mech_keep(kept, &count, sizeof count);
	for (; count--; place = &(*place)->next) {
		if (kept->restores) {
			*place = mech_alloc(gpu->pool, sizeof **place);
			(*place)->number = count;
		}
		mech_keep_text(kept, gpu->pool, &(*place)->name);
	}
}

static void sm_keep(struct mech_sm *sm, struct mech_kept *kept)
{
	mech_table_keep(&((struct cap_state *)sm->state)->stride, kept);
}

const struct mech mech_cap = {
	.version = MECH_VERSION,
	.name = "cap",
	.summary = "prefetches into L1 for a block's other warps: the block's first address plus a stride common to "
		   "all blocks",
	.citation = "G. Koo, H. Jeon, Z. Liu, N. S. Kim, M. Annavaram: CTA-Aware Prefetching and Scheduling for GPU, "
		    "IPDPS 2018",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct cap_config),
	.defaults = &defaults,
	.costs = cap_costs,
	.energies = cap_energies,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct cap_stats),
	.gpu_size = sizeof(struct cap_gpu),
	.sm_size = sizeof(struct cap_state),
	.sends = true,
	.splits_copies = true,
	.gpu_kernel_begin = gpu_kernel_begin,
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.cycle = cap_cycle,
	.block_begin = block_begin,
	.block_end = block_end,
	.memory = memory,
	.gpu_keep = gpu_keep,
	.sm_keep = sm_keep,
	.kernels = MECH_EACH_KERNEL,
};
