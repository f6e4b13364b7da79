/* Protects the rule by which records treat two runs as equal: a mechanism that declares .only_looks cannot change a
 * run. Forbidden hooks are refused when it is loaded; forbidden calls are its mistakes. */
#include "gpu_kit.h"

static bool agree(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	(void)issue;
	return true;
}

static uint64_t compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	(void)sm;
	(void)warps;
	return UINT64_MAX;
}

static void rewrite(const void *config, const struct mech_machine *machine, char *text, size_t size)
{
	(void)config;
	(void)machine;
	snprintf(text, size, "check");
}

#define LOOKS .version = MECH_VERSION, .name = "m", .summary = "", .citation = "", .only_looks = true

static void test_tables(void **state)
{
	static const struct {
		struct mech mech;
		const char *what;
	} row[] = {
		{{LOOKS, .policies = MECH_POLICY_WARP_RANK}, "an exclusive policy"},
		{{LOOKS, .sends = true}, "requests"},
		{{LOOKS, .rewrite = rewrite}, "the hook rewrite"},
		{{LOOKS, .splits_copies = true}, "splits_copies"},
		{{LOOKS, .warps_that_compete = compete}, "the hook warps_that_compete"},
		{{LOOKS, .may_issue = agree}, "the hook may_issue"},
	};
	char message[256], expected[256];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_false(seam_check_tables(&row[i].mech, message, sizeof message));
		snprintf(expected, sizeof expected, "mechanism m only looks (.only_looks), but has %s", row[i].what);
		assert_string_equal(message, expected);
	}
	assert_true(seam_check_tables(&(const struct mech){LOOKS}, message, sizeof message));
}

static void hold_block(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_hold_block(sm, issue->block);
}

static void hold_warp(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_hold_warp(sm, issue->warp);
}

static void stop(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_stop(sm, issue, 0, "no");
}

static void complete(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_complete_bytes(sm, issue->block, 0, 1, 0);
}

static void prefer(struct mech_gpu *gpu)
{
	mech_prefer(gpu, MECH_AFTER_SMS);
}

static void test_calls(void **state)
{
	static const struct {
		struct mech mech;
		const char *call;
	} row[] = {
		{{LOOKS, .issue = hold_block}, "mech_hold_block"},
		{{LOOKS, .issue = hold_warp}, "mech_hold_warp"},
		{{LOOKS, .issue = stop}, "mech_stop"},
		{{LOOKS, .issue = complete}, "mech_complete_bytes"},
		{{LOOKS, .gpu_open = prefer}, "mech_prefer"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		char expected[128];
		kit_mechanisms = (const struct mech *const[]){&row[i].mech, NULL};
		KIT_OPEN(&kit, "sm.count=1");
		kit_load(&kit, "mov.u32 %r1, %tid.x;\nexit;");
		kit_start(&kit, 1, 32);
		assert_int_equal(kit.run.end, GPU_MISTAKE);
		snprintf(expected, sizeof expected, "%s(), but .only_looks of struct mech is set", row[i].call);
		if (!strstr(kit.run.message, expected))
			fail_msg("%s", kit.run.message);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
