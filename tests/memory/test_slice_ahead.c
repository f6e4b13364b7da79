/* Protects the basis of windows (gpu/cycle.c): an L2 slice may run ahead of its entry by up to the length of its delay
 * line. Packets enter, are answered and are sent to DRAM in the same cycles as without run-ahead, and all counters
 * agree. This holds even if the entry learns of the slice's work only when both synchronize. */
#include "slice_bench.h"

#include <string.h>

enum { CYCLES = 4000, END = CYCLES + 4000 }; /* packets arrive in the first CYCLES; in the rest the queues drain */

struct packet_in {
	uint64_t cycle, address;
	bool writes;
};

/* A bench with its packets, and with a memory that replies after a delay. */
struct plan {
	struct bench bench;
	uint64_t state;
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

static void open_plan(struct plan *plan, const struct slice_config *config, const struct packet_in *packet,
                      uint32_t packets)
{
	struct address_map map = {
		.channels = 1, .slices_per_channel = 1, .interleave_bits = 8, .banks = 16, .column_bits = 4};
	*plan = (struct plan){.config = *config, .packet = packet, .packets = packets};
	open_slice(&plan->bench, config, config->by_sectors ? 4 : 1, 4, &map);
}

static void came_out(struct plan *plan, const struct request *request, uint64_t cycle)
{
	plan->log = (plan->log ^ request->address ^ cycle << 20) * 0x100000001b3;
}

/* The crossbar takes a reply in two of three cycles. Memory takes a request in every second cycle and returns it 37
 * cycles later. */
static void tick_around(struct plan *plan, uint64_t cycle)
{
	struct port *replies = &plan->bench.replies.input[0].port;
	struct request *request = cycle % 3 ? port_front(replies, cycle) : NULL;
	if (request) {
		came_out(plan, request, cycle);
		port_pop(replies, cycle);
	}
	request = cycle % 2 ? port_front(&plan->bench.to_dram, cycle) : NULL;
	if (request) {
		came_out(plan, request, cycle);
		port_pop(&plan->bench.to_dram, cycle);
		plan->at_dram[plan->behind % 64] = request;
		plan->back_at[plan->behind++ % 64] = cycle + 37;
	}
	struct port *back = &plan->bench.slice.from_dram;
	if (plan->first != plan->behind && plan->back_at[plan->first % 64] <= cycle && port_room(back, cycle)) {
		request = plan->at_dram[plan->first++ % 64];
		request->is_reply = true;
		port_push(back, request, cycle);
	}
}

static void tick_behind_delay(struct plan *plan, uint64_t cycle)
{
	tick_around(plan, cycle);
	slice_tick(&plan->bench.slice, cycle, cycle);
}

/* Packets arrive as planned, but wait until the port has space. */
static void tick_entry(struct plan *plan, uint64_t cycle)
{
	const struct packet_in *packet = &plan->packet[plan->next];
	struct port *port = &plan->bench.slice.entry.from_network;
	if (plan->next < plan->packets && packet->cycle <= cycle && port_room(port, cycle) >= 5) {
		struct request *request = request_new(&plan->bench.pool);
		request->kind = packet->writes ? REQUEST_WRITE : REQUEST_READ;
		request->is_write = packet->writes;
		request->address = packet->address;
		request->bytes = 32;
		request->chunks = packet->writes;
		address_map_place(&plan->bench.map, request);
		port_push_packet(port, request, crossbar_flits(&plan->bench.replies, request), 0, cycle);
		plan->next++;
	}
	slice_entry_tick(&plan->bench.slice, cycle, cycle);
}

/* The slice runs `ahead` cycles, then the entry runs the same cycles. */
static void run(struct plan *plan, uint64_t ahead)
{
	for (uint64_t begin = 0, end; begin < END; begin = end) {
		end = begin + ahead < END ? begin + ahead : END;
		slice_look_at_entry(&plan->bench.slice);
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_behind_delay(plan, cycle);
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_entry(plan, cycle);
		slice_entry_settle(&plan->bench.slice, end);
	}
	slice_settle(&plan->bench.slice, END);
}

static uint64_t tick_behind_delay_until(struct plan *plan, uint64_t cycle, uint64_t end)
{
	for (; cycle < end; cycle++)
		tick_behind_delay(plan, cycle);
	return cycle;
}

/* As in two threads: the slice's work is reported after the entry has run its cycles. The slice runs only while its
 * inputs are certain: a packet that enters from `begin` on leaves the delay line `delay` cycles later. */
static void run_apart(struct plan *plan)
{
	uint64_t delay = plan->config.delay, slice = 0;
	plan->bench.slice.entry.apart = true;
	for (uint64_t begin = 0, end; begin < END; begin = end) {
		end = min_u64(begin + 1 + next_random(&plan->state) % delay, END);
		slice_look_at_entry(&plan->bench.slice);
		slice = tick_behind_delay_until(plan, slice, end);
		slice_entry_tell(&plan->bench.slice.entry, begin);
		slice = tick_behind_delay_until(
			plan, slice, min_u64(end + next_random(&plan->state) % delay, min_u64(begin + delay, END)));
		for (uint64_t cycle = begin; cycle < end; cycle++)
			tick_entry(plan, cycle);
		slice_entry_tell(&plan->bench.slice.entry, end);
		slice_entry_settle(&plan->bench.slice, end);
	}
	slice_settle(&plan->bench.slice, END);
}

/* In step: the entry first, as in a machine's cycle. */
static void run_together(struct plan *plan)
{
	for (uint64_t cycle = 0; cycle < END; cycle++) {
		tick_entry(plan, cycle);
		slice_look_at_entry(&plan->bench.slice);
		tick_behind_delay(plan, cycle);
	}
	slice_settle(&plan->bench.slice, END);
	slice_entry_settle(&plan->bench.slice, END);
}

static void expect_same(const struct plan *one, const struct plan *other)
{
	assert_int_equal(one->next, one->packets);
	assert_int_equal(other->next, other->packets);
	assert_int_equal(one->log, other->log);
	for (size_t i = 0; i < slice_counter_count; i++) {
		uint64_t of[2];
		memcpy(&of[0], (const char *)&one->bench.slice.stats + slice_counters[i].offset, sizeof *of);
		memcpy(&of[1], (const char *)&other->bench.slice.stats + slice_counters[i].offset, sizeof *of);
		if (of[0] != of[1])
			fail_msg("%s: %llu in step, %llu with run-ahead", slice_counters[i].name,
			         (unsigned long long)of[0], (unsigned long long)of[1]);
	}
	assert_int_equal(one->bench.slice.cache.stats.refused, other->bench.slice.cache.stats.refused);
}

/* Bursts and pauses, so that queues are full, empty and anything between. */
static uint32_t draw(struct packet_in *packet, uint64_t *state)
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
	static struct plan together, ahead, apart;
	uint64_t full = 0, busy = 0;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		uint64_t state = seed;
		uint32_t packets = draw(packet, &state);
		struct slice_config config = {.by_sectors = seed % 2,
		                              .delay = 1 + (uint32_t)(next_random(&state) % 40),
		                              .input_queue = 8,
		                              .reply_queue = 8,
		                              .to_dram_queue = 2,
		                              .from_dram_queue = 2};
		open_plan(&together, &config, packet, packets);
		open_plan(&ahead, &config, packet, packets);
		open_plan(&apart, &config, packet, packets);
		apart.state = seed;
		run_together(&together);
		run(&ahead, 1 + next_random(&state) % config.delay);
		expect_same(&together, &ahead);
		run_apart(&apart);
		expect_same(&together, &apart);
		full += together.bench.slice.stats.input_full;
		busy += together.bench.slice.stats.busy_cycles;
		arena_free(&together.bench.arena);
		arena_free(&ahead.bench.arena);
		arena_free(&apart.bench.arena);
	}
	assert_true(full && busy); /* the plans do fill the queues */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ahead)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
