/* Protects teleport's buffer: the lines in it and their lifetime, the effects of stores, atomics and bypassing
 * loads, and its cost in shared-memory cycles. */
#include "teleport_kit.h"

/* The block's own 24 KB leave 8 of 32 KB: 64 lines. Of 100 lines, the first 36 are evicted before the block starts.
 * With 24 KB or less, with two blocks that fill the memory, or with less than a way left, the buffer has no
 * space. The kernel then runs as without the mechanism. */
static void test_capacity(void **state)
{
	enum { LINES = 100 };
	static const struct {
		const char *mechanism;
		uint32_t blocks, room;
		bool more; /* the block has 128 bytes more */
	} row[] = {
		{"teleport:buffer_kb=32", 1, 64, false},
		{"teleport:buffer_kb=32,sets=16", 1, 64, false},
		{"teleport", 1, LINES, false},
		{"teleport:buffer_kb=128", 4, LINES, false},
		{"teleport:buffer_kb=16", 1, 0, false},
		{"teleport:buffer_kb=24", 1, 0, false},
		{"teleport:buffer_kb=32,sets=64", 1, 64, false}, /* one way is left */
		{"teleport:buffer_kb=32,sets=64", 1, 0, true},   /* less than one way is left */
		{"teleport", 2, 0, false},
		{"teleport:buffer_kb=16,model=R", 2, LINES, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		OPEN(&kit, row[i].mechanism, &table, ONE_SM);
		kit.run.blocks_per_sm = row[i].blocks;
		load_lines(&kit, row[i].more ? ".shared .b8 more[128];" : "", LINES);
		add_row(&kit, &table, 0, LINES * LINE, 0);
		kit_run(&kit, row[i].blocks, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(kit_counter(&kit, 0, "demand"), row[i].blocks * LINES);
		assert_int_equal(kit_counter(&kit, 0, "demand_hits"), row[i].blocks * row[i].room);
		assert_int_equal(kit_counter(&kit, 0, "kernels_without_rows"), row[i].room == 0);
		assert_int_equal(requests.issued, row[i].room ? row[i].blocks * LINES : 0);
		assert_int_equal(requests.useful, row[i].room);
		assert_int_equal(requests.early_evicted, row[i].room ? LINES - row[i].room : 0);
		kit_close(&kit);
	}
}

/* Blocks that share lines both request them, because the controller does not know the tags. The second request is
 * redundant. A block's end frees the lines that only it had, so the next block in its slot requests them again. */
static void test_blocks_share(void **state)
{
	enum { LINES = 4 };
	struct gpu_kit kit;
	struct table table;
	(void)state;
	OPEN(&kit, "teleport:buffer_kb=64", &table, ONE_SM);
	kit.run.blocks_per_sm = 2;
	load_lines(&kit, "", LINES);
	add_row(&kit, &table, 0, LINES * LINE, 0);
	kit_run(&kit, 2, WARP);
	assert_int_equal(kit_counter(&kit, 0, "demand_hits"), 2 * LINES);
	struct mech_requests requests = kit_requests(&kit, 0);
	assert_int_equal(requests.useful, LINES);
	assert_int_equal(requests.redundant, LINES);
	kit.run.blocks_per_sm = 1;
	kit_run(&kit, 2, WARP);
	requests = kit_requests(&kit, 0);
	assert_int_equal(kit_counter(&kit, 0, "demand_hits"), 2 * LINES);
	assert_int_equal(requests.useful, 2 * LINES);
	kit_close(&kit);
}

/* Load, store, load, atomic, load of one line, one after the other. A store updates the buffer and continues to L2.
 * An atomic is performed at L2 and invalidates the line. */
static void test_stores_and_atomics(void **state)
{
	struct gpu_kit kit;
	struct table table;
	(void)state;
	OPEN(&kit, "teleport", &table, ONE_SM);
	kit_load(&kit, "ld.global.u64 %rd1, [%rd0]; add.u64 %rd2, %rd1, 5; st.global.u64 [%rd0], %rd2;\n"
	               "ld.global.u64 %rd3, [%rd0]; add.u64 %rd4, %rd3, 2; atom.global.add.u64 %rd5, [%rd0], %rd4;\n"
	               "ld.global.u64 %rd6, [%rd0]; st.global.u64 [%rd0+128], %rd6; exit;");
	add_row(&kit, &table, 0, 8, 0);
	uint64_t *value = simt_host(kit.gpu->memory, kit.param);
	value[0] = 10;
	kit_run(&kit, 1, 1);
	assert_int_equal(value[0], 10 + 5 + 15 + 2);
	assert_int_equal(value[16], 32);
	assert_int_equal(kit_counter(&kit, 0, "demand"), 6);
	assert_int_equal(kit_counter(&kit, 0, "demand_hits"), 3);
	assert_int_equal(kit.run.stats.l2.write_accesses, 2);
	assert_int_equal(kit.run.stats.l1d.read_accesses, 1); /* the last load */
	kit_close(&kit);
}

/* Block 0 ends while its line is in flight. Block 1 takes its slot, waits for a long time, and reads that line: a
 * miss, because the line was not brought for it. */
static void test_late_line(void **state)
{
	struct gpu_kit kit;
	struct table table;
	(void)state;
	OPEN(&kit, "teleport:overlap=yes,model=R", &table, ONE_SM);
	kit_load(&kit, "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra out; mov.u32 %r2, 0;\n"
	               "again: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 500; @%p2 bra again;\n"
	               "ld.global.u32 %r3, [%rd0];\nout: exit;");
	add_row(&kit, &table, 0, LINE, -LINE);
	kit_run(&kit, 2, WARP);
	kit_run(&kit, 2, WARP); /* the code is cached: block 0 ends at once */
	const struct mech_requests requests = kit_requests(&kit, 0);
	assert_int_equal(kit_counter(&kit, 0, "demand"), 1);
	assert_int_equal(kit_counter(&kit, 0, "demand_hits"), 0);
	assert_int_equal(requests.issued, 1);
	assert_int_equal(requests.redundant, 1);
	kit_close(&kit);
}

/* A load that must read memory beyond the SM (by its cache operator, or volatile) bypasses the buffer. */
static void test_loads_past_the_buffer(void **state)
{
	static const struct {
		const char *load;
		bool hits;
	} row[] = {{"ld.global.u32", true},     {"ld.global.ca.u32", true},  {"ld.global.cs.u32", true},
	           {"ld.global.cg.u32", false}, {"ld.global.cv.u32", false}, {"ld.volatile.global.u32", false},
	           {"ld.weak.global.u32", true}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		char body[128];
		OPEN(&kit, "teleport", &table, ONE_SM);
		snprintf(body, sizeof body, "%s %%r1, [%%rd0]; exit;", row[i].load);
		kit_load(&kit, body);
		add_row(&kit, &table, 0, LINE, 0);
		kit_run(&kit, 1, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(kit_counter(&kit, 0, "demand"), 1);
		assert_int_equal(kit_counter(&kit, 0, "demand_hits"), row[i].hits);
		assert_int_equal(requests.useful, row[i].hits);
		assert_int_equal(requests.redundant, !row[i].hits);
		kit_close(&kit);
	}
}

/* A fill takes a cycle of the shared memory that holds the buffer. While two warps' conflicting loads keep the banks
 * busy, N lines cost N cycles more than with the ideal buffer, which is separate. */
static void test_fills_take_shared_memory(void **state)
{
	static const uint32_t lines[] = {0, 1, 20};
	static const char *const mechanisms[] = {"teleport:model=R,overlap=yes", "teleport:overlap=yes"};
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		uint64_t cycles[2];
		for (size_t m = 0; m < 2; m++) {
			struct gpu_kit kit;
			struct table table;
			OPEN(&kit, mechanisms[m], &table, ONE_SM);
			kit_load(&kit, "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 31; mul.lo.u32 %r1, %r1, 128;\n"
			               "mov.u32 %r3, 0;\n"
			               "again: ld.shared.u32 %r2, [%r1]; add.u32 %r3, %r3, 1;\n"
			               "setp.lt.u32 %p1, %r3, 60; @%p1 bra again; exit;");
			if (lines[i])
				add_row(&kit, &table, 0, lines[i] * LINE, 0);
			kit_run(&kit, 1, 2 * WARP);
			cycles[m] = kit_run(&kit, 1, 2 * WARP);
			assert_true(kit.run.stats.sm.shared_conflict_cycles == 2 * 60 * 31);
			kit_close(&kit);
		}
		assert_int_equal(cycles[1], cycles[0] + lines[i]);
	}
}

/* With overlap, a load waits at the buffer for bytes in flight, and no second request is made. It is served as if it
 * had reached the buffer when they arrive, or a cycle later if they take shared memory's cycle. A sector that has
 * not been requested is fetched as usual. */
static void test_overlap_merges(void **state)
{
	static const struct {
		const char *mechanism, *address;
		bool merges;
		uint32_t behind; /* cycles from the bytes' arrival to the reply */
	} row[] = {
		{"teleport:model=R,overlap=yes", "%rd0", true, 0},
		{"teleport:overlap=yes", "%rd0", true, 1},
		{"teleport:model=R,overlap=yes", "%rd0+60", true, 0},
		{"teleport:model=R,overlap=yes", "%rd0+64", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		char body[128];
		OPEN(&kit, row[i].mechanism, &table, ONE_SM);
		snprintf(body, sizeof body, "ld.global.u32 %%r1, [%s]; add.u32 %%r2, %%r1, 1; exit;", row[i].address);
		kit_load(&kit, body);
		add_row(&kit, &table, 0, 64, 0);
		kit_run(&kit, 1, WARP);
		spy.first_issue = spy.replies = 0;
		kit_run(&kit, 1, WARP); /* with the code in the instruction cache */
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(kit_counter(&kit, 0, "demand"), 1);
		assert_int_equal(kit_counter(&kit, 0, "demand_hits"), 0);
		assert_int_equal(kit_counter(&kit, 0, "demand_merged"), row[i].merges);
		assert_int_equal(requests.late, row[i].merges);
		assert_int_equal(requests.redundant, !row[i].merges);
		assert_int_equal(kit.run.stats.l1d.read_accesses, !row[i].merges);
		assert_int_equal(spy.replies, 1);
		if (row[i].merges) /* through the pipe, then write-back; the addition issues after it */
			assert_int_equal(spy.last_addition,
			                 spy.last_reply + row[i].behind + kit.machine.sm.shared_latency + 1);
		kit_close(&kit);
	}
}

/* A block hits a line twice, and another block writes the line in between. On another SM, the write makes the second
 * hit stale; on the same SM, it does not. The check changes no other count, and without it nothing is counted. */
static void test_stale_hits(void **state)
{
	static const struct {
		const char *mechanism, *sms;
		uint32_t stale;
	} row[] = {{"teleport:look_stale=yes", "sm.count=2", 1},
	           {"teleport:model=R,look_stale=yes", "sm.count=2", 1},
	           {"teleport:model=I,look_stale=yes", "sm.count=2", 1},
	           {"teleport:model=R,look_stale=yes", "sm.count=1", 0},
	           {"teleport", "sm.count=2", 0}};
	uint64_t cycles[sizeof row / sizeof *row];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		OPEN(&kit, row[i].mechanism, &table, row[i].sms);
		kit.run.blocks_per_sm = i == 3 ? 2 : 1;
		kit_load(&kit, "mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 1;\n"
		               "mov.u32 %r5, 1000; @%p1 mov.u32 %r5, 300; @!%p1 ld.global.u32 %r3, [%rd0];\n"
		               "again: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r5; @%p2 bra again;\n"
		               "@%p1 st.global.u32 [%rd0], %r2; @!%p1 ld.global.u32 %r4, [%rd0];\n"
		               "@!%p1 st.global.u32 [%rd0+8], %r4; exit;");
		add_row(&kit, &table, 0, 4, 0);
		cycles[i] = kit_run(&kit, 2, 1);
		assert_int_equal(((uint32_t *)simt_host(kit.gpu->memory, kit.param))[2], 300);
		assert_int_equal(kit_counter(&kit, 0, "demand"), 4);
		assert_int_equal(kit_counter(&kit, 0, "stale_hits"), row[i].stale);
		kit_close(&kit);
	}
	assert_int_equal(cycles[0], cycles[4]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_blocks_share),
		cmocka_unit_test(test_stores_and_atomics),
		cmocka_unit_test(test_late_line),
		cmocka_unit_test(test_loads_past_the_buffer),
		cmocka_unit_test(test_fills_take_shared_memory),
		cmocka_unit_test(test_overlap_merges),
		cmocka_unit_test(test_stale_hits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
