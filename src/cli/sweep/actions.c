/* Actions on a sweep: status, failed runs, cancellation. */
#include "cli/sweep/sweep.h"

#include "lab/jobs.h"
#include "lab/queue.h"
#include "lab/slurm.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN = 20 };

/* The state of a sweep. */
struct looked {
	struct study *study;
	const char *folder;
	struct sweep_head head;
	struct store *store;
	bool fails; /* show the failed runs and their output */
	bool at_work;
	size_t passed, failed, running, waiting, unknown;
	double left; /* estimated seconds left for waiting and running runs */
};

/* Returns the sweep's folder, given a plan, a name, or the folder itself. */
static void find_folder(const char *sweep, char folder[PATH_MAX])
{
	char path[PATH_MAX];
	const char *slash = strrchr(sweep, '/'), *name = slash ? slash + 1 : sweep;
	size_t length = strlen(name);
	snprintf(folder, PATH_MAX, "%s", sweep);
	sweep_path(path, sweep, "runs", "");
	if (access(path, F_OK) == 0)
		return;
	if (study_ends_in_yaml(name))
		length -= 5;
	snprintf(folder, PATH_MAX, "sweeps/%.*s", (int)length, name);
}

static void describe(const struct run_config *config, FILE *file)
{
	const char *const words[] = {config->program, config->variant, config->size,      config->arguments, "on",
	                             config->machine, config->options, config->mechanisms};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (*words[i])
			fprintf(file, "%s%s", i ? " " : "", words[i]);
	if (*config->size)
		fprintf(file, " seed %llu", (unsigned long long)config->seed);
}

static void show_running(struct looked *looked, const struct sweep_run *run, const struct sweep_progress *progress)
{
	if (looked->fails || looked->running++ >= SHOWN)
		return;
	fputs("  running: ", stdout);
	describe(&run->config, stdout);
	if (progress->kernel)
		printf(": kernel %llu, block %llu of %llu, cycle %llu", progress->kernel, progress->blocks_done,
		       progress->blocks, progress->cycle);
	putchar('\n');
}

static void show_failed(void *context, const struct run_config *config, const struct run_result *result)
{
	(void)context;
	describe(config, stdout);
	printf(": %s, %.1f s", result->verdict, result->seconds);
	if (*result->host)
		printf(" on %s", result->host);
	printf(", run %llu\n", (unsigned long long)result->id);
	for (const char *line = result->output; *line;) {
		size_t length = strcspn(line, "\n");
		printf("    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

static void look_at_run(void *context, const struct sweep_run *run)
{
	struct looked *looked = context;
	struct sweep_progress progress;
	char message[STORE_MESSAGE];
	char *verdict = looked->store ? store_verdict(looked->store, &run->config, message) : NULL;
	bool passed = verdict && verdict_counts(verdict);
	bool runs = looked->at_work && sweep_progress_read(looked->folder, run->id, &progress);
	if (passed) {
		looked->passed++;
	} else if (runs) {
		show_running(looked, run, &progress);
	} else if (verdict) {
		looked->failed++;
		if (looked->fails)
			store_each_same(looked->store, &run->config, show_failed, NULL, message);
	} else {
		looked->waiting++;
	}
	if (!passed && (runs || !verdict)) {
		looked->left += run->expected.seconds;
		looked->unknown += run->expected.seconds <= 0;
	}
	free(verdict);
}

static bool look_at(struct looked *looked, const char *sweep, char folder[PATH_MAX])
{
	char message[STORE_MESSAGE];
	const char *name = looked->study->programs.name;
	find_folder(sweep, folder);
	looked->folder = folder;
	looked->at_work = sweep_folder_is_at_work(folder);
	if (!sweep_list_each(folder, name, &looked->head, NULL, NULL))
		return false;
	looked->store = store_open(looked->head.results, true, message);
	if (!looked->store && access(looked->head.results, F_OK) == 0) {
		cli_error(name, "%s", message);
		return false;
	}
	bool fine = sweep_list_each(folder, name, &looked->head, look_at_run, looked);
	store_close(looked->store);
	return fine;
}

static void tell_left(const struct looked *looked)
{
	char text[32];
	size_t open = looked->running + looked->waiting;
	if (!open || looked->unknown == open)
		return;
	double all = looked->left * (double)open / (double)(open - looked->unknown);
	queue_time_text(strcmp(looked->head.engine, "slurm") == 0 ? all : all / (double)looked->head.parallel, text);
	printf("about %s %sestimated from earlier runs\n", text,
	       strcmp(looked->head.engine, "slurm") == 0 ? "of processor time left, " : "left, ");
}

int sweep_status(struct study *study, const char *sweep)
{
	struct looked looked = {.study = study};
	char folder[PATH_MAX];
	if (!look_at(&looked, sweep, folder))
		return CLI_FAILED;
	printf("%zu runs: %zu passed, %zu failed, %zu running, %zu waiting\n", looked.head.runs, looked.passed,
	       looked.failed, looked.running, looked.waiting);
	tell_left(&looked);
	if (strcmp(looked.head.engine, "slurm") == 0)
		slurm_tell(folder, study->programs.name, stdout);
	if (looked.at_work)
		printf("process %ld on %s works on it\n", looked.head.pid, looked.head.host);
	else if (looked.waiting)
		puts("no process works on it; the same command continues it");
	return 0;
}

int sweep_failed(struct study *study, const char *sweep)
{
	struct looked looked = {.study = study, .fails = true};
	char folder[PATH_MAX];
	if (!look_at(&looked, sweep, folder))
		return CLI_FAILED;
	if (!looked.failed)
		puts("no run has failed");
	return 0;
}

static bool ignore_list(const char *folder, const char *name, struct sweep_head *head)
{
	return sweep_list_each(folder, name, head, NULL, NULL);
}

int sweep_cancel(struct study *study, const char *sweep)
{
	struct sweep_head head;
	char folder[PATH_MAX], host[64] = "";
	const char *name = study->programs.name;
	find_folder(sweep, folder);
	if (!ignore_list(folder, name, &head))
		return CLI_FAILED;
	bool at_work = sweep_folder_is_at_work(folder), cluster = strcmp(head.engine, "slurm") == 0;
	gethostname(host, sizeof host - 1);
	if (at_work && strcmp(host, head.host) != 0 && !cluster) {
		cli_error(name, "%s: process %ld on %s works on it; cancel it there", folder, head.pid, head.host);
		return CLI_FAILED;
	}
	if (at_work && strcmp(host, head.host) == 0 && kill((pid_t)head.pid, SIGTERM) != 0) {
		cli_error(name, "cannot end process %ld: %s", head.pid, strerror(errno));
		return CLI_FAILED;
	}
	if (cluster && !slurm_cancel(folder, name))
		return CLI_FAILED;
	puts(at_work || cluster ? "canceled; the runs that had ended stay stored" : "no process works on it");
	return 0;
}
