/* capture: streams whose work goes into a graph instead of being done.
 *
 * A stream that is captured knows the nodes that its next one waits for, its tips. An event that is recorded in it keeps them; another stream that
 * waits for the event takes part from then on. All must have come back to the first stream by events when the capture ends.
 */
#ifndef SLUICE_CUDART_CAPTURE_H
#define SLUICE_CUDART_CAPTURE_H

#include "cudart/graph.h"

#include <pthread.h>

struct capture;

/* A stream's part in a capture. */
struct stream_state {
	struct capture *capture; /* NULL: none */
	struct node_list tips;
	struct stream_state *next; /* of the capture */
};

struct capture {
	cudaGraph_t graph;
	bool is_given;               /* the graph is the program's */
	bool is_invalid;             /* it can only be ended */
	bool is_blocking;            /* a stream of it waits for the legacy stream */
	unsigned long long id;
	enum cudaStreamCaptureMode mode;
	pthread_t thread;            /* that began it */
	struct stream_state *origin; /* the stream that it began in */
	struct stream_state *streams;
	struct node_list left;       /* what streams that were destroyed were given last: the capture waits for it too */
	struct capture *next;
};

/* The capture that a stream is in, or NULL. */
struct capture *capture_of(struct runtime *runtime, cudaStream_t stream);
struct capture *capture_with_id(const struct runtime *runtime, unsigned long long id);
/* What runtime_check_stream() asks of captures: an error where the stream's is invalid, and for the legacy stream (NULL) while others that it would
 * wait for are captured, whose captures are invalid then. */
cudaError_t capture_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream);
/* For calls that go into no capture: runtime_check_stream(), and an error where the stream is captured, of which the capture is invalid. */
cudaError_t capture_check(struct runtime *runtime, const char *call, cudaStream_t stream);
/* The same for calls that no capture of this thread's, and none of mode global, allows, such as cudaMalloc(). */
cudaError_t capture_check_unsafe(struct runtime *runtime, const char *call);
/* The same for calls that wait for the whole device. */
cudaError_t capture_check_device(struct runtime *runtime, const char *call);
/* Makes it invalid; returns `error` after a message. */
__attribute__((format(printf, 4, 5))) cudaError_t capture_fail(struct capture *capture, const char *call,
                                                               cudaError_t error, const char *format, ...);

/* Puts work into the stream's capture; the work is the graph's from then on. */
cudaError_t capture_add(struct runtime *runtime, cudaStream_t stream, struct graph_work work);
cudaError_t capture_kernel(struct runtime *runtime, const char *call, cudaStream_t stream,
                           const struct graph_kernel *kernel, void **arguments);
cudaError_t capture_copy(struct runtime *runtime, cudaStream_t stream, const struct cudaMemcpy3DParms *copy);
cudaError_t capture_fill(struct runtime *runtime, cudaStream_t stream, const struct cudaMemsetParams *fill);
cudaError_t capture_allocation(struct runtime *runtime, const char *call, cudaStream_t stream, void **pointer,
                               size_t size);
cudaError_t capture_release(struct runtime *runtime, const char *call, cudaStream_t stream, void *pointer);

/* A stream comes to take part, behind these nodes. */
void capture_join(struct capture *capture, struct stream_state *state, const struct node_list *tips, bool is_blocking);
/* A stream ends: so it does in its capture, which must wait for its work all the same; or the capture ends, with the stream that it began in. */
void capture_leave(struct runtime *runtime, struct stream_state *state);
/* Whether it is what a capture makes. */
bool capture_makes(const struct runtime *runtime, const struct CUgraph_st *graph);

/* Its streams take part no more; its graph stays. */
void capture_free(struct runtime *runtime, struct capture *capture);
void captures_free(struct runtime *runtime);

/* ---- what stream.c knows of streams ---- */

/* NULL: of the legacy stream, or of what is no stream. */
struct stream_state *stream_state(struct runtime *runtime, cudaStream_t stream);
/* Whether it waits for the legacy stream, and that for it. */
bool stream_is_blocking(struct runtime *runtime, cudaStream_t stream);

#endif
