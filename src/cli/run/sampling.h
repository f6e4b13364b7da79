/* sampling: the options of a run of which a part is simulated in cycles. */
#ifndef SLUICE_CLI_RUN_SAMPLING_H
#define SLUICE_CLI_RUN_SAMPLING_H

#include "cli/run/run.h"

/* Values of --sample-launches, --sample-blocks (NULL: without one) and --sample-error; they do not return when one is none. */
void run_sampling_launches(struct run_sampling *sampling, const char *value, const struct argp_state *state);
void run_sampling_blocks(struct run_sampling *sampling, const char *value, const struct argp_state *state);
void run_sampling_error(struct run_sampling *sampling, const char *value, const struct argp_state *state);
/* Does not return where options do not go together. */
void run_sampling_check(const struct run *run, const struct argp_state *state);
/* For the runtime. */
void run_sampling_export(const struct run_sampling *sampling);

#endif
