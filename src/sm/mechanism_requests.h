/* mechanism_requests: serves what mechanisms have asked for: lines for L1, bytes for the buffer in front of it, or nothing at all. */
#ifndef SLUICE_SM_MECHANISM_REQUESTS_H
#define SLUICE_SM_MECHANISM_REQUESTS_H

#include "memory/request.h"

struct sm;

/* Looks at the next one. True: there is one for the next cycle. */
bool requests_tick(struct sm *sm);

/* A mechanism has asked for a line (seam_sm.asked). */
void requests_asked(void *sm);
/* A request of a mechanism is answered. True: the data came into the buffer. */
bool requests_answered(struct sm *sm, struct request *request);

#endif
