/* Runs one task of a batch on a node of a cluster. */
#include "cli/sweep/sweep.h"

#include "lab/batch.h"
#include "revision.h"

#include <stdlib.h>

int sweep_task(struct study *study, const char *folder, const char *batch)
{
	const char *task = getenv("SLURM_ARRAY_TASK_ID");
	if (!task) {
		cli_error(study->programs.name, "task: is for Slurm's job arrays, which set SLURM_ARRAY_TASK_ID");
		return CLI_USAGE;
	}
	char *end;
	size_t number = strtoull(task, &end, 10);
	if (*end) {
		cli_error(study->programs.name, "task: SLURM_ARRAY_TASK_ID: expected a number, not '%s'", task);
		return CLI_USAGE;
	}
	/* a warning that comes before the runs must not end the task */
	sigset_t warning;
	sigemptyset(&warning);
	sigaddset(&warning, BATCH_WARNING);
	sigprocmask(SIG_BLOCK, &warning, NULL);
	return batch_run_task(folder, batch, number, SLUICE_REVISION, study->programs.name) ? 0 : CLI_FAILED;
}
