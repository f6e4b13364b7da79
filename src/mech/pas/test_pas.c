/* Protects pas: each block's marked warp has priority in every order. A prefetch's fill makes its warp compete in the
 * same cycle, in place of another, and only if it can run. The machine has one SM, with one scheduler if not said
 * otherwise. */
#include "gpu_kit.h"

enum { LANES = 32, SLOTS = 12, LONG = 400, BEGIN = 100 };

static uint64_t first_issue[SLOTS], last_issue[SLOTS]; /* by warp */
static uint64_t issues_behind[SLOTS];                  /* after the fill */
static uint64_t fill_cycle;
static uint32_t resident; /* number of resident blocks */

/* The prefetch: the cycle of its request (0: never), the warp that it is bound to, and its line. */
static uint64_t when;
static uint32_t bound_to;
static uint64_t line;

static void note_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (!first_issue[issue->warp])
		first_issue[issue->warp] = issue->cycle;
	last_issue[issue->warp] = issue->cycle;
	issues_behind[issue->warp] += fill_cycle && issue->cycle >= fill_cycle && issue->cycle < fill_cycle + LONG / 4;
}

/* All blocks begin together. */
static bool may_start(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	resident = block->slot + 1;
	return false;
}

static uint64_t every_cycle(struct mech_sm *sm, uint64_t cycle)
{
	for (uint32_t slot = 0; slot < resident && cycle == BEGIN; slot++)
		mech_release_block(sm, slot);
	if (cycle != when || !when)
		return cycle + 1;
	assert_true(mech_send(sm, &(struct mech_request){.address = line,
	                                                 .bytes = 128,
	                                                 .to = MECH_TO_L1,
	                                                 .pc = MECH_NO_PC,
	                                                 .bound = true,
	                                                 .warp = bound_to}));
	return cycle + 1;
}

static void note_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	(void)sm;
	if (fill->address == line)
		fill_cycle = fill->cycle;
}

static const struct mech prefetcher = {.version = MECH_VERSION,
                                       .name = "prefetcher",
                                       .sends = true,
                                       .may_start = may_start,
                                       .issue = note_issue,
                                       .cycle = every_cycle,
                                       .fill = note_fill};

static void run_on(struct gpu_kit *kit, const char *schedulers, const char *order, const char *body, uint32_t blocks,
                   uint32_t warps)
{
	static const struct mech *const own[] = {&prefetcher, NULL};
	const char *const options[] = {"sm.count=1", schedulers, "launch.spread_small_grids=false", NULL};
	memset(first_issue, 0, sizeof first_issue);
	memset(last_issue, 0, sizeof last_issue);
	memset(issues_behind, 0, sizeof issues_behind);
	fill_cycle = 0;
	kit_describe(kit, options);
	kit_attach(kit, order);
	kit_mechanisms = own;
	kit_build(kit);
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, 4096);
	line = kit->param + 16384;
	kit->run.blocks_per_sm = blocks;
	kit_load(kit, body);
	kit_run(kit, blocks, warps * LANES);
}

static void run(struct gpu_kit *kit, const char *order, const char *body, uint32_t blocks, uint32_t warps)
{
	run_on(kit, "sm.schedulers=1", order, body, blocks, warps);
}

/* A loop of arithmetic only. */
#define COMPUTE "mov.u32 %r1, 0; again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra again; exit;"

/* --- leading warps --- */

/* Whether the last of these warps is earlier than the first of all others. `cycle` is by warp. */
static bool are_first(const uint64_t cycle[SLOTS], uint64_t warps, uint32_t count)
{
	uint64_t latest = 0, earliest = UINT64_MAX;
	for (uint32_t slot = 0; slot < count; slot++)
		if (warps >> slot & 1)
			latest = cycle[slot] > latest ? cycle[slot] : latest;
		else
			earliest = cycle[slot] < earliest ? cycle[slot] : earliest;
	return latest < earliest;
}

/* Three blocks of four warps: 0, 4 and 8 are the blocks' first warps, and end before all others. Without the marker
 * they do not. */
static void test_leading_first(void **state)
{
	static const struct {
		const char *order;
		bool first;
	} row[] = {{"pas:ready=2", true},        {"pas:order=gto", true}, {"pas:order=lrr", true},
	           {"two_level:ready=2", false}, {"gto", false},          {"lrr", false}};
	(void)state;
	when = 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		run(&kit, row[i].order, COMPUTE, 3, 4);
		assert_int_equal(are_first(last_issue, 1 << 0 | 1 << 4 | 1 << 8, SLOTS), row[i].first);
		if (row[i].first)
			assert_int_equal(kit_counter(&kit, 0, "leading"), 3);
		kit_close(&kit);
	}
}

/* Two places: warps 0 and 4 take them first, then 8, and only then a warp that leads no block. */
static void test_enter_first(void **state)
{
	struct gpu_kit kit;
	(void)state;
	when = 0;
	run(&kit, "pas:ready=2", COMPUTE, 3, 4);
	assert_true(first_issue[0] < last_issue[0] && first_issue[4] < last_issue[0]);
	assert_true(first_issue[8] > last_issue[0] || first_issue[8] > last_issue[4]);
	for (uint32_t slot = 0; slot < SLOTS; slot++)
		if (slot % 4)
			assert_true(first_issue[slot] > first_issue[8]);
	kit_close(&kit);
}

/* Warps 0, 4 and 8 lead three blocks. They end before all others, although their loop is longer. With
 * marker=first_load they have no priority after a load from global memory, and end later. */
static void test_until_first_load(void **state)
{
	enum { LEADERS = 1 << 0 | 1 << 4 | 1 << 8 };
	static const struct {
		const char *order, *access;
		bool first;
	} row[] = {{"pas:order=lrr", "ld.global.u32 %r3, [%rd0];", true},
	           {"pas:order=lrr,marker=first_load", "ld.global.u32 %r3, [%rd0];", false},
	           {"pas:order=lrr,marker=first_load", "ld.u32 %r3, [%rd0];", false},
	           {"pas:order=lrr,marker=first_load", "st.global.u32 [%rd0], %r3;", true},
	           {"pas:order=lrr,marker=first_load", "ld.shared.u32 %r3, [4];", true},
	           {"pas:order=lrr,marker=first_load", "ld.local.u32 %r3, [mine];", true},
	           {"pas:ready=12", "ld.global.u32 %r3, [%rd0];", true},
	           {"pas:ready=12,marker=first_load", "ld.global.u32 %r3, [%rd0];", false}};
	(void)state;
	when = 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		char body[512];
		snprintf(body, sizeof body,
		         ".local .align 4 .b8 mine[64]; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p1, %%r1, 32; "
		         "selp.u32 %%r2, 120, 100, %%p1; mov.u32 %%r1, 0; %s\n"
		         "again: add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %%r2; @%%p1 bra again; exit;",
		         row[i].access);
		run(&kit, row[i].order, body, 3, 4);
		assert_int_equal(are_first(last_issue, LEADERS, SLOTS), row[i].first);
		assert_int_equal(kit_counter(&kit, 0, "leading"), 3);
		kit_close(&kit);
	}
}

/* One place per scheduler, which the marked warps take first. With leader=spread, the blocks in slots 0 to 3 have their
 * marked warps on the schedulers 0, 1, 0 and 1, even where the first warp is on the other one. With four schedulers, a
 * block of two warps has none on half of them, and marks its first. */
static void test_spread(void **state)
{
	static const struct {
		const char *order, *schedulers;
		uint32_t blocks, warps;
		uint64_t marked;
	} row[] = {
		{"pas:ready=1", "sm.schedulers=2", 3, 4, 1 << 0 | 1 << 4 | 1 << 8},
		{"pas:ready=1,leader=spread", "sm.schedulers=2", 3, 4, 1 << 0 | 1 << 5 | 1 << 8},
		{"pas:ready=1", "sm.schedulers=2", 4, 3, 1 << 0 | 1 << 3 | 1 << 6 | 1 << 9},
		{"pas:ready=1,leader=spread", "sm.schedulers=2", 4, 3, 1 << 0 | 1 << 3 | 1 << 6 | 1 << 9},
		{"pas:ready=1,leader=spread", "sm.schedulers=4", 3, 4, 1 << 0 | 1 << 5 | 1 << 10},
		{"pas:ready=1,leader=spread", "sm.schedulers=4", 6, 2,
	         1 << 0 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 10},
	};
	(void)state;
	when = 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t schedulers = (uint32_t)(row[i].schedulers[strlen(row[i].schedulers) - 1] - '0');
		struct gpu_kit kit;
		run_on(&kit, row[i].schedulers, row[i].order, COMPUTE, row[i].blocks, row[i].warps);
		for (uint32_t s = 0; s < schedulers; s++) {
			uint64_t begin[SLOTS] = {0}, marked = 0;
			uint32_t count = 0;
			for (uint32_t slot = s; slot < SLOTS; slot += schedulers, count++) {
				begin[count] = first_issue[slot];
				marked |= (row[i].marked >> slot & 1) << count;
			}
			assert_true(are_first(begin, marked, count));
		}
		kit_close(&kit);
	}
}

/* All warps of three blocks compete, and the marked warps end first. With pick=oldest, the others end in the order of
 * their age, one well after the other; round robin lets them end together. */
static void test_pick(void **state)
{
	static const char *const orders[] = {"pas:ready=12", "pas:ready=12,pick=oldest"};
	uint64_t apart[2];
	(void)state;
	when = 0;
	for (size_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		run(&kit, orders[i], COMPUTE, 3, 4);
		assert_true(are_first(last_issue, 1 << 0 | 1 << 4 | 1 << 8, SLOTS));
		apart[i] = last_issue[11] - last_issue[1];
		kit_close(&kit);
	}
	for (uint32_t slot = 1, last = 1; slot < SLOTS; slot++)
		if (slot % 4) {
			assert_true(last_issue[slot] >= last_issue[last]);
			last = slot;
		}
	assert_true(apart[1] > 3 * apart[0]);
}

/* --- wake-up --- */

/* One place, which warp 0 holds. Warp 1 has had its instructions for a long time. It issues in the cycle in which
 * its data arrive, and not before; without wake-up, after warp 0 has ended. */
static void test_wake_up(void **state)
{
	struct gpu_kit kit;
	(void)state;
	when = 200;
	bound_to = 1;
	run(&kit, "pas:ready=1", COMPUTE, 1, 2);
	assert_true(fill_cycle > when && fill_cycle < last_issue[0]);
	assert_int_equal(first_issue[1], fill_cycle);
	assert_int_equal(kit_counter(&kit, 0, "wake_ups"), 1);
	assert_int_equal(kit_counter(&kit, 0, "pushed_out"), 1);
	assert_int_equal(issues_behind[0], 0); /* none until warp 1 has ended: warp 0 is in the queue */
	kit_close(&kit);

	run(&kit, "pas:ready=1,wake_up=no", COMPUTE, 1, 2);
	assert_true(fill_cycle && first_issue[1] > last_issue[0]);
	assert_int_equal(kit_counter(&kit, 0, "wake_ups") + kit_counter(&kit, 0, "pushed_out"), 0);
	kit_close(&kit);
}

/* Two places, held by warps 0 and 1: the one that does not lead its block is replaced. */
static void test_who_is_pushed_out(void **state)
{
	struct gpu_kit kit;
	(void)state;
	when = 200;
	bound_to = 2;
	run(&kit, "pas:ready=2", COMPUTE, 1, 4);
	assert_int_equal(first_issue[2], fill_cycle);
	assert_true(issues_behind[0] && issues_behind[2]);
	assert_int_equal(issues_behind[1] + issues_behind[3], 0);
	kit_close(&kit);
}

/* A warp that already competes stays; one that waits for its own load is skipped. */
static void test_nothing_to_wake(void **state)
{
	static const char waits[] = "mov.u32 %r2, %tid.x; setp.lt.u32 %p2, %r2, 32; @%p2 bra compute;\n"
				    "ld.global.u32 %r3, [%rd0+32]; add.u32 %r3, %r3, 1; compute: " COMPUTE;
	struct gpu_kit kit;
	(void)state;
	when = 200;
	bound_to = 0;
	run(&kit, "pas:ready=1", COMPUTE, 1, 2);
	assert_int_equal(kit_counter(&kit, 0, "woken_ready"), 1);
	assert_int_equal(kit_counter(&kit, 0, "pushed_out"), 0);
	assert_true(first_issue[1] > last_issue[0]);
	kit_close(&kit);

	bound_to = 1;
	when = BEGIN + 20; /* before the load's own data arrive */
	run(&kit, "pas:ready=2", waits, 1, 4);
	assert_int_equal(kit_counter(&kit, 0, "wake_ups"), 1);
	assert_int_equal(kit_counter(&kit, 0, "woken_ready") + kit_counter(&kit, 0, "pushed_out"), 0);
	kit_close(&kit);
}

/* Table III. */
static void test_defaults(void **state)
{
	struct attachments attachments = {0};
	struct diag diag = {0};
	char text[128];
	(void)state;
	assert_true(attachments_add(&attachments, "pas", &diag));
	attachments_print(&attachments.list[0], text, sizeof text);
	assert_string_equal(text, "pas:order=two_level,ready=8,leader=first,marker=life,pick=round_robin,wake_up=true");
	attachments_free(&attachments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_leading_first),
	                                   cmocka_unit_test(test_enter_first),
	                                   cmocka_unit_test(test_until_first_load),
	                                   cmocka_unit_test(test_spread),
	                                   cmocka_unit_test(test_pick),
	                                   cmocka_unit_test(test_wake_up),
	                                   cmocka_unit_test(test_who_is_pushed_out),
	                                   cmocka_unit_test(test_nothing_to_wake),
	                                   cmocka_unit_test(test_defaults)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
