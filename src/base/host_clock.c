#include "base/host_clock.h"

#include <time.h>

uint64_t host_nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

double host_seconds(void)
{
	return 1e-9 * (double)host_nanoseconds();
}
