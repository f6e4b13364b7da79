/* partition_counts: live counts of the memory partitions, for mechanisms that query them. */
#ifndef SLUICE_GPU_PARTITION_COUNTS_H
#define SLUICE_GPU_PARTITION_COUNTS_H

#include "seam/mech_live_stats.h"

/* `gpu` is the struct gpu. To be called from the hooks of the slice itself, or while no partition is ticking. */
void partition_counts_read(const void *gpu, uint32_t slice, struct mech_partition_live_stats *counts);

#endif
