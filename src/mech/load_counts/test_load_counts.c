/* Protects load_counts: executions and warps of each load, the ranking of the top four, and the repeated loads, in
 * kernels with known loops. */
#include "gpu_kit.h"

enum { WARP = 32 };
enum { EXECUTIONS, WARPS, TOP_EXECUTIONS, TOP_WARPS };

static void open_with(struct gpu_kit *kit, const char *const *options)
{
	kit_describe(kit, options);
	kit_attach(kit, "load_counts");
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, (1 << 16) / 8);
}

#define OPEN(kit, ...) open_with(kit, (const char *const[]){"sm.count=2", __VA_ARGS__, NULL})

static uint64_t total(const struct gpu_kit *kit, uint32_t row)
{
	struct vector vector;
	seam_vector(kit->gpu->seam, 0, row, &vector);
	uint64_t sum = vector_total(&vector);
	vector_free(&vector);
	return sum;
}

static void expect_top(const struct gpu_kit *kit, const uint64_t executions[4], const uint64_t warps[4])
{
	struct vector top, by;
	seam_vector(kit->gpu->seam, 0, TOP_EXECUTIONS, &top);
	seam_vector(kit->gpu->seam, 0, TOP_WARPS, &by);
	assert_int_equal(top.length, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(top.value[i], executions[i]);
		assert_int_equal(by.value[i], warps[i]);
	}
	vector_free(&top);
	vector_free(&by);
}

/* A loop that runs `body` `times` times; its counter is %r3. */
#define LOOP(name, times, body)                                                                                        \
	"mov.u32 %r3, " times ";\n" name ": " body "sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra " name ";"  \
	"\n"
#define LOAD   "ld.global.u32 %r4, [%rd0];\n"
#define THREAD "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; add.u32 %r5, %r2, 1;\n"

/* Five loads of 3 blocks of 4 warps. Executions per warp: 1, 5, 2, the warp's number (1 to 4, mean 2.5), and 3 by
 * only two of the four warps. The four highest are ranked in order; the load that is executed once is not among
 * them. */
static void test_order(void **state)
{
	enum { BLOCKS = 3, ALL = BLOCKS * 4 };
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, THREAD LOAD LOOP("a", "5", LOAD) LOOP("b", "2", LOAD)
	                       LOOP("c", "%r5", LOAD) "setp.gt.u32 %p2, %r1, 63; @%p2 bra end;\n" LOOP(
				       "d", "3", LOAD) "end: exit;");
	kit_run(&kit, BLOCKS, 4 * WARP);
	assert_int_equal(kit_counter(&kit, 0, "loads"), 5);
	assert_int_equal(kit_counter(&kit, 0, "repeated"), 4);
	expect_top(&kit, (const uint64_t[]){5 * ALL, 3 * ALL / 2, 5 * ALL / 2, 2 * ALL},
	           (const uint64_t[]){ALL, ALL / 2, ALL, ALL});
	assert_int_equal(total(&kit, EXECUTIONS), ALL + 5 * ALL + 2 * ALL + 5 * ALL / 2 + 3 * ALL / 2);
	assert_int_equal(total(&kit, WARPS), 4 * ALL + ALL / 2);
	kit_close(&kit);
}

/* Successive warps in a slot are different warps. Instructions without an active lane and loads of other spaces are
 * not counted. */
static void test_which(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "sm.blocks=1");
	kit_load(&kit, ".shared .align 4 .b8 tile[64]; .local .align 4 .b8 mine[64];\n" THREAD
	               "ld.shared.u32 %r4, [tile]; ld.local.u32 %r4, [mine]; ld.u32 %r4, [%rd0];\n"
	               "setp.gt.u32 %p2, %r1, 31; @%p2 ld.global.u32 %r4, [%rd0]; exit;");
	kit_run(&kit, 10, 2 * WARP);
	assert_int_equal(kit_counter(&kit, 0, "loads"), 2);
	assert_int_equal(kit_counter(&kit, 0, "repeated"), 0);
	expect_top(&kit, (const uint64_t[]){20, 10, 0, 0}, (const uint64_t[]){20, 10, 0, 0});
	kit_close(&kit);
}

/* Elements are labeled by kernel, pc and line, and each kernel starts at zero. */
static void test_names(void **state)
{
	struct gpu_kit kit;
	struct vector vector;
	(void)state;
	OPEN(&kit, NULL);
	for (uint32_t i = 0; i < 2; i++) {
		kit_load(&kit, THREAD LOOP("a", "7", LOAD) "exit;"); /* after 5 instructions */
		kit_run(&kit, 1, WARP);
		seam_vector(kit.gpu->seam, 0, EXECUTIONS, &vector);
		assert_int_equal(vector.length, 1);
		assert_int_equal(vector.value[0], 7);
		assert_string_equal(vector.label[0], "kernel pc 5 line 0");
		vector_free(&vector);
		assert_int_equal(kit_counter(&kit, 0, "loads"), 1);
		assert_int_equal(kit_counter(&kit, 0, "repeated"), 1);
	}
	kit_load(&kit, "exit;");
	kit_run(&kit, 1, WARP);
	assert_int_equal(total(&kit, EXECUTIONS) + total(&kit, TOP_WARPS) + kit_counter(&kit, 0, "loads"), 0);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_which),
	                                   cmocka_unit_test(test_names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
