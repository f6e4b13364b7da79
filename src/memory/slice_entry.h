/* slice_entry: the way into an L2 slice, from the request crossbar's port to the end of the delay line.
 *
 * A packet takes `delay` cycles from here to the input queue, so that the slice behind may be as many cycles ahead in time: it knows all
 * that comes out of the delay line until then. The other way round, whether a packet may enter depends on the places of the input
 * queue and of the delay line in that very cycle. So the slice leaves a note of each of its cycles in which these changed, and the entry
 * reads them when it comes there. It counts for both what depends on both: the cycles in which a request is in the one or the other.
 *
 * What the slice reads of the delay line is what was there when it last looked (slice_entry_show), and where it is `apart` the entry reads the notes
 * that it was told of (slice_entry_tell): both may go on at once in two of the host's threads, if the slice does not go on for longer than `delay`. */
#ifndef SLUICE_MEMORY_SLICE_ENTRY_H
#define SLUICE_MEMORY_SLICE_ENTRY_H

#include "base/port.h"
#include "memory/request.h"

struct slice;

/* What the slice was like at the end of one of its cycles, and is from then on. */
struct slice_note {
	uint64_t cycle;
	uint64_t left;  /* requests that have ever left the delay line */
	uint32_t input; /* requests in the input queue */
	bool busy;      /* it holds a request, not counting the delay line */
};

struct slice_entry {
	struct port from_network; /* units: flits */
	uint64_t wake;
	struct request_pool *pool;
	uint64_t settled; /* cycles that are in the counters */
	bool refused;     /* in the last tick: a packet waits for the slice */
	bool waits;       /* ...: a packet waits */
	/* the delay line: a ring by the number of the request */
	struct request **delayed;
	uint32_t capacity, slot_mask;
	uint64_t entered;
	struct slice_note past; /* of the cycle that the entry has come to */
	uint64_t read, told;    /* notes that it has read; that there are */
	bool apart;             /* the slice may be elsewhere in time, and in another thread */
	/* the slice's half */
	_Alignas(64) uint64_t shown, left; /* requests that it knows to have entered; that it has taken */
	struct slice_note last;            /* its latest note */
	struct slice_note *note;           /* ring of those that the entry has not read */
	uint32_t note_mask;
	uint64_t written;
};

/* `sectors`: of a line of L2. */
void slice_entry_open(struct slice *slice, uint32_t sectors, struct arena *arena);

/* One cycle: takes a packet, if there is one and room for it. */
void slice_entry_tick(struct slice *slice, uint64_t cycle, uint64_t now);
/* Brings its counters up to `cycle`, which the slice has come to. */
void slice_entry_settle(struct slice *slice, uint64_t cycle);

/* --- the slice's side --- */

/* What has entered up to now is there for the slice to take. */
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

/* The slice has changed in this cycle. There is room for the notes of as many cycles as it may be ahead; where both go together, the entry may
 * read them when it likes. */
void slice_entry_keep_note(struct slice *slice, const struct slice_note *note);

/* How the slice is at the end of a cycle. A packet that was refused is tried again when that has changed. */
static inline void slice_entry_note(struct slice *slice, struct slice_entry *entry, const struct slice_note *now, uint64_t time)
{
	const struct slice_note *last = &entry->last;
	if (last->left == now->left && last->input == now->input && last->busy == now->busy)
		return;
	slice_entry_keep_note(slice, now);
	if (!entry->apart && entry->refused)
		entry->wake = earlier(entry->wake, time + 1);
}

/* Of a slice that is apart: the entry has its notes, and tries again from `time` on, in vain perhaps, what was refused. */
static inline void slice_entry_tell(struct slice_entry *entry, uint64_t time)
{
	entry->told = entry->written;
	if (entry->refused && entry->read != entry->told)
		entry->wake = earlier(entry->wake, time);
}

#endif
