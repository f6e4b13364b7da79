/* run_record: a run as a line of JSON, as cluster tasks write it and 'sluice results export' prints it. */
#ifndef SLUICE_LAB_RUN_RECORD_H
#define SLUICE_LAB_RUN_RECORD_H

#include "lab/store.h"

#include <jansson.h>

/* The texts last as long as the JSON, except the statistics, which are allocated. */
struct run_record {
	struct run_config config;
	struct run_result result;
	char *stats;
};

/* Returns a new object. */
json_t *run_record_json(const struct run_config *config, const struct run_result *result);

/* Returns only the configuration, which waiting runs have too. */
json_t *run_record_config_json(const struct run_config *config);
/* Returns false when it is not a configuration. */
bool run_record_config_read(const json_t *json, struct run_config *config);

/* Returns false when it is not a record. Call run_record_free() after success. */
bool run_record_read(const json_t *json, struct run_record *record);
void run_record_free(struct run_record *record);

/* Returns the statistics without white space, as stored, to be freed. */
char *run_record_stats(const json_t *stats);

#endif
