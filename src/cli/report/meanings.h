/* meanings: what the names on the page mean: of the machine's counters and keys, and of those of the mechanisms that are built in. Apart from
 * report.h, because argp.h and base/table.h both have a struct option. */
#ifndef SLUICE_CLI_REPORT_MEANINGS_H
#define SLUICE_CLI_REPORT_MEANINGS_H

#include <jansson.h>
#include <stdbool.h>

/* [unit, scope, meaning, "sum" or "largest"] of the counters that are names in an object. */
json_t *meanings_of_counters(const json_t *names);

/* [unit, meaning] of the keys of machines, of mechanisms by NAME, and of their options by NAME.KEY. */
json_t *meanings_of_keys(void);

/* Whether several launches have the largest of their values of a counter, and not their sum. */
bool meanings_is_largest(const char *counter);

#endif
