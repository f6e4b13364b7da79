/* Protects the counters by unit of every launch (settings.units). The lists of the JSON statistics combine to the
 * counters, for each launch and for the totals, and calls give the same values. Without the setting, or for a launch
 * that ran functionally, there are none, and nothing else differs. */
#include "host_kit.h"

#include <jansson.h>
#include <math.h>

enum { BLOCKS = 40, THREADS = 128, BYTES = 4 << 20, LAUNCHES = 3 };

/* Each thread reads four words, 64 KiB apart, and writes one. */
static const char ptx[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
			  ".visible .entry stream(.param .u64 data)\n{\n"
			  ".reg .b64 %rd<4>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"
			  "ld.param.u64 %rd1, [data];\n"
			  "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
			  "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
			  "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"
			  "again:\nld.global.u32 %r7, [%rd3];\nadd.u32 %r6, %r6, %r7;\nadd.u64 %rd3, %rd3, 65536;\n"
			  "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra again;\n"
			  "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";

/* Runs three launches of different sizes. */
static struct host run(const char *mechanism, bool units, const char *kernels)
{
	struct sluice_error error;
	struct host host;
	const char *mechanisms[] = {mechanism, NULL};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .mechanisms = mechanisms, .units = units, .kernels = kernels};
	host_must(sluice_open(&host.gpu, &settings, &error), &error);
	host_must(sluice_load(host.gpu, ptx, strlen(ptx), "test.ptx", &host.module, &error), &error);
	host_must(sluice_alloc(host.gpu, BYTES, &host.array, &error), &error);
	void *arguments[] = {&host.array};
	for (uint32_t i = 0; i < LAUNCHES; i++)
		host_launch(&host, "stream", (sluice_dim){BLOCKS - 13 * i, 1, 1}, (sluice_dim){THREADS, 1, 1},
		            arguments);
	return host;
}

/* number 0: the totals */
static json_t *record_of(const json_t *json, uint64_t number)
{
	return number ? json_array_get(json_object_get(json, "kernels"), number - 1) : json_object_get(json, "totals");
}

static double combined(const json_t *list, bool is_largest)
{
	double sum = 0;
	for (size_t unit = 0; unit < json_array_size(list); unit++) {
		double value = json_number_value(json_array_get(list, unit));
		sum = is_largest ? fmax(sum, value) : sum + value;
	}
	return sum;
}

/* Compares one counter's list with its value, and each of its elements with the call. */
static void check_counter(sluice_gpu *gpu, size_t number, const struct sluice_counter *counter, const json_t *record,
                          uint64_t launch)
{
	struct sluice_error error;
	const json_t *list = json_object_get(json_object_get(record, "units"), counter->name);
	const json_t *value = json_object_get(json_object_get(record, "counters"), counter->name);
	assert_true(json_array_size(list) >= counter->units);
	if (combined(list, counter->is_largest) != json_number_value(value))
		fail_msg("%s of launch %d: %g by unit, %g in all", counter->name, (int)launch,
		         combined(list, counter->is_largest), json_number_value(value));
	for (uint32_t unit = 0; unit < counter->units; unit++) {
		double found;
		host_must(sluice_counter_value(gpu, number, launch, unit, &found, &error), &error);
		assert_true(found == json_number_value(json_array_get(list, unit)));
	}
}

/* All counters of the machine and of the mechanism. Returns the number of lists that were compared. */
static size_t check_all(const char *mechanism)
{
	struct host host = run(mechanism, true, NULL);
	struct sluice_error error;
	size_t compared = 0;
	json_t *json = host_statistics(host.gpu);
	for (size_t i = 0; i < sluice_counter_count(host.gpu); i++) {
		struct sluice_counter counter = {SLUICE_SIZED(counter)};
		host_must(sluice_counter_describe(host.gpu, i, &counter, &error), &error);
		bool is_of_gpu = counter.scope == SLUICE_SCOPE_GPU;
		for (uint64_t launch = 0; launch <= LAUNCHES && !is_of_gpu && counter.units; launch++, compared++)
			check_counter(host.gpu, i, &counter, record_of(json, launch), launch);
		const json_t *scope = json_object_get(json_object_get(json, "units"), counter.name);
		assert_int_equal(json_is_string(scope), !is_of_gpu && counter.units);
	}
	json_decref(json);
	sluice_close(host.gpu);
	return compared;
}

static void lists_combine_to_the_counters(void **state)
{
	(void)state;
	assert_true(check_all("mthwp") > 500);
	assert_true(check_all("teleport") > 500);
}

/* Not those of the launches before it. */
static void units_are_those_of_their_launch(void **state)
{
	(void)state;
	struct host host = run("mthwp", true, NULL);
	json_t *json = host_statistics(host.gpu);
	const json_t *blocks = json_object_get(json_object_get(record_of(json, 3), "units"), "sm.blocks");
	assert_int_equal(json_array_size(blocks), 15);
	assert_true(combined(blocks, false) == BLOCKS - 26);
	json_decref(json);
	sluice_close(host.gpu);
}

/* Deletes what differs: host time, and the units. */
static void strip(json_t *json)
{
	for (uint64_t launch = 0; launch <= LAUNCHES; launch++) {
		json_object_del(record_of(json, launch), "host_seconds");
		json_object_del(record_of(json, launch), "units");
		json_object_del(record_of(json, launch), "blocks");
	}
	json_object_del(json, "units");
}

static void nothing_else_differs(void **state)
{
	(void)state;
	struct host with = run("mthwp", true, NULL), without = run("mthwp", false, NULL);
	json_t *one = host_statistics(with.gpu), *other = host_statistics(without.gpu);
	assert_null(json_object_get(other, "units"));
	for (uint64_t launch = 0; launch <= LAUNCHES; launch++) {
		assert_null(json_object_get(record_of(other, launch), "units"));
		assert_null(json_object_get(record_of(other, launch), "blocks"));
		assert_non_null(json_object_get(record_of(one, launch), "units"));
	}
	strip(one);
	strip(other);
	assert_true(json_equal(one, other));
	json_decref(one);
	json_decref(other);
	sluice_close(with.gpu);
	sluice_close(without.gpu);
}

/* Launch 2 is not selected: it runs functionally. The totals are those of launches 1 and 3. */
static void a_functional_launch_has_none(void **state)
{
	(void)state;
	double value;
	struct sluice_error error;
	struct host host = run("mthwp", true, "1,3");
	json_t *json = host_statistics(host.gpu);
	assert_non_null(json_object_get(record_of(json, 1), "units"));
	assert_null(json_object_get(record_of(json, 2), "units"));
	const json_t *total = json_object_get(json_object_get(record_of(json, 0), "units"), "sm.blocks");
	assert_true(combined(total, false) == BLOCKS + BLOCKS - 26);
	host_must(sluice_counter_read(host.gpu, "sm.blocks", 2, 0, &value, &error), &error);
	assert_true(isnan(value));
	json_decref(json);
	sluice_close(host.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_combine_to_the_counters),
		cmocka_unit_test(units_are_those_of_their_launch),
		cmocka_unit_test(nothing_else_differs),
		cmocka_unit_test(a_functional_launch_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
