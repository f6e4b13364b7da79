/* Protects the alias analysis of shared memory: which variables an instruction may touch, and up to which offset,
 * for addresses from any source. */
#include "passes_kit.h"

/* Expects the names of the variables that the instruction at X touches, and the end offset. "*": everything. */
static void expect_touch(const char *text, const char *names, uint64_t end)
{
	struct subject s = look_at(text, 0);
	const struct sharing_touch *touch = &s.accesses->touch[at(&s, "X")];
	char found[SHARING_SET + 1] = "";
	for (uint32_t i = 0; i < s.accesses->layout.count; i++)
		if (touch->variables & sharing_bit(i))
			strncat(found, s.accesses->layout.variable[i].variable->name, 1);
	if (strcmp(touch->variables == SHARING_EVERYTHING ? "*" : found, names) != 0)
		fail_msg("touches '%s', not '%s':\n%s", found, names, text);
	if (touch->end != end)
		fail_msg("ends at %lld, not %lld:\n%s", (long long)touch->end, (long long)end, text);
	done(&s);
}

#define TO_END UINT64_MAX

static void addresses_are_followed(void **state)
{
	(void)state;
	expect_touch(TOUCH("X: ld.shared.u32 %r2, [A];\n"), "A", 4);
	expect_touch(TOUCH("X: ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [A+16];\n"), "A", 32);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: st.shared.u8 [%r2+8], %rs1;\n"), "B", 9);
	expect_touch(TOUCH("mov.u32 %r2, B+4;\nadd.s32 %r2, %r2, 8;\nX: st.shared.u8 [%r2+8], %rs1;\n"), "B", 21);
	expect_touch(TOUCH("mov.u32 %r2, B;\nsub.s32 %r2, %r2, -12;\nX: st.shared.u8 [%r2], %rs1;\n"), "B", 13);
	expect_touch(TOUCH("X: atom.shared.add.u32 %r2, [B+4], 1;\n"), "B", 8);
	expect_touch(TOUCH("X: red.shared.add.u32 [B+4], 1;\n"), "B", 8);
	expect_touch(TOUCH("X: st.shared.u32 [D], %r1;\n"), "D", 4);
	expect_touch(TOUCH("@%p1 st.shared.u32 [A], %r1;\nX: @%p1 st.shared.u32 [B], %r1;\n"), "B", 4);
	expect_touch(TOUCH("X: dma_flat 0, %r2, %rd1, 8;\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: dma_flat 0, %r2, %rd1, 8;\n"), "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: dma_execute 0, %r2, %rd1;\n"), "B", TO_END);
}

static void addresses_are_followed_through_generic_space(void **state)
{
	(void)state;
	expect_touch(TOUCH("cvta.shared.u64 %rd2, B;\nX: ld.u32 %r2, [%rd2+4];\n"), "B", 8);
	expect_touch(TOUCH("mov.u64 %rd3, B;\ncvta.shared.u64 %rd2, %rd3;\nX: atom.add.u32 %r2, [%rd2+4], 1;\n"), "B",
	             8);
	expect_touch(TOUCH("mov.u64 %rd3, B;\ncvta.shared.u64 %rd2, %rd3;\ncvta.to.shared.u64 %rd4, %rd2;\n"
	                   "cvt.u32.u64 %r3, %rd4;\nX: ld.shared.u32 %r2, [%r3];\n"),
	             "B", 4);
	expect_touch(TOUCH("X: ld.u32 %r2, [%rd1];\n"), "", TO_END);
	expect_touch(TOUCH("cvta.to.global.u64 %rd2, %rd1;\nX: st.global.u32 [%rd2], %r1;\n"), "", 0);
	expect_touch(TOUCH("cvta.local.u64 %rd2, L;\nX: st.u32 [%rd2], %r1;\n"), "", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd2, B;\nX: ldu.u32 %r2, [%rd2];\n"), "B", 4);
}

/* One of two variables, or one of several offsets: the result is as exact as possible. */
static void what_may_be_several(void **state)
{
	(void)state;
	expect_touch(TOUCH("mov.u32 %r2, A;\n@%p1 mov.u32 %r2, B+8;\nX: ld.shared.u32 %r3, [%r2];\n"), "AB", 12);
	expect_touch(
		TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nselp.b32 %r4, %r2, %r3, %p1;\nX: ld.shared.u32 %r5, [%r4];\n"),
		"AB", 4);
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nmin.u32 %r4, %r2, %r3;\nX: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", 4);
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nxor.b32 %r4, %r2, %r3;\nX: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nadd.u32 %r3, %r2, 400;\nsub.u32 %r3, %r3, %r2;\nmov.u32 %r4, B;\nadd.u32 "
	                   "%r4, %r4, %r3;\n"
	                   "X: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", TO_END);
	expect_touch(
		TOUCH("mov.u32 %r2, A;\nAGAIN: add.u32 %r2, %r2, 4;\nX: ld.shared.u32 %r5, [%r2];\n@%p1 bra AGAIN;\n"),
		"A", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, 0;\nAGAIN: add.u32 %r2, %r2, 4;\nmov.u32 %r3, A;\nadd.u32 %r3, %r3, %r2;\n"
	                   "X: ld.shared.u32 %r5, [%r3];\n@%p1 bra AGAIN;\n"),
	             "A", TO_END);
}

/* The address A + 4 * X, where X is a small number. */
#define INDEX(code)                                                                                                    \
	TOUCH(code "mov.u32 %r8, A;\nshl.b32 %r9, %r7, 2;\nadd.u32 %r9, %r8, %r9;\nX: ld.shared.u32 %r5, [%r9];\n")

static void small_numbers_have_bounds(void **state)
{
	(void)state;
	expect_touch(INDEX("mov.u32 %r7, 3;\n"), "A", 16);
	expect_touch(INDEX("and.b32 %r7, %r1, 15;\n"), "A", 64);
	expect_touch(INDEX("and.b32 %r7, 15, %r1;\n"), "A", 64);
	expect_touch(INDEX("and.b32 %r7, %r1, -16;\n"), "A", TO_END);
	expect_touch(INDEX("rem.u32 %r7, %r1, 10;\n"), "A", 40);
	expect_touch(INDEX("rem.s32 %r7, %r1, 10;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\n"), "A", 128);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nshr.u32 %r7, %r7, 2;\n"), "A", 32);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmul.lo.u32 %r7, %r7, 2;\n"), "A", 252);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmad.lo.u32 %r7, %r7, 2, 10;\n"), "A", 292);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, 40, %r7;\n"), "A", 164);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmul.hi.u32 %r7, %r7, 2;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %clock;\nshr.u32 %r7, %r7, 2;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmin.u32 %r7, %r7, 7;\n"), "A", 128);
	expect_touch(INDEX("mov.u32 %r7, %tid.x;\n"), "A", TO_END);
	expect_touch(INDEX("ld.global.u8 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\nshr.u32 %r7, %r7, 3;\n"), "A", 128);
	expect_touch(INDEX("ld.global.u16 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\nshr.u32 %r7, %r7, 10;\n"), "A", 256);
	expect_touch(INDEX("ld.global.u32 %r7, [%rd1];\n"), "A", TO_END);
	expect_touch(INDEX("cvt.u32.u8 %r7, %r1;\nshr.u32 %r7, %r7, 2;\n"), "A", 256);
	expect_touch(INDEX("cvt.u8.u32 %rs1, 300;\ncvt.u32.u16 %r7, %rs1;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\nshr.u32 %r7, %r7, 1;\n"), "A", TO_END);
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\nmul.wide.u32 %rd2, %r7, 4;\ncvta.shared.u64 %rd3, A;\nadd.s64 %rd4, "
	                   "%rd3, %rd2;\n"
	                   "X: ld.u32 %r2, [%rd4];\n"),
	             "A", 128);
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\ncvta.shared.u64 %rd3, A;\nmad.wide.u32 %rd4, %r7, 4, %rd3;\nX: "
	                   "ld.u32 %r2, [%rd4];\n"),
	             "A", 128);
	/* 0 - 1 in 32 bits, zero-extended, is a large number. */
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\nmul.wide.u32 %rd2, %r7, 4;\ncvta.shared.u64 "
	                   "%rd3, A+8;\n"
	                   "add.s64 %rd4, %rd3, %rd2;\nX: ld.u32 %r2, [%rd4];\n"),
	             "A", TO_END);
	expect_touch(HEAD ".visible .entry k()\n.reqntid 20, 1, 1\n{\n" PTX_REGS
	                  ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.x;\n"
	                  "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 20);
	expect_touch(HEAD ".visible .entry k()\n.maxntid 20, 1, 1\n{\n" PTX_REGS
	                  ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.x;\n"
	                  "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 20);
	/* only the product of .maxntid is a limit: a block of (16, 16) may be one of 256 */
	expect_touch(HEAD ".visible .entry k()\n.maxntid 128, 2, 1\n{\n" PTX_REGS
	                  ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.y;\n"
	                  "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 256);
	expect_touch(HEAD ".visible .entry k()\n.reqntid 128, 2, 1\n{\n" PTX_REGS
	                  ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.y;\n"
	                  "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 2);
}

/* Memory and parameters: untraced addresses. */
static void what_is_not_followed(void **state)
{
	(void)state;
	expect_touch(TOUCH("st.shared.u32 [A], 1;\nld.global.u32 %r2, [%rd1];\nX: ld.shared.u32 %r3, [%r2];\n"), "*",
	             TO_END);
	expect_touch(TOUCH("ld.global.u64 %rd2, [%rd1];\nX: ld.u32 %r3, [%rd2];\n"), "", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, [L];\nX: ld.u32 %r3, "
	                   "[%rd2];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.v2.u64 [L], {%rd1, %rd3};\nX: st.u32 [%rd1], %r1;\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r3, B;\natom.global.exch.b32 %r4, [%rd1], %r3;\nX: ld.shared.u32 %r3, [%r4];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r3, B;\natom.global.cas.b32 %r4, [%rd1], 0, %r3;\nX: ld.shared.u32 %r3, [%r4];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, [L];\nadd.s64 %rd2, "
	                   "%rd2, 8;\nX: ld.u32 %r3, [%rd2];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("atom.shared.exch.b32 %r4, [B], %r1;\nX: ld.shared.u32 %r3, [%r4];\n"), "*", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nred.global.max.u64 [%rd1], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\nX: ld.u32 %r3, [%rd2];\n"),
	             "B", TO_END);
	/* An index from memory does not change the variable that an address belongs to. */
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\ncvta.shared.u64 %rd4, A;\n"
	                   "add.s64 %rd4, %rd4, %rd2;\nX: ld.u32 %r3, [%rd4];\n"),
	             "A", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\ncvta.shared.u64 %rd4, A;\n"
	                   "or.b64 %rd4, %rd4, %rd2;\nX: ld.u32 %r3, [%rd4];\n"),
	             "A", TO_END);
	/* But a selection of two addresses may be either. */
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, "
	                   "[L];\ncvta.shared.u64 %rd4, A;\n"
	                   "selp.b64 %rd4, %rd4, %rd2, %p1;\nX: ld.u32 %r3, [%rd4];\n"),
	             "AB", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, 16;\nX: ld.shared.u32 %r3, [%r2];\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nX: ld.shared.u32 %r3, [%r2+400];\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nX: ld.shared.u32 %r3, [%r2+-4];\n"), "*", TO_END);
	expect_touch(TOUCH("X: ld.shared.u32 %r3, [A+396];\n"), "A", 400);
	struct subject s = look_at(TOUCH("ld.global.u64 %rd2, [%rd1];\nX: ld.u32 %r3, [%rd2];\n"), 0);
	assert_int_equal(s.accesses->unfollowed, 0);
	done(&s);
	s = look_at(TOUCH("mov.u32 %r3, B;\nst.global.u32 [%rd1], %r3;\nld.global.u32 %r2, [%rd1];\nX: "
	                  "ld.shared.u32 %r3, [%r2];\n"),
	            0);
	assert_int_equal(s.accesses->unfollowed, 1);
	assert_int_equal(s.accesses->exposed, 2);
	assert_false(s.accesses->by_place);
	done(&s);
}

/* A call touches what its callee touches: directly, through its parameters, or by further calls. */
/* Values in loops reach a fixed point that includes all of them. */
static void values_go_round(void **state)
{
	(void)state;
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, A;\nmov.u32 %r4, A;\nAGAIN:\nX: ld.shared.u32 %r5, "
	                   "[%r4];\nmov.u32 %r4, %r3;\n"
	                   "mov.u32 %r3, %r2;\nmov.u32 %r2, B;\n@%p1 bra AGAIN;\n"),
	             "AB", 4);
	expect_touch(
		TOUCH("cvta.shared.u64 %rd9, B;\nst.local.u64 [L], %rd9;\nmov.u32 %r2, %clock;\nmul.wide.u32 %rd8, "
	              "%r2, 4;\n"
	              "cvta.shared.u64 %rd7, A;\nadd.s64 %rd2, %rd7, %rd8;\nmov.u64 %rd3, %rd2;\nmov.u64 %rd4, %rd2;\n"
	              "AGAIN:\nX: ld.u32 %r5, [%rd4];\nmov.u64 %rd4, %rd3;\nmov.u64 %rd3, %rd2;\nld.local.u64 %rd6, "
	              "[L];\n"
	              "selp.b64 %rd2, %rd7, %rd6, %p2;\n@%p1 bra AGAIN;\n"),
		"AB", TO_END);
	/* A bound that grows once stays. */
	expect_touch(TOUCH("mov.u32 %r7, 0;\nAGAIN: mov.u32 %r8, A;\nadd.u32 %r8, %r8, %r7;\nX: ld.shared.u32 %r5, "
	                   "[%r8];\nmov.u32 %r7, 4;\n"
	                   "@%p1 bra AGAIN;\n"),
	             "A", 8);
	/* A value that is not known yet adds nothing. */
	expect_touch(TOUCH("mov.u32 %r6, 10;\nAGAIN: sub.u32 %r7, 40, %r6;\nmov.u32 %r8, A;\nadd.u32 %r8, %r8, %r7;\n"
	                   "X: ld.shared.u8 %rs5, [%r8];\nmov.u32 %r6, %r5;\nmov.u32 %r5, 10;\n@%p1 bra AGAIN;\n"),
	             "A", 31);
	/* A register without a first value. */
	expect_touch(TOUCH("AGAIN: add.u32 %r8, %r8, 4;\nX: ld.shared.u32 %r5, [%r8];\n@%p1 bra AGAIN;\n"), "*",
	             TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd9, B;\nst.local.u64 [L], %rd9;\nAGAIN: add.s64 %rd8, %rd8, 4;\nX: "
	                   "ld.u32 %r5, [%rd8];\n"
	                   "@%p1 bra AGAIN;\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r8, A;\nadd.u32 %r8, %r8, %r50;\nX: ld.shared.u32 %r5, [%r8];\n"), "A", TO_END);
}

/* Arithmetic on addresses other than adding offsets, and properties that do not hold for every number. */
static void what_is_no_distance(void **state)
{
	(void)state;
#define OF_A_AND_B(code) TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B+8;\n" code "X: ld.shared.u8 %rs5, [%r4];\n")
#define FROM_A(code)     TOUCH("mov.u32 %r2, A;\n" code "add.u32 %r4, %r2, %r7;\nX: ld.shared.u8 %rs5, [%r4];\n")
	expect_touch(OF_A_AND_B("add.u32 %r4, %r2, %r3;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("sub.u32 %r4, %r3, %r2;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("shl.b32 %r4, %r3, %r2;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("mul.lo.u32 %r4, %r3, 4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("and.b32 %r4, %r3, -4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("or.b32 %r4, %r3, 4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("lop3.b32 %r4, %r1, %r1, %r2, 8;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nsub.u32 %r7, 40, %r6;\n"), "A", 41);
	expect_touch(FROM_A("selp.b32 %r6, 10, 2, %p1;\nsub.u32 %r7, 40, %r6;\n"), "A", 39);
	expect_touch(FROM_A("and.b32 %r7, %r1, -16;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nshr.u32 %r6, %r6, 2;\nmul.lo.u32 %r7, %r6, %r6;\n"), "A", 50);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmul24.lo.u32 %r7, %r6, 2;\n"), "A", TO_END);
	expect_touch(FROM_A("cvt.u32.u8 %r7, %r1;\n"), "A", 256);
	expect_touch(FROM_A("cvt.s32.s8 %r7, %r1;\n"), "A", TO_END);
	expect_touch(FROM_A("ld.global.u8 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\n"), "A", 256);
	expect_touch(FROM_A("ld.global.u16 %rs1, [%rd1];\ncvt.s32.s16 %r7, %rs1;\nshr.s32 %r7, %r7, 10;\n"), "A",
	             TO_END);
	expect_touch(FROM_A("ld.global.u16 %rs1, [%rd1];\nshr.s16 %rs1, %rs1, 10;\ncvt.u32.u16 %r7, %rs1;\n"), "A",
	             TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\ncvt.sat.u32.s32 %r7, %r6;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmov.b32 %f1, %r6;\ncvt.rzi.s32.f32 %r7, %f1;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmov.b32 %f1, %r6;\nadd.f32 %f2, %f1, %f1;\nmov.b32 %r7, %f2;\n"),
	             "A", TO_END);
	expect_touch(FROM_A("mov.u64 %rd5, 8;\nmov.b64 {%r6, %r7}, %rd5;\n"), "A", TO_END);
}

static void calls_touch_what_their_callees_do(void **state)
{
	(void)state;
	expect_touch(CALLED(STORES_M, "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F), "M", 8);
	expect_touch(
		CALLED(STORES_BY, "{\n.param .b64 x;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], %rd2;\n" CALL_F),
		"B", 16);
	expect_touch(CALLED(STORES_BY, "{\n.param .b64 x;\nst.param.b64 [x], %rd1;\n" CALL_F), "", TO_END);
	expect_touch(
		CALLED(STORES_M
	               ".func g(.param .b32 a)\n{\n" PTX_REGS
	               "{\n.param .b32 x;\nst.param.b32 [x], 1;\ncall f, (x);\n}\nst.shared.u32 [N+12], 2;\nret;\n}\n",
	               "{\n.param .b32 x;\nst.param.b32 [x], %r1;\nX: call g, (x);\n}\n"),
		"NM", 16);
	expect_touch(CALLED(".func (.param .b64 c) f(.param .b64 a)\n{\n" PTX_REGS
	                    "ld.param.u64 %rd1, [a];\nadd.s64 %rd1, %rd1, 8;\nst.param.b64 [c], %rd1;\nret;\n}\n",
	                    "{\n.param .b64 x;\n.param .b64 y;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], "
	                    "%rd2;\ncall (y), f, (x);\n"
	                    "ld.param.b64 %rd3, [y];\n}\nX: st.u32 [%rd3], 1;\n"),
	             "B", 16);
	/* A function that calls itself. */
	expect_touch(CALLED(".func f(.param .b32 a)\n{\n" PTX_REGS
	                    "@%p1 ret;\n{\n.param .b32 x;\nst.param.b32 [x], 1;\ncall f, (x);\n}\nst.shared.u32 [N], "
	                    "2;\nret;\n}\n",
	                    "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F),
	             "N", 4);
	/* An address in a variable's initial value is in memory. */
	expect_touch(CALLED(".global .u64 G[1] = {M};\n",
	                    "st.shared.u32 [M], 1;\nld.global.u64 %rd2, [G];\nX: st.u32 [%rd2], 1;\n"),
	             "M", TO_END);
}

static void calls_of_nobody_knows_whom(void **state)
{
	(void)state;
	expect_touch(CALLED(STORES_M, "p: .callprototype _ (.param .b32 _);\nmov.u64 %rd2, f;\n{\n.param .b32 "
	                              "x;\nst.param.b32 [x], %r1;\n"
	                              "X: call %rd2, (x), p;\n}\n"),
	             "*", TO_END);
	/* A function without code may touch the variables whose addresses it receives. So may all untraced addresses
	 * then. */
	expect_touch(CALLED(".extern .func f(.param .b64 a);\n",
	                    "{\n.param .b64 x;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], %rd2;\n" CALL_F),
	             "B", TO_END);
	/* A parameter whose address is taken is not traced by its name. */
	expect_touch(
		CALLED(".func f(.param .align 8 .b8 a[16])\n{\n" PTX_REGS
	               "mov.b64 %rd1, a;\nld.param.u64 %rd2, [%rd1+8];\nst.u32 [%rd2], 1;\nret;\n}\n",
	               "{\n.param .align 8 .b8 x[16];\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x+8], %rd2;\n" CALL_F),
		"B", TO_END);
	/* A parameter that some callers do not store by its name. */
	expect_touch(CALLED(STORES_BY, "cvta.shared.u64 %rd2, B+4;\ncvta.shared.u64 %rd3, A;\n{\n.param .b64 "
	                               "x;\nst.param.b64 [x], %rd3;\n"
	                               "call f, (%rd2);\n" CALL_F),
	             "AB", TO_END);
	/* Registers as arguments. */
	expect_touch(CALLED(STORES_BY, "cvta.shared.u64 %rd2, B+4;\nX: call f, (%rd2);\n"), "B", TO_END);
	expect_touch(CALLED(".func (.param .b64 c) f()\n{\n" PTX_REGS
	                    "cvta.shared.u64 %rd1, N;\nst.param.b64 [c], %rd1;\nret;\n}\n",
	                    "call (%rd3), f, ();\nX: st.u32 [%rd3], 1;\n"),
	             "N", TO_END);
}

/* The order of variables: the kernel's own, its callees', the module's in the order of their use, dynamic memory at
 * a multiple of 16. */
static void variables_lie_as_the_simulator_has_them(void **state)
{
	(void)state;
	struct subject s = look_at(
		HEAD ".shared .align 8 .b8 M[4];\n.shared .b8 N[3];\n.shared .b8 O[4];\n.extern .shared .b8 D[], E[];\n"
		     ".func f()\n{\n.shared .align 2 .b8 F[3];\nst.shared.u8 [M], 1;\nret;\n}\n"
		     ".visible .entry k()\n{\n" PTX_REGS
		     ".extern .shared .b8 G[];\n.shared .b8 A[5];\nst.shared.u8 [D], 1;\n"
		     "st.shared.u8 [N], 1;\ncall f;\nX: st.shared.u8 [E+3], 1;\nret;\n}\n",
		100);
	static const struct {
		const char *name;
		uint64_t offset;
	} places[] = {{"A", 0}, {"F", 6}, {"N", 9}, {"M", 16}, {"D", 32}};
	assert_int_equal(s.accesses->layout.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_string_equal(s.accesses->layout.variable[i].variable->name, places[i].name);
		assert_int_equal(s.accesses->layout.variable[i].offset, places[i].offset);
	}
	assert_int_equal(s.accesses->layout.bytes, 132);
	uint32_t x = at(&s, "X");
	assert_true(sharing_touches_from(s.accesses, x, 35));
	assert_false(sharing_touches_from(s.accesses, x, 36));
	done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_followed),
		cmocka_unit_test(addresses_are_followed_through_generic_space),
		cmocka_unit_test(what_may_be_several),
		cmocka_unit_test(small_numbers_have_bounds),
		cmocka_unit_test(what_is_not_followed),
		cmocka_unit_test(values_go_round),
		cmocka_unit_test(what_is_no_distance),
		cmocka_unit_test(calls_touch_what_their_callees_do),
		cmocka_unit_test(calls_of_nobody_knows_whom),
		cmocka_unit_test(variables_lie_as_the_simulator_has_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
