/* config: the parameters of one streaming multiprocessor. A machine file sets them (gpu/machine.h has the options). */
#ifndef SLUICE_SM_CONFIG_H
#define SLUICE_SM_CONFIG_H

#include "memory/cache.h"
#include "sm/limits.h"
#include "sm/texture_unit.h"
#include "ptx/module.h"

/* Operand collection and issue of one kind of pipe. */
struct pipe_config {
	uint32_t issue_width; /* instructions per cycle from the schedulers, and into the units */
	uint32_t units;       /* identical execution units */
	uint32_t collectors;  /* collector units */
	uint32_t in_ports, out_ports;
};

/* The arithmetic pipe that takes an instruction. PIPE_EITHER: SP while it has space, else SFU. The last three exist
 * only in sub-cores. */
enum arithmetic_pipe { PIPE_SP, PIPE_SFU, PIPE_EITHER, PIPE_INT, PIPE_DP, PIPE_TENSOR };

/* Layout of local memory in the memory system: one word of all threads, then the next word. LOCAL_BY_BLOCK: blocks
 * follow each other in the order of their slots, with those of neighboring SMs adjacent. LOCAL_BY_SM: SM by SM,
 * with space for each SM's maximum number of threads. */
enum local_layout { LOCAL_BY_BLOCK, LOCAL_BY_SM };

struct sm_config {
	uint32_t warps, blocks, registers, shared_bytes;
	uint32_t registers_per_thread; /* limit above which registers are spilled; 0: no limit except a block's */
	uint32_t register_unit;        /* registers per thread are rounded up to a multiple of this */
	uint32_t schedulers;
	bool sub_cores; /* sm/sub_cores.h; replaces `pipe`, except for its load/store unit */
	uint32_t sub_core_collectors; /* per sub-core */
	uint32_t collector_ports, dispatch_ports; /* of the SM, into and out of the collectors */
	uint32_t operand_steps; /* steps of the operand collectors per cycle */
	uint32_t fetch_bytes; /* bytes per fetch; an instruction has 8 */
	uint32_t fetches;     /* warps that fetch per cycle */
	bool fetch_hands_over; /* a line goes directly to the warp that waits for it; else the warp fetches again */
	struct pipe_config pipe[PTX_UNITS];
	uint32_t register_banks;
	bool collectors_read_many; /* a collector unit may read operands from several banks per cycle; else one */
	/* the load/store unit takes an instruction after its work of the cycle; else before it */
	bool lsu_takes_late;
	uint32_t result_bus; /* results of the arithmetic units per cycle */
	uint32_t latency[PTX_LATENCIES][PTX_DATA_TYPES], initiation[PTX_LATENCIES][PTX_DATA_TYPES];
	uint32_t runs_on[PTX_LATENCIES][PTX_DATA_TYPES]; /* enum arithmetic_pipe */
	uint32_t shared_banks;
	uint32_t shared_latency; /* cycles in the pipe after the bank access */
	uint32_t unified_bytes; /* total size of L1 data and shared memory; 0: they are separate */
	uint32_t carve_out[SM_CARVE_OUTS], carve_outs; /* possible sizes of shared memory in it */
	uint32_t l1_banks;     /* each takes one access per cycle, selected by 32-byte address blocks */
	uint32_t l1_latency;   /* cycles between the load/store unit and L1's tags; 0: none */
	uint32_t first_path;   /* enum simt_first_path */
	uint32_t local_layout; /* enum local_layout */
	uint32_t atomic_bytes; /* size of the pieces in which atomics travel to L2 */
	/* a warp does not issue while one of its atomics is in flight in shared memory */
	bool shared_atomics_hold;
	bool async_copies;              /* cp.async: a copy to shared memory runs while its warp continues */
	uint32_t try_wait_cycles;       /* maximum time for which mbarrier.try_wait holds its warp; 0: it does not */
	uint32_t issue_per_warp;        /* most instructions of the chosen warp per scheduler and cycle */
	bool issue_other_pipe;          /* each of them goes to another pipe than the previous one */
	bool alternate;                 /* the schedulers take turns at going first */
	bool sleep;                     /* ticks only when something can happen; changes no result */
	bool global_skips_l1, flush_l1; /* flush: L1 data is invalidated at a kernel's end */
	bool zero_latency_memory;       /* idealised: what the SM's caches send down is answered at once */
	struct cache_config l1d, l1i, l1c;
	struct texture_config texture;
};

#endif
