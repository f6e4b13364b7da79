/* mech_bulk: the operands of bulk copies (base/bulk.h), for built-in mechanisms that observe these instructions or
 * own their opcode. */
#ifndef SLUICE_SEAM_MECH_BULK_H
#define SLUICE_SEAM_MECH_BULK_H

#include "base/bulk.h"
#include "seam/mech.h"

/* Writes the copy of a running lane, in the hooks of a copying instruction; addresses are the machine's. False: the
 * operands are invalid, and the instruction stops the kernel when it executes, in this cycle. */
static inline bool mech_bulk_copy(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane,
                                  struct bulk_copy *copy)
{
	return sm->services->bulk_copy(sm, issue, lane, copy);
}

#endif
