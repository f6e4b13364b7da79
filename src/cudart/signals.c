/* Signals that end the process.
 *
 * Signals that request the end stop the running kernel. A thread of ours then stores and prints the statistics, as
 * after --timeout, and raises the signal again. For all other deadly signals, the statistics file states which one
 * ended the process.
 */
#include "cudart/runtime.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const int deadly[] = {SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,    SIGSEGV, SIGPIPE,
                             SIGXFSZ, SIGUSR1, SIGUSR2, SIGTRAP, SIGVTALRM, SIGPROF, SIGSYS};

static const struct request {
	int number;
	const char *cause;
} requests[] = {{SIGINT, "interrupt"},
                {SIGTERM, "terminate"},
                {SIGHUP, "hangup"},
                {SIGALRM, "alarm"},
                {SIGXCPU, "limit of processor time"}};

/* Passes the signal from the handler to the thread that ends the process. */
static sem_t is_asked;
static volatile sig_atomic_t asked_number;
static _Atomic int64_t asked_at;   /* nanoseconds */
enum { SAME_REQUEST = 500000000 }; /* nanoseconds */
static pid_t owner;                /* the process that has the thread; 0: none */
static pthread_t thread;

/* Takes no lock and allocates nothing. Restores the default action and raises the signal again, also when called by a
 * handler of the program. */
static void note_signal(int number)
{
	int reason = errno;
	const struct runtime *runtime = runtime_glance();
	char how[] = "signal 00", *digit = how + 7;
	if (number >= 10)
		*digit++ = (char)('0' + number / 10);
	*digit++ = (char)('0' + number % 10);
	*digit = '\0';
	if (runtime->gpu)
		sluice_stats_note_end(runtime->gpu, how);
	signal(number, SIG_DFL);
	errno = reason;
	raise(number);
}

/* A second signal of the same number ends the process immediately. One that follows within half a second is the same
 * request: timeout(1) signals its command and then its process group. A forked child does not have our thread. */
static void ask_for_end(int number)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t at = now.tv_sec * 1000000000LL + now.tv_nsec;
	bool again = number == asked_number;
	if (getpid() != owner || (again && at - asked_at >= SAME_REQUEST)) {
		note_signal(number);
		return;
	}
	if (again)
		return;
	asked_number = number;
	asked_at = at;
	sem_post(&is_asked);
}

/* True when all threads of the program have ended. The process then ends as if our thread did not exist. Linux shows
 * the first thread as a zombie while others run. */
static bool is_alone(void)
{
	char state = 0;
	int threads = 0;
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	while (file && fgets(line, sizeof line, file)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "Threads: %d", &threads);
	}
	if (file)
		fclose(file);
	return state == 'Z' && threads == 2;
}

bool ends_by_signal(void)
{
	return asked_number && getpid() == owner && !pthread_equal(pthread_self(), thread);
}

static void *wait_for_signal(void *unused)
{
	(void)unused;
	for (;;) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (sem_timedwait(&is_asked, &until) == 0)
			break;
		if (is_alone())
			exit(0);
	}
	int number = asked_number;
	const char *cause = "";
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (requests[i].number == number)
			cause = requests[i].cause;
	runtime_end_by_signal(number, cause);
}

/* Our thread blocks all signals, so that no handler of the program runs in it. */
static bool start_thread(void)
{
	sigset_t all, before;
	sem_init(&is_asked, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool fine = pthread_create(&thread, NULL, wait_for_signal, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fine)
		pthread_detach(thread);
	return fine;
}

/* Signal actions set by the program or its parent process take precedence. */
static void watch(int number, void (*handler)(int), int flags)
{
	struct sigaction before, watched = {.sa_handler = handler, .sa_flags = flags | SA_RESTART};
	if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(number, &watched, NULL);
}

void watch_signals(void)
{
	if (start_thread())
		owner = getpid();
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		watch(requests[i].number, ask_for_end, 0);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		watch(deadly[i], note_signal, (int)SA_RESETHAND);
}
