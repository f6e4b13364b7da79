/* arguments: a launch of a plan as the driver takes it, checked against the kernel's parameters. */
#ifndef SLUICE_CLI_LAUNCH_PLAN_ARGUMENTS_H
#define SLUICE_CLI_LAUNCH_PLAN_ARGUMENTS_H

#include "cli/launch_plan/plan.h"
#include "ptx/module.h"

struct launch_arguments {
	const struct ptx_function *kernel;
	uint32_t grid[3], block[3], cluster[3];
	void **parameters; /* the address of each parameter's value */
	uint64_t *values;
};

/* Finds the kernel and converts the arguments. addresses[i] is the device address of the plan's tensor i. Returns false
 * after a message. Call launch_arguments_free() after true. */
bool launch_arguments_make(struct launch_plan *plan, const struct plan_launch *planned, const struct ptx_module *ptx,
                           const uint64_t *addresses, struct launch_arguments *launch);
void launch_arguments_free(struct launch_arguments *launch);

#endif
