/* sm: one streaming multiprocessor.
 *
 *   fetch -> decode -> instruction buffers -> issue (schedulers, scoreboard) -> operand collection -> execution units or
 *   load/store unit -> write-back
 * sm_tick() runs the stages once, last one first, as a pipeline drains. Each stage has its own file, and its state one struct that
 * no other stage touches but through that file's functions; what it hands on goes through latches. struct sm is the list of both.
 */
#ifndef SLUICE_SM_SM_H
#define SLUICE_SM_SM_H

#include "base/invariant.h"
#include "memory/address_map.h"
#include "seam/seam.h"
#include "sm/async_copy.h"
#include "sm/blocks.h"
#include "sm/buffer.h"
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
	uint32_t index, sms; /* which of how many */
	struct arena arena;
	struct op_pool ops;
	struct request_pool *requests;
	const struct address_map *map;
	struct seam_sm *seam; /* the mechanisms */

	uint64_t cycle, now, period; /* core cycles; simulated time, and of it a core cycle */
	uint64_t wake;               /* time of the next tick that can do something */
	uint64_t accounted;          /* cycles that are in the statistics */
	/* The stages from the load/store unit on, and all others: the cycle in which they must tick if nothing comes, and in which they go on
	 * by themselves, which is later where they tick for the counters' sake alone. */
	uint64_t memory_next, memory_event;
	uint64_t pipeline_next, pipeline_event;
	bool memory_tries_again; /* in their last tick those have kept an access, */
	uint32_t memory_refused; /* and the network has refused so many requests */
	bool may_rest;               /* stages that have nothing to do are left out: no figure sees it, but a profile's */
	bool commits;                /* this cycle's stores wait for sm_commit() */
	bool is_ahead;               /* of other SMs, whose stores of cycles before this one may not have been made */
	bool stopped;                /* ... so that this cycle's tick is to go on in front of issue when they have */
	struct simt_fault fault;

	/* the launch, its blocks and warps */
	bool mechanisms_send; /* requests */
	const struct simt_launch *launch;
	const uint64_t *waits; /* by pc: loads that wait for the other SMs; NULL: none */
	uint64_t local_pitch; /* bytes between two words of a thread's local memory */
	struct blocks blocks;
	struct sm_warp warp[SM_MAX_WARPS];
	struct scoreboard_size scoreboards;

	/* the stages and the latches between them, in the order in which an instruction passes them */
	struct fetch fetch;
	struct issue issue;
	struct latch issued[SM_PIPES]; /* from issue to the operand collectors, by pipe */
	struct collectors collectors;
	struct sub_cores sub_cores;
	struct latch collected[SM_PIPES]; /* from these to the units and the load/store unit */
	struct register_file registers;
	struct units units;
	struct load_store lsu;
	struct buffer_waiters buffer;
	struct shared_memory shared;
	struct async_copies copies;
	struct phase_waits phase_waits;
	struct l1 l1;
	struct texture_unit texture;
	struct network_port network;
	struct write_back write_back;

	struct sm_stats stats;
	struct profile *profile; /* of this launch, or NULL: nobody asks for one */
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
	return sm->blocks.resident < sm->blocks.limit;
}
uint32_t sm_start_block(struct sm *sm, uint64_t number, uint64_t cycle, uint64_t now);

/* Zero-latency memory: the answer stands at the port of the replies, to be seen in the next cycle. False: it is full. Nobody
 * else may send the SM anything. */
bool sm_answer_at_once(struct sm *sm, struct request *request, uint64_t now);

/* Its requests come from this pool from now on. */
void sm_use_pool(struct sm *sm, struct request_pool *requests);

/* What a mechanism has asked for on an SM's behalf, as a request; its place in memory is to be found yet. */
struct request *sm_request_for(const struct sm *sm, struct seam_sent *sent, uint64_t cycle, struct request_pool *pool);

/* True when some byte of L1's line at the address can be accessed by the kernel: it is in an allocation, a variable or local
 * memory. */
bool sm_reaches(const struct sm *sm, uint64_t address);

/* One core cycle. Sets sm->wake. One that is ahead stops in front of a load that waits for the others (sm->stopped): sm->wake is then this
 * cycle's time, for which it is called again when all others are there. */
void sm_tick(struct sm *sm, uint64_t cycle, uint64_t now);
/* Makes this cycle's global stores and atomics; all SMs' in order, after all have ticked. */
void sm_commit(struct sm *sm);
/* Charges the cycles up to `cycle` that were slept through. */
void sm_account(struct sm *sm, uint64_t cycle);
/* Brings all its counters up to `cycle`, which has not come yet. */
void sm_settle(struct sm *sm, uint64_t cycle);

/* Something comes that a stage from fetch to the units waits for: they tick in the next cycle, or in this one if their turn is
 * still to come. */
static inline void sm_wake_pipeline(struct sm *sm)
{
	sm->pipeline_next = 0;
}

/* The same of the schedulers' warps. */
static inline void sm_wake_issue(struct sm *sm)
{
	issue_wake(&sm->issue);
	sm_wake_pipeline(sm);
}

/* The SM must tick at that time, or before. */
static inline void sm_wake_at(struct sm *sm, uint64_t time)
{
	if (sm->wake > time)
		sm->wake = time;
}

#endif
