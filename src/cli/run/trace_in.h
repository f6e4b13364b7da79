/* trace_in: traces of instructions in place of a program. */
#ifndef SLUICE_CLI_TRACE_IN_H
#define SLUICE_CLI_TRACE_IN_H

#include "cli/run/run.h"

/* Runs the kernels of a folder of traces, with the options of a run, and ends the process; `kernel`: some of them, or NULL. Returns an
 * exit status when that cannot begin. Frees the options. */
int run_trace_in(struct run *run, char *const *arguments, const char *folder, const char *kernel);

#endif
