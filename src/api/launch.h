/* launch: the ways to run a launch that was found fit to run. Each completes its record, by number. */
#ifndef SLUICE_API_LAUNCH_H
#define SLUICE_API_LAUNCH_H

#include "api/api.h"

/* In cycles. */
enum sluice_status launch_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                struct sluice_error *error);
/* Functionally; and what that has done as the record of the launch. */
void launch_run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm, struct simt_run *run);
enum sluice_status launch_keep_functional(sluice_gpu *gpu, const struct simt_launch *launch, const struct simt_run *run,
                                          size_t number, struct sluice_error *error);

/* sampled_launch.c: one of those of which some are simulated. */
enum sluice_status launch_sampled(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                  struct sluice_error *error);
/* sampled_blocks.c: one of whose blocks only the first are simulated, where that is enough. */
enum sluice_status launch_sampled_blocks(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                         struct sluice_error *error);

#endif
