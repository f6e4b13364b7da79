/* Protects the count and the retries of accesses that L1 refuses at the end of its pipes. Each is retried once per
 * cycle, whether the SM sleeps, cannot sleep or has other work, and proceeds as soon as it can. */
#include "gpu_kit.h"

enum { WARP = 32, LOADS = 8 };

/* One MSHR, for which a load of 32 lines waits 31 times. */
#define ONE_MISS "sm.count=1", "sm.l1_latency=20", "l1d.mshrs=1", "l1i.sets=64", "l1i.ways=8", "sm.flush_l1=true"

/* The first warp loads while the others compute. Returns the second run, whose code is in the cache. */
static struct gpu_run run_beside(const char *const *options, uint32_t warps, bool sleeps)
{
	struct gpu_kit kit;
	char text[16384];
	int at = snprintf(
		text, sizeof text,
		"mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 128; add.u64 %%rd1, %%rd0, %%rd1; mov.u32 %%r9, 1;"
		"setp.lt.u32 %%p1, %%r0, 32; @%%p1 bra LOADS; mov.u32 %%r8, 0; MORE: add.u32 %%r5, %%r5, %%r9;"
		"add.u32 %%r6, %%r6, %%r9; add.u32 %%r8, %%r8, 1; setp.lt.u32 %%p2, %%r8, 2000; @%%p2 bra MORE; bra "
		"END;"
		"LOADS: ");
	for (unsigned i = 0; i < LOADS; i++)
		at += snprintf(text + at, sizeof text - (size_t)at,
		               "ld.global.u32 %%r7, [%%rd1+%u]; add.u32 %%r5, %%r5, %%r7;", 4096 * i);
	snprintf(text + at, sizeof text - (size_t)at, "END: exit;");
	kit_describe(&kit, options);
	kit.machine.sm.sleep = sleeps;
	kit_build(&kit);
	kit.param = kit_buffer(&kit, NULL, 4096 * LOADS / 8);
	kit_load(&kit, text);
	kit_run(&kit, 1, warps * WARP);
	kit_run(&kit, 1, warps * WARP);
	struct gpu_run run = kit.run;
	kit_close(&kit);
	return run;
}

static void test_counted_each_cycle(void **state)
{
	(void)state;
	static const char *const one_bank[] = {ONE_MISS, NULL}, *const banks[] = {ONE_MISS, "sm.l1_banks=4", NULL};
	for (unsigned k = 0; k < 2; k++) {
		const char *const *options = k ? banks : one_bank;
		struct gpu_run alone = run_beside(options, 1, true), awake = run_beside(options, 1, false);
		struct gpu_run beside = run_beside(options, 3, true), beside_awake = run_beside(options, 3, false);
		assert_true(alone.stats.l1d.refused > alone.cycles / 2); /* nearly all the time */
		assert_int_equal(alone.cycles, awake.cycles);
		assert_int_equal(alone.stats.l1d.refused, awake.stats.l1d.refused);
		assert_int_equal(beside.cycles, beside_awake.cycles);
		assert_int_equal(beside.stats.l1d.refused, beside_awake.stats.l1d.refused);
		/* the other warps do not disturb the load */
		assert_in_range(beside.stats.l1d.refused, alone.stats.l1d.refused * 98 / 100,
		                alone.stats.l1d.refused * 102 / 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counted_each_cycle)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
