/* Functions that compiled code calls before main(), to register device code, kernels and variables. */
#include "cudart/host_memory.h"

#include "base/arena.h"

enum { WRAPPER_MAGIC = 0x466243b1 };

/* The contents of the segment .nvFatBinSegment. */
struct wrapper {
	uint32_t magic, version;
	const char *data;
	void *unused;
};

void **__cudaRegisterFatBinary(void *fat_binary)
{
	const struct wrapper *wrapper = fat_binary;
	struct runtime *runtime = runtime_enter_closed();
	struct binary *binary = base_calloc(1, sizeof *binary);
	if (wrapper->magic == WRAPPER_MAGIC)
		binary->data = wrapper->data;
	else
		runtime_message("device code of an unknown kind (magic number 0x%08x)", wrapper->magic);
	runtime->failed |= !binary->data;
	binary->next = runtime->binaries;
	runtime->binaries = binary;
	runtime_leave(runtime, cudaSuccess);
	return (void **)binary;
}

/* Loads managed variables, which must have their values before the program reads them. */
void __cudaRegisterFatBinaryEnd(void **handle)
{
	struct binary *binary = (struct binary *)handle;
	if (!binary->managed)
		return;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime->error == cudaSuccess ? runtime_load(runtime, binary) : runtime->error;
	runtime_leave(runtime, result);
}

/* nvcc 12.8 and later call this before using a variable or kernel. Loading happens later, at first use. */
char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

/* Kernels and variables stay registered, because statistics and exit handlers may still need them. A library that is
 * loaded again registers new ones. Takes no lock, because another thread may be in a launch while the process ends. */
void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

static struct symbol *add_symbol(struct symbol **list, void **handle, const void *host, const char *name)
{
	struct symbol *symbol = base_calloc(1, sizeof *symbol);
	*symbol = (struct symbol){.host = host, .name = name, .binary = (struct binary *)handle, .next = *list};
	*list = symbol;
	return symbol;
}

void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function, const char *device_name,
                            int thread_limit, uint3 *thread_id, uint3 *block_id, dim3 *block, dim3 *grid,
                            int *warp_size)
{
	(void)device_function, (void)thread_limit, (void)thread_id, (void)block_id, (void)block, (void)grid;
	(void)warp_size;
	struct runtime *runtime = runtime_enter_closed();
	add_symbol(&runtime->kernels, handle, host_function, device_name);
	runtime_leave(runtime, cudaSuccess);
}

void __cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *device_name, int is_extern,
                       size_t size, int is_constant, int is_global)
{
	(void)device_address, (void)is_constant, (void)is_global;
	struct runtime *runtime = runtime_enter_closed();
	struct symbol *symbol = add_symbol(&runtime->variables, handle, host_variable, device_name);
	if (!is_extern && managed_is(runtime, host_variable))
		managed_declare(symbol, size, NULL);
	runtime_leave(runtime, cudaSuccess);
}

/* For nvcc's programs, whose host code accesses the variable through *host_variable. */
void __cudaRegisterManagedVar(void **handle, void **host_variable, char *device_address, const char *device_name,
                              int is_extern, size_t size, int is_constant, int is_global)
{
	(void)device_address, (void)is_constant, (void)is_global;
	struct runtime *runtime = runtime_enter_closed();
	struct symbol *symbol = add_symbol(&runtime->variables, handle, NULL, device_name);
	if (!is_extern)
		managed_declare(symbol, size, host_variable);
	runtime_leave(runtime, cudaSuccess);
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
	struct call_configuration *configuration = runtime_push_configuration();
	if (!configuration)
		return cudaErrorMissingConfiguration; /* too many nested launches in launch arguments */
	*configuration = (struct call_configuration){grid, block, shared, stream};
	return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!grid || !block || !shared || !stream)
		return cudaErrorInvalidValue;
	const struct call_configuration *configuration = runtime_pop_configuration();
	if (!configuration)
		return cudaErrorMissingConfiguration;
	*grid = configuration->grid;
	*block = configuration->block;
	*shared = configuration->shared;
	*(cudaStream_t *)stream = configuration->stream;
	return cudaSuccess;
}
