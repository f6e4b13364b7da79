/* pending: accesses that continue after their instruction: asynchronous copies that their thread has not waited for.
 * All instructions up to the same thread's wait count as accessing. A phase of an mbarrier names no copy, so such an
 * access has no known end. */
#ifndef SLUICE_MECH_SHARING_PENDING_H
#define SLUICE_MECH_SHARING_PENDING_H

#include "mech/sharing/accesses.h"

/* `accesses`: by instruction of the kernel, whether it touches the common part. Sets it for the instructions before
 * which an access may be in progress. Returns false when one may be in progress at the kernel's end: then no place
 * is known at which the common part is free. */
bool sharing_add_pending(struct arena *arena, const struct flow_cfg *cfg, const struct sharing_accesses *found,
                         bool *accesses);

#endif
