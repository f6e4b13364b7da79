/* sender: the dispatcher's own way to memory: what mechanisms ask for on behalf of blocks leaves here, one request a core
 * cycle, through an input of its own of the request network, and is answered to the SM (TELEPORT, section 3.2.2). */
#ifndef SLUICE_GPU_SENDER_H
#define SLUICE_GPU_SENDER_H

#include "gpu/gpu.h"

/* One core cycle. True when a request left. */
bool sender_tick(struct gpu *gpu);

#endif
