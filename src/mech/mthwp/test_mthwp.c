/* Protects mthwp: what trains each table and what does not, the tables' size limits, and that an SM with harmful
 * prefetches stops sending them. The machine has one SM. Addresses are so far apart that no two loads share a line. */
#include "gpu_kit.h"

enum { WARP = 32, STRIDE = 256, LOADS = 64 };

#define ONE_SM "sm.count=1"

static void open_with(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	kit_describe(kit, options);
	kit_attach(kit, mechanism);
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, (1 << 20) / 8);
}

#define OPEN(kit, mechanism, ...) open_with(kit, mechanism, (const char *const[]){ONE_SM, __VA_ARGS__, NULL})

/* A loop of LOADS loads. Each waits for the previous one and is %rd4 bytes after it. Warp w, %r1, begins at w * (w +
 * 1) / 2 * 64 KB, so no two distances between warps are equal. */
static void load_loop(struct gpu_kit *kit, const char *stride)
{
	char body[1024];
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, %%tid.x; shr.u32 %%r1, %%r1, 5;\n"
	         "add.u32 %%r2, %%r1, 1; mul.lo.u32 %%r2, %%r1, %%r2; shl.b32 %%r2, %%r2, 15;\n"
	         "cvt.u64.u32 %%rd1, %%r2; add.u64 %%rd1, %%rd1, %%rd0; mov.u32 %%r3, 0; %s\n"
	         "again: ld.global.u64 %%rd2, [%%rd1]; add.u64 %%rd1, %%rd1, %%rd2; add.u64 %%rd1, %%rd1, %%rd4;\n"
	         "add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %d; @%%p1 bra again; exit;",
	         stride, LOADS);
	kit_load(kit, body);
}

#define ONE_STRIDE   "mov.u64 %rd4, 256;"
#define OTHER_STRIDE "add.u32 %r4, %r1, 1; mul.wide.u32 %rd4, %r4, 256;"

/* The third load has seen the stride twice. From then on, every load has been prefetched `distance` loads earlier. */
static void test_warps_own_stride(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t distance;
	} row[] = {{"mthwp:throttle=false", 1}, {"mthwp:throttle=false,distance=4", 4}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		OPEN(&kit, row[i].mechanism, "sm.warps=48");
		load_loop(&kit, ONE_STRIDE);
		kit_run(&kit, 1, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		const struct gpu_stats *s = &kit.run.stats;
		uint32_t missed = 2 + row[i].distance, found = LOADS - missed;
		assert_int_equal(kit_counter(&kit, 0, "pws_trained"), 1);
		assert_int_equal(kit_counter(&kit, 0, "promoted") + kit_counter(&kit, 0, "ip_trained"), 0);
		assert_int_equal(kit_counter(&kit, 0, "pws_lines"), LOADS - 2);
		assert_int_equal(s->l1d.misses, missed);
		assert_int_equal(s->l1d.hits + s->l1d.merged, found);
		assert_int_equal(requests.asked, LOADS - 2);
		assert_int_equal(requests.useful + requests.late, found);
		assert_int_equal(requests.redundant, row[i].distance); /* beyond the loop's end */
		if (row[i].distance > 1)
			assert_true(requests.useful > 0);
		kit_close(&kit);
	}
}

/* Three warps with the same stride promote it to the load's stride; fewer warps, or other strides, do not. */
static void test_promotion(void **state)
{
	static const struct {
		const char *stride;
		uint32_t warps, promoted;
	} row[] = {{ONE_STRIDE, 2, 0}, {ONE_STRIDE, 3, 1}, {ONE_STRIDE, 6, 1}, {OTHER_STRIDE, 3, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		OPEN(&kit, "mthwp:throttle=false", "sm.warp_order=lrr");
		load_loop(&kit, row[i].stride);
		kit_run(&kit, 1, row[i].warps * WARP);
		kit_requests(&kit, 0);
		assert_int_equal(kit_counter(&kit, 0, "promoted"), row[i].promoted);
		assert_int_equal(kit_counter(&kit, 0, "ip_trained"), 0);
		uint64_t gs = kit_counter(&kit, 0, "gs_lines"), pws = kit_counter(&kit, 0, "pws_lines");
		if (row[i].promoted) {
			assert_int_equal(kit_counter(&kit, 0, "pws_trained"), 3);
			assert_true(gs >= row[i].warps * (LOADS - 3) && pws == 3);
		} else {
			assert_int_equal(gs, 0);
			assert_int_equal(pws, row[i].warps * (LOADS - 2));
		}
		kit_close(&kit);
	}
}

/* Three warps take turns in a table of two rows, and each finds its entry evicted; three rows are enough. */
static void test_table_is_full(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t trained;
	} row[] = {{"mthwp:pws_entries=2,promote=2", 0}, {"mthwp:pws_entries=3", 3}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		OPEN(&kit, row[i].mechanism, "sm.warp_order=lrr");
		load_loop(&kit, OTHER_STRIDE);
		kit_run(&kit, 1, 3 * WARP);
		assert_int_equal(kit_counter(&kit, 0, "pws_trained"), row[i].trained);
		kit_close(&kit);
	}
}

/* Each warp loads once, one after the other. The third has seen two equal distances; from then on, each warp
 * triggers a prefetch for the warp of the next number. The warps also load in another order: 0, 3, 6, 1, 4, 7, 2, 5. */
static void test_other_warps(void **state)
{
	enum { WARPS = 8 };
	static const struct {
		uint32_t turn; /* warp w loads in turn w * turn % 8 */
		const char *address;
		uint32_t found, for_nobody;
	} row[] = {
		{1, "add.u64 %rd1, %rd0, %rd1;", WARPS - 3, 1},
		{1, "sub.u64 %rd1, %rd0, %rd1;", WARPS - 3, 1},
		{3, "add.u64 %rd1, %rd0, %rd1;", 3, 1}, /* 7, 2 and 5; 3 and 6 have loaded already */
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		char body[1024];
		OPEN(&kit, "mthwp:throttle=false", "sm.warps=48");
		kit.param += 1 << 19;
		snprintf(body, sizeof body,
		         "mov.u32 %%r1, %%tid.x; shr.u32 %%r1, %%r1, 5; mov.u32 %%r3, 0;\n"
		         "mul.lo.u32 %%r2, %%r1, %u; and.b32 %%r2, %%r2, 7; mul.lo.u32 %%r2, %%r2, 200;\n"
		         "again: add.u32 %%r3, %%r3, 1; setp.le.u32 %%p1, %%r3, %%r2; @%%p1 bra again;\n"
		         "mul.wide.u32 %%rd1, %%r1, %d; %s ld.global.u32 %%r4, [%%rd1]; exit;",
		         row[i].turn, STRIDE, row[i].address);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARPS * WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(kit_counter(&kit, 0, "ip_trained"), 1);
		assert_int_equal(kit_counter(&kit, 0, "ip_lines"), WARPS - 2);
		assert_int_equal(kit.run.stats.l1d.misses, WARPS - row[i].found);
		assert_int_equal(kit.run.stats.l1d.hits, row[i].found);
		assert_int_equal(requests.useful, row[i].found);
		assert_int_equal(requests.redundant, row[i].for_nobody);
		kit_close(&kit);
	}
}

/* Two warps that repeat the same loads have a single distance between them, which does not train the table. */
static void test_two_warps_are_too_few(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "mthwp:throttle=false", "sm.warp_order=lrr");
	load_loop(&kit, "mov.u64 %rd4, 0;");
	kit_run(&kit, 1, 2 * WARP);
	assert_int_equal(kit_counter(&kit, 0, "ip_trained"), 0);
	assert_int_equal(kit_requests(&kit, 0).asked, 0);
	kit_close(&kit);
}

/* Single-warp blocks follow each other in one slot: their loads do not train a common row. */
static void test_slot_of_many_blocks(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "mthwp", "sm.blocks=1");
	kit_load(&kit, "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 256; add.u64 %rd1, %rd1, %rd0;\n"
	               "ld.global.u32 %r2, [%rd1]; exit;");
	kit_run(&kit, 16, WARP);
	assert_int_equal(kit.run.stats.l1d.misses, 16);
	assert_int_equal(kit_requests(&kit, 0).asked, 0);
	kit_close(&kit);
}

/* An L1 of four lines evicts prefetches for distant loads before their use. The throttle then stops all prefetches. */
static void test_early_evictions_stop_it(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "mthwp:distance=16,period=4000", "l1d.sets=1", "l1d.ways=4");
	load_loop(&kit, ONE_STRIDE);
	kit_run(&kit, 1, WARP);
	const struct mech_requests requests = kit_requests(&kit, 0);
	assert_true(requests.early_evicted > 0 && requests.useful == 0);
	assert_int_equal(kit_counter(&kit, 0, "throttle_raised"), 1);
	assert_true(kit_counter(&kit, 0, "periods") > 2);
	assert_int_equal(kit_counter(&kit, 0, "periods_stopped"), kit_counter(&kit, 0, "periods"));
	assert_true(requests.asked < LOADS / 2);
	assert_int_equal(kit_counter(&kit, 0, "throttled") + requests.asked, LOADS - 2);
	kit_close(&kit);
}

/* Merged loads, here four warps' loads of the same lines, are a sign of use: the throttle starts at two fifths and
 * opens step by step. When the threshold says that they are no such sign, it closes. */
static void test_merges_open_the_throttle(void **state)
{
	enum { WARPS = 4 };
	static const struct {
		const char *mechanism;
		uint32_t lowered, raised;
	} row[] = {{"mthwp:period=4000", 2, 0}, {"mthwp:period=4000,merge_high=1", 0, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		OPEN(&kit, row[i].mechanism, "sm.warp_order=lrr");
		load_loop(&kit, ONE_STRIDE "mov.u64 %rd1, %rd0;");
		kit_run(&kit, 1, WARPS * WARP);
		uint64_t asked = kit_requests(&kit, 0).asked, kept_back = kit_counter(&kit, 0, "throttled");
		assert_int_equal(kit_counter(&kit, 0, "throttle_lowered"), row[i].lowered);
		assert_int_equal(kit_counter(&kit, 0, "throttle_raised"), row[i].raised);
		assert_int_equal(asked + kept_back,
		                 kit_counter(&kit, 0, "gs_lines") + kit_counter(&kit, 0, "pws_lines"));
		if (row[i].lowered)
			assert_true(kept_back * 5 < (asked + kept_back) * 2);
		else
			assert_true(kept_back * 5 > (asked + kept_back) * 2);
		kit_close(&kit);
	}
}

/* A mechanism with a buffer before L1. From each block's begin, it holds lines of the loop below, selected by
 * number. */
static struct {
	uint64_t array;
	uint32_t first, lines;
} held;

static void hold_lines(struct mech_sm *sm, const struct mech_block *block)
{
	for (uint32_t i = 0; i < held.lines; i++)
		mech_put(sm, held.array + (uint64_t)(held.first + i) * STRIDE, 32, block->slot);
}

static struct mech_buffer buffer_of_lines(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1};
}

static const struct mech holder = {.version = MECH_VERSION,
                                   .name = "holder",
                                   .policies = MECH_POLICY_BUFFER,
                                   .block_begin = hold_lines,
                                   .buffer = buffer_of_lines};

/* mthwp learns only from accesses that the buffer does not serve. Lines in the buffer are not fetched, even if the
 * buffer has only the sector that loads need. The first lines in the buffer train nothing. The first of the last lines
 * in the buffer is requested and filtered. */
static void test_behind_the_buffer(void **state)
{
	static const struct mech *const only_holder[] = {&holder, NULL};
	static const struct {
		uint32_t first, lines, asked, filtered;
	} row[] = {{0, 0, LOADS - 2, 0},
	           {0, 10, LOADS - 10 - 2, 0},
	           {LOADS - 10, 10, LOADS - 10 - 2, 1},
	           {0, LOADS, 0, 0}};
	(void)state;
	kit_mechanisms = only_holder;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		OPEN(&kit, "mthwp:throttle=false", "sm.warps=48");
		held.array = kit.param;
		held.first = row[i].first;
		held.lines = row[i].lines;
		load_loop(&kit, ONE_STRIDE);
		kit_run(&kit, 1, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(requests.asked, row[i].asked);
		assert_int_equal(requests.filtered, row[i].filtered);
		assert_int_equal(kit.run.stats.l1d.read_accesses, LOADS - row[i].lines);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* Prefetching changes cycles and traffic, never the program's results. */
static void test_results(void **state)
{
	enum { WARPS = 4, WORDS = WARPS * WARP * 16 };
	static const char *const mechanisms[] = {"lrr", "mthwp:throttle=false,degree=2"};
	uint64_t cycles[2], instructions[2];
	(void)state;
	for (size_t m = 0; m < 2; m++) {
		struct gpu_kit kit;
		OPEN(&kit, mechanisms[m], "sm.warps=48");
		uint64_t *value = simt_host(kit.gpu->memory, kit.param);
		for (uint64_t i = 0; i < WORDS; i++)
			value[i] = i * i + 1;
		/* Thread t sums the words t, t + 128, ... and stores the sum in place of the first. */
		kit_load(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8; add.u64 %rd1, %rd1, %rd0;\n"
		               "mov.u64 %rd3, %rd1; mov.u64 %rd5, 0; mov.u32 %r3, 0;\n"
		               "again: ld.global.u64 %rd2, [%rd1]; add.u64 %rd5, %rd5, %rd2;\n"
		               "add.u64 %rd1, %rd1, 1024; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 16;\n"
		               "@%p1 bra again; st.global.u64 [%rd3], %rd5; exit;");
		cycles[m] = kit_run(&kit, 1, WARPS * WARP);
		instructions[m] = kit.run.stats.sm.warp_instructions;
		for (uint64_t t = 0; t < WARPS * WARP; t++) {
			uint64_t sum = 0;
			for (uint64_t i = t; i < WORDS; i += WARPS * WARP)
				sum += i * i + 1;
			assert_int_equal(value[t], sum);
		}
		kit_close(&kit);
	}
	assert_int_equal(instructions[0], instructions[1]);
	assert_true(cycles[1] < cycles[0]);
}

static void test_wrong_options(void **state)
{
	(void)state;
	kit_refuses("mthwp:early_low=0.5", "early_high");
	kit_refuses("mthwp:pws_entries=2", "promote");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warps_own_stride),        cmocka_unit_test(test_promotion),
		cmocka_unit_test(test_table_is_full),           cmocka_unit_test(test_other_warps),
		cmocka_unit_test(test_two_warps_are_too_few),   cmocka_unit_test(test_slot_of_many_blocks),
		cmocka_unit_test(test_early_evictions_stop_it), cmocka_unit_test(test_merges_open_the_throttle),
		cmocka_unit_test(test_behind_the_buffer),       cmocka_unit_test(test_results),
		cmocka_unit_test(test_wrong_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
