/* Streams and events. Work runs immediately, in the order of the calls: a stream is always idle, and a recorded event
 * is complete. Events measure simulated time. Work of a captured stream is added to a graph (capture.h). */
#include "cudart/capture.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

struct handle {
	enum handle_kind { STREAM, EVENT } kind;
	unsigned flags;
	unsigned long long id;      /* STREAM: unique */
	int priority;               /* STREAM */
	struct stream_state state;  /* STREAM; of an EVENT: the tips when it was recorded in a capture */
	unsigned long long capture; /* EVENT: id of that capture, or 0 */
	struct stream_attributes attributes;
	bool recorded;
	double seconds; /* EVENT: time of recording */
};

static int by_address(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

static struct handle *create(struct runtime *runtime, enum handle_kind kind, unsigned flags)
{
	struct handle *handle = base_calloc(1, sizeof *handle);
	*handle = (struct handle){.kind = kind, .flags = flags};
	if (!tsearch(handle, &runtime->handles, by_address)) {
		free(handle);
		return NULL;
	}
	return handle;
}

static struct handle *find(const struct runtime *runtime, enum handle_kind kind, const void *pointer)
{
	struct handle *const *found = tfind(pointer, &runtime->handles, by_address);
	return found && (*found)->kind == kind ? *found : NULL;
}

static cudaError_t no_handle(const char *call, enum handle_kind kind, const void *pointer)
{
	return runtime_refuse(call, cudaErrorInvalidResourceHandle, "%p is no %s, or one that was destroyed", pointer,
	                      kind == STREAM ? "stream" : "event");
}

static void free_handle(void *pointer)
{
	struct handle *handle = pointer;
	nodes_free(&handle->state.tips);
	free(handle);
}

static cudaError_t destroy(const char *call, enum handle_kind kind, const void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	struct handle *handle = find(runtime, kind, pointer);
	if (!handle) /* the process's end may already have freed it */
		return runtime_leave(runtime, runtime->ending ? runtime->error : no_handle(call, kind, pointer));
	tdelete(handle, &runtime->handles, by_address);
	capture_leave(runtime, &handle->state);
	free_handle(handle);
	return runtime_leave(runtime, cudaSuccess);
}

void handles_free(struct runtime *runtime)
{
	tdestroy(runtime->handles, free_handle);
	runtime->handles = NULL;
}

/* The default streams have no handle. */
static bool is_stream(struct runtime *runtime, cudaStream_t stream)
{
	return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || find(runtime, STREAM, stream);
}

struct stream_state *stream_state(struct runtime *runtime, cudaStream_t stream)
{
	if (stream == cudaStreamPerThread)
		return runtime_thread_stream();
	struct handle *handle = find(runtime, STREAM, stream);
	return handle ? &handle->state : NULL;
}

bool stream_is_blocking(struct runtime *runtime, cudaStream_t stream)
{
	const struct handle *handle = find(runtime, STREAM, stream);
	return !handle || !(handle->flags & cudaStreamNonBlocking);
}

static cudaError_t check_handle(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	return is_stream(runtime, stream) ? cudaSuccess : no_handle(call, STREAM, stream);
}

cudaError_t runtime_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	cudaError_t result = check_handle(runtime, call, stream);
	return result == cudaSuccess ? capture_check_stream(runtime, call, stream) : result;
}

struct stream_attributes *runtime_stream_attributes(struct runtime *runtime, cudaStream_t stream)
{
	struct handle *handle = find(runtime, STREAM, stream);
	return handle ? &handle->attributes : &runtime->stream_attributes;
}

/* Clamps to the range; the greatest priority has the lowest number. */
static int clamped_priority(int priority)
{
	int least, greatest;
	cudaDeviceGetStreamPriorityRange(&least, &greatest);
	return priority > least ? least : priority < greatest ? greatest : priority;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	priority = clamped_priority(priority);
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, "cudaStreamCreate", stream);
	if (result == cudaSuccess && flags & ~(unsigned)cudaStreamNonBlocking)
		result = runtime_refuse("cudaStreamCreate", cudaErrorInvalidValue, "unknown flags 0x%x", flags);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct handle *handle = create(runtime, STREAM, flags);
	*stream = (cudaStream_t)handle;
	if (!handle)
		return runtime_leave(runtime, cudaErrorMemoryAllocation);
	handle->priority = priority;
	handle->id = 2 + ++runtime->graph_ids; /* 1 and 2 are the ids of the default streams */
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	return destroy("cudaStreamDestroy", STREAM, stream);
}

/* Checks that the stream exists and that there is space for the result. */
static cudaError_t check_stream_query(struct runtime *runtime, const char *call, cudaStream_t stream, const void *room)
{
	cudaError_t result = runtime_check(runtime, call, room);
	return result == cudaSuccess ? check_handle(runtime, call, stream) : result;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetPriority", stream, priority);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*priority = handle ? handle->priority : 0;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetFlags", stream, flags);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*flags = handle ? handle->flags : cudaStreamDefault;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetDevice", stream, device);
	if (result == cudaSuccess)
		*device = 0;
	return runtime_leave(runtime, result);
}

/* The ids of the default streams are their handles, as with CUDA. */
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetId", stream, id);
	const struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*id = handle ? handle->id : (uintptr_t)(stream ? stream : cudaStreamLegacy);
	return runtime_leave(runtime, result);
}

static cudaError_t synchronize(const char *call, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, capture_check(runtime, call, stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return synchronize("cudaStreamSynchronize", stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return synchronize("cudaStreamQuery", stream);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
	if (!callback || flags)
		return runtime_result(runtime_refuse("cudaStreamAddCallback", cudaErrorInvalidValue, "%s",
		                                     callback ? "flags are not 0" : "no function"));
	cudaError_t result = synchronize("cudaStreamAddCallback", stream);
	if (result != cudaErrorInvalidResourceHandle)
		callback(stream, result, user);
	return result;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	if (!function)
		return runtime_result(runtime_refuse("cudaLaunchHostFunc", cudaErrorInvalidValue, "no function"));
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, "cudaLaunchHostFunc", stream);
	bool is_captured = result == cudaSuccess && capture_of(runtime, stream);
	if (is_captured)
		capture_add(runtime, stream,
		            (struct graph_work){.type = cudaGraphNodeTypeHost, .host = {function, user}});
	runtime_leave(runtime, result);
	if (result == cudaSuccess && !is_captured)
		function(user);
	return result;
}

/* Returns the sticky error, or an error when the event does not exist; otherwise sets *event. */
static cudaError_t check_event(struct runtime *runtime, const char *call, cudaEvent_t pointer, struct handle **event)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	*event = find(runtime, EVENT, pointer);
	return *event ? cudaSuccess : no_handle(call, EVENT, pointer);
}

cudaError_t runtime_check_event(struct runtime *runtime, const char *call, cudaEvent_t event)
{
	struct handle *handle;
	return check_event(runtime, call, event, &handle);
}

/* The stream joins the capture in which the event was recorded, unless it is in it already. */
static cudaError_t join_capture(struct runtime *runtime, const char *call, cudaStream_t stream,
                                const struct handle *event)
{
	struct stream_state *state = stream_state(runtime, stream);
	struct capture *capture = capture_with_id(runtime, event->capture);
	if (!capture)
		return runtime_refuse(call, cudaErrorCapturedEvent,
		                      "the capture that the event was recorded in has ended");
	if (capture->is_invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (!state)
		return capture_fail(capture, call, cudaErrorStreamCaptureImplicit,
		                    "the legacy stream cannot be captured");
	if (state->capture && state->capture != capture) {
		state->capture->is_invalid = true;
		return capture_fail(capture, call, cudaErrorStreamCaptureMerge,
		                    "the stream and the event belong to "
		                    "different captures");
	}
	capture_join(capture, state, &event->state.tips, stream_is_blocking(runtime, stream));
	return cudaSuccess;
}

static cudaError_t wait_in_stream(struct runtime *runtime, const char *call, cudaStream_t stream, cudaEvent_t event,
                                  unsigned flags)
{
	struct handle *handle;
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess)
		result = check_event(runtime, call, event, &handle);
	if (result != cudaSuccess)
		return result;
	struct capture *capture = capture_of(runtime, stream);
	if (capture && flags == cudaEventWaitExternal)
		return capture_add(runtime, stream,
		                   (struct graph_work){.type = cudaGraphNodeTypeWaitEvent, .event = event});
	if (handle->capture)
		return join_capture(runtime, call, stream, handle);
	if (capture)
		return capture_fail(capture, call, cudaErrorStreamCaptureIsolation,
		                    "the event was not recorded in the capture");
	return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, wait_in_stream(runtime, "cudaStreamWaitEvent", stream, event, flags));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, "cudaEventCreate", event);
	if (result == cudaSuccess) {
		*event = (cudaEvent_t)create(runtime, EVENT, flags);
		result = *event ? cudaSuccess : cudaErrorMemoryAllocation;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return destroy("cudaEventDestroy", EVENT, event);
}

/* Records the event: with the time, or in a captured stream with the stream's tips. */
static void record(struct runtime *runtime, struct handle *event, const struct stream_state *captured)
{
	nodes_free(&event->state.tips);
	event->capture = captured ? captured->capture->id : 0;
	event->recorded = !captured;
	event->seconds = sluice_time(runtime->gpu);
	if (captured)
		event->state.tips = nodes_copy(&captured->tips);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, "cudaEventRecord", stream);
	if (result == cudaSuccess)
		result = check_event(runtime, "cudaEventRecord", event, &handle);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	bool is_captured = capture_of(runtime, stream);
	if (is_captured && flags == cudaEventRecordExternal)
		capture_add(runtime, stream, (struct graph_work){.type = cudaGraphNodeTypeEventRecord, .event = event});
	else
		record(runtime, handle, is_captured ? stream_state(runtime, stream) : NULL);
	return runtime_leave(runtime, result);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* An event that was never recorded counts as complete. */
static cudaError_t wait_for(const char *call, cudaEvent_t event)
{
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_event(runtime, call, event, &handle);
	if (result == cudaSuccess && handle->capture) {
		struct capture *capture = capture_with_id(runtime, handle->capture);
		if (capture)
			capture->is_invalid = true;
		result = runtime_refuse(call, cudaErrorCapturedEvent, "the event was recorded in a capture");
	} else if (result == cudaSuccess) {
		result = capture_check_unsafe(runtime, call);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return wait_for("cudaEventSynchronize", event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return wait_for("cudaEventQuery", event);
}

/* Checks that the event has a time. */
static cudaError_t check_time(const char *call, const struct handle *event)
{
	if (event->flags & cudaEventDisableTiming)
		return runtime_refuse(call, cudaErrorInvalidResourceHandle, "event %p was made without timing",
		                      (const void *)event);
	if (event->capture)
		return runtime_refuse(call, cudaErrorCapturedEvent, "event %p was recorded in a capture",
		                      (const void *)event);
	if (!event->recorded)
		return runtime_refuse(call, cudaErrorInvalidResourceHandle, "event %p was never recorded",
		                      (const void *)event);
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	static const char call[] = "cudaEventElapsedTime";
	struct handle *first, *last;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, milliseconds);
	if (result == cudaSuccess)
		result = check_event(runtime, call, start, &first);
	if (result == cudaSuccess)
		result = check_event(runtime, call, end, &last);
	if (result == cudaSuccess)
		result = check_time(call, first);
	if (result == cudaSuccess)
		result = check_time(call, last);
	if (result == cudaSuccess)
		*milliseconds = (float)((last->seconds - first->seconds) * 1e3);
	return runtime_leave(runtime, result);
}
