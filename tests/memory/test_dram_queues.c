/* Protects the memory channel's limits: its queue, credits, full slices and write-backs, its delay line, the turns of
 * slices, and its sleep. test_dram.c explains the times.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the channel has requested them. */
#include "dram_bench.h"

/* Returns the number of requests in the scheduler, waiting or in service. */
static uint32_t in_banks(const struct bench *bench)
{
	return bench->channel.pending + (uint32_t)__builtin_popcountll(bench->channel.serving);
}

/* The scheduler sees at most `queue` waiting requests. A further one stays in the delay line and is counted. Here the
 * bank has a current request, two wait, and five more for the same row follow. The next enters when the first is read
 * and the bank has taken another. */
static void test_queue_limit(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.queue = 2;
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < 8; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, FIRST + RCD);
	assert_int_equal(bench.channel.pending, 2);
	assert_int_equal(in_banks(&bench), 3);
	/* The fourth has waited since the cycle in which it could have entered, 3 after the first's entry. */
	uint64_t could_enter = FIRST - 1 + 3;
	dram_settle(&bench.channel, bench.cycle);
	assert_int_equal(bench.channel.stats.queue_full, FIRST + RCD - could_enter);
	tick(&bench); /* the first is read */
	assert_int_equal(in_banks(&bench), 2);
	tick(&bench); /* the second becomes current, the fourth enters */
	assert_int_equal(bench.channel.pending, 2);
	assert_int_equal(in_banks(&bench), 3);
	run_to(&bench, 300);
	assert_int_equal(bench.channel.stats.reads, 8);
	arena_free(&bench.arena);
}

/* Credits limit the requests in the channel: queue + return_queue - (slices - 1) shared ones, and one more for each
 * slice. With queue 2 and return_queue 2 one slice has at most 3 + 1; the other slice still has its own. Each reply
 * returns its request's credit. */
static void test_credits(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.queue = 2;
	config.return_queue = 2;
	config.latency = 50; /* all requests are in the delay line */
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < 8; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, 20);
	assert_int_equal(bench.channel.from_l2[0].items, 8 - 4);
	for (uint32_t i = 0; i < 2; i++) {
		struct request *request = make(&bench, false, 6, 1);
		request->slice = 1;
		push(&bench, request);
	}
	run_to(&bench, 40);
	assert_int_equal(bench.channel.from_l2[1].items, 2 - 1);
	uint64_t answered = 1 + 50 + 1 + RCD + CL + 1; /* the first is in the slice's port, its credit is free */
	run_to(&bench, answered);
	assert_int_equal(bench.channel.from_l2[0].items + bench.channel.from_l2[1].items, 5);
	tick(&bench);
	assert_int_equal(bench.channel.from_l2[0].items + bench.channel.from_l2[1].items, 4);
	arena_free(&bench.arena);
}

/* A reply that the slice does not take stays. A slice whose port is full cannot send a request either. */
static void test_full_slice(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	port_open(&bench.to_l2[0], &bench.arena, 1, &bench.wake);
	struct request *first = read_row(&bench, 5, 1), *second = read_row(&bench, 5, 1);
	run_to(&bench, 100);
	read_row(&bench, 5, 1);
	run_to(&bench, 200);
	assert_int_equal(bench.channel.returned.count, 1);
	assert_int_equal(bench.channel.from_l2[0].items, 1);
	assert_ptr_equal(port_front(&bench.to_l2[0], 200), first);
	/* the space is visible at 201, when the second is pushed; it is seen at 202 */
	port_pop(&bench.to_l2[0], 200);
	expect_answer(&bench, second, 202);
	arena_free(&bench.arena);
}

/* The delay line counts L2 cycles. With an L2 clock of a third, L2 cycle k comes at cycle 3k. The request enters at
 * cycle 1, between L2 cycles 0 and 1. It continues in the cycle after L2 cycle `latency` has begun; one cycle later it
 * may have its activate. */
static void test_latency_in_l2_cycles(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	bench.l2_period = bench.channel.l2_period = 3;
	read_row(&bench, 0, 0);
	run_to(&bench, 60);
	assert_int_equal(bench.command[0].at, 3 * LATENCY + 1 + 1);
	arena_free(&bench.arena);
}

/* A write-back of L2 has no reply: its request and its credit are free when its data have arrived. */
static void test_writeback_ends_here(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	struct request *request = make(&bench, true, 0, 0);
	request->kind = REQUEST_L2_WRITEBACK;
	push(&bench, request);
	run_to(&bench, FIRST + RCDWR + WL);
	assert_int_equal(bench.pool.in_use, 1);
	assert_int_equal(bench.channel.credits_in_use[0], 1);
	tick(&bench);
	assert_int_equal(bench.pool.in_use, 0);
	assert_int_equal(bench.channel.credits_in_use[0], 0);
	run_to(&bench, 100);
	assert_null(port_front(&bench.to_l2[0], bench.cycle));
	arena_free(&bench.arena);
}

/* Write-backs return all their credits, including shared ones. After three times the channel's capacity of write-backs,
 * it accepts the same number of requests as a new channel. */
static void test_writebacks_return_credits(void **state)
{
	enum { QUEUE = 2, CREDITS = QUEUE + QUEUE - (SLICES - 1) + 1, WRITEBACKS = 3 * CREDITS };
	struct bench bench;
	struct dram_config config = timings();
	config.queue = config.return_queue = QUEUE;
	config.latency = 50; /* all requests that have entered are in the delay line */
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < WRITEBACKS; i++) {
		struct request *request = make(&bench, true, 5, 1);
		request->kind = REQUEST_L2_WRITEBACK;
		push(&bench, request);
	}
	run_to(&bench, 20);
	assert_int_equal(bench.channel.from_l2[0].items, WRITEBACKS - CREDITS);
	run_to(&bench, 1000);
	assert_int_equal(bench.pool.in_use, 0);
	for (uint32_t i = 0; i < 2 * CREDITS; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, 1020);
	assert_int_equal(bench.channel.from_l2[0].items, CREDITS);
	arena_free(&bench.arena);
}

/* The two slices take turns: one request per cycle, beginning after the slice that was served last. */
static void test_slices_take_turns(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	for (uint32_t slice = 0; slice < SLICES; slice++)
		for (uint32_t i = 0; i < 3; i++) {
			struct request *request = make(&bench, false, 0, 0);
			request->slice = (uint16_t)slice;
			push(&bench, request);
		}
	tick(&bench); /* nothing is visible yet */
	for (uint32_t i = 1; i <= 6; i++) {
		tick(&bench);
		assert_int_equal(6 - bench.channel.from_l2[0].items - bench.channel.from_l2[1].items, i);
		assert_in_range(bench.channel.from_l2[0].items + 1 - bench.channel.from_l2[1].items, 0, 2);
	}
	arena_free(&bench.arena);
}

/* The channel sleeps when it is empty; dram_settle() counts the cycles slept. */
static void test_sleep(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	assert_true(bench.channel.wake == UINT64_MAX);
	read_row(&bench, 0, 0);
	assert_int_equal(bench.channel.wake, bench.cycle + 1);
	run_to(&bench, 50);
	assert_true(bench.channel.wake == UINT64_MAX);
	dram_settle(&bench.channel, 500);
	assert_int_equal(bench.channel.stats.cycles, 500);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_queue_limit),         BOTH_WAYS(test_credits),
		BOTH_WAYS(test_full_slice),          BOTH_WAYS(test_latency_in_l2_cycles),
		BOTH_WAYS(test_writeback_ends_here), BOTH_WAYS(test_writebacks_return_credits),
		BOTH_WAYS(test_slices_take_turns),   BOTH_WAYS(test_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
