/* mech: what a mechanism is to the machine, and the machine to a mechanism. A mechanism of one's own includes this file and
 * nothing else of the simulator (docs/your-mechanism.md), but for flow/pass.h where it brings passes over PTX (docs/passes.md).
 *
 * A mechanism is one constant `struct mech`: who it is, its options and counters as tables, and hooks that the machine
 * calls. Hooks are of four kinds:
 *   look   any number of mechanisms, read only; their order does not matter
 *   veto   any number; the machine acts only if all agree
 *   pick   one owner a seat; two owners are a configuration error
 *   send   the mechanism asks for lines with mech_send(); the machine owns the queue, serves it, and keeps accounts
 * and effects, with which a mechanism holds blocks and lets them go. Before all this it may rewrite the code.
 *
 * State has one of three scopes. `struct mech_sm` is the mechanism's part of one SM; `struct mech_partition` that of one L2
 * slice; `struct mech_gpu` its part of the whole GPU, at the dispatcher. Several host threads may simulate: a hook of an SM
 * or a partition touches nothing but its own part. A hook of the GPU is called while all else stands still, and may touch
 * every SM's part. Nothing that a hook does may depend on anything but what it is given: never on the host, its addresses
 * or the time of day. A mechanism may change time, never results.
 *
 * What a hook returns and what it asks for is checked. What is wrong is the mechanism's mistake: the kernel stops, and its
 * launch fails with a message that names mechanism, hook and cycle. A kernel that was stopped, by this or anything else, has
 * its kernel_end hooks called like any other; then the machine is opened anew, with states that are zero, and the open hooks
 * are called again.
 *
 * Cycles are core cycles, at partitions L2 cycles, counted from the machine's opening. Addresses are bytes of device memory.
 *
 * The file is C17 and C++17.
 */
#ifndef SLUICE_SEAM_MECH_H
#define SLUICE_SEAM_MECH_H

#include "base/table.h"
#include "base/traffic.h"

#include <stdbool.h>
#include <stdint.h>

/* Changes whenever this file does so that what was compiled before would go wrong. */
enum { MECH_VERSION = 4 };

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
	MECH_SECTOR = 32,          /* bytes in which parts of lines are counted */
	MECH_PASSES_SIZE = 1024,   /* of what rewrite writes */
	MECH_LANES = 32,           /* of a warp */
	MECH_MAX_SOURCES = 6,      /* values that an instruction reads */
	MECH_MAX_VECTOR = 65536,   /* elements of a vector of counters */
};
#define MECH_NEVER UINT64_MAX
#define MECH_NOWHERE UINT32_MAX
#define MECH_NOBODY  ACCESS_NOBODY /* the number of no mechanism */

struct mech_dim {
	uint32_t x, y, z;
};

/* The machine, as far as it matters to mechanisms. Per SM but for the first two. */
struct mech_machine {
	uint32_t sms, partitions;
	uint32_t warps, blocks, schedulers; /* slots */
	uint32_t shared_bytes, registers;
	uint32_t line_bytes, l1_sets, l1_ways, l1_mshrs;
	uint32_t l1_sector_bytes; /* line_bytes, where L1's lines come and go whole */
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

/* A global load of the kernel, as the static analyzer sees it. */
struct mech_load {
	uint32_t pc, line;
	bool indirect;       /* its address comes out of memory */
	bool precalculable;  /* strictly: of thread and block indexes, parameters and constants */
	bool relaxed;        /* the same when loops with known bounds count too */
};

struct mech_launch {
	const char *kernel;
	uint64_t number; /* of the launch, from 1 */
	struct mech_dim grid, block;
	uint32_t threads, warps;   /* of a block */
	uint32_t shared_bytes;     /* of a block */
	uint32_t blocks_per_sm;    /* at most */
	uint32_t instructions;     /* pcs are 0 .. instructions - 1 */
	const uint32_t *line;      /* by pc: the line in the CUDA source; 0: not known */
};

/* --- events --- */

struct mech_block {
	uint64_t number;
	struct mech_dim index;
	uint32_t sm, slot;          /* which SM; its slot there */
	uint32_t first_warp, warps; /* warp slots */
	uint64_t cycle;
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
 * there is a pc. */
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

/* DRAM (base/traffic.h): a command, struct mech_command; the requests of which one is next, struct mech_queue of struct mech_waiting. */
#define mech_command   dram_issue
#define mech_queue     dram_queue
#define mech_waiting   dram_waiting
#define MECH_ACTIVATE  DRAM_ACTIVATE
#define MECH_PRECHARGE DRAM_PRECHARGE
#define MECH_READ      DRAM_READ
#define MECH_WRITE     DRAM_WRITE

/* --- requests --- */

enum mech_place {
	MECH_TO_L1,
	MECH_TO_BUFFER, /* the one that answers before L1 */
	MECH_TO_NOTHING, /* the data are dropped when they come: their traffic is all that is wanted */
};

struct mech_request {
	uint64_t address; /* a multiple of MECH_SECTOR */
	uint32_t bytes;   /* 1 .. a line, within the line; to L1: the whole sector of L1 is fetched that address lies in */
	enum mech_place to;
	uint32_t pc;    /* of the load on whose behalf: one of the kernel's, or MECH_NO_PC */
	uint32_t block; /* to the buffer: slot of the block whose the line is. One that has ended wants nothing: redundant */
	uint64_t tag;   /* whatever the sender wants to find in the reply */
	bool urgent;    /* memory controllers serve it before others */
};

struct mech_reply {
	struct mech_request request;
	bool filtered; /* the line was there, or on its way: nothing was sent */
	bool outside;  /* the line is no memory: nothing was sent */
	uint64_t sent, cycle;
};

/* The account of a sender, in all and per load. asked = dropped + outside + filtered + issued, and when a kernel has ended
 * issued = useful + late + early_evicted + redundant. Prefetchers run past the ends of arrays by nature: a line in which no
 * allocation, variable or local memory has a byte is not sent but counted as outside. L1 knows what is on its way to it, and
 * what it would be asked for in vain, since the buffer in front of it has it: both is filtered. Requests to the buffer are never
 * filtered, and late only where loads wait for them (struct mech_buffer): else an instruction that is too early goes its usual
 * way. */
#define MECH_REQUEST_COUNTERS(X)                                                                                       \
	X(asked, "requests", "lines that the mechanism asked for")                                                     \
	X(dropped, "requests", "turned away because the queue was full, or still in it at the kernel's end")           \
	X(outside, "requests", "not sent: the line lies outside every allocation")                                     \
	X(filtered, "requests", "not sent: the line was there or on its way")                                          \
	X(issued, "requests", "sent to memory")                                                                        \
	X(useful, "requests", "brought a line that an instruction then found")                                         \
	X(late, "requests", "still on their way when an instruction wanted the line")                                  \
	X(early_evicted, "requests", "brought a line that was replaced before an instruction wanted it")               \
	X(redundant, "requests", "brought a line that nobody wanted, or that was there when it came")

struct mech_requests {
#define X(name, unit, meaning) uint64_t name;
	MECH_REQUEST_COUNTERS(X)
#undef X
};

/* --- a mechanism's parts --- */

struct mech;
struct mech_gpu;
struct mech_services;

/* What a part prints beside its counters, for mech_count() and mech_observe(). */
struct mech_output {
	void (*count)(struct mech_output *output, uint32_t vector, uint32_t index, uint64_t amount);
	void (*observe)(struct mech_output *output, uint32_t vector, uint64_t value);
};

/* Memory of a part, for mech_alloc(). */
struct mech_pool {
	void *(*alloc)(struct mech_pool *pool, size_t bytes);
};

struct mech_sm {
	const struct mech *mech;
	const void *config;
	void *state; /* sm_size bytes, zero when the machine is opened; NULL: none */
	void *stats; /* of this SM; they are summed */
	uint32_t sm, number; /* which SM; which of the attached mechanisms */
	const struct mech_machine *machine;
	const struct mech_launch *launch; /* NULL between kernels */
	const struct mech_gpu *gpu;       /* to be read: it changes only while SMs stand still */
	struct mech_pool *pool;           /* memory that lives as long as the machine, */
	struct mech_pool *kernel_pool;    /* and until the kernel's last hook, between kernels that of the next */
	struct mech_output *output;
	const struct mech_services *services;
	void *host;
};

struct mech_partition {
	const struct mech *mech;
	const void *config;
	void *state; /* partition_size bytes */
	void *stats;
	uint32_t slice, number;
	const struct mech_machine *machine;
	const struct mech_launch *launch;
	const struct mech_gpu *gpu; /* to be read: it changes only while partitions stand still */
	struct mech_pool *pool, *kernel_pool;
	struct mech_output *output;
	void *host;
};

struct mech_gpu {
	const struct mech *mech;
	const void *config;
	void *state; /* gpu_size bytes */
	void *stats;
	uint32_t number;
	const struct mech_machine *machine;
	const struct mech_launch *launch;
	struct mech_pool *pool, *kernel_pool;
	struct mech_output *output;
	const struct mech_services *services;
	void *host;
};

/* How requests of the dispatcher stand against those of SMs where both want one way. */
enum mech_preference { MECH_FAIR, MECH_BEFORE_SMS, MECH_AFTER_SMS, MECH_ALTERNATE };

/* The buffer that answers before L1, as its owner wants it. */
struct mech_buffer {
	uint32_t sets;  /* a power of two, to MECH_MAX_BUFFER_SETS */
	uint32_t ways;  /* at most; 0: no limit but that of the memory that it lies in */
	bool in_shared; /* it lies in shared memory of `bytes`: what resident blocks have allocated is not there, and what comes for
	                 * it takes a cycle of that memory */
	uint32_t bytes; /* at least a way; 0 where it does not lie there */
	uint32_t merges; /* transactions of loads that can wait for bytes on their way to it; 0: they go their usual way */
};
enum { MECH_MAX_BUFFER_SETS = 65536, MECH_MAX_BUFFER_MERGES = 64 };

/* What a mechanism's hardware costs. */
struct mech_cost {
	const char *what, *unit;
	double value;
};
enum { MECH_MAX_COSTS = 32 };

/* --- seats --- */

enum mech_seat {
	MECH_SEAT_WARP_ORDER = 1,      /* which of the warps that can issue goes first */
	MECH_SEAT_BLOCK_COUNT = 2,     /* blocks an SM */
	MECH_SEAT_BLOCK_PLACE = 4,     /* the SM that gets the next block */
	MECH_SEAT_BUFFER = 8,          /* the buffer that answers before L1 */
	MECH_SEAT_L1_REPLACEMENT = 16, /* which line of L1 goes for another */
	MECH_SEAT_L2_REPLACEMENT = 32, /* the same of L2 */
	MECH_SEAT_L1_MISS = 64,        /* what answers misses of L1, behind it and before the network */
	MECH_SEAT_DRAM = 128,          /* which request a DRAM channel serves next */
	MECH_SEATS_END = 256,          /* no seat: behind the last */
};

/* A scheduler's warps, for the warp order and for throttling. Sets are masks: bit b is its b-th warp, which has the slot
 * b * schedulers + index. */
struct mech_warps {
	uint64_t live;        /* have a thread that has not exited */
	uint64_t held;        /* at a barrier or a fence, waiting for an atomic, held by a mechanism, or ended */
	uint64_t load_hazard; /* next instruction waits for a register that a load will write */
	uint64_t older[MECH_MAX_SCHEDULER_WARPS]; /* by bit: the warps that were launched before */
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

/* --- looks and vetoes --- */

/* A row each, of which the member of struct mech, the list of who has the hook and its caller (seam/seam.h) are made: name, event, when it is
 * called. A look is `void hook(part, const struct event *)`, a veto `bool hook(part, const struct event *)`.
 *
 * Of a veto all mechanisms are asked, though one has refused. An answer may be another one each time: it may depend on the cycle and on how
 * often was asked, which is the same in every run, with and without launch.sleep. Who always refuses stalls the machine.
 * may_start: once for each block, behind block_begin, while the dispatcher places it and all else stands still. False: its warps do not issue until
 * mech_release_block().
 * may_issue: by a scheduler, of a warp that could issue and that the warp order picks, at most once a cycle; refused, the next pick is asked for, and
 * the warp again in the next cycle.
 * may_allocate: by the load/store unit, once for each transaction of a global load that would look in L1, when it is first tried; the answer
 * stands, however long the transaction waits. False: it goes past L1. `result` says nothing yet.
 * may_dispatch: at most once a cycle for an SM and a block, and again each cycle while blocks and room are left.
 * may_end: in each cycle in which requests wait at the dispatcher or gpu_cycle is due, once the kernel's last block has ended. While one refuses,
 * requests leave and gpu_cycle is called as before, and the kernel lasts; when all agree, requests that wait are dropped and gpu_cycle is called
 * no more. */

/* Of an SM. */
#define MECH_SM_HOOKS(LOOK, VETO)                                                                                      \
	LOOK(block_begin, mech_block, "a block has its slot; its warps can issue in the next cycle")                   \
	LOOK(block_end, mech_block, "a block's slot is free, its holders are gone")                                    \
	LOOK(issue, mech_issue, "an instruction issues; lanes: that run")                                              \
	LOOK(memory, mech_memory, "an instruction on global or local memory is at the load/store unit: once")          \
	LOOK(access, mech_access, "a transaction is taken: once")                                                      \
	LOOK(fill, mech_fill, "a line has come into L1, one that a mechanism asked for, too")                          \
	LOOK(evict, mech_eviction, "a line of L1 goes for another or by a store; not at a kernel's end")               \
	VETO(may_start, mech_block, "may the block's warps issue?")                                                    \
	VETO(may_issue, mech_issue, "may the instruction issue?")                                                      \
	VETO(may_allocate, mech_access, "may the transaction look in L1?")

/* Of a memory partition. */
#define MECH_PARTITION_HOOKS(LOOK, VETO)                                                                               \
	LOOK(partition_access, mech_access, "L2 has looked a request up")                                              \
	LOOK(partition_fill, mech_fill, "a line has come into L2")                                                     \
	LOOK(partition_evict, mech_eviction, "a line of L2 goes for another")                                          \
	LOOK(partition_command, mech_command,                                                                          \
	     "its DRAM channel has issued a command; of several slices, the first is told")

/* Of the GPU, at the dispatcher. */
#define MECH_GPU_HOOKS(LOOK, VETO)                                                                                     \
	LOOK(gpu_block, mech_block, "a block has been started: behind block_begin and may_start of its SM")            \
	VETO(may_dispatch, mech_dispatch, "may this SM, which has room, get the next block?")                          \
	VETO(may_end, mech_end, "may what the dispatcher still has to do be dropped?")

/* --- the mechanism --- */

struct pass;

/* Hooks that are NULL are not called and cost nothing. */
struct mech {
	uint32_t version; /* MECH_VERSION */
	const char *name; /* small letters, digits and _ */
	const char *summary, *citation;

	/* Options: fields of a struct of config_size bytes that begins as a copy of *defaults. */
	const struct option *options;
	size_t option_count, config_size;
	const void *defaults;
	/* What one option cannot check alone, or what the machine cannot do. False, with a message. */
	bool (*check)(const void *config, const struct mech_machine *machine, char *message, size_t size);

	/* What its hardware costs; returns how many rows it has filled, MECH_MAX_COSTS at most. */
	uint32_t (*costs)(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);

	/* Counters: uint64_t fields of a struct of stats_size bytes; every part has one, and they are combined. */
	const struct counter *counters;
	size_t counter_count, stats_size;

	/* Passes over the PTX of each module before it is decoded (flow/pass.h, docs/passes.md), known by name where the mechanism is
	 * attached; and which of them run, with what options, behind those that the user names: rewrite writes what stands behind
	 * --pass, "NAME[:KEY=VALUE,...],...". Called once, before the machine is opened. */
	const struct pass *const *passes;
	uint32_t pass_count;
	void (*rewrite)(const void *config, const struct mech_machine *machine, char *text, size_t size);

	/* Counters with an index, and histograms: every part has each row's elements, which mech_count() and mech_observe() count in,
	 * and they are combined. Where a row does not say how many they are, vector_length does: 1 .. MECH_MAX_VECTOR, the same for
	 * the same. vector_label names the elements of rows that are `named`, when a kernel has ended: `launch` is NULL, the text is
	 * copied. NULL: it has no name, and is not shown while it has counted nothing; of several launches, elements of one name are
	 * combined. */
	const struct counter_vector *vectors;
	size_t vector_count;
	uint32_t (*vector_length)(const void *config, const struct mech_machine *machine, uint32_t vector);
	const char *(*vector_label)(const struct mech_gpu *gpu, uint32_t vector, uint32_t index);

	size_t gpu_size, sm_size, partition_size; /* of states; 0: none */
	uint32_t seats;                           /* enum mech_seat, ored: each has its hook, and no other has */
	bool sends;                               /* requests; its accounts are shown */

	/* The GPU. gpu_open comes behind the sm_open and partition_open of all parts. A kernel's begin: blocks_per_sm; all
	 * counters and accounts are zero; gpu_kernel_begin; kernel_begin of each SM. Its end: what waits to be sent is dropped, the
	 * buffer emptied; kernel_end of each SM; gpu_kernel_end. */
	void (*gpu_open)(struct mech_gpu *gpu);
	void (*gpu_kernel_begin)(struct mech_gpu *gpu);
	void (*gpu_kernel_end)(struct mech_gpu *gpu);
	/* One core cycle, behind those of the SMs and before new blocks, from the kernel's first until its last block has
	 * ended, and on while some mechanism does not let the kernel end. Returns a later cycle, in which it wants to be
	 * called again, or MECH_NEVER; before that it is called only in the cycle after a block has been started. */
	uint64_t (*gpu_cycle)(struct mech_gpu *gpu, uint64_t cycle);
	/* pick: resident blocks an SM, 1 .. blocks, which is how many fit. A grid that does not fill the machine can be spread
	 * over it further (launch.spread_small_grids). */
	uint32_t (*blocks_per_sm)(struct mech_gpu *gpu, uint32_t blocks);
	/* pick: the SM that gets the block, or MECH_NOWHERE: it is asked again in the next cycle. has_room[i] is not 0 where SM i
	 * has a free slot, has got no block in this cycle yet, and no mechanism refuses it the block; not called where there is no
	 * such SM. Blocks go in the order of their numbers, so that several may be placed in a cycle, each on another SM. */
	uint32_t (*place_block)(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room);

	/* An SM. */
	void (*sm_open)(struct mech_sm *sm);
	void (*kernel_begin)(struct mech_sm *sm);
	void (*kernel_end)(struct mech_sm *sm);
	/* Called when the SM ticks, behind all else in it; returns a later cycle, in which it wants to be called again at the
	 * latest, if the SM has a block then, or MECH_NEVER. An SM ticks more often than it must when launch.sleep is off: the
	 * state must not depend on how often. */
	uint64_t (*cycle)(struct mech_sm *sm, uint64_t cycle);
	/* To this mechanism's own request, of the SM or for it: once for each that was neither dropped nor cut off by the kernel's
	 * end. Data for L1 or the buffer are there. */
	void (*on_reply)(struct mech_sm *sm, const struct mech_reply *reply);
	/* Throttling, by any number of mechanisms: the warps that may issue, as a mask; the masks of all are anded, and all are asked. For
	 * each scheduler in each cycle in which the SM ticks, which it does while any warp is ready and behind every change of what
	 * mech_warps says of live, held and load_hazard. 0: none; bits without a ready warp mean nothing. */
	uint64_t (*warps_that_compete)(struct mech_sm *sm, const struct mech_warps *warps);
	/* Seats. */
	/* The bit of one of the candidates, which are not none: warps that compete, whose next instruction is there and can go.
	 * Where it then does not, by a veto or because the warp is elsewhere by now, the others are candidates again. */
	uint32_t (*pick_warp)(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates);
	/* The way of L1 that goes for a line that comes, one of those that may_go: asked once for each line that comes into a set without a free
	 * one, when it gets its place. */
	uint32_t (*l1_victim)(struct mech_sm *sm, const struct mech_set *set);
	/* A line of L1 is inserted, used, filled: what l1_victim wants to remember of it lies best in the line's word, which is as it was left
	 * when another line comes. Belongs to the replacement of L1. NULL: not called. */
	void (*l1_used)(struct mech_sm *sm, const struct mech_use *use);
	/* A read that has missed in L1, a mechanism's too, is about to leave for the network: asked once, at most one a cycle, behind evict of the
	 * line that went for it. The cycles, from 1 to MECH_MAX_ANSWER, after which its data come out of what the mechanism keeps, and nothing
	 * leaves; or 0: they are not there. Answers come in order. */
	uint32_t (*answer_miss)(struct mech_sm *sm, const struct mech_access *miss);
	/* Called more than once, before the machine is opened: it returns the same for the same. */
	struct mech_buffer (*buffer)(const void *config, const struct mech_machine *machine);

	void (*partition_open)(struct mech_partition *partition);
	/* The same as l1_victim and l1_used, of L2. */
	uint32_t (*l2_victim)(struct mech_partition *partition, const struct mech_set *set);
	void (*l2_used)(struct mech_partition *partition, const struct mech_use *use);
	/* The number of the request that its bank serves next, of those whose banks serve none, or MECH_NOWHERE: asked again in the next command
	 * cycle. A bank serves one to its end, opening its row first; which bank's command goes out in a cycle remains the channel's to say.
	 * Called at the first slice of a channel. */
	uint32_t (*dram_next)(struct mech_partition *partition, const struct mech_queue *queue);

	/* Looks and vetoes, of the tables above. */
#define LOOK(hook, event, when) void (*hook)(struct mech_sm *sm, const struct event *event);
#define VETO(hook, event, when) bool (*hook)(struct mech_sm *sm, const struct event *event);
	MECH_SM_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO
#define LOOK(hook, event, when) void (*hook)(struct mech_partition *partition, const struct event *event);
#define VETO(hook, event, when) bool (*hook)(struct mech_partition *partition, const struct event *event);
	MECH_PARTITION_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO
#define LOOK(hook, event, when) void (*hook)(struct mech_gpu *gpu, const struct event *event);
#define VETO(hook, event, when) bool (*hook)(struct mech_gpu *gpu, const struct event *event);
	MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO
};

/* --- what a mechanism can do --- */

struct mech_services {
	bool (*send)(struct mech_sm *sm, const struct mech_request *request);
	bool (*send_to)(struct mech_gpu *gpu, uint32_t sm, const struct mech_request *request);
	uint32_t (*room_to_send)(const struct mech_gpu *gpu);
	struct mech_sm *(*part)(const struct mech_gpu *gpu, uint32_t sm);
	struct mech_partition *(*partition)(const struct mech_gpu *gpu, uint32_t slice);
	void (*prefer)(struct mech_gpu *gpu, enum mech_preference preference);
	void (*put)(struct mech_sm *sm, uint64_t address, uint32_t bytes, uint32_t block);
	void (*hold_block)(struct mech_sm *sm, uint32_t slot);
	void (*release_block)(struct mech_sm *sm, uint32_t slot);
	struct mech_rows (*rows)(struct mech_gpu *gpu, uint32_t most, enum mech_loops loops);
	const struct mech_load *(*loads)(struct mech_gpu *gpu, uint32_t *count);
	void (*say)(struct mech_gpu *gpu, const char *text);
	const struct mech_requests *(*account)(const struct mech_sm *sm);
	void (*operands)(struct mech_sm *sm, const struct mech_issue *issue, struct mech_operands *operands);
	void (*hold_warp)(struct mech_sm *sm, uint32_t slot);
	void (*wake_warp)(struct mech_sm *sm, uint32_t slot);
	void (*look_at_warp)(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp);
};

/* Zeroed memory, aligned for any type, of a part's own pool or kernel_pool, from any of its hooks: freed with the pool, never
 * alone. */
static inline void *mech_alloc(struct mech_pool *pool, size_t bytes)
{
	return pool->alloc(pool, bytes);
}

/* Counts in an element of one of the mechanism's vectors, which is given by the number of its row; from any hook of the part. What
 * is counted before the kernel's first hook is lost. */
static inline void mech_count(struct mech_output *output, uint32_t vector, uint32_t index, uint64_t amount)
{
	output->count(output, vector, index, amount);
}

/* Sorts a value into a histogram. */
static inline void mech_observe(struct mech_output *output, uint32_t vector, uint64_t value)
{
	output->observe(output, vector, value);
}

/* Asks for a line, in any hook of the SM or the GPU, from gpu_kernel_begin until the kernel's end. False: the queue is full,
 * and the request counts as dropped, as does what waits in an SM without a block. Requests of an SM go below its demand: one a
 * cycle, when the load/store unit leaves L1's port or the network's free. */
static inline bool mech_send(struct mech_sm *sm, const struct mech_request *request)
{
	return sm->services->send(sm, request);
}

/* The account of this mechanism's requests of the SM, from the kernel's begin until now: what a prefetcher that judges itself
 * looks at. The machine keeps it; it is up to date in every hook of the SM. */
static inline const struct mech_requests *mech_account(const struct mech_sm *sm)
{
	return sm->services->account(sm);
}

/* Asks on an SM's behalf, from the dispatcher, which has ways of its own to the L2 slices: to the buffer or to nothing; from
 * the GPU's hooks from gpu_kernel_begin on. Requests leave in order. False: the queue is full, nothing is
 * counted. */
static inline bool mech_send_to(struct mech_gpu *gpu, uint32_t sm, const struct mech_request *request)
{
	return gpu->services->send_to(gpu, sm, request);
}

static inline uint32_t mech_room_to_send(const struct mech_gpu *gpu)
{
	return gpu->services->room_to_send(gpu);
}

/* The mechanism's part of an SM, from the GPU's hooks. */
static inline struct mech_sm *mech_part(const struct mech_gpu *gpu, uint32_t sm)
{
	return gpu->services->part(gpu, sm);
}

/* The mechanism's part of an L2 slice, from the GPU's hooks. */
static inline struct mech_partition *mech_partition_part(const struct mech_gpu *gpu, uint32_t slice)
{
	return gpu->services->partition(gpu, slice);
}

/* How the dispatcher's requests stand in the network against those of SMs; from gpu_open(). Else MECH_FAIR. */
static inline void mech_prefer(struct mech_gpu *gpu, enum mech_preference preference)
{
	gpu->services->prefer(gpu, preference);
}

/* Fills bytes of the buffer at once and for nothing, for a resident block: for upper bounds, in which fetching costs no time. */
static inline void mech_put(struct mech_sm *sm, uint64_t address, uint32_t bytes, uint32_t block)
{
	sm->services->put(sm, address, bytes, block);
}

/* What the instruction of may_issue or issue, of which this is the event, is about to be run with: nothing of it has been done yet.
 * It is found out when this is called. */
static inline void mech_operands(struct mech_sm *sm, const struct mech_issue *issue, struct mech_operands *operands)
{
	sm->services->operands(sm, issue, operands);
}

/* Keeps a resident block's warps from issuing, until every mechanism that held it has released it; from any hook of the SM or
 * the GPU between the block's block_begin and block_end. Holding twice is holding once. */
static inline void mech_hold_block(struct mech_sm *sm, uint32_t slot)
{
	sm->services->hold_block(sm, slot);
}

/* Of a block that this mechanism holds, by mech_hold_block() or may_start. */
static inline void mech_release_block(struct mech_sm *sm, uint32_t slot)
{
	sm->services->release_block(sm, slot);
}

/* Keeps a warp from issuing, until every mechanism that held it has woken it; from any hook of the SM or the GPU, of a warp of a
 * resident block that has a thread which has not exited. Holding twice is holding once; a warp that ends, as one that is held when
 * its exit issues does, is held by nobody. In may_issue, with false returned, it is a replay: the instruction is not
 * asked for again until the warp is woken. */
static inline void mech_hold_warp(struct mech_sm *sm, uint32_t slot)
{
	sm->services->hold_warp(sm, slot);
}

/* Of a warp that this mechanism holds. */
static inline void mech_wake_warp(struct mech_sm *sm, uint32_t slot)
{
	sm->services->wake_warp(sm, slot);
}

/* How the warp in a slot stands; from any hook of the SM or the GPU while a kernel runs. */
static inline void mech_look_at_warp(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp)
{
	sm->services->look_at_warp(sm, slot, warp);
}

/* The rows of the launch, from blocks_per_sm() or gpu_kernel_begin(): what the program has announced (cudaSetCTATracker), else
 * what analysis finds in the kernel and its arguments; at most so many, those that serve most reads. They live until the
 * kernel's end. */
static inline struct mech_rows mech_rows(struct mech_gpu *gpu, uint32_t most, enum mech_loops loops)
{
	return gpu->services->rows(gpu, most, loops);
}

/* The kernel's global loads, from blocks_per_sm() or gpu_kernel_begin(); by pc. They live until the kernel's end. */
static inline const struct mech_load *mech_loads(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->loads(gpu, count);
}

/* Tells the user something, on standard error; from the GPU's hooks. */
static inline void mech_say(struct mech_gpu *gpu, const char *text)
{
	gpu->services->say(gpu, text);
}

/* A shared object with a mechanism has this one symbol: MECHANISM(mine); for `static const struct mech mine`. */
#define MECH_VISIBLE __attribute__((visibility("default")))
#ifdef __cplusplus
#define MECHANISM(name)                                                                                                \
	extern "C" {                                                                                                   \
	extern MECH_VISIBLE const struct mech *const sluice_mechanism;                                                 \
	}                                                                                                              \
	const struct mech *const sluice_mechanism = &name
#else
#define MECHANISM(name) MECH_VISIBLE const struct mech *const sluice_mechanism = &name
#endif

#endif
