/* Protects staging: the begin and end of transfers, which transfers are counted, and the SM's wait cycles. Expected
 * values are computed from the cycles of logged issues and stores. */
#include "staging_kit.h"

/* One word per thread. */
#define TILE                                                                                                           \
	".shared .align 4 .b8 tile[4096];\n"                                                                           \
	"first: mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, tile; add.u64 %rd2, %rd2, %rd1;\n"       \
	"add.u64 %rd1, %rd1, %rd0;\n"
#define COPY "load: ld.global.u32 %r2, [%rd1]; store: st.shared.u32 [%rd2], %r2; wait: bar.sync 0;\n"
#define COMPUTE                                                                                                        \
	"use: ld.shared.u32 %r3, [tile]; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, %r3; st.global.u32 [%rd0], %r3;\n"
#define EXIT "exit;"

/* One warp, one tile: from the kernel's first instruction, which loads the pointer, to the load's issue, and on to
 * the store in the banks. */
static void test_one(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE COPY COMPUTE EXIT);
	run(&kit, 1, WARP);
	uint64_t begin = spy.issue[0].cycle, load = issued(&kit, "load", 0, 0) + 1;
	assert_int_equal(spy.issue[0].pc, 0);
	expect(&kit, 1, load - begin, stored(0) - load, 4 * WARP);
	assert_int_equal(counted(&kit, "overlap_cycles"), 0);
	assert_int_equal(counted(&kit, "resident_cycles"), spy.ended[0] - spy.begun[0]);
	kit_close(&kit);
}

static void run_copy(struct gpu_kit *kit, const char *before, uint32_t additions, const char *store)
{
	char body[2048];
	int length = snprintf(body, sizeof body, "%s", before);
	for (uint32_t i = 0; i < additions; i++)
		length += snprintf(body + length, sizeof body - (size_t)length, "add.u64 %%rd1, %%rd1, 4;\n");
	snprintf(body + length, sizeof body - (size_t)length, "ld.global.u32 %%r2, [%%rd1]; %s bar.sync 0; exit;",
	         store);
	kit_load(kit, body);
	run(kit, 1, WARP); /* the second run has its code in the caches */
	run(kit, 1, WARP);
}

/* Each dependent addition to the address costs an addition's latency in AGEN and nothing in MEM. A store with N
 * conflicting lanes per bank occupies the banks for N cycles. */
static void test_closed_forms(void **state)
{
	static const char spread[] = TILE "mul.wide.u32 %rd3, %r1, 28; add.u64 %rd3, %rd3, %rd2;\n";
	static const char same[] = TILE "mul.wide.u32 %rd3, %r1, 124; add.u64 %rd3, %rd3, %rd2;\n";
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "l1i.sets=64");
	run_copy(&kit, TILE, 1, "st.shared.u32 [%rd2], %r2;");
	uint64_t agen = counted(&kit, "agen_cycles");
	run_copy(&kit, TILE, 2, "st.shared.u32 [%rd2], %r2;");
	uint64_t addition = counted(&kit, "agen_cycles") - agen;
	run_copy(&kit, TILE, 9, "st.shared.u32 [%rd2], %r2;");
	assert_true(addition >= kit.machine.sm.latency[PTX_LATENCY_ADD][PTX_DATA_INT]);
	assert_int_equal(counted(&kit, "agen_cycles"), agen + 8 * addition);
	run_copy(&kit, spread, 1, "st.shared.u32 [%rd3], %r2;"); /* every 8th word: 4 banks */
	uint64_t mem = counted(&kit, "mem_cycles");
	run_copy(&kit, same, 1, "st.shared.u32 [%rd3], %r2;"); /* all words in one bank */
	assert_int_equal(counted(&kit, "mem_cycles"), mem + 32 - 8);
	kit_close(&kit);
}

/* The second warp is late: AGEN lasts until its load. The overlap is the part in which the first warp's data were in
 * flight. */
static void test_two_warps(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE "setp.lt.u32 %p1, %r1, 32; @%p1 bra load; mov.u32 %r4, 100;\n"
	                    "spin: sub.u32 %r4, %r4, 1; setp.gt.u32 %p2, %r4, 0; @%p2 bra spin;\n" COPY COMPUTE EXIT);
	run(&kit, 1, 2 * WARP);
	uint64_t first = issued(&kit, "load", 0, 0), last = issued(&kit, "load", 1, 0) + 1;
	assert_true(last > first + 100);
	expect(&kit, 1, last - spy.issue[0].cycle, stored(1) - last, 4 * 2 * WARP);
	uint64_t came = issued(&kit, "store", 0, 0);
	assert_int_equal(counted(&kit, "overlap_cycles"), (came < last ? came : last) - (first + 1));
	kit_close(&kit);
}

/* Two blocks, each with its own transfers. */
static void test_two_blocks(void **state)
{
	struct gpu_kit kit;
	uint64_t agen = 0, mem = 0;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE COPY COMPUTE EXIT);
	run(&kit, 2, WARP);
	for (uint32_t b = 0; b < 2; b++) {
		uint32_t i = 0, s = 0;
		while (spy.issue[i].block != b)
			i++;
		while (spy.store[s].block != b)
			s++;
		uint64_t load = issued(&kit, "load", spy.issue[i].warp, 0) + 1;
		agen += load - spy.issue[i].cycle;
		mem += stored(s) - load;
	}
	assert_true(spy.issue[0].block == 0 && spy.ended[0] > spy.begun[1]); /* they run at the same time */
	expect(&kit, 2, agen, mem, 2 * 4 * WARP);
	uint64_t begin = spy.begun[0] < spy.begun[1] ? spy.begun[0] : spy.begun[1];
	uint64_t end = spy.ended[0] > spy.ended[1] ? spy.ended[0] : spy.ended[1];
	assert_int_equal(counted(&kit, "resident_cycles"), end - begin);
	kit_close(&kit);
}

/* A loop of tiles. Later transfers begin with instructions that nothing else needs, here the addition to the address
 * after the second barrier. After the last tile, that addition begins none. */
static void test_tiles(void **state)
{
	enum { TILES = 4 };
	struct gpu_kit kit;
	uint64_t agen = 0, mem = 0;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE
	         "mov.u32 %r5, 4;\nagain: sub.u32 %r5, %r5, 1;\n" COPY COMPUTE
	         "after: bar.sync 0; next: add.u64 %rd1, %rd1, 128; setp.gt.u32 %p1, %r5, 0; @%p1 bra again;\n" EXIT);
	run(&kit, 1, WARP);
	for (uint32_t t = 0; t < TILES; t++) {
		uint64_t begin = t ? issued(&kit, "next", 0, t - 1) : spy.issue[0].cycle;
		uint64_t load = issued(&kit, "load", 0, t) + 1;
		agen += load - begin;
		mem += stored(t) - load;
	}
	expect(&kit, TILES, agen, mem, 4 * WARP * TILES);
	kit_close(&kit);
}

/* Two arrays filled together are two transfers that end at one barrier. */
static void test_two_arrays(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit,
	         ".shared .align 4 .b8 other[4096];\n" TILE
	         "mov.u64 %rd4, other; after: ld.global.u32 %r4, [%rd1+512]; st.shared.u32 [%rd4], %r4;\n" COPY EXIT);
	run(&kit, 1, WARP);
	uint64_t begin = spy.issue[0].cycle; /* the pointer load, which both need */
	uint64_t one = issued(&kit, "after", 0, 0) + 1, two = issued(&kit, "load", 0, 0) + 1;
	expect(&kit, 2, one - begin + two - begin, stored(0) - one + stored(1) - two, 2 * 4 * WARP);
	kit_close(&kit);
}

/* Instructions before a barrier are not part of the transfer after it. Warps that skip the tile take part in its
 * barrier. */
static void test_barrier_before(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE "bar.sync 0; setp.gt.u32 %p1, %r1, 31; after: @%p1 bra wait;\n" COPY COMPUTE EXIT);
	run(&kit, 1, 2 * WARP);
	uint32_t i = 0;
	while (spy.issue[i].pc != pc_at(&kit, "after") - 1)
		i++;
	uint64_t load = issued(&kit, "load", 0, 0) + 1;
	expect(&kit, 1, load - spy.issue[i].cycle, stored(0) - load, 4 * WARP);
	kit_close(&kit);
}

/* A barrier between loads and stores (the next tile is loaded while the block computes) does not end the transfer. */
static void test_barrier_between(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE
	         "load: ld.global.u32 %r2, [%rd1]; bar.sync 0; st.shared.u32 [%rd2], %r2; bar.sync 0;\n" COMPUTE EXIT);
	run(&kit, 1, 2 * WARP);
	uint64_t first = issued(&kit, "load", 0, 0), second = issued(&kit, "load", 1, 0);
	uint64_t load = (first > second ? first : second) + 1;
	expect(&kit, 1, load - spy.issue[0].cycle, stored(1) - load, 4 * 2 * WARP);
	kit_close(&kit);
}

/* One warp copies, three compute, as in CudaDMA: at its named barriers, one side waits and the other only arrives. */
static void test_named_barriers(void **state)
{
	enum { TILES = 3 };
	struct gpu_kit kit;
	uint64_t agen = 0, mem = 0;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit,
	         TILE "mov.u32 %r5, 3; setp.gt.u32 %p1, %r1, 31; @%p1 bra compute;\n"
	              "again: bar.sync 1, 128; ahead: add.u64 %rd1, %rd1, 128;\n"
	              "load: ld.global.u32 %r2, [%rd1]; st.shared.u32 [%rd2], %r2; bar.arrive 2, 128;\n"
	              "sub.u32 %r5, %r5, 1; setp.gt.u32 %p2, %r5, 0; @%p2 bra again; exit;\n"
	              "compute: bar.arrive 1, 128; bar.sync 2, 128; ld.shared.u32 %r3, [tile];\n"
	              "add.u32 %r3, %r3, 1; sub.u32 %r5, %r5, 1; setp.gt.u32 %p2, %r5, 0; @%p2 bra compute; exit;");
	run(&kit, 1, 4 * WARP);
	for (uint32_t t = 0; t < TILES; t++) {
		uint64_t begin = issued(&kit, "ahead", 0, t), load = issued(&kit, "load", 0, t) + 1;
		agen += load - begin;
		mem += stored(t) - load;
	}
	expect(&kit, TILES, agen, mem, 4 * WARP * TILES);
	kit_close(&kit);
}

/* Without barriers, a block has one transfer, from the first to the last instruction. */
static void test_no_barrier(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE "mov.u32 %r5, 3;\n"
	                    "load: ld.global.u32 %r2, [%rd1]; st.shared.u32 [%rd2], %r2; ld.shared.u32 %r3, [tile];\n"
	                    "sub.u32 %r5, %r5, 1; setp.gt.u32 %p2, %r5, 0; @%p2 bra load; exit;");
	run(&kit, 1, WARP);
	uint64_t load = issued(&kit, "load", 0, 2) + 1;
	expect(&kit, 1, load - spy.issue[0].cycle, stored(2) - load, 3 * 4 * WARP);
	kit_close(&kit);
}

/* A block without active lanes in loads has no transfer; nor has a kernel that stages nothing. */
static void test_none(void **state)
{
	static const char *const bodies[] = {
		TILE
		"setp.lt.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 ld.global.u32 %r2, [%rd1]; st.shared.u32 [%rd2], %r2;\n"
		"bar.sync 0; exit;",
		TILE "ld.shared.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, %r3; st.shared.u32 "
		     "[%rd2], %r2;\n"
		     "bar.sync 0; exit;",
		"ld.global.u32 %r2, [%rd0]; add.u32 %r2, %r2, 1; st.global.u32 [%rd0], %r2; exit;",
	};
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		kit_load(&kit, bodies[i]);
		run(&kit, 3, 2 * WARP);
		expect(&kit, 0, 0, 0, 0);
		assert_int_equal(counted(&kit, "overlap_cycles"), 0);
		if (i)
			assert_int_equal(counted(&kit, "stalled_cycles"), 0);
		assert_true(counted(&kit, "resident_cycles") > 0);
	}
	kit_close(&kit);
}

/* One warp: the cycles between its load's issue (if the store after it has been decoded by then) and the store's
 * issue. A second warp that adds in every cycle leaves no stalled cycle. */
static void test_stalls(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, NULL);
	kit_load(&kit, TILE COPY EXIT);
	run(&kit, 1, WARP);
	run(&kit, 1, WARP);
	uint64_t load = issued(&kit, "load", 0, 0), store = issued(&kit, "store", 0, 0);
	uint64_t stalled = counted(&kit, "stalled_cycles");
	assert_true(store > load + 1);
	assert_int_equal(stalled, store - load - 1);
	assert_int_equal(counted(&kit, "blocked_cycles"), stalled);
	kit_load(&kit, TILE "setp.gt.u32 %p1, %r1, 31; @!%p1 bra load; mov.u32 %r4, 2000;\n"
	                    "spin: add.u32 %r6, %r6, 1; sub.u32 %r4, %r4, 1; setp.gt.u32 %p2, %r4, 0; @%p2 bra spin; "
	                    "bra wait;\n" COPY EXIT);
	run(&kit, 1, 2 * WARP);
	assert_int_equal(counted(&kit, "transfers"), 1);
	assert_int_equal(counted(&kit, "stalled_cycles"), 0);
	kit_close(&kit);
}

/* Loads of one line per lane occupy the memory pipe for a long time. Other warps have all that their next
 * instruction needs, but wait to load for a transfer. */
static void test_blocked(void **state)
{
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	uint64_t blocked[2];
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		OPEN(&kit, sleeps[i]);
		kit_load(&kit, TILE "mul.wide.u32 %rd3, %r1, 124; add.u64 %rd1, %rd1, %rd3;\n" COPY EXIT);
		run(&kit, 1, 8 * WARP);
		blocked[i] = counted(&kit, "blocked_cycles");
		/* 8 loads of 32 accesses, one per cycle; the last warps wait for most of them */
		assert_true(blocked[i] > counted(&kit, "stalled_cycles") + 4 * 32);
		kit_close(&kit);
	}
	assert_int_equal(blocked[0], blocked[1]);
}

struct drawn {
	struct mech_event event[LOG];
	uint32_t count;
};

static void take(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
                 const struct mech_event *event)
{
	struct drawn *drawn = user;
	(void)number;
	if (mech && unit == SEAM_OF_SM && index == 0)
		drawn->event[drawn->count++] = *event;
}

static void expect_event(const struct drawn *drawn, uint32_t n, const char *name, uint64_t begin, uint64_t end)
{
	const struct mech_event *event = &drawn->event[n];
	assert_true(n < drawn->count);
	assert_string_equal(mech_staging.events[event->row].name, name);
	assert_int_equal(event->begin, begin);
	assert_int_equal(event->end, end);
	assert_int_equal(event->track, 0);
}

/* A block's track: a tile's transfer, then the computation until the next transfer, or until the block's end. */
static void test_timeline(void **state)
{
	struct gpu_kit kit;
	struct drawn drawn = {.count = 0};
	(void)state;
	OPEN(&kit, NULL);
	seam_draw(kit.gpu->seam, LOG);
	kit_load(&kit,
	         TILE "mov.u32 %r5, 2;\nagain: sub.u32 %r5, %r5, 1;\n" COPY COMPUTE
	              "bar.sync 0; next: add.u64 %rd1, %rd1, 128; setp.gt.u32 %p1, %r5, 0; @%p1 bra again;\n" EXIT);
	run(&kit, 1, WARP);
	seam_take_events(kit.gpu->seam, &(struct seam_drawer){&drawn, take});
	uint64_t next = issued(&kit, "next", 0, 0), one = issued(&kit, "load", 0, 0) + 1,
		 two = issued(&kit, "load", 0, 1) + 1;
	uint64_t free_1 = issued(&kit, "wait", 0, 0), free_2 = issued(&kit, "wait", 0, 1);
	free_1 = free_1 > stored(0) ? free_1 : stored(0);
	free_2 = free_2 > stored(1) ? free_2 : stored(1);
	expect_event(&drawn, 0, "agen", spy.issue[0].cycle, one);
	expect_event(&drawn, 1, "mem", one, stored(0));
	expect_event(&drawn, 2, "comp", free_1, next);
	expect_event(&drawn, 3, "agen", next, two);
	expect_event(&drawn, 4, "mem", two, stored(1));
	expect_event(&drawn, 5, "comp", free_2, spy.ended[0]);
	assert_int_equal(drawn.count, 6);
	kit_close(&kit);
}

/* Sleeping SMs and host threads change nothing. Also checks relations among counters, and the histograms. */
static void test_invariants(void **state)
{
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	static const char *const names[] = {"transfers",      "agen_cycles",     "overlap_cycles",
	                                    "mem_cycles",     "transfer_cycles", "bytes",
	                                    "stalled_cycles", "resident_cycles", "blocked_cycles"};
	uint64_t first[9];
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct gpu_kit kit;
		kit_threads = 1 + i / 2;
		OPEN(&kit, "sm.count=3", sleeps[i % 2]);
		kit_load(&kit,
		         TILE "mov.u32 %r5, 4;\nagain: sub.u32 %r5, %r5, 1;\n" COPY COMPUTE
		              "bar.sync 0; add.u64 %rd1, %rd1, 4096; setp.gt.u32 %p1, %r5, 0; @%p1 bra again;\n" EXIT);
		kit.attachments.list[0].mech = &spy.mech;
		spy.issues = spy.stores = LOG; /* logging off */
		kit_run(&kit, 20, 4 * WARP);
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			uint64_t value = counted(&kit, names[k]);
			if (i && value != first[k])
				fail_msg("%s: %lu without and %lu with threads and sleep %u", names[k], first[k], value,
				         i);
			first[k] = value;
		}
		assert_int_equal(counted(&kit, "transfers"), 4 * 20);
		assert_int_equal(counted(&kit, "bytes"), 4 * 20 * 4 * 4 * WARP);
		assert_true(counted(&kit, "stalled_cycles") > 0);
		assert_true(counted(&kit, "stalled_cycles") <= counted(&kit, "blocked_cycles"));
		assert_true(counted(&kit, "blocked_cycles") <= counted(&kit, "resident_cycles"));
		assert_true(counted(&kit, "resident_cycles") <= 3 * kit.run.cycles);
		assert_true(counted(&kit, "overlap_cycles") <= counted(&kit, "agen_cycles"));
		static const char *const sums[] = {"agen_cycles", "mem_cycles", "transfer_cycles"};
		for (uint32_t v = 0; v < 3; v++) {
			struct vector vector;
			seam_vector(kit.gpu->seam, 0, v, &vector);
			assert_int_equal(vector_total(&vector), 4 * 20);
			assert_int_equal(vector.sum, counted(&kit, sums[v]));
			vector_free(&vector);
		}
		kit_close(&kit);
	}
	kit_threads = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_closed_forms),
		cmocka_unit_test(test_two_warps),
		cmocka_unit_test(test_two_blocks),
		cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_two_arrays),
		cmocka_unit_test(test_barrier_before),
		cmocka_unit_test(test_barrier_between),
		cmocka_unit_test(test_named_barriers),
		cmocka_unit_test(test_no_barrier),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_invariants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
