#include "lab/experiment.h"

#include <math.h>
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
	const struct formula *formula = formula_parse(document->arena, text, message);
	*(const struct formula **)into = formula;
	if (!formula)
		document_error(document, value, "%s: %s", key, message);
}

/* One of the names, whose number it stores. */
static void read_choice(struct document *document, const char *key, const yaml_node_t *value, unsigned *into,
                        const char *const *names)
{
	const char *text = document_text(document, key, value);
	for (unsigned i = 0; text && names[i]; i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		*into = i;
		return;
	}
	if (text)
		document_error(document, value, "%s: expected %s, %s or %s, not '%s'", key, names[0], names[1],
		               names[2], text);
}

static void read_show(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const char *const names[] = {"value", "ratio", "percent", NULL};
	unsigned number = SHOW_VALUE;
	read_choice(document, key, value, &number, names);
	*(enum experiment_show *)into = (enum experiment_show)number;
}

static void read_mean(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const char *const names[] = {"none", "geometric", "arithmetic", NULL};
	unsigned number = MEAN_NONE;
	read_choice(document, key, value, &number, names);
	*(enum experiment_mean *)into = (enum experiment_mean)number;
}

/* Reads each NAME: {...} of a mapping into the next element of an array; `size` is that of an element, which begins
 * with its name. */
static void *read_named(struct document *document, const char *key, const yaml_node_t *value,
                        const struct document_key *keys, size_t size, size_t place, size_t *count)
{
	if (!document_is_mapping(document, key, value))
		return NULL;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	char *list = arena_array(document->arena, (size_t)(end - pair) + 1, size);
	for (; pair < end; pair++) {
		const char *name = document_pair_key(document, value, pair);
		char *element = list + *count * size;
		if (!name)
			continue;
		*(const char **)element = name;
		*(struct place *)(element + place) = document_place(document_node(document, pair->key));
		document_read(document, name, document_node(document, pair->value), keys, element);
		++*count;
	}
	return list;
}

static void read_columns(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"machine", document_read_text, offsetof(struct experiment_column, machine)},
		{"options", document_read_list, offsetof(struct experiment_column, options)},
		{"mechanisms", document_read_list, offsetof(struct experiment_column, mechanisms)},
		{"variant", document_read_text, offsetof(struct experiment_column, variant)},
		{"arguments", document_read_list, offsetof(struct experiment_column, arguments)},
		{"metric", read_formula, offsetof(struct experiment_column, metric)},
		{0},
	};
	struct experiment *experiment = into;
	experiment->columns = read_named(document, key, value, keys, sizeof *experiment->columns,
	                                 offsetof(struct experiment_column, place), &experiment->column_count);
}

static void read_rows(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"program", document_read_text, offsetof(struct experiment_row, program)},
		{"variant", document_read_list, offsetof(struct experiment_row, variants)},
		{"kernel", document_read_text, offsetof(struct experiment_row, kernel)},
		{"arguments", document_read_list, offsetof(struct experiment_row, arguments)},
		{"published", document_read_list, offsetof(struct experiment_row, stated)},
		{"outside_mean", document_read_bool, offsetof(struct experiment_row, outside_mean)},
		{0},
	};
	struct experiment *experiment = into;
	experiment->rows = read_named(document, key, value, keys, sizeof *experiment->rows,
	                              offsetof(struct experiment_row, place), &experiment->row_count);
}

/* Published numbers, one a column. */
static double *numbers(struct document *document, struct place place, const struct words *stated, size_t count)
{
	double *list = arena_array(document->arena, count + 1, sizeof *list);
	for (size_t i = 0; i < count; i++)
		list[i] = NAN;
	if (stated->count && stated->count != count) {
		diag_error(&document->diag, &document->source, place,
		           "expected %zu published numbers, one a column, not %zu", count, stated->count);
		return list;
	}
	for (size_t i = 0; i < stated->count; i++) {
		char *end;
		if (experiment_is_nothing(stated->word[i]))
			continue;
		list[i] = strtod(stated->word[i], &end);
		if (*end)
			diag_error(&document->diag, &document->source, place,
			           "published: expected a number or ~, which says that there is none, not '%s'",
			           stated->word[i]);
	}
	return list;
}

static void check_rows(struct document *document, struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->row_count; i++) {
		struct experiment_row *row = &experiment->rows[i];
		if (!row->program)
			row->program = row->name;
		row->published = numbers(document, row->place, &row->stated, experiment->column_count);
		if (row->variants.count > 1 && row->variants.count != experiment->column_count)
			diag_error(&document->diag, &document->source, row->place,
			           "variant: expected one, or one for each of the %zu columns, not %zu",
			           experiment->column_count, row->variants.count);
		const char *base = experiment->relative_name && row->variants.count > experiment->relative_to
		                           ? row->variants.word[experiment->relative_to]
		                           : NULL;
		if (base && experiment_is_nothing(base))
			diag_error(&document->diag, &document->source, row->place,
			           "%s: there is nothing in column %s, which the row is shown relative to", row->name,
			           experiment->relative_name);
	}
}

static void check_columns(struct document *document, struct experiment *experiment)
{
	bool found = false;
	for (size_t i = 0; i < experiment->column_count; i++) {
		const struct experiment_column *column = &experiment->columns[i];
		if (!column->machine)
			diag_error(&document->diag, &document->source, column->place, "%s: expected a machine",
			           column->name);
		if (!column->metric && !experiment->metric)
			diag_error(&document->diag, &document->source, column->place,
			           "%s: expected a metric, here or for all columns", column->name);
		if (experiment->relative_name && strcmp(column->name, experiment->relative_name) == 0) {
			experiment->relative_to = i;
			found = true;
		}
	}
	if (experiment->relative_name && !found)
		diag_error(&document->diag, &document->source, (struct place){0},
		           "relative_to: there is no column '%s'", experiment->relative_name);
	if (!experiment->relative_name && experiment->show != SHOW_VALUE)
		diag_error(&document->diag, &document->source, (struct place){0},
		           "show: a ratio and a percentage need relative_to");
}

static void check(struct document *document, struct experiment *experiment)
{
	if (!experiment->title)
		diag_error(&document->diag, &document->source, (struct place){0}, "expected a title");
	if (!experiment->column_count || !experiment->row_count)
		diag_error(&document->diag, &document->source, (struct place){0}, "expected columns and rows");
	check_columns(document, experiment);
	check_rows(document, experiment);
	experiment->published_mean =
		numbers(document, (struct place){0}, &experiment->stated_mean, experiment->column_count);
}

bool experiment_read(struct experiment *experiment, struct document *document)
{
	static const struct document_key keys[] = {
		{"title", document_read_text, offsetof(struct experiment, title)},
		{"source", document_read_text, offsetof(struct experiment, source)},
		{"note", document_read_text, offsetof(struct experiment, note)},
		{"size", document_read_text, offsetof(struct experiment, size)},
		{"seed", document_read_number, offsetof(struct experiment, seed)},
		{"metric", read_formula, offsetof(struct experiment, metric)},
		{"unit", document_read_text, offsetof(struct experiment, unit)},
		{"show", read_show, offsetof(struct experiment, show)},
		{"relative_to", document_read_text, offsetof(struct experiment, relative_name)},
		{"mean", read_mean, offsetof(struct experiment, mean)},
		{"published_mean", document_read_list, offsetof(struct experiment, stated_mean)},
		{"columns", read_columns, 0},
		{"rows", read_rows, 0},
		{0},
	};
	*experiment = (struct experiment){.size = "small", .seed = 1};
	if (!document_load(document))
		return false;
	document_read(document, "experiment", yaml_document_get_root_node(&document->yaml), keys, experiment);
	if (!document->diag.errors)
		check(document, experiment);
	yaml_document_delete(&document->yaml);
	return !document->diag.errors;
}

const char *experiment_variant(const struct experiment *experiment, size_t row, size_t column)
{
	const struct words *variants = &experiment->rows[row].variants;
	if (!variants->count)
		return experiment->columns[column].variant;
	return variants->word[variants->count == 1 ? 0 : column];
}
