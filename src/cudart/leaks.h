/* leaks: memory that is never freed, for the check "leaks". */
#ifndef SLUICE_CUDART_LEAKS_H
#define SLUICE_CUDART_LEAKS_H

#include "cudart/runtime.h"

/* The program has allocated what begins at an address, by a call of that name. Nothing without the check. */
void leaks_note(struct runtime *runtime, const char *call, uint64_t address);
/* The process ends: says what is still there. */
void leaks_tell(struct runtime *runtime);
void leaks_free(struct runtime *runtime);

#endif
