/* Signals that end the process: the file of statistics says so. */
#include "cudart/runtime.h"

#include <errno.h>
#include <signal.h>

static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS, SIGFPE,
                             SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};

/* Nothing here takes a lock or memory. The signal then does what it would have done: it is sent again, and its default is
 * back, also where a handler of the program's has called this one. */
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

void watch_signals(void)
{
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
		struct sigaction before, watched = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
		/* what the program or its parent has arranged goes before */
		if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(deadly[i], &watched, NULL);
	}
}
