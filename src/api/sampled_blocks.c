/* A launch whose first blocks are simulated in cycles and whose other blocks run functionally. */
#include "api/launch.h"

#include "base/arena.h"
#include "gpu/profile.h"
#include "gpu/sampler.h"
#include "simt/trial.h"

#include <stdlib.h>

/* A rate needs at least this many intervals, which takes one more mark. */
enum { LEAST_BATCHES = 3 };

static struct estimate_batch *batches_of(const struct sampler *sampler, size_t *count)
{
	*count = sampler->marks ? sampler->marks - 1 : 0;
	struct estimate_batch *batch = base_calloc(*count + 1, sizeof *batch);
	for (size_t i = 0; i < *count; i++)
		batch[i] = (struct estimate_batch){
			.work = (double)(sampler->mark[i + 1].work - sampler->mark[i].work),
			.cycles = (double)(sampler->mark[i + 1].cycle - sampler->mark[i].cycle)};
	return batch;
}

/* Assumes that the remaining blocks do the same work as those before. Their real work is known after they have run. */
static bool is_enough(const struct sampler *sampler)
{
	const struct sampling_wish *wish = sampler->user;
	const struct sampler_mark *last = &sampler->mark[sampler->marks - 1];
	uint64_t placed = sampler->next - sampler->wave;
	if (sampler->marks <= LEAST_BATCHES || (double)placed < wish->fraction * (double)sampler->blocks)
		return false;
	size_t count;
	struct estimate_batch *batch = batches_of(sampler, &count);
	double waves = (double)(sampler->blocks - placed) / (double)sampler->wave;
	double each = (double)(last->work - sampler->mark[0].work) / (double)count;
	const struct estimate rest = estimate_rest(batch, count, waves * each);
	free(batch);
	return estimate_error(&rest) <= wish->error * ((double)last->cycle + rest.value);
}

/* Distance of the two instruction mixes, simulated part and rest: 0 (identical) to 2. */
static double distance(const struct profile *profile, const uint64_t *steps, double done, double rest)
{
	double sum = 0;
	for (uint32_t pc = 0; pc < profile->count; pc++) {
		double off = (double)profile->inst[pc].issues / done - (double)steps[pc] / rest;
		sum += off < 0 ? -off : off;
	}
	return sum;
}

/* Runs the blocks that were not simulated functionally, and counts their instructions. */
static enum sluice_status run_rest(sluice_gpu *gpu, struct gpu_run *run, size_t number, uint64_t *steps,
                                   struct sluice_error *error)
{
	struct simt_launch *launch = &run->launch;
	struct record *record = &gpu->records.record[number];
	const struct sm_stats done = record->stats.sm;
	struct simt_run rest;
	struct simt_trial trial;
	simt_trial_open(&trial, launch->program, NULL);
	launch->trial = &trial;
	launch->first = run->sampler->placed;
	gpu->instructions += done.thread_instructions;
	launch_run_functional(gpu, launch, run->blocks_per_sm, &rest);
	gpu->instructions -= done.thread_instructions;
	simt_trial_counts(&trial, steps);
	simt_trial_close(&trial);
	launch->trial = NULL;
	rest.warp_instructions += done.warp_instructions;
	rest.thread_instructions += done.thread_instructions;
	double before = gpu->estimated_seconds;
	enum sluice_status status = launch_keep_functional(gpu, launch, &rest, number, error);
	gpu->estimated_seconds = before;
	return status;
}

static enum sluice_status complete(sluice_gpu *gpu, struct gpu_run *run, size_t number, struct sluice_error *error)
{
	struct record *record = &gpu->records.record[number];
	struct record_sample *sample = &record->sample;
	size_t count;
	*sample = (struct record_sample){.is_partial = true,
	                                 .blocks = run->sampler->placed,
	                                 .work = record->stats.sm.warp_instructions,
	                                 .cycles = record->cycles};
	uint64_t *steps = base_calloc(run->launch.program->count, sizeof *steps);
	enum sluice_status status = run_rest(gpu, run, number, steps, error);
	double rest = (double)(record->stats.sm.warp_instructions - sample->work);
	struct estimate_batch *batch = batches_of(run->sampler, &count);
	sample->estimate = estimate_rest(batch, count, rest);
	gpu->estimated_seconds += sample->estimate.value / (gpu->machine.core_mhz * 1e6);
	sample->estimate.value += (double)sample->cycles;
	sample->distance = distance(run->profile, steps, (double)sample->work, rest);
	record->cycles = 0;
	gpu->sampling.skipped = true;
	free(batch);
	free(steps);
	return status;
}

static enum sluice_status simulate_first(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                         struct sluice_error *error)
{
	struct sampler sampler = {.is_enough = is_enough, .user = &gpu->sampling.wish};
	struct profile profile;
	profile_open(&profile, run->launch.program->count);
	run->sampler = &sampler;
	run->profile = &profile;
	enum sluice_status status = launch_timed(gpu, kernel, run, number, error);
	if (status == SLUICE_OK && sampler.placed < sampler.blocks)
		status = complete(gpu, run, number, error);
	run->sampler = NULL;
	run->profile = NULL;
	sampler_close(&sampler);
	profile_close(&profile);
	return status;
}

enum sluice_status launch_sampled_blocks(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                         struct sluice_error *error)
{
	if (run->launch.cooperative) {
		sampling_tell(&gpu->sampling, kernel->function->name,
		              "its blocks may wait for each other (a cooperative launch)");
		return launch_timed(gpu, kernel, run, number, error);
	}
	return simulate_first(gpu, kernel, run, number, error);
}
