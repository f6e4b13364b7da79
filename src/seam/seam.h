/* seam: the machine's side of mech.h. It lists the attached mechanisms by their hooks, holds the accounts of their
 * requests and records which blocks and warps they hold.
 *
 * Each SM has a `struct seam_sm`, each L2 slice a `struct seam_partition`, and the dispatcher a `struct seam_gpu`. A
 * site that may call a hook first tests whether a mechanism has it. This test is one predictable branch.
 */
#ifndef SLUICE_SEAM_SEAM_H
#define SLUICE_SEAM_SEAM_H

#include "base/arena.h"
#include "base/formula.h"
#include "ptx/module.h"
#include "seam/line_buffer.h"
#include "seam/mech.h"
#include "seam/output.h"
#include "seam/shared_fills.h"
#include "seam/timeline.h"

/* Kernels that run together. A mechanism that serves each kernel separately (MECH_EACH_KERNEL) has parts for each of
 * them. Part `number` belongs to mechanism number % count. Without other kernels, a kernel has the parts 0 to
 * count - 1, and its index is 0. */
enum {
	SEAM_PARTS = 32,             /* of a unit, at most */
	SEAM_NOBODY = SEAM_PARTS,    /* no part has this number */
	SEAM_MAX_KERNELS = 128,      /* that run together, at most */
	SEAM_ALL = SEAM_MAX_KERNELS, /* stands for all of them: parts of mechanisms with MECH_ALL_KERNELS */
	SEAM_NO_KERNEL = UINT8_MAX,
	SEAM_POOLS = SEAM_PARTS + 1, /* a pool for each kernel that may have parts, and one for SEAM_ALL */
};

/* Limits that fixed-width fields impose on the numbers of mechanisms, blocks and warps. */
_Static_assert(SEAM_PARTS <= 32 && SEAM_PARTS < UINT8_MAX, "seam_sm.holders has a bit a part, seam_list.part a byte");
_Static_assert((int)MECH_MAX <= (int)SEAM_PARTS && SEAM_ALL < SEAM_NO_KERNEL, "a kernel has its parts");
_Static_assert(MECH_MAX_BLOCKS <= 64, "seam_sm.slots and buffer_line.owners have a bit a block");
_Static_assert(MECH_MAX_SCHEDULER_WARPS <= 64, "the masks of struct mech_warps have a bit a warp");

/* A mechanism with its options. */
struct seam_attached {
	const struct mech *mech;
	void *config; /* config_size bytes */
};

/* The parts that have a given hook, by number. */
struct seam_list {
	uint32_t count;
	uint8_t part[SEAM_PARTS];
};

/* A mechanism's request in flight. */
struct seam_sent {
	struct mech_request request;
	/* for the buffer or shared memory: number of the block that occupied the slot when the request was made */
	uint64_t owner;
	/* for its account. L1 holds this after sending for requests to L1; `fill` holds it for requests to shared
	 * memory */
	struct base_prefetch kept;
	struct shared_fill *fill; /* destination in shared memory */
	uint32_t kernel;          /* that ends only after the reply; SEAM_ALL: none of them */
	struct seam_sent *next;
	uint64_t asked; /* SM cycle in which the request was made */
};

/* Memory of a part, as mechanisms see it. */
struct seam_pool {
	struct mech_pool seen;
	struct arena arena;
};

/* The memory pools of a scope. All mechanisms' parts in the scope use them; those of a kernel have a common one. */
struct seam_pools {
	struct seam_pool machine, kernel[SEAM_POOLS];
};

/* The first mistake of a mechanism in one scope. */
struct seam_mistake {
	bool made;
	uint64_t cycle;
	char text[512];
};

/* The account of requests sent on behalf of one load. */
struct seam_load {
	struct mech_requests requests;
	uint64_t sum[OUTPUT_REQUEST_VECTORS]; /* cycles: sum of this load's values in each histogram of the account */
};

struct seam_account {
	struct mech_requests all;
	struct seam_load *by_pc; /* one element per instruction of the kernel; NULL: the mechanism never sends */
};

/* The mechanism that owns an opcode (SEAM_NOBODY: none), and the opcode's index in that mechanism's table. */
struct seam_opcode {
	uint8_t owner, own;
};

/* The counts of a mechanism's parts in a unit, of kernels that have ended. */
struct seam_ended {
	void *stats;
	struct mech_requests requests;
};

struct seam;

struct seam_sm {
	struct seam *seam;
	/* current core cycle of this SM, or the last one that it simulated; the SM may be ahead of others */
	uint64_t clock;
	struct mech_sm part[SEAM_PARTS];
	struct output output[SEAM_PARTS];
	struct seam_account account[SEAM_PARTS];
	struct seam_ended ended[MECH_MAX];
	/* for each hook, the parts that have it */
#define HOOK(scope, hook, event, when) struct seam_list hook;
	MECH_SM_HOOKS(HOOK, HOOK)
	struct seam_list cycle, warps_that_compete;
	struct mech_sm *order; /* owner of the warp order, and its hook */
	uint32_t (*pick)(struct mech_sm *, const struct mech_warps *, uint64_t);
	struct mech_sm *replacement;                 /* owner of L1's replacement policy */
	struct mech_sm *behind_l1;                   /* owner of the answers to L1 misses */
	struct mech_sm *shared_room, *shared_layout; /* owners of shared-memory capacity and of shared-memory layout */
	struct shared_fills fills[SEAM_POOLS];       /* by kernel of the blocks */
	bool fills_shared;                           /* one of them is in use */
	/* part that refused the banks to the load/store unit's instruction, or SEAM_NOBODY */
	uint8_t shared_vetoed_by;
	bool is_shown_issues; /* some mechanism observes issues or owns opcodes */
	bool has_buffer, has_ranks;
	struct line_buffer buffer;
	/* last return value of the hook, by scheduler and by part that has the hook */
	uint64_t competing[MECH_MAX_SCHEDULERS][SEAM_PARTS];
	uint32_t resident; /* number of resident blocks */
	uint64_t slots;    /* their slots, one bit per slot */
	struct mech_block block[MECH_MAX_BLOCKS];
	uint8_t kernel_of[MECH_MAX_BLOCKS];    /* by block slot: the block's kernel */
	struct timeline blocks;                /* blocks that have ended */
	uint32_t holders[MECH_MAX_BLOCKS];     /* by block slot: parts that hold the block, one bit per part */
	bool live[MECH_MAX_WARPS];             /* by warp slot: true for an unfinished warp of a resident block */
	uint32_t warp_holders[MECH_MAX_WARPS]; /* by warp slot: parts that hold the warp, one bit per part */
	uint8_t vetoed_by[MECH_MAX_WARPS];     /* by warp slot: part that refused the instruction, or SEAM_NOBODY */
	uint64_t wake;                         /* next cycle in which a cycle hook wants to be called */
	/* since the last call of the cycle hooks, a mechanism with warps_that_compete has run another hook */
	bool has_news;
	/* Requests that wait to be served, in a ring of machine.send_queue entries. `dispatched` counts the
	 * dispatcher's requests for this SM. `kept_in_step` counts the calls that keep the SM in step and are not
	 * yet undone. */
	struct seam_sent **queue;
	uint32_t queue_head, queued, dispatched, kept_in_step;
	uint32_t unanswered[SEAM_POOLS]; /* requests from mech_send() to the reply, by kernel */
	struct seam_sent *free;
	struct seam_sent *coming; /* requests in flight to the buffer whose data loads can wait for */
	struct seam_pools pools;
	const char *hook;                 /* name of the hook that runs, or ran last */
	bool in_outcome;                  /* on_outcome runs while the machine is changing L1 or the buffer */
	const struct mech_issue *issuing; /* the instruction shown to hooks before it runs, or NULL */
	struct seam_mistake mistake;
	/* Callbacks of the SM, called with `host`:
	 * - held: gives block `slot` its new holders. They apply after the SMs' ticks of `cycle`; MECH_NEVER: the
	 *   call is made in the SM's own tick.
	 * - asked: reports that a request waits.
	 * - operands (below): reads the operands with which a warp's next instruction is about to run.
	 */
	void *host;
	void (*held)(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
	void (*asked)(void *host);
	/* A hook may have changed which warps compete: calls warps_that_compete again, in this cycle or in the next
	 * one. */
	void (*compete_again)(void *host);
	void (*operands)(const void *host, uint32_t warp, struct mech_operands *operands);
	/* held_warp gives a warp its new holders, with the same meaning of `cycle` as `held`. look_at_warp reads the
	 * state of a live warp, except its holders. */
	void (*held_warp)(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
	void (*look_at_warp)(const void *host, uint32_t slot, struct mech_warp *warp);
	/* ranked gives a warp its rank. stopped stops the kernel at a warp's next instruction, because `lane` does
	 * something that a mechanism forbids. */
	void (*ranked)(void *host, uint32_t slot, uint32_t rank);
	void (*stopped)(void *host, uint32_t slot, uint32_t lane, const char *why);
	/* bulk_copy reads the bulk copy that a lane of a warp's next instruction requests. It returns false when the
	 * instruction stops the kernel. complete reports arrivals and bytes to an mbarrier. */
	bool (*bulk_copy)(const void *host, uint32_t slot, uint32_t lane, struct bulk_copy *copy);
	void (*complete)(void *host, uint32_t block, uint32_t shared, uint32_t arrivals, uint64_t bytes);
	/* Reads the SM's live statistics up to `cycle`, when the caller is outside the SM. In the SM's own hooks
	 * `cycle` is MECH_NEVER. */
	void (*look_at_sm)(void *host, uint64_t cycle, struct mech_sm_live_stats *live);
};

struct seam_partition {
	struct seam *seam;
	struct mech_partition part[SEAM_PARTS];
	struct output output[SEAM_PARTS];
	struct seam_account account[SEAM_PARTS]; /* outcomes of requests to L2 */
	struct seam_ended ended[MECH_MAX];
	struct seam_pools pools;
	const char *hook; /* name of the hook that runs, or ran last */
	struct seam_mistake mistake;
	struct mech_partition *replacement; /* owner of L2's replacement policy */
	struct mech_partition *scheduler;   /* owner of DRAM scheduling */
	bool serves_none;                   /* the owner of DRAM scheduling chose no request in its last call */
	/* callback of the machine: reads the live statistics of a slice */
	const void *host;
	void (*look)(const void *host, uint32_t slice, struct mech_partition_live_stats *live);
	MECH_PARTITION_HOOKS(HOOK, HOOK)
};

/* A request from the dispatcher to an SM. */
struct seam_dispatched {
	uint32_t sm;
	struct seam_sent *sent;
};

struct seam_gpu {
	struct seam *seam;
	struct mech_gpu part[SEAM_PARTS];
	struct output output[SEAM_PARTS];
	struct seam_ended ended[MECH_MAX];
	MECH_GPU_HOOKS(HOOK, HOOK)
#undef HOOK
	struct seam_list cycle;
	struct mech_gpu *count_owner, *place_owner, *room_owner, *kernel_owner;
	bool sends;           /* some mechanism may send from the dispatcher */
	uint64_t dispatching; /* current cycle while the dispatcher works; else MECH_NEVER */
	uint32_t of_sm;       /* SM of gpu_block or may_dispatch while that hook runs; else MECH_NOWHERE */
	uint32_t asked_for;   /* kernel of may_dispatch or may_end */
	enum mech_preference preference;
	uint64_t wake[SEAM_PARTS], first_wake; /* cycles in which cycle hooks want to be called */
	uint32_t vetoed_by;                    /* part that refused the next block on some SM, or SEAM_NOBODY */
	uint32_t kept_open_by;                 /* part that does not let its kernel end, or SEAM_NOBODY */
	struct seam_dispatched *queue;
	uint32_t queue_head, queued;
	struct seam_pools pools;
	const char *hook; /* name of the hook that runs, or NULL */
	struct seam_mistake mistake;
};

/* Static analyses of the program, provided by the code that knows the program. */
struct seam_analyses {
	void *user;
	struct mech_rows (*rows)(void *user, uint32_t most, enum mech_loops loops);
	const struct mech_load *(*loads)(void *user, uint32_t *count);
	const struct mech_staging_inst *(*staging)(void *user, uint32_t *count);
	const struct mech_allocation *(*allocations)(void *user, uint32_t *count);
	void (*say)(void *user, const char *mechanism, const char *text);
};

/* The phases of a kernel, which decide what services its parts may call:
 * - SEAM_OPENING: the parts are being opened.
 * - SEAM_IDLE: between kernels.
 * - SEAM_LAUNCHING: a kernel is being prepared.
 * - SEAM_BEGINNING: its kernel-begin hooks run.
 * - SEAM_RUNNING: its cycles run.
 * - SEAM_SETTLING: its cycles are over, and the outcomes of unused prefetched lines are reported.
 * - SEAM_ENDING: the kernel ends.
 */
enum seam_phase { SEAM_OPENING, SEAM_IDLE, SEAM_LAUNCHING, SEAM_BEGINNING, SEAM_RUNNING, SEAM_SETTLING, SEAM_ENDING };

/* A kernel, or SEAM_ALL. */
struct seam_kernel {
	enum seam_phase phase;
	struct mech_launch launch;
	struct seam_analyses analyses;
};

struct seam {
	struct mech_machine machine;
	struct seam_attached attached[MECH_MAX];
	struct output_layout layout[MECH_MAX]; /* of the mechanisms' vectors */
	struct seam_opcode opcode[PTX_OPCODES];
	uint32_t count, parts;         /* mechanisms; parts that have been opened in a unit, a multiple of count */
	bool several;                  /* kernels run together (together.c) */
	uint8_t kernel_of[SEAM_PARTS]; /* by part: its kernel */
	struct seam_kernel kernel[SEAM_MAX_KERNELS + 1]; /* the last one is SEAM_ALL */
	const uint64_t *clock;                           /* core cycle of the dispatcher */
	const uint64_t *clock_of_partitions;             /* core cycle of the memory partitions, which may differ */
	bool draws;                                      /* a timeline */
	struct seam_gpu gpu;
	struct seam_sm *sm;
	struct seam_partition *partition;
};

/* --- before a machine is opened --- */

/* True when the mechanism's own description is valid: its name and its tables. Otherwise false, with a message. */
bool seam_check_tables(const struct mech *mech, char *message, size_t size);

/* True when the mechanisms can be attached together to this machine. Otherwise false, with a message. */
bool seam_check(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine, char *message,
                size_t size);

/* Counters of the account of requests, which are fields of struct mech_requests. */
extern const struct base_counter seam_request_counters[];
extern const size_t seam_request_counter_count;

/* The names that formulas of a mechanism's energies may use. The struct points into itself, so it must not be
 * copied. */
struct seam_energy_names {
	struct base_counter_group group[2];
	struct formula_names names;
};
void seam_energy_names(struct seam_energy_names *names, const struct mech *mech);

/* Writes the rows of a mechanism's energy table and returns their number; 0: the mechanism declares none. */
uint32_t seam_energies(const struct seam_attached *attached, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES]);
/* True when a mechanism's energies are valid. Otherwise false, with a message. */
bool seam_check_energies(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                         size_t size);

/* Readable name of one of enum mech_policy. */
const char *seam_policy_name(uint32_t policy);

/* Opens the mechanisms for a machine with these clocks, of the dispatcher and of the partitions. seam_check() must
 * have passed. The configurations must live as long as the result. */
struct seam *seam_open(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine,
                       const uint64_t *clock, const uint64_t *clock_of_partitions);
void seam_close(struct seam *seam);

/* --- kernels that run together: kernels.c --- */

/* How many kernels may run together with these mechanisms; 1: one of them, *why, sees one kernel at a time. */
uint32_t seam_kernels_at_once(const struct seam_attached *attached, uint32_t count, const struct mech **why);

/* Kernels run together from seam_begin_session() to seam_end_session(). Parts that serve all of them begin and end
 * there. Each kernel has an index below seam_kernels_at_once(), which is free again after its seam_kernel_end(). */
void seam_begin_session(struct seam *seam);
/* After seam_cycles_ended() of SEAM_ALL. */
void seam_end_session(struct seam *seam);
/* No block is resident or waits. Drops the dispatcher's requests and stops cycle hooks until a block starts, if no
 * mechanism objects; of kernels that run together, only for parts that serve all of them. */
void seam_blocks_ended(struct seam *seam, uint64_t cycle);
/* The kernel's blocks have ended. True once its parts let it end and none of its requests is unanswered. */
bool seam_kernel_may_end(struct seam *seam, uint32_t kernel, uint64_t cycle);

/* The numbers of the kernel's parts, one bit per part. */
uint32_t seam_senders_of(const struct seam *seam, uint32_t kernel);
/* The kernel of these parts ends: what they have requested for the buffer, and no instruction has used, was requested
 * in vain. */
void seam_end_requests(struct seam_sm *sm, uint32_t senders);

/* True when one set of the mechanism's parts serves all kernels that run together. */
static inline bool seam_serves_all(const struct seam *seam, uint32_t number)
{
	return seam->kernel_of[number] == SEAM_ALL;
}

/* The part of the mechanism `number` (below seam.count) that serves the kernel. */
static inline uint32_t seam_part_of_kernel(const struct seam *seam, uint32_t kernel, uint32_t number)
{
	return seam->several && seam->kernel_of[number] != SEAM_ALL ? kernel * seam->count + number : number;
}

/* True when no mechanism reads or changes an SM at a time other than the SM's own. Only then may SMs be ahead of
 * each other and of partitions. */
bool seam_is_local(const struct seam *seam);

/* True when a mechanism's hooks of the GPU may touch the SM. The SM must then not be ahead of the dispatcher. */
static inline bool seam_is_kept_in_step(const struct seam_sm *sm)
{
	return sm->kept_in_step || sm->dispatched;
}

/* True when some mechanism may refuse an instruction the banks of shared memory. */
bool seam_may_refuse_banks(const struct seam *seam);

/* True when some mechanism sends requests. */
bool seam_sends(const struct seam *seam);

/* The steps of a kernel. seam_launch: the kernel is about to begin; all parts are empty and can see its launch.
 * seam_kernel_begin: it begins. seam_cycles_ended: its cycles are over. seam_kernel_end: it ends, with nothing in
 * flight. */
void seam_launch(struct seam *seam, uint32_t kernel, const struct mech_launch *launch,
                 const struct seam_analyses *analyses);
void seam_kernel_begin(struct seam *seam, uint32_t kernel, uint32_t blocks_per_sm);
void seam_cycles_ended(struct seam *seam, uint32_t kernel);
void seam_kernel_end(struct seam *seam, uint32_t kernel);
/* To be called before seam_kernel_end() of a kernel that did not run to its end. Counts requests that are still in
 * flight as redundant. Only the accounts change: no on_outcome hook is called. */
void seam_account_unfinished(struct seam *seam, uint32_t kernel);

/* The mechanisms' first mistake since the machine was opened, or NULL. No SM may be ticking. */
const struct seam_mistake *seam_mistake(const struct seam *seam);

/* Reads what a mechanism counted in the kernel: its counters, its account of requests, and that account by load. */
void seam_stats(const struct seam *seam, uint32_t number, void *stats, struct mech_requests *requests,
                struct seam_load *by_pc);
/* The struct of a mechanism's counters of one SM or partition, and its account of requests there. */
enum seam_unit { SEAM_OF_GPU, SEAM_OF_SM, SEAM_OF_PARTITION };
const void *seam_unit_stats(const struct seam *seam, uint32_t number, enum seam_unit unit, uint32_t index,
                            const struct mech_requests **requests);
/* Sums one of a mechanism's vectors over all parts. The caller frees it with vector_free(). */
void seam_vector(const struct seam *seam, uint32_t number, uint32_t vector, struct vector *sum);
/* A mechanism's account of requests, summed over all SMs. */
struct mech_requests seam_account_of(const struct seam *seam, uint32_t number);
void seam_stats_add(const struct mech *mech, void *sum, const void *stats);
void seam_requests_add(struct mech_requests *sum, const struct mech_requests *requests);

/* --- the timeline --- */

/* From now on, also in later kernels, each part stores at most `most` events before they are taken; 0 stops
 * recording. No SM may be ticking. */
void seam_draw(struct seam *seam, uint64_t most);

/* Takes all events since the last call, in the order of the parts, so that the order does not depend on threads.
 * First come the blocks that have ended, as events without a mechanism. Their `mech` is NULL, `track` is the block's
 * slot and the first argument is its number. Then come the events that mechanisms have drawn. */
struct seam_drawer {
	void *user;
	void (*show)(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
	             const struct mech_event *event);
};
void seam_take_events(struct seam *seam, const struct seam_drawer *drawer);
/* The kernel has ended before these blocks: they count as ended in `cycle`. */
void seam_cut_blocks(struct seam *seam, uint64_t cycle);

/* --- an SM's blocks --- */

/* A block is about to start. Its warps must not issue while it has holders. */
void seam_block_begin(struct seam_sm *sm, uint32_t kernel, const struct mech_block *block);
void seam_block_end(struct seam_sm *sm, uint32_t slot, uint64_t cycle);
/* All threads of a warp have exited: no mechanism holds it any more. */
void seam_warp_end(struct seam_sm *sm, uint32_t slot);

/* --- looks and vetoes: call.c --- */

/* seam_call_HOOK calls a look of all mechanisms that have it. seam_ask_HOOK calls a veto of all of them and returns
 * the mechanisms that refuse, one bit per mechanism. A site first tests `seam->HOOK.count`, so that it builds no
 * event when no mechanism listens. */
#define LOOK(scope, hook, event, when) void seam_call_##hook(struct seam_##scope *scope, const struct event *event);
#define VETO(scope, hook, event, when) uint32_t seam_ask_##hook(struct seam_##scope *scope, const struct event *event);
MECH_SM_HOOKS(LOOK, VETO)
MECH_PARTITION_HOOKS(LOOK, VETO)
MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO

/* Calls the look that precedes the instruction's execution, as the veto does. */
void seam_issue(struct seam_sm *sm, const struct mech_issue *issue);

static inline bool seam_owns_opcode(const struct seam *seam, enum ptx_opcode op)
{
	return seam->opcode[op].owner < SEAM_NOBODY;
}

/* Runs an instruction whose opcode has an owner. Returns the cycles that it takes; 0 when the opcode has no owner. */
uint32_t seam_run_opcode(struct seam_sm *sm, const struct mech_issue *issue);

/* Vetoes whose refusing mechanism is recorded for the deadlock report. */
bool seam_may_issue(struct seam_sm *sm, const struct mech_issue *issue);
bool seam_may_dispatch(struct seam_gpu *gpu, uint32_t kernel, const struct mech_dispatch *dispatch);
bool seam_may_end(struct seam_gpu *gpu, uint32_t kernel, const struct mech_end *end);

/* A block has been started: cycle hooks will be called in the next cycle. */
void seam_block(struct seam_gpu *gpu, const struct mech_block *block);

/* Call the cycle hooks. */
void seam_cycle(struct seam_sm *sm, uint64_t cycle);
void seam_gpu_cycle(struct seam_gpu *gpu, uint64_t cycle);

/* --- the warp order --- */

/* seam_compete returns the warps that all mechanisms with the hook let compete. seam_left_out_by returns the first
 * mechanism that excluded `warp` in its last call, or
 * SEAM_NOBODY. */
uint64_t seam_compete(struct seam_sm *sm, const struct mech_warps *warps);
uint32_t seam_left_out_by(const struct seam_sm *sm, uint32_t scheduler, uint64_t warp);
/* The owner has picked a warp that is no candidate: records the mistake and returns a candidate. */
uint32_t seam_wrong_pick(struct seam_sm *sm, const struct mech_warps *warps, uint64_t candidates, uint32_t bit);

static inline uint32_t seam_pick(struct seam_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	sm->hook = "pick_warp";
	uint32_t bit = sm->pick(sm->order, warps, candidates);
	bool good = bit < MECH_MAX_SCHEDULER_WARPS && candidates >> bit & 1;
	return good ? bit : seam_wrong_pick(sm, warps, candidates, bit);
}

/* --- replacement: the owner's pick, restricted to the ways that may be evicted, and its notices of uses --- */

uint32_t seam_l1_victim(struct seam_sm *sm, const struct mech_set *set);
uint32_t seam_l2_victim(struct seam_partition *partition, const struct mech_set *set);
void seam_l1_used(struct seam_sm *sm, const struct mech_use *use);
void seam_l2_used(struct seam_partition *partition, const struct mech_use *use);

/* The request that the owner picks as a DRAM channel's next one, or UINT32_MAX. */
uint32_t seam_dram_next(struct seam_partition *partition, const struct mech_queue *queue);

/* --- shared memory --- */

/* True when the load/store unit's instruction may have the banks. */
bool seam_may_access_shared(struct seam_sm *sm, const struct mech_shared *access);

/* Writes the positions in the SM's shared memory of the bytes (or first bytes of words) that lanes access. To be
 * called only when a mechanism owns the layout. */
void seam_shared_places(struct seam_sm *sm, uint32_t block, const uint64_t *byte, uint32_t lanes, uint64_t *place);

/* An instruction issues that accesses `bytes` bytes at each lane's address. To be called when mechanisms fill shared
 * memory. */
void seam_shared_touched(struct seam_sm *sm, uint32_t block, enum mech_kind kind, const uint64_t *byte, uint32_t lanes,
                         uint32_t bytes);

static inline bool seam_fills_shared(const struct seam_sm *sm)
{
	return sm->fills_shared;
}

/* Cycles until the owner answers a miss; 0: no owner answers it. */
uint32_t seam_answer_miss(struct seam_sm *sm, const struct mech_access *miss);

/* --- requests of an SM's mechanisms --- */

static inline struct seam_sent *seam_next_request(const struct seam_sm *sm)
{
	return sm->queued ? sm->queue[sm->queue_head] : NULL;
}
/* True when the next request goes before the accesses of instructions. A request to L1 never does. */
static inline bool seam_goes_before_demand(const struct seam_sm *sm)
{
	const struct seam_sent *next = seam_next_request(sm);
	return next && next->request.before_demand && next->request.to != MECH_TO_L1;
}
/* The next request leaves the queue. seam_request_sent: it was sent. seam_request_filtered: it was not, because its
 * line is present or in flight. seam_request_outside: it was not, because its address is no memory. */
void seam_request_sent(struct seam_sm *sm);
void seam_request_filtered(struct seam_sm *sm, uint64_t cycle);
/* L1 has no free entry for the request in this cycle. The request stays in the queue or is dropped. */
void seam_request_refused(struct seam_sm *sm);
void seam_request_outside(struct seam_sm *sm, uint64_t cycle);
/* Drops the queued requests, because no block is left that could use them. */
void seam_drop_requests(struct seam_sm *sm);
/* The data of a request have arrived; for L1, L1 already holds them. `in_l2` says, for a request to L2, whether L2
 * had the data or waited for them. True when the data were written into the buffer. */
bool seam_reply(struct seam_sm *sm, struct seam_sent *sent, bool in_l2, uint64_t cycle);

/* Returns those sectors of the line that the buffer lacks, one bit per sector, if all of them are in flight to it.
 * Their requests are then late. Otherwise returns 0. */
uint32_t seam_merge(struct seam_sm *sm, uint64_t line, uint32_t sectors);

/* A listener that enters the outcomes of an SM's requests into their senders' accounts and calls the senders'
 * on_outcome. */
struct base_prefetch_listener seam_listener(struct seam_sm *sm);
/* The corresponding listener for requests to L2, in a slice. */
struct base_prefetch_listener seam_listener_of_l2(struct seam_partition *partition);

/* --- the dispatcher --- */

/* Returns how many blocks fit on an SM. Where the owner of shared-memory capacity states how many blocks fit there,
 * that number limits the result. */
uint32_t seam_room(struct seam *seam, uint32_t kernel, const struct mech_room *room);

/* The owners' picks. seam_blocks_per_sm picks the number of blocks per SM, at most `blocks`. seam_place_block picks
 * the SM that gets a block, or MECH_NOWHERE. seam_pick_kernel picks the index of a ready kernel, or MECH_NOWHERE. */
uint32_t seam_blocks_per_sm(struct seam *seam, uint32_t kernel, uint32_t blocks);
uint32_t seam_place_block(struct seam *seam, uint64_t block, const uint8_t *has_room);
uint32_t seam_pick_kernel(struct seam *seam, const struct mech_choice *choice);

static inline const struct seam_dispatched *seam_next_dispatched(const struct seam_gpu *gpu)
{
	return gpu->queued ? &gpu->queue[gpu->queue_head] : NULL;
}
/* The dispatcher's next request has left, or its address is no memory. */
void seam_dispatched_sent(struct seam *seam);
void seam_dispatched_outside(struct seam *seam, uint64_t cycle);
/* Drops the queued requests and stops calling cycle hooks of the kernel's parts. Its last block has ended, and no
 * mechanism objects. */
void seam_drop_dispatched(struct seam *seam, uint32_t kernel);

#endif
