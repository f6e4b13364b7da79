/* mech: what a mechanism is to the machine, and the machine to a mechanism. A mechanism of one's own includes this file and
 * nothing else of the simulator (docs/your-mechanism.md), but for flow/pass.h where it brings passes over PTX (docs/passes.md), and what many
 * mechanisms have in common: seam/mech_table.h, seam/mech_lines.h, seam/mech_strides.h, seam/mech_levels.h, seam/mech_listed.h.
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
 * or a partition touches nothing but its own part, and SMs' cycles come in no order among SMs: one may be ahead of another. A hook of the GPU
 * is called while all else stands still, and may touch every SM's part; where a mechanism has such hooks, SMs go together, cycle by cycle, which
 * takes time of the host, but if it says which ones it needs (keeps_in_step). Nothing that a hook does may depend on anything but what it is given: never on the host, its addresses
 * or the time of day. A mechanism may change time, never results.
 *
 * What a hook returns and what it asks for is checked. What is wrong is the mechanism's mistake: the kernel stops, and its
 * launch fails with a message that names mechanism, hook and cycle. A kernel that was stopped, by this or anything else, has
 * its kernel_end hooks called like any other, when requests that were on their way have been counted as redundant, of which no
 * hook tells; then the machine is opened anew, with states that are zero, and the open hooks are called again.
 *
 * Cycles are core cycles, at partitions L2 cycles, counted from the machine's opening. Addresses are bytes of device memory.
 *
 * What a mechanism includes is C17 and C++17.
 */
#ifndef SLUICE_SEAM_MECH_H
#define SLUICE_SEAM_MECH_H

#include "base/table.h"
#include "seam/mech_parts.h"

/* The version of this interface. A mechanism is loaded when its major version is the library's and its minor version is
 * not newer. A minor version may add, and a mechanism compiled before still works:
 *   hooks and other members at the end of struct mech, which are NULL or 0 for older mechanisms
 *   members at the end of structures that hooks receive by pointer: events, struct mech_machine, struct mech_launch, the
 *     parts struct mech_sm, mech_partition and mech_gpu, struct mech_services
 *   values at the end of an enum: ignore values that you do not know
 *   functions, macros, and headers seam/mech_*.h
 * A minor version does not change: names, meanings, the order and type of members, the values of constants; structures
 * that a mechanism fills or allocates, that lie in arrays, or that are passed by value (struct mech_request, mech_operands,
 * mech_warp, mech_sm_figures, mech_transaction, ...). A change of these is a new major version: the library then refuses
 * the mechanism with a message, and it must be compiled again. tests/data/mech_layout.txt records the layout. */
enum { MECH_VERSION_MAJOR = 1, MECH_VERSION_MINOR = 0, MECH_VERSION = MECH_VERSION_MAJOR << 16 | MECH_VERSION_MINOR };

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

/* What its hardware consumes (docs/energy.md): an energy for each of some events, or a power that it draws while kernels run. A table
 * of energies scales it from its technology node to the table's. */
struct mech_energy {
	const char *what, *source; /* the part of the hardware; where the number comes from */
	uint32_t node;             /* nm, of which the number is */
	const char *events; /* a formula over the mechanism's own counters, those of its requests too, by launch: "commands + 2 * segments"; or
	                     * NULL: it is a power */
	double picojoules;  /* an event */
	double watts;       /* the power: of an SM, */
	bool of_gpu;        /* or of the whole GPU */
};
enum { MECH_MAX_ENERGIES = 32 };

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
	MECH_SEAT_SHARED_ROOM = 256,   /* how many blocks an SM's shared memory has room for */
	MECH_SEAT_SHARED_LAYOUT = 512, /* where blocks' bytes lie in it */
	MECH_SEAT_WARP_RANK = 1024,    /* how warps stand to each other: mech_rank_warp(), without a hook */
	MECH_SEATS_END = 2048,         /* no seat: behind the last */
};

/* --- looks and vetoes --- */

/* A row each, of which the member of struct mech, the list of who has the hook and its caller (seam/seam.h) are made: scope, name, event,
 * when it is called. A look is `void hook(part, const struct event *)`, a veto `bool hook(part, const struct event *)`.
 *
 * Of a veto all mechanisms are asked, though one has refused. An answer may be another one each time: it may depend on the cycle and on how
 * often was asked, which is the same in every run, with and without launch.sleep. Who always refuses stalls the machine.
 * may_start: once for each block, behind block_begin, while the dispatcher places it and all else stands still. False: its warps do not issue until
 * mech_release_block().
 * may_issue: by a scheduler, of a warp that could issue and that the warp order picks, at most once a cycle; refused, the next pick is asked for, and
 * the warp again in the next cycle.
 * may_allocate: by the load/store unit, once for each transaction of a global load that would look in L1, when it is first tried; the answer
 * stands, however long the transaction waits. False: it goes past L1. `result` says nothing yet.
 * may_access_shared: by the load/store unit, of the instruction that it has, once a cycle until all agree; while one refuses, no other memory
 * instruction passes it. Who wants to turn an instruction away that others may pass refuses it in may_issue, by its addresses (mech_operands()).
 * may_dispatch: at most once a cycle for an SM and a block, and again each cycle while blocks and room are left.
 * may_end: in each cycle in which requests wait at the dispatcher or gpu_cycle is due, once the kernel's last block has ended. While one refuses,
 * requests leave and gpu_cycle is called as before, and the kernel lasts; when all agree, requests that wait are dropped and gpu_cycle is called
 * no more. */

/* Of an SM. */
#define MECH_SM_HOOKS(LOOK, VETO) \
	LOOK(sm, block_begin, mech_block, "a block has its slot; its warps can issue in the next cycle") \
	LOOK(sm, block_end, mech_block, "a block's slot is free, its holders are gone") \
	LOOK(sm, issue, mech_issue, "an instruction issues; lanes: that run") \
	LOOK(sm, memory, mech_memory, "an instruction on global or local memory is at the load/store unit: once") \
	LOOK(sm, access, mech_access, "a transaction is taken: once") \
	LOOK(sm, fill, mech_fill, "a line has come into L1, one that a mechanism asked for, too") \
	LOOK(sm, evict, mech_eviction, "a line of L1 goes for another or by a store; not at a kernel's end") \
	LOOK(sm, packet_out, mech_packet, "a packet leaves for the request network; the dispatcher's are not an SM's") \
	LOOK(sm, packet_in, mech_packet, "a packet is taken from the reply network") \
	VETO(sm, may_start, mech_block, "may the block's warps issue?") \
	VETO(sm, may_issue, mech_issue, "may the instruction issue?") \
	VETO(sm, may_allocate, mech_access, "may the transaction look in L1?") \
	LOOK(sm, shared_access, mech_shared, "an instruction gets the banks of shared memory: once") \
	VETO(sm, may_access_shared, mech_shared, "may it get them?")

/* Of a memory partition. */
#define MECH_PARTITION_HOOKS(LOOK, VETO) \
	LOOK(partition, partition_access, mech_access, "L2 has looked a request up") \
	LOOK(partition, partition_fill, mech_fill, "a line has come into L2") \
	LOOK(partition, partition_evict, mech_eviction, "a line of L2 goes for another") \
	LOOK(partition, partition_packet_in, mech_packet, "a packet is taken from the request network") \
	LOOK(partition, partition_packet_out, mech_packet, "a packet leaves for the reply network") \
	LOOK(partition, partition_command, mech_command, \
	     "its DRAM channel has issued a command; of several slices, the first is told")

/* Of the GPU, at the dispatcher. */
#define MECH_GPU_HOOKS(LOOK, VETO) \
	LOOK(gpu, gpu_block, mech_block, "a block has been started: behind block_begin and may_start of its SM") \
	VETO(gpu, may_dispatch, mech_dispatch, "may this SM, which has room, get the next block?") \
	VETO(gpu, may_end, mech_end, "may what the dispatcher still has to do be dropped?")

/* --- the mechanism --- */

struct pass;

/* Hooks that are NULL are not called and cost nothing. */
struct mech {
	uint32_t version; /* MECH_VERSION */
	const char *name; /* small letters, digits and _ */
	const char *summary, *citation;

	/* It only stands for others: these, built in, are attached in its place. Its options are theirs, as far as but one of them has it; what
	 * stands below is not set. Not for shared objects. */
	const char *const *stands_for;
	uint32_t stands_for_count;

	/* Options: fields of a struct of config_size bytes that begins as a copy of *defaults. */
	const struct option *options;
	size_t option_count, config_size;
	const void *defaults;
	/* What one option cannot check alone, or what the machine cannot do. False, with a message. */
	bool (*check)(const void *config, const struct mech_machine *machine, char *message, size_t size);

	/* What its hardware costs; returns how many rows it has filled, MECH_MAX_COSTS at most. */
	uint32_t (*costs)(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
	/* What it consumes; returns how many rows it has filled, MECH_MAX_ENERGIES at most. Called also long after a run, to price it. */
	uint32_t (*energies)(const void *config, const struct mech_machine *machine,
	                     struct mech_energy energy[MECH_MAX_ENERGIES]);

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

	/* Events that it shows on the timeline, by mech_draw(). */
	const struct mech_event_row *events;
	size_t event_count;
	/* Their tracks by kind, in ascending order from 0 on; NULL: all are called as the mechanism is. */
	const struct mech_track_row *tracks;
	size_t track_count;

	size_t gpu_size, sm_size, partition_size; /* of states; 0: none */
	uint32_t seats;                           /* enum mech_seat, ored: each has its hook, and no other has */
	bool sends;                               /* requests; its accounts are shown */
	/* While cycles run, its hooks of the GPU touch no SM but that of gpu_block and may_dispatch and those that it keeps in step
	 * (mech_keep_in_step()); any other is a mistake. The others may be ahead of the dispatcher, by cycles that show nowhere. */
	bool keeps_in_step;
	/* It judges loads, stores or what accesses shared memory: copies (cp.async) of its programs are a load and a store, as on machines that have none. */
	bool splits_copies;
	/* It only looks: with and without it the machine does the same. Records list it among the observers, so that
	 * such runs count as equal. It has no seat, veto, requests, opcodes, rewrite, splits_copies,
	 * warps_that_compete or energies; a call that holds, wakes or stops is a mistake. */
	bool only_looks;

	/* Opcodes that it owns, by their names in PTX: one owner each. They are computed by a unit, as all are that touch no memory
	 * and steer no warp; among them are those that mean nothing by themselves: relssp, and pmevent, whose number is the value source[0] of
	 * mech_operands(). */
	const char *const *opcodes;
	uint32_t opcode_count;

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
	/* pick: how many blocks an SM's shared memory has room for, from 1 on, in place of room->shared. Threads, registers and slots limit
	 * them as before. Whatever it says, each block has its own bytes, as far as values go. */
	uint32_t (*shared_room)(struct mech_gpu *gpu, const struct mech_room *room);
	/* Bytes of an SM's shared memory that launch->blocks_per_sm resident blocks take together. Belongs to the seat of its room. NULL: as many as they have,
	 * but no more than there are. */
	uint32_t (*shared_full)(struct mech_gpu *gpu);
	/* pick: resident blocks an SM, 1 .. blocks, which is how many fit. A grid that does not fill the machine can be spread
	 * over it further (launch.spread_small_grids). */
	uint32_t (*blocks_per_sm)(struct mech_gpu *gpu, uint32_t blocks);
	/* pick: the SM that gets the block, or MECH_NOWHERE: it is asked again in the next cycle. has_room[i] is not 0 where SM i
	 * has a free slot, has got no block in this cycle yet, nor has another SM of its cluster (sm.per_cluster), and no mechanism refuses it the
	 * block; not called where there is no such SM. Blocks go in the order of their numbers, so that several may be placed in a cycle, each
	 * on another SM. */
	uint32_t (*place_block)(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room);

	/* An SM. */
	void (*sm_open)(struct mech_sm *sm);
	void (*kernel_begin)(struct mech_sm *sm);
	void (*kernel_end)(struct mech_sm *sm);
	/* Called when the SM ticks, behind all else in it; returns a later cycle, in which it wants to be called again at the
	 * latest, if the SM has a block then, or MECH_NEVER. An SM ticks more often than it must when launch.sleep is off: the
	 * state must not depend on how often. */
	uint64_t (*cycle)(struct mech_sm *sm, uint64_t cycle);
	/* To this mechanism's own request, of the SM or for it: once for each that was neither dropped, nor refused, nor cut off by the
	 * kernel's end. Data for L1, L2 or the buffer are there. */
	void (*on_reply)(struct mech_sm *sm, const struct mech_reply *reply);
	/* What became of this mechanism's own request of the SM or for it: once for each that was issued, when its account counts it. At the
	 * kernel's end what nobody wanted is told before kernel_end; what is asked for then is dropped. Called in the middle of what the machine
	 * does to L1 or the buffer: mech_put() is a mistake. Of one to L2: only that it fetched nothing, just before on_reply says that it is
	 * filtered. */
	void (*on_fate)(struct mech_sm *sm, const struct mech_fate *fate);
	/* Throttling, by any number of mechanisms: the warps that may issue, as a mask; the masks of all are anded,
	 * and all are asked. 0: none; bits without a ready warp mean nothing. Called for each scheduler
	 *   in each cycle in which a warp is ready;
	 *   when live, held, load_hazard or rank of mech_warps have changed;
	 *   when another hook of this mechanism has run: for `cycle`, when it ran in the cycle that it had asked for,
	 *   or behind another hook.
	 * What happens behind the issue stage counts for the next cycle. With launch.sleep off it is called in every
	 * cycle: neither state nor counters may depend on how often. */
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
	/* Bytes of the SM's shared memory that the blocks in these slots, as bits, take together. Belongs to the seat of its room. */
	uint32_t (*shared_taken)(struct mech_sm *sm, uint64_t slots);
	/* Where a byte of a resident block's shared memory lies in the SM's, which says in which bank: (byte / 4) % banks. All bytes that a lane accesses
	 * together, 16 at most, lie together. */
	uint32_t (*shared_place)(struct mech_sm *sm, uint32_t block, uint32_t byte);
	/* An instruction of opcodes[own] issues, as `issue` shows it; what it computes has not been computed yet (mech_operands()). The
	 * cycles that it takes in its unit, 1 to MECH_MAX_LATENCY, or 0: as many as the machine says. */
	uint32_t (*run_opcode)(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue);
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

	/* The same as on_fate, of this mechanism's own requests to L2 that the slice fetched for: in core cycles. */
	void (*partition_fate)(struct mech_partition *partition, const struct mech_fate *fate);

	/* Looks and vetoes, of the tables above. */
#define MECH_LOOK(scope, hook, event, when) void (*hook)(struct mech_##scope *scope, const struct event *event);
#define MECH_VETO(scope, hook, event, when) bool (*hook)(struct mech_##scope *scope, const struct event *event);
	MECH_SM_HOOKS(MECH_LOOK, MECH_VETO)
	MECH_PARTITION_HOOKS(MECH_LOOK, MECH_VETO)
	MECH_GPU_HOOKS(MECH_LOOK, MECH_VETO)
#undef MECH_LOOK
#undef MECH_VETO
};

/* Exports a mechanism from a shared object: MECHANISM(mine); for `static const struct mech mine`. */
#define MECH_VISIBLE __attribute__((visibility("default")))
#ifdef __cplusplus
#define MECHANISM(name)                                                                                                \
	extern "C" {                                                                                                   \
	extern MECH_VISIBLE const struct mech *const sluice_mechanism;                                                 \
	extern MECH_VISIBLE const size_t sluice_mechanism_size;                                                        \
	}                                                                                                              \
	const size_t sluice_mechanism_size = sizeof(struct mech);                                                      \
	const struct mech *const sluice_mechanism = &name
#else
#define MECHANISM(name)                                                                                                \
	MECH_VISIBLE const size_t sluice_mechanism_size = sizeof(struct mech);                                         \
	MECH_VISIBLE const struct mech *const sluice_mechanism = &name
#endif

#endif
