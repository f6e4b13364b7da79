/* mechanism_fault: a signal that comes while a mechanism of a shared object runs, in whatever it is called for:
 * loading, checks of its options, hooks, passes. To be told in signal handlers, which their owners install: nothing
 * here keeps anything. */
#ifndef SLUICE_API_MECHANISM_FAULT_H
#define SLUICE_API_MECHANISM_FAULT_H

#include <signal.h>

/* Signals that end a process in the middle of its code. */
#define MECHANISM_FAULTS {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}

/* To be called once, outside of signal handlers, before the first mechanism is loaded. What walks the stack is
 * loaded, and the thread has a stack for handlers, where it has none: `stack` of so many bytes. */
void mechanism_fault_prepare(void *stack, size_t size);

/* Says on standard error which mechanism the signal has come in, where, and what may be the cause; nothing when it
 * has come in none. */
void mechanism_fault_tell(int signal, const siginfo_t *info, const void *context);

/* Goes the way that the signal went before the handler that calls this. */
void mechanism_fault_pass_on(const struct sigaction *before, int signal, siginfo_t *info, void *context);

#endif
