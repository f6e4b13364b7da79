/* Computes the figure of a plan: the values of cells and means. */
#include "lab/jobs.h"
#include "lab/plan.h"
#include "lab/run_energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_CELLS = 5 };

struct maker {
	struct plan *plan;
	struct figure *figure;
	double *bases; /* like the figure's values: the metric in the column to which the cell is relative */
};

static const char no_run[] = "no run of it is stored, or it failed";

/* Evaluates a column's metric, which may be another column's, on a run. A cell with 0 / 0 stays without a value. */
static double measure(const struct maker *maker, size_t cell, const json_t *stats)
{
	const struct experiment *experiment = maker->plan->experiment;
	const struct experiment_row *row = &experiment->rows[cell / experiment->column_count];
	char message[FORMULA_MESSAGE];
	const struct formula *metric =
		experiment_metric(experiment, cell / experiment->column_count, cell % experiment->column_count);
	double value = formula_value(metric, stats, row->kernel, message);
	if (!isfinite(value) && *message)
		maker->figure->reason[cell] = arena_string(&maker->plan->arena, message, strlen(message));
	maker->figure->empty[cell] |= !isfinite(value) && !*message;
	return value;
}

/* Stores the values that cells take from a run: their own, and the bases of relative ones. */
static void take_values(const struct maker *maker, size_t run, const json_t *stats)
{
	const struct experiment *experiment = maker->plan->experiment;
	const size_t *cells = maker->plan->cells;
	size_t columns = experiment->column_count;
	bool cut = job_stats_are(stats) == JOB_STATS_CUT;
	maker->figure->any_cut |= cut;
	for (size_t i = 0; i < experiment->row_count * columns; i++) {
		const struct experiment_column *column = &experiment->columns[i % columns];
		size_t base = i - i % columns + column->relative_to;
		if (cells[i] == run)
			maker->figure->ours[i] = measure(maker, i, stats);
		if (cells[i] == run)
			maker->figure->cut[i] = cut;
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

/* Why a cell with a missing value has none. */
static const char *reason_of(const struct maker *maker, size_t cell)
{
	const struct experiment *experiment = maker->plan->experiment;
	const struct experiment_column *column = &experiment->columns[cell % experiment->column_count];
	const char *reason = maker->figure->reason[cell];
	if (reason || column->show == SHOW_VALUE)
		return reason ? reason : "its value is not a number";
	size_t base = cell - cell % experiment->column_count + column->relative_to;
	bool zero = isfinite(maker->bases[cell]);
	size_t size = strlen(column->relative_name) + sizeof "its base, , has no value" + 8;
	char *text = arena_alloc(&maker->plan->arena, size);
	snprintf(text, size, "its base, %s, %s", column->relative_name,
	         zero                                    ? "is 0"
	         : maker->figure->reason[base] == no_run ? "has no run"
	                                                 : "has no value");
	return text;
}

/* Whether a cell has a value or should have one. */
static bool stands(const struct maker *maker, size_t row, size_t column)
{
	size_t cell = row * maker->plan->experiment->column_count + column;
	return maker->plan->cells[cell] != PLAN_NOTHING && !maker->figure->empty[cell];
}

/* An element of a mean: a row, or the rows of a spread. */
struct averaged {
	size_t first, end; /* rows [first, end) */
	const double *ours;
	struct published published;
};

static bool counts(const struct maker *maker, const struct averaged *of, size_t column)
{
	if (maker->plan->experiment->rows[of->first].outside_mean)
		return false;
	for (size_t r = of->first; r < of->end; r++)
		if (stands(maker, r, column))
			return true;
	return false;
}

/* Returns the mean of a column over the elements that count. Returns NAN when one of them is missing, because the
 * mean of the others would not be comparable. Percentages are averaged as the ratios that they represent. */
static double mean(const struct maker *maker, size_t column, const struct averaged *all, size_t all_count,
                   bool published)
{
	const struct experiment *experiment = maker->plan->experiment;
	bool percent = experiment->columns[column].show == SHOW_PERCENT, geometric = experiment->mean == MEAN_GEOMETRIC;
	double sum = 0;
	size_t count = 0;
	for (size_t i = 0; i < all_count; i++) {
		double value = published ? all[i].published.number[column] : all[i].ours[column];
		value = percent ? 1 + value / 100 : value;
		if (!counts(maker, &all[i], column))
			continue;
		if (published && all[i].published.bound[column])
			return NAN;
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
	struct figure *figure = maker->figure;
	size_t count = figure->spread_count ? figure->spread_count : experiment->row_count;
	struct averaged *all = base_calloc(count, sizeof *all);
	for (size_t i = 0; i < count; i++)
		all[i] = figure->spread_count ? (struct averaged){figure->spreads[i].first, figure->spreads[i].end,
		                                                  figure->spreads[i].mean, figure->spreads[i].published}
		                              : (struct averaged){i, i + 1, figure->ours + i * experiment->column_count,
		                                                  experiment->rows[i].published};
	for (size_t c = 0; c < experiment->column_count; c++) {
		double stated = experiment->published_mean.number[c];
		figure->ours_mean[c] = mean(maker, c, all, count, false);
		figure->published_mean.number[c] = isnan(stated) ? mean(maker, c, all, count, true) : stated;
		figure->published_mean.bound[c] = experiment->published_mean.bound[c];
	}
	free(all);
}

static void take_spread(const struct maker *maker, struct spread *spread)
{
	const struct experiment *experiment = maker->plan->experiment;
	struct arena *arena = &maker->plan->arena;
	size_t columns = experiment->column_count;
	spread->mean = arena_array(arena, columns, sizeof *spread->mean);
	spread->least = arena_array(arena, columns, sizeof *spread->least);
	spread->most = arena_array(arena, columns, sizeof *spread->most);
	spread->published = experiment->rows[spread->first].published;
	for (size_t c = 0; c < columns; c++) {
		double sum = 0, least = INFINITY, most = -INFINITY;
		size_t count = 0;
		for (size_t r = spread->first; r < spread->end; r++) {
			double value = maker->figure->ours[r * columns + c];
			if (maker->figure->empty[r * columns + c])
				continue;
			count++;
			sum += value;
			least = value < least ? value : least;
			most = value > most ? value : most;
		}
		bool whole = count && isfinite(sum);
		spread->mean[c] = sum / (double)count;
		spread->least[c] = whole ? least : NAN;
		spread->most[c] = whole ? most : NAN;
	}
}

static void take_spreads(const struct maker *maker)
{
	const struct experiment *experiment = maker->plan->experiment;
	struct figure *figure = maker->figure;
	bool any = false;
	for (size_t r = 0; r < experiment->row_count; r++)
		any |= experiment->rows[r].of != NULL;
	if (!any)
		return;
	figure->spreads = arena_array(&maker->plan->arena, experiment->row_count, sizeof *figure->spreads);
	for (size_t r = 0; r < experiment->row_count;) {
		const struct experiment_row *row = &experiment->rows[r];
		struct spread *spread = &figure->spreads[figure->spread_count++];
		*spread = (struct spread){.name = row->of ? row->of : row->name, .first = r};
		do
			r++;
		while (row->of && r < experiment->row_count && experiment_same_text(experiment->rows[r].of, row->of));
		spread->end = r;
		take_spread(maker, spread);
	}
}

/* Notes for all cells of a run that none is stored. */
static void lack_run(const struct maker *maker, size_t run)
{
	const struct experiment *experiment = maker->plan->experiment;
	for (size_t i = 0; i < experiment->row_count * experiment->column_count; i++)
		if (maker->plan->cells[i] == run)
			maker->figure->reason[i] = no_run;
}

/* Evaluates a stored run for all cells that use it. */
static void take_run(const struct maker *maker, size_t run, const char *text, struct energies *energies)
{
	char message[ENERGY_MESSAGE];
	const struct run_config *config = &maker->plan->runs[run].config;
	json_t *stats = json_loads(text, 0, NULL);
	bool energy = experiment_table(maker->plan->experiment);
	if (stats && energy && !run_energy(energies, stats, config->mechanisms, message))
		diag_say(maker->plan->source->command, "energy of %s on %s: %s", config->program, config->machine,
		         message);
	if (stats)
		take_values(maker, run, stats);
	json_decref(stats);
}

/* Opens the table of energies if one is needed. Returns false after a message. */
static bool open_energies(const struct plan *plan, struct energies *energies)
{
	struct diag diag = {0};
	bool fine = energies_open(energies, experiment_table(plan->experiment), &diag);
	if (!fine)
		fputs(diag.text, stderr);
	diag_free(&diag);
	return fine;
}

bool plan_figure(struct plan *plan, struct store *store, bool any_build, struct figure *figure)
{
	const struct experiment *experiment = plan->experiment;
	size_t columns = experiment->column_count, cells = experiment->row_count * columns;
	const struct maker maker = {plan, figure, arena_array(&plan->arena, cells, sizeof *maker.bases)};
	*figure = (struct figure){.experiment = experiment,
	                          .ours = arena_array(&plan->arena, cells, sizeof *figure->ours),
	                          .empty = arena_array(&plan->arena, cells, sizeof *figure->empty),
	                          .reason = arena_array(&plan->arena, cells, sizeof *figure->reason),
	                          .cut = arena_array(&plan->arena, cells, sizeof *figure->cut),
	                          .ours_mean = arena_array(&plan->arena, columns, sizeof *figure->ours_mean),
	                          .published_mean = {arena_array(&plan->arena, columns, sizeof(double)),
	                                             arena_array(&plan->arena, columns, sizeof(char))}};
	struct energies energies;
	bool fine = open_energies(plan, &energies);
	for (size_t i = 0; i < cells; i++)
		figure->ours[i] = maker.bases[i] = NAN;
	for (size_t i = 0; fine && i < plan->count; i++) {
		char message[STORE_MESSAGE];
		if (plan->runs[i].facts) {
			take_values(&maker, i, plan->runs[i].facts);
			continue;
		}
		char *text = store_find(store, &plan->runs[i].config, any_build, message);
		if (!text && *message) {
			diag_say(plan->source->command, "%s", message);
			fine = false;
		}
		if (text)
			take_run(&maker, i, text, &energies);
		else
			lack_run(&maker, i);
		free(text);
	}
	energies_close(&energies);
	if (!fine)
		return false;
	relate(&maker);
	for (size_t i = 0; i < cells; i++) {
		bool missing = stands(&maker, i / columns, i % columns) && !isfinite(figure->ours[i]);
		figure->missing += missing;
		figure->unstored += missing && figure->reason[i] == no_run;
		figure->reason[i] = missing ? reason_of(&maker, i) : NULL;
	}
	take_spreads(&maker);
	take_means(&maker);
	return true;
}

void plan_tell_missing(const struct plan *plan, const struct figure *figure, const char *name, const char *advice)
{
	const struct experiment *experiment = plan->experiment;
	size_t shown = 0;
	if (!figure->missing)
		return;
	diag_say(plan->source->command, "%s: %zu of its cells %s no value%s", name, figure->missing,
	         figure->missing == 1 ? "has" : "have", advice);
	for (size_t i = 0; i < experiment->row_count * experiment->column_count && shown < SHOWN_CELLS; i++)
		if (figure->reason[i] && ++shown)
			diag_continue("%s, %s: %s", experiment->rows[i / experiment->column_count].name,
			              experiment->columns[i % experiment->column_count].name, figure->reason[i]);
	if (figure->missing > shown)
		fprintf(stderr, "  and %zu other%s\n", figure->missing - shown,
		        figure->missing - shown == 1 ? "" : "s");
}
