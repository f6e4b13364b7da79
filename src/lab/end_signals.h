/* end_signals: signals that would end the process. The caller's loop receives them, so that it first ends or leaves its
 * jobs. */
#ifndef SLUICE_LAB_END_SIGNALS_H
#define SLUICE_LAB_END_SIGNALS_H

#include <signal.h>

struct end_signals {
	int descriptor;  /* to poll; -1: none, signals act as usual */
	int caught;      /* the signal that ends everything; 0: none yet */
	sigset_t before; /* the caller's signal mask */
};

/* Blocks these signals, the last of which is 0. */
void end_signals_catch(struct end_signals *signals, const int *numbers);
/* The next signal that has arrived; 0: none. */
int end_signals_next(const struct end_signals *signals);
/* Lets the caught signal act as usual. */
void end_signals_release(const struct end_signals *signals);

#endif
