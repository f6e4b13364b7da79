#include "lab/slurm.h"

#include "base/arena.h"
#include "base/diag.h"
#include "lab/process.h"
#include "lab/sweep_folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PREFIX = 32, DEFAULT_ARRAY = 1000, MOST_REASONS = 8 };
/* How long before its time limit a task is warned; Slurm warns up to a minute earlier. In this time, the run ends (in
 * lab/jobs.c, within two seconds) and Slurm is asked to start the task again. */
enum { WARNING_SECONDS = 20 };

/* Prefix of the names of a sweep's jobs. It identifies them, whichever process has submitted them. */
static void prefix_of(const char *folder, char prefix[PREFIX])
{
	char *whole = realpath(folder, NULL);
	uint32_t digest = 2166136261u; /* FNV-1a */
	for (const char *c = whole ? whole : folder; *c; c++)
		digest = (digest ^ (unsigned char)*c) * 16777619u;
	snprintf(prefix, PREFIX, "sluice-%08x.", digest);
	free(whole);
}

/* Returns the next field of a line and terminates it; "" when there is none. */
static char *next_field(char **line)
{
	char *field = *line, *bar = strchr(field, '|');
	if (bar)
		*bar = '\0';
	*line = bar ? bar + 1 : field + strlen(field);
	return field;
}

bool slurm_each(const char *folder, void (*task)(void *context, const struct slurm_task *task), void *context)
{
	char prefix[PREFIX], user[24], *text = NULL, *errors = NULL;
	prefix_of(folder, prefix);
	snprintf(user, sizeof user, "--user=%lu", (unsigned long)getuid());
	const char *const words[] = {"squeue", "--noheader", "--array", user, "--format=%j|%K|%T|%F|%r", NULL};
	bool fine = process_read(words, &text, &errors) == 0;
	for (char *line = text, *next; fine && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (strncmp(line, prefix, strlen(prefix)) != 0)
			continue;
		const char *name = next_field(&line), *number = next_field(&line);
		struct slurm_task one = {.batch = strtoull(name + strlen(prefix), NULL, 10),
		                         .task = strtoull(number, NULL, 10)};
		one.state = next_field(&line);
		one.job = next_field(&line);
		one.reason = next_field(&line);
		task(context, &one);
	}
	free(text);
	free(errors);
	return fine;
}

/* Stores the value of "KEY = VALUE" in the cluster's configuration; "" when there is none. */
static void setting(const char *config, const char *key, char *value, size_t size)
{
	const char *found = strstr(config, key), *equals = found ? strchr(found, '=') : NULL;
	const char *text = equals ? equals + 1 + strspn(equals + 1, " ") : "";
	snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
}

struct slurm_setup slurm_setup(void)
{
	const char *const words[] = {"scontrol", "show", "config", NULL};
	struct slurm_setup setup = {.array_limit = DEFAULT_ARRAY};
	char *text = NULL, value[64];
	if (process_read(words, &text, NULL) == 0) {
		setting(text, "\nMaxArraySize", value, sizeof value);
		unsigned long long number = strtoull(value, NULL, 10);
		if (number)
			setup.array_limit = (size_t)number; /* indexes are below it */
		setting(text, "\nSelectTypeParameters", value, sizeof value);
		setup.counts_memory = strstr(value, "MEMORY");
	}
	free(text);
	return setup;
}

/* Stores the first line, without its end. */
static void first_line(const char *text, char *line, size_t size)
{
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
}

bool slurm_submit(const struct slurm_array *array, char job[SLURM_JOB], char message[SLURM_MESSAGE])
{
	char prefix[PREFIX], name[PREFIX + 32], tasks[48], output[PATH_MAX + 16], memory[48], batch[24], warning[48];
	const char **words = base_calloc(array->options->count + 16, sizeof *words);
	char *text = NULL, *errors = NULL;
	size_t count = 0;
	prefix_of(array->folder, prefix);
	snprintf(name, sizeof name, "--job-name=%s%zu", prefix, array->batch);
	snprintf(tasks, sizeof tasks, "--array=0-%zu", array->count - 1);
	snprintf(output, sizeof output, "--output=%s/out/%%A_%%a", array->folder);
	snprintf(memory, sizeof memory, "--mem=%lluK", (unsigned long long)(array->memory / 1024 + 1));
	snprintf(batch, sizeof batch, "%zu", array->batch);
	snprintf(warning, sizeof warning, "--signal=B:%d@%d", array->warning, WARNING_SECONDS);
	const char *const ours[] = {"sbatch", "--parsable", "--requeue", "--open-mode=append", name, tasks, output};
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		words[count++] = ours[i];
	if (array->memory)
		words[count++] = memory;
	if (array->warning)
		words[count++] = warning;
	for (size_t i = 0; i < array->options->count; i++) /* after ours, so that the user's take effect */
		words[count++] = array->options->word[i];
	words[count++] = array->script;
	words[count++] = batch;
	int status = process_read(words, &text, &errors);
	if (status < 0)
		snprintf(message, SLURM_MESSAGE, "cannot start sbatch: %s", strerror(errno));
	else if (status)
		first_line(*errors ? errors : "sbatch failed", message, SLURM_MESSAGE);
	else
		snprintf(job, SLURM_JOB, "%.*s", (int)strcspn(text, ";\n"), text); /* "17;cluster" */
	free(words);
	free(text);
	free(errors);
	return status == 0;
}

static void take_word(const char *text, char *word, size_t size)
{
	size_t length = 0;
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	snprintf(word, size, "%.*s", (int)length, text);
}

/* Whether a task has ended, by its state. Accounting may lag. */
static bool is_over(const char *state)
{
	static const char *const under_way[] = {"PENDING",   "RUNNING", "REQUEUED",   "RESIZING",
	                                        "SUSPENDED", "REVOKED", "COMPLETING", "CONFIGURING"};
	for (size_t i = 0; i < sizeof under_way / sizeof *under_way; i++)
		if (strcmp(state, under_way[i]) == 0)
			return false;
	return *state;
}

/* Stores the state from accounting. It has one line per start of a task, and the last one counts: "CANCELLED by
 * 1000". */
static void take_account(const char *text, char *word, size_t size)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (*line != '\n')
			take_word(line, word, size);
	if (!is_over(word))
		*word = '\0';
}

void slurm_reason(const char *job, size_t task, char reason[64])
{
	char name[SLURM_JOB + 24], *text = NULL;
	snprintf(name, sizeof name, "%s_%zu", job, task);
	const char *const account[] = {"sacct", "--noheader", "--allocations", "--parsable2", "--format=State", "-j",
	                               name,    NULL};
	const char *const control[] = {"scontrol", "--oneliner", "show", "job", name, NULL};
	*reason = '\0';
	if (process_read(account, &text, NULL) == 0)
		take_account(text, reason, 64);
	free(text);
	text = NULL;
	if (!*reason && process_read(control, &text, NULL) == 0) {
		const char *found = strstr(text, "JobState=");
		take_word(found ? found + strlen("JobState=") : "", reason, 64);
	}
	free(text);
}

void slurm_begin_task(const char *job, size_t task)
{
	char name[SLURM_JOB + 32];
	snprintf(name, sizeof name, "JobId=%s_%zu", job, task);
	const char *const words[] = {"scontrol", "update", name, "StartTime=now", NULL};
	process_read(words, NULL, NULL);
}

bool slurm_requeue_own(char message[SLURM_MESSAGE])
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
	char name[SLURM_JOB + 24], *errors = NULL;
	snprintf(name, sizeof name, "%s_%s", array ? array : "", task ? task : "");
	const char *const words[] = {"scontrol", "requeue", name, NULL};
	int status = process_read(words, NULL, &errors);
	if (status < 0)
		snprintf(message, SLURM_MESSAGE, "cannot start scontrol: %s", strerror(errno));
	else if (status)
		first_line(errors && *errors ? errors : "scontrol failed", message, SLURM_MESSAGE);
	free(errors);
	return status == 0;
}

void slurm_cancel_task(const char *job, size_t task)
{
	char name[SLURM_JOB + 24];
	snprintf(name, sizeof name, "%s_%zu", job, task);
	const char *const words[] = {"scancel", name, NULL};
	process_read(words, NULL, NULL);
}

/* Numbers of waiting tasks, by reason. */
struct counts {
	size_t running, waiting, reasons;
	struct {
		char text[48];
		size_t tasks;
	} reason[MOST_REASONS];
};

static void count_task(void *context, const struct slurm_task *task)
{
	struct counts *counts = context;
	size_t i = 0;
	if (strcmp(task->state, "PENDING") != 0) {
		counts->running++;
		return;
	}
	counts->waiting++;
	while (i < counts->reasons &&
	       strncmp(counts->reason[i].text, task->reason, sizeof counts->reason[i].text - 1) != 0)
		i++;
	if (i == MOST_REASONS)
		return;
	if (i == counts->reasons) {
		snprintf(counts->reason[i].text, sizeof counts->reason[i].text, "%s", task->reason);
		counts->reasons++;
	}
	counts->reason[i].tasks++;
}

void slurm_tell(const char *folder, const char *command, FILE *file)
{
	struct counts counts = {0};
	if (!slurm_each(folder, count_task, &counts)) {
		fprintf(stderr, "%s: Slurm does not answer; squeue says why\n", command);
		return;
	}
	fprintf(file, "Slurm: %zu tasks run, %zu wait", counts.running, counts.waiting);
	for (size_t i = 0; i < counts.reasons; i++)
		fprintf(file, "%s%zu for %s", i ? ", " : ": ", counts.reason[i].tasks, counts.reason[i].text);
	fputc('\n', file);
}

/* The numbers of a sweep's arrays, each once. */
struct arrays {
	char (*job)[SLURM_JOB];
	size_t count;
};

static void add_array(void *context, const struct slurm_task *task)
{
	struct arrays *arrays = context;
	for (size_t i = 0; i < arrays->count; i++)
		if (strcmp(arrays->job[i], task->job) == 0)
			return;
	arrays->job = base_realloc(arrays->job, (arrays->count + 1) * sizeof *arrays->job);
	snprintf(arrays->job[arrays->count++], SLURM_JOB, "%s", task->job);
}

bool slurm_cancel(const char *folder, const char *command)
{
	char path[PATH_MAX], *errors = NULL;
	struct arrays arrays = {0};
	sweep_path(path, folder, "canceled", "");
	int file =
		/* before the cancellation, so that no process starts new tasks */
		open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	bool fine = file >= 0;
	if (!fine)
		diag_say(command, "cannot write %s: %s", path, strerror(errno));
	else
		close(file);
	if (fine && !slurm_each(folder, add_array, &arrays)) {
		fprintf(stderr, "%s: Slurm does not answer; squeue says why\n", command);
		fine = false;
	}
	for (size_t i = 0; fine && i < arrays.count; i++) {
		const char *const words[] = {"scancel", arrays.job[i], NULL};
		fine = process_read(words, NULL, &errors) == 0;
		if (!fine)
			fprintf(stderr, "%s: cannot cancel job %s: %s", command, arrays.job[i], errors ? errors : "\n");
		free(errors);
		errors = NULL;
	}
	free(arrays.job);
	return fine;
}
