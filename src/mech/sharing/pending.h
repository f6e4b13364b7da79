/* pending: accesses that go on behind their instruction: copies that a thread has asked for and has not waited
 * for. Until a wait of the same thread ends them, each place of the code counts as one that accesses. A phase of
 * an mbarrier names no copy: such an access has no known end. */
#ifndef SLUICE_MECH_SHARING_PENDING_H
#define SLUICE_MECH_SHARING_PENDING_H

#include "mech/sharing/accesses.h"

/* `accesses`: by instruction of the kernel, whether it touches the common part; the instructions before which an
 * access is under way are added. False: one may be under way where the kernel ends, so that no place is known at
 * which the common part is free. */
bool sharing_add_pending(struct arena *arena, const struct flow_cfg *cfg, const struct sharing_accesses *found,
                         bool *accesses);

#endif
