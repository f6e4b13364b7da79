/* local_memory: maps threads' local memory to addresses of the memory system, word by word over all threads of the
 * machine. */
#ifndef SLUICE_SM_LOCAL_MEMORY_H
#define SLUICE_SM_LOCAL_MEMORY_H

#include "sm/op.h"

#define LOCAL_PHYSICAL_BASE (1ull << 40) /* above all addresses that can be allocated */

struct sm;

/* Begins a launch, which determines the distance between a thread's words. */
void local_memory_begin(struct sm *sm);

/* Converts a thread's own addresses, in step->address, to addresses of the memory system. */
void local_memory_place(const struct sm *sm, const struct op *op, struct simt_step *step);

/* True when the address lies in the launch's local memory. */
bool local_memory_has(const struct sm *sm, uint64_t address);

#endif
