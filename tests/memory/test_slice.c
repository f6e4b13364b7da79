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
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/slice.h"

enum {
	LINE = 128,
	PORT_BYTES = 32,
	LINE_CYCLES = LINE / PORT_BYTES, /* cycles for which a line holds a port of L2 */
	DELAY = 7,
	ASKED = 1 + DELAY + 1,
	FILLED = 1, /* from DRAM's push to the fill */
	/* from a hit, or an entry in the cache's list of replies, through the reply queue into the crossbar */
	ANSWER = 1,
	TO_DRAM = 1,             /* from a miss to the port to DRAM */
	NEXT_LINE = 6 * 2 * 256, /* addresses this far apart are in one slice and pairwise in adjacent sets */
};

struct bench {
	struct arena arena;
	struct request_pool pool;
	struct address_map map;
	struct crossbar replies;
	struct slice slice;
	struct port to_dram;
	uint64_t wake, cycle;
	bool sleeps; /* ticks only when the slice has requested it */
};

static uint32_t to_sm(const void *user, const struct request *request)
{
	(void)user;
	return request->sm;
}

/* Space for 8 requests in each queue, and for 16 flits towards the reply crossbar. */
static void open_bench(struct bench *bench, void **state)
{
	struct cache_config cache = {.sectors = 1,
	                             .sets = 4,
	                             .ways = 2,
	                             .line_bytes = LINE,
	                             .allocation = ALLOCATE_ON_MISS,
	                             .write = WRITE_BACK,
	                             .write_miss = WRITE_MISS_FETCH,
	                             .mshrs = 4,
	                             .merges = 4,
	                             .miss_queue = 8,
	                             .port_bytes = PORT_BYTES};
	struct slice_config config = {
		.delay = DELAY, .input_queue = 8, .reply_queue = 8, .to_dram_queue = 8, .from_dram_queue = 8};
	struct crossbar_config network = {
		.speedup = 1, .flit_bytes = 32, .injection_flits = 16, .buffer_flits = 8, .boundary_flits = 16};
	*bench = (struct bench){.wake = UINT64_MAX, .sleeps = *state != NULL};
	bench->pool.arena = &bench->arena;
	bench->map = (struct address_map){
		.channels = 6, .slices_per_channel = 2, .interleave_bits = 8, .banks = 16, .column_bits = 4};
	address_map_open(&bench->map);
	crossbar_open(&bench->replies, &network, 1, 1, to_sm, &bench->arena);
	slice_open(&bench->slice, 0, &config, &cache, &bench->map, &bench->pool, 1, &bench->arena);
	port_open(&bench->slice.entry.from_network, &bench->arena, 16, &bench->slice.entry.wake);
	port_open(&bench->to_dram, &bench->arena, config.to_dram_queue, &bench->wake);
	bench->to_dram.producer_wake = &bench->slice.wake;
	bench->replies.input[0].port.producer_wake = &bench->slice.wake;
	bench->slice.replies = &bench->replies;
	bench->slice.to_dram = &bench->to_dram;
}

static void tick(struct bench *bench)
{
	struct slice *slice = &bench->slice;
	if (!bench->sleeps || slice->entry.wake <= bench->cycle)
		slice_entry_tick(slice, bench->cycle, bench->cycle);
	slice_look_at_entry(slice);
	if (!bench->sleeps)
		slice->next = 0; /* hides from the slice that it could sleep */
	if (!bench->sleeps || slice->wake <= bench->cycle)
		slice_tick(slice, bench->cycle, bench->cycle);
	bench->cycle++;
}

static void settle(struct bench *bench)
{
	slice_settle(&bench->slice, bench->cycle);
	slice_entry_settle(&bench->slice, bench->cycle);
}

static uint64_t in_delay_line(const struct bench *bench)
{
	return bench->slice.entry.entered - bench->slice.entry.left;
}

static void run_to(struct bench *bench, uint64_t cycle)
{
	while (bench->cycle < cycle)
		tick(bench);
}

/* Pushes a packet from the request crossbar in this cycle. */
static struct request *push(struct bench *bench, enum request_kind kind, uint64_t address, uint32_t bytes)
{
	struct request *request = request_new(&bench->pool);
	request->kind = (uint8_t)kind;
	request->is_write = kind == REQUEST_WRITE || kind == REQUEST_L1_WRITEBACK;
	request->address = address;
	request->bytes = bytes;
	address_map_place(&bench->map, request);
	port_push_packet(&bench->slice.entry.from_network, request, crossbar_flits(&bench->replies, request), 0,
	                 bench->cycle);
	return request;
}

/* Checks that the other end of a port sees this item (if NULL, some item) first at `cycle`. */
static struct request *expect(struct bench *bench, const struct port *port, const struct request *request,
                              uint64_t cycle)
{
	while (bench->cycle < cycle) {
		if (port_front(port, bench->cycle))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
		tick(bench);
	}
	struct request *seen = port_front(port, bench->cycle);
	assert_non_null(seen);
	if (request)
		assert_ptr_equal(seen, request);
	return seen;
}

/* Checks that the slice pushes the reply into the crossbar at `cycle`: it is visible one cycle later. Takes it. */
static void expect_reply(struct bench *bench, const struct request *request, uint64_t cycle)
{
	struct port *port = &bench->replies.input[0].port;
	struct request *seen = expect(bench, port, request, cycle + 1);
	assert_true(seen->is_reply);
	port_pop(port, bench->cycle);
}

/* Checks that the slice pushes this request towards DRAM at `cycle`. Takes it. */
static struct request *expect_to_dram(struct bench *bench, enum request_kind kind, uint64_t address, uint64_t cycle)
{
	struct request *seen = expect(bench, &bench->to_dram, NULL, cycle + 1);
	assert_int_equal(seen->kind, kind);
	assert_int_equal(seen->address, address);
	port_pop(&bench->to_dram, bench->cycle);
	return seen;
}

static void answer_from_dram(struct bench *bench, struct request *request)
{
	request->level = LEVEL_DRAM;
	port_push(&bench->slice.from_dram, request, bench->cycle);
}

/* Loads a line and lets the slice become idle. */
static void load(struct bench *bench, uint64_t address)
{
	uint64_t start = bench->cycle;
	struct request *request = push(bench, REQUEST_READ, address, LINE);
	answer_from_dram(bench, expect_to_dram(bench, REQUEST_READ, address, start + ASKED + TO_DRAM));
	expect_reply(bench, request, bench->cycle + FILLED + 1 + ANSWER);
	run_to(bench, bench->cycle + 50);
	request_release(&bench->pool, request);
}

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

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Random traffic at the other ends of a slice. Their actions in a cycle depend on the seed and on the slice's past
 * behaviour. */
struct ends {
	struct bench bench;
	uint64_t seed;
	struct request *down[64]; /* in DRAM */
	uint32_t downs;
	uint32_t flits; /* of the reply that is leaving; of all that have left */
};

static void random_packet(struct ends *ends)
{
	static const enum request_kind kinds[] = {REQUEST_READ, REQUEST_READ, REQUEST_WRITE, REQUEST_ATOMIC,
	                                          REQUEST_L1_WRITEBACK};
	enum request_kind kind = kinds[random_below(&ends->seed, 5)];
	uint64_t address = random_below(&ends->seed, 12) * (uint64_t)NEXT_LINE + random_below(&ends->seed, 2) * LINE;
	bool comes = random_below(&ends->seed, 100) < 25;
	if (comes && port_room(&ends->bench.slice.entry.from_network, ends->bench.cycle) >= 5)
		push(&ends->bench, kind, address, kind == REQUEST_WRITE ? 32 : LINE);
}

/* In most cycles DRAM takes a request from the slice or returns one. Sometimes it pauses. */
static void random_dram(struct ends *ends)
{
	struct bench *bench = &ends->bench;
	struct request *request = port_front(&bench->to_dram, bench->cycle);
	bool takes = random_below(&ends->seed, 3) == 0, gives = random_below(&ends->seed, 3) == 0;
	bool stalls = bench->cycle / 200 % 3 == 2;
	if (request && takes && !stalls && ends->downs < 64) {
		port_pop(&bench->to_dram, bench->cycle);
		if (request->kind == REQUEST_L2_WRITEBACK)
			request_release(&bench->pool, request);
		else
			ends->down[ends->downs++] = request;
	}
	if (ends->downs && gives && port_room(&bench->slice.from_dram, bench->cycle)) {
		uint32_t i = random_below(&ends->seed, ends->downs);
		answer_from_dram(bench, ends->down[i]);
		ends->down[i] = ends->down[--ends->downs];
	}
}

/* A reply leaves flit by flit. */
static void random_network(struct ends *ends)
{
	struct bench *bench = &ends->bench;
	struct port *port = &bench->replies.input[0].port;
	const struct port_slot *front = port_front_slot(port, bench->cycle);
	bool goes = random_below(&ends->seed, 2), stalls = bench->cycle / 300 % 4 == 3;
	if (!front || !goes || stalls)
		return;
	port_release(port, 1, bench->cycle);
	if (++ends->flits < front->units)
		return;
	struct request *request = front->item;
	port_drop(port);
	request_release(&bench->pool, request);
	ends->flits = 0;
}

static void random_cycle(struct ends *ends)
{
	random_packet(ends);
	random_network(ends);
	random_dram(ends);
	tick(&ends->bench);
}

/* A slice that ticks only on request does the same in each cycle, and counts the same, as a slice that ticks in every
 * cycle. */
static void test_sleep_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct ends sleeps = {.seed = seed}, looks = {.seed = seed};
		void *asks = "sleeps", *never = NULL;
		open_bench(&sleeps.bench, &asks);
		open_bench(&looks.bench, &never);
		const struct slice *one = &sleeps.bench.slice, *other = &looks.bench.slice;
		for (uint32_t cycle = 0; cycle < 3000; cycle++) {
			random_cycle(&sleeps);
			random_cycle(&looks);
			assert_int_equal(one->entry.left, other->entry.left);
			assert_int_equal(one->input.count, other->input.count);
			assert_int_equal(one->reply.count, other->reply.count);
			assert_int_equal(one->cache.miss_queue.count, other->cache.miss_queue.count);
			assert_int_equal(one->cache.mshrs.free, other->cache.mshrs.free);
			assert_int_equal(sleeps.bench.replies.input[0].port.held,
			                 looks.bench.replies.input[0].port.held);
		}
		settle(&sleeps.bench);
		settle(&looks.bench);
		assert_memory_equal(&one->stats, &other->stats, sizeof one->stats);
		assert_memory_equal(&one->cache.stats, &other->cache.stats, sizeof one->cache.stats);
		assert_true(one->stats.reply_blocked > 100 && one->cache.stats.refused > 100);
		arena_free(&sleeps.bench.arena);
		arena_free(&looks.bench.arena);
	}
}

#define BOTH_WAYS(test) cmocka_unit_test(test), cmocka_unit_test_prestate(test, "sleeps")

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
		cmocka_unit_test(test_sleep_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
