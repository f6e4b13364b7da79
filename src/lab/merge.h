/* merge: runs of other files into a file of results, each once; and whether what is in one is whole. */
#ifndef SLUICE_LAB_MERGE_H
#define SLUICE_LAB_MERGE_H

#include "lab/store.h"

#include <stdio.h>

struct merge_count {
	size_t added, had, replaced; /* replaced: a failed run by one that passed, or by a later failure */
	size_t differ; /* passed in both with other cycles, which equal runs cannot have; the file keeps its own */
};

/* Keeps a run unless the file has as good a one of it; of two that failed, the later one. False with a message. */
bool merge_run(struct store *store, const struct run_config *config, const struct run_result *result,
               struct merge_count *count, char message[STORE_MESSAGE]);

/* All runs of a file of results, or of one with a record a line (lab/run_record.h): all of them or none. False with a message. */
bool merge_file(struct store *store, const char *path, struct merge_count *count, char message[STORE_MESSAGE]);

/* Writes the runs that have the values as records, a line each. False with a message. */
bool merge_export(struct store *store, const struct store_filter *filters, size_t count, FILE *file,
                  char message[STORE_MESSAGE]);

/* Tells on `file` what is wrong with runs. Returns of how many, -1 with a message when the file itself is broken. */
long merge_check(struct store *store, FILE *file, size_t *runs, char message[STORE_MESSAGE]);

#endif
