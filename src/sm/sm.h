/* sm: one streaming multiprocessor.
 *
 *   fetch -> decode -> instruction buffers -> issue (schedulers, scoreboard) -> operand collection -> execution units or
 *   load/store unit -> write-back
 * sm_tick() runs the stages once, last one first, as a pipeline drains. Between stages stand ports. Each stage has its own
 * file; what they share is this struct.
 */
#ifndef SLUICE_SM_SM_H
#define SLUICE_SM_SM_H

#include "base/port.h"
#include "base/table.h"
#include "memory/address_map.h"
#include "memory/cache.h"
#include "memory/crossbar.h"
#include "seam/seam.h"
#include "simt/simt.h"
#include "sm/config.h"
#include "sm/latch.h"

enum {
	SM_MAX_WARPS = MECH_MAX_WARPS,
	SM_WARP_WORDS = SM_MAX_WARPS / 64,
	SM_MAX_SCHEDULERS = MECH_MAX_SCHEDULERS,
	SM_MAX_SCHEDULER_WARPS = MECH_MAX_SCHEDULER_WARPS,
	SM_MAX_BLOCKS = MECH_MAX_BLOCKS,
	SM_MAX_COLLECTORS = 64, /* a bit each in sm.free and sm.complete */
	SM_MAX_BANKS = 32,      /* a bit each in sm.banks_waiting */
	SM_MAX_UNITS = 8, /* of one kind */
	SM_WHEEL = 512,   /* longest arithmetic latency; a power of two */
	SM_BUFFER = 2,    /* instructions in a warp's buffer */
	SM_SHARED_PIPE = 64,
	SM_L1_PIPE = 64, /* longest latency in front of L1's tags */
};

#define SM_COUNTERS(X)                                                                                                 \
	X(warp_instructions, "instructions", "warp instructions issued, exits included")                               \
	X(thread_instructions, "instructions",                                                                         \
	  "lanes that ran, summed over issued warp instructions; a branch counts the lanes that take it")              \
	X(sp_instructions, "instructions", "issued to the SP pipes")                                                   \
	X(sfu_instructions, "instructions", "issued to the SFU pipe")                                                  \
	X(mem_instructions, "instructions", "issued to the load/store pipe")                                           \
	X(global_loads, "instructions", "warp loads of global memory")                                                 \
	X(global_stores, "instructions", "warp stores to global memory")                                               \
	X(local_accesses, "instructions", "warp loads and stores of local memory")                                     \
	X(shared_accesses, "instructions", "warp loads, stores and atomics of shared memory")                          \
	X(constant_accesses, "instructions", "warp loads of constant memory and parameters")                           \
	X(atomics, "instructions", "warp atomics on global memory")                                                    \
	X(load_lanes, "lanes", "that loaded global or local memory, or ran an atomic on it")                           \
	X(store_lanes, "lanes", "that stored to global or local memory")                                               \
	X(shared_lanes, "lanes", "that accessed shared memory")                                                        \
	X(barriers, "instructions", "warp arrivals at a barrier")                                                      \
	X(branches, "instructions", "warp branches, calls and returns")                                                \
	X(divergent_branches, "instructions", "warp branches whose lanes went both ways")                              \
	X(active_cycles, "cycles", "cycles with a resident block")                                                     \
	X(resident_warp_cycles, "warps", "resident warps, summed over cycles")                                         \
	X(blocks, "blocks", "blocks that ended")                                                                       \
	X(fetches, "fetches", "accepted by the instruction cache")                                                     \
	X(buffer_flushes, "flushes", "instruction buffers emptied because control went elsewhere")                     \
	X(register_reads, "operands", "operands read from the register banks")                                         \
	X(register_conflicts, "operands",                                                                              \
	  "operand reads, summed over cycles, that waited for their bank or collector")                                \
	X(collector_full, "cycles", "cycles that an issued instruction waited for a collector unit")                   \
	X(result_bus_full, "cycles", "cycles that an instruction waited for a result-bus slot or its unit")            \
	X(shared_conflict_cycles, "cycles", "cycles beyond the first that shared-memory accesses held the banks")      \
	X(lsu_stall_cycles, "cycles", "cycles that the load/store unit could not finish its instruction")              \
	X(network_full, "cycles", "cycles that a request waited for room in the crossbar")                             \
	X(memory_requests, "requests", "loads and atomics sent beyond L1 that were answered")                          \
	X(memory_latency, "cycles", "summed over memory_requests: from L1's miss to the answer")                       \
	X(spill_loads, "instructions", "of local_accesses: loads of registers that a thread has no room for")          \
	X(spill_stores, "instructions", "of local_accesses: stores of such registers")                                 \
	X(stack_issued, "slots", "scheduler cycles that issued")                                                       \
	X(stack_arithmetic, "slots", "oldest ready-to-run warp waited for an arithmetic result")                       \
	X(stack_shared, "slots", "waited for data from shared memory")                                                 \
	X(stack_l1, "slots", "waited for data that L1 or the constant cache had")                                      \
	X(stack_l2, "slots", "waited for data that L2 had")                                                            \
	X(stack_dram, "slots", "waited for data from DRAM")                                                            \
	X(stack_barrier, "slots", "all warps with an instruction waited at a barrier or fence")                        \
	X(stack_held, "slots", "... or in blocks that a mechanism held; the oldest did")                               \
	X(stack_conflict, "slots", "an instruction was ready but its pipe had no room")                                \
	X(stack_no_instruction, "slots", "no warp had an instruction: fetch or a branch")                              \
	X(stack_idle, "slots", "no warp was alive")

_Static_assert(SM_MAX_WARPS % 64 == 0 && SM_MAX_WARPS <= 256, "sm.wants_fetch has whole words; a slot is a byte");
_Static_assert(SM_MAX_BLOCKS <= 256, "a warp's block is a byte");
_Static_assert(SM_MAX_UNITS <= 32, "wheel_slot.units has a bit a unit");
_Static_assert((int)MECH_MAX_ACCESSES == (int)OP_MAX_ACCESSES, "a mechanism sees all accesses of an instruction");

struct sm_stats {
#define X(name, unit, meaning) uint64_t name;
	SM_COUNTERS(X)
#undef X
};

/* A warp slot. */
struct sm_warp {
	struct simt_warp *simt;       /* NULL: empty */
	const struct simt_inst *inst; /* the next instruction, if it is in the buffer and not stale */
	struct scheduler *scheduler;
	uint64_t mask;       /* its bit in the scheduler's masks */
	uint32_t pc;         /* of what comes next out of the buffer, or into it when it is empty */
	uint8_t buffered;    /* instructions in the buffer */
	uint8_t slot;        /* its own number */
	uint8_t bit;         /* that bit's number */
	uint8_t pipes;       /* of the scheduler's unit[], those with its bit */
	uint8_t block;       /* block slot */
	bool waits_for_line; /* an instruction-cache miss */
	uint8_t misses;      /* of the instruction cache in a row, by the same instruction */
	bool fence;          /* held until its stores and loads are done */
	bool leaving;        /* at a fence or ended: what completes may let it go */
	uint32_t in_flight;  /* instructions between issue and completion */
	/* The scoreboard: registers that an instruction in flight will write, and of these those of loads, which may take
	 * long. Folded to 64 bits, as simt_inst.touches is; and in full where a program has more than 64 registers. */
	uint64_t folded, folded_load;
	uint64_t *pending, *pending_load;
	uint32_t stores, atomics; /* requests not yet acknowledged */
	uint64_t waited;          /* stack slots charged to a load whose level is not known yet */
};

/* A warp scheduler: sets of its warps as bit masks. */
struct scheduler {
	struct mech_warps seen;   /* what the owner of the warp order may see of them */
	uint64_t filled;          /* next instruction is in the buffer */
	uint64_t hazard;          /* next instruction waits for a register */
	uint64_t stale;           /* buffered instruction is not where the warp is */
	uint64_t unit[PTX_UNITS]; /* pipe of the next instruction (that is filled and not stale) */
	uint64_t told_live, told_held, told_load_hazard; /* with which the warp order was last asked who competes */
	bool issued;             /* in this cycle */
	uint8_t reason;          /* enum stack_reason of a cycle without issue */
	struct sm_warp *charged; /* the warp it waited for, when the level is not known yet */
};

/* Why a scheduler did not issue. */
enum stack_reason {
	STACK_ARITHMETIC,
	STACK_LOAD,
	STACK_BARRIER,
	STACK_HELD,
	STACK_CONFLICT,
	STACK_NO_INSTRUCTION,
	STACK_IDLE,
};

/* The collector units of one pipe. */
struct collector_set {
	uint64_t all;                /* as a bit mask */
	uint32_t last[SM_MAX_UNITS]; /* by out port: the one that went last */
};

/* Operands waiting at a register bank, in order: a list of reads. Read number collector * SIMT_MAX_READS + k is the
 * instruction's k-th of that collector unit. */
struct bank_queue {
	uint16_t first, last; /* of a bank in `banks_waiting` */
};

struct unit {
	uint64_t free_at;
};

/* Results that leave the arithmetic units in one cycle. */
struct wheel_slot {
	struct op *first; /* linked by op.next */
	uint32_t units;   /* which unit instances */
	uint32_t count;
};

struct shared_pipe_slot {
	struct op *op;
	uint64_t ready;
};

/* An access that waits for bytes on their way to the buffer in front of L1. */
struct buffer_waiter {
	struct op *op;
	uint64_t line;
	uint8_t missing; /* 32-byte pieces of the line; 0: it can be answered */
};

/* What keeps the load/store unit's instruction; only replies and room in the network end it. */
enum blocked { NOT_BLOCKED, BLOCKED_BY_NETWORK, BLOCKED_BY_L1D, BLOCKED_BY_L1C };

/* Accesses on their way to L1's tags. */
struct l1_pipe_slot {
	struct request *request;
	uint64_t ready;
	struct mech_access access; /* where a mechanism looks at them */
};

struct l1_pipe {
	struct l1_pipe_slot slot[SM_L1_PIPE]; /* ring */
	uint32_t head, count;
};

struct load_store {
	struct op *current;      /* the instruction whose accesses are being made */
	struct request *offered; /* its access that was turned away */
	uint8_t blocked;         /* enum blocked, of this cycle */
	bool busy;               /* holds something */
	bool l1_is_used;         /* by an instruction's access in this cycle */
	struct shared_pipe_slot shared_pipe[SM_SHARED_PIPE];
	uint32_t shared_head, shared_count;
	bool shared_is_used; /* in this cycle, by what came for the buffer in it or by a load that waited for that */
	struct buffer_waiter waiter[MECH_MAX_BUFFER_MERGES];
	uint32_t waiters, ready_waiters;
	struct op *write_back;    /* registers to be written as soon as their banks are free */
	struct request *bypassed; /* an answer that does not go through a cache */
	uint32_t arbiter;         /* client that is asked first */
	struct l1_pipe l1_pipe;   /* empty where L1 answers at once */
	struct cache l1d, l1c;
};

/* A block slot. */
struct sm_block {
	struct simt_block simt;
	uint32_t alive; /* warps whose slot is in use; 0: free */
	uint32_t first_warp;
};

struct sm {
	struct sm_config config;
	uint32_t index, sms; /* which of how many */
	struct arena arena;
	struct op_pool ops;
	struct request_pool *requests;
	struct seam_sm *seam;        /* the mechanisms */
	uint64_t cycle, now, period; /* core cycles; simulated time, and of it a core cycle */
	uint64_t wake;               /* time of the next tick that can do something */
	uint64_t accounted;          /* cycles whose slots are in the stack */

	/* the launch */
	const struct simt_launch *launch;
	uint32_t warps_per_block, block_limit, resident;
	uint32_t live_warps;       /* with a thread that has not exited */
	uint32_t pending_words;    /* of a warp's scoreboard in full; 0: its folded sets say all */
	uint32_t pending_capacity; /* words that the warps have */
	struct sm_block block[SM_MAX_BLOCKS];
	struct sm_warp warp[SM_MAX_WARPS];

	/* fetch */
	uint64_t wants_fetch[SM_WARP_WORDS];
	uint64_t ended[SM_WARP_WORDS]; /* warps whose slots are to be freed */
	uint32_t last_fetched;
	struct sm_warp *fetched;       /* whose instructions come out of the cache now, or NULL */
	struct request *fetch_request; /* kept for the next fetch while the cache does not take it */
	struct cache l1i;

	/* issue */
	struct scheduler scheduler[SM_MAX_SCHEDULERS];
	struct latch issued[PTX_UNITS]; /* to operand collection */
	uint64_t by_unit[PTX_UNITS];    /* instructions issued in this launch */
	uint64_t issues;                /* numbers them */
	struct simt_step step[SM_MAX_SCHEDULERS];
	struct simt_warp *to_commit[SM_MAX_SCHEDULERS]; /* by step; NULL: nothing */
	bool commits;
	struct simt_fault fault;

	/* operand collection */
	struct op *collecting[SM_MAX_COLLECTORS]; /* by collector unit */
	struct collector_set set[PTX_UNITS];
	uint64_t free, complete; /* collector units of all pipes; complete: has all its operands */
	uint32_t collectors;
	uint32_t arbitration;               /* diagonal that the bank arbiter walks first */
	uint32_t unread[SM_MAX_COLLECTORS]; /* operands still to come */
	struct bank_queue bank[SM_MAX_BANKS];
	uint16_t next_read[SM_MAX_COLLECTORS * SIMT_MAX_READS]; /* behind a read in its bank's list */
	uint32_t banks_waiting;                                 /* banks with reads queued */
	uint32_t banks_written;                                 /* in this cycle */
	struct latch collected[PTX_UNITS];                      /* to the units */

	/* execution */
	struct unit unit[PTX_UNITS][SM_MAX_UNITS];
	struct wheel_slot wheel[SM_WHEEL];
	uint32_t in_wheel;
	struct load_store lsu;

	/* the memory system */
	const struct address_map *map;
	struct crossbar *network; /* requests go in at input `index` */
	uint32_t sends_refused;   /* in this cycle, for want of room in the network */
	bool network_opens;       /* ... that will be there in the next */
	struct port from_network;
	uint64_t local_pitch; /* bytes between two words of a thread's local memory */

	struct sm_stats stats;
};

/* The SM's part of the mechanisms has an owner of the warp order. */
void sm_open(struct sm *sm, uint32_t index, uint32_t sm_count, const struct sm_config *config, struct seam_sm *seam,
             const struct address_map *map, struct request_pool *requests, uint64_t period);
void sm_close(struct sm *sm);

/* Prepares for a launch with at most `block_limit` resident blocks. */
void sm_begin(struct sm *sm, const struct simt_launch *launch, uint32_t block_limit);
/* After the last block: drops what must not outlive a kernel. */
void sm_end(struct sm *sm);

/* True when a block may be started; starts block `number`, which runs from the next cycle on, and returns its slot. */
static inline bool sm_has_room(const struct sm *sm)
{
	return sm->resident < sm->block_limit;
}
uint32_t sm_start_block(struct sm *sm, uint64_t number, uint64_t cycle, uint64_t now);

/* Zero-latency memory: the answer stands at the port of the replies, to be seen in the next cycle. False: it is full. Nobody
 * else may send the SM anything. */
bool sm_answer_at_once(struct sm *sm, struct request *request, uint64_t now);

/* What a mechanism has asked for on an SM's behalf, as a request; its place in memory is to be found yet. */
struct request *sm_request_for(uint32_t sm, struct seam_sent *sent, struct request_pool *pool);

/* True when some byte of L1's line at the address can be accessed by the kernel: it is in an allocation, a variable or local
 * memory. */
bool sm_reaches(const struct sm *sm, uint64_t address);

/* One core cycle. Sets sm->wake. */
void sm_tick(struct sm *sm, uint64_t cycle, uint64_t now);
/* Makes this cycle's global stores and atomics; all SMs' in order, after all have ticked. */
void sm_commit(struct sm *sm);
/* Charges the cycles up to `cycle` that were slept through. */
void sm_account(struct sm *sm, uint64_t cycle);

extern const struct counter sm_counters[];
extern const size_t sm_counter_count;

#endif
