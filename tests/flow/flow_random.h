/* flow_random: kernels with random control flow, for the tests of analyses and passes. */
#ifndef SLUICE_TESTS_FLOW_RANDOM_H
#define SLUICE_TESTS_FLOW_RANDOM_H

#include "spill_kit.h"

/* Blocks that branch anywhere, also loops with several entries, with and without guards. They store values on the way
 * and may exit under a guard. Each iteration consumes fuel, so that they end. */
static inline void random_block(struct generator *g, uint32_t block, uint32_t blocks)
{
	fprintf(g->file, "B%u:\nsub.s32 %%fuel, %%fuel, 1;\nsetp.lt.s32 %%q0, %%fuel, 0;\n@%%q0 bra DONE;\n", block);
	for (uint32_t i = any(g, 5); i-- > 0;)
		simple(g);
	guarded(g);
	fprintf(g->file, "st.global.u32 [%%base+%u], %%r%u;\n", 16 * any(g, 60), any(g, INTS));
	fprintf(g->file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", any(g, PREDICATES), any(g, INTS), any(g, INTS));
	const char *no = any(g, 2) ? "!" : "";
	switch (any(g, 6)) {
	case 0:
		fprintf(g->file, "bra B%u;\n", any(g, blocks));
		return;
	case 1:
		fprintf(g->file, "@%s%%p%u %s;\n", no, any(g, PREDICATES), any(g, 2) ? "exit" : "ret");
		return;
	case 2:
		call(g);
		return;
	default:
		fprintf(g->file, "@%s%%p%u bra B%u;\n", no, any(g, PREDICATES), any(g, blocks));
	}
}

static inline char *random_flow(uint64_t seed)
{
	char *text = NULL;
	size_t length;
	struct generator g = {.file = open_memstream(&text, &length), .seed = seed};
	fputs(HEAD, g.file);
	fputs(function_text, g.file);
	fputs(".visible .entry k(.param .u64 p)\n{\n" REGS
	      ".reg .b64 %base, %own;\n.reg .b32 %fuel, %t;\n.reg .pred %q<9>;\n"
	      "ld.param.u64 %base, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %own, %t, 1024;\nadd.s64 %base, %base, "
	      "%own;\nmov.u32 %fuel, 40;\n",
	      g.file);
	each_variable(&g, true);
	for (uint32_t i = 0; i < PREDICATES; i++)
		fprintf(g.file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 1);
	uint32_t blocks = 3 + any(&g, 12);
	for (uint32_t block = 0; block < blocks; block++)
		random_block(&g, block, blocks);
	fputs("DONE:\n", g.file);
	each_variable(&g, false);
	fputs(any(&g, 2) ? "ret;\n}\n" : "}\n", g.file);
	fclose(g.file);
	return text;
}

#endif
