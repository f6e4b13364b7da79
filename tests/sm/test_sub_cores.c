/* Protects the time of SMs with sub-cores, in closed forms that were read in GPGPU-Sim 4.2.0 and measured there with a
 * pointer chase.
 * - A dependent instruction issues latency + 5 cycles after its producer, or one less if the producer has no source
 *   registers.
 * - A third operand of one bank costs a cycle.
 * - Units belong to one sub-core.
 * - L1's tags take one access per cycle and bank.
 * - L1 and shared memory divide their common memory by a kernel's use. */
#include "gpu_kit.h"

enum { WARP = 32, LINKS = 20 };

#define ONE_SM "sm.count=1"

static const char *const both[] = {"qv100", "rtx3070"};

/* Returns the cycles that a line of code costs with this number of threads, on machine `number` of the two, with an
 * option. */
static uint64_t cost(size_t number, const char *option, const char *before, const char *line, uint32_t threads)
{
	struct gpu_kit kit;
	kit_machine = both[number];
	KIT_OPEN(&kit, ONE_SM, option);
	kit.param = kit_buffer(&kit, NULL, 1 << 15);
	/* every word is a pointer to the first */
	uint64_t *word = simt_host(kit.gpu->memory, kit.param);
	for (uint32_t i = 0; i < 1 << 15; i++)
		word[i] = kit.param;
	uint64_t cycles = kit_cost(&kit, before, line, LINKS, threads);
	kit_close(&kit);
	return cycles;
}

/* The line costs this number of cycles, within a twentieth: where warps compete, the order in which they begin and end
 * also counts. */
static void expect_near(const char *what, uint64_t got, uint64_t each)
{
	uint64_t want = each * LINKS, slack = want / 20;
	if (got + slack < want || got > want + slack)
		fail_msg("%s: %llu cycles, not %llu", what, (unsigned long long)got, (unsigned long long)want);
}

/* A chain of one instruction: the cost of a link on each of the two machines. */
static void test_chains(void **state)
{
	static const struct {
		const char *line;
		uint32_t cycles[2];
	} row[] = {
		{"add.u32 %r1, %r1, 1;", {4 + 5, 4 + 5}},
		{"mad.lo.u32 %r1, %r1, %r2, %r3;", {5 + 5, 4 + 5}},
		{"fma.rn.f32 %f1, %f1, %f2, %f3;", {5 + 5, 4 + 5}},
		{"add.f64 %fd1, %fd1, %fd2;", {8 + 5, 64 + 5}},
		{"sqrt.approx.f32 %f1, %f1;", {100 + 5, 21 + 5}},
		{"and.b32 %r1, %r1, %r2;", {1 + 5, 1 + 5}},
		/* registers of one bank of four: three reads; the last is one step too late */
		{"fma.rn.f32 %f1, %f1, %f5, %f9;", {5 + 6, 4 + 6}},
		/* ... two of them */
		{"fma.rn.f32 %f1, %f1, %f5, %f2;", {5 + 5, 4 + 5}},
		/* no source: one cycle less until the sum can issue */
		{"mov.u32 %r1, 7; add.u32 %r2, %r1, 1; add.u32 %r1, %r2, 1;",
	         {1 + 4 + 2 * (4 + 5), 1 + 4 + 2 * (4 + 5)}},
		/* L1 hits: the register is ready at the tag look-up */
		{"ld.global.u64 %rd0, [%rd0];", {20 + 4, 39 + 4}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (size_t m = 0; m < 2; m++) {
			uint64_t got = cost(m, ONE_SM, "", row[i].line, WARP);
			if (got != LINKS * row[i].cycles[m])
				fail_msg("%s: %s costs %llu cycles, not %u", both[m], row[i].line,
				         (unsigned long long)got, LINKS * row[i].cycles[m]);
		}
}

/* Four results in registers `d`1 to `d`4. */
#define FOUR(op, d, s)                                                                                                 \
	op " " d "1, " s "1, " s "2; " op " " d "2, " s "2, " s "3; " op " " d "3, " s "3, " s "4; " op " " d "4, " s  \
	   "4, " s "1; "

/* Independent instructions of one kind: each sub-core's unit takes one per interval, independent of the others. Kinds
 * do not disturb each other, except that one instruction issues per cycle. */
static void test_units_of_a_sub_core(void **state)
{
	static const char additions[] = FOUR("add.u32", "%r2", "%r") FOUR("add.u32", "%r3", "%r"),
			  mixed[] = FOUR("add.u32", "%r2", "%r") FOUR("add.f32", "%f2", "%f");
	(void)state;
	/* 8 instructions per warp, an interval of 2: 4 and 8 warps per sub-core */
	expect_near("4 warps per sub-core", cost(0, ONE_SM, "", additions, 16 * WARP), 4 * 8 * 2);
	expect_near("8 warps per sub-core", cost(0, ONE_SM, "", additions, 32 * WARP), 8 * 8 * 2);
	expect_near("integers and floats", cost(0, ONE_SM, "", mixed, 32 * WARP), 8 * 8);
	expect_near("an interval of 6", cost(0, "initiation.add.int=6", "", additions, 32 * WARP), 8 * 8 * 6);
}

/* Warps of one sub-core issue into two pipes, with few collector units, so each pipe waits for units that the other
 * holds. A complete instruction whose pipe is free proceeds past the others. An interval of 64 in one pipe thus delays
 * the other by no more than its own instruction does. */
static void test_pipes_pass_each_other(void **state)
{
	static const char slow[] = "add.f64 %fd2, %fd1, %fd3;",
			  quick[] = "add.u32 %r2, %r1, %r3; add.u32 %r4, %r1, %r3;";
	char both_kinds[200];
	(void)state;
	snprintf(both_kinds, sizeof both_kinds, "%s %s", slow, quick);
	/* four warps per sub-core: the slow pipe is the bound, and the fast one runs in its shadow */
	expect_near("slow only", cost(0, "initiation.add.fp64=64", "", slow, 16 * WARP), 4 * 64);
	expect_near("quick only", cost(0, "initiation.add.fp64=64", "", quick, 16 * WARP), 4 * 2 * 2);
	expect_near("both", cost(0, "initiation.add.fp64=64", "", both_kinds, 16 * WARP), 4 * 64);
	expect_near("slow with floats",
	            cost(0, "initiation.add.fp64=64", "", "add.f64 %fd2, %fd1, %fd3; " FOUR("add.f32", "%f2", "%f"),
	                 16 * WARP),
	            4 * 64);
}

/* Three reads of one bank of a sub-core take three steps. A cycle has two steps, however many collector units the
 * sub-core has. */
static void test_collector_units_take_turns(void **state)
{
	static const char *const units[] = {"sm.sub_core_collectors=1", "sm.sub_core_collectors=2",
	                                    "sm.sub_core_collectors=8"};
	static const char line[] = FOUR("add.u32", "%r2", "%r") FOUR("add.u32", "%r3", "%r");
	(void)state;
	/* one unit: taken in one step, read in the next, out in the third: one instruction in two cycles, and so is the
	 * interval */
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		expect_near(units[i], cost(0, units[i], "", line, 32 * WARP), 8 * 8 * 2);
}

/* L1 hits of 32 lanes, a pitch apart. A bank of 32 bytes takes one access per cycle: four banks take four consecutive
 * sectors in one cycle, and lines of 128 bytes one by one. */
static void test_banks_of_l1(void **state)
{
	static const struct {
		const char *pitch;
		uint32_t cycles;
	} row[] = {{"4", 1}, {"8", 2}, {"32", 8}, {"64", 16}, {"128", 32}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (uint32_t banks = 4; banks; banks /= 4) {
			char before[160], option[32];
			snprintf(before, sizeof before,
			         "mov.u32 %%r5, %%laneid; mul.wide.u32 %%rd2, %%r5, %s; add.u64 %%rd2, %%rd2, %%rd0;\n",
			         row[i].pitch);
			snprintf(option, sizeof option, "sm.l1_banks=%u", banks);
			uint32_t sectors = WARP * (uint32_t)atoi(row[i].pitch) / 32;
			uint32_t want = banks == 4 ? row[i].cycles : sectors > WARP ? WARP : sectors;
			expect_near(before,
			            cost(0, option, before,
			                 "ld.global.u32 %r11, [%rd2]; ld.global.u32 %r12, [%rd2]; "
			                 "ld.global.u32 %r13, [%rd2]; ld.global.u32 %r14, [%rd2];",
			                 32 * WARP),
			            4ull * 32 * want);
		}
}

/* The L1 lines that a kernel's shared memory leaves. The kit uses 24 KB. */
static void test_carve_outs(void **state)
{
	static const struct {
		uint32_t shared, blocks, ways[2];
	} row[] = {{0, 1, {192, 192}},     {8192, 1, {192, 192}}, {8193, 1, {128, 128}}, {0, 2, {128, 128}},
	           {40960, 1, {128, 128}}, {40961, 1, {64, 56}},  {0, 3, {64, 56}},      {24576, 2, {64, 56}}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (size_t m = 0; m < 2; m++) {
			struct gpu_kit kit;
			char body[64] = "exit;";
			kit_machine = both[m];
			KIT_OPEN(&kit, ONE_SM);
			if (row[i].shared)
				snprintf(body, sizeof body, ".shared .b8 mine[%u]; exit;", row[i].shared);
			kit_load(&kit, body);
			kit_run(&kit, row[i].blocks, WARP);
			assert_int_equal(kit.gpu->sm[0].l1.data.tags.ways, row[i].ways[m]);
			kit_close(&kit);
		}
}

/* A launch latency precedes every kernel and changes nothing else. */
static void test_launch_latency(void **state)
{
	static const char *const latencies[] = {"launch.latency=0", "launch.latency=1", "launch.latency=5000"};
	uint64_t cycles[3];
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct gpu_kit kit;
		kit_machine = "qv100";
		KIT_OPEN(&kit, ONE_SM, latencies[i]);
		kit_load(&kit, "mov.u32 %r1, 1; add.u32 %r1, %r1, 1; exit;");
		kit_run(&kit, 3, WARP);
		cycles[i] = kit_run(&kit, 3, WARP);
		kit_close(&kit);
	}
	assert_int_equal(cycles[1], cycles[0] + 1);
	assert_int_equal(cycles[2], cycles[0] + 5000);
}

/* Misses of all banks with eight MSHRs. Accesses that L1 refuses wait at the ends of its pipes and count once per
 * cycle, whether the SM ticks or sleeps. */
static struct gpu_stats stats_of_refused(const char *banks, const char *sleep)
{
	struct gpu_kit kit;
	kit_machine = both[0];
	KIT_OPEN(&kit, ONE_SM, "l1d.mshrs=8", banks, sleep);
	kit.param = kit_buffer(&kit, NULL, 1 << 15);
	kit_time(&kit, "mov.u32 %r5, %laneid; mul.wide.u32 %rd2, %r5, 160; add.u64 %rd2, %rd2, %rd0;\n",
	         "ld.global.u32 %r11, [%rd2]; add.u64 %rd2, %rd2, 5120;", 2 * LINKS, "", 4 * WARP);
	struct gpu_stats stats = kit.run.stats;
	kit_close(&kit);
	return stats;
}

static void test_refusals_count_each_cycle(void **state)
{
	static const char *const banks[] = {"sm.l1_banks=1", "sm.l1_banks=4"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct gpu_stats awake = stats_of_refused(banks[i], "launch.sleep=false"),
				       asleep = stats_of_refused(banks[i], "launch.sleep=true");
		assert_true(awake.l1d.refused > awake.l1d.accesses);
		assert_int_equal(asleep.l1d.refused, awake.l1d.refused);
		assert_memory_equal(&asleep, &awake, sizeof awake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_units_of_a_sub_core),
		cmocka_unit_test(test_pipes_pass_each_other),
		cmocka_unit_test(test_collector_units_take_turns),
		cmocka_unit_test(test_banks_of_l1),
		cmocka_unit_test(test_carve_outs),
		cmocka_unit_test(test_launch_latency),
		cmocka_unit_test(test_refusals_count_each_cycle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
