/* cta_tracker: announcements for mechanisms that prefetch a block's data before it starts (docs/papers/). A program
 * announces, before a launch, which part of an array each thread block will read:
 *
 *   cudaFlushCTATracker();
 *   cudaSetCTATracker(a, sizeof *a, blockDim, 0, 0, 0, blockDim, 0, 0, blockDim - 1);
 *   kernel<<<...>>>(a, ...);
 *
 * Block (x, y, z) reads the elements from minbidxp * x + minbidyp * y + minbidzp * z + minoffset to maxbidxp * x +
 * maxbidyp * y + maxbidzp * z + maxoffset, inclusive. The array begins at baseptr and has elements of typesize bytes.
 * Each call adds a row. If a mechanism's table has too few entries, the first rows count. Announcements hold for the
 * launches of all streams until they are flushed. After the first of these calls, rows are no longer found
 * automatically for any kernel.
 *
 * Only a mechanism that loads data in advance uses the announcements. Results never change, even if the numbers are
 * wrong. Elements outside the array's allocation are ignored. If the maximum is below the minimum, the row is empty.
 *
 * baseptr is a device address anywhere in an allocation; for a __device__ variable use cudaGetSymbolAddress. typesize
 * is 1 to INT_MAX. Factors and offsets count elements and may be negative. Add offsets that exceed an int to baseptr.
 * All other computation uses at least 64 bits.
 *
 * cudaErrorInvalidValue, with a message: baseptr is in no allocation, or typesize is out of range.
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
