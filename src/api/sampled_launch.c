/* A launch of a run that simulates only some of its launches. */
#include "api/launch.h"

#include "base/arena.h"
#include "simt/trial.h"

#include <stdlib.h>

/* Returns the launch's time for sluice_time(), at the rate of the last simulated launch of its group. */
static double group_seconds(const sluice_gpu *gpu, const struct sampling_group *group, uint64_t warp_instructions)
{
	return (double)warp_instructions * group->cycles_each / (gpu->machine.core_mhz * 1e6);
}

static enum sluice_status simulate(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run,
                                   struct sampling_group *group, size_t number, struct sluice_error *error)
{
	enum sluice_status status = launch_timed(gpu, kernel, run, number, error);
	const struct record *record = &gpu->records.record[number];
	if (status == SLUICE_OK)
		group->cycles_each = (double)record->cycles / (double)record->stats.sm.warp_instructions;
	return status;
}

/* Finds the launch's group. Returns true when the launch is to be simulated. */
static bool judge(sluice_gpu *gpu, const struct simt_launch *launch, const struct simt_trial *trial,
                  struct sampling_group **group, struct record_sample *sample)
{
	bool first;
	uint64_t *steps = base_calloc(launch->program->count, sizeof *steps);
	simt_trial_counts(trial, steps);
	*group = sampling_find(&gpu->sampling, launch, steps, &first);
	free(steps);
	if (first)
		return true;
	bool chosen = sampling_chooses(&gpu->sampling.wish, *group);
	if (!chosen && sampling_warms(&gpu->sampling))
		return true;
	*sample = (struct record_sample){.is_partial = !chosen, .group = (*group)->number};
	return chosen;
}

/* A launch that ends early in the functional trial is simulated, to find out where it ended. */
enum sluice_status launch_sampled(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                  struct sluice_error *error)
{
	struct simt_launch *launch = &run->launch;
	struct sampling_group *group = NULL;
	struct record_sample sample = {0};
	struct simt_trial trial;
	struct simt_run tried;
	if (!simt_can_be_tried(launch->program)) {
		sampling_tell(&gpu->sampling, kernel->function->name,
		              "its effects cannot be undone after a trial run (printf, malloc or launches by kernels, "
		              "surfaces, copies by an engine)");
		return launch_timed(gpu, kernel, run, number, error);
	}
	simt_trial_open(&trial, launch->program, gpu->gpu->memory);
	launch->trial = &trial;
	launch_run_functional(gpu, launch, run->blocks_per_sm, &tried);
	launch->trial = NULL;
	bool is_whole = !tried.fault.what && !tried.stopped;
	bool chosen = !is_whole || judge(gpu, launch, &trial, &group, &sample);
	if (chosen)
		simt_trial_undo(&trial);
	simt_trial_close(&trial);
	gpu->records.record[number].sample = sample;
	if (!is_whole)
		return launch_timed(gpu, kernel, run, number, error);
	if (chosen)
		return simulate(gpu, kernel, run, group, number, error);
	gpu->sampling.skipped = true;
	double before = gpu->estimated_seconds;
	enum sluice_status status = launch_keep_functional(gpu, launch, &tried, number, error);
	gpu->estimated_seconds = before + group_seconds(gpu, group, tried.warp_instructions);
	return status;
}
