/* kernel: registers of a kernel with all functions that it can call. */
#include "flow/calls.h"
#include "flow/sets.h"

static void add_up_registers(void *user, struct call_node *node)
{
	calls_sum_registers(user, node);
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
