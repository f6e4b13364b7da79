/* Protects the three rules of open64: divided products, constants in separate registers, unused conversions. */
#include "code_kit.h"

extern const struct mech mech_open64;

static void products_and_sums(void **state)
{
	(void)state;
	expect_code(&mech_open64, KERNEL("mad.lo.s32 %r1, %r2, 3, 4;\n"), "open64",
	            "mul.lo.s32 %open0, %r2, 3;\nadd.s32 %r1, %open0, 4;\nret;\n");
	expect_code(&mech_open64, KERNEL("mad.wide.u32 %rd1, %r2, %r3, %rd2;\n"), "open64:widened=no",
	            "mul.wide.u32 %open0, %r2, %r3;\nadd.u64 %rd1, %open0, %rd2;\nret;\n");
	/* floating point, guarded ones, and upper halves stay */
	expect_code(&mech_open64,
	            KERNEL("fma.rn.f32 %f1, %f2, %f3, %f4;\n@%p1 mad.lo.s32 %r1, %r2, %r3, %r4;\n"
	                   "mad.hi.s32 %r1, %r2, %r3, %r4;\n"),
	            "open64",
	            "fma.rn.f32 %f1, %f2, %f3, %f4;\n@%p1 mad.lo.s32 %r1, %r2, %r3, %r4;\n"
	            "mad.hi.s32 %r1, %r2, %r3, %r4;\nret;\n");
	expect_code(&mech_open64, KERNEL("mad.lo.s32 %r1, %r2, 3, 4;\n"), "open64:products=no,constants=no",
	            "mad.lo.s32 %r1, %r2, 3, 4;\nret;\n");
}

static void constants_as_operands(void **state)
{
	(void)state;
	expect_code(&mech_open64, KERNEL("mul.f32 %f1, %f2, 0f3F800000;\nsetp.lt.s32 %p1, %r1, -5;\n"), "open64",
	            "mov.f32 %open0, 0f3F800000;\nmul.f32 %f1, %f2, %open0;\nmov.b32 %open1, -5;\n"
	            "setp.lt.s32 %p1, %r1, %open1;\nret;\n");
	/* integer sums, products, shifts and bits take constants, and so does selp */
#define TAKE                                                                                                           \
	"add.s32 %r1, %r2, 7;\nmul.lo.s32 %r1, %r2, 7;\nshl.b32 %r1, %r2, 7;\nand.b32 %r1, %r2, 7;\n"                  \
	"selp.b32 %r1, 1, 0, %p1;\n"
	expect_code(&mech_open64, KERNEL(TAKE), "open64", TAKE "ret;\n");
	expect_code(&mech_open64, KERNEL("or.b32 %r1, %r2, 7;\n"), "open64:constants=no",
	            "or.b32 %r1, %r2, 7;\nret;\n");
}

static void constants_in_registers(void **state)
{
	(void)state;
	/* each use has its own move, and the first one goes away */
	expect_code(&mech_open64, KERNEL("mov.u32 %r1, 9;\nmul24.lo.s32 %r2, %r3, %r1;\nmul24.lo.s32 %r4, %r5, %r1;\n"),
	            "open64",
	            "mov.b32 %open0, 9;\nmul24.lo.s32 %r2, %r3, %open0;\nmov.b32 %open1, 9;\n"
	            "mul24.lo.s32 %r4, %r5, %open1;\nret;\n");
	/* it stays where a sum reads it, and where the register has a second definition */
	expect_code(&mech_open64, KERNEL("mov.u32 %r1, 9;\nmul24.lo.s32 %r2, %r3, %r1;\nadd.s32 %r4, %r5, %r1;\n"),
	            "open64",
	            "mov.u32 %r1, 9;\nmov.b32 %open0, 9;\nmul24.lo.s32 %r2, %r3, %open0;\nadd.s32 %r4, %r5, %r1;\n"
	            "ret;\n");
	expect_code(&mech_open64, KERNEL("mov.u32 %r1, 9;\nmul24.lo.s32 %r1, %r3, %r1;\n"), "open64",
	            "mov.u32 %r1, 9;\nmul24.lo.s32 %r1, %r3, %r1;\nret;\n");
}

static void unused_conversions(void **state)
{
	(void)state;
	expect_code(&mech_open64, KERNEL("mul.wide.s32 %rd1, %r1, 4;\nmul.wide.u32 %rd2, %r2, %r3;\n"), "open64",
	            "cvt.s64.s32 %open0, %r1;\nmul.wide.s32 %rd1, %r1, 4;\ncvt.u64.u32 %open1, %r2;\n"
	            "mul.wide.u32 %rd2, %r2, %r3;\nret;\n");
	expect_code(&mech_open64, KERNEL("mul.wide.s32 %rd1, %r1, 4;\n"), "open64:widened=no",
	            "mul.wide.s32 %rd1, %r1, 4;\nret;\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_and_sums),
		cmocka_unit_test(constants_as_operands),
		cmocka_unit_test(constants_in_registers),
		cmocka_unit_test(unused_conversions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
