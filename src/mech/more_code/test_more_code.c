/* Protects the added instructions of more_code: how many, where, and that they change no register. */
#include "ptx_kit.h"

#include "flow/pipeline.h"
#include "seam/mech.h"

extern const struct mech mech_more_code;

#define KERNEL(body)                                                                                                   \
	HEAD ".visible .entry k(.param .u64 q)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"            \
	     ".reg .b64 %rd<9>;\n" body "ret;\n}\n"
#define WORK "add.s32 %r1, %r1, 1;\n"

/* Removes tabs in place. */
static void without_tabs(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\t')
			*to++ = *from;
	*to = 0;
}

static void expect_code(const char *text, const char *passes, const char *expected)
{
	struct pipeline pipeline = {.more = mech_more_code.passes, .more_count = mech_more_code.pass_count};
	struct diag diag = {0};
	struct ptx_module *module = ptx_load("test.ptx", text, strlen(text), &diag);
	if (!module || !pipeline_add(&pipeline, passes, &diag) || !pipeline_run(&pipeline, module, &diag))
		fail_msg("%s\n%s", diag.text, text);
	char *printed = print(module), *text_after = strdup(printed);
	free(printed);
	without_tabs(text_after);
	const char *code = strstr(text_after, expected);
	if (!code || strncmp(code + strlen(expected), "}\n", 2) != 0 || code[-2] != ';' || strstr(code, ".reg"))
		fail_msg("after %s:\n%s---\nexpected:\n%s", passes, text_after, expected);
	free(text_after);
	ptx_free(module);
	pipeline_close(&pipeline);
}

static void evenly_in_each_block(void **state)
{
	(void)state;
	expect_code(KERNEL(WORK WORK WORK WORK), "more-code:percent=50",
	            "add.u32 %r1, %r1, 0;\n" WORK WORK "add.u32 %r1, %r1, 0;\n" WORK WORK
	            "add.u32 %more0, 0, 0;\nret;\n");
	/* each block is rounded separately: 25 % of one instruction is none */
	expect_code(KERNEL(WORK "@%p1 bra L;\nL:\n"), "more-code:percent=25",
	            WORK "add.u32 %more0, 0, 0;\n@%p1 bra L;\nL:\nret;\n");
	expect_code(KERNEL(WORK), "more-code:percent=0", WORK "ret;\n");
}

static void several_before_one(void **state)
{
	(void)state;
	expect_code(KERNEL(""), "more-code:percent=200", "add.u32 %more0, 0, 0;\nadd.u32 %more1, 0, 0;\nret;\n");
}

static void registers_keep_their_values(void **state)
{
	(void)state;
	expect_code(KERNEL("mul.f32 %f1, %f2, %f3;\nmov.u64 %rd1, %rd2;\n"), "more-code:percent=100",
	            "add.f32 %f2, %f2, 0f80000000;\nmul.f32 %f1, %f2, %f3;\nadd.u64 %rd2, %rd2, 0;\nmov.u64 %rd1, "
	            "%rd2;\nadd.u32 %more0, 0, 0;\nret;\n");
}

static void predicates_and_addresses(void **state)
{
	(void)state;
	expect_code(KERNEL("@%p1 bra L;\nld.global.u32 %r1, [%rd1];\nL:\n"), "more-code:percent=100",
	            "add.u32 %more0, 0, 0;\n@%p1 bra L;\nadd.u64 %rd1, %rd1, 0;\nld.global.u32 %r1, [%rd1];\n"
	            "L:\nadd.u32 %more1, 0, 0;\nret;\n");
}

static void independent_ones(void **state)
{
	(void)state;
	expect_code(KERNEL(WORK), "more-code:percent=100,chained=no",
	            "add.u32 %more0, 0, 0;\n" WORK "add.u32 %more1, 0, 0;\nret;\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evenly_in_each_block),
		cmocka_unit_test(several_before_one),
		cmocka_unit_test(registers_keep_their_values),
		cmocka_unit_test(predicates_and_addresses),
		cmocka_unit_test(independent_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
