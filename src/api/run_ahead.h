/* run_ahead: decides whether the SMs of a launch may run ahead of each other, and which loads they must wait at
 * (docs/explanation/timing-model.md, Windows). */
#ifndef SLUICE_API_RUN_AHEAD_H
#define SLUICE_API_RUN_AHEAD_H

#include "sluice.h"

struct gpu_run;

/* Fills in run->run_ahead for a launch that is otherwise ready. Leaves it zero when the machine has no windows.
 * run_ahead_free() frees what run_ahead_find() allocates. */
void run_ahead_find(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run);
void run_ahead_free(struct gpu_run *run);

#endif
