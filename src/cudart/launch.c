/* Finds and launches kernels. */
#include "cudart/capture.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"
#include "cudart/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct symbol *find_symbol(const struct runtime *runtime, const void *function)
{
	struct symbol *symbol = runtime->kernels;
	while (symbol && symbol->host != function && symbol != function) /* the second case is a cudaKernel_t */
		symbol = symbol->next;
	return symbol;
}

cudaError_t runtime_find_kernel(struct runtime *runtime, const char *call, const void *function, sluice_kernel **kernel)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	const struct symbol *symbol = find_symbol(runtime, function);
	if (!symbol)
		return runtime_refuse(call, cudaErrorInvalidDeviceFunction, "%p is not a kernel", function);
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

struct symbol *runtime_kernel_symbol(const struct runtime *runtime, const void *function)
{
	return find_symbol(runtime, function);
}

void runtime_prefer(const struct runtime *runtime, const void *function, sluice_kernel *kernel, unsigned carve_out)
{
	static const int shares[] = {[cudaFuncCachePreferNone] = cudaSharedmemCarveoutDefault,
	                             [cudaFuncCachePreferShared] = cudaSharedmemCarveoutMaxShared,
	                             [cudaFuncCachePreferL1] = cudaSharedmemCarveoutMaxL1,
	                             [cudaFuncCachePreferEqual] = 50};
	const struct symbol *symbol = find_symbol(runtime, function);
	enum cudaFuncCache cache = symbol->cache != cudaFuncCachePreferNone ? symbol->cache : runtime->cache;
	carve_out = carve_out ? carve_out : symbol->carve_out;
	sluice_kernel_prefer_shared(kernel, carve_out ? (int)carve_out - 1 : shares[cache]);
}

/* A launch by either kind of call. */
struct launch {
	const char *call;
	struct launch_attributes attributes;
	const void *function;
	dim3 grid, block;
	void **arguments;
	size_t shared;
	cudaStream_t stream;
};

static enum sluice_status start_alone(struct runtime *runtime, const struct launch *launch, sluice_kernel *kernel,
                                      struct sluice_error *error)
{
	sluice_dim grid = {launch->grid.x, launch->grid.y, launch->grid.z};
	sluice_dim block = {launch->block.x, launch->block.y, launch->block.z};
	uint32_t shared = (uint32_t)launch->shared;
	if (!launch->attributes.cooperative)
		return sluice_launch(runtime->gpu, kernel, grid, block, shared, launch->arguments, error);
	/* for the kernel's grid_group: cooperative_groups.h, sluice/groups/grid.h */
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

/* Queues the launch, or runs it. The blocks of a cooperative launch need the whole machine. */
static enum sluice_status start(struct runtime *runtime, const struct launch *launch, sluice_kernel *kernel,
                                struct sluice_error *error)
{
	const struct sluice_grid grid = {.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
	                                 .block = {launch->block.x, launch->block.y, launch->block.z},
	                                 .dynamic_shared_bytes = (uint32_t)launch->shared,
	                                 .arguments = launch->arguments};
	runtime_prefer(runtime, launch->function, kernel, launch->attributes.carve_out);
	stream_tell_in_turn(runtime, launch->stream);
	if (streams_queue(runtime) && !launch->attributes.cooperative)
		return stream_launch(runtime, launch->stream, kernel, &grid, error);
	if (streams_finish(runtime) != cudaSuccess)
		return SLUICE_OK; /* the program learns of it as of any failed launch */
	progress_begin(runtime);
	sluice_note_stream(runtime->gpu, stream_number(runtime, launch->stream));
	order_begin(runtime, launch->stream, NULL);
	enum sluice_status status = start_alone(runtime, launch, kernel, error);
	order_end(runtime, launch->stream, launches_block());
	progress_end(runtime);
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
		                                      .attributes = launch->attributes};
		return capture_kernel(runtime, call, launch->stream, &captured, launch->arguments);
	}
	if (runtime->ending)
		return cudaErrorLaunchTimeout;
	if (runtime->references)
		result = streams_finish(runtime);
	if (result == cudaSuccess)
		result = texture_references_refresh(runtime, call);
	if (result != cudaSuccess)
		return result;
	struct sluice_error error = {0};
	runtime->launches++;
	enum sluice_status status = start(runtime, launch, kernel, &error);
	stream_explain_turns(runtime, status, &error);
	if (status == SLUICE_STOPPED && runtime->ending) { /* no error is reported, only what the kernel waited for */
		if (strchr(error.message, '\n'))
			runtime_message("%s", error.message);
		return cudaErrorLaunchTimeout;
	}
	return status == SLUICE_OK ? cudaSuccess : runtime_report(runtime, "kernel launch", &error);
}

/* True for an error during kernel execution. As with CUDA, the next call returns it, because a launch normally returns
 * before. */
static bool comes_later(const struct runtime *runtime, cudaError_t result)
{
	return result != cudaSuccess && result != cudaErrorLaunchTimeout && result == runtime->error &&
	       !launches_block();
}

static cudaError_t launch(const struct launch *launch)
{
	bool is_looked_at = !runtime_take_popped(); /* <<<...>>> does not check a result */
	struct runtime *runtime = runtime_enter_beside();
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
	/* The instruction limit was reached, or the process is ending: end the simulation with its statistics. */
	if (result == cudaErrorLaunchTimeout)
		runtime_end();
	return result;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
	runtime_use_context();
	return launch(&(struct launch){"cudaLaunchKernel", {0}, function, grid, block, arguments, shared, stream});
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime_check(runtime, "cudaGetKernel", kernel);
	const struct symbol *symbol = find_symbol(runtime, function);
	if (result == cudaSuccess && !symbol)
		result =
			runtime_refuse("cudaGetKernel", cudaErrorInvalidDeviceFunction, "%p is not a kernel", function);
	if (result == cudaSuccess)
		*kernel = (cudaKernel_t)(uintptr_t)symbol;
	return runtime_leave(runtime, result);
}

/* nvcc 12.8 and later look up a kernel once, then launch it by its handle. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	return cudaGetKernel(kernel, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream)
{
	return launch(&(struct launch){"cudaLaunchCooperativeKernel",
	                               {.cooperative = true},
	                               function,
	                               grid,
	                               block,
	                               arguments,
	                               shared,
	                               stream});
}

/* There is only one device. */
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned int devices,
                                                   unsigned int flags)
{
	static const char call[] = "cudaLaunchCooperativeKernelMultiDevice";
	enum { KNOWN = cudaCooperativeLaunchMultiDeviceNoPreSync | cudaCooperativeLaunchMultiDeviceNoPostSync };
	if (flags & ~(unsigned)KNOWN)
		return runtime_result(
			runtime_refuse(call, cudaErrorInvalidValue, "0x%x is no flag of this call", flags));
	if (list && devices == 1)
		return launch(&(struct launch){call,
		                               {.cooperative = true},
		                               list->func,
		                               list->gridDim,
		                               list->blockDim,
		                               list->args,
		                               list->sharedMem,
		                               list->stream});
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, runtime_refuse(call, cudaErrorInvalidDevice,
	                                             "a launch on %u devices; there is only one", devices));
}

/* ---- launches with attributes ---- */

/* Events that attributes attach to a launch; they concern the stream, not the kernel. */
struct launch_events {
	cudaEvent_t launched[2];
	size_t count;
};

/* Work runs in the order of the calls, so a kernel always waits for its predecessor. */
static cudaError_t take_attribute(struct launch *launch, struct launch_events *events,
                                  const cudaLaunchAttribute *attribute)
{
	const size_t room = sizeof events->launched / sizeof *events->launched;
	cudaEvent_t event = attribute->id == cudaLaunchAttributeProgrammaticEvent
	                            ? attribute->val.programmaticEvent.event
	                            : attribute->val.launchCompletionEvent.event;
	switch (attribute->id) {
	case cudaLaunchAttributeProgrammaticStreamSerialization:
	case cudaLaunchAttributeSynchronizationPolicy:
		return cudaSuccess;
	case cudaLaunchAttributeProgrammaticEvent:
	case cudaLaunchAttributeLaunchCompletionEvent:
		if (events->count == room)
			return runtime_refuse(launch->call, cudaErrorInvalidValue, "an attribute is given twice");
		events->launched[events->count++] = event;
		return cudaSuccess;
	default:
		return launch_attribute_set(launch->call, &launch->attributes, attribute->id, &attribute->val);
	}
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function, void **arguments)
{
	static const char call[] = "cudaLaunchKernelExC";
	if (!configuration || (configuration->numAttrs && !configuration->attrs))
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no configuration"));
	struct launch_events events = {0};
	struct launch asked = {.call = call,
	                       .function = function,
	                       .grid = configuration->gridDim,
	                       .block = configuration->blockDim,
	                       .arguments = arguments,
	                       .shared = configuration->dynamicSmemBytes,
	                       .stream = configuration->stream};
	cudaError_t result = cudaSuccess;
	for (unsigned i = 0; i < configuration->numAttrs && result == cudaSuccess; i++)
		result = take_attribute(&asked, &events, &configuration->attrs[i]);
	result = result == cudaSuccess ? launch(&asked) : runtime_result(result);
	for (size_t i = 0; i < events.count && result == cudaSuccess; i++)
		result = cudaEventRecord(events.launched[i], configuration->stream);
	return result;
}
