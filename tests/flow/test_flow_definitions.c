/* Protects control and data flow against their definitions: on random graphs, on the reference kernels, and on a
 * function so long that quadratic time would be noticed. */
#include "flow_kit.h"

/* A small generator, so that the graphs are the same on every machine. */
static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

/* True if `to` can be reached from `from` without passing through `without`. */
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

/* Every (post-)dominator by its definition: without it, no path exists. All other dominators dominate the immediate
 * one. */
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

/* The registers that are live before each instruction, by iteration of the data-flow equations until nothing
 * changes. */
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

/* Checks that no two registers that are live at once share a physical one, and that pairs are aligned. Returns the
 * pressure. */
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
 * equations, and no physical register assigned twice. */
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
		struct subject s = analyze(text);
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

/* The reference kernels: valid assignments. See test_assemble.c for an assembler's needs. */
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
		struct subject s = {.module = parse_as(path, text)};
		s.function = s.module->functions; /* one kernel per file */
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

/* Long functions: a ladder of guards to one exit and twenty thousand registers must not take quadratic time: then this
 * test would take minutes. */
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
	struct subject s = analyze(text);
	assert_int_equal(s.registers->registers, 2);
	assert_int_equal(flow_dominators(&s.arena, s.cfg)[block_at(&s, "OUT")], 0);
	assert_int_equal(flow_post_dominators(&s.arena, s.cfg)[0], block_at(&s, "OUT"));
	finish(&s);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(reference_kernels),
		cmocka_unit_test(long_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
