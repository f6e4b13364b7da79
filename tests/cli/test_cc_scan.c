/* Protects the source scanners of `sluice cc` against endless loops and out-of-bounds reads. Inputs are shuffled
 * declarations, comments, strings, launches and brackets, truncated anywhere, down to an empty file. Each scan ends,
 * and the text passed to clang has the same number of lines as the source.
 *
 *   test_cc_scan [CASES [SEED]]    more cases, run manually */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "cli/cc/cc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 10 };

static unsigned cases = 1500;
static uint64_t random_state = 1;
static char folder[] = "/tmp/test-cc-scan-XXXXXX", source[64], current[8192];

/* xorshift64*: the same numbers on every host. */
static uint32_t below(uint32_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1du) >> 32) % limit;
}

static const char *any_piece(void)
{
	static const char *const pieces[] = {"static",
	                                     "extern",
	                                     "volatile",
	                                     "const",
	                                     "__device__",
	                                     "__shared__",
	                                     "__global__",
	                                     "__host__",
	                                     "__constant__",
	                                     "alignas(16)",
	                                     "alignas(",
	                                     "alignas",
	                                     "asm",
	                                     "asm volatile(",
	                                     "\"%laneid\"",
	                                     ":",
	                                     "\"",
	                                     "'",
	                                     "R\"x(",
	                                     ")x\"",
	                                     "/*",
	                                     "*/",
	                                     "//",
	                                     "\n",
	                                     " ",
	                                     "\t",
	                                     "\\",
	                                     "\\\n",
	                                     "#",
	                                     "#define",
	                                     "#include",
	                                     "#include \"",
	                                     "#include <",
	                                     "<<<",
	                                     ">>>",
	                                     "<< <",
	                                     ">> >",
	                                     "<",
	                                     ">",
	                                     "(",
	                                     ")",
	                                     "{",
	                                     "}",
	                                     "[",
	                                     "]",
	                                     ";",
	                                     ",",
	                                     "::",
	                                     "~T(){",
	                                     "operator",
	                                     "int",
	                                     "x",
	                                     "k",
	                                     "f<3>",
	                                     "1'000",
	                                     "=",
	                                     "return",
	                                     "%",
	                                     "%%",
	                                     "@",
	                                     "L\"",
	                                     "DEVICE",
	                                     "\r\n",
	                                     "\xff"};
	return pieces[below(sizeof pieces / sizeof *pieces)];
}

static size_t lines_of(const char *text, size_t length)
{
	size_t lines = 0;
	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* The rewritten copy of the only source: the file that the overlay names after "external-contents". */
static void check_overlay(const char *overlay, size_t lines)
{
	static const char key[] = "\"external-contents\": \"";
	size_t length;
	char *text = file_read(overlay, &length);
	assert_non_null(text);
	char *path = strstr(text, key);
	assert_non_null(path);
	path += sizeof key - 1;
	path[strcspn(path, "\"")] = '\0';
	char *rewritten = file_read(path, &length);
	assert_non_null(rewritten);
	assert_int_equal(lines_of(rewritten, length), lines);
	unlink(path);
	unlink(overlay);
	free(rewritten);
	free(text);
}

static void scan(const char *text, size_t length)
{
	struct cc cc = {.name = "test", .temporary = folder};
	memcpy(current, text, length + 1);
	FILE *file = fopen(source, "w");
	assert_non_null(file);
	fwrite(text, 1, length, file);
	fclose(file);
	alarm(LIMIT_SECONDS);
	const char *overlay = cc_rewrite_launches(&cc, source);
	alarm(0);
	if (overlay)
		check_overlay(overlay, lines_of(text, length));
	arena_free(&cc.arena);
}

static void test_ends(void **state)
{
	static const char *const texts[] = {"",
	                                    "\n",
	                                    "s",
	                                    "static __device__ int x;",
	                                    "extern __device__ int x;",
	                                    "__device__",
	                                    "static __device__",
	                                    "volatile const static __device__",
	                                    "__device__ __shared__",
	                                    "alignas",
	                                    "alignas(",
	                                    "__shared__ alignas(",
	                                    "\"",
	                                    "'",
	                                    "\"\\",
	                                    "R\"",
	                                    "R\"(",
	                                    "/*",
	                                    "/",
	                                    "//",
	                                    "#",
	                                    "#include",
	                                    "#include \"",
	                                    "#include \"x",
	                                    "<",
	                                    "<<",
	                                    "<<<",
	                                    "> > >",
	                                    "asm(\"",
	                                    "asm(\"%x\" :",
	                                    "asm(\"%x\\",
	                                    "__device__ void f() { k<<<1",
	                                    "}}}}",
	                                    "))))",
	                                    "__device__ void f() { asm(\"%x\" ::) > <<<1>>>",
	                                    "__shared__ alignas(__device__ __shared__) int x"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		scan(texts[i], strlen(texts[i]));
}

static void test_shuffled(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cases; i++) {
		char text[1024] = "";
		for (uint32_t pieces = below(40); pieces; pieces--) {
			strcat(text, any_piece());
			if (below(3))
				strcat(text, " ");
		}
		size_t length = strlen(text);
		if (length && !below(2))
			text[length = below((uint32_t)length)] = '\0';
		scan(text, length);
	}
}

static void say_source(int number)
{
	(void)number;
	static const char what[] = "the scan of this source does not end:\n";
	if (write(STDERR_FILENO, what, sizeof what - 1) < 0 || write(STDERR_FILENO, current, strlen(current)) < 0)
		_exit(2);
	_exit(1);
}

static int begin(void **state)
{
	(void)state;
	signal(SIGALRM, say_source);
	if (!mkdtemp(folder))
		return 1;
	snprintf(source, sizeof source, "%s/source.cu", folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(source);
	return rmdir(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_shuffled)};
	if (argc > 1)
		cases = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		random_state = strtoull(argv[2], NULL, 10) | 1;
	return cmocka_run_group_tests(tests, begin, end);
}
