/* Protects the layout of figures. Axes of bars include zero, the legend omits invisible columns, and the paper's value
 * is a mark. An outlier is cut and labeled with its value, and tables are at most REPORT_WIDTH wide. */
#include "lab/axis.h"
#include "lab/gnuplot.h"
#include "lab/picture.h"
#include "lab/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char no_bounds[32]; /* one per column */

static void check_axis(struct axis axis, double low, double high, double step)
{
	assert_float_equal(axis.low, low, 1e-9);
	assert_float_equal(axis.high, high, 1e-9);
	assert_float_equal(axis.step, step, 1e-9);
}

static void axes_hold_zero(void **state)
{
	(void)state;
	check_axis(axis_of((double[]){90, 100}, 2), 0, 100, 20);
	check_axis(axis_of((double[]){-3, 11}, 2), -5, 12.5, 2.5);
	check_axis(axis_of((double[]){-7, -1}, 2), -8, 0, 2);
	check_axis(axis_of((double[]){1.02, 1.03, NAN}, 3), 0, 1.2, 0.2);
	check_axis(axis_of((double[]){0, NAN, INFINITY}, 3), 0, 1, 0.5);
}

/* Ten bars; the last is cut if it exceeds 2.5 times the ninth. */
static void outliers_are_cut(void **state)
{
	(void)state;
	double values[10] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 10};
	check_axis(axis_of(values, 10), 0, 10, 2);
	values[9] = 10.1;
	check_axis(axis_of(values, 10), 0, 4, 1);
	check_axis(axis_of(values + 3, 7), 0, 12, 2); /* too few bars for an outlier */
}

/* For random values: round steps, at most seven marks, and at least nine of ten bars uncut. */
static void axes_of_random_values(void **state)
{
	(void)state;
	srand(1);
	for (unsigned turn = 0; turn < 10000; turn++) {
		double values[40];
		size_t count = (size_t)rand() % 40 + 1, beyond = 0;
		double scale = pow(10, rand() % 13 - 6);
		for (size_t i = 0; i < count; i++)
			values[i] = ((double)rand() / RAND_MAX - (turn % 2 ? 0.5 : 0)) * scale * (rand() % 20 ? 1 : 50);
		struct axis axis = axis_of(values, count);
		assert_true(axis.low <= 0 && axis.high >= 0 && axis.high > axis.low);
		assert_true((axis.high - axis.low) / axis.step < 8.5);
		assert_float_equal(axis.high / axis.step, round(axis.high / axis.step), 1e-6);
		for (size_t i = 0; i < count; i++)
			beyond += values[i] > axis.high + axis.step * 1e-6 || values[i] < axis.low - axis.step * 1e-6;
		assert_true(beyond <= count / 8 + 1);
	}
}

/* Three rows with a base, two columns relative to it, one without a value, and one with another unit. */
enum { ROWS = 3, COLUMNS = 5 };
static double published[ROWS][COLUMNS] = {
	{NAN, NAN, NAN, NAN, NAN}, {NAN, 1.5, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN}};
static double no_means[COLUMNS] = {NAN, NAN, NAN, NAN, NAN};
static struct experiment_column columns[COLUMNS] = {
	{.name = "Base", .unit = "IPC", .show = SHOW_RATIO, .relative_name = "Base", .relative_to = 0},
	{.name = "one", .unit = "IPC", .show = SHOW_RATIO, .relative_name = "Base", .relative_to = 0},
	{.name = "none", .unit = "IPC", .show = SHOW_RATIO, .relative_name = "Base", .relative_to = 0},
	{.name = "two", .unit = "IPC", .show = SHOW_RATIO, .relative_name = "Base", .relative_to = 0},
	{.name = "misses", .unit = "per \"k\"", .show = SHOW_VALUE},
};
static struct experiment_row rows[ROWS] = {{.name = "A", .published = {published[0], no_bounds}},
                                           {.name = "B\\n", .published = {published[1], no_bounds}},
                                           {.name = "C", .published = {published[2], no_bounds}}};
static double values[ROWS * COLUMNS] = {1, 1.2, NAN, 0.9, 4, 1, 2.6, NAN, 1.1, 5, 1, 1.3, NAN, 1.2, 6};

static char *script_of(bool stacked)
{
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	const struct experiment experiment = {.title = "t",
	                                      .unit = "IPC",
	                                      .columns = columns,
	                                      .rows = rows,
	                                      .column_count = COLUMNS,
	                                      .row_count = ROWS,
	                                      .stacked = stacked,
	                                      .published_mean = {no_means, no_bounds}};
	const struct figure figure = {.experiment = &experiment,
	                              .ours = values,
	                              .ours_mean = no_means,
	                              .published_mean = {no_means, no_bounds}};
	picture_script(&figure, "p", file);
	fclose(file);
	return text;
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

static void legend_has_what_is_seen(void **state)
{
	(void)state;
	char *script = script_of(false);
	enum { FORMS = 2 }; /* SVG and PDF */
	assert_int_equal(count_of(script, "title \"one\""), FORMS);
	assert_int_equal(count_of(script, "title \"two\""), FORMS);
	assert_int_equal(count_of(script, "title \"none\""), 0);      /* has no value */
	assert_int_equal(count_of(script, "title \"Base\""), 0);      /* always 1: the reference line of the others */
	assert_int_equal(count_of(script, "title \"paper\""), FORMS); /* in the only panel with such a value */
	assert_int_equal(count_of(script, "title \"misses\""), FORMS);
	assert_int_equal(count_of(script, "plot 1 with lines"), FORMS);
	assert_int_equal(count_of(script, "set ylabel \"IPC over Base\""), FORMS);
	assert_int_equal(count_of(script, "set ylabel \"per \\\"k\\\"\""), FORMS);
	assert_non_null(
		strstr(script, "\"B\\\\n\" 1 2.6 1.5 1.1 NaN\n")); /* bar and paper's mark; bar without a mark */
	free(script);
}

/* A panel's only series has no entry in the legend when the axis names it as a whole word. */
static void legend_does_not_repeat_the_axis(void **state)
{
	(void)state;
	struct experiment_column *misses = &columns[COLUMNS - 1];
	const char *unit = misses->unit;
	misses->unit = "Misses per k";
	char *script = script_of(false);
	assert_int_equal(count_of(script, "title \"misses\""), 0);
	free(script);
	misses->unit = "dismisses";
	script = script_of(false);
	assert_int_equal(count_of(script, "title \"misses\""), 2); /* SVG and PDF */
	free(script);
	misses->unit = unit;
}

/* No two of 16 series look alike, and no two that follow each other are hatched. */
static void fills_differ(void **state)
{
	(void)state;
	enum { SERIES = 16 };
	char fill[SERIES][128];
	for (size_t i = 0; i < SERIES; i++) {
		FILE *file = fmemopen(fill[i], sizeof fill[i], "w");
		gnuplot_fill(i, true, file);
		fclose(file);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(fill[i], fill[k]);
		assert_true(!i || !strstr(fill[i], "pattern") || !strstr(fill[i - 1], "pattern"));
	}
}

/* Each part of a stacked bar ends at the sum of itself and the parts below it. */
static void stacks_are_sums(void **state)
{
	(void)state;
	char *script = script_of(true);
	assert_non_null(strstr(script, "\"A\" 0 1.2 NaN 2.1 NaN\n"));
	assert_non_null(strstr(script, "\"B\\\\n\" 1 2.6 1.5 3.7 NaN\n"));
	free(script);
}

enum { CUT_ROWS = 20, CUT_COLUMNS = 2 };

/* Returns the script of twenty rows with two columns. Row 4 has the values `first` and one more, row 8 has 99 in its
 * second column, all other values are 1. */
static char *script_of_cuts(double first, bool stacked)
{
	char *text, message[FORMULA_MESSAGE];
	size_t length;
	struct arena arena = {0};
	const struct formula *metric = metric_parse(&arena, "cycles", message);
	struct experiment_column columns[CUT_COLUMNS] = {{.name = "one", .unit = "IPC", .metric = metric},
	                                                 {.name = "two", .unit = "IPC", .metric = metric}};
	struct experiment_row rows[CUT_ROWS];
	double ours[CUT_ROWS * CUT_COLUMNS], stated[CUT_ROWS][CUT_COLUMNS], no_means[] = {NAN, NAN};
	for (size_t r = 0; r < CUT_ROWS; r++) {
		for (size_t c = 0; c < CUT_COLUMNS; c++) {
			ours[r * CUT_COLUMNS + c] = r == 4 ? first + (double)c : r == 8 && c ? 99 : 1;
			stated[r][c] = NAN;
		}
		rows[r] = (struct experiment_row){.name = "row", .published = {stated[r], no_bounds}};
	}
	const struct experiment experiment = {.title = "t",
	                                      .columns = columns,
	                                      .rows = rows,
	                                      .column_count = CUT_COLUMNS,
	                                      .row_count = CUT_ROWS,
	                                      .stacked = stacked};
	const struct figure figure = {.experiment = &experiment,
	                              .ours = ours,
	                              .ours_mean = no_means,
	                              .published_mean = {no_means, no_bounds}};
	FILE *file = open_memstream(&text, &length);
	picture_script(&figure, "p", file);
	fclose(file);
	arena_free(&arena);
	return text;
}

/* The labels of two adjacent cut bars are separated; otherwise they would read as one number. */
static void numbers_stand_apart(void **state)
{
	(void)state;
	char *text = script_of_cuts(77, false);
	assert_int_equal(count_of(text, "set label \"77\""), 2); /* SVG and PDF */
	assert_non_null(strstr(strstr(text, "set label \"77\""), "graph 1 right"));
	assert_non_null(strstr(strstr(text, "set label \"78\""), "graph 1 left"));
	assert_int_equal(count_of(text, "graph 1 center"), 2); /* the label without a neighbor */
	free(text);
}

/* A cut stacked bar has one label: the total, with all its digits. */
static void stacks_have_one_number(void **state)
{
	(void)state;
	char *text = script_of_cuts(7700, true);
	assert_int_equal(count_of(text, "set label \"15401\""), 2);
	assert_int_equal(count_of(text, "set label \"100\""), 2);
	assert_int_equal(count_of(text, "set label \""), 4);
	free(text);
}

/* The gap across a cut bar is a closed, slanted polygon with four corners. */
static void gaps_are_closed(void **state)
{
	(void)state;
	char *text = script_of_cuts(77, false), *begin = strstr(text, "set object polygon from ");
	double x[5], y[5];
	assert_non_null(begin);
	assert_int_equal(
		sscanf(begin,
	               "set object polygon from first %lf,graph %lf to first %lf,graph %lf to first %lf,graph %lf "
	               "to first %lf,graph %lf to first %lf,graph %lf front ",
	               &x[0], &y[0], &x[1], &y[1], &x[2], &y[2], &x[3], &y[3], &x[4], &y[4]),
		10);
	assert_true(x[4] == x[0] && y[4] == y[0] && x[3] == x[0] && x[2] == x[1]);
	assert_true(x[1] > x[0] && y[1] > y[0] && y[2] > y[1] && y[3] > y[0]);
	free(text);
}

static void tables_are_narrow(void **state)
{
	(void)state;
	enum { MANY = 9 };
	char *text;
	size_t length, widest = 0, names = 0;
	struct arena arena = {0};
	char message[FORMULA_MESSAGE];
	const struct formula *metric = metric_parse(&arena, "cycles", message);
	struct experiment_column many[MANY];
	double ours[MANY], stated[MANY];
	for (size_t c = 0; c < MANY; c++) {
		many[c] = (struct experiment_column){.name = "a column", .unit = "IPC", .metric = metric};
		ours[c] = 1, stated[c] = 2;
	}
	struct experiment_row row = {.name = "the only row", .published = {stated, no_bounds}};
	const struct experiment experiment = {.title = "t",
	                                      .unit = "IPC",
	                                      .columns = many,
	                                      .rows = &row,
	                                      .column_count = MANY,
	                                      .row_count = 1,
	                                      .note = "w w w w w w w w w w w w w w w w w w w w w w w w w "
	                                              "w w w w w w w w w w w w w w w w w w w w w w w w w w w"};
	const struct figure figure = {
		.experiment = &experiment, .ours = ours, .ours_mean = stated, .published_mean = {stated, no_bounds}};
	FILE *file = open_memstream(&text, &length);
	report_table(&figure, "small", file);
	fclose(file);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		widest = strcspn(line, "\n") > widest ? strcspn(line, "\n") : widest;
	names = count_of(text, "the only row");
	assert_in_range(widest, 60, REPORT_WIDTH);
	/* two columns of 33 letters next to a name of 12: five repetitions to show nine */
	assert_int_equal(names, 5);
	assert_int_equal(count_of(text, "a column"), MANY);
	free(text);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes_hold_zero),
		cmocka_unit_test(outliers_are_cut),
		cmocka_unit_test(axes_of_random_values),
		cmocka_unit_test(legend_has_what_is_seen),
		cmocka_unit_test(legend_does_not_repeat_the_axis),
		cmocka_unit_test(fills_differ),
		cmocka_unit_test(stacks_are_sums),
		cmocka_unit_test(numbers_stand_apart),
		cmocka_unit_test(stacks_have_one_number),
		cmocka_unit_test(tables_are_narrow),
		cmocka_unit_test(gaps_are_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
