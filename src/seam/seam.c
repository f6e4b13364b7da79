/* seam: attaches mechanisms, and runs the begin and end of a kernel. */
#include "seam/private.h"
#include "seam/seam_snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *state(struct seam_pools *pools, size_t size)
{
	return size ? arena_alloc(&pools->machine.arena, size) : NULL;
}

static void *allocate(struct mech_pool *pool, size_t bytes)
{
	return arena_alloc(&((struct seam_pool *)pool)->arena, bytes);
}

static void open_pools(struct seam_pools *pools)
{
	pools->machine.seen.alloc = allocate;
	for (uint32_t i = 0; i < SEAM_POOLS; i++)
		pools->kernel[i].seen.alloc = allocate;
}

static void close_pools(struct seam_pools *pools)
{
	arena_free(&pools->machine.arena);
	for (uint32_t i = 0; i < SEAM_POOLS; i++)
		arena_free(&pools->kernel[i].arena);
}

/* The pool of the part's kernel. */
static struct mech_pool *kernel_pool(const struct seam *seam, struct seam_pools *pools, uint32_t number)
{
	return &pools->kernel[seam_pool_of(seam->kernel_of[number])].seen;
}

/* True when a mechanism can send from the dispatcher: it has a hook there that runs between a kernel's begin and
 * end. */
static bool sends_from_gpu(const struct mech *mech)
{
	return mech->sends && (mech->gpu_kernel_begin || mech->gpu_block || mech->gpu_cycle || mech->may_dispatch ||
	                       mech->may_end || mech->place_block || mech->pick_kernel);
}

static void open_gpu_part(struct seam *seam, uint32_t number)
{
	const struct seam_attached *attached = seam_attached_of(seam, number);
	const struct mech *mech = attached->mech;
	struct seam_gpu *gpu = &seam->gpu;
	struct mech_gpu *part = &gpu->part[number];
	*part = (struct mech_gpu){.mech = mech,
	                          .config = attached->config,
	                          .state = state(&gpu->pools, mech->gpu_size),
	                          .stats = state(&gpu->pools, mech->stats_size),
	                          .number = number,
	                          .machine = &seam->machine,
	                          .pool = &gpu->pools.machine.seen,
	                          .kernel_pool = kernel_pool(seam, &gpu->pools, number),
	                          .output = output_open_gpu(seam, number),
	                          .services = &seam_services,
	                          .host = seam};
	gpu->sends |= sends_from_gpu(mech);
	if (number >= seam->count)
		return;
	if (mech->policies & MECH_POLICY_BLOCK_COUNT)
		gpu->count_owner = part;
	if (mech->policies & MECH_POLICY_BLOCK_PLACE)
		gpu->place_owner = part;
	if (mech->policies & MECH_POLICY_KERNEL)
		gpu->kernel_owner = part;
	if (mech->policies & MECH_POLICY_SHARED_ROOM)
		gpu->room_owner = part;
}

/* The machine asks only one part for these: that of the first kernel. */
static void own_policies(struct seam_sm *sm, const struct seam_attached *attached, struct mech_sm *part)
{
	const struct mech *mech = attached->mech;
	if (mech->policies & MECH_POLICY_WARP_ORDER) {
		sm->order = part;
		sm->pick = mech->pick_warp;
	}
	if (mech->policies & MECH_POLICY_L1_REPLACEMENT)
		sm->replacement = part;
	if (mech->policies & MECH_POLICY_L1_MISS)
		sm->behind_l1 = part;
	if (mech->policies & MECH_POLICY_SHARED_ROOM)
		sm->shared_room = part;
	if (mech->policies & MECH_POLICY_SHARED_LAYOUT)
		sm->shared_layout = part;
	sm->has_ranks |= (mech->policies & MECH_POLICY_WARP_RANK) != 0;
	sm->is_shown_issues |= mech->issue || mech->opcode_count;
	if (mech->policies & MECH_POLICY_BUFFER) {
		struct mech_buffer config = mech->buffer(attached->config, part->machine);
		sm->has_buffer = true;
		const struct base_prefetch_listener listener = seam_listener(sm);
		line_buffer_open(&sm->buffer, &config, part->machine->line_bytes, &listener);
	}
}

static void open_sm_part(struct seam *seam, struct seam_sm *sm, uint32_t number)
{
	const struct seam_attached *attached = seam_attached_of(seam, number);
	const struct mech *mech = attached->mech;
	struct mech_sm *part = &sm->part[number];
	*part = (struct mech_sm){.mech = mech,
	                         .config = attached->config,
	                         .state = state(&sm->pools, mech->sm_size),
	                         .stats = state(&sm->pools, mech->stats_size),
	                         .sm = (uint32_t)(sm - seam->sm),
	                         .number = number,
	                         .machine = &seam->machine,
	                         .gpu = &seam->gpu.part[number],
	                         .pool = &sm->pools.machine.seen,
	                         .kernel_pool = kernel_pool(seam, &sm->pools, number),
	                         .output = output_open_sm(sm, number),
	                         .services = &seam_services,
	                         .host = sm};
	if (number < seam->count)
		own_policies(sm, attached, part);
	sm->hook = "sm_open";
	if (mech->sm_open)
		mech->sm_open(part);
}

static void open_opcodes(struct seam *seam)
{
	for (uint32_t op = 0; op < PTX_OPCODES; op++)
		seam->opcode[op].owner = SEAM_NOBODY;
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech *mech = seam->attached[i].mech;
		for (uint32_t own = 0; own < mech->opcode_count; own++)
			seam->opcode[ptx_op_find(mech->opcodes[own])] = (struct seam_opcode){(uint8_t)i, (uint8_t)own};
	}
}

static void open_sm(struct seam *seam, struct seam_sm *sm)
{
	sm->seam = seam;
	sm->clock = *seam->clock;
	sm->wake = MECH_NEVER;
	memset(sm->vetoed_by, SEAM_NOBODY, sizeof sm->vetoed_by);
	sm->shared_vetoed_by = SEAM_NOBODY;
	open_pools(&sm->pools);
	sm->queue = arena_array(&sm->pools.machine.arena, seam->machine.send_queue, sizeof(struct seam_sent *));
}

static void open_partition_part(struct seam *seam, struct seam_partition *partition, uint32_t number)
{
	const struct seam_attached *attached = seam_attached_of(seam, number);
	const struct mech *mech = attached->mech;
	struct mech_partition *part = &partition->part[number];
	*part = (struct mech_partition){.mech = mech,
	                                .config = attached->config,
	                                .state = state(&partition->pools, mech->partition_size),
	                                .stats = state(&partition->pools, mech->stats_size),
	                                .slice = (uint32_t)(partition - seam->partition),
	                                .number = number,
	                                .machine = &seam->machine,
	                                .gpu = &seam->gpu.part[number],
	                                .pool = &partition->pools.machine.seen,
	                                .kernel_pool = kernel_pool(seam, &partition->pools, number),
	                                .output = output_open_partition(partition, number),
	                                .services = &seam_services,
	                                .host = partition};
	if (mech->policies & MECH_POLICY_L2_REPLACEMENT)
		partition->replacement = part;
	if (mech->policies & MECH_POLICY_DRAM)
		partition->scheduler = part;
	partition->hook = "partition_open";
	if (mech->partition_open)
		mech->partition_open(part);
}

/* Calls a hook of one mechanism's GPU part, if the mechanism has that hook. */
#define CALL_GPU(gpu, number, called)                                                                                  \
	do {                                                                                                           \
		(gpu)->hook = #called;                                                                                 \
		if ((gpu)->part[number].mech->called)                                                                  \
			(gpu)->part[number].mech->called(&(gpu)->part[number]);                                        \
		(gpu)->hook = NULL;                                                                                    \
	} while (0)

/* Calls a hook of one mechanism's SM part, if the mechanism has that hook. */
#define CALL_SM(sm, number, called)                                                                                    \
	do {                                                                                                           \
		(sm)->hook = #called;                                                                                  \
		if ((sm)->part[number].mech->called)                                                                   \
			(sm)->part[number].mech->called(&(sm)->part[number]);                                          \
	} while (0)

/* Opens a part in all units. */
static void open_part(struct seam *seam, uint32_t number)
{
	open_gpu_part(seam, number);
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		open_sm_part(seam, &seam->sm[s], number);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		open_partition_part(seam, &seam->partition[s], number);
	CALL_GPU(&seam->gpu, number, gpu_open);
}

/* Opens the parts of a kernel: those of mechanisms that do not serve all kernels by the first ones. */
static void open_parts(struct seam *seam, uint32_t kernel)
{
	uint32_t first = kernel * seam->count;
	for (uint32_t i = first; i < first + seam->count; i++)
		if (seam->kernel_of[i] != SEAM_NO_KERNEL)
			open_part(seam, i);
	seam->parts = first + seam->count;
}

static void open_partition(struct seam *seam, struct seam_partition *partition)
{
	partition->seam = seam;
	open_pools(&partition->pools);
}

bool seam_is_local(const struct seam *seam)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech *mech = seam->attached[i].mech;
		if (seam_hooks_of_partitions(mech) || (seam_hooks_of_gpu(mech) && !mech->keeps_in_step))
			return false;
	}
	return !seam->draws;
}

struct seam *seam_open(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine,
                       const uint64_t *clock, const uint64_t *clock_of_partitions)
{
	struct seam *seam = base_calloc(1, sizeof *seam);
	seam->machine = *machine;
	seam->clock = clock;
	seam->clock_of_partitions = clock_of_partitions;
	open_pools(&seam->gpu.pools);
	seam->count = count;
	seam->gpu.seam = seam;
	seam_map_parts(seam);
	for (uint32_t i = 0; i < count; i++)
		seam->attached[i] = attached[i];
	seam->sm = base_calloc(machine->sms, sizeof *seam->sm);
	seam->partition = base_calloc(machine->partitions, sizeof *seam->partition);
	seam->gpu.queue = arena_array(&seam->gpu.pools.machine.arena, machine->send_queue, sizeof *seam->gpu.queue);
	seam->gpu.vetoed_by = SEAM_NOBODY;
	seam->gpu.first_wake = MECH_NEVER;
	seam->gpu.dispatching = MECH_NEVER;
	seam->gpu.of_sm = MECH_NOWHERE;
	for (uint32_t i = 0; i < count; i++)
		output_lay_out(seam, i);
	open_opcodes(seam);
	for (uint32_t s = 0; s < machine->sms; s++)
		open_sm(seam, &seam->sm[s]);
	for (uint32_t s = 0; s < machine->partitions; s++)
		open_partition(seam, &seam->partition[s]);
	open_parts(seam, 0);
	seam_list_parts(seam);
	seam->kernel[0].phase = SEAM_IDLE;
	return seam;
}

/* A kernel that takes the lowest free place finds all lower ones open. */
static void open_kernel(struct seam *seam, uint32_t kernel)
{
	uint32_t first = kernel * seam->count;
	if (kernel == SEAM_ALL || first < seam->parts || !seam_has_kernel_parts(seam))
		return;
	assert(first == seam->parts && first + seam->count <= SEAM_PARTS);
	seam->kernel[kernel].phase = SEAM_OPENING;
	open_parts(seam, kernel);
}

bool seam_may_refuse_banks(const struct seam *seam)
{
	for (uint32_t i = 0; i < seam->count; i++)
		if (seam->attached[i].mech->may_access_shared)
			return true;
	return false;
}

bool seam_sends(const struct seam *seam)
{
	bool sends = false;
	for (uint32_t i = 0; i < seam->count; i++)
		sends |= seam->attached[i].mech->sends;
	return sends;
}

static void close_accounts(struct seam_account account[SEAM_PARTS])
{
	for (uint32_t i = 0; i < SEAM_PARTS; i++)
		free(account[i].by_pc);
}

static void close_sm(struct seam_sm *sm)
{
	close_accounts(sm->account);
	for (uint32_t i = 0; i < sm->seam->parts; i++)
		timeline_free(&sm->output[i].timeline);
	timeline_free(&sm->blocks);
	line_buffer_close(&sm->buffer);
	close_pools(&sm->pools);
}

static void close_partition(struct seam_partition *partition)
{
	close_accounts(partition->account);
	for (uint32_t i = 0; i < partition->seam->parts; i++)
		timeline_free(&partition->output[i].timeline);
	close_pools(&partition->pools);
}

void seam_close(struct seam *seam)
{
	if (!seam)
		return;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		close_sm(&seam->sm[s]);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		close_partition(&seam->partition[s]);
	for (uint32_t i = 0; i < seam->parts; i++)
		timeline_free(&seam->gpu.output[i].timeline);
	close_pools(&seam->gpu.pools);
	free(seam->partition);
	free(seam->sm);
	free(seam);
}

static void clear_stats(void *stats, const struct mech *mech)
{
	if (mech->stats_size)
		memset(stats, 0, mech->stats_size);
}

/* With kernels that run together, counts by load belong to parts that serve one kernel. */
static void clear_account(struct seam_account *account, const struct seam *seam, uint32_t number)
{
	memset(&account->all, 0, sizeof account->all);
	free(account->by_pc);
	account->by_pc = NULL;
	if (seam_attached_of(seam, number)->mech->sends && seam->kernel_of[number] != SEAM_ALL)
		account->by_pc = base_calloc(seam_kernel_of(seam, number)->launch.instructions, sizeof *account->by_pc);
}

/* Clears counters and accounts at the kernel's begin, before any of its hooks can count. */
static void clear_part(struct seam *seam, uint32_t number)
{
	const struct mech *mech = seam_attached_of(seam, number)->mech;
	clear_stats(seam->gpu.part[number].stats, mech);
	output_clear(&seam->gpu.output[number]);
	seam->gpu.wake[number] = 0;
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		clear_stats(seam->partition[s].part[number].stats, mech);
		output_clear(&seam->partition[s].output[number]);
		clear_account(&seam->partition[s].account[number], seam, number);
	}
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		clear_stats(seam->sm[s].part[number].stats, mech);
		output_clear(&seam->sm[s].output[number]);
		clear_account(&seam->sm[s].account[number], seam, number);
	}
}

void seam_clear_units(struct seam *seam)
{
	seam->gpu.first_wake = MECH_NEVER;
	seam->gpu.kept_open_by = SEAM_NOBODY;
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		sm->wake = MECH_NEVER;
		sm->has_news = true;
		sm->kept_in_step = 0;
		memset(sm->fills, 0, sizeof sm->fills);
		sm->fills_shared = false;
	}
}

static void show_launch(struct seam *seam, uint32_t kernel, const struct mech_launch *launch)
{
	for (uint32_t i = 0; i < seam->parts; i++) {
		if (seam->kernel_of[i] != kernel)
			continue;
		seam->gpu.part[i].launch = launch;
		for (uint32_t s = 0; s < seam->machine.partitions; s++)
			seam->partition[s].part[i].launch = launch;
		for (uint32_t s = 0; s < seam->machine.sms; s++)
			seam->sm[s].part[i].launch = launch;
	}
}

/* While no kernel's cycles run, the SMs' clocks equal the dispatcher's. */
static void set_clocks(struct seam *seam)
{
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		seam->sm[s].clock = *seam->clock;
}

void seam_launch(struct seam *seam, uint32_t kernel, const struct mech_launch *launch,
                 const struct seam_analyses *analyses)
{
	struct seam_kernel *own = &seam->kernel[kernel];
	if (seam->several)
		open_kernel(seam, kernel);
	own->launch = *launch;
	own->analyses = *analyses;
	own->phase = SEAM_LAUNCHING;
	set_clocks(seam);
	show_launch(seam, kernel, &own->launch);
}

void seam_restored(struct seam *seam)
{
	set_clocks(seam);
	show_launch(seam, 0, NULL);
	seam->kernel[0].phase = SEAM_IDLE;
}

void seam_kernel_begin(struct seam *seam, uint32_t kernel, uint32_t blocks_per_sm)
{
	struct seam_kernel *own = &seam->kernel[kernel];
	struct seam_gpu *gpu = &seam->gpu;
	own->launch.blocks_per_sm = blocks_per_sm;
	if (!seam->several)
		seam_clear_units(seam);
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel)
			clear_part(seam, i);
	own->phase = SEAM_BEGINNING;
	if (seam->several)
		seam_list_parts(seam);
	if (gpu->cycle.count)
		gpu->first_wake = 0;
	own->launch.shared_taken = seam_shared_taken_at_most(seam, kernel);
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel)
			CALL_GPU(gpu, i, gpu_kernel_begin);
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		for (uint32_t i = 0; i < seam->parts; i++)
			if (seam->kernel_of[i] == kernel)
				CALL_SM(&seam->sm[s], i, kernel_begin);
	own->phase = SEAM_RUNNING;
}

static void free_kernel_pools(struct seam *seam, uint32_t pool)
{
	arena_free(&seam->gpu.pools.kernel[pool].arena);
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		arena_free(&seam->sm[s].pools.kernel[pool].arena);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		arena_free(&seam->partition[s].pools.kernel[pool].arena);
}

void seam_cycles_ended(struct seam *seam, uint32_t kernel)
{
	seam->kernel[kernel].phase = SEAM_SETTLING;
	set_clocks(seam);
	if (seam->gpu.queued) /* the kernel was cut short */
		seam_drop_dispatched(seam, kernel);
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		seam_drop_requests(&seam->sm[s]);
		if (seam->sm[s].has_buffer)
			line_buffer_empty(&seam->sm[s].buffer);
	}
}

void seam_kernel_end(struct seam *seam, uint32_t kernel)
{
	seam->kernel[kernel].phase = SEAM_ENDING;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		for (uint32_t i = 0; i < seam->parts; i++)
			if (seam->kernel_of[i] == kernel)
				CALL_SM(&seam->sm[s], i, kernel_end);
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel)
			CALL_GPU(&seam->gpu, i, gpu_kernel_end);
	show_launch(seam, kernel, NULL);
	if (seam->several)
		seam_kernel_ended(seam, kernel);
	free_kernel_pools(seam, seam_pool_of(kernel));
	seam->kernel[kernel].phase = SEAM_IDLE;
	if (seam->several)
		seam_list_parts(seam);
}

void seam_stats_add(const struct mech *mech, void *sum, const void *stats)
{
	for (size_t i = 0; i < mech->counter_count; i++)
		base_counter_combine(&mech->counters[i], sum, stats);
}

void seam_requests_add(struct mech_requests *sum, const struct mech_requests *requests)
{
#define X(name, unit, meaning) sum->name += requests->name;
	MECH_REQUEST_COUNTERS(X)
#undef X
}

struct mech_requests seam_account_of(const struct seam *seam, uint32_t number)
{
	struct mech_requests sum = {0};
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		seam_requests_add(&sum, &seam->sm[s].account[number].all);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		seam_requests_add(&sum, &seam->partition[s].account[number].all);
	return sum;
}

static void add_load(struct seam_load *sum, const struct seam_load *load)
{
	seam_requests_add(&sum->requests, &load->requests);
	for (uint32_t vector = 0; vector < OUTPUT_REQUEST_VECTORS; vector++)
		sum->sum[vector] += load->sum[vector];
}

static void add_by_pc(struct seam_load *sum, const struct seam_account *account, uint32_t instructions)
{
	for (uint32_t pc = 0; sum && account->by_pc && pc < instructions; pc++)
		add_load(&sum[pc], &account->by_pc[pc]);
}

const void *seam_unit_stats(const struct seam *seam, uint32_t number, enum seam_unit unit, uint32_t index,
                            const struct mech_requests **requests)
{
	if (unit == SEAM_OF_SM) {
		*requests = &seam->sm[index].account[number].all;
		return seam->sm[index].part[number].stats;
	}
	*requests = &seam->partition[index].account[number].all;
	return seam->partition[index].part[number].stats;
}

void seam_stats(const struct seam *seam, uint32_t number, void *stats, struct mech_requests *requests,
                struct seam_load *by_pc)
{
	const struct mech *mech = seam_attached_of(seam, number)->mech;
	uint32_t instructions = seam_kernel_of(seam, number)->launch.instructions;
	*requests = seam_account_of(seam, number);
	seam_stats_add(mech, stats, seam->gpu.part[number].stats);
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		seam_stats_add(mech, stats, seam->partition[s].part[number].stats);
		add_by_pc(by_pc, &seam->partition[s].account[number], instructions);
	}
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		seam_stats_add(mech, stats, seam->sm[s].part[number].stats);
		add_by_pc(by_pc, &seam->sm[s].account[number], instructions);
	}
}
