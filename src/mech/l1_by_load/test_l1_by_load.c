/* Protects l1_by_load: the load and the result that each access of L1 is counted for, in kernels with known
 * accesses. Sums over loads equal L1's own counters. The first use of a line that a mechanism requested counts once. */
#include "gpu_kit.h"

enum { WARP = 32, WARPS = 4, AWAY = 4096 };
enum { EXECUTIONS, ACCESSES, HITS, MISSES, MERGED, PAST_L1, BUFFERED, FIRST_USES, LATE_USES, COUNT };

static const char *const row_name[COUNT] = {"executions", "accesses", "hits",       "misses",   "merged",
                                            "past_l1",    "buffered", "first_uses", "late_uses"};

static void open_with(struct gpu_kit *kit, const struct mech *own, const char *const *options)
{
	const struct mech *const owns[] = {own, NULL};
	kit_describe(kit, options);
	kit_attach(kit, "l1_by_load");
	kit_mechanisms = owns;
	kit_build(kit);
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, (1 << 20) / 8);
}

#define OPEN(kit, own, ...) open_with(kit, own, (const char *const[]){"sm.count=1", __VA_ARGS__, NULL})

static uint64_t total(const struct gpu_kit *kit, uint32_t row)
{
	struct vector vector;
	seam_vector(kit->gpu->seam, 0, row, &vector);
	uint64_t sum = vector_total(&vector);
	vector_free(&vector);
	return sum;
}

/* Expects these counts for the `number`th load of the code; all vectors label it `name`. */
static void expect(const struct gpu_kit *kit, uint32_t number, const char *name, const uint64_t count[COUNT])
{
	for (uint32_t row = 0; row < COUNT; row++) {
		struct vector vector;
		seam_vector(kit->gpu->seam, 0, row, &vector);
		assert_in_range(number, 0, vector.length - 1);
		assert_string_equal(vector.label[number], name);
		if (vector.value[number] != count[row])
			fail_msg("%s: %lu %s, not %lu", name, vector.value[number], row_name[row], count[row]);
		vector_free(&vector);
	}
}

#define EXPECT(kit, number, name, ...) expect(kit, number, name, (const uint64_t[COUNT]){__VA_ARGS__})

/* Compares with L1's own counters, for a kernel without stores. */
static void expect_sums(const struct gpu_kit *kit)
{
	const struct cache_stats *l1d = &kit->run.stats.l1d;
	assert_int_equal(total(kit, ACCESSES), l1d->read_accesses);
	assert_int_equal(total(kit, HITS), l1d->hits);
	assert_int_equal(total(kit, MISSES), l1d->read_misses);
	assert_int_equal(total(kit, MERGED), l1d->merged);
}

/* %rd2: the lane's word in a line that all warps share; %rd3: the lane's 8 bytes in this line and the next. */
#define LANE                                                                                                           \
	"mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1;\n"            \
	"add.u64 %rd3, %rd2, %rd1;\n"
#define WAITS_FOR(register) "and.b32 %r9, " register ", 0; cvt.u64.u32 %rd9, %r9; add.u64 %rd3, %rd3, %rd9;\n"

/* All warps load one line: the first misses, and the others find it in flight. Then all load that line and the next. */
static void test_two_loads(void **state)
{
	static const char *const machine[] = {"gtx480", "gtx480-v4"}; /* whose L1 is pipelined */
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_machine = machine[i];
		OPEN(&kit, NULL, "l1d.sectors=1");
		kit_load(&kit,
		         LANE "ld.global.u32 %r4, [%rd2];\n" WAITS_FOR("%r4") "ld.global.u64 %rd4, [%rd3]; exit;");
		kit_run(&kit, 1, WARPS * WARP);
		EXPECT(&kit, 0, "kernel pc 6 line 0", WARPS, WARPS, 0, 1, WARPS - 1, 0, 0, 0, 0);
		EXPECT(&kit, 1, "kernel pc 10 line 0", WARPS, 2 * WARPS, WARPS, 1, WARPS - 1, 0, 0, 0, 0);
		expect_sums(&kit);
		kit_close(&kit);
	}
	kit_machine = "gtx480";
}

/* Not counted: instructions without an active lane, loads of other spaces, stores, atomics. Loads of local memory
 * are counted. Loads that bypass L1 are counted in `past_l1`. Each launch starts at zero, and the SMs are summed. */
static void test_which(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL, "sm.count=2");
	kit_load(&kit, ".shared .align 4 .b8 tile[64]; .local .align 4 .b8 mine[64];\n" LANE
	               "ld.shared.u32 %r4, [tile]; setp.gt.u32 %p1, %r1, 999; @%p1 ld.global.u32 %r4, [%rd2];\n"
	               "atom.global.add.u32 %r4, [%rd0], 1;\n"
	               "ld.global.cg.u32 %r4, [%rd2]; ld.local.u32 %r5, [mine]; exit;");
	for (uint32_t i = 0; i < 2; i++) {
		kit_run(&kit, 2, WARP);
		EXPECT(&kit, 0, "kernel pc 10 line 0", 2, 0, 0, 0, 0, 2, 0, 0, 0);
		/* L1 still holds the lines */
		EXPECT(&kit, 1, "kernel pc 11 line 0", 2, 2, 2 * i, 2 - 2 * i, 0, 0, 0, 0, 0);
		assert_int_equal(total(&kit, EXECUTIONS), 4);
		expect_sums(&kit);
	}
	kit_load(&kit, LANE "st.global.u32 [%rd2], %r1; exit;");
	kit_run(&kit, 2, WARP);
	assert_int_equal(total(&kit, EXECUTIONS) + total(&kit, ACCESSES), 0);
	kit_close(&kit);
}

/* --- prefetched lines --- */

/* At the first load of each kernel, requests the line AWAY bytes from it. */
static void bring(struct mech_sm *sm, const struct mech_memory *memory)
{
	uint32_t *asked = sm->state;
	if ((*asked)++)
		return;
	const struct mech_request request = {.address = memory->transaction->address + AWAY,
	                                     .bytes = sm->machine->line_bytes,
	                                     .to = MECH_TO_L1,
	                                     .pc = memory->pc};
	mech_send(sm, &request);
}

static const struct mech bringer = {.version = MECH_VERSION,
                                    .name = "bringer",
                                    .summary = "brings a line",
                                    .citation = "tests",
                                    .sends = true,
                                    .sm_size = sizeof(uint32_t),
                                    .memory = bring};

#define FIRST_LOAD LANE "ld.global.u32 %r4, [%rd2];\n"
#define SPIN                                                                                                           \
	"mov.u32 %r6, 500;\n"                                                                                          \
	"spin: sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra spin;\n"

/* The line has arrived when four warps load it: all hit, and one access is the first use. Then they load it again. */
static void test_first_use(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, &bringer, NULL);
	kit_load(&kit, FIRST_LOAD SPIN "ld.global.u32 %r5, [%rd2+4096]; ld.global.u32 %r6, [%rd2+4096]; exit;");
	kit_run(&kit, 1, WARPS * WARP);
	EXPECT(&kit, 0, "kernel pc 6 line 0", WARPS, WARPS, 0, 1, WARPS - 1, 0, 0, 0, 0);
	EXPECT(&kit, 1, "kernel pc 11 line 0", WARPS, WARPS, WARPS, 0, 0, 0, 0, 1, 0);
	EXPECT(&kit, 2, "kernel pc 12 line 0", WARPS, WARPS, WARPS, 0, 0, 0, 0, 0, 0);
	assert_int_equal(kit_requests(&kit, 1).useful, 1);
	expect_sums(&kit);
	kit_close(&kit);
}

/* The line is in flight when four warps load it: the first use is late, and the others merge. */
static void test_late(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, &bringer, NULL);
	kit_load(&kit, FIRST_LOAD "mov.u32 %r5, 2;\n"
	                          "spin: sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra spin;\n"
	                          "ld.global.u32 %r5, [%rd2+4096]; exit;");
	kit_run(&kit, 1, WARPS * WARP);
	EXPECT(&kit, 1, "kernel pc 11 line 0", WARPS, WARPS, 0, 0, WARPS, 0, 0, 1, 1);
	assert_int_equal(kit_requests(&kit, 1).late, 1);
	expect_sums(&kit);
	kit_close(&kit);
}

/* --- the buffer before L1 --- */

static void put(struct mech_sm *sm, const struct mech_block *block)
{
	mech_put(sm, *(const uint64_t *)sm->gpu->state, sm->machine->line_bytes, block->slot);
}

static uint64_t where; /* address of the test's array */

static void tell_where(struct mech_gpu *gpu)
{
	*(uint64_t *)gpu->state = where;
}

static struct mech_buffer small_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1, .ways = 1};
}

static const struct mech filler = {.version = MECH_VERSION,
                                   .name = "filler",
                                   .summary = "fills the buffer",
                                   .citation = "tests",
                                   .policies = MECH_POLICY_BUFFER,
                                   .gpu_size = sizeof(uint64_t),
                                   .gpu_kernel_begin = tell_where,
                                   .block_begin = put,
                                   .buffer = small_buffer};

/* Accesses that the buffer serves do not look up L1. */
static void test_buffer(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, &filler, NULL);
	where = kit.param;
	kit_load(&kit, FIRST_LOAD "ld.global.u32 %r5, [%rd2+4096]; exit;");
	kit_run(&kit, 1, WARPS * WARP);
	EXPECT(&kit, 0, "kernel pc 6 line 0", WARPS, 0, 0, 0, 0, 0, WARPS, 0, 0);
	EXPECT(&kit, 1, "kernel pc 7 line 0", WARPS, WARPS, 0, 1, WARPS - 1, 0, 0, 0, 0);
	expect_sums(&kit);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_loads), cmocka_unit_test(test_which),
	                                   cmocka_unit_test(test_first_use), cmocka_unit_test(test_late),
	                                   cmocka_unit_test(test_buffer)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
