/* Protects kernels whose blocks wait for earlier blocks. A block that holds its pair's lock and polls data that its
 * partner writes after taking the lock waits forever. Such kernels get no pairs. With pair_pollers=yes, the machine
 * reports which block waits for which. */
#include "sharing_kit.h"

/* Block 0 computes, touches the common part, and then signals block 1, which has touched it before and waits with
 * the lock. */
static const char chain[] =
	"mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 bra SECOND;\n"
	"WORK: mul.lo.u32 %r3, %r2, 3; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3000; @%p2 bra WORK;\n"
	"st.shared.u32 [4096], 1; st.volatile.global.u32 [%rd0], 1; exit;\n"
	"SECOND: st.shared.u32 [4096], 1;\n"
	"POLL: ld.volatile.global.u32 %r4, [%rd0]; setp.eq.u32 %p3, %r4, 0; @%p3 bra POLL; exit;";

static struct gpu_kit run_chain(const char *mechanism)
{
	struct gpu_kit kit;
	OPEN(&kit, mechanism, ONE_PAIR, "launch.livelock=20000");
	kit_load(&kit, chain);
	kit_start(&kit, 2, WARP);
	return kit;
}

static void a_chain_of_blocks_gets_no_pairs(void **state)
{
	(void)state;
	struct gpu_kit kit = run_chain("sharing:layout=no,release=block_end");
	assert_int_equal(kit.run.end, GPU_DONE);
	assert_int_equal(saw.most_resident, 1);
	kit_close(&kit);
}

static void a_partner_that_polls_is_told(void **state)
{
	static const char *const ways[] = {"sharing:layout=no,release=block_end,pair_pollers=yes",
	                                   "sharing:layout=no,release=block_end,pair_pollers=yes,poll=yes"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char text[2048];
		struct gpu_kit kit = run_chain(ways[i]);
		assert_int_equal(saw.most_resident, 2);
		assert_int_equal(kit.run.end, GPU_STALLED);
		assert_true(kit.run.livelock);
		simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
		if (!strstr(text, "block (1,0,0), thread (0,0,0) reads address") ||
		    !strstr(text, "mechanism sharing holds 1 back, the first of block (0,0,0)"))
			fail_msg("%s", text);
		kit_close(&kit);
	}
}

/* Each block runs a loop with one memory instruction, which leaves the value in %r4; %r6 counts the rounds. */
static uint32_t most_resident_with(const char *loop)
{
	char code[512];
	struct gpu_kit kit;
	snprintf(code, sizeof code,
	         "mov.u32 %%r6, 0; mov.u32 %%r5, 0; st.shared.u32 [4096], 1;\n"
	         "ROUND: %s\n"
	         "add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p3, %%r6, 20; @%%p3 bra ROUND; exit;",
	         loop);
	OPEN(&kit, "sharing:layout=no,release=block_end", ONE_PAIR);
	kit_load(&kit, code);
	kit_start(&kit, 2, WARP);
	assert_int_equal(kit.run.end, GPU_DONE);
	kit_close(&kit);
	return saw.most_resident;
}

static void loops_that_can_wait_for_a_block_prevent_pairs(void **state)
{
	static const char *const waiting[] = {"ld.volatile.global.u32 %r4, [%rd0];",
	                                      "ld.global.cg.u32 %r4, [%rd0];",
	                                      "ld.relaxed.gpu.global.u32 %r4, [%rd0];",
	                                      "atom.global.or.b32 %r4, [%rd0], 0;",
	                                      "atom.global.add.u32 %r4, [%rd0], 0;",
	                                      "atom.global.max.u32 %r4, [%rd0], 7;",
	                                      "atom.global.and.b32 %r4, [%rd0], -1;",
	                                      "atom.global.exch.b32 %r4, [%rd0], 1;",
	                                      "atom.global.cas.b32 %r4, [%rd0], 0, 1;",
	                                      "atom.global.min.u32 %r4, [%rd0], %r5;",
	                                      "ld.volatile.global.u32 %r4, [%rd0]; atom.global.add.u32 %r4, [%rd0], 1;",
	                                      "ld.global.cg.u32 %r4, [%rd0]; atom.global.add.u32 %r4, [%rd0], 1;"};
	static const char *const computing[] = {
		"ld.global.u32 %r4, [%rd0];",
		"ld.global.cg.u32 %r4, [%rd0]; add.u64 %rd0, %rd0, 4;",
		"atom.global.add.u32 %r4, [%rd0], 1;",
		"atom.global.inc.u32 %r4, [%rd0], 100;",
		"atom.global.or.b32 %r4, [%rd0], 1; add.u64 %rd0, %rd0, 4;",
		"atom.global.max.u32 %r4, [%rd0], %r6;",
		"atom.shared.exch.b32 %r4, [0], 1;",
	};
	(void)state;
	for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
		if (most_resident_with(waiting[i]) != 1)
			fail_msg("paired: %s", waiting[i]);
	for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
		if (most_resident_with(computing[i]) != 2)
			fail_msg("not paired: %s", computing[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_of_blocks_gets_no_pairs),
		cmocka_unit_test(a_partner_that_polls_is_told),
		cmocka_unit_test(loops_that_can_wait_for_a_block_prevent_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
