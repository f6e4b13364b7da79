/* Protects launch.max_instructions and the causes of stops. The kernels of a run share one limit, whichever setting it
 * comes from. Messages and records say what was cut, and where. */
#include "host_kit.h"
#include "sluice_runtime.h"

static const char ptx[] = ".version 3.1\n.target sm_20\n.address_size 64\n"
			  ".visible .entry adds() {\n.reg .u32 %r<4>;\n.reg .pred %p;\nmov.u32 %r1, 9;\n"
			  "AGAIN: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN; exit;\n}\n"
			  ".visible .entry spins() {\nAGAIN: bra AGAIN;\n}\n";

/* Thread instructions of one launch. No thread executes the branch that is not taken. */
enum { WARPS = 4, ALL = WARPS * 32 * (1 + 9 * 2 + 8 + 1) };

struct limited {
	sluice_gpu *gpu;
	sluice_kernel *kernel;
	struct sluice_error error;
};

static void load(struct limited *own, const char *kernel)
{
	sluice_module *module;
	host_must(sluice_load(own->gpu, ptx, sizeof ptx - 1, "test.ptx", &module, &own->error), &own->error);
	own->kernel = sluice_find_kernel(module, kernel);
	assert_non_null(own->kernel);
}

static enum sluice_status open_limited(struct limited *own, const char *key, uint64_t setting, bool functional)
{
	const char *options[] = {"sm.count=2", key, NULL};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .options = options, .functional = functional, .max_instructions = setting};
	enum sluice_status status = sluice_open(&own->gpu, &settings, &own->error);
	if (status == SLUICE_OK)
		load(own, "adds");
	return status;
}

static enum sluice_status launch(struct limited *own)
{
	return sluice_launch(own->gpu, own->kernel, (sluice_dim){WARPS / 2, 1, 1}, (sluice_dim){64, 1, 1}, 0, NULL,
	                     &own->error);
}

static void expect_message(const struct limited *own, const char *part)
{
	if (!strstr(own->error.message, part))
		fail_msg("'%s' is not in '%s'", part, own->error.message);
}

/* The second launch is cut in the middle; the third does not start. */
static void test_two_kernels(void **state)
{
	static const struct {
		const char *key;
		uint64_t setting;
		bool functional;
	} ways[] = {{"launch.max_instructions=5000", 0, false},
	            {NULL, 5000, false},
	            {"launch.max_instructions=100", 5000, false}, /* the setting precedes the key */
	            {"launch.max_instructions=5000", 0, true}};
	(void)state;
	assert_true(ALL < 5000 && 2 * ALL > 5000);
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct limited own;
		host_must(open_limited(&own, ways[w].key, ways[w].setting, ways[w].functional), &own.error);
		assert_int_equal(launch(&own), SLUICE_OK);
		assert_int_equal(launch(&own), SLUICE_STOPPED);
		const struct records *records = &own.gpu->records;
		const struct record *record = &records->record[1];
		char where[160];
		assert_int_equal(records->max_instructions, 5000);
		assert_int_equal(records->record[0].stats.sm.thread_instructions, ALL);
		assert_int_equal(record->end, GPU_STOPPED);
		uint64_t count = ALL + record->stats.sm.thread_instructions;
		assert_true(count >= 5000 && count < 5000 + 2 * 2 * 32);
		snprintf(where, sizeof where, "kernel adds (launch 2) stopped");
		expect_message(&own, where);
		if (!ways[w].functional) {
			snprintf(where, sizeof where,
			         " at cycle %llu: the run has executed %llu thread instructions; its limit is 5000",
			         (unsigned long long)record->cycles, (unsigned long long)count);
			expect_message(&own, where);
			assert_non_null(strstr(record->message, where));
		}
		assert_int_equal(launch(&own), SLUICE_STOPPED);
		expect_message(&own, "not started");
		assert_int_equal(records->count, 2);
		host_must(sluice_stats_end(own.gpu, "exit 124", &own.error), &own.error);
		assert_string_equal(records->ended, "stopped, exit 124");
		sluice_close(own.gpu);
	}
}

/* A limit of exactly one launch cuts at the last instruction's issue. One more lets the launch complete and cuts the
 * second at its first instructions. A launch that does not start counts as cut, too. */
static void test_edges(void **state)
{
	struct limited own;
	char key[64];
	(void)state;
	for (int more = 0; more < 2; more++) {
		snprintf(key, sizeof key, "launch.max_instructions=%d", ALL + more);
		assert_int_equal(open_limited(&own, key, 0, false), SLUICE_OK);
		assert_int_equal(launch(&own), more ? SLUICE_OK : SLUICE_STOPPED);
		assert_int_equal(own.gpu->records.record[0].stats.sm.thread_instructions, ALL);
		assert_int_equal(launch(&own), SLUICE_STOPPED);
		assert_int_equal(own.gpu->records.count, 1 + more);
		sluice_close(own.gpu);
	}
	assert_int_equal(open_limited(&own, "launch.max_instructions=0", 0, false), SLUICE_OK);
	assert_int_equal(own.gpu->records.max_instructions, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(launch(&own), SLUICE_OK);
	/* the state after a kernel that ends in the cycle of the limit */
	own.gpu->max_instructions = own.gpu->instructions;
	assert_int_equal(launch(&own), SLUICE_STOPPED);
	host_must(sluice_stats_end(own.gpu, "exit 124", &own.error), &own.error);
	assert_string_equal(own.gpu->records.ended, "stopped, exit 124");
	sluice_close(own.gpu);
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {"-1", "many", "1e20", "", "1.5"};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct limited own;
		char key[64];
		snprintf(key, sizeof key, "launch.max_instructions=%s", wrong[i]);
		assert_int_equal(open_limited(&own, key, 0, false), SLUICE_BAD_SETTING);
		expect_message(&own, "launch.max_instructions");
	}
}

static void stop_twice(void *user, uint64_t number, uint64_t cycle)
{
	(void)number, (void)cycle;
	const struct limited *own = user;
	sluice_stop_for(own->gpu, "first cause");
	sluice_stop_for(own->gpu, "second cause");
}

/* The message names the first of two causes. */
static void test_causes(void **state)
{
	(void)state;
	struct limited own;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .on_interval = stop_twice,
	                                         .interval_user = &own, .interval = 20};
	host_must(sluice_open(&own.gpu, &settings, &own.error), &own.error);
	load(&own, "spins");
	assert_int_equal(launch(&own), SLUICE_STOPPED);
	expect_message(&own, "kernel spins stopped before its end (first cause)");
	sluice_close(own.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_kernels),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_causes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
