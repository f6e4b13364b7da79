/* Streams and events. Work of streams is queued (stream_work.h). A call that asks for the state of a stream or an event
 * runs its work first: the stream is then idle, and the event complete. Events measure simulated time. Work of a
 * captured stream is added to a graph (capture.h). */
#include "cudart/capture.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

struct handle {
	enum handle_kind { STREAM, EVENT } kind;
	unsigned flags;
	unsigned long long id;      /* STREAM: unique */
	int priority;               /* STREAM; the greatest has the lowest number */
	uint64_t number;            /* STREAM: as in struct stream_work */
	struct stream_state state;  /* STREAM; of an EVENT: the tips when it was recorded in a capture */
	unsigned long long capture; /* EVENT: id of that capture, or 0 */
	struct stream_attributes attributes;
	struct handle *next;      /* STREAM of a branch of graphs: the next one */
	bool is_branch, is_taken; /* such a STREAM; it is taken while a launch of a graph queues work in it */
	bool recorded;
	double seconds;     /* EVENT: time of recording */
	uint64_t work;      /* EVENT: the queued work that records it; 0: none */
	const void *record; /* EVENT: of that work, which frees it; only compared */
	unsigned uses;      /* EVENT: queued work with this handle */
	bool is_destroyed;  /* EVENT: the last such work frees it */
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
	if (!handle || handle->is_branch) /* the process's end may already have freed it */
		return runtime_leave(runtime, runtime->ending ? runtime->error : no_handle(call, kind, pointer));
	tdelete(handle, &runtime->handles, by_address);
	capture_leave(runtime, &handle->state);
	handle->is_destroyed = true;
	if (!handle->uses)
		free_handle(handle);
	return runtime_leave(runtime, cudaSuccess);
}

void handles_free(struct runtime *runtime)
{
	tdestroy(runtime->handles, free_handle);
	runtime->handles = NULL;
	runtime->branches = NULL;
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

uint64_t stream_number(struct runtime *runtime, cudaStream_t stream)
{
	if (stream == cudaStreamPerThread) {
		struct stream_state *state = runtime_thread_stream();
		if (!state->number)
			state->number = ++runtime->streams;
		return state->number;
	}
	const struct handle *handle = find(runtime, STREAM, stream);
	return handle ? handle->number : 0;
}

int stream_priority(struct runtime *runtime, cudaStream_t stream)
{
	const struct handle *handle = find(runtime, STREAM, stream);
	return handle ? -handle->priority : 0;
}

/* Streams of branches are a list. */
cudaStream_t stream_take_branch(struct runtime *runtime, cudaStream_t stream)
{
	struct handle *branch = runtime->branches;
	while (branch && (branch->is_taken || !stream_is_idle(runtime, branch->number)))
		branch = branch->next;
	if (!branch) {
		branch = create(runtime, STREAM, cudaStreamNonBlocking);
		if (!branch)
			return stream; /* no memory for a handle: in order */
		branch->number = ++runtime->streams;
		branch->is_branch = true;
		branch->next = runtime->branches;
		runtime->branches = branch;
	}
	const struct handle *origin = find(runtime, STREAM, stream);
	branch->priority = origin ? origin->priority : 0;
	branch->is_taken = true;
	order_begin_chain(runtime, (cudaStream_t)branch);
	return (cudaStream_t)branch;
}

bool stream_is_branch(struct runtime *runtime, cudaStream_t stream)
{
	const struct handle *handle = find(runtime, STREAM, stream);
	return handle && handle->is_branch;
}

void stream_give_branch(struct runtime *runtime, cudaStream_t branch)
{
	struct handle *handle = find(runtime, STREAM, branch);
	if (handle)
		handle->is_taken = false;
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
	struct runtime *runtime = runtime_enter_beside();
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
	handle->number = ++runtime->streams;
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
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetPriority", stream, priority);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*priority = handle ? handle->priority : 0;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetFlags", stream, flags);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*flags = handle ? handle->flags : cudaStreamDefault;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetDevice", stream, device);
	if (result == cudaSuccess)
		*device = 0;
	return runtime_leave(runtime, result);
}

/* The ids of the default streams are their handles, as with CUDA. */
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_stream_query(runtime, "cudaStreamGetId", stream, id);
	const struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*id = handle ? handle->id : (uintptr_t)(stream ? stream : cudaStreamLegacy);
	return runtime_leave(runtime, result);
}

static cudaError_t synchronize(const char *call, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = capture_check(runtime, call, stream);
	if (result == cudaSuccess) {
		order_waited(runtime, stream);
		result = stream_wait(runtime, stream);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return synchronize("cudaStreamSynchronize", stream);
}

/* Ends a query that has run its own work. */
static cudaError_t queried(cudaError_t result)
{
	if (result != cudaSuccess)
		return result;
	struct runtime *runtime = runtime_enter_beside();
	return runtime_leave(runtime, streams_query(runtime));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return queried(synchronize("cudaStreamQuery", stream));
}

/* A function of the program that a stream calls. */
struct host_call {
	cudaHostFn_t function;
	cudaStreamCallback_t callback; /* by cudaStreamAddCallback(); else NULL */
	cudaStream_t stream;
	cudaError_t result; /* for the callback */
	void *user;
	const struct runtime *runtime;
};

static void call_function(void *user)
{
	const struct host_call *host = user;
	if (host->callback)
		host->callback(host->stream, host->result, host->user);
	else
		host->function(host->user);
}

/* After a failed launch callbacks get an error, and other functions are not called. At the process's end none is. */
static void call_from_queue(void *user, bool run)
{
	struct host_call *host = user;
	const sluice_gpu *gpu = host->runtime->gpu;
	host->result = run ? cudaSuccess : cudaErrorLaunchFailure;
	if (run || (host->callback && gpu && !sluice_is_stopped(gpu)))
		runtime_call_back(call_function, host);
	free(host);
}

/* Queues the function, or calls it when the stream is idle. */
static cudaError_t call_host(struct runtime *runtime, struct host_call host, cudaError_t result)
{
	if (result == cudaSuccess && streams_queue(runtime) && sluice_queue_length(runtime->gpu)) {
		struct host_call *later = base_malloc(sizeof *later);
		*later = host;
		later->runtime = runtime;
		stream_call(runtime, host.stream, call_from_queue, later);
		return runtime_leave(runtime, cudaSuccess);
	}
	if (result == cudaSuccess)
		order_waited(runtime, host.stream); /* the function can tell the host that the work has ended */
	host.result = runtime_leave(runtime, result);
	if (host.callback || result == cudaSuccess)
		call_function(&host);
	return result;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
	static const char call[] = "cudaStreamAddCallback";
	if (!callback || flags)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "%s",
		                                     callback ? "flags are not 0" : "no function"));
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = capture_check(runtime, call, stream);
	if (result == cudaErrorInvalidResourceHandle)
		return runtime_leave(runtime, result);
	return call_host(runtime, (struct host_call){.callback = callback, .stream = stream, .user = user}, result);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	if (!function)
		return runtime_result(runtime_refuse("cudaLaunchHostFunc", cudaErrorInvalidValue, "no function"));
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check_stream(runtime, "cudaLaunchHostFunc", stream);
	if (result == cudaSuccess && capture_of(runtime, stream)) {
		capture_add(runtime, stream,
		            (struct graph_work){.type = cudaGraphNodeTypeHost, .host = {function, user}});
		return runtime_leave(runtime, result);
	}
	return call_host(runtime, (struct host_call){.function = function, .stream = stream, .user = user}, result);
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
	stream_follow(runtime, stream, handle->work);
	return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	struct runtime *runtime = runtime_enter_beside();
	return runtime_leave(runtime, wait_in_stream(runtime, "cudaStreamWaitEvent", stream, event, flags));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	struct runtime *runtime = runtime_enter_beside();
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

/* A record of an event in a stream's work. Another one may have followed it. */
struct event_record {
	struct runtime *runtime;
	struct handle *event;
};

static void record_from_queue(void *user, bool run)
{
	struct event_record *record = user;
	struct handle *event = record->event;
	if (run && event->record == record)
		event->seconds = sluice_time(record->runtime->gpu);
	if (--event->uses == 0 && event->is_destroyed)
		free_handle(event);
	free(record);
}

/* Records the event: with the time of the stream's work so far, or in a captured stream with the stream's tips. */
static void record(struct runtime *runtime, struct handle *event, cudaStream_t stream,
                   const struct stream_state *captured)
{
	nodes_free(&event->state.tips);
	event->capture = captured ? captured->capture->id : 0;
	event->recorded = !captured;
	event->seconds = sluice_time(runtime->gpu);
	event->work = 0;
	if (captured) {
		event->state.tips = nodes_copy(&captured->tips);
	} else if (streams_queue(runtime)) {
		struct event_record *later = base_malloc(sizeof *later);
		*later = (struct event_record){.runtime = runtime, .event = event};
		event->uses++;
		event->record = later;
		event->work = stream_call(runtime, stream, record_from_queue, later);
	} else {
		event->work = order_mark(runtime, stream);
	}
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	struct handle *handle;
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check_stream(runtime, "cudaEventRecord", stream);
	if (result == cudaSuccess)
		result = check_event(runtime, "cudaEventRecord", event, &handle);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	bool is_captured = capture_of(runtime, stream);
	if (is_captured && flags == cudaEventRecordExternal)
		capture_add(runtime, stream, (struct graph_work){.type = cudaGraphNodeTypeEventRecord, .event = event});
	else
		record(runtime, handle, stream, is_captured ? stream_state(runtime, stream) : NULL);
	return runtime_leave(runtime, result);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static cudaError_t wait_for_record(struct runtime *runtime, const struct handle *event)
{
	if (!streams_queue(runtime))
		order_waited_for(runtime, event->work);
	return stream_wait_for(runtime, event->work);
}

/* An event that was never recorded counts as complete. */
static cudaError_t wait_for(const char *call, cudaEvent_t event)
{
	struct handle *handle;
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_event(runtime, call, event, &handle);
	if (result == cudaSuccess && handle->capture) {
		struct capture *capture = capture_with_id(runtime, handle->capture);
		if (capture)
			capture->is_invalid = true;
		result = runtime_refuse(call, cudaErrorCapturedEvent, "the event was recorded in a capture");
	} else if (result == cudaSuccess) {
		result = capture_check_unsafe(runtime, call);
		if (result == cudaSuccess)
			result = wait_for_record(runtime, handle);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return wait_for("cudaEventSynchronize", event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return queried(wait_for("cudaEventQuery", event));
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
	struct runtime *runtime = runtime_enter_beside();
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
		result = wait_for_record(runtime, first);
	if (result == cudaSuccess)
		result = wait_for_record(runtime, last);
	if (result == cudaSuccess)
		*milliseconds = (float)((last->seconds - first->seconds) * 1e3);
	return runtime_leave(runtime, result);
}
