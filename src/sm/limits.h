/* limits: the maximum number of each resource in an SM. They set the sizes of its arrays and the ranges of the
 * options. */
#ifndef SLUICE_SM_LIMITS_H
#define SLUICE_SM_LIMITS_H

#include "ptx/module.h"
#include "seam/mech.h"

/* The pipes: those of all SMs (enum ptx_unit), then those that only sub-cores have, in the order in which these try
 * them. */
enum sm_pipe {
	SM_PIPE_SP = PTX_UNIT_SP,
	SM_PIPE_SFU = PTX_UNIT_SFU,
	SM_PIPE_MEM = PTX_UNIT_MEM,
	SM_PIPE_TENSOR,
	SM_PIPE_DP,
	SM_PIPE_INT,
	SM_PIPES
};

enum {
	SM_MAX_WARPS = MECH_MAX_WARPS,
	SM_WARP_WORDS = SM_MAX_WARPS / 64,
	SM_MAX_SCHEDULERS = MECH_MAX_SCHEDULERS,
	SM_MAX_SCHEDULER_WARPS = MECH_MAX_SCHEDULER_WARPS,
	SM_MAX_BLOCKS = MECH_MAX_BLOCKS,
	SM_MAX_KERNELS = 128,   /* that run together */
	SM_MAX_COLLECTORS = 64, /* one bit each in collectors.free and collectors.complete */
	SM_MAX_BANKS = 32,      /* one bit each in collectors.banks_waiting */
	SM_MAX_UNITS = 8,       /* of one kind */
	SM_MAX_SUB_CORES = 4,   /* one bit each per pipe in result_slot.units */
	SM_MAX_DISPATCH_PORTS = 16,
	SM_MAX_ISSUES = 4,      /* of one warp in a cycle */
	SM_MAX_LATENCY_CYCLES = 512, /* bound of arithmetic latencies (units.h); a power of two */
	SM_IBUFFER = 2,              /* instructions in a warp's buffer */
	SM_SHARED_PIPE = 64,         /* maximum latency after shared memory's banks */
	SM_L1_PIPE = 128,            /* maximum latency in front of L1's tags */
	SM_L1_BANKS = 4,             /* banks of L1's tags */
	SM_CARVE_OUTS = 16,
	SM_FETCHES = 8, /* per cycle */
};

/* No cycle: there is no work until an input arrives. */
#define SM_NEVER UINT64_MAX

_Static_assert(SM_MAX_WARPS % 64 == 0 && SM_MAX_WARPS <= 256, "fetch.wants has whole words; a warp slot is a byte");
_Static_assert(SM_MAX_BLOCKS <= 256, "a warp's block is a byte");
_Static_assert(SM_MAX_UNITS <= 32, "result_slot.units has a bit a unit");

#endif
