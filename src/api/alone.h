/* alone: decides whether the SMs of a launch may run ahead of each other, and which loads they must wait at
 * (docs/explanation/timing-model.md, Windows). */
#ifndef SLUICE_API_ALONE_H
#define SLUICE_API_ALONE_H

#include "sluice.h"

struct gpu_run;

/* Fills in run->alone for a launch that is otherwise ready. Leaves it zero when the machine has no windows.
 * alone_free() frees what alone_find() allocates. */
void alone_find(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run);
void alone_free(struct gpu_run *run);

#endif
