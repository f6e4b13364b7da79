/* Protects the expansion of axes: the names of columns, and the error for a product with too many combinations. */
#include "lab_kit.h"

/* An axis with a single value is the same in all columns, so their names omit it. */
static void test_names(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read(&read,
	         "title: t\nmetric: cycles\naxes:\n  program: stencil\n  sm.l1d.sets: [16, 32]\n  sm.l1d.ways: 4\n");
	assert_true(read.fine);
	assert_int_equal(read.experiment.column_count, 2);
	assert_string_equal(read.experiment.columns[0].name, "sm.l1d.sets=16");
	assert_string_equal(read.experiment.columns[1].name, "sm.l1d.sets=32");
	lab_read_free(&read);
	lab_read(&read, "title: t\nmetric: cycles\naxes:\n  program: stencil\n  sm.l1d.sets: [16, 32]\n  sm.l1d.ways: "
	                "[4, 8]\n");
	assert_int_equal(read.experiment.column_count, 4);
	assert_string_equal(read.experiment.columns[0].name, "sm.l1d.sets=16 sm.l1d.ways=4");
	lab_read_free(&read);
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
static void read_product(struct lab_read *read, char **text, size_t rows, size_t seeds, size_t columns)
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
	lab_read(read, *text);
}

/* Explicit rows are multiplied by the axes of rows. */
static void test_most_cells(void **state)
{
	struct lab_read read;
	char *text;
	(void)state;
	read_product(&read, &text, 10, 400, 250);
	if (!read.fine)
		fail_msg("10 rows, 400 seeds and 250 columns are a million: %s", read.document.diag.text);
	assert_int_equal(read.experiment.row_count, 4000);
	lab_read_free(&read);
	free(text);
	read_product(&read, &text, 10, 400, 251);
	assert_false(read.fine);
	assert_non_null(strstr(read.document.diag.text, "the product has more than 1000000 combinations"));
	lab_read_free(&read);
	free(text);
}

/* A value replaces each of its marks. */
static void test_marks(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read, "title: t\nmetric: cycles\naxes: {n: [7, 8], command: './a {n}x{n}+{n} n {n}'}\n");
	assert_string_equal(read.experiment.rows[1].arguments.word[0], "8x8+8");
	assert_string_equal(read.experiment.rows[1].arguments.word[1], "n");
	assert_string_equal(read.experiment.rows[1].arguments.word[2], "8");
	lab_read_free(&read);
}

/* The words of a list stay whole even if they contain blanks; a single text is split at its blanks. */
static void test_blanks(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read,
	               "title: t\nmetric: cycles\naxes:\n  command: [['./a prog'], './a prog', ['./a prog', 'x y']]\n");
	assert_int_equal(read.experiment.row_count, 3);
	assert_string_equal(read.experiment.rows[0].path, "./a prog");
	assert_int_equal(read.experiment.rows[0].arguments.count, 0);
	assert_string_equal(read.experiment.rows[1].path, "./a");
	assert_string_equal(read.experiment.rows[1].arguments.word[0], "prog");
	assert_string_equal(read.experiment.rows[2].arguments.word[0], "x y");
	lab_read_free(&read);
}

/* An argument may be empty if it is quoted in a list. A missing value is an error. */
static void test_empty_arguments(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read, "title: t\nmetric: cycles\nrows: {one: {program: ./a, arguments: ['', x]}}\n"
	                      "columns: {one: {machine: gtx480, arguments: [\"\"]}}\n");
	assert_int_equal(read.experiment.rows[0].arguments.count, 2);
	assert_string_equal(read.experiment.rows[0].arguments.word[0], "");
	assert_string_equal(read.experiment.columns[0].arguments.word[0], "");
	lab_read_free(&read);
	lab_read_right(&read,
	               "title: t\nmetric: cycles\naxes: {command: [[./a, ''], \"./a '' ''\"], arguments: [['']]}\n");
	assert_int_equal(read.experiment.rows[0].arguments.count, 2);
	assert_int_equal(read.experiment.rows[1].arguments.count, 3);
	lab_read_free(&read);
	lab_read_wrong("title: t\nmetric: cycles\naxes: {command: ./a, arguments: ['', x]}\n",
	               "arguments: holds nothing; an empty argument is written ['']");
	lab_read(&read, "title: t\nmetric: cycles\nrows: {one: {program: ./a, arguments: [~, ]}}\ncolumns: {one: "
	                "{machine: gtx480}}\n");
	assert_true(read.fine); /* ~ is a word */
	lab_read_free(&read);
}

/* Words are quoted such that different lists have different texts. */
static void test_words_as_text(void **state)
{
	static const struct {
		const char *word, *text;
	} cases[] = {{"", "''"},         {"a", "a"},           {"a b", "'a b'"},     {"a'b", "\"a'b\""},
	             {"a\"b", "'a\"b'"}, {"'\"", "\"'\"'\"'"}, {"\"'", "'\"'\"'\""}, {"a\nb", "'a\nb'"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64];
		assert_true(WORD_ROOM(cases[i].word) <= sizeof text);
		char *end = word_put(text, cases[i].word);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(end - text, strlen(text));
		assert_true(strlen(text) < WORD_ROOM(cases[i].word));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),         cmocka_unit_test(test_most_cells),
		cmocka_unit_test(test_blanks),        cmocka_unit_test(test_empty_arguments),
		cmocka_unit_test(test_words_as_text), cmocka_unit_test(test_marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
