#include "base/snapshot.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

static uint8_t *append(struct snapshot *snapshot, size_t size)
{
	size_t needed = snapshot->size + size;
	if (needed > snapshot->capacity) {
		size_t twice = 2 * snapshot->capacity + FIRST_ROOM;
		snapshot->capacity = needed > twice ? needed : twice;
		snapshot->data = base_realloc(snapshot->data, snapshot->capacity);
	}
	uint8_t *at = snapshot->data + snapshot->size;
	snapshot->size = needed;
	return at;
}

static void restore(struct snapshot *snapshot, uint8_t *bytes, size_t size)
{
	size_t left = snapshot->size - snapshot->at, known = size < left ? size : left;
	if (known)
		memcpy(bytes, snapshot->data + snapshot->at, known);
	memset(bytes + known, 0, size - known);
	snapshot->at += known;
	snapshot->is_short |= known < size;
}

void snapshot_bytes(struct snapshot *snapshot, void *bytes, size_t size)
{
	if (!size)
		return;
	if (snapshot->restores)
		restore(snapshot, bytes, size);
	else
		memcpy(append(snapshot, size), bytes, size);
}

void snapshot_array(struct snapshot *snapshot, void *array, size_t count, size_t size)
{
	snapshot_bytes(snapshot, array, count * size);
}

void snapshot_struct(struct snapshot *snapshot, void *object, size_t size, const struct snapshot_own *own, size_t count)
{
	uint8_t *bytes = object, *image = base_malloc(size);
	memcpy(image, bytes, size);
	if (snapshot->restores) {
		restore(snapshot, image, size);
		for (size_t i = 0; i < count; i++)
			memcpy(image + own[i].offset, bytes + own[i].offset, own[i].size);
		memcpy(bytes, image, size);
	} else {
		for (size_t i = 0; i < count; i++)
			memset(image + own[i].offset, 0, own[i].size);
		memcpy(append(snapshot, size), image, size);
	}
	free(image);
}

bool snapshot_is_complete(const struct snapshot *snapshot)
{
	return !snapshot->is_short && snapshot->at == snapshot->size;
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->data);
	*snapshot = (struct snapshot){0};
}
