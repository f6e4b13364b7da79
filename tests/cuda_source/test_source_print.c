/* Protects the printed output of the static analyzer of CUDA sources, its errors and its flags. */
#include "source_kit.h"

#include <unistd.h>

/* Returns the output of source_print(); the caller frees it. */
static char *print(const char *file, enum source_format format, struct diag *diag)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool fine = source_print(file, &options, format, out, diag);
	fclose(out);
	if (fine)
		return text;
	free(text);
	return NULL;
}

static void sources_are_annotated(void **state)
{
	(void)state;
	struct diag diag = {0};
	char *text = print(TEST_DATA "/source/reads.cu", SOURCE_TEXT, &diag);
	assert_non_null(text);
	assert_non_null(strstr(text, "   68 | \tfloat sum = a[x];\n"
	                             "      |   ^ a[x]: quasi-static; element " X
	                             "; stride in bytes: blockIdx.x 4*blockDim.x threadIdx.x 4\n"));
	assert_non_null(strstr(text, "a[t < 3 ? 1 : 0]: control\n"));
	assert_non_null(strstr(text, "a[t + i]: induction, relaxed quasi-static; element threadIdx.x + i"));
	assert_non_null(strstr(text, "(from calls)"));
	assert_non_null(strstr(text, "helpers.h\n"));
	free(text);
	text = print(TEST_DATA "/source/reads.cu", SOURCE_HTML, &diag);
	assert_non_null(strstr(text, "<span class=\"not\">      |   ^ a[t &lt; 3 ? 1 : 0]: control</span>"));
	assert_non_null(strstr(text, "<span class=\"relaxed\">      |   ^ a[t + i]"));
	assert_non_null(strstr(text, "#include &quot;helpers.h&quot;"));
	free(text);
	text = print(TEST_DATA "/source/reads.cu", SOURCE_TABLE, &diag);
	assert_non_null(strstr(text, "  relaxed  static "));
	free(text);
	assert_null(diag.text);
}

static void refused(const char *source, const char *message)
{
	char path[] = "/tmp/sluice-source-XXXXXX.cu";
	int file = mkstemps(path, 3);
	assert_true(file >= 0);
	assert_int_equal(write(file, source, strlen(source)), strlen(source));
	close(file);
	struct diag diag = {0};
	char expected[256];
	assert_null(source_analyze(path, &options, &diag));
	unlink(path);
	snprintf(expected, sizeof expected, "%s:%s", path, message);
	assert_non_null(diag.text);
	if (!strstr(diag.text, expected))
		fail_msg("expected '%s' in\n%s", expected, diag.text);
	diag_free(&diag);
}

static void errors(void **state)
{
	(void)state;
	refused("__global__ void k(int *a)\n{\n\ta[0] = b;\n}\n", "3:9: error: use of undeclared identifier 'b'\n"
	                                                          "  3 | \ta[0] = b;\n");
	refused("\n#include \"no such file.h\"\n", "2:10: error: 'no such file.h' file not found");
	refused("int main() { return 0 }\n", "1:22: error: expected ';' after return statement");

	struct diag diag = {0};
	assert_null(source_analyze("no/such/file.cu", &options, &diag));
	assert_non_null(strstr(diag.text, "cannot read no/such/file.cu: No such file or directory"));
	diag_free(&diag);
	diag = (struct diag){0};
	struct source_options other = options;
	other.compiler = "no-such-compiler";
	assert_null(source_analyze(TEST_DATA "/source/reads.cu", &other, &diag));
	assert_non_null(strstr(diag.text, "cannot start no-such-compiler"));
	diag_free(&diag);
}

static void flags_reach_the_compiler(void **state)
{
	(void)state;
	char path[] = "/tmp/sluice-source-XXXXXX.cu";
	const char source[] = "__global__ void k(const float *a, float *b) { b[0] = a[PLACE]; }\n";
	int file = mkstemps(path, 3);
	assert_int_equal(write(file, source, sizeof source - 1), sizeof source - 1);
	close(file);
	struct diag diag = {0};
	struct source_options other = options;
	other.flags = (const char *const[]){"-DPLACE=7", NULL};
	struct source_module *module = source_analyze(path, &other, &diag);
	unlink(path);
	assert_non_null(module);
	assert_string_equal(module->kernels[0].indexes[0].expanded, "7");
	source_free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_are_annotated),
		cmocka_unit_test(errors),
		cmocka_unit_test(flags_reach_the_compiler),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
