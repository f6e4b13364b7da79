/* flow_kit: parses a kernel and runs its analyses, for the tests of src/flow. */
#ifndef SLUICE_TESTS_FLOW_KIT_H
#define SLUICE_TESTS_FLOW_KIT_H

#include "ptx_kit.h"

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

static inline struct subject analyze(const char *text)
{
	struct subject s = {.module = parse(text)};
	s.function = ptx_find_function(s.module, "k");
	assert_non_null(s.function);
	s.cfg = flow_cfg_build(&s.arena, s.function);
	s.live = flow_liveness(&s.arena, s.cfg);
	s.registers = flow_registers(&s.arena, s.cfg, s.live);
	return s;
}

static inline void finish(struct subject *s)
{
	arena_free(&s->arena);
	ptx_free(s->module);
}

static inline uint32_t at(const struct subject *s, const char *label)
{
	return label_at(s->function, label);
}

static inline uint32_t block_at(const struct subject *s, const char *label)
{
	return s->cfg->block_of[at(s, label)];
}

static inline uint32_t exit_block(const struct subject *s)
{
	return s->cfg->blocks - 1;
}

static inline uint32_t reg_named(const struct ptx_function *function, const char *name)
{
	for (uint32_t i = 0; i < function->reg_count; i++)
		if (strcmp(function->regs[i].name, name) == 0)
			return i;
	fail_msg("no register %s", name);
	return 0;
}

static inline bool member(const struct subject *s, const uint64_t *sets, uint32_t block, const char *reg)
{
	uint32_t id = reg_named(s->function, reg);
	return sets[(size_t)block * s->live->words + id / 64] >> id % 64 & 1;
}

static inline bool live_into(const struct subject *s, const char *label, const char *reg)
{
	return member(s, s->live->in, block_at(s, label), reg);
}

#endif
