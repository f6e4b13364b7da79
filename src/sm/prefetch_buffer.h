/* prefetch_buffer: the SM's side of the buffer in front of L1 (seam/line_buffer.h). It decides which accesses the
 * buffer answers, applies stores and atomics to it, and holds loads that wait for bytes in flight to it. */
#ifndef SLUICE_SM_PREFETCH_BUFFER_H
#define SLUICE_SM_PREFETCH_BUFFER_H

#include "memory/request.h"
#include "seam/mech.h"
#include "sm/op.h"

/* An access that waits for bytes in flight to the buffer. */
struct prefetch_buffer_waiter {
	struct op *op;
	uint64_t line;
	uint8_t missing; /* mask of the sectors of the line that are still missing; 0: it can be answered */
};

struct prefetch_buffer_waiters {
	struct prefetch_buffer_waiter waiter[MECH_MAX_BUFFER_MERGES];
	uint32_t count, ready; /* ready: number of waiters with nothing missing */
};

/* Result for the instruction's next access: it passes the buffer, cannot be answered in this cycle, is answered, or
 * waits for bytes in flight. */
enum prefetch_buffer_answer { BUFFER_PASSED, BUFFER_BUSY, BUFFER_HIT, BUFFER_MERGED };

struct sm;

/* Answers one access whose bytes have arrived, if there is one. True when more are ready. */
bool prefetch_buffer_tick(struct sm *sm);

enum prefetch_buffer_answer prefetch_buffer_ask(struct sm *sm, struct op *op);
/* True when the access belongs to a load that the buffer would answer now. */
bool prefetch_buffer_has(const struct sm *sm, const struct op *op, const struct access *access);
/* The instruction's next access passes the buffer. A store that hits the buffer updates its line. An atomic is
 * performed at L2, so the line is dropped. Returns the result that mechanisms see. */
enum mech_result prefetch_buffer_pass_by(struct sm *sm, const struct op *op, enum mech_result result);
/* A mechanism's request that bypassed L1 is answered. */
void prefetch_buffer_fill(struct sm *sm, struct request *request);

#endif
