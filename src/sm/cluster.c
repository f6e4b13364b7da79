#include "sm/cluster.h"

#include "sm/sm.h"

const struct base_counter cluster_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_NETWORK, offsetof(struct cluster_stats, name), meaning, BASE_COMBINE_SUM},
	CLUSTER_COUNTERS(X)
#undef X
};
const size_t cluster_counter_count = sizeof cluster_counters / sizeof cluster_counters[0];

void cluster_open(struct cluster *cluster, const struct cluster_config *config, struct sm *sm, struct arena *arena)
{
	*cluster = (struct cluster){.config = *config, .sm = sm, .last_start = config->sms - 1, .wake = UINT64_MAX};
	port_open(&cluster->replies, arena, config->replies, NULL);
}

static uint32_t place_of(const struct cluster *cluster, const struct sm *sm)
{
	return (uint32_t)(sm - cluster->sm);
}

bool cluster_holds(const struct cluster *cluster, const struct sm *sm)
{
	if (cluster->config.turns != TURNS_HELD)
		return false;
	for (uint32_t i = 0;; i++) {
		const struct sm *before = &cluster->sm[cluster_in_turn(cluster, i)];
		if (before == sm)
			return false;
		if (network_port_has_refused(&before->network))
			return true;
	}
}

/* Wakes later SMs that were refused for space and sleep until it is free. They are held from now on. */
static void wake_behind(struct cluster *cluster, const struct sm *sm)
{
	for (uint32_t i = cluster->config.sms - 1;; i--) {
		struct sm *behind = &cluster->sm[cluster_in_turn(cluster, i)];
		if (behind == sm)
			return;
		if (network_port_has_refused(&behind->network))
			sm_wake_at(behind, sm->now);
	}
}

bool cluster_refuse(struct cluster *cluster, const struct sm *sm)
{
	bool is_held = cluster_holds(cluster, sm);
	if (is_held)
		cluster->stats.turn_waits++;
	else
		wake_behind(cluster, sm);
	return is_held;
}

void cluster_sent(struct cluster *cluster, const struct sm *sm)
{
	uint32_t next = place_of(cluster, sm) + 1;
	cluster->next_turn = next == cluster->config.sms ? 0 : next;
	cluster->stats.requests++;
}

/* Moves a packet from the network to the end of the queue. */
static void take_reply(struct cluster *cluster, uint64_t now)
{
	const struct port_slot *front = port_front_slot(&cluster->from_network, now);
	if (!front)
		return;
	if (cluster->replies.items == cluster->config.replies) {
		cluster->stats.queue_full++;
		return;
	}
	const struct port_slot slot = {front->item, front->pushed_at, 0, 0};
	port_insert(&cluster->replies, &slot);
	port_pop(&cluster->from_network, now);
}

/* Moves the queue's first packet to its SM, which sees it in this cycle, because it was already visible at the
 * network's port. */
static void give_reply(struct cluster *cluster, uint64_t now)
{
	const struct port_slot *front = port_front_slot(&cluster->replies, now);
	if (!front)
		return;
	const struct request *request = front->item;
	struct port *replies = &cluster->sm[request->sm % cluster->config.sms].network.replies;
	if (replies->items == cluster->config.own_replies) {
		cluster->stats.reply_waits++;
		return;
	}
	const struct port_slot slot = {front->item, front->pushed_at, 0, 0};
	port_insert(replies, &slot);
	port_drop(&cluster->replies);
	cluster->stats.replies++;
}

/* A flit has left the input of the request network, so there may be space. */
static void wake_refused(struct cluster *cluster, uint64_t now)
{
	for (uint32_t i = 0; i < cluster->config.sms; i++)
		if (network_port_has_refused(&cluster->sm[i].network))
			sm_wake_at(&cluster->sm[i], now);
}

void cluster_tick(struct cluster *cluster, uint64_t now)
{
	take_reply(cluster, now);
	give_reply(cluster, now);
	wake_refused(cluster, now);
	bool goes_on = !port_empty(&cluster->replies) || !port_empty(&cluster->from_network);
	cluster->wake = goes_on ? now + 1 : UINT64_MAX;
}
