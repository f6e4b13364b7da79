#include "lab/picture.h"

#include "base/arena.h"
#include "lab/axis.h"
#include "lab/gnuplot.h"
#include "lab/figure_values.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double left_margin = 0.64, right_margin = 0.06, plot_height = 1.2, gap = 0.09;
enum { NARROW_GROUPS = 9, NARROW_BARS = 36 };

/* Fraction of a group's width that its bars take. */
static const double bars_share = 0.82;

/* Columns that show the same quantity and share an axis. */
struct panel {
	const size_t *columns; /* indexes of the experiment's columns */
	size_t count;
	bool stacked;
	bool percent; /* ratios near 1 are drawn as percent over the base */
	struct axis axis;
};

struct picture {
	const struct figure *figure;
	FILE *file;
	struct panel *panels;
	size_t panel_count, groups; /* rows, and the mean when there is one */
	double width, height, label_height;
	bool upright;     /* names of groups are rotated */
	bool broken_mean; /* the mean's name has two lines */
};

/* --- contents --- */

/* Whether a column is drawn: it has a value (in a stack, one other than 0), and is not the base of relative columns. */
static bool has_bars(const struct picture *picture, size_t column)
{
	const struct experiment *experiment = picture->figure->experiment;
	const struct experiment_column *shown = &experiment->columns[column];
	if (shown->show != SHOW_VALUE && shown->relative_to == column)
		return false;
	for (size_t g = 0; g < picture->groups; g++)
		if (isfinite(figure_ours(picture->figure, g, column)) &&
		    (!experiment->stacked || figure_ours(picture->figure, g, column) != 0))
			return true;
	return false;
}

/* Returns a value of a column as the panel draws it. */
static double drawn(const struct panel *panel, double value)
{
	return panel->percent ? figure_percent(value) : value;
}

/* In a stack, returns the sum of the parts up to `series`, with missing parts as 0; otherwise, the bar itself. */
static double bar_top(const struct picture *picture, const struct panel *panel, size_t group, size_t series)
{
	double sum = 0;
	if (!panel->stacked)
		return drawn(panel, figure_ours(picture->figure, group, panel->columns[series]));
	for (size_t s = 0; s <= series; s++) {
		double part = figure_ours(picture->figure, group, panel->columns[s]);
		sum += isfinite(part) ? part : 0;
	}
	return sum;
}

/* Returns the position of the paper's value on the axis; NAN when the paper does not give it, or not all parts below
 * it in the stack. */
static double mark_of(const struct picture *picture, const struct panel *panel, size_t group, size_t series)
{
	double sum = 0;
	for (size_t s = panel->stacked ? 0 : series; s <= series; s++)
		sum += figure_published(picture->figure, group, panel->columns[s]);
	return drawn(panel, sum);
}

/* Ends of a bar's whisker; NAN if it represents a single row or is part of a stack. */
static double least_of(const struct picture *picture, const struct panel *panel, size_t group, size_t series)
{
	const struct figure *figure = picture->figure;
	if (group >= figure->spread_count || panel->stacked)
		return NAN;
	return drawn(panel, figure->spreads[group].least[panel->columns[series]]);
}

static double most_of(const struct picture *picture, const struct panel *panel, size_t group, size_t series)
{
	const struct figure *figure = picture->figure;
	if (group >= figure->spread_count || panel->stacked)
		return NAN;
	return drawn(panel, figure->spreads[group].most[panel->columns[series]]);
}

static void set_axis(struct picture *picture, struct panel *panel)
{
	size_t count = 0;
	double *values = base_calloc(4 * picture->groups * panel->count, sizeof *values);
	for (size_t s = 0; s < panel->count; s++)
		for (size_t g = 0; g < picture->groups; g++) {
			values[count++] = bar_top(picture, panel, g, s);
			values[count++] = mark_of(picture, panel, g, s);
			values[count++] = least_of(picture, panel, g, s);
			values[count++] = most_of(picture, panel, g, s);
		}
	panel->axis = axis_of(values, count);
	free(values);
}

/* --- layout --- */

/* Sorts the columns into panels, in their order; `room` stores the indexes of all columns. */
static void find_panels(struct picture *picture, size_t *room)
{
	const struct experiment *experiment = picture->figure->experiment;
	bool *taken = base_calloc(experiment->column_count, sizeof *taken);
	for (size_t first = 0; first < experiment->column_count; first++) {
		struct panel panel = {.columns = room};
		const struct experiment_column *shown = &experiment->columns[first];
		for (size_t c = first; c < experiment->column_count; c++)
			if (!taken[c] && experiment_alike(&experiment->columns[c], shown)) {
				taken[c] = true;
				if (has_bars(picture, c))
					room[panel.count++] = c;
			}
		if (!panel.count)
			continue;
		panel.stacked = experiment->stacked && panel.count > 1;
		panel.percent = figure_in_percent(picture->figure, first);
		room += panel.count;
		set_axis(picture, &panel);
		picture->panels[picture->panel_count++] = panel;
	}
	free(taken);
}

static size_t series_of(const struct panel *panel)
{
	return panel->stacked ? 1 : panel->count;
}

/* The picture is one column of the page wide if there are few bars, else two. */
static void set_width(struct picture *picture)
{
	size_t bars = 0, longest = 1;
	for (size_t p = 0; p < picture->panel_count; p++)
		if (picture->groups * series_of(&picture->panels[p]) > bars)
			bars = picture->groups * series_of(&picture->panels[p]);
	picture->width = bars > NARROW_BARS || picture->groups > NARROW_GROUPS ? page_width : column_width;
	for (size_t g = 0; g < figure_things(picture->figure); g++)
		if (strlen(figure_name(picture->figure, g)) > longest)
			longest = strlen(figure_name(picture->figure, g));
	double place = (picture->width - left_margin - right_margin) / (double)picture->groups;
	picture->upright = (double)(longest + 1) * letter_width > place;
	picture->label_height = line_height + gap;
	size_t mean = picture->groups > figure_things(picture->figure)
	                      ? strlen(figure_name(picture->figure, picture->groups - 1))
	                      : 0;
	if (picture->upright)
		picture->label_height = (double)(mean > longest ? mean : longest) * letter_width + gap;
	picture->broken_mean = !picture->upright && (double)(mean + 1) * letter_width > place;
	if (picture->broken_mean)
		picture->label_height += line_height;
}

static bool has_marks(const struct picture *picture, const struct panel *panel)
{
	for (size_t s = 0; s < panel->count; s++)
		for (size_t g = 0; g < picture->groups; g++)
			if (isfinite(mark_of(picture, panel, g, s)))
				return true;
	return false;
}

/* Whether the axis names the only series, as "instructions over TELEPORT" names "instructions". */
static bool axis_names_series(const struct picture *picture, const struct panel *panel)
{
	const struct experiment_column *column = &picture->figure->experiment->columns[panel->columns[0]];
	char label[256];
	figure_what(column, panel->percent, label, sizeof label);
	const char *found = panel->count == 1 ? strcasestr(label, column->name) : NULL;
	return found && (found == label || found[-1] == ' ') && !isalnum((unsigned char)found[strlen(column->name)]);
}

static size_t legend_entries(const struct picture *picture, const struct panel *panel)
{
	return (axis_names_series(picture, panel) ? 0 : panel->count) + has_marks(picture, panel);
}

/* Returns the entries of a legend per line; gnuplot gives each the width of the longest, and of its sample. */
static size_t legend_columns(const struct picture *picture, const struct panel *panel)
{
	size_t longest = 5;
	for (size_t s = 0; s < panel->count; s++) {
		size_t length = strlen(picture->figure->experiment->columns[panel->columns[s]].name);
		longest = length > longest ? length : longest;
	}
	size_t columns = (size_t)((picture->width - left_margin) / ((double)(longest + 5) * letter_width));
	return columns ? columns : 1;
}

static double legend_height(const struct picture *picture, const struct panel *panel)
{
	size_t entries = legend_entries(picture, panel), columns = legend_columns(picture, panel);
	return (double)((entries + columns - 1) / columns) * line_height + 2 * gap;
}

static double total_height(const struct picture *picture)
{
	double height = picture->label_height;
	for (size_t p = 0; p < picture->panel_count; p++)
		height += legend_height(picture, &picture->panels[p]) + plot_height + gap;
	return height;
}

/* --- gnuplot's script --- */

/* Returns the middle of a group; the mean is set apart. */
static double group_place(const struct picture *picture, size_t group)
{
	return (double)group + (group == figure_things(picture->figure) ? 0.4 : 0);
}

/* Writes a line per group: name, position, and for each series the end of our bar and the paper's mark. */
static void script_data(const struct picture *picture, size_t number)
{
	const struct panel *panel = &picture->panels[number];
	FILE *file = picture->file;
	fprintf(file, "$panel%zu << END\n", number + 1);
	for (size_t g = 0; g < picture->groups; g++) {
		gnuplot_quote(figure_name(picture->figure, g), file);
		fprintf(file, " %.10g", group_place(picture, g));
		for (size_t s = 0; s < panel->count; s++) {
			gnuplot_number(bar_top(picture, panel, g, s), file);
			gnuplot_number(mark_of(picture, panel, g, s), file);
			if (!picture->figure->spread_count)
				continue;
			gnuplot_number(least_of(picture, panel, g, s), file);
			gnuplot_number(most_of(picture, panel, g, s), file);
		}
		fputc('\n', file);
	}
	fputs("END\n", file);
}

/* Column of a panel's data with a series' bars; its marks follow, and the ends of its whiskers if there are any. */
static size_t column_of(const struct picture *picture, size_t series)
{
	return (picture->figure->spread_count ? 4 : 2) * series + 3;
}

/* Returns the distance from the middle of the group to that of the bar. */
static double bar_offset(const struct panel *panel, size_t series)
{
	double count = (double)series_of(panel);
	return panel->stacked ? 0 : ((double)series - (count - 1) / 2) * bars_share / count;
}

static bool is_beyond(const struct axis *axis, double value)
{
	double slack = axis->step * 1e-6;
	return value > axis->high + slack || value < axis->low - slack;
}

/* Draws an oblique white gap across a bar near the end of the axis. */
static void script_gap(const struct panel *panel, double place, bool above, FILE *file)
{
	double half = 0.55 * bars_share / (double)series_of(panel), low = above ? 0.86 : 0.05;
	const double points[][2] = {
		{-half, low}, {half, low + 0.06}, {half, low + 0.09}, {-half, low + 0.03}, {-half, low}};
	fputs("set object polygon from ", file);
	for (size_t i = 0; i < sizeof points / sizeof *points; i++)
		fprintf(file, "%sfirst %.6g,graph %.6g", i ? " to " : "", place + points[i][0], points[i][1]);
	fputs(" front fillcolor rgb 'white' fillstyle solid noborder\n", file);
}

/* A value beyond the axis: the number at the end of a cut bar, or of a mark that is not visible. */
struct cut {
	double place; /* of the bar's middle */
	bool above, bar;
	char text[48];
};

/* In a stack, the last bar's top is the total. */
static bool is_whole(const struct panel *panel, size_t series)
{
	return !panel->stacked || series + 1 == panel->count;
}

/* Prints three significant digits, or all digits before the point. */
static void print_cut(char *text, size_t size, const char *before, double value, const char *behind)
{
	size_t length = strlen(text);
	snprintf(text + length, size - length, fabs(value) < 1000 ? "%s%.3g%s" : "%s%.0f%s", before, value, behind);
}

static bool find_cut(const struct picture *picture, const struct panel *panel, size_t group, size_t series,
                     struct cut *cut)
{
	double value = bar_top(picture, panel, group, series), mark = mark_of(picture, panel, group, series);
	bool bar_cut = is_whole(panel, series) && is_beyond(&panel->axis, value);
	bool mark_cut = is_beyond(&panel->axis, mark);
	*cut = (struct cut){.place = group_place(picture, group) + bar_offset(panel, series),
	                    .above = bar_cut ? value > 0 : mark > 0,
	                    .bar = bar_cut};
	if (bar_cut)
		print_cut(cut->text, sizeof cut->text, "", value, "");
	if (mark_cut)
		print_cut(cut->text, sizeof cut->text, bar_cut ? " (paper " : "paper ", mark, bar_cut ? ")" : "");
	return bar_cut || mark_cut;
}

/* Whether two texts would overlap if both were centered on their bars. */
static bool collide(const struct picture *picture, const struct cut *left, const struct cut *right)
{
	double place = (picture->width - left_margin - right_margin) / (double)picture->groups;
	double between = (right->place - left->place) * place;
	return left->above == right->above &&
	       (double)(strlen(left->text) + strlen(right->text) + 2) / 2 * letter_width > between;
}

/* Shifts the text away from a near neighbor; between two neighbors, it stays centered, one line further out. */
static void script_cut(const struct picture *picture, const struct panel *panel, const struct cut *cut, bool from_left,
                       bool from_right)
{
	const char *side = from_left == from_right ? "center" : from_left ? "left" : "right";
	double out = from_left && from_right ? 1.1 : 0.4;
	fprintf(picture->file, "set label \"%s\" at first %.6g,graph %d %s offset 0,%.1f\n", cut->text, cut->place,
	        cut->above, side, cut->above ? out : -out - 0.1);
	if (cut->bar)
		script_gap(panel, cut->place, cut->above, picture->file);
}

static void script_cuts(const struct picture *picture, const struct panel *panel)
{
	struct cut *cuts = base_calloc(picture->groups * panel->count + 1, sizeof *cuts);
	size_t count = 0;
	fputs("unset label\nunset object\n", picture->file);
	for (size_t g = 0; g < picture->groups; g++)
		for (size_t s = 0; s < panel->count; s++)
			count += find_cut(picture, panel, g, s, &cuts[count]);
	for (size_t i = 0; i < count; i++)
		script_cut(picture, panel, &cuts[i], i && collide(picture, &cuts[i - 1], &cuts[i]),
		           i + 1 < count && collide(picture, &cuts[i], &cuts[i + 1]));
	free(cuts);
}

static void script_bars(const struct picture *picture, size_t number, size_t series)
{
	const struct panel *panel = &picture->panels[number];
	fprintf(picture->file, ", \\\n     $panel%zu using ($2+%.6g):%zu:(%.6g) ", number + 1,
	        bar_offset(panel, series), column_of(picture, series), bars_share / (double)series_of(panel));
	fputs("with boxes ", picture->file);
	gnuplot_fill(series, true, picture->file);
	fputs("notitle", picture->file);
}

/* The paper's value: a black mark with a white rim, visible on every bar. */
static void script_marks(const struct picture *picture, size_t number, size_t series)
{
	static const char *const marks[] = {"pointsize 0.62 linecolor rgb 'white'",
	                                    "pointsize 0.4 linecolor rgb 'black'"};
	for (size_t i = 0; i < 2; i++)
		fprintf(picture->file, ", \\\n     $panel%zu using ($2+%.6g):%zu with points pointtype 13 %s notitle",
		        number + 1, bar_offset(&picture->panels[number], series), column_of(picture, series) + 1,
		        marks[i]);
}

/* Draws a line from the minimum to the maximum of the values that a bar is the mean of, with a stroke across each
 * end. */
static void script_whiskers(const struct picture *picture, size_t number, size_t series)
{
	size_t least = column_of(picture, series) + 2;
	fprintf(picture->file,
	        ", \\\n     $panel%zu using ($2+%.6g):%zu:(0):($%zu-$%zu) with vectors heads size graph 0.006,90 "
	        "linecolor rgb 'black' linewidth 0.8 notitle",
	        number + 1, bar_offset(&picture->panels[number], series), least, least + 1, least);
}

/* Writes separate legend entries, because stacked bars are drawn in another order. */
static void script_legend(const struct picture *picture, const struct panel *panel)
{
	FILE *file = picture->file;
	for (size_t s = 0; s < panel->count && !axis_names_series(picture, panel); s++) {
		fputs(", \\\n     NaN with boxes ", file);
		gnuplot_fill(s, true, file);
		fputs("title ", file);
		gnuplot_quote(picture->figure->experiment->columns[panel->columns[s]].name, file);
	}
	if (has_marks(picture, panel))
		fputs(", \\\n     NaN with points pointtype 13 pointsize 0.5 linecolor rgb 'black' title \"paper\"",
		      file);
}

/* Marks at the middles of groups; their names are below the last panel only. */
static void script_groups(const struct picture *picture, bool last)
{
	fprintf(picture->file, "set xtics nomirror scale 0 %s (", picture->upright ? "rotate by 90 right" : "norotate");
	for (size_t g = 0; g < picture->groups; g++) {
		bool mean = g == figure_things(picture->figure);
		fputs(g ? ", " : "", picture->file);
		if (last && mean && picture->broken_mean)
			fputs("\"geo-\\nmean\"", picture->file);
		else
			gnuplot_quote(last ? figure_name(picture->figure, g) : "", picture->file);
		fprintf(picture->file, " %.10g", group_place(picture, g));
	}
	fputs(")\n", picture->file);
}

static void script_panel(const struct picture *picture, size_t number, double top)
{
	const struct panel *panel = &picture->panels[number];
	const struct experiment_column *column = &picture->figure->experiment->columns[panel->columns[0]];
	FILE *file = picture->file;
	double legend = legend_height(picture, panel), height = picture->height;
	fprintf(file, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - (top + legend) / height,
	        1 - (top + legend + plot_height) / height);
	fprintf(file,
	        "set key at graph 0.5, screen %.5f center top horizontal maxcols %zu Left reverse "
	        "samplen 1.2 spacing 0.9\n",
	        1 - (top + gap / 2) / height, legend_columns(picture, panel));
	gnuplot_marks(&panel->axis, "y", file);
	char label[256];
	figure_what(column, panel->percent, label, sizeof label);
	figure_axis_label(label, "y", plot_height, file);
	script_groups(picture, number + 1 == picture->panel_count);
	script_cuts(picture, panel);
	bool ratio = column->show == SHOW_RATIO && !panel->percent;
	fprintf(file, "plot %s with lines linecolor rgb 'black' linewidth 0.7 %snotitle", ratio ? "1" : "0",
	        ratio ? "dashtype 2 " : "");
	/* In a stack, the highest bar is drawn first, and the lower ones over it. */
	for (size_t i = 0; i < panel->count; i++)
		script_bars(picture, number, panel->stacked ? panel->count - 1 - i : i);
	for (size_t s = 0; s < panel->count && picture->figure->spread_count; s++)
		script_whiskers(picture, number, s);
	for (size_t s = 0; s < panel->count && has_marks(picture, panel); s++)
		script_marks(picture, number, s);
	script_legend(picture, panel);
	fputc('\n', file);
}

static void script_output(const struct picture *picture, const char *path, const char *kind)
{
	double top = 0;
	gnuplot_open(picture->width, picture->height, path, kind, picture->file);
	for (size_t p = 0; p < picture->panel_count; p++) {
		script_panel(picture, p, top);
		top += legend_height(picture, &picture->panels[p]) + plot_height + gap;
	}
	gnuplot_close(picture->file);
}

void picture_script(const struct figure *figure, const char *path, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	struct picture picture = {.figure = figure,
	                          .file = file,
	                          .panels = base_calloc(experiment->column_count, sizeof *picture.panels),
	                          .groups = figure_things(figure) + (experiment->mean != MEAN_NONE)};
	size_t *room = base_calloc(experiment->column_count, sizeof *room);
	find_panels(&picture, room);
	set_width(&picture);
	picture.height = total_height(&picture);
	fprintf(file,
	        "# %s\n"
	        "# After a group's name and position: the end of our bar and the paper's mark, for each series.\n",
	        experiment->title);
	for (size_t p = 0; p < picture.panel_count; p++)
		script_data(&picture, p);
	fprintf(file, "set grid ytics linecolor rgb '#cccccc' linetype 1\nset border 3\nset xrange [-0.6:%.3g]\n",
	        group_place(&picture, picture.groups - 1) + 0.6);
	fprintf(file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left_margin / picture.width,
	        1 - right_margin / picture.width);
	script_output(&picture, path, "svg");
	script_output(&picture, path, "pdf");
	free(room);
	free(picture.panels);
}
