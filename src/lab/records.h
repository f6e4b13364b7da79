/* records: what tasks of a cluster leave in a sweep's folder becomes results. */
#ifndef SLUICE_LAB_RECORDS_H
#define SLUICE_LAB_RECORDS_H

#include "lab/store.h"

/* Takes all that is there into the store, many in a transaction, and tells of each; a record goes when it is among the results, and
 * leaves a mark, by which a task that Slurm begins again knows. False with a message when the store failed: the records stay. */
bool records_collect(const char *folder, struct store *store,
                     void (*taken)(void *context, const char *id, const struct run_result *result), void *context,
                     char message[STORE_MESSAGE]);

/* Takes a run's mark away: it is to be made again. */
void records_forget(const char *folder, const char *id);
void records_forget_all(const char *folder);

#endif
