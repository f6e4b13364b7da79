/* Device memory: allocation, fills, and pointer attributes. Fills are queued as copies are (copy.c). */
#include "cudart/capture.h"
#include "cudart/copy.h"
#include "cudart/host_memory.h"
#include "cudart/leaks.h"
#include "cudart/pool.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- allocation ---- */

static cudaError_t allocate(struct runtime *runtime, const char *call, void **pointer, size_t size)
{
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result != cudaSuccess)
		return result;
	*pointer = NULL;
	if (!size)
		return cudaSuccess;
	uint64_t address;
	struct sluice_error error = {0};
	if (sluice_alloc(runtime->gpu, size, &address, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	leaks_note(runtime, call, address);
	*pointer = (void *)(uintptr_t)address;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
	runtime_use_context();
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = capture_check_unsafe(runtime, "cudaMalloc");
	return runtime_leave(runtime, result == cudaSuccess ? allocate(runtime, "cudaMalloc", pointer, size) : result);
}

static cudaError_t allocate_rows(const char *call, void **pointer, size_t *pitch, size_t width, size_t height)
{
	struct runtime *runtime = runtime_enter_beside();
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	size_t row, size;
	cudaError_t result = runtime_check(runtime, call, pointer && pitch);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	sluice_machine_info(runtime->gpu, &machine);
	if (__builtin_add_overflow(width, machine.pitch_bytes - 1, &row) ||
	    __builtin_mul_overflow(row -= row % machine.pitch_bytes, height, &size))
		return runtime_leave(
			runtime, runtime_refuse(call, cudaErrorInvalidValue, "%zu rows of %zu bytes", height, width));
	*pitch = row;
	return runtime_leave(runtime, allocate(runtime, call, pointer, size));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	return allocate_rows("cudaMallocPitch", pointer, pitch, width, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
	static const char call[] = "cudaMalloc3D";
	size_t rows;
	if (!pointer)
		return allocate_rows(call, NULL, NULL, 0, 0);
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		rows = SIZE_MAX; /* too large to allocate */
	pointer->xsize = extent.width;
	pointer->ysize = extent.height;
	return allocate_rows(call, &pointer->ptr, &pointer->pitch, extent.width, rows);
}

/* cudaFree() waits for all work, cudaFreeAsync() for that of its stream. */
static cudaError_t release(const char *call, void *pointer, struct order order)
{
	struct runtime *runtime = order.is_async ? runtime_enter_beside() : runtime_enter();
	struct sluice_error error = {0};
	cudaStream_t stream = order.stream;
	cudaError_t result =
		order.is_async ? runtime_check_stream(runtime, call, stream) : capture_check_unsafe(runtime, call);
	struct host_memory *memory = host_memory_find(runtime, pointer);
	if (result != cudaSuccess || !pointer)
		return runtime_leave(runtime, result);
	if (capture_of(runtime, stream))
		return runtime_leave(runtime, capture_release(runtime, call, stream, pointer));
	result = stream_wait(runtime, stream);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	if (graph_memory_has(runtime, pointer))
		return runtime_leave(runtime, graph_memory_release(runtime, call, pointer));
	if (memory && memory->kind == HOST_MANAGED && memory->mapped && memory->address == (uintptr_t)pointer)
		host_memory_remove(runtime, memory);
	else if (memory)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%p is host memory", pointer);
	else if (sluice_free(runtime->gpu, (uintptr_t)pointer, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	else
		pools_forget(runtime, pointer);
	return runtime_leave(runtime, result);
}

cudaError_t cudaFree(void *pointer)
{
	runtime_use_context();
	return release("cudaFree", pointer, at_once);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	return release("cudaFreeAsync", pointer, in_stream(stream));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, "cudaMemGetInfo", free_bytes && total);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	uint64_t available, all;
	sluice_memory_info(runtime->gpu, &available, &all);
	*free_bytes = available;
	*total = all;
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	struct runtime *runtime = runtime_enter_beside();
	uint64_t base, size;
	cudaError_t result = runtime_check(runtime, "cudaPointerGetAttributes", attributes);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	const struct host_memory *memory = host_memory_find(runtime, pointer);
	bool device = sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size);
	*attributes = (struct cudaPointerAttributes){
		.type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered,
		.device = device ? 0 : cudaInvalidDeviceId,
		.devicePointer = device ? (void *)(uintptr_t)pointer : NULL,
		.hostPointer = device ? NULL : (void *)(uintptr_t)pointer,
	};
	if (memory)
		*attributes = (struct cudaPointerAttributes){
			.type = memory->kind == HOST_MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost,
			.devicePointer = (void *)(uintptr_t)(memory->device + ((uintptr_t)pointer - memory->address)),
			.hostPointer = (void *)(uintptr_t)pointer,
		};
	return runtime_leave(runtime, cudaSuccess);
}

/* ---- fills ---- */

/* Memory that both sides can access is filled by the host. */
static cudaError_t fill_host(const char *call, const struct host_memory *memory, void *to, uint32_t value,
                             uint32_t width, size_t count)
{
	size_t room = memory->size - ((uintptr_t)to - memory->address);
	if (count > room / width)
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu times %u bytes, but there are only %zu bytes",
		                      count, width, room);
	if (width == 1)
		memset(to, (int)value, count);
	else
		for (size_t i = 0; i < count; i++)
			memcpy((char *)to + i * width, &value, width); /* little-endian, as in device memory */
	return cudaSuccess;
}

static cudaError_t fill_row(struct runtime *runtime, const char *call, void *to, uint32_t value, uint32_t width,
                            size_t count)
{
	struct sluice_error error = {0};
	const struct host_memory *memory = host_memory_find(runtime, to);
	if (memory)
		return fill_host(call, memory, to, value, width, count);
	if (sluice_fill(runtime->gpu, (uintptr_t)to, value, width, count, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	return cudaSuccess;
}

static struct cudaMemsetParams rows_of(const struct fill *fill, size_t slice)
{
	struct cudaMemsetParams rows = fill->rows;
	rows.dst = (char *)rows.dst + slice * fill->slice;
	return rows;
}

static cudaError_t run_fill(const struct fill *fill)
{
	cudaError_t result = cudaSuccess;
	for (size_t z = 0; z < fill->depth && result == cudaSuccess; z++) {
		const struct cudaMemsetParams rows = rows_of(fill, z);
		for (size_t y = 0; y < rows.height && result == cudaSuccess; y++)
			result = fill_row(fill->runtime, fill->call, (char *)rows.dst + y * rows.pitch, rows.value,
			                  rows.elementSize, rows.width);
	}
	return result;
}

static void run_queued_fill(void *user, bool run)
{
	struct fill *fill = user;
	if (run && run_fill(fill) != cudaSuccess)
		fill->runtime->failed = true;
	free(fill);
}

/* Queues the fill if it is in one allocation. Otherwise returns false: running it gives the message. */
static bool queue_fill(const struct fill *fill)
{
	const struct cudaMemsetParams *rows = &fill->rows;
	size_t before = (fill->depth - 1) * fill->slice + (rows->height - 1) * rows->pitch, bytes;
	if (!fill->order.is_async || !streams_queue(fill->runtime) ||
	    __builtin_mul_overflow(rows->width, rows->elementSize, &bytes) ||
	    __builtin_add_overflow(bytes, before, &bytes) || !copy_is_inside(fill->runtime, rows->dst, bytes))
		return false;
	struct fill *queued = base_malloc(sizeof *queued);
	*queued = *fill;
	stream_call(fill->runtime, fill->order.stream, run_queued_fill, queued);
	return true;
}

static cudaError_t capture_slices(const struct fill *fill)
{
	for (size_t z = 0; z < fill->depth; z++) {
		const struct cudaMemsetParams rows = rows_of(fill, z);
		capture_fill(fill->runtime, fill->order.stream, &rows);
	}
	return cudaSuccess;
}

cudaError_t memory_fill(const struct fill *fill)
{
	struct runtime *runtime = fill->runtime;
	const struct cudaMemsetParams *rows = &fill->rows;
	size_t width;
	cudaError_t result = runtime_check_stream(runtime, fill->call, fill->order.stream);
	if (result != cudaSuccess || !rows->width || !rows->height || !fill->depth)
		return result;
	if (__builtin_mul_overflow(rows->width, rows->elementSize, &width))
		width = SIZE_MAX; /* no memory is so large */
	result = copy_check_shape(fill->call, cudaErrorInvalidValue, rows->pitch, fill->slice, width, rows->height,
	                          fill->depth);
	if (result == cudaSuccess && capture_of(runtime, fill->order.stream))
		return capture_slices(fill);
	if (result == cudaSuccess)
		result = copy_check_area(runtime, fill->call, rows->dst, rows->pitch, fill->slice, width, rows->height,
		                         fill->depth);
	if (result != cudaSuccess)
		return result;
	if (queue_fill(fill))
		return runtime->error;
	result = stream_wait(runtime, fill->order.stream);
	if (result != cudaSuccess)
		return result;
	order_begin(runtime, fill->order.stream, fill->call);
	result = run_fill(fill);
	order_end(runtime, fill->order.stream, false); /* cudaMemset() does not wait either */
	return result;
}

static cudaError_t fill(const char *call, struct order order, struct cudaPitchedPtr area, int value, size_t width,
                        size_t height, size_t depth)
{
	struct runtime *runtime = runtime_enter_beside();
	const struct fill fill = {.runtime = runtime,
	                          .call = call,
	                          .order = order,
	                          .rows = {.dst = area.ptr,
	                                   .pitch = area.pitch,
	                                   .value = (uint8_t)value,
	                                   .elementSize = 1,
	                                   .width = width,
	                                   .height = height},
	                          .slice = area.pitch * area.ysize,
	                          .depth = depth};
	return runtime_leave(runtime, memory_fill(&fill));
}

static cudaError_t fill_rows(const char *call, struct order order, void *pointer, size_t pitch, int value, size_t width,
                             size_t height)
{
	return fill(call, order, (struct cudaPitchedPtr){.ptr = pointer, .pitch = pitch}, value, width, height, 1);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
	return fill_rows("cudaMemset", at_once, pointer, 0, value, size, 1);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
	return fill_rows("cudaMemsetAsync", in_stream(stream), pointer, 0, value, size, 1);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return fill_rows("cudaMemset2D", at_once, pointer, pitch, value, width, height);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	return fill_rows("cudaMemset2DAsync", in_stream(stream), pointer, pitch, value, width, height);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
	return fill("cudaMemset3D", at_once, pointer, value, extent.width, extent.height, extent.depth);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream)
{
	return fill("cudaMemset3DAsync", in_stream(stream), pointer, value, extent.width, extent.height, extent.depth);
}
