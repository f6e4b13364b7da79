/* Protects the lines above a figure's table: the size of the runs, the metric, and the baseline. */
#include "lab/metric.h"
#include "lab/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char no_bounds[32]; /* one per column */

/* Checks all text between the title and the table, for one row and two columns that show the same quantity. */
static void check_heading(const char *metric, const char *unit, enum experiment_show show, const char *over,
                          const char *expected)
{
	char *text, message[FORMULA_MESSAGE];
	size_t length;
	struct arena arena = {0};
	const struct formula *formula = metric_parse(&arena, metric, message);
	struct experiment_column column = {
		.name = "c", .unit = unit, .show = show, .relative_name = over, .metric = formula};
	struct experiment_column columns[] = {column, column};
	double values[] = {1, 2};
	struct experiment_row row = {.name = "r", .published = {values, no_bounds}};
	const struct experiment experiment = {.title = "t",
	                                      .unit = unit,
	                                      .show = show,
	                                      .relative_name = over,
	                                      .columns = columns,
	                                      .rows = &row,
	                                      .column_count = 2,
	                                      .row_count = 1};
	const struct figure figure = {
		.experiment = &experiment, .ours = values, .ours_mean = values, .published_mean = {values, no_bounds}};
	assert_non_null(formula);
	FILE *file = open_memstream(&text, &length);
	report_table(&figure, "small", file);
	fclose(file);
	char *end = strstr(text, "\n\n");
	assert_non_null(end);
	end[1] = '\0';
	assert_string_equal(text, expected);
	free(text);
	arena_free(&arena);
}

static void parts_are_set_apart(void **state)
{
	(void)state;
	check_heading("cycles", "IPC", SHOW_VALUE, NULL, "t\nsize small; IPC\n");
	check_heading("cycles", "IPC", SHOW_RATIO, "Base", "t\nsize small; IPC, over that of Base\n");
	check_heading("cycles", NULL, SHOW_RATIO, "Base", "t\nsize small; over that of Base\n");
	check_heading("cycles", NULL, SHOW_PERCENT, "Base", "t\nsize small; percent more than Base\n");
	check_heading("cycles", NULL, SHOW_VALUE, NULL, "t\nsize small\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_set_apart)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
