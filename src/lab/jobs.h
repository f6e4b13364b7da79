/* jobs: programs run in local processes, several at a time; what each printed and the statistics it wrote are kept. */
#ifndef SLUICE_LAB_JOBS_H
#define SLUICE_LAB_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct job_text {
	char *bytes; /* NUL-terminated; NULL while nothing is in it */
	size_t length;
};

/* Zero-initialise but for the words and what stands with them. */
struct job {
	char **words; /* the command line, NULL-terminated; words[0] is the program's path */
	bool quiet;   /* it need not print PASS */
	const char *folder;   /* where it runs; NULL: here */
	const char *progress; /* the file in which it says how far it is (SLUICE_PROGRESS_FILE), or NULL */
	/* Once it has ended: */
	bool ended, started;
	int status;                    /* as of waitpid() */
	int error;                     /* errno, when it was not started */
	double seconds;                /* from its start to its end */
	uint64_t peak;                 /* bytes that its largest process held */
	struct job_text stats, output; /* JSON; what it printed, on both outputs */
	/* While it runs: */
	double since;
	pid_t pid;
	int pipe; /* its statistics come through it, and its end is the program's end */
	FILE *printed;
};

/* What is told of a job by its number. Each may be NULL. */
struct jobs_watch {
	void *context;
	bool (*needed)(void *context,
	               size_t number); /* asked before it starts; false: it ends unstarted, without error */
	bool (*fits)(void *context, size_t number); /* false: it waits until another has ended; not asked when none runs */
	bool (*ended)(void *context, size_t number); /* false: stop all others */
	void (*wait)(void *context);                 /* twice a second or so */
};

/* Runs them in this environment, so many at a time, fewer where the host has not room for so many, with SLUICE_STATS set for
 * each. Returns when all have ended or were stopped. A signal that ends this process ends first what they have started;
 * they do not outlive it either when it is killed. */
void jobs_run(struct job *jobs, size_t count, size_t parallel, const struct jobs_watch *watch);

/* Ended from outside by a signal with which users and systems end what runs: it says nothing of the program. A terminal sends
 * it to jobs and to who waits for them at once, and which ends first is chance. */
bool job_was_interrupted(const struct job *job);

/* What statistics are: not those of a whole run; of a program that ended by itself; of one that a limit of instructions has cut. */
enum job_stats { JOB_STATS_NONE, JOB_STATS_WHOLE, JOB_STATS_CUT };
enum job_stats job_stats_are(const json_t *stats);

/* "PASS", or what is wrong with an ended job, in `room` where it is not a constant. A right program ends with status 0,
 * prints PASS (unless it is quiet) and has written statistics. "cut": its limit of instructions has ended it, so that nobody
 * knows whether it is right; its statistics are good as far as they go. */
const char *job_verdict(const struct job *job, enum job_stats stats, char room[96]);

/* Whether figures take the statistics of a run with that verdict. */
bool verdict_counts(const char *verdict);

/* The last lines of what it printed; "" when there is nothing. */
const char *job_last_lines(const struct job *job, size_t lines);

/* Gives its texts back. */
void job_free(struct job *job);

double jobs_now(void); /* seconds of a clock that only goes forward */

#endif
