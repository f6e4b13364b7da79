/* mech_events: the data that hooks receive: the machine, a launch, and events. A mechanism includes seam/mech.h, which
 * includes this. */
#ifndef SLUICE_SEAM_MECH_EVENTS_H
#define SLUICE_SEAM_MECH_EVENTS_H

#include "base/traffic.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	MECH_MAX = 16, /* attached mechanisms */
	/* Slots of an SM in any machine: a machine with more is refused. */
	MECH_MAX_WARPS = 128,
	MECH_MAX_BLOCKS = 64,
	MECH_MAX_SCHEDULERS = 8,
	MECH_MAX_SCHEDULER_WARPS = 64, /* of these, one scheduler's: the bits of a mask */
	MECH_MAX_ACCESSES = 128,       /* transactions of a warp instruction: 16 bytes per lane of local memory */
	MECH_PC_BITS = BASE_ACCESS_PC_BITS,
	MECH_NO_PC = BASE_ACCESS_NO_PC, /* no instruction caused it */
	MECH_MAX_ANSWER = 1 << 20,      /* cycles until a miss is answered */
	MECH_MAX_WORDS = 256,           /* words of shared memory that a request's data go to */
	MECH_MAX_LATENCY = 500,         /* cycles of an instruction in its unit */
	MECH_SECTOR = 32,               /* bytes: the unit of parts of lines */
	MECH_PASSES_SIZE = 1024,        /* bytes of the text that rewrite writes */
	MECH_LANES = 32,                /* of a warp */
	MECH_MAX_SOURCES = 8,           /* values that an instruction reads */
	MECH_MAX_VECTOR = 65536,        /* elements of a vector of counters */
	MECH_RANKS = 4,                 /* ranks of warps: 0, the initial one, to 3 */
	/* Arrays of shared memory that are distinguished; the last one includes all others. */
	MECH_STAGED_ARRAYS = 8,
};
#define MECH_NEVER   UINT64_MAX
#define MECH_NOWHERE UINT32_MAX
#define MECH_NOBODY  BASE_ACCESS_NOBODY /* no mechanism's number */

struct mech_dim {
	uint32_t x, y, z;
};

/* The machine as mechanisms see it. Values are per SM, except those of parts beyond the SM. */
struct mech_machine {
	uint32_t sms, partitions;
	uint32_t warps, blocks, schedulers; /* slots */
	uint32_t shared_bytes, registers;
	uint32_t shared_banks;         /* 4 bytes wide */
	uint32_t channels, dram_banks; /* of DRAM; per channel */
	uint32_t line_bytes, l1_sets, l1_ways, l1_mshrs;
	uint32_t l1_sector_bytes;          /* bytes of L1's sectors; line_bytes when its lines have none */
	uint32_t l2_sector_bytes;          /* bytes of L2's sectors; its line size when its lines have none */
	double core_mhz, l2_mhz, dram_mhz; /* clocks of the SMs, the slices, DRAM's commands */
	uint32_t send_queue;               /* capacity of the request queue of each SM and of the dispatcher */
};

/* --- what is known of a launch --- */

/* A row: the bytes that a block reads of one array, as an affine function of the block's index:
 *   from      base + low  + ctaid.x * low_by[0]  + ctaid.y * low_by[1]  + ctaid.z * low_by[2]
 *   to before base + high + ctaid.x * high_by[0] + ...
 * clipped to [first, end), the array's allocation. */
struct mech_row {
	uint64_t base, first, end;
	int64_t low, high, low_by[3], high_by[3];
	uint32_t pc;    /* of the first load that the row serves, or MECH_NO_PC */
	uint64_t reads; /* lanes' reads per block that the row serves; 0: not known */
};

/* The reads of a launch's blocks that are known before it runs. */
struct mech_rows {
	const struct mech_row *row;
	uint32_t rows;
	bool announced;         /* by the program, not by static analysis */
	uint32_t dropped;       /* rows beyond the requested number */
	uint64_t dropped_reads; /* their lanes' reads per block */
};

/* Which loops' induction variables count as calculable in an index. */
enum mech_loops {
	MECH_NO_LOOPS,        /* none */
	MECH_LOOPS_IN_CODE,   /* those of loops with constant bounds */
	MECH_LOOPS_AT_LAUNCH, /* and those of loops whose bounds depend on the kernel's arguments */
};

/* A load from global memory, or possibly from it, of the kernel or a function that it calls, as the static analyzer
 * sees it. */
struct mech_load {
	uint32_t pc, line;
	bool indirect;      /* its address was loaded from memory (flow/indirect.h) */
	bool precalculable; /* its address needs only indexes, parameters and constants; false in called functions */
	bool relaxed;       /* as precalculable, with loops of known bounds allowed */
};

/* The role of an instruction in staging: bringing tiles from global into shared memory through registers, in
 * software. Sets of arrays of shared memory have bit a for array a, in the order of their first stores in the code.
 * flow/staging.h defines which transfers count. */
struct mech_staging_inst {
	uint32_t pc;
	uint8_t loads;   /* it loads a tile's data from global memory */
	uint8_t handles; /* it moves loaded data on their way to the store, which is included */
	uint8_t stores;  /* it stores the data to shared memory */
	/* Address generation: it computes addresses of these loads and stores, or whether they run. */
	uint8_t addresses;
	bool own; /* only staging needs it */
};

/* Device memory: a variable, or an allocation of the program. */
struct mech_allocation {
	uint64_t first, end; /* from the first byte to before `end` */
	/* A variable's symbol; else the kernel parameter that points there, or "malloc 3": the program's third. */
	const char *name;
};

struct mech_launch {
	const char *kernel;
	uint64_t number; /* from 1 */
	struct mech_dim grid, block;
	uint32_t threads, warps; /* of a block */
	uint32_t shared_bytes;   /* of a block */
	uint32_t blocks_per_sm;  /* the maximum */
	uint32_t shared_taken;   /* bytes of an SM's shared memory that these blocks occupy */
	uint32_t instructions;   /* pcs are 0 to instructions - 1 */
	const uint32_t *line;    /* by pc: the line of the CUDA source; 0: not known */
	/* A loop reads global memory by volatile or ordered loads, or by exchanges: blocks may wait for others. */
	bool polls;
};

/* --- events --- */

struct mech_block {
	uint64_t number;
	struct mech_dim index;
	uint32_t sm, slot;          /* the SM's number; the block's slot there */
	uint32_t first_warp, warps; /* warp slots */
	uint64_t cycle;
};

/* How many blocks of the launch fit on an SM, by each resource; MECH_NOWHERE where the launch does not use one. */
struct mech_room {
	uint32_t slots, warps, registers, shared;
};

/* The next block, and an SM with a free slot for it. */
struct mech_dispatch {
	uint64_t block;
	uint32_t sm;
	uint64_t cycle;
};

/* A kernel that runs, as pick_kernel sees it from one SM. */
struct mech_running {
	const struct mech_launch *launch;
	uint64_t stream;    /* the number of its stream */
	int32_t priority;   /* of the stream; greater ones should go first */
	uint32_t registers; /* of a block */
	uint64_t next;      /* its next block: how many have started */
	uint64_t blocks;    /* of its grid */
	uint32_t resident;  /* its blocks on the SM */
	bool ready;         /* a block waits, and may start by the machine's launch latency */
	bool has_space;     /* the SM has space for another block of it */
};

/* An SM with space for a block, and all running kernels, by priority and start. */
struct mech_choice {
	uint32_t sm, count;
	const struct mech_running *kernel;
	uint64_t cycle;
};

/* The kernel's last block has ended. */
struct mech_end {
	uint64_t cycle;
};

enum mech_class { MECH_ARITHMETIC, MECH_SPECIAL, MECH_MEMORY, MECH_BRANCH, MECH_BARRIER, MECH_FENCE, MECH_EXIT };

enum mech_space { MECH_NO_SPACE, MECH_GENERIC, MECH_GLOBAL, MECH_SHARED, MECH_LOCAL, MECH_CONSTANT, MECH_PARAMETER };

/* The machine's own names (base/traffic.h). */
#define mech_kind   base_access_kind
#define MECH_LOAD   BASE_ACCESS_LOAD
#define MECH_STORE  BASE_ACCESS_STORE
#define MECH_ATOMIC BASE_ACCESS_ATOMIC

struct mech_issue {
	uint32_t warp, block, scheduler; /* slots; the scheduler's number */
	uint32_t pc, lanes;
	enum mech_class type;
	uint32_t opcode;  /* the PTX opcode: its row in ops.h */
	const char *name; /* the opcode's PTX name: "ld" */
	/* Memory instructions: the space as written. mech_operands() resolves MECH_GENERIC. */
	enum mech_space space;
	enum mech_kind kind;
	uint64_t cycle;
};

/* The operands of an instruction before it executes: mech_operands(). Entries of lanes that do not run have no
 * meaning. */
struct mech_operands {
	uint32_t lanes; /* active lanes whose predicate lets them run */
	uint32_t bytes; /* bytes that a lane accesses, all elements of a vector together; 0: no addresses */
	/* enum mech_space, never MECH_GENERIC; the address in that space: in the block's shared and the thread's
	 * local memory from 0 */
	uint8_t space[MECH_LANES];
	uint64_t address[MECH_LANES];
	/* Values in PTX order, without the address: for a store, the stored value. Register contents: bits above a
	 * narrower type have no meaning; predicates are 0 and 1. */
	uint32_t sources;
	uint64_t source[MECH_MAX_SOURCES][MECH_LANES];
};

/* The state of a warp: mech_look_at_warp(). */
struct mech_warp {
	bool live; /* the slot has a warp with a thread that has not exited; if false, all other members are 0 */
	uint32_t block, warp_of_block; /* its block's slot; its number in the block */
	uint64_t age;                  /* of two warps of an SM, the one with the lower age was launched first */
	uint32_t pc;                   /* its next instruction */
	bool at_barrier, at_fence;
	bool held, held_by_me; /* a mechanism holds the warp or its block; this mechanism holds the warp */
	bool has_instruction;  /* its next instruction is decoded */
	/* Registers of its next instruction that are still to be written; the subset that loads will write. */
	uint32_t waits_for, waits_for_loads;
	uint32_t in_flight;       /* issued instructions that are not complete */
	uint32_t stores, atomics; /* its requests without acknowledgement */
};

/* One transaction of a warp's memory instruction: bytes of one line. */
struct mech_transaction {
	uint64_t address;
	uint32_t bytes, lanes;
	bool in_buffer; /* a load whose bytes are in the buffer before L1 */
};

/* A warp's instruction on global or local memory at the load/store unit. */
struct mech_memory {
	uint32_t warp, block, warp_of_block; /* slots; the warp's number in its block */
	uint32_t pc, lanes;
	enum mech_kind kind;
	bool local;
	uint32_t transactions; /* 1 to MECH_MAX_ACCESSES, in no order; those of an atomic may overlap */
	const struct mech_transaction *transaction;
	uint64_t cycle;
};

/* A warp's instruction on shared memory at the load/store unit, which no other instruction passes. Addresses are
 * relative to the block's shared memory. */
struct mech_shared {
	uint32_t warp, block, warp_of_block; /* slots; the warp's number in its block */
	uint32_t pc, lanes;
	enum mech_kind kind;
	uint64_t first, end;  /* the lowest byte that a lane accesses; the byte after the highest one */
	uint32_t bank_cycles; /* cycles for which it occupies the banks */
	uint64_t cycle;
};

/* The result in L1: hit, miss, or merged with a miss on its way. In the buffer before L1: hit, or merged with bytes on
 * their way. Or MECH_BYPASS_L1: past both. A store that finds its bytes in the buffer is a buffer hit, and still goes
 * on. */
#define mech_result        base_access_result
#define MECH_HIT           BASE_ACCESS_HIT
#define MECH_MISS          BASE_ACCESS_MISS
#define MECH_MERGED        BASE_ACCESS_MERGED
#define MECH_BUFFER_HIT    BASE_ACCESS_BUFFER_HIT
#define MECH_BUFFER_MERGED BASE_ACCESS_BUFFER_MERGED
#define MECH_BYPASS_L1     BASE_ACCESS_BYPASS_L1

/* A transaction that was looked up; in a partition, a request that L2 looked up. Warp and block are slots of the SM
 * and valid where there is a pc. For a mechanism's request, `warp` is the warp bound to it, or MECH_NOBODY. */
struct mech_access {
	uint64_t address;
	uint32_t bytes;
	uint32_t sm, warp, block, pc;
	enum mech_kind kind;
	bool local;
	enum mech_result result;
	uint32_t brought_by; /* the mechanism that requested the line, found or on its way, or MECH_NOBODY */
	bool first_use;      /* no instruction accessed it before */
	uint32_t sender;     /* in a partition: the mechanism that sent this request, or MECH_NOBODY */
	uint64_t cycle;
};

/* Lines of a cache (base/traffic.h): struct mech_fill, a line arrived; struct mech_eviction, a line leaves. For the
 * owners of replacement: struct mech_use, a line is inserted, used or filled; struct mech_set of struct mech_way, a
 * full set. */
#define mech_fill     base_line_fill
#define mech_eviction base_line_eviction
#define mech_use      base_line_use
#define mech_way      base_line_way
#define mech_set      base_line_set
#define MECH_INSERTED BASE_LINE_INSERTED
#define MECH_USED     BASE_LINE_USED
#define MECH_FILLED   BASE_LINE_FILLED

/* A packet of a crossbar (base/traffic.h): struct mech_packet, with one of these kinds. */
#define mech_packet             base_packet
#define MECH_PACKET_LOAD        BASE_PACKET_LOAD
#define MECH_PACKET_STORE       BASE_PACKET_STORE
#define MECH_PACKET_ATOMIC      BASE_PACKET_ATOMIC
#define MECH_PACKET_LOCAL_LOAD  BASE_PACKET_LOCAL_LOAD
#define MECH_PACKET_LOCAL_STORE BASE_PACKET_LOCAL_STORE
#define MECH_PACKET_INSTRUCTION BASE_PACKET_INSTRUCTION
#define MECH_PACKET_CONSTANT    BASE_PACKET_CONSTANT
#define MECH_PACKET_WRITEBACK   BASE_PACKET_WRITEBACK
#define MECH_PACKET_FILL        BASE_PACKET_FILL
#define MECH_PACKET_L2_PREFETCH BASE_PACKET_L2_PREFETCH
#define MECH_PACKET_TEXTURE     BASE_PACKET_TEXTURE
#define MECH_PACKET_KINDS       BASE_PACKET_KINDS

/* DRAM (base/traffic.h): struct mech_command, a command; struct mech_queue of struct mech_waiting, the requests to
 * choose from. */
#define mech_command   base_dram_issue
#define mech_queue     base_dram_queue
#define mech_waiting   base_dram_waiting
#define MECH_ACTIVATE  BASE_DRAM_ACTIVATE
#define MECH_PRECHARGE BASE_DRAM_PRECHARGE
#define MECH_READ      BASE_DRAM_READ
#define MECH_WRITE     BASE_DRAM_WRITE

/* A scheduler's warps, for the warp order and for throttling. Sets are masks: bit b is the scheduler's b-th warp, in
 * slot b * schedulers + index. */
struct mech_warps {
	uint64_t live;        /* with a thread that has not exited */
	uint64_t held;        /* at a barrier or a fence, waiting for an atomic, held by a mechanism, or ended */
	uint64_t load_hazard; /* the next instruction waits for a register that a load will write */
	uint64_t older[MECH_MAX_SCHEDULER_WARPS]; /* by bit: the warps that were launched before it */
	uint64_t rank[MECH_RANKS]; /* by rank: its warps, when a mechanism ranks warps (mech_rank_warp()); else 0 */
	uint32_t index, warps;
	uint32_t last; /* the bit that issued last */
};

/* Returns the candidate that was launched first; at least one bit of `candidates` must be set. */
static inline uint32_t mech_oldest(const struct mech_warps *warps, uint64_t candidates)
{
	uint32_t best = (uint32_t)__builtin_ctzll(candidates);
	uint64_t older;
	while ((older = candidates & warps->older[best]) != 0)
		best = (uint32_t)__builtin_ctzll(older);
	return best;
}

/* Returns the candidate that was launched last; at least one bit must be set. */
static inline uint32_t mech_youngest(const struct mech_warps *warps, uint64_t candidates)
{
	uint32_t best = (uint32_t)__builtin_ctzll(candidates);
	for (uint64_t left = candidates & (candidates - 1); left; left &= left - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(left);
		if (warps->older[bit] >> best & 1)
			best = bit;
	}
	return best;
}

/* Returns the next candidate after the warp that issued last, round robin; at least one bit must be set. */
static inline uint32_t mech_next(const struct mech_warps *warps, uint64_t candidates)
{
	uint64_t behind = warps->last >= 63 ? 0 : candidates & ~((2ull << warps->last) - 1);
	return (uint32_t)__builtin_ctzll(behind ? behind : candidates);
}

#endif
