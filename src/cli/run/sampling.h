/* sampling: parses the options that simulate only part of a run in cycles. */
#ifndef SLUICE_CLI_RUN_SAMPLING_H
#define SLUICE_CLI_RUN_SAMPLING_H

#include "cli/run/run.h"

/* Parse the values of --sample-launches, --sample-blocks (both may be NULL: no value) and --sample-error. They end the
 * program with a usage error for invalid values. */
void run_sampling_launches(struct run_sampling *sampling, const char *value, const struct argp_state *state);
void run_sampling_blocks(struct run_sampling *sampling, const char *value, const struct argp_state *state);
void run_sampling_error(struct run_sampling *sampling, const char *value, const struct argp_state *state);
/* Ends the program with a usage error for incompatible options. */
void run_sampling_check(const struct run *run, const struct argp_state *state);
/* Sets the environment variables for the runtime. */
void run_sampling_export(const struct run_sampling *sampling);

#endif
