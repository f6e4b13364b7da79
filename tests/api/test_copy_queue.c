/* Protects copies that take time in the queue of work (sluice_queue_copy()): random copies and calls start and end in
 * the cycles of a model that goes from cycle to cycle; records have these cycles; without a link they are calls. */
#include "host_kit.h"

#include "sluice_runtime.h"

#include "api/queue.h"

#include <math.h>

enum { MOST = 40, MHZ = 700 };

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % below;
}

struct item {
	struct test *test;
	bool is_copy, to_host;
	uint32_t bytes;
	int after[3]; /* earlier items, or -1 */
	uint64_t number;
	double seconds; /* simulated, when the call was made */
	bool called;
	/* the model's */
	uint64_t queued, start, end;
	bool started, ended;
};

struct test {
	sluice_gpu *gpu;
	uint32_t engines, bandwidth, latency;
	struct item item[MOST];
	int count;
	struct item *busy[2];
};

static void called(void *user, bool run)
{
	struct item *item = user;
	assert_true(run && !item->called);
	item->called = true;
	item->seconds = sluice_time(item->test->gpu);
}

/* --- the model --- */

static bool may_start(const struct test *test, const struct item *item, uint64_t cycle)
{
	for (int k = 0; k < 3; k++)
		if (item->after[k] >= 0 && !test->item[item->after[k]].ended)
			return false;
	return !item->started && item->queued <= cycle;
}

static uint64_t duration(const struct test *test, uint32_t bytes)
{
	double cycles = ceil((double)test->latency * MHZ / 1000) +
	                (test->bandwidth ? ceil((double)bytes * MHZ / test->bandwidth) : 0);
	return cycles < 1 ? 1 : (uint64_t)cycles;
}

static void take_cycle(struct test *test, uint64_t cycle)
{
	for (int e = 0; e < 2; e++)
		if (test->busy[e] && test->busy[e]->end == cycle) {
			test->busy[e]->ended = true;
			test->busy[e] = NULL;
		}
	for (int i = 0; i < test->count; i++) {
		struct item *item = &test->item[i];
		struct item **engine = &test->busy[test->engines == 2 ? item->to_host : 0];
		if (!may_start(test, item, cycle) || (item->is_copy && *engine))
			continue;
		item->started = true;
		item->start = cycle;
		item->end = item->is_copy ? cycle + duration(test, item->bytes) : cycle;
		item->ended = !item->is_copy;
		if (item->is_copy)
			*engine = item;
	}
}

static uint64_t run_model(struct test *test, uint64_t cycle)
{
	bool has_ended;
	do {
		has_ended = true;
		take_cycle(test, cycle++);
		for (int i = 0; i < test->count; i++)
			has_ended &= test->item[i].ended;
	} while (!has_ended);
	return cycle - 1;
}

/* --- the queue --- */

static void add(struct test *test, int i)
{
	struct item *item = &test->item[i];
	uint64_t after[3];
	*item = (struct item){.test = test, .is_copy = draw(3), .to_host = draw(2), .bytes = 1 + draw(2000)};
	for (int k = 0; k < 3; k++) {
		item->after[k] = i && draw(3) == 0 ? (int)draw((uint32_t)i) : -1;
		after[k] = item->after[k] < 0 ? 0 : test->item[item->after[k]].number;
	}
	const struct sluice_place place = {after, 3, (uint64_t)i, 0};
	item->queued = gpu_core_cycle(test->gpu->gpu);
	item->number = item->is_copy ? sluice_queue_copy(test->gpu, item->to_host, item->bytes, called, item, &place)
	                             : sluice_queue_call(test->gpu, called, item, &place);
}

/* Before cycle n, n - 1 is the last one whose time has come. */
static uint64_t cycle_of(double seconds)
{
	return (uint64_t)(seconds * MHZ * 1e6 + 1.5);
}

static void check_records(const struct test *test)
{
	const struct copies *copies = &test->gpu->records.copies;
	size_t want = 0;
	for (int i = 0; i < test->count; i++)
		want += test->item[i].is_copy;
	assert_int_equal(copies->count, want);
	for (size_t i = 0; i < copies->count; i++) {
		const struct copy_record *copy = &copies->list[i];
		const struct item *item = &test->item[copy->stream];
		assert_true(item->is_copy && item->to_host == copy->to_host);
		assert_int_equal(copy->bytes, item->bytes);
		assert_int_equal(copy->started, item->start);
		assert_int_equal(copy->cycles, item->end - item->start);
	}
}

static void run_random(uint64_t seed)
{
	struct sluice_error error;
	struct test test = {0};
	char bandwidth[40], latency[40], engines[40];
	random_state = seed * 2654435761;
	draw(2);
	test.engines = 1 + draw(2);
	test.bandwidth = draw(3) ? 500 + draw(20000) : 0;
	test.latency = draw(2) || !test.bandwidth ? 1 + draw(200) : 0;
	snprintf(bandwidth, sizeof bandwidth, "link.bandwidth=%u", test.bandwidth);
	snprintf(latency, sizeof latency, "link.latency=%u", test.latency);
	snprintf(engines, sizeof engines, "link.engines=%u", test.engines);
	const char *const options[] = {bandwidth, latency, engines, NULL};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .options = options};
	host_must(sluice_open(&test.gpu, &settings, &error), &error);
	assert_true(sluice_copies_take_time(test.gpu));
	for (int round = 0; round < 3; round++) {
		uint64_t begin = gpu_core_cycle(test.gpu->gpu);
		for (uint32_t more = 1 + draw(MOST / 3); more; more--)
			add(&test, test.count++);
		uint64_t end = run_model(&test, begin);
		host_must(sluice_queue_finish(test.gpu, &error), &error);
		assert_int_equal(gpu_core_cycle(test.gpu->gpu), end);
	}
	for (int i = 0; i < test.count; i++) {
		const struct item *item = &test.item[i];
		assert_true(item->called);
		if (item->end && cycle_of(item->seconds) != item->end)
			fail_msg("seed %d: item %d is called in cycle %d instead of %d", (int)seed, i,
			         (int)cycle_of(item->seconds), (int)item->end);
	}
	check_records(&test);
	sluice_close(test.gpu);
}

static void test_random_copies(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++)
		run_random(seed);
}

/* A machine without a link, and a functional run: copies take no time and have no records. */
static void test_without_time(void **state)
{
	(void)state;
	static const char *const none[] = {NULL}, *const link[] = {"link.latency=100", NULL};
	for (int functional = 0; functional < 2; functional++) {
		struct sluice_error error;
		struct test test = {.count = 1};
		struct item item = {.test = &test};
		struct sluice_settings settings = {SLUICE_SIZED(settings),
		                                   .machine = SOURCE_DIR "/machines/gtx480.yaml",
		                                   .options = functional ? link : none, .functional = functional};
		host_must(sluice_open(&test.gpu, &settings, &error), &error);
		assert_false(sluice_copies_take_time(test.gpu));
		sluice_queue_copy(test.gpu, false, 1000, called, &item, &(struct sluice_place){0});
		host_must(sluice_queue_finish(test.gpu, &error), &error);
		assert_true(item.called && sluice_time(test.gpu) == 0);
		assert_int_equal(test.gpu->records.copies.count, 0);
		sluice_close(test.gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_copies), cmocka_unit_test(test_without_time)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
