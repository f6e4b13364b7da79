/* Runs queued work of a program that waits for it without a CUDA call: on a condition variable that a host function
 * signals, or for memory that a kernel writes. A GPU runs such work at once.
 *
 * A thread looks once per second. It runs the work if the program made no CUDA call since and used hardly any processor
 * time. A program that used some may compute something that it will queue too; it gets ten seconds. */
#include "cudart/stream_work.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* seconds */

static double processor_seconds(void)
{
	struct timespec time = {0};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *watch(void *unused)
{
	unsigned seconds = 0; /* without a call */
	uint64_t calls = 0;
	double used = 0;
	(void)unused;
	for (;;) {
		sleep(1);
		const struct runtime *seen = runtime_glance();
		double now = processor_seconds();
		bool is_idle = now - used < 0.1;
		seconds = calls == seen->calls ? seconds + 1 : 0;
		calls = seen->calls;
		used = now;
		if (seen->ending || !seconds || (!is_idle && seconds < PATIENCE))
			continue;
		struct runtime *runtime = runtime_enter_closed();
		if (calls == runtime->calls && !runtime->ending)
			streams_finish(runtime);
		runtime_leave(runtime, cudaSuccess);
		used = processor_seconds();
	}
	return NULL;
}

void idle_host_watch(struct runtime *runtime)
{
	pthread_t thread;
	sigset_t all, before;
	if (runtime->is_watched)
		return;
	runtime->is_watched = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's handlers run in its own threads */
	if (pthread_create(&thread, NULL, watch, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
