/* Protects the added instructions of more_code: how many, where, and that they change no register. */
#include "code_kit.h"

extern const struct mech mech_more_code;

#define WORK "add.s32 %r1, %r1, 1;\n"

static void evenly_in_each_block(void **state)
{
	(void)state;
	expect_code(&mech_more_code, KERNEL(WORK WORK WORK WORK), "more-code:percent=50",
	            "add.u32 %r1, %r1, 0;\n" WORK WORK "add.u32 %r1, %r1, 0;\n" WORK WORK
	            "add.u32 %more0, 0, 0;\nret;\n");
	/* each block is rounded separately: 25 % of one instruction is none */
	expect_code(&mech_more_code, KERNEL(WORK "@%p1 bra L;\nL:\n"), "more-code:percent=25",
	            WORK "add.u32 %more0, 0, 0;\n@%p1 bra L;\nL:\nret;\n");
	expect_code(&mech_more_code, KERNEL(WORK), "more-code:percent=0", WORK "ret;\n");
}

static void several_before_one(void **state)
{
	(void)state;
	expect_code(&mech_more_code, KERNEL(""), "more-code:percent=200",
	            "add.u32 %more0, 0, 0;\nadd.u32 %more1, 0, 0;\nret;\n");
}

static void registers_keep_their_values(void **state)
{
	(void)state;
	expect_code(&mech_more_code, KERNEL("mul.f32 %f1, %f2, %f3;\nmov.u64 %rd1, %rd2;\n"), "more-code:percent=100",
	            "add.f32 %f2, %f2, 0f80000000;\nmul.f32 %f1, %f2, %f3;\nadd.u64 %rd2, %rd2, 0;\nmov.u64 %rd1, "
	            "%rd2;\nadd.u32 %more0, 0, 0;\nret;\n");
}

static void predicates_and_addresses(void **state)
{
	(void)state;
	expect_code(&mech_more_code, KERNEL("@%p1 bra L;\nld.global.u32 %r1, [%rd1];\nL:\n"), "more-code:percent=100",
	            "add.u32 %more0, 0, 0;\n@%p1 bra L;\nadd.u64 %rd1, %rd1, 0;\nld.global.u32 %r1, [%rd1];\n"
	            "L:\nadd.u32 %more1, 0, 0;\nret;\n");
}

static void independent_ones(void **state)
{
	(void)state;
	expect_code(&mech_more_code, KERNEL(WORK), "more-code:percent=100,chained=no",
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
