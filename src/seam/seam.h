/* seam: the machine's side of mech.h: the attached mechanisms, by the hooks that they have; their accounts of requests; the
 * blocks that they hold.
 *
 * Each SM has a `struct seam_sm`, each L2 slice a `struct seam_partition`, the dispatcher a `struct seam_gpu`. A site that
 * may call a hook asks first whether anybody has it, which is one predictable branch.
 */
#ifndef SLUICE_SEAM_SEAM_H
#define SLUICE_SEAM_SEAM_H

#include "seam/line_buffer.h"
#include "seam/mech.h"

enum { SEAM_MAX_BLOCKS = 64, SEAM_MAX_WARPS = 64 };

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
	uint64_t cycle; /* in which it was sent */
	uint64_t owner; /* to the buffer: the number of the block in its slot when it was asked for */
	uint32_t sender;
	struct seam_sent *next;
};

struct seam_account {
	struct mech_requests all;
	struct mech_requests *by_pc; /* instructions of the kernel, or NULL: it never sends */
};

struct seam;

struct seam_sm {
	struct seam *seam;
	struct mech_sm part[MECH_MAX];
	struct seam_account account[MECH_MAX];
	/* who has which hook */
	struct seam_list block_begin, block_end, may_start, issue, may_issue, memory, access, may_allocate, fill, cycle;
	struct mech_sm *order;                                   /* owner of the warp order */
	uint64_t (*compete)(struct mech_sm *, const struct mech_warps *); /* its hooks */
	uint32_t (*pick)(struct mech_sm *, const struct mech_warps *, uint64_t);
	bool has_buffer;
	struct line_buffer buffer;
	uint32_t resident; /* blocks, */
	uint64_t slots;    /* and their slots, as bits */
	struct mech_block block[SEAM_MAX_BLOCKS];
	uint32_t holders[SEAM_MAX_BLOCKS]; /* by slot: the mechanisms that hold the block, as bits */
	uint8_t vetoed_by[SEAM_MAX_WARPS]; /* by slot: the mechanism that refused the instruction, or MECH_MAX */
	uint64_t wake;                     /* cycle in which a cycle hook wants to be called */
	/* requests that wait to be served: a ring of machine.send_queue */
	struct seam_sent **queue;
	uint32_t queue_head, queued;
	struct seam_sent *free;
	struct arena arena;
	/* the SM: gives a block its new holders, behind the SMs' ticks of that cycle, or in its own: MECH_NEVER; is told that a
	 * request waits */
	void *host;
	void (*held)(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
	void (*asked)(void *host);
};

struct seam_partition {
	struct mech_partition part[MECH_MAX];
	struct seam_list access;
};

/* A request of the dispatcher for an SM. */
struct seam_dispatched {
	uint32_t sm;
	struct seam_sent *sent;
};

struct seam_gpu {
	struct mech_gpu part[MECH_MAX];
	struct seam_list block, cycle, may_dispatch;
	struct mech_gpu *count_owner, *place_owner;
	bool sends;           /* some mechanism may send from here */
	uint64_t dispatching; /* the cycle, while the dispatcher is at work; else MECH_NEVER */
	enum mech_preference preference;
	uint64_t wake[MECH_MAX], first_wake; /* cycles in which cycle hooks want to be called */
	uint32_t vetoed_by; /* the mechanism that refused the next block on some SM, or MECH_MAX */
	struct seam_dispatched *queue;
	uint32_t queue_head, queued;
};

/* Analyses, by whoever knows the program. */
struct seam_analyses {
	void *user;
	struct mech_rows (*rows)(void *user, uint32_t most, enum mech_loops loops);
	const struct mech_load *(*loads)(void *user, uint32_t *count);
	void (*say)(void *user, const char *mechanism, const char *text);
};

struct seam {
	struct mech_machine machine;
	struct seam_attached attached[MECH_MAX];
	uint32_t count;
	struct mech_launch launch;
	struct seam_analyses analyses;
	struct seam_gpu gpu;
	struct seam_sm *sm;
	struct seam_partition *partition;
	struct arena arena;
};

/* True when they can be attached together to this machine. False, with a message. */
bool seam_check(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine, char *message,
                size_t size);

/* Of one of enum mech_seat, for people. */
const char *seam_seat_name(uint32_t seat);

/* For a machine; seam_check() must have passed. The configurations must live as long. */
struct seam *seam_open(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine);
void seam_close(struct seam *seam);

/* Some mechanism sends requests. */
bool seam_sends(const struct seam_sm *sm);

/* A kernel is about to begin, with all parts empty: its launch can be seen; begins; ends, with nothing in flight. */
void seam_launch(struct seam *seam, const struct mech_launch *launch, const struct seam_analyses *analyses);
void seam_kernel_begin(struct seam *seam, uint32_t blocks_per_sm);
void seam_kernel_end(struct seam *seam);

/* What a mechanism counted in the kernel. */
void seam_stats(const struct seam *seam, uint32_t number, void *stats, struct mech_requests *requests,
                struct mech_requests *by_pc);
/* Its account over all SMs. */
struct mech_requests seam_account_of(const struct seam *seam, uint32_t number);
void seam_stats_add(const struct mech *mech, void *sum, const void *stats);
void seam_requests_add(struct mech_requests *sum, const struct mech_requests *requests);

/* --- an SM's blocks --- */

/* A block is about to start: its warps must not issue while it has holders. */
void seam_block_begin(struct seam_sm *sm, const struct mech_block *block);
void seam_block_end(struct seam_sm *sm, uint32_t slot, uint64_t cycle);

/* --- looks and vetoes: to be called when the list is not empty --- */

void seam_issue(struct seam_sm *sm, const struct mech_issue *issue);
bool seam_may_issue(struct seam_sm *sm, const struct mech_issue *issue);
void seam_memory(struct seam_sm *sm, const struct mech_memory *memory);
void seam_access(struct seam_sm *sm, const struct mech_access *access);
bool seam_may_allocate(struct seam_sm *sm, const struct mech_access *access);
void seam_fill(struct seam_sm *sm, const struct mech_fill *fill);
void seam_cycle(struct seam_sm *sm, uint64_t cycle);
void seam_partition_access(struct seam_partition *partition, const struct mech_access *access);

/* --- requests of an SM's mechanisms --- */

static inline struct seam_sent *seam_next_request(const struct seam_sm *sm)
{
	return sm->queued ? sm->queue[sm->queue_head] : NULL;
}
/* The next request, which leaves the queue, has been sent; or was not, since its line is there or on its way. */
void seam_request_sent(struct seam_sm *sm, uint64_t cycle);
void seam_request_filtered(struct seam_sm *sm, uint64_t cycle);
/* Drops what waits: no block is left that could want it. */
void seam_drop_requests(struct seam_sm *sm);
/* The data have come. Those for L1 are there already. */
void seam_reply(struct seam_sm *sm, struct seam_sent *sent, uint64_t cycle);

/* What memory/cache.h keeps of a request: its sender and load. Not 0. */
uint32_t seam_mark(const struct seam_sent *sent);

enum seam_fate { SEAM_USEFUL, SEAM_LATE, SEAM_EARLY_EVICTED, SEAM_REDUNDANT };
void seam_settle(struct seam_sm *sm, enum seam_fate fate, uint32_t mark);

/* --- the dispatcher --- */

bool seam_may_dispatch(struct seam_gpu *gpu, uint32_t sm, uint64_t block);
void seam_block(struct seam_gpu *gpu, uint32_t sm, const struct mech_block *block, uint64_t cycle);
void seam_gpu_cycle(struct seam_gpu *gpu, uint64_t cycle);

/* The dispatcher's next request has left. */
static inline const struct seam_dispatched *seam_next_dispatched(const struct seam_gpu *gpu)
{
	return gpu->queued ? &gpu->queue[gpu->queue_head] : NULL;
}
void seam_dispatched_sent(struct seam *seam, uint64_t cycle);
/* Drops what waits, and calls no cycle hook any more: the kernel's last block has ended. */
void seam_drop_dispatched(struct seam *seam);

#endif
