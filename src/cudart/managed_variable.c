/* Managed variables. A variable declared with __managed__ is a host variable that kernels access. nvcc's programs
 * register a pointer instead, through which their host code accesses the variable. */
#include "cudart/host_memory.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>

struct managed_variable {
	struct symbol *symbol;
	void **pointer; /* receives the address of new pages; NULL: the symbol's host variable is the memory */
	size_t size;
	struct managed_variable *next;
};

/* The section of an object file that contains its managed host variables. */
struct managed_section {
	const char *start, *end;
	struct managed_section *next;
};

void __cudaRegisterManagedSection(const void *start, const void *end)
{
	struct runtime *runtime = runtime_enter_closed();
	struct managed_section *section = base_calloc(1, sizeof *section);
	*section = (struct managed_section){start, end, runtime->sections};
	runtime->sections = section;
	runtime_leave(runtime, cudaSuccess);
}

bool managed_is(const struct runtime *runtime, const void *host)
{
	const struct managed_section *section = runtime->sections;
	while (section && !((const char *)host >= section->start && (const char *)host < section->end))
		section = section->next;
	return section;
}

void managed_sections_free(struct runtime *runtime)
{
	LIST_FREE(runtime->sections);
}

void managed_declare(struct symbol *symbol, size_t size, void **pointer)
{
	struct managed_variable *variable = base_calloc(1, sizeof *variable);
	*variable = (struct managed_variable){symbol, pointer, size, symbol->binary->managed};
	symbol->binary->managed = variable;
}

void managed_free(struct binary *binary)
{
	LIST_FREE(binary->managed);
}

/* Maps host memory for an nvcc variable. It stays mapped even after its code is unloaded. */
static bool map_variable(const struct runtime *runtime, struct managed_variable *variable)
{
	if (!variable->pointer)
		return true;
	size_t mapped = variable->size;
	*variable->pointer = host_memory_map(runtime, &mapped);
	variable->symbol->host = *variable->pointer;
	return *variable->pointer;
}

struct sluice_host_variable *managed_place(struct runtime *runtime, struct binary *binary)
{
	size_t count = 0, n = 0;
	for (const struct managed_variable *variable = binary->managed; variable; variable = variable->next)
		count++;
	struct sluice_host_variable *list = base_calloc(count + 1, sizeof *list);
	for (struct managed_variable *variable = binary->managed; variable; variable = variable->next) {
		if (!map_variable(runtime, variable)) {
			free(list);
			return NULL;
		}
		list[n++] = (struct sluice_host_variable){variable->symbol->name, (void *)variable->symbol->host};
	}
	return list;
}

void managed_keep(struct runtime *runtime, const struct binary *binary)
{
	for (const struct managed_variable *variable = binary->managed; variable; variable = variable->next) {
		uint64_t address, size;
		if (!sluice_find_variable(binary->module, variable->symbol->name, &address, &size))
			continue;
		host_memory_keep(runtime, (struct host_memory){.address = (uintptr_t)variable->symbol->host,
		                                               .size = size,
		                                               .kind = HOST_MANAGED,
		                                               .flags = cudaMemAttachGlobal,
		                                               .device = address});
	}
}
