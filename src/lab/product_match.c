#include "lab/product_private.h"

#include "base/edit_distance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *product_text(struct document *document, const char *format, const char *a, const char *b, const char *c)
{
	size_t size = strlen(format) + strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = arena_alloc(document->arena, size);
	snprintf(text, size, format, a, b, c);
	return text;
}

/* Reports an error unless it has been reported at another place: several filters may use one misspelt axis. */
__attribute__((format(printf, 3, 4))) static void tell_once(struct document *document, struct diag_place place,
                                                            const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	const char *line = product_text(document, ": error: %s\n%s%s", text, "", "");
	if (!document->diag.text || !strstr(document->diag.text, line))
		diag_error(&document->diag, &document->source, place, "%s", text);
	free(text);
}

const struct product_axis *product_find_axis(struct document *document, const struct product_axes *axes,
                                             const char *key, const char *name, struct diag_place place)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t a = 0; a < axes->count; a++) {
		if (strcmp(axes->list[a].name, name) == 0)
			return &axes->list[a];
		if (edit_distance_is_nearer(name, axes->list[a].name, &best))
			nearest = axes->list[a].name;
	}
	tell_once(document, place, "%sthere is no axis '%s'%s%s%s", key, name, nearest ? "; did you mean '" : "",
	          nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

void product_check_match(struct document *document, const struct product_axes *axes, const struct product_match *match)
{
	for (size_t i = 0; i < match->count; i++) {
		const struct product_condition *condition = &match->list[i];
		const struct product_axis *axis =
			product_find_axis(document, axes, "", condition->axis, condition->place);
		for (size_t w = 0; axis && w < condition->labels.count; w++) {
			size_t v = 0;
			while (v < axis->count && strcmp(axis->values[v].label, condition->labels.word[w]) != 0)
				v++;
			if (v == axis->count)
				tell_once(document, condition->place, "%s: the axis has no value '%s'", axis->name,
				          condition->labels.word[w]);
		}
	}
}

/* Whether row and column have one of the labels on each axis. Either may be NULL; then its axes are ignored.
 * `without` is the result for an axis that does not apply. */
static bool matches(const struct product_axes *axes, const struct product_match *match, const size_t *row,
                    const size_t *column, bool without)
{
	for (size_t i = 0; i < match->count; i++)
		for (size_t a = 0; a < axes->count; a++) {
			const struct product_axis *axis = &axes->list[a];
			const size_t *chosen = product_is_of_rows(axis->kind) ? row : column;
			if (strcmp(axis->name, match->list[i].axis) == 0 && chosen &&
			    !(chosen[a] == PRODUCT_NONE
			              ? without
			              : words_have(&match->list[i].labels, axis->values[chosen[a]].label)))
				return false;
		}
	return true;
}

bool product_excludes(const struct experiment *experiment, size_t row, size_t column)
{
	for (size_t i = 0; i < experiment->exclude.count; i++)
		if (matches(&experiment->axes, &experiment->exclude.list[i], experiment->rows[row].chosen,
		            experiment->columns[column].chosen, false))
			return true;
	return false;
}

/* Whether b is a's base: as `relative_to` states, and otherwise equal. */
static bool is_base(const struct experiment *experiment, const struct experiment_column *a,
                    const struct experiment_column *b)
{
	const struct product_match *match = &experiment->relative;
	if (a->of_template != b->of_template || !matches(&experiment->axes, match, NULL, b->chosen, true))
		return false;
	for (size_t axis = 0; axis < experiment->axes.count; axis++) {
		bool named = false;
		for (size_t i = 0; i < match->count; i++)
			named |= strcmp(match->list[i].axis, experiment->axes.list[axis].name) == 0;
		/* A base without the mechanism serves all values of the mechanism's options. One with it serves columns
		 * without it if the option has only one value. */
		const struct product_axis *own = &experiment->axes.list[axis];
		bool serves = own->kind == PRODUCT_MECHANISM_OPTION &&
		              (b->chosen[axis] == PRODUCT_NONE || (a->chosen[axis] == PRODUCT_NONE && own->count == 1));
		if (!named && a->chosen[axis] != b->chosen[axis] && !serves)
			return false;
	}
	return true;
}

/* The name of an axis, if its values need it: numbers of a key do, machines do not. */
static const char *axis_prefix(struct document *document, const struct product_axes *axes, const char *name)
{
	for (size_t a = 0; a < axes->count; a++)
		if (strcmp(axes->list[a].name, name) == 0 && axes->list[a].kind != PRODUCT_OPTION &&
		    axes->list[a].kind != PRODUCT_MECHANISM_OPTION)
			return "";
	return product_text(document, "%s %s%s", name, "", "");
}

/* "none", "l1d.sets 16" */
static const char *base_name(struct document *document, const struct product_axes *axes,
                             const struct product_match *match)
{
	const char *name = "";
	for (size_t i = 0; i < match->count; i++) {
		const struct product_condition *condition = &match->list[i];
		for (size_t w = 0; w < condition->labels.count; w++)
			name = product_text(document, "%s%s%s", name,
			                    w   ? ","
			                    : i ? ", "
			                        : "",
			                    w ? condition->labels.word[w]
			                      : product_text(document, "%s%s%s",
			                                     axis_prefix(document, axes, condition->axis),
			                                     condition->labels.word[w], ""));
	}
	return name;
}

/* A base that has no value on the `over` axis gets no position. */
static void take_off(const struct experiment *experiment, struct experiment_column *base)
{
	for (size_t a = 0; experiment->over && a < experiment->axes.count; a++)
		if (base->chosen[a] == PRODUCT_NONE && strcmp(experiment->axes.list[a].name, experiment->over) == 0) {
			base->at = NAN;
			base->line = NULL;
		}
}

void product_set_bases(struct document *document, struct experiment *experiment)
{
	if (experiment->relative.count)
		experiment->relative_name = base_name(document, &experiment->axes, &experiment->relative);
	for (size_t i = 0; i < experiment->relative.count; i++)
		for (size_t a = 0; a < experiment->axes.count; a++)
			if (strcmp(experiment->axes.list[a].name, experiment->relative.list[i].axis) == 0 &&
			    product_is_of_rows(experiment->axes.list[a].kind))
				diag_error(&document->diag, &document->source, experiment->relative.list[i].place,
				           "relative_to: %s is an axis of rows, but only columns can be compared",
				           experiment->axes.list[a].name);
	for (size_t c = 0; c < experiment->column_count && experiment->relative.count; c++) {
		struct experiment_column *column = &experiment->columns[c];
		if (column->relative_name)
			continue; /* its own base */
		for (size_t b = 0; !column->has_base && b < experiment->column_count; b++) {
			column->has_base = is_base(experiment, column, &experiment->columns[b]);
			column->relative_to = b;
		}
		column->relative_name = experiment->relative_name;
		if (!column->has_base) {
			diag_error(&document->diag, &document->source, experiment->relative.place,
			           "relative_to: %s has no such column to compare with", column->name);
			return;
		}
		take_off(experiment, &experiment->columns[column->relative_to]);
	}
}
