/* mech_stall: times in which an engine of a mechanism cannot send its next request. For built-in mechanisms. */
#ifndef SLUICE_SEAM_MECH_STALL_H
#define SLUICE_SEAM_MECH_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct mech_stall {
	bool stalled; /* the last attempt to send was refused */
	uint64_t since;
};

/* Notes whether the engine is stalled from this cycle on. Returns the cycles of the stall that this ends, or 0. */
static inline uint64_t mech_stall_note(struct mech_stall *stall, bool stalled, uint64_t cycle)
{
	if (stall->stalled == stalled)
		return 0;
	uint64_t ended = stall->stalled ? cycle - stall->since : 0;
	*stall = (struct mech_stall){stalled, cycle};
	return ended;
}

#endif
