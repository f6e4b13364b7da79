/* Copies. A synchronous call waits for the stream's work so far. An asynchronous call queues its copy, except of host
 * memory that is not pinned: as in CUDA, it is copied before the call returns, to a buffer if it is small. */
#include "cudart/copy.h"

#include "cudart/array.h"
#include "cudart/capture.h"
#include "cudart/host_memory.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STAGED = 65536 }; /* bytes of a copy from memory that is not pinned, for which CUDA does not wait */

static bool on_device(struct runtime *runtime, const void *pointer)
{
	uint64_t base, size;
	return sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size);
}

/* Returns whether a side is device memory: as the direction says or, for the default direction, judged by the address.
 * Memory that both can access is always copied by the host. */
static bool is_device_side(struct runtime *runtime, const void *pointer, bool is_default, bool said)
{
	if (host_memory_find(runtime, pointer))
		return false;
	return is_default ? on_device(runtime, pointer) : said;
}

static enum cudaMemcpyKind resolve(struct runtime *runtime, const struct copy *copy)
{
	enum cudaMemcpyKind kind = copy->kind;
	bool is_default = kind == cudaMemcpyDefault, both = kind == cudaMemcpyDeviceToDevice;
	if (is_device_side(runtime, copy->to, is_default, both || kind == cudaMemcpyHostToDevice))
		return is_device_side(runtime, copy->from, is_default, both) ? cudaMemcpyDeviceToDevice
		                                                             : cudaMemcpyHostToDevice;
	return is_device_side(runtime, copy->from, is_default, both || kind == cudaMemcpyDeviceToHost)
	               ? cudaMemcpyDeviceToHost
	               : cudaMemcpyHostToHost;
}

static enum sluice_status copy_bytes(struct runtime *runtime, void *to, const void *from, size_t size,
                                     enum cudaMemcpyKind kind, struct sluice_error *error)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return sluice_write(runtime->gpu, (uintptr_t)to, from, size, error);
	case cudaMemcpyDeviceToHost:
		return sluice_read(runtime->gpu, to, (uintptr_t)from, size, error);
	case cudaMemcpyDeviceToDevice:
		return sluice_copy(runtime->gpu, (uintptr_t)to, (uintptr_t)from, size, error);
	default:
		memmove(to, from, size);
		return SLUICE_OK;
	}
}

cudaError_t copy_check_shape(const char *call, cudaError_t wrong_pitch, size_t pitch, size_t slice, size_t width,
                             size_t height, size_t depth)
{
	size_t all;
	if ((height > 1 || depth > 1) && pitch < width)
		return runtime_refuse(call, wrong_pitch, "rows of %zu bytes with a pitch of %zu", width, pitch);
	if (__builtin_mul_overflow(pitch, height, &all) || __builtin_mul_overflow(slice, depth, &all))
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu rows with a pitch of %zu, in %zu slices",
		                      height, pitch, depth);
	if (depth > 1 && slice / pitch < height)
		return runtime_refuse(call, cudaErrorInvalidValue, "slices of %zu rows, but only %zu are allocated",
		                      height, slice / pitch);
	return cudaSuccess;
}

/* Checks that a side which the direction calls host memory is not device memory. */
static cudaError_t check_host_side(struct runtime *runtime, const char *call, const void *pointer)
{
	if (!on_device(runtime, pointer))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue,
	                      "%p is device memory, but the copy's direction says that it is host memory", pointer);
}

cudaError_t copy_check_area(struct runtime *runtime, const char *call, const void *pointer, size_t pitch, size_t slice,
                            size_t width, size_t height, size_t depth)
{
	const struct host_memory *memory = host_memory_find(runtime, pointer);
	bool has_rows = height > 1 || depth > 1; /* the copy of one row checks it, and describes the place */
	uint64_t base, size, end;
	if (memory)
		end = memory->address + memory->size;
	else if (has_rows && sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size))
		end = base + size;
	else
		return cudaSuccess;
	size_t bytes = (depth - 1) * slice + (height - 1) * pitch;
	if (!__builtin_add_overflow(bytes, width, &bytes) && bytes <= end - (uintptr_t)pointer)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at %p go beyond the end of %s", bytes, pointer,
	                      memory ? "shared memory" : "the allocation");
}

static cudaError_t check_area(struct runtime *runtime, const struct copy *copy, const void *pointer, size_t pitch,
                              size_t slice)
{
	return copy_check_area(runtime, copy->call, pointer, pitch, slice, copy->width, copy->height, copy->depth);
}

static cudaError_t check_copy(struct runtime *runtime, const struct copy *copy, enum cudaMemcpyKind kind)
{
	cudaError_t result = cudaSuccess;
	if (!copy->to || !copy->from)
		return runtime_refuse(copy->call, cudaErrorInvalidValue, "%s is NULL",
		                      copy->to ? "the source" : "the destination");
	if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
		result = check_host_side(runtime, copy->call, copy->to);
	if (result == cudaSuccess && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice))
		result = check_host_side(runtime, copy->call, copy->from);
	if (result == cudaSuccess)
		result = copy_check_shape(copy->call, cudaErrorInvalidPitchValue, copy->to_pitch, copy->to_slice,
		                          copy->width, copy->height, copy->depth);
	if (result == cudaSuccess)
		result = copy_check_shape(copy->call, cudaErrorInvalidPitchValue, copy->from_pitch, copy->from_slice,
		                          copy->width, copy->height, copy->depth);
	if (result == cudaSuccess)
		result = check_area(runtime, copy, copy->to, copy->to_pitch, copy->to_slice);
	if (result == cudaSuccess)
		result = check_area(runtime, copy, copy->from, copy->from_pitch, copy->from_slice);
	return result;
}

/* A copy in progress, which stops at the first row that cannot be copied. */
struct transfer {
	struct runtime *runtime;
	const struct copy *copy;
	enum cudaMemcpyKind kind;
	struct sluice_error error;
};

static void transfer_rows(void *user)
{
	struct transfer *transfer = user;
	const struct copy *copy = transfer->copy;
	for (size_t z = 0; z < copy->depth; z++) {
		for (size_t y = 0; y < copy->height; y++) {
			void *to = (char *)copy->to + z * copy->to_slice + y * copy->to_pitch;
			const void *from = (const char *)copy->from + z * copy->from_slice + y * copy->from_pitch;
			if (copy_bytes(transfer->runtime, to, from, copy->width, transfer->kind, &transfer->error) !=
			    SLUICE_OK)
				return;
		}
	}
}

static cudaError_t transfer(struct runtime *runtime, const struct copy *copy, enum cudaMemcpyKind kind)
{
	struct transfer transfer = {.runtime = runtime, .copy = copy, .kind = kind};
	const void *missing;
	if (!access_guarded(transfer_rows, &transfer, &missing))
		return runtime_refuse(copy->call, cudaErrorInvalidValue, "the host has no memory at %p", missing);
	return transfer.error.status == SLUICE_OK ? cudaSuccess : runtime_report(runtime, copy->call, &transfer.error);
}

/* True for copies between host and device. */
static bool uses_link(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost;
}

static size_t moved_bytes(const struct copy *copy)
{
	return copy->width * copy->height * copy->depth;
}

/* A copy in a stream's work. */
struct queued_copy {
	struct runtime *runtime;
	struct copy copy;
	enum cudaMemcpyKind kind;
	char staged[]; /* the source, if that was not pinned */
};

static void run_queued(void *user, bool run)
{
	struct queued_copy *queued = user;
	if (run && transfer(queued->runtime, &queued->copy, queued->kind) != cudaSuccess)
		queued->runtime->failed = true;
	free(queued);
}

bool copy_is_inside(struct runtime *runtime, const void *pointer, size_t bytes)
{
	const struct host_memory *memory = host_memory_find(runtime, pointer);
	uint64_t base, size;
	if (memory)
		return bytes <= memory->address + memory->size - (uintptr_t)pointer;
	return sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size) &&
	       bytes <= base + size - (uintptr_t)pointer;
}

static size_t bytes_of(const struct copy *copy, size_t pitch, size_t slice)
{
	return (copy->depth - 1) * slice + (copy->height - 1) * pitch + copy->width;
}

static void stage(void *user)
{
	struct queued_copy *queued = user;
	memcpy(queued->staged, queued->copy.from, queued->copy.width);
}

/* True if the copy may run later: both sides are pinned, managed or device memory, or it is small and from other host
 * memory. *stays: the source keeps its data until then. */
static bool may_run_later(struct runtime *runtime, const struct copy *copy, enum cudaMemcpyKind kind, bool *stays)
{
	size_t bytes = bytes_of(copy, copy->from_pitch, copy->from_slice);
	if (!copy_is_inside(runtime, copy->to, bytes_of(copy, copy->to_pitch, copy->to_slice)))
		return false;
	*stays = copy_is_inside(runtime, copy->from, bytes);
	return *stays || (kind == cudaMemcpyHostToDevice && bytes == copy->width && bytes <= MOST_STAGED);
}

/* Queues the copy if it may run later; a source that does not stay is copied now. Returns false if it must run at once,
 * which gives a message if it cannot. */
static bool queue_copy(struct runtime *runtime, const struct copy *copy, enum cudaMemcpyKind kind)
{
	size_t bytes = bytes_of(copy, copy->from_pitch, copy->from_slice);
	const void *missing;
	bool stays;
	if (!may_run_later(runtime, copy, kind, &stays))
		return false;
	struct queued_copy *queued = base_malloc(sizeof *queued + (stays ? 0 : bytes));
	*queued = (struct queued_copy){.runtime = runtime, .copy = *copy, .kind = kind};
	if (!stays && !access_guarded(stage, queued, &missing)) {
		free(queued);
		return false;
	}
	if (!stays)
		queued->copy.from = queued->staged;
	if (uses_link(kind))
		stream_copy(runtime, copy->order.stream, kind == cudaMemcpyDeviceToHost, moved_bytes(copy), run_queued,
		            queued);
	else
		stream_call(runtime, copy->order.stream, run_queued, queued);
	return true;
}

static struct cudaPitchedPtr area_of(const void *pointer, size_t pitch, size_t slice)
{
	return (struct cudaPitchedPtr){(void *)(uintptr_t)pointer, pitch, pitch, pitch ? slice / pitch : 0};
}

static cudaError_t capture_rows(struct runtime *runtime, const struct copy *copy)
{
	const struct cudaMemcpy3DParms parameters = {.srcPtr = area_of(copy->from, copy->from_pitch, copy->from_slice),
	                                             .dstPtr = area_of(copy->to, copy->to_pitch, copy->to_slice),
	                                             .extent = {copy->width, copy->height, copy->depth},
	                                             .kind = copy->kind};
	return capture_copy(runtime, copy->order.stream, &parameters);
}

static cudaError_t run_now(struct runtime *runtime, const struct copy *copy, enum cudaMemcpyKind kind)
{
	cudaStream_t stream = copy->order.stream;
	bool stays, later = copy->order.is_async && may_run_later(runtime, copy, kind, &stays);
	cudaError_t result =
		uses_link(kind) ? stream_pass_copy(runtime, stream, kind == cudaMemcpyDeviceToHost, moved_bytes(copy))
				: stream_wait(runtime, stream);
	if (result != cudaSuccess)
		return result;
	order_begin(runtime, stream, copy->call);
	result = transfer(runtime, copy, kind);
	order_end(runtime, stream, !later);
	return result;
}

cudaError_t copy_run(struct runtime *runtime, const struct copy *copy)
{
	cudaError_t result = runtime_check_stream(runtime, copy->call, copy->order.stream);
	if (result != cudaSuccess)
		return result;
	if ((unsigned)copy->kind > cudaMemcpyDefault)
		return runtime_refuse(copy->call, cudaErrorInvalidMemcpyDirection, "%d is not a direction of a copy",
		                      (int)copy->kind);
	if (!copy->width || !copy->height || !copy->depth)
		return cudaSuccess;
	if (capture_of(runtime, copy->order.stream))
		return capture_rows(runtime, copy);
	enum cudaMemcpyKind kind = resolve(runtime, copy);
	result = check_copy(runtime, copy, kind);
	if (result != cudaSuccess)
		return result;
	if (copy->order.is_async && streams_queue(runtime) && queue_copy(runtime, copy, kind))
		return runtime->error;
	return run_now(runtime, copy, kind);
}

static cudaError_t copy_rows(const char *call, struct order order, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter_beside();
	struct copy copy = {.call = call,
	                    .order = order,
	                    .to = to,
	                    .from = from,
	                    .to_pitch = to_pitch,
	                    .from_pitch = from_pitch,
	                    .width = width,
	                    .height = height,
	                    .depth = 1,
	                    .kind = kind};
	return runtime_leave(runtime, copy_run(runtime, &copy));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return copy_rows("cudaMemcpy", at_once, to, 0, from, 0, size, 1, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_rows("cudaMemcpyAsync", in_stream(stream), to, 0, from, 0, size, 1, kind);
}

static cudaError_t copy_peer(const char *call, struct order order, void *to, int to_device, const void *from,
                             int from_device, size_t size)
{
	if (to_device || from_device)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidDevice,
		                                     "there is no device %d, only device 0",
		                                     to_device ? to_device : from_device));
	return copy_rows(call, order, to, 0, from, 0, size, 1, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
	return copy_peer("cudaMemcpyPeer", at_once, to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
	return copy_peer("cudaMemcpyPeerAsync", in_stream(stream), to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
	return copy_rows("cudaMemcpy2D", at_once, to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_rows("cudaMemcpy2DAsync", in_stream(stream), to, to_pitch, from, from_pitch, width, height, kind);
}

static size_t offset_in(const struct cudaPitchedPtr *pointer, const struct cudaPos *position)
{
	return (position->z * pointer->ysize + position->y) * pointer->pitch + position->x;
}

cudaError_t copy_run_box(struct runtime *runtime, const char *call, struct order order,
                         const struct cudaMemcpy3DParms *parameters)
{
	if (!parameters)
		return runtime_refuse(call, cudaErrorInvalidValue, "no parameters");
	if (parameters->srcArray || parameters->dstArray) {
		cudaError_t result = runtime_check_stream(runtime, call, order.stream);
		if (result == cudaSuccess && capture_of(runtime, order.stream))
			return capture_copy(runtime, order.stream, parameters);
		if (result == cudaSuccess)
			result = stream_wait(runtime, order.stream);
		if (result != cudaSuccess)
			return result;
		order_begin(runtime, order.stream, call);
		result = array_copy_box(runtime, call, order.stream, parameters);
		order_end(runtime, order.stream, true);
		return result;
	}
	const struct cudaPitchedPtr *to = &parameters->dstPtr, *from = &parameters->srcPtr;
	struct copy copy = {
		.call = call,
		.order = order,
		.to = to->ptr ? (char *)to->ptr + offset_in(to, &parameters->dstPos) : NULL,
		.from = from->ptr ? (const char *)from->ptr + offset_in(from, &parameters->srcPos) : NULL,
		.to_pitch = to->pitch,
		.from_pitch = from->pitch,
		.to_slice = to->pitch * to->ysize,
		.from_slice = from->pitch * from->ysize,
		.width = parameters->extent.width,
		.height = parameters->extent.height,
		.depth = parameters->extent.depth,
		.kind = parameters->kind,
	};
	return copy_run(runtime, &copy);
}

static cudaError_t copy_box(const char *call, struct order order, const struct cudaMemcpy3DParms *parameters)
{
	struct runtime *runtime = runtime_enter_beside();
	return runtime_leave(runtime, copy_run_box(runtime, call, order, parameters));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	return copy_box("cudaMemcpy3D", at_once, parameters);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
	return copy_box("cudaMemcpy3DAsync", in_stream(stream), parameters);
}

static cudaError_t copy_box_peer(const char *call, struct order order, const struct cudaMemcpy3DPeerParms *parameters)
{
	if (!parameters)
		return copy_box(call, order, NULL);
	if (parameters->srcDevice || parameters->dstDevice)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidDevice, "there is only device 0"));
	const struct cudaMemcpy3DParms same = {
		.srcArray = parameters->srcArray,
		.srcPos = parameters->srcPos,
		.srcPtr = parameters->srcPtr,
		.dstArray = parameters->dstArray,
		.dstPos = parameters->dstPos,
		.dstPtr = parameters->dstPtr,
		.extent = parameters->extent,
		.kind = cudaMemcpyDeviceToDevice,
	};
	return copy_box(call, order, &same);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
	return copy_box_peer("cudaMemcpy3DPeer", at_once, parameters);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
	return copy_box_peer("cudaMemcpy3DPeerAsync", in_stream(stream), parameters);
}
