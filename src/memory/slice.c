#include "memory/slice.h"

const struct base_counter slice_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SLICE, offsetof(struct slice_stats, name), meaning, BASE_COMBINE_SUM},
	SLICE_COUNTERS(X)
#undef X
};
const size_t slice_counter_count = sizeof slice_counters / sizeof slice_counters[0];

void slice_open(struct slice *slice, uint32_t index, const struct slice_config *config,
                const struct cache_config *cache, const struct address_map *map, struct request_pool *pool,
                uint64_t period, struct arena *arena)
{
	*slice = (struct slice){.config = *config,
	                        .index = index,
	                        .pool = pool,
	                        .map = map,
	                        .period = period,
	                        .wake = UINT64_MAX,
	                        .next = UINT64_MAX};
	cache_open(&slice->cache, cache, CACHE_OF_SLICE, pool, arena);
	request_queue_open(&slice->input, arena, config->input_queue);
	request_queue_open(&slice->reply, arena, config->reply_queue);
	port_open(&slice->from_dram, arena, config->from_dram_queue, &slice->wake);
	slice_entry_open(slice, cache->sectors, arena);
}

void slice_show_packet(const struct slice *slice, void (*look)(void *user, const struct base_packet *packet),
                       const struct request *request, uint64_t cycle)
{
	const struct base_packet packet = packet_of(slice->replies, request, cycle);
	look(slice->look_user, &packet);
}

/* Sends the oldest reply into the crossbar. */
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

/* Ends a mechanism's request for a sector of L2: a header notifies its sender. */
static void acknowledge(struct slice *slice, struct request *request)
{
	request->bytes = 0;
	reply(slice, request);
}

/* Ends a request that nothing waits for. */
static void drop_request(struct slice *slice, struct request *request)
{
	struct request *whole = request->parent;
	assert(!whole || whole->parts);
	if (whole && --whole->parts == 0)
		request_release(slice->pool, whole);
	request_release(slice->pool, request);
}

/* Answers a request whose line has arrived. */
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

/* The oldest arrival from DRAM is answered at once, if it is answered at all. True when the reply fits. */
static bool has_room_for(const struct slice *slice, const struct request *request)
{
	bool is_answered =
		cache_waits_for(request) ? request->kind == REQUEST_L2_PREFETCH : request->kind != REQUEST_L1_WRITEBACK;
	return !is_answered || !request_queue_full(&slice->reply);
}

/* Takes what DRAM returns: a line for the cache, or a finished write whose acknowledgement goes up. */
static void accept_from_dram(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct request *request = port_front(&slice->from_dram, now);
	if (!request)
		return;
	bool is_fill = cache_waits_for(request);
	if ((is_fill && !cache_fill_port_free(&slice->cache, cycle)) || !has_room_for(slice, request))
		return;
	port_pop(&slice->from_dram, now);
	if (is_fill) {
		cache_fill(&slice->cache, request, cycle);
		if (request->kind == REQUEST_L2_PREFETCH)
			acknowledge(slice, request);
	} else if (request->kind == REQUEST_L1_WRITEBACK) {
		drop_request(slice, request);
	} else {
		reply(slice, request);
	}
}

/* The counts of the request's instruction. */
static struct slice_inst *inst_of(const struct slice *slice, const struct request *request)
{
	uint32_t pc = request_pc(request);
	return &slice->by_pc[pc < slice->instructions ? pc : slice->instructions];
}

/* True when the request already has its placement. Requests from an SM have it. Requests that caches make for
 * evicted or fetched lines are placed when they go down. */
static bool is_placed(const struct request *request)
{
	return request->kind != REQUEST_L1_WRITEBACK && request->kind != REQUEST_L2_WRITEBACK &&
	       request->kind != REQUEST_L2_FILL;
}

static void send_miss(struct slice *slice, uint64_t now)
{
	struct request *request = request_queue_front(&slice->cache.miss_queue);
	if (!request || !port_room(slice->to_dram, now))
		return;
	cache_take_miss(&slice->cache);
	if (!is_placed(request))
		address_map_place(slice->map, request);
	if (request->is_write)
		request->dram_bytes = request->bytes;
	if (slice->by_pc)
		inst_of(slice, request)->dram_bytes += request->dram_bytes;
	port_push(slice->to_dram, request, now);
}

static enum base_access_result look_up(struct slice *slice, struct request *request, uint64_t cycle, bool *sent_down)
{
	if (request->kind != REQUEST_L2_PREFETCH)
		return cache_access(&slice->cache, request, cycle, sent_down);
	*sent_down = false;
	return cache_prefetch_in_turn(&slice->cache, request, cycle);
}

/* A prefetch has been looked up. Its level says whether L2 had the data or waited for them. */
static void answer_prefetch(struct slice *slice, struct request *request, enum base_access_result result)
{
	if (result == BASE_ACCESS_MISS)
		request->level = LEVEL_DRAM;
	else
		acknowledge(slice, request);
}

/* Makes one lookup per cycle, when any result of it fits: a miss in the port to DRAM, a hit in the reply queue. */
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
	enum base_access_result result = look_up(slice, request, cycle, &sent_down);
	slice->access_refused = result == BASE_ACCESS_REFUSED;
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
		inst_of(slice, request)->hits += result == BASE_ACCESS_HIT;
	}
	if (result != BASE_ACCESS_HIT && !kept)
		request->level = LEVEL_DRAM;
	if ((result != BASE_ACCESS_HIT && !kept) || sent_down)
		return;
	if (request->kind == REQUEST_L1_WRITEBACK)
		drop_request(slice, request);
	else
		reply(slice, request);
}

static void leave_delay(struct slice *slice, uint64_t cycle)
{
	const struct request *request = slice_entry_front(&slice->entry);
	if (request && request->ready <= cycle && !request_queue_full(&slice->input))
		request_queue_push(&slice->input, slice_entry_take(&slice->entry));
}

/* --- sleeping and settling (slice.h) --- */

void slice_look_at_entry(struct slice *slice)
{
	if (slice->entry.shown == slice->entry.entered)
		return;
	slice_entry_show(&slice->entry);
	slice->next = min_u64(slice->next, slice_entry_front(&slice->entry)->ready * slice->period);
	slice->wake = min_u64(slice->wake, slice->next);
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

/* The cycle in which the oldest item from DRAM can be taken. An item that is not visible yet is visible in the next
 * cycle. */
static uint64_t next_fill(const struct slice *slice, uint64_t cycle, uint64_t now)
{
	const struct request *request = port_front(&slice->from_dram, now);
	if (!request)
		return port_empty(&slice->from_dram) ? UINT64_MAX : cycle + 1;
	if (!has_room_for(slice, request))
		return UINT64_MAX;
	return cache_waits_for(request) ? max_u64(slice->cache.fill_port_until, cycle + 1) : cycle + 1;
}

/* next_access: the cycle in which the oldest access can be looked up, if it has not been tried yet.
 * next_of_delay_line: the cycle in which a request leaves the delay line. */
static uint64_t next_access(const struct slice *slice, uint64_t cycle)
{
	bool can_be = slice->input.count && !slice->access_refused && !request_queue_full(&slice->reply) &&
	              port_room_next_step(slice->to_dram);
	return can_be ? max_u64(slice->cache.data_port_until, cycle + 1) : UINT64_MAX;
}

static uint64_t next_of_delay_line(const struct slice *slice, uint64_t cycle)
{
	const struct request *delayed = slice_entry_front(&slice->entry);
	return delayed && !request_queue_full(&slice->input) ? max_u64(delayed->ready, cycle + 1) : UINT64_MAX;
}

/* The time at which the slice can do something without further input. Freed space wakes what was refused because
 * space was missing. DRAM's reply or miss-queue space wakes what L2 refused. An untried item is tried first, so that
 * its waiting is counted. */
static uint64_t next_event(const struct slice *slice, uint64_t cycle, uint64_t now)
{
	bool can_reply = slice->reply.count &&
	                 (!slice->reply_refused ||
	                  crossbar_gets_room(slice->replies, slice->index, request_queue_front(&slice->reply)));
	if (can_reply || (cache_has_ready(&slice->cache) && !request_queue_full(&slice->reply)) ||
	    (slice->cache.miss_queue.count && port_room_next_step(slice->to_dram)))
		return now + 1;
	uint64_t next = min_u64(next_fill(slice, cycle, now),
	                        min_u64(next_access(slice, cycle), next_of_delay_line(slice, cycle)));
	return next == UINT64_MAX ? UINT64_MAX : now + (next - cycle - 1) * slice->period + 1;
}

/* External events wake the slice earlier: an item from DRAM, space in the port to DRAM, space in the crossbar for a
 * flit or two. True when none of the events has happened that it waits for. Refused items remain refused, and are
 * counted when it ticks. */
static bool is_woken_in_vain(const struct slice *slice, uint64_t now)
{
	if (now >= slice->next || !port_empty(&slice->from_dram))
		return false;
	bool goes_down = slice->cache.miss_queue.count || (slice->input.count && !slice->access_refused);
	return !(goes_down && port_room_next_step(slice->to_dram)) &&
	       !(slice->reply_refused &&
	         crossbar_gets_room(slice->replies, slice->index, request_queue_front(&slice->reply)));
}

/* --- the tick --- */

void slice_tick(struct slice *slice, uint64_t cycle, uint64_t now)
{
	if (is_woken_in_vain(slice, now)) {
		slice->wake = slice->next;
		return;
	}
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
	slice->wake = slice->next = next_event(slice, cycle, now);
}
