#include "output/samples.h"

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/csv.h"
#include "gpu/stats.h"
#include "output/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns before the counters: the launch, the core cycle at the end of the interval, its cycles, and the most used
 * statistics. */
static const char first_columns[] = "kernel,name,cycle,cycles,ipc,live_warps,dram_bytes";

static size_t machine_counters(void)
{
	size_t count = 0;
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		count += *gpu_counter_groups[g].count;
	return count;
}

static void count_counter(void *user, const struct record_counter *counter)
{
	(void)counter;
	++*(size_t *)user;
}

static size_t count_counters(const struct records *records)
{
	size_t count = machine_counters();
	for (uint32_t i = 0; i < records->attachments; i++)
		record_describe_counters(records->attached[i].mech, NULL, count_counter, &count);
	return count;
}

static void print_mech_column(void *user, const struct record_counter *counter)
{
	fprintf(user, ",%s.%s", counter->mech->name, counter->name);
}

static void print_columns(const struct records *records, FILE *file)
{
	fputs(first_columns, file);
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++)
			fprintf(file, ",%s.%s", gpu_counter_groups[g].name, gpu_counter_groups[g].rows[i].name);
	for (uint32_t i = 0; i < records->attachments; i++)
		record_describe_counters(records->attached[i].mech, NULL, print_mech_column, file);
	if (records->units_of)
		units_sample_columns(records->units_of, file);
	fputc('\n', file);
}

/* Allocates the buffers for one sample. */
static void make_room(struct samples *samples)
{
	const struct records *records = samples->records;
	samples->counters = count_counters(records);
	samples->before = base_calloc(samples->counters, sizeof *samples->before);
	samples->now = base_calloc(samples->counters, sizeof *samples->now);
	samples->largest = base_calloc(samples->counters, sizeof *samples->largest);
	if (records->units_of)
		samples->units_before = base_calloc(records->machine->sms, sizeof *samples->units_before);
	samples->mech = base_calloc(records->attachments + 1, sizeof *samples->mech);
	for (uint32_t i = 0; i < records->attachments; i++)
		samples->mech[i].stats = base_calloc(1, records->attached[i].mech->stats_size + 1);
}

bool samples_open(struct samples *samples, const struct records *records, const char *path, uint64_t every)
{
	struct piece piece;
	*samples = (struct samples){.records = records};
	make_room(samples);
	piece_open(&piece);
	print_columns(records, piece.file);
	if (!append_file_open(&samples->file, path, &piece, ""))
		return false;
	samples->every = every;
	return true;
}

void samples_begin(struct samples *samples)
{
	samples->cycle = 0;
	samples->last = (struct gpu_stats){0};
	if (samples->every)
		memset(samples->before, 0, samples->counters * sizeof *samples->before);
	if (samples->units_before)
		memset(samples->units_before, 0, samples->records->machine->sms * sizeof *samples->units_before);
}

static void keep_mech_counter(void *user, const struct record_counter *counter)
{
	struct samples *samples = user;
	samples->largest[samples->filled] = counter->combination == BASE_COMBINE_LARGEST;
	samples->now[samples->filled++] = counter->value;
}

/* Reads all counters, in column order. */
static void read_counters(struct samples *samples, struct gpu *gpu, struct gpu_stats *stats)
{
	const struct records *records = samples->records;
	samples->filled = 0;
	stats_collect(gpu, stats);
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++)
			samples->now[samples->filled++] =
				base_counter_value(&gpu_counter_groups[g], &gpu_counter_groups[g].rows[i], stats);
	for (uint32_t i = 0; i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		memset(samples->mech[i].stats, 0, mech->stats_size + 1);
		seam_stats(gpu->seam, i, samples->mech[i].stats, &samples->mech[i].requests, NULL);
		record_describe_counters(mech, &samples->mech[i], keep_mech_counter, samples);
	}
}

static void print_first_columns(const struct samples *samples, const struct record *record, uint64_t cycle,
                                const struct gpu_stats *stats, FILE *file)
{
	const struct gpu_stats *last = &samples->last;
	uint64_t cycles = cycle - samples->cycle;
	uint64_t atoms = stats->dram.reads - last->dram.reads + stats->dram.writes - last->dram.writes;
	double divisor = cycles ? (double)cycles : 1;
	fprintf(file, "%" PRIu64 ",", record->launch);
	csv_text(record->shown, file);
	fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%.4f,%.4f,%" PRIu64, cycle, cycles,
	        (double)(stats->sm.thread_instructions - last->sm.thread_instructions) / divisor,
	        (double)(stats->sm.resident_warp_cycles - last->sm.resident_warp_cycles) / divisor,
	        atoms * samples->records->machine->dram.atom_bytes);
}

/* Prints the increments. A counter that a mechanism resets has a negative one. */
static void print_counters(const struct samples *samples, FILE *file)
{
	for (size_t i = 0; i < samples->counters; i++)
		fprintf(file, ",%" PRId64, (int64_t)(samples->now[i] - (samples->largest[i] ? 0 : samples->before[i])));
	if (samples->units_before)
		units_sample(samples->records->units_of, samples->units_before, file);
	fputc('\n', file);
}

static void add_row(struct samples *samples, const struct record *record, uint64_t cycle, const struct gpu_stats *stats)
{
	IN_C_LOCALE;
	struct piece piece;
	if (!append_file_is_ours(&samples->file))
		return;
	piece_open(&piece);
	print_first_columns(samples, record, cycle, stats, piece.file);
	print_counters(samples, piece.file);
	append_file_add(&samples->file, &piece);
}

void samples_take(struct samples *samples, struct gpu *gpu, const struct record *record, uint64_t cycle)
{
	struct gpu_stats stats;
	read_counters(samples, gpu, &stats);
	if (cycle == samples->cycle &&
	    memcmp(samples->before, samples->now, samples->counters * sizeof *samples->now) == 0)
		return;
	add_row(samples, record, cycle, &stats);
	memcpy(samples->before, samples->now, samples->counters * sizeof *samples->now);
	samples->last = stats;
	samples->cycle = cycle;
}

void samples_close(struct samples *samples)
{
	for (uint32_t i = 0; samples->mech && i < samples->records->attachments; i++)
		free(samples->mech[i].stats);
	free(samples->mech);
	free(samples->units_before);
	free(samples->largest);
	free(samples->now);
	free(samples->before);
	append_file_close(&samples->file);
}
