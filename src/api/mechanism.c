/* The mechanisms' counters of a launch, and the description of a mechanism for users. */
#include "api/api.h"
#include "flow/pass.h"

#include "base/c_locale.h"
#include "mech/list.h"
#include "sluice_runtime.h"

#include <stdlib.h>
#include <string.h>

/* --- counters --- */

static void keep_loads(struct record_mech *kept, const struct seam_load *by_pc, uint32_t instructions,
                       const uint32_t *line)
{
	for (uint32_t pc = 0; pc < instructions; pc++)
		kept->loads += by_pc[pc].requests.asked > 0;
	kept->load = base_calloc(kept->loads + 1, sizeof *kept->load);
	struct record_load *load = kept->load;
	for (uint32_t pc = 0; pc < instructions; pc++)
		if (by_pc[pc].requests.asked)
			*load++ = (struct record_load){pc, line[pc], by_pc[pc]};
}

static void keep_vectors(struct record_mech *kept, const struct gpu *gpu, const struct mech *mech, uint32_t number)
{
	uint32_t vectors = output_vectors(mech);
	if (!vectors)
		return;
	kept->vector = base_calloc(vectors, sizeof *kept->vector);
	for (uint32_t v = 0; v < vectors; v++)
		seam_vector(gpu->seam, number, v, &kept->vector[v]);
}

void api_record_mechanisms(const sluice_gpu *gpu, sluice_kernel *kernel, uint32_t place, struct record *record)
{
	const struct records *records = &gpu->records;
	const struct seam *seam = gpu->gpu->seam;
	uint32_t instructions = kernel ? kernel->program->count : 0;
	if (!records->attachments)
		return;
	record->mech = base_calloc(records->attachments, sizeof *record->mech);
	for (uint32_t i = 0; i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		struct record_mech *kept = &record->mech[i];
		struct seam_load *loads = mech->sends && kernel ? base_calloc(instructions, sizeof *loads) : NULL;
		uint32_t part = seam_part_of_kernel(seam, place, i);
		kept->stats = base_calloc(1, mech->stats_size + 1);
		kept->is_unknown = seam_serves_all(seam, i);
		if (!kept->is_unknown) {
			seam_stats(seam, part, kept->stats, &kept->requests, loads);
			keep_vectors(kept, gpu->gpu, mech, part);
		}
		if (loads)
			keep_loads(kept, loads, instructions, kernel_source_lines(kernel));
		free(loads);
	}
}

/* --- description for users --- */

static void print_option(FILE *file, const struct seam_attached *attached, const struct base_option *option)
{
	char value[BASE_OPTION_TEXT_SIZE];
	base_option_print(option, attached->config, value, sizeof value);
	fprintf(file, "  %-18s %-8s %s", option->name, value, option->meaning);
	if (option->type == BASE_OPTION_ENUM) {
		const char *separator = ": ";
		for (const char *const *choice = option->choices; *choice; choice++, separator = ", ")
			fprintf(file, "%s%s", separator, *choice);
	} else if (option->min < option->max && option->type != BASE_OPTION_BOOL) {
		fprintf(file, " (%.10g to %.10g%s%s)", option->min, option->max, *option->unit ? " " : "",
		        option->unit);
	}
	fputc('\n', file);
}

static void print_counter(void *user, const struct record_counter *counter)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", counter->mech->name, counter->name);
	fprintf(user, "  %-32s %-10s %s\n", name, counter->unit, counter->meaning);
}

/* Prints "NAME.VECTOR[32]". */
static void print_vectors(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	const struct mech *mech = attached->mech;
	for (uint32_t v = 0; v < output_vectors(mech); v++) {
		const struct base_counter_vector *row = output_row(mech, v);
		char name[128];
		snprintf(name, sizeof name, "%s.%s[%u]", mech->name, row->name, output_length(attached, machine, v));
		fprintf(file, "  %-32s %-10s %s%s\n", name, row->unit, row->meaning,
		        row->kind == BASE_VECTOR_COUNTERS ? "" : " (histogram)");
	}
}

static void print_policies(FILE *file, const struct mech *mech)
{
	const char *separator = "exclusive policies: ";
	for (uint32_t bit = 0; bit < 32; bit++)
		if (mech->policies >> bit & 1) {
			fprintf(file, "%s%s", separator, seam_policy_name(1u << bit));
			separator = ", ";
		}
	if (mech->policies)
		fputc('\n', file);
}

static void print_opcodes(FILE *file, const struct mech *mech)
{
	for (uint32_t own = 0; own < mech->opcode_count; own++)
		fprintf(file, "%s%s", own ? ", " : "opcodes: ", mech->opcodes[own]);
	if (mech->opcode_count)
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

static uint32_t costs_of(const struct seam_attached *attached, const struct mech_machine *machine,
                         struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct mech *mech = attached->mech;
	uint32_t count = mech->costs ? mech->costs(attached->config, machine, cost) : 0;
	return count < MECH_MAX_COSTS ? count : MECH_MAX_COSTS;
}

static void print_costs(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	struct mech_cost cost[MECH_MAX_COSTS];
	uint32_t count = costs_of(attached, machine, cost);
	if (count)
		fprintf(file, "\ncosts:\n");
	for (uint32_t i = 0; i < count; i++)
		fprintf(file, "  %-40s %10.4g %s\n", cost[i].what, cost[i].value, cost[i].unit);
}

/* Prints each energy row and, below it, its formula for the number of events and the source of its value. */
static void print_energies(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	struct mech_energy energy[MECH_MAX_ENERGIES];
	char message[ENERGY_MESSAGE];
	if (!seam_check_energies(attached, machine, message, sizeof message))
		return;
	uint32_t count = seam_energies(attached, machine, energy);
	if (count)
		fprintf(file, "\nenergies:\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct mech_energy *row = &energy[i];
		fprintf(file, "  %-40s %10.4g %s, at %u nm\n", row->what,
		        row->events ? row->picojoules : 1e3 * row->watts,
		        row->events   ? "pJ per event"
		        : row->of_gpu ? "mW"
		                      : "mW per SM",
		        row->node);
		if (row->events)
			fprintf(file, "    per event of %s\n", row->events);
		fprintf(file, "    %s\n", row->source);
	}
}

static const char *citation_of(const struct mech *mech)
{
	return mech->citation ? mech->citation : "(no citation)";
}

static void print_mechanism(FILE *file, const struct seam_attached *attached, const struct mech_machine *machine)
{
	const struct mech *mech = attached->mech;
	fprintf(file, "%s: %s\n%s\n", mech->name, mech->summary, citation_of(mech));
	print_scopes(file, mech);
	print_policies(file, mech);
	print_opcodes(file, mech);
	if (mech->option_count)
		fprintf(file, "\noptions:\n");
	for (size_t i = 0; i < mech->option_count; i++)
		print_option(file, attached, &mech->options[i]);
	if (mech->counter_count || mech->sends || mech->vector_count)
		fprintf(file, "\ncounters:\n");
	record_describe_counters(mech, NULL, print_counter, file);
	print_vectors(file, attached, machine);
	if (mech->event_count)
		fprintf(file, "\nevents of the timeline:\n");
	for (size_t i = 0; i < mech->event_count; i++)
		fprintf(file, "  %-18s %s\n", mech->events[i].name, mech->events[i].meaning);
	print_costs(file, attached, machine);
	print_energies(file, attached, machine);
	if (mech->pass_count)
		fprintf(file, "\npasses:\n");
	for (uint32_t i = 0; i < mech->pass_count; i++)
		fprintf(file, "  %-18s %s\n", mech->passes[i]->name, mech->passes[i]->meaning);
}

/* Prints a mechanism that stands for a group, and the group's members. */
static void print_stand_in(FILE *file, const struct mech *mech)
{
	fprintf(file, "%s: %s\n%s\nstands for:", mech->name, mech->summary, citation_of(mech));
	for (uint32_t i = 0; i < mech->stands_for_count; i++)
		fprintf(file, "%s %s", i ? "," : "", mech->stands_for[i]);
	fputs("\n\n", file);
}

static void print_attached(FILE *file, const char *text, const struct attachments *attachments,
                           const struct mech_machine *machine)
{
	char name[128];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	for (size_t i = 0; i < mech_list_count; i++)
		if (mech_list[i]->stands_for_count && strcmp(mech_list[i]->name, name) == 0)
			print_stand_in(file, mech_list[i]);
	for (uint32_t i = 0; i < attachments->count; i++) {
		if (i)
			fputc('\n', file);
		print_mechanism(file, &attachments->list[i], machine);
	}
}

enum sluice_status sluice_mechanism_describe(const sluice_gpu *gpu, const char *text, FILE *file,
                                             struct sluice_error *error)
{
	IN_C_LOCALE;
	const struct mech_machine machine = gpu_mech_machine(&gpu->machine);
	struct attachments attachments = {0};
	struct diag diag = {0};
	enum sluice_status status = SLUICE_OK;
	if (attachments_add(&attachments, text, &diag))
		print_attached(file, text, &attachments, &machine);
	else
		status = api_fail(error, SLUICE_BAD_SETTING, "%s", diag.text);
	diag_free(&diag);
	attachments_free(&attachments);
	return status == SLUICE_OK ? api_succeed(error) : status;
}

void sluice_mechanisms_write(const sluice_gpu *gpu, FILE *file)
{
	IN_C_LOCALE;
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		char line[1024];
		attachments_print(&gpu->attachments.list[i], line, sizeof line);
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

/* `wanted` is "NAME.VECTOR[]". */
static bool has_vector(const struct mech *mech, const char *wanted)
{
	char name[128];
	for (uint32_t v = 0; v < output_vectors(mech); v++) {
		snprintf(name, sizeof name, "%s.%s[]", mech->name, output_row(mech, v)->name);
		if (strcmp(name, wanted) == 0)
			return true;
	}
	return false;
}

bool sluice_mechanisms_count(const sluice_gpu *gpu, const char *counter)
{
	struct wanted wanted = {.name = counter};
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		const struct mech *mech = gpu->records.attached[i].mech;
		record_describe_counters(mech, NULL, compare, &wanted);
		wanted.found |= has_vector(mech, counter);
	}
	return wanted.found;
}

bool sluice_mechanisms_event(const sluice_gpu *gpu, size_t number, char *name, size_t size)
{
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		const struct mech *mech = gpu->records.attached[i].mech;
		if (number < mech->event_count) {
			snprintf(name, size, "%s.%s", mech->name, mech->events[number].name);
			return true;
		}
		number -= mech->event_count;
	}
	return false;
}

bool sluice_mechanisms_cost(const sluice_gpu *gpu, size_t number, struct sluice_cost *cost)
{
	const struct mech_machine machine = gpu_mech_machine(&gpu->machine);
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		struct mech_cost row[MECH_MAX_COSTS];
		const struct seam_attached *attached = &gpu->attachments.list[i];
		uint32_t count = costs_of(attached, &machine, row);
		if (number < count) {
			*cost = (struct sluice_cost){attached->mech->name, row[number].what, row[number].unit,
			                             row[number].value};
			return true;
		}
		number -= count;
	}
	return false;
}
