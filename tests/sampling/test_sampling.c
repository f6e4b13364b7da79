/* Protects sampled runs through the public API. Results equal those of a full run, launches of two phases form two
 * groups, and blocks of one length are estimated exactly. Unknown values are null, and unsupported requests are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"

#include <jansson.h>
#include <math.h>

/* out[i] = 3 * out[i] + turns, after a loop of `turns` iterations. If `wait` is set, a block waits for the block after
 * it. */
static const char ptx[] =
	".version 6.0\n.target sm_60\n.address_size 64\n"
	".visible .entry work(.param .u64 out, .param .u32 turns) {\n"
	" .reg .u64 %a<4>; .reg .u32 %r<9>; .reg .pred %p<2>;\n"
	" ld.param.u64 %a1, [out]; ld.param.u32 %r1, [turns];\n"
	" mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;\n"
	" mul.wide.u32 %a2, %r2, 4; add.u64 %a1, %a1, %a2; mov.u32 %r5, 0;\n"
	"L: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L;\n"
	" ld.global.u32 %r6, [%a1]; mad.lo.u32 %r6, %r6, 3, %r5; st.global.u32 [%a1], %r6; ret;\n}\n"
	".visible .entry reads(.param .u64 in, .param .u32 unused) {\n"
	" .reg .u64 %a<4>; .reg .u32 %r<9>;\n ld.param.u64 %a1, [in]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; "
	"mov.u32 %r4, %tid.x;\n"
	" mad.lo.u32 %r2, %r2, %r3, %r4; mul.wide.u32 %a2, %r2, 4; add.u64 %a1, %a1, %a2; ld.global.u32 %r6, [%a1];\n"
	" ld.global.u32 %r7, [%a1+128]; add.u32 %r6, %r6, %r7; st.global.u32 [%a1+131072], %r6; ret;\n}\n"
	".visible .entry waits(.param .u64 flags) {\n"
	" .reg .u64 %a<4>; .reg .u32 %r<9>; .reg .pred %p<2>;\n"
	" ld.param.u64 %a1, [flags]; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %nctaid.x;\n"
	" mul.wide.u32 %a2, %r2, 4; add.u64 %a1, %a1, %a2; st.volatile.global.u32 [%a1], 1;\n"
	" add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, %r7; @%p1 bra E; and.b32 %r3, %r2, 7; setp.eq.u32 %p1, %r3, 0; "
	"@%p1 bra E;\n"
	"L: ld.volatile.global.u32 %r5, [%a1+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;\n"
	"E: ret;\n}\n";

enum { WORDS = 1 << 16 };

struct gpu_kit {
	sluice_gpu *gpu;
	sluice_module *module;
	uint64_t array;
};

static void must(enum sluice_status status, const struct sluice_error *error)
{
	if (status != SLUICE_OK)
		fail_msg("%s", error->message);
}

static struct sluice_settings settings(void)
{
	return (struct sluice_settings){SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml"};
}

static struct gpu_kit open_kit(const struct sluice_settings *wish)
{
	struct sluice_error error;
	struct gpu_kit kit;
	must(sluice_open(&kit.gpu, wish, &error), &error);
	must(sluice_load(kit.gpu, ptx, strlen(ptx), "test.ptx", &kit.module, &error), &error);
	must(sluice_alloc(kit.gpu, 4 * WORDS, &kit.array, &error), &error);
	must(sluice_fill(kit.gpu, kit.array, 0, 4, WORDS, &error), &error);
	return kit;
}

static void launch(struct gpu_kit *kit, const char *name, uint32_t blocks, uint32_t turns)
{
	struct sluice_error error;
	void *arguments[] = {&kit->array, &turns};
	must(sluice_launch(kit->gpu, sluice_find_kernel(kit->module, name), (sluice_dim){blocks, 1, 1},
	                   (sluice_dim){64, 1, 1}, 0, arguments, &error),
	     &error);
}

/* Returns the statistics as JSON. */
static json_t *statistics(const struct gpu_kit *kit)
{
	char *text = NULL;
	size_t size;
	struct sluice_error error;
	FILE *file = open_memstream(&text, &size);
	must(sluice_stats_write(kit->gpu, file, SLUICE_STATS_JSON, &error), &error);
	fclose(file);
	json_t *json = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(json);
	return json;
}

static double total_cycles(const json_t *json)
{
	const json_t *totals = json_object_get(json, "totals"), *estimate = json_object_get(totals, "estimate");
	return json_number_value(json_object_get(estimate ? estimate : totals, "cycles"));
}

static double total_error(const json_t *json)
{
	const json_t *estimate = json_object_get(json_object_get(json, "totals"), "estimate");
	return json_number_value(json_object_get(estimate, "error"));
}

static void read_words(const struct gpu_kit *kit, uint32_t *words)
{
	struct sluice_error error;
	must(sluice_read(kit->gpu, words, kit->array, 4 * WORDS, &error), &error);
}

static void expect_close(double estimate, double truth, double share)
{
	if (!(fabs(estimate - truth) <= share * truth))
		fail_msg("estimated %.0f of %.0f", estimate, truth);
}

/* Runs the same launches in full and sampled; memory must be equal. Returns both statistics. */
static void compare(const struct sluice_settings *sampled, void (*run)(struct gpu_kit *kit), json_t *json[2])
{
	static uint32_t words[2][WORDS];
	const struct sluice_settings whole = settings();
	const struct sluice_settings *wish[] = {&whole, sampled};
	for (int i = 0; i < 2; i++) {
		struct gpu_kit kit = open_kit(wish[i]);
		run(&kit);
		read_words(&kit, words[i]);
		json[i] = statistics(&kit);
		sluice_close(kit.gpu);
	}
	assert_memory_equal(words[0], words[1], sizeof words[0]);
}

/* Counts simulated launches: either representatives of their groups, or those outside every group. */
static int simulated(const json_t *json, bool of_groups)
{
	size_t i;
	int count = 0;
	const json_t *kernel;
	json_array_foreach(json_object_get(json, "kernels"), i, kernel)
	{
		const json_t *sample = json_object_get(kernel, "sample");
		bool has_group = json_is_integer(json_object_get(sample, "group"));
		count += json_is_true(json_object_get(sample, "simulated")) && has_group == of_groups;
	}
	return count;
}

static void two_phases(struct gpu_kit *kit)
{
	for (uint32_t i = 0; i < 40; i++)
		launch(kit, "work", 30, i % 4 == 1 ? 500 : 20);
}

static void test_two_phases(void **state)
{
	(void)state;
	json_t *json[2];
	struct sluice_settings wish = settings();
	wish.sample_launches = 32;
	compare(&wish, two_phases, json);
	const json_t *totals = json_object_get(json[1], "totals"), *estimate = json_object_get(totals, "estimate");
	expect_close(total_cycles(json[1]), total_cycles(json[0]), 0.01);
	double far = fabs(total_cycles(json[1]) - total_cycles(json[0]));
	assert_true(far <= fmax(total_error(json[1]), 1e-3 * total_cycles(json[0])));
	assert_int_equal(json_integer_value(json_object_get(estimate, "groups")), 2);
	/* simulated: members 1, 2, 3, 4, 6, 9, 13, 19, 28 of the first group's 29 after the first launch, and 1, 2, 3,
	 * 4, 6, 9 of the other group's 10 */
	assert_int_equal(simulated(json[1], true), 9 + 6);
	assert_int_equal(simulated(json[1], true) + simulated(json[1], false),
	                 json_integer_value(json_object_get(estimate, "simulated")));
	assert_in_range(simulated(json[1], false), 1, 10); /* the first launch, and warm-up launches before others */
	assert_true(json_is_null(json_object_get(totals, "cycles")));
	assert_int_equal(json_integer_value(json_object_get(totals, "warp_instructions")),
	                 json_integer_value(json_object_get(json_object_get(json[0], "totals"), "warp_instructions")));
	double issued[2];
	for (int i = 0; i < 2; i++) {
		const json_t *sum = json_object_get(json[i], "totals");
		const json_t *counters = json_object_get(i ? json_object_get(sum, "estimate") : sum, "counters");
		issued[i] = json_number_value(json_object_get(counters, "sm.blocks"));
		assert_int_equal(json_integer_value(json_object_get(counters, "sm.warp_instructions")),
		                 json_integer_value(json_object_get(sum, "warp_instructions")));
	}
	expect_close(issued[1], issued[0], 1e-3);
	json_decref(json[0]);
	json_decref(json[1]);
}

static double hits_of(const json_t *json, size_t number)
{
	const json_t *kernel = json_array_get(json_object_get(json, "kernels"), number);
	return json_number_value(json_object_get(json_object_get(kernel, "counters"), "l1d.hits"));
}

/* L1 hits of the sampled launches, in the full run and in the sampled run. */
static void chosen_hits(json_t *json[2], double hits[2])
{
	size_t i;
	const json_t *kernel;
	hits[0] = hits[1] = 0;
	json_array_foreach(
		json_object_get(json[1], "kernels"), i,
		kernel) for (int k = 0;
	                     k < 2 && json_is_integer(json_object_get(json_object_get(kernel, "sample"), "group")); k++)
		hits[k] += json_is_null(json_object_get(kernel, "cycles")) ? 0 : hits_of(json[k], i);
	json_decref(json[0]);
	json_decref(json[1]);
}

/* Each launch reads data that the previous launch left in the caches. */
static void read_again(struct gpu_kit *kit)
{
	for (int i = 0; i < 60; i++)
		launch(kit, "reads", 30, 0);
}

/* Blocks rotate over the SMs. Lines stay in the L1 of SMs whose blocks no longer write there, until a block does. */
static void read_and_write(struct gpu_kit *kit)
{
	for (int i = 0; i < 60; i++) {
		launch(kit, "reads", 16, 0);
		launch(kit, "work", 16, 1);
	}
}

static void test_caches(void **state)
{
	(void)state;
	json_t *json[2];
	double hits[2];
	struct sluice_settings wish = settings();
	wish.sample_launches = 32;
	compare(&wish, read_again, json);
	chosen_hits(json, hits);
	assert_true(hits[0] > 0 && hits[1] == hits[0]);
	compare(&wish, read_and_write, json);
	chosen_hits(json, hits);
	assert_true(hits[0] > 0 && hits[1] <= hits[0]);
}

static void test_most_of_a_group(void **state)
{
	(void)state;
	json_t *json[2];
	struct sluice_settings wish = settings();
	wish.sample_launches = 1;
	compare(&wish, two_phases, json);
	const json_t *estimate = json_object_get(json_object_get(json[1], "totals"), "estimate");
	assert_int_equal(json_integer_value(json_object_get(estimate, "simulated")), 1 + 2);
	assert_true(json_is_null(json_object_get(estimate, "error"))); /* one sample gives no error estimate */
	json_decref(json[0]);
	json_decref(json[1]);
}

static void equal_waves(struct gpu_kit *kit)
{
	launch(kit, "work", 1000, 300);
}

static void test_equal_waves(void **state)
{
	(void)state;
	json_t *json[2];
	const double fraction = 0;
	struct sluice_settings wish = settings();
	wish.sample_blocks = &fraction;
	compare(&wish, equal_waves, json);
	const json_t *kernel = json_array_get(json_object_get(json[1], "kernels"), 0);
	const json_t *sample = json_object_get(kernel, "sample");
	expect_close(total_cycles(json[1]), total_cycles(json[0]), 0.01);
	assert_true(json_is_null(json_object_get(kernel, "cycles")));
	assert_true(json_integer_value(json_object_get(sample, "blocks")) < 1000);
	expect_close(json_number_value(json_object_get(sample, "distance")), 0, 1);
	assert_int_equal(json_integer_value(json_object_get(kernel, "warp_instructions")),
	                 json_integer_value(json_object_get(json_object_get(json[0], "totals"), "warp_instructions")));
	json_decref(json[0]);
	json_decref(json[1]);
}

static void test_fraction(void **state)
{
	(void)state;
	const double fraction = 0.7;
	struct sluice_settings wish = settings();
	wish.sample_blocks = &fraction;
	struct gpu_kit kit = open_kit(&wish);
	equal_waves(&kit);
	json_t *json = statistics(&kit);
	const json_t *sample = json_object_get(json_array_get(json_object_get(json, "kernels"), 0), "sample");
	json_int_t blocks = json_integer_value(json_object_get(sample, "blocks"));
	assert_in_range(blocks, 700, 819);
	json_decref(json);
	sluice_close(kit.gpu);
}

/* Each block waits for the block after it, which a cut launch would never place. */
static void waiting_blocks(struct gpu_kit *kit)
{
	launch(kit, "waits", 1004, 0);
}

static void test_blocks_that_wait(void **state)
{
	(void)state;
	json_t *json[2];
	const double fraction = 0;
	struct sluice_settings wish = settings();
	wish.sample_blocks = &fraction;
	wish.sample_error = 1;
	compare(&wish, waiting_blocks, json);
	json_decref(json[0]);
	json_decref(json[1]);
}

static void expect_refusal(const struct sluice_settings *wish, const char *text)
{
	sluice_gpu *gpu;
	struct sluice_error error;
	assert_int_equal(sluice_open(&gpu, wish, &error), SLUICE_BAD_SETTING);
	if (!strstr(error.message, text))
		fail_msg("expected '%s' in '%s'", text, error.message);
}

static void test_refusals(void **state)
{
	(void)state;
	const double fraction = 0, beyond = 1.5;
	const char *const teleport[] = {"teleport", NULL};
	struct sluice_settings wish = settings();
	wish.sample_launches = 4;
	wish.functional = true;
	expect_refusal(&wish, "a functional run has no cycles");
	wish.functional = false;
	wish.check = "race";
	expect_refusal(&wish, "checks need every launch");
	wish.check = NULL;
	wish.energy = "default";
	expect_refusal(&wish, "energies");
	wish.energy = NULL;
	wish.timeline_file = "t.json";
	expect_refusal(&wish, "a timeline");
	wish.timeline_file = NULL;
	wish.sample_blocks = &fraction;
	expect_refusal(&wish, "not both");
	wish.sample_launches = 0;
	wish.mechanisms = teleport;
	expect_refusal(&wish, "teleport needs all blocks");
	wish.mechanisms = NULL;
	wish.sample_blocks = &beyond;
	expect_refusal(&wish, "expected numbers from 0 to 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_phases), cmocka_unit_test(test_most_of_a_group),
		cmocka_unit_test(test_caches),     cmocka_unit_test(test_equal_waves),
		cmocka_unit_test(test_fraction),   cmocka_unit_test(test_blocks_that_wait),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
