/* slurm: requests to a cluster's Slurm, by its own commands: no daemon, no library. */
#ifndef SLUICE_LAB_SLURM_H
#define SLUICE_LAB_SLURM_H

#include "base/document.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How to run on a cluster. */
struct slurm_way {
	struct words options; /* of sbatch: "--partition=short" */
	size_t tries;         /* how often a run is started that ends for external reasons */
	size_t per_task;      /* runs per task of a job array; 0: chosen by their duration */
	bool detached;        /* submit and do not wait */
};

/* A waiting or running task of one of a sweep's job arrays. */
struct slurm_task {
	size_t batch, task;
	const char *job;   /* the array's number */
	const char *state; /* "PENDING", "RUNNING", ... */
	const char *reason;
};

/* Calls back for each unfinished task. Returns false when Slurm does not answer. */
bool slurm_each(const char *folder, void (*task)(void *context, const struct slurm_task *task), void *context);

/* The cluster's configuration; usual values where it is unknown. */
struct slurm_setup {
	size_t array_limit;  /* maximum number of tasks in an array */
	bool counts_memory;  /* nodes' memory is allocated like their processors */
};
struct slurm_setup slurm_setup(void);

/* Submits tasks [0, count) of a batch, which run `script`; stores the array's number in `job`. Returns false with
 * sbatch's text in `message`. */
enum { SLURM_JOB = 32, SLURM_MESSAGE = 512 };
struct slurm_array {
	const char *folder, *script;
	size_t batch, count;
	uint64_t memory; /* bytes that a task requests; 0: the cluster's default */
	int warning; /* signal that a task gets when its time limit is near; 0: none */
	const struct words *options;
};
bool slurm_submit(const struct slurm_array *array, char job[SLURM_JOB], char message[SLURM_MESSAGE]);

/* Stores why a task has ended, from Slurm's accounting, else from its controller: "NODE_FAIL". "" when neither
 * knows. */
void slurm_reason(const char *job, size_t task, char reason[64]);

/* Makes a task start now that Slurm would start later. */
void slurm_begin_task(const char *job, size_t task);

/* In a task: makes Slurm end it and start it again later. Returns false with scontrol's text in `message`. */
bool slurm_requeue_own(char message[SLURM_MESSAGE]);

/* Cancels a task. */
void slurm_cancel_task(const char *job, size_t task);

/* Prints on `file` the number of waiting and running tasks of a sweep. */
void slurm_tell(const char *folder, const char *command, FILE *file);

/* Cancels all tasks of a sweep, and notifies processes that wait for it. Returns false after a message. */
bool slurm_cancel(const char *folder, const char *command);

#endif
