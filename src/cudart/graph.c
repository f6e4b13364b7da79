/* Graphs: registered objects, creation, copies, and the execution order of nodes. */
#include "cudart/capture.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

/* ---- registered objects ---- */

static int by_address(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

void graph_register(struct runtime *runtime, void *object)
{
	if (!tsearch(object, &runtime->graphs, by_address))
		abort(); /* as for out of memory elsewhere */
}

void graph_forget(struct runtime *runtime, void *object)
{
	tdelete(object, &runtime->graphs, by_address);
}

static void *find(const struct runtime *runtime, enum graph_kind kind, const void *pointer)
{
	enum graph_kind *const *found = tfind(pointer, &runtime->graphs, by_address);
	if (!found || **found != kind)
		return NULL;
	const void *object = *found;
	bool is_hidden = kind == GRAPH        ? ((const struct CUgraph_st *)object)->is_hidden
	                 : kind == GRAPH_NODE ? ((const struct CUgraphNode_st *)object)->graph->is_hidden
	                                      : false;
	return is_hidden ? NULL : *found;
}

static cudaError_t check(const struct runtime *runtime, const char *call, enum graph_kind kind, const void *pointer)
{
	static const char *const names[] = {"graph", "node of a graph", "executable graph"};
	if (runtime->error != cudaSuccess || find(runtime, kind, pointer))
		return runtime->error;
	return runtime_refuse(call, cudaErrorInvalidValue, "%p is no %s, or one that was destroyed", pointer,
	                      names[kind]);
}

cudaError_t graph_check(const struct runtime *runtime, const char *call, const void *graph)
{
	return check(runtime, call, GRAPH, graph);
}

cudaError_t graph_check_node(const struct runtime *runtime, const char *call, const void *node)
{
	return check(runtime, call, GRAPH_NODE, node);
}

cudaError_t graph_check_instance(const struct runtime *runtime, const char *call, const void *instance)
{
	return check(runtime, call, GRAPH_INSTANCE, instance);
}

cudaError_t graph_check_nodes(const struct runtime *runtime, const char *call, cudaGraph_t graph,
                              const cudaGraphNode_t *nodes, size_t count)
{
	cudaError_t result = graph_check(runtime, call, graph);
	if (result == cudaSuccess && count && !nodes)
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu nodes, but the list is NULL", count);
	for (size_t i = 0; i < count && result == cudaSuccess; i++) {
		const struct node_list before = {(cudaGraphNode_t *)(uintptr_t)nodes, i};
		result = graph_check_node(runtime, call, nodes[i]);
		if (result == cudaSuccess && nodes[i]->graph != graph)
			result = runtime_refuse(call, cudaErrorInvalidValue, "node %p belongs to another graph",
			                        (void *)nodes[i]);
		if (result == cudaSuccess && nodes_have(&before, nodes[i]))
			result =
				runtime_refuse(call, cudaErrorInvalidValue, "node %p is named twice", (void *)nodes[i]);
	}
	return result;
}

/* ---- creation and copies ---- */

cudaGraph_t graph_new(struct runtime *runtime)
{
	cudaGraph_t graph = base_calloc(1, sizeof *graph);
	graph->kind = GRAPH;
	graph->id = ++runtime->graph_ids;
	graph_register(runtime, graph);
	return graph;
}

void graph_connect(cudaGraphNode_t from, cudaGraphNode_t to)
{
	nodes_add(&from->after, to);
	nodes_add(&to->before, from);
}

cudaGraphNode_t graph_add(struct runtime *runtime, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
                          struct graph_work work)
{
	cudaGraphNode_t node = base_calloc(1, sizeof *node);
	*node = (struct CUgraphNode_st){.kind = GRAPH_NODE, .id = ++runtime->graph_ids, .graph = graph, .work = work};
	for (size_t i = 0; i < count; i++)
		graph_connect(dependencies[i], node);
	*(graph->last ? &graph->last->next : &graph->first) = node;
	graph->last = node;
	graph->count++;
	graph_register(runtime, node);
	return node;
}

cudaGraphNode_t graph_find_copy(cudaGraph_t graph, unsigned long long id)
{
	for (cudaGraphNode_t node = graph->first; node; node = node->next) {
		bool has_child = node->work.type == cudaGraphNodeTypeGraph;
		cudaGraphNode_t found = node->original == id ? node
		                        : has_child          ? graph_find_copy(node->work.child, id)
		                                             : NULL;
		if (found)
			return found;
	}
	return NULL;
}

cudaGraph_t graph_copy(struct runtime *runtime, const struct CUgraph_st *graph)
{
	cudaGraph_t copy = graph_new(runtime);
	cudaGraphNode_t *copies = base_calloc(graph->count + 1, sizeof *copies);
	size_t count = 0;
	for (cudaGraphNode_t node = graph->first; node; node = node->next) {
		copies[count] = graph_add(runtime, copy, NULL, 0, work_copy(runtime, &node->work));
		copies[count]->original = node->id;
		copies[count]->disabled = node->disabled;
		node->looked_at = count++;
	}
	for (cudaGraphNode_t node = graph->first; node; node = node->next)
		for (size_t i = 0; i < node->before.count; i++)
			graph_connect(copies[node->before.node[i]->looked_at], copies[node->looked_at]);
	free(copies);
	graph_objects_copy(copy, graph);
	return copy;
}

void graph_free_node(struct runtime *runtime, cudaGraphNode_t node)
{
	graph_forget(runtime, node);
	work_free(runtime, &node->work);
	nodes_free(&node->before);
	nodes_free(&node->after);
	free(node);
}

void graph_free(struct runtime *runtime, cudaGraph_t graph)
{
	for (cudaGraphNode_t node = graph->first, next; node; node = next) {
		next = node->next;
		graph_free_node(runtime, node);
	}
	graph_forget(runtime, graph);
	graph_objects_drop(graph);
	nodes_free(&graph->order);
	free(graph);
}

/* Frees an object of any kind; the objects it contains are freed separately. */
static void free_object(void *object)
{
	const enum graph_kind *kind = object;
	if (*kind == GRAPH_NODE) {
		cudaGraphNode_t node = object;
		if (node->work.type == cudaGraphNodeTypeKernel)
			free(node->work.kernel.arguments);
		nodes_free(&node->before);
		nodes_free(&node->after);
	} else if (*kind == GRAPH) {
		nodes_free(&((cudaGraph_t)object)->order);
		graph_objects_drop(object);
	}
	free(object);
}

void graphs_free(struct runtime *runtime)
{
	captures_free(runtime);
	tdestroy(runtime->graphs, free_object);
	runtime->graphs = NULL;
	graph_memories_free(runtime);
	user_objects_free(runtime);
}

bool graph_has(const struct CUgraph_st *graph, enum cudaGraphNodeType type)
{
	for (const struct CUgraphNode_st *node = graph->first; node; node = node->next)
		if (node->work.type == type ||
		    (node->work.type == cudaGraphNodeTypeGraph && graph_has(node->work.child, type)))
			return true;
	return false;
}

/* ---- execution order ---- */

/* Appends the node after the nodes that it depends on, which are appended first. */
static bool order_node(struct node_list *order, cudaGraphNode_t node)
{
	struct node_list open = {0};
	bool fine = true;
	nodes_add(&open, node);
	while (open.count && fine) {
		cudaGraphNode_t top = open.node[open.count - 1];
		top->state = NODE_OPEN;
		if (top->looked_at < top->before.count) {
			cudaGraphNode_t before = top->before.node[top->looked_at++];
			fine = before->state != NODE_OPEN;
			if (before->state == NODE_NEW)
				nodes_add(&open, before);
		} else {
			top->state = NODE_DONE;
			nodes_add(order, top);
			open.count--;
		}
	}
	nodes_free(&open);
	return fine;
}

bool graph_order(cudaGraph_t graph)
{
	bool fine = true;
	graph->is_hidden = true;
	nodes_free(&graph->order);
	for (cudaGraphNode_t node = graph->first; node; node = node->next) {
		node->state = NODE_NEW;
		node->looked_at = 0;
		if (node->work.type == cudaGraphNodeTypeGraph)
			fine = graph_order(node->work.child) && fine;
	}
	for (cudaGraphNode_t node = graph->first; node && fine; node = node->next)
		if (node->state == NODE_NEW)
			fine = order_node(&graph->order, node);
	return fine;
}
