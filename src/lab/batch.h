/* batch: runs submitted to a cluster together, as tasks of a job array. FOLDER/batch.N has one line of JSON per run;
 * batch.N.index gives the offset of each task's lines. A task makes its runs one after the other and writes a record
 * of each to FOLDER/records. */
#ifndef SLUICE_LAB_BATCH_H
#define SLUICE_LAB_BATCH_H

#include "lab/queue.h"

#include <signal.h>

/* Writes runs [0, count) of the list: the first per_task of them for task 0, and so on. Returns false with errno set.
 */
bool batch_write(const char *folder, size_t number, const struct queue *queue, struct queued *const *runs, size_t count,
                 size_t per_task);

/* Calls back for each run with its task. Returns false with errno set when the batch cannot be read. */
bool batch_each(const char *folder, size_t number, void (*run)(void *context, const char *id, size_t task), void *context);

void batch_remove(const char *folder, size_t number);

/* Signal by which Slurm warns a task of its time limit (sbatch --signal). */
enum { BATCH_WARNING = SIGUSR1 }; /* blocked by the caller of batch_run_task() */

/* Makes those runs of a task that have no record yet. Returns false after a message, or when a run was ended from
 * outside; such a run has no record. When the time limit is near, a task whose runs keep journals ends them and asks
 * Slurm to start it again. A run has failed when the limit has cut it so often before it added a launch to its journal
 * as the sweep permits (slurm_way.tries). */
bool batch_run_task(const char *folder, const char *batch, size_t task, const char *revision, const char *command);

#endif
