/* A timeline as a Gantt chart, drawn by gnuplot: one panel per run, one lane per track, one bar per event, and a
 * common axis of cycles. */
#include "lab/gnuplot.h"
#include "lab/gantt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double usual_lane = 0.16, most_of_lanes = 7, right_margin = 0.12, gap = 0.09;
/* Fraction of a lane's height that its bars take. */
static const double bar_share = 0.76;
/* Inches: below the first width, a bar would be all outline; below the second, it could not be seen. */
static const double least_outlined = 0.02, least_seen = 0.003;
enum { NARROW_BARS = 30 };

struct chart {
	const struct gantt *gantt;
	FILE *file;
	double width, height, left_margin, lane, legend;
	size_t legend_columns;
	struct axis axis;
};

/* --- layout --- */

static bool is_seen(const struct gantt *gantt, size_t series)
{
	for (size_t p = 0; p < gantt->panel_count; p++)
		for (size_t i = 0; i < gantt->panels[p].bar_count; i++)
			if (gantt->panels[p].bars[i].series == series)
				return true;
	return false;
}

/* Returns the largest number of bars in a lane. */
static size_t most_bars(const struct gantt_panel *panel)
{
	size_t *bars = base_calloc(panel->lane_count + 1, sizeof *bars), most = 0;
	for (size_t i = 0; i < panel->bar_count; i++) {
		size_t count = ++bars[panel->bars[i].lane];
		most = count > most ? count : most;
	}
	free(bars);
	return most;
}

static double letters(size_t count)
{
	return (double)count * letter_width;
}

/* The picture is one column of the page wide, or two if there are many bars. Lanes are lower if there are many. */
static void set_size(struct chart *chart)
{
	const struct gantt *gantt = chart->gantt;
	size_t longest = 2, lanes = 0, bars = 0, name = 4, entries = 0;
	for (size_t p = 0; p < gantt->panel_count; p++) {
		const struct gantt_panel *panel = &gantt->panels[p];
		for (size_t i = 0; i < panel->lane_count; i++)
			longest = strlen(panel->lanes[i].name) > longest ? strlen(panel->lanes[i].name) : longest;
		bars = most_bars(panel) > bars ? most_bars(panel) : bars;
		lanes += panel->lane_count;
	}
	for (size_t s = 0; s < gantt->series_count; s++) {
		name = strlen(gantt->series[s]) > name ? strlen(gantt->series[s]) : name;
		entries += is_seen(gantt, s);
	}
	chart->width = bars > NARROW_BARS ? page_width : column_width;
	chart->left_margin = letters(longest + 2) + gap;
	chart->lane = (double)lanes * usual_lane > most_of_lanes ? most_of_lanes / (double)lanes : usual_lane;
	chart->legend_columns = (size_t)((chart->width - chart->left_margin) / letters(name + 6));
	chart->legend_columns += !chart->legend_columns;
	chart->legend = (double)((entries + chart->legend_columns - 1) / chart->legend_columns) * line_height + gap;
	chart->height = chart->legend + (double)lanes * chart->lane + 2 * line_height + 2 * gap +
	                (double)gantt->panel_count * (line_height + gap);
}

/* --- gnuplot's script --- */

/* Writes a block of data per series: begin, end, lane. */
static void script_data(const struct chart *chart, size_t number)
{
	const struct gantt *gantt = chart->gantt;
	const struct gantt_panel *panel = &gantt->panels[number];
	for (size_t s = 0; s < gantt->series_count; s++) {
		fprintf(chart->file, "$panel%zu_%zu << END\n", number + 1, s + 1);
		for (size_t i = 0; i < panel->bar_count; i++) {
			const struct gantt_bar *bar = &panel->bars[i];
			if (bar->series == s)
				fprintf(chart->file, "%" PRIu64 " %" PRIu64 " %zu\n", bar->begin,
				        bar->begin + gantt_shown(gantt, bar), bar->lane);
		}
		fputs("END\n", chart->file);
	}
}

/* Writes the names of lanes, leaving some out if there is not enough space. */
static void script_lanes(const struct chart *chart, const struct gantt_panel *panel)
{
	size_t every = (size_t)(0.8 * line_height / chart->lane) + 1;
	fprintf(chart->file, "set yrange [%zu:0]\nset ytics nomirror scale 0 (", panel->lane_count);
	for (size_t i = 0; i < panel->lane_count; i += every) {
		fputs(i ? ", " : "", chart->file);
		gnuplot_quote(panel->lanes[i].name, chart->file);
		fprintf(chart->file, " %.1f", (double)i + 0.5);
	}
	fputs(")\n", chart->file);
}

/* Draws lines between the lanes of different slots, if slots have several lanes. */
static void script_lines(const struct chart *chart, const struct gantt_panel *panel)
{
	bool several = false;
	fputs("unset arrow\n", chart->file);
	for (size_t i = 1; i < panel->lane_count; i++)
		several |= panel->lanes[i].slot == panel->lanes[i - 1].slot;
	for (size_t i = 1; several && i < panel->lane_count; i++)
		if (panel->lanes[i].slot != panel->lanes[i - 1].slot)
			fprintf(chart->file,
			        "set arrow from graph 0,first %zu to graph 1,first %zu nohead back "
			        "linecolor rgb '#999999' linewidth 0.7\n",
			        i, i);
}

/* Draws the bars of a series: those with an outline, or those too narrow for one. */
static void script_bars(const struct chart *chart, size_t number, size_t series, bool outlined)
{
	double inches = chart->width - chart->left_margin - right_margin;
	double an_inch = chart->axis.high / inches;
	fprintf(chart->file,
	        ", \\\n     $panel%zu_%zu using ($2-$1 %s %.6g ? $1 : NaN):($3+0.5):1:($2-$1 < %.6g ? $1+%.6g : $2):"
	        "($3+%.3g):($3+%.3g) with boxxyerror ",
	        number + 1, series + 1, outlined ? ">=" : "<", least_outlined * an_inch, least_seen * an_inch,
	        least_seen * an_inch, (1 - bar_share) / 2, (1 + bar_share) / 2);
	gnuplot_fill(series, outlined, chart->file);
	fputs("notitle", chart->file);
}

static void script_legend(const struct chart *chart)
{
	for (size_t s = 0; s < chart->gantt->series_count; s++) {
		if (!is_seen(chart->gantt, s))
			continue;
		fputs(", \\\n     NaN with boxes ", chart->file);
		gnuplot_fill(s, true, chart->file);
		fputs("title ", chart->file);
		gnuplot_quote(chart->gantt->series[s], chart->file);
	}
}

static void script_plot(const struct chart *chart, size_t number)
{
	const struct gantt_panel *panel = &chart->gantt->panels[number];
	fputs("plot NaN notitle", chart->file);
	for (size_t s = 0; s < chart->gantt->series_count; s++) {
		bool any = false;
		for (size_t i = 0; i < panel->bar_count; i++)
			any |= panel->bars[i].series == s;
		if (!any)
			continue;
		script_bars(chart, number, s, false);
		script_bars(chart, number, s, true);
	}
	if (!number)
		script_legend(chart);
	fputc('\n', chart->file);
}

/* "(a) plain" */
static void script_title(const struct chart *chart, size_t number)
{
	char text[300];
	const char *title = chart->gantt->panels[number].title;
	if (chart->gantt->panel_count > 1 && number < 26)
		snprintf(text, sizeof text, "(%c) %s", (char)('a' + number), title);
	else
		snprintf(text, sizeof text, "%s", title);
	fputs("unset label\nset label ", chart->file);
	gnuplot_quote(text, chart->file);
	fputs(" at graph 0,graph 1 left offset 0,0.6\n", chart->file);
}

/* Draws a panel and returns the top of the next one. */
static double script_panel(const struct chart *chart, size_t number, double top)
{
	const struct gantt_panel *panel = &chart->gantt->panels[number];
	bool last = number + 1 == chart->gantt->panel_count;
	double begin = top + line_height + gap, end = begin + (double)panel->lane_count * chart->lane;
	fprintf(chart->file, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - begin / chart->height,
	        1 - end / chart->height);
	gnuplot_marks(&chart->axis, "x", chart->file);
	if (last)
		fputs("set format x\nset xlabel \"core cycles\" offset 0,0.4\n", chart->file);
	else
		fprintf(chart->file, "set xtics %.10g\nset format x \"\"\n", chart->axis.step);
	script_lanes(chart, panel);
	script_lines(chart, panel);
	script_title(chart, number);
	script_plot(chart, number);
	fputs("unset key\n", chart->file);
	return end;
}

static void script_output(const struct chart *chart, const char *path, const char *kind)
{
	double top = chart->legend;
	gnuplot_open(chart->width, chart->height, path, kind, chart->file);
	fprintf(chart->file,
	        "unset xlabel\nset key at graph 0.5, screen %.5f center top horizontal maxcols %zu Left reverse "
	        "samplen 1.2 "
	        "spacing 0.9\n",
	        1 - gap / 2 / chart->height, chart->legend_columns);
	for (size_t p = 0; p < chart->gantt->panel_count; p++)
		top = script_panel(chart, p, top);
	gnuplot_close(chart->file);
}

void gantt_script(const struct gantt *gantt, const char *path, FILE *file)
{
	struct chart chart = {.gantt = gantt, .file = file};
	double end = (double)(gantt->end ? gantt->end : 1);
	set_size(&chart);
	chart.axis = axis_of(&end, 1);
	chart.axis.high = end;
	fprintf(file, "# %s\n# Of each panel and kind of event: begin, end, lane.\n", gantt->plan->experiment->title);
	for (size_t p = 0; p < gantt->panel_count; p++)
		script_data(&chart, p);
	fputs("set border 3\nset tics out scale 0.5\nset grid xtics linecolor rgb '#cccccc' linetype 1\n", file);
	fprintf(file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", chart.left_margin / chart.width,
	        1 - right_margin / chart.width);
	script_output(&chart, path, "svg");
	script_output(&chart, path, "pdf");
}
