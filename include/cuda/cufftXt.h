/* cufftXt: plans and transforms with the types as arguments, implemented with cufft.h. Plans for several devices are
 * refused; callbacks do not exist. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include "sluice/macros_off.h"

#include <cudalibxt.h>
#include <cufft.h>
#include <library_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like cufftMakePlanMany(), for the types CUDA_R_32F and CUDA_C_32F, or CUDA_R_64F and CUDA_C_64F. The execution type
 * must be the complex one. Returns CUFFT_NOT_SUPPORTED for other types, CUFFT_INVALID_SIZE for sizes beyond 31 bits. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                long long int idist, cudaDataType input, long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType output, long long int batch, size_t *work_size,
                                cudaDataType execution);
/* Uses the plan's types; `direction` applies to complex transforms. */
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

/* ---- several devices: unused by programs that check the number of devices ---- */

typedef enum cufftXtSubFormat_t {
	CUFFT_XT_FORMAT_INPUT = 0x00,
	CUFFT_XT_FORMAT_OUTPUT = 0x01,
	CUFFT_XT_FORMAT_INPLACE = 0x02,
	CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 0x03,
	CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 0x04
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
	CUFFT_COPY_HOST_TO_DEVICE = 0x00,
	CUFFT_COPY_DEVICE_TO_HOST = 0x01,
	CUFFT_COPY_DEVICE_TO_DEVICE = 0x02
} cufftXtCopyType;

/* Returns CUFFT_INVALID_DEVICE: only one device exists. */
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *devices);
/* Return CUFFT_NOT_SUPPORTED. */
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **memory, cufftXtSubFormat format);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType kind);
cufftResult cufftXtFree(cudaLibXtDesc *memory);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output);

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
