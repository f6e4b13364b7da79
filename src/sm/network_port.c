#include "sm/sm.h"

#include "memory/packet.h"
#include "sm/mechanism_requests.h"

/* Uses none of the units that the crossbar counts, which may belong to another host thread. */
bool sm_answer_at_once(struct sm *sm, struct request *request, uint64_t now)
{
	struct port *replies = &sm->network.replies;
	if (request->kind == REQUEST_L1_WRITEBACK) { /* nothing waits for it */
		request_release(sm->requests, request);
		return true;
	}
	if (replies->items == replies->capacity)
		return false;
	request->is_reply = true;
	port_insert(replies, &(struct port_slot){request, now, 0, 0});
	return true;
}

/* A request held for another SM of the cluster is tried again in the next cycle. One that needs space is tried again
 * when there is some. */
static void refuse(struct sm *sm, uint32_t flits)
{
	struct network_port *network = &sm->network;
	bool tries_again = port_room_next_step(&network->requests->input[network->input].port) >= flits;
	sm->stats.network_full++;
	network->refused++;
	if (flits < network->least)
		network->least = flits;
	if (network->cluster)
		tries_again |= cluster_refuse(network->cluster, sm);
	if (tries_again)
		sm_wake_at(sm, sm->now + 1);
}

bool network_port_send(struct sm *sm, struct request *request)
{
	struct network_port *network = &sm->network;
	if (sm->config.zero_latency_memory) {
		bool answered = sm_answer_at_once(sm, request, sm->now);
		network->refused += !answered;
		return answered;
	}
	uint32_t flits = crossbar_flits(network->requests, request);
	if (network_port_room(network, sm->now) < flits || (network->cluster && cluster_holds(network->cluster, sm))) {
		refuse(sm, flits);
		return false;
	}
	if (sm->seam->packet_out.count) {
		const struct base_packet packet = packet_of(network->requests, request, sm->cycle);
		seam_call_packet_out(sm->seam, &packet);
	}
	crossbar_send(network->requests, network->input, request, sm->now);
	if (network->cluster)
		cluster_sent(network->cluster, sm);
	return true;
}

bool network_port_send_miss(struct sm *sm, struct cache *cache)
{
	struct request *request = request_queue_front(&cache->miss_queue);
	if (!request)
		return true;
	if (!network_port_send(sm, request))
		return false;
	cache_take_miss(cache);
	return true;
}

/* A cache without misses to send may write back a line in place of which a fill arrives, and send it at once. */
static uint32_t flits_of_miss(const struct crossbar *network, const struct cache *cache)
{
	const struct request *first = request_queue_front(&cache->miss_queue);
	if (first)
		return crossbar_flits(network, first);
	bool may_write_back = cache->config.allocation == ALLOCATE_ON_FILL;
	return may_write_back ? crossbar_flits_of(network, cache->config.line_bytes) : 0;
}

/* MOST_DATA_BYTES: of a warp's access or a mechanism's request. SENDERS: units that may send in a cycle. These are
 * three caches, the texture unit, the load/store unit, a mechanism's turn at shared memory, and the next request of
 * a mechanism. */
enum { MOST_DATA_BYTES = 128, SENDERS = 7 };

/* The sum over all senders of what each may send in the next cycle. A cache may send its oldest miss. */
static uint32_t most_flits(const struct sm *sm)
{
	const struct crossbar *network = sm->network.requests;
	const struct request *texture = request_queue_front(&sm->texture.requests);
	uint32_t flits = flits_of_miss(network, &sm->l1.data) + flits_of_miss(network, &sm->l1.constant);
	if (texture)
		flits += crossbar_flits(network, texture);
	if (sm->mechanisms_send)
		flits += requests_most_flits(sm);
	return flits + lsu_most_flits(sm) +
	       crossbar_flits_of(network, 0); /* a miss of the instruction cache can occur in the same cycle */
}

bool network_port_suffices(const struct sm *sm)
{
	const struct network_port *network = &sm->network;
	uint32_t room = port_room_next_step(&network->requests->input[network->input].port);
	if (network->refused)
		return false;
	return room >= SENDERS * crossbar_flits_of(network->requests, MOST_DATA_BYTES) || room >= most_flits(sm);
}

void network_port_account(struct sm *sm, uint64_t slept)
{
	sm->stats.network_full += sm->network.refused * slept;
}

/* Takes the front packet from the network. For a reply by sectors the packet is not the whole reply. */
static void take_packet(struct sm *sm, struct request *packet, bool is_sector)
{
	struct port *replies = &sm->network.replies;
	if (replies->producer_may_be_ahead)
		port_take(replies, sm->now);
	else
		port_pop(replies, sm->now);
	if (is_sector)
		request_release(sm->requests, packet);
}

/* One sector of a reply has arrived. If it is the last, returns the whole request; else takes the packet and returns
 * NULL. */
static struct request *join_sectors(struct sm *sm, struct request *packet)
{
	struct request *request = packet->parent;
	invariant(request->parts);
	if (request->level < packet->level)
		request->level = packet->level;
	if (request->parts > 1) {
		request->parts--;
		take_packet(sm, packet, true);
		return NULL;
	}
	return request;
}

static bool deliver_past_l1(struct sm *sm, struct request *request)
{
	if (!write_back_has_room(&sm->write_back))
		return false;
	write_back_push(&sm->write_back, request);
	return true;
}

/* Delivers the reply to its destination. False: it cannot be taken in this cycle. */
static bool deliver(struct sm *sm, struct request *request)
{
	if (request->mechanism && request->bypass)
		return requests_deliver(sm, request);
	switch ((enum request_kind)request->kind) {
	case REQUEST_INSTRUCTION:
		return fetch_fill(sm, request);
	case REQUEST_L2_PREFETCH:
		requests_answered(sm, request);
		return true;
	case REQUEST_CONSTANT:
		return l1_fill_constant(sm, request);
	case REQUEST_TEXTURE:
		texture_unit_fill(sm, request);
		return true;
	case REQUEST_LOCAL_READ:
	case REQUEST_L1_FILL:
	case REQUEST_READ:
		return request->bypass ? deliver_past_l1(sm, request) : l1_fill(sm, request);
	default:
		break;
	}
	if (!request->is_write)
		return deliver_past_l1(sm, request);
	struct sm_warp *warp = &sm->warp[request->warp];
	request_release(sm->requests, request);
	warp_store_acknowledged(sm, warp);
	return true;
}

/* False: it cannot be taken in this cycle. */
static bool take_reply(struct sm *sm, struct request *packet)
{
	bool is_sector = packet->parent;
	struct request *request = is_sector ? join_sectors(sm, packet) : packet;
	if (!request)
		return true;
	bool taken = deliver(sm, request);
	if (taken)
		take_packet(sm, packet, is_sector);
	return taken;
}

/* Takes a reply and reports it to observers, with the packet's state from before it was taken. */
static void take_seen_reply(struct sm *sm, struct request *reply)
{
	const struct base_packet packet = packet_of(sm->network.requests, reply, sm->cycle);
	if (take_reply(sm, reply))
		seam_call_packet_in(sm->seam, &packet);
}

/* Takes one reply per cycle, as in GPGPU-Sim's load/store unit. The reply waits at the port while its cache's fill
 * port, or the register for replies that bypass L1, is busy. */
bool network_port_tick(struct sm *sm)
{
	struct port *replies = &sm->network.replies;
	struct request *packet = port_front(replies, sm->now);
	if (packet && sm->seam->packet_in.count && !sm->config.zero_latency_memory)
		take_seen_reply(sm, packet);
	else if (packet)
		take_reply(sm, packet);
	return !port_empty(replies);
}
