/* Protects the whole machine. Covers the round trip to L2 and DRAM as the sum of the units' times (test_crossbar,
 * test_slice, test_dram), the dispatcher, and occupancy. Runs repeat to the last counter, and a kernel can end in every
 * possible way.
 *
 * The round trip of one request, in cycles of equal clocks:
 *
 *     4           issue to the load/store unit (test_sm)
 *     1           L1's miss queue
 *     8 + n - 1   a crossbar, n flits: from the push until it is seen
 *     delay + 1   from the slice's view to the look-up in L2
 *     1           a hit's reply into the crossbar
 *     2           from the SM's view to the write of its register; a waiting instruction may issue then */
#include "busy_kit.h"

enum {
	WARP = 32,
	TO_LSU = 4,
	MISS_QUEUE = 1,
	ASK = 1,   /* after the slice's delay */
	REPLY = 1, /* from a hit to its reply in the crossbar */
	WRITTEN = 2,
};

#define ONE_SM  "sm.count=1", "l1i.sets=64"
#define ALL_SMS "sm.count=15"

/* Returns a packet's cycles through a crossbar. */
static uint64_t network(const struct gpu_kit *kit, uint32_t data_bytes)
{
	uint32_t flit = kit->machine.network.flit_bytes;
	return 8 + (REQUEST_HEADER_BYTES + data_bytes + flit - 1) / flit - 1;
}

/* Makes a chain of loads: each node holds the next one's address, the last the first's. */
static uint64_t make_chain(struct gpu_kit *kit, uint32_t nodes, uint64_t apart)
{
	uint64_t base = simt_alloc(kit->gpu->memory, nodes * apart);
	assert_true(base != 0);
	for (uint32_t i = 0; i < nodes; i++) {
		uint64_t next = base + (i + 1) % nodes * apart;
		memcpy(simt_host(kit->gpu->memory, base + i * apart), &next, sizeof next);
	}
	return base;
}

/* Loads that bypass L1 (.cg and .cv) and hit L2: a header there, 32 bytes back. */
static void test_l2_hit(void **state)
{
	static const char *const line[] = {"ld.global.cg.u64 %rd1, [%rd1];", "ld.global.cv.u64 %rd1, [%rd1];"};
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = make_chain(&kit, 1, 256);
	uint64_t link = TO_LSU + network(&kit, 0) + kit.machine.slice.delay + ASK + REPLY + network(&kit, 32) + WRITTEN;
	for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
		assert_int_equal(kit_cost(&kit, "mov.u64 %rd1, %rd0;", line[i], 10, WARP), 10 * link);
		assert_int_equal(kit.run.stats.l2.hits, 20);
		assert_int_equal(kit.run.stats.l1d.accesses, 0);
	}
	kit_close(&kit);
}

/* Misses of L1, by two lines that evict each other: a whole line returns. */
static void test_l1_miss(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "l1d.sets=1", "l1d.ways=1");
	kit.param = make_chain(&kit, 2, 256);
	uint64_t link = TO_LSU + MISS_QUEUE + network(&kit, 0) + kit.machine.slice.delay + ASK + REPLY +
	                network(&kit, 128) + WRITTEN;
	assert_int_equal(kit_cost(&kit, "mov.u64 %rd1, %rd0;", "ld.global.u64 %rd1, [%rd1];", 10, WARP), 10 * link);
	assert_int_equal(kit.run.stats.l1d.read_misses, 20);
	assert_int_equal(kit.run.stats.sm.memory_requests, 20);
	/* from the look-up in L1 to the service of the reply, one cycle before its register is written */
	assert_int_equal(kit.run.stats.sm.memory_latency, 20 * (link - TO_LSU - 1));
	kit_close(&kit);
}

/* Misses of L2: every node is in another row of one bank, so each costs precharge, activate and read, with two atoms
 * per line. The DRAM clock equals the others, so that times can be added. */
static void test_dram_row_conflict(void **state)
{
	struct gpu_kit kit;
	const char *before = "mov.u64 %rd1, %rd0;", *line = "ld.global.u64 %rd1, [%rd1];";
	(void)state;
	KIT_OPEN(&kit, ONE_SM, "clock.dram=700");
	uint64_t row = 6 * 256 * 256, cycles[2];
	const struct dram_config *dram = &kit.machine.dram;
	uint32_t column = dram->ccd_long > dram->ccd ? dram->ccd_long : dram->ccd;
	for (uint32_t i = 0; i < 2; i++) {
		kit_load_repeated(&kit, before, line, 10 << i, "");
		kit.param = make_chain(&kit, 1, row);
		kit_run(&kit, 1, WARP); /* code and parameter are in their caches; a row of the bank is open */
		kit.param = make_chain(&kit, 10 << i, row);
		kit_run(&kit, 1, WARP);
		/* the parameter's value changed, not its address: */
		assert_int_equal(kit.run.stats.l1c.misses, 0);
		assert_int_equal(kit.run.stats.dram.precharges, 10 << i);
		cycles[i] = kit.run.cycles;
	}
	uint64_t to_dram = 1, accepted = 1, scheduled = 1, returned = 1, seen = 1, answered = 1;
	uint64_t link = TO_LSU + MISS_QUEUE + network(&kit, 0) + kit.machine.slice.delay + ASK + to_dram + accepted +
	                dram->latency + scheduled + dram->rp + dram->rcd + column + dram->cl + returned + seen +
	                answered + REPLY + network(&kit, 128) + WRITTEN;
	assert_int_equal(cycles[1] - cycles[0], 10 * link);
	kit_close(&kit);
}

/* A warp whose lanes touch 32 lines sends 32 requests that bypass L1, one per cycle, and continues when the last reply
 * has arrived. All are in flight together, so they cost far less than 32 times one request. The bottleneck is the one
 * crossbar output to this SM, where a reply of two flits and the change of packets take 3 cycles. */
static void test_transactions(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	uint64_t base = simt_alloc(kit.gpu->memory, 32 * 256), one;
	for (uint64_t i = 0; i < 32; i++) {
		uint64_t self = base + 256 * i;
		memcpy(simt_host(kit.gpu->memory, self), &self, sizeof self);
	}
	kit.param = base;
	one = kit_cost(&kit, "mov.u64 %rd1, %rd0;", "ld.global.cg.u64 %rd1, [%rd1];", 10, WARP);
	assert_int_equal(kit.run.stats.l2.accesses, 20);
	uint64_t many = kit_cost(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 256; add.u64 %rd1, %rd1, %rd0;",
	                         "ld.global.cg.u64 %rd1, [%rd1];", 10, WARP);
	assert_int_equal(kit.run.stats.l2.accesses, 20 * 32);
	assert_int_equal(kit.run.stats.sm.global_loads, 20);
	assert_in_range(many, one + 10 * 31, one + 10 * 31 * 3);
	kit_close(&kit);
}

/* Instructions by precision, on any pipe: a conversion counts for the wider of its types; loads count for none. */
static void test_precisions(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = simt_alloc(kit.gpu->memory, 256);
	kit_load(&kit,
	         "ld.global.f32 %f0, [%rd0]; ld.global.f64 %fd0, [%rd0];\n"
	         "add.f32 %f1, %f0, %f0; mul.f32 %f2, %f1, %f1; sin.approx.f32 %f3, %f2; cvt.rn.f32.u32 %f4, %r1;\n"
	         "fma.rn.f64 %fd1, %fd0, %fd0, %fd0; cvt.f64.f32 %fd2, %f3; setp.lt.f64 %p1, %fd1, %fd2;\n"
	         "add.u32 %r1, %r1, 1; mul.lo.u32 %r2, %r1, %r1; ret;");
	kit_run(&kit, 2, 2 * WARP);
	assert_int_equal(kit.run.stats.sm.fp32_instructions, 4 * 4);
	assert_int_equal(kit.run.stats.sm.fp64_instructions, 4 * 3);
	assert_int_equal(kit.run.stats.sm.mem_instructions, 4 * 3);
	kit_close(&kit);
}

/* A miss of the instruction cache, answered by L2: the warp fetches again in the cycle after the line's arrival. The
 * cache has one line of 16 instructions. Every 16 instructions thus cost one round trip besides their 24 cycles. */
static void test_instruction_miss(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, "sm.count=1", "l1i.sets=1", "l1i.ways=1");
	uint64_t way = network(&kit, 0) + kit.machine.slice.delay + ASK + REPLY + network(&kit, 128) + 1;
	assert_int_equal(
		kit_cost(&kit, "", "mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7;", 16, WARP),
		4 * (24 + way));
	assert_int_equal(kit.run.stats.l1i.read_misses, 9); /* 1 + 128 + 1 instructions */
	kit_close(&kit);
}

/* The number of blocks that fit, by the resource that is exhausted first: 48 warps, 8 blocks, 32768 registers, 48 KB of
 * shared memory. */
static void test_occupancy(void **state)
{
	static const struct {
		uint32_t threads, registers, shared;
		enum occupancy_limit limit;
		uint32_t blocks;
	} row[] = {
		{32, 8, 0, LIMIT_BLOCK_SLOTS, 8},
		{192, 20, 0, LIMIT_BLOCK_SLOTS, 8}, /* 48 warps, 30720 registers: everything just fits */
		{193, 8, 0, LIMIT_THREADS, 6},      /* 7 warps per block */
		{256, 16, 0, LIMIT_THREADS, 6},
		{1024, 16, 0, LIMIT_THREADS, 1},
		{256, 21, 0, LIMIT_REGISTERS, 5}, /* rounded up to 24 per thread: 6144 per block */
		{256, 24, 0, LIMIT_REGISTERS, 5},
		{256, 32, 0, LIMIT_REGISTERS, 4},
		/* 64 per thread, threads padded to warps: 4096 per block: just fits */
		{33, 63, 0, LIMIT_BLOCK_SLOTS, 8},
		{1024, 64, 0, LIMIT_REGISTERS, 0},
		{64, 8, 6144, LIMIT_BLOCK_SLOTS, 8},
		{64, 8, 6145, LIMIT_SHARED, 7},
		{64, 8, 49152, LIMIT_SHARED, 1},
		{64, 8, 49153, LIMIT_SHARED, 0},
	};
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ALL_SMS);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct occupancy got = occupancy_of(&kit.machine, row[i].threads, row[i].registers, row[i].shared);
		assert_int_equal(got.blocks, row[i].blocks);
		assert_int_equal(got.limit, row[i].limit);
		assert_int_equal(got.warps, got.blocks * ((row[i].threads + 31) / 32));
	}
	kit_close(&kit);
}

/* No more blocks run at a time than are allowed: k blocks of a long chain run concurrently; the next one takes as long
 * again. */
static void test_block_limit(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ONE_SM);
	kit_load_repeated(&kit, "", "div.s32 %r1, %r1, 3;", 20, "");
	for (uint32_t limit = 1; limit <= 8; limit++) {
		kit.run.blocks_per_sm = limit;
		kit_run(&kit, 1, WARP);
		uint64_t one = kit_run(&kit, 1, WARP);
		uint64_t full = kit_run(&kit, limit, WARP), more = kit_run(&kit, limit + 1, WARP);
		assert_in_range(full, one, one + one / 10);
		assert_in_range(more, 2 * one - one / 10, 2 * one + one / 10);
	}
	kit_close(&kit);
}

static void load_who_am_i(struct gpu_kit *kit)
{
	kit_load_repeated(kit,
	                  "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid; mul.wide.u32 %rd1, %r1, 4;\n"
	                  "add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r2;",
	                  "div.s32 %r3, %r3, 3;", 5, "");
}

/* SMs get blocks in turn, one each: of the first 15 * k blocks, block i runs on SM i % 15. The next kernel continues
 * after the SM that was served last. */
static void test_round_robin(void **state)
{
	struct gpu_kit kit;
	enum { BLOCKS = 45 };
	uint32_t sm[BLOCKS];
	(void)state;
	KIT_OPEN(&kit, ALL_SMS);
	load_who_am_i(&kit);
	kit.param = kit_buffer(&kit, NULL, BLOCKS);
	kit.run.blocks_per_sm = 3;
	kit_run(&kit, BLOCKS, WARP);
	memcpy(sm, simt_host(kit.gpu->memory, kit.param), sizeof sm);
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(sm[i], i % 15);
	for (uint32_t kernel = 0; kernel < 3; kernel++) {
		kit_run(&kit, 4, WARP);
		memcpy(sm, simt_host(kit.gpu->memory, kit.param), sizeof sm);
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(sm[i], (4 * kernel + i) % 15);
	}
	kit_close(&kit);
}

/* The blocks of a grid that does not fill the machine are spread: 40 blocks on 15 SMs are at most 3 per SM; without
 * spreading 8 are allowed. A grid that fills the machine is not affected. */
static void test_spread_small_grids(void **state)
{
	static const struct {
		const char *option;
		uint32_t blocks, limit;
	} row[] = {{"launch.spread_small_grids=true", 40, 3},  {"launch.spread_small_grids=true", 15, 1},
	           {"launch.spread_small_grids=true", 1, 1},   {"launch.spread_small_grids=true", 119, 8},
	           {"launch.spread_small_grids=true", 120, 8}, {"launch.spread_small_grids=true", 500, 8},
	           {"launch.spread_small_grids=false", 40, 8}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct gpu_kit kit;
		uint32_t sm[500], per_sm[15] = {0};
		KIT_OPEN(&kit, row[i].option);
		load_who_am_i(&kit);
		kit.param = kit_buffer(&kit, NULL, 500);
		kit.run.blocks_per_sm = 8;
		kit_run(&kit, row[i].blocks, WARP);
		assert_int_equal(kit.run.blocks_limit, row[i].limit);
		memcpy(sm, simt_host(kit.gpu->memory, kit.param), sizeof sm);
		for (uint32_t b = 0; b < row[i].blocks; b++)
			per_sm[sm[b]]++;
		for (uint32_t s = 0; s < 15 && row[i].blocks <= 120; s++)
			assert_in_range(per_sm[s], row[i].blocks / 15, row[i].limit);
		kit_close(&kit);
	}
}

/* A machine that runs again repeats every counter and every byte, and sleep changes none of them. Slow queues and small
 * caches make every unit wait for others. */
static void test_determinism(void **state)
{
	static const char *const shapes[][6] = {
		{NULL},
		{"l1d.mshrs=2", "l1d.miss_queue=3", "l2.mshrs=4", "network.injection_flits=9", "dram.queue=2", NULL},
		{"sm.warp_order=lrr", "sm.count=3", "l2.input_queue=1", "l2.reply_queue=1", "l2.to_dram_queue=1", NULL},
		{"sm.warp_order=two_level", "sm.mem.collectors=1", "l1d.sets=1", "network.boundary_flits=9", NULL},
		{"sm.global_skips_l1=true", "sm.count=4", "sm.register_banks=2", "l1i.sets=1", "l1c.mshrs=1", NULL},
		{"sm.zero_latency_memory=true", "l1d.sets=8", "l1d.port_bytes=32", "l1i.sets=1",
	         "network.boundary_flits=5", NULL},
	};
	struct outcome first[BUSY_KERNELS], second[BUSY_KERNELS];
	uint8_t *memory[2] = {malloc(BUSY_BYTES), malloc(BUSY_BYTES)};
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
		run_busy(shapes[s], first, memory[0]);
		for (int sleepless = s > 0; sleepless <= 1; sleepless++) { /* the plain repetition once */
			const char *options[8] = {NULL};
			size_t n = 0;
			for (; shapes[s][n]; n++)
				options[n] = shapes[s][n];
			options[n] = sleepless ? "launch.sleep=false" : "launch.sleep=true";
			run_busy(options, second, memory[1]);
			assert_memory_equal(memory[0], memory[1], BUSY_BYTES);
			for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
				compare_stats(&first[i].stats, &second[i].stats, sleepless ? "without sleep" : "again",
				              i);
				assert_int_equal(first[i].cycles, second[i].cycles);
			}
		}
	}
	free(memory[0]);
	free(memory[1]);
}

/* The number of host threads changes nothing either, even with different clocks or with more threads than SMs. */
static void test_threads(void **state)
{
	static const struct {
		const char *option[6];
		uint32_t threads[2];
	} shape[] = {
		{{NULL}, {2, 4}},
		{{"sm.count=5", "map.channels=4", "l2.to_dram_queue=1", "network.boundary_flits=9", NULL}, {2}},
		{{"clock.dram=100", "clock.l2=350", "clock.network=1400", NULL}, {2}},
		{{"sm.warp_order=lrr", "sm.count=2", "map.channels=1", NULL}, {16}},
		{{"sm.zero_latency_memory=true", NULL}, {2}},
	};
	struct outcome alone[BUSY_KERNELS], together[BUSY_KERNELS];
	uint8_t *memory[2] = {malloc(BUSY_BYTES), malloc(BUSY_BYTES)};
	(void)state;
	for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++) {
		kit_threads = 1;
		run_busy(shape[s].option, alone, memory[0]);
		for (size_t t = 0; t < 2 && shape[s].threads[t]; t++) {
			char what[32];
			kit_threads = shape[s].threads[t];
			snprintf(what, sizeof what, "%u threads", kit_threads);
			run_busy(shape[s].option, together, memory[1]);
			assert_memory_equal(memory[0], memory[1], BUSY_BYTES);
			for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
				compare_stats(&alone[i].stats, &together[i].stats, what, i);
				assert_int_equal(alone[i].cycles, together[i].cycles);
			}
		}
	}
	kit_threads = 1;
	free(memory[0]);
	free(memory[1]);
}

/* A machine's shape changes times, never results. The first kernel is left out: its sum of neighbors' words depends on
 * order. All others are free of races. */
static void test_shape_changes_no_result(void **state)
{
	static const char *const shapes[][4] = {
		{NULL},
		{"sm.warp_order=lrr", "sm.count=1", NULL},
		{"sm.schedulers=4", "sm.register_banks=1", "l1d.mshrs=1", NULL},
		{"clock.dram=100", "clock.l2=350", "clock.network=1400", NULL},
		{"sm.perfect_l1=true", NULL},
		{"sm.zero_latency_memory=true", "sm.l1_latency=35", NULL},
	};
	uint8_t *want = NULL;
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
		struct gpu_kit kit;
		kit_open(&kit, shapes[s]);
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		for (uint32_t i = 2; i < BUSY_KERNELS; i++) {
			kit_load(&kit, busy_kernels[i]);
			kit_run(&kit, 20, 256);
		}
		void *got = simt_host(kit.gpu->memory, kit.param);
		if (!want)
			want = memcpy(malloc(BUSY_BYTES), got, BUSY_BYTES);
		assert_memory_equal(got, want, BUSY_BYTES);
		kit_close(&kit);
	}
	free(want);
}

/* A warp stores a line that L1 does not hold, and loads it. The write-miss policy decides which access fetches the
 * line, and whether the write is sent down. A line that is written lazily has all its bytes. The pipe in front of L1's
 * tags changes nothing. */
static void test_l1_write_misses(void **state)
{
	static const struct {
		const char *option;
		uint32_t read_misses, written; /* at L2 */
	} policies[] = {{"l1d.write_miss=none", 1, 1}, {"l1d.write_miss=fetch", 0, 1}, {"l1d.write_miss=lazy", 0, 0}};
	static const char *const latencies[] = {"sm.l1_latency=0", "sm.l1_latency=7"};
	static const char *const hits[] = {"l1d.write_hit=evict", "l1d.write_hit=through", "l1d.write_hit=back"};
	(void)state;
	for (uint32_t i = 0; i < 18; i++) {
		struct gpu_kit kit;
		bool is_through = i / 6 == 1;
		uint64_t lanes[16] = {0};
		KIT_OPEN(&kit, ONE_SM, policies[i % 3].option, latencies[i / 3 % 2], hits[i / 6]);
		kit.param = kit_buffer(&kit, lanes, 16);
		kit_load(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
		               "st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1; exit;");
		kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.l1d.fills, i % 3 != 2);
		assert_int_equal(kit.run.stats.l1d.write_accesses, 1);
		assert_int_equal(kit.run.stats.l1d.read_misses, policies[i % 3].read_misses);
		assert_int_equal(kit.run.stats.l2.write_accesses, policies[i % 3].written | is_through);
		kit_close(&kit);
	}
}

/* The kernel adds lane numbers in memory: checks that a machine still works. */
static void check_usable(struct gpu_kit *kit)
{
	kit->param = kit_buffer(kit, NULL, 16);
	kit_load(kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
	              "st.global.u32 [%rd1], %r1; exit;");
	kit_run(kit, 1, WARP);
	const uint32_t *value = simt_host(kit->gpu->memory, kit->param);
	for (uint32_t i = 0; i < WARP; i++)
		assert_int_equal(value[i], i);
	/* with those of the kernel's first instructions */
	assert_int_equal(kit->run.stats.sm.thread_instructions, 32 * 6);
}

/* A store outside every allocation stops the kernel, with a message that names instruction, lane and address. Then the
 * machine is as new. */
static void test_fault(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ALL_SMS);
	kit.param = kit_buffer(&kit, NULL, 31 * 4 / 8);
	kit_load(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4096; add.u64 %rd1, %rd1, %rd0;\n"
	               "st.global.u32 [%rd1], %r1; exit;");
	kit_start(&kit, 60, 256);
	assert_int_equal(kit.run.end, GPU_FAULT);
	assert_non_null(kit.run.fault.what);
	assert_int_equal(kit.run.fault.address, kit.param + 4096 * kit.run.fault.thread.x);
	assert_int_equal(kit.run.fault.inst->kind, SIMT_STORE);
	check_usable(&kit);
	kit_close(&kit);
}

/* Two warps that wait at different barriers would wait forever: the last to arrive stops the kernel. A barrier that
 * counts the block's threads is passed when its other warps have ended. */
static void test_deadlock(void **state)
{
	static const struct {
		const char *body;
		enum gpu_end end;
	} row[] = {
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra B; bar.sync 1; exit; B: bar.sync 2; exit;",
	         GPU_FAULT},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 exit; bar.sync 0, 64; exit;", GPU_FAULT},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 exit; bar.sync 0; exit;", GPU_DONE},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 exit; bar.sync 0, 32; exit;", GPU_DONE},
	};
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ALL_SMS);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		kit_load(&kit, row[i].body);
		kit_start(&kit, 1, 64);
		assert_int_equal(kit.run.end, row[i].end);
		assert_true(kit.run.cycles < 3000);
		if (row[i].end == GPU_FAULT) {
			assert_int_equal(kit.run.fault.kind, SIMT_FAULT_BARRIER);
			assert_int_equal(kit.run.fault.inst->kind, SIMT_BARRIER);
			check_usable(&kit);
		}
	}
	kit_close(&kit);
}

/* An endless loop is not a stall: the limit of instructions ends it, and the machine is as new. */
static void test_limit_of_instructions(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, ALL_SMS);
	kit_load(&kit, "AGAIN: add.u32 %r1, %r1, 1; bra AGAIN;");
	kit.run.max_thread_instructions = 1000000;
	kit_start(&kit, 15, 256);
	assert_int_equal(kit.run.end, GPU_STOPPED);
	assert_true(kit.run.stats.sm.thread_instructions >= 1000000);
	/* checked every 256 steps of at most 15 x 2 x 32 */
	assert_true(kit.run.stats.sm.thread_instructions < 1000000 + 256 * 15 * 2 * 32);
	kit.run.max_thread_instructions = 0;
	check_usable(&kit);
	kit_close(&kit);
}

/* Kernels follow each other on one machine. Time continues and statistics restart. L2 preserves its lines, and so does
 * L1 unless it is to be flushed. */
static void test_kernels_in_a_row(void **state)
{
	(void)state;
	for (int flush = 0; flush <= 1; flush++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, flush ? "sm.flush_l1=true" : "sm.flush_l1=false");
		kit.param = make_chain(&kit, 1, 256);
		kit_load(&kit, "ld.global.u64 %rd1, [%rd0]; add.u64 %rd1, %rd1, 1; exit;");
		double before = gpu_seconds(kit.gpu);
		uint64_t cycles = kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.l1d.misses, 1);
		assert_int_equal(kit.run.stats.sm.stack_dram > 0, 1);
		double passed = gpu_seconds(kit.gpu) - before;
		assert_true(passed > (double)(cycles - 2) / 700e6 && passed < (double)(cycles + 2) / 700e6);
		kit_run(&kit, 1, WARP);
		assert_int_equal(kit.run.stats.l1d.misses, flush);
		assert_int_equal(kit.run.stats.l1d.hits, !flush);
		assert_int_equal(kit.run.stats.l2.misses, 0);
		assert_int_equal(kit.run.stats.sm.blocks, 1);
		kit_close(&kit);
	}
}

/* A machine with several host threads is usable again after a kernel that ended early. */
static void test_threads_after_a_fault(void **state)
{
	static const uint32_t threads[] = {2, 4, 16};
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		kit_threads = threads[i];
		test_fault(state);
		test_deadlock(state);
		test_limit_of_instructions(state);
	}
	kit_threads = 1;
}

/* The kernel ends with the fault of the failing block, whichever block that is and whichever thread simulates its SM.
 * It fails late enough for all threads to be active; all other blocks loop. */
static void test_fault_in_any_thread(void **state)
{
	static const uint32_t threads[] = {1, 2, 4, 16};
	(void)state;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		struct gpu_kit kit;
		kit_threads = threads[i];
		KIT_OPEN(&kit, ALL_SMS);
		kit.param = kit_buffer(&kit, NULL, 8);
		for (uint32_t block = 0; block < kit.machine.sms; block += 4) {
			char text[512];
			snprintf(text, sizeof text,
			         "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r3, 0; setp.eq.u32 %%p1, %%r1, %u; @%%p1 bra "
			         "WRONG;\n"
			         "AGAIN: bra AGAIN; WRONG: add.u32 %%r3, %%r3, 1;\n"
			         "setp.lt.u32 %%p1, %%r3, 64; @%%p1 bra WRONG; mov.u64 %%rd1, 8; ld.global.u32 %%r2, "
			         "[%%rd1]; exit;",
			         block);
			kit_load(&kit, text);
			kit_start(&kit, kit.machine.sms, WARP);
			assert_int_equal(kit.run.end, GPU_FAULT);
			assert_int_equal(kit.run.fault.kind, SIMT_FAULT_ADDRESS);
		}
		kit_close(&kit);
	}
	kit_threads = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_l2_hit),
		cmocka_unit_test(test_l1_miss),
		cmocka_unit_test(test_dram_row_conflict),
		cmocka_unit_test(test_transactions),
		cmocka_unit_test(test_precisions),
		cmocka_unit_test(test_instruction_miss),
		cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_block_limit),
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_spread_small_grids),
		cmocka_unit_test(test_determinism),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_threads_after_a_fault),
		cmocka_unit_test(test_fault_in_any_thread),
		cmocka_unit_test(test_shape_changes_no_result),
		cmocka_unit_test(test_l1_write_misses),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_limit_of_instructions),
		cmocka_unit_test(test_kernels_in_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
