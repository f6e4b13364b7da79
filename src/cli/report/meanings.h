/* meanings: explanations of names on the page: counters and keys of the machine and of the built-in mechanisms.
 * Separate from report.h, because argp.h and base/table.h both define a struct base_option. */
#ifndef SLUICE_CLI_REPORT_MEANINGS_H
#define SLUICE_CLI_REPORT_MEANINGS_H

#include <jansson.h>
#include <stdbool.h>

/* Returns [unit, scope, meaning, "sum" or "largest"] of each counter whose name is a key of the object. */
json_t *meanings_of_counters(const json_t *names);

/* Returns [unit, meaning] of the machine's keys, of mechanisms (NAME) and of their options (NAME.KEY). */
json_t *meanings_of_keys(void);

/* True when the counter of several launches is the largest of their values, not the sum. */
bool meanings_is_largest(const char *counter);

#endif
