/* snapshot: the state of a machine between two kernels, as bytes. One function per unit describes the unit's state. It
 * serves both directions, so that what is saved and what is restored cannot differ.
 *
 * A snapshot is restored into a machine that has just been opened with the same options. Pointers and the memory that
 * they point to are the machine's own: a unit lists them (SNAPSHOT_OWN), and everything else in its structs is state.
 * A new field is therefore saved without further work, and a forgotten pointer fails in the first test.
 */
#ifndef SLUICE_BASE_SNAPSHOT_H
#define SLUICE_BASE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snapshot {
	bool restores; /* else it saves */
	bool is_short; /* fewer bytes were left than requested: the snapshot is of another machine */
	uint8_t *data;
	size_t size, capacity; /* size: bytes saved, or bytes to restore */
	size_t at;             /* restored so far */
};

/* Saves the bytes, or overwrites them with the saved ones. Bytes that are missing are zero. */
void snapshot_bytes(struct snapshot *snapshot, void *bytes, size_t size);
#define snapshot_value(snapshot, value) snapshot_bytes(snapshot, &(value), sizeof(value))
/* snapshot_bytes() of `count` elements of `size` bytes. */
void snapshot_array(struct snapshot *snapshot, void *array, size_t count, size_t size);

/* A part of a struct that is not saved: it stays as it is, and is zero in the snapshot. */
struct snapshot_own {
	size_t offset, size;
};
#define SNAPSHOT_OWN(type, member)                                                                                     \
	{                                                                                                              \
		offsetof(type, member), sizeof(((type *)0)->member)                                                    \
	}

/* Saves or restores a struct, except `own`. */
void snapshot_struct(struct snapshot *snapshot, void *object, size_t size, const struct snapshot_own *own,
                     size_t count);
#define snapshot_all_but(snapshot, object, own)                                                                        \
	snapshot_struct(snapshot, object, sizeof *(object), own, sizeof(own) / sizeof *(own))

/* True when all bytes were restored, and no more. */
bool snapshot_is_complete(const struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

#endif
