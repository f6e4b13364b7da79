/* Control and data flow: graphs, dominators, reconvergence, liveness, register allocation, memory of a kernel. */
#include "flow/flow.h"
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD         ".version 3.2\n.target sm_20\n.address_size 64\n"
#define REGS         ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<9>;\n.reg .b16 %rs<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 k_param_0)\n{\n" REGS body "\n}\n"

/* A parsed kernel with its analyses. */
struct subject {
	struct ptx_module *module;
	struct arena arena;
	const struct ptx_function *function;
	struct flow_cfg *cfg;
	struct flow_liveness *live;
	struct flow_registers *registers;
};

static struct ptx_module *parse(const char *name, const char *text)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse(name, text, strlen(text), &diag);
	if (!module)
		print_error("%s", diag.text);
	assert_non_null(module);
	diag_free(&diag);
	return module;
}

static struct subject analyse(const char *text)
{
	struct subject s = {.module = parse("test.ptx", text)};
	s.function = ptx_find_function(s.module, "k");
	assert_non_null(s.function);
	s.cfg = flow_cfg_build(&s.arena, s.function);
	s.live = flow_liveness(&s.arena, s.cfg);
	s.registers = flow_registers(&s.arena, s.cfg, s.live);
	return s;
}

static void finish(struct subject *s)
{
	arena_free(&s->arena);
	ptx_free(s->module);
}

/* The instruction behind a label. */
static uint32_t at(const struct subject *s, const char *label)
{
	for (const struct ptx_label *l = s->function->labels; l; l = l->next)
		if (strcmp(l->name, label) == 0)
			return l->target;
	fail_msg("no label %s", label);
	return 0;
}

static uint32_t block_at(const struct subject *s, const char *label)
{
	return s->cfg->block_of[at(s, label)];
}

static uint32_t exit_block(const struct subject *s)
{
	return s->cfg->blocks - 1;
}

static uint32_t reg_named(const struct ptx_function *function, const char *name)
{
	for (uint32_t i = 0; i < function->reg_count; i++)
		if (strcmp(function->regs[i].name, name) == 0)
			return i;
	fail_msg("no register %s", name);
	return 0;
}

static bool member(const struct subject *s, const uint64_t *sets, uint32_t block, const char *reg)
{
	uint32_t id = reg_named(s->function, reg);
	return sets[(size_t)block * s->live->words + id / 64] >> id % 64 & 1;
}

static bool live_into(const struct subject *s, const char *label, const char *reg)
{
	return member(s, s->live->in, block_at(s, label), reg);
}

/* An if with two arms: both arms hang below the branch, and meet where the code goes on. */
static void diamond(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("mov.u32 %r1, %tid.x;\n"
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
	assert_int_equal(reconverge[0], FLOW_NONE);      /* not one */
	assert_true(live_into(&s, "JOIN", "%r2"));
	assert_false(live_into(&s, "THEN", "%r2"));
	assert_true(live_into(&s, "THEN", "%rd1"));
	finish(&s);
}

/* A branch to the very next instruction is one edge, not two. */
static void branch_to_next(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("@%p1 bra NEXT;\nNEXT: ret;\n"));
	assert_int_equal(s.cfg->block[0].successors, 1);
	assert_int_equal(s.cfg->block[1].predecessors, 1);
	assert_int_equal(flow_reconvergence(&s.arena, s.cfg)[0], 1);
	finish(&s);
}

/* Nested loops: each loop's branch meets behind that loop, what is carried round is live at the head. */
static void nested_loops(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("mov.u32 %r1, 0;\n"
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
	assert_true(live_into(&s, "OUTER", "%r3")); /* through both loops, and from the entry: never set before */
	assert_true(live_into(&s, "AFTER_IN", "%r3"));
	assert_false(live_into(&s, "AFTER_OUT", "%r1"));
	finish(&s);
}

/* A cycle with two entries has no head: neither half dominates the other. */
static void irreducible(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("@%p1 bra RIGHT;\n"
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

/* Code that nothing reaches has no dominator, and costs no register. */
static void unreachable(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("mov.u32 %r1, 1;\n"
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

/* Arms that each return meet only at the exit; so does a loop that never ends. */
static void exits(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("@%p1 bra B;\n"
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

/* A return under a guard goes both ways, and a body without one falls into the exit. */
static void guarded_exits(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("@%p1 ret;\n"
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
	struct subject s = analyse(KERNEL(""));
	assert_int_equal(s.cfg->blocks, 2);
	assert_int_equal(s.cfg->block[0].successor[0], 1);
	assert_int_equal(s.registers->registers, 0);
	finish(&s);
}

/* A write under a guard leaves the old value in the other lanes, so that the old value is live before it. */
static void guarded_writes(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("mov.u32 %r1, 1;\n"
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
	struct subject s = analyse(text);
	assert_int_equal(s.registers->registers, registers);
	assert_int_equal(s.registers->predicates, predicates);
	assert_int_equal(flow_kernel_registers(s.function), registers);
	finish(&s);
}

/* Register counts that can be worked out by hand. */
static void pressure(void **state)
{
	(void)state;
	/* Three values alive at once; the sum reuses a dying source's register. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\n"
	                        "add.u32 %r4, %r1, %r2;\nadd.u32 %r5, %r4, %r3;\nst.shared.u32 [0], %r5;\nret;\n"),
	                 3, 0);
	/* A chain needs one, however long. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r2, 1;\n"
	                        "st.shared.u32 [0], %r3;\nret;\n"),
	                 1, 0);
	/* A result that nobody reads needs a place all the same, beside what is alive. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nst.shared.u32 [0], %r1;\nret;\n"), 2, 0);
	/* 64 bits take two, aligned: the 32-bit value goes before or behind the pair, never into it. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r1;\nret;\n"),
	                 3, 0);
	/* Two singles share one pair of halves, so that two pairs and two singles need six. */
	expect_registers(
		KERNEL("mov.u32 %r1, 1;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r2, 2;\n"
	               "add.u64 %rd2, %rd1, 8;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r2;\nret;\n"),
		6, 0);
	/* 16 bits take one each; predicates have their own file. */
	expect_registers(KERNEL("mov.u16 %rs1, 1;\nmov.u16 %rs2, 2;\nsetp.eq.u16 %p1, %rs1, 0;\n"
	                        "setp.eq.u16 %p2, %rs2, 0;\n@%p1 st.shared.u16 [0], %rs1;\n"
	                        "@%p2 st.shared.u16 [2], %rs2;\nret;\n"),
	                 2, 2);
	/* What a loop carries stays alive through it although the text ends its use before. */
	expect_registers(KERNEL("mov.u32 %r1, 0;\nmov.u32 %r2, 5;\n"
	                        "LOOP: add.u32 %r1, %r1, %r2;\nmov.u32 %r3, 7;\nst.shared.u32 [0], %r3;\n"
	                        "setp.lt.u32 %p1, %r1, 50;\n@%p1 bra LOOP;\nret;\n"),
	                 3, 1);
	/* A hole in a range is free for another: %r1 is dead while %r2 lives. */
	expect_registers(KERNEL("mov.u32 %r1, 1;\nst.shared.u32 [0], %r1;\nmov.u32 %r2, 1;\nst.shared.u32 [0], %r2;\n"
	                        "mov.u32 %r1, 2;\nst.shared.u32 [4], %r1;\nret;\n"),
	                 1, 0);
}

/* A call needs what lives across it and what the callee needs; recursion comes to an end. */
static void calls(void **state)
{
	(void)state;
	struct ptx_module *module =
		parse("calls.ptx", HEAD
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
	/* %r2 lives across in the second register: 2, and 3 of the leaf. */
	assert_int_equal(flow_kernel_registers(ptx_find_function(module, "k")), 5);
	assert_int_equal(flow_kernel_registers(ptx_find_function(module, "r")), 2);
	ptx_free(module);
}

/* Shared memory: the kernel's own, a callee's, and what either uses of the module's, each aligned; local: the frames
 * down the deepest path. */
static void memory(void **state)
{
	(void)state;
	struct ptx_module *module =
		parse("memory.ptx", HEAD ".shared .align 4 .b8 used[6];\n.shared .align 4 .b8 unused[1000];\n"
	                                 ".extern .shared .align 4 .b8 dynamic[];\n"
	                                 ".func inner()\n{\n" REGS ".shared .align 8 .b8 own[16];\n"
	                                 ".local .align 4 .b8 frame[20];\n"
	                                 "mov.u64 %rd1, own;\nmov.u64 %rd2, frame;\nret;\n}\n"
	                                 ".visible .entry k()\n{\n" REGS ".shared .align 4 .b8 tile[5];\n"
	                                 ".local .align 16 .b8 stack[16];\n"
	                                 "mov.u64 %rd1, tile;\nld.shared.u8 %rs1, [used+2];\n"
	                                 "mov.u64 %rd2, dynamic;\n{\ncall inner;\n}\nret;\n}\n"
	                                 ".visible .entry alone()\n{\nret;\n}\n");
	struct flow_memory bytes = flow_kernel_memory(ptx_find_function(module, "k"));
	assert_int_equal(bytes.shared_bytes, 8 + 16 + 6);
	assert_int_equal(bytes.local_bytes, 16 + 32);
	bytes = flow_kernel_memory(ptx_find_function(module, "alone"));
	assert_int_equal(bytes.shared_bytes, 0);
	assert_int_equal(bytes.local_bytes, 0);
	ptx_free(module);
}

/* A small generator of our own, so that the graphs are the same on every machine. */
static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Whether `to` can be reached from `from` without passing through `without`. */
static bool reaches(const struct flow_cfg *cfg, uint32_t from, uint32_t to, uint32_t without)
{
	bool *seen = calloc(cfg->blocks, sizeof *seen);
	uint32_t *stack = calloc(cfg->blocks, sizeof *stack), depth = 0;
	if (from != without) {
		seen[from] = true;
		stack[depth++] = from;
	}
	while (depth) {
		const struct flow_block *block = &cfg->block[stack[--depth]];
		for (uint32_t k = 0; k < block->successors; k++) {
			uint32_t next = block->successor[k];
			if (next != without && !seen[next]) {
				seen[next] = true;
				stack[depth++] = next;
			}
		}
	}
	bool found = seen[to];
	free(seen);
	free(stack);
	return found;
}

/* Every (post-)dominator by its definition: without it, no path. The immediate one is dominated by all the others. */
static void check_dominators(const struct subject *s, const uint32_t *tree, bool post)
{
	uint32_t root = post ? exit_block(s) : 0;
	for (uint32_t b = 0; b < s->cfg->blocks; b++) {
		bool connected = post ? reaches(s->cfg, b, root, FLOW_NONE) : reaches(s->cfg, root, b, FLOW_NONE);
		if (b == root || !connected) {
			assert_int_equal(tree[b], FLOW_NONE);
			continue;
		}
		for (uint32_t d = 0; d < s->cfg->blocks; d++) {
			bool dominates = d != b && (post ? !reaches(s->cfg, b, root, d) : !reaches(s->cfg, root, b, d));
			bool in_tree = false;
			for (uint32_t up = tree[b]; up != FLOW_NONE; up = tree[up])
				in_tree |= up == d;
			assert_int_equal(in_tree, dominates);
		}
	}
}

/* Live registers before each instruction, by repeating the data-flow equations until nothing changes. */
static bool *live_by_equations(const struct ptx_function *f, const struct flow_cfg *cfg)
{
	size_t regs = f->reg_count;
	bool *in = calloc((f->body_count + 1) * regs, 1), *now = malloc(regs);
	uint32_t ids[32];
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = f->body_count; i-- > 0;) {
			const struct ptx_inst *inst = &f->body[i];
			const struct flow_block *block = &cfg->block[cfg->block_of[i]];
			memset(now, 0, regs);
			if (i + 1 < block->first + block->count)
				memcpy(now, in + (i + 1) * regs, regs);
			for (uint32_t k = 0; i + 1 == block->first + block->count && k < block->successors; k++)
				for (size_t r = 0; r < regs; r++)
					now[r] |= in[cfg->block[block->successor[k]].first * regs + r];
			uint32_t count = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0;
			for (uint32_t k = 0; k < count; k++)
				now[ids[k]] = false;
			count = ptx_inst_reads(inst, ids);
			for (uint32_t k = 0; k < count; k++)
				now[ids[k]] = true;
			changed |= memcmp(now, in + i * regs, regs) != 0;
			memcpy(in + i * regs, now, regs);
		}
	}
	free(now);
	return in;
}

/* No two registers that are live at once may share a physical one, and pairs are aligned. Returns the pressure. */
static uint32_t check_assignment(const struct subject *s)
{
	const struct ptx_function *f = s->function;
	bool *in = live_by_equations(f, s->cfg);
	uint32_t most = 0;
	for (uint32_t i = 0; i < f->body_count; i++) {
		if (!s->cfg->block[s->cfg->block_of[i]].reachable)
			continue;
		uint32_t *owner[2] = {calloc(s->registers->registers + 1, sizeof(uint32_t)),
		                      calloc(s->registers->predicates + 1, sizeof(uint32_t))};
		uint32_t held = 0;
		for (uint32_t r = 0; r < f->reg_count; r++) {
			bool is_predicate = f->regs[r].type == PTX_PRED;
			uint32_t width = is_predicate ? 1 : flow_register_width(f->regs[r].type);
			if (!in[(size_t)i * f->reg_count + r])
				continue;
			assert_true(s->registers->assigned[r] != FLOW_NONE);
			assert_int_equal(s->registers->assigned[r] % width, 0);
			for (uint32_t k = 0; k < width; k++) {
				assert_int_equal(owner[is_predicate][s->registers->assigned[r] + k], 0);
				owner[is_predicate][s->registers->assigned[r] + k] = 1;
			}
			held += is_predicate ? 0 : width;
		}
		most = most > held ? most : held;
		free(owner[0]);
		free(owner[1]);
	}
	for (uint32_t b = 0; b < exit_block(s); b++)
		for (uint32_t r = 0; r < f->reg_count; r++)
			assert_int_equal(s->live->in[(size_t)b * s->live->words + r / 64] >> r % 64 & 1,
			                 in[(size_t)s->cfg->block[b].first * f->reg_count + r]);
	free(in);
	return most;
}

/* Random graphs, mostly irreducible and with dead code: dominators against their definition, liveness against its
 * equations, and no physical register given twice. */
static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 60; round++) {
		char *text;
		size_t length;
		FILE *file = open_memstream(&text, &length);
		uint32_t count = 2 + random_below(&seed, 12);
		fputs(HEAD ".visible .entry k()\n{\n" REGS, file);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t kind = random_below(&seed, 8);
			fprintf(file, "L%u: %sadd.u32 %%r%u, %%r%u, %%r%u;\n", i,
			        random_below(&seed, 3) ? "" : "@!%p3 ", random_below(&seed, 9), random_below(&seed, 9),
			        random_below(&seed, 9));
			fprintf(file, "mul.wide.u32 %%rd%u, %%r%u, 4;\nst.shared.u64 [%%r%u], %%rd%u;\n",
			        random_below(&seed, 5), random_below(&seed, 9), random_below(&seed, 9),
			        random_below(&seed, 5));
			if (kind < 4)
				fprintf(file, "@%%p1 bra L%u;\n", random_below(&seed, count));
			else if (kind < 6)
				fprintf(file, "bra L%u;\n", random_below(&seed, count));
			else if (kind == 6)
				fprintf(file, "%sret;\n", random_below(&seed, 2) ? "@%p2 " : "");
		}
		fputs("ret;\n}\n", file);
		fclose(file);
		struct subject s = analyse(text);
		check_dominators(&s, flow_dominators(&s.arena, s.cfg), false);
		check_dominators(&s, flow_post_dominators(&s.arena, s.cfg), true);
		assert_in_range(s.registers->registers, check_assignment(&s), 24);
		finish(&s);
		free(text);
	}
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char *text = calloc(1, 1 << 16);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

/* The reference kernels: assignments that hold. What an assembler would need is in test_assemble.c. */
static void reference_kernels(void **state)
{
	(void)state;
	static const char *const kernels[] = {
		"bfs",    "collatz", "fma",      "histogram",  "matmul_naive", "matmul_tiled",    "pchase",
		"reduce", "saxpy",   "stencil5", "streamcopy", "vecadd",       "transpose_naive", "transpose_padded"};
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		char path[512];
		snprintf(path, sizeof path, TEST_DATA "/reference/kernels/%s.ptx", kernels[i]);
		char *text = read_text(path);
		struct subject s = {.module = parse(path, text)};
		s.function = s.module->functions; /* one kernel a file */
		assert_non_null(s.function);
		s.cfg = flow_cfg_build(&s.arena, s.function);
		s.live = flow_liveness(&s.arena, s.cfg);
		s.registers = flow_registers(&s.arena, s.cfg, s.live);
		uint32_t most = check_assignment(&s);
		assert_in_range(s.registers->registers, most, most + 2);
		finish(&s);
		free(text);
	}
}

/* Long functions: a ladder of guards to one exit and twenty thousand registers must not take quadratic time, which
 * would make this test take minutes. */
static void long_function(void **state)
{
	(void)state;
	enum { RUNGS = 20000 };
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, HEAD ".visible .entry k()\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<%u>;\nmov.u32 %%r0, 0;\n",
	        RUNGS + 1);
	for (uint32_t i = 1; i <= RUNGS; i++)
		fprintf(file, "add.u32 %%r%u, %%r%u, %%r0;\nsetp.eq.u32 %%p1, %%r%u, 0;\n@%%p1 bra OUT;\n", i, i - 1,
		        i);
	fprintf(file, "OUT: st.shared.u32 [0], %%r0;\nret;\n}\n");
	fclose(file);
	struct subject s = analyse(text);
	assert_int_equal(s.registers->registers, 2);
	assert_int_equal(flow_dominators(&s.arena, s.cfg)[block_at(&s, "OUT")], 0);
	assert_int_equal(flow_post_dominators(&s.arena, s.cfg)[0], block_at(&s, "OUT"));
	finish(&s);
	free(text);
}

/* The drawing names every block and every edge once. */
static void drawing(void **state)
{
	(void)state;
	struct subject s = analyse(KERNEL("@%p1 bra END;\nmov.u32 %r1, 1;\nEND: ret;\n"));
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
		cmocka_unit_test(diamond),        cmocka_unit_test(branch_to_next),
		cmocka_unit_test(nested_loops),   cmocka_unit_test(irreducible),
		cmocka_unit_test(unreachable),    cmocka_unit_test(exits),
		cmocka_unit_test(guarded_exits),  cmocka_unit_test(empty_body),
		cmocka_unit_test(guarded_writes), cmocka_unit_test(pressure),
		cmocka_unit_test(calls),          cmocka_unit_test(memory),
		cmocka_unit_test(random_graphs),  cmocka_unit_test(reference_kernels),
		cmocka_unit_test(long_function),  cmocka_unit_test(drawing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
