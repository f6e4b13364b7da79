/* Totals of a run that was partly simulated. */
#include "output/record.h"

#include "base/arena.h"
#include "gpu/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS = sizeof(struct gpu_stats) / sizeof(uint64_t) };

/* All counters have one type and are contiguous (gpu/stats.c). */
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

/* Adds the launches of a group, each with its weight. `number` has their indexes among the records. */
static void add_group(const struct records *records, const size_t *number, size_t count, struct sampled_sum *sum,
                      double *counters)
{
	struct estimate_member *member = base_calloc(count, sizeof *member);
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records->record[number[i]];
		member[i] = (struct estimate_member){.work = (double)record->stats.sm.warp_instructions,
		                                     .value = (double)record->cycles,
		                                     .simulated = !record->sample.is_partial};
	}
	const struct estimate cycles = estimate_members(member, count);
	estimate_add(&sum->cycles, &cycles);
	for (size_t i = 0; i < count; i++)
		add_weighted(counters, &records->record[number[i]].stats, member[i].weight);
	sum->groups++;
	free(member);
}

/* Adds a launch that represents only itself. If its blocks were sampled, counters are scaled by all blocks' work over
 * the simulated blocks' work. */
static void add_single(const struct record *record, struct sampled_sum *sum, double *counters)
{
	const struct record_sample *sample = &record->sample;
	const struct estimate whole = {.value = (double)record->cycles};
	double work = (double)record->stats.sm.warp_instructions;
	estimate_add(&sum->cycles, sample->is_partial ? &sample->estimate : &whole);
	add_weighted(counters, &record->stats, sample->is_partial && sample->work ? work / (double)sample->work : 1);
}

/* Returns the records' indexes, ordered by group and within a group by launch. `from` gets the start of each group, and
 * the end. */
static size_t *order_by_group(const struct records *records, size_t *from, uint32_t groups)
{
	size_t *number = base_calloc(records->count + 1, sizeof *number);
	for (size_t i = 0; i < records->count; i++)
		from[records->record[i].sample.group + 1]++;
	for (uint32_t group = 0; group <= groups; group++)
		from[group + 1] += from[group];
	size_t *next = base_calloc(groups + 1, sizeof *next);
	memcpy(next, from, (groups + 1) * sizeof *next);
	for (size_t i = 0; i < records->count; i++)
		number[next[records->record[i].sample.group]++] = i;
	free(next);
	return number;
}

static uint32_t last_group(const struct records *records)
{
	uint32_t last = 0;
	for (size_t i = 0; i < records->count; i++)
		if (records->record[i].sample.group > last)
			last = records->record[i].sample.group;
	return last;
}

/* Adds all launches: sampled groups, and launches that represent only themselves. */
static void add_all(const struct records *records, const char *kernel, struct sampled_sum *sum, double *counters)
{
	uint32_t groups = last_group(records);
	size_t *from = base_calloc(groups + 2, sizeof *from), *number = order_by_group(records, from, groups);
	for (size_t i = 0; i < from[1]; i++)
		if (is_asked(&records->record[number[i]], kernel))
			add_single(&records->record[number[i]], sum, counters);
	for (uint32_t group = 1; group <= groups; group++)
		if (from[group + 1] > from[group] && is_asked(&records->record[number[from[group]]], kernel))
			add_group(records, number + from[group], from[group + 1] - from[group], sum, counters);
	free(number);
	free(from);
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
	}
	add_all(records, kernel, sum, counters);
	for (size_t i = 0; i < COUNTERS; i++)
		value[i] = (uint64_t)llround(counters[i]);
	memcpy(&sum->stats, value, sizeof sum->stats);
	sum->stats.sm.warp_instructions = warps; /* these are exact */
	sum->stats.sm.thread_instructions = threads;
}
