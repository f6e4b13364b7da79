/* Protects reaching definitions of each register before each instruction. The reference walks from every definition
 * until another one ends it. */
#include "flow_random.h"

#include "flow/flow.h"

static bool writes(const struct ptx_inst *inst, uint32_t reg)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
		if (ids[k] == reg)
			return true;
	return false;
}

/* Marks the instructions before which a definition still holds, from instruction `at` on. */
static void walk(const struct flow_cfg *cfg, uint32_t reg, uint32_t at, bool *reached)
{
	const struct ptx_function *function = cfg->function;
	while (at < function->body_count && !reached[at]) {
		const struct ptx_inst *inst = &function->body[at];
		const struct flow_block *block = &cfg->block[cfg->block_of[at]];
		reached[at] = true;
		if (inst->guard == PTX_NO_REG && writes(inst, reg))
			return;
		if (++at < block->first + block->count)
			continue;
		for (uint32_t k = 0; k < block->successors; k++)
			walk(cfg, reg, cfg->block[block->successor[k]].first, reached);
		return;
	}
}

static bool has(const uint32_t *inst, uint32_t count, uint32_t wanted)
{
	uint32_t times = 0;
	for (uint32_t i = 0; i < count; i++)
		times += inst[i] == wanted;
	assert_true(times < 2);
	return times;
}

/* After the instruction itself, which may be the last of its block. */
static void walk_from(const struct flow_cfg *cfg, uint32_t reg, uint32_t from, bool *reached)
{
	const struct flow_block *block = &cfg->block[cfg->block_of[from]];
	if (from + 1 < block->first + block->count) {
		walk(cfg, reg, from + 1, reached);
		return;
	}
	for (uint32_t k = 0; k < block->successors; k++)
		walk(cfg, reg, cfg->block[block->successor[k]].first, reached);
}

static void check_definition(const struct flow_cfg *cfg, const struct flow_definitions *definitions, uint32_t reg,
                             uint32_t from)
{
	enum { ROOM = 256 };
	uint32_t inst[ROOM];
	bool *reached = calloc(cfg->function->body_count, sizeof *reached);
	walk_from(cfg, reg, from, reached);
	for (uint32_t at = 0; at < cfg->function->body_count; at++) {
		uint32_t count = flow_reaching(definitions, cfg, at, reg, inst, ROOM);
		assert_true(count <= ROOM);
		if (has(inst, count, from) != reached[at])
			fail_msg("definition of %s by %u, in front of %u: expected %d", cfg->function->regs[reg].name,
			         from, at, reached[at]);
	}
	free(reached);
}

static void definitions_reach_as_far_as_they_can_be_walked(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		char *text = seed % 2 ? random_flow(seed) : random_kernel(seed);
		struct ptx_module *module = parse(text);
		struct arena arena = {0};
		uint32_t ids[PTX_MAX_IDS];
		const struct flow_cfg *cfg = flow_cfg_build(&arena, ptx_find_function(module, "k"));
		const struct flow_definitions *definitions = flow_definitions(&arena, cfg);
		for (uint32_t i = 0; i < cfg->function->body_count; i++)
			for (uint32_t k = ptx_inst_writes(&cfg->function->body[i], ids); k-- > 0;)
				check_definition(cfg, definitions, ids[k], i);
		arena_free(&arena);
		ptx_free(module);
		free(text);
	}
}

/* Definitions beyond the array's capacity are still counted. */
static void what_has_no_room_is_counted(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct ptx_module *module = parse(KERNEL("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n@%p2 mov.u32 %r1, 3;\nret;"));
	const struct flow_cfg *cfg = flow_cfg_build(&arena, ptx_find_function(module, "k"));
	uint32_t inst[2] = {9, 9}, reg = cfg->function->body[0].operand[0].reg;
	assert_int_equal(flow_reaching(flow_definitions(&arena, cfg), cfg, 3, reg, inst, 1), 3);
	assert_int_equal(inst[0], 2);
	assert_int_equal(inst[1], 9);
	arena_free(&arena);
	ptx_free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_reach_as_far_as_they_can_be_walked),
		cmocka_unit_test(what_has_no_room_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
