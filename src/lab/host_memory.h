/* host_memory: the memory that concurrent runs may use. */
#ifndef SLUICE_LAB_HOST_MEMORY_H
#define SLUICE_LAB_HOST_MEMORY_H

#include <stdint.h>

/* Returns nine tenths of the free memory in bytes: the host's, or that of this process's control group if it is
 * less. Returns UINT64_MAX when neither is known. System files are read below `root`: "" for this host. */
uint64_t host_memory_free(const char *root);

#endif
