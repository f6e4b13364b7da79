/* sm: one streaming multiprocessor.
 *
 *     fetch -> decode -> instruction buffers -> issue (schedulers, scoreboard) -> operand collection
 *     -> execution units or load/store unit -> write-back
 *
 * sm_tick() runs each stage once, the last one first, as a pipeline drains. An instruction executes functionally at
 * issue; the later stages only give it time. Each stage has its own struct, which only the stage's own files write
 * (tools/check_stages.py). Other files may read it, and change it through the stage's functions. Stages pass
 * instructions on through latches. struct sm lists both.
 */
#ifndef SLUICE_SM_SM_H
#define SLUICE_SM_SM_H

#include "base/invariant.h"
#include "memory/address_map.h"
#include "seam/seam.h"
#include "sm/async_copy.h"
#include "sm/blocks.h"
#include "sm/prefetch_buffer.h"
#include "sm/config.h"
#include "sm/cpi_stack.h"
#include "sm/fetch.h"
#include "sm/issue.h"
#include "sm/l1.h"
#include "sm/latch.h"
#include "sm/load_store.h"
#include "sm/local_memory.h"
#include "sm/network_port.h"
#include "sm/operand_collectors.h"
#include "sm/phase_wait.h"
#include "sm/profile.h"
#include "sm/register_file.h"
#include "sm/shared_memory.h"
#include "sm/stats.h"
#include "sm/sub_cores.h"
#include "sm/texture_unit.h"
#include "sm/units.h"
#include "sm/warp.h"
#include "sm/write_back.h"

_Static_assert((int)MECH_MAX_ACCESSES == (int)OP_MAX_LOCAL_ACCESSES, "a mechanism sees all accesses of an instruction");

struct sm {
	struct sm_config config;
	uint32_t index, sms; /* its number, and the number of SMs */
	struct arena arena;
	struct op_pool ops;
	struct request_pool *requests;
	const struct address_map *map;
	struct seam_sm *seam; /* the mechanisms */

	uint64_t cycle;     /* core cycle of the current or last tick */
	uint64_t now;       /* simulated time of that tick, in femtoseconds */
	uint64_t period;    /* of a core cycle, in femtoseconds */
	uint64_t wake;      /* time, in femtoseconds, of the next tick that can do something */
	uint64_t accounted; /* core cycle up to which the statistics are complete */
	/* For the stages from the load/store unit on (memory) and all others (pipeline). `next`: the cycle in which
	 * they must tick if no input arrives. `event`: the cycle in which they next have work without input. It is
	 * later than `next` when they tick only to count. */
	uint64_t memory_next;
	uint64_t memory_event;
	uint64_t pipeline_next;
	uint64_t pipeline_event;
	bool memory_tries_again; /* in their last tick the memory stages kept a refused access */
	uint32_t memory_refused; /* number of requests that the network refused in it */
	bool may_rest;           /* stages without work are skipped; off with a profile, which needs each lost slot */
	bool commits;  /* this cycle's stores wait for sm_commit() */
	bool is_ahead; /* the SM is ahead of other SMs, whose stores of earlier cycles may be missing */
	/* the tick stopped before issue, and will continue when these stores have been made */
	bool stopped;
	struct simt_fault fault;

	/* the kernels, their blocks and warps */
	bool mechanisms_send; /* mechanisms send requests */
	const uint64_t *loads_that_wait; /* set of pcs of the loads that must wait for the other SMs; NULL: none */
	struct blocks blocks;
	struct sm_warp warp[SM_MAX_WARPS];
	struct scoreboard_size scoreboards;

	/* the stages and the latches between them, in pipeline order */
	struct fetch fetch;
	struct issue issue;
	struct latch issued[SM_PIPES]; /* from issue to the operand collectors, by pipe */
	struct collectors collectors;
	struct sub_cores sub_cores;
	struct latch collected[SM_PIPES]; /* from the collectors to the units and the load/store unit */
	struct register_file registers;
	struct units units;
	struct load_store lsu;
	struct prefetch_buffer_waiters buffer_waiters;
	struct shared_memory shared;
	struct async_copies copies;
	struct phase_waits phase_waits;
	struct l1 l1;
	struct texture_unit texture;
	struct network_port network;
	struct write_back write_back;

	struct sm_stats stats;
	struct profile *profile; /* of this launch; NULL: none is requested */
};

/* The SM's part of the mechanisms must have an owner of the warp order. */
void sm_open(struct sm *sm, uint32_t index, uint32_t sm_count, const struct sm_config *config, struct seam_sm *seam,
             const struct address_map *map, struct request_pool *requests, uint64_t period);
void sm_close(struct sm *sm);

/* Prepares for a kernel, or for several that may run together. Each is then added at a free place, a number below
 * SM_MAX_KERNELS, and removed after its last block. */
void sm_begin(struct sm *sm, bool several);
void sm_add_kernel(struct sm *sm, uint32_t kernel, const struct simt_launch *launch, const struct sm_needs *needs,
                   uint64_t first_age);
void sm_remove_kernel(struct sm *sm, uint32_t kernel);
/* After the last block: invalidates what must not outlive a kernel. */
void sm_end(struct sm *sm);

/* sm_has_room: true when a block of that kernel may be started. sm_start_block starts block `number`, which runs from
 * the next cycle on, and returns its slot. */
static inline bool sm_has_room(const struct sm *sm, uint32_t kernel)
{
	const struct sm_kernel *own = &sm->blocks.kernel[kernel];
	return own->resident < own->block.limit && (!sm->blocks.several || blocks_fit_with_others(sm, own));
}
uint32_t sm_start_block(struct sm *sm, uint32_t kernel, uint64_t number, uint64_t cycle, uint64_t now);
/* True when the SM can have room as soon as its last lines have arrived. */
static inline bool sm_waits_for_lines(const struct sm *sm)
{
	return sm->blocks.several && !sm->blocks.resident && sm->config.unified_bytes && !l1_can_begin(sm);
}

/* Zero-latency memory: places the reply at the port of the replies, visible in the next cycle. False: the port is
 * full. No other unit may send to the SM. */
bool sm_answer_at_once(struct sm *sm, struct request *request, uint64_t now);

/* Its requests come from this pool from now on. */
void sm_use_pool(struct sm *sm, struct request_pool *requests);

/* Makes the request for a mechanism's request of an SM. The caller still has to compute its placement in memory. */
struct request *sm_request_for(const struct sm *sm, struct seam_sent *sent, uint64_t cycle, struct request_pool *pool);

/* True when the kernel can access some byte of L1's line at the address. It is then in an allocation, a variable or
 * local memory. */
bool sm_reaches(const struct sm *sm, uint64_t address);

/* Simulates one core cycle and sets sm->wake. An SM that is ahead stops before a load that must wait for the others
 * (sm->stopped). sm->wake is then this cycle's time. It is called again for that time when all others have reached
 * it. */
void sm_tick(struct sm *sm, uint64_t cycle, uint64_t now);
/* Performs this cycle's global stores and atomics. Called for all SMs in order, after all have ticked. */
void sm_commit(struct sm *sm);
/* Charges the cycles up to `cycle` in which the SM slept (memory/slice.h, "Sleeping and settling"). */
void sm_account(struct sm *sm, uint64_t cycle);
/* Brings all its counters up to `cycle`, which has not begun: sm_account(), then the instruction counts by pipe. */
void sm_settle(struct sm *sm, uint64_t cycle);

/* An event has occurred that a stage from fetch to the units waits for. They tick in the next cycle, or in this one
 * if their turn is still to come. */
static inline void sm_wake_pipeline(struct sm *sm)
{
	sm->pipeline_next = 0;
}

/* The same for events that the schedulers' warps wait for. */
static inline void sm_wake_issue(struct sm *sm)
{
	issue_wake(&sm->issue);
	sm_wake_pipeline(sm);
}

/* The SM must tick at that time or earlier. */
static inline void sm_wake_at(struct sm *sm, uint64_t time)
{
	if (sm->wake > time)
		sm->wake = time;
}

#endif
