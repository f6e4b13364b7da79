/* stats_loads: the tables of 'sluice stats --loads'. */
#ifndef SLUICE_CLI_STATS_LOADS_H
#define SLUICE_CLI_STATS_LOADS_H

#include <jansson.h>

/* Prints a table for each mechanism that sends requests: its account of each load and, if available, the load's
 * statistics from l1_by_load. */
void stats_print_loads(const json_t *kernel);

#endif
