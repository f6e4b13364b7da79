/* Protects the basis of windows (gpu/cycle.c): an L2 slice may run ahead of its entry by up to the length of its delay
 * line. Packets enter, are answered and are sent to DRAM in the same cycles as without run-ahead, and all counters
 * agree. This holds even if the entry learns of the slice's work only when both synchronize. */
#include "memory/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
	LINE = 128,
	CYCLES = 4000,
	END = CYCLES + 4000
}; /* packets arrive in the first CYCLES; in the rest the queues drain */

struct packet_in {
	uint64_t cycle, address;
	bool writes;
};

/* A slice between two ports, with a memory that replies after a delay. */
struct bench {
	struct arena arena;
	struct request_pool pool;
	struct address_map map;
	struct crossbar replies;
	struct slice slice;
	struct port to_dram;
	uint64_t wake, state;
	struct slice_config config;
	const struct packet_in *packet; /* by number, in the order of their cycles */
	uint32_t packets, next;
	struct request *at_dram[64];
	uint64_t back_at[64];
	uint32_t first, behind;
	uint64_t log; /* hash of the outputs and their cycles */
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static uint32_t to_sm(const void *user, const struct request *request)
{
	(void)user;
	return request->sm;
}

static void open_bench(struct bench *bench, const struct slice_config *config, const struct packet_in *packet,
                       uint32_t packets)
{
	struct cache_config cache = {.sectors = config->by_sectors ? 4 : 1,
	                             .sets = 4,
	                             .ways = 2,
	                             .line_bytes = LINE,
	                             .allocation = ALLOCATE_ON_MISS,
	                             .write = WRITE_BACK,
	                             .write_miss = WRITE_MISS_FETCH,
	                             .mshrs = 4,
	                             .merges = 4,
	                             .miss_queue = 4,
	                             .port_bytes = 32};
	struct crossbar_config network = {
		.speedup = 1, .flit_bytes = 32, .injection_flits = 16, .buffer_flits = 8, .boundary_flits = 16};
	*bench = (struct bench){.wake = UINT64_MAX, .config = *config, .packet = packet, .packets = packets};
	bench->pool.arena = &bench->arena;
	bench->map = (struct address_map){
		.channels = 1, .slices_per_channel = 1, .interleave_bits = 8, .banks = 16, .column_bits = 4};
	address_map_open(&bench->map);
	crossbar_open(&bench->replies, &network, 1, 1, to_sm, &bench->arena);
	slice_open(&bench->slice, 0, config, &cache, &bench->map, &bench->pool, 1, &bench->arena);
	port_open(&bench->slice.entry.from_network, &bench->arena, 16, &bench->slice.entry.wake);
	port_open(&bench->to_dram, &bench->arena, config->to_dram_queue, &bench->wake);
	bench->to_dram.producer_wake = &bench->slice.wake;
	bench->slice.replies = &bench->replies;
	bench->slice.to_dram = &bench->to_dram;
}

static void came_out(struct bench *bench, const struct request *request, uint64_t cycle)
{
	bench->log = (bench->log ^ request->address ^ cycle << 20) * 0x100000001b3;
}

/* The crossbar takes a reply in two of three cycles. Memory takes a request in every second cycle and returns it 37
 * cycles later. */
static void tick_around(struct bench *bench, uint64_t cycle)
{
	struct port *replies = &bench->replies.input[0].port;
	struct request *request = cycle % 3 ? port_front(replies, cycle) : NULL;
	if (request) {
		came_out(bench, request, cycle);
		port_pop(replies, cycle);
	}
	request = cycle % 2 ? port_front(&bench->to_dram, cycle) : NULL;
	if (request) {
		came_out(bench, request, cycle);
		port_pop(&bench->to_dram, cycle);
		bench->at_dram[bench->behind % 64] = request;
		bench->back_at[bench->behind++ % 64] = cycle + 37;
	}
	struct port *back = &bench->slice.from_dram;
	if (bench->first != bench->behind && bench->back_at[bench->first % 64] <= cycle && port_room(back, cycle)) {
		request = bench->at_dram[bench->first++ % 64];
		request->is_reply = true;
		port_push(back, request, cycle);
	}
}

static void tick_behind_delay(struct bench *bench, uint64_t cycle)
{
	tick_around(bench, cycle);
	slice_tick(&bench->slice, cycle, cycle);
}

/* Packets arrive as planned, but wait until the port has space. */
static void tick_entry(struct bench *bench, uint64_t cycle)
{
	const struct packet_in *packet = &bench->packet[bench->next];
	struct port *port = &bench->slice.entry.from_network;
	if (bench->next < bench->packets && packet->cycle <= cycle && port_room(port, cycle) >= 5) {
		struct request *request = request_new(&bench->pool);
		request->kind = packet->writes ? REQUEST_WRITE : REQUEST_READ;
		request->is_write = packet->writes;
		request->address = packet->address;
		request->bytes = 32;
		request->chunks = packet->writes;
		address_map_place(&bench->map, request);
		port_push_packet(port, request, crossbar_flits(&bench->replies, request), 0, cycle);
		bench->next++;
	}
	slice_entry_tick(&bench->slice, cycle, cycle);
}

/* The slice runs `ahead` cycles, then the entry runs the same cycles. */
static void run(struct bench *bench, uint64_t ahead)
{
	for (uint64_t begin = 0, end; begin < END; begin = end) {
		end = begin + ahead < END ? begin + ahead : END;
		slice_look_at_entry(&bench->slice);
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_behind_delay(bench, cycle);
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_entry(bench, cycle);
		slice_entry_settle(&bench->slice, end);
	}
	slice_settle(&bench->slice, END);
}

static uint64_t tick_behind_delay_until(struct bench *bench, uint64_t cycle, uint64_t end)
{
	for (; cycle < end; cycle++)
		tick_behind_delay(bench, cycle);
	return cycle;
}

/* As in two threads: the slice's work is reported after the entry has run its cycles. The slice runs only while its
 * inputs are certain: a packet that enters from `begin` on leaves the delay line `delay` cycles later. */
static void run_apart(struct bench *bench)
{
	uint64_t delay = bench->config.delay, slice = 0;
	bench->slice.entry.apart = true;
	for (uint64_t begin = 0, end; begin < END; begin = end) {
		end = min_u64(begin + 1 + next_random(&bench->state) % delay, END);
		slice_look_at_entry(&bench->slice);
		slice = tick_behind_delay_until(bench, slice, end);
		slice_entry_tell(&bench->slice.entry, begin);
		slice = tick_behind_delay_until(
			bench, slice, min_u64(end + next_random(&bench->state) % delay, min_u64(begin + delay, END)));
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_entry(bench, cycle);
		slice_entry_tell(&bench->slice.entry, end);
		slice_entry_settle(&bench->slice, end);
	}
	slice_settle(&bench->slice, END);
}

/* In step: the entry first, as in a machine's cycle. */
static void run_together(struct bench *bench)
{
	for (uint64_t cycle = 0; cycle < END; cycle++) {
		tick_entry(bench, cycle);
		slice_look_at_entry(&bench->slice);
		tick_behind_delay(bench, cycle);
	}
	slice_settle(&bench->slice, END);
	slice_entry_settle(&bench->slice, END);
}

static void expect_same(const struct bench *one, const struct bench *other)
{
	assert_int_equal(one->next, one->packets);
	assert_int_equal(other->next, other->packets);
	assert_int_equal(one->log, other->log);
	for (size_t i = 0; i < slice_counter_count; i++) {
		uint64_t of[2];
		memcpy(&of[0], (const char *)&one->slice.stats + slice_counters[i].offset, sizeof *of);
		memcpy(&of[1], (const char *)&other->slice.stats + slice_counters[i].offset, sizeof *of);
		if (of[0] != of[1])
			fail_msg("%s: %llu in step, %llu with run-ahead", slice_counters[i].name,
			         (unsigned long long)of[0], (unsigned long long)of[1]);
	}
	assert_int_equal(one->slice.cache.stats.refused, other->slice.cache.stats.refused);
}

/* Bursts and pauses, so that queues are full, empty and anything between. */
static uint32_t plan(struct packet_in *packet, uint64_t *state)
{
	uint32_t count = 0;
	for (uint64_t cycle = 1; cycle < CYCLES;
	     cycle += next_random(state) % 8 ? next_random(state) % 4 : next_random(state) % 300)
		packet[count++] =
			(struct packet_in){cycle, next_random(state) % 64 * 32 + next_random(state) % 2 * 4096,
		                           next_random(state) % 4 == 0};
	return count;
}

static void test_ahead(void **unused)
{
	(void)unused;
	static struct packet_in packet[8 * CYCLES];
	static struct bench together, ahead, apart;
	uint64_t full = 0, busy = 0;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		uint64_t state = seed;
		uint32_t packets = plan(packet, &state);
		struct slice_config config = {.by_sectors = seed % 2,
		                              .delay = 1 + (uint32_t)(next_random(&state) % 40),
		                              .input_queue = 8,
		                              .reply_queue = 8,
		                              .to_dram_queue = 2,
		                              .from_dram_queue = 2};
		open_bench(&together, &config, packet, packets);
		open_bench(&ahead, &config, packet, packets);
		open_bench(&apart, &config, packet, packets);
		apart.state = seed;
		run_together(&together);
		run(&ahead, 1 + next_random(&state) % config.delay);
		expect_same(&together, &ahead);
		run_apart(&apart);
		expect_same(&together, &apart);
		full += together.slice.stats.input_full;
		busy += together.slice.stats.busy_cycles;
		arena_free(&together.arena);
		arena_free(&ahead.arena);
		arena_free(&apart.arena);
	}
	assert_true(full && busy); /* the plans do fill the queues */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ahead)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
