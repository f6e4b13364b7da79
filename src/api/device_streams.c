#include "api/device_streams.h"

#include "base/arena.h"

#include <stdlib.h>

/* A thread's own default stream is this number plus the thread's. */
static const uint64_t OF_THREAD = (uint64_t)1 << 32;

uint64_t device_streams_create(struct device_streams *streams)
{
	return DEVICE_FIRST_HANDLE + streams->created++;
}

uint64_t device_streams_meant(uint64_t stream, uint32_t thread, bool own_stream)
{
	if (stream == DEVICE_STREAM_PER_THREAD || (stream == 0 && own_stream))
		return OF_THREAD + thread;
	return stream == DEVICE_STREAM_LEGACY ? 0 : stream;
}

/* Returns the entry of the stream, or the free one where it belongs. */
static struct device_stream *find(const struct device_streams *streams, uint64_t block, uint64_t handle)
{
	size_t mask = streams->capacity - 1;
	size_t at = (size_t)((block * 0x9e3779b97f4a7c15 + handle) * 0xc2b2ae3d27d4eb4f >> 32) & mask;
	struct device_stream *entry = streams->entry;
	while (entry[at].is_used && (entry[at].block != block || entry[at].handle != handle))
		at = (at + 1) & mask;
	return &entry[at];
}

static void grow(struct device_streams *streams)
{
	const struct device_streams old = *streams;
	streams->capacity = old.capacity ? 2 * old.capacity : 16;
	streams->entry = base_calloc(streams->capacity, sizeof *streams->entry);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entry[i].is_used)
			*find(streams, old.entry[i].block, old.entry[i].handle) = old.entry[i];
	free(old.entry);
}

uint64_t *device_streams_last(struct device_streams *streams, uint64_t block, uint64_t handle)
{
	if (2 * (streams->count + 1) > streams->capacity)
		grow(streams);
	struct device_stream *entry = find(streams, block, handle);
	streams->count += !entry->is_used;
	if (!entry->is_used)
		*entry = (struct device_stream){.block = block, .handle = handle, .is_used = true};
	return &entry->last;
}

void device_streams_free(struct device_streams *streams)
{
	free(streams->entry);
}
