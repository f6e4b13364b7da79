/* A figure as a table on the terminal: our values next to the paper's. */
#include "lab/lines.h"
#include "lab/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 10, NARROW = NUMBER + 1, WIDE = 3 * NUMBER + 3 };

double report_larger(double largest, double value)
{
	return isfinite(value) && fabs(value) > largest ? fabs(value) : largest;
}

int report_digits(double largest)
{
	return largest >= 10000 ? 0 : largest >= 100 ? 1 : largest >= 1 || largest == 0 ? 2 : 4;
}

void report_number(double value, int digits, char text[32])
{
	if (!isfinite(value)) {
		strcpy(text, "-");
		return;
	}
	snprintf(text, 32, "%.*f", digits, value);
	if (*text == '-' && strspn(text + 1, "0.") == strlen(text + 1))
		memmove(text, text + 1, strlen(text)); /* a rounded zero has no sign */
}

bool report_is_number(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && !*end;
}

void report_published(double published, char bound, int digits, char text[40])
{
	char number[32];
	report_number(published, digits, number);
	snprintf(text, 40, "%.1s%s%s", bound ? &bound : "", bound ? " " : "", number);
}

static void format_difference(const struct experiment_column *column, double ours, double published, char bound,
                              char text[32])
{
	double value = report_difference(column, ours, published);
	if (!isfinite(value))
		strcpy(text, "-");
	else if (experiment_holds(bound, ours, published))
		strcpy(text, "holds");
	else
		snprintf(text, 32, "%+.1f%s", fabs(value) < 0.05 ? 0 : value, column->show == SHOW_PERCENT ? "" : " %");
}

/* Whether the paper gives any value for the column. */
static bool has_published(const struct figure *figure, size_t column)
{
	const struct experiment *experiment = figure->experiment;
	for (size_t r = 0; r < experiment->row_count; r++)
		if (!isnan(experiment->rows[r].published.number[column]))
			return true;
	return !isnan(figure->published_mean.number[column]);
}

static size_t name_width(const struct experiment *experiment)
{
	size_t width = strlen(report_mean_name(experiment->mean));
	for (size_t r = 0; r < experiment->row_count; r++)
		if (strlen(experiment->rows[r].name) > width)
			width = strlen(experiment->rows[r].name);
	return width;
}

static size_t column_width(const struct figure *figure, size_t column)
{
	size_t width = has_published(figure, column) ? WIDE : NARROW;
	size_t name = strlen(figure->experiment->columns[column].name) + 2;
	return name > width ? name : width;
}

/* Columns that fit on one line. */
struct span {
	size_t first, end;
	const int *digits; /* after the point, by column */
};

/* Rows with their own metric do not count for a column's digits: each of their numbers has its own. */
static int *digits_of(const struct figure *figure)
{
	const struct experiment *experiment = figure->experiment;
	int *digits = base_calloc(experiment->column_count + 1, sizeof *digits);
	for (size_t c = 0; c < experiment->column_count; c++) {
		double largest = experiment->mean == MEAN_NONE ? 0 : report_larger(0, figure->ours_mean[c]);
		if (experiment->mean != MEAN_NONE)
			largest = report_larger(largest, figure->published_mean.number[c]);
		for (size_t r = 0; r < experiment->row_count; r++) {
			if (experiment->rows[r].metric)
				continue;
			largest = report_larger(largest, figure->ours[r * experiment->column_count + c]);
			largest = report_larger(largest, experiment->rows[r].published.number[c]);
		}
		digits[c] = report_digits(largest);
	}
	return digits;
}

static struct span next_span(const struct figure *figure, size_t first, const int *digits)
{
	const struct experiment *experiment = figure->experiment;
	size_t width = name_width(experiment) + column_width(figure, first), end = first + 1;
	while (end < experiment->column_count && width + column_width(figure, end) <= REPORT_WIDTH)
		width += column_width(figure, end++);
	return (struct span){first, end, digits};
}

/* `own_digits`: each number has its own number of digits. */
static void print_cells(const struct figure *figure, struct span span, const char *name, const double *ours,
                        const struct published *published, bool own_digits, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	fprintf(file, "%-*s", (int)name_width(experiment), name);
	for (size_t c = span.first; c < span.end; c++) {
		char own[32], paper[40], more[32];
		double number = published->number[c];
		bool both = has_published(figure, c);
		int rest = both ? 2 * (NUMBER + 1) : 0;
		report_number(ours[c], own_digits ? report_digits(fabs(ours[c])) : span.digits[c], own);
		report_published(number, published->bound[c], own_digits ? report_digits(fabs(number)) : span.digits[c],
		                 paper);
		format_difference(&experiment->columns[c], ours[c], number, published->bound[c], more);
		fprintf(file, "%*s", (int)column_width(figure, c) - rest, own);
		if (both)
			fprintf(file, " %*s %*s", NUMBER, paper, NUMBER, more);
	}
	fputc('\n', file);
}

static void print_heading(const struct figure *figure, struct span span, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	bool any = false;
	fprintf(file, "%*s", (int)name_width(experiment), "");
	for (size_t c = span.first; c < span.end; c++) {
		fprintf(file, "%*s", (int)column_width(figure, c), experiment->columns[c].name);
		any |= has_published(figure, c);
	}
	fputc('\n', file);
	if (!any)
		return;
	fprintf(file, "%*s", (int)name_width(experiment), "");
	for (size_t c = span.first; c < span.end; c++) {
		bool both = has_published(figure, c);
		fprintf(file, "%*s", (int)column_width(figure, c) - (both ? 2 * (NUMBER + 1) : 0), "ours");
		if (both)
			fprintf(file, " %*s %*s", NUMBER, "paper", NUMBER, "difference");
	}
	fputc('\n', file);
}

/* Whether the column shows the experiment's default quantity. */
static bool is_usual(const struct experiment *experiment, const struct experiment_column *column)
{
	return experiment_same_text(column->unit, experiment->unit) && column->show == experiment->show &&
	       (column->show == SHOW_VALUE || experiment_same_text(column->relative_name, experiment->relative_name));
}

/* "IPC, over that of Unshared-LRR" */
static void print_shown(const char *unit, enum experiment_show show, const char *relative_name, FILE *file)
{
	const char *before = unit ? ", " : "";
	fputs(unit ? unit : "", file);
	if (!relative_name)
		return; /* each column has its own */
	if (show == SHOW_RATIO)
		fprintf(file, "%sover that of %s", before, relative_name);
	else if (show == SHOW_PERCENT)
		fprintf(file, "%spercent more than %s", before, relative_name);
}

/* The columns of a line show the same quantity. */
static bool is_told(const struct experiment *experiment, size_t column)
{
	const struct experiment_column *columns = experiment->columns;
	for (size_t c = 0; experiment->over && c < column; c++)
		if (experiment_same_text(columns[c].line, columns[column].line) &&
		    experiment_alike(&columns[c], &columns[column]))
			return true;
	return false;
}

/* Prints what the numbers are: "size small; IPC, over that of Unshared-LRR", then the columns that show something
 * else. */
static void print_what(const struct experiment *experiment, const char *size, FILE *file)
{
	bool runs = experiment_needs(experiment, FORMULA_RUN) && experiment_has_size(experiment);
	bool any = experiment->unit || experiment->show != SHOW_VALUE;
	if (runs)
		fprintf(file, "size %s%s", size, any ? "; " : "");
	print_shown(experiment->unit, experiment->show, experiment->relative_name, file);
	if (runs || any)
		fputc('\n', file);
	for (size_t c = 0; c < experiment->column_count; c++) {
		const struct experiment_column *column = &experiment->columns[c];
		if (is_usual(experiment, column) || is_told(experiment, c))
			continue;
		fprintf(file, "%s: ", experiment->over && column->line ? column->line : column->name);
		if (!column->unit && column->show == SHOW_VALUE)
			fputs("the metric itself", file);
		print_shown(column->unit, column->show, column->relative_name, file);
		fputc('\n', file);
	}
}

void report_title(const struct experiment *experiment, FILE *file)
{
	fprintf(file, "%s%s%s%s\n", experiment->title, experiment->source ? " (" : "",
	        experiment->source ? experiment->source : "", experiment->source ? ")" : "");
}

static void print_row(const struct figure *figure, struct span span, size_t row, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	print_cells(figure, span, experiment->rows[row].name, figure->ours + row * experiment->column_count,
	            &experiment->rows[row].published, experiment->rows[row].metric != NULL, file);
}

/* Prints the rows of a thing, and below them their minimum, mean and maximum next to the paper's value. */
static void print_spread(const struct figure *figure, struct span span, const struct spread *spread, FILE *file)
{
	for (size_t r = spread->first; r < spread->end; r++)
		print_row(figure, span, r, file);
	if (spread->end == spread->first + 1)
		return;
	bool own = figure->experiment->rows[spread->first].metric != NULL;
	print_cells(figure, span, "  least", spread->least, &spread->published, own, file);
	print_cells(figure, span, "  mean", spread->mean, &spread->published, own, file);
	print_cells(figure, span, "  most", spread->most, &spread->published, own, file);
}

static void print_span(const struct figure *figure, struct span span, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	print_heading(figure, span, file);
	for (size_t s = 0; s < figure->spread_count; s++)
		print_spread(figure, span, &figure->spreads[s], file);
	for (size_t r = 0; !figure->spread_count && r < experiment->row_count; r++)
		print_row(figure, span, r, file);
	if (experiment->mean != MEAN_NONE)
		print_cells(figure, span, report_mean_name(experiment->mean), figure->ours_mean,
		            &figure->published_mean, false, file);
}

/* Breaks lines between words. */
void report_text(const char *text, FILE *file)
{
	size_t width = 0;
	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t length = strcspn(text, " \n");
		bool fits = width + 1 + length <= REPORT_WIDTH;
		fprintf(file, "%s%.*s", !width ? "" : fits ? " " : "\n", (int)length, text);
		width = width && fits ? width + 1 + length : length;
		text += length;
	}
	fputc('\n', file);
}

/* Prints the cut rows, with their columns if not all are cut. */
static void print_cut(const struct figure *figure, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	char *text = NULL;
	size_t length = 0, columns = experiment->column_count;
	FILE *note = open_memstream(&text, &length);
	if (!note)
		abort();
	fputs("Cut by an instruction limit, and counted up to it:", note);
	for (size_t r = 0, said = 0; r < experiment->row_count; r++) {
		size_t cut = 0, told = 0;
		for (size_t c = 0; c < columns; c++)
			cut += figure->cut[r * columns + c];
		if (cut)
			fprintf(note, "%s %s", said++ ? "," : "", experiment->rows[r].name);
		for (size_t c = 0; cut && cut < columns && c < columns; c++)
			if (figure->cut[r * columns + c])
				fprintf(note, "%s%s", told++ ? ", " : " (", experiment->columns[c].name);
		if (told)
			fputc(')', note);
	}
	fputc('.', note);
	fclose(note);
	fputc('\n', file);
	report_text(text, file);
	free(text);
}

void report_table(const struct figure *figure, const char *size, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	int *digits = digits_of(figure);
	report_title(experiment, file);
	print_what(experiment, size, file);
	if (experiment->over)
		lines_table(figure, file);
	for (struct span span = {0}; !experiment->over && span.end < experiment->column_count;) {
		span = next_span(figure, span.end, digits);
		fputc('\n', file);
		print_span(figure, span, file);
	}
	free(digits);
	if (experiment->note) {
		fputc('\n', file);
		report_text(experiment->note, file);
	}
	if (figure->any_cut)
		print_cut(figure, file);
}
