/* sender: the dispatcher's own path to memory. It sends mechanisms' requests on behalf of blocks, in order. The
 * replies go to the SM. It has one input of the request network for each L2 slice. An input needs a step to change
 * packets, so a single one would pass only one request every two cycles. The mechanism decides how many requests it
 * makes per cycle. Requests at the front wait while their input is full. All of this is our choice
 * (docs/explanation/timing-model.md). */
#ifndef SLUICE_GPU_SENDER_H
#define SLUICE_GPU_SENDER_H

#include "gpu/gpu.h"

/* Simulates one core cycle. True when requests left. */
bool sender_tick(struct gpu *gpu);

#endif
