/* Protects warp ranks, which one mechanism sets and the warp order reads. Protects also a mechanism's stop of a kernel:
 * the message names instruction, block and thread, and afterwards the machine is as new. */
#include "gate_kit.h"

enum { WARPS = 4, LOG = 64 };

/* Ranks a block's warps by `give` when the block begins. */
static uint32_t give[WARPS];
static uint32_t order[LOG], ordered; /* warps of the first instructions that issued */
static uint64_t seen_rank[MECH_RANKS], first_seen[MECH_RANKS];
static bool has_seen;

static void rank_block(struct mech_sm *sm, const struct mech_block *block)
{
	for (uint32_t w = 0; w < block->warps; w++)
		if (give[w])
			mech_rank_warp(sm, block->first_warp + w, give[w]);
}

static void note_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (ordered < LOG)
		order[ordered++] = issue->warp;
}

static const struct mech ranker = {.version = MECH_VERSION,
                                   .name = "ranker",
                                   .policies = MECH_POLICY_WARP_RANK,
                                   .block_begin = rank_block,
                                   .issue = note_issue};

static uint32_t pick_by_rank(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	memcpy(seen_rank, warps->rank, sizeof seen_rank);
	if (!has_seen)
		memcpy(first_seen, warps->rank, sizeof first_seen);
	has_seen = true;
	for (uint32_t r = 0; r < MECH_RANKS; r++)
		if (candidates & warps->rank[r])
			return mech_oldest(warps, candidates & warps->rank[r]);
	return mech_oldest(warps, candidates);
}

static const struct mech by_rank = {
	.version = MECH_VERSION, .name = "by_rank", .policies = MECH_POLICY_WARP_ORDER, .pick_warp = pick_by_rank};

/* Four warps of one scheduler have the same independent instructions, and one issues per cycle. The warp of the lowest
 * rank issues all its fetched instructions before the next warp issues any. After the common start, the order of the
 * warps' first instructions is therefore the order of their ranks. */
static void run_ranked(struct gpu_kit *kit)
{
	ordered = 0;
	has_seen = false;
	kit_run(kit, 1, WARPS * WARP);
}

/* The position of each warp's last issue: an exit is the last. */
static void last_of(uint32_t last[WARPS])
{
	for (uint32_t i = 0; i < ordered; i++)
		last[order[i]] = i;
}

static void test_order(void **state)
{
	static const struct mech *const set[] = {&ranker, &by_rank, NULL};
	struct gpu_kit kit;
	uint32_t last[WARPS];
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1", "sm.schedulers=1");
	kit.param = kit_buffer(&kit, NULL, 128);
	kit_load(&kit, "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; exit;");
	run_ranked(&kit); /* the instruction cache holds its code then */
	memcpy(give, (const uint32_t[WARPS]){3, 1, 0, 2}, sizeof give);
	run_ranked(&kit);
	assert_int_equal(first_seen[0], 4);
	assert_int_equal(first_seen[1], 2);
	assert_int_equal(first_seen[2], 8);
	assert_int_equal(first_seen[3], 1);
	last_of(last);
	assert_true(last[2] < last[1] && last[1] < last[3] && last[3] < last[0]);
	memset(give, 0, sizeof give); /* slots forget the ranks of their previous warps */
	run_ranked(&kit);
	assert_int_equal(first_seen[0], 15);
	assert_int_equal(first_seen[1] | first_seen[2] | first_seen[3], 0);
	last_of(last);
	assert_true(last[0] < last[1] && last[1] < last[2] && last[2] < last[3]);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Without a mechanism that ranks, no warp has a rank. */
static void test_nobody(void **state)
{
	static const struct mech *const set[] = {&by_rank, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 128);
	kit_load(&kit, who);
	kit_run(&kit, 1, 128);
	for (uint32_t r = 0; r < MECH_RANKS; r++)
		assert_int_equal(seen_rank[r], 0);
	check_who(&kit, 128);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* --- mistakes --- */

static void (*wrong_call)(struct mech_sm *sm, const struct mech_issue *issue);
static bool made;

static void rank_too_high(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_rank_warp(sm, issue->warp, MECH_RANKS);
}

static void rank_nowhere(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)issue;
	mech_rank_warp(sm, sm->machine->warps, 1);
}

static void rank_nobody(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)issue;
	mech_rank_warp(sm, sm->machine->warps - 1, 1);
}

static void stop_lane(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_stop(sm, issue, MECH_LANES, "never");
}

static void stop_silently(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_stop(sm, issue, 0, NULL);
}

static void stop_other(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct mech_issue copy = *issue;
	mech_stop(sm, &copy, 0, "never");
}

static void rank_as_other(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_rank_warp(sm, issue->warp, 1);
}

static void call_wrong(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (!made)
		wrong_call(sm, issue);
	made = true;
}

static const struct mech wrong = {
	.version = MECH_VERSION, .name = "wrong", .policies = MECH_POLICY_WARP_RANK, .issue = call_wrong};
static const struct mech other = {.version = MECH_VERSION, .name = "other", .issue = call_wrong};

static void test_mistakes(void **state)
{
	static const struct {
		const struct mech *mech;
		void (*call)(struct mech_sm *sm, const struct mech_issue *issue);
		const char *says;
	} rows[] = {
		{&wrong, rank_too_high, "mech_rank_warp(): rank 4; expected less than 4"},
		{&wrong, rank_nowhere, "mech_rank_warp(): warp slot 48; the SM has 48"},
		{&wrong, rank_nobody, "mech_rank_warp(): no warp is in slot 47, or it has ended"},
		{&other, rank_as_other, "mech_rank_warp(): the mechanism does not own the ranks of warps"},
		{&other, stop_lane, "mech_stop(): lane 32, never"},
		{&other, stop_silently, "mech_stop(): lane 0, no reason"},
		{&other, stop_other,
	         "mech_stop() of another event than the current one of may_issue, run_opcode or issue"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct mech *const set[] = {rows[i].mech, NULL};
		struct gpu_kit kit;
		kit_mechanisms = set;
		made = false;
		wrong_call = rows[i].call;
		KIT_OPEN(&kit, "sm.count=1");
		kit.param = kit_buffer(&kit, NULL, 128);
		kit_load(&kit, who);
		kit_start(&kit, 1, 128);
		assert_int_equal(kit.run.end, GPU_MISTAKE);
		if (!strstr(kit.run.message, rows[i].says))
			fail_msg("%s", kit.run.message);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- stopping a kernel --- */

enum hook { MAY_ISSUE, ISSUE, RUN_OPCODE };
static enum hook stops_in;

static void stop_at(struct mech_sm *sm, const struct mech_issue *issue, enum hook hook)
{
	bool is_it = hook == RUN_OPCODE || (issue->type == MECH_MEMORY && issue->kind == MECH_STORE);
	if (hook == stops_in && is_it && issue->block == 1 && issue->warp % 4 == 2 && !made) {
		made = true;
		mech_stop(sm, issue, 5, "does what it must not");
	}
}

static bool stop_in_veto(struct mech_sm *sm, const struct mech_issue *issue)
{
	stop_at(sm, issue, MAY_ISSUE);
	return true;
}

static void stop_in_look(struct mech_sm *sm, const struct mech_issue *issue)
{
	stop_at(sm, issue, ISSUE);
}

static uint32_t stop_in_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	(void)own;
	stop_at(sm, issue, RUN_OPCODE);
	return 0;
}

static const char *const opcodes[] = {"relssp"};
static const struct mech policeman = {.version = MECH_VERSION,
                                      .name = "policeman",
                                      .may_issue = stop_in_veto,
                                      .issue = stop_in_look,
                                      .opcodes = opcodes,
                                      .opcode_count = 1,
                                      .run_opcode = stop_in_opcode};

static void test_stop(void **state)
{
	static const struct mech *const set[] = {&policeman, NULL};
	static const char body[] =
		"relssp; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1;\n"
		"mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r3; exit;";
	(void)state;
	kit_mechanisms = set;
	for (enum hook hook = MAY_ISSUE; hook <= RUN_OPCODE; hook++) {
		struct gpu_kit kit;
		char text[1024], address[64];
		stops_in = hook;
		made = false;
		KIT_OPEN(&kit, "sm.count=1");
		kit.param = kit_buffer(&kit, NULL, 256);
		kit_load(&kit, body);
		kit_start(&kit, 2, 128);
		assert_int_equal(kit.run.end, GPU_FAULT);
		assert_int_equal(kit.run.fault.kind, SIMT_FAULT_MECHANISM);
		simt_fault_print(&kit.run.launch, &kit.run.fault, text, sizeof text);
		snprintf(address, sizeof address, "address 0x%llx, 4 bytes",
		         (unsigned long long)kit.param + 4 * (128 + 69));
		bool names = strstr(text, "kernel 'kernel' stopped: does what it must not\n  at test.ptx:") &&
		             strstr(text, "block (1,0,0), thread (69,0,0)");
		if (!names || (strstr(text, address) != NULL) == (hook == RUN_OPCODE))
			fail_msg("%s", text);
		kit_run(&kit, 2, 128);
		check_who(&kit, 256);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
