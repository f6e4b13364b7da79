/* cufftXt: plans and transforms whose types are arguments, over cufft.h. Several devices and callbacks are not there. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include <cufft.h>
#include <library_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cufftMakePlanMany() of numbers of these types: CUDA_R_32F and CUDA_C_32F, or CUDA_R_64F and CUDA_C_64F, of which the execution's is the complex
 * one. Others are CUFFT_NOT_SUPPORTED, sizes beyond 31 bits CUFFT_INVALID_SIZE. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                long long int idist, cudaDataType input, long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType output, long long int batch, size_t *work_size,
                                cudaDataType execution);
/* By the plan's types; the direction is for complex transforms. */
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

#ifdef __cplusplus
}
#endif

#endif
