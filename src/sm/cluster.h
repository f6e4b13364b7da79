/* cluster: the SMs that share one port to the networks.
 *
 *   requests   SM -+                                             in turn, into the one input of the request network: its queue,
 *              SM -+-> input of the request network              a flit a cycle into the network
 *   replies    output of the reply network -> queue of the cluster -> replies of an SM        a packet a cycle each
 *
 * Requests. In a cycle the SMs go one behind the other, each with what it finds room for; so they tick in this order, the only one in which
 * units stand to each other within a step, and in one host thread. By cycle, each goes first in every so many-th cycle, and one whose packet
 * finds no room lets smaller ones pass (GPGPU-Sim, -gpgpu_simt_core_sim_order 1). Held, the one behind the SM that sent last goes first, and
 * one that finds no room keeps those behind it from going, so that none waits for more than a turn of each of the others.
 *
 * Replies. The cluster's queue takes a packet a cycle from the network and gives its first one a cycle to the SM that it is for; while
 * that has no room, all behind it wait. A packet that finds both queues empty is seen by its SM in the cycle in which an SM with a port
 * of its own would have seen it.
 *
 * The queues are those of GPGPU-Sim's simt_core_cluster::icnt_cycle(), with -gpgpu_n_cluster_ejection_buffer_size and
 * -gpgpu_n_ldst_response_buffer_size packets. */
#ifndef SLUICE_SM_CLUSTER_H
#define SLUICE_SM_CLUSTER_H

#include "base/port.h"
#include "base/table.h"
#include "memory/request.h"

struct sm;

/* Who goes first, and who may pass whom. */
enum cluster_turns { TURNS_BY_CYCLE, TURNS_HELD };

struct cluster_config {
	uint32_t sms;     /* of each cluster; 1: every SM has a port of its own, and there are no clusters */
	uint32_t replies; /* packets in a cluster's queue */
	uint32_t own_replies; /* ... and in that of each of its SMs */
	uint32_t turns;       /* enum cluster_turns */
};

#define CLUSTER_COUNTERS(X)                                                                                            \
	X(requests, "packets", "that SMs sent through the port of their cluster; 0 where each has its own")            \
	X(replies, "packets", "that SMs got through it")                                                               \
	X(turn_waits, "cycles", "that a request waited for that of another SM, whose turn it was and which had no room") \
	X(reply_waits, "cycles", "that the first reply, and all behind it, waited since its SM had no room for it")    \
	X(queue_full, "cycles", "that a reply waited in the network since its cluster's queue was full")

struct cluster_stats {
#define X(name, unit, meaning) uint64_t name;
	CLUSTER_COUNTERS(X)
#undef X
};

struct cluster {
	struct cluster_config config;
	struct sm *sm;            /* the first of config.sms */
	uint32_t turn;            /* of these: the one that goes first in this cycle, */
	uint32_t next_turn;       /* and, held, in the next */
	uint32_t last_start;      /* the one that the dispatcher gave a block last */
	struct port from_network; /* units are flits */
	struct port replies;      /* the queue: its packets keep the time at which the network gave them */
	uint64_t wake;            /* time of the next tick that can do something */
	struct cluster_stats stats;
};

/* `sm`: its SMs, side by side. Their ports are there already. */
void cluster_open(struct cluster *cluster, const struct cluster_config *config, struct sm *sm, struct arena *arena);

/* One core cycle, before its SMs tick: moves replies, and wakes SMs whose requests have found no room. Sets cluster->wake. */
void cluster_tick(struct cluster *cluster, uint64_t now);

/* The SM of the cluster that ticks as number `i` in this cycle. */
static inline uint32_t cluster_in_turn(const struct cluster *cluster, uint32_t i)
{
	uint32_t at = cluster->turn + i;
	return at < cluster->config.sms ? at : at - cluster->config.sms;
}

/* Its SMs are about to tick in this core cycle. */
static inline void cluster_new_cycle(struct cluster *cluster, uint64_t cycle)
{
	bool is_held = cluster->config.turns == TURNS_HELD;
	cluster->turn = is_held ? cluster->next_turn : (uint32_t)(cycle % cluster->config.sms);
}

/* In this cycle an SM that goes before this one has found no room, and lets nobody pass. */
bool cluster_holds(const struct cluster *cluster, const struct sm *sm);

/* A request of the SM stays. True: it is held, and counts as waiting for the other's turn. False: for want of room; SMs behind it that have
 * found none before wait for it from now on. */
bool cluster_refuse(struct cluster *cluster, const struct sm *sm);

/* The SM has sent a request: the next one's turn is next. */
void cluster_sent(struct cluster *cluster, const struct sm *sm);

extern const struct counter cluster_counters[];
extern const size_t cluster_counter_count;

#endif
