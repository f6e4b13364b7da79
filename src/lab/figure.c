/* The figures of a plan: what each cell and the mean show. */
#include "lab/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	struct plan *plan;
	struct figure *figure;
	double *bases; /* as the figure's: the metric where a cell's column is relative to */
};

/* A column's metric of a run, which may be that of another column. */
static double measure(const struct maker *maker, size_t cell, const json_t *stats)
{
	const struct experiment *experiment = maker->plan->experiment;
	const struct experiment_row *row = &experiment->rows[cell / experiment->column_count];
	const struct experiment_column *column = &experiment->columns[cell % experiment->column_count];
	char message[FORMULA_MESSAGE] = "the metric has no value";
	const struct formula *metric =
		experiment_metric(experiment, cell / experiment->column_count, cell % experiment->column_count);
	double value = formula_value(metric, stats, row->kernel, message);
	if (!isfinite(value))
		fprintf(stderr, "%s: %s, %s: %s\n", maker->plan->source->command, row->name, column->name, message);
	return value;
}

/* What a run gives of each cell: its value, and what it is set in relation to. */
static void take_values(const struct maker *maker, size_t run, const json_t *stats)
{
	const struct experiment *experiment = maker->plan->experiment;
	const size_t *cells = maker->plan->cells;
	size_t columns = experiment->column_count;
	for (size_t i = 0; i < experiment->row_count * columns; i++) {
		const struct experiment_column *column = &experiment->columns[i % columns];
		size_t base = i - i % columns + column->relative_to;
		if (cells[i] == run)
			maker->figure->ours[i] = measure(maker, i, stats);
		if (column->show != SHOW_VALUE && cells[i] != PLAN_NOTHING && cells[base] == run)
			maker->bases[i] = base == i ? maker->figure->ours[i] : measure(maker, i, stats);
	}
}

static void relate(const struct maker *maker)
{
	const struct experiment *experiment = maker->plan->experiment;
	double *ours = maker->figure->ours;
	for (size_t i = 0; i < experiment->row_count * experiment->column_count; i++) {
		enum experiment_show show = experiment->columns[i % experiment->column_count].show;
		if (show == SHOW_RATIO)
			ours[i] /= maker->bases[i];
		else if (show == SHOW_PERCENT)
			ours[i] = 100 * (ours[i] / maker->bases[i] - 1);
	}
}

/* The mean of a column over the rows that count. NAN when one of them is missing, since the mean
 * of the others would not be comparable. Percentages are averaged as the ratios that they stand for. */
static double mean(const struct maker *maker, size_t column, const double *const *rows)
{
	const struct experiment *experiment = maker->plan->experiment;
	bool percent = experiment->columns[column].show == SHOW_PERCENT, geometric = experiment->mean == MEAN_GEOMETRIC;
	double sum = 0;
	size_t count = 0;
	for (size_t r = 0; r < experiment->row_count; r++) {
		double value = percent ? 1 + rows[r][column] / 100 : rows[r][column];
		if (experiment->rows[r].outside_mean ||
		    maker->plan->cells[r * experiment->column_count + column] == PLAN_NOTHING)
			continue;
		sum += geometric ? log(value) : value;
		count++;
	}
	double result = geometric ? exp(sum / (double)count) : sum / (double)count;
	if (!count || experiment->mean == MEAN_NONE)
		return NAN;
	return percent ? 100 * (result - 1) : result;
}

static void take_means(const struct maker *maker)
{
	const struct experiment *experiment = maker->plan->experiment;
	const double **ours = xcalloc(experiment->row_count, sizeof *ours);
	const double **published = xcalloc(experiment->row_count, sizeof *published);
	for (size_t r = 0; r < experiment->row_count; r++) {
		ours[r] = maker->figure->ours + r * experiment->column_count;
		published[r] = experiment->rows[r].published;
	}
	for (size_t c = 0; c < experiment->column_count; c++) {
		double stated = experiment->published_mean[c];
		maker->figure->ours_mean[c] = mean(maker, c, ours);
		maker->figure->published_mean[c] = isnan(stated) ? mean(maker, c, published) : stated;
	}
	free(ours);
	free(published);
}

bool plan_figure(struct plan *plan, struct store *store, bool any_build, struct figure *figure)
{
	const struct experiment *experiment = plan->experiment;
	size_t columns = experiment->column_count, cells = experiment->row_count * columns;
	const struct maker maker = {plan, figure, arena_array(&plan->arena, cells, sizeof *maker.bases)};
	*figure = (struct figure){.experiment = experiment,
	                          .ours = arena_array(&plan->arena, cells, sizeof *figure->ours),
	                          .ours_mean = arena_array(&plan->arena, columns, sizeof *figure->ours_mean),
	                          .published_mean = arena_array(&plan->arena, columns, sizeof *figure->published_mean)};
	for (size_t i = 0; i < cells; i++)
		figure->ours[i] = maker.bases[i] = NAN;
	for (size_t i = 0; i < plan->count; i++) {
		char message[STORE_MESSAGE];
		if (plan->runs[i].facts) {
			take_values(&maker, i, plan->runs[i].facts);
			continue;
		}
		char *text = store_find(store, &plan->runs[i].config, any_build, message);
		if (!text && *message) {
			fprintf(stderr, "%s: %s\n", plan->source->command, message);
			return false;
		}
		json_t *stats = text ? json_loads(text, 0, NULL) : NULL;
		if (stats)
			take_values(&maker, i, stats);
		json_decref(stats);
		free(text);
	}
	relate(&maker);
	for (size_t i = 0; i < cells; i++)
		figure->missing += plan->cells[i] != PLAN_NOTHING && !isfinite(figure->ours[i]);
	take_means(&maker);
	return true;
}
