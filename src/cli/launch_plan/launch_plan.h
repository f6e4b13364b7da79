/* launch_plan: runs kernels of a PTX file as a plan says, without a program (docs/how-to/triton.md). */
#ifndef SLUICE_CLI_LAUNCH_PLAN_H
#define SLUICE_CLI_LAUNCH_PLAN_H

#include "cli/run/run.h"

/* Runs the launches of the plan with the options of the run, and ends the process. Returns an exit status when that
 * cannot start. Frees the options. */
int run_launch_plan(struct run *run, char *const *arguments, const char *ptx, const char *plan);

#endif
