/* mech_parts: a mechanism's part of an SM, of a memory partition and of the GPU, and the calls that it can make there.
 * A mechanism includes seam/mech.h, which includes this. */
#ifndef SLUICE_SEAM_MECH_PARTS_H
#define SLUICE_SEAM_MECH_PARTS_H

#include "seam/mech_events.h"
#include "seam/mech_live_stats.h"
#include "seam/mech_requests.h"

#include <stddef.h>
#include <string.h>

struct mech;
struct mech_gpu;
struct bulk_copy;
struct mech_services;

/* A kind of event on the timeline: a row of .events. Names are small letters, digits and _. */
struct mech_event_row {
	const char *name, *meaning;
	const char *arguments[2];
};

/* Tracks of one kind, for a mechanism that has several kinds. `name` stands for one track. Tracks are shown with
 * numbers from 0, beginning at `first`, up to the next row's. */
struct mech_track_row {
	const char *name;
	uint32_t first;
};

/* An event of a part: an interval of its cycles, or an instant. */
struct mech_event {
	uint32_t row;        /* of .events, from 0 */
	uint32_t track;      /* the part's track, as a block's slot; its events nest or follow each other */
	uint64_t begin, end; /* cycles of the part; equal: an instant */
	uint64_t arguments[2];
};

/* Where mech_count(), mech_observe() and mech_draw() write. */
struct mech_output {
	bool draws; /* the run has a timeline */
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
	void *state;         /* sm_size bytes, zero when the machine is opened; NULL: sm_size is 0 */
	void *stats;         /* stats_size bytes: the counters of this SM, combined with those of other parts */
	uint32_t sm, number; /* the SM's number; the attached mechanism's number */
	const struct mech_machine *machine;
	const struct mech_launch *launch; /* NULL between kernels */
	const struct mech_gpu *gpu;       /* read only: it changes only while SMs stand still */
	struct mech_pool *pool;           /* memory that lives as long as the machine */
	/* Memory until the kernel's last hook; between kernels, that of the next kernel. */
	struct mech_pool *kernel_pool;
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
	const struct mech_gpu *gpu; /* read only: it changes only while partitions stand still */
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

/* The priority of the dispatcher's requests against those of SMs on the same link. */
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
	void (*look_at_sm)(struct mech_sm *sm, struct mech_sm_live_stats *live);
	void (*look_at_partition)(struct mech_partition *partition, struct mech_partition_live_stats *live);
	const struct mech_staging_inst *(*staging)(struct mech_gpu *gpu, uint32_t *count);
	void (*rank_warp)(struct mech_sm *sm, uint32_t slot, uint32_t rank);
	void (*stop)(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const char *why);
	bool (*bulk_copy)(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, struct bulk_copy *copy);
	void (*complete)(struct mech_sm *sm, uint32_t slot, uint32_t shared, uint32_t arrivals, uint64_t bytes);
	void (*keep_in_step)(struct mech_gpu *gpu, uint32_t sm);
	void (*let_go)(struct mech_gpu *gpu, uint32_t sm);
	/* since version 1.2 */
	const struct mech_launch *(*launch_of)(struct mech_sm *sm, uint32_t slot);
};

/* Where a mechanism's state is saved, or restored from. */
struct mech_kept {
	bool restores; /* else it saves */
	void *host;
	void (*bytes)(void *host, void *bytes, size_t size);
};

/* Saves the bytes, or overwrites them with the saved ones. */
static inline void mech_keep(struct mech_kept *kept, void *bytes, size_t size)
{
	kept->bytes(kept->host, bytes, size);
}

/* Returns zeroed memory, aligned for any type, from the part's own pool or kernel_pool, in any of its hooks. It is
 * freed with the pool only. */
static inline void *mech_alloc(struct mech_pool *pool, size_t bytes)
{
	return pool->alloc(pool, bytes);
}

/* mech_keep() of a string; a restored one lies in the pool. */
static inline void mech_keep_text(struct mech_kept *kept, struct mech_pool *pool, const char **text)
{
	uint32_t length = kept->restores ? 0 : (uint32_t)strlen(*text);
	mech_keep(kept, &length, sizeof length);
	char *copy = (char *)mech_alloc(pool, (size_t)length + 1);
	if (!kept->restores)
		memcpy(copy, *text, length);
	mech_keep(kept, copy, length);
	*text = copy;
}

/* Adds to an element of one of the mechanism's vectors, given by its row's number, in any hook of the part. Counts from
 * before the kernel's first hook are lost. */
static inline void mech_count(struct mech_output *output, uint32_t vector, uint32_t index, uint64_t amount)
{
	output->count(output, vector, index, amount);
}

/* Adds a value to a histogram, given by its row's number. */
static inline void mech_observe(struct mech_output *output, uint32_t vector, uint64_t value)
{
	output->observe(output, vector, value);
}

/* Shows an event on the timeline (sluice run --timeline), in any hook of the part while a kernel runs. It may have
 * begun and ended at any time in the kernel. Without a timeline nothing is done. */
static inline void mech_draw(struct mech_output *output, const struct mech_event *event)
{
	if (output->draws)
		output->draw(output, event);
}

/* Requests a line, in any hook of the SM or the GPU, from gpu_kernel_begin until the kernel's end. False: the queue
 * is full, and the request counts as dropped. Requests that wait in an SM without a block count as dropped, too.
 * Requests have lower priority than the SM's demand: one per cycle, when the load/store unit leaves the port of L1 or
 * of the network free (but see before_demand). */
static inline bool mech_send(struct mech_sm *sm, const struct mech_request *request)
{
	return sm->services->send(sm, request);
}

/* The requests of all mechanisms that wait in the SM's queue. A mechanism that requests only when this is 0 is never
 * refused, and one request per cycle is served. */
static inline uint32_t mech_waiting_to_send(const struct mech_sm *sm)
{
	return sm->services->waiting_to_send(sm);
}

/* The account of this mechanism's requests from the SM since the kernel's begin, for prefetchers that judge
 * themselves. It is up to date in every hook of the SM, except the outcomes of requests to L2: the slices hold these
 * until the kernel's end. */
static inline const struct mech_requests *mech_account(const struct mech_sm *sm)
{
	return sm->services->account(sm);
}

/* Requests on an SM's behalf from the dispatcher, which has its own links to the L2 slices: to the buffer, to L2 or
 * to nothing; in the GPU's hooks from gpu_kernel_begin on. Requests leave in order. False: the queue is full, and
 * nothing is counted. */
static inline bool mech_send_to(struct mech_gpu *gpu, uint32_t sm, const struct mech_request *request)
{
	return gpu->services->send_to(gpu, sm, request);
}

static inline uint32_t mech_room_to_send(const struct mech_gpu *gpu)
{
	return gpu->services->room_to_send(gpu);
}

/* For mechanisms with keeps_in_step: from now on the SM is in step with the dispatcher, cycle by cycle. This holds
 * until it is released as often as it was kept, or until the kernel ends; also while requests for the SM wait at the
 * dispatcher. Any SM in gpu_kernel_begin; the block's SM in gpu_block. */
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

/* Sets the priority of the dispatcher's requests in the network against those of SMs; in gpu_open(). The default is
 * MECH_FAIR. */
static inline void mech_prefer(struct mech_gpu *gpu, enum mech_preference preference)
{
	gpu->services->prefer(gpu, preference);
}

/* Fills bytes of the buffer at once and at no cost, for a resident block: for upper bounds in which fetching takes no
 * time. */
static inline void mech_put(struct mech_sm *sm, uint64_t address, uint32_t bytes, uint32_t block)
{
	sm->services->put(sm, address, bytes, block);
}

/* The launch of the resident block in a slot; in any hook of the SM. For mechanisms that see blocks of several kernels
 * (MECH_ALL_KERNELS); for others it is sm->launch. */
static inline const struct mech_launch *mech_launch_of(struct mech_sm *sm, uint32_t slot)
{
	return sm->services->launch_of(sm, slot);
}

/* Writes the operands of the instruction whose event `issue` is, in may_issue or issue, before it executes. They are
 * found out in this call. */
static inline void mech_operands(struct mech_sm *sm, const struct mech_issue *issue, struct mech_operands *operands)
{
	sm->services->operands(sm, issue, operands);
}

/* Adds arrivals and bytes to the mbarrier at the offset `shared`, a multiple of 8, in the shared memory of the
 * resident block in the slot. The owner of "cp.async.bulk" so reports the ends of copies. In any hook of the SM while
 * a kernel runs; waiting warps can go on in the next cycle. */
static inline void mech_complete_bytes(struct mech_sm *sm, uint32_t slot, uint32_t shared, uint32_t arrivals,
                                       uint64_t bytes)
{
	sm->services->complete(sm, slot, shared, arrivals, bytes);
}

/* Holds a resident block: its warps do not issue until every mechanism that held it has released it. In any hook of
 * the SM or the GPU between the block's block_begin and block_end. Holding twice is holding once. */
static inline void mech_hold_block(struct mech_sm *sm, uint32_t slot)
{
	sm->services->hold_block(sm, slot);
}

/* Releases a block that this mechanism holds, by mech_hold_block() or may_start. */
static inline void mech_release_block(struct mech_sm *sm, uint32_t slot)
{
	sm->services->release_block(sm, slot);
}

/* Holds a warp: it does not issue until every mechanism that held it has woken it. In any hook of the SM or the GPU,
 * for a warp of a resident block with a thread that has not exited. Holding twice is holding once. A warp that ends
 * is released. In may_issue, together with a returned false, it is a replay: the instruction is not tried again until
 * the warp is woken. */
static inline void mech_hold_warp(struct mech_sm *sm, uint32_t slot)
{
	sm->services->hold_warp(sm, slot);
}

/* Wakes a warp that this mechanism holds. */
static inline void mech_wake_warp(struct mech_sm *sm, uint32_t slot)
{
	sm->services->wake_warp(sm, slot);
}

/* Sets the rank of a warp of a resident block, below MECH_RANKS, which the warp order may use (struct mech_warps).
 * For the owner of MECH_POLICY_WARP_RANK, in any hook of the SM. A block's warps begin at rank 0. */
static inline void mech_rank_warp(struct mech_sm *sm, uint32_t slot, uint32_t rank)
{
	sm->services->rank_warp(sm, slot, rank);
}

/* Stops the kernel because the program does something that this mechanism forbids. The launch fails with a message
 * that gives the reason `why`, the instruction, block and thread, and the accessed address. In may_issue, run_opcode
 * or issue, with that hook's event; `why` must live as long as the machine. */
static inline void mech_stop(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const char *why)
{
	sm->services->stop(sm, issue, lane, why);
}

/* Writes the state of the warp in a slot; in any hook of the SM or the GPU while a kernel runs. */
static inline void mech_look_at_warp(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp)
{
	sm->services->look_at_warp(sm, slot, warp);
}

/* Writes live statistics of the SM: the occupancy of its queues, what its warps wait for, its counters so far; in any
 * hook of the SM or the GPU while a kernel runs. */
static inline void mech_look_at_sm(struct mech_sm *sm, struct mech_sm_live_stats *live)
{
	sm->services->look_at_sm(sm, live);
}

/* Writes live statistics of an L2 slice and its DRAM channel; in any hook of the partition or the GPU while a kernel
 * runs. */
static inline void mech_look_at_partition(struct mech_partition *partition, struct mech_partition_live_stats *live)
{
	partition->services->look_at_partition(partition, live);
}

/* Returns the rows of the launch, in blocks_per_sm() or gpu_kernel_begin(): those that the program announced
 * (cudaSetCTATracker), else those that static analysis finds in the kernel and its arguments. At most `most` rows:
 * those that serve most reads. They live until the kernel's end. */
static inline struct mech_rows mech_rows(struct mech_gpu *gpu, uint32_t most, enum mech_loops loops)
{
	return gpu->services->rows(gpu, most, loops);
}

/* Returns the kernel's loads from global memory, by pc, in blocks_per_sm() or gpu_kernel_begin(). They live until the
 * kernel's end. */
static inline const struct mech_load *mech_loads(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->loads(gpu, count);
}

/* Returns the instructions of the kernel, and of functions that it calls, that stage tiles of global memory in shared
 * memory; by pc, in blocks_per_sm() or gpu_kernel_begin(). They live until the kernel's end. */
static inline const struct mech_staging_inst *mech_staging_code(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->staging(gpu, count);
}

/* Returns the allocated device memory by address, without constant and local memory, in blocks_per_sm() or
 * gpu_kernel_begin(). A parameter has its PTX name without the kernel's name before it, "param_0"; a pointer inside a
 * structure is "param_0+8". The list lives until the launch's statistics have been read, so that vector_label can use
 * it. */
static inline const struct mech_allocation *mech_allocations(struct mech_gpu *gpu, uint32_t *count)
{
	return gpu->services->allocations(gpu, count);
}

/* Prints a text to standard error; in the GPU's hooks. */
static inline void mech_say(struct mech_gpu *gpu, const char *text)
{
	gpu->services->say(gpu, text);
}

#endif
