/* The driver API: graph nodes of any type. Parameters of kernels, copies and fills are converted; those of other types
 * have the runtime's layout. */
#include "cudart/driver.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "parameters of nodes");
_Static_assert(offsetof(CUgraphNodeParams, kernel) == offsetof(struct cudaGraphNodeParams, kernel), "their types");

/* Returns an error for a copy that cannot be converted. No parameters: *known is NULL. */
static CUresult take_node(const CUgraphNodeParams *given, struct cudaGraphNodeParams *same,
                          struct cudaGraphNodeParams **known)
{
	*known = given ? same : NULL;
	if (!given)
		return CUDA_SUCCESS;
	memcpy(same, given, sizeof *same);
	if (given->type == CU_GRAPH_NODE_TYPE_KERNEL) {
		driver_kernel_node(&given->kernel, &same->kernel);
	} else if (given->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
		memset(&same->memcpy, 0, sizeof same->memcpy);
		return driver_box(&given->memcpy.copyParams, &same->memcpy.copyParams);
	}
	return CUDA_SUCCESS; /* a fill has a context after the runtime's fields */
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *parameters)
{
	struct cudaGraphNodeParams same, *known;
	CUresult result = take_node(parameters, &same, &known);
	if (result == CUDA_SUCCESS)
		result = driver_result(
			cudaGraphAddNode_v2(node, graph, dependencies, (const cudaGraphEdgeData *)edges, count, known));
	if (result == CUDA_SUCCESS && parameters->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		parameters->alloc.dptr = (uintptr_t)same.alloc.dptr;
	return result;
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeParams *parameters)
{
	return cuGraphAddNode_v2(node, graph, dependencies, NULL, count, parameters);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *parameters)
{
	struct cudaGraphNodeParams same, *known;
	CUresult result = take_node(parameters, &same, &known);
	return result == CUDA_SUCCESS ? driver_result(cudaGraphNodeSetParams(node, known)) : result;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraphNodeParams *parameters)
{
	struct cudaGraphNodeParams same, *known;
	CUresult result = take_node(parameters, &same, &known);
	return result == CUDA_SUCCESS ? driver_result(cudaGraphExecNodeSetParams(executable, node, known)) : result;
}
