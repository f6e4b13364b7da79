#include "lab/jobs.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATS_FD = 3, STEP = 1 << 16, WAIT_MS = 500, CANNOT_RUN = 126 };

double jobs_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void append(struct job_text *text, const char *bytes, size_t count)
{
	text->bytes = xrealloc(text->bytes, text->length + count + 1);
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

/* In the child: becomes the program, which writes its statistics to STATS_FD. */
static void become(const struct job *job, int stats, int output)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* no run outlives the one who wants it */
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
	_exit(CANNOT_RUN);
}

static void start(struct job *job)
{
	int ends[2];
	fflush(NULL);
	job->since = jobs_now();
	job->printed = tmpfile();
	if (job->printed && pipe2(ends, O_CLOEXEC) == 0) {
		job->pid = fork();
		if (job->pid == 0)
			become(job, ends[1], fileno(job->printed));
		job->error = errno;
		close(ends[1]);
		if (job->pid > 0) {
			job->pipe = ends[0];
			job->started = true;
			return;
		}
		close(ends[0]);
	} else {
		job->error = errno;
	}
	job->ended = true;
}

static void read_printed(struct job *job)
{
	char bytes[STEP];
	size_t got;
	rewind(job->printed);
	while ((got = fread(bytes, 1, sizeof bytes, job->printed)) > 0)
		append(&job->output, bytes, got);
	fclose(job->printed);
	job->printed = NULL;
}

/* Takes what is in the pipe; at its end, the exit status. */
static void take(struct job *job)
{
	char bytes[STEP];
	ssize_t got = read(job->pipe, bytes, sizeof bytes);
	if (got > 0)
		append(&job->stats, bytes, (size_t)got);
	if (got > 0 || (got < 0 && errno == EINTR))
		return;
	close(job->pipe);
	job->pipe = -1;
	while (waitpid(job->pid, &job->status, 0) < 0 && errno == EINTR)
		;
	job->seconds = jobs_now() - job->since;
	read_printed(job);
	job->ended = true;
}

/* Waits until a running job has written something or ended, but not long. */
static void await(struct job *jobs, size_t count)
{
	struct pollfd *polls = xcalloc(count, sizeof *polls);
	for (size_t i = 0; i < count; i++)
		polls[i] = (struct pollfd){.fd = jobs[i].pipe, .events = POLLIN};
	if (poll(polls, count, WAIT_MS) > 0)
		for (size_t i = 0; i < count; i++)
			if (jobs[i].pipe >= 0 && polls[i].revents)
				take(&jobs[i]);
	free(polls);
}

static size_t count_running(const struct job *jobs, size_t count)
{
	size_t running = 0;
	for (size_t i = 0; i < count; i++)
		running += jobs[i].pipe >= 0;
	return running;
}

static void stop(struct job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (jobs[i].pipe >= 0)
			kill(jobs[i].pid, SIGTERM);
	while (count_running(jobs, count))
		await(jobs, count);
}

/* Starts what there is room for; returns how many have had their turn. */
static size_t start_some(struct job *jobs, size_t next, size_t count, size_t parallel, const struct jobs_watch *watch)
{
	while (next < count && count_running(jobs, next) < parallel) {
		struct job *job = &jobs[next];
		if (watch->needed && !watch->needed(watch->context, next))
			job->ended = true;
		else
			start(job);
		next++;
	}
	return next;
}

void jobs_run(struct job *jobs, size_t count, size_t parallel, const struct jobs_watch *watch)
{
	bool *told = xcalloc(count + 1, sizeof *told);
	size_t next = 0, done = 0;
	bool going = true;
	for (size_t i = 0; i < count; i++)
		jobs[i].pipe = -1;
	while (going && done < count) {
		next = start_some(jobs, next, count, parallel, watch);
		if (watch->wait)
			watch->wait(watch->context);
		if (count_running(jobs, next))
			await(jobs, next);
		for (size_t i = 0; i < next; i++) {
			if (!jobs[i].ended || told[i])
				continue;
			told[i] = true;
			done++;
			if (going && watch->ended)
				going = watch->ended(watch->context, i);
		}
	}
	stop(jobs, next);
	free(told);
}

const char *job_verdict(const struct job *job, bool has_stats, char room[96])
{
	if (!job->started)
		snprintf(room, 96, "FAIL: not started: %s", strerror(job->error));
	else if (WIFSIGNALED(job->status))
		snprintf(room, 96, "FAIL: %s", strsignal(WTERMSIG(job->status)));
	else if (WEXITSTATUS(job->status) != 0)
		snprintf(room, 96, "FAIL: exit status %d", WEXITSTATUS(job->status));
	else if (!job->output.bytes || !strstr(job->output.bytes, "PASS"))
		return "FAIL: printed no PASS";
	else if (!has_stats)
		return "FAIL: wrote no statistics";
	else
		return "PASS";
	return room;
}

const char *job_last_lines(const struct job *job, size_t lines)
{
	if (!job->output.bytes)
		return "";
	const char *from = job->output.bytes + job->output.length;
	for (size_t found = 0; from > job->output.bytes; from--)
		if (from[-1] == '\n' && *from && ++found == lines)
			break;
	return from;
}

void job_free(struct job *job)
{
	free(job->stats.bytes);
	free(job->output.bytes);
	job->stats = job->output = (struct job_text){0};
}
