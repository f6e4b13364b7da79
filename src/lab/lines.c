#include "lab/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_of(const struct line *line, const struct experiment_column *column)
{
	return strcmp(line->name, column->line ? column->line : "") == 0 && experiment_alike(line->shown, column);
}

/* Returns the axis of the quantity among the lines so far; the next number if it is new. */
static size_t axis_of_line(const struct lines *lines, const struct experiment_column *shown)
{
	for (size_t i = 0; i < lines->count; i++)
		if (experiment_alike(lines->line[i].shown, shown))
			return lines->line[i].axis;
	return lines->axes;
}

static struct line *line_for(struct lines *lines, const struct experiment *experiment,
                             const struct experiment_column *column)
{
	for (size_t i = 0; i < lines->count; i++)
		if (is_of(&lines->line[i], column))
			return &lines->line[i];
	struct line *line = &lines->line[lines->count];
	*line = (struct line){.name = column->line ? column->line : "",
	                      .shown = column,
	                      .columns = base_calloc(experiment->column_count, sizeof *line->columns),
	                      .axis = axis_of_line(lines, column)};
	lines->axes += line->axis == lines->axes;
	lines->count++;
	return line;
}

static void insert(const struct experiment *experiment, struct line *line, size_t column)
{
	size_t place = line->count++;
	for (; place && experiment->columns[line->columns[place - 1]].at > experiment->columns[column].at; place--)
		line->columns[place] = line->columns[place - 1];
	line->columns[place] = column;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct lines lines_of(const struct experiment *experiment)
{
	struct lines lines = {.line = base_calloc(experiment->column_count, sizeof *lines.line),
	                      .at = base_calloc(experiment->column_count, sizeof *lines.at)};
	size_t count = 0;
	for (size_t c = 0; c < experiment->column_count; c++) {
		const struct experiment_column *column = &experiment->columns[c];
		if (isnan(column->at))
			continue;
		insert(experiment, line_for(&lines, experiment, column), c);
		lines.at[count++] = column->at;
	}
	qsort(lines.at, count, sizeof *lines.at, by_size);
	for (size_t i = 0; i < count; i++)
		if (!i || lines.at[i] != lines.at[i - 1])
			lines.at[lines.at_count++] = lines.at[i];
	return lines;
}

void lines_free(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->line[i].columns);
	free(lines->line);
	free(lines->at);
}

size_t lines_column(const struct experiment *experiment, const struct line *line, double at)
{
	for (size_t i = 0; i < line->count; i++)
		if (experiment->columns[line->columns[i]].at == at)
			return line->columns[i];
	return SIZE_MAX;
}

static bool is_power_of_two(double value)
{
	int exponent;
	return value > 0 && frexp(value, &exponent) == 0.5;
}

bool lines_are_logarithmic(const struct lines *lines)
{
	const double *at = lines->at;
	bool powers = lines->at_count >= 3, geometric = powers && at[0] > 0;
	for (size_t i = 0; i < lines->at_count; i++)
		powers = powers && is_power_of_two(at[i]);
	for (size_t i = 2; geometric && i < lines->at_count; i++)
		geometric = fabs(at[i] / at[i - 1] - at[1] / at[0]) <= 1e-9 * at[1] / at[0];
	return powers || geometric;
}
