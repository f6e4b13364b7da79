/* Runs queued work of a program that waits for it without a CUDA call: on a condition variable that a host function
 * signals, or for memory that a kernel writes. A GPU runs such work at once.
 *
 * While work is queued, a thread looks once per second. It runs the work if the program made no CUDA call since and
 * used hardly any processor time. A program that used some may compute something that it will queue too: it gets ten
 * seconds. The thread ends when no work is queued, because a process ends with its last thread. */
#include "cudart/stream_work.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* seconds */

/* The state at the last look. */
struct look {
	unsigned seconds; /* without a call */
	uint64_t calls;
	double used; /* processor time, in seconds */
};

static double processor_seconds(void)
{
	struct timespec time = {0};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Looks again, and runs the work if the program waits for it. Returns false when none is queued. */
static bool look(struct look *last)
{
	struct runtime *runtime = runtime_enter_closed();
	bool is_idle = processor_seconds() - last->used < 0.1;
	last->seconds = runtime->calls == last->calls ? last->seconds + 1 : 0;
	if (!runtime->ending && last->seconds && (is_idle || last->seconds >= PATIENCE))
		streams_finish(runtime);
	bool has_work = !runtime->ending && streams_have_work(runtime);
	runtime->is_watched = has_work;
	last->calls = runtime->calls + 1; /* this look counts as one */
	last->used = processor_seconds();
	runtime_leave(runtime, cudaSuccess);
	return has_work;
}

static void *watch(void *unused)
{
	struct look last = {0};
	(void)unused;
	do
		sleep(1);
	while (look(&last));
	return NULL;
}

void idle_host_watch(struct runtime *runtime)
{
	pthread_t thread;
	sigset_t all, before;
	if (runtime->is_watched)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's handlers run in its own threads */
	runtime->is_watched = pthread_create(&thread, NULL, watch, NULL) == 0;
	if (runtime->is_watched)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
