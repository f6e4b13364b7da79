/* run_trace: --trace and its options: the timeline in Perfetto's format, with all that the mechanism `trace` draws. */
#ifndef SLUICE_CLI_RUN_TRACE_H
#define SLUICE_CLI_RUN_TRACE_H

#include "cli/run/run.h"

/* What is shown, as words with commas; ends the program with a usage error when it is none of them. */
void run_trace_what(struct run_trace *trace, const char *what, const struct argp_state *state);
/* "A-B", "A-" */
void run_trace_cycles(struct run_trace *trace, const char *cycles, const struct argp_state *state);
/* "0-3,7": as mechanisms' options have it, "0-3+7". */
void run_trace_sms(struct run_trace *trace, const char *sms, const struct argp_state *state);

/* Once all options are read: what they mean for the run. */
void run_trace_apply(struct run *run, const struct argp_state *state);

#endif
