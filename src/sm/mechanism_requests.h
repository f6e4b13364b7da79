/* mechanism_requests: serves the requests of mechanisms: lines for L1, bytes for the buffer in front of it or for
 * shared memory, or nothing. */
#ifndef SLUICE_SM_MECHANISM_REQUESTS_H
#define SLUICE_SM_MECHANISM_REQUESTS_H

#include "memory/request.h"
#include "seam/seam.h"

struct sm;

/* Serves the next request, if it goes before instructions. True: it used this cycle's turn. */
bool requests_tick_before_demand(struct sm *sm);
/* Serves the next request, unless `served`. True when there is one for the next cycle. */
bool requests_tick(struct sm *sm, bool served);

/* The maximum number of flits that they may send in the next cycle, including requests made in that cycle. */
uint32_t requests_most_flits(const struct sm *sm);

/* A mechanism has made a request (seam_sm.asked). */
void requests_asked(void *sm);
/* The reply to a request that bypassed L1 has arrived. False: it cannot be taken in this cycle. */
bool requests_deliver(struct sm *sm, struct request *request);
/* The turn at shared memory is over. The request's data, or data supplied by a mechanism (`request` is NULL), have
 * been written there, or data for global memory have been read there. False: the packet found no space in the
 * network. */
bool requests_had_turn(struct sm *sm, struct seam_sent *sent, struct request *request);
/* A mechanism's request is answered. True when the data were written into the buffer. */
bool requests_answered(struct sm *sm, struct request *request);

#endif
