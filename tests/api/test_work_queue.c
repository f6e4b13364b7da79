/* Protects the queue of work (sluice_queue_launch() and others): launches that follow each other give the figures of
 * launches without a queue; others run together, within hardware queues, priorities and the machine's limit; calls run
 * in their order; a wait ends as soon as it can; a failure drops the rest; the accounts of sessions add up. */
#include "host_kit.h"

#include "sluice_runtime.h"

#include <math.h>
#include <unistd.h>

enum { WORDS = 64, MOST_CALLS = 16 };

/* loop: counts to `count` and stores it at `place`; wrong: stores at address 16; wait: polls `place` until it is not
 * 0 */
#define HEAD(name)                                                                                                     \
	".visible .entry " name "(.param .u64 place, .param .u32 count)\n{\n"                                          \
	".reg .b64 %rd<2>;\n.reg .b32 %r<3>;\n.reg .pred %p;\n"                                                        \
	"ld.param.u64 %rd1, [place];\nld.param.u32 %r1, [count];\n"
static const char ptx[] = ".version 6.0\n.target sm_20\n.address_size 64\n" HEAD(
	"loop") "mov.u32 %r2, 0;\nagain: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, %r1;\n@%p bra again;\n"
		"st.global.u32 [%rd1], %r2;\nret;\n}\n" HEAD("wrong") "mov.u64 %rd1, 16;\nst.global.u32 [%rd1], "
								      "%r1;\nret;\n}\n" HEAD(
									      "wait") "again: ld.volatile.global.u32 "
										      "%r2, [%rd1];\n"
										      "setp.eq.u32 %p, %r2, 0;\n@%p "
										      "bra again;\nret;\n}\n";

static struct host open_host(const char *const *options, bool functional)
{
	struct sluice_error error;
	struct host host;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .options = options, .functional = functional};
	host_must(sluice_open(&host.gpu, &settings, &error), &error);
	host_must(sluice_load(host.gpu, ptx, strlen(ptx), "test.ptx", &host.module, &error), &error);
	host_must(sluice_alloc(host.gpu, WORDS * sizeof(uint32_t), &host.array, &error), &error);
	host_must(sluice_fill(host.gpu, host.array, 0, 4, WORDS, &error), &error);
	assert_null(sluice_queue_refused(host.gpu));
	return host;
}

static uint32_t word(const struct host *host, unsigned number)
{
	struct sluice_error error;
	uint32_t value;
	host_must(sluice_read(host->gpu, &value, host->array + 4 * number, sizeof value, &error), &error);
	return value;
}

/* Queues a launch of `blocks` blocks of 64 threads that has word `number` as its place. `after`: work, or 0. */
static uint64_t queue(const struct host *host, const char *name, uint32_t blocks, unsigned number, uint32_t count,
                      uint64_t stream, int priority, uint64_t after)
{
	struct sluice_error error;
	uint64_t place = host->array + 4 * number, work;
	void *arguments[] = {&place, &count};
	const struct sluice_grid grid = {{blocks, 1, 1}, {64, 1, 1}, 0, arguments};
	const struct sluice_place where = {&after, 1, stream, priority};
	host_must(sluice_queue_launch(host->gpu, sluice_find_kernel(host->module, name), &grid, &where, &work, &error),
	          &error);
	return work;
}

static void finish(const struct host *host)
{
	struct sluice_error error;
	host_must(sluice_queue_finish(host->gpu, &error), &error);
	assert_int_equal(sluice_queue_length(host->gpu), 0);
}

static const struct record *record(const struct host *host, size_t launch)
{
	assert_true(launch <= host->gpu->records.count);
	return &host->gpu->records.record[launch - 1];
}

/* The statistics without host times. */
static json_t *figures(const struct host *host)
{
	json_t *json = host_statistics(host->gpu), *kernel;
	size_t i;
	json_array_foreach(json_object_get(json, "kernels"), i, kernel) json_object_del(kernel, "host_seconds");
	json_object_del(json_object_get(json, "totals"), "host_seconds");
	return json;
}

/* A chain of launches runs as without a queue, also if calls are between. */
static void test_chain(void **state)
{
	(void)state;
	struct host queued = open_host(NULL, false), plain = open_host(NULL, false);
	uint64_t last = 0;
	for (uint32_t i = 0; i < 4; i++) {
		last = queue(&queued, "loop", 20 + i, i, 100 + i, 0, 0, last);
		uint64_t place = plain.array + 4 * i;
		uint32_t count = 100 + i;
		host_launch(&plain, "loop", (sluice_dim){20 + i, 1, 1}, (sluice_dim){64, 1, 1},
		            (void *[]){&place, &count});
	}
	finish(&queued);
	json_t *a = figures(&queued), *b = figures(&plain);
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
	sluice_close(queued.gpu);
	sluice_close(plain.gpu);
}

static double counter(const struct host *host, const char *name, uint64_t launch)
{
	struct sluice_error error;
	double value;
	host_must(sluice_counter_read(host->gpu, name, launch, SLUICE_ALL_UNITS, &value, &error), &error);
	return value;
}

/* Fifteen launches of one block take the time of one. Their session has the counters, and the totals add it to launches
 * that ran alone. */
static void test_together(void **state)
{
	(void)state;
	struct host host = open_host(NULL, false);
	queue(&host, "loop", 1, 0, 5000, 0, 0, 0);
	finish(&host);
	uint64_t one = record(&host, 1)->cycles;
	for (unsigned i = 0; i < 15; i++)
		queue(&host, "loop", 1, i, 5000 + i, i, 0, 0);
	finish(&host);
	const struct records *records = &host.gpu->records;
	assert_int_equal(records->sessions, 1);
	const struct record *session = &records->session[0];
	assert_in_range(session->cycles, one * 9 / 10, one * 12 / 10);
	uint64_t warps = 0;
	for (unsigned i = 0; i < 15; i++) {
		assert_int_equal(word(&host, i), 5000 + i);
		const struct record *launch = record(&host, 2 + i);
		assert_int_equal(launch->session, 1);
		assert_int_equal(launch->stream, i);
		assert_int_equal(launch->started, one);
		assert_int_equal(launch->stats.sm.blocks, 1);
		assert_true(isnan(counter(&host, "l1i.accesses", 2 + i)));
		assert_true(isnan(counter(&host, "l1d.hit_rate", 2 + i)));
		assert_true(counter(&host, "cycles", 2 + i) == (double)launch->cycles);
		warps += launch->stats.sm.warp_instructions;
	}
	assert_int_equal(warps, session->stats.sm.warp_instructions);
	assert_true(counter(&host, "cycles", 0) == (double)(one + session->cycles));
	assert_true(counter(&host, "l1i.accesses", 0) ==
	            (double)(record(&host, 1)->stats.l1i.accesses + session->stats.l1i.accesses));
	json_t *json = host_statistics(host.gpu), *totals = json_object_get(json, "totals");
	assert_int_equal(json_integer_value(json_object_get(totals, "cycles")), one + session->cycles);
	json_t *listed = json_array_get(json_object_get(json, "sessions"), 0);
	assert_int_equal(json_array_size(json_object_get(listed, "launches")), 15);
	assert_int_equal(json_integer_value(json_object_get(listed, "cycles")), session->cycles);
	json_decref(json);
	sluice_close(host.gpu);
}

/* Calls, in the order in which they run. */
struct log {
	struct host host;
	int calls, order[MOST_CALLS];
	double time[MOST_CALLS];
	bool run[MOST_CALLS];
};
struct entry {
	struct log *log;
	int number;
};

static void note(void *user, bool run)
{
	const struct entry *entry = user;
	struct log *log = entry->log;
	assert_true(log->calls < MOST_CALLS);
	log->time[log->calls] = sluice_time(log->host.gpu);
	log->run[log->calls] = run;
	log->order[log->calls++] = entry->number;
}

static uint64_t call(struct entry *entry, uint64_t after)
{
	const struct sluice_place place = {&after, 1, 0, 0};
	return sluice_queue_call(entry->log->host.gpu, note, entry, &place);
}

/* A call runs when what it follows has ended, in the middle of a session too, and before what follows it. */
static void test_calls(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		struct log log = {.host = open_host(NULL, functional)};
		struct entry entry[4];
		for (int i = 0; i < 4; i++)
			entry[i] = (struct entry){&log, i};
		uint64_t s = queue(&log.host, "loop", 1, 0, 500, 0, 0, 0);
		uint64_t l = queue(&log.host, "loop", 1, 1, 9000, 1, 0, 0);
		call(&entry[0], l);
		uint64_t c = call(&entry[1], s);
		queue(&log.host, "loop", 1, 2, 10, 0, 0, c);
		call(&entry[2], 0);
		finish(&log.host);
		assert_int_equal(log.calls, 3);
		assert_int_equal(log.order[0], 2);
		assert_int_equal(log.order[1], 1);
		assert_int_equal(log.order[2], 0);
		assert_true(log.time[0] == 0 && log.time[1] > 0 && log.time[2] > log.time[1]);
		if (!functional) /* it starts when the call has run, while the long launch is still running */
			assert_in_range(record(&log.host, 3)->started, record(&log.host, 1)->cycles,
			                record(&log.host, 2)->cycles);
		sluice_close(log.host.gpu);
	}
}

/* Launches of one hardware queue start in order: an independent one waits for an earlier one that may not start. */
static void test_hardware_queues(void **state)
{
	(void)state;
	for (int queues = 1; queues <= 2; queues++) {
		const char *const options[] = {queues == 1 ? "launch.queues=1" : "launch.queues=2", NULL};
		struct host host = open_host(options, false);
		uint64_t a = queue(&host, "loop", 1, 0, 3000, 0, 0, 0);
		queue(&host, "loop", 1, 1, 3001, 0, 0, a);
		queue(&host, "loop", 1, 2, 3002, 1, 0, 0);
		finish(&host);
		const struct record *third = record(&host, queues == 1 ? 3 : 2), *first = record(&host, 1);
		assert_int_equal(third->stream, 1);
		if (queues == 1)
			assert_true(third->started >= first->started + first->cycles);
		else
			assert_int_equal(third->started, first->started);
		sluice_close(host.gpu);
	}
}

/* Among launches that may start, a greater priority goes first, then the earlier one. */
static void test_priorities(void **state)
{
	(void)state;
	static const int priority[] = {0, 1, 0, 2, 1}, order[] = {3, 1, 4, 0, 2};
	const char *const options[] = {"launch.concurrent=1", "launch.queues=32", NULL};
	for (int functional = 0; functional < 2; functional++) {
		struct host host = open_host(options, functional);
		for (unsigned i = 0; i < 5; i++)
			queue(&host, "loop", 1, i, 100, i, priority[i], 0);
		finish(&host);
		for (unsigned i = 0; i < 5; i++)
			assert_int_equal(record(&host, 1 + i)->stream, order[i]);
		for (unsigned i = 1; i < 5 && !functional; i++)
			assert_true(record(&host, 1 + i)->started >=
			            record(&host, i)->started + record(&host, i)->cycles);
		sluice_close(host.gpu);
	}
}

/* A wait for a short launch leaves the long one in progress; a later launch joins it. All figures are those of a run
 * without the wait, if the later launch is queued in both. */
static void test_wait(void **state)
{
	(void)state;
	struct sluice_error error;
	struct host host = open_host(NULL, false);
	uint64_t l = queue(&host, "loop", 1, 0, 9000, 0, 0, 0);
	uint64_t s = queue(&host, "loop", 1, 1, 500, 1, 0, 0);
	host_must(sluice_queue_wait(host.gpu, s, &error), &error);
	assert_true(sluice_queue_has_ended(host.gpu, s));
	assert_false(sluice_queue_has_ended(host.gpu, l));
	assert_int_equal(word(&host, 1), 500);
	assert_int_equal(word(&host, 0), 0);
	queue(&host, "loop", 1, 2, 600, 1, 0, s);
	finish(&host);
	assert_int_equal(word(&host, 0), 9000);
	assert_int_equal(host.gpu->records.sessions, 1);
	assert_int_equal(record(&host, 3)->started, record(&host, 2)->cycles);
	assert_in_range(record(&host, 3)->started + record(&host, 3)->cycles, 0, record(&host, 1)->cycles);
	sluice_close(host.gpu);
}

/* A wait for another launch leaves one that polls in progress, and a launch that is queued later releases it. */
static void test_release_after_wait(void **state)
{
	(void)state;
	struct sluice_error error;
	for (int functional = 0; functional < 2; functional++) {
		struct host host = open_host(NULL, functional);
		uint64_t poller = queue(&host, "wait", 1, 0, 0, 0, 0, 0);
		uint64_t other = queue(&host, "loop", 1, 1, 500, 1, 0, 0);
		host_must(sluice_queue_wait(host.gpu, other, &error), &error);
		assert_false(sluice_queue_has_ended(host.gpu, poller));
		queue(&host, "loop", 1, 0, 10, 1, 0, 0);
		finish(&host);
		assert_int_equal(record(&host, 1)->end, GPU_DONE);
		sluice_close(host.gpu);
	}
}

/* A gpu can be closed while a session is suspended, and calls then learn that they do not run. */
static void test_close(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		struct sluice_error error;
		struct log log = {.host = open_host(NULL, functional)};
		struct entry entry = {&log, 1};
		uint64_t l = queue(&log.host, "loop", 1, 0, 90000, 0, 0, 0);
		uint64_t s = queue(&log.host, "loop", 1, 1, 500, 1, 0, 0);
		call(&entry, l);
		host_must(sluice_queue_wait(log.host.gpu, s, &error), &error);
		sluice_close(log.host.gpu);
		assert_int_equal(log.calls, 1);
		assert_false(log.run[0]);
	}
}

/* A fault names its kernel, stops the others, and drops the rest of the work. Then the gpu runs launches again. */
static void test_fault(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		struct sluice_error error;
		struct log log = {.host = open_host(NULL, functional)};
		struct entry entry = {&log, 1};
		uint64_t l = queue(&log.host, "loop", 1, 0, 100000, 0, 0, 0);
		queue(&log.host, "wrong", 1, 1, 1, 1, 0, 0);
		call(&entry, l);
		queue(&log.host, "loop", 1, 2, 10, 0, 0, l);
		assert_int_equal(sluice_queue_finish(log.host.gpu, &error), SLUICE_FAULT);
		assert_non_null(strstr(error.message, "wrong"));
		assert_int_equal(sluice_queue_length(log.host.gpu), 0);
		assert_int_equal(log.calls, 1);
		assert_false(log.run[0]);
		assert_int_equal(log.host.gpu->records.count, 2);
		assert_int_equal(record(&log.host, 1)->end, GPU_STOPPED);
		assert_string_equal(record(&log.host, 1)->stopped_by, "end of a kernel that ran with it");
		assert_int_equal(record(&log.host, 2)->end, GPU_FAULT);
		assert_non_null(record(&log.host, 2)->message);
		assert_true(record(&log.host, 1)->stats.sm.warp_instructions > 0);
		assert_int_equal(word(&log.host, 2), 0);
		queue(&log.host, "loop", 1, 3, 77, 0, 0, 0);
		finish(&log.host);
		assert_int_equal(word(&log.host, 3), 77);
		sluice_close(log.host.gpu);
	}
}

/* A launch that waits for the store of a later one ends. */
static void test_one_waits_for_another(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		struct host host = open_host(NULL, functional);
		queue(&host, "wait", 1, 0, 0, 0, 0, 0);
		queue(&host, "loop", 1, 0, 500, 1, 0, 0);
		finish(&host);
		assert_int_equal(record(&host, 2)->end, GPU_DONE);
		sluice_close(host.gpu);
	}
}

/* Polling without an end is found, and the message names a kernel. */
static void test_livelock(void **state)
{
	(void)state;
	const char *const options[] = {"launch.livelock=20000", NULL};
	struct sluice_error error;
	struct host host = open_host(options, false);
	queue(&host, "wait", 1, 0, 0, 0, 0, 0);
	queue(&host, "wait", 1, 1, 0, 1, 0, 0);
	assert_int_equal(sluice_queue_finish(host.gpu, &error), SLUICE_STALLED);
	assert_non_null(strstr(error.message, "kernel wait stalled"));
	assert_int_equal(record(&host, 1)->end, GPU_STALLED);
	assert_int_equal(record(&host, 2)->end, GPU_STALLED);
	assert_int_equal(host.gpu->records.session[0].end, GPU_STALLED);
	sluice_close(host.gpu);
}

static void ignore_visit(void *user, uint64_t launch, uint64_t cycle)
{
	(void)user, (void)launch, (void)cycle;
}

/* Each setting that sees launches one at a time has its reason to run them in turn. */
static void test_refused(void **state)
{
	(void)state;
	char file[] = "/tmp/test_work_queue.XXXXXX";
	close(mkstemp(file));
	static const char *const two_level[] = {"two_level", NULL}, *const caps[] = {"cap", NULL},
				 *const observer[] = {"load_counts", NULL}, *const sharing[] = {"sharing", NULL};
#define SETTINGS(...)                                                                                                  \
	{                                                                                                              \
		SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml", __VA_ARGS__                     \
	}
	const struct {
		struct sluice_settings settings;
		const char *says; /* NULL: launches are queued */
	} row[] = {{SETTINGS(.threads = 1), NULL},
	           {SETTINGS(.units = true), NULL},
	           {SETTINGS(.mechanisms = two_level), NULL},
	           {SETTINGS(.mechanisms = caps), NULL},
	           {SETTINGS(.mechanisms = observer), NULL},
	           {SETTINGS(.mechanisms = sharing), "mechanism sharing sees one kernel at a time"},
	           {SETTINGS(.check = "race"), "checks"},
	           {SETTINGS(.check = "footprint"), "checks"},
	           {SETTINGS(.sample_file = file, .sample_every = 100), "samples"},
	           {SETTINGS(.timeline_file = file), "timelines"},
	           {SETTINGS(.profile_file = file), "profiles"},
	           {SETTINGS(.on_interval = ignore_visit, .interval = 100), "on_interval"},
	           {SETTINGS(.sample_launches = 1), "sampling"},
	           {SETTINGS(.kernels = "1"), "selected"},
	           {SETTINGS(.max_instructions = 1000), "limit"}};
#undef SETTINGS
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sluice_error error;
		sluice_gpu *gpu;
		host_must(sluice_open(&gpu, &row[i].settings, &error), &error);
		const char *reason = sluice_queue_refused(gpu);
		if (!row[i].says)
			assert_null(reason);
		else if (!reason || !strstr(reason, row[i].says))
			fail_msg("row %zu: %s", i, reason ? reason : "no reason");
		sluice_close(gpu);
	}
	unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_hardware_queues),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_release_after_wait),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_one_waits_for_another),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
