/* run_record: a run as a line of JSON: what tasks of a cluster leave, and what 'sluice results export' writes. */
#ifndef SLUICE_LAB_RUN_RECORD_H
#define SLUICE_LAB_RUN_RECORD_H

#include "lab/store.h"

#include <jansson.h>

/* The texts last as long as the JSON, but for the statistics, which are from malloc. */
struct run_record {
	struct run_config config;
	struct run_result result;
	char *stats;
};

/* A new object. */
json_t *run_record_json(const struct run_config *config, const struct run_result *result);

/* The configuration alone, which runs that wait have too. */
json_t *run_record_config_json(const struct run_config *config);
/* False: it is none. */
bool run_record_config_read(const json_t *json, struct run_config *config);

/* False: it is none. run_record_free() when true. */
bool run_record_read(const json_t *json, struct run_record *record);
void run_record_free(struct run_record *record);

/* Statistics without white space, as they are kept; from malloc. */
char *run_record_stats(const json_t *stats);

#endif
