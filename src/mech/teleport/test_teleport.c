/* Protects teleport's controller: when and how long blocks wait, the controller's rate, and its requests. Its
 * settings change timing only. Rows are given by the tests. test_teleport_buffer tests the buffer;
 * test_teleport_rows tests rows from analysis and from calls. */
#include "teleport_kit.h"

/* R and real hold a block's warps until the cycle in which the last line arrives. The other models start the block
 * at once, as without the mechanism. */
static void test_hold(void **state)
{
	enum { LINES = 10 };
	static const struct {
		const char *mechanism;
		bool holds, asks;
	} row[] = {{"teleport:loops=none", true, true},   {"teleport:model=R", true, true},
	           {"teleport:overlap=yes", false, true}, {"teleport:model=R,overlap=yes", false, true},
	           {"teleport:model=S", false, true},     {"teleport:model=I", false, false}};
	uint64_t at_once = 0;
	(void)state;
	for (size_t i = 0; i <= sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		OPEN(&kit, i ? row[i - 1].mechanism : "teleport:model=R", &table, ONE_SM);
		load_lines(&kit, "", LINES);
		if (i)
			add_row(&kit, &table, 0, LINES * LINE, 0);
		kit_run(&kit, 1, WARP);
		spy.replies = 0; /* second run, with the code in the instruction cache */
		spy.first_issue = 0;
		kit_run(&kit, 1, WARP);
		uint64_t started = spy.first_issue - spy.begun;
		uint64_t held = kit_counter(&kit, 0, "held_block_cycles");
		const struct mech_requests requests = kit_requests(&kit, 0);
		if (i == 0) { /* no rows: as without the mechanism */
			at_once = started;
			assert_int_equal(kit_counter(&kit, 0, "kernels_without_rows"), 1);
		} else if (row[i - 1].holds) {
			assert_int_equal(spy.replies, LINES);
			assert_int_equal(spy.first_issue, spy.last_reply);
			assert_int_equal(held, spy.last_reply - spy.begun);
			/* all cycles of the scheduler after the one in which the block started */
			assert_int_equal(kit.run.stats.sm.stack_held, held - 1);
			assert_true(started > 2 * at_once);
		} else {
			assert_int_equal(started, at_once);
		}
		if (!i || !row[i - 1].holds) {
			assert_int_equal(held, 0);
			assert_int_equal(kit.run.stats.sm.stack_held, 0);
		}
		assert_int_equal(requests.issued, i && row[i - 1].asks ? LINES : 0);
		assert_int_equal(requests.asked, requests.issued);
		kit_close(&kit);
	}
}

/* In the ideal buffer, every load covered by rows hits, here eight of nine lines. S sends the same requests as R.
 * When much unread data is loaded, each model with less overhead is faster. */
static void test_models(void **state)
{
	enum { BLOCKS = 12, LINES = 8, MORE = 200 };
	static const char *const models[] = {"teleport:model=I", "teleport:model=S", "teleport:model=R"};
	uint64_t cycles[3], issued[3];
	(void)state;
	for (size_t m = 0; m < 3; m++) {
		struct gpu_kit kit;
		struct table table;
		OPEN(&kit, models[m], &table, ONE_SM);
		load_lines(&kit, MY_LINES(1152), LINES + 1);
		add_row(&kit, &table, LINE, (LINES + 1) * LINE, (LINES + 1) * LINE);
		add_row(&kit, &table, ARRAY / 2, ARRAY / 2 + MORE * LINE, MORE * LINE);
		cycles[m] = kit_run(&kit, BLOCKS, 2 * WARP);
		issued[m] = kit_requests(&kit, 0).issued;
		assert_int_equal(kit_counter(&kit, 0, "demand"), BLOCKS * 2 * (LINES + 1));
		assert_int_equal(kit_counter(&kit, 0, "demand_hits"), BLOCKS * 2 * LINES);
		assert_int_equal(kit_counter(&kit, 0, "loaded_blocks"), BLOCKS);
		assert_int_equal(kit_counter(&kit, 0, "largest_block_bytes"), (LINES + MORE) * LINE);
		assert_int_equal(kit_counter(&kit, 0, "rows"), 2);
		assert_int_equal(kit.run.stats.l1d.read_accesses, BLOCKS * 2);
		kit_close(&kit);
	}
	assert_int_equal(issued[0], 0);
	assert_int_equal(issued[1], BLOCKS * (LINES + MORE));
	assert_int_equal(issued[2], BLOCKS * (LINES + MORE));
	assert_true(cycles[0] < cycles[1] && cycles[1] < cycles[2]);
}

/* One row or one request per cycle, or `rate` of them: N lines leave in N cycles. A row is read while the previous
 * row's last request leaves. A row without bytes for the block costs a cycle. */
static void test_pace(void **state)
{
	enum { LINES = 12 };
	static const struct {
		const char *mechanism;
		uint32_t rows;
		bool empty_row;
		uint32_t cycles; /* from the first request to the last */
	} row[] = {
		{"teleport:model=R", 1, false, LINES - 1},
		{"teleport:model=R", 3, false, LINES - 1},
		{"teleport:model=R", 3, true, LINES - 1 + 1},
		{"teleport:model=R,rate=4", 1, false, (LINES + 1 + 3) / 4 - 1}, /* 13 steps: one reads the first row */
		{"teleport:model=R,rate=16", 1, false, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		uint64_t first = UINT64_MAX, last = 0;
		uint32_t bytes = LINES / row[i].rows * LINE;
		OPEN(&kit, row[i].mechanism, &table, ONE_SM);
		load_lines(&kit, "", 1);
		for (uint32_t r = 0; r < row[i].rows; r++) {
			add_row(&kit, &table, r * bytes, (r + 1) * bytes, 0);
			if (row[i].empty_row && r == 0)
				add_row(&kit, &table, -256, -128, 0);
		}
		kit_run(&kit, 1, WARP);
		assert_int_equal(spy.replies, LINES);
		for (uint32_t r = 0; r < LINES; r++) {
			first = spy.sent[r] < first ? spy.sent[r] : first;
			last = spy.sent[r] > last ? spy.sent[r] : last;
		}
		assert_int_equal(last - first, row[i].cycles);
		/* Dispatch, read the row, enter the queue, leave it: one cycle each; with a higher rate, two in
		 * total. */
		assert_int_equal(first - spy.begun, strstr(row[i].mechanism, "rate") ? 2 : 3);
		assert_int_equal(kit_counter(&kit, 0, "blocked_cycles"), 0);
		kit_close(&kit);
	}
}

/* A queue of two accepts two requests per cycle, so a controller with a rate of 16 is blocked in each cycle except
 * the last. */
static void test_full_queue(void **state)
{
	enum { LINES = 12 };
	struct gpu_kit kit;
	struct table table;
	(void)state;
	OPEN(&kit, "teleport:model=R,rate=16", &table, ONE_SM, "sm.send_queue=2");
	load_lines(&kit, "", 1);
	add_row(&kit, &table, 0, LINES * LINE, 0);
	kit_run(&kit, 1, WARP);
	assert_int_equal(kit_counter(&kit, 0, "blocked_cycles"), LINES / 2 - 1);
	assert_int_equal(kit_requests(&kit, 0).issued, LINES);
	kit_close(&kit);
}

/* A row's requests, per line: the sector or half that contains its bytes, else the whole line, like a warp's
 * transactions. With request=line, always lines. */
static void test_request_size(void **state)
{
	enum { MOST = 4 };
	static const struct {
		const char *mechanism;
		int64_t low, high;
		uint32_t offset[MOST], bytes[MOST]; /* 0: no more */
	} row[] = {
		{"teleport", 40, 60, {32}, {32}},
		{"teleport", 4, 5, {0}, {32}},
		{"teleport", 0, 64, {0}, {64}},
		{"teleport", 70, 128, {64}, {64}},
		{"teleport", 32, 96, {0}, {128}}, /* in both halves */
		{"teleport", 40, 128, {0}, {128}},
		{"teleport", 100, 160, {96, 128}, {32, 32}},
		{"teleport", 64, 400, {64, 128, 256, 384}, {64, 128, 128, 32}},
		{"teleport", 40, 330, {0, 128, 256}, {128, 128, 128}},
		{"teleport:request=line", 4, 5, {0}, {128}},
		{"teleport:request=line", 100, 160, {0, 128}, {128, 128}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct table table;
		uint32_t requests = 0, seen = 0, bytes = 0;
		OPEN(&kit, row[i].mechanism, &table, ONE_SM);
		load_lines(&kit, "", 1);
		add_row(&kit, &table, row[i].low, row[i].high, 0);
		kit_run(&kit, 1, WARP);
		while (requests < MOST && row[i].bytes[requests])
			bytes += row[i].bytes[requests++];
		assert_int_equal(spy.replies, requests);
		for (uint32_t r = 0; r < requests; r++)
			for (uint32_t k = 0; k < requests; k++)
				seen += spy.request[r].address == kit.param + row[i].offset[k] &&
				        spy.request[r].bytes == row[i].bytes[k];
		assert_int_equal(seen, requests);
		assert_int_equal(kit_counter(&kit, 0, "largest_block_bytes"), bytes);
		/* the warp's only load reads the whole first line */
		assert_int_equal(kit_counter(&kit, 0, "demand_hits"), row[i].bytes[0] == 128);
		kit_close(&kit);
	}
}

/* Blocks that do not wait end before the controller reaches them. There are hundreds, and none is mistaken for
 * another block. S nevertheless sends the same requests as R, and the kernel lasts until they are answered. So it
 * takes at least the controller's one row or request per cycle. With overlap, no more requests are made after the
 * last block has ended. */
static void test_blocks_that_end_first(void **state)
{
	enum { BLOCKS = 300, LINES = 200 };
	static const char *const mechanisms[] = {"teleport:model=S", "teleport:model=R",
	                                         "teleport:model=R,overlap=yes"};
	(void)state;
	for (size_t m = 0; m < 3; m++) {
		struct gpu_kit kit;
		struct table table;
		OPEN(&kit, mechanisms[m], &table, ONE_SM);
		kit.run.blocks_per_sm = 4;
		kit_load(&kit, "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 8; add.u64 %rd1, %rd1, %rd0;\n"
		               "cvt.u64.u32 %rd2, %r1; st.global.u64 [%rd1], %rd2; exit;");
		add_row(&kit, &table, 0, LINES * LINE, 0);
		uint64_t cycles = kit_run(&kit, BLOCKS, WARP);
		const uint64_t *value = simt_host(kit.gpu->memory, kit.param);
		for (uint64_t b = 0; b < BLOCKS; b++)
			assert_int_equal(value[b], b);
		const struct mech_requests requests = kit_requests(&kit, 0);
		if (m < 2) {
			assert_int_equal(requests.issued, BLOCKS * LINES);
			assert_int_equal(requests.asked, requests.issued);
			assert_true(cycles > BLOCKS * LINES);
		} else {
			assert_true(requests.issued > 0 && requests.issued < BLOCKS * LINES);
		}
		kit_close(&kit);
	}
}

/* Results of a run on many SMs. */
struct outcome {
	uint64_t cycles, held, hits, sum;
	struct mech_requests requests;
	struct gpu_stats stats;
};

/* 80 blocks of two warps on 15 SMs. Each block sums its 2 KB and stores the sum; half the blocks' bytes have rows.
 * The last blocks have no rows and wait only for the controller. */
static struct outcome run_many(const char *mechanism, const char *option, uint32_t threads)
{
	enum { BLOCKS = 80, BYTES = 2048, SUMS = 3 * ARRAY / 4 };
	struct gpu_kit kit;
	struct table table;
	struct outcome outcome = {0};
	kit_describe(&kit, (const char *const[]){option, NULL});
	kit_attach(&kit, mechanism);
	kit_threads = threads;
	prepare(&kit, &table);
	kit_threads = 1;
	kit.run.blocks_per_sm = 3;
	uint64_t *value = simt_host(kit.gpu->memory, kit.param);
	for (uint64_t i = 0; i < SUMS / 8; i++)
		value[i] = i * i;
	kit_load(&kit, "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 2048; add.u64 %rd1, %rd1, %rd0;\n"
	               "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 8; add.u64 %rd1, %rd1, %rd2;\n"
	               "mov.u64 %rd5, 0; mov.u32 %r3, 0;\n"
	               "again: ld.global.u64 %rd3, [%rd1]; add.u64 %rd5, %rd5, %rd3; add.u64 %rd1, %rd1, 512;\n"
	               "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra again;\n"
	               "mad.lo.u32 %r4, %r1, 64, %r2; mul.wide.u32 %rd4, %r4, 8; add.u64 %rd4, %rd4, %rd0;\n"
	               "st.global.u64 [%rd4+786432], %rd5; exit;");
	add_row(&kit, &table, 0, BYTES / 2, BYTES);
	add_row(&kit, &table, 5 * BYTES / 8, 6 * BYTES / 8, BYTES);
	table.row[0].end = table.row[1].end = kit.param + 70 * BYTES;
	outcome.cycles = kit_run(&kit, BLOCKS, 2 * WARP);
	outcome.requests = kit_requests(&kit, 0);
	outcome.held = kit_counter(&kit, 0, "held_block_cycles");
	outcome.hits = kit_counter(&kit, 0, "demand_hits");
	outcome.stats = kit.run.stats;
	for (uint64_t t = 0; t < BLOCKS * 2 * WARP; t++) {
		uint64_t first = t / 64 * (BYTES / 8) + t % 64, sum = 0;
		for (uint64_t i = 0; i < 4; i++)
			sum += (first + 64 * i) * (first + 64 * i);
		assert_int_equal(value[SUMS / 8 + t], sum);
		outcome.sum += sum;
	}
	kit_close(&kit);
	return outcome;
}

/* Priorities in the network and at memory change cycles, but neither results nor requests. */
static void test_only_time_changes(void **state)
{
	static const char *const mechanisms[] = {"teleport:model=R",
	                                         "teleport:model=R,arbitration=core",
	                                         "teleport:model=R,arbitration=alternate",
	                                         "teleport:model=R,urgent=no",
	                                         "teleport:model=R,rate=8",
	                                         "teleport:model=S"};
	const struct outcome first = run_many(mechanisms[0], "sm.count=15", 1);
	uint32_t others = 0;
	(void)state;
	assert_true(first.hits > 0 && first.held > 0);
	for (size_t m = 1; m < sizeof mechanisms / sizeof *mechanisms; m++) {
		const struct outcome outcome = run_many(mechanisms[m], "sm.count=15", 1);
		assert_int_equal(outcome.requests.issued, first.requests.issued);
		assert_int_equal(outcome.hits, first.hits);
		assert_int_equal(outcome.stats.sm.thread_instructions, first.stats.sm.thread_instructions);
		assert_int_equal(outcome.sum, first.sum);
		others += outcome.cycles != first.cycles;
	}
	assert_true(others > 2);
}

/* No count depends on the number of host threads, nor on whether idle units tick. */
static void test_how_it_is_simulated(void **state)
{
	static const char *const mechanisms[] = {"teleport:model=R",
	                                         "teleport:model=R,overlap=yes,arbitration=alternate",
	                                         "teleport:model=S,rate=2", "teleport:model=I"};
	static const struct {
		const char *option;
		uint32_t threads;
	} row[] = {{"launch.sleep=false", 1}, {"launch.sleep=true", 2}, {"launch.sleep=true", 3}};
	(void)state;
	for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++) {
		const struct outcome first = run_many(mechanisms[m], "launch.sleep=true", 1);
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			const struct outcome other = run_many(mechanisms[m], row[i].option, row[i].threads);
			assert_memory_equal(&other, &first, sizeof first);
		}
	}
}

static double cost_of(const char *mechanism, const char *what)
{
	struct gpu_kit kit;
	struct mech_cost cost[MECH_MAX_COSTS];
	double value = -1;
	kit_describe(&kit, (const char *const[]){NULL});
	kit_attach(&kit, mechanism);
	const struct mech_machine seen = gpu_mech_machine(&kit.machine);
	uint32_t count = mech_teleport.costs(kit.attachments.list[0].config, &seen, cost);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(cost[i].what, what) == 0)
			value = cost[i].value;
	attachments_free(&kit.attachments);
	return value;
}

/* Section 6. Its 0.136 mm2 are 15 x 0.009; its 0.173 mm2 are 12 x 0.0144, an ALU's rounded area. */
static void test_costs(void **state)
{
	(void)state;
	assert_int_equal(cost_of("teleport", "preload table"), 1344);
	assert_int_equal(cost_of("teleport:table_entries=128", "preload table"), 2688);
	assert_int_equal(cost_of("teleport:field_bits=32", "preload table"), 64 * (1 + 4 + 8 * 4));
	assert_int_equal(cost_of("teleport", "tags of the buffer, per SM"), 4 * 96);
	assert_float_equal(cost_of("teleport", "tags of all SMs, area at 40 nm"), 0.136, 0.0011);
	assert_float_equal(cost_of("teleport", "preload table, area at 40 nm"), 0.004, 1e-9);
	assert_float_equal(cost_of("teleport", "controller's 12 ALUs, area at 40 nm"), 0.173, 0.005);
	double all = cost_of("teleport", "all together"), share = cost_of("teleport", "of a GTX 480's die (529 mm2)");
	assert_float_equal(all, 0.136 + 0.004 + 0.173, 0.006);
	assert_float_equal(share, 100 * all / 529, 1e-9);
	assert_true(share < 1);
}

static void test_wrong_options(void **state)
{
	(void)state;
	kit_refuses("teleport:sets=3", "power of two");
	kit_refuses("teleport:buffer_kb=10,sets=32", "whole number of ways");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hold),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_full_queue),
		cmocka_unit_test(test_request_size),
		cmocka_unit_test(test_blocks_that_end_first),
		cmocka_unit_test(test_only_time_changes),
		cmocka_unit_test(test_how_it_is_simulated),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_wrong_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
