/* The driver API: errors, the device, contexts, streams and events. */
#include "cudart/driver.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"

#include <stdio.h>
#include <string.h>

static const struct description {
	CUresult error;
	const char *name;
} descriptions[] = {
#define D(name, number) {name, #name},
#include <sluice/driver_errors.def>
#undef D
};

static const struct description *describe(CUresult error)
{
	for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
		if (descriptions[i].error == error)
			return &descriptions[i];
	return NULL;
}

CUresult driver_result(cudaError_t error)
{
	switch (error) {
	case cudaErrorInvalidSymbol:
		return CUDA_ERROR_NOT_FOUND;
	case cudaErrorInvalidDeviceFunction:
		return CUDA_ERROR_INVALID_HANDLE;
	default:
		break;
	}
	/* all runtime errors for invalid arguments map to the driver's one */
	return describe((CUresult)error) ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
}

CUresult driver_wait(CUresult result)
{
	if (result != CUDA_SUCCESS)
		return result;
	struct runtime *runtime = runtime_enter_beside();
	order_waited(runtime, NULL);
	return driver_result(runtime_leave(runtime, stream_wait(runtime, NULL)));
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	const struct description *description = describe(error);
	if (name)
		*name = description ? description->name : NULL;
	return name && description ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (text)
		*text = describe(error) ? cudaGetErrorString((cudaError_t)error) : NULL;
	return text && *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- the device ---- */

CUresult cuInit(unsigned int flags)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = flags ? cudaErrorInvalidValue : runtime->error;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuDriverGetVersion(int *version)
{
	return driver_result(cudaDriverGetVersion(version));
}

CUresult cuDeviceGetCount(int *count)
{
	return driver_result(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	cudaError_t result = runtime_check_device("cuDeviceGet", ordinal);
	return driver_result(result == cudaSuccess ? cudaGetDevice(device) : result);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	struct cudaDeviceProp properties;
	if (!name || length <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaGetDeviceProperties(&properties, device);
	if (result == cudaSuccess)
		snprintf(name, (size_t)length, "%s", properties.name);
	return driver_result(result);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
	struct cudaDeviceProp properties;
	cudaError_t result = cudaGetDeviceProperties(bytes ? &properties : NULL, device);
	if (result == cudaSuccess)
		*bytes = properties.totalGlobalMem;
	return driver_result(result);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	return driver_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult result = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
	if (result != CUDA_SUCCESS)
		return result;
	return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

/* ---- contexts: all handles name the one context, on a stack per thread ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	cudaError_t result = runtime_check_device("cuDevicePrimaryCtxRetain", device);
	if (!context || result != cudaSuccess)
		return driver_result(context ? result : cudaErrorInvalidValue);
	*context = runtime_context();
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return driver_result(runtime_check_device("cuDevicePrimaryCtxRelease", device));
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	return driver_result(runtime_check_device("cuDevicePrimaryCtxReset", device));
}

CUresult cuCtxPushCurrent(CUcontext context)
{
	if (context != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	++*runtime_context_depth();
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
	CUresult result = cuDevicePrimaryCtxRetain(context, device);
	if (result == CUDA_SUCCESS)
		result = driver_result(cudaSetDeviceFlags(flags));
	return result == CUDA_SUCCESS ? cuCtxPushCurrent(*context) : result;
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)
{
	(void)parameters;
	return cuCtxCreate(context, flags, device);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = *runtime_context_depth() ? runtime_context() : NULL;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
	if (!*runtime_context_depth())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context)
		*context = runtime_context();
	--*runtime_context_depth();
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	if (context && context != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	unsigned *depth = runtime_context_depth();
	if (!context)
		*depth -= *depth > 0;
	else if (!*depth)
		*depth = 1;
	return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context)
{
	if (context != runtime_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	return cuCtxSetCurrent(NULL);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	if (!*runtime_context_depth())
		return CUDA_ERROR_INVALID_CONTEXT;
	return driver_result(cudaGetDevice(device));
}

CUresult cuCtxSynchronize(void)
{
	return driver_result(cudaDeviceSynchronize());
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	return driver_result(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	return driver_result(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	return driver_result(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

/* ---- streams and events ---- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	return driver_result(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream)
{
	return driver_result(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
	return driver_result(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
	return driver_result(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	return driver_result(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	return driver_result(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
	return driver_result(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return driver_result(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
	return driver_result(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
	return driver_result(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	return driver_result(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
	return cuEventElapsedTime(milliseconds, start, end);
}
