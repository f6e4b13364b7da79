/* sweep_folder: what a sweep leaves beside its results while it goes on: sweeps/NAME.
 *
 *   runs          what it is about: a line about itself, then one a run
 *   lock          who works on it holds it
 *   progress/ID   how far a run is that runs now (SLUICE_PROGRESS_FILE)
 *   records/ID    of a cluster: a run that has ended, until it is among the results
 *   done/ID       of a cluster: its record is among the results; empty
 *   batch.N ...   of a cluster: what was submitted (lab/batch.h)
 *
 * A run's ID is a digest of its configuration, so that an edited plan finds again what of it is the same.
 */
#ifndef SLUICE_LAB_SWEEP_FOLDER_H
#define SLUICE_LAB_SWEEP_FOLDER_H

#include "lab/past.h"
#include "lab/store.h"

#include <jansson.h>
#include <limits.h>

enum { SWEEP_ID = 17 };

struct sweep_folder {
	const char *path;
	int lock; /* -1: not held */
};

/* What the first line of `runs` says. */
struct sweep_head {
	char results[PATH_MAX], host[64];
	const char *engine; /* "local" or "slurm" */
	long pid;
	double started; /* seconds since 1970 */
	size_t runs, parallel;
};

struct sweep_run {
	struct run_config config;
	struct past_cost expected;
	char id[SWEEP_ID];
};

/* How far a run is; kernel 0: none was begun. */
struct sweep_progress {
	unsigned long long kernel, blocks_done, blocks, cycle;
	char name[96];
};

void sweep_id(const struct run_config *config, char id[SWEEP_ID]);

/* Makes the folder where it is missing, and takes its lock. False after a message, also when another works on it. */
bool sweep_folder_open(struct sweep_folder *folder, const char *path, const char *command);
void sweep_folder_close(struct sweep_folder *folder);

/* Whether somebody works on it. */
bool sweep_folder_is_at_work(const char *path);

/* FOLDER/PART/ID, cut where it does not fit. */
void sweep_path(char path[PATH_MAX], const char *folder, const char *part, const char *id);

/* Writes `runs`: begin, a run each, end. NULL, or false, with errno set. */
struct sweep_list;
struct sweep_list *sweep_list_begin(const char *folder, const struct sweep_head *head);
void sweep_list_add(struct sweep_list *list, const struct sweep_run *run);
bool sweep_list_end(struct sweep_list *list);

/* Reads it. False after a message. What is called back (`row` may be NULL) lasts as long as the call. */
bool sweep_list_each(const char *folder, const char *command, struct sweep_head *head,
                     void (*row)(void *context, const struct sweep_run *run), void *context);

/* A run begins: nothing is known of it yet. The file is gone when it has ended. */
void sweep_progress_begin(const char *path);
/* False: it runs not now. */
bool sweep_progress_read(const char *folder, const char *id, struct sweep_progress *progress);

#endif
