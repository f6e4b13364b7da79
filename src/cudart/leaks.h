/* leaks: reports memory that is never freed, for the check "leaks". */
#ifndef SLUICE_CUDART_LEAKS_H
#define SLUICE_CUDART_LEAKS_H

#include "cudart/runtime.h"

/* Notes that the program allocated the memory at `address` by the named call. Does nothing when the check is off. */
void leaks_note(struct runtime *runtime, const char *call, uint64_t address);
/* Reports, at the process's end, the memory that has not been freed. */
void leaks_tell(struct runtime *runtime);
void leaks_free(struct runtime *runtime);

#endif
