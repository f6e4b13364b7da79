/* The work of a node: a copy that is independent of the program's memory, and its execution. */
#include "cudart/graph.h"

#include "cudart/copy.h"
#include "cudart/host_memory.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernel arguments ---- */

/* Allocates pointers to `count` arguments, followed by `bytes` bytes for their values. */
static void **new_arguments(uint32_t count, size_t bytes)
{
	return base_calloc(1, count * sizeof(void *) + bytes + 1);
}

/* Returns the size of all parameters, and their number in *count. */
static size_t measure(const sluice_kernel *kernel, uint32_t *count)
{
	uint32_t offset, size;
	size_t bytes = 0;
	for (*count = 0; sluice_kernel_param(kernel, *count, &offset, &size); ++*count)
		bytes = offset + size > bytes ? offset + size : bytes;
	return bytes;
}

/* Returns the buffer in `extra` (CU_LAUNCH_PARAM_BUFFER_POINTER), or NULL. */
static const char *buffer_of(void **extra)
{
	const char *buffer = NULL;
	for (; extra && extra[0]; extra += 2)
		if (extra[0] == (void *)1)
			buffer = extra[1];
	return buffer;
}

static cudaError_t take_arguments(const char *call, const sluice_kernel *kernel, void **arguments, const char *buffer,
                                  struct graph_kernel *to)
{
	uint32_t offset, size;
	char *values = (char *)(to->arguments + to->count);
	for (uint32_t i = 0; i < to->count; i++) {
		sluice_kernel_param(kernel, i, &offset, &size);
		const void *value = arguments ? arguments[i] : buffer ? buffer + offset : NULL;
		if (!value)
			return runtime_refuse(call, cudaErrorInvalidValue,
			                      "expected %u arguments; number %u is "
			                      "missing",
			                      to->count, i);
		to->arguments[i] = memcpy(values + offset, value, size);
	}
	return cudaSuccess;
}

/* Returns an error for a grid or a block with which the kernel can never run. */
static cudaError_t check_launch(struct runtime *runtime, const char *call, sluice_kernel *found,
                                const struct graph_kernel *kernel)
{
	struct sluice_error error = {0};
	sluice_dim grid = {kernel->grid.x, kernel->grid.y, kernel->grid.z};
	sluice_dim block = {kernel->block.x, kernel->block.y, kernel->block.z};
	if (sluice_check_launch(runtime->gpu, found, grid, block, (uint32_t)kernel->shared,
	                        kernel->attributes.cooperative, &error) == SLUICE_OK)
		return cudaSuccess;
	return runtime_report(runtime, call, &error);
}

cudaError_t work_kernel(struct runtime *runtime, const char *call, const struct graph_kernel *kernel, void **arguments,
                        void **extra, struct graph_work *work)
{
	sluice_kernel *found;
	cudaError_t result = runtime_find_kernel(runtime, call, kernel->function, &found);
	if (result != cudaSuccess)
		return result;
	result = check_launch(runtime, call, found, kernel);
	if (result != cudaSuccess)
		return result;
	*work = (struct graph_work){.type = cudaGraphNodeTypeKernel, .kernel = *kernel};
	work->kernel.bytes = measure(found, &work->kernel.count);
	work->kernel.arguments = new_arguments(work->kernel.count, work->kernel.bytes);
	result = take_arguments(call, found, arguments, buffer_of(extra), &work->kernel);
	if (result != cudaSuccess)
		free(work->kernel.arguments);
	return result;
}

static void **copy_arguments(const struct graph_kernel *kernel)
{
	void **arguments = new_arguments(kernel->count, kernel->bytes);
	const char *values = (const char *)(kernel->arguments + kernel->count);
	char *copy = memcpy(arguments + kernel->count, values, kernel->bytes);
	for (uint32_t i = 0; i < kernel->count; i++)
		arguments[i] = copy + ((const char *)kernel->arguments[i] - values);
	return arguments;
}

/* ---- all types ---- */

struct graph_work work_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return (struct graph_work){.type = cudaGraphNodeTypeMemcpy,
	                           .copy = {.srcPtr = {(void *)(uintptr_t)from, size, size, 1},
	                                    .dstPtr = {to, size, size, 1},
	                                    .extent = {size, 1, 1},
	                                    .kind = kind}};
}

struct graph_work work_copy(struct runtime *runtime, const struct graph_work *work)
{
	struct graph_work copy = *work;
	if (work->type == cudaGraphNodeTypeKernel) {
		copy.kernel.arguments = copy_arguments(&work->kernel);
	} else if (work->type == cudaGraphNodeTypeGraph) {
		copy.child = graph_copy(runtime, work->child);
		copy.child->is_owned = true;
	} else if (work->type == cudaGraphNodeTypeMemAlloc) {
		graph_memory_keep(runtime, work->allocation.dptr);
	}
	return copy;
}

void work_free(struct runtime *runtime, struct graph_work *work)
{
	if (work->type == cudaGraphNodeTypeKernel)
		free(work->kernel.arguments);
	else if (work->type == cudaGraphNodeTypeGraph)
		graph_free(runtime, work->child);
	else if (work->type == cudaGraphNodeTypeMemAlloc)
		graph_memory_drop(runtime, work->allocation.dptr);
}

static cudaError_t run_kernel(const struct graph_kernel *kernel, cudaStream_t stream)
{
	if (kernel->attributes.cooperative)
		return cudaLaunchCooperativeKernel(kernel->function, kernel->grid, kernel->block, kernel->arguments,
		                                   kernel->shared, stream);
	return cudaLaunchKernel(kernel->function, kernel->grid, kernel->block, kernel->arguments, kernel->shared,
	                        stream);
}

static cudaError_t run_fill(const struct cudaMemsetParams *node, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	const struct fill fill = {.runtime = runtime,
	                          .call = "a graph's memset node",
	                          .order = in_stream(stream),
	                          .rows = *node,
	                          .depth = 1};
	return runtime_leave(runtime, memory_fill(&fill));
}

static cudaError_t run_memory(const struct graph_work *work, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = stream_wait(runtime, stream);
	if (result == cudaSuccess)
		result = work->type == cudaGraphNodeTypeMemAlloc
		                 ? graph_memory_allocate(runtime, work->allocation.dptr)
		                 : graph_memory_release(runtime, "a graph's free node", work->freed);
	return runtime_leave(runtime, result);
}

cudaError_t work_run(const struct graph_work *work, cudaStream_t stream)
{
	switch (work->type) {
	case cudaGraphNodeTypeKernel:
		return run_kernel(&work->kernel, stream);
	case cudaGraphNodeTypeMemcpy:
		return cudaMemcpy3DAsync(&work->copy, stream);
	case cudaGraphNodeTypeMemset:
		return run_fill(&work->fill, stream);
	case cudaGraphNodeTypeHost:
		return cudaLaunchHostFunc(stream, work->host.fn, work->host.userData);
	case cudaGraphNodeTypeGraph:
		return graph_run(work->child, stream);
	case cudaGraphNodeTypeEventRecord:
		return cudaEventRecord(work->event, stream);
	case cudaGraphNodeTypeMemAlloc:
	case cudaGraphNodeTypeMemFree:
		return run_memory(work, stream);
	case cudaGraphNodeTypeWaitEvent:
		return cudaStreamWaitEvent(stream, work->event, 0);
	default: /* an empty node */
		return cudaSuccess;
	}
}
