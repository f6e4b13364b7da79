/* The driver API: graphs and captures, implemented by the runtime's calls. Enums have the runtime's numbers. Structs
 * have the runtime's layout, except for kernels and copies. */
#include "cudart/driver.h"
#include "cudart/versions.h"

#include <stddef.h>
#include <string.h>

/* A call with the same arguments as the runtime's. */
#define SAME(driver, runtime, parameters, ...)                                                                         \
	CUresult driver parameters                                                                                     \
	{                                                                                                              \
		return driver_result(runtime(__VA_ARGS__));                                                            \
	}

/* ---- captures ---- */

SAME(cuStreamBeginCapture, cudaStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode), stream,
     (enum cudaStreamCaptureMode)mode)
SAME(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph,
     (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t count,
      CUstreamCaptureMode mode),
     stream, graph, dependencies, (const cudaGraphEdgeData *)edges, count, (enum cudaStreamCaptureMode)mode)
SAME(cuStreamEndCapture, cudaStreamEndCapture, (CUstream stream, CUgraph *graph), stream, graph)
SAME(cuStreamIsCapturing, cudaStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), stream,
     (enum cudaStreamCaptureStatus *)status)
SAME(cuStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2,
     (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **dependencies,
      size_t *count),
     stream, (enum cudaStreamCaptureStatus *)status, (unsigned long long *)id, graph, dependencies, count)
SAME(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3,
     (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **dependencies,
      const CUgraphEdgeData **edges, size_t *count),
     stream, (enum cudaStreamCaptureStatus *)status, (unsigned long long *)id, graph, dependencies,
     (const cudaGraphEdgeData **)edges, count)
SAME(cuStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies,
     (CUstream stream, CUgraphNode *dependencies, size_t count, unsigned int flags), stream, dependencies, count, flags)
SAME(cuStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2,
     (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t count, unsigned int flags),
     stream, dependencies, (const cudaGraphEdgeData *)edges, count, flags)
SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
     (enum cudaStreamCaptureMode *)mode)

/* ---- graphs ---- */

SAME(cuGraphCreate, cudaGraphCreate, (CUgraph * graph, unsigned int flags), graph, flags)
SAME(cuGraphDestroy, cudaGraphDestroy, (CUgraph graph), graph)
SAME(cuGraphDestroyNode, cudaGraphDestroyNode, (CUgraphNode node), node)
SAME(cuGraphClone, cudaGraphClone, (CUgraph * clone, CUgraph graph), clone, graph)
SAME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone, (CUgraphNode * node, CUgraphNode original, CUgraph clone), node,
     original, clone)
SAME(cuGraphNodeGetType, cudaGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), node,
     (enum cudaGraphNodeType *)type)
SAME(cuGraphGetNodes, cudaGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), graph, nodes, count)
SAME(cuGraphGetRootNodes, cudaGraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), graph, nodes,
     count)
SAME(cuGraphGetEdges, cudaGraphGetEdges, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count), graph,
     from, to, count)
SAME(cuGraphGetEdges_v2, cudaGraphGetEdges_v2,
     (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count), graph, from, to,
     (cudaGraphEdgeData *)edges, count)
SAME(cuGraphNodeGetDependencies, cudaGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *nodes, size_t *count),
     node, nodes, count)
SAME(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2,
     (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count), node, nodes,
     (cudaGraphEdgeData *)edges, count)
SAME(cuGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes,
     (CUgraphNode node, CUgraphNode *nodes, size_t *count), node, nodes, count)
SAME(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2,
     (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count), node, nodes,
     (cudaGraphEdgeData *)edges, count)
SAME(cuGraphAddDependencies, cudaGraphAddDependencies,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count), graph, from, to, count)
SAME(cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t count), graph,
     from, to, (const cudaGraphEdgeData *)edges, count)
SAME(cuGraphRemoveDependencies, cudaGraphRemoveDependencies,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count), graph, from, to, count)
SAME(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t count), graph,
     from, to, (const cudaGraphEdgeData *)edges, count)
SAME(cuGraphDebugDotPrint, cudaGraphDebugDotPrint, (CUgraph graph, const char *path, unsigned int flags), graph, path,
     flags)

/* ---- kernels ---- */

void driver_kernel_node(const CUDA_KERNEL_NODE_PARAMS *given, struct cudaKernelNodeParams *parameters)
{
	*parameters = (struct cudaKernelNodeParams){.func = given->func ? (void *)given->func : (void *)given->kern,
	                                            .gridDim = {given->gridDimX, given->gridDimY, given->gridDimZ},
	                                            .blockDim = {given->blockDimX, given->blockDimY, given->blockDimZ},
	                                            .sharedMemBytes = given->sharedMemBytes,
	                                            .kernelParams = given->kernelParams,
	                                            .extra = given->extra};
}

static const struct cudaKernelNodeParams *kernel_parameters(const CUDA_KERNEL_NODE_PARAMS *given,
                                                            struct cudaKernelNodeParams *parameters)
{
	if (given)
		driver_kernel_node(given, parameters);
	return given ? parameters : NULL;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *given)
{
	struct cudaKernelNodeParams parameters;
	return driver_result(
		cudaGraphAddKernelNode(node, graph, dependencies, count, kernel_parameters(given, &parameters)));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *given)
{
	struct cudaKernelNodeParams parameters;
	return driver_result(cudaGraphKernelNodeSetParams(node, kernel_parameters(given, &parameters)));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *given)
{
	struct cudaKernelNodeParams parameters;
	return driver_result(cudaGraphExecKernelNodeSetParams(executable, node, kernel_parameters(given, &parameters)));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters)
{
	struct cudaKernelNodeParams kernel;
	cudaError_t result = cudaGraphKernelNodeGetParams(node, parameters ? &kernel : NULL);
	if (result == cudaSuccess)
		*parameters = (CUDA_KERNEL_NODE_PARAMS){.func = kernel.func,
		                                        .gridDimX = kernel.gridDim.x,
		                                        .gridDimY = kernel.gridDim.y,
		                                        .gridDimZ = kernel.gridDim.z,
		                                        .blockDimX = kernel.blockDim.x,
		                                        .blockDimY = kernel.blockDim.y,
		                                        .blockDimZ = kernel.blockDim.z,
		                                        .sharedMemBytes = kernel.sharedMemBytes,
		                                        .kernelParams = kernel.kernelParams};
	return driver_result(result);
}

SAME(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
     (CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue *value), node,
     (cudaLaunchAttributeID)attribute, (cudaLaunchAttributeValue *)value)
SAME(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
     (CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue *value), node,
     (cudaLaunchAttributeID)attribute, (const cudaLaunchAttributeValue *)value)
SAME(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from), to, from)

/* ---- copies ---- */

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *given, CUcontext context)
{
	struct cudaMemcpy3DParms box;
	(void)context;
	CUresult result = driver_box(given, &box);
	return result == CUDA_SUCCESS ? driver_result(cudaGraphAddMemcpyNode(node, graph, dependencies, count, &box))
	                              : result;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *given)
{
	struct cudaMemcpy3DParms box;
	CUresult result = driver_box(given, &box);
	return result == CUDA_SUCCESS ? driver_result(cudaGraphMemcpyNodeSetParams(node, &box)) : result;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *given,
                                        CUcontext context)
{
	struct cudaMemcpy3DParms box;
	(void)context;
	CUresult result = driver_box(given, &box);
	return result == CUDA_SUCCESS ? driver_result(cudaGraphExecMemcpyNodeSetParams(executable, node, &box))
	                              : result;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *parameters)
{
	struct cudaMemcpy3DParms box;
	cudaError_t result = cudaGraphMemcpyNodeGetParams(node, parameters ? &box : NULL);
	if (result == cudaSuccess)
		*parameters = driver_box_of(&box);
	return driver_result(result);
}

/* ---- other nodes ---- */

_Static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(struct cudaMemsetParams), "parameters of fills");
_Static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(struct cudaHostNodeParams), "parameters of host functions");
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams),
               "parameters of allocations");

#define PLACE CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count

SAME(cuGraphAddMemsetNode, cudaGraphAddMemsetNode,
     (PLACE, const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context), ((void)context, node), graph, dependencies,
     count, (const struct cudaMemsetParams *)parameters)
SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *parameters),
     node, (struct cudaMemsetParams *)parameters)
SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
     (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters), node, (const struct cudaMemsetParams *)parameters)
SAME(cuGraphExecMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
     (CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context),
     ((void)context, executable), node, (const struct cudaMemsetParams *)parameters)
SAME(cuGraphAddHostNode, cudaGraphAddHostNode, (PLACE, const CUDA_HOST_NODE_PARAMS *parameters), node, graph,
     dependencies, count, (const struct cudaHostNodeParams *)parameters)
SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *parameters), node,
     (struct cudaHostNodeParams *)parameters)
SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters),
     node, (const struct cudaHostNodeParams *)parameters)
SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
     (CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters), executable, node,
     (const struct cudaHostNodeParams *)parameters)
SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, (PLACE, CUgraph child), node, graph, dependencies, count,
     child)
SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *graph), node, graph)
SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
     (CUgraphExec executable, CUgraphNode node, CUgraph child), executable, node, child)
SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, (PLACE), node, graph, dependencies, count)
SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, (PLACE, CUevent event), node, graph, dependencies, count,
     event)
SAME(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent *event), node, event)
SAME(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event), node, event)
SAME(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
     (CUgraphExec executable, CUgraphNode node, CUevent event), executable, node, event)
SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, (PLACE, CUevent event), node, graph, dependencies, count,
     event)
SAME(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *event), node, event)
SAME(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event), node, event)
SAME(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
     (CUgraphExec executable, CUgraphNode node, CUevent event), executable, node, event)
SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode, (PLACE, CUDA_MEM_ALLOC_NODE_PARAMS *parameters), node, graph,
     dependencies, count, (struct cudaMemAllocNodeParams *)parameters)
SAME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
     (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *parameters), node, (struct cudaMemAllocNodeParams *)parameters)
SAME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode, (PLACE, CUdeviceptr address), node, graph, dependencies, count,
     driver_pointer(address))
SAME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr *address), node,
     address)
SAME(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
     (CUdevice device, CUgraphMem_attribute attribute, void *value), device, (enum cudaGraphMemAttributeType)attribute,
     value)
SAME(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
     (CUdevice device, CUgraphMem_attribute attribute, void *value), device, (enum cudaGraphMemAttributeType)attribute,
     value)
SAME(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (CUdevice device), device)
SAME(cuGraphConditionalHandleCreate, cudaGraphConditionalHandleCreate,
     (CUgraphConditionalHandle * handle, CUgraph graph, CUcontext context, unsigned int value, unsigned int flags),
     ((void)context, handle), graph, value, flags)

/* ---- executable graphs ---- */

SAME(cuGraphInstantiate, cudaGraphInstantiate,
     (CUgraphExec * executable, CUgraph graph, CUgraphNode *wrong, char *log, size_t size), executable, graph, wrong,
     log, size)
SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
     (CUgraphExec * executable, CUgraph graph, unsigned long long flags), executable, graph, flags)
SAME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
     (CUgraphExec * executable, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters), executable, graph,
     (cudaGraphInstantiateParams *)parameters)
SAME(cuGraphExecGetFlags, cudaGraphExecGetFlags, (CUgraphExec executable, cuuint64_t *flags), executable,
     (unsigned long long *)flags)
SAME(cuGraphUpload, cudaGraphUpload, (CUgraphExec executable, CUstream stream), executable, stream)
SAME(cuGraphLaunch, cudaGraphLaunch, (CUgraphExec executable, CUstream stream), executable, stream)
SAME(cuGraphExecDestroy, cudaGraphExecDestroy, (CUgraphExec executable), executable)
SAME(cuGraphExecUpdate, cudaGraphExecUpdate,
     (CUgraphExec executable, CUgraph graph, CUgraphNode *wrong, CUgraphExecUpdateResult *result), executable, graph,
     wrong, (enum cudaGraphExecUpdateResult *)result)
SAME(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned int enabled),
     executable, node, enabled)
SAME(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned int *enabled),
     executable, node, enabled)

CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	if (!info)
		return CUDA_ERROR_INVALID_VALUE;
	return driver_result(abi12_cudaGraphExecUpdate(executable, graph, (cudaGraphExecUpdateResultInfo *)info));
}

/* ---- user objects ---- */

SAME(cuUserObjectCreate, cudaUserObjectCreate,
     (CUuserObject * object, void *pointer, CUhostFn destroy, unsigned int references, unsigned int flags), object,
     pointer, destroy, references, flags)
SAME(cuUserObjectRetain, cudaUserObjectRetain, (CUuserObject object, unsigned int count), object, count)
SAME(cuUserObjectRelease, cudaUserObjectRelease, (CUuserObject object, unsigned int count), object, count)
SAME(cuGraphRetainUserObject, cudaGraphRetainUserObject,
     (CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags), graph, object, count, flags)
SAME(cuGraphReleaseUserObject, cudaGraphReleaseUserObject, (CUgraph graph, CUuserObject object, unsigned int count),
     graph, object, count)

/* ---- versions for programs of CUDA 11 and older, whose parameters end before `kern` ---- */

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuStreamGetCaptureInfo
#undef cuStreamBeginCapture

/* Converts to the second version's struct. */
static CUDA_KERNEL_NODE_PARAMS extended(const CUDA_KERNEL_NODE_PARAMS *older)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {0};
	memcpy(&parameters, older, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return parameters;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *older)
{
	const CUDA_KERNEL_NODE_PARAMS given = older ? extended(older) : (CUDA_KERNEL_NODE_PARAMS){0};
	return cuGraphAddKernelNode_v2(node, graph, dependencies, count, older ? &given : NULL);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *older)
{
	const CUDA_KERNEL_NODE_PARAMS given = older ? extended(older) : (CUDA_KERNEL_NODE_PARAMS){0};
	return cuGraphKernelNodeSetParams_v2(node, older ? &given : NULL);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *older)
{
	const CUDA_KERNEL_NODE_PARAMS given = older ? extended(older) : (CUDA_KERNEL_NODE_PARAMS){0};
	return cuGraphExecKernelNodeSetParams_v2(executable, node, older ? &given : NULL);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *older)
{
	CUDA_KERNEL_NODE_PARAMS all;
	CUresult result = cuGraphKernelNodeGetParams_v2(node, older ? &all : NULL);
	if (result == CUDA_SUCCESS)
		memcpy(older, &all, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return result;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
