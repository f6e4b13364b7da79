/* queue: the runs of a plan that must be made, in the order of their starts, and their results. It serves both back
 * ends: local processes (queue_local.c) and a cluster (queue_slurm.c). */
#ifndef SLUICE_LAB_QUEUE_H
#define SLUICE_LAB_QUEUE_H

#include "lab/jobs.h"
#include "lab/cost_history.h"
#include "lab/plan.h"
#include "lab/sweep_folder.h"

struct queued {
	struct planned *planned;
	struct run_cost expected;
	char id[SWEEP_ID];
	bool done;
};

struct queue {
	struct plan *plan;
	struct store *store;
	const struct plan_way *way;
	struct cost_history *history;
	struct queued *runs; /* the longest first */
	size_t count, done, failed;
	/* runs of the plan that need not be made: with results, and with earlier failures */
	size_t there, failed_before;
	size_t of_other_builds;      /* runs to make that another build has made */
	double started, shown;       /* when the progress line was last drawn */
	double spent;                /* seconds of all runs that have ended */
	bool terminal, line_shown, store_failed;
	char host[64];
};

/* Finds the missing runs. Returns false after a message. */
bool queue_make(struct queue *queue, struct plan *plan, struct store *store, const struct plan_way *way);
void queue_free(struct queue *queue);

/* Whether a run must still be made: another process may have made it meanwhile. */
bool queue_needs(const struct queue *queue, const struct planned *planned);

/* Returns the expected seconds of a run, by current knowledge; 0: unknown. */
double queue_expect(const struct queue *queue, const struct queued *queued);

/* Reports a run that has ended, counts it, and updates the cost history. `output` is its output. */
void queue_ended(struct queue *queue, struct queued *queued, const struct run_result *result);

/* Writes a separate message on standard error, with the progress line removed. */
void queue_clear_line(struct queue *queue);
__attribute__((format(printf, 2, 3))) void queue_tell(struct queue *queue, const char *format, ...);

/* Draws the progress line: number of running runs, their description, seconds to the end (less than 0: unknown). */
void queue_show(struct queue *queue, size_t running, const char *what, double left);
/* Whether the progress line is due. */
bool queue_is_shown(const struct queue *queue);

/* "2 h 05 min", "3 min", "12 s" */
void queue_time_text(double seconds, char text[32]);

/* Returns the result of an ended job. `stats` becomes a text to be freed by the caller, or NULL. */
struct run_result queue_result(const struct job *job, const char *revision, const char *host, char **stats,
                               char room[96]);

/* Whether the run keeps a journal. */
bool queue_keeps_journal(const struct queue *queue, const struct planned *planned);
/* Removes the journals of runs that have ended, but not of those that failed from outside: `--retry` goes on with them.
 * Call when no run is running. */
void queue_forget_journals(const struct queue *queue, const char *folder);
/* Reason of failure of a run that a journal may have changed: its kernels might overlap without one; or NULL. */
const char *queue_changed_by_journal(const struct run_result *result);

/* Make the runs. */
void queue_run_local(struct queue *queue);
bool queue_run_slurm(struct queue *queue); /* false after a message */

#endif
