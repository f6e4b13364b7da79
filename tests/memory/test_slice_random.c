/* Protects a slice's sleep under random traffic: a slice that ticks only on request does the same, and counts the same,
 * as one that ticks in every cycle. */
#include "slice_bench.h"

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Random traffic at the other ends of a slice. Their actions in a cycle depend on the seed and on the slice's past
 * behavior. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
