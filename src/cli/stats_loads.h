/* stats_loads: what 'sluice stats --loads' shows of a kernel. */
#ifndef SLUICE_CLI_STATS_LOADS_H
#define SLUICE_CLI_STATS_LOADS_H

#include <jansson.h>

/* A table for each mechanism that sends: its account of each load, beside what l1_by_load has of it, where it was there. */
void stats_print_loads(const json_t *kernel);

#endif
