/* Protects opcodes that mechanisms own. Their owner sees the operands and sets the cycles. Opcodes without a function
 * in PTX change no value. An opcode that no unit computes, or that another mechanism owns, is refused. */
#include "gpu_kit.h"

enum { FAST = 4, SLOW = 45, XORS = 16, WARP = 32 };

static uint32_t latency;
static struct {
	uint64_t calls[2];
	uint32_t lanes;
	uint64_t event;
} seen;

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	assert_string_equal(issue->name, own ? "pmevent" : "xor");
	seen.calls[own]++;
	if (own) {
		seen.lanes = issue->lanes;
		seen.event = operands.source[0][0];
	}
	return latency;
}

static const char *const opcodes[] = {"xor", "pmevent"};
static const struct mech owner = {
	.version = MECH_VERSION, .name = "owner", .opcodes = opcodes, .opcode_count = 2, .run_opcode = run_opcode};

/* Returns the cycles of a chain of xor instructions, each of which waits for the previous one. */
static uint64_t chain(const struct mech *mech, uint32_t cycles)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	latency = cycles;
	seen.calls[0] = 0;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	uint64_t took = kit_time(&kit, "mov.u32 %r1, 1;", "xor.b32 %r1, %r1, %r1;", XORS, "", WARP);
	kit_close(&kit);
	kit_mechanisms = NULL;
	return took;
}

static void test_latency(void **state)
{
	(void)state;
	uint64_t fast = chain(&owner, FAST);
	assert_int_equal(seen.calls[0], 2 * XORS); /* the chain runs twice */
	assert_int_equal(chain(&owner, SLOW) - fast, XORS * (SLOW - FAST));
	assert_int_equal(chain(&owner, 0), chain(NULL, 0)); /* the machine's own latency */
}

/* The owner sees the active lanes and the event's number. */
static void test_shown(void **state)
{
	static const struct mech *const set[] = {&owner, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5; @%p1 pmevent 11; pmevent.mask 11; relssp; exit;");
	seen.calls[1] = 0;
	kit_run(&kit, 1, WARP);
	assert_int_equal(seen.calls[1], 2);
	assert_int_equal(seen.lanes, UINT32_MAX);
	kit_load(&kit, "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5; @%p1 pmevent 11; exit;");
	kit_run(&kit, 1, WARP);
	assert_int_equal(seen.lanes, 0x1f);
	assert_int_equal(seen.event, 11);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Without an owner these opcodes change nothing. */
static void test_nobody(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 1);
	kit_load(&kit, "mov.u32 %r1, 7; pmevent 2; relssp; st.global.u32 [%rd0], %r1; exit;");
	kit_run(&kit, 1, 1);
	assert_int_equal(*(const uint32_t *)simt_host(kit.gpu->memory, kit.param), 7);
	assert_int_equal(kit.run.stats.sm.warp_instructions, 6);
	kit_close(&kit);
}

static void test_too_long(void **state)
{
	static const struct mech *const set[] = {&owner, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, "pmevent 2; exit;");
	latency = MECH_MAX_LATENCY;
	kit_run(&kit, 1, WARP);
	latency++;
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	if (!strstr(kit.run.message, "hook run_opcode, SM 0") ||
	    !strstr(kit.run.message, "gives pmevent 501 cycles; expected 0 to 500"))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

static bool tables_are_good(const char *const *names, uint32_t count, bool has_hook, char *message, size_t size)
{
	const struct mech mech = {.version = MECH_VERSION,
	                          .name = "owner",
	                          .summary = "",
	                          .citation = "",
	                          .opcodes = names,
	                          .opcode_count = count,
	                          .run_opcode = has_hook ? run_opcode : NULL};
	return seam_check_tables(&mech, message, size);
}

static void test_refused(void **state)
{
	static const struct {
		const char *names[2];
		uint32_t count;
		bool has_hook;
		const char *says;
	} row[] = {
		{{"frob"}, 1, true, "opcode 0 (frob): no opcode has this name"},
		{{"xor", "ld"}, 2, true, "opcode 1 (ld): no arithmetic unit runs it"},
		{{"bar"}, 1, true, "opcode 0 (bar): no arithmetic unit runs it"},
		{{"bra"}, 1, true, "opcode 0 (bra): no arithmetic unit runs it"},
		{{"xor", "xor"}, 2, true, "opcode 1 (xor): it is listed twice"},
		{{"xor"}, 1, false, "opcode 0 (xor): the mechanism has no hook run_opcode"},
		{{NULL}, 0, true, "has the hook run_opcode but owns no opcode"},
	};
	char message[512];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_false(tables_are_good(row[i].names, row[i].count, row[i].has_hook, message, sizeof message));
		if (!strstr(message, row[i].says))
			fail_msg("%s", message);
	}
	static const char *const others[] = {"relssp", "pmevent", "xor"};
	for (uint32_t i = 0; i < 3; i++) {
		const struct mech other = {.version = MECH_VERSION,
		                           .name = "other",
		                           .opcodes = &others[i],
		                           .opcode_count = 1,
		                           .run_opcode = run_opcode};
		const struct seam_attached both[] = {{&owner, NULL}, {&other, NULL}};
		const struct mech_machine machine = {.sms = 1};
		char says[128];
		snprintf(says, sizeof says, "mechanisms owner and other both own the opcode %s; only one of them can",
		         others[i]);
		assert_int_equal(seam_check(both, 2, &machine, message, sizeof message), i == 0);
		if (i)
			assert_string_equal(message, says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latency),  cmocka_unit_test(test_shown),   cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_too_long), cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
