/* sender: the dispatcher's own way to memory: what mechanisms ask for on behalf of blocks leaves here, in order, and is
 * answered to the SM. It has an input of the request network for each L2 slice: through one alone,
 * which needs a step to change packets, only every second cycle's request could pass. How many it makes a cycle is the
 * mechanism's part; those at the front wait while their input is full. All of it is our choice (docs/explanation/timing-model.md). */
#ifndef SLUICE_GPU_SENDER_H
#define SLUICE_GPU_SENDER_H

#include "gpu/gpu.h"

/* One core cycle. True when requests left. */
bool sender_tick(struct gpu *gpu);

#endif
