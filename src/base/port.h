/* port: the bounded ring through which everything passes between two stages.
 *
 * One producer, one consumer. What is pushed, and the room that a pop frees, become visible at the next time step, so
 * the order in which stages tick cannot change a result and stages may tick on different threads. `now` is the
 * simulated time; it only has to grow from step to step. A push wakes the consumer: *wake becomes the earliest time at
 * which it must look again.
 *
 * A port that shall carry one item every cycle needs room for two: the slot freed in a cycle can be filled only in the
 * next (the same holds for a credit-based link in hardware).
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
};

struct port {
	struct port_slot *slot; /* `capacity` of them */
	uint32_t capacity;
	uint32_t head;         /* index of the oldest item */
	uint32_t count;        /* items inside */
	uint32_t popped;       /* items popped at `popped_at`: their room is not visible yet */
	uint64_t popped_at;
	uint64_t *wake; /* the consumer's wake-up time, or NULL */
};

static inline void port_open(struct port *port, struct arena *arena, uint32_t capacity, uint64_t *wake)
{
	*port = (struct port){.slot = arena_array(arena, capacity, sizeof *port->slot),
	                      .capacity = capacity,
	                      .popped_at = UINT64_MAX,
	                      .wake = wake};
}

/* How many items may be pushed at this time. */
static inline uint32_t port_room(const struct port *port, uint64_t now)
{
	uint32_t held = port->count + (port->popped_at == now ? port->popped : 0);
	return port->capacity - held;
}

static inline void port_push(struct port *port, void *item, uint64_t now)
{
	assert(port_room(port, now) > 0);
	uint32_t at = port->head + port->count;
	port->slot[at < port->capacity ? at : at - port->capacity] = (struct port_slot){item, now};
	port->count++;
	if (port->wake && *port->wake > now + 1)
		*port->wake = now + 1;
}

/* The oldest item that is visible at this time, or NULL. */
static inline void *port_front(const struct port *port, uint64_t now)
{
	if (port->count == 0 || port->slot[port->head].pushed_at >= now)
		return NULL;
	return port->slot[port->head].item;
}

/* Takes the item that port_front() showed. */
static inline void port_pop(struct port *port, uint64_t now)
{
	assert(port->count > 0);
	if (port->popped_at != now) {
		port->popped_at = now;
		port->popped = 0;
	}
	port->popped++;
	port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
	port->count--;
}

static inline bool port_empty(const struct port *port)
{
	return port->count == 0;
}

#endif
