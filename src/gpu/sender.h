/* sender: the dispatcher's own way to memory: what mechanisms ask for on behalf of blocks leaves here, one request a core
 * cycle, and is answered to the SM (TELEPORT, section 3.2.2). It has an input of the request network for each memory channel:
 * through one alone, which needs a step to change packets, only every second cycle's request could pass. */
#ifndef SLUICE_GPU_SENDER_H
#define SLUICE_GPU_SENDER_H

#include "gpu/gpu.h"

/* One core cycle. True when a request left. */
bool sender_tick(struct gpu *gpu);

#endif
