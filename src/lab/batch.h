/* batch: runs that were given to a cluster together, as tasks of a job array: FOLDER/batch.N with a line of JSON a run, and
 * batch.N.index, which says where each task's lines begin. A task makes its runs one behind the other and leaves a record of each in
 * FOLDER/records.
 */
#ifndef SLUICE_LAB_BATCH_H
#define SLUICE_LAB_BATCH_H

#include "lab/queue.h"

/* Runs [0, count) of the list, the first per_task of them in task 0 and so on; `library` is the path of the one that
 * simulates. False with errno set. */
bool batch_write(const char *folder, size_t number, const char *library, struct queued *const *runs, size_t count,
                 size_t per_task);

/* Calls back for each run with its task. False with errno set when the batch cannot be read. */
bool batch_each(const char *folder, size_t number, void (*run)(void *context, const char *id, size_t task), void *context);

void batch_remove(const char *folder, size_t number);

/* Makes the runs of a task that have no record yet. False after a message, or when a run was ended from outside: it has no record
 * then. */
bool batch_run_task(const char *folder, const char *batch, size_t task, const char *revision, const char *command);

#endif
