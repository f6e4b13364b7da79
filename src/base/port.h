/* port: the bounded ring through which everything passes between two stages.
 *
 * One producer, one consumer. What is pushed, and the room that a pop frees, become visible at the next time step, so
 * the order in which stages tick cannot change a result. `now` is the simulated time; it only has to grow from step to
 * step. A push wakes the consumer: *wake becomes the earliest time at which it must look again; freed room wakes the
 * producer, where it has asked for that.
 *
 * Capacity is counted in units: one an item, or the flits of a packet. A port that shall carry one item every cycle
 * needs room for two: the slot freed in a cycle can be filled only in the next (the same holds for a credit-based link
 * in hardware).
 *
 * The producer of a port may be ahead in time, if the port is open for that (`comes`): what it pushes waits, unseen, until the
 * consumer's time has come (port_arrive). What the consumer takes is room when both are told to meet (port_settle), so that they may be in
 * two threads in between; until then the producer sees less room than there will be.
 *
 * A port may join units that two host threads simulate. What is pushed then waits in the sender's outbox, and is put in
 * (outbox_deliver) when all threads are done with their part.
 */
#ifndef SLUICE_BASE_PORT_H
#define SLUICE_BASE_PORT_H

#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct port_slot {
	void *item;
	uint64_t pushed_at;
	uint32_t units;
	uint32_t to; /* what the producer says of where it goes */
};

struct outbox;

struct port {
	/* the consumer's half */
	struct port_slot *slot; /* `capacity` of them: no item is smaller than a unit */
	uint32_t capacity;      /* units */
	uint32_t head;          /* index of the oldest item */
	uint32_t items;         /* items inside */
	uint32_t coming;        /* behind these: pushed at times that the consumer has not come to */
	bool comes;             /* the producer may be ahead: all that it pushes is `coming` first */
	uint32_t taken, taken_last; /* units of such a port that are not freed yet; of these, those taken at `taken_at` */
	uint64_t taken_at;
	uint64_t *filled; /* a word of a set that gets `filled_bit` when an item comes in, or NULL */
	uint64_t filled_bit;
	uint64_t *wake;       /* the consumer's wake-up time, or NULL */
	/* the producer's half */
	uint32_t held;  /* units inside, without those freed */
	uint32_t freed; /* units freed at `freed_at`: not visible to the producer in that step */
	uint64_t freed_at;
	uint64_t *producer;    /* the producer's wake-up time, or NULL: it polls */
	struct outbox *pushes; /* to the consumer's thread; NULL: it is the same thread */
};

/* An item that was pushed, on its way to the consumer's thread. */
struct port_message {
	struct port *port;
	struct port_slot slot;
};

/* What a thread has for the consumers that another one simulates. */
struct outbox {
	struct port_message *message;
	uint32_t count, capacity;
};

void outbox_grow(struct outbox *outbox);
void outbox_free(struct outbox *outbox);

/* What was sent goes into its ports. */
void outbox_deliver(struct outbox *outbox);

static inline void outbox_add(struct outbox *outbox, struct port *port, const struct port_slot *slot)
{
	if (outbox->count == outbox->capacity)
		outbox_grow(outbox);
	outbox->message[outbox->count++] = (struct port_message){port, *slot};
}

static inline void port_open(struct port *port, struct arena *arena, uint32_t capacity, uint64_t *wake)
{
	*port = (struct port){.slot = arena_array(arena, capacity, sizeof *port->slot),
	                      .capacity = capacity,
	                      .freed_at = UINT64_MAX,
	                      .wake = wake};
}

/* How many units may be pushed at this time. */
static inline uint32_t port_room(const struct port *port, uint64_t now)
{
	return port->capacity - port->held - (port->freed_at == now ? port->freed : 0);
}

/* The room that the producer will see in the next step. */
static inline uint32_t port_coming_room(const struct port *port)
{
	return port->capacity - port->held;
}

static inline uint64_t earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static inline uint64_t later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static inline void port_wake(uint64_t *wake, uint64_t now)
{
	if (wake && *wake > now + 1)
		*wake = now + 1;
}

static inline struct port_slot *port_slot_at(const struct port *port, uint32_t place)
{
	uint32_t at = port->head + place;
	return &port->slot[at < port->capacity ? at : at - port->capacity];
}

static inline void port_insert(struct port *port, const struct port_slot *slot)
{
	*port_slot_at(port, port->items + port->coming) = *slot;
	if (port->comes)
		port->coming++;
	else
		port->items++;
	if (port->filled)
		*port->filled |= port->filled_bit;
	port_wake(port->wake, slot->pushed_at);
}

/* The consumer has come to this time. Returns the time from which it can see what comes next, or UINT64_MAX. */
static inline uint64_t port_arrive(struct port *port, uint64_t now)
{
	while (port->coming) {
		uint64_t pushed_at = port_slot_at(port, port->items)->pushed_at;
		if (pushed_at >= now)
			return pushed_at + 1;
		port->items++;
		port->coming--;
	}
	return UINT64_MAX;
}

static inline void port_push_packet(struct port *port, void *item, uint32_t units, uint32_t to, uint64_t now)
{
	assert(port_room(port, now) >= units);
	const struct port_slot slot = {item, now, units, to};
	port->held += units;
	if (port->pushes)
		outbox_add(port->pushes, port, &slot);
	else
		port_insert(port, &slot);
}

static inline void port_push(struct port *port, void *item, uint64_t now)
{
	port_push_packet(port, item, 1, 0, now);
}

/* The oldest item that is visible at this time, or NULL. */
static inline const struct port_slot *port_front_slot(const struct port *port, uint64_t now)
{
	if (port->items == 0 || port->slot[port->head].pushed_at >= now)
		return NULL;
	return &port->slot[port->head];
}

static inline void *port_front(const struct port *port, uint64_t now)
{
	const struct port_slot *slot = port_front_slot(port, now);
	return slot ? slot->item : NULL;
}

/* Gives units back that an item held; a packet leaves flit by flit. */
static inline void port_release(struct port *port, uint32_t units, uint64_t now)
{
	assert(port->held >= units);
	if (port->freed_at != now) {
		port->freed_at = now;
		port->freed = 0;
	}
	port->freed += units;
	port->held -= units;
	port_wake(port->producer, now);
}

/* Takes the item that port_front() showed; its units stay held until they are released. */
static inline void port_drop(struct port *port)
{
	assert(port->items > 0);
	port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
	port->items--;
}

/* Takes the item that port_front() showed, with all its units. */
static inline void port_pop(struct port *port, uint64_t now)
{
	uint32_t units = port->slot[port->head].units;
	port_drop(port);
	port_release(port, units, now);
}

/* The same of a port whose producer may be ahead: port_settle() frees the units. */
static inline void port_take(struct port *port, uint64_t now)
{
	uint32_t units = port->slot[port->head].units;
	port_drop(port);
	if (port->taken_at != now) {
		port->taken_at = now;
		port->taken_last = 0;
	}
	port->taken += units;
	port->taken_last += units;
}

static inline void port_settle(struct port *port)
{
	if (!port->taken)
		return;
	assert(port->held >= port->taken);
	port->held -= port->taken;
	port->freed_at = port->taken_at;
	port->freed = port->taken_last;
	port->taken = 0;
}

static inline bool port_empty(const struct port *port)
{
	return port->items == 0;
}

#endif
