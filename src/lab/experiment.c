#include "lab/experiment.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool experiment_is_nothing(const char *word)
{
	return strcmp(word, "~") == 0;
}

static void read_formula(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	char message[FORMULA_MESSAGE];
	const char *text = document_text(document, key, value);
	if (!text)
		return;
	const struct formula *formula = metric_parse(document->arena, text, message);
	*(const struct formula **)into = formula;
	if (!formula)
		document_error(document, value, "%s: %s", key, message);
}

/* Reads one of the names and stores its index. */
static void read_choice(struct document *document, const char *key, const yaml_node_t *value, unsigned *into,
                        const char *const *names)
{
	const char *text = document_text(document, key, value);
	char known[96] = "";
	for (unsigned i = 0; text && names[i]; i++) {
		size_t length = strlen(known);
		snprintf(known + length, sizeof known - length, "%s%s",
		         !i             ? ""
		         : names[i + 1] ? ", "
		                        : " or ",
		         names[i]);
		if (strcmp(names[i], text) != 0)
			continue;
		*into = i;
		return;
	}
	if (text)
		document_error(document, value, "%s: expected %s, not '%s'", key, known, text);
}

/* In the order of enum experiment_show. */
static const char *const shows[] = {"value",   "ratio", "percent",  "indexes", "timeline",
                                    "machine", "costs", "programs", NULL};

static void read_show(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	unsigned number = SHOW_VALUE;
	read_choice(document, key, value, &number, shows);
	*(enum experiment_show *)into = (enum experiment_show)number;
}

static void read_mean(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const char *const names[] = {"none", "geometric", "arithmetic", NULL};
	unsigned number = MEAN_NONE;
	read_choice(document, key, value, &number, names);
	*(enum experiment_mean *)into = (enum experiment_mean)number;
}

static void read_at(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = document_text(document, key, value);
	char *end;
	double number = text ? strtod(text, &end) : 0;
	if (text && (*end || !isfinite(number)))
		document_error(document, value, "%s: expected a number, not '%s'", key, text);
	*(double *)into = number;
}

static void read_size(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const char *const names[] = {"tiny", "small", "paper", NULL};
	unsigned number = 0;
	read_choice(document, key, value, &number, names);
	*(const char **)into = names[number];
}

/* Reads a column's name or, for a product, the conditions that find the base of each column. */
static void read_relative(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct experiment *experiment = into;
	if (value->type == YAML_MAPPING_NODE)
		product_read_match(document, key, value, &experiment->relative);
	else
		document_read_text(document, key, value, &experiment->relative_name);
}

static void read_columns(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct experiment_column, keys)},
		{"machine", document_read_text, offsetof(struct experiment_column, machine)},
		{"options", document_read_list, offsetof(struct experiment_column, options)},
		{"mechanisms", document_read_list, offsetof(struct experiment_column, mechanisms)},
		{"variant", document_read_text, offsetof(struct experiment_column, variant)},
		{"arguments", document_read_arguments, offsetof(struct experiment_column, arguments)},
		{"metric", read_formula, offsetof(struct experiment_column, metric)},
		{"unit", document_read_text, offsetof(struct experiment_column, unit)},
		{"show", read_show, offsetof(struct experiment_column, show)},
		{"relative_to", document_read_text, offsetof(struct experiment_column, relative_name)},
		{"at", read_at, offsetof(struct experiment_column, at)},
		{"line", document_read_text, offsetof(struct experiment_column, line)},
		{"block_tracks", document_read_number, offsetof(struct experiment_column, block_tracks)},
		{0},
	};
	struct experiment *experiment = into;
	const struct experiment_column blank = {.show = SHOW_UNSET, .at = NAN};
	experiment->columns = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                          offsetof(struct experiment_column, place), &experiment->column_count);
}

static void read_rows(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct experiment_row, keys)},
		{"program", document_read_text, offsetof(struct experiment_row, program)},
		{"variant", document_read_list, offsetof(struct experiment_row, variants)},
		{"kernel", document_read_text, offsetof(struct experiment_row, kernel)},
		{"value", document_read_text, offsetof(struct experiment_row, value)},
		{"metric", read_formula, offsetof(struct experiment_row, metric)},
		{"arguments", document_read_arguments, offsetof(struct experiment_row, arguments)},
		{"published", document_read_list, offsetof(struct experiment_row, stated)},
		{"of", document_read_text, offsetof(struct experiment_row, of)},
		{"outside_mean", document_read_bool, offsetof(struct experiment_row, outside_mean)},
		{"taken", document_read_bool, offsetof(struct experiment_row, taken)},
		{"files", document_read_words, offsetof(struct experiment_row, files)},
		{"size", read_size, offsetof(struct experiment_row, size)},
		{0},
	};
	struct experiment *experiment = into;
	const struct experiment_row blank = {0};
	experiment->rows = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                       offsetof(struct experiment_row, place), &experiment->row_count);
}

/* A cell that is shown relative to another one needs that one. */
static void check_bases(struct document *document, struct experiment *experiment, size_t r)
{
	for (size_t c = 0; c < experiment->column_count; c++) {
		const struct experiment_column *column = &experiment->columns[c];
		const char *own = experiment_variant(experiment, r, c);
		const char *base =
			column->show == SHOW_VALUE ? NULL : experiment_variant(experiment, r, column->relative_to);
		if (!base || !experiment_is_nothing(base) || (own && experiment_is_nothing(own)))
			continue;
		experiment_error(document, experiment,
		                 document_place_of(&experiment->rows[r].keys, "variant",
		                                   experiment_key_place(experiment, "relative_to")),
		                 "%s: column %s, the base of relative_to, has no value in this row",
		                 experiment->rows[r].name, column->relative_name);
		return;
	}
}

/* Converts a path relative to the experiment's folder to one relative to the current folder. */
static const char *path_of(struct document *document, const char *word)
{
	const char *file = document->source.name, *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash + 1 - file) : 0;
	const char *from = file_behind_dots(file), *name = file_behind_dots(word);
	folder = *name == '/' ? 0 : folder - (int)(from - file);
	/* a program without a slash would be searched in PATH */
	const char *here = folder || strchr(name, '/') ? "" : "./";
	size_t size = (size_t)folder + sizeof "./" + strlen(name);
	char *path = arena_alloc(document->arena, size);
	snprintf(path, size, "%s%.*s%s", here, folder, from, name);
	return path;
}

static bool leads_out(const char *path)
{
	return *path == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
}

/* Lists each file with its name in the program's working folder: as written, except for paths that lead out of the
 * folder. */
static void find_files(struct document *document, const struct experiment *experiment, struct experiment_row *row)
{
	const struct words *const both[] = {&experiment->files, &row->files};
	struct words files = {.word = arena_array(document->arena, 2 * (experiment->files.count + row->files.count) + 1,
	                                          sizeof *files.word)};
	for (size_t b = 0; b < 2; b++)
		for (size_t i = 0; i < both[b]->count; i++) {
			const char *word = both[b]->word[i], *slash = strrchr(word, '/');
			files.word[files.count++] = path_of(document, word);
			files.word[files.count++] = leads_out(word) ? slash + 1 : file_behind_dots(word);
		}
	row->files = files;
}

/* A program with a slash is the user's. */
static void find_own(struct document *document, struct experiment *experiment, struct experiment_row *row)
{
	if (strchr(row->program, '/')) {
		row->path = path_of(document, row->program);
		find_files(document, experiment, row);
	} else if (row->files.count) {
		experiment_error(document, experiment, experiment_row_place(experiment, row, "files"),
		                 "%s: only your own programs can have files, not the papers' programs", row->name);
	}
}

/* A program of the user has no variants and no known source. */
static void check_own(struct document *document, struct experiment *experiment, size_t r)
{
	const struct experiment_row *row = &experiment->rows[r];
	for (size_t c = 0; row->path && c < experiment->column_count; c++) {
		const char *variant = experiment_variant(experiment, r, c), *wrong = NULL;
		if (variant && experiment_is_nothing(variant))
			continue;
		if (variant)
			wrong = "has no variants; give it arguments";
		else if (!experiment->columns[c].machine)
			wrong = "needs a machine, because its source is not known";
		if (wrong)
			experiment_error(document, experiment,
			                 variant ? experiment_variant_place(experiment, row)
			                         : experiment_program_place(experiment, row),
			                 "%s: in column %s: your own program %s", row->name,
			                 experiment->columns[c].name, wrong);
	}
}

bool experiment_is_table(const struct experiment *experiment)
{
	return experiment->show >= SHOW_MACHINE && experiment->show < SHOW_UNSET;
}

/* Checks the number of published texts: one per column; for programs, one. */
static void check_stated(struct document *document, struct experiment *experiment, const struct experiment_row *row)
{
	size_t count = experiment->show == SHOW_PROGRAMS ? 1 : experiment->column_count;
	if (row->stated.count && row->stated.count != count)
		experiment_error(document, experiment, experiment_row_place(experiment, row, "published"),
		                 "%s: expected %zu published texts, not %zu", row->name, count, row->stated.count);
}

static void check_rows(struct document *document, struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->row_count; i++) {
		struct experiment_row *row = &experiment->rows[i];
		if (!row->program)
			row->program = row->name;
		find_own(document, experiment, row);
		if (row->value && experiment->show != SHOW_MACHINE && experiment->show != SHOW_COSTS)
			experiment_error(document, experiment, experiment_row_place(experiment, row, "value"),
			                 "%s: value is allowed only with show: machine or costs", row->name);
		if (experiment_is_table(experiment))
			check_stated(document, experiment, row);
		if (experiment->show == SHOW_INDEXES || experiment_is_table(experiment))
			continue;
		row->published = experiment_published(document, experiment,
		                                      experiment_row_place(experiment, row, "published"), &row->stated);
		if (row->variants.count > 1 && row->variants.count != experiment->column_count)
			experiment_error(document, experiment, experiment_row_place(experiment, row, "variant"),
			                 "variant: expected one, or one for each of the %zu columns, not %zu",
			                 experiment->column_count, row->variants.count);
		else if (!document->diag.errors) {
			check_bases(document, experiment, i);
			check_own(document, experiment, i);
		}
	}
}

/* Copies defaults from the experiment to the column. */
static void complete_column(struct document *document, struct experiment *experiment, struct experiment_column *column)
{
	bool of_all = !column->relative_name;
	const char *name = of_all ? experiment->relative_name : column->relative_name;
	column->metric = column->metric ? column->metric : experiment->metric;
	column->unit = column->unit ? column->unit : experiment->unit;
	column->show = column->show == SHOW_UNSET ? experiment->show : column->show;
	if (column->has_base)
		return;
	column->relative_name = name;
	column->relative_to = experiment->column_count;
	for (size_t i = 0; name && i < experiment->column_count; i++)
		if (strcmp(experiment->columns[i].name, name) == 0)
			column->relative_to = i;
	if (name && column->relative_to == experiment->column_count)
		experiment_error(document, experiment,
		                 of_all ? experiment_key_place(experiment, "relative_to")
		                        : experiment_column_place(experiment, column, "relative_to"),
		                 "%s: relative_to: there is no column '%s'", column->name, name);
	else if (!name && column->show != SHOW_VALUE)
		experiment_error(document, experiment,
		                 document_place_of(&column->keys, "show", experiment_key_place(experiment, "show")),
		                 "%s: show: a ratio and a percentage need relative_to", column->name);
}

/* A metric of runs needs a machine; a metric of the source must have none. */
static void check_needs(struct document *document, struct experiment *experiment, size_t r, size_t c)
{
	const struct experiment_column *column = &experiment->columns[c];
	const struct formula *metric = experiment_metric(experiment, r, c);
	unsigned needs = metric ? formula_needs(metric) : 0;
	const char *wrong = NULL;
	if (!metric)
		wrong = "expected a metric, here or for all columns";
	else if (needs & FORMULA_RUN && needs & FORMULA_SOURCE)
		wrong = "the metric mixes counters of runs with facts of the source";
	else if (!(needs & FORMULA_SOURCE) && !column->machine)
		wrong = "expected a machine";
	else if (needs & FORMULA_SOURCE && column->machine)
		wrong = "the metric is a fact of the source; remove the machine";
	else if (column->show != SHOW_VALUE && column->relative_to < experiment->column_count &&
	         !column->machine != !experiment->columns[column->relative_to].machine)
		wrong = "a metric of runs cannot be relative to a metric of sources";
	if (wrong)
		experiment_error(document, experiment,
		                 metric && column->machine ? experiment_metric_place(experiment, r, c)
		                                           : experiment_column_place(experiment, column, ""),
		                 "%s: %s", column->name, wrong);
}

static void check_columns(struct document *document, struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->column_count; i++)
		if (experiment->columns[i].show >= SHOW_INDEXES && experiment->columns[i].show < SHOW_UNSET)
			experiment_error(document, experiment,
			                 experiment_column_place(experiment, &experiment->columns[i], "show"),
			                 "%s: only a whole experiment can show %s", experiment->columns[i].name,
			                 shows[experiment->columns[i].show]);
		else
			complete_column(document, experiment, &experiment->columns[i]);
	for (size_t r = 0; !document->diag.errors && r < experiment->row_count; r++)
		for (size_t c = 0; c < experiment->column_count; c++)
			check_needs(document, experiment, r, c);
}

/* Checks keys that only some kinds of figures have, or must not have. */
static const char *wrong_of_column(const struct experiment *experiment, const struct experiment_column *column)
{
	if (experiment_is_table(experiment) && !column->machine)
		return "expected a machine";
	if (experiment_is_table(experiment) && (experiment->metric || column->metric || column->show != SHOW_UNSET))
		return "a table without runs can have no metric";
	if (experiment->show != SHOW_TIMELINE)
		return column->block_tracks ? "block_tracks is allowed only with show: timeline" : NULL;
	if (!column->machine)
		return "expected a machine";
	return column->metric || column->show != SHOW_UNSET || column->relative_name
	               ? "a timeline can have no metric, show or relative_to"
	               : NULL;
}

/* The place of the first of the keys that the experiment has. */
static struct diag_place first_of(const struct experiment *experiment, const char *const *keys)
{
	struct diag_place place = {0};
	for (; *keys && !place.line; keys++)
		place = document_place_of(&experiment->keys, *keys, place);
	return place;
}

static void check_kind(struct document *document, struct experiment *experiment)
{
	bool timeline = experiment->show == SHOW_TIMELINE;
	static const char *const only[] = {"events", "sm", "until", NULL}, *const never[] = {"metric", "mean",
	                                                                                     "relative_to", NULL};
	const char *wrong = NULL;
	if (!timeline && (experiment->events.count || experiment->sm || experiment->until))
		wrong = "events, sm and until are allowed only with show: timeline";
	else if (timeline && (experiment->metric || experiment->relative_name || experiment->mean != MEAN_NONE))
		wrong = "show: a timeline can have no metric, mean or relative_to";
	if (wrong)
		experiment_error(document, experiment, first_of(experiment, timeline ? never : only), "%s", wrong);
	for (size_t c = 0; c < experiment->column_count; c++) {
		struct experiment_column *column = &experiment->columns[c];
		wrong = wrong_of_column(experiment, column);
		if (wrong)
			experiment_error(document, experiment, experiment_column_place(experiment, column, ""),
			                 "%s: %s", column->name, wrong);
		if (timeline)
			column->show = SHOW_VALUE;
	}
}

static bool is_base(const struct experiment *experiment, size_t column)
{
	for (size_t c = 0; c < experiment->column_count; c++)
		if (experiment->columns[c].show != SHOW_VALUE && experiment->columns[c].relative_to == column)
			return true;
	return false;
}

static bool is_same_point(const struct experiment_column *a, const struct experiment_column *b)
{
	return a->at == b->at && experiment_same_text(a->line, b->line) && experiment_alike(a, b);
}

/* Whether an earlier column uses the same axis. */
static bool has_axis(const struct experiment *experiment, size_t column)
{
	for (size_t c = 0; c < column; c++)
		if (!isnan(experiment->columns[c].at) &&
		    experiment_alike(&experiment->columns[c], &experiment->columns[column]))
			return true;
	return false;
}

/* Checks the positions of columns in a figure over numbers. */
static void check_points(struct document *document, struct experiment *experiment)
{
	size_t axes = 0;
	for (size_t c = 0; c < experiment->column_count; c++) {
		const struct experiment_column *column = &experiment->columns[c];
		const char *wrong = NULL;
		axes += experiment->over && !isnan(column->at) && !has_axis(experiment, c);
		if (!experiment->over && (!isnan(column->at) || column->line))
			wrong = "at and line are allowed only in a figure with over";
		else if (experiment->over && isnan(column->at) && !is_base(experiment, c))
			wrong = "expected at: the column's number on the axis";
		for (size_t other = 0; experiment->over && other < c; other++)
			if (is_same_point(&experiment->columns[other], column))
				wrong = "another column of the line has the same number";
		if (axes > 2 && !has_axis(experiment, c))
			wrong = "it shows a third quantity, but a figure has only two axes";
		if (wrong && experiment->over && isnan(column->at) && experiment->axes.count)
			product_find_axis(document, &experiment->axes, "over: ", experiment->over,
			                  experiment_key_place(experiment, "over"));
		if (document->diag.errors)
			return;
		if (wrong)
			experiment_error(document, experiment,
			                 column->place.line ? experiment_column_place(experiment, column, "at")
			                                    : experiment_key_place(experiment, "over"),
			                 "%s: %s", column->name, wrong);
	}
}

static void check(struct document *document, struct experiment *experiment)
{
	bool indexes = experiment->show == SHOW_INDEXES || experiment->show == SHOW_PROGRAMS;
	check_kind(document, experiment);
	if (!experiment->title)
		experiment_error(document, experiment, (struct diag_place){0}, "expected a title");
	if (indexes && (experiment->column_count || experiment->metric))
		experiment_error(document, experiment, experiment_key_place(experiment, "show"),
		                 "show: a table of %s can have no columns and no metric", shows[experiment->show]);
	else if ((!experiment->column_count && !indexes) || !experiment->row_count)
		experiment_error(document, experiment, (struct diag_place){0}, "expected columns and rows");
	else if (experiment->show != SHOW_TIMELINE && !experiment_is_table(experiment))
		check_columns(document, experiment);
	if (experiment->over && (experiment->stacked || experiment->show >= SHOW_INDEXES))
		experiment_error(document, experiment, experiment_key_place(experiment, "over"),
		                 "over: lines can show values, ratios and percentages, and cannot be stacked");
	else if (!document->diag.errors)
		check_points(document, experiment);
	check_rows(document, experiment);
	experiment->published_mean = experiment_published(
		document, experiment, experiment_key_place(experiment, "published_mean"), &experiment->stated_mean);
	experiment_check_causes(document, experiment);
}

/* Expands an experiment with axes into a row and a column for each combination of their values. Its default metric
 * is cycles. */
static void make_product(struct document *document, struct experiment *experiment)
{
	char message[FORMULA_MESSAGE];
	if (!experiment->axes.count &&
	    (experiment->machine || experiment->exclude.count || experiment->relative.count)) {
		static const char *const keys[] = {"machine", "exclude", "relative_to", NULL};
		experiment_error(document, experiment, first_of(experiment, keys),
		                 "machine, exclude and a relative_to of several columns need axes");
		return;
	}
	if (!experiment->axes.count)
		return;
	product_expand(document, experiment);
	if (experiment->metric || experiment->show >= SHOW_INDEXES)
		return;
	experiment->metric = metric_parse(document->arena, "cycles", message);
	experiment->unit = experiment->unit ? experiment->unit : "cycles";
}

/* Reads "lines" or, in a product, "caps:distance: lines": an axis and its title. */
static void read_over(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct experiment *experiment = into;
	if (value->type != YAML_MAPPING_NODE) {
		document_read_text(document, key, value, &experiment->over);
		experiment->over_name = experiment->over;
		return;
	}
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start;
	if (value->data.mapping.pairs.top - pair != 1) {
		document_error(document, value, "%s: expected one axis and its title", key);
		return;
	}
	document_read_text(document, key, document_node(document, pair->key), &experiment->over);
	document_read_text(document, key, document_node(document, pair->value), &experiment->over_name);
}

bool experiment_read(struct experiment *experiment, struct document *document)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct experiment, keys)},
		{"title", document_read_text, offsetof(struct experiment, title)},
		{"source", document_read_text, offsetof(struct experiment, source)},
		{"paper", document_read_text, offsetof(struct experiment, paper)},
		{"note", document_read_text, offsetof(struct experiment, note)},
		{"size", read_size, offsetof(struct experiment, size)},
		{"seed", document_read_number, offsetof(struct experiment, seed)},
		{"metric", read_formula, offsetof(struct experiment, metric)},
		{"unit", document_read_text, offsetof(struct experiment, unit)},
		{"show", read_show, offsetof(struct experiment, show)},
		{"relative_to", read_relative, 0},
		{"machine", document_read_text, offsetof(struct experiment, machine)},
		{"files", document_read_words, offsetof(struct experiment, files)},
		{"axes", product_read_axes, offsetof(struct experiment, axes)},
		{"exclude", product_read_exclude, offsetof(struct experiment, exclude)},
		{"energy", document_read_text, offsetof(struct experiment, energy)},
		{"mean", read_mean, offsetof(struct experiment, mean)},
		{"over", read_over, 0},
		{"stacked", document_read_bool, offsetof(struct experiment, stacked)},
		{"events", document_read_words, offsetof(struct experiment, events)},
		{"sm", document_read_number, offsetof(struct experiment, sm)},
		{"until", document_read_number, offsetof(struct experiment, until)},
		{"published_mean", document_read_list, offsetof(struct experiment, stated_mean)},
		{"repeats", document_read_text, offsetof(struct experiment, repeats)},
		{"scored_at", read_size, offsetof(struct experiment, scored_at)},
		{"taken", document_read_bool, offsetof(struct experiment, taken)},
		{"causes", experiment_read_causes, 0},
		{"columns", read_columns, 0},
		{"rows", read_rows, 0},
		{0},
	};
	*experiment = (struct experiment){.size = "small", .seed = 1};
	if (!document_load(document))
		return false;
	experiment->file = arena_string(document->arena, document->source.name, strlen(document->source.name));
	experiment->place = document_place(yaml_document_get_root_node(&document->yaml));
	document_read(document, "experiment", yaml_document_get_root_node(&document->yaml), keys, experiment);
	if (!document->diag.errors)
		make_product(document, experiment);
	if (!document->diag.errors)
		check(document, experiment);
	yaml_document_delete(&document->yaml);
	return !document->diag.errors;
}
