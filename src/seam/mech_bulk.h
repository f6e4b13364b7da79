/* mech_bulk: what an instruction that copies in bulk asks for (base/bulk.h), for built-in mechanisms that look at it or own its opcode. */
#ifndef SLUICE_SEAM_MECH_BULK_H
#define SLUICE_SEAM_MECH_BULK_H

#include "base/bulk.h"
#include "seam/mech.h"

/* Of one of the lanes that run, in the hooks of an instruction that copies; addresses are the machine's. False: it is wrong, and stops the kernel when it
 * runs, in this cycle. */
static inline bool mech_bulk_copy(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, struct bulk_copy *copy)
{
	return sm->services->bulk_copy(sm, issue, lane, copy);
}

#endif
