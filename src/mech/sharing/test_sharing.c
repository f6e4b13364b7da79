/* Protects scratchpad sharing's hardware, in closed form: the blocks per SM and the pairs, the places of their
 * bytes, and the ownership of the common part. A misplaced release stops the kernel; t = 1 means no sharing; neither
 * sleep nor polling changes the order of events. */
#include "mech/sharing/sharing.h"
#include "sharing_kit.h"

/* --- residency --- */

/* The paper's programs: bytes and threads of a block; blocks per SM from its Figure 15 and section 8.3.1, where the
 * text gives them. Registers are no limit. */
static void test_residency(void **state)
{
	static const struct {
		uint32_t all, slots, threads, bytes, block, unshared, shared;
	} rows[] = {
		{16384, 16, 3072, 9408, 256, 1, 2},   /* backprop: Example 3.1 */
		{16384, 16, 3072, 2112, 64, 7, 14},   /* DCT1, DCT2 */
		{16384, 16, 3072, 2176, 128, 7, 12},  /* DCT3, DCT4: Example 3.3 */
		{16384, 16, 3072, 10496, 64, 1, 2},   /* NQU */
		{16384, 16, 3072, 13824, 576, 1, 2},  /* SRAD1 */
		{16384, 16, 3072, 11520, 576, 1, 2},  /* SRAD2 */
		{16384, 16, 3072, 3840, 128, 4, 6},   /* FDTD3d */
		{16384, 16, 3072, 11872, 128, 1, 2},  /* heartwall */
		{16384, 16, 3072, 9216, 192, 1, 2},   /* histogram, MC1 */
		{16384, 16, 3072, 8452, 32, 1, 2},    /* NW1, NW2 */
		{49152, 16, 2048, 2112, 64, 16, 16},  /* DCT1: limited by blocks, 8.1.8 */
		{49152, 16, 2048, 13824, 576, 3, 3},  /* SRAD1: limited by threads */
		{49152, 16, 3072, 13824, 576, 3, 5},  /* with 3072 threads */
		{49152, 16, 2048, 8320, 256, 5, 8},   /* DCT1 of Table 5: 8, limited by threads */
		{49152, 16, 2048, 3840, 128, 12, 16}, /* FDTD3d: 16 */
		{65536, 32, 2048, 9408, 256, 6, 8},   /* backprop: 8, limited by threads */
		{65536, 32, 2048, 8320, 256, 7, 8},   /* DCT1: 8 */
		{65536, 32, 2048, 9216, 32, 7, 8},    /* one pair: 1024 bytes are left */
		{65536, 32, 2048, 3840, 128, 16, 16}, /* FDTD3d: not applicable in Configuration-2 */
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct mech_room room = {.slots = rows[i].slots,
		                         .warps = rows[i].threads / rows[i].block,
		                         .registers = MECH_NOWHERE,
		                         .shared = rows[i].all / rows[i].bytes};
		struct sharing_residency found = sharing_divide(0.1, rows[i].all, rows[i].bytes, &room);
		uint32_t others = room.slots < room.warps ? room.slots : room.warps;
		uint32_t blocks = sharing_blocks(&found) < others ? sharing_blocks(&found) : others;
		uint32_t unshared = room.shared < others ? room.shared : others;
		if (blocks != rows[i].shared || unshared != rows[i].unshared ||
		    found.pairs != rows[i].shared - rows[i].unshared)
			fail_msg("%u bytes of %u: %u and %u blocks, expected %u and %u", rows[i].bytes, rows[i].all,
			         unshared, blocks, rows[i].unshared, rows[i].shared);
	}
}

/* No other number of pairs and single blocks that fit gives more blocks with the same number that can always proceed
 * (S1). */
static void test_residency_is_best(void **state)
{
	uint64_t seed = 1;
	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t all = 1024 * (1 + (uint32_t)(seed >> 60)),
			 bytes = 16 * (1 + (uint32_t)(seed >> 40) % (all / 16));
		double t = (double)(seed >> 20 & 127) / 127;
		struct mech_room room = {.slots = 1 + (uint32_t)(seed >> 33 & 31),
		                         .warps = 1 + (uint32_t)(seed >> 12 & 63),
		                         .registers = MECH_NOWHERE,
		                         .shared = all / bytes};
		struct sharing_residency found = sharing_divide(t, all, bytes, &room);
		uint32_t others = room.slots < room.warps ? room.slots : room.warps, best = 0;
		for (uint32_t pairs = 0; pairs <= room.shared; pairs++)
			for (uint32_t alone = 0; alone <= room.shared; alone++)
				if (alone * bytes + pairs * (bytes + found.own) <= all &&
				    alone + pairs >= room.shared && alone + 2 * pairs > best)
					best = alone + 2 * pairs;
		uint32_t most = best < others ? best : others, all_found = sharing_blocks(&found);
		if ((all_found < others ? all_found : others) != most)
			fail_msg("t %g, %u of %u: %u blocks, expected %u", t, bytes, all, all_found, most);
		assert_int_equal(found.own, (uint32_t)(t * bytes));
	}
}

/* No two bytes have the same place except in a pair's common part. The bytes taken are the places in use. */
static void test_places(void **state)
{
	static const struct sharing_residency rows[] = {
		{1, 1, 1024, 96, 0}, {3, 2, 256, 16, 0}, {4, 4, 512, 0, 0}, {5, 0, 160, 160, 0}, {2, 1, 64, 48, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sharing_residency *of = &rows[i];
		uint32_t blocks = sharing_blocks(of), all = of->places * of->bytes + of->pairs * of->own;
		uint8_t *users = calloc(all, 1);
		assert_non_null(users);
		for (uint32_t slot = 0; slot < blocks; slot++)
			for (uint32_t byte = 0; byte < of->bytes; byte++) {
				uint32_t at = sharing_byte_place(of, slot, byte);
				assert_in_range(at, 0, all - 1);
				users[at]++;
				assert_true(byte % 16 == 0 || at == sharing_byte_place(of, slot, byte - 1) + 1);
				uint32_t partner = sharing_partner(of, slot);
				if (partner != SHARING_NOBODY && byte >= of->own)
					assert_int_equal(at, sharing_byte_place(of, partner, byte));
			}
		uint32_t shared = 0;
		for (uint32_t at = 0; at < all; at++) {
			assert_in_range(users[at], 1, 2);
			shared += users[at] == 2;
		}
		free(users);
		assert_int_equal(shared, of->pairs * (of->bytes - of->own));
		assert_int_equal(sharing_taken(of, (1ull << blocks) - 1), all);
		for (uint32_t slot = 0; slot < blocks; slot++)
			assert_int_equal(sharing_taken(of, 1ull << slot), of->bytes);
		for (uint32_t slot = 0; slot < blocks; slot++)
			if (sharing_partner(of, slot) != SHARING_NOBODY)
				assert_int_equal(sharing_partner(of, sharing_partner(of, slot)), slot);
	}
}

/* --- permission to touch --- */

/* Some work of one warp, before and after a touch. */
#define WORK "mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8;\n"
#define BEGIN                                                                                                          \
	"mov.u32 %r8, 3; mov.u32 %r9, %tid.x; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %tid.x; shl.b32 %r12, %r11, 2;\n"
#define PLAIN "sharing:layout=no,release=block_end"

static void run_body(struct gpu_kit *kit, const char *mechanism, const char *body, uint32_t blocks, uint32_t threads)
{
	char text[4096];
	OPEN(kit, mechanism, ONE_PAIR);
	snprintf(text, sizeof text, "%s%s", BEGIN, body);
	kit_load(kit, text);
	if (mechanism)
		kit_run(kit, blocks, threads); /* warms up the code caches */
	memset(&saw, 0, sizeof saw);
	kit_run(kit, blocks, threads);
	uint64_t cycles = 0;
	for (uint32_t b = 0; b < blocks; b++)
		cycles += saw.end[b] - saw.begin[b];
	assert_int_equal(counted(kit, "cycles_before") + counted(kit, "cycles_in") + counted(kit, "cycles_after"),
	                 cycles);
}

/* Two blocks of one warp: the second block's first touch waits until the first block has ended, and issues in the
 * next cycle. */
static void test_owner_ends(void **state)
{
	static const char *const touch[] = {
		"st.shared.u32 [%r12+4096], %r9;",
		"ld.shared.u32 %r3, [%r12+24448];",
		"atom.shared.add.u32 %r3, [%r12+4096], %r9;",
		"red.shared.add.u32 [4096], %r9;",
		"cvta.shared.u64 %rd2, 4096; st.u32 [%rd2], %r9;",
		"ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [2448];",
		"ld.shared.v2.u64 {%rd3, %rd4}, [24560];",
	};
	(void)state;
	for (size_t i = 0; i < sizeof touch / sizeof *touch; i++) {
		struct gpu_kit kit;
		char body[1024];
		snprintf(body, sizeof body, "%s%s exit;", touch[i], WORK);
		run_body(&kit, PLAIN, body, 2, WARP);
		assert_int_equal(saw.most_resident, 2);
		assert_true(saw.touch[0] < saw.end[0]);
		assert_int_equal(saw.touch[1], saw.end[0] + 1);
		assert_int_equal(counted(&kit, "lock_waits"), 1);
		assert_int_equal(counted(&kit, "owners"), 2);
		assert_int_equal(counted(&kit, "inherited"), 1);
		assert_int_equal(counted(&kit, "paired_blocks"), 2);
		assert_true(counted(&kit, "lock_wait_cycles") < saw.end[0] - saw.begin[1]);
		kit_close(&kit);
	}
}

/* A block touches its private part at any time. A predicate that keeps lanes from the common part counts too. */
static void test_own_part(void **state)
{
	static const char *const touch[] = {
		"st.shared.u32 [%r12], %r9;",
		"ld.shared.u32 %r3, [%r12+2320];",
		"ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [2432];",
		"setp.gt.u32 %p1, %r11, 100; @%p1 st.shared.u32 [%r12+4096], %r9;",
		"setp.eq.u32 %p1, %r11, 5; @%p1 st.shared.u32 [%r12+2424], %r9;",
		"cvta.shared.u64 %rd2, 128; st.u32 [%rd2], %r9;",
		"ld.u32 %r3, [%rd0];",
	};
	(void)state;
	for (size_t i = 0; i < sizeof touch / sizeof *touch; i++) {
		struct gpu_kit kit;
		char body[1024];
		snprintf(body, sizeof body, "%s%s exit;", touch[i], WORK);
		run_body(&kit, PLAIN, body, 2, WARP);
		assert_int_equal(counted(&kit, "lock_waits"), 0);
		assert_int_equal(counted(&kit, "owners"), 0);
		assert_true(saw.touch[1] < saw.end[0]);
		kit_close(&kit);
	}
	struct gpu_kit kit; /* up to the border */
	run_body(&kit, PLAIN ",t=0.1171875", "st.shared.u32 [2876], %r9;" WORK "exit;", 2, WARP);
	assert_int_equal(counted(&kit, "lock_waits"), 0);
	kit_close(&kit);
	run_body(&kit, PLAIN ",t=0.1171875", "st.shared.u32 [2880], %r9;" WORK "exit;", 2, WARP);
	assert_int_equal(counted(&kit, "lock_waits"), 1);
	kit_close(&kit); /* one lane of the warp touches a byte beyond the border: the warp waits as a whole */
	run_body(&kit, PLAIN, "st.shared.u32 [%r12+2332], %r9;" WORK "exit;", 2, WARP);
	assert_int_equal(counted(&kit, "lock_waits"), 1);
	assert_int_equal(saw.touch[1], saw.end[0] + 1);
	kit_close(&kit);
}

/* relssp: the partner's touch issues in the cycle after the last thread's. */
static void test_release(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN, "st.shared.u32 [%r12+4096], %r9;" WORK "relssp;" WORK WORK "exit;", 2, WARP);
	assert_int_equal(saw.touch[1], saw.relssp[0] + 1);
	assert_true(saw.touch[1] < saw.end[0]);
	assert_int_equal(counted(&kit, "released"), 2);
	assert_int_equal(counted(&kit, "relssp"), 2 * WARP);
	assert_int_equal(counted(&kit, "repeated_relssp"), 0);
	assert_int_equal(counted(&kit, "inherited"), 0);
	kit_close(&kit);
	/* warp 1 releases late, and so does the block */
	run_body(&kit, PLAIN,
	         "st.shared.u32 [%r12+4096], %r9; setp.lt.u32 %p1, %r11, 32; @%p1 bra GO;" WORK WORK WORK
	         "GO: relssp;" WORK WORK WORK WORK "exit;",
	         2, 2 * WARP);
	assert_int_equal(saw.touch[1], saw.relssp[0] + 1);
	assert_true(saw.touch[1] < saw.end[0]);
	kit_close(&kit);
	/* half of the warp exits first: exited threads count as released (section 6.2, Figure 11) */
	run_body(&kit, PLAIN,
	         "st.shared.u32 [%r12+4096], %r9; setp.lt.u32 %p1, %r11, 16; @%p1 exit; relssp;" WORK WORK "exit;", 2,
	         WARP);
	assert_int_equal(saw.touch[1], saw.relssp[0] + 1);
	assert_int_equal(counted(&kit, "relssp"), WARP);
	kit_close(&kit);
	/* or last, after the others' relssp */
	run_body(&kit, PLAIN,
	         "st.shared.u32 [%r12+4096], %r9; setp.lt.u32 %p1, %r11, 32; @%p1 bra GO;" WORK "exit;\n"
	         "GO: relssp;" WORK WORK WORK WORK "exit;",
	         2, 2 * WARP);
	assert_true(saw.touch[1] > saw.relssp[0] + 1 && saw.touch[1] < saw.end[0]);
	kit_close(&kit);
	/* a block that never touched has nothing to release: its partner stays the owner */
	run_body(&kit, PLAIN,
	         "setp.eq.u32 %p1, %r10, 0; @%p1 bra OUT; st.shared.u32 [%r12+4096], %r9;" WORK "OUT: relssp;" WORK
	         "exit;",
	         2, WARP);
	assert_int_equal(counted(&kit, "released"), 1);
	assert_int_equal(counted(&kit, "owners"), 1);
	kit_close(&kit);
}

/* Three blocks for one pair: when the first ends, its partner owns; the third, in the first one's slot, waits for
 * that. */
static void test_inherits(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN,
	         "setp.ne.u32 %p1, %r10, 1; @%p1 bra GO;" WORK WORK WORK WORK WORK WORK WORK WORK
	         "GO: st.shared.u32 [%r12+4096], %r9;" WORK "exit;",
	         3, WARP);
	assert_int_equal(saw.slot[2], saw.slot[0]);
	assert_true(saw.end[0] < saw.touch[1]); /* no block was waiting when the first ended */
	assert_int_equal(saw.touch[2], saw.end[1] + 1);
	assert_int_equal(counted(&kit, "lock_waits"), 1);
	assert_int_equal(counted(&kit, "owners"), 3);
	kit_close(&kit);
}

/* The end of a block without the lock changes nothing: the block that replaces it waits for the partner. */
static void test_others_end(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN,
	         "setp.eq.u32 %p1, %r10, 0; @%p1 exit; st.shared.u32 [%r12+4096], %r9;" WORK WORK WORK WORK WORK WORK
	         "exit;",
	         3, WARP);
	assert_true(saw.begin[2] < saw.end[1]);
	assert_int_equal(saw.slot[2], saw.slot[0]);
	assert_int_equal(saw.touch[2], saw.end[1] + 1);
	kit_close(&kit);
}

/* A block that has released, with or without a touch, does not inherit: the block that replaces the owner is the
 * next to touch. */
static void test_released_inherits_nothing(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN,
	         "setp.eq.u32 %p1, %r10, 1; @%p1 bra REST; st.shared.u32 [%r12+4096], %r9;" WORK "exit;\n"
	         "REST: relssp;" WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK "exit;",
	         3, WARP);
	assert_true(saw.relssp[1] < saw.end[0]);
	assert_int_equal(counted(&kit, "inherited"), 0);
	assert_int_equal(counted(&kit, "lock_waits"), 0);
	assert_true(saw.touch[2] < saw.end[1]);
	assert_int_equal(counted(&kit, "cycles_in"), saw.end[0] - saw.touch[0] + saw.end[2] - saw.touch[2]);
	kit_close(&kit);
}

/* The first block to touch owns, whichever it is; the times add up. */
static void test_first_come(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN,
	         "setp.ne.u32 %p1, %r10, 0; @%p1 bra GO;" WORK WORK WORK "GO: st.shared.u32 [%r12+4096], %r9;" WORK
	         "relssp;" WORK WORK "exit;",
	         2, WARP);
	assert_true(saw.touch[1] < saw.touch[0]);
	assert_int_equal(counted(&kit, "cycles_before"), saw.touch[0] - saw.begin[0] + saw.touch[1] - saw.begin[1]);
	assert_int_equal(counted(&kit, "cycles_in"), saw.relssp[0] - saw.touch[0] + saw.relssp[1] - saw.touch[1]);
	assert_int_equal(counted(&kit, "cycles_after"), saw.end[0] - saw.relssp[0] + saw.end[1] - saw.relssp[1]);
	kit_close(&kit);
}

/* pairs=no: blocks run as without the mechanism, one after the other, and the cycles of their parts are counted. A
 * release after the first touch ends the part. */
static void test_measured(void **state)
{
	static const char body[] = WORK "st.shared.u32 [%r12+4096], %r9;" WORK WORK "relssp;" WORK "exit;";
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN ",pairs=no", body, 2, WARP);
	uint64_t in = saw.relssp[0] - saw.touch[0] + saw.relssp[1] - saw.touch[1], all = 0;
	for (int b = 0; b < 2; b++)
		all += (saw.end[b] - saw.begin[b]) / 2;
	assert_true(saw.begin[1] >= saw.end[0]);
	assert_int_equal(saw.most_resident, 1);
	assert_int_equal(counted(&kit, "cycles_before"), saw.touch[0] - saw.begin[0] + saw.touch[1] - saw.begin[1]);
	assert_int_equal(counted(&kit, "cycles_in"), in);
	assert_true(in > 0 && counted(&kit, "cycles_least") == (in > all ? in : all));
	assert_int_equal(counted(&kit, "paired_blocks"), 0);
	assert_int_equal(counted(&kit, "lock_waits"), 0);
	kit_close(&kit);
	run_body(&kit, PLAIN ",pairs=no", "st.shared.u32 [%r12+4096], %r9;" WORK WORK WORK "exit;", 2, WARP);
	assert_int_equal(counted(&kit, "cycles_least"), counted(&kit, "cycles_in"));
	assert_true(counted(&kit, "cycles_in") > counted(&kit, "cycles_before"));
	kit_close(&kit);
	run_body(&kit, PLAIN ",pairs=no", "st.shared.u32 [%r12], %r9;" WORK "exit;", 2, WARP);
	assert_int_equal(counted(&kit, "cycles_in"), 0);
	kit_close(&kit);
}

/* A polling warp touches in the same cycle as a woken one, and is refused in each cycle before. */
static void test_poll(void **state)
{
	static const char body[] = "st.shared.u32 [%r12+4096], %r9;" WORK "relssp;" WORK WORK "exit;";
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, PLAIN, body, 2, WARP);
	uint64_t woken = saw.touch[1] - saw.touch[0], waited = counted(&kit, "lock_wait_cycles");
	assert_int_equal(counted(&kit, "polls"), 0);
	kit_close(&kit);
	run_body(&kit, PLAIN ",poll=yes", body, 2, WARP);
	assert_int_equal(saw.touch[1] - saw.touch[0], woken);
	assert_int_equal(counted(&kit, "lock_waits"), 1);
	assert_int_equal(counted(&kit, "lock_wait_cycles"), waited);
	assert_true(counted(&kit, "polls") <= waited && counted(&kit, "polls") > waited / 2);
	kit_close(&kit);
}

/* --- the safety net --- */

static void check_stop(const char *body, const char *says)
{
	struct gpu_kit kit;
	char text[4096], line[64];
	OPEN(&kit, PLAIN, ONE_PAIR);
	snprintf(text, sizeof text, "%s%s", BEGIN, body);
	kit_load(&kit, text);
	kit_start(&kit, 2, 2 * WARP);
	assert_int_equal(kit.run.end, GPU_FAULT);
	simt_fault_print(&kit.run.launch, &kit.run.fault, text, sizeof text);
	snprintf(line, sizeof line, "kernel 'kernel' stopped: touches shared memory that its pair");
	if (!strstr(text, line) || !strstr(text, says))
		fail_msg("%s", text);
	kit_close(&kit);
}

static void test_safety_net(void **state)
{
	(void)state;
	check_stop("st.shared.u32 [%r12+4096], %r9; relssp; ld.shared.u32 %r3, [%r12+4096]; exit;",
	           "after its relssp\n");
	check_stop("relssp; setp.eq.u32 %p1, %r11, 40; @%p1 ld.shared.u32 %r3, [%r12+4096]; exit;", "thread (40,0,0)");
	check_stop("setp.lt.u32 %p1, %r11, 9; @%p1 relssp; st.shared.u32 [%r12+4096], %r9; exit;", "thread (0,0,0)");
	check_stop("relssp; cvta.shared.u64 %rd2, 5000; atom.add.u32 %r3, [%rd2], 1; exit;", "address 0x1388, 4 bytes");
	/* its block still owns, because the other warp has not released yet */
	check_stop("st.shared.u32 [%r12+4096], %r9; setp.lt.u32 %p1, %r11, 32; @%p1 bra GO;" WORK WORK WORK WORK WORK
	           "GO: relssp; ld.shared.u32 %r3, [%r12+4096]; exit;",
	           "thread (0,0,0)");
	struct gpu_kit kit; /* it may touch its private part at any time */
	run_body(&kit, PLAIN, "st.shared.u32 [%r12+4096], %r9; relssp; ld.shared.u32 %r3, [%r12]; exit;", 2, WARP);
	kit_close(&kit);
}

/* --- no sharing --- */

static void test_nothing_shared(void **state)
{
	static const char body[] = "st.shared.u32 [%r12+4096], %r9;" WORK "ld.shared.u32 %r3, [%r12+128]; exit;";
	static const char *const mechanisms[] = {"sharing:layout=no,release=block_end,t=1", "sharing"};
	struct gpu_kit kit;
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t cycles[2];
		for (uint32_t with = 0; with < 2; with++) {
			OPEN(&kit, with ? mechanisms[i] : NULL, i ? "sm.shared_bytes=24576" : "sm.shared_bytes=27648",
			     "sm.count=1");
			kit_load(&kit,
			         BEGIN "st.shared.u32 [%r12+4096], %r9;" WORK "ld.shared.u32 %r3, [%r12+128]; exit;");
			cycles[with] = kit_run(&kit, 5, 2 * WARP);
			if (with)
				assert_int_equal(counted(&kit, "paired_blocks") + counted(&kit, "pairs"), 0);
			kit_close(&kit);
		}
		assert_int_equal(cycles[0], cycles[1]);
	}
	(void)body;
}

/* --- owner warps first --- */

/* In a pair whose warps can always issue, the owner's warp issues all of its instructions before the other
 * continues. So it ends first, whichever began first. */
static void test_owner_first(void **state)
{
	static const char body[] =
		"setp.ne.u32 %p1, %r10, 1; @%p1 bra GO; st.shared.u32 [%r12+4096], %r9; GO:"
		"mov.u32 %r20, 0; LOOP: add.u32 %r21, %r8, 1; add.u32 %r22, %r8, 2; add.u32 %r23, %r8, 3;"
		"add.u32 %r24, %r8, 4; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 50; @%p2 bra LOOP; exit;";
	struct gpu_kit kit;
	uint64_t ends[2][2];
	(void)state;
	for (uint32_t owf = 0; owf < 2; owf++) {
		char text[2048];
		OPEN(&kit, PLAIN, ONE_PAIR, "sm.schedulers=1", owf ? "sm.warp_order=owf" : "sm.warp_order=lrr");
		snprintf(text, sizeof text, "%s%s", BEGIN, body);
		kit_load(&kit, text);
		kit_run(&kit, 2, 8 * WARP);
		memset(&saw, 0, sizeof saw);
		kit_run(&kit, 2, 8 * WARP);
		memcpy(ends[owf], saw.end, sizeof ends[owf]);
		kit_close(&kit);
	}
	assert_true(ends[1][1] < ends[1][0]); /* the owner's first */
	assert_true(ends[1][0] - ends[1][1] >
	            4 * (ends[0][1] > ends[0][0] ? ends[0][1] - ends[0][0] : ends[0][0] - ends[0][1]));
}

/* A block that has released ranks after its partner, which then owns, although the first is older and was the owner. */
static void test_released_last(void **state)
{
	static const char body[] = BEGIN
		"st.shared.u32 [%r12+4096], %r9; setp.ne.u32 %p1, %r10, 0; @%p1 bra GO; relssp; GO: mov.u32 %r20, 0;"
		"LOOP: add.u32 %r21, %r8, 1; add.u32 %r22, %r8, 2; add.u32 %r23, %r8, 3; add.u32 %r24, %r8, 4;"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 50; @%p2 bra LOOP; exit;";
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, PLAIN, ONE_PAIR, "sm.schedulers=1", "sm.warp_order=owf");
	kit_load(&kit, body);
	kit_run(&kit, 2, 8 * WARP);
	memset(&saw, 0, sizeof saw);
	kit_run(&kit, 2, 8 * WARP);
	assert_int_equal(counted(&kit, "released"), 1);
	assert_true(saw.touch[1] > saw.relssp[0] && saw.end[1] < saw.end[0]);
	kit_close(&kit);
}

/* Unpaired blocks rank before blocks that do not own, although they were launched later. */
static void test_alone_second(void **state)
{
	static const char body[] = BEGIN "setp.eq.u32 %p1, %r10, 1; @%p1 exit; mov.u32 %r20, 0;"
					 "LOOP: add.u32 %r21, %r8, 1; add.u32 %r22, %r8, 2; add.u32 %r23, %r8, 3;"
					 "add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 50; @%p2 bra LOOP; exit;";
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, PLAIN, "sm.shared_bytes=52000", "sm.count=1", "sm.schedulers=1", "sm.warp_order=owf");
	kit_load(&kit, body);
	kit_run(&kit, 4, 8 * WARP);
	memset(&saw, 0, sizeof saw);
	kit_run(&kit, 4, 8 * WARP);
	assert_int_equal(counted(&kit, "pairs"), 1);
	assert_int_equal(saw.slot[3], 1); /* replaces block 1, which was unpaired */
	assert_true(saw.end[3] < saw.end[0] && saw.end[0] < saw.end[2]);
	kit_run(&kit, 1, 8 * WARP); /* a grid with fewer blocks than places */
	assert_int_equal(counted(&kit, "pairs"), 0);
	assert_int_equal(counted(&kit, "unshared_blocks"), 1);
	kit_close(&kit);
}

/* --- sleep --- */

static void test_sleep(void **state)
{
	static const char body[] =
		BEGIN "ld.param.u64 %rd0, [param]; setp.ne.u32 %p1, %r10, 1; @%p1 bra GO; ld.global.u32 %r9, [%rd0];\n"
		      "GO: st.shared.u32 [%r12+4096], %r9; ld.global.u32 %r4, [%rd0+256]; add.u32 %r9, %r9, %r4;\n"
		      "bar.sync 0; ld.shared.u32 %r3, [%r12+4096]; relssp;" WORK "exit;";
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	static const char *const modes[] = {PLAIN, PLAIN ",poll=yes"};
	(void)state;
	for (uint32_t m = 0; m < 2; m++) {
		uint64_t cycles[2], waits[2];
		for (uint32_t i = 0; i < 2; i++) {
			struct gpu_kit kit;
			OPEN(&kit, modes[m], ONE_PAIR, sleeps[i]);
			kit_load(&kit, body);
			cycles[i] = kit_run(&kit, 9, 2 * WARP);
			waits[i] = counted(&kit, "lock_wait_cycles");
			kit_close(&kit);
		}
		assert_int_equal(cycles[0], cycles[1]);
		assert_int_equal(waits[0], waits[1]);
		assert_true(waits[0] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_residency),    cmocka_unit_test(test_residency_is_best),
		cmocka_unit_test(test_places),       cmocka_unit_test(test_owner_ends),
		cmocka_unit_test(test_own_part),     cmocka_unit_test(test_release),
		cmocka_unit_test(test_inherits),     cmocka_unit_test(test_first_come),
		cmocka_unit_test(test_measured),     cmocka_unit_test(test_poll),
		cmocka_unit_test(test_safety_net),   cmocka_unit_test(test_nothing_shared),
		cmocka_unit_test(test_owner_first),  cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_others_end),   cmocka_unit_test(test_released_last),
		cmocka_unit_test(test_alone_second), cmocka_unit_test(test_released_inherits_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
