/* Protects the placement of relssp (Jatala, Anantpur and Karkare, section 6.3, with its worked examples). */
#include "passes_kit.h"

#include "mech/sharing/placement.h"

/* Returns the code after the declarations, without tabs. */
static char *code_of(const char *text)
{
	const char *begin = strstr(text, ".entry k");
	for (const char *now = begin; (now = strpbrk(now, "\n")) != NULL; now++)
		if (strncmp(now, "\n\t.", 3) == 0)
			begin = strchr(now + 1, '\n') + 1;
	char *code = strdup(begin), *to = code;
	for (const char *from = code; *from && *from != '}'; from++)
		if (*from != '\t')
			*to++ = *from;
	*to = 0;
	return code;
}

static void expect_code(const char *text, const char *passes, const char *code)
{
	struct rewritten r = kit_rewrite(text, passes);
	char *found = code_of(r.text);
	if (strcmp(found, code) != 0)
		fail_msg("after %s:\n%s---\nexpected:\n%s", passes, found, code);
	free(found);
	rewritten_free(&r);
}

#define PLACED(code) PTX_KERNEL(".shared .b8 A[10], B[90];\n" code)
#define COMMON       "st.shared.u8 [B], %rs1;\n"
#define OWN          "st.shared.u8 [A+9], %rs1;\n"

/* Example 6.7, Figure 13(a): directly after the block's last access. */
static void within_a_block(void **state)
{
	(void)state;
	expect_code(PLACED(WORK COMMON WORK COMMON WORK OWN "ret;"), "relssp",
	            WORK COMMON WORK COMMON "relssp;\n" WORK OWN "ret;\n");
}

/* Figure 13(b): in BB2 after its access, in BB3 at its begin; neither in BB1 nor in BB4. */
static void where_ways_part_and_meet(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 bra BB3;\n" WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;"), "relssp",
	            "@%p1 bra BB3;\n" WORK COMMON "relssp;\n" WORK "bra BB4;\nBB3:\nrelssp;\n" WORK "BB4:\n" WORK
	            "ret;\n");
}

/* Example 6.6, Figure 12: L1 in BB3, L2 in BB9. The optimal places are after them and at BB4's begin; the
 * post-dominator is BB12. The code between is our own. */
#define FIGURE_12(opt1, opt2, opt3, pi)                                                                                \
	"BB1:\n@%p1 bra BB5;\nBB2:\n@%p2 bra BB4;\nBB3:\n" WORK COMMON opt1 WORK "bra BB11;\nBB4:\n" opt2 WORK         \
	"bra BB11;\n"                                                                                                  \
	"BB5:\n" COMMON "BB6:\n" WORK "@%p3 bra BB8;\nBB7:\n" COMMON "BB8:\n" WORK "@%p4 bra BB6;\n"                   \
	"BB9:\n" WORK COMMON opt3 WORK "BB10:\n" WORK "bra BB12;\nBB11:\n" WORK "BB12:\n" pi WORK "ret;\n"

static void the_places_of_figure_12(void **state)
{
	(void)state;
	expect_code(PLACED(FIGURE_12("", "", "", "")), "relssp:place=optimal",
	            FIGURE_12("relssp;\n", "relssp;\n", "relssp;\n", ""));
	expect_code(PLACED(FIGURE_12("", "", "", "")), "relssp:place=postdom", FIGURE_12("", "", "", "relssp;\n"));
	expect_code(PLACED("BB1:\n@%p1 bra L;\n" COMMON "L:\n" WORK "ret;\n"), "relssp:place=exit",
	            "BB1:\n@%p1 bra L;\n" COMMON "L:\n" WORK "relssp;\nret;\n");
}

/* SafeIN, SafeOUT and both INS of Figure 13(b). */
static void the_equations_of_figure_13(void **state)
{
	(void)state;
	struct subject s = look_at(
		PLACED("BB1: @%p1 bra BB3;\nBB2: " WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;"), 0);
	bool *accesses = arena_array(&s.arena, s.function->body_count, sizeof *accesses);
	for (uint32_t i = 0; i < s.function->body_count; i++)
		accesses[i] = sharing_touches_from(s.accesses, i, 10);
	const struct sharing_safety safety = sharing_safety(&s.arena, s.cfg, accesses);
	uint32_t bb1 = block_at(&s, "BB1"), bb2 = block_at(&s, "BB2"), bb3 = block_at(&s, "BB3"),
		 bb4 = block_at(&s, "BB4");
	assert_false(safety.in[bb1] || safety.out[bb1] || safety.in[bb2]);
	assert_true(safety.out[bb2] && safety.in[bb3] && safety.out[bb3] && safety.in[bb4] && safety.out[bb4]);
	assert_true(sharing_inserts_in(&safety, bb2));
	assert_false(sharing_inserts_in(&safety, bb1) || sharing_inserts_in(&safety, bb3) ||
	             sharing_inserts_in(&safety, bb4));
	assert_true(sharing_inserts_on(&safety, bb1, bb3));
	assert_false(sharing_inserts_on(&safety, bb1, bb2) || sharing_inserts_on(&safety, bb2, bb4) ||
	             sharing_inserts_on(&safety, bb3, bb4));
	done(&s);
}

/* A critical edge is split where it is taken, and not where the fall-through suffices; and only if it needs relssp. */
static void critical_edges(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 bra L;\n" COMMON WORK "L:\n" WORK "ret;"), "relssp",
	            "@%p1 bra $relssp0;\n" COMMON "relssp;\n" WORK "L:\n" WORK "ret;\n$relssp0:\nrelssp;\nbra L;\n");
	expect_code(PLACED("L:\n" COMMON "@%p1 bra L;\n" WORK "@%p2 bra M;\n" WORK "M:\nret;"), "relssp",
	            "L:\n" COMMON "@%p1 bra L;\nrelssp;\n" WORK "@%p2 bra M;\n" WORK "M:\nret;\n");
	expect_code(PLACED("bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "@%p2 bra L;\nret;"), "relssp",
	            "bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "@%p2 bra L;\nrelssp;\nret;\n");
	expect_code(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp",
	            "@%p1 bra $relssp0;\nL:\n" COMMON "@%p1 bra L;\nrelssp;\nbra M;\nM:\n" WORK
	            "ret;\n$relssp0:\nrelssp;\nbra M;\n");
	/* Falls through into a block with other predecessors: no branch. */
	expect_code(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp:branches=needed",
	            "@%p1 bra $relssp0;\nL:\n" COMMON "@%p1 bra L;\nrelssp;\nM:\n" WORK
	            "ret;\n$relssp0:\nrelssp;\nbra M;\n");
}

static void ways_out(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 exit;\n" COMMON "@%p2 ret;\n" WORK), "relssp",
	            "@%p1 bra $relssp0;\n" COMMON "relssp;\n@%p2 ret;\n" WORK
	            "bra $relssp1;\n$relssp0:\nrelssp;\nexit;\n$relssp1:\n");
	expect_code(PLACED("@%p1 exit;\n" COMMON "@%p2 ret;\n" WORK), "relssp:place=postdom",
	            "@%p1 bra $relssp0;\n" COMMON "@%p2 bra $relssp1;\n" WORK
	            "relssp;\nbra $relssp2;\n$relssp0:\nrelssp;\nexit;\n$relssp1:\nrelssp;\nret;\n$relssp2:\n");
	/* Unreachable code gets none, and a loop without an end has no place after it. */
	expect_code(PLACED(COMMON "L:\n" WORK "bra L;\n" COMMON "ret;"), "relssp",
	            COMMON "relssp;\nL:\n" WORK "bra L;\n" COMMON "ret;\n");
	expect_code(PLACED("L:\n" COMMON "bra L;\n"), "relssp", "L:\n" COMMON "bra L;\n");
	expect_code(PLACED(COMMON "@%p1 trap;\n" COMMON "ret;\n"), "relssp:place=exit",
	            COMMON "@%p1 bra $relssp0;\n" COMMON "relssp;\nret;\n$relssp0:\nrelssp;\ntrap;\n");
}

/* Unreachable code gets none. */
static void dead_code_has_none(void **state)
{
	(void)state;
	expect_code(PLACED("bra L;\nDEAD:\n@%p1 bra M;\nL:\n" COMMON "M:\n" WORK "ret;"), "relssp",
	            "bra L;\nDEAD:\n@%p1 bra M;\nL:\n" COMMON "relssp;\nM:\n" WORK "ret;\n");
	expect_code(PLACED("bra L;\nret;\nL:\n" COMMON WORK "ret;"), "relssp:place=exit",
	            "bra L;\nret;\nL:\n" COMMON WORK "relssp;\nret;\n");
}

/* The post-dominator: not in a loop, not on a path that others avoid, after its own accesses. */
static void the_post_dominator(void **state)
{
	(void)state;
	expect_code(PLACED(WORK COMMON WORK "@%p1 bra L;\n" WORK "L:\nret;"), "relssp:place=postdom",
	            WORK COMMON "relssp;\n" WORK "@%p1 bra L;\n" WORK "L:\nret;\n");
	expect_code(PLACED("@%p1 bra E;\n" COMMON "L:\n" WORK "@%p2 bra L;\n" WORK "E:\n" WORK "ret;"),
	            "relssp:place=postdom",
	            "@%p1 bra E;\n" COMMON "L:\n" WORK "@%p2 bra L;\n" WORK "E:\nrelssp;\n" WORK "ret;\n");
	expect_code(PLACED("@%p1 bra M;\n" COMMON "M:\n" WORK "@%p2 bra M;\n" WORK "ret;"), "relssp:place=postdom",
	            "@%p1 bra M;\n" COMMON "M:\n" WORK "@%p2 bra M;\nrelssp;\n" WORK "ret;\n");
}

static void expect_edges(const char *text, const char *passes, uint64_t edges)
{
	struct rewritten r = kit_rewrite(text, passes);
	if (kit_counter(&r, "edges") != edges)
		fail_msg("%u edges:\n%s", (unsigned)kit_counter(&r, "edges"), r.text);
	rewritten_free(&r);
}

/* Only edges that got their own block are counted. */
static void split_edges_are_counted(void **state)
{
	(void)state;
	const char *both = PLACED("@%p1 bra BB3;\n" WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;");
	expect_edges(both, "relssp", 0);
	expect_edges(both, "relssp:place=exit", 0);
	expect_edges(PLACED("L:\n@%p1 exit;\n" COMMON "bra L;\n"), "relssp", 1);
	expect_edges(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp", 2);
}

/* Expects the first counter of a pass that inserts relssp: kernels that have it. */
static void expect_kernels(const char *text, const char *passes, uint64_t kernels)
{
	struct rewritten r = kit_rewrite(text, passes);
	if (kit_counter(&r, "kernels") != kernels || !strstr(r.text, "relssp;") != !kernels)
		fail_msg("%s:\n%s", passes, r.text);
	rewritten_free(&r);
}

static void kernels_that_need_none(void **state)
{
	(void)state;
	expect_kernels(PLACED(OWN "ret;"), "relssp", 0);
	expect_kernels(PLACED(OWN "ret;"), "relssp:t=0.09", 1); /* byte 9 is common */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:t=0.1", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:t=1", 0);
	expect_kernels(PLACED("ret;"), "relssp", 0);
	expect_kernels(PTX_KERNEL("st.global.u32 [%rd1], 1;\nret;"), "relssp", 0);
	/* Space for as large a number of blocks as an SM takes. */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=800,blocks=8", 0);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=799,blocks=8", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=800", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:blocks=8", 1);
	expect_kernels(PTX_KERNEL("st.shared.u32 [4], 1;\nret;"), "relssp", 1);
	/* The size of dynamic memory determines the boundary; if it is unknown, all of it is common. */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:dynamic=1000", 0);
	expect_kernels(HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                    "st.shared.u32 [D], 1;\nret;\n}\n",
	               "relssp", 1);
	expect_kernels(HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                    "st.shared.u32 [D], 1;\nret;\n}\n",
	               "relssp:dynamic=40", 0);
	expect_kernels(HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                    "st.shared.u32 [D+4], 1;\nret;\n}\n",
	               "relssp:dynamic=40", 1);
}

/* A kernel with a relssp, by hand or from another run, gets no second one. */
static void one_is_enough(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(PLACED("relssp;\n" COMMON WORK "ret;"), "relssp");
	assert_int_equal(kit_counter(&r, "left"), 1);
	rewritten_free(&r);
	expect_code(PLACED(COMMON WORK "ret;"), "relssp,relssp:place=exit", COMMON "relssp;\n" WORK "ret;\n");
}

/* Functions get none; a kernel's call is an access if the function accesses. */
static void called_functions(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(CALLED(STORES_M, "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F), "relssp:t=0");
	assert_non_null(strstr(r.text, "\tcall f, (x);\n\trelssp;\n"));
	const char *first = strstr(r.text, "relssp;");
	assert_null(strstr(first + 1, "relssp;"));
	assert_int_equal(kit_counter(&r, "accesses"), 0);
	rewritten_free(&r);
}

static void what_is_not_followed_is_counted(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(TOUCH("mov.u32 %r3, B;\nst.global.u32 [%rd1], %r3;\nld.global.u32 %r2, "
	                                       "[%rd1];\nX: ld.shared.u32 %r3, [%r2];\n"),
	                                 "relssp");
	assert_int_equal(kit_counter(&r, "accesses"), 1);
	assert_int_equal(kit_counter(&r, "variables"), 1);
	assert_int_equal(kit_counter(&r, "instructions"), 1);
	assert_int_equal(kit_counter(&r, "edges"), 0);
	rewritten_free(&r);
	r = kit_rewrite(PLACED("@%p1 exit;\n@%p1 bra L;\n" COMMON WORK "L:\n" WORK "ret;"), "relssp");
	assert_int_equal(kit_counter(&r, "edges"), 2);
	assert_int_equal(kit_counter(&r, "instructions"), 3);
	rewritten_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_a_block),
		cmocka_unit_test(where_ways_part_and_meet),
		cmocka_unit_test(the_places_of_figure_12),
		cmocka_unit_test(the_equations_of_figure_13),
		cmocka_unit_test(critical_edges),
		cmocka_unit_test(ways_out),
		cmocka_unit_test(dead_code_has_none),
		cmocka_unit_test(the_post_dominator),
		cmocka_unit_test(split_edges_are_counted),
		cmocka_unit_test(kernels_that_need_none),
		cmocka_unit_test(one_is_enough),
		cmocka_unit_test(called_functions),
		cmocka_unit_test(what_is_not_followed_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
