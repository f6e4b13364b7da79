#include "memory/slice.h"

const struct counter slice_counters[] = {
#define X(name, unit, meaning) {#name, unit, SCOPE_SLICE, offsetof(struct slice_stats, name), meaning, COMBINE_SUM},
	SLICE_COUNTERS(X)
#undef X
};
const size_t slice_counter_count = sizeof slice_counters / sizeof slice_counters[0];

void slice_open(struct slice *slice, uint32_t index, const struct slice_config *config,
                const struct cache_config *cache, const struct address_map *map, struct request_pool *pool,
                uint64_t period, struct arena *arena)
{
	*slice = (struct slice){
		.config = *config, .index = index, .pool = pool, .map = map, .period = period, .wake = UINT64_MAX};
	cache_open(&slice->cache, cache, CACHE_OF_SLICE, pool, arena);
	request_queue_open(&slice->input, arena, config->input_queue);
	request_queue_open(&slice->reply, arena, config->reply_queue);
	port_open(&slice->from_dram, arena, config->from_dram_queue, &slice->wake);
	slice_entry_open(slice, cache->sectors, arena);
}

void slice_show_packet(const struct slice *slice, void (*look)(void *user, const struct packet *packet),
                       const struct request *request, uint64_t cycle)
{
	const struct packet packet = packet_of(slice->replies, request, cycle);
	look(slice->look_user, &packet);
}

/* The oldest reply enters the crossbar. */
static void send_reply(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct request *request = request_queue_front(&slice->reply);
	if (!request)
		return;
	slice->reply_refused = !crossbar_has_room(slice->replies, slice->index, request, now);
	if (slice->reply_refused) {
		slice->stats.reply_blocked++;
		return;
	}
	if (slice->packet_out)
		slice_show_packet(slice, slice->packet_out, request, cycle);
	crossbar_send(slice->replies, slice->index, request_queue_pop(&slice->reply), now);
}

static void reply(struct slice *slice, struct request *request)
{
	request->is_reply = true;
	slice->stats.atomics += request->kind == REQUEST_ATOMIC;
	request_queue_push(&slice->reply, request);
}

/* A mechanism's request for a sector of L2 ends here: a header tells its sender. */
static void acknowledge(struct slice *slice, struct request *request)
{
	request->bytes = 0;
	reply(slice, request);
}

/* A request that nobody waits for ends here. */
static void drop(struct slice *slice, struct request *request)
{
	struct request *whole = request->parent;
	assert(!whole || whole->parts);
	if (whole && --whole->parts == 0)
		request_release(slice->pool, whole);
	request_release(slice->pool, request);
}

/* A request whose line has arrived is answered. */
static void answer_filled(struct slice *slice)
{
	if (!cache_has_ready(&slice->cache) || request_queue_full(&slice->reply))
		return;
	struct request *request = cache_next_ready(&slice->cache);
	if (request->kind == REQUEST_L2_FILL)
		request_release(slice->pool, request);
	else
		reply(slice, request);
}

/* What DRAM returns: a line for the cache, or a finished write whose acknowledgement goes up. */
static void accept_from_dram(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct request *request = port_front(&slice->from_dram, now);
	if (!request)
		return;
	if (cache_waits_for(request)) {
		bool is_prefetch = request->kind == REQUEST_L2_PREFETCH;
		if (!cache_fill_port_free(&slice->cache, cycle) || (is_prefetch && request_queue_full(&slice->reply)))
			return;
		port_pop(&slice->from_dram, now);
		cache_fill(&slice->cache, request, cycle);
		if (is_prefetch)
			acknowledge(slice, request);
	} else if (request->kind == REQUEST_L1_WRITEBACK) { /* nobody waits for it */
		port_pop(&slice->from_dram, now);
		drop(slice, request);
	} else if (!request_queue_full(&slice->reply)) {
		port_pop(&slice->from_dram, now);
		reply(slice, request);
	}
}

/* What is counted by the request's instruction. */
static struct slice_inst *inst_of(const struct slice *slice, const struct request *request)
{
	uint32_t pc = request_pc(request);
	return &slice->by_pc[pc < slice->instructions ? pc : slice->instructions];
}

static void send_miss(struct slice *slice, uint64_t now)
{
	struct request *request = request_queue_front(&slice->cache.miss_queue);
	if (!request || !port_room(slice->to_dram, now))
		return;
	cache_take_miss(&slice->cache);
	address_map_place(slice->map, request);
	if (request->is_write)
		request->fetch = request->bytes;
	if (slice->by_pc)
		inst_of(slice, request)->dram_bytes += request->fetch;
	port_push(slice->to_dram, request, now);
}

static enum access_result look_up(struct slice *slice, struct request *request, uint64_t cycle, bool *sent_down)
{
	if (request->kind != REQUEST_L2_PREFETCH)
		return cache_access(&slice->cache, request, cycle, sent_down);
	*sent_down = false;
	return cache_prefetch_in_turn(&slice->cache, request, cycle);
}

/* A prefetch has been looked up. Its level says whether L2 had the data or waited for them. */
static void answer_prefetch(struct slice *slice, struct request *request, enum access_result result)
{
	if (result == ACCESS_MISS)
		request->level = LEVEL_DRAM;
	else
		acknowledge(slice, request);
}

/* One lookup a cycle, when whatever comes of it has room: a miss in the port to DRAM, a hit among the replies. */
static void access_cache(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct request *request = request_queue_front(&slice->input);
	if (!request)
		return;
	if (!port_room(slice->to_dram, now) || request_queue_full(&slice->reply) ||
	    !cache_data_port_free(&slice->cache, cycle))
		return;
	slice->access_refused = cache_refuses_again(&slice->cache, slice->refused_at);
	if (slice->access_refused)
		return;
	bool sent_down;
	if (request->level < LEVEL_L2)
		request->level = LEVEL_L2;
	enum access_result result = look_up(slice, request, cycle, &sent_down);
	slice->access_refused = result == ACCESS_REFUSED;
	if (slice->access_refused) {
		slice->refused_at = slice->cache.changes;
		return;
	}
	if (slice->look)
		slice->look(slice->look_user, request, result, slice->cache.watch, cycle);
	request_queue_pop(&slice->input);
	if (request->kind == REQUEST_L2_PREFETCH) {
		answer_prefetch(slice, request, result);
		return;
	}
	bool kept = request->is_write && !sent_down;
	if (slice->by_pc) {
		inst_of(slice, request)->accesses++;
		inst_of(slice, request)->hits += result == ACCESS_HIT;
	}
	if (result != ACCESS_HIT && !kept)
		request->level = LEVEL_DRAM;
	if ((result != ACCESS_HIT && !kept) || sent_down)
		return;
	if (request->kind == REQUEST_L1_WRITEBACK)
		drop(slice, request);
	else
		reply(slice, request);
}

static void leave_delay(struct slice *slice, uint64_t cycle)
{
	const struct request *request = slice_entry_front(&slice->entry);
	if (request && request->ready <= cycle && !request_queue_full(&slice->input))
		request_queue_push(&slice->input, slice_entry_take(&slice->entry));
}

void slice_look_at_entry(struct slice *slice)
{
	if (slice->entry.shown == slice->entry.entered)
		return;
	slice_entry_show(&slice->entry);
	slice->wake = earlier(slice->wake, slice_entry_front(&slice->entry)->ready * slice->period);
}

static bool holds_requests(const struct slice *slice, uint64_t now)
{
	return slice->input.count || slice->reply.count || cache_has_ready(&slice->cache) ||
	       slice->cache.miss_queue.count || port_front(&slice->from_dram, now);
}

void slice_settle(struct slice *slice, uint64_t cycle)
{
	assert(cycle >= slice->settled);
	uint64_t passed = cycle - slice->settled;
	if (!passed)
		return;
	slice->settled = cycle;
	slice->stats.reply_blocked += slice->reply_refused ? passed : 0;
	slice->cache.stats.refused += slice->access_refused ? passed : 0;
}

/* When the slice can do something without anything coming from outside. What was refused for want of room is woken by
 * the room, what was refused by L2 by DRAM's answer or by room for the misses; what was not tried yet is tried first, so
 * that its waiting is counted. */
static uint64_t next_wake(const struct slice *slice, uint64_t cycle, uint64_t now)
{
	bool input_room = !request_queue_full(&slice->input), reply_room = !request_queue_full(&slice->reply);
	bool can_reply = slice->reply.count &&
	                 (!slice->reply_refused ||
	                  crossbar_gets_room(slice->replies, slice->index, request_queue_front(&slice->reply)));
	bool can_access =
		slice->input.count && !slice->access_refused && reply_room && port_coming_room(slice->to_dram);
	if (can_reply || can_access || (cache_has_ready(&slice->cache) && reply_room) ||
	    !port_empty(&slice->from_dram) || (slice->cache.miss_queue.count && port_coming_room(slice->to_dram)))
		return now + 1;
	const struct request *delayed = slice_entry_front(&slice->entry);
	if (!delayed || !input_room)
		return UINT64_MAX;
	return delayed->ready <= cycle ? now + 1 : now + (delayed->ready - cycle - 1) * slice->period + 1;
}

void slice_tick(struct slice *slice, uint64_t cycle, uint64_t now)
{
	slice_settle(slice, cycle);
	slice->settled = cycle + 1;
	slice->reply_refused = slice->access_refused = false;
	send_reply(slice, cycle, now);
	answer_filled(slice);
	accept_from_dram(slice, cycle, now);
	send_miss(slice, now);
	access_cache(slice, cycle, now);
	leave_delay(slice, cycle);
	slice->busy = holds_requests(slice, now);
	const struct slice_note note = {cycle, slice->entry.left, slice->input.count, slice->busy};
	slice_entry_note(slice, &slice->entry, &note, now);
	slice->wake = next_wake(slice, cycle, now);
}
