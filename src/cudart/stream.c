/* Streams and events. Work runs when it is given, in the order in which it is given: a stream is always idle, and an
 * event is complete once recorded. Events measure simulated time. */
#include "cudart/runtime.h"

#include "base/arena.h"

#include <stdlib.h>

struct handle {
	enum handle_kind { STREAM, EVENT } kind;
	unsigned flags;
	int priority; /* STREAM */
	bool recorded;
	double seconds; /* EVENT: when */
	struct handle *next;
};

static struct handle *create(struct runtime *runtime, enum handle_kind kind, unsigned flags)
{
	struct handle *handle = xcalloc(1, sizeof *handle);
	*handle = (struct handle){.kind = kind, .flags = flags, .next = runtime->handles};
	runtime->handles = handle;
	return handle;
}

static struct handle *find(struct runtime *runtime, enum handle_kind kind, const void *pointer)
{
	for (struct handle *handle = runtime->handles; handle; handle = handle->next)
		if (handle == pointer && handle->kind == kind)
			return handle;
	return NULL;
}

static cudaError_t destroy(enum handle_kind kind, const void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	struct handle *handle = find(runtime, kind, pointer);
	if (!handle)
		return runtime_leave(runtime, cudaErrorInvalidResourceHandle);
	struct handle **link = &runtime->handles;
	while (*link != handle)
		link = &(*link)->next;
	*link = handle->next;
	free(handle);
	return runtime_leave(runtime, cudaSuccess);
}

void handles_free(struct runtime *runtime)
{
	while (runtime->handles) {
		struct handle *next = runtime->handles->next;
		free(runtime->handles);
		runtime->handles = next;
	}
}

/* The default streams need no handle. */
static bool is_stream(struct runtime *runtime, cudaStream_t stream)
{
	return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || find(runtime, STREAM, stream);
}

/* The sticky error, or whether the stream exists. */
static cudaError_t check_stream(struct runtime *runtime, cudaStream_t stream)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	return is_stream(runtime, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	struct runtime *runtime = runtime_enter();
	if (runtime->error != cudaSuccess || !stream)
		return runtime_leave(runtime, stream ? runtime->error : cudaErrorInvalidValue);
	struct handle *handle = create(runtime, STREAM, flags);
	handle->priority = priority;
	*stream = (cudaStream_t)handle;
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
	return destroy(STREAM, stream);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream(runtime, stream);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*priority = handle ? handle->priority : 0;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream(runtime, stream);
	struct handle *handle = find(runtime, STREAM, stream);
	if (result == cudaSuccess)
		*flags = handle ? handle->flags : cudaStreamDefault;
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, check_stream(runtime, stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
	(void)flags;
	cudaError_t result = cudaStreamSynchronize(stream);
	if (callback && result != cudaErrorInvalidResourceHandle)
		callback(stream, result, user);
	return result;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	cudaError_t result = cudaStreamSynchronize(stream);
	if (function && result == cudaSuccess)
		function(user);
	return result;
}

/* The sticky error, or whether the event exists; *event is it then. */
static cudaError_t check_event(struct runtime *runtime, cudaEvent_t pointer, struct handle **event)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	*event = find(runtime, EVENT, pointer);
	return *event ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	(void)flags;
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream(runtime, stream);
	return runtime_leave(runtime, result == cudaSuccess ? check_event(runtime, event, &handle) : result);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	struct runtime *runtime = runtime_enter();
	if (runtime->error != cudaSuccess || !event)
		return runtime_leave(runtime, event ? runtime->error : cudaErrorInvalidValue);
	*event = (cudaEvent_t)create(runtime, EVENT, flags);
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return destroy(EVENT, event);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	(void)flags;
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_stream(runtime, stream);
	if (result == cudaSuccess)
		result = check_event(runtime, event, &handle);
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
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	struct handle *handle;
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, check_event(runtime, event, &handle));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	struct handle *first, *last;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_event(runtime, start, &first);
	if (result == cudaSuccess)
		result = check_event(runtime, end, &last);
	if (result == cudaSuccess &&
	    (!first->recorded || !last->recorded || ((first->flags | last->flags) & cudaEventDisableTiming)))
		result = cudaErrorInvalidResourceHandle;
	if (result == cudaSuccess)
		*milliseconds = (float)((last->seconds - first->seconds) * 1e3);
	return runtime_leave(runtime, result);
}
