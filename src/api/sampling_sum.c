/* What the records of a run of which a part was simulated come to as a whole. */
#include "api/record.h"

#include "base/arena.h"
#include "gpu/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS = sizeof(struct gpu_stats) / sizeof(uint64_t) };

/* All counters are numbers of one kind, one behind the other (gpu/stats.c). */
static void add_weighted(double *sum, const struct gpu_stats *stats, double weight)
{
	uint64_t value[COUNTERS];
	memcpy(value, stats, sizeof value);
	for (size_t i = 0; i < COUNTERS; i++)
		sum[i] += weight * (double)value[i];
}

static bool is_asked(const struct record *record, const char *kernel)
{
	return !kernel || strcmp(record->kernel, kernel) == 0;
}

/* The launches of a group, each with its weight. */
static void add_group(const struct records *records, uint32_t group, struct sampled_sum *sum, double *counters)
{
	struct estimate_member *member = xcalloc(records->count, sizeof *member);
	size_t count = 0;
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		if (record->sample.group == group)
			member[count++] = (struct estimate_member){.work = (double)record->stats.sm.warp_instructions,
			                                           .value = (double)record->cycles,
			                                           .simulated = !record->sample.is_partial};
	}
	const struct estimate cycles = estimate_members(member, count);
	estimate_add(&sum->cycles, &cycles);
	count = 0;
	for (size_t i = 0; i < records->count; i++)
		if (records->record[i].sample.group == group)
			add_weighted(counters, &records->record[i].stats, member[count++].weight);
	free(member);
}

/* One that stands for itself; of blocks, by the work of those that were not simulated. */
static void add_single(const struct record *record, struct sampled_sum *sum, double *counters)
{
	const struct record_sample *sample = &record->sample;
	const struct estimate whole = {.value = (double)record->cycles};
	double work = (double)record->stats.sm.warp_instructions;
	estimate_add(&sum->cycles, sample->is_partial ? &sample->estimate : &whole);
	add_weighted(counters, &record->stats, sample->is_partial && sample->work ? work / (double)sample->work : 1);
}

static bool is_first_of_group(const struct records *records, size_t number)
{
	uint32_t group = records->record[number].sample.group;
	for (size_t i = 0; i < number; i++)
		if (records->record[i].sample.group == group)
			return false;
	return true;
}

void sampling_sum(const struct records *records, const char *kernel, struct sampled_sum *sum)
{
	double counters[COUNTERS] = {0};
	uint64_t value[COUNTERS], warps = 0, threads = 0;
	*sum = (struct sampled_sum){0};
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		if (!is_asked(record, kernel))
			continue;
		sum->launches++;
		sum->simulated += !record->sample.is_partial;
		warps += record->stats.sm.warp_instructions;
		threads += record->stats.sm.thread_instructions;
		if (!record->sample.group) {
			add_single(record, sum, counters);
		} else if (is_first_of_group(records, i)) {
			add_group(records, record->sample.group, sum, counters);
			sum->groups++;
		}
	}
	for (size_t i = 0; i < COUNTERS; i++)
		value[i] = (uint64_t)llround(counters[i]);
	memcpy(&sum->stats, value, sizeof sum->stats);
	sum->stats.sm.warp_instructions = warps; /* these are known */
	sum->stats.sm.thread_instructions = threads;
}
