#include "lab/merge.h"

#include "base/arena.h"
#include "base/file.h"
#include "lab/jobs.h"
#include "lab/run_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sum of the cycles of all launches, by which equal runs are compared: host times differ. */
static double cycles_of(const json_t *stats)
{
	const json_t *kernels = json_object_get(stats, "kernels"), *kernel;
	double cycles = 0;
	size_t i;
	json_array_foreach(kernels, i, kernel) cycles += json_number_value(json_object_get(kernel, "cycles"));
	return cycles;
}

static bool same_cycles(const char *a, const char *b)
{
	json_t *ours = json_loads(a, 0, NULL), *theirs = json_loads(b, 0, NULL);
	bool same = cycles_of(ours) == cycles_of(theirs);
	json_decref(ours);
	json_decref(theirs);
	return same;
}

/* A failed run with an equal failed run in the file. The file keeps the later one of both. */
struct failed_run {
	const struct run_result *result;
	bool is_later; /* than the run in the file */
};

static void compare_failed(void *context, const struct run_config *config, const struct run_result *result)
{
	struct failed_run *failed = context;
	const struct run_result *ours = failed->result;
	(void)config;
	if (ours->finished)
		failed->is_later = strcmp(ours->finished, result->finished) > 0;
	else /* finished now, or at an unknown time */
		failed->is_later =
			strcmp(ours->verdict, result->verdict) != 0 || strcmp(ours->output, result->output) != 0;
}

/* Returns whether the run replaces an equal failed run. Returns false with a message when that run cannot be read. */
static bool replaces_failed(struct store *store, const struct run_config *config, const struct run_result *result,
                            char message[STORE_MESSAGE])
{
	struct failed_run failed = {.result = result};
	return verdict_counts(result->verdict) ||
	       (store_each_same(store, config, compare_failed, &failed, message) && failed.is_later);
}

bool merge_run(struct store *store, const struct run_config *config, const struct run_result *result,
               struct merge_count *count, char message[STORE_MESSAGE])
{
	char *verdict = store_verdict(store, config, message);
	char *stats = verdict && verdict_counts(verdict) ? store_find(store, config, false, message) : NULL;
	bool had = verdict, counts = stats;
	free(verdict);
	if (*message)
		return false;
	if (counts) {
		bool differs = verdict_counts(result->verdict) && !same_cycles(stats, result->stats);
		count->had++;
		count->differ += differs;
		free(stats);
		return true;
	}
	if (had && !replaces_failed(store, config, result, message)) {
		count->had++;
		return !*message;
	}
	count->added += !had;
	count->replaced += had;
	return store_put(store, config, result, message);
}

struct merging {
	struct store *store;
	struct merge_count *count;
	char *message;
	bool fine;
};

static void merge_row(void *context, const struct run_config *config, const struct run_result *result)
{
	struct merging *merging = context;
	merging->fine = merging->fine && merge_run(merging->store, config, result, merging->count, merging->message);
}

static bool merge_database(struct store *store, const char *path, struct merge_count *count, char *message)
{
	struct merging merging = {store, count, message, true};
	struct store *other = store_open(path, true, message);
	bool fine = other && store_each(other, NULL, 0, merge_row, &merging, message) && merging.fine;
	store_close(other);
	return fine;
}

/* One record per line; empty lines are skipped. */
static bool merge_lines(struct store *store, const char *path, const char *text, struct merge_count *count,
                        char *message)
{
	for (size_t number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");
		json_t *json = length ? json_loadb(text, length, 0, NULL) : NULL;
		struct run_record record = {0};
		bool read = json && run_record_read(json, &record);
		if (length && !read)
			snprintf(message, STORE_MESSAGE, "%s:%zu: not a record of a run (one line of JSON)", path,
			         number);
		bool fine = !length || (read && merge_run(store, &record.config, &record.result, count, message));
		run_record_free(&record);
		json_decref(json);
		if (!fine)
			return false;
		text += length + (text[length] == '\n');
	}
	return true;
}

bool merge_file(struct store *store, const char *path, struct merge_count *count, char message[STORE_MESSAGE])
{
	size_t length;
	bool database = file_is_database(path);
	char *text = database ? NULL : file_read(path, &length);
	if (!database && !text) {
		snprintf(message, STORE_MESSAGE, "cannot read %s: %s", path, file_reason());
		return false;
	}
	bool fine = store_begin(store, message);
	if (fine)
		fine = database ? merge_database(store, path, count, message)
		                : merge_lines(store, path, text, count, message);
	fine = fine && store_commit(store, message);
	if (!fine)
		store_rollback(store);
	free(text);
	return fine;
}

static void export_row(void *context, const struct run_config *config, const struct run_result *result)
{
	json_t *json = run_record_json(config, result);
	char *line = run_record_stats(json);
	fprintf(context, "%s\n", line);
	free(line);
	json_decref(json);
}

bool merge_export(struct store *store, const struct store_filter *filters, size_t count, FILE *file,
                  char message[STORE_MESSAGE])
{
	return store_each(store, filters, count, export_row, file, message);
}

struct checking {
	FILE *file;
	size_t runs;
	long wrong;
};

static void check_row(void *context, const struct run_config *config, const struct run_result *result)
{
	struct checking *checking = context;
	json_t *stats = json_loads(result->stats, 0, NULL);
	const char *wrong = NULL;
	checking->runs++;
	if (!*config->program || !*config->machine || !*result->verdict)
		wrong = "has no program, machine or verdict";
	else if (verdict_counts(result->verdict) && job_stats_are(stats) == JOB_STATS_NONE)
		wrong = "passed, but its statistics are not those of a whole run";
	else if (*result->stats && !stats)
		wrong = "its statistics are not JSON";
	else if (!*config->library || !*config->description)
		wrong = "has no digests, so no other run can ever match it";
	if (wrong)
		fprintf(checking->file, "run %llu, %s on %s: %s\n", (unsigned long long)result->id, config->program,
		        config->machine, wrong);
	checking->wrong += wrong != NULL;
	json_decref(stats);
}

long merge_check(struct store *store, FILE *file, size_t *runs, char message[STORE_MESSAGE])
{
	struct checking checking = {.file = file};
	bool fine = store_is_whole(store, message) && store_each(store, NULL, 0, check_row, &checking, message);
	*runs = checking.runs;
	return fine ? checking.wrong : -1;
}
