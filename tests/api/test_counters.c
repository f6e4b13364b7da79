/* Protects the counters that a program reads by call (include/sluice.h). They equal those of the JSON statistics.
 * Units add up to the whole, launches to the run. A callback sees them grow while a kernel runs. */
#include "host_kit.h"

#include <jansson.h>
#include <math.h>

enum { BLOCKS = 40, THREADS = 128, BYTES = 4 << 20 };

/* Each thread reads eight words, 64 KiB apart, and writes one. */
static const char ptx[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
			  ".visible .entry stream(.param .u64 data)\n{\n"
			  ".reg .b64 %rd<4>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"
			  "ld.param.u64 %rd1, [data];\n"
			  "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
			  "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
			  "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"
			  "again:\nld.global.u32 %r7, [%rd3];\nadd.u32 %r6, %r6, %r7;\nadd.u64 %rd3, %rd3, 65536;\n"
			  "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 8;\n@%p1 bra again;\n"
			  "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";

static struct host open_host(void)
{
	return host_open("mthwp", NULL, ptx, BYTES);
}

static void launch(const struct host *host)
{
	uint64_t array = host->array;
	void *arguments[] = {&array};
	host_launch(host, "stream", (sluice_dim){BLOCKS, 1, 1}, (sluice_dim){THREADS, 1, 1}, arguments);
}

static double value_of(sluice_gpu *gpu, size_t number, uint64_t launch, int64_t unit)
{
	struct sluice_error error;
	double value;
	host_must(sluice_counter_value(gpu, number, launch, unit, &value, &error), &error);
	return value;
}

static double named(sluice_gpu *gpu, const char *name, uint64_t launch, int64_t unit)
{
	struct sluice_error error;
	double value;
	host_must(sluice_counter_read(gpu, name, launch, unit, &value, &error), &error);
	return value;
}

static struct sluice_counter describe(sluice_gpu *gpu, size_t number)
{
	struct sluice_error error;
	struct sluice_counter counter = {SLUICE_SIZED(counter)};
	host_must(sluice_counter_describe(gpu, number, &counter, &error), &error);
	return counter;
}

/* Each counter of the JSON has the same name and value by call, for each launch and for the run. */
static void calls_give_what_the_json_has(void **state)
{
	(void)state;
	struct host host = open_host();
	launch(&host);
	launch(&host);
	json_t *json = host_statistics(host.gpu), *kernels = json_object_get(json, "kernels");
	assert_int_equal(sluice_launch_count(host.gpu), 2);
	size_t compared = 0;
	for (uint64_t number = 0; number <= 2; number++) {
		json_t *record = number ? json_array_get(kernels, number - 1) : json_object_get(json, "totals"),
		       *figure;
		const char *name;
		json_object_foreach(json_object_get(record, "counters"), name, figure)
		{
			assert_true(named(host.gpu, name, number, SLUICE_ALL_UNITS) ==
			            (double)json_integer_value(figure));
			compared++;
		}
		double cycles = (double)json_integer_value(json_object_get(record, "cycles"));
		assert_true(named(host.gpu, "cycles", number, SLUICE_ALL_UNITS) == cycles);
		assert_true(named(host.gpu, "ipc", number, SLUICE_ALL_UNITS) ==
		            named(host.gpu, "sm.thread_instructions", number, SLUICE_ALL_UNITS) / cycles);
	}
	assert_true(compared > 300);
	assert_true(named(host.gpu, "mthwp.asked", 1, SLUICE_ALL_UNITS) > 0);
	json_decref(json);
	sluice_close(host.gpu);
}

/* A counter's number, name and declaration belong together; no name occurs twice. */
static void names_and_numbers_agree(void **state)
{
	(void)state;
	struct host host = open_host();
	size_t count = sluice_counter_count(host.gpu), number;
	for (size_t i = 0; i < count; i++) {
		const struct sluice_counter counter = describe(host.gpu, i);
		assert_true(sluice_counter_find(host.gpu, counter.name, &number));
		assert_int_equal(number, i);
		assert_true(*counter.meaning != '\0');
		assert_ptr_equal(describe(host.gpu, i).name, counter.name);
	}
	assert_false(sluice_counter_find(host.gpu, "l1d", &number));
	assert_false(sluice_counter_find(host.gpu, "l1d.", &number));
	assert_false(sluice_counter_find(host.gpu, "l1d.hits ", &number));
	assert_false(sluice_counter_find(host.gpu, "", &number));
	sluice_close(host.gpu);
}

static double over_units(sluice_gpu *gpu, size_t number, const struct sluice_counter *counter, uint64_t launch)
{
	double sum = 0;
	for (uint32_t unit = 0; unit < counter->units; unit++) {
		double value = value_of(gpu, number, launch, unit);
		sum = counter->is_largest ? fmax(sum, value) : sum + value;
	}
	return sum;
}

/* SMs, slices, channels, networks: of the last launch and of the run. A mechanism's requests are counted in slices
 * too. */
static void units_add_up(void **state)
{
	(void)state;
	struct host host = open_host();
	size_t units = 0;
	launch(&host);
	launch(&host);
	for (size_t i = 0; i < sluice_counter_count(host.gpu); i++) {
		const struct sluice_counter counter = describe(host.gpu, i);
		if (!counter.units)
			continue;
		for (uint64_t number = 0; number <= 2; number += 2)
			assert_true(over_units(host.gpu, i, &counter, number) ==
			            value_of(host.gpu, i, number, SLUICE_ALL_UNITS));
		units += counter.units;
	}
	assert_true(units > 1000);
	size_t number;
	assert_true(sluice_counter_find(host.gpu, "sm.warp_instructions", &number));
	assert_int_equal(describe(host.gpu, number).units, 15);
	assert_true(value_of(host.gpu, number, 2, 14) > 0);
	assert_true(sluice_counter_find(host.gpu, "dram.reads", &number));
	assert_int_equal(describe(host.gpu, number).scope, SLUICE_SCOPE_CHANNEL);
	assert_int_equal(describe(host.gpu, number).units, 6);
	/* a cache has the scope of the unit that it belongs to */
	assert_true(sluice_counter_find(host.gpu, "l1d.misses", &number));
	assert_int_equal(describe(host.gpu, number).scope, SLUICE_SCOPE_SM);
	assert_true(sluice_counter_find(host.gpu, "l2.misses", &number));
	assert_int_equal(describe(host.gpu, number).scope, SLUICE_SCOPE_SLICE);
	sluice_close(host.gpu);
}

/* --- while a kernel runs --- */

struct watcher {
	sluice_gpu *gpu;
	unsigned calls;
	uint64_t last_cycle;
	double last[2], first_run; /* of SM 0, of all; the run's at the first call of the second launch */
};

static void look(void *user, uint64_t launch, uint64_t cycle)
{
	struct watcher *watcher = user;
	sluice_gpu *gpu = watcher->gpu;
	double one = named(gpu, "sm.warp_instructions", launch, 0);
	double all = named(gpu, "sm.warp_instructions", launch, SLUICE_ALL_UNITS);
	assert_int_equal(launch, sluice_launch_count(gpu));
	assert_int_equal(cycle, watcher->last_cycle + 500);
	assert_true(named(gpu, "cycles", launch, SLUICE_ALL_UNITS) == (double)cycle);
	assert_true(one >= watcher->last[0] && all >= watcher->last[1] && one < all);
	assert_true(named(gpu, "mthwp.asked", launch, SLUICE_ALL_UNITS) >= named(gpu, "mthwp.asked", launch, 0));
	if (launch == 2) {
		double before = named(gpu, "sm.warp_instructions", 1, SLUICE_ALL_UNITS);
		assert_true(named(gpu, "sm.warp_instructions", 0, SLUICE_ALL_UNITS) == before + all);
		assert_true(named(gpu, "sm.warp_instructions", 0, 0) > one);
	}
	watcher->last[0] = one;
	watcher->last[1] = all;
	watcher->last_cycle = cycle;
	watcher->calls++;
}

static void refuse_in_progress(void *user, const char *kernel, uint64_t done, uint64_t blocks, uint64_t cycles,
                               uint64_t instructions)
{
	(void)kernel, (void)done, (void)blocks, (void)cycles, (void)instructions;
	struct watcher *watcher = user;
	struct sluice_error error;
	double value;
	assert_int_equal(sluice_counter_value(watcher->gpu, 0, 1, SLUICE_ALL_UNITS, &value, &error),
	                 SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, "on_interval"));
}

static void look_with(uint32_t threads, double seen[2])
{
	const char *mechanisms[] = {"mthwp", NULL};
	struct watcher watcher = {0};
	struct sluice_error error;
	struct host host;
	const struct sluice_settings settings = {SLUICE_SIZED(settings),    .mechanisms = mechanisms,
	                                         .threads = threads,        .progress = refuse_in_progress,
	                                         .progress_user = &watcher, .on_interval = look,
	                                         .interval_user = &watcher, .interval = 500};
	host_must(sluice_open(&host.gpu, &settings, &error), &error);
	watcher.gpu = host.gpu;
	host_must(sluice_load(host.gpu, ptx, strlen(ptx), "test.ptx", &host.module, &error), &error);
	host_must(sluice_alloc(host.gpu, BYTES, &host.array, &error), &error);
	for (unsigned i = 0; i < 2; i++) {
		watcher.last_cycle = 0;
		watcher.last[0] = watcher.last[1] = 0;
		launch(&host);
	}
	assert_true(watcher.calls > 4);
	assert_true(named(host.gpu, "sm.warp_instructions", 2, SLUICE_ALL_UNITS) >= watcher.last[1]);
	memcpy(seen, watcher.last, sizeof watcher.last);
	sluice_close(host.gpu);
}

/* The values that a callback sees depend on no host thread. */
static void a_callback_sees_them_grow(void **state)
{
	(void)state;
	double one[2], two[2];
	look_with(1, one);
	look_with(2, two);
	assert_memory_equal(one, two, sizeof one);
}

/* --- where there is no value --- */

static void functional_launches_know_instructions_only(void **state)
{
	(void)state;
	const char *options[] = {"sm.count=11", NULL};
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .options = options, .functional = true};
	struct sluice_error error;
	struct host host;
	host_must(sluice_open(&host.gpu, &settings, &error), &error);
	host_must(sluice_load(host.gpu, ptx, strlen(ptx), "test.ptx", &host.module, &error), &error);
	host_must(sluice_alloc(host.gpu, BYTES, &host.array, &error), &error);
	launch(&host);
	for (uint64_t number = 0; number < 2; number++) {
		assert_true(named(host.gpu, "sm.warp_instructions", number, SLUICE_ALL_UNITS) > 0);
		assert_true(named(host.gpu, "host_rate", number, SLUICE_ALL_UNITS) > 0);
		assert_true(isnan(named(host.gpu, "l1d.hits", number, SLUICE_ALL_UNITS)));
		assert_true(isnan(named(host.gpu, "cycles", number, SLUICE_ALL_UNITS)));
	}
	/* The time is estimated: each of 22 schedulers issues one warp instruction per cycle, at 700 MHz. */
	double cycles = ceil(named(host.gpu, "sm.warp_instructions", 1, SLUICE_ALL_UNITS) / 22);
	assert_true(fabs(sluice_time(host.gpu) * 700e6 - cycles) < 1e-3);
	sluice_close(host.gpu);
}

static void refused(sluice_gpu *gpu, size_t number, uint64_t launch, int64_t unit, const char *text)
{
	struct sluice_error error;
	double value;
	assert_int_equal(sluice_counter_value(gpu, number, launch, unit, &value, &error), SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, text));
}

static void wrong_questions_are_refused(void **state)
{
	(void)state;
	struct host host = open_host();
	struct sluice_error error;
	struct sluice_counter counter = {.size = 0};
	size_t count = sluice_counter_count(host.gpu), cycles;
	double value;
	assert_true(sluice_counter_find(host.gpu, "cycles", &cycles));
	assert_true(value_of(host.gpu, 0, 0, SLUICE_ALL_UNITS) == 0); /* before any launch */
	assert_true(value_of(host.gpu, 0, 0, 0) == 0);
	assert_true(value_of(host.gpu, cycles, 0, SLUICE_ALL_UNITS) == 0);
	refused(host.gpu, 0, 1, SLUICE_ALL_UNITS, "no launch 1");
	launch(&host);
	launch(&host);
	refused(host.gpu, count, 1, SLUICE_ALL_UNITS, "no counter");
	refused(host.gpu, 0, 3, SLUICE_ALL_UNITS, "no launch 3");
	refused(host.gpu, 0, 1, 0, "last launch");
	refused(host.gpu, 0, 2, 15, "no unit 15");
	refused(host.gpu, 0, 2, -2, "no unit -2");
	refused(host.gpu, cycles, 2, 0, "no unit 0");
	assert_int_equal(sluice_counter_read(host.gpu, "l1d.hit", 2, SLUICE_ALL_UNITS, &value, &error),
	                 SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, "l1d.hit"));
	assert_int_equal(sluice_counter_describe(host.gpu, 0, &counter, &error), SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, "SLUICE_SIZED(counter)"));
	sluice_close(host.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_give_what_the_json_has),
		cmocka_unit_test(names_and_numbers_agree),
		cmocka_unit_test(units_add_up),
		cmocka_unit_test(a_callback_sees_them_grow),
		cmocka_unit_test(functional_launches_know_instructions_only),
		cmocka_unit_test(wrong_questions_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
