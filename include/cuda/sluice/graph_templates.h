/* graph_templates: the C++ forms of graph calls, with the parameters of other CUDA versions. CUDA 12 and 13 keep some
 * forms of CUDA 11. Sluice adds those of CUDA 12 and 13 to earlier versions. */
#ifndef SLUICE_CUDA_GRAPH_TEMPLATES_H
#define SLUICE_CUDA_GRAPH_TEMPLATES_H

#include "../cuda_runtime_api.h"

#if __SLUICE_CUDA__ == 11
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                        unsigned long long flags = 0)
{
	return ::cudaGraphInstantiateWithFlags(executable, graph, flags);
}
static inline __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                                       cudaGraphExecUpdateResultInfo *info)
{
	info->errorFromNode = 0;
	return ::cudaGraphExecUpdate(executable, graph, &info->errorNode, &info->result);
}
#else
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                        cudaGraphNode_t *wrong, char *log, size_t size)
{
	if (wrong)
		*wrong = 0;
	if (log && size)
		*log = 0;
	return ::cudaGraphInstantiate(executable, graph, 0);
}
static inline __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                                       cudaGraphNode_t *wrong, cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t status = ::cudaGraphExecUpdate(executable, graph, &info);
	if (wrong)
		*wrong = info.errorNode;
	if (result)
		*result = info.result;
	return status;
}
#endif

#if __SLUICE_CUDA__ < 13
static inline __host__ cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                            unsigned long long *id, cudaGraph_t *graph,
                                                            const cudaGraphNode_t **dependencies = 0,
                                                            size_t *count = 0)
{
	return ::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

/* With edge data, as in CUDA 13. */
static inline __host__ cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                                     cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphGetEdges_v2(graph, from, to, edges, count);
}
static inline __host__ cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                                cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}
static inline __host__ cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                                  cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}
static inline __host__ cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                            const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                                            size_t count)
{
	return ::cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}
static inline __host__ cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                               const cudaGraphNode_t *to,
                                                               const cudaGraphEdgeData *edges, size_t count)
{
	return ::cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}
static inline __host__ cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies,
                                                    const cudaGraphEdgeData *edges, size_t count,
                                                    cudaGraphNodeParams *parameters)
{
	return ::cudaGraphAddNode_v2(node, graph, dependencies, edges, count, parameters);
}
static inline __host__ cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                            unsigned long long *id, cudaGraph_t *graph,
                                                            const cudaGraphNode_t **dependencies,
                                                            const cudaGraphEdgeData **edges, size_t *count)
{
	return ::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count);
}
static inline __host__ cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                                       cudaGraphNode_t *dependencies,
                                                                       const cudaGraphEdgeData *edges, size_t count,
                                                                       unsigned int flags)
{
	return ::cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, edges, count, flags);
}
#endif

template <class T>
static inline __host__ cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                                  const cudaGraphNode_t *dependencies, size_t count,
                                                                  const T &symbol, const void *from, size_t size,
                                                                  size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count, (const void *)&symbol, from, size,
	                                        offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                                    const cudaGraphNode_t *dependencies, size_t count,
                                                                    void *to, const T &symbol, size_t size,
                                                                    size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count, to, (const void *)&symbol, size,
	                                          offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                                                        const void *from, size_t size, size_t offset,
                                                                        cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                                          const T &symbol, size_t size, size_t offset,
                                                                          cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (const void *)&symbol, size, offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                                            cudaGraphNode_t node, const T &symbol,
                                                                            const void *from, size_t size,
                                                                            size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, (const void *)&symbol, from, size, offset,
	                                                  kind);
}
template <class T>
static inline __host__ cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                                              cudaGraphNode_t node, void *to,
                                                                              const T &symbol, size_t size,
                                                                              size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, node, to, (const void *)&symbol, size, offset,
	                                                    kind);
}

#endif
