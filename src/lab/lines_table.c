/* A figure over numbers as tables. */
#include "lab/lines.h"
#include "lab/report.h"
#include "lab/figure_values.h"

#include <math.h>
#include <string.h>

enum { NUMBER = 10 };

static bool has_published(const struct figure *figure, const struct line *line, size_t thing)
{
	for (size_t i = 0; i < line->count; i++)
		if (isfinite(figure_published(figure, thing, line->columns[i])))
			return true;
	return false;
}

static const char *heading(const struct line *line)
{
	return *line->name ? line->name : line->shown->unit ? line->shown->unit : "ours";
}

static int width_of(const struct line *line)
{
	size_t length = strlen(heading(line)) + 2;
	return length > NUMBER + 1 ? (int)length : NUMBER + 1;
}

/* The digits of a line's numbers and the paper's. */
static int digits_of(const struct figure *figure, size_t thing, const struct line *line)
{
	double largest = 0;
	for (size_t i = 0; i < line->count; i++) {
		largest = report_larger(largest, figure_ours(figure, thing, line->columns[i]));
		largest = report_larger(largest, figure_published(figure, thing, line->columns[i]));
	}
	return report_digits(largest);
}

static void print_number(const struct figure *figure, size_t thing, const struct line *line, double at, FILE *file)
{
	size_t column = lines_column(figure->experiment, line, at);
	int digits = digits_of(figure, thing, line);
	char text[40];
	report_number(column == SIZE_MAX ? NAN : figure_ours(figure, thing, column), digits, text);
	fprintf(file, "%*s", width_of(line), text);
	if (!has_published(figure, line, thing))
		return;
	report_published(column == SIZE_MAX ? NAN : figure_published(figure, thing, column),
	                 column == SIZE_MAX ? 0 : figure_bound(figure, thing, column), digits, text);
	fprintf(file, " %*s", NUMBER, text);
}

/* The width of the first column: the option's name or its longest value. */
static int width_of_values(const struct lines *lines, const char *over)
{
	int width = (int)strlen(over);
	for (size_t a = 0; a < lines->at_count; a++) {
		int length = snprintf(NULL, 0, "%g", lines->at[a]);
		width = length > width ? length : width;
	}
	return width;
}

static void print_thing(const struct figure *figure, const struct lines *lines, size_t thing, FILE *file)
{
	const char *over = figure->experiment->over_name;
	int width = width_of_values(lines, over);
	fprintf(file, "\n%s\n%-*s",
	        thing == figure_things(figure) ? report_mean_name(figure->experiment->mean)
	                                       : figure_name(figure, thing),
	        width, over);
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(file, "%*s", width_of(&lines->line[i]), heading(&lines->line[i]));
		if (has_published(figure, &lines->line[i], thing))
			fprintf(file, " %*s", NUMBER, "paper");
	}
	fputc('\n', file);
	for (size_t a = 0; a < lines->at_count; a++) {
		fprintf(file, "%*g", width, lines->at[a]);
		for (size_t i = 0; i < lines->count; i++)
			print_number(figure, thing, &lines->line[i], lines->at[a], file);
		fputc('\n', file);
	}
}

void lines_table(const struct figure *figure, FILE *file)
{
	struct lines lines = lines_of(figure->experiment);
	size_t things = figure_things(figure) + (figure->experiment->mean != MEAN_NONE);
	for (size_t thing = 0; thing < things; thing++)
		print_thing(figure, &lines, thing, file);
	lines_free(&lines);
}
