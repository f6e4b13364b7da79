/* Protects the order of mechanisms' requests. The number of waiting requests can be read, and one is served per cycle.
 * A request with `before_demand` is served before instructions. A request that L1 has no space for is retried or
 * dropped. A fill names the warp to which its request is bound. */
#include "gpu_kit.h"

enum { MOST = 8 };

static struct mech_request wanted;
static uint32_t sends;         /* in cycle `when` */
static uint64_t when;          /* 0: never */
static uint32_t waiting[MOST]; /* from that cycle on, after the sends */
static uint64_t sent[MOST], load_cycle;
static uint32_t replies;
static uint32_t filled_for[MOST], fills;
static struct mech_requests account;

static uint64_t every_cycle(struct mech_sm *sm, uint64_t cycle)
{
	for (uint32_t i = 0; i < sends && cycle == when; i++)
		assert_true(mech_send(sm, &wanted));
	if (when && cycle >= when && cycle < when + MOST)
		waiting[cycle - when] = mech_waiting_to_send(sm);
	return cycle + 1;
}

static void note_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	(void)sm;
	assert_in_range(replies, 0, MOST - 1);
	sent[replies++] = reply->sent;
}

static void note_load(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	load_cycle = access->cycle;
}

static void note_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	(void)sm;
	assert_in_range(fills, 0, MOST - 1);
	assert_int_equal(fill->sender, fill->demanded ? MECH_NOBODY : 0);
	filled_for[fills++] = fill->warp;
}

static const struct mech sender = {.version = MECH_VERSION,
                                   .name = "sender",
                                   .sends = true,
                                   .cycle = every_cycle,
                                   .on_reply = note_reply,
                                   .access = note_load,
                                   .fill = note_fill};

/* One thread loads a word; the request is for a later line. */
static void run(void)
{
	static const struct mech *const set[] = {&sender, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	replies = fills = 0;
	KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16", "l1d.mshrs=1", "sm.global_skips_l1=false");
	kit.param = kit_buffer(&kit, NULL, 4096);
	wanted.address = kit.param + 2048;
	wanted.bytes = 128;
	kit_load(&kit, "mov.u64 %rd1, %rd0; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; exit;");
	kit_run(&kit, 1, 1);
	account = kit_requests(&kit, 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* The load and the request contend for the only MSHR in one cycle. The load gets it, unless the request has
 * `before_demand`. */
static void test_before_demand(void **state)
{
	(void)state;
	wanted.to = MECH_TO_SHARED;
	sends = 1;
	when = 0;
	run();
	uint64_t undisturbed = load_cycle;
	when = undisturbed - 1;
	run();
	assert_int_equal(load_cycle, undisturbed);
	assert_true(sent[0] > undisturbed);
	wanted.before_demand = true;
	run();
	assert_int_equal(sent[0], undisturbed);
	assert_true(load_cycle > undisturbed);
	wanted.before_demand = false;
}

/* Three requests in one cycle leave one by one. */
static void test_waiting(void **state)
{
	(void)state;
	wanted.to = MECH_TO_NOTHING;
	sends = 3;
	when = 5;
	run();
	assert_int_equal(replies, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(waiting[i], 3 - i);
		assert_int_equal(sent[i], when + 1 + i);
	}
	assert_int_equal(waiting[3], 0);
}

/* The load holds the only MSHR when the request is served. */
static void test_no_room(void **state)
{
	(void)state;
	wanted.to = MECH_TO_L1;
	sends = 1;
	when = 0;
	run();
	uint64_t undisturbed = load_cycle;
	when = undisturbed;
	run();
	assert_int_equal(load_cycle, undisturbed);
	assert_int_equal(replies, 1);
	assert_true(sent[0] > when + 1);
	assert_int_equal(account.retries, sent[0] - (when + 1));
	assert_int_equal(account.refused, 0);
	assert_int_equal(account.issued, 1);

	wanted.once = true;
	run();
	assert_int_equal(replies, 0);
	assert_int_equal(account.refused, 1);
	assert_int_equal(account.retries, 0);
	assert_int_equal(account.issued, 0);
	wanted.once = false;
}

static void test_bound_warp(void **state)
{
	(void)state;
	const uint32_t the_load = 0;
	wanted.to = MECH_TO_L1;
	wanted.warp = 5;
	sends = 1;
	when = 5;
	for (int bound = 0; bound < 2; bound++) {
		wanted.bound = bound;
		run();
		assert_int_equal(fills, 2);
		assert_int_equal(filled_for[0], bound ? 5 : MECH_NOBODY);
		assert_int_equal(filled_for[1], the_load);
	}
	wanted.bound = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_before_demand), cmocka_unit_test(test_waiting),
	                                   cmocka_unit_test(test_no_room), cmocka_unit_test(test_bound_warp)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
