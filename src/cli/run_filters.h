/* run_filters: which runs of a file of results a command is about: --program NAME and the like. */
#ifndef SLUICE_CLI_RUN_FILTERS_H
#define SLUICE_CLI_RUN_FILTERS_H

#include "lab/store.h"

#include <argp.h>

/* A column of the store that can be asked for. */
struct run_field {
	const char *name, *meaning;
	int width; /* in a table; 0: not shown there */
};
enum { RUN_FIELDS = 11 };
extern const struct run_field run_fields[RUN_FIELDS];

struct run_filters {
	struct store_filter filter[RUN_FIELDS];
	size_t count;
};

/* Fills in an option for each field, of the keys from `first_key` on. */
void run_filter_options(struct argp_option options[RUN_FIELDS], int first_key, int group);
/* Takes one of them: the number of the field. Does not return when it was given before. */
void run_filters_add(struct run_filters *filters, int field, const char *value, const struct argp_state *state);

/* The text of a field, in `room` where it is a number. */
const char *run_field_text(int field, const struct run_config *config, const struct run_result *result, char room[32]);

#endif
