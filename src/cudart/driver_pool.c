/* The driver API: memory shared by host and device, stream-ordered allocation and pools, other devices and processes.
 * Types and numbers are the runtime's. */
#include "cudart/driver.h"

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned int flags)
{
	void *pointer;
	cudaError_t result = cudaMallocManaged(address ? &pointer : NULL, size, flags);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned int flags)
{
	void *pointer;
	cudaError_t result = cudaHostGetDevicePointer(address ? &pointer : NULL, host, flags);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
	return driver_result(cudaHostGetFlags(flags, host));
}

/* ---- managed memory ---- */

CUresult cuMemAdvise(CUdeviceptr address, size_t size, CUmem_advise advice, CUdevice device)
{
	return driver_result(cudaMemAdvise(driver_pointer(address), size, (enum cudaMemoryAdvise)advice, device));
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, CUmem_advise advice, CUmemLocation location)
{
	const struct cudaMemLocation same = {(enum cudaMemLocationType)location.type, location.id};
	return driver_result(cudaMemAdvise_v2(driver_pointer(address), size, (enum cudaMemoryAdvise)advice, same));
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream)
{
	return driver_result(cudaMemPrefetchAsync(driver_pointer(address), size, device, stream));
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, CUmemLocation location, unsigned int flags,
                               CUstream stream)
{
	const struct cudaMemLocation same = {(enum cudaMemLocationType)location.type, location.id};
	return driver_result(cudaMemPrefetchAsync_v2(driver_pointer(address), size, same, flags, stream));
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_size, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t size)
{
	return driver_result(cudaMemRangeGetAttribute(data, data_size, (enum cudaMemRangeAttribute)attribute,
	                                              driver_pointer(address), size));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr address, size_t size)
{
	_Static_assert(sizeof(CUmem_range_attribute) == sizeof(enum cudaMemRangeAttribute), "the same numbers");
	return driver_result(cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)attributes, count,
	                                               driver_pointer(address), size));
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t length, unsigned int flags)
{
	return driver_result(cudaStreamAttachMemAsync(stream, driver_pointer(address), length, flags));
}

/* ---- pools ---- */

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	void *pointer;
	if (!address || !size)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaMallocAsync(&pointer, size, stream);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
{
	void *pointer;
	if (!address || !size)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaMallocFromPoolAsync(&pointer, size, pool, stream);
	if (result == cudaSuccess)
		*address = (uintptr_t)pointer;
	return driver_result(result);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	return driver_result(cudaFreeAsync(driver_pointer(address), stream));
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
	_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "the same layout");
	return driver_result(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)properties));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	return driver_result(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	return driver_result(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	return driver_result(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	return driver_result(cudaMemPoolTrimTo(pool, keep));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return driver_result(cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return driver_result(cudaDeviceGetMemPool(pool, device));
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	return driver_result(cudaDeviceSetMemPool(device, pool));
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "the same layout");
	return driver_result(
		cudaMemGetDefaultMemPool(pool, (struct cudaMemLocation *)location, (enum cudaMemAllocationType)type));
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	return driver_result(
		cudaMemGetMemPool(pool, (struct cudaMemLocation *)location, (enum cudaMemAllocationType)type));
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
	return driver_result(
		cudaMemSetMemPool((struct cudaMemLocation *)location, (enum cudaMemAllocationType)type, pool));
}

/* ---- other devices and processes ---- */

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	return driver_result(cudaDeviceCanAccessPeer(can, device, peer));
}

/* There is only one context. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	return flags                       ? CUDA_ERROR_INVALID_VALUE
	       : peer == runtime_context() ? CUDA_ERROR_INVALID_DEVICE
	                                   : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	return peer == runtime_context() ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
	return driver_result(cudaDeviceGetPCIBusId(id, length, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	return driver_result(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
	cudaIpcMemHandle_t same;
	return driver_result(cudaIpcGetMemHandle(handle ? &same : NULL, driver_pointer(address)));
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags)
{
	void *pointer;
	const cudaIpcMemHandle_t same = {{0}};
	(void)handle;
	return driver_result(cudaIpcOpenMemHandle(address ? &pointer : NULL, same, flags));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags)
{
	return cuIpcOpenMemHandle(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
	return driver_result(cudaIpcCloseMemHandle(driver_pointer(address)));
}

/* ---- streams ---- */

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	return driver_result(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	return driver_result(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	return driver_result(cudaStreamGetFlags(stream, flags));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user)
{
	return driver_result(cudaLaunchHostFunc(stream, function, user));
}

/* The driver's callback receives the driver's errors. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user, unsigned int flags)
{
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaStreamQuery(stream);
	if (result != cudaErrorInvalidResourceHandle)
		callback(stream, driver_result(result), user);
	return driver_result(result);
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	return driver_result(cudaCtxResetPersistingL2Cache());
}
