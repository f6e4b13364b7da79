/* config: what one streaming multiprocessor consists of. Filled from a machine file (gpu/machine.h has the options). */
#ifndef SLUICE_SM_CONFIG_H
#define SLUICE_SM_CONFIG_H

#include "memory/cache.h"
#include "sm/limits.h"
#include "sm/texture_unit.h"
#include "ptx/module.h"

/* Operand collection and issue of one kind of pipe. */
struct pipe_config {
	uint32_t issue_width; /* instructions a cycle from the schedulers, and into the units */
	uint32_t units;       /* identical execution units */
	uint32_t collectors;  /* collector units */
	uint32_t in_ports, out_ports;
};

/* Which arithmetic pipe takes an instruction; either: SP while it has room, else SFU. The last three are of sub-cores. */
enum arithmetic_pipe { PIPE_SP, PIPE_SFU, PIPE_EITHER, PIPE_INT, PIPE_DP, PIPE_TENSOR };

/* Where local memory lies for the memory system: a word of all threads, then the next word. Blocks lie behind each other in
 * the order of their slots, those of neighbouring SMs side by side; or SM by SM, with room for all the threads that it can have. */
enum local_layout { LOCAL_BY_BLOCK, LOCAL_BY_SM };

struct sm_config {
	uint32_t warps, blocks, registers, shared_bytes;
	uint32_t registers_per_thread; /* beyond which registers are spilled; 0: no limit but a block's */
	uint32_t register_unit;        /* registers per thread are rounded up to a multiple of this */
	uint32_t schedulers;
	bool sub_cores;           /* sm/sub_cores.h: in place of `pipe`, but for its load/store unit */
	uint32_t sub_core_collectors; /* of each */
	uint32_t collector_ports, dispatch_ports; /* of the SM, into and out of these */
	uint32_t operand_steps; /* of the operand collectors, a cycle */
	uint32_t fetch_bytes; /* a fetch; an instruction has 8 */
	uint32_t fetches;     /* warps a cycle */
	bool fetch_hands_over; /* a line goes straight to the warp that waits for it; else the warp fetches again */
	struct pipe_config pipe[PTX_UNITS];
	uint32_t register_banks;
	bool collectors_read_many; /* a collector unit takes operands of several banks in a cycle; else one */
	bool lsu_takes_late;       /* the load/store unit takes an instruction behind its work of the cycle; else before it */
	uint32_t result_bus; /* results a cycle of the arithmetic units */
	uint32_t latency[PTX_LATENCIES][PTX_DATA_TYPES], initiation[PTX_LATENCIES][PTX_DATA_TYPES];
	uint32_t runs_on[PTX_LATENCIES][PTX_DATA_TYPES]; /* enum arithmetic_pipe */
	uint32_t shared_banks;
	uint32_t shared_latency;        /* cycles in the pipe behind the bank access */
	uint32_t unified_bytes; /* of L1's data and shared memory together; 0: each has its own */
	uint32_t carve_out[SM_CARVE_OUTS], carve_outs; /* of it, what shared memory may have */
	uint32_t l1_banks;              /* each with an access a cycle, by 32 bytes of the address */
	uint32_t l1_latency;            /* cycles between the load/store unit and L1's tags; 0: at once */
	uint32_t first_path;            /* enum simt_first_path */
	uint32_t local_layout;          /* enum local_layout */
	uint32_t atomic_bytes;          /* piece in which atomics travel to L2 */
	bool shared_atomics_hold;       /* a warp does not issue while one of its atomics is on its way through shared memory */
	bool async_copies;              /* cp.async: a copy to shared memory goes on while its warp does */
	uint32_t try_wait_cycles;       /* that mbarrier.try_wait holds its warp at most; 0: it does not */
	bool alternate;                 /* the schedulers take turns at going first */
	bool sleep;                     /* ticks only when something can happen; changes no result */
	bool global_skips_l1, flush_l1; /* flush: L1 data forgets at a kernel's end */
	bool zero_latency_memory;       /* idealised: what the SM's caches send on is answered at once */
	struct cache_config l1d, l1i, l1c;
	struct texture_config texture;
};

#endif
