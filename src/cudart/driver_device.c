/* The driver API: further calls on the device, contexts, streams and pools (see driver.c). */
#include "cudart/capture.h"
#include "cudart/driver.h"

#include "cudart/host_memory.h"

#include <string.h>

/* ---- the device ---- */

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
	struct cudaDeviceProp all;
	cudaError_t result = cudaGetDeviceProperties(properties ? &all : NULL, device);
	if (result != cudaSuccess)
		return driver_result(result);
	*properties = (CUdevprop){.maxThreadsPerBlock = all.maxThreadsPerBlock,
	                          .sharedMemPerBlock = (int)all.sharedMemPerBlock,
	                          .totalConstantMemory = (int)all.totalConstMem,
	                          .SIMDWidth = all.warpSize,
	                          .memPitch = (int)all.memPitch,
	                          .regsPerBlock = all.regsPerBlock,
	                          .clockRate = all.clockRate,
	                          .textureAlign = (int)all.textureAlignment};
	memcpy(properties->maxThreadsDim, all.maxThreadsDim, sizeof properties->maxThreadsDim);
	memcpy(properties->maxGridSize, all.maxGridSize, sizeof properties->maxGridSize);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	struct cudaDeviceProp all;
	cudaError_t result = cudaGetDeviceProperties(uuid ? &all : NULL, device);
	if (result == cudaSuccess)
		*uuid = all.uuid;
	return driver_result(result);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

/* LUIDs exist only on Windows. */
CUresult cuDeviceGetLuid(char *luid, unsigned int *nodes, CUdevice device)
{
	(void)luid, (void)nodes;
	return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, CUarray_format format, unsigned channels, CUdevice device)
{
	struct cudaChannelFormatDesc description;
	CUresult result = driver_format(format, channels, &description);
	if (result != CUDA_SUCCESS)
		return result;
	return driver_result(cudaDeviceGetTexture1DLinearMaxWidth(texels, &description, device));
}

CUresult cuDeviceGetExecAffinitySupport(int *is, CUexecAffinityType type, CUdevice device)
{
	if (!is || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
		return CUDA_ERROR_INVALID_VALUE;
	*is = 0;
	return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)
{
	return driver_result(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, from, to));
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope)
{
	return driver_result(cudaDeviceFlushGPUDirectRDMAWrites((enum cudaFlushGPUDirectRDMAWritesTarget)target,
	                                                        (enum cudaFlushGPUDirectRDMAWritesScope)scope));
}

CUresult cuProfilerStart(void)
{
	return driver_result(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
	return driver_result(cudaProfilerStop());
}

/* ---- contexts ---- */

static CUresult check_context(CUcontext context)
{
	if (context ? context == runtime_context() : *runtime_context_depth())
		return CUDA_SUCCESS;
	return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : driver_result(cudaSetDeviceFlags(flags));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *is_active)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!flags || !is_active)
		return CUDA_ERROR_INVALID_VALUE;
	*is_active = 1;
	return driver_result(cudaGetDeviceFlags(flags));
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *list, int count, unsigned int flags, CUdevice device)
{
	if (list && count)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return cuCtxCreate(context, flags, device);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	CUresult result = check_context(NULL);
	return result == CUDA_SUCCESS ? driver_result(cudaGetDeviceFlags(flags)) : result;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	CUresult result = check_context(NULL);
	return result == CUDA_SUCCESS ? driver_result(cudaSetDeviceFlags(flags)) : result;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
	CUresult result = check_context(context);
	if (result == CUDA_SUCCESS && id)
		*id = 1;
	return id ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
	CUresult result = check_context(context);
	return result == CUDA_SUCCESS ? driver_result(cudaGetDevice(device)) : result;
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
	CUresult result = check_context(context);
	return result == CUDA_SUCCESS ? cuCtxSynchronize() : result;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	CUresult result = check_context(context);
	if (result == CUDA_SUCCESS && version)
		*version = DRIVER_VERSION;
	return version ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	return driver_result(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	return driver_result(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config));
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	return driver_result(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

/* Old programs count the users of a context. */
CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
	CUresult result = check_context(NULL);
	if (!context || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*context = runtime_context();
	return result;
}

CUresult cuCtxDetach(CUcontext context)
{
	return context ? check_context(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	CUresult result = check_context(context);
	return result == CUDA_SUCCESS ? driver_result(cudaEventRecord(event, NULL)) : result;
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
	CUresult result = check_context(context);
	return result == CUDA_SUCCESS ? driver_result(cudaStreamWaitEvent(NULL, event, 0)) : result;
}

/* ---- streams and events ---- */

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	unsigned flags;
	cudaError_t result = context ? cudaStreamGetFlags(stream, &flags) : cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*context = runtime_context();
	return driver_result(result);
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
	CUresult result = cuStreamGetCtx(stream, context);
	if (result == CUDA_SUCCESS && green)
		*green = NULL;
	return result;
}

/* No stream belongs to a green context. */
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green)
{
	CUcontext context;
	return green ? cuStreamGetCtx_v2(stream, &context, green) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
	return driver_result(cudaStreamGetDevice(stream, device));
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	return driver_result(cudaStreamGetId(stream, id));
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	return driver_result(cudaEventRecordWithFlags(event, stream, flags));
}

/* Checks that the stream accepts uncaptured work and that the bytes are allocated. */
static cudaError_t check_value(struct runtime *runtime, const char *call, CUstream stream, CUdeviceptr address,
                               size_t size)
{
	uint64_t base, bytes;
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && capture_of(runtime, stream))
		result = runtime_refuse(call, cudaErrorNotSupported, "not allowed in a captured stream");
	if (result == cudaSuccess && (address % size || !memory_find(runtime, driver_pointer(address), &base, &bytes) ||
	                              address - base > bytes - size))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at 0x%llx", size, address);
	return result;
}

static CUresult write_value(const char *call, CUstream stream, CUdeviceptr address, uint64_t value, size_t size,
                            unsigned flags)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_value(runtime, call, stream, address, size);
	if (result == cudaSuccess && flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
		result = runtime_refuse(call, cudaErrorInvalidValue, "flags 0x%x", flags);
	runtime_leave(runtime, result);
	if (result == cudaSuccess) /* little-endian, as in device memory */
		result = cudaMemcpy(driver_pointer(address), &value, size, cudaMemcpyDefault);
	return driver_result(result);
}

/* True when the current value, of this number of bits, fulfils the wait condition. */
static bool is_awaited(uint64_t now, uint64_t value, unsigned bits, unsigned flags)
{
	uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX;
	switch (flags & 3) {
	case CU_STREAM_WAIT_VALUE_GEQ:
		return !((now - value) >> (bits - 1) & 1); /* cyclic comparison */
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & value;
	default:
		return ~(now | value) & all;
	}
}

static CUresult wait_value(const char *call, CUstream stream, CUdeviceptr address, uint64_t value, size_t size,
                           unsigned flags)
{
	uint64_t now = 0;
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_value(runtime, call, stream, address, size);
	if (result == cudaSuccess && flags & ~(3U | CU_STREAM_WAIT_VALUE_FLUSH))
		result = runtime_refuse(call, cudaErrorInvalidValue, "flags 0x%x", flags);
	runtime_leave(runtime, result);
	if (result == cudaSuccess)
		result = cudaMemcpy(&now, driver_pointer(address), size, cudaMemcpyDefault);
	if (result == cudaSuccess && !is_awaited(now, value, (unsigned)size * 8, flags))
		result = runtime_result(runtime_refuse(call, cudaErrorNotSupported,
		                                       "the value is not there yet, and Sluice runs work when it is "
		                                       "submitted: the stream would wait forever"));
	return driver_result(result);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
	return write_value("cuStreamWriteValue32", stream, address, value, sizeof value, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
	return write_value("cuStreamWriteValue64", stream, address, value, sizeof value, flags);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
	return wait_value("cuStreamWaitValue32", stream, address, value, sizeof value, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
	return wait_value("cuStreamWaitValue64", stream, address, value, sizeof value, flags);
}

/* ---- pools, pointers, other processes ---- */

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
{
	return driver_result(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list, count));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	return driver_result(
		cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool, (struct cudaMemLocation *)location));
}

CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags)
{
	return driver_result(cudaMemPoolExportToShareableHandle(handle, pool, (enum cudaMemAllocationHandleType)type,
	                                                        (unsigned)flags));
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
                                            unsigned long long flags)
{
	return driver_result(cudaMemPoolImportFromShareableHandle(pool, handle, (enum cudaMemAllocationHandleType)type,
	                                                          (unsigned)flags));
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address)
{
	return driver_result(
		cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)data, driver_pointer(address)));
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
	return driver_result(cudaMemPoolImportPointer((void **)address, pool, (struct cudaMemPoolPtrExportData *)data));
}

/* All copies are synchronous already. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
	CUdeviceptr base;
	size_t size;
	if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuMemGetAddressRange(&base, &size, address);
	return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	return driver_result(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)handle, event));
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	cudaIpcEventHandle_t same;
	memcpy(&same, &handle, sizeof same);
	return driver_result(cudaIpcOpenEventHandle(event, same));
}
