/* Protects the static analyzer of CUDA sources: each form of access, each status, and what may not be evaluated. */
#include "source_kit.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_access),
		cmocka_unit_test(called_functions_are_followed),
		cmocka_unit_test(statuses),
		cmocka_unit_test(loops),
		cmocka_unit_test(side_effects),
		cmocka_unit_test(templates),
		cmocka_unit_test(what_others_change),
		cmocka_unit_test(narrow_types_wrap_around),
		cmocka_unit_test(what_may_not_be_evaluated),
		cmocka_unit_test(bfs_is_as_in_the_paper),
		cmocka_unit_test(effort_is_lines_of_code),
	};
	return cmocka_run_group_tests(tests, read_files, free_files);
}
