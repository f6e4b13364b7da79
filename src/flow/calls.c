/* Who calls whom, and what lives across the calls. */
#include "flow/calls.h"

#include "flow/sets.h"

#include <string.h>

struct call_node *calls_node(const struct calls *calls, const struct ptx_function *function)
{
	return &calls->node[function->index];
}

/* Calls `visit` with each operand of an instruction and of its vectors and lists. */
void calls_each_operand(const struct ptx_operand *operand, uint32_t count,
                        void (*visit)(void *user, const struct ptx_operand *operand), void *user)
{
	for (uint32_t i = 0; i < count; i++) {
		visit(user, &operand[i]);
		if (operand[i].element)
			calls_each_operand(operand[i].element, operand[i].count, visit, user);
	}
}

static void take_address(struct calls *calls, const struct ptx_function *function)
{
	if (function)
		calls_node(calls, function)->address_taken = true;
}

static void take_operand_address(void *user, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_FUNCTION)
		take_address(user, operand->function);
}

static void take_addresses_in_variables(struct calls *calls, const struct ptx_variable *variable)
{
	for (; variable; variable = variable->next)
		for (uint32_t i = 0; i < variable->relocation_count; i++)
			take_address(calls, variable->relocations[i].function);
}

void calls_open(struct calls *calls, const struct ptx_module *module)
{
	*calls = (struct calls){.nodes = module->function_count};
	calls->node = arena_array(&calls->arena, calls->nodes, sizeof *calls->node);
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		calls_node(calls, function)->function = function;
	take_addresses_in_variables(calls, module->variables);
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		take_addresses_in_variables(calls, function->locals);
		for (uint32_t i = 0; i < function->body_count; i++)
			if (function->body[i].op != PTX_OP_CALL)
				calls_each_operand(function->body[i].operand, function->body[i].operands,
				                   take_operand_address, calls);
	}
}

static void add_edge(struct calls *calls, struct call_node *node, uint32_t callee, uint32_t across)
{
	struct call_edge *edge = node->edges;
	while (edge && edge->callee != callee)
		edge = edge->next;
	if (!edge) {
		edge = arena_alloc(&calls->arena, sizeof *edge);
		*edge = (struct call_edge){callee, 0, node->edges};
		node->edges = edge;
	}
	if (edge->across < across)
		edge->across = across;
}

/* Whether a call through a register can reach a function. */
static bool is_addressed(const struct call_node *node)
{
	return node->address_taken && !node->function->is_entry;
}

static void add_call(struct calls *calls, struct call_node *node, const struct ptx_inst *call, uint32_t across)
{
	const struct ptx_operand *target = &call->operand[1];
	if (target->kind == PTX_OPERAND_FUNCTION) {
		add_edge(calls, node, target->function->index, across);
		return;
	}
	for (uint32_t i = 0; i < calls->nodes; i++)
		if (is_addressed(&calls->node[i]))
			add_edge(calls, node, i, across);
}

/* One more than the highest physical register of a live set. */
static uint32_t held(const struct ptx_function *function, const struct flow_registers *registers, const uint64_t *live,
                     uint32_t words)
{
	uint32_t count = 0;
	for (uint32_t reg = 0; (reg = set_next(live, words, reg)) != UINT32_MAX; reg++) {
		enum ptx_type type = function->regs[reg].type;
		if (type == PTX_PRED || registers->assigned[reg] == FLOW_NONE)
			continue;
		uint32_t end = registers->assigned[reg] + flow_register_width(type);
		count = count > end ? count : end;
	}
	return count;
}

/* Adds the calls of a block; `live` has room for a live set. */
static void add_block_calls(struct calls *calls, struct call_node *node, const struct flow_cfg *cfg, uint32_t number,
                            const struct flow_liveness *liveness, const struct flow_registers *registers,
                            uint64_t *live)
{
	const struct flow_block *block = &cfg->block[number];
	uint32_t first = block->first, ids[FLOW_MAX_REGS];
	while (first < block->first + block->count && cfg->function->body[first].op != PTX_OP_CALL)
		first++;
	if (liveness->words)
		memcpy(live, liveness->out + (size_t)number * liveness->words, liveness->words * sizeof *live);
	for (uint32_t i = block->first + block->count; i-- > first;) {
		const struct ptx_inst *inst = &cfg->function->body[i];
		uint32_t count = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0;
		for (uint32_t k = 0; k < count; k++)
			set_remove(live, ids[k]);
		if (inst->op == PTX_OP_CALL)
			add_call(calls, node, inst, held(cfg->function, registers, live, liveness->words));
		count = ptx_inst_reads(inst, ids);
		for (uint32_t k = 0; k < count; k++)
			set_add(live, ids[k]);
	}
}

static void find_calls(struct calls *calls, struct call_node *node)
{
	for (uint32_t i = 0; i < node->function->body_count; i++)
		if (node->function->body[i].op == PTX_OP_CALL)
			add_call(calls, node, &node->function->body[i], 0);
}

static struct call_node *enter(struct calls *calls, struct call_node *node, struct call_node *caller)
{
	node->caller = caller;
	node->is_on_path = true;
	find_calls(calls, node);
	node->next = node->edges;
	return node;
}

/* Without recursion: call chains may be too long for it. */
void calls_walk(struct calls *calls, struct call_node *node, void (*visit)(void *user, struct call_node *node),
                void *user)
{
	node = enter(calls, node, NULL);
	while (node) {
		const struct call_edge *edge = node->next;
		if (edge) {
			struct call_node *callee = &calls->node[edge->callee];
			node->next = edge->next;
			if (!callee->is_on_path && !callee->is_done)
				node = enter(calls, callee, node);
			continue;
		}
		visit(user, node);
		node->is_on_path = false;
		node->is_done = true;
		node = node->caller;
	}
}

/* Fills in a function's own registers, and its calls with what lives across them. */
static void find_registers(struct calls *calls, struct call_node *node)
{
	struct arena arena = {0};
	const struct flow_cfg *cfg = flow_cfg_build(&arena, node->function);
	const struct flow_liveness *liveness = flow_liveness(&arena, cfg);
	const struct flow_registers *registers = flow_registers(&arena, cfg, liveness);
	uint64_t *live = arena_array(&arena, liveness->words, sizeof *live);
	for (uint32_t number = 0; number < cfg->blocks; number++)
		if (cfg->block[number].reachable)
			add_block_calls(calls, node, cfg, number, liveness, registers, live);
	node->registers = registers->registers;
	arena_free(&arena);
}

void calls_sum_registers(struct calls *calls, struct call_node *node)
{
	node->registers = 0;
	for (struct call_edge *edge = node->edges; edge; edge = edge->next)
		edge->across = 0;
	if (node->function->has_body)
		find_registers(calls, node);
	for (const struct call_edge *edge = node->edges; edge; edge = edge->next) {
		const struct call_node *callee = &calls->node[edge->callee];
		if (!callee->is_on_path && node->registers < edge->across + callee->registers)
			node->registers = edge->across + callee->registers;
	}
}

static uint32_t registers_below(const struct call_node *node)
{
	return node->is_on_path ? 0 : node->registers;
}

uint32_t calls_registers_below(const struct calls *calls, const struct ptx_inst *call)
{
	const struct ptx_operand *target = &call->operand[1];
	if (target->kind == PTX_OPERAND_FUNCTION)
		return registers_below(calls_node(calls, target->function));
	uint32_t most = 0;
	for (uint32_t i = 0; i < calls->nodes; i++)
		if (is_addressed(&calls->node[i]) && most < registers_below(&calls->node[i]))
			most = registers_below(&calls->node[i]);
	return most;
}
