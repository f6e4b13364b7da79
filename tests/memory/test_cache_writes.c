/* Protects the cache's writes: the requests that hits and misses send down, the fetches and the write-backs, by lines
 * and by sectors. Every expectation follows from the test's configuration. */
#include "cache_bench.h"

/* Write-through and write-evict send the write down at a hit. Write-evict drops the line; write-through leaves it
 * clean. Write-back holds the write in the cache. Local writes are written back whatever the policy for global data. */
static void test_write_hit(void **state)
{
	static const struct {
		uint32_t policy;
		enum request_kind kind;
		bool goes_down, stays, dirty;
	} row[] = {
		{WRITE_EVICT, REQUEST_WRITE, true, false, false},
		{WRITE_THROUGH, REQUEST_WRITE, true, true, false},
		{WRITE_BACK, REQUEST_WRITE, false, true, true},
		{WRITE_EVICT, REQUEST_LOCAL_WRITE, false, true, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct cache_config config = small();
		config.write = row[i].policy;
		open_bench(&bench, config);
		load(&bench, 0, 10);
		assert_int_equal(access(&bench, row[i].kind, 0, 20), BASE_ACCESS_HIT);
		assert_int_equal(bench.sent_down, row[i].goes_down);
		assert_int_equal(bench.cache.miss_queue.count, row[i].goes_down);
		assert_int_equal(holds(&bench, 0), row[i].stays);
		if (row[i].stays)
			assert_int_equal(bench.cache.tags.line[1].dirty, row[i].dirty); /* ways fill from the last */
		assert_int_equal(bench.cache.stats.write_accesses, 1);
		arena_free(&bench.arena);
	}
}

/* A write miss without allocation is only sent down. It takes no line and no MSHR. */
static void test_write_miss_without_fetch(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, small());
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 0), BASE_ACCESS_MISS);
	assert_true(bench.sent_down);
	send(&bench, REQUEST_WRITE, 0);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(bench.cache.mshrs.free, 4);
	assert_int_equal(read(&bench, 0, 1), BASE_ACCESS_MISS);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 2),
	                 BASE_ACCESS_MERGED); /* the line is under way; the write is sent down */
	assert_true(bench.sent_down);
	assert_int_equal(bench.cache.stats.read_misses, 1);
	arena_free(&bench.arena);
}

/* Both lines of a set are under way. A write to a third line, which would allocate none, waits until a line can be
 * evicted. With writes_pass it waits only for an entry in the miss queue; so does a local write. A read waits in both
 * cases. */
static void test_writes_pass_full_sets(void **state)
{
	(void)state;
	for (uint32_t passes = 0; passes <= 1; passes++) {
		struct bench bench;
		struct cache_config config = small();
		enum base_access_result result = passes ? BASE_ACCESS_MISS : BASE_ACCESS_REFUSED;
		config.writes_pass = passes;
		open_bench(&bench, config);
		read(&bench, 0 * LINE, 0);
		read(&bench, 2 * LINE, 1);
		send(&bench, REQUEST_READ, 0 * LINE);
		send(&bench, REQUEST_READ, 2 * LINE);
		assert_int_equal(access(&bench, REQUEST_WRITE, 4 * LINE, 2), result);
		assert_int_equal(bench.sent_down, passes);
		assert_int_equal(access(&bench, REQUEST_LOCAL_WRITE, 4 * LINE, 3), result);
		assert_int_equal(bench.cache.miss_queue.count, 2 * passes);
		assert_int_equal(read(&bench, 4 * LINE, 4), BASE_ACCESS_REFUSED);
		assert_int_equal(access(&bench, REQUEST_WRITE, 0 * LINE, 5), BASE_ACCESS_MERGED);
		assert_int_equal(bench.cache.mshrs.free, 2);
		while (bench.cache.miss_queue.count < bench.cache.miss_queue.capacity)
			access(&bench, REQUEST_WRITE, 0 * LINE, 6);
		assert_int_equal(access(&bench, REQUEST_WRITE, 4 * LINE, 7), BASE_ACCESS_REFUSED);
		arena_free(&bench.arena);
	}
}

/* Fetch on write: the write is sent down first, then a read of the line. A second write merges its fetch. */
static void test_write_miss_with_fetch(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.write = WRITE_BACK;
	config.write_miss = WRITE_MISS_FETCH;
	config.miss_queue = 6;
	open_bench(&bench, config);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 0), BASE_ACCESS_MISS);
	assert_true(bench.sent_down);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 1), BASE_ACCESS_MERGED);
	assert_true(bench.sent_down);
	send(&bench, REQUEST_WRITE, 0);
	struct request *fill = send(&bench, REQUEST_L1_FILL, 0);
	assert_int_equal(fill->dram_bytes, LINE);
	send(&bench, REQUEST_WRITE, 0);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 2),
	                 BASE_ACCESS_REFUSED); /* both merge entries hold fetches */
	cache_fill(&bench.cache, fill, 3);
	assert_ptr_equal(cache_next_ready(&bench.cache), fill);
	assert_int_equal(cache_next_ready(&bench.cache)->kind, REQUEST_L1_FILL);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 4), BASE_ACCESS_HIT);
	assert_false(bench.sent_down);
	arena_free(&bench.arena);
}

/* A write miss that fetches needs an MSHR for its fetch. A refused one has sent nothing down. */
static void test_fetching_write_wants_a_register(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.write_miss = WRITE_MISS_FETCH;
	config.mshrs = 1;
	config.miss_queue = 8;
	open_bench(&bench, config);
	assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
	assert_int_equal(access(&bench, REQUEST_WRITE, LINE, 1), BASE_ACCESS_REFUSED);
	assert_int_equal(bench.cache.miss_queue.count, 1);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 2);
	answer_all(&bench);
	assert_int_equal(access(&bench, REQUEST_WRITE, LINE, 3), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* A dirty victim follows the miss that replaces it, with its own address. A clean victim sends nothing. */
static void test_write_back_of_victim(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.write = WRITE_BACK;
	open_bench(&bench, config);
	load(&bench, 0 * LINE, 10);
	load(&bench, 2 * LINE, 20);
	assert_int_equal(access(&bench, REQUEST_WRITE, 0 * LINE, 30), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 4 * LINE, 40), BASE_ACCESS_MISS); /* replaces 2, clean and older */
	send(&bench, REQUEST_READ, 4 * LINE);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(read(&bench, 6 * LINE, 50), BASE_ACCESS_MISS); /* replaces 0, dirty */
	send(&bench, REQUEST_READ, 6 * LINE);
	struct request *victim = send(&bench, REQUEST_L1_WRITEBACK, 0 * LINE);
	assert_true(victim->is_write);
	assert_int_equal(victim->bytes, LINE);
	assert_int_equal(bench.cache.stats.writebacks, 1);
	arena_free(&bench.arena);
}

/* An atomic makes its line dirty, at a hit and when its miss is filled. */
static void test_atomic_dirties(void **state)
{
	struct bench bench;
	(void)state;
	struct cache_config config = small();
	config.ways = 1;
	open_bench(&bench, config);
	assert_int_equal(access(&bench, REQUEST_ATOMIC, 0, 0), BASE_ACCESS_MISS);
	cache_fill(&bench.cache, send(&bench, REQUEST_ATOMIC, 0), 1);
	answer_all(&bench);
	load(&bench, 2 * LINE, 10);
	send(&bench, REQUEST_L1_WRITEBACK, 0);
	assert_int_equal(access(&bench, REQUEST_ATOMIC, 2 * LINE, 20), BASE_ACCESS_HIT);
	load(&bench, 4 * LINE, 30);
	send(&bench, REQUEST_L1_WRITEBACK, 2 * LINE);
	arena_free(&bench.arena);
}

/* Four sectors per line, as in GPGPU-Sim 4's L2. Sectors miss, arrive and hit separately. A dirty line writes back only
 * the written sectors, and holds the data port only for them.
 * A lazy write sends nothing. A read of a partially written sector fetches it and leaves it dirty. A read of a
 * completely written sector hits. */
static struct cache_config sectored(void)
{
	struct cache_config config = small();
	config.sectors = 4;
	config.write = WRITE_BACK;
	config.write_miss = WRITE_MISS_LAZY;
	return config;
}

enum { SECTOR = LINE / 4 };

static void test_sectors_come_alone(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, sectored());
	assert_int_equal(read(&bench, 0, 0), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, SECTOR, 1), BASE_ACCESS_MISS);
	assert_int_equal(read(&bench, SECTOR, 2), BASE_ACCESS_MERGED);
	assert_int_equal(bench.cache.mshrs.free, 2);
	struct request *first = send(&bench, REQUEST_READ, 0);
	assert_int_equal(first->dram_bytes, SECTOR);
	cache_fill(&bench.cache, first, 10);
	answer_all(&bench);
	assert_int_equal(read(&bench, 0, 11), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, SECTOR, 12),
	                 BASE_ACCESS_REFUSED); /* the merge entries of that sector are taken */
	assert_int_equal(read(&bench, 2 * SECTOR, 13), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* Writes the bytes of a sector that the mask selects. */
static enum base_access_result write_bytes(struct bench *bench, uint64_t address, uint32_t written, uint64_t cycle)
{
	struct request *request = make(bench, REQUEST_WRITE, address);
	request->bytes = SECTOR;
	request->written = written;
	return cache_access(&bench->cache, request, cycle, &bench->sent_down);
}

static enum base_access_result write_sector(struct bench *bench, uint64_t address, bool is_whole, uint64_t cycle)
{
	return write_bytes(bench, address, is_whole ? UINT32_MAX : 1, cycle);
}

static void test_lazy_writes(void **state)
{
	struct bench bench;
	struct cache_config config = sectored();
	(void)state;
	config.port_bytes = SECTOR;
	open_bench(&bench, config);
	assert_int_equal(write_sector(&bench, 0, true, 0), BASE_ACCESS_MISS);
	assert_int_equal(write_sector(&bench, SECTOR, false, 1), BASE_ACCESS_MISS);
	assert_false(bench.sent_down);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(read(&bench, 0, 2), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, SECTOR, 3), BASE_ACCESS_MISS);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, SECTOR), 4);
	answer_all(&bench);
	assert_int_equal(read(&bench, SECTOR, 5), BASE_ACCESS_HIT);
	/* Two sets of two ways: lines 2 and 4 evict line 0, whose two dirty sectors are written back. */
	load(&bench, 2 * LINE, 6);
	assert_int_equal(read(&bench, 4 * LINE, 50), BASE_ACCESS_MISS);
	assert_false(cache_data_port_free(&bench.cache, 50 + 1));
	assert_true(cache_data_port_free(&bench.cache, 50 + 2));
	send(&bench, REQUEST_READ, 4 * LINE);
	assert_int_equal(send(&bench, REQUEST_L1_WRITEBACK, 0)->bytes, 2 * SECTOR);
	arena_free(&bench.arena);
}

/* A sector that several writes have filled completely is read without a fetch. A sector that lacks a byte is
 * fetched. */
static void test_writes_fill_a_sector(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, sectored());
	assert_int_equal(write_bytes(&bench, 0, 0x0000ffff, 0), BASE_ACCESS_MISS);
	assert_int_equal(write_bytes(&bench, SECTOR, 0x0000ffff, 1), BASE_ACCESS_MISS);
	assert_int_equal(write_bytes(&bench, 0, 0xffff0000, 2), BASE_ACCESS_HIT);
	assert_int_equal(write_bytes(&bench, SECTOR, 0xfffe0000, 3), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 0, 4), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, SECTOR, 5), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

/* Volta's L1 writes through and holds the written data. Every write is sent down, hit or miss. Its sector can be read
 * when it is complete. Nothing is written back. */
static struct cache_config through(void)
{
	struct cache_config config = sectored();
	config.write = WRITE_THROUGH;
	return config;
}

static void test_write_through_stays(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, through());
	assert_int_equal(write_sector(&bench, 0, true, 0), BASE_ACCESS_MISS);
	assert_true(bench.sent_down);
	send(&bench, REQUEST_WRITE, 0);
	assert_int_equal(read(&bench, 0, 1), BASE_ACCESS_HIT);
	assert_int_equal(write_sector(&bench, SECTOR, false, 2), BASE_ACCESS_MISS);
	send(&bench, REQUEST_WRITE, SECTOR);
	assert_int_equal(read(&bench, SECTOR, 3), BASE_ACCESS_MISS); /* fetched, and written meanwhile */
	assert_int_equal(write_sector(&bench, SECTOR, false, 4), BASE_ACCESS_MERGED);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, SECTOR), 5);
	send(&bench, REQUEST_WRITE, SECTOR);
	answer_all(&bench);
	assert_int_equal(write_sector(&bench, SECTOR, false, 6), BASE_ACCESS_HIT);
	send(&bench, REQUEST_WRITE, SECTOR);
	assert_int_equal(read(&bench, SECTOR, 7), BASE_ACCESS_HIT);
	load(&bench, 2 * LINE, 10);
	assert_int_equal(read(&bench, 4 * LINE, 20), BASE_ACCESS_MISS); /* replaces line 0, dirty */
	send(&bench, REQUEST_READ, 4 * LINE);
	assert_int_equal(bench.cache.miss_queue.count, 0);
	assert_int_equal(bench.cache.stats.writebacks, 0);
	arena_free(&bench.arena);
}

/* A write is sent down through the miss queue and waits for an entry in it. */
static void test_write_through_wants_a_place(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, through());
	uint32_t places = bench.cache.miss_queue.capacity;
	for (uint32_t i = 0; i < places; i++)
		assert_int_equal(write_sector(&bench, i % 4 * SECTOR, true, i),
		                 i < 4 ? BASE_ACCESS_MISS : BASE_ACCESS_HIT);
	assert_int_equal(write_sector(&bench, 0, true, places), BASE_ACCESS_REFUSED);
	send(&bench, REQUEST_WRITE, 0);
	assert_int_equal(write_sector(&bench, 0, true, places + 1), BASE_ACCESS_HIT);
	arena_free(&bench.arena);
}

/* With dirty_percent 50 of four lines, in two sets of two, a dirty line is evicted only when two are dirty. Before that
 * the clean line of its set is evicted though it is younger. Without a clean line the access is refused. */
static void test_dirty_lines_stay(void **state)
{
	struct bench bench;
	struct cache_config config = through();
	(void)state;
	config.dirty_percent = 50;
	open_bench(&bench, config);
	write_sector(&bench, 0 * LINE, true, 0);
	send(&bench, REQUEST_WRITE, 0);
	load(&bench, 2 * LINE, 10);
	load(&bench, 4 * LINE, 20); /* evicts 2 */
	assert_int_equal(read(&bench, 0 * LINE, 30), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 2 * LINE, 31), BASE_ACCESS_MISS); /* evicts 4, and 2 is under way */
	assert_int_equal(read(&bench, 6 * LINE, 32), BASE_ACCESS_REFUSED);
	write_sector(&bench, 1 * LINE, true, 33);
	assert_int_equal(read(&bench, 6 * LINE, 34), BASE_ACCESS_MISS); /* evicts 0 */
	assert_int_equal(bench.cache.tags.dirty_lines, 1);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 2 * LINE), 40);
	send(&bench, REQUEST_WRITE, 1 * LINE);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 6 * LINE), 41);
	answer_all(&bench);
	cache_invalidate(&bench.cache);
	assert_int_equal(bench.cache.tags.dirty_lines, 0);
	arena_free(&bench.arena);
}

/* A cache that allocates on fills evicts a dirty line when the data arrive. The write-back goes down although the miss
 * queue is full: the fill has a separate entry. Accesses still find the queue full until it is below its size. */
static void test_fill_writes_back(void **state)
{
	struct bench bench;
	struct cache_config config = small();
	(void)state;
	config.allocation = ALLOCATE_ON_FILL;
	config.write = WRITE_BACK;
	config.write_miss = WRITE_MISS_FETCH;
	open_bench(&bench, config);
	for (uint64_t line = 0; line <= 2; line += 2) {
		load(&bench, line * LINE, line);
		assert_int_equal(access(&bench, REQUEST_WRITE, line * LINE, 10 + line), BASE_ACCESS_HIT);
	}
	assert_int_equal(read(&bench, 4 * LINE, 20), BASE_ACCESS_MISS);
	struct request *read_4 = send(&bench, REQUEST_READ, 4 * LINE);
	assert_int_equal(access(&bench, REQUEST_WRITE, 4 * LINE, 21), BASE_ACCESS_MERGED);
	assert_true(bench.sent_down);
	send(&bench, REQUEST_WRITE, 4 * LINE);
	while (bench.cache.miss_queue.count < config.miss_queue)
		request_queue_push(&bench.cache.miss_queue, make(&bench, REQUEST_WRITE, 99 * LINE));
	cache_fill(&bench.cache, read_4, 30);
	assert_int_equal(bench.cache.stats.writebacks, 1);
	assert_int_equal(bench.cache.miss_queue.count, config.miss_queue + 1);
	assert_true(holds(&bench, 4 * LINE));
	assert_false(holds(&bench, 0 * LINE)); /* the least recently used */
	assert_true(holds(&bench, 2 * LINE));
	answer_all(&bench);
	for (uint32_t taken = 1; taken <= 2; taken++) {
		assert_int_equal(read(&bench, 1 * LINE, 40), BASE_ACCESS_REFUSED);
		cache_take_miss(&bench.cache);
	}
	assert_int_equal(read(&bench, 1 * LINE, 41), BASE_ACCESS_MISS);
	for (uint32_t others = 1; others < config.miss_queue - 1; others++)
		cache_take_miss(&bench.cache);
	assert_int_equal(cache_take_miss(&bench.cache)->kind, REQUEST_L1_WRITEBACK);
	arena_free(&bench.arena);
}

/* Sets of one way instead of two: shared memory takes part of the common memory (sm.carve_outs). */
static void test_fewer_ways(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, small());
	load(&bench, 0 * LINE, 0);
	tags_set_ways(&bench.cache.tags, 1);
	assert_int_equal(read(&bench, 0 * LINE, 10), BASE_ACCESS_MISS);
	cache_fill(&bench.cache, send(&bench, REQUEST_READ, 0), 11);
	answer_all(&bench);
	load(&bench, 1 * LINE, 20);
	load(&bench, 2 * LINE, 30);
	assert_int_equal(read(&bench, 1 * LINE, 40), BASE_ACCESS_HIT);
	assert_int_equal(read(&bench, 0 * LINE, 41), BASE_ACCESS_MISS);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_hit),
		cmocka_unit_test(test_write_miss_without_fetch),
		cmocka_unit_test(test_writes_pass_full_sets),
		cmocka_unit_test(test_write_miss_with_fetch),
		cmocka_unit_test(test_fetching_write_wants_a_register),
		cmocka_unit_test(test_write_back_of_victim),
		cmocka_unit_test(test_atomic_dirties),
		cmocka_unit_test(test_sectors_come_alone),
		cmocka_unit_test(test_lazy_writes),
		cmocka_unit_test(test_writes_fill_a_sector),
		cmocka_unit_test(test_write_through_stays),
		cmocka_unit_test(test_write_through_wants_a_place),
		cmocka_unit_test(test_dirty_lines_stay),
		cmocka_unit_test(test_fill_writes_back),
		cmocka_unit_test(test_fewer_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
