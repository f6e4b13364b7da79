#include "cli/figure/table.h"

#include "base/csv.h"
#include "base/diag.h"
#include "cli/commands.h"
#include "cli/figure/source.h"
#include "cli/machine_sheet.h"
#include "lab/report.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The text of an empty cell. */
#define NONE "-"

struct table {
	struct program_request *request;
	const struct experiment *experiment;
	const char **ours; /* row by row */
	size_t columns;
};

/* State while parsing "sm.warps * 32". */
struct product {
	double value;
	char operation;
	size_t count;
};

static const char *keep_text(struct table *table, const char *text)
{
	return arena_string(&table->request->arena, text, strlen(text));
}

static const char *number(struct table *table, double value)
{
	char text[32];
	snprintf(text, sizeof text, "%.6g", value);
	return keep_text(table, text);
}

/* Returns a text of the machine's file without its quotes. */
static const char *unquoted(struct table *table, const char *text)
{
	size_t length = strlen(text);
	bool quoted = length > 1 && *text == '\'';
	return arena_string(&table->request->arena, text + quoted, length - 2 * quoted);
}

/* --- our values --- */

/* Where a message about a row's value refers to. */
static const char *value_where(struct table *table, const struct experiment_row *row)
{
	return experiment_where(&table->request->arena, table->experiment,
	                        experiment_row_place(table->experiment, row, "value"));
}

/* Returns a key's text, or the value of keys and numbers combined with * and /. NULL after a message. */
static const char *machine_value(struct table *table, const struct sheet *sheet, const struct experiment_row *row)
{
	const char *text = row->value ? row->value : row->name, *whole = sheet_value(sheet, text);
	struct product product = {.value = 1, .operation = '*'};
	double factor;
	if (whole)
		return unquoted(table, whole);
	for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
		const char *word = arena_string(&table->request->arena, at, strcspn(at, " ")),
			   *found = sheet_value(sheet, word);
		bool is_operation = product.count++ % 2;
		at += strlen(word);
		if (is_operation && strlen(word) == 1 && strchr("*/", *word)) {
			product.operation = *word;
		} else if (!is_operation && report_is_number(found ? found : word, &factor)) {
			product.value = product.operation == '*' ? product.value * factor : product.value / factor;
		} else {
			cli_error(value_where(table, row), "%s: value: expected %s, not '%s'", row->name,
			          is_operation ? "* or /" : "a machine key with a number as its value, or a number",
			          word);
			return NULL;
		}
	}
	if (product.count % 2)
		return number(table, product.value);
	cli_error(value_where(table, row), "%s: value: expected a key or a number after the last operator", row->name);
	return NULL;
}

static const char *cost_value(struct table *table, const sluice_gpu *gpu, const struct experiment_row *row)
{
	const char *wanted = row->value ? row->value : row->name;
	struct sluice_cost cost;
	for (size_t i = 0; sluice_mechanisms_cost(gpu, i, &cost); i++)
		if (strcmp(cost.what, wanted) == 0)
			return number(table, cost.value);
	cli_error(value_where(table, row),
	          "%s: none of the column's mechanisms has a cost '%s'; 'sluice mech show' lists them", row->name,
	          wanted);
	return NULL;
}

/* Fills in all rows of a column, which is a machine with mechanisms. Returns false after messages. */
static bool take_column(struct table *table, size_t c)
{
	const struct experiment_column *column = &table->experiment->columns[c];
	const char **options = arena_array(&table->request->arena, column->options.count + 1, sizeof *options);
	const char **mechanisms = arena_array(&table->request->arena, column->mechanisms.count + 1, sizeof *mechanisms);
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = column->machine, .options = options,
	                                         .mechanisms = mechanisms};
	struct sluice_error error = {0};
	struct sheet sheet = {0};
	sluice_gpu *gpu;
	bool fine = true;
	for (size_t i = 0; i < column->options.count; i++)
		options[i] = column->options.word[i];
	for (size_t i = 0; i < column->mechanisms.count; i++)
		mechanisms[i] = column->mechanisms.word[i];
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) {
		const struct experiment *experiment = table->experiment;
		struct diag_place place = plan_column_place(experiment, column, error.message);
		cli_error(experiment_where(&table->request->arena, experiment, place), "in column %s: %s", column->name,
		          diag_bare(error.message));
		return false;
	}
	sheet_take(&sheet, gpu);
	for (size_t r = 0; r < table->experiment->row_count; r++) {
		const struct experiment_row *row = &table->experiment->rows[r];
		const char *ours = table->experiment->show == SHOW_COSTS ? cost_value(table, gpu, row)
		                                                         : machine_value(table, &sheet, row);
		table->ours[r * table->columns + c] = ours;
		fine = ours && fine;
	}
	sheet_close(&sheet);
	sluice_close(gpu);
	return fine;
}

/* Writes, for example, "saxpy shared, dma: y = a x + y". */
static bool take_program(struct table *table, size_t r)
{
	const struct experiment_row *row = &table->experiment->rows[r];
	size_t count = row->variants.count ? row->variants.count : 1, length = 0;
	char text[512] = "";
	for (size_t i = 0; i < count; i++) {
		struct plan_program program;
		const char *variant = row->variants.count ? row->variants.word[i] : NULL;
		if (!figure_find_of_row(table->request, table->experiment, row, variant, &program))
			return false;
		length += (size_t)snprintf(text + length, sizeof text - length, "%s %s", i ? "," : program.name,
		                           program.variant);
		length = length < sizeof text ? length : sizeof text - 1;
	}
	const struct program *known = program_request_find(table->request, row->program);
	snprintf(text + length, sizeof text - length, ": %s", known->about);
	table->ours[r] = keep_text(table, text);
	return true;
}

/* --- the table --- */

static const char *stated(const struct table *table, size_t r, size_t c)
{
	const struct words *words = &table->experiment->rows[r].stated;
	return words->count && !experiment_is_nothing(words->word[c]) ? words->word[c] : NONE;
}

/* Returns "+1.2 %" for numbers, and for other texts whether they are equal. Descriptions of programs are not
 * compared. */
static const char *difference(const struct table *table, size_t r, size_t c, char room[32])
{
	const char *ours = table->ours[r * table->columns + c], *paper = stated(table, r, c);
	double a, b;
	if (strcmp(paper, NONE) == 0 || table->experiment->show == SHOW_PROGRAMS)
		return NONE;
	if (!report_is_number(ours, &a) || !report_is_number(paper, &b) || b == 0)
		return strcasecmp(ours, paper) == 0 ? "same" : "other";
	snprintf(room, 32, "%+.1f %%", fabs(a / b - 1) < 0.0005 ? 0 : 100 * (a / b - 1));
	return room;
}

static int width_of(const struct table *table)
{
	size_t width = 8;
	for (size_t r = 0; r < table->experiment->row_count; r++) {
		size_t length = strlen(table->experiment->rows[r].name);
		width = length > width ? length : width;
	}
	for (size_t c = 0; c < table->experiment->column_count; c++) {
		size_t length = strlen(table->experiment->columns[c].name);
		width = length > width ? length : width;
	}
	return (int)width;
}

static void print_cell(const struct table *table, size_t r, size_t c)
{
	char room[32];
	const struct experiment_row *row = &table->experiment->rows[r];
	bool programs = table->experiment->show == SHOW_PROGRAMS;
	if (programs)
		printf("%-*s  %s\n%*s  paper: %s\n", width_of(table), row->name, table->ours[r], width_of(table), "",
		       stated(table, r, c));
	else
		printf("%-*s  %16s %16s %12s\n", width_of(table), row->name, table->ours[r * table->columns + c],
		       stated(table, r, c), difference(table, r, c, room));
}

static void print(const struct table *table)
{
	const struct experiment *experiment = table->experiment;
	report_title(experiment, stdout);
	for (size_t c = 0; c < table->columns; c++) {
		putchar('\n');
		if (experiment->show != SHOW_PROGRAMS)
			printf("%-*s  %16s %16s %12s\n", width_of(table), experiment->columns[c].name, "ours", "paper",
			       "difference");
		for (size_t r = 0; r < experiment->row_count; r++)
			print_cell(table, r, c);
	}
	if (experiment->note) {
		putchar('\n');
		report_text(experiment->note, stdout);
	}
}

static void write_csv(const struct table *table, FILE *file)
{
	const struct experiment *experiment = table->experiment;
	fputs("row,column,ours,paper,difference\n", file);
	for (size_t r = 0; r < experiment->row_count; r++)
		for (size_t c = 0; c < table->columns; c++) {
			char room[32];
			const char *const texts[] = {experiment->rows[r].name,
			                             experiment->column_count ? experiment->columns[c].name : "",
			                             table->ours[r * table->columns + c], stated(table, r, c),
			                             difference(table, r, c, room)};
			for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
				fputs(i ? "," : "", file);
				csv_text(strcmp(texts[i], NONE) == 0 ? "" : texts[i], file);
			}
			fputc('\n', file);
		}
}

/* Fills in our texts. Returns false after messages. */
static bool take(struct table *table, struct program_request *request, const struct experiment *experiment)
{
	bool programs = experiment->show == SHOW_PROGRAMS, fine = true;
	*table = (struct table){
		.request = request, .experiment = experiment, .columns = programs ? 1 : experiment->column_count};
	table->ours = arena_array(&request->arena, experiment->row_count * table->columns + 1, sizeof *table->ours);
	for (size_t i = 0; i < (programs ? experiment->row_count : table->columns); i++)
		fine = (programs ? take_program(table, i) : take_column(table, i)) && fine;
	return fine;
}

const char **figure_table_texts(struct program_request *request, const struct experiment *experiment)
{
	struct table table;
	return take(&table, request, experiment) ? table.ours : NULL;
}

int figure_table(struct program_request *request, const struct experiment *experiment, const char *out,
                 const char *name)
{
	char path[PATH_MAX];
	struct table table;
	if (!take(&table, request, experiment))
		return CLI_USAGE;
	print(&table);
	snprintf(path, sizeof path, "%s/%s.csv", out, name);
	FILE *file = mkdir(out, 0777) == 0 || errno == EEXIST ? fopen(path, "w") : NULL;
	if (file)
		write_csv(&table, file);
	if (!file || fclose(file) != 0) {
		cli_error(request->name, "cannot write %s: %s", path, strerror(errno));
		return CLI_FAILED;
	}
	printf("\n%s\n", path);
	return 0;
}
