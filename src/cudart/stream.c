/* Streams and events. Work runs when it is given, in the order in which it is given: a stream is always idle, and an
 * event is complete once recorded. Events measure simulated time. */
#include "cudart/runtime.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

struct handle {
	enum handle_kind { STREAM, EVENT } kind;
	unsigned flags;
	int priority; /* STREAM */
	struct stream_attributes attributes;
	bool recorded;
	double seconds; /* EVENT: when */
};

static int by_address(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

static struct handle *create(struct runtime *runtime, enum handle_kind kind, unsigned flags)
{
	struct handle *handle = xcalloc(1, sizeof *handle);
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

static cudaError_t destroy(const char *call, enum handle_kind kind, const void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	struct handle *handle = find(runtime, kind, pointer);
	if (!handle) /* the process's end may have been faster */
		return runtime_leave(runtime, runtime->ending ? runtime->error : no_handle(call, kind, pointer));
	tdelete(handle, &runtime->handles, by_address);
	free(handle);
	return runtime_leave(runtime, cudaSuccess);
}

void handles_free(struct runtime *runtime)
{
	tdestroy(runtime->handles, free);
	runtime->handles = NULL;
}

/* The default streams need no handle. */
static bool is_stream(struct runtime *runtime, cudaStream_t stream)
{
	return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || find(runtime, STREAM, stream);
}

cudaError_t runtime_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	return is_stream(runtime, stream) ? cudaSuccess : no_handle(call, STREAM, stream);
}

struct stream_attributes *runtime_stream_attributes(struct runtime *runtime, cudaStream_t stream)
{
	struct handle *handle = find(runtime, STREAM, stream);
	return handle ? &handle->attributes : &runtime->stream_attributes;
}

/* Of the least and the greatest, which is the lowest number. */
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

/* Whether the stream exists and there is room for what is asked of it. */
static cudaError_t check_stream_query(struct runtime *runtime, const char *call, cudaStream_t stream, const void *room)
{
	cudaError_t result = runtime_check(runtime, call, room);
	return result == cudaSuccess ? runtime_check_stream(runtime, call, stream) : result;
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

static cudaError_t synchronize(const char *call, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, runtime_check_stream(runtime, call, stream));
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
		                                     callback ? "flags, of which there are none" : "no function"));
	cudaError_t result = synchronize("cudaStreamAddCallback", stream);
	if (result != cudaErrorInvalidResourceHandle)
		callback(stream, result, user);
	return result;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	if (!function)
		return runtime_result(runtime_refuse("cudaLaunchHostFunc", cudaErrorInvalidValue, "no function"));
	cudaError_t result = synchronize("cudaLaunchHostFunc", stream);
	if (result == cudaSuccess)
		function(user);
	return result;
}

/* The sticky error, or whether the event exists; *event is it then. */
static cudaError_t check_event(struct runtime *runtime, const char *call, cudaEvent_t pointer, struct handle **event)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	*event = find(runtime, EVENT, pointer);
	return *event ? cudaSuccess : no_handle(call, EVENT, pointer);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	(void)flags;
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, "cudaStreamWaitEvent", stream);
	if (result == cudaSuccess)
		result = check_event(runtime, "cudaStreamWaitEvent", event, &handle);
	return runtime_leave(runtime, result);
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

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	(void)flags;
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, "cudaEventRecord", stream);
	if (result == cudaSuccess)
		result = check_event(runtime, "cudaEventRecord", event, &handle);
	if (result == cudaSuccess) {
		handle->recorded = true;
		handle->seconds = sluice_time(runtime->gpu);
	}
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
	return runtime_leave(runtime, check_event(runtime, call, event, &handle));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return wait_for("cudaEventSynchronize", event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return wait_for("cudaEventQuery", event);
}

/* That the event has a time. */
static cudaError_t check_time(const char *call, const struct handle *event)
{
	if (event->flags & cudaEventDisableTiming)
		return runtime_refuse(call, cudaErrorInvalidResourceHandle, "event %p was made without timing",
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
