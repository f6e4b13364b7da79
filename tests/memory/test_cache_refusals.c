/* Protects the shortcut for refused accesses in caches of every policy. While cache_still_refuses() is true, a look-up
 * would refuse the access, whatever else happens meanwhile. Accesses look up again when the resource that they lack is
 * free, and no sooner where it is queue space. */
#include "cache_bench.h"

enum { WAITING = 3, IN_FLIGHT = 64, STEPS = 20000 };

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Refused accesses, as at the ends of L1's pipes, and the misses that were sent down. */
struct traffic {
	struct bench bench;
	uint64_t seed, cycle;
	struct request *waiting[WAITING];
	uint64_t refused_at[WAITING];
	struct request *down[IN_FLIGHT];
	uint32_t downs;
	struct request *holder; /* holds an MSHR for data that belong to no line */
	uint32_t spared, tried; /* retries that cache_still_refuses() avoided; others */
};

static const struct base_prefetch asked_for = {.sender = 1};

static void hear_outcome(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	(void)user, (void)outcome, (void)prefetch;
}

static void hear_came_late(void *user, const struct base_prefetch *prefetch)
{
	(void)user, (void)prefetch;
}

static struct request *random_access(struct traffic *t)
{
	static const enum request_kind kinds[] = {REQUEST_READ,       REQUEST_READ,        REQUEST_WRITE,
	                                          REQUEST_LOCAL_READ, REQUEST_LOCAL_WRITE, REQUEST_READ};
	uint32_t bytes = t->bench.cache.sector_bytes;
	uint32_t kind = random_below(&t->seed, 6);
	struct request *request =
		make(&t->bench, kinds[kind], random_below(&t->seed, 8 * LINE / bytes) * (uint64_t)bytes);
	request->prefetch = kind == 5 ? &asked_for : NULL;
	request->bytes = bytes;
	request->chunks = request->full_chunks = (uint8_t)((1u << bytes / REQUEST_CHUNK_BYTES) - 1);
	request->written = random_below(&t->seed, 2) ? UINT32_MAX : 0xff;
	return request;
}

/* One of the waiting accesses retries. Where the cache lets it skip the look-up, the look-up would have refused it. */
static void try_again(struct traffic *t, uint32_t i)
{
	struct cache *cache = &t->bench.cache;
	if (!t->waiting[i])
		t->waiting[i] = random_access(t);
	bool spared = t->refused_at[i] && cache_still_refuses(cache, t->refused_at[i]);
	enum base_access_result result = t->waiting[i]->prefetch
	                                         ? cache_prefetch_in_turn(cache, t->waiting[i], t->cycle)
	                                         : cache_access(cache, t->waiting[i], t->cycle, &t->bench.sent_down);
	if (spared)
		assert_int_equal(result, BASE_ACCESS_REFUSED);
	t->spared += spared;
	t->tried += !spared && t->refused_at[i];
	t->refused_at[i] = result == BASE_ACCESS_REFUSED ? cache->changes : 0;
	if (result != BASE_ACCESS_REFUSED)
		t->waiting[i] = NULL;
}

static void one_comes_back(struct traffic *t)
{
	if (!t->downs)
		return;
	uint32_t i = random_below(&t->seed, t->downs);
	struct request *request = t->down[i];
	t->down[i] = t->down[--t->downs];
	cache_fill(&t->bench.cache, request, t->cycle);
}

/* An MSHR is taken for another purpose, or freed again. */
static void hold_register(struct traffic *t)
{
	if (t->holder->op) {
		cache_release_mshr(&t->bench.cache, t->holder);
		t->holder->op = NULL;
	} else if (t->bench.cache.mshrs.free) {
		cache_hold_mshr(&t->bench.cache, t->holder);
		t->holder->op = t;
	}
}

static void one_leaves(struct traffic *t)
{
	if (!t->bench.cache.miss_queue.count || t->downs == IN_FLIGHT)
		return;
	struct request *request = cache_take_miss(&t->bench.cache);
	if (cache_waits_for(request))
		t->down[t->downs++] = request;
}

static void run(struct traffic *t, const struct cache_config *config, uint64_t seed)
{
	*t = (struct traffic){.seed = seed};
	open_bench(&t->bench, *config);
	const struct base_prefetch_listener listener = {NULL, &t->cycle, hear_outcome, hear_came_late};
	cache_watch_open(&t->bench.cache, &listener, &t->bench.arena);
	t->holder = make(&t->bench, REQUEST_READ, 0);
	for (t->cycle = 1; t->cycle <= STEPS; t->cycle++) {
		uint32_t what = random_below(&t->seed, 9);
		if (what < 5)
			try_again(t, what % WAITING);
		else if (what == 5)
			one_leaves(t);
		else if (what == 6)
			one_comes_back(t);
		else if (what == 7)
			hold_register(t);
		else if (cache_has_ready(&t->bench.cache))
			cache_next_ready(&t->bench.cache);
	}
	assert_true(t->spared && t->tried);
	arena_free(&t->bench.arena);
}

static void test_spared_are_refused(void **state)
{
	static const struct {
		uint32_t allocation, write, write_miss, sectors;
	} row[] = {{ALLOCATE_ON_MISS, WRITE_EVICT, WRITE_MISS_NONE, 1},
	           {ALLOCATE_ON_MISS, WRITE_BACK, WRITE_MISS_FETCH, 1},
	           {ALLOCATE_ON_MISS, WRITE_BACK, WRITE_MISS_LAZY, 4},
	           {ALLOCATE_ON_MISS, WRITE_THROUGH, WRITE_MISS_LAZY, 4},
	           {ALLOCATE_ON_FILL, WRITE_EVICT, WRITE_MISS_NONE, 4},
	           {ALLOCATE_ON_FILL, WRITE_BACK, WRITE_MISS_FETCH, 1},
	           {ALLOCATE_ON_FILL, WRITE_THROUGH, WRITE_MISS_LAZY, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct traffic traffic;
		struct cache_config config = small();
		config.allocation = row[i].allocation;
		config.write = row[i].write;
		config.write_miss = row[i].write_miss;
		config.sectors = row[i].sectors;
		for (uint64_t seed = 1; seed <= 4; seed++) {
			config.mshrs = 2 + (uint32_t)seed;
			config.writes_pass = seed & 1;
			run(&traffic, &config, seed);
		}
	}
}

/* A miss of a write-back cache needs two queue entries, a write that is sent down one, one that fetches three. A
 * refused access looks up again when that number is free, however few others need. */
static void test_room_for_as_many(void **state)
{
	static const struct {
		enum request_kind kind;
		uint32_t write, write_miss, places;
	} row[] = {{REQUEST_READ, WRITE_EVICT, WRITE_MISS_NONE, 2},
	           {REQUEST_WRITE, WRITE_EVICT, WRITE_MISS_NONE, 1},
	           {REQUEST_WRITE, WRITE_BACK, WRITE_MISS_FETCH, 3},
	           {REQUEST_WRITE, WRITE_THROUGH, WRITE_MISS_LAZY, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct cache_config config = small();
		config.write = row[i].write;
		config.write_miss = row[i].write_miss;
		open_bench(&bench, config);
		while (bench.cache.miss_queue.count < config.miss_queue)
			request_queue_push(&bench.cache.miss_queue, make(&bench, REQUEST_WRITE, 99 * LINE));
		assert_int_equal(access(&bench, row[i].kind, 0, 1), BASE_ACCESS_REFUSED);
		uint64_t refused_at = bench.cache.changes;
		for (uint32_t places = 1; places <= row[i].places; places++) {
			cache_take_miss(&bench.cache);
			assert_int_equal(cache_still_refuses(&bench.cache, refused_at), places < row[i].places);
		}
		assert_int_not_equal(access(&bench, row[i].kind, 0, 2), BASE_ACCESS_REFUSED);
		arena_free(&bench.arena);
	}
}

/* A write that stays in its line needs no entry: for example one of local memory, whatever the policy for other
 * writes. */
static void test_hits_that_stay_want_none(void **state)
{
	(void)state;
	struct bench bench;
	open_bench(&bench, small());
	load(&bench, 0, 0);
	while (bench.cache.miss_queue.count < bench.cache.miss_queue.capacity)
		request_queue_push(&bench.cache.miss_queue, make(&bench, REQUEST_WRITE, 99 * LINE));
	assert_int_equal(access(&bench, REQUEST_WRITE, 0, 1), BASE_ACCESS_REFUSED);
	assert_int_equal(access(&bench, REQUEST_LOCAL_WRITE, 0, 2), BASE_ACCESS_HIT);
	assert_int_equal(access(&bench, REQUEST_READ, 0, 3), BASE_ACCESS_HIT);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spared_are_refused),
		cmocka_unit_test(test_room_for_as_many),
		cmocka_unit_test(test_hits_that_stay_want_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
