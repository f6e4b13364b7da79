/* local_memory: maps threads' local memory to addresses of the memory system, word by word over all threads of the
 * machine. */
#ifndef SLUICE_SM_LOCAL_MEMORY_H
#define SLUICE_SM_LOCAL_MEMORY_H

#include "sm/op.h"

#define LOCAL_PHYSICAL_BASE (1ull << 40) /* above all addresses that can be allocated */

#define LOCAL_BYTES_PER_KERNEL (1ull << 40) /* distance between the local memories of kernels */

struct sm;

/* Places a kernel's local memory: writes its first address and the distance between a thread's words. */
void local_memory_place_kernel(const struct sm *sm, uint32_t kernel, uint64_t *base, uint64_t *pitch);

/* Converts a thread's own addresses, in step->address, to addresses of the memory system. */
void local_memory_place(const struct sm *sm, const struct op *op, struct simt_step *step);

/* True when the address lies in the local memory of a kernel that the SM runs. */
bool local_memory_has(const struct sm *sm, uint64_t address);

#endif
