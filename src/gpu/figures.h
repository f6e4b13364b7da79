/* figures: live figures of the memory partitions, for mechanisms that ask for them. */
#ifndef SLUICE_GPU_FIGURES_H
#define SLUICE_GPU_FIGURES_H

#include "seam/mech_figures.h"

/* `gpu` is the struct gpu. From the hooks of the slice itself, or while all partitions stand still. */
void figures_of_partition(const void *gpu, uint32_t slice, struct mech_partition_figures *figures);

#endif
