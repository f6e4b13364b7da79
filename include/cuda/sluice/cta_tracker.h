/* cta_tracker: TELEPORT's calls (Lashgar, Atoofian, Baniasadi; section 3.1). A program that knows which part of an array each
 * thread block will read says so before it launches the kernel:
 *
 *   cudaFlushCTATracker();
 *   cudaSetCTATracker(a, sizeof *a, blockDim, 0, 0, 0, blockDim, 0, 0, blockDim - 1);
 *   kernel<<<...>>>(a, ...);
 *
 * Block (x, y, z) reads elements minbidxp * x + minbidyp * y + minbidzp * z + minoffset to
 * maxbidxp * x + maxbidyp * y + maxbidzp * z + maxoffset, the last one included, of the array at baseptr. What is announced
 * holds for all kernels until it is flushed. Only a mechanism that loads data in advance uses it; results never change.
 */
#ifndef SLUICE_CUDA_CTA_TRACKER_H
#define SLUICE_CUDA_CTA_TRACKER_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaSetCTATracker(const void *baseptr, size_t typesize, int minbidxp, int minbidyp, int minbidzp,
                              int minoffset, int maxbidxp, int maxbidyp, int maxbidzp, int maxoffset);
cudaError_t cudaFlushCTATracker(void);

#ifdef __cplusplus
}
#endif
#endif
