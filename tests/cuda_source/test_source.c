/* Protects the static analyzer of CUDA sources: each form of access, each status, the rows that an index covers, the
 * printed output, and errors. */
#include "cuda_source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct source_options options = {.toolkit = BUILD_DIR "/toolkit"};
static struct source_module *reads, *traps; /* from tests/data/source */

static struct source_module *read_file(const char *file)
{
	struct diag diag = {0};
	struct source_module *module = source_analyze(file, &options, &diag);
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	return module;
}

static int read_files(void **state)
{
	(void)state;
	reads = read_file(TEST_DATA "/source/reads.cu");
	traps = read_file(TEST_DATA "/source/traps.cu");
	return reads && traps ? 0 : -1;
}

static int forget(void **state)
{
	(void)state;
	source_free(reads);
	source_free(traps);
	return 0;
}

static const struct source_kernel *find(const struct source_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (strcmp(module->kernels[i].name, name) == 0)
			return &module->kernels[i];
	fail_msg("no kernel %s", name);
	return NULL;
}

struct expected {
	const char *array, *text;
	enum source_status strict, relaxed;
	const char *expanded; /* NULL: absent */
};

static void check(const struct source_kernel *kernel, const struct expected *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count && i < kernel->index_count; i++) {
		const struct source_index *index = &kernel->indexes[i];
		if (strcmp(index->text, expected[i].text) != 0)
			fail_msg("%s, read %u: '%s', expected '%s'", kernel->name, i, index->text, expected[i].text);
		assert_string_equal(kernel->arrays[index->array].name, expected[i].array);
		if (index->status != expected[i].strict || index->relaxed != expected[i].relaxed)
			fail_msg("%s, '%s' of line %u: %s, relaxed %s", kernel->name, index->text, index->line,
			         source_status_name(index->status), source_status_name(index->relaxed));
		if (!expected[i].expanded)
			assert_null(index->expanded);
		else
			assert_string_equal(index->expanded, expected[i].expanded);
	}
	assert_int_equal(kernel->index_count, count);
}

#define CHECK(name, list) check(find(reads, name), list, sizeof(list) / sizeof *(list))
#define QUASI             SOURCE_QUASI_STATIC, SOURCE_QUASI_STATIC
#define STATIC            SOURCE_STATIC, SOURCE_STATIC
#define NOT(cause)        SOURCE_##cause, SOURCE_##cause
#define RELAXED           SOURCE_INDUCTION, SOURCE_QUASI_STATIC
#define X                 "blockIdx.x*blockDim.x + threadIdx.x"

static void forms_of_access(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "x", QUASI, X},
		{"a", "1", QUASI, X " + 1"},
		{"a", "2", STATIC, "2"},
		{"pairs", "x", QUASI, X},
		{"pairs", "pairs[x].parts[FIRST]", QUASI, "6*blockIdx.x*blockDim.x + 6*threadIdx.x + 5"},
		{"pairs", "(pairs + x)->first", QUASI, X},
		{"a", "x - SECOND", QUASI, "blockIdx.x*blockDim.x + width + threadIdx.x - 4"},
		{"a", "x", QUASI, "blockIdx.x*blockDim.x + width + threadIdx.x - 2"},
		{"a", "x", QUASI, X},
		{"a", "x", QUASI, X},
		{"a", "x", QUASI, X},
		{"a", "((FIRST)*width + (x))", QUASI, "blockIdx.x*blockDim.x + 3*width + threadIdx.x"},
		{"a", "x", QUASI, X},
		{"pairs", "x", QUASI, X},
		{"pairs", "x", QUASI, X},
		{"a", "named", QUASI, X},
		{"a", "shifted", QUASI, X " + 5"},
		{"out", "x", QUASI, X},
		{"out", "x", QUASI, X},
		{"pairs", "x + 1", QUASI, X " + 1"},
		{"out", "element(out, x)", QUASI, X},
	};
	CHECK("forms", expected);
	assert_int_equal(find(reads, "forms")->array_count, 3);
	assert_int_equal(find(reads, "forms")->arrays[1].element_size, 24);
	assert_int_equal(find(reads, "forms")->indexes[0].line, 68);
}

static void called_functions_are_followed(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "i + 1", QUASI, "threadIdx.x + 1"},
		{"a", "2 + i", QUASI, "threadIdx.x + 2"},
		{"a", "2 * i", QUASI, "2*threadIdx.x"},
		{"a", "*from", QUASI, "threadIdx.x"},
		{"grid.cells", "t * grid.width", QUASI, "threadIdx.x*grid.width"},
		{"grid.cells", "i", QUASI, "threadIdx.x"},
	};
	CHECK("calls", expected);
	assert_non_null(strstr(find(reads, "calls")->indexes[1].file, "helpers.h"));
	assert_int_equal(find(reads, "calls")->indexes[1].line, 4);
}

static void statuses(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "0", STATIC, "0"},
		{"a", "blockDim.x * gridDim.y + n", STATIC, "blockDim.x*gridDim.y + n"},
		{"a", "blockIdx.z + t", QUASI, "threadIdx.x + blockIdx.z"},
		{"b", "t", QUASI, "threadIdx.x"},
		{"a", "b[t]", NOT(INDIRECT), NULL},
		{"a", "tile[t]", NOT(INDIRECT), NULL},
		{"a", "table[t]", NOT(INDIRECT), NULL},
		{"a", "anywhere", NOT(INDIRECT), NULL},
		{"a", "t < 3 ? 1 : 0", NOT(CONTROL), NULL},
		{"a", "place", NOT(CONTROL), NULL},
		{"a", "either(t)", NOT(CONTROL), NULL},
		{"a", "place", NOT(CONTROL), NULL},
		{"a", "t / 2", NOT(OPERATOR), NULL},
		{"a", "t & 3", NOT(OPERATOR), NULL},
		{"a", "t << 1", NOT(OPERATOR), NULL},
		{"a", "min(t, n)", NOT(OPERATOR), NULL},
		{"a", "(int)(t * 0.5f)", NOT(OPERATOR), NULL},
		{"a", "(unsigned char)t", NOT(OPERATOR), NULL},
		{"a", "16 / 4 + (1 << 3)", STATIC, "12"},
		{"b", "t", QUASI, "threadIdx.x"},
		{"a", "b[t] / 2", NOT(OPERATOR), NULL},
		{"a", "t * blockIdx.x", QUASI, "threadIdx.x*blockIdx.x"},
		{"a", "output", NOT(OPERATOR), NULL},
		{"a", "counter.at", QUASI, "threadIdx.x"},
		{"a", "counter.at", NOT(OPERATOR), NULL},
	};
	CHECK("statuses", expected);
	assert_true(find(reads, "statuses")->indexes[2].affine);
	assert_false(find(reads, "statuses")->indexes[21].affine);
	/* the path that returned does not affect the other path; a goto makes every later index control-dependent */
	static const struct expected early[] = {{"a", "t", QUASI, "n + threadIdx.x"}};
	CHECK("early", early);
	static const struct expected jumps[] = {{"a", "i", NOT(CONTROL), NULL}};
	CHECK("jumps", jumps);
}

static void loops(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "t + i", RELAXED, "threadIdx.x + i"},
		{"a", "i", RELAXED, "blockDim.x*gridDim.x*trip(i) + threadIdx.x"},
		{"a", "i", RELAXED, "n - trip(i) - 1"},
		{"a", "d", RELAXED, "n - trip(d)"},
		{"a", "t", RELAXED, "n*trip(row) + threadIdx.x"},
		{"b", "0", STATIC, "0"},
		{"b", "1", STATIC, "1"},
		{"a", "i", NOT(INDUCTION), NULL},
		{"a", "i * 8 + j", RELAXED, "8*i + j"},
		{"a", "i", NOT(INDUCTION), NULL},
		{"b", "i", RELAXED, "i"},
		{"a", "found", NOT(CONTROL), NULL},
		{"a", "chased", NOT(INDIRECT), NULL},
		{"b", "chased", NOT(INDIRECT), NULL},
		{"a", "n", NOT(INDUCTION), NULL},
	};
	CHECK("loops", expected);
}

/* Side effects that may not execute, or that may have executed earlier, must not give a wrong range. */
static void side_effects(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "i", QUASI, "threadIdx.x"},     {"a", "i", NOT(CONTROL), NULL},
		{"a", "j", NOT(CONTROL), NULL},       {"a", "k", NOT(CONTROL), NULL},
		{"a", "m", QUASI, "threadIdx.x + 2"}, {"a", "t + 0xffffffffu", NOT(OPERATOR), NULL},
	};
	CHECK("side_effects", expected);
}

static void templates(void **state)
{
	(void)state;
	static const struct expected expected[] = {{"a", "i + WIDTH", QUASI, "blockIdx.x*WIDTH + WIDTH + threadIdx.x"}};
	CHECK("generic", expected);
	assert_int_equal(find(reads, "generic")->arrays[0].element_size, 0);
	/* when it is called, its arguments are known */
	static const struct expected called[] = {{"a", "(blockIdx.y * SIZE + threadIdx.y) * width + SIZE - 1", QUASI,
	                                          "16*width*blockIdx.y + width*threadIdx.y + 15"}};
	CHECK("calls_template", called);
}

/* Values of n and width, and the template arguments of `generic`. */
static bool argument(void *context, const char *name, int64_t *value)
{
	const int64_t *n = context;
	*value = strcmp(name, "sizeof(T)") == 0 ? 8 : strcmp(name, "WIDTH") == 0 ? 32 : *n;
	return strcmp(name, "unknown") != 0;
}

#define TRAPS(name, list) check(find(traps, name), list, sizeof(list) / sizeof *(list))

/* If a variable may change through something other than its own name, no range is derived from assignments to that
 * name. */
static void what_others_change(void **state)
{
	(void)state;
	static const struct expected aliases[] = {
		{"a", "i", STATIC, "7"},
		{"a", "j", NOT(INDIRECT), NULL},
		{"a", "k", NOT(INDIRECT), NULL},
		{"a", "m", NOT(INDIRECT), NULL},
		{"a", "q", NOT(INDIRECT), NULL},
		{"a", "r", NOT(INDIRECT), NULL},
		{"a", "u", NOT(INDIRECT), NULL},
		{"a", "v", NOT(OPERATOR), NULL},
		{"a", "w", STATIC, "4"},
		{"a", "x", NOT(INDIRECT), NULL},
		{"a", "copy", QUASI, "threadIdx.x"},
		{"a", "f(i)", NOT(OPERATOR), NULL},
		{"a", "z", NOT(INDIRECT), NULL},
	};
	TRAPS("aliases", aliases);
	static const struct expected lambdas[] = {{"a", "j", NOT(CONTROL), NULL}, {"a", "i", QUASI, "threadIdx.x + 5"}};
	TRAPS("lambdas", lambdas);
	static const struct expected members[] = {
		{"a", "both.x", NOT(INDIRECT), NULL},        {"a", "again.width", NOT(CONTROL), NULL},
		{"a", "before.width", STATIC, "grid.width"}, {"a", "grid.width", STATIC, "grid.width + 1"},
		{"a", "pair.x", NOT(INDIRECT), NULL},        {"a", "pair.y", STATIC, "6"},
	};
	TRAPS("members", members);
	static const struct expected names[] = {{"a", "blockDim.x", STATIC, "3"},
	                                        {"a", "threadIdx.x", NOT(INDIRECT), NULL},
	                                        {"a", "kept", NOT(INDIRECT), NULL}};
	TRAPS("names", names);
}

/* Types narrower than int wrap around. So do constants during the analysis. */
static void narrow_types_wrap_around(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "k", STATIC, "4"},
		{"a", "k", NOT(OPERATOR), NULL},
		{"a", "s", NOT(OPERATOR), NULL},
		{"a", "c", NOT(INDUCTION), NULL},
		{"a", "(bool)t", NOT(OPERATOR), NULL},
		{"a", "pair.bits", NOT(INDIRECT), NULL},
		{"a", "word.whole", NOT(INDIRECT), NULL},
		{"a", "m - 0x7ffffff0", STATIC, "12"},
		{"a", "(-1u >> 1) - 0x7ffffff0", STATIC, "15"},
		{"a", "0xffffffffffffffffull / 2 > 5", NOT(OPERATOR), NULL},
	};
	TRAPS("narrow", expected);
	/* T of a template may be narrow, and a called template's T may differ from the kernel's */
	static const struct expected generic[] = {{"a", "wraps", NOT(OPERATOR), NULL},
	                                          {"a", "n + threadIdx.x", NOT(OPERATOR), NULL},
	                                          {"b", "i", QUASI, "threadIdx.x"}};
	TRAPS("generic", generic);
}

static void what_may_not_be_evaluated(void **state)
{
	(void)state;
	static const struct expected expected[] = {
		{"a", "j", NOT(CONTROL), NULL},
		{"a", "k", NOT(CONTROL), NULL},
		{"a", "l", STATIC, "2"},
		{"a", "m", NOT(CONTROL), NULL},
		{"a", "add(n)", NOT(OPERATOR), NULL},
		{"a", "restored", NOT(CONTROL), NULL},
		{"a", "left", NOT(CONTROL), NULL},
		{"a", "c9", NOT(INDUCTION), NULL},
	};
	TRAPS("control", expected);
	static const struct expected jump[] = {{"a", "i", NOT(CONTROL), NULL}};
	TRAPS("jump_into", jump);
}

static uint32_t rows_of(const char *name, uint32_t index, struct source_launch launch, int64_t n,
                        struct source_row *rows, uint32_t capacity)
{
	const struct source_kernel *kernel = find(reads, name);
	uint32_t count;
	launch.argument = argument;
	launch.context = &n;
	assert_true(source_rows(kernel, &kernel->indexes[index], &launch, rows, capacity, &count));
	return count;
}

static void a_tile_is_a_row_for_each_line_of_threads(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 4, 1}, .block = {16, 8, 1}, .gap = 127};
	struct source_row rows[64];
	assert_int_equal(rows_of("tile", 0, launch, 1000, rows, 64), 8);
	for (int y = 0; y < 8; y++) {
		assert_int_equal(rows[y].least, 4000 * y);
		assert_int_equal(rows[y].most, 4000 * y + 64);
		assert_int_equal(rows[y].stride[0], 64);
		assert_int_equal(rows[y].stride[1], 8 * 4000);
		assert_int_equal(rows[y].stride[2], 0);
	}
	/* rows as wide as the tile adjoin: a cache line that both touch is read in any case */
	assert_int_equal(rows_of("tile", 0, launch, 16, rows, 64), 1);
	assert_int_equal(rows[0].most, 16 * 8 * 4);
	assert_int_equal(rows_of("tile", 0, launch, 47, rows, 64), 1);
	assert_int_equal(rows_of("tile", 0, launch, 48, rows, 64), 8);
	/* the row above; a column; a column downwards */
	assert_int_equal(rows_of("tile", 1, launch, 1000, rows, 64), 8);
	assert_int_equal(rows[0].least, -4000);
	assert_int_equal(rows_of("tile", 2, launch, 1000, rows, 64), 16);
	assert_int_equal(rows[15].least, 15 * 4000);
	assert_int_equal(rows[15].most, 15 * 4000 + 4);
	assert_int_equal(rows_of("tile", 3, launch, 1000, rows, 64), 1);
	assert_int_equal(rows[0].least, -15 * 4);
	assert_int_equal(rows[0].most, 4);
	assert_int_equal(rows[0].stride[0], -64);
	/* threads three elements apart, and a loop over the elements between them */
	assert_int_equal(rows_of("tile", 4, launch, 1000, rows, 64), 1);
	assert_int_equal(rows[0].most, 16 * 3 * 4);
	/* rows beyond the array's capacity are counted but not stored */
	assert_int_equal(rows_of("tile", 2, launch, 1000, rows, 2), 16);
}

static void rows_of_loops_cover_their_range(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .gap = 127};
	struct source_row rows[64];
	assert_int_equal(rows_of("loops", 0, launch, 10, rows, 64), 1); /* t + i */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, (31 + 9 + 1) * 4);
	assert_int_equal(rows_of("loops", 1, launch, 300, rows, 64), 3); /* consecutive rows are 128 elements apart */
	assert_int_equal(rows[2].least, 2 * 128 * 4);
	assert_int_equal(rows[2].most, (2 * 128 + 32) * 4);
	assert_int_equal(rows_of("loops", 1, launch, 257, rows, 64), 3);
	assert_int_equal(rows_of("loops", 1, launch, 256, rows, 64), 2);
	assert_int_equal(rows_of("loops", 2, launch, 10, rows, 64), 1); /* n - 1 down to 0 */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, 40);
	assert_int_equal(rows_of("loops", 3, launch, 10, rows, 64), 1); /* n down to 0, with the condition last */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, 44);
	assert_int_equal(rows_of("loops", 4, launch, 1000, rows, 64), 4); /* a pointer advanced by n */
	assert_int_equal(rows[3].least, 3 * 4000);
	assert_int_equal(rows_of("loops", 8, launch, 10, rows, 64), 1); /* the inner bound is the outer variable */
	assert_int_equal(rows[0].most, (3 * 8 + 3 + 1) * 4);
	assert_int_equal(rows_of("loops", 0, launch, 0, rows, 64), 0); /* no iterations */
	assert_int_equal(rows_of("generic", 0, launch, 0, rows, 64), 1);
	assert_int_equal(rows[0].least, 32 * 8);
	assert_int_equal(rows[0].most, 64 * 8);
}

static void what_has_no_rows(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .gap = 127};
	const struct source_kernel *statuses = find(reads, "statuses"), *loops = find(reads, "loops");
	struct source_row row;
	uint32_t count;
	assert_false(source_rows(statuses, &statuses->indexes[4], &launch, &row, 1, &count));  /* indirect */
	assert_false(source_rows(statuses, &statuses->indexes[21], &launch, &row, 1, &count)); /* of degree two */
	assert_false(source_rows(loops, &loops->indexes[0], &launch, &row, 1, &count));        /* n is unknown */
	assert_true(source_rows(statuses, &statuses->indexes[0], &launch, &row, 1, &count));
}

/* Argument values by name: n = 3, s = 5; u from the context. */
static bool argument_of_wraps(void *context, const char *name, int64_t *value)
{
	*value = *name == 'u' ? *(int64_t *)context : *name == 's' ? 5 : 3;
	return true;
}

/* Where an integer wraps around, its polynomial is wrong: there are no rows. */
static void what_wraps_around_has_no_rows(void **state)
{
	(void)state;
	static const struct {
		uint32_t index;
		int64_t u;
		int64_t least, most; /* in elements; both 0: no rows */
	} expected[] = {
		/* as a 64-bit index, t - 5u is 2^32 - 5 in thread 0 */
		{0, 8, 0, 0},
		{1, 8, -5, 27}, /* as an int it is -5 */
		/* adding 5 before the widening gives t again */
		{2, 8, 0, 32},
		{3, 8, 0, 0}, /* adding 5 after it does not */
		{4, 8, -1, 31},
		{5, 8, 0, 0},
		{5, 0, 0, 32},
		{6, 8, 0, 1},
		{7, 8, 0, 94},
		{8, 12, 0, 3}, /* below 12 - 9 */
		{8, 8, 0, 0},  /* below 2^32 - 1 */
		{9, 8, 5, 8},
		{9, 3, 0, 0}, /* from 5 up to 3: wraps around */
		{10, 8, 0, 5},
		{10, 6, 0, 0}, /* in steps of 4: never 6 */
		{11, 12, 0, 3},
		{12, 8, 0, 8},
	};
	const struct source_kernel *kernel = find(traps, "wraps");
	assert_int_equal(kernel->index_count, 13);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct source_launch launch = {.grid = {1, 1, 1},
		                               .block = {32, 1, 1},
		                               .gap = 127,
		                               .argument = argument_of_wraps,
		                               .context = (void *)&expected[i].u};
		struct source_row row = {0};
		uint32_t count;
		bool known = source_rows(kernel, &kernel->indexes[expected[i].index], &launch, &row, 1, &count);
		if (known != (expected[i].most != expected[i].least) || row.least != 4 * expected[i].least ||
		    row.most != 4 * expected[i].most)
			fail_msg("line %zu of the table: bytes [%lld, %lld)", i, (long long)row.least,
			         (long long)row.most);
	}
}

/* TELEPORT Table 1: of BFS's 7 indexes 5 are precalculable, one is an induction variable and one is indirect. */
static void bfs_is_as_in_the_paper(void **state)
{
	(void)state;
	struct diag diag = {0};
	struct source_module *module = source_analyze(SOURCE_DIR "/programs/bfs/bfs.cu", &options, &diag);
	assert_non_null(module);
	const struct source_kernel *kernel = find(module, "Kernel");
	static const struct expected expected[] = {
		{"mask", "tid", QUASI, X},
		{"nodes", "tid", QUASI, X},
		{"nodes", "tid", QUASI, X},
		{"nodes", "tid", QUASI, X},
		{"edges", "i", NOT(INDUCTION), NULL},
		{"visited", "id", NOT(INDIRECT), NULL},
		{"cost", "tid", QUASI, X},
	};
	check(kernel, expected, 7);
	struct source_counts counts = {0};
	source_count(kernel, &counts);
	assert_int_equal(counts.arrays, 6);
	assert_int_equal(counts.indexes, 7);
	assert_int_equal(counts.strict[SOURCE_QUASI_STATIC], 5);
	source_free(module);
}

static void effort_is_lines_of_code(void **state)
{
	(void)state;
	struct diag diag = {0};
	uint32_t lines;
	assert_true(source_effort(find(reads, "effort"), &lines, &diag));
	assert_int_equal(lines, 4);
	assert_true(source_effort(find(reads, "effort_in_one"), &lines, &diag));
	assert_int_equal(lines, 1);
}

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
		cmocka_unit_test(forms_of_access),
		cmocka_unit_test(called_functions_are_followed),
		cmocka_unit_test(statuses),
		cmocka_unit_test(loops),
		cmocka_unit_test(side_effects),
		cmocka_unit_test(templates),
		cmocka_unit_test(a_tile_is_a_row_for_each_line_of_threads),
		cmocka_unit_test(rows_of_loops_cover_their_range),
		cmocka_unit_test(what_has_no_rows),
		cmocka_unit_test(what_others_change),
		cmocka_unit_test(narrow_types_wrap_around),
		cmocka_unit_test(what_may_not_be_evaluated),
		cmocka_unit_test(what_wraps_around_has_no_rows),
		cmocka_unit_test(bfs_is_as_in_the_paper),
		cmocka_unit_test(effort_is_lines_of_code),
		cmocka_unit_test(sources_are_annotated),
		cmocka_unit_test(errors),
		cmocka_unit_test(flags_reach_the_compiler),
	};
	return cmocka_run_group_tests(tests, read_files, forget);
}
