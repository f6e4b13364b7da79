/* run_filters: options that select runs of a results file: --program NAME and similar ones. */
#ifndef SLUICE_CLI_RUN_FILTERS_H
#define SLUICE_CLI_RUN_FILTERS_H

#include "lab/store.h"

#include <argp.h>

/* A column of the store that can be filtered. */
struct run_field {
	const char *name, *meaning;
	int width; /* width in a table; 0: not shown */
};
enum { RUN_FIELDS = 11, RUN_FILTER_OPTIONS = RUN_FIELDS + 1 };
extern const struct run_field run_fields[RUN_FIELDS];

struct run_filters {
	struct store_filter filter[RUN_FIELDS];
	size_t count;
};

/* Fills in a heading, and an option for each field, with keys from `first_key` on. */
void run_filter_options(struct argp_option options[RUN_FILTER_OPTIONS], int first_key, int group);
/* Adds a filter for a field, given by its number. Ends the program with a usage error when it was given before. */
void run_filters_add(struct run_filters *filters, int field, const char *value, const struct argp_state *state);

/* Returns the text of a field; numbers are written to `room`. */
const char *run_field_text(int field, const struct run_config *config, const struct run_result *result, char room[32]);

#endif
