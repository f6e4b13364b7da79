/* copy: copies between host and device memory. */
#ifndef SLUICE_CUDART_COPY_H
#define SLUICE_CUDART_COPY_H

#include "cudart/runtime.h"

/* Where a copy or a fill stands: in a stream, and whether its call may return before it has run. */
struct order {
	cudaStream_t stream;
	bool is_async;
};

/* The order of a call that ends with its work, in the legacy stream. */
static const struct order at_once = {NULL, false};

static inline struct order in_stream(cudaStream_t stream)
{
	return (struct order){stream, true};
}

/* A copy between host and device: `depth` slices of `height` rows of `width` bytes. Pitches and slice distances are in
 * bytes. */
struct copy {
	const char *call;
	struct order order;
	void *to;
	const void *from;
	size_t to_pitch, from_pitch, to_slice, from_slice;
	size_t width, height, depth;
	enum cudaMemcpyKind kind;
};

/* A fill of device or host memory: `depth` slices, `slice` bytes apart, of these rows. */
struct fill {
	struct runtime *runtime;
	const char *call;
	struct order order;
	struct cudaMemsetParams rows; /* of the first slice; their width is in values of 1, 2 or 4 bytes */
	size_t slice, depth;
};

/* Performs the fill after the stream's work so far, queues it, or captures it. Returns an error after a message. */
cudaError_t memory_fill(const struct fill *fill);

/* Performs the copy after the stream's work so far, or queues it. Returns an error after a message. */
cudaError_t copy_run(struct runtime *runtime, const struct copy *copy);
/* The same for a box, with or without arrays. */
cudaError_t copy_run_box(struct runtime *runtime, const char *call, struct order order,
                         const struct cudaMemcpy3DParms *parameters);
/* Checks that rows do not overlap, and neither do slices. `wrong_pitch` is the error to return. */
cudaError_t copy_check_shape(const char *call, cudaError_t wrong_pitch, size_t pitch, size_t slice, size_t width,
                             size_t height, size_t depth);
/* Checks that an area of several rows that begins in device memory ends in the same allocation, so that nothing is
 * written before an error. An area in memory accessible to both sides must end in it. */
cudaError_t copy_check_area(struct runtime *runtime, const char *call, const void *pointer, size_t pitch, size_t slice,
                            size_t width, size_t height, size_t depth);
/* True when the bytes are in one allocation of device memory, or in one piece of memory that both sides access. */
bool copy_is_inside(struct runtime *runtime, const void *pointer, size_t bytes);

#endif
