/* cuda_occupancy: what Thrust includes. The runtime's cudaOccupancy functions are in cuda_runtime_api.h; CUDA's calculator for machines
 * that are described by hand (cudaOcc...) is not here: `sluice ptx` and `sluice machine` know them. */
#ifndef CUDA_OCCUPANCY_H
#define CUDA_OCCUPANCY_H

#include "cuda_runtime_api.h"

#endif
