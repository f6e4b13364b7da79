/* Protects control and data flow, by hand: graphs, dominators, reconvergence, liveness, register allocation, and a
 * kernel's memory. */
#include "flow_kit.h"

/* An if with two arms: both arms are children of the branch and reconverge where the code continues. */
static void diamond(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("mov.u32 %r1, %tid.x;\n"
	                                  "setp.eq.s32 %p1, %r1, 0;\n"
	                                  "@%p1 bra ELSE;\n"
	                                  "THEN: mov.u32 %r2, 1;\n"
	                                  "bra JOIN;\n"
	                                  "ELSE: mov.u32 %r2, 2;\n"
	                                  "JOIN: st.global.u32 [%rd1], %r2;\n"
	                                  "ret;\n"));
	uint32_t *idom = flow_dominators(&s.arena, s.cfg), *meet = flow_post_dominators(&s.arena, s.cfg);
	uint32_t then = block_at(&s, "THEN"), other = block_at(&s, "ELSE"), join = block_at(&s, "JOIN");
	assert_int_equal(s.cfg->blocks, 5);
	assert_int_equal(s.cfg->block[0].successors, 2);
	assert_int_equal(s.cfg->block[join].predecessors, 2);
	assert_int_equal(idom[0], FLOW_NONE);
	assert_int_equal(idom[then], 0);
	assert_int_equal(idom[other], 0);
	assert_int_equal(idom[join], 0);
	assert_int_equal(meet[0], join);
	assert_int_equal(meet[then], join);
	assert_int_equal(meet[join], exit_block(&s));
	assert_int_equal(meet[exit_block(&s)], FLOW_NONE);
	uint32_t *reconverge = flow_reconvergence(&s.arena, s.cfg);
	assert_int_equal(reconverge[2], at(&s, "JOIN")); /* the branch */
	assert_int_equal(reconverge[0], FLOW_NONE);      /* not a branch */
	assert_true(live_into(&s, "JOIN", "%r2"));
	assert_false(live_into(&s, "THEN", "%r2"));
	assert_true(live_into(&s, "THEN", "%rd1"));
	finish(&s);
}

/* A branch to the next instruction is one edge, not two. */
static void branch_to_next(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("@%p1 bra NEXT;\nNEXT: ret;\n"));
	assert_int_equal(s.cfg->block[0].successors, 1);
	assert_int_equal(s.cfg->block[1].predecessors, 1);
	assert_int_equal(flow_reconvergence(&s.arena, s.cfg)[0], 1);
	finish(&s);
}

/* Nested loops: each loop's branch reconverges after that loop. Loop-carried values are live at the head. */
static void nested_loops(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("mov.u32 %r1, 0;\n"
	                                  "OUTER: mov.u32 %r2, 0;\n"
	                                  "INNER: add.u32 %r2, %r2, 1;\n"
	                                  "add.u32 %r3, %r3, %r1;\n"
	                                  "setp.lt.u32 %p1, %r2, 4;\n"
	                                  "BACK_IN: @%p1 bra INNER;\n"
	                                  "AFTER_IN: add.u32 %r1, %r1, 1;\n"
	                                  "setp.lt.u32 %p2, %r1, 4;\n"
	                                  "BACK_OUT: @%p2 bra OUTER;\n"
	                                  "AFTER_OUT: st.global.u32 [%rd1], %r3;\n"
	                                  "ret;\n"));
	uint32_t *idom = flow_dominators(&s.arena, s.cfg);
	uint32_t *reconverge = flow_reconvergence(&s.arena, s.cfg);
	assert_int_equal(idom[block_at(&s, "INNER")], block_at(&s, "OUTER"));
	assert_int_equal(idom[block_at(&s, "AFTER_IN")], block_at(&s, "BACK_IN"));
	assert_int_equal(idom[block_at(&s, "AFTER_OUT")], block_at(&s, "BACK_OUT"));
	assert_int_equal(reconverge[at(&s, "BACK_IN")], at(&s, "AFTER_IN"));
	assert_int_equal(reconverge[at(&s, "BACK_OUT")], at(&s, "AFTER_OUT"));
	assert_true(live_into(&s, "INNER", "%r2"));
	assert_false(live_into(&s, "OUTER", "%r2"));
	/* through both loops, and from the entry, where it was never set */
	assert_true(live_into(&s, "OUTER", "%r3"));
	assert_true(live_into(&s, "AFTER_IN", "%r3"));
	assert_false(live_into(&s, "AFTER_OUT", "%r1"));
	finish(&s);
}

/* A cycle with two entries has no head: neither half dominates the other. */
static void irreducible(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("@%p1 bra RIGHT;\n"
	                                  "LEFT: add.u32 %r1, %r1, 1;\n"
	                                  "setp.eq.u32 %p2, %r1, 9;\n"
	                                  "@%p2 bra DONE;\n"
	                                  "RIGHT: add.u32 %r2, %r2, %r1;\n"
	                                  "bra LEFT;\n"
	                                  "DONE: st.global.u32 [%rd1], %r2;\n"
	                                  "ret;\n"));
	uint32_t *idom = flow_dominators(&s.arena, s.cfg);
	assert_int_equal(idom[block_at(&s, "LEFT")], 0);
	assert_int_equal(idom[block_at(&s, "RIGHT")], 0);
	assert_int_equal(idom[block_at(&s, "DONE")], block_at(&s, "LEFT"));
	uint32_t *reconverge = flow_reconvergence(&s.arena, s.cfg);
	assert_int_equal(reconverge[0], at(&s, "LEFT"));
	assert_int_equal(reconverge[3], at(&s, "DONE"));
	assert_true(live_into(&s, "LEFT", "%r2"));
	assert_true(live_into(&s, "RIGHT", "%r1"));
	finish(&s);
}

/* Unreachable code has no dominator and costs no register. */
static void unreachable(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("mov.u32 %r1, 1;\n"
	                                  "bra END;\n"
	                                  "DEAD: add.u64 %rd2, %rd3, %rd4;\n"
	                                  "bra END;\n"
	                                  "END: st.shared.u32 [0], %r1;\n"
	                                  "ret;\n"));
	uint32_t dead = block_at(&s, "DEAD"), end = block_at(&s, "END");
	assert_false(s.cfg->block[dead].reachable);
	assert_true(s.cfg->block[end].reachable);
	assert_int_equal(flow_dominators(&s.arena, s.cfg)[dead], FLOW_NONE);
	assert_int_equal(flow_dominators(&s.arena, s.cfg)[end], 0);
	assert_int_equal(s.registers->registers, 1);
	assert_int_equal(s.registers->assigned[reg_named(s.function, "%rd2")], FLOW_NONE);
	finish(&s);
}

/* Arms that each return reconverge only at the exit; so does an endless loop. */
static void exits(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("@%p1 bra B;\n"
	                                  "@%p2 bra LOOP;\n"
	                                  "A: ret;\n"
	                                  "B: exit;\n"
	                                  "LOOP: add.u32 %r1, %r1, 1;\n"
	                                  "bra LOOP;\n"));
	uint32_t *meet = flow_post_dominators(&s.arena, s.cfg);
	assert_int_equal(s.cfg->block[exit_block(&s)].predecessors, 2);
	assert_int_equal(meet[0], exit_block(&s));
	assert_int_equal(meet[block_at(&s, "LOOP")], FLOW_NONE);
	assert_int_equal(meet[1], block_at(&s, "A")); /* the other way never ends */
	assert_int_equal(flow_reconvergence(&s.arena, s.cfg)[0], FLOW_NONE);
	finish(&s);
}

/* A guarded return continues both ways, and a body without a return falls into the exit. */
static void guarded_exits(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("@%p1 ret;\n"
	                                  "GO: mov.u32 %r1, 1;\n"
	                                  "@!%p2 exit;\n"
	                                  "ON: mov.u32 %r2, 1;\n"));
	assert_int_equal(s.cfg->blocks, 4);
	assert_int_equal(s.cfg->block[0].successors, 2);
	assert_int_equal(s.cfg->block[block_at(&s, "GO")].successors, 2);
	assert_int_equal(s.cfg->block[block_at(&s, "ON")].successors, 1);
	assert_int_equal(s.cfg->block[exit_block(&s)].predecessors, 3);
	assert_int_equal(flow_post_dominators(&s.arena, s.cfg)[0], exit_block(&s));
	finish(&s);
}

/* An empty body still has an entry and an exit. */
static void empty_body(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL(""));
	assert_int_equal(s.cfg->blocks, 2);
	assert_int_equal(s.cfg->block[0].successor[0], 1);
	assert_int_equal(s.registers->registers, 0);
	finish(&s);
}

/* A guarded write preserves the old value in the other lanes, so the old value is live before it. */
static void guarded_writes(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("mov.u32 %r1, 1;\n"
	                                  "mov.u32 %r2, 2;\n"
	                                  "bra NEXT;\n"
	                                  "NEXT: @%p1 mov.u32 %r1, 3;\n"
	                                  "mov.u32 %r2, 4;\n"
	                                  "st.shared.u32 [0], %r1;\n"
	                                  "st.shared.u32 [4], %r2;\n"
	                                  "ret;\n"));
	assert_true(live_into(&s, "NEXT", "%r1"));
	assert_false(live_into(&s, "NEXT", "%r2"));
	assert_int_equal(s.registers->registers, 2);
	assert_int_equal(s.registers->predicates, 1);
	assert_true(s.registers->assigned[reg_named(s.function, "%r1")] !=
	            s.registers->assigned[reg_named(s.function, "%r2")]);
	finish(&s);
}

static void expect_registers(const char *text, uint32_t registers, uint32_t predicates)
{
	struct subject s = analyze(text);
	assert_int_equal(s.registers->registers, registers);
	assert_int_equal(s.registers->predicates, predicates);
	assert_int_equal(flow_kernel_registers(s.function), registers);
	finish(&s);
}

/* Register counts that can be worked out by hand. */
static void pressure(void **state)
{
	(void)state;
	/* Three live values at once; the sum reuses the register of a source that dies. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\n"
	                        "add.u32 %r4, %r1, %r2;\nadd.u32 %r5, %r4, %r3;\nst.shared.u32 [0], %r5;\nret;\n"),
	                 3, 0);
	/* A chain needs one register, whatever its length. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r2, 1;\n"
	                        "st.shared.u32 [0], %r3;\nret;\n"),
	                 1, 0);
	/* An unused result still needs a register, in addition to the live values. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nst.shared.u32 [0], %r1;\nret;\n"), 2, 0);
	/* 64 bits take two, aligned: the 32-bit value is before or after the pair, never inside it. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r1;\nret;\n"),
	                 3, 0);
	/* Two single registers share one pair's space, so two pairs and two singles need six. */
	expect_registers(
		KERNEL("mov.u32 %r1, 1;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r2, 2;\n"
	               "add.u64 %rd2, %rd1, 8;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r2;\nret;\n"),
		6, 0);
	/* 16 bits take one each; predicates have their own file. */
	expect_registers(KERNEL("mov.u16 %rs1, 1;\nmov.u16 %rs2, 2;\nsetp.eq.u16 %p1, %rs1, 0;\n"
	                        "setp.eq.u16 %p2, %rs2, 0;\n@%p1 st.shared.u16 [0], %rs1;\n"
	                        "@%p2 st.shared.u16 [2], %rs2;\nret;\n"),
	                 2, 2);
	/* A loop-carried value stays live through the loop although the text ends its use earlier. */
	expect_registers(KERNEL("mov.u32 %r1, 0;\nmov.u32 %r2, 5;\n"
	                        "LOOP: add.u32 %r1, %r1, %r2;\nmov.u32 %r3, 7;\nst.shared.u32 [0], %r3;\n"
	                        "setp.lt.u32 %p1, %r1, 50;\n@%p1 bra LOOP;\nret;\n"),
	                 3, 1);
	/* A gap in a live range is free for another value: %r1 is dead while %r2 lives. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nst.shared.u32 [0], %r1;\nmov.u32 %r2, 1;\nst.shared.u32 [0], %r2;\n"
	                        "mov.u32 %r1, 2;\nst.shared.u32 [4], %r1;\nret;\n"),
	                 1, 0);
}

/* A call needs the registers of values that live across it plus the callee's. Recursion ends. */
static void calls(void **state)
{
	(void)state;
	struct ptx_module *module =
		parse_as("calls.ptx", HEAD
	                 ".func (.param .b32 result) leaf(.param .b32 leaf_param_0)\n{\n" REGS
	                 "ld.param.u32 %r1, [leaf_param_0];\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nadd.u32 %r2, %r2, %r3;\n"
	                 "add.u32 %r1, %r1, %r2;\nst.param.b32 [result], %r1;\nret;\n}\n"
	                 ".func round_and_round()\n{\n" REGS
	                 "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n{\ncall round_and_round;\n}\nst.shared.u32 [0], %r1;\n"
	                 "st.shared.u32 [4], %r2;\nret;\n}\n"
	                 ".visible .entry k()\n{\n" REGS "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n"
	                 "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 b;\ncall (b), leaf, (a);\n"
	                 "ld.param.b32 %r3, [b];\n}\n"
	                 "st.shared.u32 [0], %r3;\nst.shared.u32 [4], %r2;\nret;\n}\n"
	                 ".visible .entry r()\n{\n" REGS "{\ncall round_and_round;\n}\nret;\n}\n");
	/* %r2 lives across the call in the second register: 2, and 3 of the leaf. */
	assert_int_equal(flow_kernel_registers(ptx_find_function(module, "k")), 5);
	assert_int_equal(flow_kernel_registers(ptx_find_function(module, "r")), 2);
	ptx_free(module);
}

/* The drawing names every block and every edge once. */
static void drawing(void **state)
{
	(void)state;
	struct subject s = analyze(KERNEL("@%p1 bra END;\nmov.u32 %r1, 1;\nEND: ret;\n"));
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	flow_cfg_print(s.cfg, file);
	fclose(file);
	assert_non_null(strstr(text, "digraph \"k\" {"));
	assert_non_null(strstr(text, "b0 -> b2;"));
	assert_non_null(strstr(text, "b0 -> b1;"));
	assert_non_null(strstr(text, "b2 -> b3;"));
	assert_non_null(strstr(text, "mov.u32"));
	free(text);
	finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(diamond),       cmocka_unit_test(branch_to_next), cmocka_unit_test(nested_loops),
		cmocka_unit_test(irreducible),   cmocka_unit_test(unreachable),    cmocka_unit_test(exits),
		cmocka_unit_test(guarded_exits), cmocka_unit_test(empty_body),     cmocka_unit_test(guarded_writes),
		cmocka_unit_test(pressure),      cmocka_unit_test(calls),          cmocka_unit_test(drawing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
