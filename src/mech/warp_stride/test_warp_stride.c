/* Protects warp_stride: the pairs of executions that are compared, the strides learned, and the cycles between. The
 * kernels' warps execute their loads one after the other, so that all values are known. */
#include "gpu_kit.h"

enum { WARP = 32, LINE = 128, FAR = 1 << 16, LOG = 256, PER_BLOCK = 8 };

enum { TRIED, CORRECT, GAP, CROSSED };

/* Cycles in which loads issued, logged by a mechanism of this test. */
static struct {
	uint64_t cycle[LOG];
	uint32_t count;
} seen;

static void see(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (issue->type == MECH_MEMORY && issue->kind == MECH_LOAD && issue->space == MECH_GLOBAL && seen.count < LOG)
		seen.cycle[seen.count++] = issue->cycle;
}

static const struct mech watcher = {
	.version = MECH_VERSION, .name = "watcher", .summary = "loads' cycles", .citation = "tests", .issue = see};

static void open_with(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	static const struct mech *const own[] = {&watcher, NULL};
	kit_mechanisms = own;
	kit_describe(kit, options);
	kit_attach(kit, mechanism);
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, (1 << 20) / 8);
	seen.count = 0;
}

#define OPEN(kit, mechanism, ...) open_with(kit, mechanism, (const char *const[]){"sm.count=1", __VA_ARGS__, NULL})

/* %r1 the thread, %r2 the warp, %r3 the block, %r4 the warp's number over all blocks of PER_BLOCK warps. %rd1 begins
 * at the block's data, which are FAR apart, and then points to the thread's own word, one line per warp. */
#define PLACES                                                                                                         \
	"mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, 8, %r2;\n"              \
	"mul.wide.u32 %rd1, %r3, 65536; add.u64 %rd1, %rd1, %rd0; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, "     \
	"%rd2;\n"
/* Waits %r5 times a few hundred cycles. */
#define WAIT                                                                                                           \
	"mul.lo.u32 %r6, %r5, 20; add.u32 %r6, %r6, 1;\n"                                                              \
	"spin: sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra spin;\n"

static uint64_t element(const struct gpu_kit *kit, uint32_t row, uint32_t distance)
{
	struct vector vector;
	seam_vector(kit->gpu->seam, 0, row, &vector);
	assert_true(distance < vector.length);
	uint64_t value = vector.value[distance];
	vector_free(&vector);
	return value;
}

static void expect(const struct gpu_kit *kit, uint32_t distance, uint64_t tried, uint64_t correct, uint64_t crossed)
{
	if (element(kit, TRIED, distance) != tried || element(kit, CORRECT, distance) != correct ||
	    element(kit, CROSSED, distance) != crossed)
		fail_msg("distance %u: %lu tried, %lu correct, %lu crossed, not %lu, %lu, %lu", distance,
		         element(kit, TRIED, distance), element(kit, CORRECT, distance),
		         element(kit, CROSSED, distance), tried, correct, crossed);
}

static uint32_t over(uint32_t most, uint32_t distance)
{
	return most > distance ? most - distance : 0;
}

/* The warps of a block load one after the other: the second warp gives the stride and predicts all later ones. The
 * gap is the interval between the issues. */
static void test_block(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride", NULL);
	kit_load(&kit, PLACES "mov.u32 %r5, %r2;\n" WAIT "ld.global.u32 %r7, [%rd1]; exit;");
	kit_run(&kit, 1, PER_BLOCK * WARP);
	assert_int_equal(seen.count, PER_BLOCK);
	assert_int_equal(kit_counter(&kit, 0, "executions"), PER_BLOCK);
	assert_int_equal(kit_counter(&kit, 0, "strides"), 1);
	assert_int_equal(kit_counter(&kit, 0, "changes"), 0);
	expect(&kit, 0, 0, 0, 0);
	for (uint32_t d = 1; d <= 16; d++) {
		uint64_t gap = 0;
		for (uint32_t w = 1; w + d < PER_BLOCK; w++)
			gap += seen.cycle[w + d] - seen.cycle[w];
		expect(&kit, d, over(PER_BLOCK - 1, d), over(PER_BLOCK - 1, d), 0);
		assert_int_equal(element(&kit, GAP, d), gap);
	}
	kit_close(&kit);
}

/* Two blocks with distant data: predictions across the border are wrong, as CAPS states. A stride seen once between
 * neighbors is adopted only with confirm=1. */
static void test_border(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t second, changes; /* warps of the second block that predict correctly */
	} ways[] = {{"warp_stride", PER_BLOCK, 0}, {"warp_stride:confirm=1", PER_BLOCK - 1, 2}};
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		OPEN(&kit, ways[i].mechanism, NULL);
		kit_load(&kit, PLACES "mov.u32 %r5, %r4;\n" WAIT "ld.global.u32 %r7, [%rd1]; exit;");
		kit_run(&kit, 2, PER_BLOCK * WARP);
		assert_int_equal(kit_counter(&kit, 0, "changes"), ways[i].changes);
		for (uint32_t d = 1; d < 16; d++) {
			uint32_t tried = over(2 * PER_BLOCK - 1, d), first = over(PER_BLOCK - 1, d);
			expect(&kit, d, tried, first + over(ways[i].second, d), tried - first - over(PER_BLOCK, d));
		}
		kit_close(&kit);
	}
}

/* A loop that each warp completes before the next begins. The n-th execution is compared with the other warp's n-th,
 * if that is still stored. With match=latest, the other warp's last iteration is used, and its stride is right for
 * the next warp only. */
static void test_loop(void **state)
{
	enum { TIMES = 3 };
	static const struct {
		const char *mechanism;
		uint32_t times,
			right; /* executions of a warp that are compared; largest distance with correct predictions */
	} ways[] = {{"warp_stride", TIMES, 16},
	            {"warp_stride:history=3", TIMES, 16},
	            {"warp_stride:history=2", 2, 16},
	            {"warp_stride:match=latest", 1, 1}};
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct gpu_kit kit;
		OPEN(&kit, ways[i].mechanism, NULL);
		kit_load(&kit,
		         PLACES "mul.lo.u32 %r5, %r2, 10; mov.u32 %r8, 3;\n" WAIT
		                "again: ld.global.u32 %r7, [%rd1]; add.u64 %rd1, %rd1, 8192; sub.u32 %r8, %r8, 1;\n"
		                "setp.ne.u32 %p1, %r8, 0; @%p1 bra again; exit;");
		kit_run(&kit, 1, PER_BLOCK * WARP);
		assert_int_equal(kit_counter(&kit, 0, "executions"), TIMES * PER_BLOCK);
		for (uint32_t d = 1; d <= 16; d++) {
			uint32_t tried = ways[i].times * over(PER_BLOCK - 1, d);
			expect(&kit, d, tried, d <= ways[i].right ? tried : 0, 0);
		}
		kit_close(&kit);
	}
}

/* An execution does not predict earlier ones: here the last warp loads first. */
static void test_backwards(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride", NULL);
	kit_load(&kit, PLACES "sub.u32 %r5, 7, %r2;\n" WAIT "ld.global.u32 %r7, [%rd1]; exit;");
	kit_run(&kit, 1, PER_BLOCK * WARP);
	assert_int_equal(kit_counter(&kit, 0, "executions"), PER_BLOCK);
	assert_int_equal(kit_counter(&kit, 0, "strides"), 0);
	for (uint32_t d = 1; d <= 16; d++)
		expect(&kit, d, 0, 0, 0);
	kit_close(&kit);
}

/* Blocks in one slot: the later ones know the stride from their first warp on, and nothing is compared with the
 * block before. */
static void test_slots(void **state)
{
	enum { BLOCKS = 3 };
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride", "sm.blocks=1");
	kit_load(&kit, PLACES "mov.u32 %r5, %r2;\n" WAIT "ld.global.u32 %r7, [%rd1]; exit;");
	kit_run(&kit, BLOCKS, PER_BLOCK * WARP);
	for (uint32_t d = 1; d <= 16; d++) {
		uint32_t tried = over(PER_BLOCK - 1, d) + (BLOCKS - 1) * over(PER_BLOCK, d);
		expect(&kit, d, tried, tried, 0);
	}
	kit_close(&kit);
}

/* Executions are counted from the begin of a block: the first warp of the slot's first block has two, all others
 * one. */
static void test_count(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride", "sm.blocks=1");
	kit_load(&kit, PLACES "mov.u32 %r5, %r2; mov.u32 %r8, 1; setp.eq.u32 %p2, %r4, 0; @%p2 mov.u32 %r8, 2;\n" WAIT
	                      "again: ld.global.u32 %r7, [%rd1]; sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0;\n"
	                      "@%p1 bra again; exit;");
	kit_run(&kit, 2, PER_BLOCK * WARP);
	for (uint32_t d = 1; d <= 16; d++)
		expect(&kit, d, over(PER_BLOCK - 1, d) + over(PER_BLOCK, d),
		       over(PER_BLOCK - 1, d) + over(PER_BLOCK, d), 0);
	kit_close(&kit);
}

/* The first block's two warps load early and stay. The second block's warps end without a load, and the third block
 * later takes their slots. It was not resident at the time of the first block's executions, so it has only its own
 * pair. */
static void test_who_comes_late(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride", "launch.spread_small_grids=false");
	kit_load(&kit,
	         PLACES "mov.u32 %r5, %r2; setp.eq.u32 %p2, %r3, 1; @%p2 add.u32 %r5, %r5, 20;\n" WAIT
	                "@!%p2 ld.global.u32 %r7, [%rd1]; setp.gt.u32 %p3, %r3, 0; @%p3 exit; mov.u32 %r6, 20000;\n"
	                "stay: sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra stay; exit;");
	kit_run(&kit, 3, 2 * WARP);
	assert_int_equal(kit.run.blocks_limit, 2);
	assert_int_equal(kit_counter(&kit, 0, "executions"), 4);
	expect(&kit, 1, 1, 1, 0);
	for (uint32_t d = 2; d <= 16; d++)
		expect(&kit, d, 0, 0, 0);
	kit_close(&kit);
}

/* Loads of shared and local memory are ignored, and so are loads without an active lane. A generic load of global
 * memory counts. */
static void test_which_loads(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "warp_stride:distance=1", NULL);
	kit_load(&kit, ".shared .align 4 .b8 tile[64]; .local .align 4 .b8 mine[64];\n" PLACES
	               "ld.shared.u32 %r7, [tile]; ld.local.u32 %r7, [mine]; setp.gt.u32 %p2, %r1, 99;\n"
	               "@%p2 ld.global.u32 %r7, [%rd1]; ld.u32 %r7, [%rd1]; exit;");
	kit_run(&kit, 1, WARP);
	assert_int_equal(kit_counter(&kit, 0, "executions"), 1);
	kit_close(&kit);
}

/* Host threads and sleeping SMs change nothing. */
static void test_same(void **state)
{
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	uint64_t first[4][17];
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct gpu_kit kit;
		kit_threads = 1 + i / 2;
		OPEN(&kit, "warp_stride", "sm.count=3", sleeps[i % 2]);
		kit.attachments.list[1].mech = &watcher;
		seen.count = LOG; /* logging off */
		kit_load(&kit, PLACES "mov.u32 %r8, 5; again: ld.global.u32 %r7, [%rd1]; add.u64 %rd1, %rd1, 4096;\n"
		                      "sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra again; exit;");
		kit_run(&kit, 14, PER_BLOCK * WARP);
		for (uint32_t row = 0; row < 4; row++)
			for (uint32_t d = 0; d < 17; d++) {
				uint64_t value = element(&kit, row, d);
				assert_true(!i || value == first[row][d]);
				first[row][d] = value;
			}
		assert_true(first[TRIED][1] > 0 && first[CORRECT][1] <= first[TRIED][1]);
		kit_close(&kit);
	}
	kit_threads = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block), cmocka_unit_test(test_border),
		cmocka_unit_test(test_loop),  cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_slots), cmocka_unit_test(test_who_comes_late),
		cmocka_unit_test(test_count), cmocka_unit_test(test_which_loads),
		cmocka_unit_test(test_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
