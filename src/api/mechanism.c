/* What mechanisms are told of a launch when they ask, what they have counted, and what the user may know of them. */
#include "api/api.h"

#include "base/c_locale.h"

#include "flow/affine.h"
#include "mech/list.h"

#include <stdlib.h>
#include <string.h>

/* --- what the program announces --- */

enum sluice_status sluice_announce_range(sluice_gpu *gpu, const struct sluice_range *range, struct sluice_error *error)
{
	struct announcements *said = &gpu->announced;
	if (!simt_find(gpu->gpu->memory, range->base))
		return api_fail(
			error, SLUICE_BAD_ARGUMENT,
			"announced range: 0x%llx is in no allocation; the base must be an address in device memory",
			(unsigned long long)range->base);
	said->range = xrealloc(said->range, (said->count + 1) * sizeof *said->range);
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

/* A row of an array, clipped to its allocation. False: it has none. */
static bool place_row(const struct launch_analyses *known, uint64_t base, struct mech_row *row)
{
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

static struct mech_rows analysed_rows(struct launch_analyses *known, uint32_t most, enum mech_loops loops)
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

/* In the order in which they were announced; arrays that have been freed since have no rows. */
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
	return said->used ? announced_rows(known, said, most) : analysed_rows(known, most, loops);
}

static int by_pc(const void *a, const void *b)
{
	const struct mech_load *x = a, *y = b;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static const struct mech_load *give_loads(void *user, uint32_t *count)
{
	struct launch_analyses *known = user;
	const struct affine_kernel *analysis = kernel_loads(known->kernel);
	struct mech_load *load = arena_array(&known->arena, analysis->loads + 1, sizeof *load);
	*count = analysis->loads;
	for (uint32_t i = 0; i < analysis->loads; i++) {
		const struct affine_load *found = &analysis->load[i];
		load[i] = (struct mech_load){.pc = pc_of(known->launch->program, found->inst),
		                             .line = found->source_line,
		                             .indirect = found->status == AFFINE_INDIRECT,
		                             .precalculable = found->status <= AFFINE_QUASI_STATIC,
		                             .relaxed = found->relaxed <= AFFINE_QUASI_STATIC};
	}
	qsort(load, analysis->loads, sizeof *load, by_pc);
	return load;
}

static void say(void *user, const char *mechanism, const char *text)
{
	(void)user;
	fprintf(stderr, "sluice: %s: %s\n", mechanism, text);
}

const uint32_t *api_source_lines(sluice_kernel *kernel)
{
	const struct simt_program *program = kernel->program;
	if (kernel->line)
		return kernel->line;
	kernel->line = arena_array(&kernel->arena, program->count, sizeof *kernel->line);
	for (uint32_t pc = 0; pc < program->count; pc++)
		kernel->line[pc] = program->code[pc].ptx ? program->code[pc].ptx->source_line : 0;
	return kernel->line;
}

struct seam_analyses api_analyses(struct launch_analyses *known)
{
	return (struct seam_analyses){.user = known, .rows = give_rows, .loads = give_loads, .say = say};
}

/* --- what they have counted --- */

static void keep_loads(struct record_mech *kept, const struct mech_requests *by_pc, uint32_t instructions,
                       const uint32_t *line)
{
	for (uint32_t pc = 0; pc < instructions; pc++)
		kept->loads += by_pc[pc].asked > 0;
	kept->load = xcalloc(kept->loads + 1, sizeof *kept->load);
	struct record_load *load = kept->load;
	for (uint32_t pc = 0; pc < instructions; pc++)
		if (by_pc[pc].asked)
			*load++ = (struct record_load){pc, line[pc], by_pc[pc]};
}

void api_record_mechanisms(const sluice_gpu *gpu, sluice_kernel *kernel, struct record *record)
{
	const struct records *records = &gpu->records;
	uint32_t instructions = kernel->program->count;
	if (!records->attachments)
		return;
	record->mech = xcalloc(records->attachments, sizeof *record->mech);
	for (uint32_t i = 0; i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		struct record_mech *kept = &record->mech[i];
		struct mech_requests *loads = mech->sends ? xcalloc(instructions, sizeof *loads) : NULL;
		kept->stats = xcalloc(1, mech->stats_size + 1);
		gpu_mech_stats(gpu->gpu, i, kept->stats, &kept->requests, loads);
		if (loads)
			keep_loads(kept, loads, instructions, api_source_lines(kernel));
		free(loads);
	}
}

/* --- what the user may know --- */

static void print_option(FILE *file, const struct seam_attached *attached, const struct option *option)
{
	char value[OPTION_TEXT_SIZE];
	option_print(option, attached->config, value, sizeof value);
	fprintf(file, "  %-18s %-8s %s", option->name, value, option->meaning);
	if (option->type == OPTION_ENUM) {
		const char *separator = ": ";
		for (const char *const *choice = option->choices; *choice; choice++, separator = ", ")
			fprintf(file, "%s%s", separator, *choice);
	} else if (option->min < option->max && option->type != OPTION_BOOL) {
		fprintf(file, " (%g to %g%s%s)", option->min, option->max, *option->unit ? " " : "", option->unit);
	}
	fputc('\n', file);
}

static void print_counter(void *user, const struct record_counter *counter)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", counter->mech->name, counter->name);
	fprintf(user, "  %-32s %-10s %s\n", name, counter->unit, counter->meaning);
}

static void print_seats(FILE *file, const struct mech *mech)
{
	const char *separator = "seats: ";
	for (uint32_t bit = 0; bit < 32; bit++)
		if (mech->seats >> bit & 1) {
			fprintf(file, "%s%s", separator, seam_seat_name(1u << bit));
			separator = ", ";
		}
	if (mech->seats)
		fputc('\n', file);
}

static void print_scopes(FILE *file, const struct mech *mech)
{
	const struct {
		const char *name;
		size_t size;
	} scope[] = {{"GPU", mech->gpu_size}, {"SM", mech->sm_size}, {"partition", mech->partition_size}};
	const char *separator = "scopes: ";
	for (size_t i = 0; i < sizeof scope / sizeof *scope; i++)
		if (scope[i].size) {
			fprintf(file, "%s%s", separator, scope[i].name);
			separator = ", ";
		}
	if (*separator == ',')
		fputc('\n', file);
}

static void print_costs(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	struct mech_cost cost[MECH_MAX_COSTS];
	const struct mech *mech = attached->mech;
	uint32_t count = mech->costs ? mech->costs(attached->config, machine, cost) : 0;
	count = count < MECH_MAX_COSTS ? count : MECH_MAX_COSTS;
	if (count)
		fprintf(file, "\ncosts:\n");
	for (uint32_t i = 0; i < count; i++)
		fprintf(file, "  %-40s %10.4g %s\n", cost[i].what, cost[i].value, cost[i].unit);
}

static void print_mechanism(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	const struct mech *mech = attached->mech;
	fprintf(file, "%s: %s\n%s\n", mech->name, mech->summary, mech->citation);
	print_scopes(file, mech);
	print_seats(file, mech);
	if (mech->option_count)
		fprintf(file, "\noptions:\n");
	for (size_t i = 0; i < mech->option_count; i++)
		print_option(file, attached, &mech->options[i]);
	if (mech->counter_count || mech->sends)
		fprintf(file, "\ncounters:\n");
	mech_describe_counters(mech, NULL, print_counter, file);
	print_costs(file, attached, machine);
}

enum sluice_status sluice_mechanism_describe(const sluice_gpu *gpu, const char *text, FILE *file,
                                             struct sluice_error *error)
{
	IN_C_LOCALE;
	const struct mech_machine machine = gpu_mech_machine(&gpu->machine);
	struct attachments attachments = {0};
	struct diag diag = {0};
	enum sluice_status status = SLUICE_OK;
	if (attach(&attachments, text, &diag))
		print_mechanism(file, &attachments.list[0], &machine);
	else
		status = api_fail(error, SLUICE_BAD_SETTING, "%s", diag.text);
	diag_free(&diag);
	attachments_free(&attachments);
	return status == SLUICE_OK ? api_succeed(error) : status;
}

const char *sluice_mechanism_name(size_t number, const char **summary)
{
	if (number >= mech_list_count)
		return NULL;
	if (summary)
		*summary = mech_list[number]->summary;
	return mech_list[number]->name;
}

void sluice_mechanisms_write(const sluice_gpu *gpu, FILE *file)
{
	IN_C_LOCALE;
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		char line[1024];
		attachment_print(&gpu->attachments.list[i], line, sizeof line);
		fprintf(file, "%s\n", line);
	}
}

struct wanted {
	const char *name;
	bool found;
};

static void compare(void *user, const struct record_counter *counter)
{
	struct wanted *wanted = user;
	size_t length = strlen(counter->mech->name);
	wanted->found |= strncmp(wanted->name, counter->mech->name, length) == 0 && wanted->name[length] == '.' &&
	                 strcmp(wanted->name + length + 1, counter->name) == 0;
}

bool sluice_mechanisms_count(const sluice_gpu *gpu, const char *counter)
{
	struct wanted wanted = {.name = counter};
	for (uint32_t i = 0; i < gpu->records.attachments; i++)
		mech_describe_counters(gpu->records.attached[i].mech, NULL, compare, &wanted);
	return wanted.found;
}
