/* Protects an L2 slice's time from the packet at its port to the reply at the crossbar: for a hit, a miss, a write and
 * a write-back, and with full queues. The test takes the part of the crossbars and the DRAM channel.
 *
 * A packet that is pushed at cycle t is seen at t + 1, when it enters the delay line. `delay` cycles later it is in the
 * input queue, and one cycle later L2 looks it up:
 *
 *     ASKED = t + 1 + delay + 1
 *
 * A hit's reply enters the reply crossbar one cycle later; a miss is sent to DRAM one cycle later. A reply that DRAM
 * pushes at f is seen at f + 1, when the line is filled. One cycle later L2 answers its first request, and one cycle
 * after that the reply enters the crossbar.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the slice has requested them. */
#include "slice_bench.h"

static void test_hit(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	load(&bench, 0);
	uint64_t start = bench.cycle;
	struct request *request = push(&bench, REQUEST_READ, 0, LINE);
	expect_reply(&bench, request, start + ASKED + ANSWER);
	assert_int_equal(request->level, LEVEL_L2);
	run_to(&bench, start + 100);
	assert_true(port_empty(&bench.to_dram));
	arena_free(&bench.arena);
}

/* The path of a miss to DRAM and back; the reply names DRAM as its source. */
static void test_miss(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	struct request *request = push(&bench, REQUEST_READ, 0, LINE);
	struct request *down = expect_to_dram(&bench, REQUEST_READ, 0, ASKED + TO_DRAM);
	assert_ptr_equal(down, request);
	assert_int_equal(down->dram_bytes, LINE);
	run_to(&bench, 200);
	answer_from_dram(&bench, down);
	expect_reply(&bench, request, 200 + FILLED + 1 + ANSWER);
	assert_int_equal(request->level, LEVEL_DRAM);
	arena_free(&bench.arena);
}

/* Replies to requests that merged with a miss leave one per cycle, in the order of their arrival. */
static void test_merged(void **state)
{
	struct bench bench;
	struct request *request[3];
	open_bench(&bench, state);
	for (uint32_t i = 0; i < 3; i++)
		request[i] = push(&bench, REQUEST_READ, 0, 8); /* small replies: the crossbar takes all of them */
	struct request *down = expect_to_dram(&bench, REQUEST_READ, 0, ASKED + TO_DRAM);
	run_to(&bench, 200);
	assert_true(port_empty(&bench.to_dram));
	answer_from_dram(&bench, down);
	for (uint32_t i = 0; i < 3; i++) {
		expect_reply(&bench, request[i], 200 + FILLED + 1 + ANSWER + i);
		assert_int_equal(request[i]->level, LEVEL_DRAM);
	}
	arena_free(&bench.arena);
}

/* A hit holds the data port for its bytes: a second line's hit follows LINE_CYCLES later, or one cycle later after 8
 * bytes. */
static void test_hits_hold_the_port(void **state)
{
	static const struct {
		uint32_t bytes, cycles;
	} row[] = {{LINE, LINE_CYCLES}, {8, 1}, {33, 2}};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		open_bench(&bench, state);
		load(&bench, 0);
		uint64_t start = bench.cycle;
		struct request *first = push(&bench, REQUEST_READ, 0, row[i].bytes);
		struct request *second = push(&bench, REQUEST_READ, 0, row[i].bytes);
		expect_reply(&bench, first, start + ASKED + ANSWER);
		expect_reply(&bench, second, start + ASKED + row[i].cycles + ANSWER);
		arena_free(&bench.arena);
	}
}

/* A fill holds the fill port for a line: the second of two simultaneous fills follows LINE_CYCLES later. */
static void test_fills_hold_the_port(void **state)
{
	struct bench bench;
	struct request *request[2];
	open_bench(&bench, state);
	for (uint32_t i = 0; i < 2; i++)
		request[i] = push(&bench, REQUEST_READ, i * NEXT_LINE, 8);
	for (uint32_t i = 0; i < 2; i++)
		expect_to_dram(&bench, REQUEST_READ, i * NEXT_LINE, ASKED + TO_DRAM + i);
	run_to(&bench, 200);
	for (uint32_t i = 0; i < 2; i++)
		answer_from_dram(&bench, request[i]);
	for (uint32_t i = 0; i < 2; i++)
		expect_reply(&bench, request[i], 200 + FILLED + i * LINE_CYCLES + 1 + ANSWER);
	arena_free(&bench.arena);
}

/* A write that hits stays in L2; its acknowledgement returns like a hit. */
static void test_write_hit(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	load(&bench, 0);
	uint64_t start = bench.cycle;
	expect_reply(&bench, push(&bench, REQUEST_WRITE, 0, 32), start + ASKED + ANSWER);
	run_to(&bench, start + 100);
	assert_true(port_empty(&bench.to_dram));
	arena_free(&bench.arena);
}

/* A write that misses is sent to DRAM with its bytes, and one cycle later a read of its line. Its acknowledgement
 * follows when DRAM has the data: it is seen one cycle after DRAM's push and enters the crossbar one cycle later. The
 * line's read produces no reply, and the next write hits. */
static void test_write_miss(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	struct request *request = push(&bench, REQUEST_WRITE, 64, 32);
	struct request *write = expect_to_dram(&bench, REQUEST_WRITE, 64, ASKED + TO_DRAM);
	assert_ptr_equal(write, request);
	assert_int_equal(write->dram_bytes, 32);
	struct request *fill = expect_to_dram(&bench, REQUEST_L2_FILL, 64, ASKED + TO_DRAM + 1);
	assert_int_equal(fill->dram_bytes, LINE);
	run_to(&bench, 100);
	answer_from_dram(&bench, write);
	expect_reply(&bench, request, 100 + 1 + ANSWER);
	assert_int_equal(bench.pool.in_use, 2);
	answer_from_dram(&bench, fill);
	run_to(&bench, 200);
	assert_int_equal(bench.pool.in_use, 1); /* the write, which its SM frees */
	assert_true(port_empty(&bench.replies.input[0].port));
	expect_reply(&bench, push(&bench, REQUEST_WRITE, 64, 32), 200 + ASKED + ANSWER);
	arena_free(&bench.arena);
}

enum { FAR = 144 * NEXT_LINE }; /* in the same set, in row 1 of bank 2 */

/* Checks that the request has its address's location, which is not in the first row or bank. */
static void expect_placed(const struct bench *bench, const struct request *request)
{
	struct request placed = {.address = request->address};
	address_map_place(&bench->map, &placed);
	assert_true(placed.row && placed.bank);
	assert_int_equal(request->slice, placed.slice);
	assert_int_equal(request->bank, placed.bank);
	assert_int_equal(request->row, placed.row);
}

/* A dirty victim is sent to DRAM after the miss that replaces it, at the location of the victim's address. */
static void test_write_back(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	uint64_t same_set = 2 * NEXT_LINE, first = FAR; /* 256 bytes per piece, 4 sets of 128 bytes */
	load(&bench, first);
	uint64_t start = bench.cycle;
	expect_reply(&bench, push(&bench, REQUEST_WRITE, first, LINE), start + ASKED + ANSWER);
	load(&bench, same_set);
	start = bench.cycle;
	push(&bench, REQUEST_READ, 2 * same_set, LINE);
	expect_to_dram(&bench, REQUEST_READ, 2 * same_set, start + ASKED + TO_DRAM);
	struct request *victim = expect_to_dram(&bench, REQUEST_L2_WRITEBACK, first, start + ASKED + TO_DRAM + 1);
	assert_true(victim->is_write);
	assert_int_equal(victim->dram_bytes, LINE);
	expect_placed(&bench, victim);
	arena_free(&bench.arena);
}

/* A line that L1 has written back carries only its slice. It produces no reply, on a hit or when it returns from
 * DRAM. */
static void test_l1_write_back(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	struct request *line = push(&bench, REQUEST_L1_WRITEBACK, FAR, LINE);
	line->bank = 0;
	line->row = 0;
	struct request *write = expect_to_dram(&bench, REQUEST_L1_WRITEBACK, line->address, ASKED + TO_DRAM);
	struct request *fill = expect_to_dram(&bench, REQUEST_L2_FILL, line->address, ASKED + TO_DRAM + 1);
	expect_placed(&bench, write);
	expect_placed(&bench, fill);
	answer_from_dram(&bench, write);
	answer_from_dram(&bench, fill);
	run_to(&bench, 100);
	assert_int_equal(bench.pool.in_use, 0);
	push(&bench, REQUEST_L1_WRITEBACK, FAR, LINE);
	run_to(&bench, 200);
	assert_int_equal(bench.pool.in_use, 0);
	assert_true(port_empty(&bench.to_dram));
	assert_true(port_empty(&bench.replies.input[0].port));
	arena_free(&bench.arena);
}

/* The slice performs an atomic, counts it, and replies with data. */
static void test_atomic(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	load(&bench, 0);
	uint64_t start = bench.cycle;
	expect_reply(&bench, push(&bench, REQUEST_ATOMIC, 0, 64), start + ASKED + ANSWER);
	assert_int_equal(bench.slice.stats.atomics, 1);
	arena_free(&bench.arena);
}

/* While nothing can be sent to DRAM, L2 does no look-ups. The input queue fills its 8 entries, then the delay line
 * holds what has entered it, then packets stay at the crossbar and are counted. One free entry lets one packet
 * continue. */
static void test_queues_fill_up(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	for (uint32_t i = 0; i < 8; i++) /* the port to DRAM is full */
		port_push(&bench.to_dram, NULL, 0);
	for (uint32_t sent = 0; sent < 40 && bench.cycle < 200; tick(&bench))
		if (port_room(&bench.slice.entry.from_network, bench.cycle)) {
			push(&bench, REQUEST_READ, sent * NEXT_LINE, 8);
			sent++;
		}
	assert_int_equal(bench.slice.input.count, 8);
	assert_int_equal(bench.slice.cache.stats.accesses, 0);
	assert_int_equal(bench.slice.entry.from_network.items, 16);
	settle(&bench);
	assert_true(bench.slice.stats.input_full > 0);
	uint64_t delayed = in_delay_line(&bench);
	port_pop(&bench.to_dram, bench.cycle); /* the slice sees it one cycle later */
	tick(&bench);
	assert_int_equal(bench.slice.cache.stats.accesses, 0);
	tick(&bench); /* L2 looks up; after it the delay line passes one on */
	assert_int_equal(bench.slice.cache.stats.accesses, 1);
	assert_int_equal(bench.slice.input.count, 8);
	assert_int_equal(in_delay_line(&bench), delayed - 1);
	arena_free(&bench.arena);
}

/* A slice that works by sectors accepts a packet only while its input queue has space for all sectors of a line. This
 * holds even if the packet has one sector. With 8 entries that means at most 4 in use. Packets in the delay line
 * continue in any case. */
static void test_room_for_all_sectors(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	bench.slice.config.by_sectors = true;
	for (uint32_t i = 0; i < 8; i++) /* the port to DRAM is full */
		port_push(&bench.to_dram, NULL, 0);
	for (uint32_t sent = 0; sent < 5; sent++)
		push(&bench, REQUEST_READ, sent * NEXT_LINE, 8)->bytes = 32;
	run_to(&bench, 50);
	assert_int_equal(bench.slice.input.count, 5); /* all have entered before the first leaves the delay line */
	struct request *late = push(&bench, REQUEST_READ, 5 * NEXT_LINE, 8);
	late->bytes = 32;
	run_to(&bench, 100);
	assert_ptr_equal(port_front(&bench.slice.entry.from_network, bench.cycle), late);
	port_pop(&bench.to_dram, bench.cycle); /* one continues, and the packet enters */
	run_to(&bench, 150);
	assert_int_equal(bench.slice.input.count, 5);
	assert_true(port_empty(&bench.slice.entry.from_network));
	arena_free(&bench.arena);
}

/* Replies wait for space in the crossbar. 16 flits hold three replies of a line (5 flits each). The fourth follows in
 * the cycle after one has left. */
static void test_reply_waits_for_room(void **state)
{
	struct bench bench;
	struct request *request[4];
	open_bench(&bench, state);
	load(&bench, 0);
	uint64_t start = bench.cycle;
	for (uint32_t i = 0; i < 4; i++)
		request[i] = push(&bench, REQUEST_READ, 0, LINE);
	run_to(&bench, start + 100);
	struct port *port = &bench.replies.input[0].port;
	assert_int_equal(port->items, 3);
	settle(&bench);
	/* the fourth could have left in this cycle and has waited since */
	assert_int_equal(bench.slice.stats.reply_blocked, 100 - (ASKED + 3 * LINE_CYCLES + ANSWER));
	expect_reply(&bench, request[0], bench.cycle - 1);
	tick(&bench);
	assert_int_equal(port->items, 2); /* the space was not visible yet */
	tick(&bench);
	assert_int_equal(port->items, 3);
	arena_free(&bench.arena);
}

/* An empty slice sleeps, and a packet wakes it. busy_cycles counts the cycles with a request inside, with or without
 * sleep. */
static void test_sleep(void **state)
{
	struct bench bench;
	open_bench(&bench, state);
	assert_true(bench.slice.wake == UINT64_MAX);
	run_to(&bench, 10);
	push(&bench, REQUEST_READ, 0, 8);
	assert_int_equal(bench.slice.entry.wake, 11);
	expect_to_dram(&bench, REQUEST_READ, 0, 10 + ASKED + TO_DRAM);
	run_to(&bench, 100);
	assert_true(bench.slice.wake == UINT64_MAX);
	settle(&bench);
	assert_int_equal(bench.slice.stats.busy_cycles, ASKED + TO_DRAM - 1); /* from 11 until it has left */
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_hit),
		BOTH_WAYS(test_miss),
		BOTH_WAYS(test_merged),
		BOTH_WAYS(test_hits_hold_the_port),
		BOTH_WAYS(test_fills_hold_the_port),
		BOTH_WAYS(test_write_hit),
		BOTH_WAYS(test_write_miss),
		BOTH_WAYS(test_write_back),
		BOTH_WAYS(test_l1_write_back),
		BOTH_WAYS(test_atomic),
		BOTH_WAYS(test_queues_fill_up),
		BOTH_WAYS(test_room_for_all_sectors),
		BOTH_WAYS(test_reply_waits_for_room),
		BOTH_WAYS(test_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
