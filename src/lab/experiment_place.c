/* Places in an experiment's file, for messages. */
#include "lab/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void experiment_error(struct document *document, struct experiment *experiment, struct diag_place place,
                      const char *format, ...)
{
	va_list arguments;
	place = place.line ? place : experiment->place;
	for (size_t i = 0; i < experiment->told_count; i++)
		if (experiment->told[i].line == place.line && experiment->told[i].column == place.column)
			return;
	if (experiment->told_count < sizeof experiment->told / sizeof *experiment->told)
		experiment->told[experiment->told_count++] = place;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	diag_error(&document->diag, &document->source, place, "%s", text);
	free(text);
}

struct diag_place experiment_key_place(const struct experiment *experiment, const char *key)
{
	return document_place_of(&experiment->keys, key, experiment->place);
}

/* The place of an element's key, else of its name; an element that a product makes has no name in the file. */
static struct diag_place place_in(const struct experiment *experiment, const struct document_keys *keys,
                                  struct diag_place name, const char *key)
{
	return document_place_of(keys, key, name.line ? name : experiment_key_place(experiment, "axes"));
}

struct diag_place experiment_row_place(const struct experiment *experiment, const struct experiment_row *row,
                                       const char *key)
{
	return place_in(experiment, &row->keys, row->place, key);
}

struct diag_place experiment_column_place(const struct experiment *experiment, const struct experiment_column *column,
                                          const char *key)
{
	return place_in(experiment, &column->keys, column->place, key);
}

/* Where a row's axis of one of two kinds has its value, else where the row has the key. */
static struct diag_place place_on_axis(const struct experiment *experiment, const struct experiment_row *row,
                                       enum product_kind kind, enum product_kind other, const char *key)
{
	for (size_t a = 0; row->chosen && a < experiment->axes.count; a++) {
		const struct product_axis *axis = &experiment->axes.list[a];
		if ((axis->kind == kind || axis->kind == other) && row->chosen[a] != PRODUCT_NONE)
			return axis->values[row->chosen[a]].place;
	}
	return experiment_row_place(experiment, row, key);
}

struct diag_place experiment_program_place(const struct experiment *experiment, const struct experiment_row *row)
{
	return place_on_axis(experiment, row, PRODUCT_PROGRAM, PRODUCT_COMMAND, "program");
}

struct diag_place experiment_variant_place(const struct experiment *experiment, const struct experiment_row *row)
{
	return place_on_axis(experiment, row, PRODUCT_VARIANT, PRODUCT_VARIANT, "variant");
}

const char *experiment_where(struct arena *arena, const struct experiment *experiment, struct diag_place place)
{
	size_t size = strlen(experiment->file) + 48;
	char *text = arena_alloc(arena, size);
	place = place.line ? place : experiment->place;
	snprintf(text, size, "%s:%u:%u: error", experiment->file, place.line, place.column);
	return text;
}

struct diag_place experiment_metric_place(const struct experiment *experiment, size_t row, size_t column)
{
	static const char key[] = "metric";
	const struct diag_place none = {0};
	struct diag_place place = document_place_of(&experiment->rows[row].keys, key, none);
	place = place.line ? place : document_place_of(&experiment->columns[column].keys, key, none);
	place = place.line ? place : document_place_of(&experiment->keys, key, none);
	return place.line ? place : experiment_column_place(experiment, &experiment->columns[column], key);
}
