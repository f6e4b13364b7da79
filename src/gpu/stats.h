/* stats: collects, adds and resets all units' counters. */
#ifndef SLUICE_GPU_STATS_H
#define SLUICE_GPU_STATS_H

#include "gpu/gpu.h"

void stats_collect(struct gpu *gpu, struct gpu_stats *stats);
void stats_add(struct gpu_stats *sum, const struct gpu_stats *stats);
void stats_reset(struct gpu *gpu);

/* The values of single units. A group is numbered as in gpu_counter_groups. */
uint32_t stats_units(const struct gpu *gpu, size_t group);
/* The value of a unit's counter since the launch began, or in a sum of stats_add_units(). */
uint64_t stats_unit_value(const struct gpu *gpu, const uint64_t *sum, size_t group, const struct base_counter *row,
                          uint32_t unit);
/* Elements of such a sum; adds the counters of all units to it. */
size_t stats_unit_elements(const struct gpu *gpu);
void stats_add_units(const struct gpu *gpu, uint64_t *sum);

/* Sum of all slots of the cycle stack. */
uint64_t stats_stack_slots(const struct sm_stats *sm);

#endif
