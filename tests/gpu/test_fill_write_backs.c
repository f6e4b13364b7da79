/* Protects SMs that run ahead: they do so only while the network has space for all that they may send, also for lines
 * that fills write back. */
#include "busy_kit.h"

/* Fills of an L1 that allocates on fills write dirty lines back, while stores fill the network. */
static void test_write_backs_of_fills(void **state)
{
	static const char kernel[] =
		".local .b32 mine[256]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0;\n"
		"mov.u32 %r2, 0; mov.u64 %rd4, mine;\n"
		"AGAIN: mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %rd4; st.local.u32 [%rd1], %r2;\n"
		"mul.lo.u32 %r3, %r2, 37; and.b32 %r3, %r3, 255; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd3, %rd4;\n"
		"ld.local.u32 %r4, [%rd3]; st.global.u32 [%rd2], %r2; st.global.u32 [%rd2+4096], %r4;\n"
		"add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 256; @%p1 bra AGAIN; exit;";
	static const char *const room[] = {"network.injection_flits=9", "network.injection_flits=12",
	                                   "network.injection_flits=16", "network.injection_flits=24"};
	(void)state;
	for (size_t r = 0; r < sizeof room / sizeof *room; r++) {
		struct outcome outcome[2];
		for (int sleeps = 0; sleeps < 2; sleeps++) {
			struct gpu_kit kit;
			KIT_OPEN(&kit, "sm.count=2", "l1d.allocation=on_fill", room[r],
			         sleeps ? "launch.sleep=true" : "launch.sleep=false");
			kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
			kit_load(&kit, kernel);
			kit.run.run_ahead.allowed = true;
			outcome[sleeps].cycles = kit_run(&kit, 4, 256);
			outcome[sleeps].stats = kit.run.stats;
			kit_close(&kit);
		}
		assert_true(outcome[0].stats.l1d.writebacks > 0);
		assert_int_equal(outcome[0].cycles, outcome[1].cycles);
		compare_stats(&outcome[0].stats, &outcome[1].stats, "with sleep", 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_write_backs_of_fills)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
