/* Protects dependences, against direct implementations of their definitions. A branch decides whether a block runs if
 * one of its paths always leads there and another can miss it. A slice contains everything reachable over values and
 * deciding branches, and no more. */
#include "flow_random.h"

#include "flow/dependences.h"

#define KERNEL_TAIL(body) ".visible .entry k(.param .u64 k_param_0)\n{\n" REGS body "\n}\n"

/* True if every path from a block to the exit passes through another. */
static bool must_pass(const struct flow_cfg *cfg, uint32_t from, uint32_t through, bool *seen)
{
	if (from == through)
		return true;
	if (from == cfg->blocks - 1)
		return false;
	seen[from] = true;
	for (uint32_t k = 0; k < cfg->block[from].successors; k++) {
		uint32_t to = cfg->block[from].successor[k];
		if (!seen[to] && !must_pass(cfg, to, through, seen))
			return false;
	}
	return true;
}

static bool comes_through(const struct flow_cfg *cfg, uint32_t from, uint32_t through)
{
	bool *seen = calloc(cfg->blocks, sizeof *seen);
	bool must = must_pass(cfg, from, through, seen);
	free(seen);
	return must;
}

static bool decides(const struct flow_cfg *cfg, uint32_t branching, uint32_t block)
{
	const struct flow_block *b = &cfg->block[branching];
	bool may_lead = false, may_miss = false;
	for (uint32_t k = 0; b->reachable && k < b->successors; k++) {
		bool leads = comes_through(cfg, b->successor[k], block);
		may_lead |= leads;
		may_miss |= !leads;
	}
	return may_lead && may_miss;
}

static bool is_listed(const struct flow_dependences *on, uint32_t block, uint32_t decider)
{
	for (uint32_t i = on->first_decider[block]; i < on->first_decider[block + 1]; i++)
		if (on->decider[i] == decider)
			return true;
	return false;
}

static void check_deciders(const struct flow_dependences *on, const struct flow_part *part)
{
	const struct flow_cfg *cfg = part->cfg;
	for (uint32_t block = 0; block < cfg->blocks; block++)
		for (uint32_t from = 0; from < cfg->blocks - 1; from++) {
			uint32_t last = part->first_inst + cfg->block[from].first + cfg->block[from].count - 1;
			if (cfg->block[block].reachable &&
			    is_listed(on, part->first_block + block, last) != decides(cfg, from, block))
				fail_msg("block %u, decided by %u: expected %d", block, from,
				         decides(cfg, from, block));
		}
}

static bool depends(const struct flow_dependences *on, uint32_t inst, uint32_t giver)
{
	for (uint32_t i = on->first_use[inst]; i < on->first_use[inst + 1]; i++)
		if (on->use[i].giver == giver)
			return true;
	return is_listed(on, on->block_of[inst], giver);
}

/* Adds the members' dependences until nothing is added. */
static void check_slice(const struct flow_dependences *on, uint32_t from)
{
	uint8_t *serves = calloc(on->count, sizeof *serves), *wanted = calloc(on->count, sizeof *wanted);
	flow_slice(on, from, 4, serves);
	wanted[from] = 4;
	for (bool added = true; added;) {
		added = false;
		for (uint32_t inst = 0; inst < on->count; inst++)
			for (uint32_t giver = 0; wanted[inst] && giver < on->count; giver++)
				if (!wanted[giver] && depends(on, inst, giver)) {
					wanted[giver] = 4;
					added = true;
				}
	}
	assert_memory_equal(serves, wanted, on->count);
	free(serves);
	free(wanted);
}

static void test_at_random(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 24; seed++) {
		char *text = seed % 4 ? random_flow(seed) : random_kernel(seed);
		struct ptx_module *module = parse(text);
		struct arena arena = {0};
		const struct flow_dependences *on = flow_dependences(&arena, ptx_find_function(module, "k"));
		for (uint32_t p = 0; p < on->parts; p++)
			check_deciders(on, &on->part[p]);
		check_slice(on, on->count / 2);
		for (uint32_t inst = 0; inst < on->count; inst++)
			assert_int_equal(flow_number(on, on->inst[inst]), inst);
		arena_free(&arena);
		ptx_free(module);
		free(text);
	}
}

/* Into a function that is called twice, and back: each call gives its argument, and both receive the function's
 * result. */
static void test_calls(void **state)
{
	struct arena arena = {0};
	struct ptx_module *module = parse(
		HEAD ".func (.param .u32 o) f(.param .u32 i)\n{\n.reg .u32 %r<3>;\n"
		     "ld.param.u32 %r1, [i];\nadd.u32 %r2, %r1, 1;\nst.param.u32 [o], %r2;\nret;\n}\n" KERNEL_TAIL(
			     "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n"
			     "{\n.param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %r1;\ncall (b), f, "
			     "(a);\nld.param.u32 %r3, [b];\n}\n"
			     "{\n.param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %r2;\ncall (b), f, "
			     "(a);\nld.param.u32 %r4, [b];\n}\n"
			     "ret;"));
	enum { MOVE_1, MOVE_2, STORE_1, CALL_1, LOAD_1, STORE_2, CALL_2, LOAD_2, RETURN, IN, ADD, OUT, BACK };
	const struct flow_dependences *on = flow_dependences(&arena, ptx_find_function(module, "k"));
	(void)state;
	assert_int_equal(on->parts, 2);
	assert_int_equal(on->count, BACK + 1);
	assert_true(depends(on, LOAD_1, OUT) && depends(on, LOAD_2, OUT) && depends(on, OUT, ADD));
	assert_true(depends(on, IN, STORE_1) && depends(on, IN, STORE_2) && depends(on, IN, CALL_1));
	assert_true(depends(on, STORE_1, MOVE_1) && !depends(on, STORE_1, MOVE_2) && !depends(on, IN, MOVE_1));
	arena_free(&arena);
	ptx_free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_random), cmocka_unit_test(test_calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
