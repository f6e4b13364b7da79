/* Protects the checks of statistics: contradictory values are reported with the relation that does not hold. */
#include "gpu_kit.h"

/* A violated relation is reported with its text. */
static void test_relations(void **state)
{
	struct gpu_kit kit;
	char text[256];
	(void)state;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, "ld.global.u32 %r1, [%rd0]; st.global.u32 [%rd0+128], %r1; exit;");
	kit_run(&kit, 1, 32);
	struct gpu_run *run = &kit.run;
	uint64_t opened = run->stats.dram.row_hits + run->stats.dram.activates;
	run->stats.dram.requests = opened;
	assert_true(gpu_check_stats(kit.gpu, run, text, sizeof text));
	run->stats.dram.requests = opened + 1;
	assert_false(gpu_check_stats(kit.gpu, run, text, sizeof text));
	char want[256];
	snprintf(want, sizeof want, "dram.requests <= dram.row_hits + dram.activates: %llu is more than %llu",
	         (unsigned long long)opened + 1, (unsigned long long)opened);
	assert_string_equal(text, want);
	run->stats.dram.requests = 0;
	run->stats.sm.blocks = 7;
	assert_false(gpu_check_stats(kit.gpu, run, text, sizeof text));
	assert_string_equal(text, "sm.blocks = blocks of the grid, or those placed: 7 is not 1");
	kit_close(&kit);
}

/* A mechanism that corrupts its account. */
static void spoil(struct mech_sm *sm)
{
	((struct mech_requests *)mech_account(sm))->asked++;
}

static const struct mech spoiler = {
	.version = MECH_VERSION, .name = "spoiler", .sends = true, .sm_size = 1, .kernel_end = spoil};

static void test_accounts(void **state)
{
	static const struct mech *const set[] = {&spoiler, NULL};
	struct gpu_kit kit;
	char text[256];
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, "exit;");
	kit_start(&kit, 1, 32);
	assert_false(gpu_check_stats(kit.gpu, &kit.run, text, sizeof text));
	assert_string_equal(
		text, "asked = dropped + outside + filtered + refused + issued of a mechanism's requests: 1 is not 0");
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relations),
		cmocka_unit_test(test_accounts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
