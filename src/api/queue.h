/* queue: the work of streams: launches, copies, and calls of the host between them. Work starts when all work that it
 * follows has ended. A launch runs alone if no other launch could start, and no copy could end, before it ends.
 * Otherwise a session of the machine begins. In it, further launches start as soon as they may. It lasts until no
 * kernel runs. */
#ifndef SLUICE_API_QUEUE_H
#define SLUICE_API_QUEUE_H

#include "sluice_runtime.h"

#include "api/device_launch.h"
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
	WORK_RUNS,  /* a launch whose grid runs; a copy in progress */
	WORK_STAYS, /* a launch whose grid has ended, but not all grids that it launched */
	WORK_ENDED,
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
	size_t unfinished;       /* it and the grids that it launched: the number of those that have not ended */
	struct work *parked;     /* a list: works of kernels that cannot start before this one has ended */
	struct work *next_parked; /* in such a list */
	struct device_launches tail; /* grids that start in turn when all others of the launch have ended */
	size_t tails_started;
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
	bool has_new;   /* a kernel has queued a grid, or failed to, since `next` was last called */
	double host_seconds;
	double last_end; /* host seconds at the end of the last launch of a functional run */
	struct launch_progress progress;
	struct simt_turns *turns; /* of a functional session in progress */
};

struct queue {
	struct work **work; /* in the order of their numbers, which begin with `base` */
	size_t count, capacity;
	size_t first; /* all work before this index has ended */
	struct work **open; /* the host's work that has not started, and some that has, in the order of numbers */
	size_t open_count, open_capacity;
	struct work **ready; /* a heap: grids of kernels that may start, the next one first */
	size_t ready_count, ready_capacity;
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
/* The launch, which queue_next() has returned, starts. */
void queue_begin(struct queue *queue, struct work *work);
/* True when no other launch could start, and no copy could end, while this one runs. */
bool queue_is_alone(const struct queue *queue, const struct work *work);
bool queue_has_ended(const struct queue *queue, uint64_t number);
/* True when the wanted work has ended. */
bool queue_has_wanted(const struct queue *queue);
/* Adds work without its call or launch, in the present cycle. queue_add() adds work of the host, and queue_add_inner()
 * work of a kernel. The latter ends with queue_place(), when its call or launch is set. */
struct work *queue_add(sluice_gpu *gpu, const uint64_t *after, size_t count);
struct work *queue_add_inner(sluice_gpu *gpu, const uint64_t *after, size_t count);
void queue_place(sluice_gpu *gpu, struct work *work);
/* Doubles an array of works that is full. */
void queue_make_room(struct work ***works, size_t count, size_t *capacity);
/* The work, or a grid that it launched, has ended in the cycle. If all of it has, marks it as ended. */
void queue_end(sluice_gpu *gpu, struct work *work, uint64_t cycle);
/* Frees all work, which is dropped if it has not ended. */
void queue_drop(struct queue *queue);

/* queue_ready.c: works of kernels that may start. */

/* True when the first work starts before the second. */
bool queue_starts_before(const struct work *first, const struct work *second);
void queue_push_ready(struct queue *queue, struct work *work);
/* The grid that starts next; NULL: none is ready. */
struct work *queue_first_ready(const struct queue *queue);
void queue_pop_ready(struct queue *queue);

/* queue_children.c: grids that kernels launch. */

/* True when the launch's grids should run as work of the queue: its kernel launches some, and they may overlap. */
bool queue_takes_children(const struct launch *launch);
/* Runs a launch as the queue's only work, with the grids that it launches. Closes it. */
enum sluice_status queue_run_family(sluice_gpu *gpu, struct launch *launch, struct sluice_error *error);
/* The work starts: its blocks may queue grids. */
void queue_accept_children(struct work *work);
/* Queues the grids that waited for the end of the launch's own grid. */
void queue_add_waiting(struct work *work);
/* Queues the next grid that runs when all others of the launch have ended. False: there is none. */
bool queue_start_tail(sluice_gpu *gpu, struct work *work);
/* Returns the number of work that ends with both. */
uint64_t queue_join(sluice_gpu *gpu, uint64_t first, uint64_t second);
/* The first failure ends all work. */
void queue_keep_failure(struct queue *queue, enum sluice_status status);

/* queue_session.c: launches that run at the same time. */

/* Begins a session, or goes on with a suspended one. */
void queue_run_session(sluice_gpu *gpu);
/* Ends a suspended session. */
void queue_cut_session(sluice_gpu *gpu);

#endif
