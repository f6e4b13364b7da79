/* Device memory by name, for mechanisms that query it. A variable has its symbol's name. Memory that the program
 * allocated has the name of the kernel parameter that points to it. */
#include "api/api.h"

#include <string.h>

static uint32_t count_live(const struct simt_memory *memory)
{
	uint32_t count = 0;
	for (const struct simt_allocation *a = simt_next(memory, 0); a; a = simt_next(memory, a->address))
		count++;
	return count;
}

static const struct ptx_variable *find_variable(const struct ptx_variable *first, uint64_t address)
{
	for (; first; first = first->next)
		if (first->address == address)
			return first;
	return NULL;
}

/* Searches the variables of all modules and of their functions. */
static const struct ptx_variable *variable_at(const sluice_gpu *gpu, uint64_t address)
{
	const struct ptx_variable *found = NULL;
	for (const sluice_module *module = gpu->modules; module && !found; module = module->next) {
		found = find_variable(module->ptx->variables, address);
		for (const struct ptx_function *f = module->ptx->functions; f && !found; f = f->next)
			found = find_variable(f->locals, address);
	}
	return found;
}

/* The compiler names parameter 0 "kernel_param_0", which becomes "param_0". A word inside a structure gets its offset
 * appended. */
static const char *name_of_parameter(struct arena *arena, const struct ptx_function *kernel,
                                     const struct ptx_variable *parameter, uint64_t offset)
{
	char text[256];
	size_t length = strlen(kernel->name);
	const char *name = parameter->name;
	if (strncmp(name, kernel->name, length) == 0 && name[length] == '_' && name[length + 1])
		name += length + 1;
	int written = offset ? snprintf(text, sizeof text, "%s+%llu", name, (unsigned long long)offset)
	                     : snprintf(text, sizeof text, "%s", name);
	return arena_string(arena, text, (size_t)written < sizeof text ? (size_t)written : sizeof text - 1);
}

/* Returns the name of the kernel's first parameter, or word of a parameter, that points into the allocation; NULL: none
 * does. */
static const char *name_by_parameter(struct launch_analyses *known, const struct simt_allocation *allocation)
{
	const struct ptx_function *kernel = known->kernel->function;
	for (const struct ptx_variable *p = kernel->params; p; p = p->next)
		for (uint64_t offset = 0; offset + sizeof(uint64_t) <= p->size; offset += sizeof(uint64_t)) {
			uint64_t value;
			memcpy(&value, known->launch->params + p->offset + offset, sizeof value);
			if (simt_address(known->gpu->gpu->memory, value) - allocation->address < allocation->size)
				return name_of_parameter(&known->arena, kernel, p, offset);
		}
	return NULL;
}

/* Returns NULL for memory that kernels do not write. */
static const char *name_of(struct launch_analyses *known, const struct simt_allocation *allocation)
{
	char text[32];
	if (allocation->owner == SIMT_MODULE) {
		const struct ptx_variable *variable = variable_at(known->gpu, allocation->address);
		return variable && variable->space == PTX_GLOBAL ? variable->name : NULL;
	}
	const char *name = name_by_parameter(known, allocation);
	if (name)
		return name;
	if (allocation->owner == SIMT_SHARE)
		return "host memory";
	int length = snprintf(text, sizeof text, "malloc %llu", (unsigned long long)allocation->number);
	return arena_string(&known->arena, text, (size_t)length);
}

const struct mech_allocation *api_allocations(void *user, uint32_t *count)
{
	struct launch_analyses *known = user;
	const struct simt_memory *memory = known->gpu->gpu->memory;
	struct mech_allocation *list = arena_array(&known->arena, count_live(memory) + 1, sizeof *list);
	*count = 0;
	for (const struct simt_allocation *a = simt_next(memory, 0); a; a = simt_next(memory, a->address)) {
		const char *name = name_of(known, a);
		if (name)
			list[(*count)++] = (struct mech_allocation){a->address, a->address + a->size, name};
	}
	return list;
}
