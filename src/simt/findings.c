/* findings: records each finding once per pair of lines, and reports it after the launch. */
#include "simt/checks.h"
#include "simt/message.h"
#include "simt/program.h"
#include "simt/race_global.h"
#include "simt/race_streams.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_FINDINGS = 1024 }; /* when full, only known findings are still counted */

/* A recorded finding: one per pair of lines. */
struct record {
	char *kernel;
	enum finding_kind kind;
	uint64_t line[2]; /* of the accesses, in this order; 0: there is no second access */
	bool told;
	/* an example, from the first block that has one */
	struct finding example;
	uint64_t number;
	struct dim3 block;
	uint64_t count; /* in the launch that found it first */
};

struct simt_checks *simt_checks_open(unsigned kinds)
{
	struct simt_checks *checks = base_calloc(1, sizeof *checks);
	checks->kinds = kinds;
	pthread_mutex_init(&checks->lock, NULL);
	return checks;
}

void simt_checks_close(struct simt_checks *checks)
{
	if (!checks)
		return;
	for (size_t k = 0; k < checks->records; k++)
		free(checks->record[k].kernel);
	free(checks->record);
	heap_free(checks->heap);
	pthread_mutex_destroy(&checks->lock);
	race_global_close(checks->global_races);
	race_streams_close(checks->streams);
	free(checks);
}

uint64_t simt_checks_found(const struct simt_checks *checks)
{
	uint64_t found = race_streams_found(checks->streams);
	for (size_t k = 0; k < checks->records; k++)
		found += checks->record[k].kind != FINDING_STRAY;
	return found;
}

static bool is_memory_access(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

static bool is_transfer(const struct finding_access *access)
{
	return access->inst->kind == SIMT_BARRIER && !access->inst->ptx->warp;
}

/* Returns true for findings about two unordered accesses. */
static bool is_pair(enum finding_kind kind)
{
	return kind == FINDING_RACE || kind == FINDING_GLOBAL_RACE || kind == FINDING_SOURCE ||
	       kind == FINDING_TEXTURE || kind == FINDING_WARP_RACE || kind == FINDING_WARP_GLOBAL_RACE;
}

/* Returns the line of an access, including its kind: the source line if known, else the PTX line. */
static uint64_t line_of(const struct finding_access *access)
{
	if (!access->inst)
		return 0;
	const struct ptx_inst *ptx = access->inst->ptx;
	uint64_t line = ptx->source_line ? (uint64_t)ptx->source_file << 32 | ptx->source_line
	                                 : (uint64_t)1 << 60 | ptx->place.line;
	return line << 2 | (is_memory_access(access->inst) ? access->inst->kind - SIMT_LOAD : 3);
}

/* The two accesses of a race have no fixed order, because the one that ran first varies between runs. */
static void sort_accesses(struct finding *finding)
{
	bool is_race = is_pair(finding->kind) && finding->kind != FINDING_SOURCE && finding->kind != FINDING_TEXTURE;
	if (is_race && line_of(&finding->access[0]) > line_of(&finding->access[1])) {
		struct finding_access first = finding->access[0];
		struct dim3 block = finding->block[0];
		finding->access[0] = finding->access[1];
		finding->access[1] = first;
		finding->block[0] = finding->block[1];
		finding->block[1] = block;
	}
}

/* A read is recorded once per line, for all instructions that use its value. */
static struct record *find_record(struct simt_checks *checks, const char *kernel, const struct finding *finding)
{
	uint64_t line[2] = {line_of(&finding->access[0]), is_pair(finding->kind) ? line_of(&finding->access[1]) : 0};
	for (size_t k = 0; k < checks->records; k++) {
		struct record *record = &checks->record[k];
		if (record->line[0] == line[0] && record->line[1] == line[1] && record->kind == finding->kind &&
		    strcmp(record->kernel, kernel) == 0)
			return record;
	}
	if (checks->records == MOST_FINDINGS)
		return NULL;
	if (checks->records == checks->capacity) {
		checks->capacity = checks->capacity ? 2 * checks->capacity : 16;
		checks->record = base_realloc(checks->record, checks->capacity * sizeof *checks->record);
	}
	struct record *record = &checks->record[checks->records++];
	*record = (struct record){
		.kernel = base_strdup(kernel), .kind = finding->kind, .line = {line[0], line[1]}, .number = UINT64_MAX};
	return record;
}

void finding_add(const struct simt_block *block, const struct finding *finding)
{
	struct simt_checks *checks = block->launch->checks;
	if (finding->kind == FINDING_RACE && !(checks->kinds & SIMT_CHECK_RACE))
		return;
	struct finding sorted = *finding;
	sort_accesses(&sorted);
	pthread_mutex_lock(&checks->lock);
	struct record *record = find_record(checks, block->launch->program->kernel->name, &sorted);
	if (record && !record->told) {
		record->count++;
		if (block->number < record->number) {
			record->number = block->number;
			record->block = block->index;
			record->example = sorted;
		}
	}
	pthread_mutex_unlock(&checks->lock);
}

/* --- texts --- */

const char *finding_access_name(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD     ? "read"
	       : inst->kind == SIMT_STORE  ? "write"
	       : inst->kind == SIMT_ATOMIC ? "atomic"
	                                   : ptx_op_name(inst->ptx->op);
}

static void add_access(struct message *out, const struct simt_launch *launch, const struct finding_access *access)
{
	if (is_transfer(access)) {
		message_add(out, "\n  transfer of DMA buffer %" PRIu32 " at ", access->lane);
		message_place(out, launch, access->inst->ptx);
		return;
	}
	message_add(out, "\n  %s at ", finding_access_name(access->inst));
	message_place(out, launch, access->inst->ptx);
	message_add(out, ", thread ");
	message_dim(out, simt_thread(launch, access->warp, access->lane));
}

/* Appends the blocks of the two accesses, in order. */
static void add_blocks(struct message *out, const struct finding *finding)
{
	message_add(out, "\n  blocks ");
	message_dim(out, finding->block[0]);
	message_add(out, " and ");
	message_dim(out, finding->block[1]);
}

static void add_shared(struct message *out, const struct simt_launch *launch, const struct finding *finding)
{
	message_add(out, ", shared address 0x%" PRIx64 ", %" PRIu32 " bytes", finding->address, finding->size);
	message_variable(out, launch, PTX_SHARED, finding->address);
}

void finding_add_allocation(struct message *out, const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	const struct simt_allocation *allocation = simt_find(memory, address);
	message_add(out, " address 0x%" PRIx64 ", %" PRIu64 " bytes", address, size);
	if (allocation)
		message_add(out, "\n  allocation: 0x%" PRIx64 ", %" PRIu64 " bytes, offset %" PRIu64,
		            allocation->address, allocation->size, address - allocation->address);
}

static void add_prediction(struct message *out, const struct simt_launch *launch, const struct simt_inst *inst)
{
	char text[512];
	launch->reads->describe(launch->reads->user, check_index(launch->program, inst), text, sizeof text);
	message_add(out, "\n  predicted: %s", text);
}

/* Appends the array through which a shared access was made. */
static void add_symbol(struct message *out, const struct simt_launch *launch, const struct finding *finding)
{
	const struct simt_variable *variable = launch->program->unchecked[finding->access[0].inst->pc].variable;
	uint64_t end = simt_variable_end(launch, variable);
	message_add(out, "\n  through ");
	message_name(out, variable->name);
	message_add(out, ", 0x%" PRIx32 ", %" PRIu64 " bytes, which ", variable->offset, end - variable->offset);
	uint64_t last = finding->address + finding->size - 1;
	bool begins_inside = finding->address >= variable->offset && finding->address < end;
	message_gap(out, simt_gap(PTX_SHARED, variable->offset, end, begins_inside ? last : finding->address));
}

static void add_lane(struct message *out, const struct finding *finding)
{
	const char *verb = finding->kind == FINDING_MASK    ? "lane"
	                   : finding->kind == FINDING_MASKS ? "it names lane"
	                                                    : "it reads lane";
	message_add(out, "\n  %s %" PRIu32 ", member mask 0x%08" PRIx64, verb, finding->size, finding->address);
}

/* Appends the location, in the terms of its memory space. */
static void add_place(struct message *out, const struct simt_launch *launch, const struct finding *finding)
{
	switch (finding->kind) {
	case FINDING_RACE:
	case FINDING_WARP_RACE:
	case FINDING_SHARED_INIT:
		add_shared(out, launch, finding);
		return;
	case FINDING_SYMBOL:
		add_shared(out, launch, finding);
		add_symbol(out, launch, finding);
		return;
	case FINDING_LOCAL_INIT:
		message_add(out, ", local address 0x%" PRIx64 ", %" PRIu32 " bytes", finding->address, finding->size);
		message_variable(out, launch, PTX_LOCAL, finding->address);
		return;
	case FINDING_MASK:
	case FINDING_LANE:
	case FINDING_MASKS:
		add_lane(out, finding);
		return;
	default:
		message_add(out, ",");
		finding_add_allocation(out, launch->memory, finding->address, finding->size);
	}
}

static void print_record(const struct simt_launch *launch, const struct record *record, char *text, size_t size)
{
	static const char *const titles[] = {
		[FINDING_RACE] = "race on shared memory: two warps that nothing orders",
		[FINDING_GLOBAL_RACE] = "race on global memory: two warps that nothing orders",
		[FINDING_TEXTURE] =
			"texture read of data that the same kernel wrote: nothing updates the texture cache",
		[FINDING_SOURCE] = "race on global memory: written while a DMA transfer may read it",
		[FINDING_INIT] = "read of device memory that nobody wrote",
		[FINDING_SHARED_INIT] = "read of shared memory that nobody wrote",
		[FINDING_LOCAL_INIT] = "use of local memory that nobody wrote",
		[FINDING_READ] = "read outside the rows predicted for its index",
		[FINDING_STRAY] = "read outside every allocation; it gives 0",
		[FINDING_SYMBOL] = "access through an array of shared memory that lands outside it",
		[FINDING_MASK] = "a thread's member mask does not name the thread itself",
		[FINDING_LANE] = "shuffle from a lane that does not take part",
		[FINDING_MASKS] = "a thread's member mask names a thread that has another mask",
		[FINDING_WARP_RACE] = "race on shared memory: two threads of a warp that nothing orders",
		[FINDING_WARP_GLOBAL_RACE] = "race on global memory: two threads of a warp that nothing orders",
	};
	struct message out = {text, size};
	const struct finding *example = &record->example;
	bool by_dma =
		record->kind == FINDING_RACE && (is_transfer(&example->access[0]) || is_transfer(&example->access[1]));
	message_add(&out, "kernel '%s': %s", record->kernel,
	            by_dma ? "race on shared memory: a DMA transfer that nothing orders" : titles[record->kind]);
	add_access(&out, launch, &example->access[0]);
	if (is_pair(record->kind)) {
		add_access(&out, launch, &example->access[1]);
	} else if (example->access[1].inst) {
		message_add(&out, record->kind == FINDING_LOCAL_INIT ? "\n  used at "
		                                                     : "\n  a part of it was written; used at ");
		message_place(&out, launch, example->access[1].inst->ptx);
	}
	if (record->kind == FINDING_GLOBAL_RACE || record->kind == FINDING_TEXTURE) {
		add_blocks(&out, example);
	} else {
		message_add(&out, "\n  block ");
		message_dim(&out, record->block);
	}
	add_place(&out, launch, example);
	if (record->kind == FINDING_STRAY)
		message_nearest_allocation(&out, launch, example->address);
	if (record->kind == FINDING_READ)
		add_prediction(&out, launch, example->access[0].inst);
	message_add(&out, "\n  %" PRIu64 " times in this launch", record->count);
}

static int by_line(const void *a, const void *b)
{
	const struct record *const *x = a, *const *y = b;
	for (unsigned k = 0; k < 2; k++)
		if ((*x)->line[k] != (*y)->line[k])
			return (*x)->line[k] < (*y)->line[k] ? -1 : 1;
	return (int)(*x)->kind - (int)(*y)->kind;
}

void simt_checks_report(struct simt_checks *checks, const struct simt_launch *launch,
                        void (*say)(void *user, bool is_stray, const char *text), void *user)
{
	struct record **fresh = base_malloc((checks->records + 1) * sizeof *fresh);
	size_t count = 0;
	for (size_t k = 0; k < checks->records; k++)
		if (!checks->record[k].told)
			fresh[count++] = &checks->record[k];
	/* Sorted, because host threads find them in an arbitrary order. */
	qsort(fresh, count, sizeof *fresh, by_line);
	for (size_t k = 0; k < count; k++) {
		char text[4096];
		print_record(launch, fresh[k], text, sizeof text);
		fresh[k]->told = true;
		say(user, fresh[k]->kind == FINDING_STRAY, text);
	}
	free(fresh);
}

void simt_checks_end(struct simt_checks *checks, const struct simt_launch *launch)
{
	race_global_end(&checks->global_races, launch);
}
