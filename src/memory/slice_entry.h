/* slice_entry: the entry of an L2 slice, from the request crossbar's port to the end of the delay line.
 *
 * A packet takes `delay` cycles from the entry to the input queue. The slice downstream may therefore be `delay`
 * cycles ahead in time, because it knows everything that will leave the delay line until then. In the other
 * direction, a packet may enter only if the input queue and the delay line have free entries in that cycle. The
 * slice therefore records a note for each of its cycles in which these changed. The entry reads the notes when it
 * reaches those cycles. The entry also counts the cycles in which either part holds a request.
 *
 * The slice sees the delay line as it was at the last slice_entry_show(). Where the slice is `apart`, the entry sees
 * only the notes released by slice_entry_tell(). Two host threads may then run both sides at once, if the slice does
 * not run for longer than `delay`.
 */
#ifndef SLUICE_MEMORY_SLICE_ENTRY_H
#define SLUICE_MEMORY_SLICE_ENTRY_H

#include "base/port.h"
#include "memory/request.h"

struct slice;

/* State of the slice from the end of one of its cycles on. */
struct slice_note {
	uint64_t cycle;
	uint64_t left;  /* requests that have ever left the delay line */
	uint32_t input; /* requests in the input queue */
	bool busy;      /* holds a request, not counting the delay line */
};

struct slice_entry {
	struct port from_network; /* units: flits */
	uint64_t wake;
	struct request_pool *pool;
	uint64_t settled; /* cycles already counted */
	bool refused;     /* in the last tick a packet was refused and waits for the slice */
	bool packet_waited; /* in the last tick a packet waited */
	/* the delay line: a ring, indexed by the request's number */
	struct request **delayed;
	uint32_t capacity, slot_mask;
	uint64_t entered;
	struct slice_note past; /* note that holds in the entry's present cycle */
	uint64_t read, told;    /* notes that it has read; notes that it may read */
	bool apart;             /* the slice may be at another time, and in another thread */
	/* the slice's half */
	_Alignas(64) uint64_t shown, left; /* requests visible to the slice; requests that it has taken */
	struct slice_note last;            /* its latest note */
	struct slice_note *note;           /* ring of notes that the entry has not read */
	uint32_t note_mask;
	uint64_t written;
};

/* `sectors`: per line of L2. */
void slice_entry_open(struct slice *slice, uint32_t sectors, struct arena *arena);

/* Simulates one cycle: takes a packet, if one is present and fits. */
void slice_entry_tick(struct slice *slice, uint64_t cycle, uint64_t now);
/* Brings its counters up to `cycle`, which the slice has reached (slice.h, "Sleeping and settling"). */
void slice_entry_settle(struct slice *slice, uint64_t cycle);

/* --- the slice's side --- */

/* Makes all entered requests visible to the slice. */
static inline void slice_entry_show(struct slice_entry *entry)
{
	entry->shown = entry->entered;
}

/* The oldest request in the delay line, or NULL. */
static inline struct request *slice_entry_front(const struct slice_entry *entry)
{
	return entry->left == entry->shown ? NULL : entry->delayed[entry->left & entry->slot_mask];
}

static inline struct request *slice_entry_take(struct slice_entry *entry)
{
	return entry->delayed[entry->left++ & entry->slot_mask];
}

/* Records that the slice has changed in this cycle. The ring has space for one note per cycle that the slice may be
 * ahead. When both run together, the entry may read the notes at any time. */
void slice_entry_keep_note(struct slice *slice, const struct slice_note *note);

/* Records the slice's state at the end of a cycle. A change makes the entry retry a refused packet. */
static inline void slice_entry_note(struct slice *slice, struct slice_entry *entry, const struct slice_note *now, uint64_t time)
{
	const struct slice_note *last = &entry->last;
	if (last->left == now->left && last->input == now->input && last->busy == now->busy)
		return;
	slice_entry_keep_note(slice, now);
	if (!entry->apart && entry->refused)
		entry->wake = min_u64(entry->wake, time + 1);
}

/* For a slice that is apart: releases its notes to the entry. The entry retries a refused packet from `time` on,
 * perhaps in vain. */
static inline void slice_entry_tell(struct slice_entry *entry, uint64_t time)
{
	entry->told = entry->written;
	if (entry->refused && entry->read != entry->told)
		entry->wake = min_u64(entry->wake, time);
}

#endif
