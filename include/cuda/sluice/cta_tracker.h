/* cta_tracker: calls for mechanisms that fetch a block's data before it starts (docs/papers/). A program that knows which part of an array each
 * thread block will read says so before it launches the kernel:
 *
 *   cudaFlushCTATracker();
 *   cudaSetCTATracker(a, sizeof *a, blockDim, 0, 0, 0, blockDim, 0, 0, blockDim - 1);
 *   kernel<<<...>>>(a, ...);
 *
 * Block (x, y, z) reads elements minbidxp * x + minbidyp * y + minbidzp * z + minoffset to
 * maxbidxp * x + maxbidyp * y + maxbidzp * z + maxoffset, the last one included, of the array at baseptr, which has elements of
 * typesize bytes. Each call adds a row; rows count in the order of the calls where a table has not enough entries. What is
 * announced holds for the launches of all streams until it is flushed; after the first of these calls no kernel's rows are found
 * automatically any more.
 * Only a mechanism that loads data in advance uses it; results never change, however wrong the numbers are: elements that lie
 * outside the array's allocation are left out, and where the maximum is below the minimum there are none.
 *
 * baseptr is a device address, anywhere in an allocation (of a __device__ variable: cudaGetSymbolAddress). typesize is 1 to
 * INT_MAX. Products and offsets are counts of elements, negative ones too: what is more than an int holds is added to baseptr. All
 * else is done in 64 bits and more.
 *
 * cudaErrorInvalidValue, with a message: baseptr is in no allocation, or typesize out of range.
 */
#ifndef SLUICE_CUDA_CTA_TRACKER_H
#define SLUICE_CUDA_CTA_TRACKER_H

#include "macros_off.h"

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
#include "macros_on.h"

#endif
