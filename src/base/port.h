/* port: the bounded ring through which all data pass between two stages.
 *
 * A port has one producer and one consumer. Pushed items, and the space that a pop frees, become visible in the next
 * time step. So the order in which stages tick cannot change a result. `now` is the simulated time; it must only
 * grow from step to step. A push wakes the consumer: *consumer_wake becomes the earliest time at which it must look
 * again. Freed space wakes the producer, if it has requested that.
 *
 * Capacity is counted in units: one per item, or the flits of a packet. A port that carries one item every cycle
 * needs a capacity of two. A slot freed in a cycle can be refilled only in the next. (A credit-based link in
 * hardware needs the same.)
 *
 * The producer of a port may be ahead in time if the port is opened for that (`producer_may_be_ahead`). Its pushed
 * items stay invisible until the consumer reaches their time (port_arrive). The space of items that the consumer takes
 * is freed when both sides synchronize (port_settle), so that they may run in two threads in between. Until then the
 * producer sees less space than there will be.
 *
 * A port may connect units that two host threads simulate. Pushed items then wait in the sender's outbox. They are
 * moved into the port (outbox_deliver) when all threads have finished their part.
 */
#ifndef SLUICE_BASE_PORT_H
#define SLUICE_BASE_PORT_H

#include "base/arena.h"
#include "base/bits.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct port_slot {
	void *item;
	uint64_t pushed_at;
	uint32_t units;
	uint32_t to; /* destination set by the producer */
};

struct outbox;

struct port {
	/* the consumer's half */
	struct port_slot *slot; /* `capacity` slots, because an item has at least one unit */
	uint32_t capacity;      /* units */
	uint32_t head;          /* index of the oldest item */
	uint32_t items;         /* number of items inside */
	uint32_t coming;        /* number of items after these, pushed at times that the consumer has not reached */
	bool producer_may_be_ahead; /* all pushed items are `coming` first */
	uint32_t taken, taken_last; /* for such a port: units not freed yet; the part of them taken at `taken_at` */
	uint64_t taken_at;
	uint64_t *filled; /* word of a set in which `filled_bit` is set when an item enters, or NULL */
	uint64_t filled_bit;
	uint64_t *consumer_wake; /* the consumer's wake-up time, or NULL */
	/* the producer's half */
	uint32_t held;  /* units inside, without those freed */
	uint32_t freed; /* units freed at `freed_at`, which the producer does not see in that step */
	uint64_t freed_at;
	uint64_t *producer_wake; /* the producer's wake-up time, or NULL: it polls */
	struct outbox *outbox;   /* to the consumer's thread; NULL: it is the same thread */
};

/* A pushed item on its way to the consumer's thread. */
struct port_message {
	struct port *port;
	struct port_slot slot;
};

/* A thread's items for consumers that another thread simulates. */
struct outbox {
	struct port_message *message;
	uint32_t count, capacity;
};

void outbox_grow(struct outbox *outbox);
void outbox_free(struct outbox *outbox);

/* Moves all sent items into their ports. */
void outbox_deliver(struct outbox *outbox);

static inline void outbox_add(struct outbox *outbox, struct port *port, const struct port_slot *slot)
{
	if (outbox->count == outbox->capacity)
		outbox_grow(outbox);
	outbox->message[outbox->count++] = (struct port_message){port, *slot};
}

static inline void port_open(struct port *port, struct arena *arena, uint32_t capacity,
                             uint64_t *consumer_wake)
{
	*port = (struct port){.slot = arena_array(arena, capacity, sizeof *port->slot),
	                      .capacity = capacity,
	                      .freed_at = UINT64_MAX,
	                      .consumer_wake = consumer_wake};
}

/* Number of units that may be pushed at this time. */
static inline uint32_t port_room(const struct port *port, uint64_t now)
{
	return port->capacity - port->held - (port->freed_at == now ? port->freed : 0);
}

/* Number of units that the producer may push in the next step. */
static inline uint32_t port_room_next_step(const struct port *port)
{
	return port->capacity - port->held;
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
	if (port->producer_may_be_ahead)
		port->coming++;
	else
		port->items++;
	if (port->filled)
		*port->filled |= port->filled_bit;
	port_wake(port->consumer_wake, slot->pushed_at);
}

/* The consumer has reached this time. Returns the time from which it can see the next arrival, or UINT64_MAX. */
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
	if (port->outbox)
		outbox_add(port->outbox, port, &slot);
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

/* Frees units of an item; a packet leaves flit by flit. */
static inline void port_release(struct port *port, uint32_t units, uint64_t now)
{
	assert(port->held >= units);
	if (port->freed_at != now) {
		port->freed_at = now;
		port->freed = 0;
	}
	port->freed += units;
	port->held -= units;
	port_wake(port->producer_wake, now);
}

/* Removes the item that port_front() returned. Its units stay held until they are released. */
static inline void port_drop(struct port *port)
{
	assert(port->items > 0);
	port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
	port->items--;
}

/* Removes the item that port_front() returned, and frees all its units. */
static inline void port_pop(struct port *port, uint64_t now)
{
	uint32_t units = port->slot[port->head].units;
	port_drop(port);
	port_release(port, units, now);
}

/* The same for a port whose producer may be ahead: port_settle() frees the units. */
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
