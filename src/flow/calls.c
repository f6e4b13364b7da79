/* calls: the call graph, and the registers that are live across calls. */
#include "flow/calls.h"

#include "flow/assemble.h"
#include "flow/sets.h"

#include <string.h>

/* An assembler hides latencies while a thread has few enough registers to fill an SM of most machines: 64 Ki
 * registers and 2,048 threads per SM. */
enum { REGISTERS_OF_FULL_SM = 32 };

struct call_node *calls_node(const struct calls *calls, const struct ptx_function *function)
{
	return &calls->node[function->index];
}

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
	*calls = (struct calls){.nodes = module->function_count, .addressed = module->function_count};
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

static struct call_edge *new_edge(struct calls *calls, struct call_node *node, struct call_node *callee)
{
	struct call_edge *edge = arena_alloc(&calls->arena, sizeof *edge);
	*edge = (struct call_edge){.caller = node, .callee = callee, .next = node->edges};
	return node->edges = edge;
}

static struct call_edge *edge_to(struct calls *calls, struct call_node *node, struct call_node *callee)
{
	if (!callee->found || callee->found->caller != node)
		callee->found = new_edge(calls, node, callee);
	return callee->found;
}

static struct call_edge *edge_by_address(struct calls *calls, struct call_node *node)
{
	if (!node->by_address)
		node->by_address = new_edge(calls, node, NULL);
	return node->by_address;
}

/* While the calls of a node are added, the cached edges must be that node's. */
static void add_call(struct calls *calls, struct call_node *node, const struct ptx_inst *call, uint32_t across)
{
	const struct ptx_operand *target = &call->operand[1];
	struct call_edge *edge = target->kind == PTX_OPERAND_FUNCTION
	                                 ? edge_to(calls, node, calls_node(calls, target->function))
	                                 : edge_by_address(calls, node);
	if (edge->across < across)
		edge->across = across;
}

/* Returns one more than the highest physical register of a live set. */
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

/* Adds the calls of a block; `live` is space for one live set. */
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

/* Returns true when a call through a register can reach the function. */
static bool is_addressed(const struct call_node *node)
{
	return node->address_taken && !node->function->is_entry;
}

static bool is_entered(const struct call_node *node)
{
	return node->is_on_path || node->is_done;
}

/* Takes the walk's next step from a node: returns a callee that has not been entered, or NULL. An entered node is
 * never new again, so all calls by address together scan the nodes only once. */
static struct call_node *next_callee(struct calls *calls, struct call_node *node)
{
	for (; node->next; node->next = node->next->next) {
		struct call_node *callee = node->next->callee;
		if (callee && !is_entered(callee))
			return callee;
		for (; !callee && calls->addressed; calls->addressed--) {
			struct call_node *last = &calls->node[calls->addressed - 1];
			if (is_addressed(last) && !is_entered(last))
				return last;
		}
	}
	return NULL;
}

static void leave(struct calls *calls, struct call_node *node)
{
	node->is_on_path = false;
	node->is_done = true;
	if (!is_addressed(node))
		return;
	if (calls->addressed_registers < node->registers)
		calls->addressed_registers = node->registers;
}

/* Iterative, because call chains may be too long for recursion. */
void calls_walk(struct calls *calls, struct call_node *node, void (*visit)(void *user, struct call_node *node),
                void *user)
{
	node = enter(calls, node, NULL);
	while (node) {
		struct call_node *callee = next_callee(calls, node);
		if (callee) {
			node = enter(calls, callee, node);
			continue;
		}
		visit(user, node);
		leave(calls, node);
		node = node->caller;
	}
}

/* Computes a function's own registers, and its calls with the registers live across them. */
static void find_registers(struct calls *calls, struct call_node *node)
{
	struct arena arena = {0};
	const struct ptx_function *function = node->function;
	if (calls->code != CALLS_AS_WRITTEN) {
		struct ptx_function *folded = assemble_fold(&arena, function);
		if (calls->code == CALLS_SCHEDULED)
			assemble_schedule(&arena, folded, REGISTERS_OF_FULL_SM);
		function = folded;
	}
	const struct flow_cfg *cfg = flow_cfg_build(&arena, function);
	const struct flow_liveness *liveness = flow_liveness(&arena, cfg);
	const struct flow_registers *registers = flow_registers(&arena, cfg, liveness);
	uint32_t count = registers->registers;
	if (calls->code == CALLS_SCHEDULED && count < REGISTERS_OF_FULL_SM) {
		uint32_t more = assemble_registers(&arena, cfg, liveness)->registers;
		count = more < REGISTERS_OF_FULL_SM ? more : REGISTERS_OF_FULL_SM;
	}
	uint64_t *live = arena_array(&arena, liveness->words, sizeof *live);
	for (uint32_t number = 0; number < cfg->blocks; number++)
		if (cfg->block[number].reachable)
			add_block_calls(calls, node, cfg, number, liveness, registers, live);
	node->registers = count;
	arena_free(&arena);
}

/* Registers of a recursive call are unknown. A call by address counts the functions that the walk has already left. */
static uint32_t registers_below(const struct calls *calls, const struct call_node *callee)
{
	if (!callee)
		return calls->addressed_registers;
	return callee->is_on_path ? 0 : callee->registers;
}

void calls_sum_registers(struct calls *calls, struct call_node *node)
{
	node->registers = 0;
	for (struct call_edge *edge = node->edges; edge; edge = edge->next) {
		edge->across = 0;
		if (edge->callee)
			edge->callee->found = edge;
	}
	if (node->function->has_body)
		find_registers(calls, node);
	for (const struct call_edge *edge = node->edges; edge; edge = edge->next) {
		uint32_t below = registers_below(calls, edge->callee);
		if (node->registers < edge->across + below)
			node->registers = edge->across + below;
	}
}

uint32_t calls_registers_below(const struct calls *calls, const struct ptx_inst *call)
{
	const struct ptx_operand *target = &call->operand[1];
	return registers_below(calls,
	                       target->kind == PTX_OPERAND_FUNCTION ? calls_node(calls, target->function) : NULL);
}
