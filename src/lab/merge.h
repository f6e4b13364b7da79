/* merge: adds runs of other files to a file of results, each once; checks and exports files of results. */
#ifndef SLUICE_LAB_MERGE_H
#define SLUICE_LAB_MERGE_H

#include "lab/store.h"

#include <stdio.h>

struct merge_count {
	size_t added, had, replaced; /* replaced: a failed run by one that passed, or by a later failure */
	/* passed in both files with different cycles, which equal runs cannot have; the file keeps its own run */
	size_t differ;
};

/* Stores a run unless the file has an equal one that is as good. The later of two equal failed runs is better. Returns
 * false with a message. */
bool merge_run(struct store *store, const struct run_config *config, const struct run_result *result,
               struct merge_count *count, char message[STORE_MESSAGE]);

/* Adds all runs of a file of results, or of a file with one record per line (lab/run_record.h): all of them or none.
 * Returns false with a message. */
bool merge_file(struct store *store, const char *path, struct merge_count *count, char message[STORE_MESSAGE]);

/* Writes the runs that match the filters as records, one per line. Returns false with a message. */
bool merge_export(struct store *store, const struct store_filter *filters, size_t count, FILE *file,
                  char message[STORE_MESSAGE]);

/* Reports on `file` what is wrong with runs. Returns the number of such runs; -1 with a message when the file itself
 * is damaged. */
long merge_check(struct store *store, FILE *file, size_t *runs, char message[STORE_MESSAGE]);

#endif
