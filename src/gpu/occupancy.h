/* occupancy: how many blocks of a kernel one SM holds, and what keeps the next one out. */
#ifndef SLUICE_GPU_OCCUPANCY_H
#define SLUICE_GPU_OCCUPANCY_H

#include "gpu/machine.h"

enum occupancy_limit { LIMIT_THREADS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_BLOCK_SLOTS, LIMITS };

struct occupancy {
	uint32_t blocks, warps;
	enum occupancy_limit limit; /* the first of those that allow no more */
	uint32_t allowed[LIMITS];   /* blocks that each allows; UINT32_MAX: any number */
};

/* `block_threads` >= 1; `registers` a thread; `shared_bytes` a block, dynamic ones included. */
struct occupancy occupancy_of(const struct machine *machine, uint32_t block_threads, uint32_t registers,
                              uint64_t shared_bytes);
/* The share of shared memory, in bytes, for a launch that prefers this percentage of the largest share: the smallest of
 * sm.carve_outs that holds it and one block. Takes away the blocks that do not fit. The machine is a derived one.
 * Returns 0 where shared memory and L1 have fixed sizes. */
uint32_t occupancy_carve(const struct machine *machine, uint32_t percent, uint64_t shared_bytes,
                         struct occupancy *occupancy);
/* The most registers a thread with which an SM's registers are enough for so many blocks; 0: for none. */
uint32_t occupancy_registers(const struct machine *machine, uint32_t block_threads, uint32_t blocks);

#endif
