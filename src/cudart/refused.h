/* refused: the end of every call that is there to say no. */
#ifndef SLUICE_CUDART_REFUSED_H
#define SLUICE_CUDART_REFUSED_H

/* "sluice: NAME: REASON"; returns the error, kept as the thread's last one where the runtime's call it is. */
int runtime_refused(const char *name, int error, const char *reason);

#endif
