/* Protects the order in which competitors for one resource are served: warps at their scheduler and at fetch,
 * schedulers at a pipe, operands at a collector, replies at the load/store unit's write-back port. */
#include "gpu_kit.h"

enum { WARP = 32 };

/* One SM whose instruction cache holds every kernel of this file. */
#define ONE_SM "sm.count=1", "l1i.sets=64"

#define MAX_WARPS  8
#define MAX_CLOCKS 16

/* Returns the cycles in which `warps` warps issued `count` independent instructions each, after a barrier. */
static void issue_times(const char *const *options, uint32_t warps, uint32_t count,
                        uint32_t clock[MAX_WARPS][MAX_CLOCKS])
{
	struct gpu_kit kit;
	char body[4096];
	size_t at = 0;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, MAX_WARPS * MAX_CLOCKS);
	at += (size_t)snprintf(body + at, sizeof body - at,
	                       "mov.u32 %%r30, %%tid.x; shr.u32 %%r30, %%r30, 5;\n"
	                       "mul.wide.u32 %%rd1, %%r30, %u; add.u64 %%rd1, %%rd1, %%rd0;\n"
	                       "bar.sync 0;\n",
	                       MAX_CLOCKS * 4);
	for (uint32_t i = 0; i < count; i++)
		at += (size_t)snprintf(body + at, sizeof body - at, "mov.u32 %%r%u, %%clock;\n", i);
	for (uint32_t i = 0; i < count; i++)
		at += (size_t)snprintf(body + at, sizeof body - at, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * i, i);
	snprintf(body + at, sizeof body - at, "exit;");
	kit_load(&kit, body);
	kit_run(&kit, 1, warps * WARP); /* loads the code into the instruction cache */
	kit_run(&kit, 1, warps * WARP);
	for (uint32_t w = 0; w < warps; w++)
		memcpy(clock[w], simt_host(kit.gpu->memory, kit.param + w * MAX_CLOCKS * 4), count * 4);
	kit_close(&kit);
}

#define ISSUE_TIMES(warps, count, clock, ...)                                                                          \
	issue_times((const char *const[]){ONE_SM, __VA_ARGS__, NULL}, warps, count, clock)

/* Checks that no two instructions of one scheduler issue in one cycle. */
static void check_one_a_cycle(uint32_t warps, uint32_t count, uint32_t clock[MAX_WARPS][MAX_CLOCKS])
{
	for (uint32_t i = 0; i < warps * count; i++)
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(clock[i / count][i % count], clock[j / count][j % count]);
}

/* Checks whether a warp that has just issued, and has its next instruction in its buffer, continues at once. After the
 * barrier, clocks 0 and 1, 2 and 3, and so on are fetched together (the barrier ends a fetch).
 * Greedy: always. Round robin over four warps: it waits for the others that can issue, at most once for each of
 * them. */
static void test_greedy_and_round_robin(void **state)
{
	uint32_t gto[MAX_WARPS][MAX_CLOCKS], lrr[MAX_WARPS][MAX_CLOCKS];
	enum { COUNT = 12, WARPS = 4 };
	(void)state;
	ISSUE_TIMES(WARPS, COUNT, gto, "sm.schedulers=1", "sm.warp_order=gto");
	ISSUE_TIMES(WARPS, COUNT, lrr, "sm.schedulers=1", "sm.warp_order=lrr");
	check_one_a_cycle(WARPS, COUNT, gto);
	check_one_a_cycle(WARPS, COUNT, lrr);
	uint32_t waited = 0;
	for (uint32_t w = 0; w < WARPS; w++)
		for (uint32_t i = 0; i < COUNT; i += 2) {
			assert_int_equal(gto[w][i + 1], gto[w][i] + 1);
			assert_in_range(lrr[w][i + 1] - lrr[w][i], 1, WARPS);
			waited += lrr[w][i + 1] - lrr[w][i] - 1;
		}
	assert_true(waited > 0);
}

/* Greedy then oldest: the oldest warp never trails a younger one by more than the younger's two buffered instructions.
 * Warp 0 ends first, and the warps end in the order of their age. The same holds when two_level picks the oldest. */
static void test_oldest_first(void **state)
{
	enum { COUNT = 16, WARPS = 6 };
	static const struct {
		const char *order;
		bool by_age;
	} row[] = {{"sm.warp_order=gto", true},
	           {"sm.warp_order=two_level:ready=8,pick=oldest", true},
	           {"sm.warp_order=two_level:ready=8", false}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t clock[MAX_WARPS][MAX_CLOCKS];
		bool by_age = true;
		ISSUE_TIMES(WARPS, COUNT, clock, "sm.schedulers=1", row[i].order);
		for (uint32_t w = 1; w < WARPS; w++)
			by_age &= clock[w - 1][COUNT - 1] < clock[w][COUNT - 1];
		assert_int_equal(by_age, row[i].by_age);
	}
}

/* Two levels with a ready set of one: a warp without long waits stays in the set until it ends, so the clocks of
 * different warps do not overlap. With a ready set of all warps they do. */
static void test_two_level(void **state)
{
	uint32_t one[MAX_WARPS][MAX_CLOCKS], all[MAX_WARPS][MAX_CLOCKS];
	enum { COUNT = 12, WARPS = 4 };
	(void)state;
	ISSUE_TIMES(WARPS, COUNT, one, "sm.schedulers=1", "sm.warp_order=two_level:ready=1");
	ISSUE_TIMES(WARPS, COUNT, all, "sm.schedulers=1", "sm.warp_order=two_level:ready=8");
	for (uint32_t w = 0; w < WARPS; w++)
		for (uint32_t v = 0; v < w; v++) {
			assert_true(one[v][COUNT - 1] < one[w][0] || one[w][COUNT - 1] < one[v][0]);
			assert_true(all[v][0] < all[w][COUNT - 1] && all[w][0] < all[v][COUNT - 1]);
		}
}

/* Fetch takes one instruction per cycle for eight warps whose schedulers could issue two. Each warp has its turn in
 * every eighth cycle. All proceed at one pace after they have used the instructions that they had buffered at the
 * barrier. */
static void test_fetch_takes_turns(void **state)
{
	uint32_t clock[MAX_WARPS][MAX_CLOCKS];
	enum { COUNT = 16, FULL_BUFFERS = 2 };
	(void)state;
	ISSUE_TIMES(MAX_WARPS, COUNT, clock, "sm.schedulers=2", "sm.warp_order=lrr", "sm.fetch_bytes=8");
	for (uint32_t w = 0; w < MAX_WARPS; w++)
		for (uint32_t i = FULL_BUFFERS; i < COUNT; i++)
			assert_int_equal(clock[w][i] - clock[w][i - 1], MAX_WARPS);
}

/* Warps 0 and 1 jump to code that is not in the instruction cache, into one line or into two. The second line is
 * refused while the only MSHR is taken. Warp 2 loops in cached code. Returns its longest iteration. */
static uint32_t longest_round(bool two_lines)
{
	struct gpu_kit kit;
	char after[1024], padding[400] = "";
	uint32_t longest;
	KIT_OPEN(&kit, ONE_SM, "l1i.mshrs=1", "l1i.merges=8");
	kit.param = kit_buffer(&kit, NULL, 1);
	for (uint32_t i = 0; i < 20; i++)
		strcat(padding, "mov.u32 %r9, 7;\n");
	snprintf(after, sizeof after, "@%%p2 bra ONE; bra %s; %s ONE: exit; %s TWO: exit;", two_lines ? "TWO" : "ONE",
	         padding, padding);
	/* ignores the first iterations, in which warp 2 has misses, too; the divisions take longer */
	kit_load_repeated(
		&kit,
		"mov.u32 %r1, %tid.x; setp.lt.u32 %p2, %r1, 32; setp.lt.u32 %p1, %r1, 64; mov.u32 %r2, 0;\n"
		"mov.u32 %r4, 0; mov.u32 %r5, %clock; @%p1 bra OTHERS;\n"
		"AGAIN: mov.u32 %r6, %clock; sub.u32 %r7, %r6, %r5; mov.u32 %r5, %r6; max.u32 %r4, %r4, %r7;\n"
		"add.u32 %r2, %r2, 1; setp.eq.u32 %p3, %r2, 9; @%p3 mov.u32 %r4, 0;\n"
		"setp.lt.u32 %p4, %r2, 200; @%p4 bra AGAIN; st.global.u32 [%rd0], %r4; exit;\n"
		"OTHERS:",
		"div.s32 %r3, %r3, 3;", 20, after);
	kit_run(&kit, 1, 3 * WARP);
	assert_int_equal(kit.run.stats.l1i.refused > 100, two_lines);
	memcpy(&longest, simt_host(kit.gpu->memory, kit.param), sizeof longest);
	kit_close(&kit);
	return longest;
}

/* A fetch that the instruction cache refuses takes its turn no longer than a fetch that it accepts: the other warps
 * continue. Every second turn belongs to the refused warp. Each of an iteration's five fetches, and the flush after its
 * branch, may come one cycle later. */
static void test_refused_fetch_loses_its_turn(void **state)
{
	(void)state;
	uint32_t alone = longest_round(false);
	assert_in_range(longest_round(true), alone, alone + 6);
}

/* Sixteen blocks of one warp each, and fetch of one instruction per cycle, so fetch visits each slot every 16 cycles.
 * In turns 0, 1 and 2 a block finds out whether it is SHORT, and a short one exits. Its warp's instructions in flight
 * end between turns 3 and 4. In turn 4 the visit frees the slot. The next block there fetches from turn 5 on and reads
 * its first clock in turn 8: with the sixth clock of the others, in the cycle before the next slot. */
static void test_a_slot_is_freed_in_its_turn(void **state)
{
	enum { BLOCKS = 16, SHORT = 5, CLOCKS = 12, WIDE = 16 };
	struct gpu_kit kit;
	char clocks[1024] = "", stores[1024] = "";
	size_t at = 0, to = 0;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "sm.blocks=16", "sm.schedulers=2", "sm.warp_order=lrr", "sm.fetch_bytes=8");
	kit.param = kit_buffer(&kit, NULL, (BLOCKS + 1) * WIDE);
	for (uint32_t i = 0; i < CLOCKS; i++) {
		at += (size_t)snprintf(clocks + at, sizeof clocks - at, "mov.u32 %%r%u, %%clock;\n", i);
		to += (size_t)snprintf(stores + to, sizeof stores - to, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * i, i);
	}
	char body[4096];
	snprintf(body, sizeof body,
	         "mov.u32 %%r30, %%ctaid.x; setp.eq.u32 %%p1, %%r30, %u; @%%p1 exit;\n%s"
	         "mul.wide.u32 %%rd1, %%r30, %u; add.u64 %%rd1, %%rd1, %%rd0;\n%s exit;",
	         SHORT, clocks, 4 * WIDE, stores);
	kit_load(&kit, body);
	kit.run.blocks_per_sm = BLOCKS;
	kit_run(&kit, BLOCKS + 1, WARP); /* loads the code into the cache */
	kit_run(&kit, BLOCKS + 1, WARP);
	uint32_t clock[BLOCKS + 1][WIDE];
	memcpy(clock, simt_host(kit.gpu->memory, kit.param), sizeof clock);
	assert_int_equal(clock[BLOCKS][0], clock[SHORT + 1][5] - 1);
	for (uint32_t i = 1; i < 6; i++)
		assert_int_equal(clock[BLOCKS][i] - clock[BLOCKS][i - 1], BLOCKS);
	kit_close(&kit);
}

/* Two schedulers of four warps each, and a pipe that takes one instruction per cycle: the first scheduler in order gets
 * it. With alternation that is scheduler (cycle mod 2); otherwise always the first, so its warps end before those of
 * the second begin. */
static void test_schedulers_alternate(void **state)
{
	uint32_t clock[MAX_WARPS][MAX_CLOCKS];
	enum { COUNT = 12, SCHEDULERS = 2 };
	(void)state;
	ISSUE_TIMES(MAX_WARPS, COUNT, clock, "sm.warp_order=lrr", "sm.sp.issue_width=1",
	            "sm.schedulers_alternate=true");
	for (uint32_t w = 0; w < MAX_WARPS; w++)
		for (uint32_t i = 0; i + 1 < COUNT; i++) /* stores issue together with the last ones */
			assert_int_equal(clock[w][i] % SCHEDULERS, w % SCHEDULERS);
	ISSUE_TIMES(MAX_WARPS, COUNT, clock, "sm.warp_order=lrr", "sm.sp.issue_width=1",
	            "sm.schedulers_alternate=false");
	for (uint32_t w = 0; w < MAX_WARPS; w += SCHEDULERS)
		for (uint32_t other = 1; other < MAX_WARPS; other += SCHEDULERS)
			assert_true(clock[w][COUNT - 1] < clock[other][0]);
}

/* The scan of the matrix of banks and collectors starts with another diagonal in each cycle. When two banks compete for
 * collector 0 in cycle c, the first one after bank -c (mod collectors) wins.
 * An add reads registers of banks b and b + 8. The next instruction has one operand, in bank b. It reads that bank in
 * its first reading cycle if b won for the add, and otherwise one cycle later. A clock that overwrites its result
 * measures this. The next add waits for the clock: two cycles after its issue both banks compete for its collector. */
static void test_bank_arbiter_rotates(void **state)
{
	enum { SAMPLES = 16, FIRST = 10, CLOCK_TO_ADD = 1 + 5, TO_READING = 2 };
	struct gpu_kit kit;
	char body[4096];
	uint32_t clock[SAMPLES + 1], late = 0;
	size_t at = 0;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "sm.register_banks=16");
	const struct sm_config *sm = &kit.machine.sm;
	uint32_t collectors = sm->pipe[PTX_UNIT_SP].collectors + sm->pipe[PTX_UNIT_SFU].collectors +
	                      sm->pipe[PTX_UNIT_MEM].collectors;
	uint32_t add = sm->latency[PTX_LATENCY_ADD][PTX_DATA_INT];
	assert_int_equal(sm->latency[PTX_LATENCY_MOVE][PTX_DATA_INT], 1);
	kit.param = kit_buffer(&kit, NULL, SAMPLES + 1);
	/* the adds have even positions, so that both are fetched together */
	at += (size_t)snprintf(body + at, sizeof body - at, "mov.u32 %%r%u, %%clock;\n", FIRST);
	for (uint32_t r = FIRST; r < FIRST + SAMPLES; r++)
		at += (size_t)snprintf(body + at, sizeof body - at,
		                       "add.u32 %%r39, %%r%u, %%r%u; add.u32 %%r%u, %%r%u, 1;\n"
		                       "mov.u32 %%r%u, %%clock; mov.u32 %%r38, 7;\n",
		                       r, (r + 8) % 16, r + 1, r, r + 1);
	for (uint32_t i = 0; i <= SAMPLES; i++)
		at += (size_t)snprintf(body + at, sizeof body - at, "st.global.u32 [%%rd0+%u], %%r%u;\n", 4 * i,
		                       FIRST + i);
	snprintf(body + at, sizeof body - at, "exit;");
	kit_load(&kit, body);
	kit_run(&kit, 1, WARP);
	kit_run(&kit, 1, WARP);
	memcpy(clock, simt_host(kit.gpu->memory, kit.param), sizeof clock);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t issued = clock[i] + CLOCK_TO_ADD, bank = (FIRST + i) % 16, other = (bank + 8) % 16;
		uint32_t start = collectors - (issued + TO_READING) % collectors; /* the bank whose request wins */
		bool loses = (start + collectors - other) % collectors < (start + collectors - bank) % collectors;
		assert_int_equal(clock[i + 1], issued + 1 + add + 1 + 5 + loses); /* the other add, one operand */
		late += loses;
	}
	assert_in_range(late, 1, SAMPLES - 1);
	kit_close(&kit);
}

/* Replies share one write-back port in turn. One that arrives while shared memory has a reply in each cycle waits for
 * one cycle at most. Warp 0 loads once, through L1 or past it; meanwhile the others occupy the port. */
static void test_write_back_takes_turns(void **state)
{
	enum { LOADS = 30, OTHERS = 31 };
	static const char *const line[] = {"ld.global.cg.u32 %r2, [%rd0];", "ld.global.u32 %r2, [%rd0];"};
	(void)state;
	for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
		struct gpu_kit kit;
		char before[256];
		KIT_OPEN(&kit, ONE_SM, "sm.warp_order=lrr", "sm.flush_l1=true");
		kit.param = kit_buffer(&kit, NULL, 16);
		snprintf(before, sizeof before,
		         "mov.u32 %%r1, %%tid.x; setp.ge.u32 %%p1, %%r1, %d; @%%p1 bra OTHERS; %s exit; OTHERS:", WARP,
		         line[i]);
		kit_time(&kit, before, "ld.shared.u32 %r4, [0];", LOADS, "", WARP);
		assert_int_equal(kit.run.stats.sm.memory_requests, 1);
		uint64_t alone = kit.run.stats.sm.memory_latency;
		kit_time(&kit, before,
		         "ld.shared.u32 %r4, [0]; ld.shared.u32 %r5, [0]; ld.shared.u32 %r6, [0]; ld.shared.u32 %r7, "
		         "[0];",
		         LOADS, "", (1 + OTHERS) * WARP);
		assert_int_equal(kit.run.stats.sm.memory_requests, 1);
		assert_in_range(kit.run.stats.sm.memory_latency, alone, alone + 1);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_greedy_and_round_robin),
		cmocka_unit_test(test_oldest_first),
		cmocka_unit_test(test_two_level),
		cmocka_unit_test(test_fetch_takes_turns),
		cmocka_unit_test(test_refused_fetch_loses_its_turn),
		cmocka_unit_test(test_a_slot_is_freed_in_its_turn),
		cmocka_unit_test(test_schedulers_alternate),
		cmocka_unit_test(test_bank_arbiter_rotates),
		cmocka_unit_test(test_write_back_takes_turns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
