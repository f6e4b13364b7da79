// cuBLAS: handles, and copies between host and device.
#include "inner.h"

#include <cublasLt.h>

extern "C" cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	cublasContext *made = new cublasContext();
	if (cudaMalloc(&made->scratch, cublas::SCRATCH_BYTES) != cudaSuccess) {
		delete made;
		return CUBLAS_STATUS_ALLOC_FAILED;
	}
	*handle = made;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	cudaFree(handle->scratch);
	delete handle;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*stream = handle->stream;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_INVALID_VALUE;
	handle->pointers = mode;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*mode = handle->pointers;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	handle->atomics = mode;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*mode = handle->atomics;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int kind = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
	if (kind > CUBLAS_FP32_EMULATED_BF16X9_MATH && kind != CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH)
		return CUBLAS_STATUS_INVALID_VALUE;
	handle->math = mode;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*mode = handle->math;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	return (size_t)workspace % 256 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	return cublasLtGetProperty(type, value);
}

extern "C" size_t cublasGetCudartVersion(void)
{
	return cublasLtGetCudartVersion();
}

extern "C" const char *cublasGetStatusName(cublasStatus_t status)
{
	return cublasLtGetStatusName(status);
}

extern "C" const char *cublasGetStatusString(cublasStatus_t status)
{
	return cublasLtGetStatusString(status);
}

// Copies columns of `bytes` each, at the given pitches. A vector is a matrix whose columns are single elements.
static cublasStatus_t copy(size_t bytes, int columns, const void *from, long long from_pitch, void *to, long long to_pitch,
                           cudaMemcpyKind kind, bool waits, cudaStream_t stream)
{
	if (!bytes || !columns)
		return CUBLAS_STATUS_SUCCESS;
	cudaError_t error = waits ? cudaMemcpy2D(to, to_pitch, from, from_pitch, bytes, columns, kind)
	                          : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, columns, kind, stream);
	return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t copy_vector(int n, int size, const void *from, int from_inc, void *to, int to_inc, cudaMemcpyKind kind,
                                  bool waits, cudaStream_t stream)
{
	if (n < 0 || size < 1 || from_inc < 1 || to_inc < 1)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (from_inc == 1 && to_inc == 1)
		return copy((size_t)n * size, 1, from, (long long)n * size, to, (long long)n * size, kind, waits, stream);
	return copy(size, n, from, (long long)from_inc * size, to, (long long)to_inc * size, kind, waits, stream);
}

static cublasStatus_t copy_matrix(int rows, int columns, int size, const void *from, int from_ld, void *to, int to_ld,
                                  cudaMemcpyKind kind, bool waits, cudaStream_t stream)
{
	if (rows < 0 || columns < 0 || size < 1 || from_ld < cublas::at_least_one(rows) || to_ld < cublas::at_least_one(rows))
		return CUBLAS_STATUS_INVALID_VALUE;
	return copy((size_t)rows * size, columns, from, (long long)from_ld * size, to, (long long)to_ld * size, kind, waits, stream);
}

extern "C" cublasStatus_t cublasSetVector(int n, int size, const void *host, int inc_host, void *device, int inc_device)
{
	return copy_vector(n, size, host, inc_host, device, inc_device, cudaMemcpyHostToDevice, true, 0);
}

extern "C" cublasStatus_t cublasGetVector(int n, int size, const void *device, int inc_device, void *host, int inc_host)
{
	return copy_vector(n, size, device, inc_device, host, inc_host, cudaMemcpyDeviceToHost, true, 0);
}

extern "C" cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *host, int ld_host, void *device, int ld_device)
{
	return copy_matrix(rows, columns, size, host, ld_host, device, ld_device, cudaMemcpyHostToDevice, true, 0);
}

extern "C" cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *device, int ld_device, void *host, int ld_host)
{
	return copy_matrix(rows, columns, size, device, ld_device, host, ld_host, cudaMemcpyDeviceToHost, true, 0);
}

extern "C" cublasStatus_t cublasSetVectorAsync(int n, int size, const void *host, int inc_host, void *device, int inc_device,
                                               cudaStream_t stream)
{
	return copy_vector(n, size, host, inc_host, device, inc_device, cudaMemcpyHostToDevice, false, stream);
}

extern "C" cublasStatus_t cublasGetVectorAsync(int n, int size, const void *device, int inc_device, void *host, int inc_host,
                                               cudaStream_t stream)
{
	return copy_vector(n, size, device, inc_device, host, inc_host, cudaMemcpyDeviceToHost, false, stream);
}

extern "C" cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void *host, int ld_host, void *device,
                                               int ld_device, cudaStream_t stream)
{
	return copy_matrix(rows, columns, size, host, ld_host, device, ld_device, cudaMemcpyHostToDevice, false, stream);
}

extern "C" cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void *device, int ld_device, void *host,
                                               int ld_host, cudaStream_t stream)
{
	return copy_matrix(rows, columns, size, device, ld_device, host, ld_host, cudaMemcpyDeviceToHost, false, stream);
}
