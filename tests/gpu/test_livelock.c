/* Protects correct programs from launch.livelock, and users from runs without an end. Kernels whose
 * warps only poll are stalled. Kernels are not stalled if another warp computes for long, or if the polling warp counts
 * its iterations or reads a clock. */
#include "gpu_kit.h"

static struct gpu_kit run(const char *body, uint32_t blocks, uint32_t threads, const char *option)
{
	struct gpu_kit kit;
	const char *options[] = {"sm.count=2", option ? option : "launch.livelock=20000", NULL};
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, body);
	kit.run.max_thread_instructions = 100000000;
	kit_start(&kit, blocks, threads);
	return kit;
}

#define POLL "POLL: ld.volatile.global.u32 %r4, [%rd0+8]; setp.eq.u32 %p3, %r4, 0; @%p3 bra POLL; "

static void expect_stall(const char *body, uint32_t blocks, uint32_t threads, const char *says)
{
	char text[4096];
	struct gpu_kit kit = run(body, blocks, threads, NULL);
	assert_int_equal(kit.run.end, GPU_STALLED);
	assert_true(kit.run.livelock);
	assert_in_range(kit.run.cycles, 20000, 80000);
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
	if (!strstr(text, says))
		fail_msg("%s", text);
	kit_close(&kit);
}

static void polls_are_located(void **state)
{
	(void)state;
	expect_stall(POLL "exit;", 1, 32, "4 bytes with the value 0x0; allocation 0x");
	expect_stall(POLL "exit;", 1, 32, ", 512 bytes, offset 8");
	expect_stall(POLL "exit;", 2, 64, "; 4 warps do");
	/* one warp polls, the other waits for it */
	expect_stall("mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra B; " POLL "B: bar.sync 0; exit;", 1, 64,
	             "1 poll, 1 wait at barriers");
	/* a barrier of all blocks, more than are resident at once */
	expect_stall("atom.global.add.u32 %r2, [%rd0], 1; P: ld.volatile.global.u32 %r4, [%rd0]; setp.lt.u32 %p3, %r4, "
	             "3200; "
	             "@%p3 bra P; exit;",
	             100, 32, "96 of 100 blocks are not resident");
	/* of shared memory, and a lock that no warp releases */
	expect_stall(
		"mov.u32 %r1, 64; P: ld.volatile.shared.u32 %r4, [%r1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra P; exit;", 1,
		32, "reads shared address 0x40");
	expect_stall("st.global.u32 [%rd0], 1; membar.gl; P: atom.global.cas.b32 %r4, [%rd0], 0, 1; setp.ne.u32 %p3, "
	             "%r4, 0; "
	             "@%p3 bra P; exit;",
	             1, 32, "with the value 0x1");
	/* a pause that grows to its limit */
	expect_stall("mov.u32 %r5, 8; P: nanosleep.u32 %r5; shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, 256; "
	             "ld.volatile.global.u32 "
	             "%r4, [%rd0]; setp.eq.u32 %p3, %r4, 0; @%p3 bra P; exit;",
	             1, 32, "reads address");
}

/* The value has arrived when it is needed, so that the warp does not wait for a load. */
#define ADD   "add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1; "
#define PAUSE "mov.u32 %r5, 1; " ADD ADD ADD ADD ADD

/* The warps in the ready set poll and stay in it: the writer never gets into it. */
static struct gpu_kit run_levels(const char *order, const char *writer)
{
	const char *options[] = {"sm.count=1", "launch.livelock=20000", order, NULL};
	struct gpu_kit kit;
	char body[2048];
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, %%tid.x; setp.ge.u32 %%p1, %%r1, 96; mov.u32 %%r2, 64; @%%p1 bra W; "
	         "P: ld.volatile.shared.u32 %%r4, [%%r2]; %s setp.eq.u32 %%p3, %%r4, 0; @%%p3 bra P; exit;\n"
	         "W: %s add.u32 %%r4, %%r4, 1; st.volatile.shared.u32 [%%r2], %%r4; exit;",
	         PAUSE, writer);
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, body);
	kit.run.max_thread_instructions = 100000000;
	kit_start(&kit, 1, 128);
	return kit;
}

static void left_out_by_the_warp_order(void **state)
{
	(void)state;
	char text[4096];
	struct gpu_kit kit = run_levels("sm.warp_order=two_level:ready=1", "ld.global.u32 %r4, [%rd0+16];");
	assert_int_equal(kit.run.end, GPU_STALLED);
	assert_true(kit.run.livelock);
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
	if (!strstr(text, "in the order of two_level") || strstr(text, "resident warp"))
		fail_msg("%s", text);
	kit_close(&kit);
}

/* With space for each warp, the writer computes for long and ends the polls. */
static void with_room_for_the_writer(void **state)
{
	(void)state;
	struct gpu_kit kit =
		run_levels("sm.warp_order=two_level:ready=2",
	                   "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 20000; @%p2 bra L;");
	assert_int_equal(kit.run.end, GPU_DONE);
	assert_true(kit.run.cycles > 60000);
	kit_close(&kit);
}

/* 15 warps of a scheduler poll in loops of three instructions, so that there is one to issue in every cycle. The
 * youngest
 * one, warp 30, computes for `rounds` and then ends the polls. The other scheduler's warps have ended. */
static struct gpu_kit run_saturated(const char *order, uint32_t rounds)
{
	const char *options[] = {"sm.count=1", "launch.livelock=20000", order, NULL};
	struct gpu_kit kit;
	char body[512];
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0; and.b32 %%r3, %%r1, 32; setp.ne.u32 %%p1, %%r3, 0; @%%p1 "
	         "exit; "
	         "setp.ge.u32 %%p1, %%r1, 960; @%%p1 bra W; %sexit;\n"
	         "W: add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p2, %%r2, %u; @%%p2 bra W; st.volatile.global.u32 "
	         "[%%rd0+8], 1; exit;",
	         POLL, rounds);
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, body);
	kit.run.max_thread_instructions = 100000000;
	kit_start(&kit, 1, 1024);
	return kit;
}

/* Also a warp outside of any polling loop; and the message blames the warp order and no location of that warp. */
static void starved_by_the_warp_order(void **state)
{
	(void)state;
	char text[4096];
	struct gpu_kit kit = run_saturated("sm.warp_order=gto", 10000);
	assert_int_equal(kit.run.end, GPU_STALLED);
	assert_true(kit.run.livelock);
	const struct simt_polls *polls = &kit.run.polls;
	assert_in_range(polls->starved, 1, 15);
	assert_int_equal(polls->polling, 16 - polls->starved);
	assert_int_equal(polls->starved_by.issuers, polls->polling);
	assert_int_equal(polls->starved_warp, 2 * polls->polling); /* the next younger one */
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
	if (!strstr(text, "no warp that issues can write it") || !strstr(text, "with the warp order gto"))
		fail_msg("%s", text);
	kit_close(&kit);
}

/* In turn, each ready warp issues, however long it computes. */
static void in_turn_no_warp_starves(void **state)
{
	(void)state;
	struct gpu_kit kit = run_saturated("sm.warp_order=lrr", 10000);
	assert_int_equal(kit.run.end, GPU_DONE);
	assert_true(kit.run.cycles > 60000);
	kit_close(&kit);
}

static void expect_end(const char *body, uint32_t blocks, uint32_t threads, enum gpu_end end)
{
	struct gpu_kit kit = run(body, blocks, threads, NULL);
	if (kit.run.end != end)
		fail_msg("ended as %d: %s", (int)kit.run.end, body);
	kit_close(&kit);
}

#define WRITER(work)                                                                                                   \
	"mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra W; " POLL "exit;\nW: mov.u32 %r2, 0; " work           \
	"st.volatile.global.u32 [%rd0+8], 1; exit;"
#define FOR_LONG(code) "L: " code " add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20000; @%p2 bra L; "

static void right_programs_go_on(void **state)
{
	(void)state;
	/* a long computation before the store; with loads that always return the same value; in a loop that also
	 * polls */
	expect_end(WRITER(FOR_LONG("")), 1, 64, GPU_DONE);
	expect_end(WRITER(FOR_LONG("ld.volatile.global.u32 %r7, [%rd0];")), 1, 64, GPU_DONE);
	expect_end(WRITER(FOR_LONG("atom.global.add.u32 %r7, [%rd0+16], 0;")), 1, 64, GPU_DONE);
	expect_end(WRITER(FOR_LONG("nanosleep.u32 100;")), 1, 64, GPU_DONE);
	/* counted iterations, a clock */
	expect_end("mov.u32 %r2, 0; L: ld.volatile.global.u32 %r7, [%rd0]; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, "
	           "20000; "
	           "@%p2 bra L; exit;",
	           1, 32, GPU_DONE);
	expect_end("L: ld.volatile.global.u32 %r7, [%rd0]; mov.u32 %r2, %clock; setp.lt.u32 %p2, %r2, 200000; @%p2 bra "
	           "L; exit;",
	           1, 32, GPU_DONE);
}

static void off(void **state)
{
	(void)state;
	struct gpu_kit kit = run(POLL "exit;", 1, 32, "launch.livelock=0");
	assert_int_equal(kit.run.end, GPU_STOPPED);
	assert_int_equal(kit.run.polls.polling, 1);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polls_are_located),
		cmocka_unit_test(left_out_by_the_warp_order),
		cmocka_unit_test(with_room_for_the_writer),
		cmocka_unit_test(starved_by_the_warp_order),
		cmocka_unit_test(in_turn_no_warp_starves),
		cmocka_unit_test(right_programs_go_on),
		cmocka_unit_test(off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
