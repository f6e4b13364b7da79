/* Protects the pipeline orders in which GPGPU-Sim 4.2.0 differs from 3.2.2: operands of several banks in one cycle, the
 * load/store unit's first access, code that arrives from memory, and full-line writes.
 * Each is checked in closed form and on `gtx480-v4`, against measurements of that simulator with one thread. */
#include "gpu_kit.h"

enum { WARP = 32, LINKS = 20, LINE = 128 };

#define ONE_SM "sm.count=1", "l1i.sets=64"

static uint64_t cost(const char *option, const char *before, const char *line)
{
	struct gpu_kit kit;
	KIT_OPEN(&kit, ONE_SM, option);
	kit.param = kit_buffer(&kit, NULL, 64);
	memcpy(simt_host(kit.gpu->memory, kit.param), &kit.param, sizeof kit.param); /* a pointer to itself */
	uint64_t cycles = kit_cost(&kit, before, line, LINKS, WARP);
	kit_close(&kit);
	return cycles;
}

/* The links of a chain are `one` cycles apart with the option off and `many` with it on. */
static void expect_links(const char *option, const char *before, const char *line, uint32_t off, uint32_t on)
{
	char text[64];
	snprintf(text, sizeof text, "%s=false", option);
	assert_int_equal(cost(text, before, line), (uint64_t)off * LINKS);
	snprintf(text, sizeof text, "%s=true", option);
	assert_int_equal(cost(text, before, line), (uint64_t)on * LINKS);
}

/* Two or three operands cost one cycle each, or one cycle together. Operands of one bank cost one cycle each in both
 * orders. */
static void test_operands_at_once(void **state)
{
	static const char *const option = "sm.collectors_read_many";
	const uint32_t add = 4 + 5, fma = 1 + 5;
	(void)state;
	expect_links(option, "", "add.u32 %r1, %r1, 1;", add + 1, add + 1);
	expect_links(option, "", "add.u32 %r1, %r1, %r2;", add + 2, add + 1);
	expect_links(option, "", "fma.rn.f32 %f1, %f1, %f2, %f3;", fma + 3, fma + 1);
	expect_links(option, "", "add.u32 %r1, %r1, %r17;", add + 2, add + 2);
	expect_links(option, "", "fma.rn.f32 %f1, %f1, %f17, %f3;", fma + 3, fma + 2);
}

/* The first access takes place in the cycle in which the instruction enters the unit, or in the next: shared memory,
 * constants, L1. */
static void test_first_access(void **state)
{
	static const char *const option = "sm.lsu_takes_late";
	const uint32_t to_lsu = 4, shared = 4;
	(void)state;
	expect_links(option, "mov.u32 %r1, 0; st.shared.u32 [%r1], %r1;", "ld.shared.u32 %r1, [%r1];", to_lsu + shared,
	             to_lsu + shared + 1);
	expect_links(option, "", "ld.global.u64 %rd0, [%rd0];", to_lsu, to_lsu + 1);
	expect_links(option, "", "ld.global.cg.u64 %rd0, [%rd0];", 145, 146);
}

/* One access takes place per cycle: an instruction with many accesses has no gap between two of them, and neither has
 * the next instruction. */
static void test_accesses_side_by_side(void **state)
{
	static const char *const loads = "ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2]; ld.shared.u32 %r5, [%r2];"
					 "ld.shared.u32 %r6, [%r2];";
	(void)state;
	/* 32 words of one bank: the port is busy without a gap */
	const char *before = "mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 7;";
	uint64_t early = cost("sm.lsu_takes_late=false", before, loads),
		 late = cost("sm.lsu_takes_late=true", before, loads);
	assert_int_equal(early, 4 * 32 * LINKS);
	assert_int_equal(late, early);
}

/* Returns the cycles of one warp for straight code of `lines` lines, with cold caches. */
static uint64_t cold_code(bool hands_over, uint32_t lines)
{
	struct gpu_kit kit;
	char body[8192] = "";
	KIT_OPEN(&kit, ONE_SM, hands_over ? "sm.fetch_hands_over=true" : "sm.fetch_hands_over=false");
	kit.param = kit_buffer(&kit, NULL, 1);
	/* the lines also hold the load of the parameter and the exit */
	for (uint32_t i = 0; i < lines * LINE / 8 - 2; i++)
		strcat(body, "mov.u32 %r1, 7;\n");
	strcat(body, "exit;");
	kit_load(&kit, body);
	uint64_t cycles = kit_run(&kit, 1, WARP);
	assert_int_equal(kit.run.stats.l1i.misses, lines);
	assert_int_equal(kit.run.stats.l1i.accesses, lines * LINE / 16 + (hands_over ? 0 : lines));
	kit_close(&kit);
	return cycles;
}

/* When a warp's line arrives, the warp decodes it in the next cycle, or fetches it then. */
static void test_a_line_is_handed_over(void **state)
{
	(void)state;
	for (uint32_t lines = 1; lines <= 8; lines *= 2)
		assert_in_range(cold_code(false, lines) - cold_code(true, lines), lines - 1, lines);
}

/* Returns L2's accesses and lines for one warp's stores of four bytes, with lane l at `stride` * l. */
static uint32_t writes_of(const char *machine, uint32_t stride)
{
	struct gpu_kit kit;
	char body[512];
	kit_machine = machine;
	KIT_OPEN(&kit, ONE_SM);
	kit.param = kit_buffer(&kit, NULL, 2 * WARP * LINE / 8);
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, %u; add.u64 %%rd1, %%rd1, %%rd0;\n"
	         "st.global.u32 [%%rd1], %%r1; exit;",
	         stride);
	kit_load(&kit, body);
	kit_run(&kit, 1, WARP);
	uint32_t writes = (uint32_t)kit.run.stats.l2.write_accesses;
	for (uint32_t lane = 0; lane < WARP; lane++) {
		uint32_t word;
		memcpy(&word, simt_host(kit.gpu->memory, kit.param + (uint64_t)lane * stride), sizeof word);
		assert_int_equal(word, lane);
	}
	kit_close(&kit);
	kit_machine = "gtx480";
	return writes;
}

/* A write as long as a line is four accesses of L2, even where it writes two or three sectors. A shorter write is one
 * access per sector. Machines whose warps request sectors have no write as long. */
static void test_writes_of_whole_lines(void **state)
{
	static const struct {
		uint32_t stride, v3, v4, volta;
	} row[] = {
		{4, 1, 4, 4},                       /* a line */
		{64, WARP / 2, WARP / 2 * 4, WARP}, /* bytes 0 and 64 of each line */
		{96, 24, 24 * 4 - 16 * 3, WARP},    /* of three lines, one has bytes 0 and 96, two have one word */
		{128, WARP, WARP, WARP},            /* one word per line: 32 bytes */
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_int_equal(writes_of("gtx480", row[i].stride), row[i].v3);
		assert_int_equal(writes_of("gtx480-v4", row[i].stride), row[i].v4);
		assert_int_equal(writes_of("qv100", row[i].stride), row[i].volta);
		assert_int_equal(writes_of("rtx3070", row[i].stride), row[i].volta);
	}
}

/* The machine has all these orders on: a chain of loads that hit L1, against its measurement. */
static void test_machine(void **state)
{
	(void)state;
	kit_machine = "gtx480-v4";
	const uint32_t to_l1 = 5, l1 = 35;
	assert_int_equal(cost("sm.shared_latency=26", "", "ld.global.u64 %rd0, [%rd0];"), (to_l1 + l1) * LINKS);
	assert_int_equal(cost("sm.shared_latency=26", "", "add.u32 %r1, %r1, %r2;"), (4 + 6) * LINKS);
	kit_machine = "gtx480";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands_at_once),      cmocka_unit_test(test_first_access),
		cmocka_unit_test(test_accesses_side_by_side), cmocka_unit_test(test_a_line_is_handed_over),
		cmocka_unit_test(test_writes_of_whole_lines), cmocka_unit_test(test_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
