/* The driver API: copies and fills of rows and boxes. */
#include "cudart/capture.h"
#include "cudart/driver.h"

#include "cudart/host_memory.h"

#include <string.h>

/* One side of a copy, as in CUDA_MEMCPY3D. */
struct side {
	CUmemorytype type;
	void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

/* Returns the bytes per texel of an array; 0: not an array. */
static size_t texel_bytes(CUarray array)
{
	struct cudaChannelFormatDesc format;
	if (cudaGetChannelDesc(&format, (cudaArray_const_t)array) != cudaSuccess)
		return 0;
	return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

/* The driver counts bytes. The runtime counts texels for arrays. */
static CUresult take_array(const struct side *side, cudaArray_t *array, struct cudaPos *position, size_t *texel)
{
	size_t bytes = texel_bytes(side->array);
	if (!bytes)
		return CUDA_ERROR_INVALID_HANDLE;
	if (side->x % bytes || (*texel && *texel != bytes))
		return CUDA_ERROR_INVALID_VALUE;
	*texel = bytes;
	*array = (cudaArray_t)side->array;
	*position = (struct cudaPos){side->x / bytes, side->y, side->z};
	return CUDA_SUCCESS;
}

/* A pitch of 0 means contiguous rows. */
static CUresult take_side(const struct side *side, size_t width, cudaArray_t *array, struct cudaPitchedPtr *pointer,
                          struct cudaPos *position, size_t *texel)
{
	bool is_host = side->type == CU_MEMORYTYPE_HOST;
	size_t pitch = side->pitch ? side->pitch : width;
	if (side->type == CU_MEMORYTYPE_ARRAY)
		return take_array(side, array, position, texel);
	if (!is_host && side->type != CU_MEMORYTYPE_DEVICE && side->type != CU_MEMORYTYPE_UNIFIED)
		return CUDA_ERROR_INVALID_VALUE;
	*pointer = (struct cudaPitchedPtr){is_host ? side->host : driver_pointer(side->device), pitch, pitch,
	                                   side->height};
	*position = (struct cudaPos){side->x, side->y, side->z};
	return CUDA_SUCCESS;
}

/* With a unified pointer the runtime inspects the addresses, so the direction is the default one. */
static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
	if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (to == CU_MEMORYTYPE_HOST)
		return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
	return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

CUresult driver_box(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *parameters)
{
	size_t texel = 0;
	if (!box || box->srcLOD || box->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	const struct side to = {.type = box->dstMemoryType,
	                        .host = box->dstHost,
	                        .device = box->dstDevice,
	                        .array = box->dstArray,
	                        .x = box->dstXInBytes,
	                        .y = box->dstY,
	                        .z = box->dstZ,
	                        .pitch = box->dstPitch,
	                        .height = box->dstHeight};
	const struct side from = {.type = box->srcMemoryType,
	                          .host = (void *)(uintptr_t)box->srcHost,
	                          .device = box->srcDevice,
	                          .array = box->srcArray,
	                          .x = box->srcXInBytes,
	                          .y = box->srcY,
	                          .z = box->srcZ,
	                          .pitch = box->srcPitch,
	                          .height = box->srcHeight};
	*parameters = (struct cudaMemcpy3DParms){.extent = {box->WidthInBytes, box->Height, box->Depth},
	                                         .kind = kind_of(to.type, from.type)};
	CUresult result = take_side(&to, box->WidthInBytes, &parameters->dstArray, &parameters->dstPtr,
	                            &parameters->dstPos, &texel);
	if (result == CUDA_SUCCESS)
		result = take_side(&from, box->WidthInBytes, &parameters->srcArray, &parameters->srcPtr,
		                   &parameters->srcPos, &texel);
	if (result == CUDA_SUCCESS && texel && box->WidthInBytes % texel)
		result = CUDA_ERROR_INVALID_VALUE;
	parameters->extent.width /= texel ? texel : 1;
	return result;
}

static CUmemorytype type_of(cudaArray_t array, enum cudaMemcpyKind kind, enum cudaMemcpyKind other,
                            enum cudaMemcpyKind both)
{
	if (array)
		return CU_MEMORYTYPE_ARRAY;
	if (kind == cudaMemcpyDefault)
		return CU_MEMORYTYPE_UNIFIED;
	return kind == other || kind == both ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

CUDA_MEMCPY3D driver_box_of(const struct cudaMemcpy3DParms *parameters)
{
	cudaArray_t to = parameters->dstArray, from = parameters->srcArray;
	size_t to_texel = to ? texel_bytes((CUarray)to) : 1, from_texel = from ? texel_bytes((CUarray)from) : 1;
	CUDA_MEMCPY3D box = {
		.srcXInBytes = parameters->srcPos.x * from_texel,
		.srcY = parameters->srcPos.y,
		.srcZ = parameters->srcPos.z,
		.srcMemoryType = type_of(from, parameters->kind, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice),
		.srcArray = (CUarray)from,
		.srcPitch = parameters->srcPtr.pitch,
		.srcHeight = parameters->srcPtr.ysize,
		.dstXInBytes = parameters->dstPos.x * to_texel,
		.dstY = parameters->dstPos.y,
		.dstZ = parameters->dstPos.z,
		.dstMemoryType = type_of(to, parameters->kind, cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice),
		.dstArray = (CUarray)to,
		.dstPitch = parameters->dstPtr.pitch,
		.dstHeight = parameters->dstPtr.ysize,
		.WidthInBytes = parameters->extent.width * (to ? to_texel : from_texel),
		.Height = parameters->extent.height,
		.Depth = parameters->extent.depth,
	};
	if (box.srcMemoryType == CU_MEMORYTYPE_HOST)
		box.srcHost = parameters->srcPtr.ptr;
	else
		box.srcDevice = (uintptr_t)parameters->srcPtr.ptr;
	if (box.dstMemoryType == CU_MEMORYTYPE_HOST)
		box.dstHost = parameters->dstPtr.ptr;
	else
		box.dstDevice = (uintptr_t)parameters->dstPtr.ptr;
	return box;
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *box, CUstream stream)
{
	struct cudaMemcpy3DParms parameters;
	CUresult result = driver_box(box, &parameters);
	return result == CUDA_SUCCESS ? driver_result(cudaMemcpy3DAsync(&parameters, stream)) : result;
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *box)
{
	return driver_wait(cuMemcpy3DAsync(box, NULL));
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *box, CUstream stream)
{
	if (!box)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_MEMCPY3D deep = {.srcXInBytes = box->srcXInBytes,
	                            .srcY = box->srcY,
	                            .srcMemoryType = box->srcMemoryType,
	                            .srcHost = box->srcHost,
	                            .srcDevice = box->srcDevice,
	                            .srcArray = box->srcArray,
	                            .srcPitch = box->srcPitch,
	                            .dstXInBytes = box->dstXInBytes,
	                            .dstY = box->dstY,
	                            .dstMemoryType = box->dstMemoryType,
	                            .dstHost = box->dstHost,
	                            .dstDevice = box->dstDevice,
	                            .dstArray = box->dstArray,
	                            .dstPitch = box->dstPitch,
	                            .WidthInBytes = box->WidthInBytes,
	                            .Height = box->Height,
	                            .Depth = 1};
	return cuMemcpy3DAsync(&deep, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *box)
{
	return driver_wait(cuMemcpy2DAsync(box, NULL));
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *box)
{
	return driver_wait(cuMemcpy2DAsync(box, NULL));
}

/* All contexts name the one device. */
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *box, CUstream stream)
{
	if (!box)
		return CUDA_ERROR_INVALID_VALUE;
	if (box->srcContext != runtime_context() || box->dstContext != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	CUDA_MEMCPY3D same; /* its reserved fields are the contexts */
	memcpy(&same, box, sizeof same);
	return cuMemcpy3DAsync(&same, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *box)
{
	return driver_wait(cuMemcpy3DPeerAsync(box, NULL));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
	return driver_wait(cuMemcpyPeerAsync(to, to_context, from, from_context, size, NULL));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream)
{
	if (to_context != runtime_context() || from_context != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	return driver_result(cudaMemcpyPeerAsync(driver_pointer(to), 0, driver_pointer(from), 0, size, stream));
}

/* ---- fills ---- */

CUresult driver_fill(const char *call, struct order order, const struct cudaMemsetParams *rows)
{
	struct runtime *runtime = runtime_enter_beside();
	const struct fill fill = {.runtime = runtime, .call = call, .order = order, .rows = *rows, .depth = 1};
	const uint32_t bytes = rows->elementSize;
	cudaError_t result = runtime_check_stream(runtime, call, order.stream);
	if (result == cudaSuccess && (uintptr_t)rows->dst % bytes)
		result = runtime_refuse(call, cudaErrorInvalidValue, "address %p is not a multiple of %u", rows->dst,
		                        bytes);
	if (result == cudaSuccess && rows->height > 1 && (rows->pitch % bytes || rows->pitch / bytes < rows->width))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu values of %u bytes in rows of %zu at %p",
		                        rows->width, bytes, rows->pitch, rows->dst);
	return driver_result(runtime_leave(runtime, result == cudaSuccess ? memory_fill(&fill) : result));
}

static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t bytes, size_t width, size_t height,
                     struct order order)
{
	const struct cudaMemsetParams rows = {.dst = driver_pointer(to),
	                                      .pitch = pitch,
	                                      .value = value,
	                                      .elementSize = bytes,
	                                      .width = width,
	                                      .height = height};
	return driver_fill("cuMemsetD2D", order, &rows);
}

#define FILL_ROWS(bits, type)                                                                                          \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,       \
	                                  CUstream stream)                                                             \
	{                                                                                                              \
		return fill(to, pitch, value, (bits) / 8, width, height, in_stream(stream));                           \
	}                                                                                                              \
	CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)              \
	{                                                                                                              \
		return fill(to, pitch, value, (bits) / 8, width, height, at_once);                                     \
	}
FILL_ROWS(8, unsigned char)
FILL_ROWS(16, unsigned short)
FILL_ROWS(32, unsigned int)
