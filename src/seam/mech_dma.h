/* mech_dma: what an instruction of DMA (base/dma.h) says, for built-in mechanisms that look at it or own its opcode. */
#ifndef SLUICE_SEAM_MECH_DMA_H
#define SLUICE_SEAM_MECH_DMA_H

#include "base/dma.h"
#include "seam/mech.h"

/* The values of its fields, which are those of the first lane, in the instruction's hooks (mech_operands()); fields that it does not have are 0. Returns the lanes
 * that run. */
static inline uint32_t mech_dma_values(struct mech_sm *sm, const struct mech_issue *issue, uint64_t value[DMA_MAX_FIELDS])
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
