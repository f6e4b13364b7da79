/* stats_units: `sluice stats --units`. */
#ifndef SLUICE_CLI_STATS_UNITS_H
#define SLUICE_CLI_STATS_UNITS_H

#include <jansson.h>
#include <stdbool.h>

/* Prints the counters of each unit of each kernel and of the totals: those that match one of `patterns`
 * (NULL-terminated; none: a default selection). Returns an exit status, after a message if it is not 0. */
int stats_print_units(const char *command, const char *file, const json_t *root, const char *const *patterns,
                      bool as_csv);

#endif
