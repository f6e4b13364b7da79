/* Samples of a run (docs/how-to/over-time.md): its `samples`, a list of names and a list of values for each. Columns
 * with only zeros are omitted. If there are more rows than the page can draw, consecutive rows are merged. */
#include "cli/report/meanings.h"
#include "cli/report/report.h"

#include "base/arena.h"
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 4000 };

struct samples {
	char **name; /* names of columns, in the text of the file */
	size_t columns, rows, room;
	double *value;                      /* row by row */
	size_t kernel, text, cycle, cycles; /* indexes of columns */
};

static size_t column_of(const struct samples *samples, const char *name)
{
	size_t column = 0;
	while (column < samples->columns && strcmp(samples->name[column], name) != 0)
		column++;
	return column;
}

static void read_names(struct samples *samples, char *line)
{
	while (*line) {
		samples->name = base_realloc(samples->name, (samples->columns + 1) * sizeof *samples->name);
		samples->name[samples->columns++] = csv_field(&line);
	}
	samples->kernel = column_of(samples, "kernel");
	samples->text = column_of(samples, "name");
	samples->cycle = column_of(samples, "cycle");
	samples->cycles = column_of(samples, "cycles");
}

/* Reads a row. An incomplete row, left by an interrupted run, is skipped. */
static void read_row(struct samples *samples, char *line)
{
	if (samples->rows == samples->room) {
		samples->room = 2 * samples->room + 64;
		samples->value =
			base_realloc(samples->value, samples->room * samples->columns * sizeof *samples->value);
	}
	double *row = samples->value + samples->rows * samples->columns;
	size_t column = 0;
	for (; column < samples->columns && *line; column++) {
		const char *field = csv_field(&line);
		row[column] = column == samples->text ? 0 : strtod(field, NULL);
	}
	samples->rows += column == samples->columns;
}

/* --- merging rows --- */

/* How a column's values of consecutive rows are merged. */
enum merging { ADDED, MEAN, LAST };

static enum merging merging_of(const char *name)
{
	static const char *const means[] = {"ipc", "live_warps"}, *const lasts[] = {"kernel", "name", "cycle"};
	for (size_t i = 0; i < sizeof means / sizeof *means; i++)
		if (strcmp(name, means[i]) == 0)
			return MEAN;
	for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
		if (strcmp(name, lasts[i]) == 0)
			return LAST;
	return meanings_is_largest(name) ? LAST : ADDED;
}

static void merge_rows(const struct samples *samples, const enum merging *merging, double *to, const double *from)
{
	double before = to[samples->cycles], more = from[samples->cycles];
	for (size_t i = 0; i < samples->columns; i++)
		if (merging[i] == ADDED)
			to[i] += from[i];
		else if (merging[i] == LAST)
			to[i] = from[i];
		else if (before + more > 0)
			to[i] = (to[i] * before + from[i] * more) / (before + more);
}

/* Merges every `each` consecutive rows of a kernel. */
static void thin_out(struct samples *samples, size_t each)
{
	size_t columns = samples->columns, kept = 0, taken = 0;
	enum merging *merging = base_calloc(columns, sizeof *merging);
	for (size_t i = 0; i < columns; i++)
		merging[i] = merging_of(samples->name[i]);
	for (size_t i = 0; i < samples->rows; i++) {
		double *row = samples->value + i * columns, *last = samples->value + (kept ? kept - 1 : 0) * columns;
		if (taken && taken < each && row[samples->kernel] == last[samples->kernel]) {
			merge_rows(samples, merging, last, row);
			taken++;
		} else {
			memmove(samples->value + kept++ * columns, row, columns * sizeof *row);
			taken = 1;
		}
	}
	samples->rows = kept;
	free(merging);
}

/* --- JSON --- */

static json_t *number(double value)
{
	return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}

/* True for a column of one unit, "sm.warp_instructions[3]". They are kept together, zeros included. */
static bool is_of_unit(const char *name)
{
	return *name && name[strlen(name) - 1] == ']';
}

/* Returns NULL when all values are 0. */
static json_t *column_json(const struct samples *samples, size_t column)
{
	bool is_there = is_of_unit(samples->name[column]);
	json_t *list = json_array();
	for (size_t i = 0; i < samples->rows; i++) {
		double value = samples->value[i * samples->columns + column];
		json_array_append_new(list, number(value));
		is_there |= value != 0;
	}
	if (is_there)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *samples_json(const struct samples *samples, size_t merged)
{
	json_t *names = json_array(), *columns = json_array();
	for (size_t i = 0; i < samples->columns; i++) {
		json_t *list = i == samples->text ? NULL : column_json(samples, i);
		if (list) {
			json_array_append_new(names, json_string(samples->name[i]));
			json_array_append_new(columns, list);
		}
	}
	return json_pack("{s: o, s: o, s: I}", "names", names, "values", columns, "merged", (json_int_t)merged);
}

bool report_take_samples(struct collection *collection, const char *path, char *text)
{
	struct samples samples = {0};
	if (!report_has_run(collection, path, "samples"))
		return false;
	read_names(&samples, csv_line(&text));
	while (*text)
		read_row(&samples, csv_line(&text));
	size_t each = (samples.rows + MOST_ROWS - 1) / MOST_ROWS;
	if (each > 1)
		thin_out(&samples, each);
	json_object_set_new(collection->last, "samples", samples_json(&samples, each));
	free(samples.name);
	free(samples.value);
	return true;
}
