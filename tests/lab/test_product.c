/* Protects the expansion of axes: the names of columns, and the error for a product with too many combinations. */
#include "lab/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct read {
	struct arena arena;
	struct document document;
	struct experiment experiment;
	bool fine;
};

static void read_text(struct read *read, const char *text)
{
	*read = (struct read){.document.source = {"x.yaml", text, strlen(text)}};
	read->document.arena = &read->arena;
	read->fine = experiment_read(&read->experiment, &read->document);
}

static void read_free(struct read *read)
{
	diag_free(&read->document.diag);
	arena_free(&read->arena);
}

/* An axis with a single value is the same in all columns, so their names omit it. */
static void test_names(void **state)
{
	struct read read;
	(void)state;
	read_text(&read,
	          "title: t\nmetric: cycles\naxes:\n  program: stencil\n  sm.l1d.sets: [16, 32]\n  sm.l1d.ways: 4\n");
	assert_true(read.fine);
	assert_int_equal(read.experiment.column_count, 2);
	assert_string_equal(read.experiment.columns[0].name, "sm.l1d.sets=16");
	assert_string_equal(read.experiment.columns[1].name, "sm.l1d.sets=32");
	read_free(&read);
	read_text(&read, "title: t\nmetric: cycles\naxes:\n  program: stencil\n  sm.l1d.sets: [16, 32]\n  sm.l1d.ways: "
	                 "[4, 8]\n");
	assert_int_equal(read.experiment.column_count, 4);
	assert_string_equal(read.experiment.columns[0].name, "sm.l1d.sets=16 sm.l1d.ways=4");
	read_free(&read);
}

/* Writes "  KEY: [1, 2, ...]". */
static void write_axis(FILE *file, const char *key, size_t count)
{
	fprintf(file, "  %s: [", key);
	for (size_t i = 1; i <= count; i++)
		fprintf(file, "%s%zu", i > 1 ? ", " : "", i);
	fputs("]\n", file);
}

/* Reads an experiment with `rows` rows, `seeds` seeds for each row, and `columns` columns. */
static void read_product(struct read *read, char **text, size_t rows, size_t seeds, size_t columns)
{
	size_t length;
	FILE *file = open_memstream(text, &length);
	fputs("title: t\nmetric: cycles\nrows:\n", file);
	for (size_t i = 0; i < rows; i++)
		fprintf(file, "  row%zu: {program: stencil}\n", i);
	fputs("axes:\n", file);
	write_axis(file, "seed", seeds);
	write_axis(file, "sm.l1d.sets", columns);
	fclose(file);
	read_text(read, *text);
}

/* Explicit rows are multiplied by the axes of rows. */
static void test_most_cells(void **state)
{
	struct read read;
	char *text;
	(void)state;
	read_product(&read, &text, 10, 400, 250);
	if (!read.fine)
		fail_msg("10 rows, 400 seeds and 250 columns are a million: %s", read.document.diag.text);
	assert_int_equal(read.experiment.row_count, 4000);
	read_free(&read);
	free(text);
	read_product(&read, &text, 10, 400, 251);
	assert_false(read.fine);
	assert_non_null(strstr(read.document.diag.text, "the product has more than 1000000 combinations"));
	read_free(&read);
	free(text);
}

/* The words of a list stay whole even if they contain blanks; a single text is split at its blanks. */
static void test_blanks(void **state)
{
	struct read read;
	(void)state;
	read_text(&read,
	          "title: t\nmetric: cycles\naxes:\n  command: [['./a prog'], './a prog', ['./a prog', 'x y']]\n");
	if (!read.fine)
		fail_msg("%s", read.document.diag.text);
	assert_int_equal(read.experiment.row_count, 3);
	assert_string_equal(read.experiment.rows[0].path, "./a prog");
	assert_int_equal(read.experiment.rows[0].arguments.count, 0);
	assert_string_equal(read.experiment.rows[1].path, "./a");
	assert_string_equal(read.experiment.rows[1].arguments.word[0], "prog");
	assert_string_equal(read.experiment.rows[2].arguments.word[0], "x y");
	read_free(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_most_cells),
		cmocka_unit_test(test_blanks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
