/* Figures of experiments, computed as by 'sluice figure' from the existing runs:
 *
 *   name, title, source, note, size   texts, if known
 *   over      meaning of the columns' numbers, when lines are drawn over them
 *   logarithmic   true: these numbers have a logarithmic axis
 *   stacked   true: columns with the same meaning are parts of one bar
 *   mean      name of the last of `things`, if there is a mean
 *   things    rows, or what is being measured, and the mean
 *   columns   {name, what: it shows, at, line, base: others are relative to it, percent: charts draw its
 *             ratios as percent over the base}
 *   ours, published   one list of numbers per thing, one per column; null: no value
 *   missing   number of cells that should have a value and have none
 */
#include "cli/report/report.h"

#include "base/json_text.h"
#include "lab/lines.h"
#include "lab/figure_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(object, key, json_text(text));
}

/* True when other columns are relative to this one. */
static bool is_base(const struct experiment *experiment, size_t column)
{
	for (size_t c = 0; c < experiment->column_count; c++)
		if (experiment->columns[c].show != SHOW_VALUE && experiment->columns[c].relative_to == column)
			return true;
	return false;
}

static json_t *column_json(const struct figure *figure, size_t number_of)
{
	const struct experiment *experiment = figure->experiment;
	const struct experiment_column *column = &experiment->columns[number_of];
	json_t *object = json_object();
	bool percent = figure_in_percent(figure, number_of);
	char what[256];
	figure_what(column, percent, what, sizeof what);
	if (percent)
		json_object_set_new(object, "percent", json_true());
	set_text(object, "name", column->name);
	set_text(object, "what", what);
	if (experiment->over)
		json_object_set_new(object, "at", number(column->at));
	set_text(object, "line", column->line);
	if (is_base(experiment, number_of))
		json_object_set_new(object, "base", json_true());
	return object;
}

/* Returns a list for each thing, with one number per column. */
static json_t *numbers(const struct figure *figure, size_t things,
                       double (*of)(const struct figure *figure, size_t thing, size_t column))
{
	json_t *list = json_array();
	for (size_t t = 0; t < things; t++) {
		json_t *row = json_array();
		for (size_t c = 0; c < figure->experiment->column_count; c++)
			json_array_append_new(row, number(of(figure, t, c)));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *figure_json(const struct figure *figure, const char *name, const char *size)
{
	const struct experiment *experiment = figure->experiment;
	bool has_mean = experiment->mean != MEAN_NONE;
	size_t things = figure_things(figure) + has_mean;
	json_t *object = json_object(), *names = json_array(), *columns = json_array();
	const char *const texts[][2] = {{"name", name},
	                                {"title", experiment->title},
	                                {"source", experiment->source},
	                                {"note", experiment->note},
	                                {"size", size},
	                                {"over", experiment->over_name},
	                                {"mean", has_mean ? figure_name(figure, things - 1) : NULL}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		set_text(object, texts[i][0], texts[i][1]);
	for (size_t t = 0; t < things; t++)
		json_array_append_new(names, json_text(figure_name(figure, t)));
	for (size_t c = 0; c < experiment->column_count; c++)
		json_array_append_new(columns, column_json(figure, c));
	if (experiment->over) {
		struct lines lines = lines_of(experiment);
		json_object_set_new(object, "logarithmic", json_boolean(lines_are_logarithmic(&lines)));
		lines_free(&lines);
	}
	json_object_set_new(object, "stacked", json_boolean(experiment->stacked));
	json_object_set_new(object, "things", names);
	json_object_set_new(object, "columns", columns);
	json_object_set_new(object, "ours", numbers(figure, things, figure_ours));
	json_object_set_new(object, "published", numbers(figure, things, figure_published));
	json_object_set_new(object, "missing", json_integer((json_int_t)figure->missing));
	return object;
}

static bool add_figure(struct collection *collection, const struct plan *plan, const struct figure *figure,
                       const char *name)
{
	const struct experiment *experiment = figure->experiment;
	size_t cells = 0;
	for (size_t i = 0; i < experiment->row_count * experiment->column_count; i++)
		cells += plan->cells[i] != PLAN_NOTHING && !figure->empty[i];
	if (figure->unstored == cells) {
		bool sized = experiment_has_size(experiment);
		cli_error(collection->command,
		          "%s: none of its runs%s%s is stored; 'sluice figure %s' makes them, %s--any-build takes runs "
		          "of other builds",
		          name, sized ? " of size " : "", sized ? plan->source->size : "", name,
		          sized ? "--size chooses the size, " : "");
		return false;
	}
	if (figure->missing == cells) {
		plan_tell_missing(plan, figure, name, figure->unstored ? "" : ", although the runs are stored");
		return false;
	}
	char *advice = NULL;
	if (figure->unstored && asprintf(&advice, "; 'sluice figure %s' makes their runs", name) < 0)
		abort();
	plan_tell_missing(plan, figure, name, advice ? advice : "");
	free(advice);
	json_array_append_new(collection->figures,
	                      figure_json(figure, name, experiment_has_size(experiment) ? plan->source->size : NULL));
	return true;
}

static bool make(struct collection *collection, struct study *study, const struct experiment *experiment,
                 const char *name)
{
	char message[STORE_MESSAGE];
	struct plan plan = {0};
	struct figure figure;
	const struct plan_source source = study_source(study, experiment);
	bool fine = plan_make(&plan, experiment, &source);
	if (fine) {
		struct store *store = store_open(study->results, true, message);
		fine = store && plan_figure(&plan, store, study->way.any_build, &figure);
		if (!store)
			cli_error(collection->command, "%s", message);
		fine = fine && add_figure(collection, &plan, &figure, name);
		store_close(store);
	}
	plan_free(&plan);
	return fine;
}

bool report_take_figures(struct collection *collection, struct study *study)
{
	bool fine = study_prepare(study);
	for (size_t i = 0; fine && i < study->programs.names.count; i++) {
		struct experiment experiment;
		char name[NAME_MAX];
		fine = study_find(study, study->programs.names.word[i], &experiment, name) &&
		       study_take_paper(study, &experiment);
		if (fine && (experiment.show >= SHOW_INDEXES || experiment_is_table(&experiment))) {
			cli_error(collection->command, "%s: not a figure of stored runs; 'sluice figure %s' shows it",
			          name, name);
			fine = false;
		}
		fine = fine && make(collection, study, &experiment, name);
	}
	return fine;
}
