/* cluster: the SMs that share one port to the networks.
 *
 *     requests   SM -+                                      in turn, into the one input of the request network:
 *                SM -+-> input of the request network       its queue, then one flit per cycle into the network
 *     replies    output of the reply network -> queue of the cluster -> replies of an SM      one packet per cycle each
 *
 * Requests. In a cycle the SMs send one after another, each as much as fits. So they tick in this order and in one
 * host thread. This is the only order dependence between units within a step. With TURNS_BY_CYCLE the SMs rotate by
 * cycle. A packet that does not fit lets smaller ones pass (GPGPU-Sim, -gpgpu_simt_core_sim_order 1). With
 * TURNS_HELD the SM after the last sender goes first. An SM whose packet does not fit blocks the SMs after it, so
 * none waits for more than one turn of each other SM.
 *
 * Replies. The cluster's queue takes one packet per cycle from the network and gives its first one to the target SM,
 * one per cycle. While that SM has no space, all later packets wait. A packet that finds both queues empty reaches
 * its SM in the same cycle as without a cluster.
 *
 * The queues are those of GPGPU-Sim's simt_core_cluster::icnt_cycle(), with -gpgpu_n_cluster_ejection_buffer_size
 * and -gpgpu_n_ldst_response_buffer_size packets.
 */
#ifndef SLUICE_SM_CLUSTER_H
#define SLUICE_SM_CLUSTER_H

#include "base/port.h"
#include "base/table.h"
#include "memory/request.h"

struct sm;

/* Which SM goes first, and which requests may pass others. */
enum cluster_turns { TURNS_BY_CYCLE, TURNS_HELD };

struct cluster_config {
	uint32_t sms;     /* per cluster; 1: every SM has its own port, and there are no clusters */
	uint32_t replies; /* packets in a cluster's queue */
	uint32_t own_replies; /* packets in the queue of each of its SMs */
	uint32_t turns;       /* enum cluster_turns */
};

#define CLUSTER_COUNTERS(X)                                                                                            \
	X(requests, "packets",                                                                                         \
	  "packets that SMs sent through their cluster's shared port; 0 where each SM has its own port")               \
	X(replies, "packets", "packets that SMs received through their cluster's shared port")                         \
	X(turn_waits, "cycles",                                                                                        \
	  "cycles in which a request waited for another SM's request, which had the turn but found no space in the "   \
	  "network")                                                                                                   \
	X(reply_waits, "cycles",                                                                                       \
	  "cycles in which the first reply waited for space at its SM, and all replies after it waited too")           \
	X(queue_full, "cycles", "cycles in which a reply waited in the network because its cluster's queue was full")

struct cluster_stats {
#define X(name, unit, meaning) uint64_t name;
	CLUSTER_COUNTERS(X)
#undef X
};

struct cluster {
	struct cluster_config config;
	struct sm *sm;            /* the first of config.sms */
	uint32_t turn;            /* index of the SM that goes first in this cycle */
	uint32_t next_turn;       /* with TURNS_HELD: index of the SM that goes first in the next cycle */
	uint32_t last_start;      /* index of the SM to which the dispatcher gave the last block */
	struct port from_network; /* units are flits */
	struct port replies;      /* the cluster's queue; packets keep the time at which the network delivered them */
	uint64_t wake;            /* time of the next tick that can do something */
	struct cluster_stats stats;
};

/* `sm`: its SMs, in an array. Their ports must already be open. */
void cluster_open(struct cluster *cluster, const struct cluster_config *config, struct sm *sm, struct arena *arena);

/* Simulates one core cycle before its SMs tick. Moves replies, and wakes SMs whose requests found no space. Sets
 * cluster->wake. */
void cluster_tick(struct cluster *cluster, uint64_t now);

/* Index of the SM that ticks in position `i` in this cycle. */
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

/* True when an SM earlier in this cycle's order found no space, with TURNS_HELD, and therefore blocks this one. */
bool cluster_holds(const struct cluster *cluster, const struct sm *sm);

/* A request of the SM could not be sent. True: it is held, and counts as waiting for the other SM's turn. False:
 * there is no space. Later SMs of the order that were refused for space before are held from now on. */
bool cluster_refuse(struct cluster *cluster, const struct sm *sm);

/* The SM has sent a request: the turn moves to the next SM. */
void cluster_sent(struct cluster *cluster, const struct sm *sm);

extern const struct base_counter cluster_counters[];
extern const size_t cluster_counter_count;

#endif
