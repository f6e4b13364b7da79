#include "lab/report_sweep.h"

#include "base/arena.h"
#include "base/csv.h"
#include "lab/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_WIDTH = 40 };

/* Returns the label of a cell on an axis; "" when the axis does not apply. */
static const char *label_of(const struct experiment *experiment, size_t cell, size_t axis)
{
	const struct product_axis *of = &experiment->axes.list[axis];
	const size_t *chosen = product_is_of_rows(of->kind)
	                               ? experiment->rows[cell / experiment->column_count].chosen
	                               : experiment->columns[cell % experiment->column_count].chosen;
	return chosen[axis] == PRODUCT_NONE ? "" : of->values[chosen[axis]].label;
}

/* Without axes, a cell is identified by its row and its column. */
static size_t fields_of(const struct experiment *experiment)
{
	return experiment->axes.count ? experiment->axes.count : 2;
}

static const char *field_name(const struct experiment *experiment, size_t field)
{
	if (experiment->axes.count)
		return experiment->axes.list[field].name;
	return field ? "column" : "row";
}

static const char *field_text(const struct experiment *experiment, size_t cell, size_t field)
{
	if (experiment->axes.count)
		return label_of(experiment, cell, field);
	return field ? experiment->columns[cell % experiment->column_count].name
	             : experiment->rows[cell / experiment->column_count].name;
}

/* Returns the width of each field in the table; 0: it has a single value and is omitted. */
static int *widths_of(const struct figure *figure, const struct plan *plan)
{
	const struct experiment *experiment = figure->experiment;
	size_t fields = fields_of(experiment), cells = experiment->row_count * experiment->column_count;
	int *widths = base_calloc(fields + 1, sizeof *widths);
	for (size_t f = 0; f < fields; f++) {
		widths[f] = (int)strlen(field_name(experiment, f));
		for (size_t i = 0; i < cells; i++) {
			int length = plan->cells[i] == PLAN_NOTHING ? 0 : (int)strlen(field_text(experiment, i, f));
			widths[f] = length > widths[f] ? length : widths[f];
		}
		widths[f] = widths[f] > MOST_WIDTH ? MOST_WIDTH : widths[f];
		if (experiment->axes.count && experiment->axes.list[f].count == 1)
			widths[f] = 0;
	}
	return widths;
}

static void table_row(const struct experiment *experiment, const int *widths, size_t cell, double ours, int digits,
                      FILE *file)
{
	char number[32];
	for (size_t f = 0; f < fields_of(experiment); f++)
		if (widths[f])
			fprintf(file, "%-*.*s  ", widths[f], MOST_WIDTH, field_text(experiment, cell, f));
	report_number(ours, digits, number);
	fprintf(file, "%12s\n", number);
}

void report_sweep_table(const struct figure *figure, const struct plan *plan, size_t most, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	int *widths = widths_of(figure, plan);
	size_t cells = experiment->row_count * experiment->column_count, shown = 0, left = 0;
	double largest = 0;
	for (size_t i = 0; i < cells; i++)
		if (plan->cells[i] != PLAN_NOTHING)
			largest = report_larger(largest, figure->ours[i]);
	report_title(experiment, file);
	for (size_t f = 0; f < fields_of(experiment); f++)
		if (widths[f])
			fprintf(file, "%-*s  ", widths[f], field_name(experiment, f));
	fprintf(file, "%12s\n", experiment->unit && strlen(experiment->unit) <= 12 ? experiment->unit : "value");
	for (size_t i = 0; i < cells; i++) {
		if (plan->cells[i] == PLAN_NOTHING)
			continue;
		if (shown++ < most)
			table_row(experiment, widths, i, figure->ours[i], report_digits(largest), file);
		else
			left++;
	}
	if (left)
		fprintf(file, "... and %zu more\n", left);
	free(widths);
}

static void csv_row(const struct figure *figure, const struct plan *plan, size_t cell, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	const struct planned *planned = &plan->runs[plan->cells[cell]];
	const struct run_config *config = &planned->config;
	const char *const texts[] = {config->program, config->variant, config->size,      config->arguments,
	                             config->machine, config->options, config->mechanisms};
	for (size_t f = 0; f < fields_of(experiment); f++) {
		csv_text(field_text(experiment, cell, f), file);
		fputc(',', file);
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		csv_text(texts[i], file);
		fputc(',', file);
	}
	fprintf(file, "%llu,%s,", (unsigned long long)config->seed, planned->failed ? "no" : "yes");
	if (isfinite(figure->ours[cell]))
		fprintf(file, "%.10g", figure->ours[cell]);
	fputc('\n', file);
}

bool report_sweep_csv(const struct figure *figure, const struct plan *plan, const char *folder, const char *name)
{
	const struct experiment *experiment = figure->experiment;
	char path[PATH_MAX];
	struct file_new place;
	FILE *file = NULL;
	snprintf(path, sizeof path, "%s/%s.runs.csv", folder, name);
	if (mkdir(folder, 0777) == 0 || errno == EEXIST)
		file = file_new_stream(&place, path);
	for (size_t f = 0; file && f < fields_of(experiment); f++) {
		csv_text(field_name(experiment, f), file);
		fputc(',', file);
	}
	if (file)
		fputs("run_program,run_variant,run_size,run_arguments,run_machine,run_options,run_mechanisms,run_seed,"
		      "passed,"
		      "value\n",
		      file);
	for (size_t i = 0; file && i < experiment->row_count * experiment->column_count; i++)
		if (plan->cells[i] != PLAN_NOTHING)
			csv_row(figure, plan, i, file);
	return report_close(&place, file, plan->source->command, path);
}
