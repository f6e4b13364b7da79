/* Facts of a launch that mechanisms can query. The rows of bytes that its blocks read, as the program announced them or
 * as analysis finds them; its loads; its code that stages tiles in shared memory. */
#include "api/api.h"

#include "flow/affine.h"
#include "flow/indirect.h"
#include "flow/staging.h"

#include <stdlib.h>
#include <string.h>

/* --- the program's announcements --- */

enum sluice_status sluice_announce_range(sluice_gpu *gpu, const struct sluice_range *range, struct sluice_error *error)
{
	struct announcements *said = &gpu->announced;
	if (!simt_find(gpu->gpu->memory, range->base))
		return api_fail(
			error, SLUICE_BAD_ARGUMENT,
			"announced range: 0x%llx is in no allocation; the base must be an address in device memory",
			(unsigned long long)range->base);
	said->range = base_realloc(said->range, (said->count + 1) * sizeof *said->range);
	said->range[said->count++] = *range;
	said->used = true;
	return api_succeed(error);
}

void sluice_forget_ranges(sluice_gpu *gpu)
{
	gpu->announced.count = 0;
	gpu->announced.used = true;
}

/* --- analyses --- */

static uint32_t pc_of(const struct simt_program *program, uint32_t inst)
{
	const struct ptx_inst *wanted = &program->kernel->body[inst];
	for (uint32_t pc = 0; pc < program->count; pc++)
		if (program->code[pc].ptx == wanted)
			return pc;
	return MECH_NO_PC;
}

/* Places a row in the allocation that `base` points into, which clips it. Returns false when there is no such
 * allocation. */
static bool place_row(const struct launch_analyses *known, uint64_t base, struct mech_row *row)
{
	base = simt_address(known->gpu->gpu->memory, base);
	const struct simt_allocation *allocation = simt_find(known->gpu->gpu->memory, base);
	if (!allocation)
		return false;
	row->base = base;
	row->first = allocation->address;
	row->end = allocation->address + allocation->size;
	return true;
}

static bool add_row(struct launch_analyses *known, const struct affine_row *found, struct mech_row *row)
{
	uint64_t base = 0;
	if (!found->array)
		return false;
	if (found->array->space == PTX_PARAM)
		memcpy(&base, known->launch->params + found->array->offset + found->array_offset, sizeof base);
	else
		base = found->array->address;
	*row = (struct mech_row){.low = found->low,
	                         .high = found->high,
	                         .pc = pc_of(known->launch->program, found->inst),
	                         .reads = found->reads};
	memcpy(row->low_by, found->ctaid, sizeof row->low_by);
	memcpy(row->high_by, found->ctaid, sizeof row->high_by);
	return place_row(known, base, row);
}

static struct mech_rows analyzed_rows(struct launch_analyses *known, uint32_t most, enum mech_loops loops)
{
	const struct simt_launch *launch = known->launch;
	const struct affine_launch shape = {.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
	                                    .block = {launch->block.x, launch->block.y, launch->block.z},
	                                    .params = launch->params,
	                                    .gap = known->gpu->machine.sm.l1d.line_bytes};
	static const enum affine_loops wanted[] = {[MECH_NO_LOOPS] = AFFINE_NO_LOOPS,
	                                           [MECH_LOOPS_IN_CODE] = AFFINE_LOOPS_IN_CODE,
	                                           [MECH_LOOPS_AT_LAUNCH] = AFFINE_LOOPS_AT_LAUNCH};
	struct affine_dropped dropped;
	const struct affine_rows table =
		affine_table(&known->arena, kernel_loads(known->kernel), &shape, most, wanted[loops], &dropped);
	struct mech_row *row = arena_array(&known->arena, table.count + 1, sizeof *row);
	struct mech_rows rows = {.row = row, .dropped = dropped.rows, .dropped_reads = dropped.reads};
	for (uint32_t i = 0; i < table.count; i++)
		rows.rows += add_row(known, &table.row[i], &row[rows.rows]);
	return rows;
}

/* Returns the rows in the order of their announcement. Arrays freed since then have no rows. */
static struct mech_rows announced_rows(struct launch_analyses *known, const struct announcements *said, uint32_t most)
{
	uint32_t count = said->count < most ? said->count : most;
	struct mech_row *row = arena_array(&known->arena, count + 1, sizeof *row);
	struct mech_rows rows = {.row = row, .announced = true, .dropped = said->count - count};
	for (uint32_t i = 0; i < count; i++) {
		const struct sluice_range *range = &said->range[i];
		struct mech_row *next = &row[rows.rows];
		*next = (struct mech_row){.low = range->low, .high = range->high, .pc = MECH_NO_PC};
		memcpy(next->low_by, range->low_by, sizeof next->low_by);
		memcpy(next->high_by, range->high_by, sizeof next->high_by);
		rows.rows += place_row(known, range->base, next);
	}
	return rows;
}

static struct mech_rows give_rows(void *user, uint32_t most, enum mech_loops loops)
{
	struct launch_analyses *known = user;
	const struct announcements *said = &known->gpu->announced;
	return said->used ? announced_rows(known, said, most) : analyzed_rows(known, most, loops);
}

/* Returns the analyzer's result for a load of the kernel's own body, or NULL. */
static const struct affine_load *analyzed_load(const struct affine_kernel *analysis, const struct ptx_inst *inst)
{
	for (uint32_t i = 0; i < analysis->loads; i++)
		if (&analysis->function->body[analysis->load[i].inst] == inst)
			return &analysis->load[i];
	return NULL;
}

static struct mech_load load_at(const struct affine_kernel *analysis, const struct simt_inst *inst, bool indirect)
{
	const struct affine_load *found = analyzed_load(analysis, inst->ptx);
	return (struct mech_load){.pc = inst->pc,
	                          .line = inst->ptx->source_line,
	                          .indirect = indirect,
	                          .precalculable = found && found->status <= AFFINE_QUASI_STATIC,
	                          .relaxed = found && found->relaxed <= AFFINE_QUASI_STATIC};
}

static const struct mech_load *give_loads(void *user, uint32_t *count)
{
	struct launch_analyses *known = user;
	const struct simt_program *program = known->launch->program;
	const struct affine_kernel *analysis = kernel_loads(known->kernel);
	const struct flow_loads *all = kernel_all_loads(known->kernel);
	struct mech_load *load = arena_array(&known->arena, program->count + 1, sizeof *load);
	*count = 0;
	for (uint32_t pc = 0; pc < program->count; pc++) {
		const struct ptx_inst *inst = program->code[pc].ptx;
		uint32_t number = inst && flow_is_global_load(inst) ? flow_number(all->on, inst) : FLOW_NONE;
		if (number != FLOW_NONE)
			load[(*count)++] = load_at(analysis, &program->code[pc], all->indirect[number]);
	}
	return load;
}

static bool stages(const struct flow_role *role)
{
	return role->loads || role->handles || role->addresses;
}

static const struct mech_staging_inst *give_staging(void *user, uint32_t *count)
{
	struct launch_analyses *known = user;
	const struct simt_program *program = known->launch->program;
	const struct flow_staging *analysis = kernel_staging(known->kernel);
	struct mech_staging_inst *staging = arena_array(&known->arena, program->count + 1, sizeof *staging);
	*count = 0;
	for (uint32_t pc = 0; pc < program->count; pc++) {
		const struct ptx_inst *inst = program->code[pc].ptx;
		uint32_t number = inst ? flow_number(analysis->on, inst) : FLOW_NONE;
		if (number == FLOW_NONE || !stages(&analysis->inst[number]))
			continue;
		const struct flow_role *role = &analysis->inst[number];
		staging[(*count)++] = (struct mech_staging_inst){.pc = pc,
		                                                 .loads = role->loads,
		                                                 .handles = role->handles,
		                                                 .stores = role->stores,
		                                                 .addresses = role->addresses,
		                                                 .own = role->own};
	}
	return staging;
}

static void print_message(void *user, const char *mechanism, const char *text)
{
	(void)user;
	fprintf(stderr, "sluice: %s: %s\n", mechanism, text);
}

struct seam_analyses api_analyses(struct launch_analyses *known)
{
	return (struct seam_analyses){.user = known,
	                              .rows = give_rows,
	                              .loads = give_loads,
	                              .staging = give_staging,
	                              .allocations = api_allocations,
	                              .say = print_message};
}
