/* A figure over numbers as a picture: a panel for the mean and one for each row, with a left axis, and a right one if
 * two quantities are shown. */
#include "lab/gnuplot.h"
#include "lab/lines.h"
#include "lab/figure_values.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double side_margin = 0.64, tick_margin = 0.42, narrow_margin = 0.12, plot_height = 1.6, small_height = 1.0,
		    foot = 0.38, heading = 0.15, gap = 0.09;

/* At most this many panels in a row. */
enum { BESIDE = 5, NAME = 160, AXES = 2 };

/* A drawn line, for one thing: a row, or the mean. */
struct series {
	const struct line *line;
	size_t thing;
	char name[NAME];
};

/* The lines of one thing; or of all things, if each has a single line. */
struct panel {
	const char *name;  /* NULL: the picture has one panel, which needs no heading */
	size_t first, end; /* of the series */
	struct axis axis[AXES];
};

struct chart {
	const struct figure *figure;
	FILE *file;
	struct lines lines;
	struct series *series;
	size_t count;
	struct panel *panels;
	size_t panel_count, beside;
	bool percent[AXES]; /* ratios near 1 are drawn as percent over the base */
	bool marks;         /* the paper gives values */
	bool hides_bases;   /* some line is no base */
	double width, height, plot_width, plot_height;
};

/* --- contents --- */

static bool is_split(const struct chart *chart)
{
	return chart->panel_count > 1;
}

/* Rows that share a panel have one line, so the row's name is enough. */
static void name_series(const struct chart *chart, struct series *series, bool rows)
{
	const char *row = rows ? figure_name(chart->figure, series->thing) : "", *line = series->line->name;
	const char *side = chart->lines.axes == AXES ? series->line->axis ? " (right)" : " (left)" : "";
	snprintf(series->name, NAME, "%s%s", *row ? row : *line ? line : "ours", side);
}

/* Whether all points of the line are bases. Such a line is not drawn. */
static bool is_base(const struct experiment *experiment, const struct line *line)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->shown->show == SHOW_VALUE ||
		    experiment->columns[line->columns[i]].relative_to != line->columns[i])
			return false;
	return true;
}

static void add_thing(struct chart *chart, size_t thing, bool rows)
{
	for (size_t i = 0; i < chart->lines.count; i++) {
		if (chart->hides_bases && is_base(chart->figure->experiment, &chart->lines.line[i]))
			continue;
		struct series *series = &chart->series[chart->count++];
		*series = (struct series){.line = &chart->lines.line[i], .thing = thing};
		name_series(chart, series, rows);
	}
}

static void add_panel(struct chart *chart, size_t thing)
{
	size_t first = chart->count;
	add_thing(chart, thing, false);
	chart->panels[chart->panel_count++] =
		(struct panel){.name = figure_name(chart->figure, thing), .first = first, .end = chart->count};
}

/* The mean first, then each row. A single row is its own mean; without a mean, rows of one line share a panel. */
static void find_panels(struct chart *chart)
{
	size_t things = figure_things(chart->figure);
	bool mean = chart->figure->experiment->mean != MEAN_NONE;
	for (size_t i = 0; i < chart->lines.count; i++)
		chart->hides_bases |= !is_base(chart->figure->experiment, &chart->lines.line[i]);
	chart->series = base_calloc(chart->lines.count * (things + 1), sizeof *chart->series);
	chart->panels = base_calloc(things + 1, sizeof *chart->panels);
	if (things > 1 && (mean || chart->lines.count > 1)) {
		if (mean)
			add_panel(chart, things);
		for (size_t thing = 0; thing < things; thing++)
			add_panel(chart, thing);
		return;
	}
	for (size_t thing = 0; thing < things; thing++)
		add_thing(chart, thing, things > 1);
	chart->panels[chart->panel_count++] = (struct panel){.end = chart->count};
}

/* A value of a line as its axis draws it. */
static double drawn(const struct chart *chart, const struct series *series, double value)
{
	return chart->percent[series->line->axis] ? figure_percent(value) : value;
}

static double ours_of(const struct chart *chart, const struct series *series, size_t column)
{
	return drawn(chart, series, figure_ours(chart->figure, series->thing, column));
}

static double paper_of(const struct chart *chart, const struct series *series, size_t column)
{
	return drawn(chart, series, figure_published(chart->figure, series->thing, column));
}

/* The axis of the series from `first` to `end`. */
static struct axis axis_between(struct chart *chart, size_t axis, size_t first, size_t end)
{
	size_t count = 0;
	double *values = base_calloc(2 * (end - first) * chart->lines.at_count + 1, sizeof *values);
	for (size_t s = first; s < end; s++) {
		const struct series *series = &chart->series[s];
		for (size_t i = 0; series->line->axis == axis && i < series->line->count; i++) {
			double paper = paper_of(chart, series, series->line->columns[i]);
			values[count++] = ours_of(chart, series, series->line->columns[i]);
			values[count++] = paper;
			chart->marks |= isfinite(paper);
		}
	}
	struct axis found = axis_of_all(values, count);
	free(values);
	return found;
}

static const struct experiment_column *shown_on(const struct chart *chart, size_t axis)
{
	for (size_t i = 0; i < chart->lines.count; i++)
		if (chart->lines.line[i].axis == axis)
			return chart->lines.line[i].shown;
	return NULL;
}

/* Panels of ratios and percentages have one range, so that heights can be compared. Panels of values have one range
 * each. */
static void set_axis(struct chart *chart, size_t axis)
{
	const struct experiment_column *shown = shown_on(chart, axis);
	chart->percent[axis] = figure_in_percent(chart->figure, (size_t)(shown - chart->figure->experiment->columns));
	struct axis all = axis_between(chart, axis, 0, chart->count);
	for (size_t p = 0; p < chart->panel_count; p++) {
		struct panel *panel = &chart->panels[p];
		panel->axis[axis] =
			shown->show == SHOW_VALUE ? axis_between(chart, axis, panel->first, panel->end) : all;
	}
}

/* --- layout --- */

static double right_margin(const struct chart *chart)
{
	return chart->lines.axes == AXES ? side_margin : narrow_margin;
}

/* Entries of the legend: the lines of one panel. A single line without a name needs one only if the paper has marks. */
static size_t legend_entries(const struct chart *chart)
{
	size_t count = chart->panels[0].end - chart->panels[0].first;
	return count == 1 && !*chart->series[0].line->name && !chart->marks ? 0 : count;
}

static size_t legend_columns(const struct chart *chart)
{
	size_t longest = 5, entries = legend_entries(chart);
	for (size_t s = 0; s < entries; s++)
		longest = strlen(chart->series[s].name) > longest ? strlen(chart->series[s].name) : longest;
	size_t columns = (size_t)(chart->width / ((double)(longest + 7) * letter_width));
	return columns ? columns : 1;
}

static double legend_height(const struct chart *chart)
{
	size_t entries = legend_entries(chart) + chart->marks, columns = legend_columns(chart);
	return (double)((entries + columns - 1) / columns) * line_height + 2 * gap;
}

static size_t panel_rows(const struct chart *chart)
{
	return (chart->panel_count + chart->beside - 1) / chart->beside;
}

/* The height of a panel with its heading and the numbers below it. */
static double panel_height(const struct chart *chart)
{
	return (is_split(chart) ? heading : 0) + chart->plot_height + foot;
}

/* Rows with the same number of panels, except a shorter last one. */
static void set_size(struct chart *chart)
{
	size_t rows = (chart->panel_count + BESIDE - 1) / BESIDE;
	chart->beside = (chart->panel_count + rows - 1) / rows;
	chart->width = chart->beside > 1 ? page_width : column_width;
	chart->plot_height = is_split(chart) ? small_height : plot_height;
	double between = chart->lines.axes == AXES ? 2 * tick_margin : tick_margin;
	double plots = chart->width - side_margin - right_margin(chart) - between * (double)(chart->beside - 1);
	chart->plot_width = plots / (double)chart->beside;
	chart->height = legend_height(chart) + (double)panel_rows(chart) * panel_height(chart);
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
			gnuplot_number(there ? ours_of(chart, series, column) : NAN, chart->file);
			gnuplot_number(there ? paper_of(chart, series, column) : NAN, chart->file);
		}
		fputc('\n', chart->file);
	}
	fputs("END\n", chart->file);
}

/* Writes the numbers, or only some of them if the labels of neighbors would overlap; each number has a tick. */
static void script_numbers(const struct chart *chart, bool label)
{
	const struct lines *lines = &chart->lines;
	FILE *file = chart->file;
	double low = lines->at[0], high = lines->at[lines->at_count - 1], reached = -1;
	bool logarithmic = lines_are_logarithmic(lines);
	double room = logarithmic ? pow(high / low, 0.04) : high > low ? 0.04 * (high - low) : 0.5;
	double left = logarithmic ? low / room : low - room, right = logarithmic ? high * room : high + room;
	fputs(logarithmic ? "set logscale x 2\n" : "unset logscale x\n", file);
	fprintf(file, "set xrange [%.10g:%.10g]\nset xtics nomirror (", left, right);
	for (size_t i = 0; i < lines->at_count; i++) {
		char text[32];
		double at = lines->at[i], half = (double)snprintf(text, sizeof text, "%g", at) * letter_width / 2;
		double share = logarithmic ? log(at / left) / log(right / left) : (at - left) / (right - left);
		bool fits = share * chart->plot_width - half > reached;
		fprintf(file, "%s\"%s\" %.10g", i ? ", " : "", fits ? text : "", at);
		if (fits)
			reached = share * chart->plot_width + half + letter_width;
	}
	fputs(")\nset xlabel ", file);
	gnuplot_quote(label ? chart->figure->experiment->over_name : "", file);
	fputs(" offset 0,0.5\n", file);
}

/* In a row of panels, the left one has the label of the left axis, the right one that of the right axis. */
static void script_axis(const struct chart *chart, size_t number, size_t axis)
{
	static const char *const names[AXES] = {"y", "y2"};
	bool last = number % chart->beside == chart->beside - 1 || number + 1 == chart->panel_count;
	char label[256];
	gnuplot_marks(&chart->panels[number].axis[axis], names[axis], chart->file);
	figure_what(shown_on(chart, axis), chart->percent[axis], label, sizeof label);
	figure_axis_label((axis ? last : number % chart->beside == 0) ? label : "", names[axis], chart->plot_height,
	                  chart->file);
}

/* The paper's values: open marks on the lines. */
#define PAPER_MARKS "with points pointtype 12 pointsize 0.8 linecolor rgb 'black'"

/* Writes the legend as an empty plot across the picture: gnuplot breaks a legend at the end of its plot, and a panel is
 * too narrow. */
static void script_legend(const struct chart *chart)
{
	const char *before = "plot ";
	FILE *file = chart->file;
	fputs("set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen 1\nset bmargin at screen 0\n"
	      "unset border\nunset xtics\nunset ytics\nunset y2tics\nunset xlabel\nunset ylabel\nunset y2label\n"
	      "unset logscale x\nunset label 1\nset xrange [0:1]\nset yrange [0:1]\n",
	      file);
	fprintf(file,
	        "set key at screen 0.5, screen %.5f center top horizontal maxcols %zu Left reverse samplen 2 "
	        "spacing 0.9\n",
	        1 - gap / 2 / chart->height, legend_columns(chart));
	for (size_t s = 0; s < legend_entries(chart); s++, before = ", \\\n     ") {
		fprintf(file, "%sNaN with linespoints ", before);
		gnuplot_line(s, file);
		fputs(" title ", file);
		gnuplot_quote(chart->series[s].name, file);
	}
	if (chart->marks)
		fputs(", \\\n     NaN " PAPER_MARKS " title \"paper\"", file);
	fprintf(file, "\nunset key\nset border %d\n", chart->lines.axes == AXES ? 11 : 3);
}

/* The lines of a panel and the paper's values, over a line at the base's value. */
static void script_lines(const struct chart *chart, const struct panel *panel)
{
	bool ratio = shown_on(chart, 0)->show == SHOW_RATIO && !chart->percent[0];
	fprintf(chart->file, "plot %s with lines linecolor rgb 'black' linewidth 0.7 %snotitle", ratio ? "1" : "0",
	        ratio ? "dashtype 2 " : "");
	for (size_t s = panel->first; s < panel->end; s++) {
		fprintf(chart->file, ", \\\n     $points using 1:%zu axes x1y%zu with linespoints ", 2 * s + 2,
		        chart->series[s].line->axis + 1);
		gnuplot_line(s - panel->first, chart->file);
		fputs(" notitle", chart->file);
	}
	for (size_t s = panel->first; s < panel->end && chart->marks; s++)
		fprintf(chart->file, ", \\\n     $points using 1:%zu axes x1y%zu " PAPER_MARKS " notitle", 2 * s + 3,
		        chart->series[s].line->axis + 1);
	fputc('\n', chart->file);
}

static void script_panel(const struct chart *chart, size_t number)
{
	const struct panel *panel = &chart->panels[number];
	size_t row = number / chart->beside, column = number % chart->beside;
	double between = chart->lines.axes == AXES ? 2 * tick_margin : tick_margin;
	double left = side_margin + (double)column * (chart->plot_width + between);
	double bottom = chart->height - legend_height(chart) - (double)(row + 1) * panel_height(chart) + foot;
	fprintf(chart->file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / chart->width,
	        (left + chart->plot_width) / chart->width);
	fprintf(chart->file, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
	        (bottom + chart->plot_height) / chart->height, bottom / chart->height);
	if (panel->name) {
		fputs("set label 1 ", chart->file);
		gnuplot_quote(panel->name, chart->file);
		fputs(" at graph 0.5,graph 1 center offset 0,0.6\n", chart->file);
	}
	script_numbers(chart, number + chart->beside >= chart->panel_count);
	for (size_t axis = 0; axis < chart->lines.axes; axis++)
		script_axis(chart, number, axis);
	script_lines(chart, panel);
}

static void script_output(const struct chart *chart, const char *path, const char *kind)
{
	gnuplot_open(chart->width, chart->height, path, kind, chart->file);
	script_legend(chart);
	for (size_t p = 0; p < chart->panel_count; p++)
		script_panel(chart, p);
	gnuplot_close(chart->file);
}

void lines_script(const struct figure *figure, const char *path, FILE *file)
{
	struct chart chart = {.figure = figure, .file = file, .lines = lines_of(figure->experiment)};
	find_panels(&chart);
	for (size_t axis = 0; axis < chart.lines.axes; axis++)
		set_axis(&chart, axis);
	set_size(&chart);
	fprintf(file, "# %s\n# After each number: ours and the paper's, for each line.\n", figure->experiment->title);
	script_data(&chart);
	fputs("set grid ytics linecolor rgb '#cccccc' linetype 1\n", file);
	script_output(&chart, path, "svg");
	script_output(&chart, path, "pdf");
	free(chart.series);
	free(chart.panels);
	lines_free(&chart.lines);
}
