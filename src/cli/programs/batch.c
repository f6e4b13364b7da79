#include "cli/programs/batch.h"

#include "cli/commands.h"
#include "lab/jobs.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_LINES = 20 };

/* The counts of a row. */
struct counts {
	size_t kernels, launches; /* different kernels */
	long long blocks, warp_instructions, thread_instructions, cycles;
	double seconds;
	bool timed;
	enum job_stats are;
};

struct table {
	const struct batch *batch;
	struct job *jobs;
	int program_width, variant_width;
	size_t printed, failed, cut;
};

static long long whole(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static bool is_first(const json_t *kernels, size_t number)
{
	const char *name = json_string_value(json_object_get(json_array_get(kernels, number), "name"));
	for (size_t i = 0; i < number; i++) {
		const char *other = json_string_value(json_object_get(json_array_get(kernels, i), "name"));
		if (name && other && strcmp(name, other) == 0)
			return false;
	}
	return true;
}

/* Returns false when the text is not the statistics of a complete run. */
static bool read_counts(const struct job_text *stats, struct counts *counts)
{
	json_t *root = json_loadb(stats->bytes ? stats->bytes : "", stats->length, 0, NULL);
	const json_t *kernels = json_object_get(root, "kernels"), *totals = json_object_get(root, "totals");
	enum job_stats are = job_stats_are(root);
	if (are == JOB_STATS_NONE) {
		json_decref(root);
		return false;
	}
	*counts = (struct counts){
		.are = are,
		.launches = json_array_size(kernels),
		.warp_instructions = whole(totals, "warp_instructions"),
		.thread_instructions = whole(totals, "thread_instructions"),
		.cycles = whole(totals, "cycles"),
		.timed = json_is_integer(json_object_get(totals, "cycles")),
		.seconds = json_number_value(json_object_get(totals, "host_seconds")),
	};
	for (size_t i = 0; i < counts->launches; i++) {
		const json_t *grid = json_object_get(json_array_get(kernels, i), "grid");
		long long blocks = 1;
		for (size_t d = 0; d < 3; d++)
			blocks *= (long long)json_integer_value(json_array_get(grid, d));
		counts->blocks += blocks;
		counts->kernels += is_first(kernels, i);
	}
	json_decref(root);
	return true;
}

/* Prints the last lines of the program's output, indented. */
static void print_output(const struct job *job)
{
	const char *from = job_last_lines(job, SHOWN_LINES);
	while (*from) {
		size_t length = strcspn(from, "\n");
		printf("    %.*s\n", (int)length, from);
		from += length + (from[length] != '\0');
	}
}

static void print_row(const struct table *table, const struct batch_job *job, const struct counts *counts,
                      const char *verdict)
{
	printf("%-*s %-*s", table->program_width, job->program->name, table->variant_width, job->variant);
	if (!counts)
		printf(" %7s %8s %9s %13s %11s %8s %8s", "-", "-", "-", "-", "-", "-", "-");
	else
		printf(" %7zu %8zu %9lld %13lld", counts->kernels, counts->launches, counts->blocks,
		       counts->warp_instructions);
	if (counts && counts->timed)
		printf(" %11lld %8.2f", counts->cycles,
		       counts->cycles ? (double)counts->thread_instructions / (double)counts->cycles : 0);
	else if (counts)
		printf(" %11s %8s", "-", "-");
	if (counts)
		printf(" %8.2f", counts->seconds);
	printf("  %s\n", verdict);
}

static bool keep_stats(const struct batch *batch, const struct batch_job *row, const struct job_text *stats)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s-%s.json", batch->stats_folder, row->program->name, row->variant);
	FILE *file = fopen(path, "w");
	bool fine = file && fwrite(stats->bytes, 1, stats->length, file) == stats->length;
	fine = (!file || fclose(file) == 0) && fine;
	if (!fine)
		cli_error(batch->command, "cannot write %s: %s", path, strerror(errno));
	return fine;
}

static void print_job(struct table *table, const struct batch_job *row, struct job *job)
{
	struct counts counts;
	char reason[96];
	bool has_counts = read_counts(&job->stats, &counts);
	const char *verdict = job_verdict(job, has_counts ? counts.are : JOB_STATS_NONE, reason);
	bool passed = verdict_counts(verdict), cut = passed && counts.are == JOB_STATS_CUT;
	print_row(table, row, has_counts ? &counts : NULL, verdict);
	if (!passed)
		print_output(job);
	fflush(stdout);
	if (has_counts && table->batch->stats_folder)
		passed = keep_stats(table->batch, row, &job->stats) && passed;
	table->failed += !passed;
	table->cut += cut;
	job_free(job);
}

/* Prints rows in the order of the jobs, regardless of which ends first. */
static bool print_ended(void *context, size_t number)
{
	struct table *table = context;
	(void)number;
	while (table->printed < table->batch->count && table->jobs[table->printed].ended) {
		print_job(table, &table->batch->jobs[table->printed], &table->jobs[table->printed]);
		table->printed++;
	}
	return true;
}

static int widest(int width, const char *word)
{
	return (int)strlen(word) > width ? (int)strlen(word) : width;
}

static void print_heading(struct table *table)
{
	table->program_width = (int)strlen("program");
	table->variant_width = (int)strlen("variant");
	for (size_t i = 0; i < table->batch->count; i++) {
		table->program_width = widest(table->program_width, table->batch->jobs[i].program->name);
		table->variant_width = widest(table->variant_width, table->batch->jobs[i].variant);
	}
	printf("%-*s %-*s %7s %8s %9s %13s %11s %8s %8s  %s\n", table->program_width, "program", table->variant_width,
	       "variant", "kernels", "launches", "blocks", "warp instr.", "cycles", "IPC", "seconds", "verdict");
	fflush(stdout);
}

static size_t count_programs(const struct batch *batch)
{
	size_t programs = 0;
	for (size_t i = 0; i < batch->count; i++)
		programs += i == 0 || batch->jobs[i].program != batch->jobs[i - 1].program;
	return programs;
}

int batch_run(const struct batch *batch)
{
	struct table table = {.batch = batch, .jobs = base_calloc(batch->count + 1, sizeof *table.jobs)};
	struct jobs_watch watch = {.context = &table, .ended = print_ended};
	double started = jobs_now();
	for (size_t i = 0; i < batch->count; i++)
		table.jobs[i].words = batch->jobs[i].words;
	print_heading(&table);
	jobs_run(table.jobs, batch->count, batch->parallel, &watch);
	size_t programs = count_programs(batch);
	printf("%zu program%s, %zu run%s: %zu passed, ", programs, programs == 1 ? "" : "s", batch->count,
	       batch->count == 1 ? "" : "s", batch->count - table.failed - table.cut);
	if (table.cut)
		printf("%zu cut, ", table.cut);
	printf("%zu failed; %.1f s\n", table.failed, jobs_now() - started);
	free(table.jobs);
	return table.failed ? CLI_FAILED : 0;
}
