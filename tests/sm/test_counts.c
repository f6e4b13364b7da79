/* Protects three counters of the SM whose values nothing else uses: flushes of instruction buffers, divergent branches,
 * and cycles in which loads were under way. */
#include "gpu_kit.h"

enum { WARP = 32, TURNS = 10, LINKS = 20, TO_LSU = 4 };

#define ONE_SM "sm.count=1", "l1i.sets=64"

/* A branch is the first of two instructions that were fetched together. The second is in the buffer when the warp
 * jumps. */
static uint64_t flushes_of(struct gpu_kit *kit, uint32_t turns)
{
	char body[256];
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, 0;\nmov.u32 %%r3, 0;\nmov.u32 %%r4, 0;\nloop: add.u32 %%r1, %%r1, 1;\n"
	         "setp.lt.u32 %%p1, %%r1, %u;\n@%%p1 bra loop;\nmov.u32 %%r2, 1;\nmov.u32 %%r2, 1;\nexit;",
	         turns);
	kit_load(kit, body);
	kit_run(kit, 1, WARP);
	return kit->run.stats.sm.buffer_flushes;
}

static void test_flushes(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	uint64_t flushes = flushes_of(&kit, TURNS);
	assert_int_equal(flushes_of(&kit, 2 * TURNS) - flushes, TURNS);
	kit_close(&kit);
}

/* Branches that all lanes, no lanes or some lanes take. */
static void test_divergent_branches(void **state)
{
	static const struct {
		const char *condition;
		uint64_t divergent;
	} row[] = {{"setp.lt.u32 %p1, %r1, 32;", 0},
	           {"setp.gt.u32 %p1, %r1, 31;", 0},
	           {"setp.lt.u32 %p1, %r1, 7;", 1},
	           {"setp.ne.u32 %p1, %r1, 7;", 1}};
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char body[256];
		snprintf(body, sizeof body,
		         "mov.u32 %%r1, %%tid.x;\n%s\n@%%p1 bra there;\nmov.u32 %%r2, 1;\nthere: mov.u32 %%r3, "
		         "1;\nexit;",
		         row[i].condition);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.sm.branches, 1);
		assert_int_equal(kit.run.stats.sm.divergent_branches, row[i].divergent);
	}
	kit_close(&kit);
}

/* A chain of loads that all miss. Between two of them an instruction moves from issue to the load/store unit, and the
 * data from the write-back to the next issue. The counter sums all other cycles. */
static void test_memory_latency(void **state)
{
	uint64_t chain[LINKS * 32 + 32], value[2], cycles[2];
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = kit_buffer(&kit, NULL, LINKS * 32 + 32);
	for (uint32_t i = 0; i < LINKS * 32 + 32; i++)
		chain[i] = kit.param + (i / 32 + 1) * 256;
	memcpy(simt_host(kit.gpu->memory, kit.param), chain, sizeof chain);
	for (uint32_t i = 0; i < 2; i++) {
		kit_load_repeated(&kit, "", "ld.global.cg.u64 %rd0, [%rd0];", LINKS / (2 - i), "");
		kit_run(&kit, 1, 1);
		cycles[i] = kit_run(&kit, 1, 1);
		value[i] = kit.run.stats.sm.memory_latency;
		assert_int_equal(kit.run.stats.sm.memory_requests, LINKS / (2 - i));
	}
	assert_int_equal(cycles[1] - cycles[0], value[1] - value[0] + LINKS / 2 * (TO_LSU + 1));
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flushes),
		cmocka_unit_test(test_divergent_branches),
		cmocka_unit_test(test_memory_latency),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
