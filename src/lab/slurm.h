/* slurm: what is asked of a cluster's Slurm, by its own commands: no daemon, no library. */
#ifndef SLUICE_LAB_SLURM_H
#define SLUICE_LAB_SLURM_H

#include "base/document.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How runs go to a cluster. */
struct slurm_way {
	struct words options; /* of sbatch: "--partition=short" */
	size_t tries;         /* so often a run is begun that ends for reasons that are not its own */
	size_t per_task;      /* runs in a task of a job array; 0: by how long they take */
	bool detached;        /* submits and does not wait */
};

/* A task of one of a sweep's job arrays that waits or runs. */
struct slurm_task {
	size_t batch, task;
	const char *job;   /* the array's number */
	const char *state; /* "PENDING", "RUNNING", ... */
	const char *reason;
};

/* Calls back for each that is not over. False when Slurm does not answer. */
bool slurm_each(const char *folder, void (*task)(void *context, const struct slurm_task *task), void *context);

/* How the cluster is set up; as most are, where it does not say. */
struct slurm_setup {
	size_t array_limit;  /* how many tasks an array may have */
	bool counts_memory;  /* nodes' memory is given out as their processors are */
};
struct slurm_setup slurm_setup(void);

/* Submits tasks [0, count) of a batch, which runs `script`; the array's number in `job`. False with what sbatch says in `message`. */
enum { SLURM_JOB = 32, SLURM_MESSAGE = 512 };
struct slurm_array {
	const char *folder, *script;
	size_t batch, count;
	uint64_t memory; /* bytes that a task asks for; 0: what the cluster gives */
	const struct words *options;
};
bool slurm_submit(const struct slurm_array *array, char job[SLURM_JOB], char message[SLURM_MESSAGE]);

/* Why a task is over, as Slurm's accounting says, else its controller: "NODE_FAIL". "" when neither knows. */
void slurm_reason(const char *job, size_t task, char reason[64]);

/* Lets one begin that Slurm would begin later. */
void slurm_begin_task(const char *job, size_t task);

/* Cancels a task. */
void slurm_cancel_task(const char *job, size_t task);

/* How many of a sweep's tasks wait and run, on `file`. */
void slurm_tell(const char *folder, const char *command, FILE *file);

/* Cancels all tasks of a sweep, and tells who waits for it. False after a message. */
bool slurm_cancel(const char *folder, const char *command);

#endif
