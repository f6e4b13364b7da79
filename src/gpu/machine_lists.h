/* machine_lists: options that are lists of numbers, separated by commas. */
#ifndef SLUICE_GPU_MACHINE_LISTS_H
#define SLUICE_GPU_MACHINE_LISTS_H

#include "gpu/machine.h"

/* Parses sm.carve_outs. False: it is no list of ascending numbers. */
bool machine_read_carve_outs(const struct machine *machine, struct sm_config *sm);
/* Parses launch.partitions. False: it is no list of numbers above 0. */
bool machine_read_partitions(struct machine *machine);
void machine_check_partitions(const struct machine *machine, struct diag *diag);

#endif
