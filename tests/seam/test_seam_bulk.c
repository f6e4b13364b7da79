/* Protects the hooks of a mechanism that times bulk copies. The mechanism sees each lane's copy, and mbarriers count
 * only the bytes that it completes. Its writes to global memory are store packets with acknowledgements. */
#include "gpu_kit.h"

#include "seam/mech_bulk.h"

enum { BARRIER = 0, PLACE = 1024, BYTES = 256, WARP = 32 };

static struct {
	uint64_t delay, issued, behind, replied;
	uint32_t replies, stores, bytes;
	struct bulk_copy copy;
	bool done, writes;
} seen;

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	assert_int_equal(own, 0);
	assert_true(mech_bulk_copy(sm, issue, 3, &seen.copy));
	seen.issued = issue->cycle;
	seen.done = false;
	struct mech_request store = {
		.address = seen.copy.global, .bytes = 48, .to = MECH_WRITE_GLOBAL, .pc = MECH_NO_PC};
	assert_true(!seen.writes || mech_send(sm, &store));
	return 0;
}

static uint64_t cycle(struct mech_sm *sm, uint64_t now)
{
	if (seen.done || !seen.issued)
		return MECH_NEVER;
	if (now < seen.issued + seen.delay)
		return seen.issued + seen.delay;
	mech_complete_bytes(sm, 0, BARRIER, 0, seen.copy.bytes);
	seen.done = true;
	return MECH_NEVER;
}

static void look(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (strcmp(issue->name, "pmevent") == 0)
		seen.behind = issue->cycle;
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	(void)sm;
	seen.replies++;
	seen.replied = reply->cycle;
}

static void packet_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	(void)sm;
	if (packet->kind != MECH_PACKET_STORE)
		return;
	seen.stores++;
	seen.bytes += packet->bytes;
}

static const char *const opcodes[] = {"cp.async.bulk", "cp.async.bulk.tensor"};
static const struct mech engine = {.version = MECH_VERSION,
                                   .name = "engine",
                                   .opcodes = opcodes,
                                   .opcode_count = 2,
                                   .sends = true,
                                   .run_opcode = run_opcode,
                                   .cycle = cycle,
                                   .issue = look,
                                   .packet_out = packet_out,
                                   .on_reply = on_reply};

#define COPY                                                                                                           \
	"mov.u32 %r1, %tid.x; mov.u32 %r9, 0; mov.u32 %r8, 1024; setp.eq.u32 %p1, %r1, 3;\n"                           \
	"@%p1 mbarrier.init.shared.b64 [%r9], 1; @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r9], 256;\n"        \
	"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd0+64], 256, [%r9];\n"
#define WAIT "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0; @!%p2 bra wait;\n"

/* Runs the kernel in two ways: the warp polls the barrier, or is held while it waits. */
static void run_waiting(const struct mech *mech, const char *body, bool holds)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	kit_mechanisms = mech ? set : NULL;
	KIT_OPEN(&kit, "sm.count=1", holds ? "sm.try_wait_cycles=100000" : "sm.try_wait_cycles=0");
	kit.param = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, body);
	kit_run(&kit, 1, WARP);
	if (mech)
		kit_requests(&kit, 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

static void run(const struct mech *mech, const char *body)
{
	run_waiting(mech, body, false);
}

/* The loop ends after the mechanism has completed the bytes, and not before. One iteration takes less than these
 * cycles. */
static void test_complete(void **state)
{
	enum { TURN = 120 };
	(void)state;
	for (uint64_t delay = 300; delay < 352; delay += 13) {
		memset(&seen, 0, sizeof seen);
		seen.delay = delay;
		run_waiting(&engine, COPY WAIT "pmevent 1; exit;", delay % 2);
		assert_true(seen.behind > seen.issued + delay);
		assert_true(seen.behind < seen.issued + delay + TURN);
		assert_int_equal(seen.copy.kind, BULK_TO_SHARED);
		assert_int_equal(seen.copy.shared, PLACE);
		assert_int_equal(seen.copy.barrier, BARRIER);
		assert_int_equal(seen.copy.bytes, BYTES);
		assert_int_equal(seen.copy.rank, 0);
	}
	run(NULL, COPY WAIT "exit;"); /* ends, though no mechanism completes the bytes */
}

static void test_store(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof seen);
	seen.writes = true;
	seen.delay = 2000;
	run(&engine, COPY WAIT "exit;");
	assert_int_equal(seen.stores, 1);
	assert_int_equal(seen.bytes, 48 + 8); /* with the header */
	assert_int_equal(seen.replies, 1);
	assert_true(seen.replied > seen.issued + 20); /* it has made the round trip to L2 */
}

static uint32_t complete_outside(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	mech_complete_bytes(sm, own ? sm->machine->blocks : issue->block, 24576, 0, 0);
	return 0;
}

static void test_mistakes(void **state)
{
	(void)state;
	struct mech wrong = engine;
	wrong.run_opcode = complete_outside;
	const struct mech *const set[] = {&wrong, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, COPY "exit;");
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	if (!strstr(kit.run.message, "an mbarrier at 24576 of shared memory; a block has 24576"))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete), cmocka_unit_test(test_store),
	                                   cmocka_unit_test(test_mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
