/* Finds device variables by their host symbols. */
#include "cudart/copy.h"

#include <string.h>

/* A symbol given by a program, compared with a variable's name. */
struct named {
	const struct symbol *variables, *found;
	const char *name;
};

static void find_name(void *user)
{
	struct named *named = user;
	for (const struct symbol *variable = named->variables; variable && !named->found; variable = variable->next)
		if (strcmp(variable->name, named->name) == 0)
			named->found = variable;
}

/* A symbol is the host address of a device variable or, in old programs, the variable's name. */
static const struct symbol *find_variable(const struct runtime *runtime, const void *symbol)
{
	const void *missing;
	for (const struct symbol *variable = runtime->variables; variable; variable = variable->next)
		if (variable->host == symbol)
			return variable;
	if (!symbol)
		return NULL;
	struct named named = {.variables = runtime->variables, .name = symbol};
	access_guarded(find_name, &named, &missing); /* a pointer to unreadable memory is not a name */
	return named.found;
}

static cudaError_t find_symbol(struct runtime *runtime, const char *call, const void *symbol, uint64_t *address,
                               uint64_t *size)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	const struct symbol *found = find_variable(runtime, symbol);
	if (!found)
		return runtime_refuse(call, cudaErrorInvalidSymbol, "%p is not a variable of the device", symbol);
	cudaError_t error = runtime_load(runtime, found->binary);
	if (error != cudaSuccess)
		return error;
	if (sluice_find_variable(found->binary->module, found->name, address, size))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidSymbol, "the device code has no variable '%s'", found->name);
}

/* Returns the address of [offset, offset + bytes) of a symbol. */
static cudaError_t find_part(struct runtime *runtime, const char *call, const void *symbol, size_t offset, size_t bytes,
                             void **part)
{
	uint64_t address, size;
	cudaError_t result = find_symbol(runtime, call, symbol, &address, &size);
	if (result == cudaSuccess && (offset > size || bytes > size - offset))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at offset %zu of a variable of %llu",
		                        bytes, offset, (unsigned long long)size);
	if (result == cudaSuccess)
		*part = (void *)(uintptr_t)(address + offset);
	return result;
}

static cudaError_t copy_to_symbol(const char *call, struct order order, const void *symbol, const void *from,
                                  size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter_beside();
	struct copy copy = {
		.call = call, .order = order, .from = from, .width = size, .height = 1, .depth = 1, .kind = kind};
	cudaError_t result = find_part(runtime, call, symbol, offset, size, &copy.to);
	return runtime_leave(runtime, result == cudaSuccess ? copy_run(runtime, &copy) : result);
}

static cudaError_t copy_from_symbol(const char *call, struct order order, void *to, const void *symbol, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter_beside();
	void *from = NULL;
	cudaError_t result = find_part(runtime, call, symbol, offset, size, &from);
	struct copy copy = {.call = call,
	                    .order = order,
	                    .to = to,
	                    .from = from,
	                    .width = size,
	                    .height = 1,
	                    .depth = 1,
	                    .kind = kind};
	return runtime_leave(runtime, result == cudaSuccess ? copy_run(runtime, &copy) : result);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
	return copy_to_symbol("cudaMemcpyToSymbol", at_once, symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	return copy_from_symbol("cudaMemcpyFromSymbol", at_once, to, symbol, size, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_to_symbol("cudaMemcpyToSymbolAsync", in_stream(stream), symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_from_symbol("cudaMemcpyFromSymbolAsync", in_stream(stream), to, symbol, size, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	static const char call[] = "cudaGetSymbolAddress";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, pointer);
	return runtime_leave(runtime, result == cudaSuccess ? find_part(runtime, call, symbol, 0, 0, pointer) : result);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	static const char call[] = "cudaGetSymbolSize";
	struct runtime *runtime = runtime_enter_beside();
	uint64_t address, bytes;
	cudaError_t result = runtime_check(runtime, call, size);
	if (result == cudaSuccess)
		result = find_symbol(runtime, call, symbol, &address, &bytes);
	if (result == cudaSuccess)
		*size = bytes;
	return runtime_leave(runtime, result);
}
