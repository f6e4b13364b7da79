#include "api/run_ahead.h"

#include "api/api.h"
#include "api/kernel.h"
#include "base/bits.h"
#include "flow/alias.h"

#include <stdlib.h>
#include <string.h>

#define BIT(source) (UINT64_C(1) << (source))

static const alias_set POINTERS = BIT(ALIAS_SOURCES) - 1;

/* The memory that a pointer of the launch points to; size 0: none. */
struct target {
	uint64_t address, size;
};

static struct target target_of(const sluice_gpu *gpu, const struct simt_launch *launch,
                               const struct alias_source *source)
{
	uint64_t pointer = source->variable ? source->variable->address : 0;
	if (!source->variable)
		memcpy(&pointer, launch->params + source->offset, sizeof pointer);
	const struct simt_allocation *found = simt_find(gpu->gpu->memory, simt_address(gpu->gpu->memory, pointer));
	return found ? (struct target){found->address, found->size} : (struct target){0};
}

/* True when one of the pointers in `set` points to the memory. */
static bool points_to(const struct target *target, alias_set set, const struct target *memory)
{
	for (set &= POINTERS; set; set &= set - 1) {
		const struct target *one = &target[__builtin_ctzll(set)];
		if (one->size && one->address == memory->address)
			return true;
	}
	return false;
}

/* True when a load through these pointers may alias a store of the kernel. */
static bool alias_store(const struct alias_info *alias, const struct target *target, alias_set set)
{
	if (!(alias->stored & ~BIT(ALIAS_INSIDE)))
		return false;
	if ((alias->stored | set) & BIT(ALIAS_UNKNOWN) || alias->stored & set & BIT(ALIAS_IMAGE))
		return true;
	for (set &= POINTERS; set; set &= set - 1) {
		const struct target *one = &target[__builtin_ctzll(set)];
		if (one->size && points_to(target, alias->stored, one))
			return true;
	}
	return false;
}

/* True when every access is performed as its instruction issues. False for a trace: its values are unknown, and it does
 * not describe stores. */
static bool may_run_ahead(const struct simt_program *program)
{
	for (uint32_t pc = 0; pc < program->count; pc++)
		if (program->code[pc].ptx && alias_is_asynchronous(program->code[pc].ptx))
			return false;
	return !program->source;
}

/* Returns the set of loads that may alias a store, by instruction of the body. */
static uint64_t *loads_that_meet(const sluice_gpu *gpu, const sluice_kernel *kernel, const struct simt_launch *launch)
{
	const struct alias_info *alias = kernel->alias;
	struct target target[ALIAS_SOURCES];
	uint64_t *inst = base_calloc(bits_words(kernel->function->body_count + 1), sizeof *inst);
	for (uint32_t i = 0; i < alias->sources; i++)
		target[i] = target_of(gpu, launch, &alias->source[i]);
	for (uint32_t i = 0; i < alias->loads; i++)
		if (alias_store(alias, target, alias->load[i].from))
			bits_add(inst, alias->load[i].inst);
	return inst;
}

/* True when SMs must wait at the instruction. In called functions they wait at every load. */
static bool waits(const sluice_kernel *kernel, const uint64_t *inst, const struct ptx_inst *ptx)
{
	const struct ptx_function *function = kernel->function;
	if (!ptx)
		return false;
	if (ptx < function->body || ptx >= function->body + function->body_count)
		return alias_is_load(ptx);
	return bits_has(inst, (uint32_t)(ptx - function->body));
}

void run_ahead_find(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run)
{
	const struct simt_program *program = run->launch.program;
	if (gpu->machine.window == 1 || !may_run_ahead(program))
		return;
	run->run_ahead.allowed = true;
	if (!kernel->alias)
		kernel->alias = alias_of(&kernel->arena, kernel->function);
	uint64_t *inst = loads_that_meet(gpu, kernel, &run->launch);
	uint64_t *by_pc = base_calloc(bits_words(program->count + 1), sizeof *by_pc);
	bool any = false;
	for (uint32_t pc = 0; pc < program->count; pc++)
		if (waits(kernel, inst, program->code[pc].ptx)) {
			bits_add(by_pc, pc);
			any = true;
		}
	run->run_ahead.waiting_loads = any ? by_pc : NULL;
	if (!any)
		free(by_pc);
	free(inst);
}

void run_ahead_free(struct gpu_run *run)
{
	free(run->run_ahead.waiting_loads);
}
