/* stats: collects, adds and resets all units' counters. */
#ifndef SLUICE_GPU_STATS_H
#define SLUICE_GPU_STATS_H

#include "gpu/gpu.h"

void stats_collect(struct gpu *gpu, struct gpu_stats *stats);
void stats_add(struct gpu_stats *sum, const struct gpu_stats *stats);
void stats_reset(struct gpu *gpu);

/* Sum of all slots of the cycle stack. */
uint64_t stats_stack_slots(const struct sm_stats *sm);

#endif
