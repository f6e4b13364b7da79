/* The driver API: copies and fills of rows, and of boxes. */
#include "cudart/capture.h"
#include "cudart/driver.h"

#include "cudart/host_memory.h"

/* One side of a copy, as CUDA_MEMCPY2D and CUDA_MEMCPY3D say it. */
struct side {
	CUmemorytype type;
	void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

/* Where an array takes part, the runtime counts its texels; 1 where none does. Both have texels of one size. */
static CUresult texel_bytes(const struct side *to, const struct side *from, size_t *bytes)
{
	CUarray array = to->type == CU_MEMORYTYPE_ARRAY     ? to->array
	                : from->type == CU_MEMORYTYPE_ARRAY ? from->array
	                                                    : NULL;
	struct cudaChannelFormatDesc format;
	*bytes = 1;
	if (to->type != CU_MEMORYTYPE_ARRAY && from->type != CU_MEMORYTYPE_ARRAY)
		return CUDA_SUCCESS;
	cudaError_t result = cudaGetChannelDesc(&format, (cudaArray_t)array);
	if (result == cudaSuccess)
		*bytes = (size_t)(format.x + format.y + format.z + format.w) / 8;
	return driver_result(result);
}

static CUresult take_side(const struct side *side, size_t texel, struct cudaPitchedPtr *pointer, cudaArray_t *array,
                          struct cudaPos *position)
{
	bool is_host = side->type == CU_MEMORYTYPE_HOST;
	if (side->type == CU_MEMORYTYPE_ARRAY) {
		*array = (cudaArray_t)side->array;
		*position = (struct cudaPos){side->x / texel, side->y, side->z};
		return side->x % texel ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	}
	if (!is_host && side->type != CU_MEMORYTYPE_DEVICE && side->type != CU_MEMORYTYPE_UNIFIED)
		return CUDA_ERROR_INVALID_VALUE;
	*pointer = (struct cudaPitchedPtr){is_host ? side->host : driver_pointer(side->device), side->pitch,
	                                   side->pitch, side->height};
	*position = (struct cudaPos){side->x, side->y, side->z};
	return CUDA_SUCCESS;
}

static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
	if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (to == CU_MEMORYTYPE_HOST)
		return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
	return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

/* Rows that are not said to lie apart follow each other. */
static CUresult copy(const struct side *to, const struct side *from, struct cudaExtent extent, CUstream stream)
{
	struct cudaMemcpy3DParms box = {.extent = extent, .kind = kind_of(to->type, from->type)};
	size_t texel;
	CUresult result = texel_bytes(to, from, &texel);
	if (result == CUDA_SUCCESS)
		result = take_side(to, texel, &box.dstPtr, &box.dstArray, &box.dstPos);
	if (result == CUDA_SUCCESS)
		result = take_side(from, texel, &box.srcPtr, &box.srcArray, &box.srcPos);
	if (result == CUDA_SUCCESS && extent.width % texel)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	box.dstPtr.pitch = box.dstPtr.pitch ? box.dstPtr.pitch : extent.width;
	box.srcPtr.pitch = box.srcPtr.pitch ? box.srcPtr.pitch : extent.width;
	box.extent.width = extent.width / texel;
	return driver_result(cudaMemcpy3DAsync(&box, stream));
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *box, CUstream stream)
{
	if (!box)
		return CUDA_ERROR_INVALID_VALUE;
	const struct side to = {.type = box->dstMemoryType,
	                        .host = box->dstHost,
	                        .device = box->dstDevice,
	                        .array = box->dstArray,
	                        .x = box->dstXInBytes,
	                        .y = box->dstY,
	                        .pitch = box->dstPitch};
	const struct side from = {.type = box->srcMemoryType,
	                          .host = (void *)(uintptr_t)box->srcHost,
	                          .device = box->srcDevice,
	                          .array = box->srcArray,
	                          .x = box->srcXInBytes,
	                          .y = box->srcY,
	                          .pitch = box->srcPitch};
	return copy(&to, &from, (struct cudaExtent){box->WidthInBytes, box->Height, 1}, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *box)
{
	return cuMemcpy2DAsync(box, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *box)
{
	return cuMemcpy2DAsync(box, NULL);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *box, CUstream stream)
{
	if (!box)
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
	return copy(&to, &from, (struct cudaExtent){box->WidthInBytes, box->Height, box->Depth}, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *box)
{
	return cuMemcpy3DAsync(box, NULL);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
	return cuMemcpyPeerAsync(to, to_context, from, from_context, size, NULL);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream)
{
	if (to_context != runtime_context() || from_context != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	return driver_result(cudaMemcpyPeerAsync(driver_pointer(to), 0, driver_pointer(from), 0, size, stream));
}

/* ---- fills ---- */

static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t bytes, size_t width, size_t height,
                     CUstream stream)
{
	static const char call[] = "cuMemsetD2D";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && (to % bytes || (height > 1 && (pitch % bytes || pitch / bytes < width))))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu values of %u bytes in rows of %zu at 0x%llx",
		                        width, bytes, pitch, to);
	bool is_captured = result == cudaSuccess && width && height && capture_of(runtime, stream);
	if (is_captured) {
		const struct cudaMemsetParams rows = {driver_pointer(to), pitch, value, bytes, width, height};
		result = capture_fill(runtime, stream, &rows);
	}
	for (size_t y = 0; width && y < height && result == cudaSuccess && !is_captured; y++)
		result = memory_fill(runtime, call, driver_pointer(to + y * pitch), value, bytes, width);
	return driver_result(runtime_leave(runtime, result));
}

#define FILL_ROWS(bits, type)                                                                                          \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,       \
	                                  CUstream stream)                                                             \
	{                                                                                                              \
		return fill(to, pitch, value, (bits) / 8, width, height, stream);                                      \
	}                                                                                                              \
	CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)              \
	{                                                                                                              \
		return fill(to, pitch, value, (bits) / 8, width, height, NULL);                                        \
	}
FILL_ROWS(8, unsigned char)
FILL_ROWS(16, unsigned short)
FILL_ROWS(32, unsigned int)
