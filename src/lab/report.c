#include "lab/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static const char *const mean_names[] = {"", "geometric mean", "arithmetic mean"};

enum { NUMBER = 10, NARROW = NUMBER + 1, WIDE = 3 * NUMBER + 3 };

static void format(double value, char text[32])
{
	double size = fabs(value);
	if (!isfinite(value))
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.*f", size >= 10000 ? 0 : size >= 100 ? 1 : size >= 1 || size == 0 ? 2 : 4, value);
}

static double difference(const struct experiment_column *column, double ours, double published)
{
	return column->show == SHOW_PERCENT ? ours - published : 100 * (ours / published - 1);
}

static void format_difference(const struct experiment_column *column, double ours, double published, char text[32])
{
	double value = difference(column, ours, published);
	if (!isfinite(value))
		strcpy(text, "-");
	else
		snprintf(text, 32, "%+.1f%s", fabs(value) < 0.05 ? 0 : value, column->show == SHOW_PERCENT ? "" : " %");
}

/* Whether the paper states anything for the column. */
static bool has_published(const struct figure *figure, size_t column)
{
	const struct experiment *experiment = figure->experiment;
	for (size_t r = 0; r < experiment->row_count; r++)
		if (!isnan(experiment->rows[r].published[column]))
			return true;
	return !isnan(figure->published_mean[column]);
}

static size_t name_width(const struct experiment *experiment)
{
	size_t width = strlen(mean_names[experiment->mean]);
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

static void print_cells(const struct figure *figure, const char *name, const double *ours, const double *published,
                        FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	fprintf(file, "%-*s", (int)name_width(experiment), name);
	for (size_t c = 0; c < experiment->column_count; c++) {
		char own[32], paper[32], more[32];
		bool both = has_published(figure, c);
		int rest = both ? 2 * (NUMBER + 1) : 0;
		format(ours[c], own);
		format(published[c], paper);
		format_difference(&experiment->columns[c], ours[c], published[c], more);
		fprintf(file, "%*s", (int)column_width(figure, c) - rest, own);
		if (both)
			fprintf(file, " %*s %*s", NUMBER, paper, NUMBER, more);
	}
	fputc('\n', file);
}

static void print_heading(const struct figure *figure, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	bool any = false;
	fprintf(file, "%*s", (int)name_width(experiment), "");
	for (size_t c = 0; c < experiment->column_count; c++) {
		fprintf(file, "%*s", (int)column_width(figure, c), experiment->columns[c].name);
		any |= has_published(figure, c);
	}
	fputc('\n', file);
	if (!any)
		return;
	fprintf(file, "%*s", (int)name_width(experiment), "");
	for (size_t c = 0; c < experiment->column_count; c++) {
		bool both = has_published(figure, c);
		fprintf(file, "%*s", (int)column_width(figure, c) - (both ? 2 * (NUMBER + 1) : 0), "ours");
		if (both)
			fprintf(file, " %*s %*s", NUMBER, "paper", NUMBER, "difference");
	}
	fputc('\n', file);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the column shows what the experiment says for all. */
static bool is_usual(const struct experiment *experiment, const struct experiment_column *column)
{
	return is_same(column->unit, experiment->unit) && column->show == experiment->show &&
	       (column->show == SHOW_VALUE || is_same(column->relative_name, experiment->relative_name));
}

/* "IPC, over that of Unshared-LRR" */
static void print_shown(const char *unit, enum experiment_show show, const char *relative_name, FILE *file)
{
	const char *before = unit ? ", " : "";
	fputs(unit ? unit : "", file);
	if (!relative_name)
		return; /* each column says it */
	if (show == SHOW_RATIO)
		fprintf(file, "%sover that of %s", before, relative_name);
	else if (show == SHOW_PERCENT)
		fprintf(file, "%spercent more than %s", before, relative_name);
}

/* What the numbers are: "size small; IPC, over that of Unshared-LRR", then the columns that show something else. */
static void print_what(const struct experiment *experiment, const char *size, FILE *file)
{
	bool runs = experiment_needs(experiment, FORMULA_RUN), any = experiment->unit || experiment->show != SHOW_VALUE;
	if (runs)
		fprintf(file, "size %s%s", size, any ? "; " : "");
	print_shown(experiment->unit, experiment->show, experiment->relative_name, file);
	if (runs || any)
		fputc('\n', file);
	for (size_t c = 0; c < experiment->column_count; c++) {
		const struct experiment_column *column = &experiment->columns[c];
		if (is_usual(experiment, column))
			continue;
		fprintf(file, "%s: ", column->name);
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

void report_table(const struct figure *figure, const char *size, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	report_title(experiment, file);
	print_what(experiment, size, file);
	fputc('\n', file);
	print_heading(figure, file);
	for (size_t r = 0; r < experiment->row_count; r++)
		print_cells(figure, experiment->rows[r].name, figure->ours + r * experiment->column_count,
		            experiment->rows[r].published, file);
	if (experiment->mean != MEAN_NONE)
		print_cells(figure, mean_names[experiment->mean], figure->ours_mean, figure->published_mean, file);
	if (experiment->note)
		fprintf(file, "\n%s\n", experiment->note);
}

void report_csv_text(const char *text, FILE *file)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void csv_numbers(const struct experiment_column *column, double ours, double published, FILE *file)
{
	const double numbers[] = {ours, published, difference(column, ours, published)};
	for (size_t i = 0; i < 3; i++) {
		fputc(',', file);
		if (isfinite(numbers[i]))
			fprintf(file, "%.10g", numbers[i]);
	}
	fputc('\n', file);
}

static void csv_cell(const struct figure *figure, const struct plan *plan, size_t r, size_t c, FILE *file)
{
	const struct experiment_row *row = &figure->experiment->rows[r];
	size_t cell = r * figure->experiment->column_count + c, run = plan->cells[cell];
	static const struct run_config none = {.program = "", .variant = "", .size = ""};
	const struct run_config *config = run == PLAN_NOTHING ? &none : &plan->runs[run].config;
	const char *const texts[] = {row->name,       figure->experiment->columns[c].name,
	                             config->program, config->variant,
	                             config->size,    row->kernel ? row->kernel : ""};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (i)
			fputc(',', file);
		report_csv_text(texts[i], file);
	}
	csv_numbers(&figure->experiment->columns[c], figure->ours[cell], row->published[c], file);
}

void report_csv(const struct figure *figure, const struct plan *plan, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	size_t points = 0;
	for (size_t c = 0; c < experiment->column_count; c++)
		points += experiment->columns[c].show == SHOW_PERCENT;
	fprintf(file, "row,column,program,variant,size,kernel,ours,paper,difference%s\n",
	        !points                             ? "_percent"
	        : points < experiment->column_count ? "" /* points in columns that show percent */
	                                            : "_points");
	for (size_t r = 0; r < experiment->row_count; r++)
		for (size_t c = 0; c < experiment->column_count; c++)
			csv_cell(figure, plan, r, c, file);
	for (size_t c = 0; experiment->mean != MEAN_NONE && c < experiment->column_count; c++) {
		fprintf(file, "%s,", mean_names[experiment->mean]);
		report_csv_text(experiment->columns[c].name, file);
		fputs(",,,,", file);
		csv_numbers(&experiment->columns[c], figure->ours_mean[c], figure->published_mean[c], file);
	}
}

/* In gnuplot's quotes, which a quote doubled stands in. */
static void quote(const char *text, FILE *file)
{
	fputc('\'', file);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', file);
		fputc(*text, file);
	}
	fputc('\'', file);
}

static void script_row(const struct figure *figure, const char *name, const double *ours, const double *published,
                       FILE *file)
{
	fputc('"', file);
	for (; *name; name++)
		fputc(*name == '"' ? '\'' : *name, file);
	fputc('"', file);
	for (size_t c = 0; c < figure->experiment->column_count; c++) {
		const double values[] = {ours[c], published[c]};
		for (size_t i = 0; i < 2; i++)
			if (isfinite(values[i]))
				fprintf(file, " %.10g", values[i]);
			else
				fputs(" NaN", file);
	}
	fputc('\n', file);
}

static void script_data(const struct figure *figure, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	fputs("# Behind the name: ours and the paper's for each column.\n$figure << END\n", file);
	for (size_t r = 0; r < experiment->row_count; r++)
		script_row(figure, experiment->rows[r].name, figure->ours + r * experiment->column_count,
		           experiment->rows[r].published, file);
	if (experiment->mean != MEAN_NONE)
		script_row(figure, mean_names[experiment->mean], figure->ours_mean, figure->published_mean, file);
	fputs("END\n", file);
}

/* That of the left axis, which the first column always has; columns with other units stand against the right one. */
static const char *left_unit(const struct experiment *experiment)
{
	return experiment->columns[0].unit;
}

/* Those of the right axis, each once: "speed, instructions"; "" where there are none. */
static void right_units(const struct experiment *experiment, char text[256])
{
	const struct experiment_column *columns = experiment->columns;
	*text = '\0';
	for (size_t c = 0; c < experiment->column_count; c++) {
		size_t length = strlen(text), before = 0;
		while (before < c && !is_same(columns[before].unit, columns[c].unit))
			before++;
		if (before == c && columns[c].unit && !is_same(columns[c].unit, left_unit(experiment)))
			snprintf(text + length, 256 - length, "%s%s", length ? ", " : "", columns[c].unit);
	}
}

/* One colour a column; the paper's bars are the same, lighter. */
static void script_plot(const struct figure *figure, FILE *file)
{
	static const unsigned colours[] = {0x4477aa, 0xee6677, 0x228833, 0xccbb44, 0x66ccee, 0xaa3377, 0x888888};
	const struct experiment *experiment = figure->experiment;
	for (size_t c = 0; c < experiment->column_count; c++) {
		unsigned colour = colours[c % (sizeof colours / sizeof *colours)];
		const char *axes = is_same(experiment->columns[c].unit, left_unit(experiment)) ? "x1y1" : "x1y2";
		fprintf(file, "%s$figure using %zu:xtic(1) axes %s title ", c ? ", \\\n     " : "plot ", 2 * c + 2,
		        axes);
		quote(experiment->columns[c].name, file);
		fprintf(file, " linecolor rgb '#%06x' fillstyle solid 1", colour);
		if (!has_published(figure, c))
			continue;
		fprintf(file, ", \\\n     $figure using %zu axes %s title ", 2 * c + 3, axes);
		quote(experiment->columns[c].name, file);
		fprintf(file, ".', paper' linecolor rgb '#%06x' fillstyle solid 0.35", colour);
	}
	fputc('\n', file);
}

void report_script(const struct figure *figure, const char *path, FILE *file)
{
	const struct experiment *experiment = figure->experiment;
	static const char *const forms[][2] = {{"svg size 1100,480 noenhanced background rgb 'white'", "svg"},
	                                       {"pdfcairo size 11in,4.8in noenhanced", "pdf"}};
	script_data(figure, file);
	fputs("set style data histograms\nset style histogram clustered gap 1\nset style fill solid border rgb "
	      "'black'\n"
	      "set boxwidth 0.9\nset grid y\nset xtics rotate by -35 nomirror\nset ytics nomirror\n"
	      "set key outside top center horizontal\nset title ",
	      file);
	quote(experiment->title, file);
	fputs("\nset ylabel ", file);
	quote(left_unit(experiment) ? left_unit(experiment) : "", file);
	fputc('\n', file);
	char units[256];
	right_units(experiment, units);
	if (*units) {
		fputs("set y2tics nomirror\nset y2label ", file);
		quote(units, file);
		fputc('\n', file);
	}
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		char output[PATH_MAX];
		snprintf(output, sizeof output, "%s.%s", path, forms[i][1]);
		fprintf(file, "set terminal %s\nset output ", forms[i][0]);
		quote(output, file);
		fputc('\n', file);
		script_plot(figure, file);
		fputs("unset output\n", file);
	}
}

static bool close_file(FILE *file, const char *command, const char *path)
{
	bool fine = file && !ferror(file);
	fine = (!file || fclose(file) == 0) && fine;
	if (!fine)
		fprintf(stderr, "%s: cannot write %s: %s\n", command, path, strerror(errno));
	return fine;
}

static bool draw(const char *command, const char *script)
{
	char *words[] = {"gnuplot", (char *)script, NULL};
	pid_t pid;
	int status, error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error) {
		fprintf(stderr, "%s: no pictures: cannot start gnuplot: %s\n", command, strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "%s: gnuplot failed on %s\n", command, script);
	return false;
}

bool report_files(const struct figure *figure, const struct plan *plan, const char *folder, const char *name)
{
	const char *command = plan->source->command;
	char stem[PATH_MAX - 8], path[PATH_MAX];
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		fprintf(stderr, "%s: cannot make the folder %s: %s\n", command, folder, strerror(errno));
		return false;
	}
	snprintf(stem, sizeof stem, "%s/%s", folder, name);
	snprintf(path, sizeof path, "%s.csv", stem);
	FILE *file = fopen(path, "w");
	if (file)
		report_csv(figure, plan, file);
	if (!close_file(file, command, path))
		return false;
	snprintf(path, sizeof path, "%s.gp", stem);
	file = fopen(path, "w");
	if (file)
		report_script(figure, stem, file);
	return close_file(file, command, path) && draw(command, path);
}
