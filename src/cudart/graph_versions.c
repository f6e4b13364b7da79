/* Graph calls of CUDA 12 and 13 with different signatures: update results in a struct, and edge data. Only plain edges
 * are supported: one node waits for another. */
#include "cudart/runtime.h"
#include "cudart/versions.h"

#include <string.h>

cudaError_t abi12_cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

cudaError_t abi12_cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                      cudaGraphExecUpdateResultInfo *info)
{
	*info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
	return cudaGraphExecUpdate(executable, graph, &info->errorNode, &info->result);
}

/* Writes plain edge data for each edge. */
static void put_edges(cudaGraphEdgeData *edges, cudaError_t result, const size_t *count)
{
	if (edges && result == cudaSuccess)
		memset(edges, 0, *count * sizeof *edges);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t result = cudaGraphGetEdges(graph, from, to, count);
	put_edges(from ? edges : NULL, result, count);
	return result;
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                            size_t *count)
{
	cudaError_t result = cudaGraphNodeGetDependencies(node, nodes, count);
	put_edges(nodes ? edges : NULL, result, count);
	return result;
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                              size_t *count)
{
	cudaError_t result = cudaGraphNodeGetDependentNodes(node, nodes, count);
	put_edges(nodes ? edges : NULL, result, count);
	return result;
}

/* Refuses edges that are not plain. */
static cudaError_t check_edges(const char *call, const cudaGraphEdgeData *edges, size_t count)
{
	static const cudaGraphEdgeData plain;
	for (size_t i = 0; edges && i < count; i++)
		if (memcmp(&edges[i], &plain, sizeof plain) != 0)
			return runtime_result(runtime_refuse(call, cudaErrorNotSupported,
			                                     "only plain edges are supported, by which one node waits "
			                                     "for the other"));
	return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t result = check_edges("cudaGraphAddDependencies", edges, count);
	return result == cudaSuccess ? cudaGraphAddDependencies(graph, from, to, count) : result;
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t result = check_edges("cudaGraphRemoveDependencies", edges, count);
	return result == cudaSuccess ? cudaGraphRemoveDependencies(graph, from, to, count) : result;
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
	cudaError_t result = check_edges("cudaGraphAddNode", edges, count);
	return result == cudaSuccess ? cudaGraphAddNode(node, graph, dependencies, count, parameters) : result;
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                        size_t *count)
{
	if (edges)
		*edges = NULL; /* all edges are plain */
	return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	cudaError_t result = check_edges("cudaStreamUpdateCaptureDependencies", edges, count);
	return result == cudaSuccess ? cudaStreamUpdateCaptureDependencies(stream, dependencies, count, flags) : result;
}

/* The names of these calls since CUDA 13. */
cudaError_t abi13_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                    cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}

cudaError_t abi13_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                               size_t *count)
{
	return cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}

cudaError_t abi13_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                                 size_t *count)
{
	return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}

cudaError_t abi13_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count)
{
	return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}

cudaError_t abi13_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                              const cudaGraphEdgeData *edges, size_t count)
{
	return cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}

cudaError_t abi13_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
	return cudaGraphAddNode_v2(node, graph, dependencies, edges, count, parameters);
}

cudaError_t abi13_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                           unsigned long long *id, cudaGraph_t *graph,
                                           const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                           size_t *count)
{
	return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count);
}

cudaError_t abi13_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                      const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, edges, count, flags);
}
