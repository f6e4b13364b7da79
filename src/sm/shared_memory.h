/* shared_memory: the banks of shared memory, the pipe after them, and its single port. Data of the buffer in front
 * of L1 use the same pipe. */
#ifndef SLUICE_SM_SHARED_MEMORY_H
#define SLUICE_SM_SHARED_MEMORY_H

#include "sm/limits.h"
#include "seam/seam.h"
#include "sm/op.h"

enum { SHARED_MAX_BANKS = 64 }; /* one bit each in shared_bank_cycles() */

struct shared_pipe_slot {
	struct op *op;
	uint64_t ready;
};

/* A mechanism's use of the banks. It writes a request's data or data that it supplies, or it reads data to write
 * them to global memory. */
struct shared_turn {
	struct seam_sent *sent;  /* NULL: none */
	struct request *request; /* NULL: nothing was fetched */
	uint32_t cycles;         /* cycles for which it still needs the banks */
};

struct shared_memory {
	struct shared_pipe_slot pipe[SM_SHARED_PIPE]; /* ring */
	uint32_t head, count;
	struct shared_turn turn;
	/* used in this cycle by data for the buffer, a load that waited for them, or a mechanism's turn */
	bool port_is_used;
	uint64_t busy; /* cycles in which the port was used that are not in the statistics yet */
};

struct sm;

/* Cycles that an access needs the banks: the maximum over the banks of the number of different 4-byte words. `least`,
 * if not NULL, gets the cycles that the words need when they are spread evenly. */
uint32_t shared_bank_cycles(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t banks, uint32_t *least);

/* The same for an issuing instruction, with the layout of its block's bytes. Counts cycles without a conflict. */
uint32_t shared_cycles_of(struct sm *sm, const struct op *op, const struct simt_step *step);

/* The load/store unit's instruction uses the banks for a cycle. True when it has finished with them. */
bool shared_access(struct sm *sm, struct op *op);

/* Begins to write a mechanism's data, which occupies the port until the banks have taken all of them. Then its
 * request is answered. */
void shared_begin_write(struct sm *sm, struct seam_sent *sent, struct request *request);
/* Begins to read, from the next cycle on, what a mechanism writes to global memory. Then its packet is sent. */
void shared_begin_read(struct sm *sm, struct seam_sent *sent);
/* Simulates a cycle of either, if one is in progress. */
void shared_turn_tick(struct sm *sm);

/* Adds the port's cycles to the statistics. */
void shared_settle(struct sm *sm);

/* Enters the pipe after the banks. False: the pipe is full, or the memory has been used in this cycle. */
bool shared_enter_pipe(struct sm *sm, struct op *op);

/* For write-back: whether the oldest instruction in the pipe has its data; takes it. */
static inline bool shared_has_answer(const struct shared_memory *shared, uint64_t cycle)
{
	return shared->count && shared->pipe[shared->head].ready <= cycle;
}
/* The cycle in which it has, from the next cycle on. */
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

/* Data for the buffer lie in shared memory and occupy its port for the rest of this cycle. */
static inline void shared_use_port(struct shared_memory *shared)
{
	shared->busy += !shared->port_is_used;
	shared->port_is_used = true;
}

#endif
