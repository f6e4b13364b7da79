/* trace: --trace and its options: the timeline in Perfetto's format, including everything that the mechanism
 * `trace` records. */
#ifndef SLUICE_CLI_RUN_TRACE_H
#define SLUICE_CLI_RUN_TRACE_H

#include "cli/run/run.h"

/* Parses the comma-separated words of what to show. Ends the program with a usage error for an unknown word. */
void run_trace_what(struct run_trace *trace, const char *what, const struct argp_state *state);
/* Parses "A-B" or "A-". */
void run_trace_cycles(struct run_trace *trace, const char *cycles, const struct argp_state *state);
/* Parses "0-3,7", and converts it to the form of mechanism options: "0-3+7". */
void run_trace_sms(struct run_trace *trace, const char *sms, const struct argp_state *state);

/* Applies the trace options to the run, after all options have been read. */
void run_trace_apply(struct run *run, const struct argp_state *state);

#endif
