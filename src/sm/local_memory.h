/* local_memory: where threads' local memory lies for the memory system: word by word, over all threads of the machine. */
#ifndef SLUICE_SM_LOCAL_MEMORY_H
#define SLUICE_SM_LOCAL_MEMORY_H

#include "sm/op.h"

#define LOCAL_PHYSICAL_BASE (1ull << 40) /* behind all that can be allocated */

struct sm;

/* A launch begins, which decides how far apart the words of a thread lie. */
void local_memory_begin(struct sm *sm);

/* From a thread's own addresses, in step->address, to those for the memory system. */
void local_memory_place(const struct sm *sm, const struct op *op, struct simt_step *step);

/* True when the address lies in the launch's local memory. */
bool local_memory_has(const struct sm *sm, uint64_t address);

#endif
