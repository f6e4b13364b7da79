/* host_memory: how much memory runs may hold together. */
#ifndef SLUICE_LAB_HOST_MEMORY_H
#define SLUICE_LAB_HOST_MEMORY_H

#include <stdint.h>

/* Nine tenths of the free memory of the host, or of this process's control group if that is less; UINT64_MAX when neither
 * is known. The system's files lie below `root`: "" for this host. */
uint64_t host_memory_free(const char *root);

#endif
