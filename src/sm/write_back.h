/* write_back: results of the arithmetic units and data of loads into the register file; what is complete with that. */
#ifndef SLUICE_SM_WRITE_BACK_H
#define SLUICE_SM_WRITE_BACK_H

#include "memory/request.h"
#include "sm/op.h"

struct write_back {
	struct op *load;         /* whose data are written as soon as their banks are free */
	struct request *past_l1; /* an answer that goes through no cache, until the arbiter takes it */
	uint32_t turn;           /* client that the arbiter asks first */
};

struct sm;

/* The results that leave the units in this cycle: nothing can hold them up. */
void write_back_results(struct sm *sm);
/* The load whose data wait for their banks, and then the next answer of those that have one. */
void write_back_loads(struct sm *sm);
/* When that has something to do again: to be asked behind all that brings answers in a cycle. */
uint64_t write_back_next_load(const struct sm *sm);

/* The network's side: whether an answer that goes through no cache can be taken; takes it. */
static inline bool write_back_has_room(const struct write_back *write_back)
{
	return !write_back->past_l1;
}

static inline void write_back_push(struct write_back *write_back, struct request *request)
{
	write_back->past_l1 = request;
}

/* One of the instruction's accesses is answered; with the last one it is complete. */
void access_answered(struct sm *sm, struct op *op, uint32_t level);

/* All of the instruction's accesses are answered: it is complete, unless it copies what has come to shared memory. */
void instruction_answered(struct sm *sm, struct op *op);

/* The instruction is complete: its registers are there, its op is free. */
void instruction_complete(struct sm *sm, struct op *op);

#endif
