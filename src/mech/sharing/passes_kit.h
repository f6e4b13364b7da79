/* passes_kit: PTX through the passes of this folder, for their tests. */
#ifndef SLUICE_MECH_SHARING_PASSES_KIT_H
#define SLUICE_MECH_SHARING_PASSES_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/pipeline.h"

#include "passes.h"

#define PTX_HEAD ".version 3.2\n.target sm_20\n.address_size 64\n"
#define PTX_REGS ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<9>;\n"
#define PTX_KERNEL(body) PTX_HEAD ".visible .entry k(.param .u64 q)\n{\n" PTX_REGS body "\n}\n"

static inline struct ptx_module *kit_parse(const char *text)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text, text);
	diag_free(&diag);
	return module;
}

static inline char *kit_print(const struct ptx_module *module)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* What passes have made of a text, and what they count. */
struct rewritten {
	struct pipeline pipeline;
	char *text;
};

static inline void rewritten_free(struct rewritten *rewritten)
{
	pipeline_close(&rewritten->pipeline);
	free(rewritten->text);
}

/* What is printed parses back to itself. */
static inline struct rewritten kit_rewrite(const char *text, const char *passes)
{
	static const struct pass *const more[] = {&sharing_pass_layout, &sharing_pass_relssp};
	struct rewritten rewritten = {.pipeline = {.more = more, .more_count = 2}};
	struct diag diag = {0};
	struct ptx_module *module = kit_parse(text);
	if (!pipeline_add(&rewritten.pipeline, passes, &diag) || !pipeline_run(&rewritten.pipeline, module, &diag))
		fail_msg("%s", diag.text);
	rewritten.text = kit_print(module);
	ptx_free(module);
	struct ptx_module *again = kit_parse(rewritten.text);
	char *twice = kit_print(again);
	if (strcmp(rewritten.text, twice) != 0)
		fail_msg("what is printed is not what it parses to:\n%s\n---\n%s", rewritten.text, twice);
	ptx_free(again);
	free(twice);
	return rewritten;
}

/* A counter of the first pass. */
static inline uint64_t kit_counter(const struct rewritten *rewritten, const char *name)
{
	const struct pipeline_step *step = &rewritten->pipeline.step[0];
	for (size_t i = 0; i < step->pass->counter_count; i++)
		if (strcmp(step->pass->counters[i].name, name) == 0)
			return *(const uint64_t *)((const char *)step->counters + step->pass->counters[i].offset);
	fail_msg("no counter %s", name);
	return 0;
}

#endif
