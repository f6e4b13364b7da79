/* profile: the cost of each instruction of a launch, summed over all SMs and slices. */
#ifndef SLUICE_GPU_PROFILE_H
#define SLUICE_GPU_PROFILE_H

#include "gpu/gpu.h"

/* Each SM and each slice records its own part, so that no thread waits for another. gpu_profile_end adds the parts
 * to `sum` when the kernel has ended, for any reason. */
void gpu_profile_begin(struct gpu *gpu, uint32_t instructions);
void gpu_profile_end(struct gpu *gpu, struct profile *sum);

#endif
