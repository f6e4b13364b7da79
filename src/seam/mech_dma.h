/* mech_dma: the operands of DMA instructions (base/dma.h), for built-in mechanisms that observe them or own their
 * opcode. */
#ifndef SLUICE_SEAM_MECH_DMA_H
#define SLUICE_SEAM_MECH_DMA_H

#include "base/dma.h"
#include "seam/mech.h"

/* Writes the values of an instruction's fields, those of the first running lane, in its hooks (mech_operands()).
 * Missing fields are 0. Returns the lanes that run. */
static inline uint32_t mech_dma_values(struct mech_sm *sm, const struct mech_issue *issue,
                                       uint64_t value[DMA_MAX_FIELDS])
{
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	memset(value, 0, DMA_MAX_FIELDS * sizeof *value);
	for (uint32_t k = 0; operands.lanes && k < operands.sources; k++) {
		uint64_t found = operands.source[k][__builtin_ctz(operands.lanes)];
		value[k] = k == DMA_GLOBAL ? found : (uint32_t)found;
	}
	return operands.lanes;
}

#endif
