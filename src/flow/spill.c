/* spill: rewrites a kernel until it has at most the allowed registers per thread.
 *
 * The limit applies to the register allocation, not to the number of live registers: pairs for 64-bit values may
 * leave gaps. The live registers are therefore first reduced to the limit, then by one more, and so on, until the
 * allocation fits. A function is rewritten after its callees, so that the registers left to it across calls are
 * known.
 */
#include "flow/spill.h"

#include "flow/calls.h"

struct spiller {
	struct ptx_module *module;
	struct ptx_function **function; /* of the module, by index */
	struct calls calls;
	uint32_t limit;
	bool fits;
	struct flow_spills *spills;
};

/* Returns, by instruction, the registers that a call's target needs. */
static uint32_t *find_callee_registers(struct arena *arena, const struct calls *calls,
                                       const struct ptx_function *function)
{
	uint32_t *callee_registers = arena_array(arena, function->body_count, sizeof *callee_registers);
	for (uint32_t i = 0; i < function->body_count; i++)
		if (function->body[i].op == PTX_OP_CALL)
			callee_registers[i] = calls_registers_below(calls, &function->body[i]);
	return callee_registers;
}

static void spill_function(void *user, struct call_node *node)
{
	struct spiller *spiller = user;
	struct ptx_function *function = spiller->function[node->function->index];
	struct spill_function spilled;
	spill_begin(&spilled, spiller->module, function);
	calls_sum_registers(&spiller->calls, node);
	for (uint32_t target = spiller->limit; target && node->registers > spiller->limit; target--) {
		struct arena arena = {0};
		const uint32_t *callee_registers = find_callee_registers(&arena, &spiller->calls, function);
		const uint64_t *set = spill_choose(&arena, function, spilled.edit.own, target, callee_registers);
		if (set) {
			spill_rewrite(&spilled, set, spiller->spills);
			calls_sum_registers(&spiller->calls, node);
		}
		arena_free(&arena);
	}
	if (spilled.depot)
		spiller->spills->bytes += (uint32_t)spilled.depot->size;
	spiller->fits &= node->registers <= spiller->limit;
}

bool flow_spill(struct ptx_module *module, const struct ptx_function *kernel, uint32_t limit,
                struct flow_spills *spills)
{
	struct spiller spiller = {.module = module, .limit = limit, .fits = true, .spills = spills};
	*spills = (struct flow_spills){0};
	calls_open(&spiller.calls, module);
	spiller.function = arena_array(&spiller.calls.arena, module->function_count, sizeof *spiller.function);
	for (struct ptx_function *function = module->functions; function; function = function->next)
		spiller.function[function->index] = function;
	calls_walk(&spiller.calls, calls_node(&spiller.calls, kernel), spill_function, &spiller);
	arena_free(&spiller.calls.arena);
	return spiller.fits;
}
