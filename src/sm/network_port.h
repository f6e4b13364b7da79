/* network_port: the SM's port to the networks: outgoing requests and incoming replies. */
#ifndef SLUICE_SM_NETWORK_PORT_H
#define SLUICE_SM_NETWORK_PORT_H

#include "base/port.h"
#include "memory/cache.h"
#include "memory/crossbar.h"
#include "sm/cluster.h"

struct network_port {
	struct crossbar *requests;
	uint32_t input;          /* the input of `requests` that they enter */
	struct cluster *cluster; /* the cluster whose SMs share this input; NULL: the SM has its own input */
	struct port replies;
	/* number of requests refused in this cycle because the network had no space */
	uint32_t refused;
	/* freed space in the network wakes the SM; for run-ahead SMs only while something is refused
	 * (gpu/worker_sms.c) */
	bool is_woken_by_room;
	uint32_t least;  /* flits of the smallest refused request; UINT32_MAX: none */
	uint32_t wanted; /* value of `least` when it was last recorded */
};

struct sm;

/* Delivers the front reply, if there is one: a line to its cache, an acknowledgement, or a reply that bypassed L1.
 * True when there are more. */
bool network_port_tick(struct sm *sm);

/* Sends a request into the crossbar. False: no space. */
bool network_port_send(struct sm *sm, struct request *request);
/* Sends the oldest miss of a cache, if there is one. False: the network has no space, and will wake the SM when it
 * has. */
bool network_port_send_miss(struct sm *sm, struct cache *cache);

/* True when the network is guaranteed to have space for everything that the SM may send in its next tick. This holds
 * even if units downstream have not reached that time. */
bool network_port_suffices(const struct sm *sm);

/* Charges `slept` cycles in which requests would have been refused again. */
void network_port_account(struct sm *sm, uint64_t slept);

static inline bool network_port_has_refused(const struct network_port *port)
{
	return port->refused;
}

/* In a launch whose SMs run ahead (`apart`), replies arrive at their own times: those that the reply side pushes
 * meanwhile wait in `outbox`, or NULL where no other thread pushes. */
static inline void network_port_run_apart(struct network_port *port, bool apart, struct outbox *outbox)
{
	port->replies.producer_may_be_ahead = apart;
	port->replies.outbox = outbox;
}

/* Freed network space sets `wake`, a time of the SM's next tick; NULL: it does not. */
static inline void network_port_ask_for_room(struct network_port *port, uint64_t *wake)
{
	port->is_woken_by_room = wake;
	port->requests->input[port->input].port.producer_wake = wake;
}

/* Counts this cycle's refusals as the last tick's, when the memory stages rest. */
static inline void network_port_refuse_again(struct network_port *port, uint32_t refused)
{
	port->refused = refused;
}

static inline uint32_t network_port_room(const struct network_port *port, uint64_t now)
{
	return port_room(&port->requests->input[port->input].port, now);
}

/* Records the refused size of this cycle, with which the network's space is compared from now on. */
static inline void network_port_note_refused(struct network_port *port)
{
	port->wanted = port->least;
}

/* True when the refused request would be refused again. */
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
