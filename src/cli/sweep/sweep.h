/* sweep: declarations shared by the files of 'sluice sweep'. */
#ifndef SLUICE_CLI_SWEEP_H
#define SLUICE_CLI_SWEEP_H

#include "cli/figure/study.h"

/* A sweep given by options instead of a plan: axes and a command. */
struct quick {
	struct study *study;
	char *axes; /* YAML, from malloc; NULL: none */
	size_t length;
	FILE *file;
	const char *metric;
	char **command; /* NULL-terminated, or NULL */
};

/* Adds an axis of comma-separated values. Ends the program with a usage error for an invalid axis. */
void quick_axis(struct quick *quick, const char *option, const char *name, const char *values,
                const struct argp_state *state);
/* Parses "KEY=A,B". */
void quick_assignment(struct quick *quick, const char *option, const char *text, const struct argp_state *state);
/* Parses "none,caps:degree=2,distance=4,caps+mthwp"; a comma before KEY= continues a mechanism's options. */
void quick_mechanisms(struct quick *quick, const char *text, const struct argp_state *state);
/* Returns the whole plan, from malloc. */
char *quick_plan(struct quick *quick);

/* Actions on the sweep of that name, plan or folder; each returns the exit status. */
int sweep_status(struct study *study, const char *sweep);
int sweep_cancel(struct study *study, const char *sweep);
int sweep_failed(struct study *study, const char *sweep);
/* Runs on a node of a cluster: executes one task of a batch. */
int sweep_task(struct study *study, const char *folder, const char *batch);

#endif
