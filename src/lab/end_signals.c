#include "lab/end_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

void end_signals_catch(struct end_signals *signals, const int *numbers)
{
	sigset_t wanted;
	sigemptyset(&wanted);
	for (; *numbers; numbers++)
		sigaddset(&wanted, *numbers);
	sigprocmask(SIG_SETMASK, NULL, &signals->before);
	signals->descriptor = signalfd(-1, &wanted, SFD_CLOEXEC);
	if (signals->descriptor >= 0)
		sigprocmask(SIG_BLOCK, &wanted, NULL);
}

int end_signals_next(const struct end_signals *signals)
{
	struct signalfd_siginfo signal;
	return read(signals->descriptor, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}

void end_signals_release(const struct end_signals *signals)
{
	if (signals->descriptor >= 0)
		close(signals->descriptor);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	if (signals->caught)
		raise(signals->caught);
}
