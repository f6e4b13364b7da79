/* Expands axes into rows and columns. */
#include "lab/product_private.h"

#include "sluice_runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1000000 };

/* One combination of values of an experiment's axes, of rows or of columns. */
struct combination {
	struct document *document;
	const struct product_axes *axes;
	const size_t *chosen; /* by axis: index of the value, or PRODUCT_NONE */
};

static const struct product_value *value_of(const struct combination *combination, size_t axis)
{
	size_t chosen = combination->chosen[axis];
	return chosen == PRODUCT_NONE ? NULL : &combination->axes->list[axis].values[chosen];
}

/* Returns the words with another appended. */
static struct words with_word(struct document *document, const struct words *words, const char *word)
{
	struct words all = {.word = arena_array(document->arena, words->count + 2, sizeof *all.word)};
	for (size_t i = 0; i < words->count; i++)
		all.word[all.count++] = words->word[i];
	all.word[all.count++] = word;
	return all;
}

/* The length of a mechanism without its options. */
static size_t length_of_name(const char *mechanism)
{
	size_t path = sluice_mechanism_path(mechanism);
	return path ? path : strcspn(mechanism, ":");
}

/* True when a mechanism with that name stands at `text`, before its options, if it has any. */
static bool is_named(const char *text, const char *name, size_t length)
{
	return strncmp(text, name, length) == 0 && strchr(":", text[length]);
}

/* True when the mechanism "caps", "caps:distance=2" or "./caps.so" has the name. */
static bool has_name(const char *mechanism, const char *name, size_t length)
{
	const char *file = memrchr(mechanism, '/', length_of_name(mechanism));
	return is_named(mechanism, name, length) ||
	       (file && strncmp(file + 1, name, length) == 0 && is_named(file + 1 + length, ".so", 3));
}

/* Returns the index of the mechanism that the axis "caps:distance" belongs to; the count when there is none. */
static size_t find_mechanism(const struct words *mechanisms, const char *axis)
{
	size_t i = 0, length = (size_t)(strrchr(axis, ':') - axis);
	while (i < mechanisms->count && !has_name(mechanisms->word[i], axis, length))
		i++;
	return i;
}

static void set_mechanism_option(struct document *document, struct experiment_column *column,
                                 const struct product_setting *setting)
{
	size_t i = find_mechanism(&column->mechanisms, setting->name);
	if (i == column->mechanisms.count)
		return;
	const char *before = column->mechanisms.word[i];
	char *option = product_text(document, "%s=%s%s", strrchr(setting->name, ':') + 1, setting->words.word[0], "");
	struct words words = with_word(document, &column->mechanisms, "");
	words.count--;
	words.word[i] = product_text(document, "%s%s%s", before, before[length_of_name(before)] ? "," : ":", option);
	column->mechanisms = words;
}

static void set_column(struct document *document, struct experiment_column *column,
                       const struct product_setting *setting)
{
	if (setting->kind == PRODUCT_MACHINE)
		column->machine = setting->words.word[0];
	else if (setting->kind == PRODUCT_MECHANISM_OPTION)
		set_mechanism_option(document, column, setting);
	else if (setting->kind == PRODUCT_OPTION)
		column->options =
			with_word(document, &column->options,
		                  product_text(document, "%s=%s%s", setting->name, setting->words.word[0], ""));
	else
		for (size_t i = 0; i < setting->words.count; i++)
			column->mechanisms = with_word(document, &column->mechanisms, setting->words.word[i]);
}

/* Options of mechanisms are set after the mechanisms. */
static void set_columns(const struct combination *combination, struct experiment_column *column)
{
	for (int options = 0; options < 2; options++)
		for (size_t a = 0; a < combination->axes->count; a++) {
			const struct product_value *value = value_of(combination, a);
			for (size_t i = 0; value && i < value->count; i++)
				if ((value->settings[i].kind == PRODUCT_MECHANISM_OPTION) == options)
					set_column(combination->document, column, &value->settings[i]);
		}
}

/* Whether the column has the mechanisms whose options it sets; otherwise it would appear once for each value of the
 * option. */
static bool has_options(const struct combination *combination, const struct experiment_column *column)
{
	for (size_t a = 0; a < combination->axes->count; a++) {
		const struct product_axis *axis = &combination->axes->list[a];
		if (axis->kind == PRODUCT_MECHANISM_OPTION && combination->chosen[a] != PRODUCT_NONE &&
		    combination->chosen[a] &&
		    find_mechanism(&column->mechanisms, axis->name) == column->mechanisms.count)
			return false;
	}
	return true;
}

/* "sm.l1d.sets=16 caps": the values of axes with several values, except axis `without`. */
static const char *name_of(const struct combination *combination, const char *template, const struct words *mechanisms,
                           const char *without)
{
	const char *name = template;
	for (size_t a = 0; a < combination->axes->count; a++) {
		const struct product_axis *axis = &combination->axes->list[a];
		const struct product_value *value = value_of(combination, a);
		if (!value || axis->count == 1 || (without && strcmp(axis->name, without) == 0))
			continue;
		if (axis->kind == PRODUCT_MECHANISM_OPTION &&
		    find_mechanism(mechanisms, axis->name) == mechanisms->count)
			continue;
		bool bare = axis->kind == PRODUCT_MACHINE || axis->kind == PRODUCT_MECHANISMS ||
		            axis->kind == PRODUCT_PROGRAM || axis->kind == PRODUCT_COMMAND ||
		            axis->kind == PRODUCT_ARGUMENTS || axis->kind == PRODUCT_VARIANT ||
		            axis->kind == PRODUCT_POINT;
		const char *option = strrchr(axis->name, ':'), *key = option ? option + 1 : axis->name;
		const char *part =
			bare ? value->label : product_text(combination->document, "%s=%s%s", key, value->label, "");
		name = product_text(combination->document, "%s%s%s", name, *name ? " " : "", part);
	}
	return name;
}

/* Returns the argument with {WORD} replaced by the value; NULL when it does not contain it. */
static const char *filled(struct document *document, const char *argument, const char *word, const char *value)
{
	char *mark = product_text(document, "{%s%s%s", word, "}", "");
	const char *found = strstr(argument, mark);
	if (!found)
		return NULL;
	char *before = arena_string(document->arena, argument, (size_t)(found - argument));
	const char *rest = found + strlen(mark), *more = filled(document, rest, word, value);
	return product_text(document, "%s%s%s", before, value, more ? more : rest);
}

/* Replaces the word by the value in all arguments. Returns false when no argument contains it. */
static bool fill_words(struct document *document, struct experiment_row *row, const char *word, const char *value)
{
	struct words words = with_word(document, &row->arguments, "");
	bool found = false;
	words.count--;
	for (size_t i = 0; i < words.count; i++) {
		const char *now = filled(document, words.word[i], word, value);
		found |= now != NULL;
		words.word[i] = now ? now : words.word[i];
	}
	row->arguments = words;
	return found;
}

static void set_row(struct document *document, struct experiment_row *row, const struct product_setting *setting)
{
	const char *word = setting->words.count ? setting->words.word[0] : "";
	switch (setting->kind) {
	case PRODUCT_PROGRAM:
		row->program = word;
		break;
	case PRODUCT_VARIANT:
		row->variants = setting->words;
		break;
	case PRODUCT_COMMAND:
		row->program = word;
		row->arguments = (struct words){0};
		for (size_t i = 1; i < setting->words.count; i++)
			row->arguments = with_word(document, &row->arguments, setting->words.word[i]);
		break;
	case PRODUCT_ARGUMENTS:
		for (size_t i = 0; i < setting->words.count; i++)
			row->arguments = with_word(document, &row->arguments, setting->words.word[i]);
		break;
	case PRODUCT_SIZE:
		row->size = word;
		break;
	case PRODUCT_SEED:
		row->has_seed = true;
		row->seed = strtoull(word, NULL, 10);
		break;
	default:
		break;
	}
}

/* Replaces words, sizes and seeds in the arguments, which must be set before. A program of the user gets size and
 * seed only this way. */
static void fill_row(const struct combination *combination, struct experiment_row *row)
{
	struct document *document = combination->document;
	bool own = row->program && strchr(row->program, '/');
	for (size_t a = 0; a < combination->axes->count; a++) {
		const struct product_axis *axis = &combination->axes->list[a];
		const struct product_value *value = value_of(combination, a);
		if (!value || axis->kind < PRODUCT_SIZE)
			continue;
		bool found = fill_words(document, row, axis->name, value->label);
		if (!document->diag.errors && !found && row->program && (own || axis->kind == PRODUCT_WORD))
			diag_error(&document->diag, &document->source, axis->place,
			           "%s: the arguments of %s do not contain it; write {%s} where it belongs", axis->name,
			           *row->name     ? row->name
			           : row->program ? row->program
			                          : "the program",
			           axis->name);
	}
}

static bool is_chosen(const struct product_axis *axis, bool rows)
{
	return product_is_of_rows(axis->kind) == rows;
}

/* Returns the first combination of the axes of rows or of columns. */
static size_t *first_choice(struct document *document, const struct product_axes *axes, bool rows, size_t *combinations)
{
	size_t *chosen = arena_array(document->arena, axes->count + 1, sizeof *chosen);
	*combinations = 1;
	for (size_t a = 0; a < axes->count; a++) {
		chosen[a] = is_chosen(&axes->list[a], rows) ? 0 : PRODUCT_NONE;
		if (!chosen[a] && *combinations <= MOST_CELLS)
			*combinations *= axes->list[a].count;
	}
	return chosen;
}

/* The last axis varies fastest. */
static void next_choice(const struct product_axes *axes, size_t *chosen)
{
	for (size_t a = axes->count; a-- > 0;) {
		if (chosen[a] == PRODUCT_NONE)
			continue;
		if (++chosen[a] < axes->list[a].count)
			return;
		chosen[a] = 0;
	}
}

static size_t *kept_choice(struct document *document, const struct product_axes *axes, const size_t *chosen)
{
	size_t *copy = arena_array(document->arena, axes->count + 1, sizeof *copy);
	memcpy(copy, chosen, axes->count * sizeof *copy);
	return copy;
}

/* Options of mechanisms that the column does not have do not apply to it. */
static const size_t *columns_choice(const struct combination *combination, const struct words *mechanisms)
{
	const struct product_axes *axes = combination->axes;
	size_t *chosen = kept_choice(combination->document, axes, combination->chosen);
	for (size_t a = 0; a < axes->count; a++)
		if (axes->list[a].kind == PRODUCT_MECHANISM_OPTION &&
		    find_mechanism(mechanisms, axes->list[a].name) == mechanisms->count)
			chosen[a] = PRODUCT_NONE;
	return chosen;
}

/* Sets the column's position in a figure over an axis. */
static void set_point(const struct combination *combination, struct experiment *experiment,
                      struct experiment_column *column, const char *template)
{
	for (size_t a = 0; experiment->over && a < combination->axes->count; a++) {
		const struct product_value *value = value_of(combination, a);
		char *end;
		if (!value || strcmp(combination->axes->list[a].name, experiment->over) != 0)
			continue;
		column->at = strtod(value->label, &end);
		if (*end)
			experiment_error(combination->document, experiment, value->place,
			                 "over: lines need numbers on this axis, not '%s'", value->label);
		column->line = name_of(combination, template, &column->mechanisms, experiment->over);
	}
}

static void make_columns(struct document *document, struct experiment *experiment,
                         const struct experiment_column *templates, size_t template_count)
{
	const struct product_axes *axes = &experiment->axes;
	size_t combinations, *chosen = first_choice(document, axes, false, &combinations);
	if (combinations > MOST_CELLS)
		return;
	experiment->columns =
		arena_array(document->arena, template_count * combinations + 1, sizeof *experiment->columns);
	experiment->column_count = 0;
	for (size_t t = 0; t < template_count; t++)
		for (size_t i = 0; i < combinations; i++, next_choice(axes, chosen)) {
			struct experiment_column *column = &experiment->columns[experiment->column_count];
			const struct combination combination = {document, axes, kept_choice(document, axes, chosen)};
			*column = templates[t];
			set_columns(&combination, column);
			if (!has_options(&combination, column))
				continue;
			column->chosen = columns_choice(&combination, &column->mechanisms);
			column->name = name_of(&combination, templates[t].name, &column->mechanisms, NULL);
			if (!column->machine && !(column->metric && formula_needs(column->metric) & FORMULA_SOURCE))
				column->machine = experiment->machine ? experiment->machine : "gtx480";
			if (!*column->name && column->mechanisms.count)
				column->name = product_join(document, &column->mechanisms, "+", false);
			if (!*column->name)
				column->name = column->machine;
			set_point(&combination, experiment, column, templates[t].name);
			experiment->column_count++;
		}
}

static void make_rows(struct document *document, struct experiment *experiment, const struct experiment_row *templates,
                      size_t template_count)
{
	const struct product_axes *axes = &experiment->axes;
	size_t combinations, *chosen = first_choice(document, axes, true, &combinations);
	if (combinations > MOST_CELLS)
		return;
	experiment->rows = arena_array(document->arena, template_count * combinations + 1, sizeof *experiment->rows);
	experiment->row_count = 0;
	for (size_t t = 0; t < template_count; t++)
		for (size_t i = 0; i < combinations; i++, next_choice(axes, chosen)) {
			struct experiment_row *row = &experiment->rows[experiment->row_count++];
			const struct combination combination = {document, axes, kept_choice(document, axes, chosen)};
			*row = templates[t];
			if (!row->program && *row->name)
				row->program = row->name;
			for (size_t a = 0; a < axes->count; a++)
				if (value_of(&combination, a))
					set_row(document, row, value_of(&combination, a)->settings);
			fill_row(&combination, row);
			row->chosen = combination.chosen;
			row->name = name_of(&combination, templates[t].name, &(struct words){0}, NULL);
			if (!*row->name)
				row->name = row->program ? row->program : "";
		}
}

/* An option of a mechanism that no column has is an error. */
static void check_options(struct document *document, const struct experiment *experiment)
{
	for (size_t a = 0; a < experiment->axes.count; a++) {
		const struct product_axis *axis = &experiment->axes.list[a];
		bool any = axis->kind != PRODUCT_MECHANISM_OPTION;
		for (size_t c = 0; !any && c < experiment->column_count; c++) {
			const struct words *mechanisms = &experiment->columns[c].mechanisms;
			any = find_mechanism(mechanisms, axis->name) < mechanisms->count;
		}
		if (!any)
			diag_error(&document->diag, &document->source, axis->place,
			           "%s: no column has the mechanism; write it as under mechanisms, or as a shared "
			           "object's name without its folder and .so",
			           axis->name);
	}
}

/* Whether an axis repeats something that the file's columns and rows set. */
static void check_templates(struct document *document, const struct experiment *experiment)
{
	for (size_t a = 0; a < experiment->axes.count; a++) {
		const struct product_axis *axis = &experiment->axes.list[a];
		bool twice = false;
		for (size_t c = 0; c < experiment->column_count; c++)
			twice |= axis->kind == PRODUCT_MACHINE && experiment->columns[c].machine;
		for (size_t r = 0; r < experiment->row_count; r++)
			twice |= (axis->kind == PRODUCT_PROGRAM || axis->kind == PRODUCT_COMMAND) ||
			         (axis->kind == PRODUCT_VARIANT && experiment->rows[r].variants.count);
		if (twice)
			diag_error(&document->diag, &document->source, axis->place, "%s: the file's %s set it already",
			           axis->name, product_is_of_rows(axis->kind) ? "rows" : "columns");
	}
}

static void check_cells(struct document *document, const struct experiment *experiment)
{
	size_t rows = experiment->row_count ? experiment->row_count : 1, columns, count;
	first_choice(document, &experiment->axes, true, &count);
	rows = count > MOST_CELLS ? count : rows * count;
	first_choice(document, &experiment->axes, false, &count);
	columns = (experiment->column_count ? experiment->column_count : 1) * count;
	if (rows > MOST_CELLS || count > MOST_CELLS || rows * columns > MOST_CELLS)
		diag_error(&document->diag, &document->source, experiment_key_place(experiment, "axes"),
		           "axes: the product has more than %d combinations; split it into several files", MOST_CELLS);
}

void product_expand(struct document *document, struct experiment *experiment)
{
	static const struct experiment_row row = {.name = ""};
	const struct experiment_column column = {.name = "", .show = SHOW_UNSET, .at = NAN};
	check_templates(document, experiment);
	check_cells(document, experiment);
	for (size_t i = 0; i < experiment->exclude.count; i++)
		product_check_match(document, &experiment->axes, &experiment->exclude.list[i]);
	product_check_match(document, &experiment->axes, &experiment->relative);
	if (document->diag.errors)
		return;
	for (size_t c = 0; c < experiment->column_count; c++)
		experiment->columns[c].of_template = c;
	make_columns(document, experiment, experiment->column_count ? experiment->columns : &column,
	             experiment->column_count ? experiment->column_count : 1);
	make_rows(document, experiment, experiment->row_count ? experiment->rows : &row,
	          experiment->row_count ? experiment->row_count : 1);
	size_t r = 0;
	while (r < experiment->row_count && experiment->rows[r].program)
		r++;
	if (r < experiment->row_count && !document->diag.errors)
		diag_error(&document->diag, &document->source, experiment_key_place(experiment, "axes"),
		           "expected programs to run: rows, or an axis 'program' or 'command'");
	check_options(document, experiment);
	product_set_bases(document, experiment);
}

/* Whether a message refers to a setting: by its key, else by its value. */
static bool is_meant(const struct product_setting *setting, const char *message, bool by_key)
{
	const char *option = strrchr(setting->name, ':');
	if (by_key)
		return (setting->kind == PRODUCT_OPTION || setting->kind == PRODUCT_MECHANISM_OPTION) &&
		       strstr(message, option ? option + 1 : setting->name);
	for (size_t i = 0; i < setting->words.count; i++) { /* a mechanism without its options */
		const char *word = setting->words.word[i];
		if (memmem(message, strlen(message), word, length_of_name(word)))
			return true;
	}
	return false;
}

struct diag_place product_place(const struct experiment *experiment, const struct experiment_column *column,
                                const char *message)
{
	for (int by_key = 1; column->chosen && by_key >= 0; by_key--)
		for (size_t a = 0; a < experiment->axes.count; a++) {
			const struct product_axis *axis = &experiment->axes.list[a];
			size_t chosen = column->chosen[a];
			const struct product_value *value = chosen == PRODUCT_NONE ? NULL : &axis->values[chosen];
			for (size_t i = 0; value && i < value->count; i++)
				if (is_meant(&value->settings[i], message, by_key))
					return value->settings[i].place;
		}
	return (struct diag_place){0};
}
