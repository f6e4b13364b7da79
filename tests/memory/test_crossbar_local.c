/* Protects the local crossbar. The consumer sees a packet of any size two cycles after its push. Outputs are served in
 * rising order, one packet per cycle each, and inputs take turns. In one cycle an input may send several packets if
 * their outputs rise.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the crossbar has requested them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/crossbar.h"

enum { PORTS = 4, THROUGH = 2 };

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

static void open_bench(struct bench *bench, void **state, uint32_t room)
{
	*bench = (struct bench){.wake = UINT64_MAX, .sleeps = *state != NULL, .cycle = 1};
	const struct crossbar_config config = {.kind = CROSSBAR_LOCAL,
	                                       .flit_bytes = 32,
	                                       .speedup = 1,
	                                       .injection_flits = 8,
	                                       .buffer_flits = 1,
	                                       .boundary_flits = room};
	bench->pool.arena = &bench->arena;
	crossbar_open(&bench->crossbar, &config, PORTS, PORTS, to_slice, &bench->arena);
	for (uint32_t i = 0; i < PORTS; i++) {
		port_open(&bench->consumer[i], &bench->arena, room, &bench->wake);
		bench->crossbar.output[i].port = &bench->consumer[i];
	}
}

static struct request *send(struct bench *bench, uint32_t input, uint32_t output, uint32_t bytes)
{
	struct request *request = request_new(&bench->pool);
	request->kind = REQUEST_WRITE;
	request->is_write = true;
	request->slice = (uint16_t)output;
	request->bytes = bytes;
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

static void run_to(struct bench *bench, uint64_t cycle)
{
	while (bench->cycle < cycle)
		tick(bench);
}

/* Checks that the consumer sees this request at `cycle` and nothing new before, and takes it there. */
static void expect(struct bench *bench, uint32_t output, const struct request *request, uint64_t cycle)
{
	while (bench->cycle < cycle) {
		assert_null(port_front(&bench->consumer[output], bench->cycle));
		tick(bench);
	}
	assert_ptr_equal(port_front(&bench->consumer[output], cycle), request);
	port_pop(&bench->consumer[output], cycle);
}

static void test_any_size_takes_two_cycles(void **state)
{
	for (uint32_t bytes = 0; bytes <= 128; bytes += 32) {
		struct bench bench;
		open_bench(&bench, state, 8);
		struct request *request = send(&bench, 1, 2, bytes);
		expect(&bench, 2, request, bench.cycle + THROUGH);
		assert_int_equal(bench.crossbar.stats.packets, 1);
		assert_true(bench.crossbar.wake == UINT64_MAX);
		arena_free(&bench.arena);
	}
}

/* Three inputs with two packets each for one output: one per cycle, in turn from the first input on. */
static void test_inputs_take_turns(void **state)
{
	struct bench bench;
	struct request *request[2][3];
	open_bench(&bench, state, 8);
	uint64_t start = bench.cycle;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t input = 0; input < 3; input++)
			request[round][input] = send(&bench, input, 3, 32);
	for (uint32_t n = 0; n < 6; n++)
		expect(&bench, 3, request[n / 3][n % 3], start + THROUGH + n);
	/* the next packet competes at once */
	assert_int_equal(bench.crossbar.stats.output_conflicts, 3 + 3 + 3 + 2 + 1);
	arena_free(&bench.arena);
}

/* The next turn begins after the input that was served last, even after a time without packets. */
static void test_turn_is_kept(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 8);
	expect(&bench, 0, send(&bench, 1, 0, 0), bench.cycle + THROUGH);
	run_to(&bench, bench.cycle + 10);
	uint64_t start = bench.cycle;
	struct request *first = send(&bench, 0, 0, 0), *second = send(&bench, 2, 0, 0);
	expect(&bench, 0, second, start + THROUGH);
	expect(&bench, 0, first, start + THROUGH + 1);
	arena_free(&bench.arena);
}

/* An input's packets for rising outputs leave in one cycle; those for falling outputs take one cycle each. */
static void test_rising_outputs_in_one_cycle(void **state)
{
	for (uint32_t falling = 0; falling < 2; falling++) {
		struct bench bench;
		struct request *request[PORTS];
		open_bench(&bench, state, 8);
		uint64_t start = bench.cycle;
		for (uint32_t n = 0; n < PORTS; n++) {
			uint32_t output = falling ? PORTS - 1 - n : n;
			request[output] = send(&bench, 0, output, 32);
		}
		run_to(&bench, start + THROUGH);
		for (uint32_t n = 0; n < PORTS; n++) {
			uint32_t output = falling ? PORTS - 1 - n : n;
			uint64_t at = start + THROUGH + (falling ? n : 0);
			run_to(&bench, at);
			assert_ptr_equal(port_front(&bench.consumer[output], at), request[output]);
			assert_int_equal(bench.crossbar.stats.packets, falling ? n + 1 : PORTS);
		}
		arena_free(&bench.arena);
	}
}

/* A consumer with space for one packet delays its own packets, and no packets of other inputs for other outputs. */
static void test_full_consumer(void **state)
{
	struct bench bench;
	open_bench(&bench, state, 1);
	uint64_t start = bench.cycle;
	struct request *first = send(&bench, 0, 1, 0), *second = send(&bench, 2, 1, 0), *other = send(&bench, 3, 2, 0);
	run_to(&bench, start + 10);
	assert_ptr_equal(port_front(&bench.consumer[1], bench.cycle), first);
	assert_ptr_equal(port_front(&bench.consumer[2], bench.cycle), other);
	assert_int_equal(bench.crossbar.stats.output_stalls, 8); /* from the cycle after the first on */
	port_pop(&bench.consumer[1], bench.cycle);
	tick(&bench); /* the space is visible in the next cycle */
	expect(&bench, 1, second, start + 10 + THROUGH);
	arena_free(&bench.arena);
}

#define BOTH_WAYS(test) cmocka_unit_test_prestate(test, NULL), cmocka_unit_test_prestate(test, (void *)1)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_any_size_takes_two_cycles),
		BOTH_WAYS(test_inputs_take_turns),
		BOTH_WAYS(test_turn_is_kept),
		BOTH_WAYS(test_rising_outputs_in_one_cycle),
		BOTH_WAYS(test_full_consumer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
