#include "lab/jobs.h"

#include "base/arena.h"
#include "lab/end_signals.h"
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATS_FD = 3, STEP = 1 << 16, WAIT_MS = 500, CANNOT_RUN = 126 };
static const double GRACE = 2; /* seconds between SIGTERM and SIGKILL */

/* All jobs of a jobs_run(). Each runs in its own process group, so that processes it has started end with it.
 * Signals that a terminal sends to its foreground group must therefore be forwarded. */
struct crowd {
	struct job *jobs;
	size_t count, next; /* jobs before `next` have been handled */
	struct end_signals signals;
	int warning; /* as in jobs_watch */
};

double jobs_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void append(struct job_text *text, const char *bytes, size_t count)
{
	text->bytes = base_realloc(text->bytes, text->length + count + 1);
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

/* Connects statistics and both outputs; standard input is empty. */
static bool redirect(int stats, int output)
{
	close(STDIN_FILENO); /* the next descriptor will be this one */
	return open("/dev/null", O_RDONLY) == STDIN_FILENO && dup2(output, STDOUT_FILENO) >= 0 &&
	       dup2(output, STDERR_FILENO) >= 0 &&
	       (stats == STATS_FD ? fcntl(stats, F_SETFD, 0) : dup2(stats, STATS_FD)) >= 0;
}

/* In the child: becomes the program, which writes its statistics to STATS_FD. */
static void become(const struct job *job, int stats, int output, pid_t parent, const sigset_t *signals)
{
	char path[32];
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives its parent */
	if (getppid() != parent)          /* the parent may have ended before the call */
		_exit(CANNOT_RUN);
	if (redirect(stats, output) && (!job->folder || chdir(job->folder) == 0)) {
		snprintf(path, sizeof path, "/dev/fd/%d", STATS_FD);
		setenv("SLUICE_STATS", path, 1);
		setenv("SLUICE_STATS_FORMAT", "json", 1);
		setenv("SLUICE_PROGRESS", "0", 1);
		if (job->progress)
			setenv("SLUICE_PROGRESS_FILE", job->progress, 1);
		sigprocmask(SIG_SETMASK, signals, NULL);
		execv(job->words[0], job->words);
	}
	dprintf(output, "cannot start %s: %s\n", job->words[0], strerror(errno));
	_exit(CANNOT_RUN);
}

/* Opens a file for the program's output, which no other program inherits. */
static FILE *open_printed(void)
{
	FILE *file = tmpfile();
	if (file)
		fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
	return file;
}

/* Returns 0, or errno. */
static int start_process(struct job *job, const sigset_t *signals)
{
	int ends[2];
	pid_t parent = getpid();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	fflush(NULL);
	job->pid = fork();
	if (job->pid == 0)
		become(job, ends[1], fileno(job->printed), parent, signals);
	int error = job->pid < 0 ? errno : 0;
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	setpgid(job->pid, job->pid); /* both processes do this, because either may be first */
	job->pipe = ends[0];
	job->started = true;
	return 0;
}

static int start_job(struct job *job, const sigset_t *signals)
{
	job->since = jobs_now();
	job->printed = open_printed();
	int error = job->printed ? start_process(job, signals) : errno;
	if (error && job->printed) {
		fclose(job->printed);
		job->printed = NULL;
	}
	return error;
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

/* Reads from the pipe; at its end, takes the exit status. */
static void read_job(struct job *job)
{
	char bytes[STEP];
	ssize_t got = read(job->pipe, bytes, sizeof bytes);
	if (got > 0)
		append(&job->stats, bytes, (size_t)got);
	if (got > 0 || (got < 0 && errno == EINTR))
		return;
	close(job->pipe);
	job->pipe = -1;
	struct rusage used = {0};
	while (wait4(job->pid, &job->status, 0, &used) < 0 && errno == EINTR)
		;
	job->peak = (uint64_t)used.ru_maxrss * 1024;
	job->seconds = jobs_now() - job->since;
	read_printed(job);
	job->ended = true;
}

static size_t count_running(const struct crowd *crowd)
{
	size_t running = 0;
	for (size_t i = 0; i < crowd->next; i++)
		running += crowd->jobs[i].pipe >= 0;
	return running;
}

static void signal_all(const struct crowd *crowd, int number)
{
	for (size_t i = 0; i < crowd->next; i++)
		if (crowd->jobs[i].pipe >= 0)
			kill(-crowd->jobs[i].pid, number);
}

static void take_signal(struct crowd *crowd)
{
	int signal = end_signals_next(&crowd->signals);
	if (!signal || (signal == crowd->warning && crowd->signals.caught))
		return;
	if (signal != SIGTSTP) {
		crowd->signals.caught = signal;
		return;
	}
	signal_all(crowd, SIGSTOP);
	raise(SIGSTOP); /* until the user continues it */
	signal_all(crowd, SIGCONT);
}

/* Waits a limited time until a running job has written something or ended, or a signal has arrived. */
static void await(struct crowd *crowd)
{
	size_t count = 0, running = count_running(crowd);
	struct pollfd *polls = base_calloc(running + 1, sizeof *polls);
	struct job **job = base_calloc(running + 1, sizeof *job);
	for (size_t i = 0; i < crowd->next; i++) {
		if (crowd->jobs[i].pipe < 0)
			continue;
		polls[count] = (struct pollfd){.fd = crowd->jobs[i].pipe, .events = POLLIN};
		job[count++] = &crowd->jobs[i];
	}
	polls[count] = (struct pollfd){.fd = crowd->signals.descriptor, .events = POLLIN};
	int ready = poll(polls, count + 1, WAIT_MS);
	/* without memory for poll(), jobs are waited for one after the other */
	bool unknown = ready < 0 && errno != EINTR;
	if (ready > 0 && polls[count].revents)
		take_signal(crowd);
	for (size_t i = 0; i < count; i++)
		if (unknown || (ready > 0 && polls[i].revents))
			read_job(job[i]);
	free(polls);
	free(job);
}

/* SIGTERM first, then SIGKILL. */
static void stop_jobs(struct crowd *crowd)
{
	double since = jobs_now();
	signal_all(crowd, SIGTERM);
	while (count_running(crowd) && jobs_now() - since < GRACE)
		await(crowd);
	signal_all(crowd, SIGKILL);
	while (count_running(crowd))
		await(crowd);
}

/* Whether the host lacks a resource that ended jobs will return. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
}

/* Starts jobs while the limits permit. */
static void start_some(struct crowd *crowd, size_t parallel, const struct jobs_watch *watch)
{
	while (crowd->next < crowd->count && count_running(crowd) < parallel) {
		struct job *job = &crowd->jobs[crowd->next];
		if (watch->fits && count_running(crowd) && !watch->fits(watch->context, crowd->next))
			return;
		bool needed = !watch->needed || watch->needed(watch->context, crowd->next);
		int error = needed ? start_job(job, &crowd->signals.before) : 0;
		if (is_shortage(error) && count_running(crowd))
			return;
		job->error = error;
		job->ended = !job->started;
		crowd->next++;
	}
}

/* Calls back for jobs that have ended since the last call. Returns false when all shall end. */
static bool report_ended(const struct crowd *crowd, bool *told, size_t *done, const struct jobs_watch *watch)
{
	bool going = true;
	for (size_t i = 0; i < crowd->next; i++) {
		if (!crowd->jobs[i].ended || told[i])
			continue;
		told[i] = true;
		++*done;
		if (going && watch->ended)
			going = watch->ended(watch->context, i);
	}
	return going;
}

bool jobs_run(struct job *jobs, size_t count, size_t parallel, const struct jobs_watch *watch)
{
	const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, watch->warning, 0};
	struct crowd crowd = {.jobs = jobs, .count = count, .warning = watch->warning};
	bool *told = base_calloc(count + 1, sizeof *told);
	size_t done = 0;
	bool going = true;
	for (size_t i = 0; i < count; i++)
		jobs[i].pipe = -1;
	/* if the caller ignores SIGCHLD, as some shell scripts do, exit statuses would be lost */
	void (*child)(int) = signal(SIGCHLD, SIG_DFL);
	end_signals_catch(&crowd.signals, numbers);
	if (watch->warning)
		sigdelset(&crowd.signals.before, watch->warning);
	while (going && !crowd.signals.caught && done < count) {
		start_some(&crowd, parallel, watch);
		if (watch->wait)
			watch->wait(watch->context);
		if (count_running(&crowd))
			await(&crowd);
		going = report_ended(&crowd, told, &done, watch);
	}
	stop_jobs(&crowd);
	free(told);
	signal(SIGCHLD, child);
	bool warned = watch->warning && crowd.signals.caught == watch->warning;
	if (warned)
		crowd.signals.caught = 0;
	end_signals_release(&crowd.signals);
	return warned;
}

bool job_was_interrupted(const struct job *job)
{
	if (!job->started || !WIFSIGNALED(job->status))
		return false;
	int number = WTERMSIG(job->status);
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

bool job_was_ended(const struct job *job)
{
	return job_was_interrupted(job) ||
	       (job->started && WIFSIGNALED(job->status) && WTERMSIG(job->status) == SIGKILL);
}

enum job_stats job_stats_are(const json_t *stats)
{
	const char *ended = json_string_value(json_object_get(stats, "ended"));
	if (!json_object_get(stats, "kernels") || !json_object_get(stats, "totals"))
		return JOB_STATS_NONE;
	return ended && strncmp(ended, "stopped", 7) == 0 ? JOB_STATS_CUT : JOB_STATS_WHOLE;
}

bool verdict_counts(const char *verdict)
{
	return strcmp(verdict, "PASS") == 0 || strcmp(verdict, "cut") == 0;
}

const char *job_verdict(const struct job *job, enum job_stats stats, char room[96])
{
	if (!job->started)
		snprintf(room, 96, "FAIL: not started: %s", strerror(job->error));
	else if (WIFSIGNALED(job->status))
		snprintf(room, 96, "FAIL: %s", strsignal(WTERMSIG(job->status)));
	else if (WEXITSTATUS(job->status) == SLUICE_EXIT_STOPPED && stats == JOB_STATS_CUT)
		return "cut";
	else if (WEXITSTATUS(job->status) != 0)
		snprintf(room, 96, "FAIL: exit status %d", WEXITSTATUS(job->status));
	else if (!job->quiet && (!job->output.bytes || !strstr(job->output.bytes, "PASS")))
		return "FAIL: printed no PASS";
	else if (stats == JOB_STATS_NONE)
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
