/* queue: the work of streams: launches, and calls of the host between them. Work starts when all work that it follows
 * has ended. A launch runs alone if no other could start before it ends. Otherwise a session of the machine begins. In
 * it, further launches start as soon as they may. It lasts until no kernel runs. */
#ifndef SLUICE_API_QUEUE_H
#define SLUICE_API_QUEUE_H

#include "sluice_runtime.h"

#include "gpu/gpu.h"

struct launch;

/* The state of calls of the user's progress function. */
struct launch_progress {
	sluice_gpu *gpu;
	const char *kernel;
	double last; /* host seconds of the last call */
};

enum work_state {
	WORK_WAITS,
	WORK_RUNS,  /* a launch whose grid, or a grid launched by it, has not ended */
	WORK_ENDED, /* for a launch: also all grids that it launched */
};

struct work {
	uint64_t number;
	enum work_state state;
	uint64_t *after; /* numbers of work that must have ended before */
	size_t after_count;
	void (*call)(void *user, bool run); /* of a call; NULL: a launch */
	void *user;
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
	struct queue_session session;
	enum sluice_status status; /* of the first launch that failed */
	struct sluice_error error;
};

/* Ends a session, and drops all work that has not ended. */
void queue_close(sluice_gpu *gpu);

/* queue_order.c: which work starts next. */

/* Runs all calls that may run. Returns the launch that starts next; NULL: none may start now. */
struct work *queue_next(struct queue *queue);
/* True when no other launch could start while this one runs. */
bool queue_is_alone(const struct queue *queue, const struct work *work);
bool queue_has_ended(const struct queue *queue, uint64_t number);
/* True when the wanted work has ended. */
bool queue_has_wanted(const struct queue *queue);
/* Adds work without its call or launch. */
struct work *queue_add(struct queue *queue, const uint64_t *after, size_t count);
/* Marks the work as ended, and its parent if this was the last child. */
void queue_end(struct queue *queue, struct work *work);
/* Frees all work, which is dropped if it has not ended. */
void queue_drop(struct queue *queue);

/* queue_session.c: launches that run at the same time. */

/* Begins a session, or goes on with a suspended one. */
void queue_run_session(sluice_gpu *gpu);
/* Ends a suspended session. */
void queue_cut_session(sluice_gpu *gpu);

#endif
