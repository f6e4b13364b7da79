/* missing: the end of every call that is not implemented. */
#ifndef SLUICE_CUDART_MISSING_H
#define SLUICE_CUDART_MISSING_H

/* "sluice: NAME is not implemented"; returns cudaErrorNotSupported, kept as the thread's last error. */
int runtime_missing(const char *name);

#endif
