/* mechanism_fault: names the mechanism of a shared object in whose code a signal was raised: while loading it, checking
 * its options, or calling its hooks or passes. To be called in signal handlers, which the caller installs. Nothing here
 * stores state. */
#ifndef SLUICE_API_MECHANISM_FAULT_H
#define SLUICE_API_MECHANISM_FAULT_H

#include <signal.h>

/* Signals that a process can raise by its own code. */
#define MECHANISM_FAULTS {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}

/* To be called once, outside signal handlers, before the first mechanism is loaded. Loads the stack unwinder. If the
 * thread has no alternate signal stack, gives it `stack` of `size` bytes. */
void mechanism_fault_prepare(void *stack, size_t size);

/* Prints on standard error the mechanism in whose code the signal was raised, the location, and the likely cause.
 * Prints nothing when no mechanism is on the stack. */
void mechanism_fault_tell(int signal, const siginfo_t *info, const void *context);

/* Passes the signal on to the handler that was installed before the caller's. */
void mechanism_fault_pass_on(const struct sigaction *before, int signal, siginfo_t *info, void *context);

#endif
