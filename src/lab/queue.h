/* queue: the runs of a plan that are to be made, in the order in which they begin, and what becomes of them; for both that make them,
 * local processes (queue_local.c) and a cluster (queue_slurm.c).
 */
#ifndef SLUICE_LAB_QUEUE_H
#define SLUICE_LAB_QUEUE_H

#include "lab/jobs.h"
#include "lab/past.h"
#include "lab/plan.h"
#include "lab/sweep_folder.h"

struct queued {
	struct planned *planned;
	struct past_cost expected;
	char id[SWEEP_ID];
	bool done;
};

struct queue {
	struct plan *plan;
	struct store *store;
	const struct plan_way *way;
	struct past *past;
	struct queued *runs; /* the longest first */
	size_t count, done, failed;
	size_t there, failed_before; /* of the plan's runs, those that need no other one */
	double started, shown;       /* when the line was drawn last */
	double spent;                /* seconds of all that have ended */
	bool terminal, line_shown, store_failed;
	char host[64];
};

/* Looks up what is missing. False after a message. */
bool queue_make(struct queue *queue, struct plan *plan, struct store *store, const struct plan_way *way);
void queue_free(struct queue *queue);

/* Whether a run is still to be made: another process may have made it meanwhile. */
bool queue_needs(const struct queue *queue, const struct planned *planned);

/* Seconds that a run will take, by what is known now; 0: nothing is. */
double queue_expect(const struct queue *queue, const struct queued *queued);

/* Tells of a run that has ended, counts it and lets later estimates know. `output` is what it printed. */
void queue_ended(struct queue *queue, struct queued *queued, const struct run_result *result);

/* A message of its own on standard error, without the line of progress. */
void queue_clear_line(struct queue *queue);
__attribute__((format(printf, 2, 3))) void queue_tell(struct queue *queue, const char *format, ...);

/* Draws that line: so many runs at work, what they are, seconds to the end (less than 0: unknown). */
void queue_show(struct queue *queue, size_t running, const char *what, double left);
/* Whether it is time to. */
bool queue_is_shown(const struct queue *queue);

/* "2 h 05 min", "3 min", "12 s" */
void queue_time_text(double seconds, char text[32]);

/* What a job that has ended was; `stats` is from malloc, or NULL, and belongs to the caller. */
struct run_result queue_result(const struct job *job, const char *revision, const char *host, char **stats,
                               char room[96]);

/* Makes the runs. */
void queue_run_local(struct queue *queue);
bool queue_run_slurm(struct queue *queue); /* false after a message */

#endif
