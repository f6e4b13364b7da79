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

/* The launches of a group, by their numbers among the records: each with its weight. */
static void add_group(const struct records *records, const size_t *number, size_t count, struct sampled_sum *sum,
                      double *counters)
{
	struct estimate_member *member = xcalloc(count, sizeof *member);
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

/* One that stands for itself; of blocks, by the work of those that were not simulated. */
static void add_single(const struct record *record, struct sampled_sum *sum, double *counters)
{
	const struct record_sample *sample = &record->sample;
	const struct estimate whole = {.value = (double)record->cycles};
	double work = (double)record->stats.sm.warp_instructions;
	estimate_add(&sum->cycles, sample->is_partial ? &sample->estimate : &whole);
	add_weighted(counters, &record->stats, sample->is_partial && sample->work ? work / (double)sample->work : 1);
}

/* Numbers of records, ordered by group, within one as they came: `from` has where each group begins, and the end. */
static size_t *order_by_group(const struct records *records, size_t *from, uint32_t groups)
{
	size_t *number = xcalloc(records->count + 1, sizeof *number);
	for (size_t i = 0; i < records->count; i++)
		from[records->record[i].sample.group + 1]++;
	for (uint32_t group = 0; group <= groups; group++)
		from[group + 1] += from[group];
	size_t *next = xcalloc(groups + 1, sizeof *next);
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

/* All launches that were sampled as launches, and those that stand for themselves. */
static void add_all(const struct records *records, const char *kernel, struct sampled_sum *sum, double *counters)
{
	uint32_t groups = last_group(records);
	size_t *from = xcalloc(groups + 2, sizeof *from), *number = order_by_group(records, from, groups);
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
	sum->stats.sm.warp_instructions = warps; /* these are known */
	sum->stats.sm.thread_instructions = threads;
}
