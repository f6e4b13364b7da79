/* --timeout: ends a process that takes longer, with the statistics of what was simulated. */
#include "cudart/runtime.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static void *wait_and_end(void *seconds)
{
	struct timespec left = {.tv_sec = (time_t)(intptr_t)seconds};
	while (nanosleep(&left, &left) != 0)
		;
	runtime_message("stopped: it ran longer than the %ld seconds of --timeout", (long)(intptr_t)seconds);
	runtime_end_for("timeout");
}

bool timeout_start(uint64_t seconds)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, wait_and_end, (void *)(intptr_t)seconds) != 0)
		return false;
	pthread_detach(thread);
	return true;
}
