/* Copies from and to arrays: row by row, in pieces that are contiguous in the array's tiles. */
#include "cudart/array.h"
#include "cudart/capture.h"

#include "cudart/host_memory.h"
#include "cudart/stream_work.h"

/* One side of a copy: an array from a given position, or memory with rows and slices. */
struct side {
	const struct cudaArray *array;
	size_t x, y, z; /* position in the array: bytes, rows, slices */
	char *pointer;
	size_t pitch, slice;
	bool on_device; /* for memory: it is device memory */
};

struct copy {
	struct runtime *runtime;
	struct side to, from;
	size_t width, height, depth; /* bytes, rows, slices */
	cudaStream_t stream;
	size_t link_bytes; /* for the time of a copy between host and device; 0: a part of one whose time has passed */
	struct sluice_error error;
};

/* Returns the address of byte x of a row, and in *run the number of contiguous bytes from there. */
static uint64_t place_of(const struct side *side, size_t x, size_t y, size_t z, uint64_t *run)
{
	if (side->array)
		return sluice_image_row(&side->array->image, 0, side->x + x, (uint32_t)(side->y + y),
		                        (uint32_t)(side->z + z), run);
	*run = UINT64_MAX;
	return (uintptr_t)side->pointer + z * side->slice + y * side->pitch + x;
}

static bool is_device(const struct side *side)
{
	return side->array || side->on_device;
}

static enum sluice_status copy_piece(struct copy *copy, uint64_t to, uint64_t from, size_t bytes)
{
	sluice_gpu *gpu = copy->runtime->gpu;
	if (!is_device(&copy->from))
		return sluice_write(gpu, to, (const void *)(uintptr_t)from, bytes, &copy->error);
	if (!is_device(&copy->to))
		return sluice_read(gpu, (void *)(uintptr_t)to, from, bytes, &copy->error);
	return sluice_copy(gpu, to, from, bytes, &copy->error);
}

static bool copy_row(struct copy *copy, size_t y, size_t z)
{
	for (size_t x = 0, bytes; x < copy->width; x += bytes) {
		uint64_t to_run, from_run;
		uint64_t to = place_of(&copy->to, x, y, z, &to_run);
		uint64_t from = place_of(&copy->from, x, y, z, &from_run);
		bytes = copy->width - x;
		bytes = to_run < bytes ? to_run : bytes;
		bytes = from_run < bytes ? from_run : bytes;
		if (copy_piece(copy, to, from, bytes) != SLUICE_OK)
			return false;
	}
	return true;
}

static void copy_rows(void *user)
{
	struct copy *copy = user;
	for (size_t z = 0; z < copy->depth; z++)
		for (size_t y = 0; y < copy->height; y++)
			if (!copy_row(copy, y, z))
				return;
}

static bool on_device(struct runtime *runtime, const void *pointer)
{
	uint64_t base, size;
	return sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size);
}

/* Checks that the box lies inside the array. */
static cudaError_t check_array(const struct copy *copy, const char *call, const struct side *side)
{
	if (!side->array)
		return cudaSuccess;
	cudaError_t result = array_check(copy->runtime, call, side->array);
	if (result != cudaSuccess)
		return result;
	const struct sluice_image *image = &side->array->image;
	size_t width = (size_t)image->width * array_texel_bytes(side->array), slices = image->depth * image->layers;
	if (side->x <= width && copy->width <= width - side->x && side->y <= image->height &&
	    copy->height <= image->height - side->y && side->z <= slices && copy->depth <= slices - side->z)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue,
	                      "%zu bytes x %zu x %zu from (%zu, %zu, %zu) on, of an array of %zu bytes x %u x %zu",
	                      copy->width, copy->height, copy->depth, side->x, side->y, side->z, width, image->height,
	                      slices);
}

/* Checks that memory is on the side that the direction names. */
static cudaError_t check_memory(const struct copy *copy, const char *call, struct side *side, enum cudaMemcpyKind kind,
                                bool is_source)
{
	if (side->array)
		return cudaSuccess;
	bool is_there = on_device(copy->runtime, side->pointer);
	bool named = is_source ? kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
	                       : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	side->on_device =
		kind == cudaMemcpyDefault ? is_there : named && !host_memory_find(copy->runtime, side->pointer);
	if (!side->pointer)
		return runtime_refuse(call, cudaErrorInvalidValue, "%s is NULL",
		                      is_source ? "the source" : "the destination");
	if (is_there && !side->on_device)
		return runtime_refuse(call, cudaErrorInvalidValue,
		                      "%p is device memory, but the copy's direction says that it is host memory",
		                      (void *)side->pointer);
	if ((copy->height > 1 || copy->depth > 1) && side->pitch < copy->width)
		return runtime_refuse(call, cudaErrorInvalidPitchValue, "rows of %zu bytes with a pitch of %zu",
		                      copy->width, side->pitch);
	return cudaSuccess;
}

/* Arrays are on the device: refuses a direction that contradicts this. */
static cudaError_t check_direction(const struct copy *copy, const char *call, enum cudaMemcpyKind kind)
{
	bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	bool wrong = (copy->to.array && !to_device) || (copy->from.array && !from_device);
	if ((unsigned)kind > cudaMemcpyDefault || (kind != cudaMemcpyDefault && wrong))
		return runtime_refuse(call, cudaErrorInvalidMemcpyDirection,
		                      "%d is not a direction of this copy: arrays are on the device", (int)kind);
	return cudaSuccess;
}

static cudaError_t run_copy(struct copy *copy, const char *call, enum cudaMemcpyKind kind)
{
	const void *missing;
	cudaError_t result = check_direction(copy, call, kind);
	if (result == cudaSuccess && copy->width && copy->height && copy->depth) {
		result = check_array(copy, call, &copy->to);
		if (result == cudaSuccess)
			result = check_array(copy, call, &copy->from);
		if (result == cudaSuccess)
			result = check_memory(copy, call, &copy->to, kind, false);
		if (result == cudaSuccess)
			result = check_memory(copy, call, &copy->from, kind, true);
		if (result == cudaSuccess && copy->link_bytes && is_device(&copy->to) != is_device(&copy->from))
			result =
				stream_pass_copy(copy->runtime, copy->stream, is_device(&copy->from), copy->link_bytes);
		if (result != cudaSuccess)
			return result;
		if (!access_guarded(copy_rows, copy, &missing))
			return runtime_refuse(call, cudaErrorInvalidValue, "the host has no memory at %p", missing);
		if (copy->error.status != SLUICE_OK)
			return runtime_report(copy->runtime, call, &copy->error);
	}
	return result;
}

static struct side memory(const void *pointer, size_t pitch)
{
	return (struct side){.pointer = (char *)(uintptr_t)pointer, .pitch = pitch};
}

static struct side place_in(cudaArray_const_t array, size_t x, size_t y)
{
	return (struct side){.array = array, .x = x, .y = y};
}

/* Describes one side of a copy as cudaMemcpy3D() takes it. */
static void describe_side(const struct side *side, cudaArray_t *array, struct cudaPitchedPtr *pointer,
                          struct cudaPos *at)
{
	*array = (cudaArray_t)(uintptr_t)side->array;
	*pointer = (struct cudaPitchedPtr){side->pointer, side->pitch, side->pitch, 1};
	if (side->array)
		*at = (struct cudaPos){side->x / array_texel_bytes(side->array), side->y, side->z};
}

static cudaError_t capture_area(const struct copy *copy, const char *call, cudaStream_t stream,
                                enum cudaMemcpyKind kind)
{
	const struct cudaArray *array = copy->to.array ? copy->to.array : copy->from.array;
	cudaError_t result = array_check(copy->runtime, call, array);
	if (result != cudaSuccess)
		return result;
	struct cudaMemcpy3DParms parameters = {
		.extent = {copy->width / array_texel_bytes(array), copy->height, copy->depth}, .kind = kind};
	describe_side(&copy->to, &parameters.dstArray, &parameters.dstPtr, &parameters.dstPos);
	describe_side(&copy->from, &parameters.srcArray, &parameters.srcPtr, &parameters.srcPos);
	return capture_copy(copy->runtime, stream, &parameters);
}

static cudaError_t copy_area(const char *call, cudaStream_t stream, struct side to, struct side from, size_t width,
                             size_t height, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	struct copy copy = {.runtime = runtime,
	                    .to = to,
	                    .from = from,
	                    .width = width,
	                    .height = height,
	                    .depth = 1,
	                    .stream = stream,
	                    .link_bytes = width * height};
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && capture_of(runtime, stream))
		return runtime_leave(runtime, capture_area(&copy, call, stream, kind));
	return runtime_leave(runtime, result == cudaSuccess ? run_copy(&copy, call, kind) : result);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
	return copy_area("cudaMemcpy2DToArray", NULL, place_in(to, x, y), memory(from, pitch), width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_area("cudaMemcpy2DToArrayAsync", stream, place_in(to, x, y), memory(from, pitch), width, height,
	                 kind);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
	return copy_area("cudaMemcpy2DFromArray", NULL, memory(to, pitch), place_in(from, x, y), width, height, kind);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_area("cudaMemcpy2DFromArrayAsync", stream, memory(to, pitch), place_in(from, x, y), width, height,
	                 kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return copy_area("cudaMemcpy2DArrayToArray", NULL, place_in(to, to_x, to_y), place_in(from, from_x, from_y),
	                 width, height, kind);
}

/* ---- contiguous bytes, which wrap around into the array's next row ---- */

static size_t row_bytes(const struct side *side)
{
	return side->array ? (size_t)side->array->image.width * array_texel_bytes(side->array) : SIZE_MAX;
}

/* Advances by this number of bytes. */
static void move_on(struct side *side, size_t bytes)
{
	side->pointer += side->array ? 0 : bytes;
	side->x += bytes;
	if (side->x < row_bytes(side))
		return;
	side->x = 0;
	side->y++;
}

static cudaError_t copy_bytes(const char *call, cudaStream_t stream, struct side to, struct side from, size_t size,
                              enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = capture_check(runtime, call, stream); /* these old calls cannot be captured */
	if (result == cudaSuccess && to.array)
		result = array_check(runtime, call, to.array);
	if (result == cudaSuccess && from.array)
		result = array_check(runtime, call, from.array);
	size_t link_bytes = size;
	while (size && result == cudaSuccess) {
		size_t bytes = size;
		for (const struct side *side = &to; side; side = side == &to ? &from : NULL)
			if (row_bytes(side) - side->x < bytes)
				bytes = row_bytes(side) > side->x ? row_bytes(side) - side->x : bytes;
		struct copy copy = {.runtime = runtime,
		                    .to = to,
		                    .from = from,
		                    .width = bytes,
		                    .height = 1,
		                    .depth = 1,
		                    .stream = stream,
		                    .link_bytes = link_bytes};
		result = run_copy(&copy, call, kind);
		link_bytes = 0;
		move_on(&to, bytes);
		move_on(&from, bytes);
		size -= bytes;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                              enum cudaMemcpyKind kind)
{
	return copy_bytes("cudaMemcpyToArray", NULL, place_in(to, x, y), memory(from, 0), size, kind);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_bytes("cudaMemcpyToArrayAsync", stream, place_in(to, x, y), memory(from, 0), size, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                enum cudaMemcpyKind kind)
{
	return copy_bytes("cudaMemcpyFromArray", NULL, memory(to, 0), place_in(from, x, y), size, kind);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_bytes("cudaMemcpyFromArrayAsync", stream, memory(to, 0), place_in(from, x, y), size, kind);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t size, enum cudaMemcpyKind kind)
{
	return copy_bytes("cudaMemcpyArrayToArray", NULL, place_in(to, to_x, to_y), place_in(from, from_x, from_y),
	                  size, kind);
}

/* ---- boxes ---- */

/* Positions count texels in arrays and bytes in memory. */
static struct side box_side(cudaArray_t array, const struct cudaPitchedPtr *pointer, const struct cudaPos *at)
{
	if (array)
		return (struct side){.array = array, .x = at->x * array_texel_bytes(array), .y = at->y, .z = at->z};
	struct side side = memory(pointer->ptr, pointer->pitch);
	side.slice = pointer->pitch * pointer->ysize;
	side.pointer += pointer->ptr ? at->z * side.slice + at->y * side.pitch + at->x : 0;
	return side;
}

cudaError_t array_copy_box(struct runtime *runtime, const char *call, cudaStream_t stream,
                           const struct cudaMemcpy3DParms *parameters)
{
	cudaArray_t to = parameters->dstArray, from = parameters->srcArray;
	cudaError_t result = to ? array_check(runtime, call, to) : cudaSuccess;
	if (result == cudaSuccess && from)
		result = array_check(runtime, call, from);
	if (result != cudaSuccess)
		return result;
	if ((to && parameters->dstPtr.ptr) || (from && parameters->srcPtr.ptr))
		return runtime_refuse(call, cudaErrorInvalidValue,
		                      "one side of the copy has both an array and a "
		                      "pointer");
	size_t width = parameters->extent.width * array_texel_bytes(to ? to : from);
	struct copy copy = {
		.runtime = runtime,
		.to = box_side(to, &parameters->dstPtr, &parameters->dstPos),
		.from = box_side(from, &parameters->srcPtr, &parameters->srcPos),
		.width = width,
		.height = parameters->extent.height,
		.depth = parameters->extent.depth,
		.stream = stream,
		.link_bytes = width * parameters->extent.height * parameters->extent.depth,
	};
	return run_copy(&copy, call, parameters->kind);
}
