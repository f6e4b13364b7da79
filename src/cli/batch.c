#include "cli/batch.h"

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATS_FD = 3, STEP = 1 << 16, SHOWN_LINES = 20 };

struct text {
	char *bytes; /* NUL-terminated once something is in it */
	size_t length;
};

/* A job under way. Its statistics come through a pipe, whose end is the program's end. */
struct running {
	const struct batch_job *job;
	pid_t pid;
	int pipe; /* -1: not started, or ended */
	FILE *output;
	struct text stats;
	int status;
	bool ended;
};

/* What a row shows. */
struct figures {
	size_t kernels, launches; /* different kernels */
	long long blocks, warp_instructions, thread_instructions, cycles;
	double seconds;
	bool timed;
};

struct table {
	const struct batch *batch;
	struct running *list;
	int program_width, variant_width;
	size_t printed, failed;
};

static void append(struct text *text, const char *bytes, size_t count)
{
	text->bytes = xrealloc(text->bytes, text->length + count + 1);
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

/* In the child: becomes the program, which writes its statistics to STATS_FD. */
static void become(const struct batch_job *job, int stats, int output)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* no run outlives the table */
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	if (stats == STATS_FD)
		fcntl(stats, F_SETFD, 0);
	else
		dup2(stats, STATS_FD);
	char path[32];
	snprintf(path, sizeof path, "/dev/fd/%d", STATS_FD);
	setenv("SLUICE_STATS", path, 1);
	setenv("SLUICE_STATS_FORMAT", "json", 1);
	setenv("SLUICE_PROGRESS", "0", 1);
	execv(job->words[0], job->words);
	fprintf(stderr, "cannot start %s: %s\n", job->words[0], strerror(errno));
	_exit(CLI_CANNOT_RUN);
}

/* A job that cannot be started has no pipe: it has ended without being there. */
static void start(const struct batch *batch, struct running *running)
{
	int ends[2];
	fflush(NULL);
	running->output = tmpfile();
	if (running->output && pipe2(ends, O_CLOEXEC) == 0) {
		running->pid = fork();
		if (running->pid == 0)
			become(running->job, ends[1], fileno(running->output));
		close(ends[1]);
		if (running->pid > 0) {
			running->pipe = ends[0];
			return;
		}
		close(ends[0]);
	}
	cli_error(batch->command, "cannot start %s: %s", running->job->words[0], strerror(errno));
}

/* Takes what is in the pipe; at its end, the exit status. */
static void take(struct running *running)
{
	char bytes[STEP];
	ssize_t got = read(running->pipe, bytes, sizeof bytes);
	if (got > 0)
		append(&running->stats, bytes, (size_t)got);
	if (got > 0 || (got < 0 && errno == EINTR))
		return;
	close(running->pipe);
	running->pipe = -1;
	while (waitpid(running->pid, &running->status, 0) < 0 && errno == EINTR)
		;
	running->ended = true;
}

static struct text read_output(FILE *output)
{
	struct text text = {0};
	char bytes[STEP];
	size_t got;
	rewind(output);
	append(&text, "", 0);
	while ((got = fread(bytes, 1, sizeof bytes, output)) > 0)
		append(&text, bytes, got);
	return text;
}

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

/* False when it is not the statistics of a whole run. */
static bool read_figures(const struct text *stats, struct figures *figures)
{
	json_t *root = json_loadb(stats->bytes ? stats->bytes : "", stats->length, 0, NULL);
	const json_t *kernels = json_object_get(root, "kernels"), *totals = json_object_get(root, "totals");
	if (!kernels || !totals) {
		json_decref(root);
		return false;
	}
	*figures = (struct figures){
		.launches = json_array_size(kernels),
		.warp_instructions = whole(totals, "warp_instructions"),
		.thread_instructions = whole(totals, "thread_instructions"),
		.cycles = whole(totals, "cycles"),
		.timed = json_is_integer(json_object_get(totals, "cycles")),
		.seconds = json_number_value(json_object_get(totals, "host_seconds")),
	};
	for (size_t i = 0; i < figures->launches; i++) {
		const json_t *grid = json_object_get(json_array_get(kernels, i), "grid");
		long long blocks = 1;
		for (size_t d = 0; d < 3; d++)
			blocks *= (long long)json_integer_value(json_array_get(grid, d));
		figures->blocks += blocks;
		figures->kernels += is_first(kernels, i);
	}
	json_decref(root);
	return true;
}

/* "PASS", or what is wrong. */
static const char *judge(const struct running *running, const struct text *output, bool has_figures, char text[64])
{
	if (!running->ended)
		return "FAIL: not started";
	if (WIFSIGNALED(running->status))
		snprintf(text, 64, "FAIL: %s", strsignal(WTERMSIG(running->status)));
	else if (WEXITSTATUS(running->status) != 0)
		snprintf(text, 64, "FAIL: exit status %d", WEXITSTATUS(running->status));
	else if (!strstr(output->bytes, "PASS"))
		return "FAIL: printed no PASS";
	else if (!has_figures)
		return "FAIL: wrote no statistics";
	else
		return "PASS";
	return text;
}

/* The last lines of what the program printed, indented. */
static void print_output(const struct text *output)
{
	const char *from = output->bytes + output->length;
	for (size_t lines = 0; from > output->bytes; from--)
		if (from[-1] == '\n' && *from && ++lines == SHOWN_LINES)
			break;
	while (*from) {
		size_t length = strcspn(from, "\n");
		printf("    %.*s\n", (int)length, from);
		from += length + (from[length] != '\0');
	}
}

static void print_row(const struct table *table, const struct batch_job *job, const struct figures *figures,
                      const char *verdict)
{
	printf("%-*s %-*s", table->program_width, job->program->name, table->variant_width, job->variant);
	if (!figures)
		printf(" %7s %8s %9s %13s %11s %8s %8s", "-", "-", "-", "-", "-", "-", "-");
	else
		printf(" %7zu %8zu %9lld %13lld", figures->kernels, figures->launches, figures->blocks,
		       figures->warp_instructions);
	if (figures && figures->timed)
		printf(" %11lld %8.2f", figures->cycles,
		       figures->cycles ? (double)figures->thread_instructions / (double)figures->cycles : 0);
	else if (figures)
		printf(" %11s %8s", "-", "-");
	if (figures)
		printf(" %8.2f", figures->seconds);
	printf("  %s\n", verdict);
}

static bool keep_stats(const struct batch *batch, const struct running *running)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s-%s.json", batch->stats_folder, running->job->program->name,
	         running->job->variant);
	FILE *file = fopen(path, "w");
	bool fine = file && fwrite(running->stats.bytes, 1, running->stats.length, file) == running->stats.length;
	fine = (!file || fclose(file) == 0) && fine;
	if (!fine)
		cli_error(batch->command, "cannot write %s: %s", path, strerror(errno));
	return fine;
}

static void finish(struct table *table, struct running *running)
{
	struct figures figures;
	struct text output = {0};
	char reason[64];
	if (running->output)
		output = read_output(running->output);
	bool has_figures = read_figures(&running->stats, &figures);
	const char *verdict = judge(running, &output, has_figures, reason);
	bool passed = strcmp(verdict, "PASS") == 0;
	print_row(table, running->job, has_figures ? &figures : NULL, verdict);
	if (!passed && output.bytes)
		print_output(&output);
	fflush(stdout);
	if (has_figures && table->batch->stats_folder)
		passed = keep_stats(table->batch, running) && passed;
	table->failed += !passed;
	if (running->output)
		fclose(running->output);
	free(running->stats.bytes);
	free(output.bytes);
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

/* Waits until a running job has written something or ended. */
static void await(struct running *list, size_t count)
{
	struct pollfd *polls = xcalloc(count, sizeof *polls);
	for (size_t i = 0; i < count; i++)
		polls[i] = (struct pollfd){.fd = list[i].pipe, .events = POLLIN};
	if (poll(polls, count, -1) > 0)
		for (size_t i = 0; i < count; i++)
			if (list[i].pipe >= 0 && polls[i].revents)
				take(&list[i]);
	free(polls);
}

static size_t count_running(const struct running *list, size_t count)
{
	size_t running = 0;
	for (size_t i = 0; i < count; i++)
		running += list[i].pipe >= 0;
	return running;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
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
	struct table table = {.batch = batch, .list = xcalloc(batch->count + 1, sizeof *table.list)};
	double started = now();
	size_t next = 0;
	for (size_t i = 0; i < batch->count; i++)
		table.list[i] = (struct running){.job = &batch->jobs[i], .pipe = -1};
	print_heading(&table);
	while (table.printed < batch->count) {
		while (next < batch->count && count_running(table.list, next) < batch->parallel)
			start(batch, &table.list[next++]);
		if (count_running(table.list, next))
			await(table.list, next);
		/* rows in the order of the jobs, whichever ends first */
		while (table.printed < next && table.list[table.printed].pipe < 0)
			finish(&table, &table.list[table.printed++]);
	}
	size_t programs = count_programs(batch);
	printf("%zu program%s, %zu run%s: %zu passed, %zu failed; %.1f s\n", programs, programs == 1 ? "" : "s",
	       batch->count, batch->count == 1 ? "" : "s", batch->count - table.failed, table.failed, now() - started);
	free(table.list);
	return table.failed ? CLI_FAILED : 0;
}
