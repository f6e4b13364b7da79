/* live_stats: live statistics of an SM, for mechanisms that query them. */
#ifndef SLUICE_SM_LIVE_STATS_H
#define SLUICE_SM_LIVE_STATS_H

#include "seam/mech_live_stats.h"

/* `sm` is the struct sm. When called from outside, between two of its ticks, `cycle` is the core cycle in progress.
 * From inside it is MECH_NEVER. */
void live_stats_of_sm(void *sm, uint64_t cycle, struct mech_sm_live_stats *counts);

#endif
