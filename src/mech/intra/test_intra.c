/* Protects intra: the prefetches triggered in each state, the lifetime of rows (warp and block), and the table's
 * size limit. In a loop that waits for memory, only the first iterations wait. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20, S = 512, PC = PART_PC };

/* Every state and both transitions out of each, driven by one load of one warp. Columns: the address, and the stride
 * used for prefetching with and without `early`. */
static void test_states(void **state)
{
	static const struct {
		int64_t at, early, late;
	} row[] = {
		{0, 0, 0},               /* new row */
		{S, S, 0},               /* initial to transient */
		{2 * S, S, S},           /* to steady */
		{3 * S, S, S},           /* stays steady */
		{9 * S, S, 0},           /* to initial; the stride stays */
		{10 * S, S, S},          /* back to steady */
		{90 * S, S, 0},          /* to initial */
		{92 * S, 2 * S, 0},      /* to transient, with another stride */
		{95 * S, 0, 0},          /* to no prediction */
		{99 * S, 0, 0},          /* stays */
		{103 * S, 4 * S, 0},     /* to transient */
		{107 * S, 4 * S, 4 * S}, /* to steady */
		{106 * S, 4 * S, 0},     /* to initial */
		{105 * S, -S, 0},        /* to transient, with a negative stride */
		{104 * S, -S, -S},       /* to steady */
	};
	(void)state;
	for (int early = 0; early < 2; early++) {
		struct part_kit kit;
		part_open(&kit, early ? "intra" : "intra:early=no");
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			int64_t stride = early ? row[i].early : row[i].late;
			part_load(&kit, 3, PC, (uint64_t)(A + row[i].at));
			if (stride)
				PART_ASKED(&kit, (uint64_t)(A + row[i].at + stride));
			else
				PART_ASKED_NOTHING(&kit);
		}
		assert_int_equal(part_counter(&kit, "trained"), 4);
		assert_int_equal(part_counter(&kit, "wrong"), 3);
		part_close(&kit);
	}
}

/* A repeated address is no stride: it never triggers a prefetch. */
static void test_no_stride(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra");
	for (int i = 0; i < 5; i++)
		part_load(&kit, 0, PC, A);
	PART_ASKED_NOTHING(&kit);
	assert_int_equal(part_counter(&kit, "trained"), 0);
	part_close(&kit);
}

/* Nearest iteration first. Each request is bound to the same warp, and its `once` flag is set unless `retry` is on. */
static void test_distance_and_degree(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra:distance=3,degree=2");
	part_load(&kit, 5, PC, A);
	part_load(&kit, 5, PC, A + S);
	assert_true(kit.asked[0].bound && kit.asked[0].warp == 5 && kit.asked[0].once);
	PART_ASKED(&kit, A + 4 * S, A + 5 * S);
	assert_int_equal(part_counter(&kit, "lines"), 2);
	part_close(&kit);
	part_open(&kit, "intra:retry=yes");
	part_load(&kit, 5, PC, A);
	part_load(&kit, 5, PC, A + S);
	assert_false(kit.asked[0].once);
	part_close(&kit);
}

/* Negative strides; nothing below address 0 is requested. */
static void test_backwards(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra");
	part_load(&kit, 0, PC, 2 * S);
	part_load(&kit, 0, PC, S);
	PART_ASKED(&kit, 0);
	part_load(&kit, 0, PC, 0);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* All lines of a divergent load are requested, lowest address first; loads of more than `transactions` transactions
 * are not tracked. */
static void test_divergent(void **state)
{
	static const uint64_t first[] = {A, A + 4096, A + 8192}, second[] = {A + S, A + 4096 + S, A + 8192 + S};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra:transactions=3");
	part_loads(&kit, 0, PC, first, 3);
	part_loads(&kit, 0, PC, second, 3);
	PART_ASKED(&kit, A + 2 * S, A + 4096 + 2 * S, A + 8192 + 2 * S);
	part_close(&kit);
	part_open(&kit, "intra:transactions=2");
	part_loads(&kit, 0, PC, first, 3);
	part_loads(&kit, 0, PC, second, 3);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* If the stride is no multiple of the line size, both lines that the access touches are requested. */
static void test_over_lines(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 0, PC, A + 192);
	assert_int_equal(kit.count, 1); /* 128 bytes from A + 384 on: a whole line */
	assert_int_equal(kit.asked[0].address, A + 384);
	kit.count = 0;
	part_load(&kit, 1, PC, A);
	part_load(&kit, 1, PC, A + 32);
	assert_int_equal(kit.count, 2);
	assert_int_equal(kit.asked[0].address, A + 64);
	assert_int_equal(kit.asked[0].bytes, 64);
	assert_int_equal(kit.asked[1].address, A + 128);
	assert_int_equal(kit.asked[1].bytes, 64);
	part_close(&kit);
}

/* Warps in turn: with a row each, all are trained. With one row fewer, none is: each row is evicted just before it
 * is needed. */
static void test_table_size(void **state)
{
	enum { WARPS = 4, ROUNDS = 5 };
	static const struct {
		const char *mechanism;
		uint32_t trained, replaced, asked;
	} row[] = {{"intra:entries=4", WARPS, 0, WARPS * (ROUNDS - 1)}, {"intra:entries=3", 0, WARPS * ROUNDS - 3, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		part_open(&kit, row[i].mechanism);
		for (uint64_t round = 0; round < ROUNDS; round++)
			for (uint32_t warp = 0; warp < WARPS; warp++)
				part_load(&kit, warp, PC, A + warp * 65536 + round * S);
		assert_int_equal(kit.count, row[i].asked);
		assert_int_equal(part_counter(&kit, "trained"), row[i].trained);
		assert_int_equal(part_counter(&kit, "replaced"), row[i].replaced);
		part_close(&kit);
	}
}

/* The least recently used row is replaced, not the oldest one. */
static void test_which_row_goes(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra:entries=2");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 1, PC, A);
	part_load(&kit, 0, PC, A + S);
	part_load(&kit, 2, PC, A); /* replaces warp 1 */
	kit.count = 0;
	part_load(&kit, 0, PC, A + 2 * S);
	PART_ASKED(&kit, A + 3 * S);
	part_load(&kit, 1, PC, A + S);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Each pair of load and warp has its own row. */
static void test_whose(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 1, PC, A + S);
	part_load(&kit, 0, PC + 1, A + 2 * S);
	PART_ASKED_NOTHING(&kit);
	part_load(&kit, 1, PC, A + 3 * S);
	PART_ASKED(&kit, A + 5 * S);
	part_close(&kit);
}

/* A block's end frees the rows of its warps only; a kernel's end frees all. */
static void test_ends(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "intra");
	for (uint32_t warp = 3; warp < 8; warp++)
		part_load(&kit, warp, PC, A);
	kit.sm.mech->block_end(&kit.sm, &(struct mech_block){.first_warp = 4, .warps = 3});
	for (uint32_t warp = 3; warp < 8; warp++) {
		part_load(&kit, warp, PC, A + S);
		assert_int_equal(kit.count, warp == 3 || warp == 7);
		kit.count = 0;
	}
	kit.sm.mech->kernel_begin(&kit.sm);
	part_load(&kit, 3, PC, A + 2 * S);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Stores, atomics, local memory and accesses that the buffer before L1 serves do not train. */
static void test_other_accesses(void **state)
{
	static const struct {
		enum mech_kind kind;
		bool local, in_buffer;
	} row[] = {{MECH_STORE, false, false},
	           {MECH_ATOMIC, false, false},
	           {MECH_LOAD, true, false},
	           {MECH_LOAD, false, true}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		part_open(&kit, "intra");
		for (uint64_t n = 0; n < 4; n++) {
			const struct mech_transaction one = {
				.address = A + n * S, .bytes = PART_LINE, .lanes = 1, .in_buffer = row[i].in_buffer};
			const struct mech_memory access = {.pc = PC,
			                                   .kind = row[i].kind,
			                                   .local = row[i].local,
			                                   .transactions = 1,
			                                   .transaction = &one};
			kit.sm.mech->memory(&kit.sm, &access);
		}
		PART_ASKED_NOTHING(&kit);
		part_close(&kit);
	}
}

/* A loop that computes for as long as a memory access takes. The first two iterations of each warp miss and wait;
 * all others hit, for any stride. All but 2 / PREFETCH_LOADS of a perfect L1's gain is reached. The last iteration's
 * prefetches are unused. */
static void test_wins_loops(void **state)
{
	static const struct {
		const char *step;
		uint32_t warps;
	} row[] = {{"add.u64 %rd1, %rd1, 128;", 1},
	           {"add.u64 %rd1, %rd1, 640;", 1},
	           {"sub.u64 %rd1, %rd1, 128;", 1},
	           {"add.u64 %rd1, %rd1, 128;", 4}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char body[32768];
		const struct prefetch_kernel kernel = {
			prefetch_loop(body, sizeof body, row[i].step, 16), 1, row[i].warps, {NULL}};
		const struct prefetch_run without = prefetch_measure(&kernel, NULL, NULL);
		const struct prefetch_run with = prefetch_measure(&kernel, "intra", NULL);
		uint64_t perfect = prefetch_perfect(&kernel), wait = (without.cycles - perfect) / PREFETCH_LOADS;
		assert_int_equal(without.misses, PREFETCH_LOADS * row[i].warps);
		assert_int_equal(with.misses, 2 * row[i].warps);
		assert_int_equal(with.requests.useful, (PREFETCH_LOADS - 2) * row[i].warps);
		assert_int_equal(with.requests.redundant, row[i].warps);
		assert_true(without.cycles * 10 > perfect * 16);
		assert_true(with.cycles <= perfect + 2 * wait + 10);
	}
}

/* Iterations shorter than the memory latency L. A prefetch d iterations ahead hides d of them. An iteration
 * takes 1 / (d + 1) of one that misses, or the time of a hit if that is longer. The first d + 1 iterations miss. */
static void test_distance_wins_short_loops(void **state)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 4), 1, 1, {NULL}};
	double misses = (double)prefetch_measure(&kernel, NULL, NULL).cycles, hits = (double)prefetch_perfect(&kernel);
	(void)state;
	for (uint32_t d = 1; d <= 6; d++) {
		char mechanism[32];
		snprintf(mechanism, sizeof mechanism, "intra:distance=%u", d);
		double expected = misses / (d + 1) > hits ? misses / (d + 1) : hits;
		double iterations = (PREFETCH_LOADS - d - 1) * expected + (d + 1) * misses;
		double cycles = (double)prefetch_measure(&kernel, mechanism, NULL).cycles;
		assert_in_range(1000 * cycles * PREFETCH_LOADS / iterations, 970, 1030);
	}
}

/* Log of an observing mechanism: the cycle of the load, and the requests that left the SM for it. */
static struct {
	uint64_t load, left[8], line[8];
	uint32_t count;
} seen;

static void see_load(struct mech_sm *sm, const struct mech_memory *load)
{
	(void)sm;
	seen.load = load->cycle;
	seen.count = 0;
}

static void see_packet(struct mech_sm *sm, const struct mech_packet *packet)
{
	(void)sm;
	if (packet->sender != 0 || seen.count == 8)
		return;
	seen.left[seen.count] = packet->cycle;
	seen.line[seen.count++] = packet->address;
}

static const struct mech looker = {
	.version = MECH_VERSION, .name = "looker", .memory = see_load, .packet_out = see_packet};

/* The load uses L1's port in its cycle. The prefetches reach L1 in the next cycles, one per cycle, nearest first.
 * They leave after the load's own miss, with one cycle between them. The second load is the last one; it triggers
 * requests for the three following lines. */
static void test_order_and_cycle(void **state)
{
	static const struct mech *const set[] = {&looker, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_machine = "gtx480-caps";
	kit_mechanisms = set;
	kit_describe(&kit, (const char *const[]){"sm.count=1", NULL});
	kit_attach(&kit, "intra:degree=3");
	kit_build(&kit);
	kit_mechanisms = NULL;
	kit.param = kit_buffer(&kit, NULL, 4096);
	kit_load(&kit, "mov.u32 %r3, 0; mov.u64 %rd1, %rd0;\n"
	               "again: ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; add.u64 %rd1, %rd1, 640;\n"
	               "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra again; exit;");
	kit_run(&kit, 1, 1);
	assert_int_equal(seen.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(seen.line[i], kit.param + (i + 2) * 640);
		assert_int_equal(seen.left[i], seen.load + 2 + i);
	}
	kit_close(&kit);
}

/* L1 has one MSHR, which the load holds in the cycle in which its prefetch is tried. The prefetch is retried until
 * the line has arrived, or dropped. */
static void test_no_room(void **state)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 16), 1, 1, {"l1d.mshrs=1"}};
	(void)state;
	const struct mech_requests again = prefetch_measure(&kernel, "intra:retry=yes", NULL).requests;
	const struct mech_requests once = prefetch_measure(&kernel, "intra", NULL).requests;
	assert_int_equal(again.refused, 0);
	assert_true(again.retries > 50);
	assert_int_equal(again.issued, PREFETCH_LOADS - 1);
	assert_int_equal(once.refused, PREFETCH_LOADS - 1);
	assert_int_equal(once.issued, 0);
	assert_int_equal(once.retries, 0);
}

/* Single-warp blocks follow each other in one slot: their loads do not train a common row. */
static void test_slot_of_many_blocks(void **state)
{
	static const struct prefetch_kernel kernel = {"mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 256; add.u64 "
	                                              "%rd1, %rd1, %rd0; ld.global.u32 %r2, [%rd1]; exit;",
	                                              16,
	                                              1,
	                                              {"sm.blocks=1"}};
	(void)state;
	const struct prefetch_run run = prefetch_measure(&kernel, "intra", NULL);
	assert_int_equal(run.misses, 16);
	assert_int_equal(run.requests.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_no_stride),
		cmocka_unit_test(test_distance_and_degree),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_divergent),
		cmocka_unit_test(test_over_lines),
		cmocka_unit_test(test_table_size),
		cmocka_unit_test(test_which_row_goes),
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_other_accesses),
		cmocka_unit_test(test_wins_loops),
		cmocka_unit_test(test_distance_wins_short_loops),
		cmocka_unit_test(test_order_and_cycle),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_slot_of_many_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
