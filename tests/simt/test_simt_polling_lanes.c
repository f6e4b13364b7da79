/* Protects lanes of a warp that wait for other lanes of it: they take turns soon, also in functions, and each continues
 * once. A collective instruction waits for lanes that reach it later with the same mask. */
#include "simt_kit.h"

enum { LANES = 32, MANY_INSTRUCTIONS = 10000 };

/* Half of the lanes wait for the other half, which then waits for them: whichever half runs first polls. The function's
 * lanes return separately. */
#define WAIT(half)                                                                                                     \
	"setp.lt.u32 %p0, %t, " half ";\n@%p0 bra SECOND;\nst.volatile.global.u32 [%d], 1;\n"                          \
	"A: ld.volatile.global.u32 %v, [%d+4];\nsetp.eq.u32 %p1, %v, 0;\n@%p1 bra A;\nbra.uni OUT;\n"                  \
	"SECOND: ld.volatile.global.u32 %v, [%d];\nsetp.eq.u32 %p1, %v, 0;\n@%p1 bra SECOND;\n"                        \
	"st.volatile.global.u32 [%d+4], 1;\nOUT:\n"
#define HEAD ".version 8.0\n.target sm_70\n.address_size 64\n"

/* Calls itself three times; `back` follows each return. */
/* clang-format off */
#define FUNCTION(back)                                                                                                 \
	HEAD ".func (.param .b32 r) meet(.param .b64 flags, .param .b32 t, .param .b32 depth)\n{\n.reg .pred %p<4>;\n"  \
	     ".reg .b32 %t, %v, %n, %x;\n.reg .b64 %d, %b;\nld.param.u64 %d, [flags];\nld.param.u32 %t, [t];\n"         \
	     "ld.param.u32 %n, [depth];\nsetp.eq.u32 %p2, %n, 0;\n@%p2 bra LAST;\nsub.u32 %n, %n, 1;\n"                \
	     "{\n.param .b64 a;\n.param .b32 b, c, q;\nst.param.b64 [a], %d;\nst.param.b32 [b], %t;\n"                 \
	     "st.param.b32 [c], %n;\ncall (q), meet, (a, b, c);\nld.param.b32 %v, [q];\n}\nadd.u32 %v, %v, 1;\n" back  \
	     "st.param.b32 [r], %v;\nret;\nLAST:\n" WAIT("16") "st.param.b32 [r], %t;\nret;\n}\n"                     \
	     ".visible .entry k(.param .u64 flags, .param .u64 out)\n{\n.reg .b32 %t, %v, %r;\n.reg .b64 %d, %o, %a;\n" \
	     "ld.param.u64 %d, [flags];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n"                               \
	     "{\n.param .b64 a;\n.param .b32 b, c, q;\nst.param.b64 [a], %d;\nst.param.b32 [b], %t;\n"                 \
	     "st.param.b32 [c], 3;\ncall (q), meet, (a, b, c);\nld.param.b32 %v, [q];\n}\n"                            \
	     "mul.wide.u32 %a, %t, 4;\nadd.u64 %a, %o, %a;\nst.global.u32 [%a], %v;\n"                                 \
	     "atom.global.add.u32 %r, [%o+128], 1;\nret;\n}\n"
/* clang-format on */

static const char in_function[] = FUNCTION("");

/* The lanes that return first wait for the others, which are still in the inner call. */
static const char after_return[] =
	FUNCTION("mul.wide.u32 %b, %n, 4;\nadd.u64 %b, %d, %b;\natom.global.add.u32 %x, [%b+8], 1;\n"
                 "AGAIN: ld.volatile.global.u32 %x, [%b+8];\nsetp.lt.u32 %p1, %x, 32;\n@%p1 bra AGAIN;\n");

static const char in_kernel[] =
	HEAD ".visible .entry k(.param .u64 flags, .param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %t, %v, %r;\n"
	     ".reg .b64 %d, %o, %a;\nld.param.u64 %d, [flags];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n" WAIT(
		     "16") "mul.wide.u32 %a, %t, 4;\nadd.u64 %a, %o, %a;\nst.global.u32 [%a], %t;\natom.global.add.u32 "
			   "%r, [%o+128], 1;\nret;\n}\n";

static void meet(const char *text, uint32_t more)
{
	struct kit kit;
	kit_open(&kit, text);
	kit_buffer(&kit, 20);
	uint32_t *out = kit_buffer(&kit, 4 * (LANES + 1));
	kit_run(&kit);
	for (uint32_t i = 0; i < LANES; i++)
		assert_int_equal(out[i], i + more);
	assert_int_equal(out[LANES], LANES); /* each lane arrived once */
	assert_in_range(kit.run.thread_instructions, LANES, MANY_INSTRUCTIONS);
	kit_close(&kit);
}

static void test_turns(void **state)
{
	(void)state;
	meet(in_kernel, 0);
}

static void test_calls(void **state)
{
	(void)state;
	meet(in_function, 3);
}

/* A return restores the registers of the lanes that return, and of no others. */
static void test_returns(void **state)
{
	(void)state;
	meet(after_return, 3);
}

/* Two lanes have diverged and reconverged. Lane 1 arrives twice, first alone. The second time it is with lane 0, which
 * waits for that and reads lane 1's value of then. */
static void test_masks(void **state)
{
	static const char text[] = HEAD
		".visible .entry k(.param .u64 flags, .param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %t, %v, %r, "
		"%m, %i;\n"
		".reg .b64 %d, %o, %a;\nld.param.u64 %d, [flags];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n" WAIT(
			"1") "mov.u32 %i, %t;\nbar.warp.sync 3;\n"
			     "AGAIN: setp.eq.u32 %p0, %i, 0;\nselp.u32 %m, 3, 2, %p0;\nadd.u32 %v, %i, 100;\n"
			     "shfl.sync.idx.b32 %r, %v, 1, 31, %m;\nsetp.ne.u32 %p1, %i, 0;\nmov.u32 %i, 0;\n@%p1 bra "
			     "AGAIN;\n"
			     "mul.wide.u32 %a, %t, 4;\nadd.u64 %a, %o, %a;\nst.global.u32 [%a], %r;\nret;\n}\n";
	struct kit kit;
	(void)state;
	kit_open(&kit, text);
	kit.launch.block = (struct dim3){2, 1, 1};
	kit_buffer(&kit, 8);
	const uint32_t *out = kit_buffer(&kit, 8);
	kit_run(&kit);
	assert_int_equal(out[0], 100);
	assert_int_equal(out[1], 100);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns), cmocka_unit_test(test_calls),
	                                   cmocka_unit_test(test_returns), cmocka_unit_test(test_masks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
