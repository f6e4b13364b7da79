/* write_back: writes results of the arithmetic units and data of loads into the register file, and completes
 * instructions. */
#ifndef SLUICE_SM_WRITE_BACK_H
#define SLUICE_SM_WRITE_BACK_H

#include "memory/request.h"
#include "sm/op.h"

struct write_back {
	struct op *load;         /* load whose data are written as soon as their banks are free */
	struct request *bypassing_l1; /* a reply that bypasses the caches, until the arbiter takes it */
	uint32_t turn;           /* client with the highest priority in the next arbitration */
};

struct sm;

/* Writes the results that leave the units in this cycle. Nothing can delay them. */
void write_back_results(struct sm *sm);
/* Writes the load whose data wait for their banks, then takes the next answer of a client. */
void write_back_loads(struct sm *sm);
/* The next cycle in which write_back_loads() has work. To be called after everything that adds answers in a cycle. */
uint64_t write_back_next_load(const struct sm *sm);

/* The network's side: whether a reply that bypasses the caches can be taken; takes it. */
static inline bool write_back_has_room(const struct write_back *write_back)
{
	return !write_back->bypassing_l1;
}

static inline void write_back_push(struct write_back *write_back, struct request *request)
{
	write_back->bypassing_l1 = request;
}

/* One of the instruction's accesses is answered. The last one completes the instruction. */
void access_answered(struct sm *sm, struct op *op, uint32_t level);

/* All accesses of the instruction are answered. It is complete, unless it has to copy the arrived data to shared
 * memory. */
void instruction_answered(struct sm *sm, struct op *op);

/* The instruction is complete: its registers are written and its op is freed. */
void instruction_complete(struct sm *sm, struct op *op);

#endif
