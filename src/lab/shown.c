#include "lab/shown.h"

#include "lab/gnuplot.h"

#include <string.h>

size_t shown_things(const struct figure *figure)
{
	return figure->spread_count ? figure->spread_count : figure->experiment->row_count;
}

const char *shown_name(const struct figure *figure, size_t thing)
{
	static const char *const means[] = {"", "geomean", "mean"};
	if (thing == shown_things(figure))
		return means[figure->experiment->mean];
	return figure->spread_count ? figure->spreads[thing].name : figure->experiment->rows[thing].name;
}

double shown_ours(const struct figure *figure, size_t thing, size_t column)
{
	if (thing == shown_things(figure))
		return figure->ours_mean[column];
	return figure->spread_count ? figure->spreads[thing].mean[column]
	                            : figure->ours[thing * figure->experiment->column_count + column];
}

double shown_published(const struct figure *figure, size_t thing, size_t column)
{
	if (thing == shown_things(figure))
		return figure->published_mean[column];
	return figure->spread_count ? figure->spreads[thing].published[column]
	                            : figure->experiment->rows[thing].published[column];
}

void shown_what(const struct experiment_column *column, char *text, size_t size)
{
	const char *unit = column->unit ? column->unit : "", *space = column->unit ? " " : "";
	if (column->show == SHOW_VALUE)
		snprintf(text, size, "%s", unit);
	else
		snprintf(text, size, "%s%sover %s%s", unit, space, column->relative_name,
		         column->show == SHOW_PERCENT ? ", percent" : "");
}

void shown_axis_label(const struct experiment_column *column, const char *axis, double height, FILE *file)
{
	char text[256];
	shown_what(column, text, sizeof text);
	char *middle = text + strlen(text) / 2;
	while (*middle && *middle != ' ')
		middle++;
	fprintf(file, "set %slabel ", axis);
	if ((double)strlen(text) * letter_width > height && *middle) {
		*middle = '\0';
		gnuplot_quote(text, file);
		fputs(".\"\\n\".", file);
		gnuplot_quote(middle + 1, file);
	} else {
		gnuplot_quote(text, file);
	}
	fputs(strcmp(axis, "y2") == 0 ? " offset -0.8,0\n" : " offset 0.8,0\n", file);
}
