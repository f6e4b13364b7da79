/* Axes and tables on which numbers are distinct: ratios near 1 in percent over the base, powers of two on a logarithmic
 * axis with a tick at each. The mean and each program have a panel; a table's column has one number of digits. */
#include "lab/lines.h"
#include "lab/picture.h"
#include "lab/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char no_bounds[32]; /* one per column */

enum { ROWS = 2, COLUMNS = 4, FORMS = 2 /* SVG and PDF */ };

static double none[COLUMNS] = {NAN, NAN, NAN, NAN};

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

/* Returns the output of `write` for two programs with four columns, all relative to the first. */
static char *written(void (*write)(const struct figure *figure, const char *path, FILE *file),
                     enum experiment_show show, const double *ours, const double *at, enum experiment_mean mean)
{
	char *text, message[FORMULA_MESSAGE];
	size_t length;
	struct arena arena = {0};
	struct experiment_column columns[COLUMNS];
	struct experiment_row rows[ROWS] = {{.name = "first", .published = {none, no_bounds}},
	                                    {.name = "second", .published = {none, no_bounds}}};
	for (size_t c = 0; c < COLUMNS; c++)
		columns[c] = (struct experiment_column){.name = c ? "other" : "none",
		                                        .unit = "speed",
		                                        .show = show,
		                                        .relative_name = "none",
		                                        .metric = metric_parse(&arena, "cycles", message),
		                                        .at = at ? at[c] : NAN,
		                                        .line = c ? NULL : "base"};
	const struct experiment experiment = {.title = "t",
	                                      .unit = "speed",
	                                      .show = show,
	                                      .relative_name = "none",
	                                      .mean = mean,
	                                      .over = at ? "sets" : NULL,
	                                      .over_name = at ? "sets of L1" : NULL,
	                                      .columns = columns,
	                                      .rows = rows,
	                                      .column_count = COLUMNS,
	                                      .row_count = ROWS,
	                                      .published_mean = {none, no_bounds}};
	struct figure figure = {.experiment = &experiment,
	                        .ours = (double *)ours,
	                        .ours_mean = mean == MEAN_NONE ? none : (double *)ours,
	                        .published_mean = {none, no_bounds}};
	FILE *file = open_memstream(&text, &length);
	write(&figure, "p", file);
	fclose(file);
	arena_free(&arena);
	return text;
}

static void write_table(const struct figure *figure, const char *path, FILE *file)
{
	(void)path;
	report_table(figure, "small", file);
}

static const double near[ROWS * COLUMNS] = {1, 1.05, 0.97, 1.01, 1, 1.02, 1, 0.99};

/* Bars between 0.97 and 1.05 on an axis from 0 to 1.2 have the same height for the eye. */
static void near_ratios_are_percents(void **state)
{
	(void)state;
	char *script = written(picture_script, SHOW_RATIO, near, NULL, MEAN_NONE);
	assert_int_equal(count_of(script, "set ylabel \"speedup over none, %\""), FORMS);
	assert_int_equal(count_of(script, "set yrange [-4:6]"), FORMS);
	assert_int_equal(count_of(script, "plot 0 with lines"), FORMS);
	assert_non_null(strstr(script, "\"first\" 0 5 NaN -3 NaN 1 NaN\n"));
	free(script);
}

/* One bar of more than twice the base: all bars of the axis stay ratios. */
static void far_ratios_stay(void **state)
{
	(void)state;
	double far[ROWS * COLUMNS];
	memcpy(far, near, sizeof far);
	far[5] = 2.5;
	char *script = written(picture_script, SHOW_RATIO, far, NULL, MEAN_NONE);
	assert_int_equal(count_of(script, "set ylabel \"speedup over none\""), FORMS);
	assert_int_equal(count_of(script, "set yrange [0:2.5]"), FORMS);
	assert_int_equal(count_of(script, "plot 1 with lines"), FORMS);
	free(script);
}

static void percents_say_so(void **state)
{
	(void)state;
	char *script = written(picture_script, SHOW_PERCENT, near, NULL, MEAN_NONE);
	assert_int_equal(count_of(script, "set ylabel \"speedup over none, %\""), FORMS);
	assert_non_null(strstr(script, "\"first\" 0 1.05 NaN 0.97 NaN 1.01 NaN\n"));
	free(script);
}

static char *lines_with(const double at[COLUMNS], enum experiment_mean mean)
{
	return written(lines_script, SHOW_RATIO, near, at, mean);
}

/* 16, 64 and 128 are no geometric row; 16 to 128 with a step of 2 are both. Two numbers are not enough. */
static void powers_of_two_are_logarithmic(void **state)
{
	(void)state;
	static const struct {
		double at[COLUMNS];
		bool logarithmic;
	} cases[] = {{{16, 16, 64, 128}, true},     {{1, 1, 2, 4}, true},      {{0.25, 0.25, 1, 8}, true},
	             {{10, 10, 100, 1000}, true},   {{3, 3, 6, 12}, true},     {{16, 16, 64, 100}, false},
	             {{0, 0, 1, 2}, false},         {{-4, -4, -2, -1}, false}, {{16, 16, 64, 16.5}, false},
	             {{4, 4, 8, 8.0000001}, false}, {{16, 16, 32, NAN}, false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *script = lines_with(cases[i].at, MEAN_NONE);
		assert_int_equal(count_of(script, "set logscale x 2\n"), cases[i].logarithmic ? FORMS * ROWS : 0);
		free(script);
	}
	char *script = lines_with(cases[0].at, MEAN_NONE);
	assert_int_equal(count_of(script, "set xtics nomirror (\"16\" 16, \"64\" 64, \"128\" 128)"), FORMS * ROWS);
	free(script);
}

/* A tick at each number; a label only where it does not run into the one before it. */
static void labels_stand_apart(void **state)
{
	(void)state;
	static const double at[COLUMNS] = {0, 0, 1, 1000};
	char *script = lines_with(at, MEAN_NONE);
	assert_int_equal(count_of(script, "(\"0\" 0, \"\" 1, \"1000\" 1000)"), FORMS * ROWS);
	free(script);
}

/* The mean and both programs have a panel with their name. They share a range, and a legend without the base. */
static void programs_have_panels(void **state)
{
	(void)state;
	static const double at[COLUMNS] = {16, 16, 32, 64};
	char *script = lines_with(at, MEAN_GEOMETRIC);
	assert_int_equal(count_of(script, "set label 1 \"geomean\""), FORMS);
	assert_int_equal(count_of(script, "set label 1 \"first\""), FORMS);
	assert_int_equal(count_of(script, "set label 1 \"second\""), FORMS);
	assert_true(strstr(script, "\"geomean\"") < strstr(script, "\"first\""));
	assert_int_equal(count_of(script, "set yrange [-4:6]"), 3 * FORMS);
	assert_int_equal(count_of(script, "set ylabel \"speedup over\".\"\\n\".\"none, %\""), FORMS); /* at the left */
	assert_int_equal(count_of(script, " title "), 0); /* neither the base, nor the one line that is left */
	free(script);
	script = lines_with(at, MEAN_NONE);
	assert_int_equal(count_of(script, "set label 1 "), ROWS * FORMS);
	free(script);
}

/* 0.97 has two digits like 1.05, not four; numbers that are all small keep four; a rounded zero has no sign. */
static void columns_have_one_number_of_digits(void **state)
{
	(void)state;
	static const double mixed[ROWS * COLUMNS] = {1.05, 0.1234, 12345, 0, 0.9712, 0.5, -0.4, NAN};
	char *text = written(write_table, SHOW_RATIO, mixed, NULL, MEAN_NONE);
	assert_non_null(strstr(text, "first        1.05     0.1234      12345       0.00\n"));
	assert_non_null(strstr(text, "second       0.97     0.5000          0          -\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_ratios_are_percents),
		cmocka_unit_test(far_ratios_stay),
		cmocka_unit_test(percents_say_so),
		cmocka_unit_test(powers_of_two_are_logarithmic),
		cmocka_unit_test(labels_stand_apart),
		cmocka_unit_test(programs_have_panels),
		cmocka_unit_test(columns_have_one_number_of_digits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
