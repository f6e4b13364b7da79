/* passes_kit: runs the passes of this folder on PTX text, for their tests. */
#ifndef SLUICE_MECH_SHARING_PASSES_KIT_H
#define SLUICE_MECH_SHARING_PASSES_KIT_H

#include "ptx_kit.h"

#include "flow/pipeline.h"

#include "mech/sharing/accesses.h"
#include "mech/sharing/passes.h"

#define PTX_REGS ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<9>;\n"
#define PTX_KERNEL(body) HEAD ".visible .entry k(.param .u64 q)\n{\n" PTX_REGS body "\n}\n"

#define ST(name) "st.shared.u8 [" name "], %rs1;\n"
#define WORK     "add.s32 %r1, %r1, 1;\n"

/* Kernels with arrays to access; CALLED adds functions and two arrays of the module. */
#define AB_ARRAYS                                                                                                      \
	".shared .align 4 .b8 A[400];\n.shared .align 4 .b8 B[400];\n.local .align 8 .b8 L[64];\n.extern .shared .b8 " \
	"D[];\n"
#define TOUCH(code) PTX_KERNEL(AB_ARRAYS "ld.param.u64 %rd1, [q];\nmov.u32 %r1, %tid.x;\n" code "ret;")
#define CALLED(function, code)                                                                                         \
	HEAD ".shared .b8 M[64];\n.shared .b8 N[64];\n" function                                                   \
		 ".visible .entry k(.param .u64 q)\n{\n" PTX_REGS AB_ARRAYS "ld.param.u64 %rd1, [q];\n" code           \
		 "ret;\n}\n"
#define STORES_M  ".func f(.param .b32 a)\n{\n" PTX_REGS "st.shared.u32 [M+4], 1;\nret;\n}\n"
#define STORES_BY ".func f(.param .b64 a)\n{\n" PTX_REGS "ld.param.u64 %rd1, [a];\nst.u32 [%rd1+8], 1;\nret;\n}\n"
#define CALL_F    "X: call f, (x);\n}\n"

/* Parses PTX. cp.async stays one instruction, as on machines with asynchronous copies. */
static inline struct ptx_module *kit_parse(const char *text)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_load_with_copies("test.ptx", text, strlen(text), &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text, text);
	diag_free(&diag);
	return module;
}

/* The rewritten text, and the passes' counters. */
struct rewritten {
	struct pipeline pipeline;
	char *text;
};

static inline void rewritten_free(struct rewritten *rewritten)
{
	pipeline_close(&rewritten->pipeline);
	free(rewritten->text);
}

/* Runs the passes. Also checks that the printed text parses and prints as itself. */
static inline struct rewritten kit_rewrite(const char *text, const char *passes)
{
	static const struct flow_pass *const more[] = {&sharing_pass_layout, &sharing_pass_relssp};
	struct rewritten rewritten = {.pipeline = {.more = more, .more_count = 2}};
	struct diag diag = {0};
	struct ptx_module *module = kit_parse(text);
	if (!pipeline_add(&rewritten.pipeline, passes, &diag) || !pipeline_run(&rewritten.pipeline, module, &diag))
		fail_msg("%s", diag.text);
	rewritten.text = print(module);
	ptx_free(module);
	struct ptx_module *again = kit_parse(rewritten.text);
	char *twice = print(again);
	if (strcmp(rewritten.text, twice) != 0)
		fail_msg("the printed text does not parse to itself:\n%s\n---\n%s", rewritten.text, twice);
	ptx_free(again);
	free(twice);
	return rewritten;
}

/* Returns a counter of the first pass. */
static inline uint64_t kit_counter(const struct rewritten *rewritten, const char *name)
{
	const struct pipeline_step *step = &rewritten->pipeline.step[0];
	for (size_t i = 0; i < step->pass->counter_count; i++)
		if (strcmp(step->pass->counters[i].name, name) == 0)
			return *(const uint64_t *)((const char *)step->counters + step->pass->counters[i].offset);
	fail_msg("no counter %s", name);
	return 0;
}

/* A kernel with its CFG and its analyzed accesses. */
struct subject {
	struct arena arena;
	struct ptx_module *module;
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	const struct sharing_accesses *accesses;
};

static inline struct subject look_at(const char *text, uint64_t dynamic)
{
	struct subject s = {.module = kit_parse(text)};
	s.function = ptx_find_function(s.module, "k");
	s.cfg = flow_cfg_build(&s.arena, s.function);
	s.accesses = sharing_accesses(&s.arena, s.function, dynamic);
	return s;
}

static inline void done(struct subject *s)
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

#endif
