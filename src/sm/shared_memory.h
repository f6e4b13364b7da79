/* shared_memory: its banks, the pipe that data take behind them, its one port. Data of the buffer in front of L1 come through the
 * same pipe. */
#ifndef SLUICE_SM_SHARED_MEMORY_H
#define SLUICE_SM_SHARED_MEMORY_H

#include "sm/limits.h"
#include "seam/seam.h"
#include "sm/op.h"

enum { SHARED_MAX_BANKS = 64 }; /* a bit each in shared_bank_cycles() */

struct shared_pipe_slot {
	struct op *op;
	uint64_t ready;
};

/* What a mechanism writes there, the data of its request or what it has; or reads, to write it to global memory. */
struct shared_turn {
	struct seam_sent *sent;  /* NULL: none */
	struct request *request; /* NULL: nothing was fetched */
	uint32_t cycles;         /* for which it needs the banks yet */
};

struct shared_memory {
	struct shared_pipe_slot pipe[SM_SHARED_PIPE]; /* ring */
	uint32_t head, count;
	struct shared_turn turn;
	bool port_is_used; /* in this cycle, by what comes for the buffer in it, a load that waited for that, or a mechanism's turn */
};

struct sm;

/* Cycles that the banks need: the largest number of different 4-byte words that one bank must deliver. */
uint32_t shared_bank_cycles(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t banks);

/* The same of the instruction that issues, as its block's bytes lie. */
uint32_t shared_cycles_of(struct sm *sm, const struct op *op, const struct simt_step *step);

/* The load/store unit's instruction has the banks for a cycle. True: it has had them for all that it needs. */
bool shared_access(struct sm *sm, struct op *op);

/* A mechanism's data are to be written, which takes the port until the banks have them all; then its request is answered. */
void shared_begin_write(struct sm *sm, struct seam_sent *sent, struct request *request);
/* What a mechanism writes to global memory is to be read, from the next cycle on; then its packet leaves. */
void shared_begin_read(struct sm *sm, struct seam_sent *sent);
/* A cycle of either, if there is one. */
void shared_turn_tick(struct sm *sm);

/* Into the pipe behind the banks. False: it is full, or the memory has been used in this cycle. */
bool shared_enter_pipe(struct sm *sm, struct op *op);

/* For write-back: the oldest instruction in the pipe has its data; takes it. */
static inline bool shared_has_answer(const struct shared_memory *shared, uint64_t cycle)
{
	return shared->count && shared->pipe[shared->head].ready <= cycle;
}
/* ... and when it has, from the next cycle on. */
static inline uint64_t shared_next_answer(const struct shared_memory *shared, uint64_t cycle)
{
	if (!shared->count)
		return SM_NEVER;
	uint64_t ready = shared->pipe[shared->head].ready;
	return ready > cycle ? ready : cycle + 1;
}
struct op *shared_take_answer(struct shared_memory *shared);

static inline bool shared_has_turn(const struct shared_memory *shared)
{
	return shared->turn.sent;
}

static inline bool shared_can_begin(const struct shared_memory *shared)
{
	return !shared->turn.sent && !shared->port_is_used;
}

static inline void shared_new_cycle(struct shared_memory *shared)
{
	shared->port_is_used = false;
}

/* The buffer's data lie in shared memory and take its port for the rest of this cycle. */
static inline void shared_use_port(struct shared_memory *shared)
{
	shared->port_is_used = true;
}

#endif
