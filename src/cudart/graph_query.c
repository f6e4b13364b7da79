/* Queries for nodes and edges of a graph. All have one form. Without an output array they return the count. Otherwise
 * they fill the array up to its size, and set the rest to NULL. */
#include "cudart/graph.h"

/* A result under construction. */
struct answer {
	cudaGraphNode_t *first, *second; /* both for edges; either may be NULL */
	size_t room, count;
};

static void answer(struct answer *answer, cudaGraphNode_t first, cudaGraphNode_t second)
{
	if (answer->count < answer->room) {
		if (answer->first)
			answer->first[answer->count] = first;
		if (answer->second)
			answer->second[answer->count] = second;
	}
	answer->count++;
}

/* Sets *count to the total, or to the number of entries written. */
static void complete(struct answer *answer, size_t *count)
{
	bool has_room = answer->first || answer->second;
	*count = has_room && answer->room < answer->count ? answer->room : answer->count;
	for (size_t i = answer->count; has_room && i < answer->room; i++) {
		if (answer->first)
			answer->first[i] = NULL;
		if (answer->second)
			answer->second[i] = NULL;
	}
}

/* Selects the nodes or edges to return. */
typedef void choice(struct answer *answer, cudaGraphNode_t node);

static void choose_all(struct answer *to, cudaGraphNode_t node)
{
	answer(to, node, NULL);
}

static void choose_roots(struct answer *to, cudaGraphNode_t node)
{
	if (!node->before.count)
		answer(to, node, NULL);
}

static void choose_edges(struct answer *to, cudaGraphNode_t node)
{
	for (size_t i = 0; i < node->after.count; i++)
		answer(to, node, node->after.node[i]);
}

static cudaError_t ask(const char *call, cudaGraph_t graph, cudaGraphNode_t *first, cudaGraphNode_t *second,
                       size_t *count, choice *choose)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, count);
	if (result == cudaSuccess)
		result = graph_check(runtime, call, graph);
	if (result == cudaSuccess) {
		struct answer answer = {first, second, *count, 0};
		for (cudaGraphNode_t node = graph->first; node; node = node->next)
			choose(&answer, node);
		complete(&answer, count);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return ask("cudaGraphGetNodes", graph, nodes, NULL, count, choose_all);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return ask("cudaGraphGetRootNodes", graph, nodes, NULL, count, choose_roots);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
	return ask("cudaGraphGetEdges", graph, from, to, count, choose_edges);
}

/* Returns the neighbors of a node: those that it depends on or (`behind` true) those that depend on it. */
static cudaError_t ask_node(const char *call, cudaGraphNode_t node, bool behind, cudaGraphNode_t *nodes, size_t *count)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, count);
	if (result == cudaSuccess)
		result = graph_check_node(runtime, call, node);
	if (result == cudaSuccess) {
		const struct node_list *list = behind ? &node->after : &node->before;
		struct answer all = {nodes, NULL, *count, 0};
		for (size_t i = 0; i < list->count; i++)
			answer(&all, list->node[i], NULL);
		complete(&all, count);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, size_t *count)
{
	return ask_node("cudaGraphNodeGetDependencies", node, false, dependencies, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents, size_t *count)
{
	return ask_node("cudaGraphNodeGetDependentNodes", node, true, dependents, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	static const char call[] = "cudaGraphNodeGetType";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, type);
	if (result == cudaSuccess)
		result = graph_check_node(runtime, call, node);
	if (result == cudaSuccess)
		*type = node->work.type;
	return runtime_leave(runtime, result);
}
