/* batch: runs many programs and prints a table of the results. */
#ifndef SLUICE_CLI_BATCH_H
#define SLUICE_CLI_BATCH_H

#include "cli/programs/program_file.h"

struct batch_job {
	const struct program *program;
	const char *variant;
	char **words; /* the command line, NULL-terminated; words[0] is the program's path */
};

struct batch {
	const char *command; /* for messages */
	const struct batch_job *jobs;
	size_t count, parallel;   /* number of jobs; how many run at the same time */
	const char *stats_folder; /* folder for PROGRAM-VARIANT.json of each run, or NULL */
};

/* Runs all jobs in the current environment. Prints a row for each, in order, and their count. Returns the exit status:
 * CLI_FAILED when a run failed. */
int batch_run(const struct batch *batch);

#endif
