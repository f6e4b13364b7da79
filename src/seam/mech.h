/* mech: the interface between the machine and a mechanism. A mechanism in a shared object includes this file
 * (docs/tutorials/your-mechanism.md), flow/pass.h when it brings passes over PTX (docs/reference/passes.md), and the
 * companions that it needs: seam/mech_table.h, seam/mech_lines.h, seam/mech_strides.h, seam/mech_levels.h,
 * seam/mech_listed.h.
 *
 * A mechanism is one constant `struct mech`: its name, tables of its options and counters, and the hooks that the
 * machine calls. Besides hooks for begin, end, cycles and replies, which decide nothing either, and
 * warps_that_compete, there are three kinds of hooks:
 *   look (observer hook): reports an event and returns nothing. Any number of mechanisms may have it. It may call the
 *     services of mech_parts.h; in a mechanism with only_looks it may call none that changes the run.
 *   veto: any number of mechanisms may have it; the machine acts only if all agree.
 *   pick: one owner per exclusive policy; two owners are a configuration error.
 * A mechanism sends requests for lines with mech_send(): the machine owns the queue, serves it and keeps accounts. A
 * mechanism can also hold and release blocks and warps, and it can rewrite the code before a kernel runs.
 *
 * State has one of three scopes: `struct mech_sm` is the mechanism's part of one SM, `struct mech_partition` that of
 * one L2 slice, `struct mech_gpu` that of the whole GPU, at the dispatcher. Several host threads may simulate. A hook
 * of an SM or a partition therefore touches only its own part. The cycles of SMs have no order among SMs: one may run
 * ahead of another. A hook of the GPU is called while all other units stand still, and it may touch every SM's part.
 * Mechanisms with such hooks keep all SMs in step, cycle by cycle, which costs host time; keeps_in_step limits this
 * to the SMs that they name. A hook may depend only on what it is given, never on the host, its addresses or the time
 * of day. A mechanism may change time, never results.
 *
 * The machine checks what a hook returns and requests. An invalid value is the mechanism's mistake: the kernel stops,
 * and its launch fails with a message that names mechanism, hook and cycle. A stopped kernel still has its kernel_end
 * hooks called. Before that, its requests on their way are counted as redundant; no hook reports these. Then the
 * machine is reopened: all states are zero, and the open hooks are called again.
 *
 * Cycles are core cycles, in partitions L2 cycles, counted from the machine's opening. Addresses are bytes of device
 * memory.
 *
 * No built-in mechanism has these hooks; examples/mechanisms and the tests do: blocks_per_sm, place_block, pick_kernel,
 * may_dispatch, may_allocate, may_access_shared, l1_used, answer_miss, on_outcome; in a partition l2_victim, l2_used,
 * dram_next, partition_access, partition_fill, partition_evict, partition_outcome.
 *
 * All headers of this interface are C17 and C++17.
 */
#ifndef SLUICE_SEAM_MECH_H
#define SLUICE_SEAM_MECH_H

#include "base/table.h"
#include "seam/mech_parts.h"

/* The version of this interface. A mechanism is loaded when its major version is the library's and its minor version
 * is not newer. A minor version may add, and a mechanism compiled before still works:
 *   hooks and other members at the end of struct mech, which are NULL or 0 for older mechanisms;
 *   members at the end of structures that hooks receive by pointer: events, struct mech_machine, struct mech_launch,
 *     the parts struct mech_sm, mech_partition and mech_gpu, struct mech_services;
 *   values at the end of an enum: ignore values that you do not know;
 *   functions, macros, and headers seam/mech_*.h.
 * A minor version does not change: names, meanings, the order and type of members, the values of constants;
 * structures that a mechanism fills or allocates, that lie in arrays, or that are passed by value (struct
 * mech_request, mech_operands, mech_warp, mech_sm_live_stats, mech_transaction, ...). A change of these is a new major
 * version: the library then refuses the mechanism with a message, and it must be compiled again.
 * tests/data/mech_layout.txt records the layout. */
enum { MECH_VERSION_MAJOR = 1, MECH_VERSION_MINOR = 3, MECH_VERSION = MECH_VERSION_MAJOR << 16 | MECH_VERSION_MINOR };

/* The shape of the prefetch buffer in front of L1, which a mechanism may own (MECH_POLICY_BUFFER). It holds bytes that
 * mechanisms have fetched or put there, and answers loads of them before L1. */
struct mech_buffer {
	uint32_t sets; /* a power of two, up to MECH_MAX_BUFFER_SETS */
	uint32_t ways; /* at most; 0: limited only by the memory that holds the buffer */
	/* The buffer lies in `bytes` of shared memory. Memory of resident blocks is not available to it. Each arrival
	 * occupies shared memory for a cycle. */
	bool in_shared;
	uint32_t bytes;  /* at least one way; 0 unless in_shared */
	uint32_t merges; /* loads' transactions that can wait for bytes on their way to the buffer; 0: they go to L1 */
};
enum { MECH_MAX_BUFFER_SETS = 65536, MECH_MAX_BUFFER_MERGES = 64 };

/* One cost of a mechanism's hardware, such as its storage. */
struct mech_cost {
	const char *what, *unit;
	double value;
};
enum { MECH_MAX_COSTS = 32 };

/* The consumption of a part of a mechanism's hardware (docs/how-to/energy.md): an energy per event, or a power while
 * kernels run. A table of energies scales it from its technology node to the table's. */
struct mech_energy {
	const char *what, *source; /* the part of the hardware; the source of the number */
	uint32_t node;             /* technology node of the number, nm */
	/* The number of events per launch: a formula over the mechanism's own counters and those of its requests,
	 * such as "commands + 2 * segments". NULL: the row is a power. */
	const char *events;
	double picojoules; /* per event */
	double watts;      /* the power, per SM unless of_gpu */
	bool of_gpu;       /* the power is that of the whole GPU */
};
enum { MECH_MAX_ENERGIES = 32 };

/* --- exclusive policies --- */

/* Each policy has at most one owner among the attached mechanisms. */
enum mech_policy {
	MECH_POLICY_WARP_ORDER = 1,      /* which of the warps that can issue goes first */
	MECH_POLICY_BLOCK_COUNT = 2,     /* how many blocks an SM holds */
	MECH_POLICY_BLOCK_PLACE = 4,     /* which SM gets the next block */
	MECH_POLICY_BUFFER = 8,          /* the prefetch buffer in front of L1 */
	MECH_POLICY_L1_REPLACEMENT = 16, /* which line of L1 is replaced */
	MECH_POLICY_L2_REPLACEMENT = 32, /* which line of L2 is replaced */
	MECH_POLICY_L1_MISS = 64,        /* the store that answers L1 misses before they enter the network */
	MECH_POLICY_DRAM = 128,          /* which request a DRAM channel serves next */
	MECH_POLICY_SHARED_ROOM = 256,   /* how many blocks fit into an SM's shared memory */
	MECH_POLICY_SHARED_LAYOUT = 512, /* where the bytes of blocks lie in an SM's shared memory */
	MECH_POLICY_WARP_RANK = 1024,    /* the ranks of warps: mech_rank_warp(), without a hook */
	MECH_POLICY_KERNEL = 2048,       /* which of the running kernels starts an SM's next block */
	MECH_POLICIES_END = 4096,        /* after the last policy */
};

/* --- kernels that run together --- */

/* How a mechanism serves kernels that run at the same time. A warp order without other hooks serves all of them. */
enum mech_kernels {
	/* It sees one kernel at a time: with it, kernels run one after the other. */
	MECH_ONE_KERNEL,
	/* Each kernel has its own parts, with their own state, counters and memory, as if it were alone: they see only
	 * its blocks, warps, instructions, accesses and their own requests. The hardware of the parts exists once per
	 * kernel; queues, caches, links and the buffer in front of L1 are common. Lines: fill and evict show those that
	 * the part has requested, and those that instructions of any kernel have. It has no hooks of partitions except
	 * partition_outcome, no warps_that_compete, and no policy of a warp order, of placement, replacement or DRAM.
	 * A kernel ends when its blocks have ended, may_end agrees and its requests have been answered. */
	MECH_EACH_KERNEL,
	/* One set of parts sees the blocks of all kernels: gpu_kernel_begin and kernel_begin are called before the
	 * first one, kernel_end and gpu_kernel_end after the last one. `launch` describes no kernel:
	 * mech_launch_of() returns a block's. It has no gpu_block, may_dispatch and may_end, and may own only the warp
	 * order, replacement, DRAM, ranks and the choice of the kernel. */
	MECH_ALL_KERNELS,
};

/* --- looks and vetoes --- */

/* A minor version adds hooks in a further table, whose members follow those of MECH_GPU_HOOKS. A row inserted
 * here would move the members after it.
 *
 * One row per hook: scope, name, event, and when it is called. The member of struct mech, the list of mechanisms that
 * have the hook, and its caller (seam/seam.h) are made from the row. A look is `void hook(part, const struct event
 * *)`, a veto `bool hook(part, const struct event *)`.
 *
 * All mechanisms are called for a veto, even after one has refused. The answer may differ from call to call: it may
 * depend on the cycle and on the number of calls, which is the same in every run, with and without launch.sleep. A
 * mechanism that always refuses stalls the machine.
 *
 * may_start: once per block, after block_begin, while the dispatcher places the block and all other units stand
 * still. False: the block's warps do not issue until mech_release_block().
 * may_issue: by a scheduler, for a warp that could issue and that the warp order has picked, at most once per cycle.
 * After a refusal the scheduler picks another warp; the refused warp is tried again in the next cycle.
 * may_allocate: it decides whether L1 is looked up at all or bypassed, not only whether a miss allocates a line. By the
 * load/store unit, once per transaction of a global load that would look in L1, at its first attempt. The answer holds
 * while the transaction waits. False: the transaction bypasses L1. `result` has no meaning yet.
 * may_access_shared: by the load/store unit, for its current instruction, once per cycle until all agree. While one
 * mechanism refuses, no other memory instruction passes. To reject an instruction that others may pass, refuse it in
 * may_issue, by its addresses (mech_operands()).
 * may_dispatch: at most once per cycle for an SM and a block, and again in each cycle in which blocks and free slots
 * remain.
 * may_end: after the kernel's last block has ended, in each cycle in which requests wait at the dispatcher or
 * gpu_cycle is due. While one mechanism refuses, requests leave and gpu_cycle is called as before, and the kernel
 * goes on. When all agree, waiting requests are dropped and gpu_cycle is not called any more. */

/* Hooks of an SM. */
#define MECH_SM_HOOKS(LOOK, VETO)                                                                                      \
	LOOK(sm, block_begin, mech_block, "a block gets its slot; its warps can issue from the next cycle on")         \
	LOOK(sm, block_end, mech_block, "a block's slot is free again; no mechanism holds the block any more")         \
	LOOK(sm, issue, mech_issue, "an instruction issues; lanes: the lanes that run")                                \
	LOOK(sm, memory, mech_memory,                                                                                  \
	     "once per instruction on global or local memory, when it reaches the load/store unit")                    \
	LOOK(sm, access, mech_access, "once per transaction, when it is accepted")                                     \
	LOOK(sm, fill, mech_fill, "a line arrives in L1, also one that a mechanism requested")                         \
	LOOK(sm, evict, mech_eviction,                                                                                 \
	     "a line of L1 is evicted, by another line or by a store; not at a kernel's end")                          \
	LOOK(sm, packet_out, mech_packet,                                                                              \
	     "a packet of the SM leaves for the request network; not one of the dispatcher")                           \
	LOOK(sm, packet_in, mech_packet, "the SM takes a packet from the reply network")                               \
	VETO(sm, may_start, mech_block, "may the block's warps issue?")                                                \
	VETO(sm, may_issue, mech_issue, "may the instruction issue?")                                                  \
	VETO(sm, may_allocate, mech_access, "may the transaction look in L1?")                                         \
	LOOK(sm, shared_access, mech_shared, "once per instruction, when it gets the banks of shared memory")          \
	VETO(sm, may_access_shared, mech_shared, "may the instruction get the banks of shared memory?")

/* Hooks of a partition: one L2 slice (GPGPU-Sim: a memory sub-partition). */
#define MECH_PARTITION_HOOKS(LOOK, VETO)                                                                               \
	LOOK(partition, partition_access, mech_access, "L2 has looked up a request")                                   \
	LOOK(partition, partition_fill, mech_fill, "a line arrives in L2")                                             \
	LOOK(partition, partition_evict, mech_eviction, "a line of L2 is evicted by another line")                     \
	LOOK(partition, partition_packet_in, mech_packet, "the partition takes a packet from the request network")     \
	LOOK(partition, partition_packet_out, mech_packet, "a packet leaves for the reply network")                    \
	LOOK(partition, partition_command, mech_command,                                                               \
	     "its DRAM channel has issued a command; of several slices, the first one's hook is called")

/* Hooks of the GPU, at the dispatcher. */
#define MECH_GPU_HOOKS(LOOK, VETO)                                                                                     \
	LOOK(gpu, gpu_block, mech_block, "a block has started, after block_begin and may_start of its SM")             \
	VETO(gpu, may_dispatch, mech_dispatch, "may this SM, which has space for a block, get the next one?")          \
	VETO(gpu, may_end, mech_end, "may the kernel end, and the dispatcher's pending requests be dropped?")

/* --- the mechanism --- */

struct flow_pass;

/* A mechanism. Hooks that are NULL are not called and cost nothing. */
struct mech {
	uint32_t version;     /* MECH_VERSION */
	const char *name;     /* small letters, digits and _ */
	const char *summary;  /* one line */
	const char *citation; /* its paper or author; NULL gives a warning */

	/* The mechanism only stands for others: these built-in mechanisms are attached in its place. It has those of
	 * their options that exactly one of them has. No member below is set. Not for shared objects. */
	const char *const *stands_for;
	uint32_t stands_for_count;

	/* Options: fields of a struct of config_size bytes that begins as a copy of *defaults. */
	const struct base_option *options;
	size_t option_count, config_size;
	const void *defaults;
	/* Checks combinations of options, and whether the machine suits. False, with a message. */
	bool (*check)(const void *config, const struct mech_machine *machine, char *message, size_t size);

	/* Fills the costs of the hardware; returns the number of rows, at most MECH_MAX_COSTS. */
	uint32_t (*costs)(const void *config, const struct mech_machine *machine,
	                  struct mech_cost cost[MECH_MAX_COSTS]);
	/* Fills the energies of the hardware; returns the number of rows, at most MECH_MAX_ENERGIES. Also called long
	 * after a run, to price it. */
	uint32_t (*energies)(const void *config, const struct mech_machine *machine,
	                     struct mech_energy energy[MECH_MAX_ENERGIES]);

	/* Counters: uint64_t fields of a struct of stats_size bytes. Every part has one; they are combined. */
	const struct base_counter *counters;
	size_t counter_count, stats_size;

	/* Passes over the PTX of each module before decoding (flow/pass.h, docs/reference/passes.md). The user can
	 * name them where the mechanism is attached. `rewrite` writes which of them run, after the user's:
	 * "NAME[:KEY=VALUE,...],...", as for --pass. It is called once, before the machine is opened. */
	const struct flow_pass *const *passes;
	uint32_t pass_count;
	void (*rewrite)(const void *config, const struct mech_machine *machine, char *text, size_t size);

	/* Counters with an index, and histograms. Every part has the elements of each row, which mech_count() and
	 * mech_observe() change; they are combined. A row without a length gets it from vector_length: 1 to
	 * MECH_MAX_VECTOR, the same for the same arguments. vector_label names the elements of rows that are `named`,
	 * at a kernel's end, when `launch` is NULL; the text is copied. NULL: the element has no name, and it is not
	 * shown while it is 0. Over several launches, elements with the same name are combined. */
	const struct base_counter_vector *vectors;
	size_t vector_count;
	uint32_t (*vector_length)(const void *config, const struct mech_machine *machine, uint32_t vector);
	const char *(*vector_label)(const struct mech_gpu *gpu, uint32_t vector, uint32_t index);

	/* Kinds of events on the timeline, for mech_draw(). */
	const struct mech_event_row *events;
	size_t event_count;
	/* Tracks of events by kind, in ascending order from 0; NULL: all tracks have the mechanism's name. */
	const struct mech_track_row *tracks;
	size_t track_count;

	size_t gpu_size, sm_size, partition_size; /* bytes of states; 0: none */
	/* enum mech_policy, ored: the mechanism has the hooks of these policies, and of no others */
	uint32_t policies;
	bool sends; /* it sends requests; its accounts are shown */
	/* While cycles run, its GPU hooks touch only the SM of gpu_block and may_dispatch, and SMs that it keeps in
	 * step (mech_keep_in_step()); touching another is a mistake. Other SMs may run ahead of the dispatcher,
	 * without any effect on results. */
	bool keeps_in_step;
	/* It judges loads, stores or shared-memory accesses: copies (cp.async) of the program are split into a load
	 * and a store, as on machines without such copies. */
	bool splits_copies;
	/* It only observes: the machine does the same with and without it. Records list it among the observers, so
	 * that such runs count as equal. It has no policy, veto, requests, opcodes, rewrite, splits_copies,
	 * warps_that_compete or energies; a call that holds, wakes or stops is a mistake. */
	bool only_looks;

	/* The opcodes that it owns, by PTX name; each has one owner. An arithmetic unit executes them: opcodes that
	 * access memory or control a warp cannot be owned. Some have no effect without an owner: relssp, and pmevent,
	 * whose number is source[0] of mech_operands(). */
	const char *const *opcodes;
	uint32_t opcode_count;

	/* --- the GPU --- */

	/* gpu_open: after sm_open and partition_open of all parts. A kernel begins with blocks_per_sm; then all
	 * counters and accounts are zero; then gpu_kernel_begin; then kernel_begin of each SM. A kernel ends: waiting
	 * requests are dropped and the buffer is emptied; then kernel_end of each SM; then gpu_kernel_end. */
	void (*gpu_open)(struct mech_gpu *gpu);
	void (*gpu_kernel_begin)(struct mech_gpu *gpu);
	void (*gpu_kernel_end)(struct mech_gpu *gpu);
	/* Called at most once per core cycle, after the SMs and before new blocks: in the kernel's first cycle, in the
	 * cycle that it returned last (MECH_NEVER: none), and in the cycle after a block has started. Calls end when
	 * the last block has ended and all mechanisms let the kernel end. Returns a later cycle, or MECH_NEVER. */
	uint64_t (*gpu_cycle)(struct mech_gpu *gpu, uint64_t cycle);
	/* Pick: how many blocks fit into an SM's shared memory, at least 1, instead of room->shared. Threads,
	 * registers and slots still limit the blocks. Each block's data stay separate, whatever this returns. */
	uint32_t (*shared_room)(struct mech_gpu *gpu, const struct mech_room *room);
	/* The bytes of an SM's shared memory that launch->blocks_per_sm resident blocks occupy together. Belongs to
	 * MECH_POLICY_SHARED_ROOM. NULL: the sum of their sizes, at most the SM's. */
	uint32_t (*shared_full)(struct mech_gpu *gpu);
	/* Pick: resident blocks per SM, from 1 to `blocks`, the number that fits. A grid that does not fill the
	 * machine can be spread further (launch.spread_small_grids). */
	uint32_t (*blocks_per_sm)(struct mech_gpu *gpu, uint32_t blocks);
	/* Pick: the SM for the block, or MECH_NOWHERE to be called again in the next cycle. has_room[i] is not 0 when
	 * SM i has a free slot and no mechanism refuses it the block. It is 0 when that SM, or another of its cluster
	 * (sm.per_cluster), got a block in this cycle. Not called when no SM qualifies. Blocks are placed in the
	 * order of their numbers; several may be placed per cycle, each on another SM. */
	uint32_t (*place_block)(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room);

	/* --- an SM --- */

	void (*sm_open)(struct mech_sm *sm);
	void (*kernel_begin)(struct mech_sm *sm);
	void (*kernel_end)(struct mech_sm *sm);
	/* Called at the end of each tick of the SM. Returns the cycle by which it must be called again, or MECH_NEVER.
	 * The SM may tick earlier and call it then. While the SM has no block, it does not tick for this cycle. With
	 * launch.sleep off, an SM ticks more often: the state must not depend on the number of calls. */
	uint64_t (*cycle)(struct mech_sm *sm, uint64_t cycle);
	/* The reply to this mechanism's own request, from the SM or for it: once per request that was neither dropped
	 * nor refused, nor cut off by the kernel's end. Data for L1, L2 or the buffer have arrived there. */
	void (*on_reply)(struct mech_sm *sm, const struct mech_reply *reply);
	/* The outcome of this mechanism's own request, from the SM or for it: once per issued request, when its
	 * account counts it. At the kernel's end, the outcome of unused requests comes before kernel_end; requests
	 * made then are dropped. Called while the machine changes L1 or the buffer: mech_put() is a mistake there.
	 * For a request to L2, this reports only that it fetched nothing, just before on_reply reports it as
	 * filtered. */
	void (*on_outcome)(struct mech_sm *sm, const struct mech_outcome *outcome);
	/* Throttling, by any number of mechanisms: the warps that may issue, as a mask. The masks of all mechanisms
	 * are anded, and all are called. 0: none; bits without a ready warp have no effect. Called per scheduler:
	 *   in each cycle in which a warp is ready;
	 *   after live, held, load_hazard or rank of struct mech_warps have changed;
	 *   after another hook of this mechanism has run. A call of `cycle` counts only when it was due, or when
	 *     another hook has run since the last call of `cycle`.
	 * Events after the issue stage count for the next cycle. Further calls may occur, and with launch.sleep off it
	 * is called in every cycle: neither state nor counters may depend on the number of calls. */
	uint64_t (*warps_that_compete)(struct mech_sm *sm, const struct mech_warps *warps);

	/* --- exclusive policies of an SM --- */

	/* The bit of one of the candidates, of which there is at least one: warps that compete and whose next
	 * instruction can issue. If it does not issue, because of a veto or because the warp has moved, the others
	 * become candidates again. */
	uint32_t (*pick_warp)(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates);
	/* The way of L1 to replace by an arriving line, one of those that may_go. Called once per line that enters a
	 * full set, when its way is assigned. */
	uint32_t (*l1_victim)(struct mech_sm *sm, const struct mech_set *set);
	/* A line of L1 is inserted, used or filled. The line's word is a place for what l1_victim needs; it keeps its
	 * value when another line arrives. Belongs to MECH_POLICY_L1_REPLACEMENT. NULL: not called. */
	void (*l1_used)(struct mech_sm *sm, const struct mech_use *use);
	/* A read that missed in L1, an instruction's or a mechanism's, is about to enter the network. Called once,
	 * for at most one per cycle, after evict of the line that it replaces. Returns the cycles, 1 to
	 * MECH_MAX_ANSWER, after which the mechanism's own store delivers the data, and nothing enters the network;
	 * 0: the data are not there. Answers are in order. */
	uint32_t (*answer_miss)(struct mech_sm *sm, const struct mech_access *miss);
	/* The bytes of the SM's shared memory that the blocks in these slots, as bits, occupy together. Belongs to
	 * MECH_POLICY_SHARED_ROOM. */
	uint32_t (*shared_taken)(struct mech_sm *sm, uint64_t slots);
	/* The position of a byte of a resident block's shared memory in the SM's, which determines its bank: (byte /
	 * 4) % banks. The bytes that a lane accesses together, at most 16, must be contiguous. */
	uint32_t (*shared_place)(struct mech_sm *sm, uint32_t block, uint32_t byte);
	/* An instruction of opcodes[own] issues, as `issue` shows; its results have not been computed yet
	 * (mech_operands()). Returns the cycles that it takes in its unit, 1 to MECH_MAX_LATENCY, or 0 for the
	 * machine's latency. */
	uint32_t (*run_opcode)(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue);
	/* The shape of the prefetch buffer in front of L1. Called several times before the machine is opened; returns
	 * the same for the same arguments. */
	struct mech_buffer (*buffer)(const void *config, const struct mech_machine *machine);

	/* --- a memory partition --- */

	void (*partition_open)(struct mech_partition *partition);
	/* As l1_victim and l1_used, for L2. */
	uint32_t (*l2_victim)(struct mech_partition *partition, const struct mech_set *set);
	void (*l2_used)(struct mech_partition *partition, const struct mech_use *use);
	/* The index of a request to an idle bank, which that bank serves next; or MECH_NOWHERE, to be called again in
	 * the next command cycle. A bank opens the row first and serves the request to its end. The channel decides
	 * which bank's command it issues in a cycle. Called at the first slice of a channel. */
	uint32_t (*dram_next)(struct mech_partition *partition, const struct mech_queue *queue);

	/* As on_outcome, for this mechanism's own requests to L2 that the slice fetched for; times are core cycles. */
	void (*partition_outcome)(struct mech_partition *partition, const struct mech_outcome *outcome);

	/* Looks and vetoes, of the tables above. */
#define MECH_LOOK(scope, hook, event, when) void (*hook)(struct mech_##scope * scope, const struct event *event);
#define MECH_VETO(scope, hook, event, when) bool (*hook)(struct mech_##scope * scope, const struct event *event);
	MECH_SM_HOOKS(MECH_LOOK, MECH_VETO)
	MECH_PARTITION_HOOKS(MECH_LOOK, MECH_VETO)
	MECH_GPU_HOOKS(MECH_LOOK, MECH_VETO)
#undef MECH_LOOK
#undef MECH_VETO

	/* --- since version 1.1: a run that is resumed (docs/how-to/journal.md) --- */

	/* Its states need not be saved between kernels: nothing that a kernel has left in them is ever read again. */
	bool forgets;
	/* Save what is kept from one kernel to the next, with mech_keep(), or restore it into a part that has just been
	 * opened. Pointers are never saved. `launch` is the last launch. A mechanism with states that has none of these
	 * hooks and not `forgets` cannot be used with a journal. */
	void (*gpu_keep)(struct mech_gpu *gpu, struct mech_kept *kept);
	void (*sm_keep)(struct mech_sm *sm, struct mech_kept *kept);
	void (*partition_keep)(struct mech_partition *partition, struct mech_kept *kept);

	/* --- since version 1.2: kernels that run together (docs/how-to/streams.md) --- */

	enum mech_kernels kernels;

	/* --- since version 1.3: the choice of the kernel, instead of launch.policy --- */

	/* Pick: the index of the kernel that starts the SM's next block, one that is `ready`. If the SM has no space
	 * for it (has_space), the SM starts no block in this cycle. The same holds for MECH_NOWHERE. Called while
	 * blocks are placed, for an SM with space for some ready kernel's block: at most once per cycle, and again in
	 * each cycle in which such a block remains. Only with MECH_ALL_KERNELS. */
	uint32_t (*pick_kernel)(struct mech_gpu *gpu, const struct mech_choice *choice);
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
