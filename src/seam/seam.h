/* seam: the machine's side of mech.h: the attached mechanisms, by the hooks that they have; their accounts of requests; the
 * blocks that they hold.
 *
 * Each SM has a `struct seam_sm`, each L2 slice a `struct seam_partition`, the dispatcher a `struct seam_gpu`. A site that
 * may call a hook asks first whether anybody has it, which is one predictable branch.
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

/* What fields of fixed width say of mechanisms, blocks and warps. */
_Static_assert(MECH_MAX <= 32 && MECH_MAX < UINT8_MAX, "seam_sm.holders has a bit a mechanism, seam_list.part a byte");
_Static_assert(MECH_MAX_BLOCKS <= 64, "seam_sm.slots and buffer_line.owners have a bit a block");
_Static_assert(MECH_MAX_SCHEDULER_WARPS <= 64, "the masks of struct mech_warps have a bit a warp");

/* A mechanism with its options. */
struct seam_attached {
	const struct mech *mech;
	void *config; /* config_size bytes */
};

/* The mechanisms of one part that have a hook. */
struct seam_list {
	uint32_t count;
	uint8_t part[MECH_MAX];
};

/* A request of a mechanism on its way. */
struct seam_sent {
	struct mech_request request;
	uint64_t owner;       /* to the buffer, to shared memory: the number of the block in its slot when it was asked for */
	struct prefetch kept; /* for its account; of one to L1, L1 keeps what comes behind its sending, of one to shared memory, `fill` */
	struct shared_fill *fill; /* to shared memory: where it goes */
	struct seam_sent *next;
	uint64_t asked; /* the SM's cycle */
};

/* Memory of a part, as mechanisms see it. */
struct seam_pool {
	struct mech_pool seen;
	struct arena arena;
};

/* The two pools of a scope, which all mechanisms' parts in it share. */
struct seam_pools {
	struct seam_pool machine, kernel;
};

/* The first mistake of a mechanism. */
struct seam_mistake {
	bool made;
	uint64_t cycle;
	char text[512];
};

/* What was sent on a load's behalf. */
struct seam_load {
	struct mech_requests requests;
	uint64_t sum[OUTPUT_REQUEST_VECTORS]; /* of what the account's histograms have sorted of it: cycles */
};

struct seam_account {
	struct mech_requests all;
	struct seam_load *by_pc; /* instructions of the kernel, or NULL: it never sends */
};

/* Who owns an opcode: the mechanism's number, or MECH_MAX; which of its own it is. */
struct seam_opcode {
	uint8_t owner, own;
};

struct seam;

struct seam_sm {
	struct seam *seam;
	uint64_t clock; /* the core cycle that it is in, or that it was in last: it may be ahead of others */
	struct mech_sm part[MECH_MAX];
	struct output output[MECH_MAX];
	struct seam_account account[MECH_MAX];
	/* who has which hook */
#define HOOK(scope, hook, event, when) struct seam_list hook;
	MECH_SM_HOOKS(HOOK, HOOK)
	struct seam_list cycle, warps_that_compete;
	struct mech_sm *order; /* owner of the warp order, and its hook */
	uint32_t (*pick)(struct mech_sm *, const struct mech_warps *, uint64_t);
	struct mech_sm *replacement; /* owner of L1's replacement, */
	struct mech_sm *behind_l1;   /* and of what answers its misses */
	struct mech_sm *shared_room, *shared_layout; /* owners of the room in shared memory, of where bytes lie there */
	struct shared_fills fills;
	uint8_t shared_vetoed_by; /* the mechanism that refused the banks to the load/store unit's instruction, or MECH_MAX */
	bool is_shown_issues;     /* some mechanism looks at them, or owns opcodes */
	bool has_buffer, has_ranks;
	struct line_buffer buffer;
	uint64_t competing[MECH_MAX_SCHEDULERS][MECH_MAX]; /* by scheduler and mechanism that has the hook: what it returned last */
	uint32_t resident; /* blocks, */
	uint64_t slots;    /* and their slots, as bits */
	struct mech_block block[MECH_MAX_BLOCKS];
	struct timeline blocks; /* that have ended */
	uint32_t holders[MECH_MAX_BLOCKS]; /* by slot: the mechanisms that hold the block, as bits */
	bool live[MECH_MAX_WARPS];         /* by slot: a warp of a resident block that has not ended, */
	uint32_t warp_holders[MECH_MAX_WARPS]; /* and the mechanisms that hold it, as bits */
	uint8_t vetoed_by[MECH_MAX_WARPS]; /* by slot: the mechanism that refused the instruction, or MECH_MAX */
	uint64_t wake;                     /* cycle in which a cycle hook wants to be called */
	bool has_news; /* since the cycle hooks were called last, a hook of a mechanism has run that has warps_that_compete */
	/* requests that wait to be served: a ring of machine.send_queue; the dispatcher's for it; how often it is kept in step */
	struct seam_sent **queue;
	uint32_t queue_head, queued, dispatched, kept_in_step;
	struct seam_sent *free;
	struct seam_sent *coming; /* to the buffer, where loads can wait for it */
	struct seam_pools pools;
	const char *hook; /* the one that runs, or ran last */
	bool in_fate;     /* on_fate runs, in the middle of what the machine does to L1 or the buffer */
	const struct mech_issue *issuing; /* the instruction that hooks are shown before it runs, or NULL */
	struct seam_mistake mistake;
	/* the SM: gives a block its new holders, behind the SMs' ticks of that cycle, or in its own: MECH_NEVER; is told that a
	 * request waits; says what a warp's next instruction is about to be run with */
	void *host;
	void (*held)(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
	void (*asked)(void *host);
	/* ... a hook may have changed which warps compete: asks again, in this cycle or in the next one */
	void (*compete_again)(void *host);
	void (*operands)(const void *host, uint32_t warp, struct mech_operands *operands);
	/* ... gives a warp its new holders, as `held` does a block; says how a live one stands, but for who holds it */
	void (*held_warp)(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
	void (*look_at_warp)(const void *host, uint32_t slot, struct mech_warp *warp);
	/* ... gives a warp its rank; stops at a warp's next instruction, of which `lane` does what a mechanism forbids */
	void (*ranked)(void *host, uint32_t slot, uint32_t rank);
	void (*stopped)(void *host, uint32_t slot, uint32_t lane, const char *why);
	/* ... says what copy in bulk a lane of a warp's next instruction asks for; false: one that stops the kernel. Tells an mbarrier of arrivals and bytes */
	bool (*bulk_copy)(const void *host, uint32_t slot, uint32_t lane, struct bulk_copy *copy);
	void (*complete)(void *host, uint32_t block, uint32_t shared, uint32_t arrivals, uint64_t bytes);
	/* ... gives its live figures: when it is asked from outside up to this cycle, in its own hooks: MECH_NEVER */
	void (*look_at_sm)(void *host, uint64_t cycle, struct mech_sm_figures *figures);
};

struct seam_partition {
	struct seam *seam;
	struct mech_partition part[MECH_MAX];
	struct output output[MECH_MAX];
	struct seam_account account[MECH_MAX]; /* of what has become of requests to L2 */
	struct seam_pools pools;
	const char *hook; /* the one that runs, or ran last */
	struct seam_mistake mistake;
	struct mech_partition *replacement; /* owner of L2's replacement, */
	struct mech_partition *scheduler;   /* and of DRAM's scheduling, */
	bool serves_none;                   /* which chose no request when it was asked last */
	/* the machine: gives live figures of a slice */
	const void *host;
	void (*look)(const void *host, uint32_t slice, struct mech_partition_figures *figures);
	MECH_PARTITION_HOOKS(HOOK, HOOK)
};

/* A request of the dispatcher for an SM. */
struct seam_dispatched {
	uint32_t sm;
	struct seam_sent *sent;
};

struct seam_gpu {
	struct mech_gpu part[MECH_MAX];
	struct output output[MECH_MAX];
	MECH_GPU_HOOKS(HOOK, HOOK)
#undef HOOK
	struct seam_list cycle;
	struct mech_gpu *count_owner, *place_owner, *room_owner;
	bool sends;           /* some mechanism may send from here */
	uint64_t dispatching; /* the cycle, while the dispatcher is at work; else MECH_NEVER */
	uint32_t of_sm;       /* the SM of gpu_block or may_dispatch, while it runs; else MECH_NOWHERE */
	enum mech_preference preference;
	uint64_t wake[MECH_MAX], first_wake; /* cycles in which cycle hooks want to be called */
	uint32_t vetoed_by;                  /* the mechanism that refused the next block on some SM, or MECH_MAX */
	uint32_t kept_open_by;               /* the one that does not let the kernel end, or MECH_MAX */
	struct seam_dispatched *queue;
	uint32_t queue_head, queued;
	struct seam_pools pools;
	const char *hook; /* the one that runs, or NULL */
	struct seam_mistake mistake;
};

/* Analyses, by whoever knows the program. */
struct seam_analyses {
	void *user;
	struct mech_rows (*rows)(void *user, uint32_t most, enum mech_loops loops);
	const struct mech_load *(*loads)(void *user, uint32_t *count);
	const struct mech_staging_inst *(*staging)(void *user, uint32_t *count);
	const struct mech_allocation *(*allocations)(void *user, uint32_t *count);
	void (*say)(void *user, const char *mechanism, const char *text);
};

/* What is going on, as far as services depend on it: the parts are opened; nothing; a kernel is prepared; its hooks that begin
 * it are called; its cycles run; they are over, and what requests have brought and nobody wanted is told; it ends. */
enum seam_phase { SEAM_OPENING, SEAM_IDLE, SEAM_LAUNCHING, SEAM_BEGINNING, SEAM_RUNNING, SEAM_SETTLING, SEAM_ENDING };

struct seam {
	struct mech_machine machine;
	struct seam_attached attached[MECH_MAX];
	struct output_layout layout[MECH_MAX]; /* of their vectors */
	struct seam_opcode opcode[PTX_OPCODES];
	uint32_t count;
	struct mech_launch launch;
	struct seam_analyses analyses;
	const uint64_t *clock;              /* the core cycle, as the dispatcher has it; */
	const uint64_t *clock_of_partitions; /* where memory partitions are in time, which may be another */
	enum seam_phase phase;
	bool draws; /* a timeline */
	struct seam_gpu gpu;
	struct seam_sm *sm;
	struct seam_partition *partition;
};

/* --- before a machine is opened --- */

/* True when what the mechanism says of itself makes sense: its name, its tables. False, with a message. */
bool seam_check_tables(const struct mech *mech, char *message, size_t size);

/* True when they can be attached together to this machine. False, with a message. */
bool seam_check(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine, char *message,
                size_t size);

/* Counters of the account of requests, which lie in struct mech_requests. */
extern const struct counter seam_request_counters[];
extern const size_t seam_request_counter_count;

/* The names that formulas of a mechanism's energies may have; it refers to itself and is not to be copied. */
struct seam_energy_names {
	struct counter_group group[2];
	struct formula_names names;
};
void seam_energy_names(struct seam_energy_names *names, const struct mech *mech);

/* What a mechanism consumes; 0 rows where it says nothing of it. */
uint32_t seam_energies(const struct seam_attached *attached, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES]);
/* True when that makes sense. False, with a message. */
bool seam_check_energies(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                         size_t size);

/* Of one of enum mech_seat, for people. */
const char *seam_seat_name(uint32_t seat);

/* For a machine with these clocks, of the dispatcher and of partitions; seam_check() must have passed. The configurations must live as long. */
struct seam *seam_open(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine,
                       const uint64_t *clock, const uint64_t *clock_of_partitions);
void seam_close(struct seam *seam);

/* None sees, or touches, an SM at a time that is not the SM's own: SMs may be ahead of each other, and of partitions. */
bool seam_is_local(const struct seam *seam);

/* A mechanism's hooks of the GPU may touch the SM, which is not to be ahead of the dispatcher. */
static inline bool seam_is_kept_in_step(const struct seam_sm *sm)
{
	return sm->kept_in_step || sm->dispatched;
}

/* Some mechanism sends requests. */
bool seam_sends(const struct seam *seam);

/* A kernel is about to begin, with all parts empty: its launch can be seen; begins; its cycles are over; ends, with nothing in
 * flight. */
void seam_launch(struct seam *seam, const struct mech_launch *launch, const struct seam_analyses *analyses);
void seam_kernel_begin(struct seam *seam, uint32_t blocks_per_sm);
void seam_kernel_over(struct seam *seam);
void seam_kernel_end(struct seam *seam);
/* Before seam_kernel_end() of a kernel that did not run to its end: requests that are still on their way count as redundant, in the accounts
 * alone: nobody is told. */
void seam_settle_cut(struct seam *seam);

/* The mechanisms' first mistake since the machine was opened, or NULL. No SM ticks. */
const struct seam_mistake *seam_mistake(const struct seam *seam);

/* What a mechanism counted in the kernel. */
void seam_stats(const struct seam *seam, uint32_t number, void *stats, struct mech_requests *requests,
                struct seam_load *by_pc);
/* The struct of a mechanism's counters of one SM or partition, and its account of requests there. */
enum seam_unit { SEAM_OF_GPU, SEAM_OF_SM, SEAM_OF_PARTITION };
const void *seam_unit_stats(const struct seam *seam, uint32_t number, enum seam_unit unit, uint32_t index,
                            const struct mech_requests **requests);
/* One of its vectors over all parts; vector_free() it. */
void seam_vector(const struct seam *seam, uint32_t number, uint32_t vector, struct vector *sum);
/* Its account over all SMs. */
struct mech_requests seam_account_of(const struct seam *seam, uint32_t number);
void seam_stats_add(const struct mech *mech, void *sum, const void *stats);
void seam_requests_add(struct mech_requests *sum, const struct mech_requests *requests);

/* --- the timeline --- */

/* From now on, and in all kernels to come, events are kept, so many of a part before they are taken; 0: no more are. No SM ticks. */
void seam_draw(struct seam *seam, uint64_t most);

/* Takes all events since the last time, in the order of parts, so that it depends on no thread: the blocks that have ended, as events of no
 * mechanism (`mech` NULL, `track` their slot, the first argument their number), and what mechanisms have drawn. */
struct seam_drawer {
	void *user;
	void (*show)(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
	             const struct mech_event *event);
};
void seam_take_events(struct seam *seam, const struct seam_drawer *drawer);
/* The kernel has ended, and these blocks have not: they count as ended in that cycle. */
void seam_cut_blocks(struct seam *seam, uint64_t cycle);

/* --- an SM's blocks --- */

/* A block is about to start: its warps must not issue while it has holders. */
void seam_block_begin(struct seam_sm *sm, const struct mech_block *block);
void seam_block_end(struct seam_sm *sm, uint32_t slot, uint64_t cycle);
/* All threads of a warp have exited: nobody holds it. */
void seam_warp_end(struct seam_sm *sm, uint32_t slot);

/* --- looks and vetoes: call.c --- */

/* The calls of a hook of all who have it; of a veto, gives the mechanisms that refuse, as bits. A site asks first whether anybody has it
 * (`seam->HOOK.count`): it makes no event for nobody. */
#define LOOK(scope, hook, event, when) void seam_call_##hook(struct seam_##scope *scope, const struct event *event);
#define VETO(scope, hook, event, when) uint32_t seam_ask_##hook(struct seam_##scope *scope, const struct event *event);
MECH_SM_HOOKS(LOOK, VETO)
MECH_PARTITION_HOOKS(LOOK, VETO)
MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO

/* The look that is called before the instruction runs, as the veto is. */
void seam_issue(struct seam_sm *sm, const struct mech_issue *issue);

static inline bool seam_owns_opcode(const struct seam *seam, enum ptx_opcode op)
{
	return seam->opcode[op].owner < MECH_MAX;
}

/* An instruction whose opcode has an owner is about to run: gives the cycles that it takes, or 0. Of one without an owner, 0. */
uint32_t seam_run_opcode(struct seam_sm *sm, const struct mech_issue *issue);

/* Vetoes whose refuser is kept for the report of a deadlock. */
bool seam_may_issue(struct seam_sm *sm, const struct mech_issue *issue);
bool seam_may_dispatch(struct seam_gpu *gpu, const struct mech_dispatch *dispatch);
bool seam_may_end(struct seam_gpu *gpu, const struct mech_end *end);

/* A block has been started: cycle hooks are called in the next cycle. */
void seam_block(struct seam_gpu *gpu, const struct mech_block *block);

/* The cycle hooks. */
void seam_cycle(struct seam_sm *sm, uint64_t cycle);
void seam_gpu_cycle(struct seam_gpu *gpu, uint64_t cycle);

/* --- the warp order --- */

/* The warps that all who have the hook let compete; the first mechanism that did not let one, when it was asked last, or MECH_MAX. */
uint64_t seam_compete(struct seam_sm *sm, const struct mech_warps *warps);
uint32_t seam_left_out_by(const struct seam_sm *sm, uint32_t scheduler, uint64_t warp);
/* What the owner has picked is no candidate: says so, and picks one. */
uint32_t seam_wrong_pick(struct seam_sm *sm, const struct mech_warps *warps, uint64_t candidates, uint32_t bit);

static inline uint32_t seam_pick(struct seam_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	sm->hook = "pick_warp";
	uint32_t bit = sm->pick(sm->order, warps, candidates);
	bool good = bit < MECH_MAX_SCHEDULER_WARPS && candidates >> bit & 1;
	return good ? bit : seam_wrong_pick(sm, warps, candidates, bit);
}

/* --- replacement: the owner's pick, which may go, and what it is told --- */

uint32_t seam_l1_victim(struct seam_sm *sm, const struct mech_set *set);
uint32_t seam_l2_victim(struct seam_partition *partition, const struct mech_set *set);
void seam_l1_used(struct seam_sm *sm, const struct mech_use *use);
void seam_l2_used(struct seam_partition *partition, const struct mech_use *use);

/* The owner's pick of a DRAM channel's next request, or UINT32_MAX. */
uint32_t seam_dram_next(struct seam_partition *partition, const struct mech_queue *queue);

/* --- shared memory --- */

/* May the load/store unit's instruction have the banks? */
bool seam_may_access_shared(struct seam_sm *sm, const struct mech_shared *access);

/* Where the bytes that lanes access, or the first bytes of words, lie in the SM's shared memory. There is an owner of the layout. */
void seam_shared_places(struct seam_sm *sm, uint32_t block, const uint64_t *byte, uint32_t lanes, uint64_t *place);

/* An instruction issues that accesses so many bytes at each lane's address. To be called where mechanisms fill shared memory. */
void seam_shared_touched(struct seam_sm *sm, uint32_t block, enum mech_kind kind, const uint64_t *byte, uint32_t lanes,
                         uint32_t bytes);

static inline bool seam_fills_shared(const struct seam_sm *sm)
{
	return sm->fills.arena;
}

/* Cycles to the owner's answer of a miss; 0: there is none. */
uint32_t seam_answer_miss(struct seam_sm *sm, const struct mech_access *miss);

/* --- requests of an SM's mechanisms --- */

static inline struct seam_sent *seam_next_request(const struct seam_sm *sm)
{
	return sm->queued ? sm->queue[sm->queue_head] : NULL;
}
/* Its turn is before those of instructions: not of one for L1. */
static inline bool seam_goes_before_demand(const struct seam_sm *sm)
{
	const struct seam_sent *next = seam_next_request(sm);
	return next && next->request.before_demand && next->request.to != MECH_TO_L1;
}
/* The next request, which leaves the queue, has been sent; or was not, since its line is there or on its way, or is no
 * memory. */
void seam_request_sent(struct seam_sm *sm);
void seam_request_filtered(struct seam_sm *sm, uint64_t cycle);
/* L1 has no room for it in this cycle: it stays, or is dropped. */
void seam_request_refused(struct seam_sm *sm);
void seam_request_outside(struct seam_sm *sm, uint64_t cycle);
/* Drops what waits: no block is left that could want it. */
void seam_drop_requests(struct seam_sm *sm);
/* The data have come. Those for L1 are there already. Of a request to L2, whether L2 had them or waited for them. True: they went into the
 * buffer. */
bool seam_reply(struct seam_sm *sm, struct seam_sent *sent, bool in_l2, uint64_t cycle);

/* Of the sectors of the line those that are not in the buffer, as bits, if all of these are on their way to it, which then are
 * late; else 0. */
uint32_t seam_merge(struct seam_sm *sm, uint64_t line, uint32_t sectors);

/* Enters what becomes of the requests of an SM into the accounts of their senders, and tells these. */
struct prefetch_teller seam_teller(struct seam_sm *sm);
/* The same of requests to L2, in a slice. */
struct prefetch_teller seam_teller_of_l2(struct seam_partition *partition);

/* --- the dispatcher --- */

/* Blocks that an SM has room for: the least, where the owner of shared memory's room says how many fit there. */
uint32_t seam_room(struct seam *seam, const struct mech_room *room);

/* The owners' picks: blocks an SM, of those that fit; the SM that gets a block, or MECH_NOWHERE. */
uint32_t seam_blocks_per_sm(struct seam *seam, uint32_t blocks);
uint32_t seam_place_block(struct seam *seam, uint64_t block, const uint8_t *has_room);

static inline const struct seam_dispatched *seam_next_dispatched(const struct seam_gpu *gpu)
{
	return gpu->queued ? &gpu->queue[gpu->queue_head] : NULL;
}
/* The dispatcher's next request has left, or is no memory. */
void seam_dispatched_sent(struct seam *seam);
void seam_dispatched_outside(struct seam *seam, uint64_t cycle);
/* Drops what waits, and calls no cycle hook any more: the kernel's last block has ended, and nobody objects. */
void seam_drop_dispatched(struct seam *seam);

#endif
