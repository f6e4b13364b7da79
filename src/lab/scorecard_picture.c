/* The list of all published numbers as a picture: for each paper, ours over the published number, in ascending order.
 * Settings, taken numbers, bounds and texts are left out. */
#include "base/arena.h"
#include "lab/gnuplot.h"
#include "lab/scorecard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double left_margin = 0.5, right_margin = 0.06, head = 0.42, plot_height = 2.1, foot = 0.12, gap = 0.1;

/* The range of the axis. Quotients outside are drawn at its ends, as triangles. */
static const double least = 0.25, most = 4;

enum mark { MARK_NEAR, MARK_PROVEN, MARK_OPEN, MARKS };

static const struct {
	const char *name;
	unsigned color, inside; /* inside: gnuplot's point type */
} marks[] = {{"within 10 points", 0x14365f, 7},
             {"beyond, cause proven by an experiment", 0xd9a520, 5},
             {"beyond, no proven cause", 0xb5473c, 13}};
enum { OUTSIDE = 9 }; /* the point type */

static enum mark mark_of(const struct score *score)
{
	return score->verdict <= SCORE_WITHIN_10 ? MARK_NEAR : score->verdict == SCORE_PROVEN ? MARK_PROVEN : MARK_OPEN;
}

static bool is_drawn(const struct score *score)
{
	return score->kind <= SCORE_SOURCE && score->verdict < SCORE_MISSING && isfinite(score->quotient);
}

static int by_quotient(const void *a, const void *b)
{
	const struct score *const *one = a, *const *other = b;
	return ((*one)->quotient > (*other)->quotient) - ((*one)->quotient < (*other)->quotient);
}

/* A panel: the numbers of one paper. */
struct panel {
	const char *paper;
	const struct score **scores;
	size_t count;
};

static struct panel *find_panels(const struct scorecard *card, size_t *panel_count)
{
	struct panel *panels = base_calloc(card->count + 1, sizeof *panels);
	*panel_count = 0;
	for (size_t i = 0; i < card->count; i++) {
		const struct score *score = &card->list[i];
		struct panel *panel = panels;
		while (panel->paper && strcmp(panel->paper, score->of->paper) != 0)
			panel++;
		if (!panel->paper) {
			*panel = (struct panel){.paper = score->of->paper,
			                        .scores = base_calloc(card->count, sizeof *panel->scores)};
			++*panel_count;
		}
		if (is_drawn(score))
			panel->scores[panel->count++] = score;
	}
	for (size_t p = 0; p < *panel_count; p++)
		qsort(panels[p].scores, panels[p].count, sizeof *panels[p].scores, by_quotient);
	return panels;
}

static bool is_inside(const struct score *score)
{
	return score->quotient >= least && score->quotient <= most;
}

/* Whether the panel has a number with this mark, inside or outside the range. */
static bool has_any(const struct panel *panel, enum mark mark, bool inside)
{
	for (size_t i = 0; i < panel->count; i++)
		if (mark_of(panel->scores[i]) == mark && is_inside(panel->scores[i]) == inside)
			return true;
	return false;
}

/* A block of data per mark: rank and quotient, those inside the range and those outside. */
static void script_data(const struct panel *panel, size_t number, FILE *file)
{
	for (size_t mark = 0; mark < MARKS; mark++)
		for (size_t inside = 0; inside < 2; inside++) {
			if (!has_any(panel, (enum mark)mark, inside))
				continue;
			fprintf(file, "$panel%zu_%zu_%zu << end\n", number, mark, inside);
			for (size_t i = 0; i < panel->count; i++) {
				double quotient = panel->scores[i]->quotient;
				if (mark_of(panel->scores[i]) == (enum mark)mark &&
				    is_inside(panel->scores[i]) == inside)
					fprintf(file, "%zu %.10g\n", i + 1, fmin(fmax(quotient, least), most));
			}
			fputs("end\n", file);
		}
}

/* The marks' names above all panels. */
static void script_legend(FILE *file)
{
	double left = left_margin;
	for (size_t mark = 0; mark < MARKS; mark++) {
		fprintf(file, "set label %zu ", mark + 2);
		gnuplot_quote(marks[mark].name, file);
		fprintf(file,
		        " at screen %.5f, screen %.5f left point linecolor rgb '#%06x' pointtype %u pointsize 0.5 "
		        "offset 1,0\n",
		        left / page_width, 1 - 0.1 / (head + plot_height + foot), marks[mark].color,
		        marks[mark].inside);
		left += letter_width * (double)(strlen(marks[mark].name) + 6);
	}
	fprintf(file,
	        "set label %d \"off the scale\" at screen %.5f, screen %.5f left point linecolor rgb 'black' "
	        "pointtype %d pointsize 0.5 offset 1,0\n",
	        MARKS + 2, left / page_width, 1 - 0.1 / (head + plot_height + foot), OUTSIDE);
}

static void script_panel(const struct panel *panel, size_t number, double left, double width, FILE *file)
{
	double height = head + plot_height + foot;
	char label[64];
	fprintf(file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / page_width,
	        (left + width) / page_width);
	fprintf(file, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - head / height, foot / height);
	fprintf(file, "set xrange [0:%zu]\nset label 1 ", panel->count + 1);
	snprintf(label, sizeof label, "%s: %zu numbers", panel->paper, panel->count);
	gnuplot_quote(label, file);
	fputs(" at graph 0.5, graph 1.05 center\n", file);
	if (number)
		fputs("set ytics format ''\nunset ylabel\nunset label 2\nunset label 3\nunset label 4\nunset label 5\n",
		      file);
	fputs("plot 1 with lines linecolor rgb 'black' linewidth 0.7 notitle", file);
	for (size_t mark = 0; mark < MARKS; mark++)
		for (size_t inside = 0; inside < 2; inside++)
			if (has_any(panel, (enum mark)mark, inside))
				fprintf(file,
				        ", $panel%zu_%zu_%zu using 1:2 with points linecolor rgb '#%06x' pointtype %u "
				        "pointsize 0.35 notitle",
				        number, mark, inside, marks[mark].color, inside ? marks[mark].inside : OUTSIDE);
	fputc('\n', file);
}

static void script_output(const struct panel *panels, size_t count, const char *path, const char *kind, FILE *file)
{
	double width = (page_width - left_margin - right_margin - gap * (double)(count - 1)) / (double)count;
	gnuplot_open(page_width, head + plot_height + foot, path, kind, file);
	fputs("set ylabel \"ours / published\" offset 1.5,0\nset ytics format '%g'\nunset key\n", file);
	script_legend(file);
	for (size_t p = 0; p < count; p++)
		script_panel(&panels[p], p, left_margin + (double)p * (width + gap), width, file);
	gnuplot_close(file);
}

void scorecard_script(const struct scorecard *card, const char *path, FILE *file)
{
	size_t count;
	struct panel *panels = find_panels(card, &count);
	fputs("# Published numbers: ours over the published one.\n", file);
	for (size_t p = 0; p < count; p++)
		script_data(&panels[p], p, file);
	fprintf(file,
	        "set logscale y 2\nset yrange [%g:%g]\nset border 3\nunset xtics\n"
	        "set ytics nomirror (0.25, 0.5, 0.8, 1, 1.25, 2, 4)\nset grid ytics linecolor rgb '#cccccc' linetype "
	        "1\n",
	        least / 1.1, most * 1.1);
	script_output(panels, count, path, "svg", file);
	script_output(panels, count, path, "pdf", file);
	for (size_t p = 0; p < count; p++)
		free(panels[p].scores);
	free(panels);
}
