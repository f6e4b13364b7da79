/* sweep_folder: the files of a sweep in progress, next to its results: sweeps/NAME.
 *
 *   runs          the list: a line about the sweep, then one per run
 *   lock          held by the process that works on the sweep
 *   progress/ID   progress of a running run (SLUICE_PROGRESS_FILE)
 *   records/ID    on a cluster: a run that has ended, until the results have it
 *   done/ID       on a cluster: the results have its record; empty
 *   journals/ID   the journal of a run that has not ended, with --journal (lab/run_journal.h)
 *   batch.N ...   on a cluster: submitted runs (lab/batch.h)
 *
 * A run's ID is a digest of its configuration, so that an edited plan finds the runs that have not changed. */
#ifndef SLUICE_LAB_SWEEP_FOLDER_H
#define SLUICE_LAB_SWEEP_FOLDER_H

#include "lab/cost_history.h"
#include "lab/store.h"

#include <jansson.h>
#include <limits.h>

enum { SWEEP_ID = 17 };

struct sweep_folder {
	const char *path;
	int lock; /* -1: not held */
};

/* The first line of `runs`. */
struct sweep_head {
	char results[PATH_MAX], host[64];
	const char *engine; /* "local" or "slurm" */
	long pid;
	double started; /* seconds since 1970 */
	size_t runs, parallel;
};

struct sweep_run {
	struct run_config config;
	struct run_cost expected;
	char id[SWEEP_ID];
};

/* A run's progress; kernel 0: none has begun. */
struct sweep_progress {
	unsigned long long kernel, blocks_done, blocks, cycle;
	char name[96];
};

void sweep_id(const struct run_config *config, char id[SWEEP_ID]);

/* Creates the folder if it is missing, and takes its lock. Returns false after a message, also when another process
 * works on it. */
bool sweep_folder_open(struct sweep_folder *folder, const char *path, const char *command);
void sweep_folder_close(struct sweep_folder *folder);

/* Whether a process works on it. */
bool sweep_folder_is_at_work(const char *path);

/* Whether `sluice sweep cancel` has ended it: its tasks do not start again. */
bool sweep_is_canceled(const char *folder);

/* Stores FOLDER/PART/ID; an empty path when it does not fit. */
void sweep_path(char path[PATH_MAX], const char *folder, const char *part, const char *id);

/* Write `runs`: begin, one call per run, end. Return NULL, or false, with errno set. */
struct sweep_list;
struct sweep_list *sweep_list_begin(const char *folder, const struct sweep_head *head);
void sweep_list_add(struct sweep_list *list, const struct sweep_run *run);
bool sweep_list_end(struct sweep_list *list);

/* Reads it. Returns false after a message. Arguments of the callback (`row` may be NULL) last as long as the call. */
bool sweep_list_each(const char *folder, const char *command, struct sweep_head *head,
                     void (*row)(void *context, const struct sweep_run *run), void *context);

/* Creates the progress file of a run that begins. It is deleted when the run has ended. */
void sweep_progress_begin(const char *path);
/* Returns false when the run is not running. */
bool sweep_progress_read(const char *folder, const char *id, struct sweep_progress *progress);

#endif
