/* A figure as CSV. */
#include "lab/report.h"

#include "base/csv.h"

#include <math.h>

/* A bound is written with its sign, as in ">2", and has no difference if it holds. */
static void csv_numbers(const struct experiment_column *column, double ours, double published, char bound,
                        const char *cut, FILE *file)
{
	bool holds = experiment_holds(bound, ours, published);
	const double numbers[] = {ours, published, holds ? NAN : report_difference(column, ours, published)};
	for (size_t i = 0; i < 3; i++) {
		fputc(',', file);
		if (i == 1 && bound)
			fputc(bound, file);
		if (isfinite(numbers[i]))
			fprintf(file, "%.10g", numbers[i]);
	}
	fprintf(file, "%s\n", cut);
}

static void csv_cell(const struct figure *figure, const struct plan *plan, size_t r, size_t c, FILE *file)
{
	const struct experiment_row *row = &figure->experiment->rows[r];
	size_t cell = r * figure->experiment->column_count + c, run = plan->cells[cell];
	static const struct run_config none = {.program = "", .variant = "", .size = ""};
	const struct run_config *config = run == PLAN_NOTHING ? &none : &plan->runs[run].config;
	const char *const texts[] = {row->name,       figure->experiment->columns[c].name,
	                             config->program, config->variant,
	                             config->size,    row->kernel ? row->kernel : ""};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (i)
			fputc(',', file);
		csv_text(texts[i], file);
	}
	csv_numbers(&figure->experiment->columns[c], figure->ours[cell], row->published.number[c],
	            row->published.bound[c],
	            !figure->any_cut    ? ""
	            : figure->cut[cell] ? ",yes"
	                                : ",no",
	            file);
}

static void csv_spread(const struct figure *figure, const struct spread *spread, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	const double *const numbers[] = {spread->least, spread->mean, spread->most};
	static const char *const names[] = {"least", "mean", "most"};
	for (size_t i = 0; i < 3; i++)
		for (size_t c = 0; c < experiment->column_count; c++) {
			char name[256];
			snprintf(name, sizeof name, "%s %s", spread->name, names[i]);
			csv_text(name, file);
			fputc(',', file);
			csv_text(experiment->columns[c].name, file);
			fputs(",,,,", file);
			csv_numbers(&experiment->columns[c], numbers[i][c], spread->published.number[c],
			            spread->published.bound[c], figure->any_cut ? "," : "", file);
		}
}

void report_csv(const struct figure *figure, const struct plan *plan, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	size_t points = 0;
	for (size_t c = 0; c < experiment->column_count; c++)
		points += experiment->columns[c].show == SHOW_PERCENT;
	fprintf(file, "row,column,program,variant,size,kernel,ours,paper,difference%s%s\n",
	        !points                             ? "_percent"
	        : points < experiment->column_count ? "" /* columns that show percent have differences in points */
	                                            : "_points",
	        figure->any_cut ? ",cut" : "");
	for (size_t r = 0; r < experiment->row_count; r++)
		for (size_t c = 0; c < experiment->column_count; c++)
			csv_cell(figure, plan, r, c, file);
	for (size_t s = 0; s < figure->spread_count; s++)
		csv_spread(figure, &figure->spreads[s], file);
	for (size_t c = 0; experiment->mean != MEAN_NONE && c < experiment->column_count; c++) {
		fprintf(file, "%s,", report_mean_name(experiment->mean));
		csv_text(experiment->columns[c].name, file);
		fputs(",,,,", file);
		csv_numbers(&experiment->columns[c], figure->ours_mean[c], figure->published_mean.number[c],
		            figure->published_mean.bound[c], figure->any_cut ? "," : "", file);
	}
}
