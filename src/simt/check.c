/* Programs that look first and then do what they would do anyway; and what was found. */
#include "simt/checks.h"
#include "simt/image.h"
#include "simt/message.h"
#include "simt/program.h"
#include "simt/race_global.h"

#include "base/arena.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST_FINDINGS = 1024 }; /* behind that many, only those that are known are counted */
enum { UNWRITTEN = SIMT_CHECK_INIT | SIMT_CHECK_SHARED_INIT, RACES = SIMT_CHECK_RACE | SIMT_CHECK_GLOBAL_RACE };

/* A finding as it is kept: once a pair of lines. */
struct record {
	char *kernel;
	enum finding_kind kind;
	uint64_t line[2]; /* of the accesses, in this order; 0: there is no second one */
	bool told;
	/* an example, of the first block that has one */
	struct finding example;
	uint64_t number;
	struct dim3 block;
	uint64_t count; /* in the launch that found it first */
};

struct simt_checks {
	unsigned kinds;
	pthread_mutex_t lock;
	struct race_global *global_races; /* of the launches that run */
	struct record *record;
	size_t records, capacity;
};

struct simt_checks *simt_checks_open(unsigned kinds)
{
	struct simt_checks *checks = xcalloc(1, sizeof *checks);
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
	pthread_mutex_destroy(&checks->lock);
	race_global_close(checks->global_races);
	free(checks);
}

uint64_t simt_checks_found(const struct simt_checks *checks)
{
	uint64_t found = 0;
	for (size_t k = 0; k < checks->records; k++)
		found += checks->record[k].kind != FINDING_STRAY;
	return found;
}

void checks_block_start(struct simt_block *block)
{
	unsigned kinds = block->launch->checks->kinds;
	if (!block->checks) {
		block->checks = xcalloc(1, sizeof *block->checks);
		block->checks->race = kinds & RACES ? race_open() : NULL;
		block->checks->unwritten = kinds & UNWRITTEN ? unwritten_open(kinds) : NULL;
	}
	if (block->checks->race)
		race_start(block);
	if (kinds & SIMT_CHECK_GLOBAL_RACE)
		block->checks->race->global = race_global_of(&block->launch->checks->global_races, block);
	if (block->checks->unwritten)
		unwritten_start(block);
	if (block->launch->reads)
		block->checks->reads = block->launch->reads->begin(block->launch->reads->user, block->index);
}

void checks_block_end(struct simt_block *block)
{
	if (block->launch->reads)
		block->launch->reads->end(block->checks->reads);
}

void checks_block_free(struct simt_block *block)
{
	if (!block->checks)
		return;
	race_close(block->checks->race);
	unwritten_close(block->checks->unwritten);
	free(block->checks);
}

void checks_system_call(struct simt_block *block, uint64_t result)
{
	const struct race *race = block->checks->race;
	const struct simt_allocation *allocation =
		race && race->global ? simt_find(block->launch->memory, result) : NULL;
	if (allocation && allocation->address == result)
		race_global_forget(race->global, allocation->address, allocation->size);
}

/* --- checked programs --- */

/* Its index in the kernel's body, or UINT32_MAX. */
static uint32_t index_in_kernel(const struct simt_program *program, const struct simt_inst *inst)
{
	uint32_t index = inst->pc - program->functions[0].pc;
	return index < program->functions[0].ptx->body_count ? index : UINT32_MAX;
}

static void judge_read(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	const struct simt_block *block = warp->block;
	const struct simt_launch *launch = block->launch;
	uint32_t lanes = global_lanes(step);
	if (!lanes)
		return;
	uint64_t address[WARP_SIZE]; /* parameters are the program's */
	for (unsigned i = 0; i < WARP_SIZE; i++)
		address[i] = lanes & lane_bit[i] ? simt_named(launch->memory, step->address[i]) : 0;
	uint32_t wrong =
		launch->reads->read(block->checks->reads, index_in_kernel(launch->program, inst), lanes, address);
	for (; wrong; wrong &= wrong - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(wrong);
		finding_add(block, &(struct finding){.kind = FINDING_READ,
		                                     .access = {{inst, warp->index, lane}},
		                                     .address = step->address[lane],
		                                     .size = inst->size});
	}
}

static void checked_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct block_checks *checks = warp->block->checks;
	struct reach reach;
	uint32_t lanes = step->lanes;
	step->lanes = addressing_lanes(inst, lanes);
	if (step->lanes && !access_reach(warp, inst, step, &reach))
		return;
	if (checks->race)
		race_access(warp, step, &reach);
	if (checks->unwritten)
		unwritten_access(warp, step);
	if (warp->block->launch->reads && inst->kind == SIMT_LOAD)
		judge_read(warp, inst, step);
	/* as simt_step() left it */
	step->lanes = lanes;
	step->space = inst->space;
	step->mixed_spaces = step->apart = step->unit_stride = step->same = false;
	unchecked(warp, inst)->exec(warp, inst, step);
}

static void checked_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unchecked(warp, inst)->commit(warp, inst, step);
	unwritten_commit(warp, step);
}

static void checked_step(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unwritten_step(warp, inst, step);
	unchecked(warp, inst)->exec(warp, inst, step);
}

static void checked_fence(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	race_fence(warp);
	unchecked(warp, inst)->exec(warp, inst, step);
}

static bool is_memory(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

/* Accesses to local memory and parameters are no business of the checks; of what is loaded there nothing is unwritten.
 * Those to textures and surfaces are check_image.c's. */
static bool is_checked(const struct simt_inst *inst)
{
	return is_memory(inst) && !image_is(inst->ptx->op) &&
	       (inst->space == PTX_GLOBAL || inst->space == PTX_SHARED || inst->space == PTX_GENERIC);
}

/* Bytes of a lane of an operand's row, or 0: see struct simt_unchecked. */
static uint8_t pitch_of(const struct ptx_function *function, const struct ptx_operand *operand, enum ptx_type type)
{
	if (operand->kind == PTX_OPERAND_REG)
		type = function->regs[operand->reg].type;
	else if (operand->kind != PTX_OPERAND_INT && operand->kind != PTX_OPERAND_FLOAT)
		return 0;
	return type == PTX_PRED ? 0 : ptx_type_bytes(type) >= 8 ? 8 : 4;
}

static void add_operand(const struct ptx_function *function, const struct ptx_operand *operand, enum ptx_type type,
                        uint8_t *pitch, unsigned *count, unsigned most)
{
	if (operand->kind == PTX_OPERAND_VECTOR)
		for (uint32_t k = 0; k < operand->count; k++)
			add_operand(function, &operand->element[k], type, pitch, count, most);
	else if (*count < most)
		pitch[(*count)++] = pitch_of(function, operand, type);
	bool is_wide = operand->kind == PTX_OPERAND_REG && function->regs[operand->reg].type == PTX_B128;
	if (is_wide && *count < most)
		pitch[(*count)++] = 8; /* its second row */
}

/* Fills in the rows of the operands, in the order in which decode put them into src and dst. */
static void add_operands(const struct ptx_function *function, const struct simt_inst *inst,
                         struct simt_unchecked *plain)
{
	const struct ptx_inst *ptx = inst->ptx;
	unsigned sources = 0, destinations = 0;
	if (inst->kind == SIMT_BRANCH || inst->kind == SIMT_EXIT || inst->kind == SIMT_FENCE)
		return;
	for (unsigned k = 0; k < ptx->destinations; k++)
		add_operand(function, &ptx->operand[k], ptx->type, plain->dst_pitch, &destinations, CHECK_DESTINATIONS);
	if (inst->kind == SIMT_BARRIER || (is_memory(inst) && !is_checked(inst)))
		return;
	if (is_memory(inst)) {
		bool constant = inst->base_mask & 1;
		plain->src_pitch[sources++] = !constant && inst->immediate & EXEC_BASE32 ? 4 : 8;
	}
	for (unsigned k = ptx->destinations; k < ptx->operands; k++)
		if (ptx->operand[k].kind != PTX_OPERAND_ADDRESS)
			add_operand(function, &ptx->operand[k], ptx->type, plain->src_pitch, &sources, CHECK_SOURCES);
}

static enum carry carry_of(const struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	switch (ptx->op) {
	case PTX_OP_MOV:
		return CARRY_BITS;
	case PTX_OP_CVT:
		return ptx_type_is_float(ptx->type) || ptx_type_is_float(ptx->type2) || ptx->sat ? CARRY_NONE
		                                                                                 : CARRY_BITS;
	case PTX_OP_SHL:
	case PTX_OP_SHR:
		return inst->base_mask & 2 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_BFE:
		return (inst->base_mask & 6) == 6 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_PRMT:
	case PTX_OP_SHF:
		return inst->base_mask & 4 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_AND:
		return inst->base_mask & 3 ? CARRY_BITS : CARRY_UNION;
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
	case PTX_OP_SELP:
		return CARRY_UNION;
	default:
		return CARRY_NONE;
	}
}

static simt_exec *checked_exec(unsigned kinds, const struct simt_inst *inst)
{
	bool init = kinds & UNWRITTEN, others = kinds & (UNWRITTEN | RACES);
	if (is_checked(inst))
		return others || (inst->kind == SIMT_LOAD && inst->space != PTX_SHARED) ? checked_access : inst->exec;
	if (is_memory(inst) && image_is(inst->ptx->op))
		return others ? checked_image : inst->exec;
	if (inst->kind == SIMT_FENCE)
		return kinds & RACES ? checked_fence : inst->exec;
	return init && inst->kind != SIMT_EXIT ? checked_step : inst->exec;
}

void simt_check_program(const struct simt_checks *checks, struct simt_program *program)
{
	struct simt_unchecked *list = arena_array(&program->arena, program->count, sizeof *list);
	uint32_t f = 0;
	for (uint32_t pc = 0; pc < program->count; pc++) {
		struct simt_inst *inst = &program->code[pc];
		struct simt_unchecked *plain = &list[pc];
		while (f + 1 < program->function_count && program->functions[f + 1].pc <= pc)
			f++;
		plain->exec = inst->exec;
		plain->commit = inst->commit;
		plain->width = is_memory(inst) && inst->kind != SIMT_ATOMIC
		                       ? 0
		                       : (uint8_t)ptx_type_bytes(inst->ptx->type2 != PTX_NO_TYPE ? inst->ptx->type2
		                                                                                 : inst->ptx->type);
		plain->carry = (uint8_t)carry_of(inst);
		add_operands(program->functions[f].ptx, inst, plain);
		inst->exec = plain->load = checked_exec(checks->kinds, inst);
		if (checks->kinds & SIMT_CHECK_STRAY && stray_may(inst))
			inst->exec = stray_load;
		if (checks->kinds & SIMT_CHECK_INIT && is_checked(inst) && inst->commit)
			inst->commit = checked_commit;
		else if (checks->kinds & SIMT_CHECK_INIT && is_memory(inst) && inst->commit)
			inst->commit = checked_image_commit;
	}
	program->unchecked = list;
}

/* --- findings --- */

static bool is_transfer(const struct finding_access *access)
{
	return access->inst->kind == SIMT_BARRIER;
}

/* Of two accesses that nothing orders. */
static bool is_pair(enum finding_kind kind)
{
	return kind == FINDING_RACE || kind == FINDING_GLOBAL_RACE || kind == FINDING_SOURCE || kind == FINDING_TEXTURE;
}

/* The line of an access, its kind included: that of the source where it is known, else that of the PTX. */
static uint64_t line_of(const struct finding_access *access)
{
	if (!access->inst)
		return 0;
	const struct ptx_inst *ptx = access->inst->ptx;
	uint64_t line = ptx->source_line ? (uint64_t)ptx->source_file << 32 | ptx->source_line
	                                 : (uint64_t)1 << 60 | ptx->place.line;
	return line << 2 | (is_transfer(access) ? 3 : access->inst->kind - SIMT_LOAD);
}

/* The pair of a race has no order: which of the two came first is chance. */
static void sort_accesses(struct finding *finding)
{
	if ((finding->kind == FINDING_RACE || finding->kind == FINDING_GLOBAL_RACE) &&
	    line_of(&finding->access[0]) > line_of(&finding->access[1])) {
		struct finding_access first = finding->access[0];
		struct dim3 block = finding->block[0];
		finding->access[0] = finding->access[1];
		finding->access[1] = first;
		finding->block[0] = finding->block[1];
		finding->block[1] = block;
	}
}

/* A read is found once a line, whoever used what it read. */
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
		checks->record = xrealloc(checks->record, checks->capacity * sizeof *checks->record);
	}
	struct record *record = &checks->record[checks->records++];
	*record = (struct record){
		.kernel = xstrdup(kernel), .kind = finding->kind, .line = {line[0], line[1]}, .number = UINT64_MAX};
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

static const char *access_name(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD ? "read" : inst->kind == SIMT_STORE ? "write" : "atomic";
}

static void add_access(struct message *out, const struct simt_launch *launch, const struct finding_access *access)
{
	if (is_transfer(access)) {
		message_add(out, "\n  transfer of DMA buffer %" PRIu32 " at ", access->lane);
		message_place(out, launch, access->inst->ptx);
		return;
	}
	message_add(out, "\n  %s at ", access_name(access->inst));
	message_place(out, launch, access->inst->ptx);
	message_add(out, ", thread ");
	message_dim(out, simt_thread(launch, access->warp, access->lane));
}

/* Of the two accesses, in their order. */
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

static void add_allocation(struct message *out, const struct simt_launch *launch, const struct finding *finding)
{
	const struct simt_allocation *allocation = simt_find(launch->memory, finding->address);
	message_add(out, ", address 0x%" PRIx64 ", %" PRIu32 " bytes", finding->address, finding->size);
	if (allocation)
		message_add(out, "\n  allocation: 0x%" PRIx64 ", %" PRIu64 " bytes, offset %" PRIu64,
		            allocation->address, allocation->size, finding->address - allocation->address);
}

static void add_prediction(struct message *out, const struct simt_launch *launch, const struct simt_inst *inst)
{
	char text[512];
	launch->reads->describe(launch->reads->user, index_in_kernel(launch->program, inst), text, sizeof text);
	message_add(out, "\n  predicted: %s", text);
}

static void print_record(const struct simt_launch *launch, const struct record *record, char *text, size_t size)
{
	static const char *const titles[] = {
		[FINDING_RACE] = "race on shared memory: two warps, nothing that orders them",
		[FINDING_GLOBAL_RACE] = "race on global memory: two warps, nothing that orders them",
		[FINDING_TEXTURE] =
			"texture read of what the same kernel wrote: nothing brings that to the texture cache",
		[FINDING_SOURCE] = "race on global memory: written while a DMA transfer may read it",
		[FINDING_INIT] = "read of device memory that nobody wrote",
		[FINDING_SHARED_INIT] = "read of shared memory that nobody wrote",
		[FINDING_READ] = "read outside the rows that were predicted for its index",
		[FINDING_STRAY] = "read outside every allocation; it gives 0",
	};
	struct message out = {text, size};
	const struct finding *example = &record->example;
	bool by_dma =
		record->kind == FINDING_RACE && (is_transfer(&example->access[0]) || is_transfer(&example->access[1]));
	message_add(&out, "kernel '%s': %s", record->kernel,
	            by_dma ? "race on shared memory: a DMA transfer, nothing that orders it" : titles[record->kind]);
	add_access(&out, launch, &example->access[0]);
	if (is_pair(record->kind)) {
		add_access(&out, launch, &example->access[1]);
	} else if (example->access[1].inst) {
		message_add(&out, "\n  a part of it was written; used at ");
		message_place(&out, launch, example->access[1].inst->ptx);
	}
	if (record->kind == FINDING_GLOBAL_RACE || record->kind == FINDING_TEXTURE) {
		add_blocks(&out, example);
	} else {
		message_add(&out, "\n  block ");
		message_dim(&out, record->block);
	}
	if (record->kind != FINDING_RACE && record->kind != FINDING_SHARED_INIT)
		add_allocation(&out, launch, example);
	else
		add_shared(&out, launch, example);
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
	struct record **fresh = xmalloc((checks->records + 1) * sizeof *fresh);
	size_t count = 0;
	for (size_t k = 0; k < checks->records; k++)
		if (!checks->record[k].told)
			fresh[count++] = &checks->record[k];
	/* The order in which threads of the host found them is chance. */
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
