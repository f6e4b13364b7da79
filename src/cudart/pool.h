/* pool: memory pools: notifications from the rest of the runtime. */
#ifndef SLUICE_CUDART_POOL_H
#define SLUICE_CUDART_POOL_H

#include "cudart/runtime.h"

/* Called when device memory was freed, which may belong to a pool. */
void pools_forget(struct runtime *runtime, const void *pointer);
void pools_free(struct runtime *runtime);

#endif
