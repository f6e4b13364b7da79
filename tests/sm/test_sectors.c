/* Protects lines of L1 that are filled and evicted by sectors. Each sector that a warp touches is looked up, fetched,
 * held, dropped and counted separately. Untouched sectors are not fetched. */
#include "gpu_kit.h"

enum { WARP = 32 };

#define ONE_SM        "sm.count=1", "l1i.sets=64"
#define LOAD(offset)  "ld.global.u32 %r1, [%rd0+" #offset "]; add.u32 %r2, %r2, %r1; membar.gl;\n"
#define STORE(offset) "st.global.u32 [%rd0+" #offset "], %r2; membar.gl;\n"
/* Four bytes per lane, one whole line. */
#define OWN        "mov.u32 %r5, %tid.x; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd2, %rd0;\n"
#define LOAD_LINE  "ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r2, %r1; membar.gl;\n"
#define STORE_LINE "st.global.u32 [%rd2], %r2; membar.gl;\n"

struct row {
	const char *what, *body;
	uint32_t accesses, hits, misses, merged, fills;
};

static void run(const char *const *options, const struct row *row)
{
	struct gpu_kit kit;
	print_message("%s\n", row->what);
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, row->body);
	kit_run(&kit, 1, WARP);
	const struct cache_stats *l1d = &kit.run.stats.l1d;
	assert_int_equal(l1d->accesses, row->accesses);
	assert_int_equal(l1d->hits, row->hits);
	assert_int_equal(l1d->misses, row->misses);
	assert_int_equal(l1d->merged, row->merged);
	assert_int_equal(l1d->fills, row->fills);
	kit_close(&kit);
}

static const char *const machines[][5] = {
	{ONE_SM, "l1d.sectors=4", NULL},
	{ONE_SM, "l1d.sectors=4", "sm.l1_latency=35", NULL},
	{ONE_SM, "l1d.sectors=4", "l2.sectors=4", "l2.by_sectors=true"},
};

static void test_each_sector_alone(void **state)
{
	static const struct row rows[] = {
		{"three sectors of a line, and the same again",
	         LOAD(0) LOAD(96) LOAD(64) LOAD(4) LOAD(100) LOAD(68) "exit;", 6, 3, 3, 0, 3},
		{"a whole line: its four sectors, one of them present", OWN LOAD(32) LOAD_LINE LOAD_LINE "exit;", 9, 5,
	         4, 0, 4},
		{"a store drops its own sector", LOAD(0) LOAD(96) STORE(96) LOAD(0) LOAD(96) "exit;", 5, 2, 3, 0, 3},
		{"a store of a line drops all of them", OWN LOAD_LINE STORE_LINE LOAD_LINE "exit;", 12, 4, 8, 0, 8},
		{"a load that bypasses L1 does not change it",
	         LOAD(0) "ld.global.cg.u32 %r1, [%rd0+32]; membar.gl;" LOAD(32) LOAD(0) "exit;", 3, 1, 2, 0, 2},
		{"loads that meet in a sector on its way, and in another one",
	         "ld.global.u32 %r1, [%rd0+32]; ld.global.u32 %r2, [%rd0+36]; ld.global.u32 %r3, [%rd0+64]; exit;", 3,
	         0, 2, 1, 2},
	};
	(void)state;
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const char *options[6] = {NULL};
			memcpy(options, machines[m], sizeof machines[m]);
			run(options, &rows[i]);
		}
}

/* Local memory is written back by sectors: only those that were written. */
static void test_local_write_back(void **state)
{
	static const struct row row = {"local memory",
	                               ".local .u32 mine[2]; mov.u64 %rd1, mine; mov.u32 %r1, 5;\n"
	                               "ld.local.u32 %r2, [%rd1]; membar.gl; st.local.u32 [%rd1], %r1; membar.gl;\n"
	                               "ld.local.u32 %r3, [%rd1]; st.global.u32 [%rd0], %r3; exit;",
	                               13,
	                               8,
	                               5,
	                               0,
	                               4};
	(void)state;
	run(machines[0], &row);
}

/* A local load that bypasses L1 returns past it, too: L1 does not wait for it. */
static void test_local_load_that_bypasses_l1(void **state)
{
	static const struct row row = {"local load with .cg",
	                               ".local .u32 mine[2]; mov.u64 %rd1, mine; ld.local.cg.u32 %r2, [%rd1];\n"
	                               "add.u32 %r2, %r2, 1; exit;",
	                               0,
	                               0,
	                               0,
	                               0,
	                               0};
	static const char *const plain[] = {ONE_SM, NULL};
	(void)state;
	run(plain, &row);
}

/* Code and constants by sectors: caches that allocate on fills preserve a line's other sectors, and every fetch
 * ends. */
static void test_read_only_caches(void **state)
{
	static const char body[] = LOAD(0) LOAD(256) LOAD(512) "bar.sync 0;" LOAD(0) "exit;";
	static const char *const ways[][3] = {
		{"sm.count=1", NULL}, {"sm.count=1", "l1i.sectors=4", NULL}, {"sm.count=1", "l1c.sectors=2", NULL}};
	uint64_t fills[3];
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct gpu_kit kit;
		kit_open(&kit, ways[i]);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.l1i.fills, kit.run.stats.l1i.misses);
		fills[i] = kit.run.stats.l1i.fills;
		kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.l1i.misses, 0);
		kit_close(&kit);
	}
	assert_true(fills[1] > fills[0]);
	assert_int_equal(fills[2], fills[0]);
}

/* A machine is refused if a cache above L2 could send pieces that L2 cannot take. */
static void test_machines_refused(void **state)
{
	static const struct {
		const char *option[3], *says;
	} row[] = {
		{{"l1d.line_bytes=256", NULL}, "l1d.line_bytes is 256; expected at most l2.line_bytes (128)"},
		{{"l2.sectors=4", NULL}, "l2.sectors is 4; more than 1 needs l2.by_sectors"},
		{{"l2.sectors=2", "l2.by_sectors=true", NULL}, "with l2.by_sectors a sector has 32 bytes"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct machine machine = {0};
		struct diag diag = {0};
		assert_true(config_file_read(SOURCE_DIR "/machines/gtx480.yaml", machine_options, machine_option_count,
		                             &machine, &diag));
		for (const char *const *option = row[i].option; *option; option++)
			assert_true(config_assign(*option, machine_options, machine_option_count, &machine, &diag));
		assert_false(machine_check(&machine, &diag));
		if (!strstr(diag.text, row[i].says))
			fail_msg("expected '%s' in:\n%s", row[i].says, diag.text);
		diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_sector_alone),
		cmocka_unit_test(test_local_write_back),
		cmocka_unit_test(test_local_load_that_bypasses_l1),
		cmocka_unit_test(test_read_only_caches),
		cmocka_unit_test(test_machines_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
