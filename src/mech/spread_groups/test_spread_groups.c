/* Protects spread_groups: the warps of each group, the order of the groups, and that a waiting warp's place passes
 * to the next group. */
#include "part_kit.h"

static struct mech_warps warps;

/* 32 live warps, all of which can run. */
static uint64_t open_order(struct part_kit *kit, const char *mechanism)
{
	warps = (struct mech_warps){.live = UINT32_MAX, .warps = 32};
	part_open(kit, mechanism);
	return kit->sm.mech->warps_that_compete(&kit->sm, &warps);
}

static uint64_t compete(struct part_kit *kit)
{
	return kit->sm.mech->warps_that_compete(&kit->sm, &warps);
}

/* Every second of sixteen warps; with apart=1 the first eight, as in two_level; with apart=3 every third. */
static void test_first_group(void **state)
{
	static const struct {
		const char *mechanism;
		uint64_t first, second;
	} row[] = {{"spread_groups", 0x5555, 0xaaaa},
	           {"spread_groups:apart=1", 0xff, 0xff00},
	           {"spread_groups:apart=3,ready=4", 0x249, 0x492},
	           {"spread_groups:apart=64,ready=64", UINT32_MAX, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		assert_int_equal(open_order(&kit, row[i].mechanism), row[i].first);
		assert_int_equal(compete(&kit), row[i].first);
		warps.load_hazard = row[i].first;
		assert_int_equal(compete(&kit), row[i].second);
		part_close(&kit);
	}
}

/* Groups take turns; a group that waits is skipped. */
static void test_groups_in_turn(void **state)
{
	static const uint64_t group[] = {0x5555, 0xaaaa, 0x55550000, 0xaaaa0000};
	struct part_kit kit;
	(void)state;
	assert_int_equal(open_order(&kit, "spread_groups"), group[0]);
	for (uint32_t i = 1; i < 9; i++) {
		warps.load_hazard = group[(i - 1) % 4];
		assert_int_equal(compete(&kit), group[i % 4]);
	}
	warps.load_hazard = group[0] | group[1];
	assert_int_equal(compete(&kit), group[2]);
	part_close(&kit);
}

/* A warp that waits, is held or has ended gives its place to the first warp of the next group. */
static void test_places(void **state)
{
	struct part_kit kit;
	(void)state;
	open_order(&kit, "spread_groups");
	warps.load_hazard = 1ull << 4;
	assert_int_equal(compete(&kit), (0x5555 & ~(1ull << 4)) | 1ull << 1);
	warps.held = 1ull << 6;
	assert_int_equal(compete(&kit), (0x5555 & ~(5ull << 4)) | 1ull << 1 | 1ull << 3);
	warps.live &= ~(1ull << 8);
	assert_int_equal(compete(&kit), (0x5555 & ~(21ull << 4)) | 1ull << 1 | 1ull << 3 | 1ull << 5);
	part_close(&kit);
}

/* Warps of a new block join at the end of the queue, every second one first. The block may begin in the middle of
 * sixteen slots. */
static void test_new_block(void **state)
{
	struct part_kit kit;
	(void)state;
	warps = (struct mech_warps){.live = 0xff, .warps = 32};
	part_open(&kit, "spread_groups:ready=4");
	assert_int_equal(compete(&kit), 0x55);
	warps.live = 0xfffff;
	assert_int_equal(compete(&kit), 0x55);
	warps.load_hazard = 0xff;
	assert_int_equal(compete(&kit), 0x5500);
	warps.load_hazard |= 0x5500;
	assert_int_equal(compete(&kit), 0xaa00);
	warps.load_hazard |= 0xaa00;
	assert_int_equal(compete(&kit), 0xf0000);
	part_close(&kit);
}

/* A block ends and another takes its slots: the new warps join after the waiting ones, although the old warps had
 * places. */
static void test_slots_change_hands(void **state)
{
	struct part_kit kit;
	(void)state;
	warps = (struct mech_warps){.live = 0xff, .warps = 32};
	part_open(&kit, "spread_groups:ready=4");
	assert_int_equal(compete(&kit), 0x55);
	const struct mech_block block = {.first_warp = 0, .warps = 2 * kit.machine.schedulers};
	kit.sm.mech->block_end(&kit.sm, &block);
	assert_int_equal(compete(&kit), 0x54 | 1 << 3);
	part_close(&kit);
}

/* Round robin among the warps that can issue; each kernel starts from scratch. */
static void test_pick(void **state)
{
	struct part_kit kit;
	(void)state;
	open_order(&kit, "spread_groups");
	warps.last = 4;
	assert_int_equal(kit.sm.mech->pick_warp(&kit.sm, &warps, 0x5555), 6);
	warps.last = 14;
	assert_int_equal(kit.sm.mech->pick_warp(&kit.sm, &warps, 0x5555), 0);
	warps.load_hazard = 0x5555;
	compete(&kit);
	warps.load_hazard = 0;
	kit.sm.mech->kernel_begin(&kit.sm);
	assert_int_equal(compete(&kit), 0x5555);
	part_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_group),
		cmocka_unit_test(test_groups_in_turn),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_new_block),
		cmocka_unit_test(test_slots_change_hands),
		cmocka_unit_test(test_pick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
