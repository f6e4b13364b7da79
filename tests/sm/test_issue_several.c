/* Protects the issue of several instructions of a warp in a cycle, in closed forms. It also protects the steps of the
 * operand collectors, several fetches, and long pipes of L1. The rules are GPGPU-Sim 4.2.0's
 * (scheduler_unit::cycle(), shader_core_ctx::cycle()). */
#include "gpu_kit.h"

enum { WARP = 32, LINKS = 4, PAIRS = 16 };

#define OPTIONS(...) ((const char *const[]){"sm.count=1", "l1i.perfect=true", __VA_ARGS__, NULL})

/* The cycles of a link of the line, executed by one warp. */
static uint64_t link_cycles(const char *machine, const char *const *options, const char *line)
{
	struct gpu_kit kit;
	kit_machine = machine;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 1 << 15);
	uint64_t *word = simt_host(kit.gpu->memory, kit.param);
	for (uint32_t i = 0; i < 1 << 15; i++)
		word[i] = kit.param; /* every word is a pointer to the first */
	uint64_t cycles = kit_cost(&kit, "", line, LINKS, WARP);
	kit_close(&kit);
	assert_int_equal(cycles % LINKS, 0);
	return cycles / LINKS;
}

/* The cycles of PAIRS pairs of instructions without hazards: an integer one, and one for the same pipe or a float one.
 * Each has a result for itself. */
static uint64_t pairs(const char *machine, const char *const *options, bool one_pipe)
{
	char line[100 * PAIRS] = "", pair[100];
	for (int i = 0; i < PAIRS; i++) {
		if (one_pipe)
			snprintf(pair, sizeof pair, "and.b32 %%r%d, %%r2, 1; and.b32 %%r%d, %%r1, 1;\n", 8 + i, 24 + i);
		else
			snprintf(pair, sizeof pair, "and.b32 %%r%d, %%r2, 1; add.f32 %%f%d, %%f1, 0f3F800000;\n", 8 + i,
			         8 + i);
		strcat(line, pair);
	}
	return link_cycles(machine, options, line);
}

#define VOLTA(...) OPTIONS("initiation.add.fp32=1", "sm.sub_core_collectors=8", __VA_ARGS__)

/* A fetch brings two instructions. With several fetches per cycle they issue in the next cycle, so a warp without
 * hazards issues one per cycle. It issues two if it may, to two pipes: a pipe of a sub-core has one entry. */
static void test_two_of_a_warp(void **state)
{
	(void)state;
	assert_int_equal(pairs("qv100", VOLTA("sm.issue_per_warp=1"), false), 2 * PAIRS);
	assert_int_equal(pairs("qv100", VOLTA("sm.issue_per_warp=2"), false), PAIRS);
	assert_int_equal(pairs("qv100", VOLTA("sm.issue_per_warp=2", "sm.issue_other_pipe=true"), false), PAIRS);
	assert_int_equal(pairs("qv100", VOLTA("sm.issue_per_warp=2"), true), 2 * PAIRS);
	/* a chain of sums has its latency + 5, whatever issues along */
	static const char chain[] = "and.b32 %r2, %r1, %r3; add.f32 %f1, %f1, %f3;";
	assert_int_equal(link_cycles("qv100", OPTIONS("sm.issue_per_warp=1"), chain), 4 + 5);
	assert_int_equal(link_cycles("qv100", OPTIONS("sm.issue_per_warp=2"), chain), 4 + 5);
}

/* Without sub-cores both may go to one pipe, unless each must go to another one. With one fetch per cycle at t, the
 * first issues at t + 2. The next fetch is made in the cycle of the last issue. */
static void test_one_pipe_twice(void **state)
{
	static const char fermi[] = "gtx480-v4";
	(void)state;
	assert_int_equal(pairs(fermi, OPTIONS("sm.issue_per_warp=1"), true), 3 * PAIRS);
	assert_int_equal(pairs(fermi, OPTIONS("sm.issue_per_warp=2"), true), 2 * PAIRS);
	assert_int_equal(pairs(fermi, OPTIONS("sm.issue_per_warp=2", "sm.issue_other_pipe=true"), true), 3 * PAIRS);
}

/* A collector unit is taken in one step, read in the next and left in the third: two cycles, or one with two steps in
 * each. */
static void test_steps_of_collectors(void **state)
{
	static const char line[] = "add.s32 %r1, %r1, %r3;";
	(void)state;
	uint64_t once = link_cycles("gtx480-v4", OPTIONS("sm.operand_steps=1"), line);
	assert_int_equal(link_cycles("gtx480-v4", OPTIONS("sm.operand_steps=2"), line), once - 1);
}

/* A pointer chase in L1 has a cycle more for each cycle in front of the tags, up to the largest pipe. */
static void test_long_pipe_of_l1(void **state)
{
	static const char line[] = "ld.global.u64 %rd0, [%rd0];";
	(void)state;
	assert_int_equal(link_cycles("qv100", OPTIONS("sm.l1_latency=82"), line), 82 + 4);
	assert_int_equal(link_cycles("qv100", OPTIONS("sm.l1_latency=128"), line), 128 + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_of_a_warp),
		cmocka_unit_test(test_one_pipe_twice),
		cmocka_unit_test(test_steps_of_collectors),
		cmocka_unit_test(test_long_pipe_of_l1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
