/* Protects TELEPORT's buffer in the shared memory of pairs: it has exactly the memory that they leave free. A kernel
 * whose pairs leave none has no rows. */
#include "sharing_kit.h"

enum { LINE = 128, LINES = 100 };

/* Every block reads the same lines. */
static struct mech_row row_of_all;

static struct mech_rows rows(void *user, uint32_t most, enum mech_loops loops)
{
	(void)user;
	(void)loops;
	assert_true(most >= 1);
	return (struct mech_rows){.row = &row_of_all, .rows = 1};
}

/* An SM with 30 KB, all of which the buffer may use, in ways of one line. Blocks are resident long before they read.
 * So the buffer then holds the last lines loaded for both, up to its capacity. */
static void open_and_run(struct gpu_kit *kit, const char *mechanism, uint32_t blocks)
{
	kit_beside = "teleport:buffer_kb=30,sets=1";
	OPEN(kit, mechanism, "sm.shared_bytes=30720", "sm.count=1");
	kit_beside = NULL;
	row_of_all = (struct mech_row){.base = kit->param,
	                               .first = kit->param,
	                               .end = kit->param + LINES * LINE,
	                               .high = LINES * LINE,
	                               .pc = MECH_NO_PC};
	kit->run.analyses = (struct seam_analyses){.rows = rows};
	kit_load(kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0; mov.u32 %r3, 0;\n"
	              "later: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4000; @%p1 bra later; mov.u32 %r3, 0;\n"
	              "again: ld.global.u32 %r2, [%rd1]; add.u64 %rd1, %rd1, 128; add.u32 %r3, %r3, 1;\n"
	              "setp.lt.u32 %p1, %r3, 100; @%p1 bra again; exit;");
	kit_run(kit, blocks, WARP);
}

static void test_room_of_partners(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t blocks, resident, lines;
	} row[] = {
		{"sharing:t=1", 2, 1, (30720 - 24576) / LINE},          /* no pairs */
		{"sharing:t=0.1", 1, 1, (30720 - 24576) / LINE},        /* a block without its partner */
		{"sharing:t=0.1", 2, 2, (30720 - 24576 - 2457) / LINE}, /* the partner adds its private part */
		{"sharing:t=0.2", 2, 2, (30720 - 24576 - 4915) / LINE},
		{"sharing:t=0", 2, 2, (30720 - 24576) / LINE},
		{"sharing:t=0.245", 2, 2, 0}, /* less than a line */
		{"sharing:t=0.25", 2, 2, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		open_and_run(&kit, row[i].mechanism, row[i].blocks);
		assert_int_equal(saw.most_resident, row[i].resident);
		assert_int_equal(kit_counter(&kit, 1, "demand"), row[i].blocks * LINES);
		assert_int_equal(kit_counter(&kit, 1, "demand_hits"), row[i].blocks * row[i].lines);
		assert_int_equal(kit_counter(&kit, 1, "kernels_without_rows"), !row[i].lines);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_room_of_partners)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
