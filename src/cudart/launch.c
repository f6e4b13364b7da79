/* Kernels: launching them, and what is known of them. */
#include "cudart/capture.h"
#include "cudart/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct symbol *find_symbol(const struct runtime *runtime, const void *function)
{
	const struct symbol *symbol = runtime->kernels;
	while (symbol && symbol->host != function && symbol != function) /* the second is a cudaKernel_t */
		symbol = symbol->next;
	return symbol;
}

cudaError_t runtime_find_kernel(struct runtime *runtime, const char *call, const void *function, sluice_kernel **kernel)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	const struct symbol *symbol = find_symbol(runtime, function);
	if (!symbol)
		return runtime_refuse(call, cudaErrorInvalidDeviceFunction, "%p is no kernel", function);
	cudaError_t error = runtime_load(runtime, symbol->binary);
	if (error != cudaSuccess)
		return error;
	*kernel = sluice_find_kernel(symbol->binary->module, symbol->name);
	if (*kernel)
		return cudaSuccess;
	runtime_message("the device code has no kernel '%s'", symbol->name);
	runtime->failed = true;
	return cudaErrorInvalidDeviceFunction;
}

/* A launch, as both kinds give it. */
struct launch {
	const char *call;
	bool cooperative;
	const void *function;
	dim3 grid, block;
	void **arguments;
	size_t shared;
	cudaStream_t stream;
};

static enum sluice_status start(struct runtime *runtime, const struct launch *launch, sluice_kernel *kernel,
                                struct sluice_error *error)
{
	sluice_dim grid = {launch->grid.x, launch->grid.y, launch->grid.z};
	sluice_dim block = {launch->block.x, launch->block.y, launch->block.z};
	uint32_t shared = (uint32_t)launch->shared;
	if (!launch->cooperative)
		return sluice_launch(runtime->gpu, kernel, grid, block, shared, launch->arguments, error);
	/* what the kernel's grid_group asks: cooperative_groups.h, sluice/groups/grid.h */
	static const uint32_t together[] = {1, 0, 0}, apart[] = {0, 0, 0};
	sluice_module *module = find_symbol(runtime, launch->function)->binary->module;
	uint64_t address, size;
	bool asks = sluice_find_variable(module, "sluice_grid_state", &address, &size) && size == sizeof together;
	if (asks && sluice_write(runtime->gpu, address, together, sizeof together, error) != SLUICE_OK)
		return error->status;
	enum sluice_status status =
		sluice_launch_cooperative(runtime->gpu, kernel, grid, block, shared, launch->arguments, error);
	if (asks)
		sluice_write(runtime->gpu, address, apart, sizeof apart, NULL);
	return status;
}

static cudaError_t run(struct runtime *runtime, const struct launch *launch)
{
	const char *call = launch->call;
	sluice_kernel *kernel = NULL;
	cudaError_t result = runtime_check_stream(runtime, call, launch->stream);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, launch->function, &kernel);
	if (result != cudaSuccess)
		return result;
	if (launch->shared > UINT32_MAX)
		return runtime_refuse(call, cudaErrorInvalidConfiguration, "%zu bytes of dynamic shared memory",
		                      launch->shared);
	if (capture_of(runtime, launch->stream)) {
		const struct graph_kernel captured = {.function = launch->function,
		                                      .grid = launch->grid,
		                                      .block = launch->block,
		                                      .shared = launch->shared,
		                                      .cooperative = launch->cooperative};
		return capture_kernel(runtime, call, launch->stream, &captured, launch->arguments);
	}
	if (runtime->ending)
		return cudaErrorLaunchTimeout;
	result = texture_references_refresh(runtime, call);
	if (result != cudaSuccess)
		return result;
	struct sluice_error error = {0};
	runtime->launches++;
	progress_begin(runtime);
	enum sluice_status status = start(runtime, launch, kernel, &error);
	progress_end(runtime);
	if (status == SLUICE_STOPPED && runtime->ending)
		return cudaErrorLaunchTimeout; /* which nobody needs to be told */
	return status == SLUICE_OK ? cudaSuccess : runtime_report(runtime, "kernel launch", &error);
}

/* What goes wrong while a kernel runs is told by the next call, as with CUDA, whose launches have returned by then. */
static bool comes_later(const struct runtime *runtime, cudaError_t result)
{
	const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
	return result != cudaSuccess && result != cudaErrorLaunchTimeout && result == runtime->error &&
	       !(blocking && strcmp(blocking, "1") == 0);
}

static cudaError_t launch(const struct launch *launch)
{
	/* work of all streams runs in the order in which it is given */
	bool is_looked_at = !runtime_take_popped(); /* <<<...>>> looks at no result */
	struct runtime *runtime = runtime_enter();
	bool was_fine = runtime->error == cudaSuccess;
	cudaError_t result = run(runtime, launch);
	if (was_fine && comes_later(runtime, result)) {
		runtime->untold = true;
		result = cudaSuccess;
	}
	runtime_leave(runtime, result);
	if (result != cudaSuccess && result != cudaErrorLaunchTimeout && !is_looked_at) {
		runtime_enter_closed()->untold = true;
		runtime_leave(runtime, cudaSuccess);
	}
	/* The limit of instructions was asked for, or the process ends: so does the simulation, with its statistics. */
	if (result == cudaErrorLaunchTimeout)
		runtime_end();
	return result;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
	return launch(&(struct launch){"cudaLaunchKernel", false, function, grid, block, arguments, shared, stream});
}

/* nvcc 12.8 and later: a kernel is looked up once, then launched by its handle. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime_check(runtime, "cudaGetKernel", kernel);
	const struct symbol *symbol = find_symbol(runtime, function);
	if (result == cudaSuccess && !symbol)
		result = runtime_refuse("cudaGetKernel", cudaErrorInvalidDeviceFunction, "%p is no kernel", function);
	if (result == cudaSuccess)
		*kernel = (cudaKernel_t)(uintptr_t)symbol;
	return runtime_leave(runtime, result);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream)
{
	return launch(&(struct launch){"cudaLaunchCooperativeKernel", true, function, grid, block, arguments, shared,
	                               stream});
}

/* There is one device. */
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned int devices,
                                                   unsigned int flags)
{
	static const char call[] = "cudaLaunchCooperativeKernelMultiDevice";
	(void)flags;
	if (list && devices == 1)
		return launch(&(struct launch){call, true, list->func, list->gridDim, list->blockDim, list->args,
		                               list->sharedMem, list->stream});
	struct runtime *runtime = runtime_enter();
	return runtime_leave(
		runtime, runtime_refuse(call, cudaErrorInvalidDevice, "a launch on %u devices; there is one", devices));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
	struct runtime *runtime = runtime_enter();
	sluice_kernel *kernel;
	cudaError_t result = runtime_check(runtime, "cudaFuncGetAttributes", attributes);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, "cudaFuncGetAttributes", function, &kernel);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct sluice_kernel_info info;
	struct sluice_machine_info machine;
	struct sluice_error error = {0};
	if (sluice_kernel_info(runtime->gpu, kernel, &info, &error) != SLUICE_OK)
		return runtime_leave(runtime, runtime_report(runtime, "cudaFuncGetAttributes", &error));
	sluice_machine_info(runtime->gpu, &machine);
	uint32_t limit = machine.max_threads_per_block;
	*attributes = (struct cudaFuncAttributes){
		.sharedSizeBytes = info.shared_bytes,
		.constSizeBytes = info.constant_bytes,
		.localSizeBytes = info.local_bytes,
		.maxThreadsPerBlock =
			(int)(info.max_block_threads && info.max_block_threads < limit ? info.max_block_threads
	                                                                               : limit),
		.numRegs = (int)info.registers,
		.ptxVersion = (int)info.target, /* by which programs know for what their kernels were compiled */
		.binaryVersion = (int)(machine.major * 10 + machine.minor),
		.maxDynamicSharedSizeBytes = (int)(machine.shared_bytes_per_block - info.shared_bytes),
	};
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
	struct runtime *runtime = runtime_enter();
	sluice_kernel *kernel;
	cudaError_t result = runtime_find_kernel(runtime, "cudaFuncSetAttribute", function, &kernel);
	if (result == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
		struct sluice_machine_info machine;
		sluice_machine_info(runtime->gpu, &machine);
		if (value < 0 || (uint32_t)value > machine.shared_bytes_per_block)
			result = runtime_refuse("cudaFuncSetAttribute", cudaErrorInvalidValue,
			                        "%d bytes of shared memory; the machine has %u a block", value,
			                        machine.shared_bytes_per_block);
	}
	return runtime_leave(runtime, result);
}

/* Preferences of cache and shared memory: the machine file decides. */
static cudaError_t accept_for(const char *call, const void *function)
{
	struct runtime *runtime = runtime_enter();
	sluice_kernel *kernel;
	return runtime_leave(runtime, runtime_find_kernel(runtime, call, function, &kernel));
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
	(void)config;
	return accept_for("cudaFuncSetCacheConfig", function);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
	(void)config;
	return accept_for("cudaFuncSetSharedMemConfig", function);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_threads,
                                                                   size_t dynamic_shared, unsigned int flags)
{
	(void)flags;
	static const char call[] = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
	struct runtime *runtime = runtime_enter();
	sluice_kernel *kernel;
	cudaError_t result = runtime_check(runtime, call, blocks);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess && (block_threads <= 0 || dynamic_shared > UINT32_MAX))
		result = runtime_refuse(call, cudaErrorInvalidValue, "blocks of %d threads with %zu bytes",
		                        block_threads, dynamic_shared);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct sluice_occupancy occupancy;
	struct sluice_error error = {0};
	/* a block that does not fit at all is no error here: none is resident */
	bool fits = sluice_occupancy(runtime->gpu, kernel, (uint32_t)block_threads, (uint32_t)dynamic_shared,
	                             &occupancy, &error) == SLUICE_OK;
	*blocks = fits ? (int)occupancy.blocks_per_sm : 0;
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_threads,
                                                          size_t dynamic_shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, dynamic_shared,
	                                                              0);
}
