/* capture: streams whose work is recorded in a graph instead of being run.
 *
 * Each captured stream has tips: the nodes that its next node will depend on. An event recorded in the stream stores
 * its tips. Another stream that waits for the event joins the capture. When the capture ends, all streams must have
 * been joined to the first one by events.
 */
#ifndef SLUICE_CUDART_CAPTURE_H
#define SLUICE_CUDART_CAPTURE_H

#include "cudart/graph.h"

#include <pthread.h>

struct capture;

/* The capture state of one stream. */
struct stream_state {
	struct capture *capture; /* NULL: none */
	struct node_list tips;
	struct stream_state *next; /* of the capture */
	uint64_t number; /* of a thread's own stream, as in struct stream_work; 0: not used yet */
};

struct capture {
	cudaGraph_t graph;
	bool is_given;               /* the program passed in the graph */
	bool is_invalid;             /* an error occurred; the capture can only be ended */
	bool is_blocking;            /* at least one of its streams waits for the legacy stream */
	unsigned long long id;
	enum cudaStreamCaptureMode mode;
	pthread_t thread;            /* the thread that began it */
	struct stream_state *origin; /* the stream in which it began */
	struct stream_state *streams;
	struct node_list left;       /* tips of destroyed streams, which the end of the capture must depend on */
	struct capture *next;
};

/* Returns the capture that the stream is in, or NULL. */
struct capture *capture_of(struct runtime *runtime, cudaStream_t stream);
struct capture *capture_with_id(const struct runtime *runtime, unsigned long long id);
/* The capture check of runtime_check_stream(). Returns an error if the stream's capture is invalid. Returns an error
 * for the legacy stream (NULL) while captures have streams that it would wait for, and invalidates those captures. */
cudaError_t capture_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream);
/* For calls that cannot be captured: runtime_check_stream(). Also returns an error if the stream is captured, and
 * invalidates its capture. */
cudaError_t capture_check(struct runtime *runtime, const char *call, cudaStream_t stream);
/* For unsafe calls, such as cudaMalloc(). Returns an error, and invalidates the captures, if this thread has a capture
 * that forbids them or any thread has one of mode global. */
cudaError_t capture_check_unsafe(struct runtime *runtime, const char *call);
/* For calls that wait for the whole device: returns an error, and invalidates the captures, while any stream is
 * captured. */
cudaError_t capture_check_device(struct runtime *runtime, const char *call);
/* Invalidates the capture. Returns `error` after a message. */
__attribute__((format(printf, 4, 5))) cudaError_t capture_fail(struct capture *capture, const char *call,
                                                               cudaError_t error, const char *format, ...);

/* Each of these adds a node to the stream's capture. The graph then owns the work. */
cudaError_t capture_add(struct runtime *runtime, cudaStream_t stream, struct graph_work work);
cudaError_t capture_kernel(struct runtime *runtime, const char *call, cudaStream_t stream,
                           const struct graph_kernel *kernel, void **arguments);
cudaError_t capture_copy(struct runtime *runtime, cudaStream_t stream, const struct cudaMemcpy3DParms *copy);
cudaError_t capture_fill(struct runtime *runtime, cudaStream_t stream, const struct cudaMemsetParams *fill);
cudaError_t capture_allocation(struct runtime *runtime, const char *call, cudaStream_t stream, void **pointer,
                               size_t size);
cudaError_t capture_release(struct runtime *runtime, const char *call, cudaStream_t stream, void *pointer);

/* Adds a stream to the capture, with these tips. */
void capture_join(struct capture *capture, struct stream_state *state, const struct node_list *tips, bool is_blocking);
/* Removes a stream that is destroyed. The capture still waits for its work. If it is the stream in which the capture
 * began, the capture ends. */
void capture_leave(struct runtime *runtime, struct stream_state *state);
/* True when a capture is building this graph. */
bool capture_makes(const struct runtime *runtime, const struct CUgraph_st *graph);

/* Ends a capture without its graph being freed, and removes its streams. */
void capture_free(struct runtime *runtime, struct capture *capture);
void captures_free(struct runtime *runtime);

/* ---- implemented in stream.c ---- */

/* Returns NULL for the legacy stream and for an invalid handle. */
struct stream_state *stream_state(struct runtime *runtime, cudaStream_t stream);
/* True when the stream and the legacy stream wait for each other. */
bool stream_is_blocking(struct runtime *runtime, cudaStream_t stream);

#endif
