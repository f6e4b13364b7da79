/* Adds nodes to a graph, and replaces the work of nodes of a graph or an instance. */
#include "cudart/graph.h"

/* The position of a new node. */
struct place {
	const char *call;
	cudaGraphNode_t *node;
	cudaGraph_t graph;
	const cudaGraphNode_t *dependencies;
	size_t count;
};

static struct runtime *enter_place(const struct place *place, cudaError_t *result)
{
	struct runtime *runtime = runtime_enter();
	*result = runtime_check(runtime, place->call, place->node);
	if (*result == cudaSuccess)
		*result = graph_check_nodes(runtime, place->call, place->graph, place->dependencies, place->count);
	return runtime;
}

/* Leaves the call. Adds a node for the work if `result` is success. */
static cudaError_t add(struct runtime *runtime, const struct place *place, cudaError_t result,
                       const struct graph_work *work)
{
	if (result == cudaSuccess)
		*place->node = graph_add(runtime, place->graph, place->dependencies, place->count, *work);
	return runtime_leave(runtime, result);
}

/* The node whose work is replaced: a node of a graph or, with an instance, the instance's copy of it. */
struct change {
	const char *call;
	cudaGraphExec_t instance;
	bool of_instance;
	cudaGraphNode_t node;
};

static struct runtime *enter_change(struct change *change, enum cudaGraphNodeType type, cudaError_t *result)
{
	struct runtime *runtime = runtime_enter();
	cudaGraphNode_t node = change->node;
	*result = graph_check_node(runtime, change->call, node);
	if (*result == cudaSuccess && node->work.type != type)
		*result = runtime_refuse(change->call, cudaErrorInvalidValue, "node %p is of type %d, not %d",
		                         (void *)node, (int)node->work.type, (int)type);
	if (!change->of_instance || *result != cudaSuccess)
		return runtime;
	*result = graph_check_instance(runtime, change->call, change->instance);
	if (*result != cudaSuccess)
		return runtime;
	change->node = graph_find_copy(change->instance->graph, node->id);
	if (!change->node)
		*result = runtime_refuse(change->call, cudaErrorInvalidValue,
		                         "the executable graph was not made from node %p", (void *)node);
	return runtime;
}

/* Leaves the call. Replaces the node's work if all checks succeed. */
static cudaError_t set(struct runtime *runtime, const struct change *change, cudaError_t result,
                       struct graph_work *work)
{
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	if (work->type == cudaGraphNodeTypeKernel) /* kernel parameters have no attributes */
		work->kernel.attributes = change->node->work.kernel.attributes;
	if (!change->of_instance) {
		work_free(runtime, &change->node->work);
		change->node->work = *work;
	} else if (update_check(&change->node->work, work) == cudaGraphExecUpdateSuccess) {
		update_work(runtime, &change->node->work, *work);
	} else {
		work_free(runtime, work);
		result = runtime_refuse(change->call, cudaErrorInvalidValue,
		                        "an executable graph's node cannot be changed in this way");
	}
	return runtime_leave(runtime, result);
}

/* The three calls of a node type, given the function that makes its work from parameters. */
#define ADD(call_, make, ...)                                                                                          \
	struct place place = {call_, node, graph, dependencies, count};                                                \
	struct graph_work work = {.type = cudaGraphNodeTypeEmpty};                                                     \
	cudaError_t result;                                                                                            \
	struct runtime *runtime = enter_place(&place, &result);                                                        \
	if (result == cudaSuccess)                                                                                     \
		result = make(runtime, call_, __VA_ARGS__, &work);                                                     \
	return add(runtime, &place, result, &work)
#define SET(call_, type_, instance_, of_instance_, make, ...)                                                          \
	struct change change = {call_, instance_, of_instance_, node};                                                 \
	struct graph_work work = {.type = cudaGraphNodeTypeEmpty};                                                     \
	cudaError_t result;                                                                                            \
	struct runtime *runtime = enter_change(&change, type_, &result);                                               \
	if (result == cudaSuccess)                                                                                     \
		result = make(runtime, call_, __VA_ARGS__, &work);                                                     \
	return set(runtime, &change, result, &work)
#define KIND(name, parameter, make, ...)                                                                               \
	cudaError_t cudaGraphAdd##name##Node(cudaGraphNode_t *node, cudaGraph_t graph,                                 \
	                                     const cudaGraphNode_t *dependencies, size_t count, parameter)             \
	{                                                                                                              \
		ADD("cudaGraphAdd" #name "Node", make, __VA_ARGS__);                                                   \
	}
#define KIND_SET(name, setter, type, parameter, make, ...)                                                             \
	cudaError_t cudaGraph##name##Node##setter(cudaGraphNode_t node, parameter)                                     \
	{                                                                                                              \
		SET("cudaGraph" #name "Node" #setter, type, NULL, false, make, __VA_ARGS__);                           \
	}
#define KIND_EXEC(name, setter, type, parameter, make, ...)                                                            \
	cudaError_t cudaGraphExec##name##Node##setter(cudaGraphExec_t executable, cudaGraphNode_t node, parameter)     \
	{                                                                                                              \
		SET("cudaGraphExec" #name "Node" #setter, type, executable, true, make, __VA_ARGS__);                  \
	}
#define KIND_ALL(name, setter, type, parameter, make, ...)                                                             \
	KIND(name, parameter, make, __VA_ARGS__)                                                                       \
	KIND_SET(name, setter, type, parameter, make, __VA_ARGS__)                                                     \
	KIND_EXEC(name, setter, type, parameter, make, __VA_ARGS__)

KIND_ALL(Kernel, SetParams, cudaGraphNodeTypeKernel, const struct cudaKernelNodeParams *parameters, params_kernel,
         parameters)
KIND_ALL(Memcpy, SetParams, cudaGraphNodeTypeMemcpy, const struct cudaMemcpy3DParms *parameters, params_copy,
         parameters)
KIND_ALL(Memset, SetParams, cudaGraphNodeTypeMemset, const struct cudaMemsetParams *parameters, params_fill, parameters)
KIND_ALL(Host, SetParams, cudaGraphNodeTypeHost, const struct cudaHostNodeParams *parameters, params_host, parameters)
KIND(ChildGraph, cudaGraph_t child, params_child, child)
KIND_EXEC(ChildGraph, SetParams, cudaGraphNodeTypeGraph, cudaGraph_t child, params_child, child)
KIND_ALL(EventRecord, SetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t event, params_event, event,
         cudaGraphNodeTypeEventRecord)
KIND_ALL(EventWait, SetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t event, params_event, event,
         cudaGraphNodeTypeWaitEvent)

/* ---- copies of contiguous bytes and of symbols, whose addresses are resolved when the node is created ---- */

static cudaError_t make_bytes(struct runtime *runtime, const char *call, void *to, const void *from, size_t size,
                              enum cudaMemcpyKind kind, struct graph_work *work)
{
	const struct graph_work bytes = work_bytes(to, from, size, kind);
	return params_copy(runtime, call, &bytes.copy, work);
}

/* Returns the address of a part of a symbol, or an error that has been reported. */
static cudaError_t place_in_symbol(const char *call, const void *symbol, size_t size, size_t offset, void **place)
{
	size_t bytes;
	cudaError_t result = cudaGetSymbolSize(&bytes, symbol);
	if (result == cudaSuccess)
		result = cudaGetSymbolAddress(place, symbol);
	if (result == cudaSuccess && (offset > bytes || size > bytes - offset))
		result = runtime_result(runtime_refuse(call, cudaErrorInvalidValue,
		                                       "%zu bytes at offset %zu of a variable of %zu", size, offset,
		                                       bytes));
	if (result == cudaSuccess)
		*place = (char *)*place + offset;
	return result;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	ADD("cudaGraphAddMemcpyNode1D", make_bytes, to, from, size, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t size,
                                           enum cudaMemcpyKind kind)
{
	SET("cudaGraphMemcpyNodeSetParams1D", cudaGraphNodeTypeMemcpy, NULL, false, make_bytes, to, from, size, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size, enum cudaMemcpyKind kind)
{
	SET("cudaGraphExecMemcpyNodeSetParams1D", cudaGraphNodeTypeMemcpy, executable, true, make_bytes, to, from, size,
	    kind);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count, const void *symbol,
                                           const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	void *to;
	cudaError_t found = place_in_symbol("cudaGraphAddMemcpyNodeToSymbol", symbol, size, offset, &to);
	return found != cudaSuccess ? found
	                            : cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, to, from, size, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count, void *to,
                                             const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	void *from;
	cudaError_t found = place_in_symbol("cudaGraphAddMemcpyNodeFromSymbol", symbol, size, offset, &from);
	return found != cudaSuccess ? found
	                            : cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, to, from, size, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	void *to;
	cudaError_t found = place_in_symbol("cudaGraphMemcpyNodeSetParamsToSymbol", symbol, size, offset, &to);
	return found != cudaSuccess ? found : cudaGraphMemcpyNodeSetParams1D(node, to, from, size, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t size,
                                                   size_t offset, enum cudaMemcpyKind kind)
{
	void *from;
	cudaError_t found = place_in_symbol("cudaGraphMemcpyNodeSetParamsFromSymbol", symbol, size, offset, &from);
	return found != cudaSuccess ? found : cudaGraphMemcpyNodeSetParams1D(node, to, from, size, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const void *symbol, const void *from, size_t size, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
	void *to;
	cudaError_t found = place_in_symbol("cudaGraphExecMemcpyNodeSetParamsToSymbol", symbol, size, offset, &to);
	return found != cudaSuccess ? found
	                            : cudaGraphExecMemcpyNodeSetParams1D(executable, node, to, from, size, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t size, size_t offset,
                                                       enum cudaMemcpyKind kind)
{
	void *from;
	cudaError_t found = place_in_symbol("cudaGraphExecMemcpyNodeSetParamsFromSymbol", symbol, size, offset, &from);
	return found != cudaSuccess ? found
	                            : cudaGraphExecMemcpyNodeSetParams1D(executable, node, to, from, size, kind);
}

/* ---- nodes without setters ---- */

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count)
{
	const struct cudaGraphNodeParams empty = {.type = cudaGraphNodeTypeEmpty};
	ADD("cudaGraphAddEmptyNode", params_any, &empty);
}

static cudaError_t make_allocation(struct runtime *runtime, const char *call, struct cudaMemAllocNodeParams *parameters,
                                   struct graph_work *work)
{
	if (!parameters)
		return runtime_refuse(call, cudaErrorInvalidValue, "no parameters");
	cudaError_t result = graph_memory_reserve(runtime, call, parameters->bytesize, &parameters->dptr);
	*work = (struct graph_work){.type = cudaGraphNodeTypeMemAlloc, .allocation = *parameters};
	return result;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *parameters)
{
	ADD("cudaGraphAddMemAllocNode", make_allocation, parameters);
}

static cudaError_t make_free(struct runtime *runtime, const char *call, void *pointer, struct graph_work *work)
{
	*work = (struct graph_work){.type = cudaGraphNodeTypeMemFree, .freed = pointer};
	if (graph_memory_has(runtime, pointer))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "%p is not allocated by a graph", pointer);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *pointer)
{
	ADD("cudaGraphAddMemFreeNode", make_free, pointer);
}

/* ---- nodes of any type ---- */

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                             size_t count, struct cudaGraphNodeParams *parameters)
{
	static const char call[] = "cudaGraphAddNode";
	if (parameters && parameters->type == cudaGraphNodeTypeMemAlloc)
		return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &parameters->alloc);
	if (parameters && parameters->type == cudaGraphNodeTypeMemFree)
		return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
	ADD(call, params_any, parameters);
}

/* Returns the type in the parameters, if there are any. */
static enum cudaGraphNodeType type_of(const struct cudaGraphNodeParams *parameters)
{
	return parameters ? parameters->type : cudaGraphNodeTypeCount;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
	SET("cudaGraphNodeSetParams", type_of(parameters), NULL, false, params_any, parameters);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
	SET("cudaGraphExecNodeSetParams", type_of(parameters), executable, true, params_any, parameters);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags)
{
	(void)handle, (void)graph, (void)value, (void)flags;
	return runtime_result(params_refuse("cudaGraphConditionalHandleCreate", cudaGraphNodeTypeConditional));
}
