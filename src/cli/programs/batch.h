/* batch: many runs of programs, and the table of what came out. */
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
	size_t count, parallel;   /* so many at a time */
	const char *stats_folder; /* gets PROGRAM-VARIANT.json of each run, or NULL */
};

/* Runs all in the environment as it is and prints a row for each, in order, and their number. Returns the exit status:
 * CLI_FAILED when a run failed. */
int batch_run(const struct batch *batch);

#endif
