/* supervise: runs a program under --timeout. */
#ifndef SLUICE_CLI_RUN_SUPERVISE_H
#define SLUICE_CLI_RUN_SUPERVISE_H

#include "cli/run/run.h"

/* Runs the program in a child process, which `become` starts, and ends it after run->timeout seconds. Signals are
 * passed on to it. Returns its exit status, or 124. */
int run_supervised(const struct run *run, int (*become)(const struct run *run, const char *file, char *const *program),
                   const char *file, char *const *program);

#endif
