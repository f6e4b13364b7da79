/* Protects against modules that are too large, too deep or truncated: each has one message, after a short time. */
#include "simt_kit.h"

#include <time.h>

#define HEAD   ".version 7.0\n.target sm_80\n.address_size 64\n"
#define KERNEL HEAD ".visible .entry kernel(.param .u64 a)\n{\n.reg .b32 %r<4>;\n"

/* Returns `count` copies of the text between a head and a tail; the caller frees it. */
static char *repeated(const char *head, const char *text, size_t count, const char *tail)
{
	size_t length = strlen(text);
	char *all = malloc(strlen(head) + length * count + strlen(tail) + 1), *at = all;
	assert_non_null(all);
	at = stpcpy(at, head);
	for (size_t i = 0; i < count; i++, at += length)
		memcpy(at, text, length);
	strcpy(at, tail);
	return all;
}

/* Checks that the parser or the decoder reports exactly one message, with a position and these words. */
static void check_one(const char *text, const char *words)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("limit.ptx", text, strlen(text), &diag);
	if (module)
		assert_null(simt_decode(ptx_find_function(module, "kernel"), kit_reconverge, &diag));
	if (diag.errors != 1 || !strstr(diag.text, words) || strncmp(diag.text, "limit.ptx:", 10) != 0)
		fail_msg("%.200s\n%s", text, diag.text);
	ptx_free(module);
	diag_free(&diag);
}

static void check_repeated(const char *head, const char *text, size_t count, const char *tail, const char *words)
{
	char *all = repeated(head, text, count, tail);
	check_one(all, words);
	free(all);
}

/* Protects against sizes beyond any memory, and sizes that overflow the numbers that count them. */
static void test_sizes(void **state)
{
	(void)state;
	check_one(HEAD ".global .align 3 .u32 x;\n", "alignment 3; expected a power of two");
	check_one(HEAD ".global .align 4294967296 .u32 x;\n", "expected an alignment of at most 1048576");
	check_one(HEAD ".global .u32 x[1099511627776];\n", "the variable is too large");
	check_one(HEAD ".global .u32 x[4294967296][4294967296];\n", "the variable is too large");
	check_one(HEAD ".global .b8 x[268435457] = {1};\n", "an initial value for 268435457 bytes");
	check_one(HEAD ".visible .entry kernel(.param .b8 a[1099511627776])\n{\nret;\n}\n", "expected at most 32764");
	check_one(HEAD ".visible .entry kernel(.param .b8 a[8589934592], .param .u32 b)\n{\nret;\n}\n",
	          "have 8589934596 bytes; expected at most 32764");
	check_one(KERNEL ".local .b8 x[1073741824];\nret;\n}\n",
	          "1073741824 bytes of local memory; expected at most 524288");
}

/* Protects against overflow of the host's stack, and against one message per level. */
static void test_depths(void **state)
{
	(void)state;
	char *ends = repeated("", "}", 100000, "ret;\n}\n");
	check_repeated(KERNEL, "{", 100000, ends, "blocks nested too deep");
	free(ends);
	check_repeated(KERNEL "mov.u32 %r1, ", "(", 100000, "1;\nret;\n}\n", "nested too deep");
	check_repeated(KERNEL "mov.u32 %r1, ", "-", 100000, "1;\nret;\n}\n", "nested too deep");
	check_repeated(KERNEL "mov.u32 %r1, ", "1 ? 1 : ", 100000, "1;\nret;\n}\n", "nested too deep");
	check_repeated(HEAD ".global .u32 x", "[1]", 100000, ";\n", "too many dimensions");
}

/* Protects against truncated input. */
static void test_ends(void **state)
{
	(void)state;
	check_one("", "expected '.version'");
	check_one(".target sm_80\n.visible .entry kernel()\n{\nret;\n}\n", "expected '.version'");
	check_one(KERNEL, "unexpected end of the file; expected '}'");
	check_one(HEAD "/* \n", "a comment without end");
	check_one(HEAD ".file 1 \"abc\n", "a string without end");
	check_one(HEAD ".visible .entry kernel(.param .u32\n", "unexpected end of the file; expected ')'");
	check_one(HEAD ".section .debug {\n", "unexpected end of the file; expected '}'");
	check_one(KERNEL "mov.b64 {%r1\nret;\n}\n", "expected '}'");
	check_one(KERNEL "mov.b64 {%r1, %q}, 1;\nret;\n}\n", "unknown name '%q'");
}

enum { MANY = 100000 };

/* A module of `text` is decoded in seconds. */
static void check_time(char *text, const char *what)
{
	struct kit kit;
	clock_t start = clock();
	kit_open(&kit, text);
	assert_int_not_equal(flow_kernel_registers(kit.program->kernel), 0);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	kit_close(&kit);
	free(text);
	if (seconds > 5)
		fail_msg("%.1f s for %s", seconds, what);
}

/* Protects against work that grows with the square of a module's size. */
static void test_time(void **state)
{
	(void)state;
	char *text = malloc(MANY * 64), *at = text;
	assert_non_null(text);
	at = stpcpy(at, HEAD);
	for (int i = 0; i < MANY; i++)
		at += sprintf(at, ".global .u32 v%d;\n", i);
	at = stpcpy(at, ".visible .entry kernel()\n{\n.reg .b32 %r<4>;\n");
	for (int i = 0; i < MANY; i++)
		at += sprintf(at, "L%d: add.u32 %%r1, %%r1, %d;\n", i, i);
	strcpy(at, "ret;\n}\n");
	check_time(text, "variables, labels and constants");
}

/* Protects against the same, and against recursion on the host's stack, where functions call one another in a chain. */
static void test_chain(void **state)
{
	(void)state;
	enum { FUNCTIONS = 50000 }; /* so that their parameters fit into local memory */
	char *text = malloc(FUNCTIONS * 128), *at = text;
	assert_non_null(text);
	at = stpcpy(at, HEAD ".func f0(.param .b32 a)\n{\nret;\n}\n");
	for (int i = 1; i < FUNCTIONS; i++)
		at += sprintf(at, ".func f%d(.param .b32 a)\n{\n.param .b32 b;\ncall f%d, (b);\nret;\n}\n", i, i - 1);
	sprintf(at, ".visible .entry kernel()\n{\n.reg .b32 %%r<4>;\nmov.u32 %%r1, 0;\ncall f%d, (%%r1);\nret;\n}\n",
	        FUNCTIONS - 1);
	check_time(text, "a chain of calls");
}

/* Protects against the same where every function can call every other by address, and one place calls each by name. One
 * edge per pair would make 4e8 edges. */
static void test_calls_by_address(void **state)
{
	(void)state;
	enum { FUNCTIONS = 20000 };
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, HEAD);
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(file,
		        ".func f%d()\n{\n.reg .b64 %%d<2>;\nmov.u64 %%d1, f%d;\nprototype: .callprototype _ ();\n"
		        "call %%d1, prototype;\nret;\n}\n",
		        i, i);
	fprintf(file, ".visible .entry kernel()\n{\n.reg .b64 %%d<2>;\nprototype: .callprototype _ ();\n");
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(file, "mov.u64 %%d1, f%d;\ncall %%d1, prototype;\ncall f%d;\n", i, i);
	fprintf(file, "ret;\n}\n");
	fclose(file);
	check_time(text, "calls by address");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_depths),
	                                   cmocka_unit_test(test_ends),  cmocka_unit_test(test_time),
	                                   cmocka_unit_test(test_chain), cmocka_unit_test(test_calls_by_address)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
