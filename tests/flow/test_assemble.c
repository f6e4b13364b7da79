/* Protects the estimate of an assembler's registers: each rule, on kernels that can be worked out by hand, and the
 * counts of the reference kernels and the project's programs against a vendor's. A schedule computes the same
 * results. */
#include "flow/assemble.h"
#include "spill_kit.h"

static void expect(const char *what, const char *text, uint32_t least, uint32_t wanted)
{
	struct ptx_module *module = parse(text);
	struct flow_assembled found = flow_assembled_registers(ptx_find_function(module, "k"));
	if (found.least != least || (wanted && found.wanted != wanted))
		fail_msg("%s: at least %u registers, not %u; wants %u, not %u", what, found.least, least, found.wanted,
		         wanted);
	assert_true(found.least <= found.wanted);
	ptx_free(module);
}

/* Values that take no register in a machine, and those that take one although PTX has none for them. Each count
 * includes the stack pointer; the row names the rest. */
static void what_needs_a_register(void **state)
{
	(void)state;
	static const struct {
		const char *what, *body;
		uint32_t least;
	} cases[] = {
		{"nothing", "ret;", 1},
		{"an unused value", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 7;\nret;", 1},
		{"the unused result of an atomic: address and value",
	         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\natom.global.add.u32 %r2, [%rd1], %r1;\nret;", 1 + 3},
		{"a parameter as an operand: the address and the sum",
	         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [p];\nmov.u32 %r2, %tid.x;\nadd.u32 %r3, %r2, %r1;\n"
	         "st.global.u32 [%rd1], %r3;\nret;",
	         1 + 3},
		{"zero is stored by the register that is zero",
	         "ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 0;\nret;", 1 + 2},
		{"another constant takes one", "ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 5;\nret;", 1 + 3},
		{"of two parameters an addition names one: the sum may take the other's",
	         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [p];\nld.param.u32 %r2, [p];\nadd.u32 %r3, %r1, %r2;\n"
	         "st.global.u32 [%rd1], %r3;\nret;",
	         1 + 3},
		{"a copy",
	         "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %r1;\n"
	         "st.global.u32 [%rd2], %r2;\nst.global.u32 [%rd1], %r1;\nret;",
	         1 + 3},
		{"base + index * size in one instruction: the size may take the address's; the index is stored",
	         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, "
	         "%rd2;\n"
	         "st.global.u32 [%rd3], %r1;\nret;",
	         1 + 3},
		{"addresses of shared memory have 32 bits, and the variable's is an offset",
	         ".shared .b32 s[64];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, s;\n"
	         "add.s64 %rd3, %rd2, %rd1;\nst.shared.u32 [%rd3], %r1;\nret;",
	         1 + 2},
		{"the same in global memory have 64",
	         "mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd1, %r1;\nst.global.u32 [%rd1], %r1;\nret;", 1 + 3},
		{"a value that a loop carries is no constant",
	         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 3;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 "
	         "bra L;\n"
	         "st.global.u32 [%rd1], %r1;\nret;",
	         1 + 3},
		{"a predicate may be written twice under its own guard",
	         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n"
	         "@%p1 setp.ne.or.u32 %p1|%p1, %r1, 7, %p1;\n@%p1 st.global.u32 [%rd1], %r1;\nret;",
	         1 + 3},
		{"what is written under a guard is no constant",
	         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u32 %r1, 5;\n"
	         "st.global.u32 [%rd1], %r1;\nret;",
	         1 + 3},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = NULL;
		size_t length;
		FILE *file = open_memstream(&text, &length);
		fprintf(file, "%s.visible .entry k(.param .u64 p)\n{\n%s%s\n}\n", HEAD, REGS, cases[i].body);
		fclose(file);
		expect(cases[i].what, text, cases[i].least, 0);
		free(text);
	}
}

/* In text order one value is live at a time. Early loads make all of them live at once, unless a limit, or a store that
 * may alias, holds them back. */
static void loads_go_early(void **state)
{
	(void)state;
	const char *const apart = "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [p];\n";
	for (unsigned may_meet = 0; may_meet < 2; may_meet++)
		for (uint32_t loads = 2; loads <= 64; loads *= 2) {
			char *text = NULL;
			size_t length;
			FILE *file = open_memstream(&text, &length);
			fprintf(file, "%s.visible .entry k(.param .u64 p)\n{\n%s%s", HEAD, REGS, apart);
			for (uint32_t i = 0; i < loads; i++)
				fprintf(file, "ld.global.u32 %%r%u, [%%rd1+%u];\nst.%s.u32 [%%rd%u+%u], %%r%u;\n", i,
				        4 * i, may_meet ? "global" : "shared", may_meet ? 2 : 3, 4 * i, i);
			fputs("ret;\n}\n", file);
			fclose(file);
			struct ptx_module *module = parse(text);
			struct flow_assembled found = flow_assembled_registers(module->functions);
			if (may_meet)
				assert_in_range(found.wanted, found.least, 24);
			else
				assert_in_range(found.wanted, loads < 28 ? loads + 3 : 28, loads < 28 ? loads + 6 : 52);
			assert_in_range(found.least, 1 + 3, 1 + 5);
			ptx_free(module);
			free(text);
		}
}

/* A block's instructions in another order compute the same, with any dependencies and any limit on live values. */
static void a_schedule_computes_the_same(void **state)
{
	(void)state;
	static const uint32_t limits[] = {1, 12, 32, 1000};
	uint32_t moved = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		char *text = random_kernel(seed);
		struct ptx_module *module = parse(text);
		char *before = print(module);
		for (struct ptx_function *function = module->functions; function; function = function->next) {
			struct arena arena = {0};
			assemble_schedule(&arena, function, limits[seed % 4]);
			arena_free(&arena);
		}
		char *after = print(module);
		uint8_t *expected = malloc(BUFFER), *found = malloc(BUFFER);
		run(before, 64, expected, BUFFER);
		run(after, 64, found, BUFFER);
		if (memcmp(expected, found, BUFFER) != 0)
			fail_msg("different results:\n%s\n--- scheduled:\n%s", before, after);
		moved += strcmp(before, after) != 0;
		free(expected);
		free(found);
		free(before);
		free(after);
		ptx_free(module);
		free(text);
	}
	assert_true(moved > 30);
}

/* Thirty thousand independent instructions in one block must not take quadratic time: then this test would take
 * minutes. */
static void a_long_block(void **state)
{
	(void)state;
	enum { LOADS = 10000 };
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, "%s.visible .entry k(.param .u64 p)\n{\n.reg .b64 %%rd<2>;\n.reg .b32 %%r<%u>;\n", HEAD,
	        2 * LOADS);
	fputs("ld.param.u64 %rd1, [p];\n", file);
	for (uint32_t i = 0; i < LOADS; i++)
		fprintf(file,
		        "ld.global.u32 %%r%u, [%%rd1+%u];\nadd.u32 %%r%u, %%r%u, 3;\nst.shared.u32 [%%rd1+%u], "
		        "%%r%u;\n",
		        2 * i, 4 * i, 2 * i + 1, 2 * i, 4 * i, 2 * i + 1);
	fputs("ret;\n}\n", file);
	fclose(file);
	struct ptx_module *module = parse(text);
	struct flow_assembled found = flow_assembled_registers(module->functions);
	assert_in_range(found.wanted, 32, 80); /* 32 live, others waiting */
	ptx_free(module);
	free(text);
}

static double ratio_to(const char *kernel, uint32_t vendor)
{
	char path[512], *text = calloc(1, 1 << 20);
	snprintf(path, sizeof path, TEST_DATA "/reference/kernels/%s.ptx", kernel);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	struct ptx_module *module = parse(text);
	double ratio = (double)flow_assembled_registers(module->functions).wanted / vendor; /* one kernel per file */
	ptx_free(module);
	free(text);
	return ratio;
}

/* The sixteen reference kernels, none of which the rules were derived from: the mean ratio of our count to a vendor's,
 * and the mean distance from 1. */
static void reference_kernels(void **state)
{
	(void)state;
	char line[4096], kernel[64];
	double mean = 0, distance = 0;
	uint32_t kernels = 0, vendor;
	FILE *file = fopen(TEST_DATA "/reference/results.csv", "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "%63[^,],v4.2.0,%*u,%*u,%*[^,],%*[^,],%u", kernel, &vendor) != 2)
			continue;
		double ratio = ratio_to(kernel, vendor);
		mean += ratio;
		distance += ratio < 1 ? 1 - ratio : ratio - 1;
		kernels++;
	}
	fclose(file);
	assert_int_equal(kernels, 16);
	print_message("mean ratio %.2f, mean distance from 1 %.3f\n", mean / kernels, distance / kernels);
	assert_true(mean / kernels > 0.9 && mean / kernels < 1.1);
	assert_true(distance / kernels < 0.12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_needs_a_register),
		cmocka_unit_test(loads_go_early),
		cmocka_unit_test(a_schedule_computes_the_same),
		cmocka_unit_test(a_long_block),
		cmocka_unit_test(reference_kernels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
