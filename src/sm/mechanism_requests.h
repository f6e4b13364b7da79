/* mechanism_requests: serves what mechanisms have asked for: lines for L1, bytes for the buffer in front of it
 * or for shared memory, or nothing at all. */
#ifndef SLUICE_SM_MECHANISM_REQUESTS_H
#define SLUICE_SM_MECHANISM_REQUESTS_H

#include "memory/request.h"
#include "seam/seam.h"

struct sm;

/* Looks at the next one, if it goes before what instructions want. True: it had this cycle's turn. */
bool requests_tick_before_demand(struct sm *sm);
/* Looks at the next one, unless one had the turn. True: there is one for the next cycle. */
bool requests_tick(struct sm *sm, bool served);

/* The most that they may send in the next cycle, with those that are asked for in it. */
uint32_t requests_most_flits(const struct sm *sm);

/* A mechanism has asked for a line (seam_sm.asked). */
void requests_asked(void *sm);
/* The answer of a request that went past L1 has come. False: it cannot be taken in this cycle. */
bool requests_deliver(struct sm *sm, struct request *request);
/* Its data, or what a mechanism had (`request` is NULL), have been written into shared memory; or what it writes to global memory has been read
 * there. False: the packet finds no room in the network. */
bool requests_had_turn(struct sm *sm, struct seam_sent *sent, struct request *request);
/* A request of a mechanism is answered. True: the data came into the buffer. */
bool requests_answered(struct sm *sm, struct request *request);

#endif
