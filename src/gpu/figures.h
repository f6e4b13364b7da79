/* figures: live figures of the memory partitions, for mechanisms that query them. */
#ifndef SLUICE_GPU_FIGURES_H
#define SLUICE_GPU_FIGURES_H

#include "seam/mech_figures.h"

/* `gpu` is the struct gpu. To be called from the hooks of the slice itself, or while no partition is ticking. */
void figures_of_partition(const void *gpu, uint32_t slice, struct mech_partition_figures *figures);

#endif
