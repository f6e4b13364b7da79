#include "flow/flow.h"

#include <stdlib.h>

bool flow_ends_block(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_BRA:
	case PTX_OP_RET:
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
		return true;
	default:
		return false;
	}
}

uint32_t flow_branch_target(const struct ptx_inst *branch)
{
	return branch->operand[branch->destinations].target;
}

/* Splits the body into blocks and fills in block_of. The last block is the virtual exit. */
static void split(struct arena *arena, struct flow_cfg *cfg)
{
	const struct ptx_function *function = cfg->function;
	uint32_t count = function->body_count;
	cfg->block_of = arena_array(arena, count, sizeof *cfg->block_of);

	/* First 1 where a block begins, later the number of its block. */
	uint32_t *begins = cfg->block_of;
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_inst *inst = &function->body[i];
		if (!flow_ends_block(inst))
			continue;
		if (i + 1 < count)
			begins[i + 1] = 1;
		if (inst->op == PTX_OP_BRA && flow_branch_target(inst) < count)
			begins[flow_branch_target(inst)] = 1;
	}
	uint32_t block = 0;
	for (uint32_t i = 0; i < count; i++) {
		block += i > 0 && begins[i];
		cfg->block_of[i] = block;
	}
	cfg->blocks = block + 2;
	cfg->block = arena_array(arena, cfg->blocks, sizeof *cfg->block);
	for (uint32_t i = count; i-- > 0;) {
		cfg->block[cfg->block_of[i]].first = i;
		cfg->block[cfg->block_of[i]].count++;
	}
	cfg->block[cfg->blocks - 1].first = count;
}

/* Returns the distinct successors of a block: at most two. */
static uint32_t find_successors(const struct flow_cfg *cfg, uint32_t block, uint32_t successor[2])
{
	const struct flow_block *b = &cfg->block[block];
	uint32_t exit = cfg->blocks - 1, count = 0;
	bool falls_through = true;
	if (block == exit)
		return 0;
	if (b->count) {
		const struct ptx_inst *last = &cfg->function->body[b->first + b->count - 1];
		if (flow_ends_block(last)) {
			uint32_t target = last->op == PTX_OP_BRA ? flow_branch_target(last) : cfg->function->body_count;
			successor[count++] = target < cfg->function->body_count ? cfg->block_of[target] : exit;
			falls_through = last->guard != PTX_NO_REG;
		}
	}
	/* Blocks are numbered in the order of the body, so that the last block falls through to the exit. */
	if (falls_through && (count == 0 || successor[0] != block + 1))
		successor[count++] = block + 1;
	return count;
}

static void connect(struct arena *arena, struct flow_cfg *cfg)
{
	uint32_t *edges = arena_array(arena, 2 * (size_t)cfg->blocks, sizeof *edges), edge_count = 0;
	for (uint32_t i = 0; i < cfg->blocks; i++) {
		struct flow_block *block = &cfg->block[i];
		block->successor = edges + edge_count;
		block->successors = find_successors(cfg, i, block->successor);
		edge_count += block->successors;
		for (uint32_t k = 0; k < block->successors; k++)
			cfg->block[block->successor[k]].predecessors++;
	}
	uint32_t *sources = arena_array(arena, edge_count, sizeof *sources);
	for (uint32_t i = 0; i < cfg->blocks; i++) {
		struct flow_block *block = &cfg->block[i];
		block->predecessor = sources;
		sources += block->predecessors;
		block->predecessors = 0;
	}
	for (uint32_t i = 0; i < cfg->blocks; i++) {
		const struct flow_block *block = &cfg->block[i];
		for (uint32_t k = 0; k < block->successors; k++) {
			struct flow_block *to = &cfg->block[block->successor[k]];
			to->predecessor[to->predecessors++] = i;
		}
	}
}

static void mark_reachable(struct flow_cfg *cfg)
{
	uint32_t *stack = base_malloc(cfg->blocks * sizeof *stack), depth = 0;
	cfg->block[0].reachable = true;
	stack[depth++] = 0;
	while (depth) {
		const struct flow_block *block = &cfg->block[stack[--depth]];
		for (uint32_t k = 0; k < block->successors; k++) {
			struct flow_block *to = &cfg->block[block->successor[k]];
			if (!to->reachable) {
				to->reachable = true;
				stack[depth++] = block->successor[k];
			}
		}
	}
	free(stack);
}

struct flow_cfg *flow_cfg_build(struct arena *arena, const struct ptx_function *function)
{
	struct flow_cfg *cfg = arena_alloc(arena, sizeof *cfg);
	cfg->function = function;
	split(arena, cfg);
	connect(arena, cfg);
	mark_reachable(cfg);
	return cfg;
}

bool flow_has_edge(const struct flow_cfg *cfg, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < cfg->block[from].successors; k++)
		if (cfg->block[from].successor[k] == to)
			return true;
	return false;
}

/* Prints an instruction as part of a Graphviz label. */
static void print_label_line(const struct ptx_function *function, const struct ptx_inst *inst, FILE *file)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	if (!memory)
		abort();
	ptx_print_inst(function, inst, memory);
	fclose(memory);
	for (const char *at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', file);
		if (*at != '\n')
			fputc(*at == '\t' ? ' ' : *at, file);
	}
	fputs("\\l", file);
	free(text);
}

void flow_cfg_print_beside(const struct flow_cfg *cfg, void (*beside)(void *user, uint32_t block, FILE *file),
                           void *user, FILE *file)
{
	fprintf(file, "digraph \"%s\" {\n\tnode [shape=box, fontname=monospace];\n", cfg->function->name);
	for (uint32_t i = 0; i < cfg->blocks; i++) {
		const struct flow_block *block = &cfg->block[i];
		fprintf(file, "\tb%u [label=\"%s %u\\l", i, i + 1 == cfg->blocks ? "exit" : "block", i);
		if (beside)
			beside(user, i, file);
		for (uint32_t k = 0; k < block->count; k++)
			print_label_line(cfg->function, &cfg->function->body[block->first + k], file);
		fprintf(file, "\"%s];\n", block->reachable ? "" : ", style=dashed");
		for (uint32_t k = 0; k < block->successors; k++)
			fprintf(file, "\tb%u -> b%u;\n", i, block->successor[k]);
	}
	fputs("}\n", file);
}

void flow_cfg_print(const struct flow_cfg *cfg, FILE *file)
{
	flow_cfg_print_beside(cfg, NULL, NULL, file);
}
