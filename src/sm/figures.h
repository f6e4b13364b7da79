/* figures: live figures of an SM, for mechanisms that query them. */
#ifndef SLUICE_SM_FIGURES_H
#define SLUICE_SM_FIGURES_H

#include "seam/mech_figures.h"

/* `sm` is the struct sm. When called from outside, between two of its ticks, `cycle` is the core cycle in progress.
 * From inside it is MECH_NEVER. */
void figures_of_sm(void *sm, uint64_t cycle, struct mech_sm_figures *figures);

#endif
