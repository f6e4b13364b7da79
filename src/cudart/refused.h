/* refused: the common end of every call that is always refused. */
#ifndef SLUICE_CUDART_REFUSED_H
#define SLUICE_CUDART_REFUSED_H

/* Prints "sluice: NAME: REASON". Returns the error. If the call is one of the runtime API, stores it as the thread's
 * last error. */
int runtime_refused(const char *name, int error, const char *reason);

#endif
