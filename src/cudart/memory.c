/* Memory: allocation on device and host, copies, fills, symbols. Streams are serialised, so that the asynchronous forms
 * are the synchronous ones. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PITCH = 512 };

/* ---- allocation ---- */

static cudaError_t allocate(struct runtime *runtime, const char *call, void **pointer, size_t size)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	if (!pointer)
		return cudaErrorInvalidValue;
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
	return runtime_leave(runtime, allocate(runtime, "cudaMalloc", pointer, size));
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
	(void)stream;
	return cudaMalloc(pointer, size);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	struct runtime *runtime = runtime_enter();
	size_t row = (width + PITCH - 1) / PITCH * PITCH, size;
	cudaError_t result = cudaErrorInvalidValue;
	if (pitch && row >= width && !__builtin_mul_overflow(row, height, &size)) {
		*pitch = row;
		result = allocate(runtime, "cudaMallocPitch", pointer, size);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
	size_t rows;
	if (!pointer || __builtin_mul_overflow(extent.height, extent.depth, &rows))
		return runtime_leave(runtime_enter(), cudaErrorInvalidValue);
	pointer->xsize = extent.width;
	pointer->ysize = extent.height;
	return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

cudaError_t cudaFree(void *pointer)
{
	struct runtime *runtime = runtime_enter();
	struct sluice_error error = {0};
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && pointer && sluice_free(runtime->gpu, (uintptr_t)pointer, &error) != SLUICE_OK) {
		runtime_report(runtime, "cudaFree", &error);
		result = cudaErrorInvalidDevicePointer;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	(void)stream;
	return cudaFree(pointer);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	struct runtime *runtime = runtime_enter();
	if (runtime->error != cudaSuccess)
		return runtime_leave(runtime, runtime->error);
	uint64_t available, all;
	sluice_memory_info(runtime->gpu, &available, &all);
	*free_bytes = available;
	*total = all;
	return runtime_leave(runtime, cudaSuccess);
}

/* Page-locked memory is ordinary memory here. */
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
	(void)flags;
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = cudaErrorInvalidValue;
	if (pointer) {
		bool fine = posix_memalign(pointer, (size_t)sysconf(_SC_PAGESIZE), size ? size : 1) == 0;
		result = fine ? cudaSuccess : cudaErrorMemoryAllocation;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
	return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer)
{
	free(pointer);
	return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
	(void)flags;
	return runtime_leave(runtime_enter_closed(), pointer && size ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *pointer)
{
	return runtime_leave(runtime_enter_closed(), pointer ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
	(void)pointer;
	*flags = cudaHostAllocDefault;
	return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	struct runtime *runtime = runtime_enter();
	uint64_t base, size;
	if (runtime->error != cudaSuccess)
		return runtime_leave(runtime, runtime->error);
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

static cudaError_t run_copy(struct runtime *runtime, const struct copy *copy)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	if ((unsigned)copy->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!copy->width || !copy->height || !copy->depth)
		return cudaSuccess;
	if (!copy->to || !copy->from)
		return cudaErrorInvalidValue;
	if ((copy->height > 1 || copy->depth > 1) && (copy->to_pitch < copy->width || copy->from_pitch < copy->width))
		return cudaErrorInvalidPitchValue;
	enum cudaMemcpyKind kind = resolve(runtime, copy);
	for (size_t z = 0; z < copy->depth; z++) {
		for (size_t y = 0; y < copy->height; y++) {
			struct sluice_error error = {0};
			void *to = (char *)copy->to + z * copy->to_slice + y * copy->to_pitch;
			const void *from = (const char *)copy->from + z * copy->from_slice + y * copy->from_pitch;
			if (copy_bytes(runtime, to, from, copy->width, kind, &error) != SLUICE_OK)
				return runtime_report(runtime, copy->call, &error);
		}
	}
	return cudaSuccess;
}

static cudaError_t copy_rows(const char *call, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	struct copy copy = {.call = call,
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
	return copy_rows("cudaMemcpy", to, 0, from, 0, size, 1, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return copy_rows("cudaMemcpyAsync", to, 0, from, 0, size, 1, kind);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
	if (to_device || from_device)
		return runtime_leave(runtime_enter(), cudaErrorInvalidDevice);
	return copy_rows("cudaMemcpyPeer", to, 0, from, 0, size, 1, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyPeer(to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
	return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}

static size_t offset_in(const struct cudaPitchedPtr *pointer, const struct cudaPos *position)
{
	return (position->z * pointer->ysize + position->y) * pointer->pitch + position->x;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	struct runtime *runtime = runtime_enter();
	if (!parameters)
		return runtime_leave(runtime, cudaErrorInvalidValue);
	const struct cudaPitchedPtr *to = &parameters->dstPtr, *from = &parameters->srcPtr;
	if (parameters->srcArray || parameters->dstArray) {
		runtime_message("cudaMemcpy3D with arrays is not implemented");
		return runtime_leave(runtime, cudaErrorNotSupported);
	}
	struct copy copy = {
		.call = "cudaMemcpy3D",
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

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpy3D(parameters);
}

/* ---- fills ---- */

static cudaError_t fill(const char *call, struct cudaPitchedPtr area, int value, size_t width, size_t height,
                        size_t depth)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime->error;
	size_t slice = area.pitch * area.ysize;
	for (size_t z = 0; z < depth && result == cudaSuccess; z++) {
		for (size_t y = 0; y < height && width && result == cudaSuccess; y++) {
			struct sluice_error error = {0};
			uint64_t row = (uintptr_t)area.ptr + z * slice + y * area.pitch;
			if (sluice_fill(runtime->gpu, row, (uint8_t)value, 1, width, &error) != SLUICE_OK)
				result = runtime_report(runtime, call, &error);
		}
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
	return fill("cudaMemset", (struct cudaPitchedPtr){.ptr = pointer}, value, size, 1, 1);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset(pointer, value, size);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return fill("cudaMemset2D", (struct cudaPitchedPtr){.ptr = pointer, .pitch = pitch}, value, width, height, 1);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset2D(pointer, pitch, value, width, height);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
	return fill("cudaMemset3D", pointer, value, extent.width, extent.height, extent.depth);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset3D(pointer, value, extent);
}

/* ---- symbols ---- */

/* A symbol is the host's address of a device variable or, in old programs, the variable's name. */
static cudaError_t find_symbol(struct runtime *runtime, const void *symbol, uint64_t *address, uint64_t *size)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	struct symbol *found = NULL;
	for (struct symbol *variable = runtime->variables; variable && !found; variable = variable->next)
		if (variable->host == symbol)
			found = variable;
	for (struct symbol *variable = runtime->variables; variable && symbol && !found; variable = variable->next)
		if (strcmp(variable->name, symbol) == 0)
			found = variable;
	if (!found)
		return cudaErrorInvalidSymbol;
	cudaError_t error = runtime_load(runtime, found->binary);
	if (error != cudaSuccess)
		return error;
	return sluice_find_variable(found->binary->module, found->name, address, size) ? cudaSuccess
	                                                                               : cudaErrorInvalidSymbol;
}

/* Where [offset, offset + bytes) of a symbol lies. */
static cudaError_t find_part(struct runtime *runtime, const void *symbol, size_t offset, size_t bytes, void **part)
{
	uint64_t address, size;
	cudaError_t result = find_symbol(runtime, symbol, &address, &size);
	if (result == cudaSuccess && (offset > size || bytes > size - offset))
		result = cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*part = (void *)(uintptr_t)(address + offset);
	return result;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	struct copy copy = {
		.call = "cudaMemcpyToSymbol", .from = from, .width = size, .height = 1, .depth = 1, .kind = kind};
	cudaError_t result = find_part(runtime, symbol, offset, size, &copy.to);
	return runtime_leave(runtime, result == cudaSuccess ? run_copy(runtime, &copy) : result);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	struct runtime *runtime = runtime_enter();
	void *from = NULL;
	cudaError_t result = find_part(runtime, symbol, offset, size, &from);
	struct copy copy = {.call = "cudaMemcpyFromSymbol",
	                    .to = to,
	                    .from = from,
	                    .width = size,
	                    .height = 1,
	                    .depth = 1,
	                    .kind = kind};
	return runtime_leave(runtime, result == cudaSuccess ? run_copy(runtime, &copy) : result);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, find_part(runtime, symbol, 0, 0, pointer));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	struct runtime *runtime = runtime_enter();
	uint64_t address, bytes;
	cudaError_t result = find_symbol(runtime, symbol, &address, &bytes);
	if (result == cudaSuccess)
		*size = bytes;
	return runtime_leave(runtime, result);
}
