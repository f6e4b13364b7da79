/* Captures: what streams are given goes into a graph. */
#include "cudart/capture.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct capture *capture_of(struct runtime *runtime, cudaStream_t stream)
{
	const struct stream_state *state = stream_state(runtime, stream);
	return state ? state->capture : NULL;
}

struct capture *capture_with_id(const struct runtime *runtime, unsigned long long id)
{
	struct capture *capture = runtime->captures;
	while (capture && capture->id != id)
		capture = capture->next;
	return capture;
}

cudaError_t capture_fail(struct capture *capture, const char *call, cudaError_t error, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	capture->is_invalid = true;
	return runtime_refuse(call, error, "%s", text);
}

/* ---- what may be called ---- */

/* The legacy stream waits for all that are captured and not made otherwise. */
static cudaError_t check_legacy(struct runtime *runtime, const char *call)
{
	cudaError_t result = cudaSuccess;
	for (struct capture *capture = runtime->captures; capture; capture = capture->next)
		if (capture->is_blocking && !capture->is_invalid)
			result = capture_fail(capture, call, cudaErrorStreamCaptureImplicit,
			                      "it would wait for a stream that is captured");
	return result;
}

cudaError_t capture_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	const struct capture *capture = capture_of(runtime, stream);
	if (capture && capture->is_invalid)
		return runtime_refuse(call, cudaErrorStreamCaptureInvalidated,
		                      "the stream's capture is invalid by an earlier call, and can only be ended");
	return stream && stream != cudaStreamLegacy ? cudaSuccess : check_legacy(runtime, call);
}

cudaError_t capture_check(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	struct capture *capture = capture_of(runtime, stream);
	if (result == cudaSuccess && capture)
		result = capture_fail(capture, call, cudaErrorStreamCaptureUnsupported,
		                      "not while the stream is captured");
	return result;
}

/* Whether a capture forbids the thread what is not safe while it is made. */
static bool forbids(const struct capture *capture, enum cudaStreamCaptureMode mode)
{
	if (capture->is_invalid || mode == cudaStreamCaptureModeRelaxed)
		return false;
	if (pthread_equal(capture->thread, pthread_self()))
		return capture->mode != cudaStreamCaptureModeRelaxed;
	return mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t capture_check_unsafe(struct runtime *runtime, const char *call)
{
	cudaError_t result = runtime->error;
	for (struct capture *capture = runtime->captures; capture; capture = capture->next)
		if (forbids(capture, *runtime_capture_mode()))
			result = capture_fail(capture, call, cudaErrorStreamCaptureUnsupported,
			                      "not while a stream is captured in this mode");
	return result;
}

cudaError_t capture_check_device(struct runtime *runtime, const char *call)
{
	cudaError_t result = runtime->error;
	for (struct capture *capture = runtime->captures; capture; capture = capture->next)
		if (!capture->is_invalid)
			result = capture_fail(capture, call, cudaErrorStreamCaptureUnsupported,
			                      "not while a stream is captured");
	return result;
}

/* ---- taking part ---- */

void capture_join(struct capture *capture, struct stream_state *state, const struct node_list *tips, bool is_blocking)
{
	if (!state->capture) {
		state->capture = capture;
		state->next = capture->streams;
		capture->streams = state;
		capture->is_blocking |= is_blocking;
	}
	for (size_t i = 0; i < tips->count; i++)
		if (!nodes_have(&state->tips, tips->node[i]))
			nodes_add(&state->tips, tips->node[i]);
}

static void stop(struct stream_state *state)
{
	nodes_free(&state->tips);
	*state = (struct stream_state){0};
}

cudaError_t capture_add(struct runtime *runtime, cudaStream_t stream, struct graph_work work)
{
	struct stream_state *state = stream_state(runtime, stream);
	cudaGraphNode_t node = graph_add(runtime, state->capture->graph, state->tips.node, state->tips.count, work);
	nodes_free(&state->tips);
	nodes_add(&state->tips, node);
	return cudaSuccess;
}

cudaError_t capture_kernel(struct runtime *runtime, const char *call, cudaStream_t stream,
                           const struct graph_kernel *kernel, void **arguments)
{
	struct graph_work work;
	cudaError_t result = work_kernel(runtime, call, kernel, arguments, NULL, &work);
	return result == cudaSuccess ? capture_add(runtime, stream, work) : result;
}

cudaError_t capture_copy(struct runtime *runtime, cudaStream_t stream, const struct cudaMemcpy3DParms *copy)
{
	return capture_add(runtime, stream, (struct graph_work){.type = cudaGraphNodeTypeMemcpy, .copy = *copy});
}

cudaError_t capture_fill(struct runtime *runtime, cudaStream_t stream, const struct cudaMemsetParams *fill)
{
	return capture_add(runtime, stream, (struct graph_work){.type = cudaGraphNodeTypeMemset, .fill = *fill});
}

cudaError_t capture_allocation(struct runtime *runtime, const char *call, cudaStream_t stream, void **pointer,
                               size_t size)
{
	cudaError_t result = graph_memory_reserve(runtime, call, size, pointer);
	if (result != cudaSuccess)
		return result;
	return capture_add(runtime, stream,
	                   (struct graph_work){.type = cudaGraphNodeTypeMemAlloc,
	                                       .allocation = {.bytesize = size, .dptr = *pointer}});
}

cudaError_t capture_release(struct runtime *runtime, const char *call, cudaStream_t stream, void *pointer)
{
	if (!graph_memory_has(runtime, pointer))
		return runtime_refuse(call, cudaErrorInvalidValue, "%p is not allocated by a graph", pointer);
	return capture_add(runtime, stream, (struct graph_work){.type = cudaGraphNodeTypeMemFree, .freed = pointer});
}

/* ---- beginning and ending ---- */

static cudaError_t check_may_begin(struct runtime *runtime, const char *call, cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
	cudaError_t result = runtime->error;
	const struct stream_state *state = stream_state(runtime, stream);
	if (result == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is no mode of a capture", (int)mode);
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
	struct capture *capture = xcalloc(1, sizeof *capture);
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

/* Marks what the nodes wait for, and them. */
static void mark(const struct node_list *tips)
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

/* Whether what other streams were given last is waited for by the first. */
static bool is_joined(const struct capture *capture)
{
	for (cudaGraphNode_t node = capture->graph->first; node; node = node->next)
		node->state = NODE_NEW;
	mark(&capture->origin->tips);
	bool joined = are_marked(&capture->left);
	for (const struct stream_state *state = capture->streams; state && joined; state = state->next)
		joined = are_marked(&state->tips);
	return joined;
}

static void free_capture(struct runtime *runtime, struct capture *capture)
{
	struct capture **at = &runtime->captures;
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	while (capture->streams) {
		struct stream_state *state = capture->streams;
		capture->streams = state->next;
		stop(state);
	}
	nodes_free(&capture->left);
	free(capture);
}

/* The capture is over; the graph that it made is what the program gets, unless there was an error. */
static cudaError_t end(struct runtime *runtime, const char *call, struct capture *capture, cudaGraph_t *graph)
{
	cudaError_t result = cudaSuccess;
	if (capture->is_invalid)
		result = runtime_refuse(call, cudaErrorStreamCaptureInvalidated,
		                        "the capture is invalid by an earlier call");
	else if (!is_joined(capture))
		result = runtime_refuse(call, cudaErrorStreamCaptureUnjoined,
		                        "a stream that takes part has work that this one does not wait for");
	capture->graph->is_owned = false;
	*graph = result == cudaSuccess ? capture->graph : NULL;
	if (result != cudaSuccess && !capture->is_given)
		graph_free(runtime, capture->graph);
	free_capture(runtime, capture);
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

void capture_leave(struct runtime *runtime, struct stream_state *state)
{
	struct capture *capture = state->capture;
	if (!capture)
		return;
	if (capture->origin == state) { /* it can no more be ended */
		if (capture->is_given)
			capture->graph->is_owned = false;
		else
			graph_free(runtime, capture->graph);
		free_capture(runtime, capture);
		return;
	}
	struct stream_state **at = &capture->streams;
	while (*at != state)
		at = &(*at)->next;
	*at = state->next;
	for (size_t i = 0; i < state->tips.count; i++)
		nodes_add(&capture->left, state->tips.node[i]);
	stop(state);
}

bool capture_makes(const struct runtime *runtime, const struct CUgraph_st *graph)
{
	const struct capture *capture = runtime->captures;
	while (capture && capture->graph != graph)
		capture = capture->next;
	return capture;
}

void captures_free(struct runtime *runtime)
{
	while (runtime->captures)
		free_capture(runtime, runtime->captures);
}

/* ---- what programs ask ---- */

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
				result = cudaErrorStreamCaptureImplicit; /* and the capture stays what it is */
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
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is no mode of a capture", (int)*mode);
	if (result == cudaSuccess) {
		enum cudaStreamCaptureMode old = *runtime_capture_mode();
		*runtime_capture_mode() = *mode;
		*mode = old;
	}
	return runtime_leave(runtime, result);
}
