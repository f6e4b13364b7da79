#include "lab/figure_values.h"

#include "lab/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t figure_things(const struct figure *figure)
{
	return figure->spread_count ? figure->spread_count : figure->experiment->row_count;
}

const char *figure_name(const struct figure *figure, size_t thing)
{
	static const char *const means[] = {"", "geomean", "mean"};
	if (thing == figure_things(figure))
		return means[figure->experiment->mean];
	return figure->spread_count ? figure->spreads[thing].name : figure->experiment->rows[thing].name;
}

double figure_ours(const struct figure *figure, size_t thing, size_t column)
{
	if (thing == figure_things(figure))
		return figure->ours_mean[column];
	return figure->spread_count ? figure->spreads[thing].mean[column]
	                            : figure->ours[thing * figure->experiment->column_count + column];
}

double figure_published(const struct figure *figure, size_t thing, size_t column)
{
	if (thing == figure_things(figure))
		return figure->published_mean.number[column];
	return figure->spread_count ? figure->spreads[thing].published.number[column]
	                            : figure->experiment->rows[thing].published.number[column];
}

char figure_bound(const struct figure *figure, size_t thing, size_t column)
{
	if (thing == figure_things(figure))
		return figure->published_mean.bound[column];
	return figure->spread_count ? figure->spreads[thing].published.bound[column]
	                            : figure->experiment->rows[thing].published.bound[column];
}

/* Ratios in this range are drawn in percent. */
static const double least_near = 0.5, most_near = 2;

static bool is_near(double ratio)
{
	return !isfinite(ratio) || (ratio >= least_near && ratio <= most_near);
}

static bool thing_is_near(const struct figure *figure, size_t thing, size_t column)
{
	bool spread = thing < figure->spread_count;
	return is_near(figure_ours(figure, thing, column)) && is_near(figure_published(figure, thing, column)) &&
	       (!spread ||
	        (is_near(figure->spreads[thing].least[column]) && is_near(figure->spreads[thing].most[column])));
}

bool figure_in_percent(const struct figure *figure, size_t column)
{
	const struct experiment *experiment = figure->experiment;
	const struct experiment_column *columns = experiment->columns;
	if (columns[column].show != SHOW_RATIO || experiment->stacked)
		return false;
	size_t things = figure_things(figure) + (experiment->mean != MEAN_NONE);
	for (size_t c = 0; c < experiment->column_count; c++)
		for (size_t thing = 0; experiment_alike(&columns[c], &columns[column]) && thing < things; thing++)
			if (!thing_is_near(figure, thing, c))
				return false;
	return true;
}

double figure_percent(double ratio)
{
	return 100 * (ratio - 1);
}

void figure_what(const struct experiment_column *column, bool percent, char *text, size_t size)
{
	const char *unit = column->unit ? column->unit : "", *space = column->unit ? " " : "";
	if (column->show == SHOW_VALUE) {
		snprintf(text, size, "%s", unit);
		return;
	}
	if (strcmp(unit, "speed") == 0)
		unit = "speedup";
	snprintf(text, size, "%s%sover %s%s", unit, space, column->relative_name,
	         column->show == SHOW_PERCENT || percent ? ", %" : "");
}

/* Returns the blank nearest to the middle of a text; NULL if it has none. */
static const char *break_of(const char *text)
{
	size_t length = strlen(text), best = length;
	for (size_t i = 0; i < length; i++)
		if (text[i] == ' ' &&
		    (best == length || labs((long)(2 * i) - (long)length) <= labs((long)(2 * best) - (long)length)))
			best = i;
	return best < length ? text + best : NULL;
}

void figure_axis_label(const char *text, const char *axis, double height, FILE *file)
{
	const char *middle = break_of(text);
	bool broken = (double)strlen(text) * letter_width > height && middle;
	fprintf(file, "set %slabel ", axis);
	if (broken) {
		char first[256];
		snprintf(first, sizeof first, "%.*s", (int)(middle - text), text);
		gnuplot_quote(first, file);
		fputs(".\"\\n\".", file);
		gnuplot_quote(middle + 1, file);
	} else {
		gnuplot_quote(text, file);
	}
	/* One line is moved towards the ticks' labels; the second of two lines would overlap them. */
	fputs(broken ? " offset 0,0\n" : strcmp(axis, "y2") == 0 ? " offset -0.8,0\n" : " offset 0.8,0\n", file);
}
