/* Protects l1_by_load: which load each access of L1 counts for, and as what, in kernels of which all is known beforehand; that sums over loads are L1's
 * own counters; and that of a line which a mechanism has brought the first use counts, once. */
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
	gpu_mech_vector(kit->gpu, 0, row, &vector);
	uint64_t sum = vector_total(&vector);
	vector_free(&vector);
	return sum;
}

/* What is counted of the `number`th load of the code, which all vectors call by one name. */
static void expect(const struct gpu_kit *kit, uint32_t number, const char *name, const uint64_t count[COUNT])
{
	for (uint32_t row = 0; row < COUNT; row++) {
		struct vector vector;
		gpu_mech_vector(kit->gpu, 0, row, &vector);
		assert_in_range(number, 0, vector.length - 1);
		assert_string_equal(vector.label[number], name);
		if (vector.value[number] != count[row])
			fail_msg("%s: %lu %s, not %lu", name, vector.value[number], row_name[row], count[row]);
		vector_free(&vector);
	}
}

#define EXPECT(kit, number, name, ...) expect(kit, number, name, (const uint64_t[COUNT]){__VA_ARGS__})

/* L1's own counters, in a kernel without stores. */
static void expect_sums(const struct gpu_kit *kit)
{
	const struct cache_stats *l1d = &kit->run.stats.l1d;
	assert_int_equal(total(kit, ACCESSES), l1d->read_accesses);
	assert_int_equal(total(kit, HITS), l1d->hits);
	assert_int_equal(total(kit, MISSES), l1d->read_misses);
	assert_int_equal(total(kit, MERGED), l1d->merged);
}

/* %rd2: the lane's word in a line that all warps share; %rd3: its 8 bytes in this line and the next. */
#define LANE                                                                                                           \
	"mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1;\n"            \
	"add.u64 %rd3, %rd2, %rd1;\n"
#define WAITS_FOR(register) "and.b32 %r9, " register ", 0; cvt.u64.u32 %rd9, %r9; add.u64 %rd3, %rd3, %rd9;\n"

/* All warps load one line: the first one misses, the others come while it is on its way. Behind that they load it and the next one. */
static void test_two_loads(void **state)
{
	static const char *const machine[] = {"gtx480", "gtx480-v4"}; /* its L1 has a pipe */
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

/* No load is what no lane runs, what loads from elsewhere, stores and atomics; one of local memory is. Loads that are not to look in L1 go past it.
 * Launches begin anew, and SMs add up. */
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
		EXPECT(&kit, 1, "kernel pc 11 line 0", 2, 2, 2 * i, 2 - 2 * i, 0, 0, 0, 0, 0); /* L1 keeps its lines */
		assert_int_equal(total(&kit, EXECUTIONS), 4);
		expect_sums(&kit);
	}
	kit_load(&kit, LANE "st.global.u32 [%rd2], %r1; exit;");
	kit_run(&kit, 2, WARP);
	assert_int_equal(total(&kit, EXECUTIONS) + total(&kit, ACCESSES), 0);
	kit_close(&kit);
}

/* --- prefetched lines --- */

/* With the first load of each kernel it asks for the line AWAY from that. */
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

/* The line has come when four warps want it: all hit, one is the first; then they want it again. */
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

/* The line is on its way when four warps want it: the first is late, and the others wait with it. */
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

/* --- the buffer in front of L1 --- */

static void put(struct mech_sm *sm, const struct mech_block *block)
{
	mech_put(sm, *(const uint64_t *)sm->gpu->state, sm->machine->line_bytes, block->slot);
}

static uint64_t where; /* the test's array */

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
                                   .seats = MECH_SEAT_BUFFER,
                                   .gpu_size = sizeof(uint64_t),
                                   .gpu_kernel_begin = tell_where,
                                   .block_begin = put,
                                   .buffer = small_buffer};

/* What the buffer answers does not look in L1. */
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
