/* buffer: the buffer in front of L1 (seam/line_buffer.h), from the SM's side: which accesses it answers, what stores and atomics do to
 * it, and loads that wait for bytes on their way to it. */
#ifndef SLUICE_SM_BUFFER_H
#define SLUICE_SM_BUFFER_H

#include "memory/request.h"
#include "seam/mech.h"
#include "sm/op.h"

/* An access that waits for bytes on their way to the buffer. */
struct buffer_waiter {
	struct op *op;
	uint64_t line;
	uint8_t missing; /* 32-byte pieces of the line; 0: it can be answered */
};

struct buffer_waiters {
	struct buffer_waiter waiter[MECH_MAX_BUFFER_MERGES];
	uint32_t count, ready; /* ready: missing nothing */
};

/* The instruction's next access passes, cannot be answered in this cycle, is answered, or waits for bytes on their way. */
enum buffer_answer { BUFFER_PASSED, BUFFER_BUSY, BUFFER_HIT, BUFFER_MERGED };

struct sm;

/* Answers one of the accesses whose bytes have come, if there is one. True: there are more. */
bool buffer_tick(struct sm *sm);

enum buffer_answer buffer_ask(struct sm *sm, struct op *op);
/* The access is of a load that the buffer would answer now. */
bool buffer_has(const struct sm *sm, const struct op *op, const struct access *access);
/* The instruction's next access goes on, whether anybody looks or not: a store that finds its line in the buffer updates it; an
 * atomic is made at L2, so that the line is dropped. Gives the result that mechanisms are told. */
enum mech_result buffer_pass_by(struct sm *sm, const struct op *op, enum mech_result result);
/* A mechanism's request past L1 is answered. */
void buffer_fill(struct sm *sm, struct request *request);

#endif
