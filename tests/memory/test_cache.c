/* Protects the cache model: the result of an access, the victim, the requests that it sends down, and the cycles in
 * which ports are free. Every expectation follows from the test's configuration. See test_cache_writes for writes. */
#include "cache_bench.h"

/* The first read misses. Later ones merge while the line is under way, and hit from the fill on. Merged requests return
 * in the order of their accesses, with the level that supplied the line. */
static void test_miss_merge_hit(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, small());
	struct request *first = make(&bench, REQUEST_READ, 0), *second = make(&bench, REQUEST_READ, 64);
	assert_int_equal(cache_access(&bench.cache, first, 10, &bench.sent_down), BASE_ACCESS_MISS);
	assert_int_equal(cache_access(&bench.cache, second, 11, &bench.sent_down), BASE_ACCESS_MERGED);
	assert_int_equal(bench.cache.miss_queue.count, 1); /* a merge sends nothing */
	assert_false(cache_has_ready(&bench.cache));

	assert_ptr_equal(send(&bench, REQUEST_READ, 0), first);
	assert_int_equal(first->dram_bytes, LINE);
	first->level = LEVEL_DRAM;
	cache_fill(&bench.cache, first, 50);
	assert_ptr_equal(cache_next_ready(&bench.cache), first);
	assert_true(cache_has_ready(&bench.cache));
	assert_ptr_equal(cache_next_ready(&bench.cache), second);
	assert_int_equal(second->level, LEVEL_DRAM);
	assert_false(cache_has_ready(&bench.cache));
	assert_int_equal(read(&bench, 32, 51), BASE_ACCESS_HIT);

	const struct cache_stats *s = &bench.cache.stats;
	assert_int_equal(s->accesses, 3);
	assert_int_equal(s->hits, 1);
	assert_int_equal(s->misses, 1);
	assert_int_equal(s->merged, 1);
	assert_int_equal(s->read_accesses, 3);
	assert_int_equal(s->read_misses, 1);
	assert_int_equal(s->fills, 1);
	assert_int_equal(s->refused, 0);
	arena_free(&bench.arena);
}

/* A set whose ways are all reserved refuses a third line; the other set does not. It accepts after a fill. */
static void test_refused_for_want_of_a_line(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.miss_queue = 8;
	open_bench(&bench, config);
	assert_int_equal(read(&bench, 0 * LINE, 0), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, 2 * LINE, 1), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, 4 * LINE, 2), BASE_ACCESS_REFUSED); /* even lines: set 0 */
	assert_int_equal(access(&bench, REQUEST_WRITE, 4 * LINE, 2), BASE_ACCESS_REFUSED);
	assert_int_equal(read(&bench, 1 * LINE, 3), BASE_ACCESS_MISS);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 4);
	assert_int_equal(read(&bench, 4 * LINE, 5), BASE_ACCESS_MISS);
	assert_int_equal(bench.cache.stats.refused, 2);
	assert_int_equal(bench.cache.stats.accesses, 4); /* refused accesses are not counted */
	arena_free(&bench.arena);
}

/* With all MSHRs taken a new line is refused and a line in flight merges. An MSHR is free only after the reply to its
 * last request, not when the line arrives. */
static void test_refused_for_want_of_a_register(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.mshrs = 1;
	config.merges = 3;
	open_bench(&bench, config);
	assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, LINE, 1), BASE_ACCESS_REFUSED);
	assert_int_equal(read(&bench, 0, 2), BASE_ACCESS_MERGED);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 3);
	assert_int_equal(read(&bench, LINE, 4), BASE_ACCESS_REFUSED);
	cache_next_ready(&bench.cache);
	assert_int_equal(read(&bench, LINE, 5), BASE_ACCESS_REFUSED);
	cache_next_ready(&bench.cache);
	assert_int_equal(read(&bench, LINE, 6), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* An MSHR holds `merges` requests, including the miss itself. */
static void test_refused_for_want_of_a_merge_place(void **state)
{
	(void)state;
	for (uint32_t merges = 1; merges <= 4; merges++) {
		struct bench bench;
		struct cache_config config = small();
		config.merges = merges;
		open_bench(&bench, config);
		assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
		for (uint32_t i = 1; i < merges; i++)
			assert_int_equal(read(&bench, 0, i), BASE_ACCESS_MERGED);
		assert_int_equal(read(&bench, 0, merges), BASE_ACCESS_REFUSED);
		arena_free(&bench.arena);
	}
}

/* A read miss may need two entries in the miss queue (itself and a dirty victim) where lines are allocated at the miss.
 * It needs one where they are allocated at the fill. A write that is sent down needs one; one that also fetches needs
 * three. A refused access leaves the queue unchanged. */
static void test_refused_for_want_of_miss_queue(void **state)
{
	static const struct {
		uint32_t allocation, write_miss;
		enum request_kind kind;
		uint32_t places;
	} row[] = {
		{ALLOCATE_ON_MISS, WRITE_MISS_NONE, REQUEST_READ, 2},
		{ALLOCATE_ON_FILL, WRITE_MISS_NONE, REQUEST_READ, 1},
		{ALLOCATE_ON_MISS, WRITE_MISS_NONE, REQUEST_WRITE, 1},
		{ALLOCATE_ON_MISS, WRITE_MISS_FETCH, REQUEST_WRITE, 3},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct cache_config config = small();
		config.allocation = row[i].allocation;
		config.write_miss = row[i].write_miss;
		open_bench(&bench, config);
		while (config.miss_queue - bench.cache.miss_queue.count >= row[i].places)
			request_queue_push(&bench.cache.miss_queue, make(&bench, REQUEST_WRITE, 99 * LINE));
		uint32_t before = bench.cache.miss_queue.count;
		assert_int_equal(access(&bench, row[i].kind, 0, 0), BASE_ACCESS_REFUSED);
		assert_int_equal(bench.cache.miss_queue.count, before);
		assert_false(bench.sent_down);
		request_queue_pop(&bench.cache.miss_queue); /* one more entry is enough */
		assert_int_equal(access(&bench, row[i].kind, 0, 1), BASE_ACCESS_MISS);
		arena_free(&bench.arena);
	}
}

/* Lines 0 and 2 are loaded in this order, 0 is used again, 4 replaces one: LRU drops 2, FIFO drops 0. */
static void test_victim(void **state)
{
	(void)state;
	for (uint32_t replacement = REPLACE_LRU; replacement <= REPLACE_FIFO; replacement++) {
		struct bench bench;
		struct cache_config config = small();
		config.replacement = replacement;
		open_bench(&bench, config);
		load(&bench, 0 * LINE, 10);
		load(&bench, 2 * LINE, 20);
		assert_int_equal(read(&bench, 0 * LINE, 30), BASE_ACCESS_HIT);
		load(&bench, 4 * LINE, 40);
		assert_true(holds(&bench, 4 * LINE));
		assert_int_equal(holds(&bench, 0 * LINE), replacement == REPLACE_LRU);
		assert_int_equal(holds(&bench, 2 * LINE), replacement == REPLACE_FIFO);
		arena_free(&bench.arena);
	}
}

/* An invalid line is taken before any valid one is evicted. */
static void test_invalid_line_first(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, small());
	load(&bench, 0 * LINE, 10);
	load(&bench, 2 * LINE, 20);
	assert_int_equal(access(&bench, REQUEST_WRITE, 2 * LINE, 30), BASE_ACCESS_HIT); /* evicts line 2 */
	request_queue_pop(&bench.cache.miss_queue);
	load(&bench, 4 * LINE, 40);
	assert_true(holds(&bench, 0 * LINE)); /* although it is the least recently used */
	arena_free(&bench.arena);
}

/* A cache that allocates on fills holds the old lines until the new one arrives, merges by MSHR, and never runs out of
 * lines. */
static void test_allocate_on_fill(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.allocation = ALLOCATE_ON_FILL;
	open_bench(&bench, config);
	load(&bench, 0 * LINE, 10);
	load(&bench, 2 * LINE, 20);
	assert_int_equal(read(&bench, 4 * LINE, 30), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, 6 * LINE, 31), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, 8 * LINE, 32), BASE_ACCESS_MISS); /* three in flight in a set of two ways */
	assert_int_equal(read(&bench, 4 * LINE, 33), BASE_ACCESS_MERGED);
	assert_int_equal(read(&bench, 0 * LINE, 34), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 2 * LINE, 35), BASE_ACCESS_HIT);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 4 * LINE), 40);
	assert_true(holds(&bench, 4 * LINE));
	assert_false(holds(&bench, 0 * LINE)); /* least recently used at the fill */
	assert_true(holds(&bench, 2 * LINE));
	arena_free(&bench.arena);
}

/* A hit holds the data port for ceil(bytes / port_bytes) cycles. 128 bytes at 32 per cycle, from cycle 100, hold it
 * until 103; it is free at 104. 8 bytes hold it for one cycle. A fill holds the fill port for a line. With port_bytes 0
 * a line takes one cycle. */
static void test_ports(void **state)
{
	static const struct {
		uint32_t port_bytes, bytes, hit_cycles, fill_cycles;
	} row[] = {{32, 128, 4, 4}, {32, 33, 2, 4}, {32, 8, 1, 4}, {64, 128, 2, 2}, {0, 128, 1, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct cache_config config = small();
		config.port_bytes = row[i].port_bytes;
		open_bench(&bench, config);
		assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
		assert_true(cache_data_port_free(&bench.cache, 0)); /* a miss moves no data */
		cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 50);
		answer_all(&bench);
		assert_false(cache_fill_port_free(&bench.cache, 50 + row[i].fill_cycles - 1));
		assert_true(cache_fill_port_free(&bench.cache, 50 + row[i].fill_cycles));
		struct request *request = make(&bench, REQUEST_READ, 0);
		request->bytes = row[i].bytes;
		assert_int_equal(cache_access(&bench.cache, request, 100, &bench.sent_down), BASE_ACCESS_HIT);
		assert_false(cache_data_port_free(&bench.cache, 100 + row[i].hit_cycles - 1));
		assert_true(cache_data_port_free(&bench.cache, 100 + row[i].hit_cycles));
		arena_free(&bench.arena);
	}
}

/* After an invalidation the next access misses. */
static void test_invalidate(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, small());
	load(&bench, 0, 0);
	assert_int_equal(read(&bench, 0, 1), BASE_ACCESS_HIT);
	cache_invalidate(&bench.cache);
	assert_int_equal(read(&bench, 0, 2), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* A refused access need not look up again until the resource that it lacked has changed. Here this is an MSHR, which is
 * free when the last request of its line is taken, and not sooner (test_cache_refusals.c has the other causes). */
static void test_changes(void **state)
{
	struct bench bench;
	struct cache_config config = small();
	(void)state;
	config.mshrs = 1;
	open_bench(&bench, config);
	assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, LINE, 1), BASE_ACCESS_REFUSED);
	uint64_t refused_at = bench.cache.changes;
	assert_true(cache_still_refuses(&bench.cache, refused_at));
	struct request *miss = cache_take_miss(&bench.cache);
	assert_true(cache_still_refuses(&bench.cache, refused_at));
	cache_fill(&bench.cache, miss, 2);
	assert_true(cache_still_refuses(&bench.cache, refused_at));
	assert_ptr_equal(cache_next_ready(&bench.cache), miss);
	assert_false(cache_still_refuses(&bench.cache, refused_at));
	assert_int_equal(read(&bench, LINE, 3), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* Lines that other SMs have written are dropped one by one. Lines under way still arrive, and dirty lines stay. */
static void test_forget(void **state)
{
	(void)state;
	for (uint32_t policy = WRITE_EVICT; policy <= WRITE_BACK; policy += WRITE_BACK - WRITE_EVICT) {
		struct bench bench;
		struct cache_config config = small();
		config.write = policy;
		config.write_miss = WRITE_MISS_NONE;
		config.miss_queue = 8;
		open_bench(&bench, config);
		for (uint64_t line = 0; line < 3; line++) {
			assert_int_equal(read(&bench, line * LINE, line), BASE_ACCESS_MISS);
			cache_fill(&bench.cache, send(&bench, REQUEST_READ, line * LINE), 10 + line);
			cache_next_ready(&bench.cache);
		}
		assert_int_equal(read(&bench, 3 * LINE, 20), BASE_ACCESS_MISS);
		if (policy == WRITE_BACK)
			assert_int_equal(access(&bench, REQUEST_WRITE, LINE, 21), BASE_ACCESS_HIT);
		uint64_t changes = bench.cache.changes;
		cache_forget(&bench.cache, LINE - 4, 8, 22); /* two lines, one word each */
		assert_true(bench.cache.changes > changes);
		cache_forget(&bench.cache, 3 * LINE, LINE, 22);
		assert_int_equal(read(&bench, 0, 23), BASE_ACCESS_MISS);
		assert_int_equal(read(&bench, LINE, 24), policy == WRITE_BACK ? BASE_ACCESS_HIT : BASE_ACCESS_MISS);
		assert_int_equal(read(&bench, 2 * LINE, 25), BASE_ACCESS_HIT);
		assert_int_equal(read(&bench, 3 * LINE, 26), BASE_ACCESS_MERGED);
		arena_free(&bench.arena);
	}
}

/* L2 selects its set by the address inside the slice: two addresses with one `local` part share a set, whatever their
 * other bits. */
static void test_slice_uses_local_address(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.ways = 1;
	open_bench(&bench, config);
	cache_open(&bench.cache, &config, CACHE_OF_SLICE, &bench.pool, &bench.arena);
	for (uint64_t i = 0; i < 2; i++) {
		struct request *request = make(&bench, REQUEST_READ, i * LINE); /* sets 0 and 1 by address */
		request->slice_address = 0;
		assert_int_equal(cache_access(&bench.cache, request, i, &bench.sent_down),
		                 i == 0 ? BASE_ACCESS_MISS
		                        : BASE_ACCESS_REFUSED); /* the only way of set 0 is reserved */
	}
	arena_free(&bench.arena);
}

/* The report on a prefetch, and the cycle of its first demand. */
struct heard {
	uint32_t outcomes, came_late;
	uint64_t tag, wanted, came;
};

static void hear_outcome(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	struct heard *heard = user;
	assert_int_equal(outcome, prefetch->wanted ? BASE_PREFETCH_LATE : BASE_PREFETCH_USEFUL);
	heard->outcomes++;
	heard->tag = prefetch->tag;
	heard->came = prefetch->came;
}

static void hear_came_late(void *user, const struct base_prefetch *prefetch)
{
	struct heard *heard = user;
	heard->came_late++;
	heard->wanted = prefetch->wanted;
	heard->came = prefetch->came;
}

/* A prefetch ends with its fill: it produces no reply and frees its MSHR at once. Requests that merged with it still
 * wait for their replies. Its outcome is reported once; a late one when its data arrive. */
static void test_prefetch_ends_with_its_fill(void **state)
{
	(void)state;
	for (uint32_t merged = 0; merged < 2; merged++) {
		struct bench bench;
		struct heard heard = {0};
		uint64_t clock = 101;
		const struct base_prefetch kept = {.sender = 1, .tag = 5};
		const struct base_prefetch_listener listener = {&heard, &clock, hear_outcome, hear_came_late};
		open_bench(&bench, small());
		cache_watch_open(&bench.cache, &listener, &bench.arena);
		uint32_t registers = bench.cache.mshrs.free;
		struct request *prefetch = make(&bench, REQUEST_READ, 0), *load = make(&bench, REQUEST_READ, 0);
		prefetch->prefetch = &kept;
		assert_int_equal(cache_prefetch(&bench.cache, prefetch, 0), BASE_ACCESS_MISS);
		if (merged)
			assert_int_equal(cache_access(&bench.cache, load, 1, &bench.sent_down), BASE_ACCESS_MERGED);
		assert_int_equal(heard.outcomes, merged);
		clock = 110;
		cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 10);
		assert_int_equal(bench.cache.mshrs.free, registers - merged);
		assert_int_equal(cache_has_ready(&bench.cache), merged);
		if (merged)
			assert_ptr_equal(cache_next_ready(&bench.cache), load);
		assert_int_equal(bench.cache.mshrs.free, registers);
		assert_int_equal(read(&bench, 0, 11), BASE_ACCESS_HIT);
		assert_int_equal(heard.outcomes, 1);
		assert_int_equal(heard.tag, 5);
		assert_int_equal(heard.came, 110);
		assert_int_equal(heard.came_late, merged);
		assert_int_equal(heard.wanted, merged ? 101 : 0);
		arena_free(&bench.arena);
	}
}

/* The hashed index of Fermi's L1: line address bits xor bits 13, 14, 15, 17, 19, worked out by hand for a few. */
static void test_hashed_sets(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t set;
	} row[] = {{0, 0},       {0x80, 1},     {0xf80, 31}, {0x2000, 1},  {0x8000, 4},
	           {0x20000, 8}, {0x80000, 16}, {0x2080, 0}, {0xaa080, 28}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct cache_config config = small();
		config.sets = 32;
		config.index = INDEX_HASHED;
		open_bench(&bench, config);
		load(&bench, row[i].address, 0);
		uint32_t at = row[i].set * config.ways;
		assert_true(bench.cache.tags.line[at].present || bench.cache.tags.line[at + 1].present);
		arena_free(&bench.arena);
	}
}

/* Copied data are hits, without traffic. The first of the lines that are copied in one cycle is replaced first. A dirty
 * line that a copy replaces is not written back. */
static void test_put(void **state)
{
	struct bench bench;
	struct cache_config config = small();
	(void)state;
	config.write = WRITE_BACK;
	config.write_miss = WRITE_MISS_LAZY;
	open_bench(&bench, config);
	for (uint64_t line = 0; line < 6; line += 2)
		cache_put(&bench.cache, make(&bench, REQUEST_L2_FILL, line * LINE), 10);
	assert_int_equal(bench.cache.stats.accesses, 0);
	assert_int_equal(read(&bench, 2 * LINE, 11), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 4 * LINE, 12), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 0 * LINE, 13), BASE_ACCESS_MISS);
	assert_int_equal(bench.cache.miss_queue.count, 1);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 20);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0 * LINE, 21), BASE_ACCESS_HIT); /* 0 is dirty, 4 is older */
	cache_put(&bench.cache, make(&bench, REQUEST_L2_FILL, 6 * LINE), 22);
	cache_put(&bench.cache, make(&bench, REQUEST_L2_FILL, 8 * LINE), 22);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(bench.cache.stats.writebacks, 0);
	assert_int_equal(read(&bench, 8 * LINE, 23), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 0 * LINE, 24), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_miss_merge_hit),
		cmocka_unit_test(test_refused_for_want_of_a_line),
		cmocka_unit_test(test_refused_for_want_of_a_register),
		cmocka_unit_test(test_refused_for_want_of_a_merge_place),
		cmocka_unit_test(test_refused_for_want_of_miss_queue),
		cmocka_unit_test(test_victim),
		cmocka_unit_test(test_invalid_line_first),
		cmocka_unit_test(test_allocate_on_fill),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_invalidate),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_slice_uses_local_address),
		cmocka_unit_test(test_prefetch_ends_with_its_fill),
		cmocka_unit_test(test_hashed_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
