/* trace_in: runs kernels from an instruction trace instead of a program. */
#ifndef SLUICE_CLI_TRACE_IN_H
#define SLUICE_CLI_TRACE_IN_H

#include "cli/run/run.h"

/* Runs the kernels of a trace folder with the options of the run, and ends the process. Returns an exit status when
 * that cannot start. Frees the options. */
int run_trace_in(struct run *run, char *const *arguments, const char *folder);

#endif
