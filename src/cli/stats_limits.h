/* stats_limits: `sluice stats --limits`. */
#ifndef SLUICE_CLI_STATS_LIMITS_H
#define SLUICE_CLI_STATS_LIMITS_H

#include <jansson.h>
#include <stdbool.h>

/* Prints what limits each kernel whose name matches one of `patterns` (NULL-terminated; none: each), each session, and
 * the totals of several. Returns an exit status, after a message if it is not 0. */
int stats_print_limits(const char *command, const char *file, const json_t *root, const char *const *patterns,
                       bool as_json);

#endif
