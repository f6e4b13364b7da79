/* host_clock: the host's monotonic clock. */
#ifndef SLUICE_BASE_HOST_CLOCK_H
#define SLUICE_BASE_HOST_CLOCK_H

#include <stdint.h>

uint64_t host_nanoseconds(void);
double host_seconds(void);

#endif
