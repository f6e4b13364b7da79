/* stages: what the files of this room offer each other. */
#ifndef SLUICE_SM_STAGES_H
#define SLUICE_SM_STAGES_H

#include "sm/sm.h"

/* The stages, in the order of sm_tick(). */
void write_back(struct sm *sm);
void execute(struct sm *sm);
void load_store(struct sm *sm);
void collect_operands(struct sm *sm);
void issue(struct sm *sm);
void decode(struct sm *sm);
void fetch(struct sm *sm);

/* fetch.c: the warp's buffer is empty; it asks for instructions from `pc` on. */
void refetch(struct sm *sm, struct sm_warp *warp, uint32_t pc);

/* scoreboard.c */
void scoreboard_reserve(struct sm_warp *warp, const struct simt_inst *inst, bool by_load);
void scoreboard_release(struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst);
/* Recomputes all that the scheduler knows of the warp's next instruction. */
void examine(struct sm *sm, struct sm_warp *warp);

/* order.c: the next of `candidates` (not 0) by the scheduler's order. */
void order_prepare(const struct sm *sm, struct scheduler *scheduler);
uint32_t order_pick(const struct sm *sm, const struct scheduler *scheduler, uint64_t candidates);
/* The warp at `bit` has just been launched: all others are older. */
void order_launched(struct scheduler *scheduler, uint32_t bit);
uint32_t order_oldest(const struct scheduler *scheduler, uint64_t candidates);

static inline uint32_t slot_of(const struct sm *sm, const struct scheduler *scheduler, uint32_t bit)
{
	return bit * sm->config.schedulers + (uint32_t)(scheduler - sm->scheduler);
}

/* blocks.c */
void update_held(struct sm *sm, struct sm_warp *warp);
/* Frees the slot of a warp that has ended and has nothing in flight. */
void retire(struct sm *sm, struct sm_warp *warp);
/* An instruction is complete: its registers are there, its op is free. */
void complete(struct sm *sm, struct op *op);

/* load_store.c: whether it can do more in the next cycle without anything coming from outside; and its counters of cycles
 * slept through in which it could not. */
bool load_store_can_go_on(const struct sm *sm);
void load_store_account(struct sm *sm, uint64_t slept);

/* collect.c: the same for operand collection. */
void collection_account(struct sm *sm, uint64_t slept);

/* stack.c: the cycle stack */
void stack_wait(struct sm *sm, struct scheduler *scheduler);
void stack_resolve(struct sm *sm, struct sm_warp *warp, uint32_t level);

/* Register banks of an instruction's results: all free (then they are written in this cycle), or not. */
bool banks_write(struct sm *sm, const struct op *op, bool may_wait);

/* Sends a request into the crossbar. False: no room. */
bool network_send(struct sm *sm, struct request *request);

#endif
