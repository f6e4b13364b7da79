/* network_port: the SM's port to the networks: requests out, replies in. */
#ifndef SLUICE_SM_NETWORK_PORT_H
#define SLUICE_SM_NETWORK_PORT_H

#include "base/port.h"
#include "memory/cache.h"
#include "memory/crossbar.h"
#include "sm/cluster.h"

struct network_port {
	struct crossbar *requests;
	uint32_t input;          /* of these: where they go in */
	struct cluster *cluster; /* whose SMs all go in there; NULL: the SM has it for itself */
	struct port replies;
	uint32_t refused; /* requests of this cycle, for want of room in the network: it wakes the SM when there is some */
	bool asks;        /* room there wakes it; where SMs go alone, only while it has refused something (gpu/share.c) */
	uint32_t least;   /* flits of the smallest of them, UINT32_MAX: there is none, */
	uint32_t wanted;  /* and when it was noted */
};

struct sm;

/* The front reply, if there is one, goes to who waits for it: a line for a cache, an acknowledgement, or what went past L1. True: there are
 * more. */
bool network_port_tick(struct sm *sm);

/* Sends a request into the crossbar. False: no room. */
bool network_port_send(struct sm *sm, struct request *request);
/* Sends the oldest miss of a cache, if there is one. False: the network has no room, and wakes the SM when it has. */
bool network_port_send_miss(struct sm *sm, struct cache *cache);

/* What the SM may send in its next tick has room in the network for sure, though units behind may not have come to its time yet. */
bool network_port_suffices(const struct sm *sm);

/* Charges `slept` cycles in which requests would have been refused again. */
void network_port_account(struct sm *sm, uint64_t slept);

static inline bool network_port_has_refused(const struct network_port *port)
{
	return port->refused;
}

static inline uint32_t network_port_room(const struct network_port *port, uint64_t now)
{
	return port_room(&port->requests->input[port->input].port, now);
}

/* What was refused in this cycle is what the network is held against from now on. */
static inline void network_port_note_refused(struct network_port *port)
{
	port->wanted = port->least;
}

/* It would be refused again. */
static inline bool network_port_still_refuses(const struct network_port *port, uint64_t now)
{
	return port->wanted == UINT32_MAX || network_port_room(port, now) < port->wanted;
}

static inline void network_port_new_cycle(struct network_port *port)
{
	port->refused = 0;
	port->least = UINT32_MAX;
}

#endif
