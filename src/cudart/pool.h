/* pool: memory pools; what the rest of the runtime must tell them. */
#ifndef SLUICE_CUDART_POOL_H
#define SLUICE_CUDART_POOL_H

#include "cudart/runtime.h"

/* Device memory that was freed may have been a pool's. */
void pools_forget(struct runtime *runtime, const void *pointer);
void pools_free(struct runtime *runtime);

#endif
