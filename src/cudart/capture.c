/* Captures: recording stream work in a graph, and the calls that are forbidden meanwhile. */
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

/* ---- forbidden calls ---- */

/* The legacy stream waits for all captured streams that were not created as non-blocking. */
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
		                      "an earlier call made the stream's capture invalid; it can only be ended");
	return stream && stream != cudaStreamLegacy ? cudaSuccess : check_legacy(runtime, call);
}

cudaError_t capture_check(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	struct capture *capture = capture_of(runtime, stream);
	if (result == cudaSuccess && capture)
		result = capture_fail(capture, call, cudaErrorStreamCaptureUnsupported,
		                      "not allowed while the stream is captured");
	return result;
}

/* True when the capture forbids unsafe calls of this thread. */
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
			                      "not allowed while a stream is captured in this mode");
	return result;
}

cudaError_t capture_check_device(struct runtime *runtime, const char *call)
{
	cudaError_t result = runtime->error;
	for (struct capture *capture = runtime->captures; capture; capture = capture->next)
		if (!capture->is_invalid)
			result = capture_fail(capture, call, cudaErrorStreamCaptureUnsupported,
			                      "not allowed while a stream is captured");
	return result;
}

/* ---- streams of a capture ---- */

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

void capture_free(struct runtime *runtime, struct capture *capture)
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

void capture_leave(struct runtime *runtime, struct stream_state *state)
{
	struct capture *capture = state->capture;
	if (!capture)
		return;
	if (capture->origin == state) { /* without that stream, it can no longer be ended */
		if (capture->is_given)
			capture->graph->is_owned = false;
		else
			graph_free(runtime, capture->graph);
		capture_free(runtime, capture);
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
		capture_free(runtime, runtime->captures);
}
