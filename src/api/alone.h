/* alone: whether SMs may go on alone in a launch, and in front of which loads they wait for each other (docs/explanation/timing-model.md, Windows). */
#ifndef SLUICE_API_ALONE_H
#define SLUICE_API_ALONE_H

#include "sluice.h"

struct gpu_run;

/* Fills in run->alone, of a launch that is ready otherwise; alone_free() what it takes. Nothing where the machine has no windows. */
void alone_find(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run);
void alone_free(struct gpu_run *run);

#endif
