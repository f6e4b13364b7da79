/* A figure over numbers as a picture: lines with a left axis, and a right one if two quantities are shown. */
#include "lab/gnuplot.h"
#include "lab/lines.h"
#include "lab/shown.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double side_margin = 0.58, narrow_margin = 0.12, plot_height = 1.6, foot = 0.38, gap = 0.09;

enum { NAME = 160, AXES = 2 };

/* A drawn line, for one thing: a row, or the mean. */
struct series {
	const struct line *line;
	size_t thing;
	char name[NAME];
};

struct chart {
	const struct figure *figure;
	FILE *file;
	struct lines lines;
	struct series *series;
	size_t count;
	struct axis axis[AXES];
	bool marks; /* the paper gives values */
	double height;
};

/* --- contents --- */

static void name_series(const struct chart *chart, struct series *series, bool rows)
{
	const char *row = rows ? shown_name(chart->figure, series->thing) : "", *line = series->line->name;
	const char *side = chart->lines.axes == AXES ? series->line->axis ? " (right)" : " (left)" : "";
	if (!*row && !*line)
		row = shown_name(chart->figure, series->thing);
	snprintf(series->name, NAME, "%s%s%s%s", row, *row && *line ? ", " : "", line, side);
}

/* If there is a mean, only its lines are drawn. */
static void find_series(struct chart *chart)
{
	size_t things = shown_things(chart->figure), first = chart->figure->experiment->mean == MEAN_NONE ? 0 : things;
	size_t end = first ? things + 1 : things;
	chart->series = base_calloc(chart->lines.count * (end - first) + 1, sizeof *chart->series);
	for (size_t thing = first; thing < end; thing++)
		for (size_t i = 0; i < chart->lines.count; i++) {
			struct series *series = &chart->series[chart->count++];
			*series = (struct series){.line = &chart->lines.line[i], .thing = thing};
			name_series(chart, series, end - first > 1);
		}
}

static void set_axis(struct chart *chart, size_t axis)
{
	size_t count = 0;
	double *values = base_calloc(2 * chart->count * chart->lines.at_count + 1, sizeof *values);
	for (size_t s = 0; s < chart->count; s++) {
		const struct series *series = &chart->series[s];
		for (size_t i = 0; series->line->axis == axis && i < series->line->count; i++) {
			double paper = shown_published(chart->figure, series->thing, series->line->columns[i]);
			values[count++] = shown_ours(chart->figure, series->thing, series->line->columns[i]);
			values[count++] = paper;
			chart->marks |= isfinite(paper);
		}
	}
	chart->axis[axis] = axis_of_all(values, count);
	free(values);
}

/* --- gnuplot's script --- */

/* Writes a line per number: for each series, our value and the paper's. */
static void script_data(const struct chart *chart)
{
	const struct experiment *experiment = chart->figure->experiment;
	fputs("$points << END\n", chart->file);
	for (size_t a = 0; a < chart->lines.at_count; a++) {
		fprintf(chart->file, "%.10g", chart->lines.at[a]);
		for (size_t s = 0; s < chart->count; s++) {
			const struct series *series = &chart->series[s];
			size_t column = lines_column(experiment, series->line, chart->lines.at[a]);
			bool there = column != SIZE_MAX;
			gnuplot_number(there ? shown_ours(chart->figure, series->thing, column) : NAN, chart->file);
			gnuplot_number(there ? shown_published(chart->figure, series->thing, column) : NAN,
			               chart->file);
		}
		fputc('\n', chart->file);
	}
	fputs("END\n", chart->file);
}

/* Whether the numbers form a geometric sequence: sizes that double are drawn at equal distances. */
static bool is_geometric(const struct lines *lines)
{
	const double *at = lines->at;
	if (lines->at_count < 3 || at[0] <= 0)
		return false;
	for (size_t i = 2; i < lines->at_count; i++)
		if (fabs(at[i] / at[i - 1] - at[1] / at[0]) > 1e-9 * at[1] / at[0])
			return false;
	return true;
}

/* Writes all numbers, or every second, third ... if they would not fit. */
static void script_numbers(const struct chart *chart)
{
	const struct lines *lines = &chart->lines;
	FILE *file = chart->file;
	double low = lines->at[0], high = lines->at[lines->at_count - 1];
	bool geometric = is_geometric(lines);
	double room = geometric ? pow(high / low, 0.04) : high > low ? 0.04 * (high - low) : 0.5;
	size_t longest = 1;
	for (size_t i = 0; i < lines->at_count; i++) {
		char text[32];
		size_t length = (size_t)snprintf(text, sizeof text, "%g", lines->at[i]);
		longest = length > longest ? length : longest;
	}
	size_t most = (size_t)((column_width - 2 * side_margin) / ((double)(longest + 1) * letter_width));
	size_t every = most ? (lines->at_count + most - 1) / most : lines->at_count;
	fputs(geometric ? "set logscale x\n" : "unset logscale x\n", file);
	fprintf(file, "set xrange [%.10g:%.10g]\nset xtics nomirror (", geometric ? low / room : low - room,
	        geometric ? high * room : high + room);
	for (size_t i = 0; i < lines->at_count; i += every)
		fprintf(file, "%s\"%g\" %.10g", i ? ", " : "", lines->at[i], lines->at[i]);
	fputs(")\nset xlabel ", file);
	gnuplot_quote(chart->figure->experiment->over_name, file);
	fputs(" offset 0,0.5\n", file);
}

static void script_axis(const struct chart *chart, size_t axis)
{
	static const char *const names[AXES] = {"y", "y2"};
	gnuplot_marks(&chart->axis[axis], names[axis], chart->file);
	for (size_t i = 0; i < chart->lines.count; i++)
		if (chart->lines.line[i].axis == axis) {
			shown_axis_label(chart->lines.line[i].shown, names[axis], plot_height, chart->file);
			return;
		}
}

static double right_margin(const struct chart *chart)
{
	return chart->lines.axes == AXES ? side_margin : narrow_margin;
}

/* gnuplot breaks a legend's lines at the end of the plot. */
static size_t legend_columns(const struct chart *chart)
{
	double width = column_width - side_margin - right_margin(chart);
	size_t longest = 5;
	for (size_t s = 0; s < chart->count; s++)
		longest = strlen(chart->series[s].name) > longest ? strlen(chart->series[s].name) : longest;
	size_t columns = (size_t)(width / ((double)(longest + 6) * letter_width));
	return columns ? columns : 1;
}

static double legend_height(const struct chart *chart)
{
	size_t entries = chart->count + chart->marks, columns = legend_columns(chart);
	return (double)((entries + columns - 1) / columns) * line_height + 2 * gap;
}

static void script_plot(const struct chart *chart)
{
	const char *before = "plot ";
	for (size_t s = 0; s < chart->count; s++, before = ", \\\n     ") {
		const struct series *series = &chart->series[s];
		fprintf(chart->file, "%s$points using 1:%zu axes x1y%zu with linespoints ", before, 2 * s + 2,
		        series->line->axis + 1);
		gnuplot_line(s, chart->file);
		fputs(" title ", chart->file);
		gnuplot_quote(series->name, chart->file);
	}
	for (size_t s = 0; s < chart->count && chart->marks; s++)
		fprintf(chart->file,
		        ", \\\n     $points using 1:%zu axes x1y%zu with points pointtype 12 pointsize 0.8 linecolor "
		        "rgb "
		        "'black' %s",
		        2 * s + 3, chart->series[s].line->axis + 1, s ? "notitle" : "title \"paper\"");
	fputc('\n', chart->file);
}

static void script_output(const struct chart *chart, const char *path, const char *kind)
{
	double legend = legend_height(chart);
	FILE *file = chart->file;
	gnuplot_open(column_width, chart->height, path, kind, file);
	fprintf(file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", side_margin / column_width,
	        1 - right_margin(chart) / column_width);
	fprintf(file, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - legend / chart->height,
	        foot / chart->height);
	fprintf(file,
	        "set key at screen 0.5, screen %.5f center top horizontal maxcols %zu Left reverse samplen 2 "
	        "spacing 0.9\n",
	        1 - gap / 2 / chart->height, legend_columns(chart));
	script_numbers(chart);
	for (size_t axis = 0; axis < chart->lines.axes; axis++)
		script_axis(chart, axis);
	script_plot(chart);
	gnuplot_close(file);
}

void lines_script(const struct figure *figure, const char *path, FILE *file)
{
	struct chart chart = {.figure = figure, .file = file, .lines = lines_of(figure->experiment)};
	find_series(&chart);
	for (size_t axis = 0; axis < chart.lines.axes; axis++)
		set_axis(&chart, axis);
	chart.height = legend_height(&chart) + plot_height + foot;
	fprintf(file, "# %s\n# Behind a number: ours and the paper's, for each line.\n", figure->experiment->title);
	script_data(&chart);
	fprintf(file, "set grid ytics linecolor rgb '#cccccc' linetype 1\nset border %d\n",
	        chart.lines.axes == AXES ? 11 : 3);
	script_output(&chart, path, "svg");
	script_output(&chart, path, "pdf");
	free(chart.series);
	lines_free(&chart.lines);
}
