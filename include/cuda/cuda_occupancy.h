/* cuda_occupancy: exists because Thrust includes it. The runtime's cudaOccupancy functions are in cuda_runtime_api.h.
 * CUDA's calculator for machines described by hand (cudaOcc...) is missing; use `sluice ptx` and `sluice machine`
 * instead. */
#ifndef CUDA_OCCUPANCY_H
#define CUDA_OCCUPANCY_H

#include "cuda_runtime_api.h"

#endif
