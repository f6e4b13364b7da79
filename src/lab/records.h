/* records: moves records that a cluster's tasks left in a sweep's folder to the results. */
#ifndef SLUICE_LAB_RECORDS_H
#define SLUICE_LAB_RECORDS_H

#include "lab/store.h"

/* Moves all records into the store, many per transaction, and calls back for each. A record is deleted when the
 * store has it; a mark remains, so that a task that Slurm restarts skips the run. Returns false with a message when
 * the store failed; the records then stay. */
bool records_collect(const char *folder, struct store *store,
                     void (*taken)(void *context, const char *id, const struct run_result *result), void *context,
                     char message[STORE_MESSAGE]);

/* Removes a run's mark, so that the run will be repeated. */
void records_forget(const char *folder, const char *id);
/* Removes all marks, and what killed tasks left of records. Call when no task works in the folder. */
void records_forget_all(const char *folder);

#endif
