/* load_store: the load/store unit. One memory instruction at a time makes its accesses, one per cycle, to shared
 * memory, the constant cache, L1, or, bypassing L1, the network. Replies return in any order (write_back.h). */
#ifndef SLUICE_SM_LOAD_STORE_H
#define SLUICE_SM_LOAD_STORE_H

#include "sm/config.h"
#include "sm/op.h"

struct sm;

/* Result of the instruction's next access. The order matters (lsu_tick): after a result before ACCESS_NO_NETWORK the
 * unit goes on in the next cycle. With the others it waits for an event that wakes the SM, such as a reply or space in
 * the network. */
enum access_outcome {
	ACCESS_MADE,
	ACCESS_SENT,       /* made, directly into the network: the only one in its cycle */
	ACCESS_PORT_BUSY,  /* to be tried again in the next cycle */
	ACCESS_NO_NETWORK, /* the request crossbar has no space */
	ACCESS_NO_L1D,     /* L1 or the constant cache refuses: no free line, MSHR, merge entry or miss-queue entry */
	ACCESS_NO_L1C,
	ACCESS_NO_L1_PIPE, /* the pipe in front of L1's tags is full until its oldest access has left */
	ACCESS_NO_TEXTURE, /* a queue of the texture unit is full */
};

struct load_store {
	struct op *current;      /* the instruction whose accesses are being made */
	struct request *offered; /* its access that was refused */
	uint64_t refused_at;     /* cache.changes when L1 refused it, or 0 */
	uint8_t outcome;         /* enum access_outcome of this cycle */
	/* it takes an instruction after its work of the cycle: config.lsu_takes_late, and with sub-cores */
	bool takes_late;
	/* not all mechanisms have been shown yet that it requests the banks of shared memory */
	bool must_be_shown;
};

static inline void lsu_open(struct load_store *lsu, const struct sm_config *config)
{
	lsu->takes_late = config->sub_cores || config->lsu_takes_late;
}

/* Converts the lane addresses of an issuing memory instruction to the accesses that it will make. */
void lsu_generate_accesses(struct sm *sm, struct op *op, struct simt_step *step);

/* Makes the instruction's next access. True when another one follows in the next cycle. When it waits for a reply or
 * for network space, that event wakes the SM. */
bool lsu_tick(struct sm *sm);
/* To be called after the operand collectors' tick: true when the unit is free and an instruction has arrived. */
bool lsu_can_take(const struct sm *sm);
/* All mechanisms have seen that the instruction requests the banks of shared memory. */
static inline void lsu_was_shown(struct load_store *lsu)
{
	lsu->must_be_shown = false;
}
/* True when it has an instruction with accesses to make. */
static inline bool lsu_is_kept(const struct load_store *lsu)
{
	return lsu->current;
}
/* The maximum number of flits that it may send in the next cycle with accesses that bypass L1. */
uint32_t lsu_most_flits(const struct sm *sm);
/* Charges `slept` cycles in which its access would have been refused again. */
void lsu_account(struct sm *sm, uint64_t slept);

#endif
