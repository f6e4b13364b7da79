/* The calls that create, copy and dismantle graphs. */
#include "cudart/capture.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, "cudaGraphCreate", graph);
	if (result == cudaSuccess && flags)
		result = runtime_refuse("cudaGraphCreate", cudaErrorInvalidValue, "unknown flags 0x%x", flags);
	if (result == cudaSuccess)
		*graph = graph_new(runtime);
	return runtime_leave(runtime, result);
}

/* Checks that the program may destroy the graph. */
static cudaError_t check_is_programs(const char *call, const struct CUgraph_st *graph)
{
	if (!graph->is_owned)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "the graph belongs to a node, an instance or a capture");
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	static const char call[] = "cudaGraphDestroy";
	struct runtime *runtime = runtime_enter_closed();
	if (runtime->ending) /* already freed */
		return runtime_leave(runtime, runtime->error);
	cudaError_t result = graph_check(runtime, call, graph);
	if (result == cudaSuccess)
		result = check_is_programs(call, graph);
	if (result == cudaSuccess)
		graph_free(runtime, graph);
	runtime_leave(runtime, result);
	user_objects_end();
	return result;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	static const char call[] = "cudaGraphClone";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, clone);
	if (result == cudaSuccess)
		result = graph_check(runtime, call, graph);
	if (result == cudaSuccess &&
	    (graph_has(graph, cudaGraphNodeTypeMemAlloc) || graph_has(graph, cudaGraphNodeTypeMemFree)))
		result = runtime_refuse(call, cudaErrorNotSupported, "a graph that allocates or frees memory");
	if (result == cudaSuccess)
		*clone = graph_copy(runtime, graph);
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
	static const char call[] = "cudaGraphNodeFindInClone";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, node);
	if (result == cudaSuccess)
		result = graph_check_node(runtime, call, original);
	if (result == cudaSuccess)
		result = graph_check(runtime, call, clone);
	if (result == cudaSuccess) {
		*node = graph_find_copy(clone, original->id);
		if (!*node)
			result = runtime_refuse(call, cudaErrorInvalidValue, "the graph has no copy of node %p",
			                        (void *)original);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	static const char call[] = "cudaGraphDestroyNode";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = graph_check_node(runtime, call, node);
	if (result == cudaSuccess &&
	    (node->work.type == cudaGraphNodeTypeMemAlloc || node->work.type == cudaGraphNodeTypeMemFree))
		result = runtime_refuse(call, cudaErrorNotSupported, "a node that allocates or frees memory");
	if (result == cudaSuccess && capture_makes(runtime, node->graph))
		result = runtime_refuse(call, cudaErrorInvalidValue, "a node of a graph that is being captured");
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	cudaGraph_t graph = node->graph;
	cudaGraphNode_t *at = &graph->first, last = NULL;
	for (; *at != node; at = &(*at)->next)
		last = *at;
	*at = node->next;
	if (graph->last == node)
		graph->last = last;
	graph->count--;
	for (size_t i = 0; i < node->before.count; i++)
		nodes_remove(&node->before.node[i]->after, node);
	for (size_t i = 0; i < node->after.count; i++)
		nodes_remove(&node->after.node[i]->before, node);
	graph_free_node(runtime, node);
	return runtime_leave(runtime, result);
}

/* Checks both nodes of each pair, which must belong to the graph. */
static cudaError_t check_pairs(struct runtime *runtime, const char *call, cudaGraph_t graph,
                               const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
	cudaError_t result = graph_check(runtime, call, graph);
	if (result == cudaSuccess && count && !(from && to))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu pairs of nodes, but a list is NULL", count);
	for (size_t i = 0; i < count && result == cudaSuccess; i++) {
		result = graph_check_nodes(runtime, call, graph, &from[i], 1);
		if (result == cudaSuccess)
			result = graph_check_nodes(runtime, call, graph, &to[i], 1);
		if (result == cudaSuccess && from[i] == to[i])
			result = runtime_refuse(call, cudaErrorInvalidValue, "node %p cannot wait for itself",
			                        (void *)to[i]);
	}
	return result;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count)
{
	static const char call[] = "cudaGraphAddDependencies";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_pairs(runtime, call, graph, from, to, count);
	for (size_t i = 0; i < count && result == cudaSuccess; i++)
		if (nodes_have(&to[i]->before, from[i]))
			result = runtime_refuse(call, cudaErrorInvalidValue, "node %p waits for %p already",
			                        (void *)to[i], (void *)from[i]);
	for (size_t i = 0; i < count && result == cudaSuccess; i++)
		if (!nodes_have(&to[i]->before, from[i]))
			graph_connect(from[i], to[i]);
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count)
{
	static const char call[] = "cudaGraphRemoveDependencies";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_pairs(runtime, call, graph, from, to, count);
	for (size_t i = 0; i < count && result == cudaSuccess; i++)
		if (!nodes_have(&to[i]->before, from[i]))
			result = runtime_refuse(call, cudaErrorInvalidValue, "node %p does not wait for %p",
			                        (void *)to[i], (void *)from[i]);
	for (size_t i = 0; i < count && result == cudaSuccess; i++) {
		nodes_remove(&from[i]->after, to[i]);
		nodes_remove(&to[i]->before, from[i]);
	}
	return runtime_leave(runtime, result);
}
