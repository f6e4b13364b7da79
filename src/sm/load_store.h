/* load_store: the load/store unit: one memory instruction at a time makes its accesses, one a cycle, to shared memory, the
 * constant cache, L1 or past it; answers come back in any order (write_back.h). */
#ifndef SLUICE_SM_LOAD_STORE_H
#define SLUICE_SM_LOAD_STORE_H

#include "sm/op.h"

struct sm;

/* How the instruction's next access fared. Some want nothing but another cycle; others, behind them, what only a reply or room in
 * the network gives. */
enum access_outcome {
	ACCESS_MADE,
	ACCESS_SENT,       /* made, straight into the network: the only one of its cycle */
	ACCESS_PORT_BUSY,  /* again in the next cycle */
	ACCESS_NO_NETWORK, /* the request crossbar has no room */
	ACCESS_NO_L1D,     /* L1 or the constant cache refuses: no line, MSHR, merge place or room in the miss queue */
	ACCESS_NO_L1C,
	ACCESS_NO_L1_PIPE, /* the pipe in front of L1's tags is full: when its oldest access has left, there is room */
	ACCESS_NO_TEXTURE, /* a queue of the texture unit is full */
};

struct load_store {
	struct op *current;      /* the instruction whose accesses are being made */
	struct request *offered; /* its access that was turned away */
	uint64_t refused_at;     /* by L1, which was as it was then (cache.changes), or 0 */
	uint8_t outcome;         /* enum access_outcome, of this cycle */
	bool takes_late;         /* it takes an instruction behind its work of the cycle: config.lsu_takes_late, and beside sub-cores */
	bool asks;               /* mechanisms have not all seen yet that it wants the banks of shared memory */
};

/* When a memory instruction issues: from its lanes' addresses to the accesses that it will make. */
void lsu_generate_accesses(struct sm *sm, struct op *op, struct simt_step *step);

/* The instruction's next access. True: there is another one for the next cycle. Where it waits for a reply or for room in the network,
 * these wake the SM. */
bool lsu_tick(struct sm *sm);
/* Behind the operand collectors' tick: it is free, and an instruction has come. */
bool lsu_can_take(const struct sm *sm);
/* It has accesses to make. */
static inline bool lsu_is_kept(const struct load_store *lsu)
{
	return lsu->current;
}
/* The most that it may send past L1 in the next cycle. */
uint32_t lsu_most_flits(const struct sm *sm);
/* Charges `slept` cycles in which its access would have been turned away again. */
void lsu_account(struct sm *sm, uint64_t slept);

#endif
