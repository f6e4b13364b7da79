/* Device memory: allocation, copies, fills, symbols. Streams are serialised, so that the asynchronous forms are the
 * synchronous ones, but for the stream, which must be one. */
#include "cudart/array.h"
#include "cudart/capture.h"

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
	*pointer = (void *)(uintptr_t)address;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = capture_check_unsafe(runtime, "cudaMalloc");
	return runtime_leave(runtime, result == cudaSuccess ? allocate(runtime, "cudaMalloc", pointer, size) : result);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
	static const char call[] = "cudaMallocAsync";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && pointer && capture_of(runtime, stream))
		return runtime_leave(runtime, capture_allocation(runtime, call, stream, pointer, size));
	return runtime_leave(runtime, result == cudaSuccess ? allocate(runtime, call, pointer, size) : result);
}

static cudaError_t allocate_rows(const char *call, void **pointer, size_t *pitch, size_t width, size_t height)
{
	struct runtime *runtime = runtime_enter();
	struct sluice_machine_info machine;
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
		rows = SIZE_MAX; /* more than there are */
	pointer->xsize = extent.width;
	pointer->ysize = extent.height;
	return allocate_rows(call, &pointer->ptr, &pointer->pitch, extent.width, rows);
}

static cudaError_t release(const char *call, void *pointer, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter();
	struct sluice_error error = {0};
	cudaError_t result = stream ? runtime_check_stream(runtime, call, stream) : capture_check_unsafe(runtime, call);
	if (result == cudaSuccess && capture_of(runtime, stream))
		result = capture_release(runtime, call, stream, pointer);
	else if (result == cudaSuccess && graph_memory_has(runtime, pointer))
		result = graph_memory_release(runtime, call, pointer);
	else if (result == cudaSuccess && pointer && sluice_free(runtime->gpu, (uintptr_t)pointer, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	return runtime_leave(runtime, result);
}

cudaError_t cudaFree(void *pointer)
{
	return release("cudaFree", pointer, NULL);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	return release("cudaFreeAsync", pointer, stream);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	struct runtime *runtime = runtime_enter();
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
	struct runtime *runtime = runtime_enter();
	uint64_t base, size;
	cudaError_t result = runtime_check(runtime, "cudaPointerGetAttributes", attributes);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	bool device = sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size);
	*attributes = (struct cudaPointerAttributes){
		.type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered,
		.devicePointer = device ? (void *)(uintptr_t)pointer : NULL,
		.hostPointer = device ? NULL : (void *)(uintptr_t)pointer,
	};
	return runtime_leave(runtime, cudaSuccess);
}

/* ---- copies ---- */

/* A copy between host and device: rows of `width` bytes, `height` of them in each of `depth` slices. */
struct copy {
	const char *call;
	cudaStream_t stream;
	void *to;
	const void *from;
	size_t to_pitch, from_pitch, to_slice, from_slice;
	size_t width, height, depth;
	enum cudaMemcpyKind kind;
};

static bool on_device(struct runtime *runtime, const void *pointer)
{
	uint64_t base, size;
	return sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, &base, &size);
}

/* cudaMemcpyDefault: each side is where its address lies. */
static enum cudaMemcpyKind resolve(struct runtime *runtime, const struct copy *copy)
{
	if (copy->kind != cudaMemcpyDefault)
		return copy->kind;
	if (on_device(runtime, copy->to))
		return on_device(runtime, copy->from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
	return on_device(runtime, copy->from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
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

/* Rows that lie apart, and slices too. */
static cudaError_t check_shape(const char *call, cudaError_t wrong_pitch, size_t pitch, size_t slice, size_t width,
                               size_t height, size_t depth)
{
	size_t all;
	if ((height > 1 || depth > 1) && pitch < width)
		return runtime_refuse(call, wrong_pitch, "rows of %zu bytes with a pitch of %zu", width, pitch);
	if (__builtin_mul_overflow(pitch, height, &all) || __builtin_mul_overflow(slice, depth, &all))
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu rows with a pitch of %zu, in %zu slices",
		                      height, pitch, depth);
	if (depth > 1 && slice / pitch < height)
		return runtime_refuse(call, cudaErrorInvalidValue, "slices of %zu rows, of which %zu are allocated",
		                      height, slice / pitch);
	return cudaSuccess;
}

/* That a side which the direction takes for the host's is not the device's. */
static cudaError_t check_host_side(struct runtime *runtime, const char *call, const void *pointer)
{
	if (!on_device(runtime, pointer))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue,
	                      "%p is device memory, but the direction of the copy says that the host has it", pointer);
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
		result = check_shape(copy->call, cudaErrorInvalidPitchValue, copy->to_pitch, copy->to_slice,
		                     copy->width, copy->height, copy->depth);
	if (result == cudaSuccess)
		result = check_shape(copy->call, cudaErrorInvalidPitchValue, copy->from_pitch, copy->from_slice,
		                     copy->width, copy->height, copy->depth);
	return result;
}

/* A copy on its way, up to its first row that cannot be copied. */
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
	return capture_copy(runtime, copy->stream, &parameters);
}

static cudaError_t run_copy(struct runtime *runtime, const struct copy *copy)
{
	cudaError_t result = runtime_check_stream(runtime, copy->call, copy->stream);
	if (result != cudaSuccess)
		return result;
	if ((unsigned)copy->kind > cudaMemcpyDefault)
		return runtime_refuse(copy->call, cudaErrorInvalidMemcpyDirection, "%d is no direction of a copy",
		                      (int)copy->kind);
	if (!copy->width || !copy->height || !copy->depth)
		return cudaSuccess;
	if (capture_of(runtime, copy->stream))
		return capture_rows(runtime, copy);
	struct transfer transfer = {.runtime = runtime, .copy = copy, .kind = resolve(runtime, copy)};
	const void *missing;
	result = check_copy(runtime, copy, transfer.kind);
	if (result != cudaSuccess)
		return result;
	if (!access_guarded(transfer_rows, &transfer, &missing))
		return runtime_refuse(copy->call, cudaErrorInvalidValue, "the host has no memory at %p", missing);
	return transfer.error.status == SLUICE_OK ? cudaSuccess : runtime_report(runtime, copy->call, &transfer.error);
}

static cudaError_t copy_rows(const char *call, cudaStream_t stream, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	struct copy copy = {.call = call,
	                    .stream = stream,
	                    .to = to,
	                    .from = from,
	                    .to_pitch = to_pitch,
	                    .from_pitch = from_pitch,
	                    .width = width,
	                    .height = height,
	                    .depth = 1,
	                    .kind = kind};
	return runtime_leave(runtime, run_copy(runtime, &copy));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return copy_rows("cudaMemcpy", NULL, to, 0, from, 0, size, 1, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_rows("cudaMemcpyAsync", stream, to, 0, from, 0, size, 1, kind);
}

static cudaError_t copy_peer(const char *call, cudaStream_t stream, void *to, int to_device, const void *from,
                             int from_device, size_t size)
{
	if (to_device || from_device)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidDevice,
		                                     "there is no device %d, only device 0",
		                                     to_device ? to_device : from_device));
	return copy_rows(call, stream, to, 0, from, 0, size, 1, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
	return copy_peer("cudaMemcpyPeer", NULL, to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
	return copy_peer("cudaMemcpyPeerAsync", stream, to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
	return copy_rows("cudaMemcpy2D", NULL, to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_rows("cudaMemcpy2DAsync", stream, to, to_pitch, from, from_pitch, width, height, kind);
}

static size_t offset_in(const struct cudaPitchedPtr *pointer, const struct cudaPos *position)
{
	return (position->z * pointer->ysize + position->y) * pointer->pitch + position->x;
}

static cudaError_t copy_box(const char *call, cudaStream_t stream, const struct cudaMemcpy3DParms *parameters)
{
	struct runtime *runtime = runtime_enter();
	if (!parameters)
		return runtime_leave(runtime, runtime_refuse(call, cudaErrorInvalidValue, "no parameters"));
	if (parameters->srcArray || parameters->dstArray) {
		cudaError_t result = runtime_check_stream(runtime, call, stream);
		if (result == cudaSuccess && capture_of(runtime, stream))
			return runtime_leave(runtime, capture_copy(runtime, stream, parameters));
		return runtime_leave(runtime,
		                     result == cudaSuccess ? array_copy_box(runtime, call, parameters) : result);
	}
	const struct cudaPitchedPtr *to = &parameters->dstPtr, *from = &parameters->srcPtr;
	struct copy copy = {
		.call = call,
		.stream = stream,
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
	return runtime_leave(runtime, run_copy(runtime, &copy));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	return copy_box("cudaMemcpy3D", NULL, parameters);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
	return copy_box("cudaMemcpy3DAsync", stream, parameters);
}

/* ---- fills ---- */

static cudaError_t fill(const char *call, cudaStream_t stream, struct cudaPitchedPtr area, int value, size_t width,
                        size_t height, size_t depth)
{
	struct runtime *runtime = runtime_enter();
	size_t slice = area.pitch * area.ysize;
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (!width || !height || !depth)
		return runtime_leave(runtime, result);
	if (result == cudaSuccess)
		result = check_shape(call, cudaErrorInvalidValue, area.pitch, slice, width, height, depth);
	bool is_captured = result == cudaSuccess && capture_of(runtime, stream);
	for (size_t z = 0; z < depth && is_captured; z++) {
		const struct cudaMemsetParams rows = {
			.dst = (char *)area.ptr + z * slice, area.pitch, (uint8_t)value, 1, width, height};
		capture_fill(runtime, stream, &rows);
	}
	if (is_captured)
		return runtime_leave(runtime, result);
	for (size_t z = 0; z < depth && result == cudaSuccess; z++) {
		for (size_t y = 0; y < height && result == cudaSuccess; y++) {
			struct sluice_error error = {0};
			uint64_t row = (uintptr_t)area.ptr + z * slice + y * area.pitch;
			if (sluice_fill(runtime->gpu, row, (uint8_t)value, 1, width, &error) != SLUICE_OK)
				result = runtime_report(runtime, call, &error);
		}
	}
	return runtime_leave(runtime, result);
}

static cudaError_t fill_rows(const char *call, cudaStream_t stream, void *pointer, size_t pitch, int value,
                             size_t width, size_t height)
{
	return fill(call, stream, (struct cudaPitchedPtr){.ptr = pointer, .pitch = pitch}, value, width, height, 1);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
	return fill_rows("cudaMemset", NULL, pointer, 0, value, size, 1);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
	return fill_rows("cudaMemsetAsync", stream, pointer, 0, value, size, 1);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return fill_rows("cudaMemset2D", NULL, pointer, pitch, value, width, height);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	return fill_rows("cudaMemset2DAsync", stream, pointer, pitch, value, width, height);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
	return fill("cudaMemset3D", NULL, pointer, value, extent.width, extent.height, extent.depth);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream)
{
	return fill("cudaMemset3DAsync", stream, pointer, value, extent.width, extent.height, extent.depth);
}

/* ---- symbols ---- */

/* A symbol as programs name it, beside a variable's name. */
struct named {
	const struct symbol *variables, *found;
	const char *name;
};

static void find_name(void *user)
{
	struct named *named = user;
	for (const struct symbol *variable = named->variables; variable && !named->found; variable = variable->next)
		if (strcmp(variable->name, named->name) == 0)
			named->found = variable;
}

/* A symbol is the host's address of a device variable or, in old programs, the variable's name. */
static const struct symbol *find_variable(const struct runtime *runtime, const void *symbol)
{
	const void *missing;
	for (const struct symbol *variable = runtime->variables; variable; variable = variable->next)
		if (variable->host == symbol)
			return variable;
	if (!symbol)
		return NULL;
	struct named named = {.variables = runtime->variables, .name = symbol};
	access_guarded(find_name, &named, &missing); /* what is no text is no name */
	return named.found;
}

static cudaError_t find_symbol(struct runtime *runtime, const char *call, const void *symbol, uint64_t *address,
                               uint64_t *size)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	const struct symbol *found = find_variable(runtime, symbol);
	if (!found)
		return runtime_refuse(call, cudaErrorInvalidSymbol, "%p is no variable of the device", symbol);
	cudaError_t error = runtime_load(runtime, found->binary);
	if (error != cudaSuccess)
		return error;
	if (sluice_find_variable(found->binary->module, found->name, address, size))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidSymbol, "the device code has no variable '%s'", found->name);
}

/* Where [offset, offset + bytes) of a symbol lies. */
static cudaError_t find_part(struct runtime *runtime, const char *call, const void *symbol, size_t offset, size_t bytes,
                             void **part)
{
	uint64_t address, size;
	cudaError_t result = find_symbol(runtime, call, symbol, &address, &size);
	if (result == cudaSuccess && (offset > size || bytes > size - offset))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at offset %zu of a variable of %llu",
		                        bytes, offset, (unsigned long long)size);
	if (result == cudaSuccess)
		*part = (void *)(uintptr_t)(address + offset);
	return result;
}

static cudaError_t copy_to_symbol(const char *call, cudaStream_t stream, const void *symbol, const void *from,
                                  size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	struct copy copy = {
		.call = call, .stream = stream, .from = from, .width = size, .height = 1, .depth = 1, .kind = kind};
	cudaError_t result = find_part(runtime, call, symbol, offset, size, &copy.to);
	return runtime_leave(runtime, result == cudaSuccess ? run_copy(runtime, &copy) : result);
}

static cudaError_t copy_from_symbol(const char *call, cudaStream_t stream, void *to, const void *symbol, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	void *from = NULL;
	cudaError_t result = find_part(runtime, call, symbol, offset, size, &from);
	struct copy copy = {.call = call,
	                    .stream = stream,
	                    .to = to,
	                    .from = from,
	                    .width = size,
	                    .height = 1,
	                    .depth = 1,
	                    .kind = kind};
	return runtime_leave(runtime, result == cudaSuccess ? run_copy(runtime, &copy) : result);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
	return copy_to_symbol("cudaMemcpyToSymbol", NULL, symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	return copy_from_symbol("cudaMemcpyFromSymbol", NULL, to, symbol, size, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_to_symbol("cudaMemcpyToSymbolAsync", stream, symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_from_symbol("cudaMemcpyFromSymbolAsync", stream, to, symbol, size, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	static const char call[] = "cudaGetSymbolAddress";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, pointer);
	return runtime_leave(runtime, result == cudaSuccess ? find_part(runtime, call, symbol, 0, 0, pointer) : result);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	static const char call[] = "cudaGetSymbolSize";
	struct runtime *runtime = runtime_enter();
	uint64_t address, bytes;
	cudaError_t result = runtime_check(runtime, call, size);
	if (result == cudaSuccess)
		result = find_symbol(runtime, call, symbol, &address, &bytes);
	if (result == cudaSuccess)
		*size = bytes;
	return runtime_leave(runtime, result);
}
