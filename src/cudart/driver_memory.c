/* The driver API: memory. */
#include "cudart/capture.h"
#include "cudart/driver.h"

#include "cudart/host_memory.h"

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
	return driver_result(cudaMemGetInfo(free, total));
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t size)
{
	void *pointer;
	if (!address || !size)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaMalloc(&pointer, size);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	void *pointer;
	if (!address || (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaMallocPitch(&pointer, pitch, width, height);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemFree(CUdeviceptr address)
{
	return driver_result(cudaFree(driver_pointer(address)));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	struct runtime *runtime = runtime_enter();
	uint64_t start, bytes;
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && !memory_find(runtime, driver_pointer(address), &start, &bytes))
		result = cudaErrorInvalidSymbol; /* not found */
	if (result == cudaSuccess && base)
		*base = start;
	if (result == cudaSuccess && size)
		*size = bytes;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuMemAllocHost(void **pointer, size_t size)
{
	return driver_result(cudaMallocHost(pointer, size));
}

CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned int flags)
{
	return driver_result(cudaHostAlloc(pointer, size, flags));
}

CUresult cuMemFreeHost(void *pointer)
{
	return driver_result(cudaFreeHost(pointer));
}

CUresult cuMemHostRegister(void *pointer, size_t size, unsigned int flags)
{
	return driver_result(cudaHostRegister(pointer, size, flags));
}

CUresult cuMemHostUnregister(void *pointer)
{
	return driver_result(cudaHostUnregister(pointer));
}

/* ---- copies ---- */

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return driver_result(
		cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault, stream));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return driver_wait(cuMemcpyAsync(to, from, size, NULL));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	return driver_result(cudaMemcpyAsync(driver_pointer(to), from, size, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	return driver_result(cudaMemcpyAsync(to, driver_pointer(from), size, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return driver_result(
		cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size)
{
	return driver_wait(cuMemcpyHtoDAsync(to, from, size, NULL));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size)
{
	return driver_wait(cuMemcpyDtoHAsync(to, from, size, NULL));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return driver_wait(cuMemcpyDtoDAsync(to, from, size, NULL));
}

/* ---- fills ---- */

static CUresult fill(CUdeviceptr to, uint32_t value, uint32_t bytes, size_t count, struct order order)
{
	const struct cudaMemsetParams row = {
		.dst = driver_pointer(to), .value = value, .elementSize = bytes, .width = count, .height = 1};
	return driver_fill("cuMemset", order, &row);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
	return fill(to, value, 1, count, in_stream(stream));
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
	return fill(to, value, 2, count, in_stream(stream));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
	return fill(to, value, 4, count, in_stream(stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
	return fill(to, value, 1, count, at_once);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
	return fill(to, value, 2, count, at_once);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count)
{
	return fill(to, value, 4, count, at_once);
}
