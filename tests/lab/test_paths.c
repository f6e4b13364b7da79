/* Protects paths in experiment files. Those of programs are relative to the file's folder and are printed in one form,
 * relative to the current folder. An input file keeps its path in the program's folder unless it leads out of it. */
#include "lab/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check_path(const char *file, const char *program, const char *expected)
{
	char text[512];
	struct arena arena = {0};
	struct experiment experiment = {0};
	snprintf(text, sizeof text,
	         "title: T\nmetric: cycles\ncolumns:\n  A: {machine: gtx480}\nrows:\n  r: {program: %s}\n", program);
	struct document document = {.source = {file, text, strlen(text)}, .arena = &arena};
	if (!experiment_read(&experiment, &document))
		fail_msg("%s", document.diag.text);
	assert_string_equal(experiment.rows[0].path, expected);
	diag_free(&document.diag);
	arena_free(&arena);
}

static void paths_lead_from_the_folder(void **state)
{
	(void)state;
	check_path("x.yaml", "./a", "./a"); /* a word without a slash would be searched in PATH */
	check_path("x.yaml", "sub/a", "sub/a");
	check_path("x.yaml", "../a", "../a");
	check_path("x.yaml", "/bin/a", "/bin/a");
	check_path("./x.yaml", "././a", "./a");
	check_path("x.yaml", ".//a", "./a");
	check_path("dir/x.yaml", "./a", "dir/a");
	check_path("dir/x.yaml", "sub/a", "dir/sub/a");
	check_path("./dir/x.yaml", "./a", "dir/a");
	check_path("dir/x.yaml", "/bin/a", "/bin/a");
	check_path("/home/x.yaml", "./a", "/home/a");
}

/* The program finds the input file `word` by this name. */
static void check_name(const char *word, const char *name)
{
	char text[512];
	struct arena arena = {0};
	struct experiment experiment = {0};
	snprintf(text, sizeof text,
	         "title: T\nmetric: cycles\nfiles: [%s]\ncolumns: {A: {machine: gtx480}}\nrows: {r: {program: ./a}}\n",
	         word);
	struct document document = {.source = {"x.yaml", text, strlen(text)}, .arena = &arena};
	if (!experiment_read(&experiment, &document))
		fail_msg("%s", document.diag.text);
	assert_string_equal(experiment.rows[0].files.word[1], name);
	diag_free(&document.diag);
	arena_free(&arena);
}

static void names_of_files(void **state)
{
	(void)state;
	check_name("in", "in");
	check_name("./in", "in");
	check_name("data/in", "data/in");
	check_name("v1..2/in", "v1..2/in");
	check_name("/data/in", "in");
	check_name("../data/in", "in");
	check_name("./../in", "in");
	check_name("data/../in", "in");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(paths_lead_from_the_folder),
	                                   cmocka_unit_test(names_of_files)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
