/* mech_parts: a mechanism's part of an SM, of a memory partition, of the GPU, and what it can do there. A mechanism includes seam/mech.h,
 * which includes this. */
#ifndef SLUICE_SEAM_MECH_PARTS_H
#define SLUICE_SEAM_MECH_PARTS_H

#include "seam/mech_events.h"
#include "seam/mech_figures.h"
#include "seam/mech_requests.h"

#include <stddef.h>

struct mech;
struct mech_gpu;
struct bulk_copy;
struct mech_services;

/* A kind of event on the timeline, a row of .events: names are small letters, digits and _; what its two arguments are is a name each, such
 * as "bytes", or NULL: it has none. */
struct mech_event_row {
	const char *name, *meaning;
	const char *arguments[2];
};

/* Tracks of a kind, for a mechanism that has several: what readers call one, and the number, up to the next row's, that they know as 0. */
struct mech_track_row {
	const char *name;
	uint32_t first;
};

/* What of a part happened when: from a cycle to a later one, in which it is over, or in one. */
struct mech_event {
	uint32_t row;        /* of .events */
	uint32_t track;      /* which of the part's tracks shows it: a block's slot, a buffer's number; there events nest or follow each other */
	uint64_t begin, end; /* cycles of the part; equal: an instant */
	uint64_t arguments[2];
};

/* What a part prints beside its counters, for mech_count(), mech_observe() and mech_draw(). */
struct mech_output {
	bool draws; /* somebody wants to have a timeline */
	void (*draw)(struct mech_output *output, const struct mech_event *event);
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
	const struct mech_services *services;
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

/* --- services --- */

struct mech_services {
	bool (*send)(struct mech_sm *sm, const struct mech_request *request);
	bool (*send_to)(struct mech_gpu *gpu, uint32_t sm, const struct mech_request *request);
	uint32_t (*room_to_send)(const struct mech_gpu *gpu);
	uint32_t (*waiting_to_send)(const struct mech_sm *sm);
	struct mech_sm *(*part)(const struct mech_gpu *gpu, uint32_t sm);
	struct mech_partition *(*partition)(const struct mech_gpu *gpu, uint32_t slice);
	void (*prefer)(struct mech_gpu *gpu, enum mech_preference preference);
	void (*put)(struct mech_sm *sm, uint64_t address, uint32_t bytes, uint32_t block);
	void (*hold_block)(struct mech_sm *sm, uint32_t slot);
	void (*release_block)(struct mech_sm *sm, uint32_t slot);
	struct mech_rows (*rows)(struct mech_gpu *gpu, uint32_t most, enum mech_loops loops);
	const struct mech_load *(*loads)(struct mech_gpu *gpu, uint32_t *count);
	const struct mech_allocation *(*allocations)(struct mech_gpu *gpu, uint32_t *count);
	void (*say)(struct mech_gpu *gpu, const char *text);
	const struct mech_requests *(*account)(const struct mech_sm *sm);
	void (*operands)(struct mech_sm *sm, const struct mech_issue *issue, struct mech_operands *operands);
	void (*hold_warp)(struct mech_sm *sm, uint32_t slot);
	void (*wake_warp)(struct mech_sm *sm, uint32_t slot);
	void (*look_at_warp)(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp);
	void (*look_at_sm)(struct mech_sm *sm, struct mech_sm_figures *figures);
	void (*look_at_partition)(struct mech_partition *partition, struct mech_partition_figures *figures);
	const struct mech_staging_inst *(*staging)(struct mech_gpu *gpu, uint32_t *count);
	void (*rank_warp)(struct mech_sm *sm, uint32_t slot, uint32_t rank);
	void (*stop)(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const char *why);
	bool (*bulk_copy)(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, struct bulk_copy *copy);
	void (*complete)(struct mech_sm *sm, uint32_t slot, uint32_t shared, uint32_t arrivals, uint64_t bytes);
	void (*keep_in_step)(struct mech_gpu *gpu, uint32_t sm);
	void (*let_go)(struct mech_gpu *gpu, uint32_t sm);
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

/* Shows an event on the timeline (sluice run --timeline), from any hook of the part while a kernel runs; it may have begun and ended
 * whenever, but in the kernel. Without a timeline nothing is done. */
static inline void mech_draw(struct mech_output *output, const struct mech_event *event)
{
	if (output->draws)
		output->draw(output, event);
}

/* Asks for a line, in any hook of the SM or the GPU, from gpu_kernel_begin until the kernel's end. False: the queue is full,
 * and the request counts as dropped, as does what waits in an SM without a block. Requests of an SM go below its demand: one a
 * cycle, when the load/store unit leaves L1's port or the network's free (but see before_demand). */
static inline bool mech_send(struct mech_sm *sm, const struct mech_request *request)
{
	return sm->services->send(sm, request);
}

/* Requests of all mechanisms that wait in the SM's queue for their turn: who asks for no more while there are some is turned away never,
 * and is served one a cycle. */
static inline uint32_t mech_waiting_to_send(const struct mech_sm *sm)
{
	return sm->services->waiting_to_send(sm);
}

/* The account of this mechanism's requests of the SM, from the kernel's begin until now: what a prefetcher that judges itself
 * looks at. The machine keeps it; it is up to date in every hook of the SM, but for the fates of
 * requests to L2, which the slices have until the kernel's end. */
static inline const struct mech_requests *mech_account(const struct mech_sm *sm)
{
	return sm->services->account(sm);
}

/* Asks on an SM's behalf, from the dispatcher, which has ways of its own to the L2 slices: to the buffer, to L2 or to nothing; from
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

/* For who sets keeps_in_step: from now on the SM is where the dispatcher is, cycle by cycle, until it is let go as often as it was kept, or the
 * kernel ends; while requests for it wait at the dispatcher it is, too. Any SM from gpu_kernel_begin; its own from gpu_block. */
static inline void mech_keep_in_step(struct mech_gpu *gpu, uint32_t sm)
{
	gpu->services->keep_in_step(gpu, sm);
}

static inline void mech_let_go(struct mech_gpu *gpu, uint32_t sm)
{
	gpu->services->let_go(gpu, sm);
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

/* So many arrivals and so many bytes have come to the mbarrier at an offset of the shared memory of the resident block in the slot, a multiple of 8: who owns "cp.async.bulk"
 * tells mbarriers of the ends of copies. From any hook of the SM while a kernel runs; warps that wait there can go on in the next cycle. */
static inline void mech_complete_bytes(struct mech_sm *sm, uint32_t slot, uint32_t shared, uint32_t arrivals,
                                       uint64_t bytes)
{
	sm->services->complete(sm, slot, shared, arrivals, bytes);
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

/* Gives a warp another rank, below MECH_RANKS, which the warp order may go by (struct mech_warps): what the owner of MECH_SEAT_WARP_RANK says of a
 * warp of a resident block, from any hook of the SM. A block's warps begin at rank 0. */
static inline void mech_rank_warp(struct mech_sm *sm, uint32_t slot, uint32_t rank)
{
	sm->services->rank_warp(sm, slot, rank);
}

/* The program does what it must not under this mechanism: the kernel stops, and its launch fails with a message that says why, with what
 * instruction, block and thread, and the address that it accesses. From may_issue, run_opcode or issue, of whose event it is; `why` lives as long
 * as the machine. */
static inline void mech_stop(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const char *why)
{
	sm->services->stop(sm, issue, lane, why);
}

/* How the warp in a slot stands; from any hook of the SM or the GPU while a kernel runs. */
static inline void mech_look_at_warp(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp)
{
	sm->services->look_at_warp(sm, slot, warp);
}

/* Live figures of the SM: how full its queues are, what its warps wait for, what it has counted so far; from any hook of the SM or the
 * GPU while a kernel runs. */
static inline void mech_look_at_sm(struct mech_sm *sm, struct mech_sm_figures *figures)
{
	sm->services->look_at_sm(sm, figures);
}

/* The same of an L2 slice and its DRAM channel; from any hook of the partition or the GPU while a kernel runs. */
static inline void mech_look_at_partition(struct mech_partition *partition, struct mech_partition_figures *figures)
{
	partition->services->look_at_partition(partition, figures);
}

/* The rows of the launch, from blocks_per_sm() or gpu_kernel_begin(): what the program has announced (cudaSetCTATracker), else
 * what analysis finds in the kernel and its arguments; at most so many, those that serve most reads. They live until the
 * kernel's end. */
static inline struct mech_rows mech_rows(struct mech_gpu *gpu, uint32_t most, enum mech_loops loops)
{
	return gpu->services->rows(gpu, most, loops);
}

/* The kernel's loads from global memory, from blocks_per_sm() or gpu_kernel_begin(); by pc. They live until the kernel's end. */
static inline const struct mech_load *mech_loads(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->loads(gpu, count);
}

/* The kernel's instructions that stage tiles of global memory in shared memory, from blocks_per_sm() or gpu_kernel_begin(); by pc, of
 * functions that it calls, too. They live until the kernel's end. */
static inline const struct mech_staging_inst *mech_staging_code(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->staging(gpu, count);
}

/* Device memory that is allocated, from blocks_per_sm() or gpu_kernel_begin(); by address. Constant and local memory are not among it. A
 * parameter is called as PTX calls it, without the kernel's name in front, "param_0"; a pointer inside of a structure "param_0+8". The list
 * lives until the launch's figures have been taken, so that vector_label can read it. */
static inline const struct mech_allocation *mech_allocations(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->allocations(gpu, count);
}

/* Tells the user something, on standard error; from the GPU's hooks. */
static inline void mech_say(struct mech_gpu *gpu, const char *text)
{
	gpu->services->say(gpu, text);
}

#endif
