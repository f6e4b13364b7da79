/* cufft: Fourier transforms on the device, a small library by Sluice (docs/reference/cuda-headers.md). Transforms have
 * 1 to 3 dimensions of any length, in float or double, of complex or real numbers. None is scaled: forward and inverse
 * together multiply each number by the count of all.
 *
 * Elements of the last dimension are contiguous. n real numbers correspond to n / 2 + 1 complex numbers in the last
 * dimension. For in-place transforms each row of real numbers must have space for these. Calls that do not return
 * CUFFT_SUCCESS have done nothing.
 */
#ifndef _CUFFT_H_
#define _CUFFT_H_

#include "sluice/macros_off.h"

#include <cuComplex.h>
#include <cuda_runtime.h>

#define CUFFT_VER_MAJOR 10
#define CUFFT_VER_MINOR 6
#define CUFFT_VER_PATCH 0
#define CUFFT_VERSION   (CUFFT_VER_MAJOR * 1000 + CUFFT_VER_MINOR * 100 + CUFFT_VER_PATCH)

#define CUFFT_FORWARD -1 /* exp(-2 pi i ...) */
#define CUFFT_INVERSE 1

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftResult_t {
	CUFFT_SUCCESS = 0,
	CUFFT_INVALID_PLAN = 1,
	CUFFT_ALLOC_FAILED = 2,
	CUFFT_INVALID_TYPE = 3,
	CUFFT_INVALID_VALUE = 4,
	CUFFT_INTERNAL_ERROR = 5,
	CUFFT_EXEC_FAILED = 6,
	CUFFT_SETUP_FAILED = 7,
	CUFFT_INVALID_SIZE = 8,
	CUFFT_UNALIGNED_DATA = 9,
	CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
	CUFFT_INVALID_DEVICE = 11,
	CUFFT_PARSE_ERROR = 12,
	CUFFT_NO_WORKSPACE = 13,
	CUFFT_NOT_IMPLEMENTED = 14,
	CUFFT_LICENSE_ERROR = 15,
	CUFFT_NOT_SUPPORTED = 16,
	CUFFT_MISSING_DEPENDENCY = 17,
	CUFFT_NVRTC_FAILURE = 18,
	CUFFT_NVJITLINK_FAILURE = 19,
	CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;

typedef enum cufftType_t {
	CUFFT_R2C = 0x2a,
	CUFFT_C2R = 0x2c,
	CUFFT_C2C = 0x29,
	CUFFT_D2Z = 0x6a,
	CUFFT_Z2D = 0x6c,
	CUFFT_Z2Z = 0x69
} cufftType;

typedef enum cufftCompatibility_t {
	CUFFT_COMPATIBILITY_NATIVE = 0,
	CUFFT_COMPATIBILITY_FFTW_PADDING = 1,
	CUFFT_COMPATIBILITY_FFTW_ASYMMETRIC = 2,
	CUFFT_COMPATIBILITY_FFTW_ALL = 3
} cufftCompatibility;

typedef int cufftHandle; /* starts at 1 */
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
/* Input element (b; i, j, k) is at b * idist + ((i * inembed[1] + j) * inembed[2] + k) * istride, likewise for the
 * output. If inembed (onembed) is NULL, the elements are packed, and istride and idist are ignored. */
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                          int odist, cufftType type, int batch);

/* Creates plans in two steps. The size covers the plan's tables and its work area; the plan always owns its work
 * area. */
cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work_size);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work_size);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work_size);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                              int odist, cufftType type, int batch, size_t *work_size);
cufftResult cufftGetSize(cufftHandle plan, size_t *work_size);
cufftResult cufftDestroy(cufftHandle plan);

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetCompatibilityMode(cufftHandle plan, cufftCompatibility mode); /* without effect */
cufftResult cufftGetVersion(int *version);

/* The transform is in place when input and output are the same. */
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *input, cufftComplex *output, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *input, cufftComplex *output);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *input, cufftReal *output);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *input, cufftDoubleComplex *output, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *input, cufftDoubleComplex *output);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *input, cufftDoubleReal *output);

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
