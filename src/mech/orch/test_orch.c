/* Protects orch: it stands for lap and spread_groups, with the options of both. When groups of warps run one after
 * the other, a group prefetches for the next one; neither part alone does so. */
#include "prefetch_kit.h"

enum { WARPS = 32, BLOCKS = 8, WORK = 24 };

static void test_stands_for_two(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_describe(&kit, (const char *const[]){NULL});
	kit_attach(&kit, "orch:lines=8,apart=4");
	assert_int_equal(kit.attachments.count, 2);
	assert_string_equal(kit.attachments.list[0].mech->name, "lap");
	assert_string_equal(kit.attachments.list[1].mech->name, "spread_groups");
	attachments_free(&kit.attachments);
	diag_free(&kit.diag);
}

/* The kernel of one resident block with two groups of warps per scheduler. Each warp computes, then loads a line
 * (warp w loads line w), then uses it. A group computes longer than a memory access takes. */
static const char *one_phase(char *text, size_t size)
{
	size_t at = (size_t)snprintf(
		text, size,
		"mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; shl.b32 %%r2, %%r2, 10;\n"
		"add.u32 %%r1, %%r1, %%r2; mul.wide.u32 %%rd1, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd0;\n");
	for (uint32_t i = 0; i < WORK && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "add.u32 %%r%u, %%r3, %u;\n", 4 + i % 16, i);
	snprintf(text + at, size - at, "ld.global.u32 %%r21, [%%rd1]; add.u32 %%r22, %%r21, 1; exit;");
	return text;
}

/* The first group of each scheduler loads two lines of every macro block of four. The second group finds the other
 * two in L1, so only the first group waits, while the second computes. Without groups, all four lines of a macro
 * block are loaded at once. Without prefetches, the second group waits. */
static void test_wins_with_groups(void **state)
{
	char body[8192];
	const struct prefetch_kernel kernel = {one_phase(body, sizeof body), BLOCKS, WARPS, {"sm.blocks=1"}};
	const struct prefetch_run with = prefetch_measure(&kernel, "orch", NULL);
	const uint64_t without = prefetch_measure(&kernel, "two_level:ready=8", NULL).cycles;
	(void)state;
	assert_true(without * 100 > prefetch_perfect(&kernel) * 119);
	assert_in_range(100 * prefetch_won(&kernel, "orch"), 95, 120);
	assert_int_equal(with.misses, BLOCKS * WARPS / 2);
	assert_int_equal(with.requests.useful + with.requests.late, BLOCKS * WARPS / 2);
	assert_true(prefetch_won(&kernel, "lap") < 0.4);
	assert_true(prefetch_won(&kernel, "spread_groups") < 0.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stands_for_two),
		cmocka_unit_test(test_wins_with_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
