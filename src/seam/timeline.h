/* timeline: the events of one part that have not been taken yet. */
#ifndef SLUICE_SEAM_TIMELINE_H
#define SLUICE_SEAM_TIMELINE_H

#include "seam/mech.h"

struct timeline {
	struct mech_event *event;
	uint32_t count, capacity;
	uint32_t most; /* limit on stored events: the number that would be shown */
};

void timeline_add(struct timeline *timeline, const struct mech_event *event);
void timeline_free(struct timeline *timeline);

#endif
