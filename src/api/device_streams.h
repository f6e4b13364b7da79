/* device_streams: streams and events of device code. Each block has a default stream, one for each thread that launches
 * by names with _ptsz, and those that its threads create. They order the grids that the block launches. */
#ifndef SLUICE_API_DEVICE_STREAMS_H
#define SLUICE_API_DEVICE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUDA's values of cudaStream_t in device code. */
enum {
	DEVICE_STREAM_LEGACY = 1,
	DEVICE_STREAM_PER_THREAD = 2,
	DEVICE_STREAM_TAIL = 3,   /* grids run one after the other when the launching grid and its others have ended */
	DEVICE_STREAM_FORGET = 4, /* grids follow nothing (fire and forget) */
	DEVICE_FIRST_HANDLE = 16, /* of streams and events that device code creates */
};

/* A stream, or an event. */
struct device_stream {
	uint64_t block, handle;
	uint64_t last; /* number of its last work in the queue (api/queue.h); 0: none */
	bool is_used;  /* this entry of the table is occupied */
};

/* The streams and events of a launch: a hash table. Zero: none. */
struct device_streams {
	struct device_stream *entry;
	size_t count, capacity; /* the capacity is a power of two */
	uint64_t created;       /* handles so far */
};

/* Returns a new handle. */
uint64_t device_streams_create(struct device_streams *streams);

/* Returns the stream that a thread means by a value of cudaStream_t. `own_stream`: its default stream is its own. */
uint64_t device_streams_meant(uint64_t stream, uint32_t thread, bool own_stream);

/* Returns the last work of a block's stream or event, to be read or set. Valid until the next call. */
uint64_t *device_streams_last(struct device_streams *streams, uint64_t block, uint64_t handle);

void device_streams_free(struct device_streams *streams);

#endif
