/* launch: the ways to run a launch that has passed its checks. Each completes the launch's record, given by its
 * number. */
#ifndef SLUICE_API_LAUNCH_H
#define SLUICE_API_LAUNCH_H

#include "api/api.h"

/* Runs the launch cycle by cycle. */
enum sluice_status launch_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                struct sluice_error *error);
/* launch_run_functional() runs the launch functionally. launch_keep_functional() stores the result in the launch's
 * record. */
void launch_run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm, struct simt_run *run);
enum sluice_status launch_keep_functional(sluice_gpu *gpu, const struct simt_launch *launch, const struct simt_run *run,
                                          size_t number, struct sluice_error *error);

/* sampled_launch.c: runs one launch of a run that simulates only some launches. */
enum sluice_status launch_sampled(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                  struct sluice_error *error);
/* sampled_blocks.c: simulates only the first blocks of the launch, if these are enough for an estimate. */
enum sluice_status launch_sampled_blocks(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                         struct sluice_error *error);

#endif
