/* stream_work: work of streams that the library queues (sluice_runtime.h), and the order that streams give it.
 *
 * A program that creates no stream has none: each of its calls runs its work before it returns. Otherwise asynchronous
 * calls queue their work. It runs when a call waits for it. */
#ifndef SLUICE_CUDART_STREAM_WORK_H
#define SLUICE_CUDART_STREAM_WORK_H

#include "cudart/runtime.h"

#include "sluice_runtime.h"

/* A stream with work that may not have ended. */
struct stream_work {
	uint64_t stream; /* its number: 0: the legacy stream; then in the order in which streams were created */
	uint64_t last;   /* its last work */
	bool is_blocking; /* the legacy stream's work and its own follow each other */
};

/* True when work is queued. */
bool streams_have_work(const struct runtime *runtime);
/* True with CUDA_LAUNCH_BLOCKING=1: calls run their work before they return. */
bool launches_block(void);
/* True when asynchronous calls queue their work. */
bool streams_queue(const struct runtime *runtime);
/* Queues a launch as the stream's next work. Fails as sluice_launch() does if it can never run. */
enum sluice_status stream_launch(struct runtime *runtime, cudaStream_t stream, sluice_kernel *kernel,
                                 const struct sluice_grid *grid, struct sluice_error *error);
/* Queues a call. `call` gets false when a launch has failed: it must only free `user`. Returns the work's number. */
uint64_t stream_call(struct runtime *runtime, cudaStream_t stream, void (*call)(void *user, bool run), void *user);
/* Queues a copy between host and device, which can take time; else as stream_call(). */
uint64_t stream_copy(struct runtime *runtime, cudaStream_t stream, bool to_host, size_t bytes,
                     void (*call)(void *user, bool run), void *user);
/* Waits for the stream's work, and then for the time of such a copy, which the caller makes afterwards. */
cudaError_t stream_pass_copy(struct runtime *runtime, cudaStream_t stream, bool to_host, size_t bytes);
/* The stream's next work will follow the given work, in any stream. */
void stream_follow(struct runtime *runtime, cudaStream_t stream, uint64_t work);
/* Queues an empty call as the stream's next work. Returns its number: it ends when all work before it has. Where work
 * is not queued, this and the call above keep the order (stream_order.h). */
uint64_t stream_mark(struct runtime *runtime, cudaStream_t stream);
/* Run queued work until the stream's last work has ended, until some work has ended, or all of it. Return the sticky
 * error, which a failed launch sets after a message. */
cudaError_t stream_wait(struct runtime *runtime, cudaStream_t stream);
cudaError_t stream_wait_for(struct runtime *runtime, uint64_t work);
cudaError_t streams_finish(struct runtime *runtime);
/* For queries that found their work ended. A program that only queries waits for other work: after many, all runs. */
cudaError_t streams_query(struct runtime *runtime);
/* Reports, once, that the kernels of a program's streams run in turn. */
void stream_tell_in_turn(struct runtime *runtime, cudaStream_t stream);
/* After a launch that ran alone: reports, once, that launches by kernels run in turn. If the kernel polled until it was
 * ended, what it waited for may be such a launch, or work of another stream. That is reported before the kernel. */
void stream_explain_turns(struct runtime *runtime, enum sluice_status status, const struct sluice_error *error);
void streams_free(struct runtime *runtime);
/* idle_host.c: while work is queued, runs it when the program makes no calls. */
void idle_host_watch(struct runtime *runtime);

/* stream.c: the number and the priority of a stream; a greater priority goes first. */
uint64_t stream_number(struct runtime *runtime, cudaStream_t stream);
int stream_priority(struct runtime *runtime, cudaStream_t stream);
/* Returns an idle stream for a branch of a graph that is launched in `stream`, until it is given back. The program does
 * not see it. */
cudaStream_t stream_take_branch(struct runtime *runtime, cudaStream_t stream);
bool stream_is_branch(struct runtime *runtime, cudaStream_t stream);
void stream_give_branch(struct runtime *runtime, cudaStream_t branch);
/* True when all work of the stream with that number has ended. */
bool stream_is_idle(struct runtime *runtime, uint64_t number);

#endif
