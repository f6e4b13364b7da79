/* Checks node parameters and converts them to work; also reads and changes the work of nodes. */
#include "cudart/graph.h"

static cudaError_t missing(const char *call)
{
	return runtime_refuse(call, cudaErrorInvalidValue, "no parameters");
}

cudaError_t params_kernel(struct runtime *runtime, const char *call, const struct cudaKernelNodeParams *parameters,
                          struct graph_work *work)
{
	if (!parameters)
		return missing(call);
	const struct graph_kernel kernel = {.function = parameters->func,
	                                    .grid = parameters->gridDim,
	                                    .block = parameters->blockDim,
	                                    .shared = parameters->sharedMemBytes};
	cudaError_t result = work_kernel(runtime, call, &kernel, parameters->kernelParams, parameters->extra, work);
	return result == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue : result; /* as these calls document */
}

cudaError_t params_copy(struct runtime *runtime, const char *call, const struct cudaMemcpy3DParms *parameters,
                        struct graph_work *work)
{
	if (!parameters)
		return missing(call);
	if (!(parameters->srcArray || parameters->srcPtr.ptr) || !(parameters->dstArray || parameters->dstPtr.ptr))
		return runtime_refuse(call, cudaErrorInvalidValue, "one side of the copy is NULL");
	if ((unsigned)parameters->kind > cudaMemcpyDefault)
		return runtime_refuse(call, cudaErrorInvalidMemcpyDirection, "%d is not a direction of a copy",
		                      (int)parameters->kind);
	*work = (struct graph_work){.type = cudaGraphNodeTypeMemcpy, .copy = *parameters};
	return runtime->error;
}

cudaError_t params_fill(struct runtime *runtime, const char *call, const struct cudaMemsetParams *parameters,
                        struct graph_work *work)
{
	if (!parameters)
		return missing(call);
	unsigned element = parameters->elementSize;
	if (element != 1 && element != 2 && element != 4)
		return runtime_refuse(call, cudaErrorInvalidValue, "elements of %u bytes; 1, 2 and 4 can be set",
		                      element);
	if (!parameters->dst || (uintptr_t)parameters->dst % element ||
	    (parameters->height > 1 && parameters->pitch % element))
		return runtime_refuse(call, cudaErrorInvalidValue, "elements of %u bytes at %p with a pitch of %zu",
		                      element, parameters->dst, parameters->pitch);
	if (parameters->height > 1 && parameters->pitch / element < parameters->width)
		return runtime_refuse(call, cudaErrorInvalidValue, "rows of %zu elements with a pitch of %zu bytes",
		                      parameters->width, parameters->pitch);
	*work = (struct graph_work){.type = cudaGraphNodeTypeMemset, .fill = *parameters};
	return runtime->error;
}

cudaError_t params_host(struct runtime *runtime, const char *call, const struct cudaHostNodeParams *parameters,
                        struct graph_work *work)
{
	if (!parameters || !parameters->fn)
		return runtime_refuse(call, cudaErrorInvalidValue, "no function");
	*work = (struct graph_work){.type = cudaGraphNodeTypeHost, .host = *parameters};
	return runtime->error;
}

cudaError_t params_child(struct runtime *runtime, const char *call, cudaGraph_t child, struct graph_work *work)
{
	cudaError_t result = graph_check(runtime, call, child);
	return result == cudaSuccess ? params_copy_child(runtime, call, child, work) : result;
}

cudaError_t params_copy_child(struct runtime *runtime, const char *call, cudaGraph_t child, struct graph_work *work)
{
	if (graph_has(child, cudaGraphNodeTypeMemAlloc) || graph_has(child, cudaGraphNodeTypeMemFree))
		return runtime_refuse(call, cudaErrorNotSupported, "a child that allocates or frees memory");
	const struct graph_work given = {.type = cudaGraphNodeTypeGraph, .child = child};
	*work = work_copy(runtime, &given);
	return cudaSuccess;
}

cudaError_t params_event(struct runtime *runtime, const char *call, cudaEvent_t event, enum cudaGraphNodeType type,
                         struct graph_work *work)
{
	*work = (struct graph_work){.type = type, .event = event};
	return runtime_check_event(runtime, call, event);
}

cudaError_t params_refuse(const char *call, enum cudaGraphNodeType type)
{
	if (type == cudaGraphNodeTypeConditional)
		return runtime_refuse(call, cudaErrorNotSupported,
		                      "conditional nodes are not supported: the nodes that run are fixed before a "
		                      "launch");
	return runtime_refuse(call, cudaErrorNotSupported, "nodes of type %d are not supported", (int)type);
}

cudaError_t params_any(struct runtime *runtime, const char *call, const struct cudaGraphNodeParams *parameters,
                       struct graph_work *work)
{
	if (!parameters)
		return missing(call);
	switch (parameters->type) {
	case cudaGraphNodeTypeKernel:
		return params_kernel(runtime, call, &parameters->kernel, work);
	case cudaGraphNodeTypeMemcpy:
		return params_copy(runtime, call, &parameters->memcpy.copyParams, work);
	case cudaGraphNodeTypeMemset:
		return params_fill(runtime, call, &parameters->memset, work);
	case cudaGraphNodeTypeHost:
		return params_host(runtime, call, &parameters->host, work);
	case cudaGraphNodeTypeGraph:
		return params_child(runtime, call, parameters->graph.graph, work);
	case cudaGraphNodeTypeEmpty:
		*work = (struct graph_work){.type = cudaGraphNodeTypeEmpty};
		return runtime->error;
	case cudaGraphNodeTypeEventRecord:
		return params_event(runtime, call, parameters->eventRecord.event, parameters->type, work);
	case cudaGraphNodeTypeWaitEvent:
		return params_event(runtime, call, parameters->eventWait.event, parameters->type, work);
	default:
		return params_refuse(call, parameters->type);
	}
}

/* ---- reading ---- */

/* Returns an error unless the node has that type and there is space for the result. */
static cudaError_t check_read(struct runtime *runtime, const char *call, cudaGraphNode_t node,
                              enum cudaGraphNodeType type, const void *room)
{
	cudaError_t result = runtime_check(runtime, call, room);
	if (result == cudaSuccess)
		result = graph_check_node(runtime, call, node);
	if (result == cudaSuccess && node->work.type != type)
		result = runtime_refuse(call, cudaErrorInvalidValue, "node %p is of type %d", (void *)node,
		                        (int)node->work.type);
	return result;
}

/* The returned arguments are owned by the node. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result =
		check_read(runtime, "cudaGraphKernelNodeGetParams", node, cudaGraphNodeTypeKernel, parameters);
	if (result == cudaSuccess) {
		const struct graph_kernel *kernel = &node->work.kernel;
		*parameters = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)kernel->function,
		                                            .gridDim = kernel->grid,
		                                            .blockDim = kernel->block,
		                                            .sharedMemBytes = (unsigned)kernel->shared,
		                                            .kernelParams = kernel->arguments};
	}
	return runtime_leave(runtime, result);
}

/* Defines a call that returns a member of a node's work. */
#define GETTER(call, type, member, parameter)                                                                          \
	cudaError_t call(cudaGraphNode_t node, parameter)                                                              \
	{                                                                                                              \
		struct runtime *runtime = runtime_enter();                                                             \
		cudaError_t result = check_read(runtime, #call, node, type, to);                                       \
		if (result == cudaSuccess)                                                                             \
			*to = node->work.member;                                                                       \
		return runtime_leave(runtime, result);                                                                 \
	}
GETTER(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, copy, struct cudaMemcpy3DParms *to)
GETTER(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, fill, struct cudaMemsetParams *to)
GETTER(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, host, struct cudaHostNodeParams *to)
GETTER(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, child, cudaGraph_t *to)
GETTER(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, event, cudaEvent_t *to)
GETTER(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, event, cudaEvent_t *to)
GETTER(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, allocation, struct cudaMemAllocNodeParams *to)

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result =
		check_read(runtime, "cudaGraphMemFreeNodeGetParams", node, cudaGraphNodeTypeMemFree, pointer);
	if (result == cudaSuccess)
		*(void **)pointer = node->work.freed;
	return runtime_leave(runtime, result);
}

/* ---- kernel attributes ---- */

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue *value)
{
	static const char call[] = "cudaGraphKernelNodeGetAttribute";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_read(runtime, call, node, cudaGraphNodeTypeKernel, value);
	if (result == cudaSuccess)
		result = launch_attribute_get(call, &node->work.kernel.attributes, attribute, value);
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value)
{
	static const char call[] = "cudaGraphKernelNodeSetAttribute";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_read(runtime, call, node, cudaGraphNodeTypeKernel, value);
	if (result == cudaSuccess)
		result = launch_attribute_set(call, &node->work.kernel.attributes, attribute, value);
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	static const char call[] = "cudaGraphKernelNodeCopyAttributes";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_read(runtime, call, to, cudaGraphNodeTypeKernel, call);
	if (result == cudaSuccess)
		result = check_read(runtime, call, from, cudaGraphNodeTypeKernel, call);
	if (result == cudaSuccess)
		to->work.kernel.attributes = from->work.kernel.attributes;
	return runtime_leave(runtime, result);
}
