/* Protects the time of one SM, with closed forms for the cost of small kernels. They follow from the stages that an
 * instruction passes.
 *
 * An instruction that issues in cycle i is in a collector at i + 1 and reads one register operand per cycle from i + 2
 * on. It leaves the collector one cycle after the last operand and enters its unit one cycle later. From there an
 * arithmetic instruction takes its latency and two cycles, to enter and leave the unit, until its result is written. In
 * that cycle an instruction that waited for the result may issue:
 *
 *     dependent issue = 1 + operands + 1 + 1 + latency + 2 = latency + operands + 5
 *
 * Each test measures the difference between n and 2n repetitions of a line, so the kernel's start and end cancel. */
#include "gpu_kit.h"

enum {
	WARP = 32,
	ALL_WARPS = 1024, /* threads: 32 warps, enough to fill every pipe */
	TO_LSU = 4,       /* from issue to the load/store unit, with one operand */
};

/* One SM whose instruction cache holds every kernel of this file. */
#define ONE_SM "sm.count=1", "l1i.sets=64"

static uint32_t option_value(const struct gpu_kit *kit, const char *name)
{
	const struct base_option *option = base_option_find(machine_options, machine_option_count, name);
	assert_non_null(option);
	return *(const uint32_t *)((const char *)&kit->machine + option->offset);
}

/* Writes 78 registers: the scoreboard is exact for a program with more than 64. */
static void touch_many_registers(char *body, size_t size)
{
	size_t at = 0;
	for (uint32_t r = 1; r < 40; r++)
		at += (size_t)snprintf(body + at, size - at, "mov.u32 %%r%u, 0; mov.f32 %%f%u, 0f00000000;\n", r, r);
}

/* A chain of each class of latency, where each link waits for the previous one. It runs in a small program and in one
 * whose scoreboard has several words. */
static void test_dependent_issue(void **state)
{
	static const struct {
		const char *line, *latency;
		uint32_t operands;
	} row[] = {
		{"mov.u32 %r1, %r1;", "latency.move.int", 1},
		{"mov.u32 %r1, 7;", "latency.move.int", 0}, /* waits because it writes the same register */
		{"shl.b32 %r1, %r1, %r2;", "latency.move.int", 2},
		{"add.s32 %r1, %r1, 1;", "latency.add.int", 1},
		{"add.s32 %r1, %r1, %r2;", "latency.add.int", 2},
		{"add.f32 %f1, %f1, %f2;", "latency.add.fp32", 2},
		{"add.f64 %fd1, %fd1, %fd2;", "latency.add.fp64", 2},
		{"max.s32 %r1, %r1, %r2;", "latency.max.int", 2},
		{"max.f32 %f1, %f1, %f2;", "latency.max.fp32", 2},
		{"mul.lo.s32 %r1, %r1, %r2;", "latency.mul.int", 2},
		{"mul.f32 %f1, %f1, %f2;", "latency.mul.fp32", 2},
		{"mad.lo.s32 %r1, %r1, %r2, %r3;", "latency.mad.int", 3},
		/* a register named three times is read three times */
		{"mad.lo.s32 %r1, %r1, %r1, %r1;", "latency.mad.int", 3},
		{"fma.rn.f32 %f1, %f1, %f2, %f3;", "latency.fma.fp32", 3},
		{"fma.rn.f64 %fd1, %fd1, %fd2, %fd3;", "latency.fma.fp64", 3},
		{"mul24.lo.s32 %r1, %r1, %r2;", "latency.mul24.int", 2},
		{"mad24.lo.s32 %r1, %r1, %r2, %r3;", "latency.mad24.int", 3},
		/* a separate latency class in neither version */
		{"sad.s32 %r1, %r1, %r2, %r3;", "latency.move.int", 3},
		{"div.s32 %r1, %r1, 3;", "latency.div.int", 1},
		{"rem.s32 %r1, %r1, 3;", "latency.rem.int", 1},
		{"div.rn.f32 %f1, %f1, %f2;", "latency.div.fp32", 2},
		{"div.rn.f64 %fd1, %fd1, %fd2;", "latency.div.fp64", 2},
		{"sqrt.rn.f32 %f1, %f1;", "latency.special.fp32", 1},
		{"ex2.approx.f32 %f1, %f1;", "latency.special.fp32", 1},
	};
	struct gpu_kit kit;
	char many[4096];
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "l1i.ways=8");
	touch_many_registers(many, sizeof many);
	for (size_t i = 0; i < 2 * (sizeof row / sizeof row[0]); i++) {
		bool large = i % 2;
		const char *line = row[i / 2].line;
		uint64_t want = option_value(&kit, row[i / 2].latency) + row[i / 2].operands + 5;
		uint64_t got = kit_cost(&kit, large ? many : "", line, 10, WARP);
		assert_int_equal(kit.program->registers > 64, large);
		if (got != 10 * want)
			fail_msg("ten links of %s cost %llu cycles, not %llu, with %u registers", line,
			         (unsigned long long)got, (unsigned long long)(10 * want), kit.program->registers);
	}
	kit_close(&kit);
}

/* A loop that lanes leave one by one costs the warp as much as its longest lane's loop. */
static void test_unequal_loops(void **state)
{
	static const char *const trips[] = {"mov.u32 %r4, 31; add.u32 %r4, %r4, 1;",
	                                    "mov.u32 %r4, %tid.x; add.u32 %r4, %r4, 1;"};
	uint64_t cost[2];
	struct gpu_kit kit;
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		KIT_OPEN(&kit, ONE_SM);
		uint64_t without = kit_time(&kit, trips[i], "mov.u32 %r3, 0;", 1, "add.u32 %r5, %r4, %r3;", WARP);
		cost[i] = kit_time(&kit, trips[i],
		                   "mov.u32 %r3, 0; again: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r4; @%p1 bra "
		                   "again;",
		                   1, "add.u32 %r5, %r4, %r3;", WARP) -
		          without;
		kit_close(&kit);
	}
	assert_int_equal(cost[0], cost[1]);
	assert_true(cost[0] > 32ull * 3);
}

/* The option sets the latency: one more cycle costs one more cycle per link. */
static void test_latency_option(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "latency.add.int=77");
	assert_int_equal(kit_cost(&kit, "", "add.s32 %r1, %r1, 1;", 10, WARP), 10 * (77 + 1 + 5));
	kit_close(&kit);
}

/* One warp without dependent instructions. A fetch fills two entries of its buffer, and the two issue in consecutive
 * cycles. With the second issue the next fetch begins. It is decoded in the next cycle and issues one cycle later: two
 * instructions in three cycles. With fetches of one instruction: one in two cycles. */
static void test_fetch_rate(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	assert_int_equal(kit_cost(&kit, "",
	                          "mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7;\n"
	                          "mov.u32 %r5, 7; mov.u32 %r6, 7; mov.u32 %r7, 7; mov.u32 %r8, 7;",
	                          10, WARP),
	                 10 * 8 * 3 / 2);
	kit_close(&kit);
	KIT_OPEN(&kit, ONE_SM, "sm.fetch_bytes=8");
	assert_int_equal(
		kit_cost(&kit, "", "mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7;", 10, WARP),
		10 * 4 * 2);
	kit_close(&kit);
}

/* Warps at two points of the code evict each other's lines from an instruction cache that holds one of them. All warps
 * make progress. */
static void test_fetch_against_others(void **state)
{
	static const char *const shapes[][6] = {
		{"sm.zero_latency_memory=true", "l1i.sets=1", "l1i.ways=1", "l1i.line_bytes=32", "sm.count=1", NULL},
		{"sm.zero_latency_memory=true", "l1i.sets=4", "l1i.ways=1", "l1i.line_bytes=32", "sm.count=1", NULL},
		{"sm.zero_latency_memory=false", "l1i.sets=1", "l1i.ways=1", "l1i.line_bytes=32", "sm.count=1", NULL},
		{"sm.zero_latency_memory=true", "l1i.sets=1", "l1i.ways=2", "l1i.mshrs=2", "sm.count=1", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct gpu_kit kit;
		kit_open(&kit, shapes[i]);
		kit_load_repeated(&kit,
		                  "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r2, 1;\n"
		                  "setp.eq.u32 %p1, %r3, 0; again: @%p1 bra other;",
		                  "add.u32 %r4, %r4, %r2;", 40,
		                  "other: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20; @%p2 bra again;");
		kit_run(&kit, 4, 256);
		kit_close(&kit);
	}
}

/* 32 warps fill the pipes; each row names the resource that is the bound. The order is round robin, so that no warp is
 * left to run last. The result is never faster than the bound and at most a sixteenth slower. */
static void test_throughput(void **state)
{
	static const struct {
		const char *option, *line;
		uint32_t cycles_of_ten; /* SM cycles for ten warp instructions */
	} row[] = {
		{"sm.schedulers=2", "mov.u32 %r1, 7;", 5},             /* two schedulers, two SP units */
		{"sm.schedulers=1", "mov.u32 %r1, 7;", 10},            /* one scheduler */
		{"sm.result_bus=1", "mov.u32 %r1, 7;", 10},            /* one result per cycle */
		{"sm.sp.units=1", "mov.u32 %r1, 7;", 10},              /* one unit */
		{"sm.sp.issue_width=1", "mov.u32 %r1, 7;", 10},        /* one instruction per cycle into the pipe */
		{"sm.sp.in_ports=1", "mov.u32 %r1, 7;", 10},           /* ... into the collectors */
		{"sm.sp.out_ports=1", "mov.u32 %r1, 7;", 10},          /* ... out of them */
		{"initiation.move.int=3", "mov.u32 %r1, 7;", 15},      /* two units, each every third cycle */
		{"runs_on.mul.int=sp", "mul.lo.s32 %r1, %r2, 3;", 10}, /* initiation 2 on two units */
		{"sm.schedulers=2", "mul.lo.s32 %r1, %r2, 3;", 20},    /* on the SFU pipe's one unit */
		{"initiation.mul.fp32=3", "mul.f32 %f1, %f2, 0f40000000;", 10}, /* on both kinds: three units */
		{"sm.schedulers=2", "div.s32 %r1, %r2, 3;", 80},                /* initiation 8 on one unit */
		{"sm.schedulers=2", "div.rn.f32 %f1, %f2, %f3;", 40},           /* 4 */
		{"runs_on.add.fp64=sfu", "add.f64 %fd1, %fd2, %fd3;", 80},
		{"runs_on.max.fp64=sfu", "max.f64 %fd1, %fd2, %fd3;", 160},
		{"sm.schedulers=2", "sqrt.rn.f32 %f1, %f2;", 80},
		{"sm.sfu.units=2", "sqrt.rn.f32 %f1, %f2;", 40},
		{"sm.schedulers=2", "ld.shared.u32 %r1, [0];", 10}, /* one load/store unit */
		/* one bank: two reads and a write, none of which can share a cycle; a constant needs no read, and a
		 * write never waits */
		{"sm.register_banks=1", "add.s32 %r1, %r2, %r3;", 30},
		{"sm.register_banks=1", "mov.u32 %r1, 7;", 5},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, "sm.warp_order=lrr", row[i].option);
		uint64_t bound = row[i].cycles_of_ten * ALL_WARPS / WARP,
			 cost = kit_cost(&kit, "", row[i].line, 10, ALL_WARPS);
		if (cost < bound || cost > bound + bound / 16)
			fail_msg("%s with %s: ten cost %llu cycles, the bound is %llu", row[i].line, row[i].option,
			         (unsigned long long)cost, (unsigned long long)bound);
		kit_close(&kit);
	}
}

/* An instruction reserves a slot of the result bus when it enters its unit. A special of latency 5 issues one cycle
 * before an add of latency 4, both with one operand, so both would end in one cycle. With a bus of one slot, each of
 * the 20 adds waits. */
static void test_result_bus_conflict(void **state)
{
	(void)state;
	for (uint32_t buses = 1; buses <= 2; buses++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, buses == 1 ? "sm.result_bus=1" : "sm.result_bus=2", "latency.special.fp32=5");
		kit_time(&kit, "mov.u32 %r3, 0;", "rcp.approx.f32 %f1, %f3; add.s32 %r1, %r2, 1;", 20, "", WARP);
		assert_int_equal(kit.run.stats.sm.result_bus_full, buses == 1 ? 20 : 0);
		kit_close(&kit);
	}
}

/* Shared memory: dependent loads are TO_LSU + 1 + shared_latency apart. A conflict of degree d costs d - 1 more cycles.
 * Every lane's word holds its own address, 4 * d bytes from the next lane's. */
static void test_shared_memory(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	for (uint32_t degree = 1; degree <= 32; degree *= 2) {
		char before[256];
		snprintf(before, sizeof before,
		         "mov.u32 %%r1, %%tid.x; mul.lo.u32 %%r1, %%r1, %u; st.shared.u32 [%%r1], %%r1;", 4 * degree);
		uint64_t link = TO_LSU + 1 + kit.machine.sm.shared_latency + degree - 1;
		assert_int_equal(kit_cost(&kit, before, "ld.shared.u32 %r1, [%r1];", 10, WARP), 10 * link);
		/* 20 loads and the store */
		assert_int_equal(kit.run.stats.sm.shared_conflict_cycles, 21 * (degree - 1));
		assert_int_equal(kit.run.stats.sm.shared_accesses, 21);
	}
	kit_close(&kit);
	KIT_OPEN(&kit, ONE_SM, "sm.shared_latency=26");
	assert_int_equal(
		kit_cost(&kit, "mov.u32 %r1, 0; st.shared.u32 [%r1], %r1;", "ld.shared.u32 %r1, [%r1];", 10, WARP),
		10 * (TO_LSU + 1 + 26));
	kit_close(&kit);
}

/* A load's result waits for a register bank that an arithmetic result is written to in the same cycle. The mov after
 * the load writes in the load's cycle, to a register of the load's bank or of the next one. */
static void test_load_waits_for_its_bank(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "sm.register_banks=16");
	uint64_t link = TO_LSU + 1 + kit.machine.sm.shared_latency;
	/* the mov issues one cycle after the load */
	assert_int_equal(link, 1 + kit.machine.sm.latency[PTX_LATENCY_MOVE][PTX_DATA_INT] + 1 + 5);
	for (uint32_t conflict = 0; conflict <= 1; conflict++)
		assert_int_equal(kit_cost(&kit, "mov.u32 %r1, 0; st.shared.u32 [%r1], %r1; mov.u32 %r3, 0;",
		                          conflict ? "ld.shared.u32 %r1, [%r1]; mov.u32 %r17, %r3;"
		                                   : "ld.shared.u32 %r1, [%r1]; mov.u32 %r18, %r3;",
		                          10, WARP),
		                 10 * (link + conflict));
	kit_close(&kit);
}

/* L1 answers a hit in the cycle of its look-up, one transaction per cycle: links are TO_LSU + transactions - 1 apart.
 * Lane l's word holds its own address, `stride` bytes from the next lane's: 32 * stride bytes are that many lines of
 * 128. */
static void test_l1_hit(void **state)
{
	struct gpu_kit kit;
	enum { WORDS = 32 * 128 / 8 };
	uint64_t value[WORDS] = {0};
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = kit_buffer(&kit, value, WORDS);
	for (uint32_t i = 0; i < WORDS; i++)
		value[i] = kit.param + 8 * i;
	memcpy(simt_host(kit.gpu->memory, kit.param), value, sizeof value);
	for (uint32_t stride = 8; stride <= 128; stride *= 2) {
		char before[256];
		uint32_t lines = WARP * stride / 128;
		snprintf(before, sizeof before,
		         "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, %u; add.u64 %%rd1, %%rd1, %%rd0;", stride);
		assert_int_equal(kit_cost(&kit, before, "ld.global.u64 %rd1, [%rd1];", 10, WARP),
		                 10 * (TO_LSU + lines - 1));
		assert_int_equal(kit.run.stats.l1d.accesses, 20 * lines);
		assert_int_equal(kit.run.stats.l1d.hits, 20 * lines);
	}
	kit_close(&kit);
}

/* The constant cache returns parameters like an L1 hit. The link is the address register. */
static void test_constant_hit(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit_time(&kit, "", "ld.param.u64 %rd1, [param];", 10, "", WARP);
	assert_int_equal(kit.run.stats.l1c.hits, 11); /* with the one of the kernel's first instructions */
	assert_int_equal(kit.run.stats.l1c.misses, 0);
	kit_close(&kit);
}

/* A taken branch that issues as the first of its buffer's two instructions. In the next cycle the scheduler finds the
 * wrong path's instruction and fetches. One cycle later the target is decoded, then it issues: 3 cycles.
 * If the branch issues second, the warp has already fetched the code after it. This fetch proves stale one cycle later,
 * when it arrives. With the instruction before the branch that makes 5.
 * A branch to the next instruction costs only its own issue. */
static void test_branch(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	assert_int_equal(kit_cost(&kit, "", "{ bra L; mov.u32 %r1, 7; L: }", 20, WARP), 20 * 3);
	assert_int_equal(kit_cost(&kit, "",
	                          "{ mov.u32 %r1, 7; bra L; mov.u32 %r3, 7; L: }\n"
	                          "{ mov.u32 %r2, 7; bra L; mov.u32 %r3, 7; L: }",
	                          20, WARP),
	                 20 * 2 * 5);
	assert_int_equal(kit_cost(&kit, "", "{ bra L; L: }", 20, WARP), 20 * 3 / 2);
	assert_int_equal(kit.run.stats.sm.branches, 40);
	assert_int_equal(kit.run.stats.sm.divergent_branches, 0);
	kit_close(&kit);
}

/* A block of one warp passes a barrier at once. Barriers then cost as much as any instruction without dependencies. */
static void test_barrier_alone(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	assert_int_equal(kit_cost(&kit, "", "bar.sync 0;", 20, WARP), 20 * 3 / 2);
	assert_int_equal(kit.run.stats.sm.barriers, 40);
	kit_close(&kit);
}

/* Two warps, the second late: both pass the barrier in the cycle after its arrival. The label begins a fetch for both,
 * (clock, mov), (bar, clock), so the clock after the barrier waits in the buffer. The second clock of the pair is read
 * 3 cycles after the first, the barrier's issue, plus 1. Each link that delays it delays all later ones. */
static void test_barrier_release(void **state)
{
	struct gpu_kit kit;
	uint64_t last = 0;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	for (uint32_t links = 20; links <= 40; links += 10) {
		uint64_t clock[2][2];
		kit.param = kit_buffer(&kit, NULL, 4);
		/* 0 ld, 1-3, 4 bra, 5 bra: with an even number of links the label has an even position after the
		 * loop */
		kit_load_repeated(&kit,
		                  "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; mov.u32 %r2, 0;\n"
		                  "@%p1 bra MEET; mov.u32 %r3, 0;",
		                  "add.s32 %r2, %r2, 1;", links,
		                  "bra MEET; mov.u32 %r3, 0;\n"
		                  "MEET: mov.u32 %r4, %clock; mov.u32 %r5, 0; bar.sync 0; mov.u32 %r6, %clock;\n"
		                  "shr.u32 %r7, %r1, 5; mul.wide.u32 %rd1, %r7, 16; add.u64 %rd1, %rd1, %rd0;\n"
		                  "cvt.u64.u32 %rd2, %r4; cvt.u64.u32 %rd3, %r6;\n"
		                  "st.global.u64 [%rd1], %rd2; st.global.u64 [%rd1+8], %rd3;");
		kit_run(&kit, 1, 2 * WARP);
		uint64_t cycles = kit_run(&kit, 1, 2 * WARP);
		memcpy(clock, simt_host(kit.gpu->memory, kit.param), sizeof clock);
		assert_true(clock[0][0] < clock[1][0]); /* the first warp is early */
		assert_int_equal(clock[1][1], clock[1][0] + 3 + 1);
		assert_int_equal(clock[0][1], clock[1][1]);
		if (last)
			assert_int_equal(cycles, last + 10 * (4 + 1 + 5));
		last = cycles;
	}
	kit_close(&kit);
}

/* The slots of the CPI stack name the unit that the kernel waits for. In a chain of adds almost all are arithmetic, in
 * shared loads shared memory, in independent code issue. (Every run of every kernel checks that they add up.) */
static void test_stack(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "sm.schedulers=1");
	const struct sm_stats *sm = &kit.run.stats.sm;
	kit_time(&kit, "", "add.s32 %r1, %r1, 1;", 100, "", WARP);
	assert_in_range(sm->stack_arithmetic, 100 * 8, 100 * 9 + 30); /* 10 per link, of which one issues */
	assert_int_equal(sm->stack_issued, sm->warp_instructions);
	kit_time(&kit, "mov.u32 %r1, 0; st.shared.u32 [%r1], %r1;", "ld.shared.u32 %r1, [%r1];", 100, "", WARP);
	assert_in_range(sm->stack_shared, 100 * 6, 100 * 7); /* 8 per link */
	kit_time(&kit, "", "mov.u32 %r1, 7; mov.u32 %r2, 7;", 100, "", 8 * WARP);
	assert_in_range(sm->stack_issued, kit.run.cycles * 8 / 10, kit.run.cycles);
	kit_close(&kit);
}

/* A warp that waits for an add does not wait for a load, even while a load is in flight. This holds, too, where a
 * program has more registers than the bit sets of the first look-up of loads and adds. The adds touch all registers;
 * only %r1 is loaded. */
static void test_stack_of_a_large_program(void **state)
{
	struct gpu_kit kit;
	char adds[8192];
	size_t at = 0;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "sm.schedulers=1", "l2.delay=1000");
	kit.param = kit_buffer(&kit, NULL, 1);
	for (uint32_t r = 2; r < 40; r++)
		at += (size_t)snprintf(adds + at, sizeof adds - at,
		                       "add.s32 %%r%u, %%r%u, 1; add.s32 %%r%u, %%r%u, 1;\n"
		                       "add.f32 %%f%u, %%f%u, %%f%u; add.f32 %%f%u, %%f%u, %%f%u;\n",
		                       r, r, r, r, r, r, r, r, r, r);
	kit_time(&kit, "ld.global.cg.u32 %r1, [%rd0];", adds, 1, "", WARP);
	assert_true(kit.program->registers > 64);
	assert_true(kit.run.stats.sm.stack_arithmetic > kit.run.cycles / 2);
	assert_true(kit.run.stats.sm.memory_latency > kit.run.cycles * 9 / 10);
	assert_int_equal(kit.run.stats.sm.stack_l2, 0);
	kit_close(&kit);
}

/* A fence holds its warp until its stores are acknowledged: the round trip to L2, the second time with a write that
 * hits. */
static void test_fence(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = kit_buffer(&kit, NULL, 1);
	uint64_t with = kit_cost(&kit, "", "st.global.u32 [%rd0], %r1; membar.gl;", 10, WARP);
	uint64_t without = kit_cost(&kit, "", "st.global.u32 [%rd0], %r1;", 10, WARP);
	/* there 8, the delay and 2 in the slice, back 8 */
	assert_true(with >= 10 * (8 + kit.machine.slice.delay + 2 + 8));
	assert_true(without < with / 10);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dependent_issue),
		cmocka_unit_test(test_unequal_loops),
		cmocka_unit_test(test_latency_option),
		cmocka_unit_test(test_fetch_rate),
		cmocka_unit_test(test_fetch_against_others),
		cmocka_unit_test(test_throughput),
		cmocka_unit_test(test_result_bus_conflict),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_load_waits_for_its_bank),
		cmocka_unit_test(test_l1_hit),
		cmocka_unit_test(test_constant_hit),
		cmocka_unit_test(test_branch),
		cmocka_unit_test(test_barrier_alone),
		cmocka_unit_test(test_barrier_release),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_stack_of_a_large_program),
		cmocka_unit_test(test_fence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
