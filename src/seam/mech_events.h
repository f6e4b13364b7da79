/* mech_events: what hooks are shown: the machine, a launch, and what happens there. A mechanism includes seam/mech.h, which includes this. */
#ifndef SLUICE_SEAM_MECH_EVENTS_H
#define SLUICE_SEAM_MECH_EVENTS_H

#include "base/traffic.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	MECH_MAX = 16, /* mechanisms attached at a time */
	/* slots of an SM, of whatever machine: one with more is refused */
	MECH_MAX_WARPS = 128,
	MECH_MAX_BLOCKS = 64,
	MECH_MAX_SCHEDULERS = 8,
	MECH_MAX_SCHEDULER_WARPS = 64, /* of these, one scheduler's: as many as a mask has bits */
	MECH_MAX_ACCESSES = 128,       /* of a warp instruction: 16 bytes a lane of local memory */
	MECH_PC_BITS = ACCESS_PC_BITS,
	MECH_NO_PC = ACCESS_NO_PC, /* not on behalf of an instruction */
	MECH_MAX_ANSWER = 1 << 20, /* cycles to the answer of a miss */
	MECH_MAX_WORDS = 256,      /* of shared memory, that a request's data go to */
	MECH_MAX_LATENCY = 500,    /* cycles of an instruction in its unit */
	MECH_SECTOR = 32,          /* bytes in which parts of lines are counted */
	MECH_PASSES_SIZE = 1024,   /* of what rewrite writes */
	MECH_LANES = 32,           /* of a warp */
	MECH_MAX_SOURCES = 8,      /* values that an instruction reads */
	MECH_MAX_VECTOR = 65536,   /* elements of a vector of counters */
	MECH_RANKS = 4,            /* of warps: 0, where all begin, to 3 */
	MECH_STAGED_ARRAYS = 8,    /* of shared memory that are told apart; the last takes the rest, too */
};
#define MECH_NEVER UINT64_MAX
#define MECH_NOWHERE UINT32_MAX
#define MECH_NOBODY  ACCESS_NOBODY /* the number of no mechanism */

struct mech_dim {
	uint32_t x, y, z;
};

/* The machine, as far as it matters to mechanisms. Per SM, but for what lies beyond it. */
struct mech_machine {
	uint32_t sms, partitions;
	uint32_t warps, blocks, schedulers; /* slots */
	uint32_t shared_bytes, registers;
	uint32_t shared_banks; /* of 4 bytes each */
	uint32_t channels, dram_banks; /* of DRAM; of each channel */
	uint32_t line_bytes, l1_sets, l1_ways, l1_mshrs;
	uint32_t l1_sector_bytes; /* line_bytes, where L1's lines come and go whole; */
	uint32_t l2_sector_bytes; /* of L2: its line's, where its lines do */
	double core_mhz, l2_mhz, dram_mhz; /* of the SMs, of the slices, of DRAM's commands */
	uint32_t send_queue; /* requests that wait, of each SM and of the dispatcher */
};

/* --- what is known of a launch --- */

/* A row: bytes that a block reads of one array, an affine footprint of the block's index: from
 *   base + low  + ctaid.x * low_by[0]  + ctaid.y * low_by[1]  + ctaid.z * low_by[2]   up to, and not with,
 *   base + high + ctaid.x * high_by[0] + ...
 * clipped to [first, end), the array's allocation. */
struct mech_row {
	uint64_t base, first, end;
	int64_t low, high, low_by[3], high_by[3];
	uint32_t pc;    /* of the first load that it serves, or MECH_NO_PC */
	uint64_t reads; /* lanes' reads of a block that it serves; 0: not known */
};

/* What the blocks of a launch read, as far as it is known before it runs. */
struct mech_rows {
	const struct mech_row *row;
	uint32_t rows;
	bool announced;        /* by the program, not found by analysis */
	uint32_t dropped;      /* rows for which there was no place */
	uint64_t dropped_reads; /* and their lanes' reads of a block */
};

/* Which indexes on loops' induction variables are taken for calculable. */
enum mech_loops {
	MECH_NO_LOOPS,       /* none */
	MECH_LOOPS_IN_CODE,  /* of loops whose bounds stand in the code */
	MECH_LOOPS_AT_LAUNCH, /* and of those whose bounds depend on the kernel's arguments */
};

/* A load of the kernel, or of a function that it calls, from global memory or where it may be that, as the static analyzer sees it. */
struct mech_load {
	uint32_t pc, line;
	bool indirect;       /* its address comes out of memory (flow/indirect.h) */
	bool precalculable;  /* strictly: of thread and block indexes, parameters and constants; never of a called function's */
	bool relaxed;        /* the same when loops with known bounds count too */
};

/* What an instruction does to stage tiles: to bring them from global into shared memory through registers, as software does without
 * hardware's help. Sets of arrays of shared memory, bit a for array a, in the order of their first stores in the code. What a transfer
 * is and what is not says flow/staging.h. */
struct mech_staging_inst {
	uint32_t pc;
	uint8_t loads;     /* it loads for a tile from global memory */
	uint8_t handles;   /* it has what was loaded on its way, as the store does at last: */
	uint8_t stores;    /* it stores that to shared memory */
	uint8_t addresses; /* address generation: the addresses, and whether loads and stores run */
	bool own;          /* nothing but staging needs it */
};

/* Device memory: a variable, or what the program has allocated. */
struct mech_allocation {
	uint64_t first, end; /* from the first byte up to, and not with, end */
	const char *name; /* of a variable its symbol; else the kernel's parameter that points there, or "malloc 3": the program's third */
};

struct mech_launch {
	const char *kernel;
	uint64_t number; /* of the launch, from 1 */
	struct mech_dim grid, block;
	uint32_t threads, warps;   /* of a block */
	uint32_t shared_bytes;     /* of a block */
	uint32_t blocks_per_sm;    /* at most */
	uint32_t shared_taken;     /* bytes of an SM's shared memory that so many blocks take */
	uint32_t instructions;     /* pcs are 0 .. instructions - 1 */
	const uint32_t *line;      /* by pc: the line in the CUDA source; 0: not known */
	bool polls; /* a loop reads global memory by volatile or ordered loads, or by an exchange: blocks may wait for others there */
};

/* --- events --- */

struct mech_block {
	uint64_t number;
	struct mech_dim index;
	uint32_t sm, slot;          /* which SM; its slot there */
	uint32_t first_warp, warps; /* warp slots */
	uint64_t cycle;
};

/* How many blocks of the launch an SM has room for, as each thing limits them; what the launch does not use limits nothing: MECH_NOWHERE. */
struct mech_room {
	uint32_t slots, warps, registers, shared;
};

/* The next block, and an SM that has room for it. */
struct mech_dispatch {
	uint64_t block;
	uint32_t sm;
	uint64_t cycle;
};

/* The kernel's last block has ended. */
struct mech_end {
	uint64_t cycle;
};

enum mech_class { MECH_ARITHMETIC, MECH_SPECIAL, MECH_MEMORY, MECH_BRANCH, MECH_BARRIER, MECH_FENCE, MECH_EXIT };

enum mech_space { MECH_NO_SPACE, MECH_GENERIC, MECH_GLOBAL, MECH_SHARED, MECH_LOCAL, MECH_CONSTANT, MECH_PARAMETER };

/* What the machine calls the same. */
#define mech_kind access_kind
#define MECH_LOAD ACCESS_LOAD
#define MECH_STORE ACCESS_STORE
#define MECH_ATOMIC ACCESS_ATOMIC

struct mech_issue {
	uint32_t warp, block, scheduler; /* slots; the scheduler's number */
	uint32_t pc, lanes;
	enum mech_class type;
	uint32_t opcode;  /* of PTX: its row in ops.h, */
	const char *name; /* and as PTX writes it: "ld" */
	/* of memory instructions: the space as written, which mech_operands() resolves where it is MECH_GENERIC */
	enum mech_space space;
	enum mech_kind kind;
	uint64_t cycle;
};

/* What an instruction is about to be run with: mech_operands(). What is said of lanes that do not run means nothing. */
struct mech_operands {
	uint32_t lanes; /* active lanes whose predicate lets them run */
	uint32_t bytes; /* that a lane accesses, all elements of a vector together; 0: no addresses */
	/* enum mech_space, never MECH_GENERIC; the address there, from the start of the block's shared and the thread's local memory on */
	uint8_t space[MECH_LANES];
	uint64_t address[MECH_LANES];
	/* Values in the order of PTX, without the address: of a store, what it stores. As they lie in registers: what is above a
	 * narrower type means nothing; predicates are 0 and 1. */
	uint32_t sources;
	uint64_t source[MECH_MAX_SOURCES][MECH_LANES];
};

/* How a warp stands: mech_look_at_warp(). */
struct mech_warp {
	bool live;     /* there is a warp in the slot, with a thread that has not exited. If not, all else is 0 */
	uint32_t block, warp_of_block; /* its block's slot; its number in the block */
	uint64_t age;  /* of two warps of an SM that with less was launched first */
	uint32_t pc;   /* of its next instruction */
	bool at_barrier, at_fence;
	bool held, held_by_me; /* by a mechanism, it or its block; by this one, it alone */
	bool has_instruction;  /* its next instruction is decoded: */
	uint32_t waits_for, waits_for_loads; /* registers that it reads or writes and that are to be written yet; of these, by loads */
	uint32_t in_flight;       /* instructions that have issued and are not complete */
	uint32_t stores, atomics; /* requests of it that are not acknowledged */
};

/* One transaction of a warp's memory instruction: bytes of a line. */
struct mech_transaction {
	uint64_t address;
	uint32_t bytes, lanes;
	bool in_buffer; /* a load whose bytes are in the buffer that answers before L1 */
};

/* A warp's instruction on global or local memory that comes to the load/store unit. */
struct mech_memory {
	uint32_t warp, block, warp_of_block; /* slots; the warp's number in its block */
	uint32_t pc, lanes;
	enum mech_kind kind;
	bool local;
	uint32_t transactions; /* 1 .. MECH_MAX_ACCESSES, in no order; those of an atomic can touch the same bytes */
	const struct mech_transaction *transaction;
	uint64_t cycle;
};

/* A warp's instruction on shared memory at the load/store unit, which lets no other pass. Addresses count from the start of the block's. */
struct mech_shared {
	uint32_t warp, block, warp_of_block; /* slots; the warp's number in its block */
	uint32_t pc, lanes;
	enum mech_kind kind;
	uint64_t first, end;  /* the lowest byte that a lane accesses; behind the highest one */
	uint32_t bank_cycles; /* for which it has the banks */
	uint64_t cycle;
};

/* Of L1: hit, missed, merged with a miss on its way; of the buffer in front of it: hit, or waits there for bytes on their way to
 * it; past both. A store that finds its bytes in the buffer is a hit of the buffer, though it goes on. */
#define mech_result access_result
#define MECH_HIT ACCESS_HIT
#define MECH_MISS ACCESS_MISS
#define MECH_MERGED ACCESS_MERGED
#define MECH_BUFFER_HIT ACCESS_BUFFER_HIT
#define MECH_BUFFER_MERGED ACCESS_BUFFER_MERGED
#define MECH_PAST_L1 ACCESS_PAST_L1

/* A transaction that was looked up. In a partition: a request that L2 looked up. Warp and block are slots of the SM, and mean something where
 * there is a pc; of a mechanism's request, `warp` is the one that is bound to it, or MECH_NOBODY. */
struct mech_access {
	uint64_t address;
	uint32_t bytes;
	uint32_t sm, warp, block, pc;
	enum mech_kind kind;
	bool local;
	enum mech_result result;
	uint32_t brought_by; /* who sent for the line that was found or is on its way: a mechanism or MECH_NOBODY; */
	bool first_use;      /* no instruction came for it before */
	uint32_t sender;     /* in a partition: the mechanism whose request this is, or MECH_NOBODY */
	uint64_t cycle;
};

/* Lines of a cache (base/traffic.h): one has come, struct mech_fill; one goes, struct mech_eviction; for the owners of replacement, one is
 * inserted, used or filled, struct mech_use, and one of a full set has to go, struct mech_set of struct mech_way. */
#define mech_fill     line_fill
#define mech_eviction line_eviction
#define mech_use      line_use
#define mech_way      line_way
#define mech_set      line_set
#define MECH_INSERTED LINE_INSERTED
#define MECH_USED     LINE_USED
#define MECH_FILLED   LINE_FILLED

/* A packet of a crossbar (base/traffic.h), struct mech_packet, whose kind is one of these. */
#define mech_packet             packet
#define MECH_PACKET_LOAD        PACKET_LOAD
#define MECH_PACKET_STORE       PACKET_STORE
#define MECH_PACKET_ATOMIC      PACKET_ATOMIC
#define MECH_PACKET_LOCAL_LOAD  PACKET_LOCAL_LOAD
#define MECH_PACKET_LOCAL_STORE PACKET_LOCAL_STORE
#define MECH_PACKET_INSTRUCTION PACKET_INSTRUCTION
#define MECH_PACKET_CONSTANT    PACKET_CONSTANT
#define MECH_PACKET_WRITEBACK   PACKET_WRITEBACK
#define MECH_PACKET_FILL        PACKET_FILL
#define MECH_PACKET_L2_PREFETCH PACKET_L2_PREFETCH
#define MECH_PACKET_TEXTURE     PACKET_TEXTURE
#define MECH_PACKET_KINDS       PACKET_KINDS

/* DRAM (base/traffic.h): a command, struct mech_command; the requests of which one is next, struct mech_queue of struct mech_waiting. */
#define mech_command   dram_issue
#define mech_queue     dram_queue
#define mech_waiting   dram_waiting
#define MECH_ACTIVATE  DRAM_ACTIVATE
#define MECH_PRECHARGE DRAM_PRECHARGE
#define MECH_READ      DRAM_READ
#define MECH_WRITE     DRAM_WRITE

/* A scheduler's warps, for the warp order and for throttling. Sets are masks: bit b is its b-th warp, which has the slot
 * b * schedulers + index. */
struct mech_warps {
	uint64_t live;        /* have a thread that has not exited */
	uint64_t held;        /* at a barrier or a fence, waiting for an atomic, held by a mechanism, or ended */
	uint64_t load_hazard; /* next instruction waits for a register that a load will write */
	uint64_t older[MECH_MAX_SCHEDULER_WARPS]; /* by bit: the warps that were launched before */
	uint64_t rank[MECH_RANKS]; /* those of each rank, where somebody ranks warps: mech_rank_warp(); else none */
	uint32_t index, warps;
	uint32_t last; /* bit that issued last */
};

/* Of some candidates, not none: the one that was launched first, */
static inline uint32_t mech_oldest(const struct mech_warps *warps, uint64_t candidates)
{
	uint32_t best = (uint32_t)__builtin_ctzll(candidates);
	uint64_t older;
	while ((older = candidates & warps->older[best]) != 0)
		best = (uint32_t)__builtin_ctzll(older);
	return best;
}

/* and the one that was launched last. */
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

/* The next candidate behind the warp that issued last, round robin. */
static inline uint32_t mech_next(const struct mech_warps *warps, uint64_t candidates)
{
	uint64_t behind = warps->last >= 63 ? 0 : candidates & ~((2ull << warps->last) - 1);
	return (uint32_t)__builtin_ctzll(behind ? behind : candidates);
}

#endif
