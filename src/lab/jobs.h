/* jobs: runs programs in local processes, several at a time, and stores their output and statistics. */
#ifndef SLUICE_LAB_JOBS_H
#define SLUICE_LAB_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct job_text {
	char *bytes; /* NUL-terminated; NULL while it is empty */
	size_t length;
};

/* Zero-initialize, except for the first group of fields. */
struct job {
	char **words; /* the command line, NULL-terminated; words[0] is the program's path */
	bool quiet;   /* it need not print PASS */
	const char *folder;   /* its working folder; NULL: the current one */
	const char *progress; /* the file to which it writes its progress (SLUICE_PROGRESS_FILE), or NULL */
	/* After its end: */
	bool ended, started;
	int status;                    /* as from waitpid() */
	int error;                     /* errno, when it was not started */
	double seconds;                /* from its start to its end */
	uint64_t peak;                 /* memory of its largest process, in bytes */
	struct job_text stats, output; /* JSON; output on stdout and stderr */
	/* While it runs: */
	double since;
	pid_t pid;
	int pipe; /* carries its statistics; end of file means the program's end */
	FILE *printed;
};

/* Callbacks with a job's number. Each may be NULL. */
struct jobs_watch {
	void *context;
	bool (*needed)(void *context,
	               size_t number); /* called before the start; false: the job ends unstarted, without error */
	/* false: the job waits until another has ended; not called when none runs */
	bool (*fits)(void *context, size_t number);
	bool (*ended)(void *context, size_t number); /* false: stop all others */
	void (*wait)(void *context);                 /* about twice a second */
	/* a further signal that ends all jobs, but not this process; the caller has blocked it. 0: none */
	int warning;
};

/* Runs the jobs in this environment, at most `parallel` at a time, fewer if `fits` refuses. Sets SLUICE_STATS for
 * each. Returns when all have ended or were stopped. A signal that ends this process first ends all processes that
 * the jobs have started. They do not outlive it when it is killed, either. Returns whether the warning has arrived. */
bool jobs_run(struct job *jobs, size_t count, size_t parallel, const struct jobs_watch *watch);

/* Whether it was ended from outside, by a signal that users and systems use to end runs. Such an end tells nothing
 * about the program. A terminal sends the signal to the jobs and to this process at once, and either may end first. */
bool job_was_interrupted(const struct job *job);

/* Whether it was ended from outside, by one of these signals or by SIGKILL, which a system short of memory sends. */
bool job_was_ended(const struct job *job);

/* Kind of statistics: none of a whole run; of a program that ended normally; of one that a limit of instructions
 * cut. */
enum job_stats { JOB_STATS_NONE, JOB_STATS_WHOLE, JOB_STATS_CUT };
enum job_stats job_stats_are(const json_t *stats);

/* Returns "PASS", or the reason of failure of an ended job; a text that is not constant is written to `room`. A
 * correct program ends with status 0, prints PASS (unless it is quiet) and has written statistics. "cut": a limit of
 * instructions ended it. Its correctness is then unknown, and its statistics are valid up to that point. */
const char *job_verdict(const struct job *job, enum job_stats stats, char room[96]);

/* Whether figures use the statistics of a run with this verdict. */
bool verdict_counts(const char *verdict);

/* Returns the last lines of its output; "" when there is none. */
const char *job_last_lines(const struct job *job, size_t lines);

/* Frees its texts. */
void job_free(struct job *job);

double jobs_now(void); /* seconds of a monotonic clock */

#endif
