/* Protects the crossbar's time: the exact cycle in which a packet is at its consumer's port. Covers packets without
 * contention, with contention, and with a consumer that does not take them.
 *
 * The stages are those of crossbar.h. A packet pushed at cycle t is seen at t + 1, when its first flit enters the
 * channel. It is in the input buffer 2 cycles later and gets its output in that cycle. It passes the switch in the next
 * cycle. 3 cycles later it leaves the ejection buffer for the consumer's port, which shows it one cycle later. Every
 * stage passes one flit per cycle. The consumer first sees a packet of n flits at t + 1 + 2 + 1 + 3 + (n - 1) + 1. An
 * entry that a flit leaves is free 2 cycles later.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the crossbar has requested them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/crossbar.h"

enum {
	ENTER = 1,   /* from the push to the entry into the channel */
	CHANNEL = 2, /* from there to the request for the output, which a free one grants at once */
	GRANT = 1,   /* from the grant to the switch */
	EJECT = 3,   /* from the switch to the consumer's port */
	SHOW = 1,    /* from the port to the consumer's view */
	CREDIT = 2,  /* from a freed entry to its next use */
	ALONE = ENTER + CHANNEL + GRANT + EJECT + SHOW,
	PORTS = 4,
	FLIT = 32,
};

struct bench {
	struct arena arena;
	struct request_pool pool;
	struct crossbar crossbar;
	struct port consumer[PORTS];
	uint64_t wake;
	uint64_t cycle; /* the next to tick */
	bool sleeps;    /* ticks only when the crossbar has requested it */
};

static uint32_t to_slice(const void *user, const struct request *request)
{
	(void)user;
	return request->slice;
}

static void open_bench(struct bench *bench, void **state, uint32_t buffer_flits, uint32_t boundary_flits)
{
	*bench = (struct bench){.wake = UINT64_MAX, .sleeps = *state != NULL};
	struct crossbar_config config = {.flit_bytes = FLIT,
	                                 .speedup = 1,
	                                 .injection_flits = 32,
	                                 .buffer_flits = buffer_flits,
	                                 .boundary_flits = boundary_flits};
	bench->pool.arena = &bench->arena;
	crossbar_open(&bench->crossbar, &config, PORTS, PORTS, to_slice, &bench->arena);
	for (uint32_t i = 0; i < PORTS; i++) {
		port_open(&bench->consumer[i], &bench->arena, boundary_flits, &bench->wake);
		bench->crossbar.output[i].port = &bench->consumer[i];
	}
}

/* Makes a write whose packet, header and data, has `flits` flits. */
static struct request *make(struct bench *bench, uint32_t output, uint32_t flits)
{
	struct request *request = request_new(&bench->pool);
	request->kind = REQUEST_WRITE;
	request->is_write = true;
	request->slice = (uint16_t)output;
	request->bytes = flits * FLIT - REQUEST_HEADER_BYTES;
	return request;
}

static struct request *send(struct bench *bench, uint32_t input, uint32_t output, uint32_t flits)
{
	struct request *request = make(bench, output, flits);
	assert_true(crossbar_has_room(&bench->crossbar, input, request, bench->cycle));
	crossbar_send(&bench->crossbar, input, request, bench->cycle);
	return request;
}

static void tick(struct bench *bench)
{
	if (!bench->sleeps || bench->crossbar.wake <= bench->cycle)
		crossbar_tick(&bench->crossbar, bench->cycle, bench->cycle);
	bench->cycle++;
}

static struct request *seen(const struct bench *bench, uint32_t output)
{
	return port_front(&bench->consumer[output], bench->cycle);
}

static void take(struct bench *bench, uint32_t output)
{
	port_pop(&bench->consumer[output], bench->cycle);
}

/* Checks that the consumer sees this request at `cycle` and nothing new before, and takes it there. */
static void expect_at(struct bench *bench, uint32_t output, const struct request *request, uint64_t cycle)
{
	while (bench->cycle < cycle) {
		if (seen(bench, output))
			fail_msg("a packet was seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
		tick(bench);
	}
	assert_ptr_equal(seen(bench, output), request);
	take(bench, output);
}

/* Packets of 1 to 9 flits, without contention. */
static void test_alone(void **state)
{
	for (uint32_t flits = 1; flits <= 9; flits++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		struct request *request = send(&bench, 1, 2, flits);
		expect_at(&bench, 2, request, ALONE + flits - 1);
		assert_int_equal(bench.crossbar.stats.packets, 1);
		assert_int_equal(bench.crossbar.stats.flits, flits);
		assert_int_equal(bench.crossbar.stats.output_conflicts, 0);
		assert_int_equal(bench.crossbar.in_flight, 0);
		arena_free(&bench.arena);
	}
}

/* A packet that is pushed later arrives as much later: no state depends on the cycle number. */
static void test_start_time_does_not_matter(void **state)
{
	for (uint64_t start = 0; start < 10; start++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		while (bench.cycle < start)
			tick(&bench);
		expect_at(&bench, 0, send(&bench, 0, 0, 3), start + ALONE + 2);
		arena_free(&bench.arena);
	}
}

/* Two inputs request one output at once. The first packet's tail passes the switch at g + n, where g is the grant. Then
 * the output is free and grants again in the next cycle: the second packet runs n + 1 cycles after the first, with a
 * bubble of one. It lost the grants of the n + 1 cycles between. */
static void test_two_inputs_one_output(void **state)
{
	for (uint32_t flits = 1; flits <= 5; flits++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		struct request *first = send(&bench, 0, 3, flits), *second = send(&bench, 1, 3, flits);
		uint64_t at = ALONE + flits - 1;
		expect_at(&bench, 3, first, at);
		expect_at(&bench, 3, second, at + flits + 1);
		assert_int_equal(bench.crossbar.stats.output_conflicts, flits + 1);
		arena_free(&bench.arena);
	}
}

/* Different outputs do not delay each other. */
static void test_two_inputs_two_outputs(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 16, 16);
	struct request *first = send(&bench, 0, 2, 4), *second = send(&bench, 1, 3, 4);
	expect_at(&bench, 2, first, ALONE + 3);
	assert_ptr_equal(seen(&bench, 3), second);
	arena_free(&bench.arena);
}

/* One input with two packets for different outputs: the second requests its output in the cycle after the first's tail,
 * so it runs n + 1 cycles later. */
static void test_one_input_two_packets(void **state)
{
	for (uint32_t flits = 1; flits <= 5; flits++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		struct request *first = send(&bench, 0, 1, flits), *second = send(&bench, 0, 2, flits);
		expect_at(&bench, 1, first, ALONE + flits - 1);
		expect_at(&bench, 2, second, ALONE + flits - 1 + flits + 1);
		arena_free(&bench.arena);
	}
}

/* Round robin: with three inputs that always have a one-flit packet, the output serves 0, 1, 2, 0, 1, 2, two cycles
 * apart. The next grant begins after the last winner, so input 1 precedes input 0 when 0 was served last. */
static void test_round_robin(void **state)
{
	struct bench bench;
	struct request *request[3][3];
	open_bench(&bench, state, 16, 16);
	for (uint32_t input = 0; input < 3; input++)
		for (uint32_t n = 0; n < 3; n++)
			request[input][n] = send(&bench, input, 0, 1);
	for (uint32_t i = 0; i < 9; i++)
		expect_at(&bench, 0, request[i % 3][i / 3], ALONE + 2 * i);
	struct request *alone = send(&bench, 0, 0, 1);
	uint64_t start = bench.cycle;
	expect_at(&bench, 0, alone, start + ALONE);
	start = bench.cycle;
	struct request *loses = send(&bench, 0, 0, 1), *wins = send(&bench, 1, 0, 1);
	expect_at(&bench, 0, wins, start + ALONE);
	expect_at(&bench, 0, loses, start + ALONE + 2);
	arena_free(&bench.arena);
}

/* Checks that output 0 shows packets from these inputs, in this order. */
static void expect_order(struct bench *bench, const char *inputs)
{
	char order[32] = "";
	for (uint32_t n = 0; inputs[n];) {
		const struct request *request = seen(bench, 0);
		if (request) {
			order[n++] = (char)('0' + request->sm);
			take(bench, 0);
		}
		assert_true(bench->cycle < 400);
		tick(bench);
	}
	assert_string_equal(order, inputs);
	arena_free(&bench->arena);
}

/* Sends `packets` packets from each of inputs 0, 1 and 2 to output 0. */
static void send_from_three(struct bench *bench, uint32_t packets)
{
	for (uint32_t input = 0; input < 3; input++)
		for (uint32_t n = 0; n < packets; n++)
			send(bench, input, 0, 1)->sm = (uint16_t)input;
}

/* A preferred input is served before the others or after them, whatever its number. Its wins do not change the others'
 * turns. */
static void test_preference(void **state)
{
	static const struct {
		uint32_t input;
		enum crossbar_preference preference;
		const char *order;
	} row[] = {
		{0, CROSSBAR_FIRST, "000121212"}, {1, CROSSBAR_FIRST, "111020202"}, {2, CROSSBAR_FIRST, "222010101"},
		{0, CROSSBAR_LAST, "121212000"},  {1, CROSSBAR_LAST, "020202111"},  {2, CROSSBAR_LAST, "010101222"},
		{1, CROSSBAR_FAIR, "012012012"},
	};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		crossbar_prefer(&bench.crossbar, 3, 1, CROSSBAR_FIRST); /* the later call replaces it */
		crossbar_prefer(&bench.crossbar, row[i].input, 1, row[i].preference);
		send_from_three(&bench, 3);
		expect_order(&bench, row[i].order);
	}
}

/* The others' turns continue where they were. Input 3, which requests at 4 and at 10, wins the grants of 5 and 11. No
 * round restarts between or after them. */
static void test_turns_survive_preference(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 16, 16);
	crossbar_prefer(&bench.crossbar, 3, 1, CROSSBAR_FIRST);
	send_from_three(&bench, 4);
	for (uint64_t cycle = 1; cycle <= 7; cycle += 6) {
		while (bench.cycle < cycle)
			tick(&bench);
		send(&bench, 3, 0, 1)->sm = 3;
	}
	expect_order(&bench, "03123012012012");
}

/* With alternation the winner depends on the cycle in which both request: input 1 wins in an even one and loses in an
 * odd one. */
static void test_alternating_preference(void **state)
{
	for (uint64_t start = 0; start < 4; start++) {
		struct bench bench;
		open_bench(&bench, state, 16, 16);
		crossbar_prefer(&bench.crossbar, 1, 1, CROSSBAR_ALTERNATE);
		while (bench.cycle < start)
			tick(&bench);
		send(&bench, 0, 0, 1);
		send(&bench, 1, 0, 1)->sm = 1;
		send(&bench, 2, 0, 1)->sm = 2;
		bool even = (start + ENTER + CHANNEL) % 2 == 0;
		expect_order(&bench, even ? "102" : "021");
	}
}

/* Credits: with buffers of d flits, flit k enters no sooner than 2 cycles after the departure of flit k - d. It passes
 * the switch no sooner than 2 cycles after the ejection of flit k - d. By hand for d = 2 and 5 flits pushed at 0: they
 * enter at 1 2 6 7 11, pass at 4 5 9 10 14, are ejected at 7 8 12 13 17, and seen at 18. */
static void test_credits(void **state)
{
	for (uint32_t depth = 1; depth <= 9; depth++) {
		for (uint32_t flits = 1; flits <= 9; flits++) {
			uint64_t enter[9], pass[9], eject[9];
			for (uint32_t k = 0; k < flits; k++) {
				enter[k] = k ? enter[k - 1] + 1 : ENTER;
				if (k >= depth)
					enter[k] = max_u64(enter[k], pass[k - depth] + CREDIT);
				pass[k] = max_u64(enter[k] + CHANNEL, k ? pass[k - 1] + 1 : enter[k] + CHANNEL + GRANT);
				if (k >= depth)
					pass[k] = max_u64(pass[k], eject[k - depth] + CREDIT);
				eject[k] = max_u64(pass[k] + EJECT, k ? eject[k - 1] + 1 : 0);
			}
			if (depth == 2 && flits == 5)
				assert_int_equal(eject[4] + SHOW, 18);
			struct bench bench;
			open_bench(&bench, state, depth, 16);
			struct request *request = send(&bench, 0, 0, flits);
			expect_at(&bench, 0, request, eject[flits - 1] + SHOW);
			arena_free(&bench.arena);
		}
	}
}

/* The producer's port has space for a number of flits. A flit's space is free again in the cycle after its entry into
 * the channel. */
static void test_injection_room(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 16, 16);
	for (uint32_t i = 0; i < 8; i++)
		send(&bench, 0, 0, 4); /* 32 flits: full */
	struct request *one = make(&bench, 0, 1);
	for (uint64_t enters = ENTER; bench.cycle <= enters;) {
		assert_false(crossbar_has_room(&bench.crossbar, 0, one, bench.cycle));
		tick(&bench);
	}
	assert_true(crossbar_has_room(&bench.crossbar, 0, one, bench.cycle));
	arena_free(&bench.arena);
}

/* A consumer with space for one packet of 3 flits does not take it until cycle 40, and the second packet waits. Its
 * flits follow from 41 on, when the space is visible, one per cycle: it is in the port at 43, seen at 44. */
static void test_back_pressure(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 16, 3);
	struct request *first = send(&bench, 0, 0, 3), *second = send(&bench, 1, 0, 3);
	while (bench.cycle < 40)
		tick(&bench);
	assert_ptr_equal(seen(&bench, 0), first);
	assert_true(bench.crossbar.stats.output_stalls > 0);
	take(&bench, 0);
	expect_at(&bench, 0, second, 40 + 1 + 2 + SHOW);
	arena_free(&bench.arena);
}

/* A full consumer stops its own output, not others. Nothing is lost, and all packets arrive in order when it
 * continues. */
static void test_back_pressure_holds_in_order(void **state)
{
	struct bench bench;
	struct request *request[10];
	open_bench(&bench, state, 4, 2);
	for (uint32_t i = 0; i < 10; i++)
		request[i] = send(&bench, 0, 0, 2);
	struct request *other = send(&bench, 1, 1, 2);
	expect_at(&bench, 1, other, ALONE + 1);
	while (bench.cycle < 200)
		tick(&bench);
	/* 2 flits in the port, 4 in the ejection buffer, 4 in the input buffer: the rest waits at the producer */
	assert_int_equal(bench.crossbar.input[0].port.held, 20 - 2 - 4 - 4);
	for (uint32_t i = 0; i < 10; i++) {
		while (!seen(&bench, 0) && bench.cycle < 400)
			tick(&bench);
		assert_ptr_equal(seen(&bench, 0), request[i]);
		take(&bench, 0);
	}
	assert_int_equal(bench.crossbar.in_flight, 0);
	arena_free(&bench.arena);
}

/* The crossbar sleeps when it is empty. A push wakes it for the next cycle. */
static void test_sleep_and_wake(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 16, 16);
	assert_true(bench.crossbar.wake == UINT64_MAX);
	struct request *request = send(&bench, 0, 0, 1);
	assert_int_equal(bench.crossbar.wake, bench.cycle + 1);
	expect_at(&bench, 0, request, bench.cycle + ALONE);
	tick(&bench);
	assert_true(bench.crossbar.wake == UINT64_MAX);
	arena_free(&bench.arena);
}

/* A packet has a header of 8 bytes. Data follow in requests for writes and atomics and in replies for reads and
 * atomics. With flits of 32 bytes a line of 128 makes 5; 24 bytes just fit into one. */
static void test_flits_of_packets(void **state)
{
	static const struct {
		bool is_write, is_reply;
		uint8_t kind;
		uint32_t bytes, flits;
	} row[] = {
		{false, false, REQUEST_READ, 128, 1},  {false, true, REQUEST_READ, 128, 5},
		{true, false, REQUEST_WRITE, 128, 5},  {true, true, REQUEST_WRITE, 128, 1},
		{true, false, REQUEST_WRITE, 24, 1},   {true, false, REQUEST_WRITE, 25, 2},
		{false, false, REQUEST_ATOMIC, 64, 3}, {false, true, REQUEST_ATOMIC, 64, 3},
	};
	struct bench bench;
	open_bench(&bench, state, 16, 16);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct request request = {.kind = row[i].kind,
		                          .is_write = row[i].is_write,
		                          .is_reply = row[i].is_reply,
		                          .bytes = row[i].bytes};
		assert_int_equal(crossbar_flits(&bench.crossbar, &request), row[i].flits);
	}
	arena_free(&bench.arena);
}

#define BOTH_WAYS(test) cmocka_unit_test(test), cmocka_unit_test_prestate(test, "sleeps")

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_alone),
		BOTH_WAYS(test_start_time_does_not_matter),
		BOTH_WAYS(test_two_inputs_one_output),
		BOTH_WAYS(test_two_inputs_two_outputs),
		BOTH_WAYS(test_one_input_two_packets),
		BOTH_WAYS(test_round_robin),
		BOTH_WAYS(test_preference),
		BOTH_WAYS(test_turns_survive_preference),
		BOTH_WAYS(test_alternating_preference),
		BOTH_WAYS(test_credits),
		BOTH_WAYS(test_injection_room),
		BOTH_WAYS(test_back_pressure),
		BOTH_WAYS(test_back_pressure_holds_in_order),
		BOTH_WAYS(test_sleep_and_wake),
		BOTH_WAYS(test_flits_of_packets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
