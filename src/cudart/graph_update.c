/* Changes the work of executable graphs. */
#include "cudart/graph.h"

#include "base/arena.h"

#include <stdlib.h>

/* The first difference between two graphs. */
struct difference {
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t node; /* of the new graph */
};

static struct difference compare(cudaGraph_t old, cudaGraph_t graph);

/* A fill or copy may change its addresses, if the size stays the same. A node must stay on its device, and a function
 * must stay a function. */
enum cudaGraphExecUpdateResult update_check(const struct graph_work *old, const struct graph_work *work)
{
	if (old->type != work->type)
		return cudaGraphExecUpdateErrorNodeTypeChanged;
	switch (old->type) {
	case cudaGraphNodeTypeKernel:
		return old->kernel.attributes.cooperative == work->kernel.attributes.cooperative
		               ? cudaGraphExecUpdateSuccess
		               : cudaGraphExecUpdateErrorAttributesChanged;
	case cudaGraphNodeTypeMemcpy:
		return !old->copy.srcArray == !work->copy.srcArray && !old->copy.dstArray == !work->copy.dstArray
		               ? cudaGraphExecUpdateSuccess
		               : cudaGraphExecUpdateErrorParametersChanged;
	case cudaGraphNodeTypeMemset:
		return old->fill.height > 1 && work->fill.height <= 1 ? cudaGraphExecUpdateErrorParametersChanged
		                                                      : cudaGraphExecUpdateSuccess;
	case cudaGraphNodeTypeGraph:
		return compare(old->child, work->child).result;
	case cudaGraphNodeTypeMemAlloc:
		return old->allocation.dptr == work->allocation.dptr ? cudaGraphExecUpdateSuccess
		                                                     : cudaGraphExecUpdateErrorNotSupported;
	case cudaGraphNodeTypeMemFree:
		return old->freed == work->freed ? cudaGraphExecUpdateSuccess
		                                 : cudaGraphExecUpdateErrorParametersChanged;
	default:
		return cudaGraphExecUpdateSuccess;
	}
}

/* Numbers the nodes by creation. */
static void number(cudaGraph_t graph)
{
	size_t place = 0;
	for (cudaGraphNode_t node = graph->first; node; node = node->next)
		node->looked_at = place++;
}

/* True when both nodes depend on nodes with the same numbers. */
static bool same_edges(const struct CUgraphNode_st *a, const struct CUgraphNode_st *b)
{
	size_t found = 0;
	for (size_t i = 0; i < a->before.count; i++)
		for (size_t k = 0; k < b->before.count; k++)
			found += a->before.node[i]->looked_at == b->before.node[k]->looked_at;
	return a->before.count == b->before.count && found == a->before.count;
}

static struct difference compare(cudaGraph_t old, cudaGraph_t graph)
{
	struct difference none = {cudaGraphExecUpdateSuccess, NULL};
	if (old->count != graph->count)
		return (struct difference){cudaGraphExecUpdateErrorTopologyChanged, NULL};
	number(old);
	number(graph);
	for (cudaGraphNode_t a = old->first, b = graph->first; b; a = a->next, b = b->next) {
		enum cudaGraphExecUpdateResult result = update_check(&a->work, &b->work);
		if (result == cudaGraphExecUpdateSuccess && !same_edges(a, b))
			result = cudaGraphExecUpdateErrorTopologyChanged;
		if (result != cudaGraphExecUpdateSuccess)
			return (struct difference){result, b};
	}
	return none;
}

/* Copies the new graph's work. The instance's nodes still correspond to the graph from which it was instantiated. */
static void take_over(struct runtime *runtime, cudaGraph_t instance, cudaGraph_t graph)
{
	for (cudaGraphNode_t a = instance->first, b = graph->first; b; a = a->next, b = b->next)
		update_work(runtime, &a->work, work_copy(runtime, &b->work));
}

void update_work(struct runtime *runtime, struct graph_work *old, struct graph_work work)
{
	if (work.type == cudaGraphNodeTypeGraph) {
		take_over(runtime, old->child, work.child);
		work_free(runtime, &work);
	} else {
		work_free(runtime, old);
		*old = work;
	}
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                enum cudaGraphExecUpdateResult *result)
{
	static const char call[] = "cudaGraphExecUpdate";
	struct runtime *runtime = runtime_enter();
	cudaError_t error = graph_check_instance(runtime, call, executable);
	if (error == cudaSuccess)
		error = graph_check(runtime, call, graph);
	struct difference difference = {cudaGraphExecUpdateError, NULL};
	if (error == cudaSuccess)
		difference = compare(executable->graph, graph);
	if (wrong)
		*wrong = difference.node;
	if (result)
		*result = difference.result;
	if (error == cudaSuccess && difference.result != cudaGraphExecUpdateSuccess)
		/* programs use this error to detect that they must instantiate again */
		error = cudaErrorGraphExecUpdateFailure;
	if (error == cudaSuccess)
		take_over(runtime, executable->graph, graph);
	return runtime_leave(runtime, error);
}

/* ---- disabled nodes ---- */

/* Finds the instance's copy of a node that can be disabled. */
static cudaError_t find_switchable(struct runtime *runtime, const char *call, cudaGraphExec_t executable,
                                   cudaGraphNode_t node, cudaGraphNode_t *found)
{
	cudaError_t result = graph_check_instance(runtime, call, executable);
	if (result == cudaSuccess)
		result = graph_check_node(runtime, call, node);
	if (result != cudaSuccess)
		return result;
	*found = graph_find_copy(executable->graph, node->id);
	if (!*found || node->work.type > cudaGraphNodeTypeMemset)
		return runtime_refuse(call, cudaErrorInvalidValue,
		                      "node %p is not a kernel, copy or fill of the executable graph", (void *)node);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int enabled)
{
	struct runtime *runtime = runtime_enter();
	cudaGraphNode_t found;
	cudaError_t result = find_switchable(runtime, "cudaGraphNodeSetEnabled", executable, node, &found);
	if (result == cudaSuccess)
		found->disabled = !enabled;
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int *enabled)
{
	static const char call[] = "cudaGraphNodeGetEnabled";
	struct runtime *runtime = runtime_enter();
	cudaGraphNode_t found;
	cudaError_t result = runtime_check(runtime, call, enabled);
	if (result == cudaSuccess)
		result = find_switchable(runtime, call, executable, node, &found);
	if (result == cudaSuccess)
		*enabled = !found->disabled;
	return runtime_leave(runtime, result);
}
