/* Protects the controllers and the waits, in closed form: when a transfer is ignited, which instructions are refused
 * and when they issue. Covers exits, ends of blocks and full controllers. Statistics depend neither on sleep nor on
 * host threads. */
#include "d2ma_kit.h"

static void check_sums(const struct gpu_kit *kit)
{
	engine_check_sums(kit, "transfers", "drained", "transfer_cycles");
}

static void run_with(struct gpu_kit *kit, const char *mechanism, const char *body, uint32_t threads)
{
	char text[4096];
	OPEN(kit, mechanism, "sm.send_queue=16");
	snprintf(text, sizeof text, "%s%s", BEGIN, body);
	run_body(kit, text, threads);
	check_sums(kit);
}

/* --- waiting --- */

#define FETCH "dma_flat 0, 1024, %rd0, 64; mov.u32 %r10, 1024;\n"

/* One warp: the first access to the transfer's 256 bytes waits until all have arrived, and issues in that cycle. It
 * is squashed once. */
static void test_waits(void **state)
{
	static const char *const access[] = {"ld.shared.u32 %r3, [%r10];", "ld.shared.u32 %r3, [%r10+252];",
	                                     "ld.shared.u64 %rd3, [%r10-4+4];", "st.shared.u32 [%r10+128], %r1;",
	                                     "atom.shared.add.u32 %r3, [%r10+4], %r1;"};
	(void)state;
	for (size_t i = 0; i < sizeof access / sizeof *access; i++) {
		struct gpu_kit kit;
		char body[512];
		bool is_load = strncmp(access[i], "ld", 2) == 0;
		snprintf(body, sizeof body, "%s%s exit;", FETCH, access[i]);
		run_with(&kit, "d2ma", body, 1);
		assert_int_equal(spy.accesses, 1);
		assert_int_equal(engine.replies, 2);
		assert_int_equal(spy.access[0], last_answer());
		assert_int_equal(engine_counter(&kit, "squashed_loads"), is_load);
		assert_int_equal(engine_counter(&kit, "squashed_stores"), !is_load);
		assert_int_equal(kit.run.stats.sm.stack_replayed > 0, 1);
		kit_close(&kit);
	}
}

/* Accesses to neighboring bytes do not wait, nor do those to other spaces, nor those without active lanes. With
 * sync=barrier, the first two wait. */
static void test_does_not_wait(void **state)
{
	static const struct {
		const char *access;
		bool by_barrier;
	} row[] = {
		{"ld.shared.u32 %r3, [%r10-4];", true},
		{"ld.shared.u32 %r3, [%r10+256];", true},
		{"ld.global.u32 %r3, [%rd0+1024]; ld.shared.u32 %r3, [%r10+256];", true},
		{".local .b8 own[2048]; mov.u64 %rd5, own; cvta.local.u64 %rd5, %rd5; ld.u32 %r3, [%rd5+1024];", false},
		{"setp.eq.u32 %p1, %r1, 1; @%p1 ld.shared.u32 %r3, [%r10];", false}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (uint32_t barrier = 0; barrier < 2; barrier++) {
			struct gpu_kit kit;
			char body[512];
			snprintf(body, sizeof body, "%s%s\n%s", FETCH, row[i].access, WAIT(1000, "again") "exit;");
			run_with(&kit, barrier ? "d2ma:sync=barrier" : "d2ma", body, 1);
			bool waits = barrier && row[i].by_barrier;
			assert_int_equal(engine_counter(&kit, "squashed_loads"), waits);
			assert_true(!waits || spy.access[spy.accesses - 1] >= last_answer());
			kit_close(&kit);
		}
}

/* Spaced banks and a halo belong to the range: an access to its last word waits. */
static void test_range(void **state)
{
	static const struct {
		const char *fetch;
		uint32_t end;
	} row[] = {{"dma_spaced 0, 16; dma_flat 0, 0, %rd0, 64;", 4 * (64 + 3)},
	           {"add.u64 %rd1, %rd0, 4096; dma_halo 0, 1, 2, 9, 0; dma_matrix 0, 0, %rd1, 4, 4, 32;", 4 * 6 * 8}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (uint32_t beyond = 0; beyond < 2; beyond++) {
			struct gpu_kit kit;
			char body[512];
			snprintf(body, sizeof body, "%s mov.u32 %%r10, %u; ld.shared.u32 %%r3, [%%r10];\n%s",
			         row[i].fetch, row[i].end - 4 + 4 * beyond, WAIT(1000, "again") "exit;");
			run_with(&kit, "d2ma", body, 1);
			assert_int_equal(engine_counter(&kit, "squashed_loads"), !beyond);
			kit_close(&kit);
		}
}

/* A transfer to the last bytes of the block's shared memory. */
static void test_last_bytes(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma", "dma_flat 0, 24320, %rd0, 64; mov.u32 %r10, 24572; ld.shared.u32 %r3, [%r10]; exit;", 1);
	assert_int_equal(kit.run.launch.dynamic_shared_bytes, 24320 + 4 * 64);
	assert_int_equal(engine_counter(&kit, "completed"), 1);
	assert_int_equal(engine_counter(&kit, "squashed_loads"), 1);
	kit_close(&kit);
}

/* Two transfers: an instruction that needs the first continues when it is complete, although the second, longer one
 * is not. */
static void test_completes_alone(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma",
	         "dma_flat 0, 0, %rd0, 32; dma_strided 1, 4096, %rd0, 300, 2; mov.u32 %r10, 0;\n"
	         "ld.shared.u32 %r3, [%r10]; ld.shared.u32 %r4, [%r10+4096]; exit;",
	         1);
	assert_int_equal(spy.accesses, 2);
	assert_true(spy.access[0] < last_answer());
	assert_int_equal(spy.access[1], last_answer());
	assert_int_equal(engine_counter(&kit, "squashed_loads"), 2);
	kit_close(&kit);
}

/* With sync=barrier, a warp waits until the last warp, too, has issued the first command or has ended. */
static void test_by_barrier(void **state)
{
	static const char *const late[] = {FETCH WAIT(500, "more") "exit;", "exit;"};
	(void)state;
	for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
		struct gpu_kit kit;
		char body[1024];
		snprintf(body, sizeof body, "%s%s\n%s %s",
		         "setp.eq.u32 %p1, %r2, 0; @%p1 bra early;\n" WAIT(500, "again"), late[i], "early: " FETCH,
		         "ld.shared.u32 %r3, [%r10]; exit;");
		run_with(&kit, "d2ma:sync=barrier", body, 64);
		assert_true(spy.access[0] > last_answer() + 500);
		if (i == 0)
			assert_in_range(spy.access[0], spy.command[1], spy.command[1] + 2);
		/* squashed again when the transfer is complete */
		assert_int_equal(engine_counter(&kit, "squashed_loads"), 2);
		kit_close(&kit);
	}
}

/* --- commands --- */

/* Eight warps issue the command: one fills the entry, the other seven do nothing. */
static void test_first_warp_ignites(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma", FETCH "ld.shared.u32 %r3, [%r10]; exit;", 256);
	assert_int_equal(engine_counter(&kit, "transfers"), 1);
	assert_int_equal(engine_counter(&kit, "commands"), 8);
	assert_int_equal(engine_counter(&kit, "repeated"), 7);
	assert_int_equal(engine_counter(&kit, "reignited"), 0);
	assert_int_equal(engine_counter(&kit, "segments"), 2);
	assert_int_equal(engine_counter(&kit, "squashed_loads"), 8);
	for (uint32_t i = 0; i < spy.accesses; i++)
		assert_true(spy.access[i] >= last_answer());
	kit_close(&kit);
}

/* The second warp issues the buffer's second command late. The transfer begins then. Until then, a read by the first
 * warp waits, and the late warp may still read the old data. */
static void test_reignites_when_all_have_come(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma",
	         FETCH "ld.shared.u32 %r3, [%r10]; setp.eq.u32 %p1, %r2, 0; @%p1 bra come;\n" WAIT(
			 500, "again") "ld.shared.u32 %r4, [%r10];\n"
	                               "come: add.u64 %rd1, %rd0, 8192; dma_execute 0, 1024, %rd1; ld.shared.u32 %r5, "
	                               "[%r10+8]; exit;",
	         64);
	assert_int_equal(engine_counter(&kit, "transfers"), 2);
	assert_int_equal(engine_counter(&kit, "reignited"), 1);
	assert_int_equal(spy.commands, 4);
	assert_int_equal(spy.accesses, 5);
	assert_int_equal(engine.replies, 4);
	assert_true(spy.command[3] > spy.command[2] + 500);  /* the late warp's second command */
	assert_int_equal(spy.access[2] < spy.command[3], 1); /* its read of the old data */
	for (uint32_t i = 2; i < 4; i++)
		assert_true(engine.sent[i] > spy.command[3]);
	assert_int_equal(spy.access[3], last_answer());
	assert_int_equal(engine_counter(&kit, "squashed_loads"), 4); /* each warp, for each transfer */
	kit_close(&kit);
}

/* A warp that has ended need not issue the command; the transfer begins at its end. */
static void test_exits_count(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma",
	         FETCH "ld.shared.u32 %r3, [%r10]; setp.eq.u32 %p1, %r2, 0; @%p1 bra come;\n" WAIT(
			 500, "again") "exit;\n"
	                               "come: add.u64 %rd1, %rd0, 8192; dma_execute 0, 1024, %rd1; ld.shared.u32 %r5, "
	                               "[%r10]; exit;",
	         64);
	assert_int_equal(engine_counter(&kit, "transfers"), 2);
	assert_int_equal(spy.commands, 3);
	assert_true(engine.sent[2] > spy.command[2] + 500);
	assert_int_equal(spy.access[2], last_answer());
	kit_close(&kit);
}

/* No warp is left to issue the command, which is dropped at the block's end. */
static void test_ends_before_all_have_come(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma",
	         FETCH "ld.shared.u32 %r3, [%r10]; setp.eq.u32 %p1, %r2, 1; @%p1 bra over;\n"
	               "dma_execute 0, 1024, %rd0; over: exit;",
	         64);
	assert_int_equal(engine_counter(&kit, "completed"), 1);
	assert_int_equal(engine_counter(&kit, "commands"), 3);
	kit_close(&kit);
}

/* The previous transfer must be complete. A warp that is two commands ahead is refused until the next one is
 * ignited. */
static void test_waits_for_the_one_before(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma",
	         "dma_strided 0, 0, %rd0, 400, 2; dma_execute 0, 2048, %rd0; dma_execute 0, 4096, %rd0; exit;\n", 64);
	assert_int_equal(engine_counter(&kit, "transfers"), 2);     /* the block ends before the third can be ignited */
	assert_int_equal(engine_counter(&kit, "held_commands"), 2); /* the third of each warp */
	assert_int_equal(engine_counter(&kit, "drained"), 1);
	assert_int_equal(spy.commands, 6);
	uint64_t first_end = 0;
	for (uint32_t i = 0; i < engine.replies; i++)
		if (engine.request[i].tag / DMA_BUFFERS == 1)
			first_end = engine.answered[i];
	assert_int_equal(spy.command[4], first_end);
	for (uint32_t i = 0; i < engine.replies; i++)
		if (engine.request[i].tag / DMA_BUFFERS == 2)
			assert_true(engine.sent[i] > first_end);
	kit_close(&kit);
}

/* With one entry, the second buffer's transfer begins when the first one's is complete. */
static void test_entries(void **state)
{
	(void)state;
	for (uint32_t entries = 1; entries <= 2; entries++) {
		struct gpu_kit kit;
		char mechanism[32];
		uint64_t first_end = 0, second = MECH_NEVER, second_end = 0;
		snprintf(mechanism, sizeof mechanism, "d2ma:entries=%u", entries);
		run_with(&kit, mechanism,
		         "dma_flat 0, 0, %rd0, 64; dma_flat 1, 1024, %rd0, 64; mov.u32 %r10, 0;\n"
		         "ld.shared.u32 %r3, [%r10+1024]; ld.shared.u32 %r3, [%r10]; exit;",
		         1);
		for (uint32_t i = 0; i < engine.replies; i++)
			if (engine.request[i].tag % DMA_BUFFERS) {
				second = engine.sent[i] < second ? engine.sent[i] : second;
				second_end = engine.answered[i] > second_end ? engine.answered[i] : second_end;
			} else
				first_end = engine.answered[i] > first_end ? engine.answered[i] : first_end;
		assert_int_equal(second > first_end, entries == 1);
		assert_true(spy.access[0] >= second_end); /* although it was not ignited at the time of the read */
		assert_int_equal(engine_counter(&kit, "completed"), 2);
		kit_close(&kit);
	}
}

/* --- block ends --- */

/* The block ends before its transfer: requested data are dropped on arrival, nothing more is requested, and the next
 * block in the slot gets correct data. */
static void test_drains(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "d2ma", "sm.send_queue=16", "sm.blocks=1");
	kit_load(&kit, BEGIN "mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, %r4, 0; @%p1 bra read;\n"
	                     "dma_strided 0, 0, %rd0, 2000, 1; exit;\n"
	                     "read: " FETCH "ld.shared.u32 %r3, [%r10]; exit;");
	kit_run(&kit, 2, WARP);
	check_sums(&kit);
	assert_int_equal(engine_counter(&kit, "drained"), 1);
	assert_int_equal(engine_counter(&kit, "completed"), 1);
	assert_true(engine_counter(&kit, "segments") < 40); /* of 62 + 2 */
	assert_int_equal(spy.accesses, 1);
	assert_int_equal(engine_counter(&kit, "squashed_loads"), 1);
	uint64_t own = 0; /* cycle of the last reply to the second block's requests */
	for (uint32_t i = 0; i < engine.replies; i++)
		if (engine.request[i].tag / DMA_BUFFERS == 2 && engine.answered[i] > own)
			own = engine.answered[i];
	assert_int_equal(spy.access[0], own);
	kit_close(&kit);
	/* two transfers, one of which was waiting for the other's entry */
	run_with(&kit, "d2ma:entries=1", "dma_strided 0, 0, %rd0, 2000, 1; dma_flat 1, 8192, %rd0, 64; exit;", WARP);
	assert_int_equal(engine_counter(&kit, "transfers"), 1);
	assert_int_equal(engine_counter(&kit, "drained"), 1);
	kit_close(&kit);
}

/* --- stalls --- */

/* A single warp is stalled from its squash until the end of the transfer. A second warp that computes prevents this;
 * one at a barrier, or that waits for loads, does not. */
static void test_stalls(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_with(&kit, "d2ma", FETCH "ld.shared.u32 %r3, [%r10]; exit;", 1);
	uint64_t alone = engine_counter(&kit, "stalled_cycles");
	assert_in_range(alone, last_answer() - spy.command[0] - 60, last_answer() - spy.command[0]);
	assert_int_equal(alone, kit.run.stats.sm.stack_replayed);
	kit_close(&kit);
	static const struct {
		const char *other, *behind;
		bool waits;
	} row[] = {{WAIT(2000, "again"), "exit;", false},
	           {"bar.sync 0;", "bar.sync 0; exit;", true},
	           {"ld.global.u32 %r3, [%rd0+65536]; add.u32 %r4, %r3, 1; ld.global.u32 %r3, [%rd0+131072]; add.u32 "
	            "%r4, %r3, 1;",
	            "exit;", true}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char body[1024];
		snprintf(body, sizeof body, "%s%s exit;\nread: ld.shared.u32 %%r3, [%%r10]; %s",
		         FETCH "setp.eq.u32 %p1, %r2, 0; @%p1 bra read;\n", row[i].other, row[i].behind);
		run_with(&kit, "d2ma", body, 64);
		assert_in_range(engine_counter(&kit, "stalled_cycles"), row[i].waits ? alone / 2 : 0,
		                row[i].waits ? alone : 0);
		kit_close(&kit);
	}
}

/* --- sleep, threads --- */

#define LOOP                                                                                                           \
	"mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd2, %r4, 4096; add.u64 %rd1, %rd0, %rd2; mov.u32 %r10, 0; mov.u32 "     \
	"%r11, 0;\n"                                                                                                   \
	"dma_flat 0, 0, %rd1, 256; dma_strided 1, 2048, %rd1, 100, 3;\n"                                               \
	"shl.b32 %r12, %r1, 2; again: ld.shared.u32 %r3, [%r12]; ld.shared.u32 %r5, [%r10+2048]; add.u32 %r6, %r3, "   \
	"%r5;\n"                                                                                                       \
	"dma_execute 0, 0, %rd1; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5; @%p1 bra again; exit;"

static void test_sleep_and_threads(void **state)
{
	struct d2ma_seen {
		uint64_t cycles, counter[64];
	} seen[3];
	static const char *const mechanisms[] = {"d2ma", "d2ma:sync=barrier,entries=1,mshrs=3",
	                                         "d2ma:segment=32,interval=2"};
	(void)state;
	for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++) {
		for (uint32_t i = 0; i < 3; i++) {
			struct gpu_kit kit;
			kit_threads = i == 2 ? 3 : 1;
			const char *const set[] = {i == 1 ? "launch.sleep=false" : "launch.sleep=true", "sm.count=3",
			                           NULL};
			kit_describe(&kit, set);
			kit_attach(&kit, mechanisms[m]);
			kit_build(&kit);
			kit.param = kit_buffer(&kit, NULL, ARRAY / 8);
			kit_load(&kit, BEGIN LOOP);
			memset(&seen[i], 0, sizeof seen[i]);
			seen[i].cycles = kit_run(&kit, 9, 128);
			check_sums(&kit);
			for (size_t c = 0; c < mech_d2ma.counter_count; c++)
				seen[i].counter[c] = engine_counter(&kit, mech_d2ma.counters[c].name);
			assert_int_equal(engine_counter(&kit, "reignited"), 9 * 5);
			kit_close(&kit);
		}
		assert_memory_equal(&seen[0], &seen[1], sizeof seen[0]);
		assert_memory_equal(&seen[0], &seen[2], sizeof seen[0]);
	}
	kit_threads = 1;
}

/* --- costs --- */

static void test_costs(void **state)
{
	struct mech_cost cost[MECH_MAX_COSTS];
	const struct mech_machine machine = {.sms = 15, .blocks = 8, .l1_mshrs = 32};
	(void)state;
	assert_in_range(mech_d2ma.costs(mech_d2ma.defaults, &machine, cost), 8, MECH_MAX_COSTS);
	assert_int_equal(cost[0].value, 173);
	assert_int_equal(cost[1].value, 692);
	assert_int_equal(cost[2].value, 692);
	assert_int_equal(cost[3].value, 64);
	assert_in_range(cost[7].value * 10, 546043, 546043);
	assert_in_range(cost[11].value * 1000, 3719, 3721);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_does_not_wait),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_last_bytes),
		cmocka_unit_test(test_completes_alone),
		cmocka_unit_test(test_by_barrier),
		cmocka_unit_test(test_first_warp_ignites),
		cmocka_unit_test(test_reignites_when_all_have_come),
		cmocka_unit_test(test_exits_count),
		cmocka_unit_test(test_ends_before_all_have_come),
		cmocka_unit_test(test_waits_for_the_one_before),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_drains),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_sleep_and_threads),
		cmocka_unit_test(test_costs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
