/* sluice/sdk/clock.h: a stopwatch for host time. C and C++. */
#ifndef SLUICE_SDK_CLOCK_H
#define SLUICE_SDK_CLOCK_H

#include "../macros_off.h"

#include <stddef.h>
#include <sys/time.h>

/* All times are in milliseconds. */
struct sdk_watch {
	double since; /* start time of the current run */
	double total; /* sum of all completed runs */
	unsigned runs;
	int running;
};

static inline double sdk_now(void)
{
	struct timeval now; /* available in strict C, unlike clock_gettime() */
	gettimeofday(&now, NULL);
	return 1e3 * (double)now.tv_sec + 1e-3 * (double)now.tv_usec;
}

static inline void sdk_watch_start(struct sdk_watch *watch)
{
	watch->since = sdk_now();
	watch->running = 1;
}

static inline void sdk_watch_stop(struct sdk_watch *watch)
{
	if (!watch->running)
		return;
	watch->total += sdk_now() - watch->since;
	watch->running = 0;
	watch->runs++;
}

/* Clears the total and the count of runs. A running watch restarts from zero. */
static inline void sdk_watch_reset(struct sdk_watch *watch)
{
	watch->total = 0;
	watch->runs = 0;
	watch->since = sdk_now();
}

static inline float sdk_watch_time(const struct sdk_watch *watch)
{
	return (float)(watch->total + (watch->running ? sdk_now() - watch->since : 0));
}

static inline float sdk_watch_average(const struct sdk_watch *watch)
{
	return watch->runs ? (float)(watch->total / watch->runs) : 0.0f;
}

#include "../macros_on.h"

#endif
