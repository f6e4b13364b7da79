/* kernel: registers, shared and local memory of a kernel with all functions that it can call. */
#include "flow/calls.h"
#include "flow/sets.h"

static uint64_t align_up(uint64_t offset, uint64_t alignment)
{
	return alignment ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* Returns the end of a list's variables of one space when they are laid out from `offset` on. */
static uint64_t lay_out(const struct ptx_variable *variable, enum ptx_space space, uint64_t offset)
{
	for (; variable; variable = variable->next)
		if (variable->space == space)
			offset = align_up(offset, variable->align) + variable->size;
	return offset;
}

static void add_up_registers(void *user, struct call_node *node)
{
	calls_sum_registers(user, node);
}

static void add_up_local(void *user, struct call_node *node)
{
	const struct calls *calls = user;
	node->local_bytes =
		align_up(lay_out(node->function->locals, PTX_LOCAL, 0), 16) + calls_local_bytes_below(calls, node);
}

static uint32_t registers_of(const struct ptx_function *kernel, enum calls_code code)
{
	struct calls calls;
	calls_open(&calls, kernel->module);
	calls.code = code;
	struct call_node *node = calls_node(&calls, kernel);
	calls_walk(&calls, node, add_up_registers, &calls);
	uint32_t registers = node->registers;
	arena_free(&calls.arena);
	return registers;
}

uint32_t flow_kernel_registers(const struct ptx_function *kernel)
{
	return registers_of(kernel, CALLS_AS_WRITTEN);
}

struct flow_assembled flow_assembled_registers(const struct ptx_function *kernel)
{
	enum { STACK_POINTER = 1 }; /* of the calling convention */
	uint32_t wanted = registers_of(kernel, CALLS_SCHEDULED), least = registers_of(kernel, CALLS_FOLDED);
	return (struct flow_assembled){wanted + STACK_POINTER, (least < wanted ? least : wanted) + STACK_POINTER};
}

bool flow_kernel_fits(const struct ptx_function *kernel, uint32_t limit)
{
	return flow_assembled_registers(kernel).least <= limit || flow_kernel_registers(kernel) <= limit;
}

/* The module's own variables, with those that are used. */
struct module_use {
	const struct ptx_variable *first;
	uint64_t *used; /* set, by position in the list */
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
	calls_open(&calls, module);
	struct call_node *top = calls_node(&calls, kernel);
	calls_walk(&calls, top, add_up_local, &calls);

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
			calls_each_operand(function->body[i].operand, function->body[i].operands, use_operand, &use);
	}
	uint32_t number = 0;
	for (const struct ptx_variable *variable = module->variables; variable; variable = variable->next, number++) {
		if (!set_has(use.used, number) || variable->size == 0) /* dynamic shared memory has no static size */
			continue;
		if (variable->space == PTX_SHARED)
			memory.shared_bytes = align_up(memory.shared_bytes, variable->align) + variable->size;
		if (variable->space == PTX_LOCAL)
			memory.local_bytes = align_up(memory.local_bytes, variable->align) + variable->size;
	}
	arena_free(&calls.arena);
	return memory;
}
