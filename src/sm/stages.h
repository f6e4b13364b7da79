/* stages: what the files of this room offer each other. */
#ifndef SLUICE_SM_STAGES_H
#define SLUICE_SM_STAGES_H

#include "base/bits.h"
#include "sm/sm.h"

#define LOCAL_PHYSICAL_BASE (1ull << 40) /* where local memory lies for the memory system */

/* The stages, in the order of sm_tick(). */
void write_back(struct sm *sm);
void execute(struct sm *sm);
void load_store(struct sm *sm);
void collect_operands(struct sm *sm);
void issue(struct sm *sm);
void decode(struct sm *sm);
void fetch(struct sm *sm);

/* The warp's buffer is empty; it asks for instructions from warp->pc on. */
static inline void refetch(struct sm *sm, const struct sm_warp *warp)
{
	if (!warp->waits_for_line)
		bits_add(sm->wants_fetch, warp->slot);
}

/* scoreboard.c */
void scoreboard_reserve(const struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst, bool by_load);
void scoreboard_release(const struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst);
/* Forgets what the scheduler knows of the warp's next instruction: it has none. */
void forget(const struct sm_warp *warp);
/* Finds out what the scheduler wants to know of an instruction that has come to the front of the warp's buffer. The one
 * before it was issued or forgotten. */
void examine(const struct sm *sm, struct sm_warp *warp);

static inline uint32_t slot_of(const struct sm *sm, const struct scheduler *scheduler, uint32_t bit)
{
	return bit * sm->config.schedulers + scheduler->seen.index;
}

/* The pipes that can take the instruction, as bits. */
static inline uint8_t pipes_of(const struct sm *sm, const struct simt_inst *inst)
{
	static const uint8_t pipes[] = {[PIPE_SP] = 1u << PTX_UNIT_SP,
	                                [PIPE_SFU] = 1u << PTX_UNIT_SFU,
	                                [PIPE_EITHER] = 1u << PTX_UNIT_SP | 1u << PTX_UNIT_SFU};
	return inst->unit == PTX_UNIT_MEM ? 1u << PTX_UNIT_MEM : pipes[sm->config.runs_on[inst->latency][inst->data_type]];
}

/* The warps whose next instruction's pipe has room for it. */
static inline uint64_t open_to(const struct sm *sm, const struct scheduler *scheduler)
{
	uint64_t open = 0;
	for (uint32_t u = 0; u < PTX_UNITS; u++)
		if (latch_has_room(&sm->issued[u]))
			open |= scheduler->unit[u];
	return open;
}

/* blocks.c */
void update_held(struct sm *sm, struct sm_warp *warp);
void block_held(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);
/* A warp that has ended and has nothing in flight leaves its slot to fetch, which frees it. */
void retire(struct sm *sm, struct sm_warp *warp);
void free_slot(struct sm *sm, struct sm_warp *warp);
/* An instruction is complete: its registers are there, its op is free. */
void complete(struct sm *sm, struct op *op);

/* load_store.c: whether it can do more in the next cycle without anything coming from outside; and its counters of cycles
 * slept through in which it could not. */
bool load_store_can_go_on(const struct sm *sm);
void load_store_account(struct sm *sm, uint64_t slept);

/* Into the pipe behind shared memory's banks. False: it is full, or the memory has been used in this cycle. */
bool enter_shared_pipe(struct sm *sm, struct op *op);

/* buffer.c: the buffer in front of L1. The instruction's next access asks it: it passes, cannot be answered in this cycle, is
 * answered, or waits there for bytes on their way. */
enum buffer_answer { BUFFER_PASSED, BUFFER_BUSY, BUFFER_HIT, BUFFER_MERGED };
enum buffer_answer buffer_ask(struct sm *sm, struct op *op);
/* The access is of a load that the buffer would answer now. */
bool buffer_has(const struct sm *sm, const struct op *op, const struct access *access);
/* The instruction's next access goes on, whether anybody looks or not: a store that finds its line in the buffer updates it; an
 * atomic is made at L2, so that the line is dropped. Gives the result that mechanisms are told. */
enum mech_result buffer_pass(struct sm *sm, const struct op *op, enum mech_result result);
/* A mechanism's request past L1 is answered. */
void buffer_reply(struct sm *sm, struct request *request);
/* Answers one of the accesses whose bytes have come. There is one. */
void buffer_serve_waiter(struct sm *sm);

/* hooks.c: what mechanisms look at and veto, when there are any; and their requests. */
bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp);
void hooks_issue(struct sm *sm, const struct sm_warp *warp, const struct simt_step *step);
void hooks_memory(struct sm *sm, const struct op *op);
/* The instruction's next access, which is told when it is made. */
struct mech_access hooks_next_access(const struct sm *sm, const struct op *op);
void hooks_access(struct sm *sm, const struct mech_access *next, enum mech_result result);
bool hooks_may_allocate(struct sm *sm, const struct op *op);
void hooks_fill(struct sm *sm, const struct request *request);
/* A mechanism has asked for a line. */
void request_asked(void *host);
/* A request of a mechanism is answered. True: the data came into the buffer. */
bool requests_answered(struct sm *sm, struct request *request);
/* Serves the next one. `l1_is_used`: an instruction's access has L1's port in this cycle. */
void requests_serve(struct sm *sm, bool l1_is_used);

/* collect.c: the same for operand collection. */
void collection_account(struct sm *sm, uint64_t slept);

/* stack.c: the cycle stack */
void stack_wait(struct sm *sm, struct scheduler *scheduler);
void stack_resolve(struct sm *sm, struct sm_warp *warp, uint32_t level);

static inline uint32_t bank_of(const struct sm *sm, uint32_t number, uint32_t warp)
{
	return (number + warp) & (sm->config.register_banks - 1);
}

/* Register banks of an instruction's results. */
static inline uint32_t written_banks(const struct sm *sm, const struct op *op)
{
	uint32_t banks = 0;
	for (uint32_t i = 0; i < op->inst->bank_writes; i++)
		banks |= 1u << bank_of(sm, op->inst->bank_write[i], op->warp);
	return banks;
}

/* Sends a request into the crossbar. False: no room. */
bool network_send(struct sm *sm, struct request *request);

#endif
