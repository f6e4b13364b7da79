/* Captures: beginning, ending and queries. */
#include "cudart/capture.h"

#include "base/arena.h"

static cudaError_t check_may_begin(struct runtime *runtime, const char *call, cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
	cudaError_t result = runtime->error;
	const struct stream_state *state = stream_state(runtime, stream);
	if (result == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is not a capture mode", (int)mode);
	if (result == cudaSuccess && !state && (!stream || stream == cudaStreamLegacy))
		result =
			runtime_refuse(call, cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && state->capture)
		result = runtime_refuse(call, cudaErrorIllegalState, "the stream is captured already");
	return result;
}

static void begin(struct runtime *runtime, cudaStream_t stream, cudaGraph_t graph, const struct node_list *tips,
                  enum cudaStreamCaptureMode mode)
{
	struct capture *capture = base_calloc(1, sizeof *capture);
	*capture = (struct capture){.graph = graph ? graph : graph_new(runtime),
	                            .is_given = graph,
	                            .id = ++runtime->graph_ids,
	                            .mode = mode,
	                            .thread = pthread_self(),
	                            .origin = stream_state(runtime, stream),
	                            .next = runtime->captures};
	capture->graph->is_owned = true;
	runtime->captures = capture;
	capture_join(capture, capture->origin, tips, stream_is_blocking(runtime, stream));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	const struct node_list none = {0};
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_may_begin(runtime, "cudaStreamBeginCapture", stream, mode);
	if (result == cudaSuccess)
		begin(runtime, stream, NULL, &none, mode);
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
	static const char call[] = "cudaStreamBeginCaptureToGraph";
	(void)edges;
	const struct node_list tips = {(cudaGraphNode_t *)(uintptr_t)dependencies, count};
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_may_begin(runtime, call, stream, mode);
	if (result == cudaSuccess)
		result = graph_check_nodes(runtime, call, graph, dependencies, count);
	if (result == cudaSuccess && graph->is_owned)
		result = runtime_refuse(call, cudaErrorInvalidValue,
		                        "the graph belongs to a node, an instance or a capture");
	if (result == cudaSuccess)
		begin(runtime, stream, graph, &tips, mode);
	return runtime_leave(runtime, result);
}

/* Marks the nodes and everything they depend on. */
static void mark_done(const struct node_list *tips)
{
	struct node_list open = nodes_copy(tips);
	while (open.count) {
		cudaGraphNode_t node = open.node[--open.count];
		if (node->state == NODE_DONE)
			continue;
		node->state = NODE_DONE;
		for (size_t i = 0; i < node->before.count; i++)
			nodes_add(&open, node->before.node[i]);
	}
	nodes_free(&open);
}

static bool are_marked(const struct node_list *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->node[i]->state == NODE_NEW)
			return false;
	return true;
}

/* True when the first stream depends on the last work of all other streams. */
static bool is_joined(const struct capture *capture)
{
	for (cudaGraphNode_t node = capture->graph->first; node; node = node->next)
		node->state = NODE_NEW;
	mark_done(&capture->origin->tips);
	bool joined = are_marked(&capture->left);
	for (const struct stream_state *state = capture->streams; state && joined; state = state->next)
		joined = are_marked(&state->tips);
	return joined;
}

/* Ends the capture. Returns its graph to the program unless there was an error. */
static cudaError_t end(struct runtime *runtime, const char *call, struct capture *capture, cudaGraph_t *graph)
{
	cudaError_t result = cudaSuccess;
	if (capture->is_invalid)
		result = runtime_refuse(call, cudaErrorStreamCaptureInvalidated,
		                        "an earlier call made the capture invalid");
	else if (!is_joined(capture))
		result = runtime_refuse(call, cudaErrorStreamCaptureUnjoined,
		                        "a stream of the capture has work that this stream does not wait for");
	capture->graph->is_owned = false;
	*graph = result == cudaSuccess ? capture->graph : NULL;
	if (result != cudaSuccess && !capture->is_given)
		graph_free(runtime, capture->graph);
	capture_free(runtime, capture);
	return result;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	static const char call[] = "cudaStreamEndCapture";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, graph);
	struct capture *capture = capture_of(runtime, stream);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	if (!capture)
		result = runtime_refuse(call, cudaErrorIllegalState, "the stream is not captured");
	else if (capture->origin != stream_state(runtime, stream))
		result = capture_fail(capture, call, cudaErrorStreamCaptureUnmatched,
		                      "the capture began in another stream");
	else if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
		result = runtime_refuse(call, cudaErrorStreamCaptureWrongThread, "another thread began the capture");
	else
		return runtime_leave(runtime, end(runtime, call, capture, graph));
	return runtime_leave(runtime, result);
}

/* ---- queries ---- */

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count)
{
	static const char call[] = "cudaStreamGetCaptureInfo";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, status);
	const struct stream_state *state = stream_state(runtime, stream);
	const struct capture *capture = state ? state->capture : NULL;
	if (result == cudaSuccess && !state)
		for (const struct capture *other = runtime->captures; other; other = other->next)
			if (other->is_blocking && !other->is_invalid)
				result = cudaErrorStreamCaptureImplicit; /* the capture stays valid */
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	*status = !capture              ? cudaStreamCaptureStatusNone
	          : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
	                                : cudaStreamCaptureStatusActive;
	if (id && capture)
		*id = capture->id;
	if (graph)
		*graph = capture ? capture->graph : NULL;
	if (dependencies)
		*dependencies = capture ? state->tips.node : NULL;
	if (count)
		*count = capture ? state->tips.count : 0;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	return cudaStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, size_t count,
                                                unsigned int flags)
{
	static const char call[] = "cudaStreamUpdateCaptureDependencies";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	struct stream_state *state = stream_state(runtime, stream);
	if (result == cudaSuccess && !(state && state->capture))
		result = runtime_refuse(call, cudaErrorIllegalState, "the stream is not captured");
	if (result == cudaSuccess)
		result = graph_check_nodes(runtime, call, state->capture->graph, dependencies, count);
	if (result == cudaSuccess && flags > cudaStreamSetCaptureDependencies)
		result = runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x", flags);
	if (result == cudaSuccess) {
		const struct node_list list = {dependencies, count};
		if (flags == cudaStreamSetCaptureDependencies)
			nodes_free(&state->tips);
		capture_join(state->capture, state, &list, false);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	static const char call[] = "cudaThreadExchangeStreamCaptureMode";
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime_check(runtime, call, mode);
	if (result == cudaSuccess && (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is not a capture mode", (int)*mode);
	if (result == cudaSuccess) {
		enum cudaStreamCaptureMode old = *runtime_capture_mode();
		*runtime_capture_mode() = *mode;
		*mode = old;
	}
	return runtime_leave(runtime, result);
}
