/* queue: the work of streams: launches, copies, and calls of the host between them. Work starts when all work that it
 * follows has ended. A launch runs alone if no other launch could start, and no copy could end, before it ends.
 * Otherwise a session of the machine begins. In it, further launches start as soon as they may. It lasts until no
 * kernel runs. */
#ifndef SLUICE_API_QUEUE_H
#define SLUICE_API_QUEUE_H

#include "sluice_runtime.h"

#include "gpu/gpu.h"
#include "output/copies.h"

struct launch;

/* The state of calls of the user's progress function. */
struct launch_progress {
	sluice_gpu *gpu;
	const char *kernel;
	double last; /* host seconds of the last call */
};

enum work_state {
	WORK_WAITS,
	WORK_RUNS,  /* a launch whose grid, or a grid launched by it, has not ended; a copy in progress */
	WORK_ENDED, /* for a launch: also all grids that it launched */
};

struct work {
	uint64_t number;
	enum work_state state;
	uint64_t *after; /* numbers of work that must have ended before */
	size_t after_count;
	void (*call)(void *user, bool run); /* of a call, or of a copy, which makes it at its end; NULL: a launch */
	void *user;
	bool is_copy;     /* it takes time */
	struct copy_record copy; /* of a copy: its record. Its time is filled in when it starts */
	uint64_t queued, ended; /* core cycles */
	struct launch *launch;
	int32_t priority;
	uint32_t hardware_queue; /* launches of one start in order; NO_HARDWARE_QUEUE: in none */
	struct work *parent;     /* the launch whose grid launched this one; or NULL */
	size_t children;         /* grids launched by it that have not ended */
	struct simt_job job;     /* of a launch in a functional session */
};

#define NO_HARDWARE_QUEUE UINT32_MAX

/* A session of the machine, or of a functional run. */
struct queue_session {
	struct gpu_session machine;
	bool is_open;
	size_t record;  /* index in records.session */
	size_t first_launch; /* index of the first record of a launch that can be in it */
	size_t running; /* launches in progress */
	bool begins;    /* no launch has started in it */
	double host_seconds;
	struct launch_progress progress;
	struct simt_turns *turns; /* of a functional session in progress */
};

struct queue {
	struct work **work; /* in the order of their numbers, which begin with `base` */
	size_t count, capacity;
	size_t first; /* all work before this index has ended */
	uint64_t base; /* from 1 */
	uint64_t wanted; /* a session is suspended when this work has ended; 0: never */
	uint64_t now;    /* core cycle up to which copies have been simulated */
	bool calls;      /* a call is being made, in cycle `now` */
	struct work *engine[2]; /* by direction: the copy in progress; both directions have element 0 with one engine */
	struct queue_session session;
	enum sluice_status status; /* of the first launch that failed */
	struct sluice_error error;
};

/* Ends a session, and drops all work that has not ended. */
void queue_close(sluice_gpu *gpu);

/* queue_order.c: which work starts next. */

/* Runs all calls that may run, and starts and ends copies up to the present cycle. Returns the launch that starts next;
 * NULL: none may start now. */
struct work *queue_next(sluice_gpu *gpu);
/* The core cycle in which the next copy ends; UINT64_MAX: none is in progress. */
uint64_t queue_next_copy(const struct queue *queue);
/* Simulated seconds at the call that is being made. */
double queue_seconds(const sluice_gpu *gpu);
/* True when no other launch could start, and no copy could end, while this one runs. */
bool queue_is_alone(const struct queue *queue, const struct work *work);
bool queue_has_ended(const struct queue *queue, uint64_t number);
/* True when the wanted work has ended. */
bool queue_has_wanted(const struct queue *queue);
/* Adds work without its call or launch, in the present cycle. */
struct work *queue_add(sluice_gpu *gpu, const uint64_t *after, size_t count);
/* Marks the work as ended in the cycle, and its parent if this was the last child. */
void queue_end(struct queue *queue, struct work *work, uint64_t cycle);
/* Frees all work, which is dropped if it has not ended. */
void queue_drop(struct queue *queue);

/* queue_session.c: launches that run at the same time. */

/* Begins a session, or goes on with a suspended one. */
void queue_run_session(sluice_gpu *gpu);
/* Ends a suspended session. */
void queue_cut_session(sluice_gpu *gpu);

#endif
