/* What a kernel needs with all the functions that it can call: registers, shared and local memory. */
#include "flow/flow.h"

#include "flow/sets.h"

#include <string.h>

/* Calls from one function to another. */
struct edge {
	uint32_t callee;
	uint32_t across; /* 32-bit registers held across the call: the most of all calls to that function */
	struct edge *next;
};

struct node {
	const struct ptx_function *function;
	struct edge *edges;
	bool address_taken, is_on_path, is_done;
	uint32_t registers;   /* with all that it calls */
	uint64_t local_bytes; /* likewise */
};

/* The call graph of a module, built as far as a kernel leads into it. */
struct calls {
	struct arena arena;
	struct node *node;
	uint32_t nodes;
	bool wants_registers; /* else only who calls whom, which is quicker */
};

static uint32_t node_of(const struct calls *calls, const struct ptx_function *function)
{
	for (uint32_t i = 0; i < calls->nodes; i++)
		if (calls->node[i].function == function)
			return i;
	return FLOW_NONE;
}

/* Calls `visit` with each operand of an instruction and of its vectors and lists. */
static void each_operand(const struct ptx_operand *operand, uint32_t count,
                         void (*visit)(void *user, const struct ptx_operand *operand), void *user)
{
	for (uint32_t i = 0; i < count; i++) {
		visit(user, &operand[i]);
		if (operand[i].element)
			each_operand(operand[i].element, operand[i].count, visit, user);
	}
}

static void take_address(struct calls *calls, const struct ptx_function *function)
{
	uint32_t node = function ? node_of(calls, function) : FLOW_NONE;
	if (node != FLOW_NONE)
		calls->node[node].address_taken = true;
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

static void calls_open(struct calls *calls, const struct ptx_module *module, bool wants_registers)
{
	*calls = (struct calls){.wants_registers = wants_registers};
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		calls->nodes++;
	calls->node = arena_array(&calls->arena, calls->nodes, sizeof *calls->node);
	uint32_t count = 0;
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		calls->node[count++].function = function;
	take_addresses_in_variables(calls, module->variables);
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		take_addresses_in_variables(calls, function->locals);
		for (uint32_t i = 0; i < function->body_count; i++)
			if (function->body[i].op != PTX_OP_CALL)
				each_operand(function->body[i].operand, function->body[i].operands,
				             take_operand_address, calls);
	}
}

static void add_edge(struct calls *calls, struct node *node, uint32_t callee, uint32_t across)
{
	struct edge *edge = node->edges;
	while (edge && edge->callee != callee)
		edge = edge->next;
	if (!edge) {
		edge = arena_alloc(&calls->arena, sizeof *edge);
		*edge = (struct edge){callee, 0, node->edges};
		node->edges = edge;
	}
	if (edge->across < across)
		edge->across = across;
}

/* Adds the functions that a call can reach: its target or, through a register, any whose address is taken. */
static void add_call(struct calls *calls, struct node *node, const struct ptx_inst *call, uint32_t across)
{
	for (uint32_t i = 0; i < call->operands; i++) {
		if (call->operand[i].kind != PTX_OPERAND_FUNCTION)
			continue;
		uint32_t callee = node_of(calls, call->operand[i].function);
		if (callee != FLOW_NONE)
			add_edge(calls, node, callee, across);
		return;
	}
	for (uint32_t i = 0; i < calls->nodes; i++)
		if (calls->node[i].address_taken && !calls->node[i].function->is_entry)
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
static void add_block_calls(struct calls *calls, struct node *node, const struct flow_cfg *cfg, uint32_t number,
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

static void find_calls(struct calls *calls, struct node *node)
{
	for (uint32_t i = 0; i < node->function->body_count; i++)
		if (node->function->body[i].op == PTX_OP_CALL)
			add_call(calls, node, &node->function->body[i], 0);
}

/* Fills in a function's own registers, and its calls with what lives across them. */
static void find_registers(struct calls *calls, struct node *node)
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

static uint64_t align_up(uint64_t offset, uint64_t alignment)
{
	return alignment ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* Where a list's variables of one space end when they are laid out from `offset` on. */
static uint64_t lay_out(const struct ptx_variable *variable, enum ptx_space space, uint64_t offset)
{
	for (; variable; variable = variable->next)
		if (variable->space == space)
			offset = align_up(offset, variable->align) + variable->size;
	return offset;
}

/* The needs of a function with all that it calls. A recursive call counts once: how deep it goes is not known. */
static void add_up(struct calls *calls, struct node *node)
{
	uint64_t deepest = 0;
	node->is_on_path = true;
	if (calls->wants_registers && node->function->has_body)
		find_registers(calls, node);
	else
		find_calls(calls, node);
	for (const struct edge *edge = node->edges; edge; edge = edge->next) {
		struct node *callee = &calls->node[edge->callee];
		if (callee->is_on_path)
			continue;
		if (!callee->is_done)
			add_up(calls, callee);
		if (node->registers < edge->across + callee->registers)
			node->registers = edge->across + callee->registers;
		deepest = deepest > callee->local_bytes ? deepest : callee->local_bytes;
	}
	node->local_bytes = align_up(lay_out(node->function->locals, PTX_LOCAL, 0), 16) + deepest;
	node->is_on_path = false;
	node->is_done = true;
}

uint32_t flow_kernel_registers(const struct ptx_function *kernel)
{
	struct calls calls;
	calls_open(&calls, kernel->module, true);
	struct node *node = &calls.node[node_of(&calls, kernel)];
	add_up(&calls, node);
	uint32_t registers = node->registers;
	arena_free(&calls.arena);
	return registers;
}

/* The module's own variables, and which of them are used. */
struct module_use {
	const struct ptx_variable *first;
	uint64_t *used; /* set, by place in the list */
};

static void use_operand(void *user, const struct ptx_operand *operand)
{
	const struct module_use *use = user;
	uint32_t number = 0;
	if (!operand->symbol || (operand->symbol->space != PTX_SHARED && operand->symbol->space != PTX_LOCAL))
		return;
	for (const struct ptx_variable *variable = use->first; variable; variable = variable->next, number++)
		if (variable == operand->symbol)
			set_add(use->used, number);
}

struct flow_memory flow_kernel_memory(const struct ptx_function *kernel)
{
	const struct ptx_module *module = kernel->module;
	struct calls calls;
	calls_open(&calls, module, false);
	struct node *top = &calls.node[node_of(&calls, kernel)];
	add_up(&calls, top);

	uint32_t variables = 0;
	for (const struct ptx_variable *variable = module->variables; variable; variable = variable->next)
		variables++;
	struct module_use use = {module->variables, arena_array(&calls.arena, variables / 64 + 1, sizeof *use.used)};
	struct flow_memory memory = {lay_out(kernel->locals, PTX_SHARED, 0), top->local_bytes};
	for (uint32_t n = 0; n < calls.nodes; n++) {
		const struct ptx_function *function = calls.node[n].function;
		if (!calls.node[n].is_done)
			continue;
		if (function != kernel)
			memory.shared_bytes = lay_out(function->locals, PTX_SHARED, memory.shared_bytes);
		for (uint32_t i = 0; i < function->body_count; i++)
			each_operand(function->body[i].operand, function->body[i].operands, use_operand, &use);
	}
	uint32_t number = 0;
	for (const struct ptx_variable *variable = module->variables; variable; variable = variable->next, number++) {
		if (!set_has(use.used, number) || variable->size == 0) /* dynamic shared memory has no size here */
			continue;
		if (variable->space == PTX_SHARED)
			memory.shared_bytes = align_up(memory.shared_bytes, variable->align) + variable->size;
		if (variable->space == PTX_LOCAL)
			memory.local_bytes = align_up(memory.local_bytes, variable->align) + variable->size;
	}
	arena_free(&calls.arena);
	return memory;
}
