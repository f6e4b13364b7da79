/* occupancy: the number of blocks of a kernel that fit on one SM, and the limiting resource. */
#ifndef SLUICE_GPU_OCCUPANCY_H
#define SLUICE_GPU_OCCUPANCY_H

#include "gpu/machine.h"

enum occupancy_limit { LIMIT_THREADS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_BLOCK_SLOTS, LIMITS };

struct occupancy {
	uint32_t blocks, warps;
	enum occupancy_limit limit; /* the first resource that allows no more */
	uint32_t allowed[LIMITS];   /* blocks that each resource allows; UINT32_MAX: no limit */
	uint32_t block_registers;   /* registers that a block is allocated */
};

/* `block_threads` >= 1; `registers` per thread; `shared_bytes` per block, including dynamic ones. */
struct occupancy occupancy_of(const struct machine *machine, uint32_t block_threads, uint32_t registers,
                              uint64_t shared_bytes);
/* Returns the capacity of shared memory, in bytes, for a launch that prefers `percent` of the largest capacity: the
 * smallest of sm.carve_outs that holds it and one block. Reduces `occupancy` to the blocks that fit. `machine` is a
 * derived machine. Returns 0 where shared memory and L1 have fixed sizes. */
uint32_t occupancy_carve(const struct machine *machine, uint32_t percent, uint64_t shared_bytes,
                         struct occupancy *occupancy);
/* The maximum registers per thread with which `blocks` blocks fit into an SM's registers; 0: they never fit. */
uint32_t occupancy_registers(const struct machine *machine, uint32_t block_threads, uint32_t blocks);

#endif
