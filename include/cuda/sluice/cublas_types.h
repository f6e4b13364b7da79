/* cublas_types: declarations shared by <cublas.h> and <cublas_v2.h>: statuses, and copies of vectors and matrices. */
#ifndef SLUICE_CUBLAS_TYPES_H
#define SLUICE_CUBLAS_TYPES_H

#include <cuComplex.h> /* includes math.h, which programs expect from this header */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>

#define CUBLAS_API_H_ /* programs test it to find out whether the statuses are declared */

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 7
#define CUBLAS_VER_PATCH 4
#define CUBLAS_VERSION   (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef cudaDataType cublasDataType_t;

/* Copies between host and device; inc* and ld* are in elements of elem_size bytes. */
cublasStatus_t cublasSetVector(int n, int elem_size, const void *host, int inc_host, void *device, int inc_device);
cublasStatus_t cublasGetVector(int n, int elem_size, const void *device, int inc_device, void *host, int inc_host);
cublasStatus_t cublasSetMatrix(int rows, int columns, int elem_size, const void *host, int ld_host, void *device,
                               int ld_device);
cublasStatus_t cublasGetMatrix(int rows, int columns, int elem_size, const void *device, int ld_device, void *host,
                               int ld_host);
cublasStatus_t cublasSetVectorAsync(int n, int elem_size, const void *host, int inc_host, void *device, int inc_device,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elem_size, const void *device, int inc_device, void *host, int inc_host,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int elem_size, const void *host, int ld_host, void *device,
                                    int ld_device, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int elem_size, const void *device, int ld_device, void *host,
                                    int ld_host, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
