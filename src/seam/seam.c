/* Attaching mechanisms, a kernel's begin and end, and the calls of hooks. */
#include "seam/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t seat;
	const char *what;
} seats[] = {
	{MECH_SEAT_WARP_ORDER, "the warp order"},
	{MECH_SEAT_BLOCK_COUNT, "the count of blocks an SM"},
	{MECH_SEAT_BLOCK_PLACE, "the placement of blocks"},
	{MECH_SEAT_BUFFER, "the buffer in front of L1"},
};

const char *seam_seat_name(uint32_t seat)
{
	for (size_t i = 0; i < sizeof seats / sizeof *seats; i++)
		if (seats[i].seat == seat)
			return seats[i].what;
	return "?";
}

static bool check_pair(const struct mech *one, const struct mech *other, char *message, size_t size)
{
	if (strcmp(one->name, other->name) == 0) {
		snprintf(message, size, "mechanism %s is attached twice", one->name);
		return false;
	}
	for (size_t i = 0; i < sizeof seats / sizeof *seats; i++)
		if (one->seats & other->seats & seats[i].seat) {
			snprintf(message, size, "mechanisms %s and %s both own %s; only one of them can", one->name,
			         other->name, seats[i].what);
			return false;
		}
	return true;
}

static bool fits(const struct mech *mech, const struct mech_machine *machine, char *message, size_t size)
{
	const struct {
		uint32_t seat;
		bool hook;
		const char *name;
	} need[] = {
		{MECH_SEAT_WARP_ORDER, mech->pick_warp, "pick_warp"},
		{MECH_SEAT_BLOCK_COUNT, mech->blocks_per_sm, "blocks_per_sm"},
		{MECH_SEAT_BLOCK_PLACE, mech->place_block, "place_block"},
		{MECH_SEAT_BUFFER, mech->buffer, "buffer"},
	};
	for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
		bool owns = mech->seats & need[i].seat;
		if (owns == need[i].hook)
			continue;
		snprintf(message, size, "mechanism %s %s %s %s hook %s", mech->name, owns ? "owns" : "does not own",
		         seam_seat_name(need[i].seat), owns ? "but has no" : "but has the", need[i].name);
		return false;
	}
	if (mech->sends && !machine->send_queue) {
		snprintf(message, size, "mechanism %s sends requests, and sm.send_queue is not set: give it at least 1",
		         mech->name);
		return false;
	}
	if (mech->buffer && machine->line_bytes > MECH_SECTOR * BUFFER_SECTORS) {
		snprintf(message, size,
		         "mechanism %s: its buffer takes lines of at most %d bytes; l1d.line_bytes is %u", mech->name,
		         MECH_SECTOR * BUFFER_SECTORS, machine->line_bytes);
		return false;
	}
	return true;
}

bool seam_check(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine, char *message,
                size_t size)
{
	if (count > MECH_MAX) {
		snprintf(message, size, "%u mechanisms; at most %u can be attached", count, MECH_MAX);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct mech *mech = attached[i].mech;
		for (uint32_t k = 0; k < i; k++)
			if (!check_pair(attached[k].mech, mech, message, size))
				return false;
		if (!fits(mech, machine, message, size))
			return false;
		char text[256];
		if (mech->check && !mech->check(attached[i].config, machine, text, sizeof text)) {
			snprintf(message, size, "mechanism %s: %s", mech->name, text);
			return false;
		}
	}
	return true;
}

static void add(struct seam_list *list, uint32_t number, bool has)
{
	if (has)
		list->part[list->count++] = (uint8_t)number;
}

static void *state(struct arena *arena, size_t size)
{
	return arena_array(arena, 1, size ? size : 1);
}

static void open_gpu_part(struct seam *seam, uint32_t number)
{
	const struct mech *mech = seam->attached[number].mech;
	struct seam_gpu *gpu = &seam->gpu;
	struct mech_gpu *part = &gpu->part[number];
	*part = (struct mech_gpu){.mech = mech,
	                          .config = seam->attached[number].config,
	                          .state = state(&seam->arena, mech->gpu_size),
	                          .stats = state(&seam->arena, mech->stats_size),
	                          .number = number,
	                          .machine = &seam->machine,
	                          .arena = &seam->arena,
	                          .services = &seam_services,
	                          .host = seam};
	add(&gpu->block, number, mech->gpu_block);
	add(&gpu->cycle, number, mech->gpu_cycle);
	add(&gpu->may_dispatch, number, mech->may_dispatch);
	gpu->sends |= mech->sends && (mech->gpu_cycle || mech->gpu_block || mech->gpu_kernel_begin);
	if (mech->seats & MECH_SEAT_BLOCK_COUNT)
		gpu->count_owner = part;
	if (mech->seats & MECH_SEAT_BLOCK_PLACE)
		gpu->place_owner = part;
}

static void list_sm_hooks(struct seam_sm *sm, uint32_t number, const struct mech *mech)
{
	add(&sm->block_begin, number, mech->block_begin);
	add(&sm->block_end, number, mech->block_end);
	add(&sm->may_start, number, mech->may_start);
	add(&sm->issue, number, mech->issue);
	add(&sm->may_issue, number, mech->may_issue);
	add(&sm->memory, number, mech->memory);
	add(&sm->access, number, mech->access);
	add(&sm->may_allocate, number, mech->may_allocate);
	add(&sm->fill, number, mech->fill);
	add(&sm->cycle, number, mech->cycle);
}

static void tell_buffer_fate(void *user, enum buffer_fate fate, uint32_t mark)
{
	static const enum seam_fate fates[] = {
		[BUFFER_USED] = SEAM_USEFUL, [BUFFER_EVICTED] = SEAM_EARLY_EVICTED, [BUFFER_UNUSED] = SEAM_REDUNDANT};
	seam_settle(user, fates[fate], mark);
}

static void open_sm_part(struct seam *seam, struct seam_sm *sm, uint32_t number)
{
	const struct seam_attached *attached = &seam->attached[number];
	const struct mech *mech = attached->mech;
	struct mech_sm *part = &sm->part[number];
	*part = (struct mech_sm){.mech = mech,
	                         .config = attached->config,
	                         .state = state(&sm->arena, mech->sm_size),
	                         .stats = state(&sm->arena, mech->stats_size),
	                         .sm = (uint32_t)(sm - seam->sm),
	                         .number = number,
	                         .machine = &seam->machine,
	                         .gpu = &seam->gpu.part[number],
	                         .arena = &sm->arena,
	                         .services = &seam_services,
	                         .host = sm};
	list_sm_hooks(sm, number, mech);
	if (mech->seats & MECH_SEAT_WARP_ORDER) {
		sm->order = part;
		sm->compete = mech->warps_that_compete;
		sm->pick = mech->pick_warp;
	}
	if (mech->seats & MECH_SEAT_BUFFER) {
		struct mech_buffer config = mech->buffer(attached->config, &seam->machine);
		sm->has_buffer = true;
		line_buffer_open(&sm->buffer, &config, seam->machine.line_bytes, tell_buffer_fate, sm);
	}
	if (mech->sm_open)
		mech->sm_open(part);
}

static void open_sm(struct seam *seam, struct seam_sm *sm)
{
	sm->seam = seam;
	sm->wake = MECH_NEVER;
	memset(sm->vetoed_by, MECH_MAX, sizeof sm->vetoed_by);
	sm->queue = arena_array(&sm->arena, seam->machine.send_queue, sizeof(struct seam_sent *));
	for (uint32_t i = 0; i < seam->count; i++)
		open_sm_part(seam, sm, i);
}

static void open_partition(struct seam *seam, struct seam_partition *partition)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct seam_attached *attached = &seam->attached[i];
		struct mech_partition *part = &partition->part[i];
		*part = (struct mech_partition){.mech = attached->mech,
		                                .config = attached->config,
		                                .state = state(&seam->arena, attached->mech->partition_size),
		                                .stats = state(&seam->arena, attached->mech->stats_size),
		                                .slice = (uint32_t)(partition - seam->partition),
		                                .number = i,
		                                .machine = &seam->machine,
		                                .arena = &seam->arena};
		add(&partition->access, i, attached->mech->partition_access);
		if (attached->mech->partition_open)
			attached->mech->partition_open(part);
	}
}

struct seam *seam_open(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine)
{
	struct seam *seam = xcalloc(1, sizeof *seam);
	seam->machine = *machine;
	seam->count = count;
	for (uint32_t i = 0; i < count; i++)
		seam->attached[i] = attached[i];
	seam->sm = xcalloc(machine->sms, sizeof *seam->sm);
	seam->partition = xcalloc(machine->partitions, sizeof *seam->partition);
	seam->gpu.queue = arena_array(&seam->arena, machine->send_queue, sizeof *seam->gpu.queue);
	seam->gpu.vetoed_by = MECH_MAX;
	seam->gpu.first_wake = MECH_NEVER;
	seam->gpu.dispatching = MECH_NEVER;
	for (uint32_t i = 0; i < count; i++)
		open_gpu_part(seam, i);
	for (uint32_t s = 0; s < machine->sms; s++)
		open_sm(seam, &seam->sm[s]);
	for (uint32_t s = 0; s < machine->partitions; s++)
		open_partition(seam, &seam->partition[s]);
	for (uint32_t i = 0; i < count; i++)
		if (attached[i].mech->gpu_open)
			attached[i].mech->gpu_open(&seam->gpu.part[i]);
	return seam;
}

bool seam_sends(const struct seam_sm *sm)
{
	bool sends = false;
	for (uint32_t i = 0; i < sm->seam->count; i++)
		sends |= sm->seam->attached[i].mech->sends;
	return sends;
}

static void close_sm(struct seam_sm *sm)
{
	for (uint32_t i = 0; i < sm->seam->count; i++)
		free(sm->account[i].by_pc);
	line_buffer_close(&sm->buffer);
	arena_free(&sm->arena);
}

void seam_close(struct seam *seam)
{
	if (!seam)
		return;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		close_sm(&seam->sm[s]);
	arena_free(&seam->arena);
	free(seam->partition);
	free(seam->sm);
	free(seam);
}

static void begin_sm(struct seam *seam, struct seam_sm *sm)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech *mech = seam->attached[i].mech;
		struct seam_account *account = &sm->account[i];
		memset(sm->part[i].stats, 0, mech->stats_size);
		memset(&account->all, 0, sizeof account->all);
		if (mech->sends) {
			free(account->by_pc);
			account->by_pc = xcalloc(seam->launch.instructions, sizeof *account->by_pc);
		}
		if (mech->kernel_begin)
			mech->kernel_begin(&sm->part[i]);
	}
	sm->wake = MECH_NEVER;
}

static void show_launch(struct seam *seam, const struct mech_launch *launch)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		seam->gpu.part[i].launch = launch;
		for (uint32_t s = 0; s < seam->machine.partitions; s++)
			seam->partition[s].part[i].launch = launch;
		for (uint32_t s = 0; s < seam->machine.sms; s++)
			seam->sm[s].part[i].launch = launch;
	}
}

void seam_launch(struct seam *seam, const struct mech_launch *launch, const struct seam_analyses *analyses)
{
	seam->launch = *launch;
	seam->analyses = *analyses;
	show_launch(seam, &seam->launch);
}

void seam_kernel_begin(struct seam *seam, uint32_t blocks_per_sm)
{
	struct seam_gpu *gpu = &seam->gpu;
	seam->launch.blocks_per_sm = blocks_per_sm;
	gpu->first_wake = gpu->cycle.count ? 0 : MECH_NEVER;
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech *mech = seam->attached[i].mech;
		memset(gpu->part[i].stats, 0, mech->stats_size);
		gpu->wake[i] = 0;
		if (mech->gpu_kernel_begin)
			mech->gpu_kernel_begin(&gpu->part[i]);
	}
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		for (uint32_t i = 0; i < seam->count; i++)
			memset(seam->partition[s].part[i].stats, 0, seam->attached[i].mech->stats_size);
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		begin_sm(seam, &seam->sm[s]);
}

void seam_kernel_end(struct seam *seam)
{
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		seam_drop_requests(sm);
		if (sm->has_buffer)
			line_buffer_empty(&sm->buffer);
		for (uint32_t i = 0; i < seam->count; i++) {
			if (seam->attached[i].mech->kernel_end)
				seam->attached[i].mech->kernel_end(&sm->part[i]);
		}
	}
	for (uint32_t i = 0; i < seam->count; i++)
		if (seam->attached[i].mech->gpu_kernel_end)
			seam->attached[i].mech->gpu_kernel_end(&seam->gpu.part[i]);
	show_launch(seam, NULL);
}

void seam_stats_add(const struct mech *mech, void *sum, const void *stats)
{
	for (size_t i = 0; i < mech->counter_count; i++)
		counter_combine(&mech->counters[i], sum, stats);
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
	return sum;
}

void seam_stats(const struct seam *seam, uint32_t number, void *stats, struct mech_requests *requests,
                struct mech_requests *by_pc)
{
	const struct mech *mech = seam->attached[number].mech;
	*requests = seam_account_of(seam, number);
	seam_stats_add(mech, stats, seam->gpu.part[number].stats);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		seam_stats_add(mech, stats, seam->partition[s].part[number].stats);
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		const struct seam_account *account = &seam->sm[s].account[number];
		seam_stats_add(mech, stats, seam->sm[s].part[number].stats);
		for (uint32_t pc = 0; by_pc && account->by_pc && pc < seam->launch.instructions; pc++)
			seam_requests_add(&by_pc[pc], &account->by_pc[pc]);
	}
}

void seam_block_begin(struct seam_sm *sm, const struct mech_block *block)
{
	sm->block[block->slot] = *block;
	sm->resident++;
	sm->slots |= 1ull << block->slot;
	if (sm->has_buffer)
		line_buffer_allocated(&sm->buffer, sm->resident * sm->seam->launch.shared_bytes);
	for (uint32_t i = 0; i < sm->block_begin.count; i++) {
		struct mech_sm *part = &sm->part[sm->block_begin.part[i]];
		part->mech->block_begin(part, block);
	}
	for (uint32_t i = 0; i < sm->may_start.count; i++) {
		struct mech_sm *part = &sm->part[sm->may_start.part[i]];
		if (!part->mech->may_start(part, block))
			sm->holders[block->slot] |= 1u << part->number;
	}
}

void seam_block_end(struct seam_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct mech_block block = sm->block[slot];
	block.cycle = cycle;
	sm->resident--;
	sm->slots &= ~(1ull << slot);
	sm->holders[slot] = 0;
	for (uint32_t i = 0; i < sm->block_end.count; i++) {
		struct mech_sm *part = &sm->part[sm->block_end.part[i]];
		part->mech->block_end(part, &block);
	}
	if (sm->has_buffer) {
		line_buffer_block_ended(&sm->buffer, slot);
		line_buffer_allocated(&sm->buffer, sm->resident * sm->seam->launch.shared_bytes);
	}
}

#define CALL_ALL(scope, list, hook, event)                                                                             \
	for (uint32_t i = 0; i < (scope)->list.count; i++)                                                             \
	(scope)->part[(scope)->list.part[i]].mech->hook(&(scope)->part[(scope)->list.part[i]], event)

void seam_issue(struct seam_sm *sm, const struct mech_issue *issue)
{
	CALL_ALL(sm, issue, issue, issue);
}

void seam_memory(struct seam_sm *sm, const struct mech_memory *memory)
{
	CALL_ALL(sm, memory, memory, memory);
}

void seam_access(struct seam_sm *sm, const struct mech_access *access)
{
	CALL_ALL(sm, access, access, access);
}

void seam_fill(struct seam_sm *sm, const struct mech_fill *fill)
{
	CALL_ALL(sm, fill, fill, fill);
}

void seam_partition_access(struct seam_partition *partition, const struct mech_access *access)
{
	CALL_ALL(partition, access, partition_access, access);
}

/* All are asked, so that what one of them does when asked does not depend on the others. */
#define ASK_ALL(refused_by, scope, list, hook, ...)                                                                    \
	uint32_t refused_by = MECH_MAX;                                                                                \
	for (uint32_t i = 0; i < (scope)->list.count; i++) {                                                           \
		uint32_t number = (scope)->list.part[i];                                                               \
		if (!(scope)->part[number].mech->hook(&(scope)->part[number], __VA_ARGS__))                            \
			refused_by = number;                                                                           \
	}

bool seam_may_issue(struct seam_sm *sm, const struct mech_issue *issue)
{
	ASK_ALL(refused_by, sm, may_issue, may_issue, issue);
	sm->vetoed_by[issue->warp] = (uint8_t)refused_by;
	return refused_by == MECH_MAX;
}

bool seam_may_allocate(struct seam_sm *sm, const struct mech_access *access)
{
	ASK_ALL(refused_by, sm, may_allocate, may_allocate, access);
	return refused_by == MECH_MAX;
}

bool seam_may_dispatch(struct seam_gpu *gpu, uint32_t sm, uint64_t block)
{
	ASK_ALL(refused_by, gpu, may_dispatch, may_dispatch, sm, block);
	gpu->vetoed_by = refused_by;
	return refused_by == MECH_MAX;
}

/* What a hook has returned, in the future and not so far away that times overflow. */
static uint64_t next_call(uint64_t wanted, uint64_t cycle)
{
	uint64_t far = cycle + (1ull << 32);
	return wanted <= cycle ? cycle + 1 : wanted == MECH_NEVER || wanted < far ? wanted : far;
}

void seam_cycle(struct seam_sm *sm, uint64_t cycle)
{
	sm->wake = MECH_NEVER;
	for (uint32_t i = 0; i < sm->cycle.count; i++) {
		struct mech_sm *part = &sm->part[sm->cycle.part[i]];
		uint64_t next = next_call(part->mech->cycle(part, cycle), cycle);
		sm->wake = next < sm->wake ? next : sm->wake;
	}
}

void seam_block(struct seam_gpu *gpu, uint32_t sm, const struct mech_block *block, uint64_t cycle)
{
	for (uint32_t i = 0; i < gpu->block.count; i++) {
		struct mech_gpu *part = &gpu->part[gpu->block.part[i]];
		part->mech->gpu_block(part, sm, block);
	}
	for (uint32_t i = 0; i < gpu->cycle.count; i++) {
		uint64_t *wake = &gpu->wake[gpu->cycle.part[i]];
		*wake = *wake > cycle + 1 ? cycle + 1 : *wake;
		gpu->first_wake = gpu->first_wake > cycle + 1 ? cycle + 1 : gpu->first_wake;
	}
}

void seam_gpu_cycle(struct seam_gpu *gpu, uint64_t cycle)
{
	gpu->first_wake = MECH_NEVER;
	for (uint32_t i = 0; i < gpu->cycle.count; i++) {
		uint32_t number = gpu->cycle.part[i];
		struct mech_gpu *part = &gpu->part[number];
		if (gpu->wake[number] <= cycle)
			gpu->wake[number] = next_call(part->mech->gpu_cycle(part, cycle), cycle);
		gpu->first_wake = gpu->wake[number] < gpu->first_wake ? gpu->wake[number] : gpu->first_wake;
	}
}
