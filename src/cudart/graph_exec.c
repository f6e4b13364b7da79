/* Executable graphs: copies in execution order, and their launches. */
#include "cudart/capture.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
	KNOWN_FLAGS = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
	              cudaGraphInstantiateFlagUseNodePriority
};

static cudaError_t check_flags(const char *call, unsigned long long flags)
{
	if (flags & cudaGraphInstantiateFlagDeviceLaunch)
		return runtime_refuse(call, cudaErrorNotSupported, "kernels cannot launch graphs here");
	if (flags & ~(unsigned long long)KNOWN_FLAGS)
		return runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%llx", flags);
	return cudaSuccess;
}

static cudaError_t instantiate(const char *call, cudaGraphExec_t *executable, cudaGraph_t graph,
                               unsigned long long flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, executable);
	if (result == cudaSuccess)
		result = graph_check(runtime, call, graph);
	if (result == cudaSuccess)
		result = check_flags(call, flags);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	cudaGraph_t copy = graph_copy(runtime, graph);
	copy->is_owned = true;
	if (!graph_order(copy)) {
		graph_free(runtime, copy);
		return runtime_leave(
			runtime, runtime_refuse(call, cudaErrorInvalidValue, "the graph's dependencies form a cycle"));
	}
	*executable = base_calloc(1, sizeof **executable);
	**executable = (struct CUgraphExec_st){.kind = GRAPH_INSTANCE, .graph = copy, .flags = flags};
	graph_register(runtime, *executable);
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
	return instantiate("cudaGraphInstantiate", executable, graph, flags);
}

/* Reports no single node: the message states the problem. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *wrong, char *log,
                                 size_t size)
{
	if (wrong)
		*wrong = NULL;
	if (log && size)
		*log = '\0';
	return instantiate("cudaGraphInstantiate", executable, graph, 0);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
	static const char call[] = "cudaGraphInstantiateWithParams";
	if (!parameters)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no parameters"));
	cudaError_t result = instantiate(call, executable, graph, parameters->flags);
	parameters->errNode_out = NULL;
	parameters->result_out = result == cudaSuccess             ? cudaGraphInstantiateSuccess
	                         : result == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
	                                                           : cudaGraphInstantiateInvalidStructure;
	return result;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
	struct runtime *runtime = runtime_enter_closed();
	if (runtime->ending) /* already freed */
		return runtime_leave(runtime, runtime->error);
	cudaError_t result = graph_check_instance(runtime, "cudaGraphExecDestroy", executable);
	if (result == cudaSuccess) {
		graph_free(runtime, executable->graph);
		graph_forget(runtime, executable);
		free(executable);
	}
	runtime_leave(runtime, result);
	user_objects_end();
	return result;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long *flags)
{
	static const char call[] = "cudaGraphExecGetFlags";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, flags);
	if (result == cudaSuccess)
		result = graph_check_instance(runtime, call, executable);
	if (result == cudaSuccess)
		*flags = executable->flags;
	return runtime_leave(runtime, result);
}

/* Nothing needs to be uploaded. */
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
	static const char call[] = "cudaGraphUpload";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = capture_check(runtime, call, stream);
	if (result == cudaSuccess)
		result = graph_check_instance(runtime, call, executable);
	return runtime_leave(runtime, result);
}

/* A launch into a captured stream adds a child graph to the capture. */
static cudaError_t capture_launch(struct runtime *runtime, const char *call, cudaGraphExec_t executable,
                                  cudaStream_t stream)
{
	struct graph_work work;
	cudaError_t result = params_copy_child(runtime, call, executable->graph, &work);
	return result == cudaSuccess ? capture_add(runtime, stream, work) : result;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
	static const char call[] = "cudaGraphLaunch";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess)
		result = graph_check_instance(runtime, call, executable);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	if (capture_of(runtime, stream))
		return runtime_leave(runtime, capture_launch(runtime, call, executable, stream));
	if (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) {
		result = stream_wait(runtime, stream);
		graph_memory_take_back(runtime, executable->graph);
	}
	if (result == cudaSuccess)
		stream_follow(runtime, stream, executable->last);
	if (runtime_leave(runtime, result) != cudaSuccess)
		return result;
	result = graph_run(executable->graph, stream);
	if (result != cudaSuccess)
		return result;
	runtime = runtime_enter_beside();
	executable->last = stream_mark(runtime, stream);
	return runtime_leave(runtime, result);
}
