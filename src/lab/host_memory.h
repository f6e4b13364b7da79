/* host_memory: how much memory runs may hold together. */
#ifndef SLUICE_LAB_HOST_MEMORY_H
#define SLUICE_LAB_HOST_MEMORY_H

#include <stdint.h>

/* Nine tenths of what the host, or the control group of this process, has free; UINT64_MAX when nobody says. */
uint64_t host_memory_free(void);

#endif
