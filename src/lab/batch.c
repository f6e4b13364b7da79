#include "lab/batch.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "lab/inputs.h"
#include "lab/run_journal.h"
#include "lab/run_record.h"
#include "lab/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { INDEX_WIDTH = 13 }; /* of a number in the index: twelve digits and a newline */
/* how long a task waits for a process that still has its run's journal: a node that Slurm has lost may run on */
enum { JOURNAL_SECONDS = 30, PER_SECOND = 4 };

static void batch_path(char path[PATH_MAX], const char *folder, const char *number, const char *ending)
{
	int length = snprintf(path, PATH_MAX, "%s/batch.%s%s", folder, number, ending);
	if (length >= PATH_MAX)
		path[0] = '\0';
}

static json_t *words_json(const char *const *words, size_t count)
{
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(words[i]));
	return list;
}

static size_t count_words(char *const *words)
{
	size_t count = 0;
	while (words[count])
		count++;
	return count;
}

/* Returns the run's files, as copies in the sweep's folder from which the run reads them. */
static json_t *files_json(const char *folder, const struct planned *planned)
{
	json_t *list = json_array();
	for (size_t i = 0; planned->files && i < planned->files->count; i += 2) {
		char *path;
		if (asprintf(&path, "%s/inputs/%s/%s", folder, planned->config.inputs, planned->files->word[i + 1]) < 0)
			abort();
		json_array_append_new(list, json_string(path));
		json_array_append_new(list, json_string(planned->files->word[i + 1]));
		free(path);
	}
	return list;
}

static bool copy_files(const char *folder, const struct planned *planned)
{
	char path[PATH_MAX];
	if (!planned->files)
		return true;
	sweep_path(path, folder, "inputs", "");
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return false;
	sweep_path(path, folder, "inputs", planned->config.inputs);
	return access(path, F_OK) == 0 || inputs_copy(path, planned->files);
}

static void write_run(const char *folder, const struct queued *queued, const struct queue *queue, FILE *file)
{
	const struct planned *planned = queued->planned;
	json_t *json = run_record_config_json(&planned->config);
	json_object_set_new(json, "id", json_string(queued->id));
	json_object_set_new(json, "words",
	                    words_json((const char *const *)planned->words, count_words(planned->words)));
	json_object_set_new(json, "files", files_json(folder, planned));
	json_object_set_new(json, "quiet", json_boolean(planned->own));
	json_object_set_new(json, "binary_path", json_string(planned->binary));
	json_object_set_new(json, "library_path", json_string(queue->plan->source->library));
	json_object_set_new(json, "journal", json_boolean(queue_keeps_journal(queue, planned)));
	if (queue->way->journal)
		json_object_set_new(json, "tries", json_integer((json_int_t)queue->way->slurm->tries));
	char *line = run_record_stats(json);
	fprintf(file, "%s\n", line);
	free(line);
	json_decref(json);
}

bool batch_write(const char *folder, size_t number, const struct queue *queue, struct queued *const *runs, size_t count,
                 size_t per_task)
{
	char path[PATH_MAX], name[24];
	struct file_new new_index, new_lines;
	snprintf(name, sizeof name, "%zu", number);
	for (size_t i = 0; i < count; i++)
		if (!copy_files(folder, runs[i]->planned))
			return false;
	batch_path(path, folder, name, ".index");
	FILE *index = file_new_stream(&new_index, path);
	if (!index)
		return false;
	batch_path(path, folder, name, "");
	FILE *lines = file_new_stream(&new_lines, path);
	if (!lines) {
		file_new_abandon(&new_index, index);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (i % per_task == 0)
			fprintf(index, "%012ld\n", ftell(lines));
		write_run(folder, runs[i], queue, lines);
	}
	fprintf(index, "%012ld\n", ftell(lines));
	/* first the index, as an existing batch means that both are complete */
	if (file_new_finish(&new_index, index))
		return file_new_finish(&new_lines, lines);
	file_new_abandon(&new_lines, lines);
	return false;
}

/* Returns the offset of a task's lines, from the index; -1 when there is none. */
static long offset_of(FILE *index, size_t task)
{
	char line[INDEX_WIDTH + 1] = "";
	if (fseek(index, (long)(task * INDEX_WIDTH), SEEK_SET) != 0 ||
	    fread(line, 1, INDEX_WIDTH, index) != INDEX_WIDTH)
		return -1;
	return atol(line);
}

bool batch_each(const char *folder, size_t number, void (*run)(void *context, const char *id, size_t task),
                void *context)
{
	char path[PATH_MAX], name[24];
	size_t length, task = 0;
	snprintf(name, sizeof name, "%zu", number);
	batch_path(path, folder, name, ".index");
	FILE *index = fopen(path, "r");
	batch_path(path, folder, name, "");
	char *text = index ? file_read(path, &length) : NULL;
	if (!text) {
		if (index)
			fclose(index);
		return false;
	}
	for (const char *line = text; *line;) {
		size_t bytes = strcspn(line, "\n");
		json_t *json = json_loadb(line, bytes, 0, NULL);
		const char *id = json_string_value(json_object_get(json, "id"));
		while (offset_of(index, task + 1) >= 0 && offset_of(index, task + 1) <= line - text)
			task++;
		if (id)
			run(context, id, task);
		json_decref(json);
		line += bytes + (line[bytes] == '\n');
	}
	fclose(index);
	free(text);
	return true;
}

void batch_remove(const char *folder, size_t number)
{
	static const char *const endings[] = {"", ".index", ".job"};
	char path[PATH_MAX], name[24];
	snprintf(name, sizeof name, "%zu", number);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		batch_path(path, folder, name, endings[i]);
		unlink(path);
	}
}

/* A task in progress. */
struct task {
	const char *folder, *revision, *command;
	char host[64];
	json_t **lines; /* one per run */
	struct job *jobs;
	char ***words; /* command lines with a journal; NULL for a run without one */
	bool *has_ended;
	size_t made, before; /* runs that this start has made; launches in the last one's journal when it began */
	size_t tries;        /* 0: the sweep's runs keep no journals */
	char (*ids)[SWEEP_ID];
	size_t count;
	struct arena arena;
	const char *digested, *digest; /* the last file that was digested, and its digest */
	bool interrupted;
};

/* A run already in the results has a mark instead. */
static bool has_record(const struct task *task, const char *id)
{
	char record[PATH_MAX], done[PATH_MAX];
	sweep_path(record, task->folder, "records", id);
	sweep_path(done, task->folder, "done", id);
	return access(record, F_OK) == 0 || access(done, F_OK) == 0;
}

/* Returns false with errno set. */
static bool write_record(const struct task *task, const char *id, const struct run_config *config,
                         const struct run_result *result)
{
	char path[PATH_MAX];
	struct file_new new;
	sweep_path(path, task->folder, "records", id);
	FILE *file = file_new_stream(&new, path);
	if (!file)
		return false;
	json_t *json = run_record_json(config, result);
	char *text = run_record_stats(json);
	fprintf(file, "%s\n", text);
	free(text);
	json_decref(json);
	return file_new_finish(&new, file);
}

/* Whether the file is as planned; otherwise the results would be stored under a wrong identity. */
static bool is_unchanged(struct task *task, const char *path, const char *digest)
{
	if (!task->digested || strcmp(task->digested, path) != 0) {
		task->digest = plan_digest_file(&task->arena, path);
		task->digested = path;
	}
	return task->digest && strcmp(task->digest, digest) == 0;
}

/* Returns what is wrong with a run before it starts; NULL when nothing is. */
static const char *changed(struct task *task, const json_t *line, const struct run_config *config)
{
	const char *library = json_string_value(json_object_get(line, "library_path"));
	const char *binary = json_string_value(json_object_get(line, "binary_path"));
	if (!library || !is_unchanged(task, library, config->library))
		return "FAIL: the simulator's library has changed since the sweep began, or cannot be read on the node";
	if (!binary || !is_unchanged(task, binary, config->binary))
		return "FAIL: the program has changed since the sweep began, or cannot be read on the node";
	return NULL;
}

static struct words read_words(struct task *task, const json_t *list)
{
	struct words words = {.word = arena_array(&task->arena, json_array_size(list) + 1, sizeof *words.word)};
	const json_t *word;
	size_t i;
	json_array_foreach(list, i, word) words.word[words.count++] =
		json_string_value(word) ? json_string_value(word) : "";
	return words;
}

/* Creates the run's working folder if it has files. Returns false after a message. */
static bool lay_files(struct task *task, size_t number)
{
	struct words files = read_words(task, json_object_get(task->lines[number], "files"));
	if (!files.count)
		return true;
	char *folder = inputs_lay_new(task->ids[number], &files);
	if (!folder) {
		diag_say(task->command, "cannot put the files of run %s into a folder: %s", task->ids[number],
		         strerror(errno));
		return false;
	}
	task->jobs[number].folder = arena_string(&task->arena, folder, strlen(folder));
	free(folder);
	return true;
}

/* Waits until no process has the run's journal. Returns false after a message. */
static bool await_journal(const struct task *task, size_t number)
{
	const char *id = task->ids[number];
	struct timespec pause = {.tv_nsec = 1000000000 / PER_SECOND};
	if (!task->words[number])
		return true;
	for (int i = 0; i < JOURNAL_SECONDS * PER_SECOND && run_journal_is_open(task->folder, id); i++)
		nanosleep(&pause, NULL);
	if (!run_journal_is_open(task->folder, id))
		return true;
	diag_say(task->command,
	         "run %s: another process uses its journal; does a node that Slurm has lost still run it?", id);
	return false;
}

static bool is_needed(void *context, size_t number)
{
	struct task *task = context;
	struct run_config config;
	const char *id = task->ids[number];
	if (has_record(task, id) || !run_record_config_read(task->lines[number], &config))
		return false;
	const char *wrong = changed(task, task->lines[number], &config);
	if (!wrong && !await_journal(task, number)) {
		task->interrupted = true;
		return false;
	}
	if (!wrong) {
		task->made++;
		task->before = run_journal_launches(task->folder, id);
		sweep_progress_begin(task->jobs[number].progress);
		return lay_files(task, number);
	}
	const struct run_result result = {
		.verdict = wrong, .output = "", .stats = "", .revision = task->revision, .host = task->host};
	if (!write_record(task, id, &config, &result))
		diag_say(task->command, "cannot write a record of run %s: %s", id, strerror(errno));
	return false;
}

static void give_back(struct job *job)
{
	unlink(job->progress);
	if (job->folder)
		inputs_remove(job->folder);
	job_free(job);
}

static bool run_ended(void *context, size_t number)
{
	struct task *task = context;
	struct job *job = &task->jobs[number];
	struct run_config config;
	char room[96], *stats = NULL;
	bool fine = true;
	task->has_ended[number] = true;
	if (job_was_ended(job)) { /* by SIGKILL too: another node may have more memory */
		task->interrupted = true;
		fine = false;
	} else if (job->started || job->error) {
		run_record_config_read(task->lines[number], &config);
		struct run_result result = queue_result(job, task->revision, task->host, &stats, room);
		result.seconds += run_journal_cuts(task->folder, task->ids[number]).seconds;
		if (task->words[number] && queue_changed_by_journal(&result))
			result.verdict = queue_changed_by_journal(&result);
		fine = write_record(task, task->ids[number], &config, &result);
		if (!fine)
			diag_say(task->command, "cannot write a record of run %s: %s", task->ids[number],
			         strerror(errno));
		else
			run_journal_remove(task->folder, task->ids[number]);
		task->interrupted |= !fine;
		free(stats);
	}
	give_back(job);
	return fine;
}

/* ---- The time limit. */

/* The run has failed: another start would end as this one did. */
static bool fail_cut(struct task *task, size_t number, size_t cuts)
{
	char verdict[200];
	const char *id = task->ids[number];
	struct job *job = &task->jobs[number];
	struct run_config config;
	size_t launches = run_journal_launches(task->folder, id);
	if (task->words[number])
		snprintf(verdict, sizeof verdict,
		         "FAIL: the time limit ended it %zu times in a row before launch %zu was in its journal; "
		         "give a longer --time and --retry",
		         cuts, launches + 1);
	else
		snprintf(verdict, sizeof verdict,
		         "FAIL: the time limit ended it %zu times, and it keeps no journal; give a longer --time and "
		         "--retry",
		         cuts);
	run_record_config_read(task->lines[number], &config);
	const struct run_result result = {.verdict = verdict,
	                                  .output = job->output.bytes ? job->output.bytes : "",
	                                  .stats = "",
	                                  .revision = task->revision,
	                                  .seconds = job->seconds,
	                                  .peak = job->peak,
	                                  .host = task->host};
	if (write_record(task, id, &config, &result))
		return true;
	diag_say(task->command, "cannot write a record of run %s: %s", id, strerror(errno));
	return false;
}

/* Handles the run that the time limit has cut. Returns false after a message: the task must not start again. */
static bool take_cut(struct task *task, size_t number)
{
	const char *id = task->ids[number];
	struct run_cuts cuts = run_journal_cuts(task->folder, id);
	size_t launches = run_journal_launches(task->folder, id);
	/* a run that was not the task's first had only a part of its time */
	bool progressed = launches > task->before || task->made > 1;
	cuts.in_vain = progressed ? 0 : cuts.in_vain + 1;
	cuts.seconds += task->jobs[number].seconds;
	if (!run_journal_set_cuts(task->folder, id, &cuts)) {
		diag_say(task->command, "cannot write to %s/journals: %s", task->folder, file_write_reason());
		return false;
	}
	diag_say(task->command, "the time limit is near: run %s ends after %zu launches", id, launches);
	return cuts.in_vain < task->tries || fail_cut(task, number, cuts.in_vain);
}

/* Returns false when runs are missing and Slurm does not start the task again. */
static bool go_on_later(struct task *task)
{
	char message[SLURM_MESSAGE];
	size_t missing = 0;
	bool fine = true;
	for (size_t i = 0; i < task->count; i++)
		if (task->jobs[i].started && !task->has_ended[i]) {
			fine = fine && take_cut(task, i);
			give_back(&task->jobs[i]);
		}
	for (size_t i = 0; i < task->count; i++)
		missing += !has_record(task, task->ids[i]);
	if (!fine || sweep_is_canceled(task->folder))
		return false;
	if (!missing || slurm_requeue_own(message))
		return true;
	diag_say(task->command, "cannot start the task again: %s", message);
	return false;
}

/* Returns false when the line does not describe a run. */
static bool make_job(struct task *task, const char *folder, size_t number)
{
	json_t *line = task->lines[number];
	const char *id = json_string_value(json_object_get(line, "id"));
	struct job *job = &task->jobs[number];
	char path[PATH_MAX];
	if (!id || strlen(id) != SWEEP_ID - 1)
		return false;
	memcpy(task->ids[number], id, SWEEP_ID);
	job->words = (char **)read_words(task, json_object_get(line, "words")).word;
	job->quiet = json_is_true(json_object_get(line, "quiet"));
	sweep_path(path, folder, "progress", id);
	job->progress = arena_string(&task->arena, path, strlen(path));
	if (job->words[0] && json_is_true(json_object_get(line, "journal")))
		job->words = task->words[number] = run_journal_words(job->words, folder, id);
	json_int_t tries = json_integer_value(json_object_get(line, "tries"));
	task->tries = tries > 0 ? (size_t)tries : task->tries;
	return job->words[0];
}

/* Returns the task's lines, to be freed; NULL when there are none. */
static char *task_text(const char *folder, const char *batch, size_t number)
{
	char path[PATH_MAX];
	batch_path(path, folder, batch, ".index");
	FILE *index = fopen(path, "r"), *lines = NULL;
	long first = -1, next = -1;
	if (index) {
		first = offset_of(index, number);
		next = offset_of(index, number + 1);
		fclose(index);
	}
	batch_path(path, folder, batch, "");
	if (first >= 0 && next > first)
		lines = fopen(path, "r");
	if (!lines)
		return NULL;
	size_t length = (size_t)(next - first);
	char *text = base_malloc(length + 1);
	bool fine = fseek(lines, first, SEEK_SET) == 0 && fread(text, 1, length, lines) == length;
	text[length] = '\0';
	fclose(lines);
	if (fine)
		return text;
	free(text);
	return NULL;
}

static bool read_task(struct task *task, const char *folder, char *text)
{
	size_t most = 1;
	for (const char *c = text; *c; c++)
		most += *c == '\n';
	task->lines = base_calloc(most, sizeof *task->lines);
	task->jobs = base_calloc(most, sizeof *task->jobs);
	task->ids = base_calloc(most, sizeof *task->ids);
	task->words = base_calloc(most, sizeof *task->words);
	task->has_ended = base_calloc(most, sizeof *task->has_ended);
	for (const char *line = text; *line;) {
		size_t bytes = strcspn(line, "\n");
		json_t *json = json_loadb(line, bytes, 0, NULL);
		if (!json)
			return false;
		task->lines[task->count] = json;
		if (!make_job(task, folder, task->count++))
			return false;
		line += bytes + (line[bytes] == '\n');
	}
	return true;
}

/* Without journals, the signal has its usual effect. */
static void unblock_warning(void)
{
	sigset_t warning;
	sigemptyset(&warning);
	sigaddset(&warning, BATCH_WARNING);
	sigprocmask(SIG_UNBLOCK, &warning, NULL);
}

bool batch_run_task(const char *folder, const char *batch, size_t number, const char *revision, const char *command)
{
	struct task task = {.folder = folder, .revision = revision, .command = command};
	struct jobs_watch watch = {.context = &task, .needed = is_needed, .ended = run_ended};
	char *text = task_text(folder, batch, number), *whole = realpath(folder, NULL);
	gethostname(task.host, sizeof task.host - 1);
	bool fine = text && whole && read_task(&task, whole, text);
	if (task.tries)
		watch.warning = BATCH_WARNING;
	else
		unblock_warning();
	if (fine && jobs_run(task.jobs, task.count, 1, &watch))
		task.interrupted |= !go_on_later(&task);
	if (!fine)
		diag_say(command,
		         "cannot read task %zu of %s/batch.%s; is the folder on a file system that the nodes share?",
		         number, folder, batch);
	for (size_t i = 0; i < task.count; i++)
		json_decref(task.lines[i]);
	for (size_t i = 0; i < task.count; i++)
		free(task.words[i]);
	free(task.words);
	free(task.has_ended);
	free(task.lines);
	free(task.jobs);
	free(task.ids);
	free(whole);
	free(text);
	arena_free(&task.arena);
	return fine && !task.interrupted;
}
