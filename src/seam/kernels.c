/* kernels: which parts of mechanisms serve which kernel, when kernels run together. */
#include "seam/private.h"

#include <string.h>

/* --- what a mechanism needs --- */

/* True when a mechanism has hooks of partitions. These may read a partition's statistics, which cover both the request
 * side and the reply side of the slice. */
static bool hears_partitions(const struct mech *mech)
{
#define LOOK(scope, hook, event, when) || mech->hook
	return false MECH_PARTITION_HOOKS(LOOK, LOOK);
#undef LOOK
}

bool seam_hooks_of_partitions(const struct mech *mech)
{
	return hears_partitions(mech) || mech->partition_outcome ||
	       mech->policies & (MECH_POLICY_L2_REPLACEMENT | MECH_POLICY_DRAM);
}

bool seam_hooks_of_gpu(const struct mech *mech)
{
#define LOOK(scope, hook, event, when) || mech->hook
	bool hears = false MECH_GPU_HOOKS(LOOK, LOOK);
#undef LOOK
	return hears || mech->gpu_cycle || mech->policies & (MECH_POLICY_BLOCK_PLACE | MECH_POLICY_KERNEL);
}

/* A mechanism that hears nothing of an SM's work but the ends of blocks. */
static bool has_few_hooks_of_sm(const struct mech *mech)
{
#define LOOK(scope, hook, event, when) +(mech->hook != NULL)
	const int hooks = 0 MECH_SM_HOOKS(LOOK, LOOK), of_ends = mech->block_end != NULL;
#undef LOOK
	return hooks == of_ends && !mech->cycle && !mech->on_reply && !mech->on_outcome;
}

/* Needs to know no kernel. */
static bool is_only_warp_order(const struct mech *mech)
{
	return mech->policies == MECH_POLICY_WARP_ORDER && has_few_hooks_of_sm(mech) && !seam_hooks_of_gpu(mech) &&
	       !seam_hooks_of_partitions(mech) && !mech->gpu_kernel_begin && !mech->sends && !mech->opcode_count &&
	       !mech->pass_count && !mech->only_looks;
}

/* Its .kernels. A warp order that needs to know no kernel need not set it. */
static enum mech_kernels kernels_of(const struct mech *mech)
{
	return is_only_warp_order(mech) ? MECH_ALL_KERNELS : mech->kernels;
}

bool seam_check_kernels(const struct mech *mech, char *message, size_t size)
{
	const uint32_t of_a_kernel = MECH_POLICY_BLOCK_COUNT | MECH_POLICY_BUFFER | MECH_POLICY_SHARED_ROOM |
	                             MECH_POLICY_SHARED_LAYOUT | MECH_POLICY_WARP_RANK;
	const uint32_t of_all = MECH_POLICY_WARP_ORDER | MECH_POLICY_L1_REPLACEMENT | MECH_POLICY_L2_REPLACEMENT |
	                        MECH_POLICY_DRAM | MECH_POLICY_WARP_RANK | MECH_POLICY_KERNEL;
	bool each = mech->kernels == MECH_EACH_KERNEL, all = mech->kernels == MECH_ALL_KERNELS;
	const char *hook = NULL;
	if ((unsigned)mech->kernels > MECH_ALL_KERNELS)
		hook = "an unknown value";
	else if ((each && mech->policies & ~of_a_kernel) || (all && mech->policies & ~of_all))
		hook = "a policy that does not suit it";
	else if (each && hears_partitions(mech))
		hook = "hooks of partitions, which are common to kernels";
	else if (each && mech->warps_that_compete)
		hook = "warps_that_compete, which is asked about warps of all kernels";
	else if (all && (mech->may_end || mech->may_dispatch || mech->gpu_block))
		hook = "a hook that belongs to one kernel";
	else if (!all && mech->policies & MECH_POLICY_KERNEL)
		hook = "not MECH_ALL_KERNELS, which the choice of the kernel needs";
	if (hook)
		snprintf(message, size, "mechanism %s: .kernels has %s", mech->name, hook);
	return !hook;
}

uint32_t seam_kernels_at_once(const struct seam_attached *attached, uint32_t count, const struct mech **why)
{
	uint32_t most = SEAM_MAX_KERNELS;
	*why = NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct mech *mech = attached[i].mech;
		enum mech_kernels kernels = kernels_of(mech);
		if (kernels == MECH_ONE_KERNEL) {
			*why = mech;
			return 1;
		}
		uint32_t own = kernels == MECH_EACH_KERNEL ? SEAM_PARTS / count : SEAM_PARTS;
		if (!is_only_warp_order(mech) && own < most)
			most = own;
	}
	return most;
}

bool seam_has_kernel_parts(const struct seam *seam)
{
	for (uint32_t i = 0; i < seam->count; i++)
		if (kernels_of(seam->attached[i].mech) == MECH_EACH_KERNEL)
			return true;
	return false;
}

/* --- lists of parts by hook --- */

static void add_part(struct seam_list *list, uint32_t number, bool has)
{
	if (has)
		list->part[list->count++] = (uint8_t)number;
}

#define EMPTY(scope, hook, event, when) scope->hook.count = 0;
#define LIST(scope, hook, event, when)  add_part(&scope->hook, number, mech->hook);

static void list_in_sm(struct seam_sm *sm, uint32_t number, const struct mech *mech)
{
	MECH_SM_HOOKS(LIST, LIST)
	add_part(&sm->cycle, number, mech->cycle);
	add_part(&sm->warps_that_compete, number, mech->warps_that_compete);
}

static void list_in_partition(struct seam_partition *partition, uint32_t number, const struct mech *mech)
{
	MECH_PARTITION_HOOKS(LIST, LIST)
}

static void list_in_gpu(struct seam_gpu *gpu, uint32_t number, const struct mech *mech)
{
	MECH_GPU_HOOKS(LIST, LIST)
	add_part(&gpu->cycle, number, mech->gpu_cycle);
}

static void empty_lists(struct seam *seam)
{
	struct seam_gpu *gpu = &seam->gpu;
	MECH_GPU_HOOKS(EMPTY, EMPTY)
	gpu->cycle.count = 0;
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		MECH_SM_HOOKS(EMPTY, EMPTY)
		sm->cycle.count = sm->warps_that_compete.count = 0;
	}
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		struct seam_partition *partition = &seam->partition[s];
		MECH_PARTITION_HOOKS(EMPTY, EMPTY)
	}
}

/* Alone, a kernel has the first parts. */
static bool is_listed(const struct seam *seam, uint32_t number)
{
	uint32_t kernel = seam->kernel_of[number];
	if (!seam->several)
		return number < seam->count;
	return kernel != SEAM_NO_KERNEL && seam->kernel[kernel].phase > SEAM_LAUNCHING;
}

void seam_list_parts(struct seam *seam)
{
	empty_lists(seam);
	for (uint32_t i = 0; i < seam->parts; i++) {
		const struct mech *mech = seam_attached_of(seam, i)->mech;
		if (!is_listed(seam, i))
			continue;
		list_in_gpu(&seam->gpu, i, mech);
		for (uint32_t s = 0; s < seam->machine.sms; s++)
			list_in_sm(&seam->sm[s], i, mech);
		for (uint32_t s = 0; s < seam->machine.partitions; s++)
			list_in_partition(&seam->partition[s], i, mech);
	}
}

/* --- kernels that run together --- */

void seam_map_parts(struct seam *seam)
{
	for (uint32_t i = 0; i < SEAM_PARTS; i++)
		seam->kernel_of[i] = (uint8_t)(seam->count ? i / seam->count : 0);
}

/* Gives the first parts of a mechanism to one kernel, or to all. */
static void give_first_part(struct seam *seam, uint32_t number, uint32_t kernel)
{
	uint32_t pool = seam_pool_of(kernel);
	seam->kernel_of[number] = (uint8_t)kernel;
	seam->gpu.part[number].kernel_pool = &seam->gpu.pools.kernel[pool].seen;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		seam->sm[s].part[number].kernel_pool = &seam->sm[s].pools.kernel[pool].seen;
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		seam->partition[s].part[number].kernel_pool = &seam->partition[s].pools.kernel[pool].seen;
}

/* A mechanism with separate parts for each kernel. */
static bool is_by_kernel(const struct seam *seam, uint32_t number)
{
	return kernels_of(seam->attached[number].mech) == MECH_EACH_KERNEL;
}

/* The parts of mechanisms that serve all kernels exist once. */
static void divide_parts(struct seam *seam)
{
	for (uint32_t i = 0; i < SEAM_PARTS && seam->count; i++)
		if (is_by_kernel(seam, i % seam->count))
			seam->kernel_of[i] = (uint8_t)(i / seam->count);
		else if (i >= seam->count)
			seam->kernel_of[i] = SEAM_NO_KERNEL;
		else
			give_first_part(seam, i, SEAM_ALL);
}

/* The counts of a part in one unit, and the sum over the parts of kernels that have ended there. */
struct unit_counts {
	const struct mech *mech;
	struct seam_ended *ended;
	void *stats;
	struct mech_requests *requests; /* NULL: the unit has no account */
	struct arena *arena;
};

static void for_units(struct seam *seam, uint32_t number, void (*call)(const struct unit_counts *counts))
{
	uint32_t own = number % seam->count;
	const struct mech *mech = seam->attached[own].mech;
	struct seam_gpu *gpu = &seam->gpu;
	call(&(struct unit_counts){mech, &gpu->ended[own], gpu->part[number].stats, NULL, &gpu->pools.machine.arena});
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		call(&(struct unit_counts){mech, &sm->ended[own], sm->part[number].stats, &sm->account[number].all,
		                           &sm->pools.machine.arena});
	}
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		struct seam_partition *unit = &seam->partition[s];
		call(&(struct unit_counts){mech, &unit->ended[own], unit->part[number].stats,
		                           &unit->account[number].all, &unit->pools.machine.arena});
	}
}

static void clear_ended(const struct unit_counts *counts)
{
	size_t size = counts->mech->stats_size;
	if (size && !counts->ended->stats)
		counts->ended->stats = arena_alloc(counts->arena, size);
	if (size)
		memset(counts->ended->stats, 0, size);
	counts->ended->requests = (struct mech_requests){0};
}

static void add_ended(const struct unit_counts *counts)
{
	seam_stats_add(counts->mech, counts->ended->stats, counts->stats);
	if (counts->requests)
		seam_requests_add(&counts->ended->requests, counts->requests);
}

/* The first parts then have what all parts have counted. */
static void give_ended(const struct unit_counts *counts)
{
	if (counts->mech->stats_size)
		memcpy(counts->stats, counts->ended->stats, counts->mech->stats_size);
	if (counts->requests)
		*counts->requests = counts->ended->requests;
}

void seam_begin_session(struct seam *seam)
{
	/* bounds of what a mechanism may name, and no kernel's own values */
	const struct mech_launch launch = {.kernel = "kernels that run together",
	                                   .shared_bytes = seam->machine.shared_bytes,
	                                   .instructions = MECH_NO_PC};
	seam->several = true;
	divide_parts(seam);
	seam_clear_units(seam);
	for (uint32_t k = 0; k <= SEAM_ALL; k++)
		seam->kernel[k].phase = SEAM_IDLE;
	for (uint32_t i = 0; i < seam->count; i++)
		if (is_by_kernel(seam, i))
			for_units(seam, i, clear_ended);
	seam_launch(seam, SEAM_ALL, &launch, &(struct seam_analyses){0});
	seam_kernel_begin(seam, SEAM_ALL, seam->machine.blocks);
}

void seam_end_session(struct seam *seam)
{
	seam_kernel_end(seam, SEAM_ALL);
	for (uint32_t i = 0; i < seam->count; i++) {
		if (is_by_kernel(seam, i))
			for_units(seam, i, give_ended);
		give_first_part(seam, i, 0);
	}
	seam_map_parts(seam);
	seam->several = false;
	seam_list_parts(seam);
}

void seam_kernel_ended(struct seam *seam, uint32_t kernel)
{
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel && kernel != SEAM_ALL)
			for_units(seam, i, add_ended);
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		sm->fills[seam_pool_of(kernel)] = (struct shared_fills){0};
	}
}

void seam_end_requests(struct seam_sm *sm, uint32_t senders)
{
	if (sm->has_buffer)
		line_buffer_end_requests(&sm->buffer, senders);
}

uint32_t seam_senders_of(const struct seam *seam, uint32_t kernel)
{
	uint32_t senders = 0;
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel)
			senders |= 1u << i;
	return senders;
}

static bool has_unanswered(const struct seam *seam, uint32_t kernel)
{
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		if (seam->sm[s].unanswered[seam_pool_of(kernel)])
			return true;
	return false;
}

void seam_blocks_ended(struct seam *seam, uint64_t cycle)
{
	if (seam->several)
		seam_drop_dispatched(seam, SEAM_ALL);
	else if (seam_may_end(&seam->gpu, 0, &(struct mech_end){cycle}))
		seam_drop_dispatched(seam, 0);
}

bool seam_kernel_may_end(struct seam *seam, uint32_t kernel, uint64_t cycle)
{
	struct seam_kernel *own = &seam->kernel[kernel];
	if (own->phase == SEAM_RUNNING) {
		if (!seam_may_end(&seam->gpu, kernel, &(struct mech_end){cycle}))
			return false;
		seam_drop_dispatched(seam, kernel);
		own->phase = SEAM_SETTLING;
	}
	return !has_unanswered(seam, kernel);
}
