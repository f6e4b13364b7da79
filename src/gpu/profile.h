/* gpu_profile: what each instruction of a launch cost, of all SMs and slices together. */
#ifndef SLUICE_GPU_PROFILE_H
#define SLUICE_GPU_PROFILE_H

#include "gpu/gpu.h"

/* Each SM and each slice keeps one of its own, so that no thread waits for another; what they have kept comes to `sum` when the kernel has
 * ended, whichever way. */
void gpu_profile_begin(struct gpu *gpu, uint32_t instructions);
void gpu_profile_end(struct gpu *gpu, struct profile *sum);

#endif
