/* Protects the hooks of shared memory. An access is reported once, with its bytes, when it gets the banks. A veto
 * blocks the load/store unit. The owner of the layout decides which banks an access uses.
 * A mechanism's write takes the banks for the cycles that its conflicts need, and holds an MSHR until then. */
#include "gate_kit.h"

enum { MOST = 16, OPENS = 900, BYTES = 24576, CONFLICTS = 192 };

/* The accesses, in the order in which they got the banks. */
static struct mech_shared seen[MOST];
static uint32_t count, asked;

static void keep(struct mech_sm *sm, const struct mech_shared *access)
{
	(void)sm;
	assert_in_range(count, 0, MOST - 1);
	seen[count++] = *access;
}

static void run_with(const struct mech *mech, const char *body, uint32_t threads)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	count = asked = 0;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, body);
	kit_run(&kit, 1, threads);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* %r1: tid. %r2: 4 times tid. %r3: 128 times tid. %p1: set in 20 lanes. */
#define ADDRESSES "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; shl.b32 %r3, %r1, 7; setp.lt.u32 %p1, %r1, 20;\n"

static const struct mech looker = {.version = MECH_VERSION, .name = "looker", .shared_access = keep};

static void test_looks(void **state)
{
	(void)state;
	run_with(&looker,
	         ADDRESSES "st.shared.u32 [%r2+64], %r1; @%p1 ld.shared.u32 %r4, [%r3]; bar.sync 0;\n"
	                   "ld.shared.v2.u32 {%r5, %r6}, [%r3+8]; exit;",
	         WARP);
	assert_int_equal(count, 3);
	assert_int_equal(seen[0].kind, MECH_STORE);
	assert_int_equal(seen[0].first, 64);
	assert_int_equal(seen[0].end, 64 + 128);
	assert_int_equal(seen[0].bank_cycles, 1);
	assert_int_equal(seen[0].lanes, UINT32_MAX);
	assert_int_equal(seen[1].kind, MECH_LOAD);
	assert_int_equal(seen[1].first, 0);
	assert_int_equal(seen[1].end, 19 * 128 + 4);
	assert_int_equal(seen[1].bank_cycles, 20);
	assert_int_equal(seen[1].lanes, 0xfffff);
	assert_true(seen[1].cycle > seen[0].cycle);
	assert_int_equal(seen[2].first, 8);
	assert_int_equal(seen[2].end, 31 * 128 + 16);
	assert_int_equal(seen[2].bank_cycles, 32);
	assert_int_equal(seen[2].pc, seen[1].pc + 2);
}

/* While a veto refuses it, the instruction blocks the load/store unit: nothing passes it. */
static uint64_t opens;

static bool not_before(struct mech_sm *sm, const struct mech_shared *access)
{
	(void)sm;
	asked++;
	return access->cycle >= opens;
}

static uint64_t first_access;

static void note_access(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	if (!first_access)
		first_access = access->cycle;
}

static const struct mech keeper = {.version = MECH_VERSION,
                                   .name = "keeper",
                                   .shared_access = keep,
                                   .may_access_shared = not_before,
                                   .access = note_access};

static void test_veto(void **state)
{
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	static const struct mech *const set[] = {&keeper, NULL};
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		count = asked = 0;
		first_access = 0;
		opens = OPENS;
		KIT_OPEN(&kit, "sm.count=1", sleeps[i]);
		kit.param = kit_buffer(&kit, NULL, WARP);
		kit_load(&kit, "mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1]; ld.global.u32 %r3, [%rd0]; exit;");
		kit_run(&kit, 1, 1);
		assert_int_equal(count, 1);
		assert_int_equal(seen[0].cycle, OPENS);
		assert_true(asked > OPENS / 2);
		assert_true(first_access > OPENS && first_access < OPENS + 20);
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

static void test_veto_for_ever(void **state)
{
	static const struct mech *const set[] = {&keeper, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	opens = UINT64_MAX;
	KIT_OPEN(&kit, "sm.count=1", "launch.watchdog=3000");
	kit_load(&kit, "mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1]; exit;");
	kit_start(&kit, 1, 1);
	assert_int_equal(kit.run.end, GPU_STALLED);
	if (!strstr(kit.run.message,
	            "load/store unit busy: mechanism keeper does not let it use the banks of shared memory"))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* --- layout --- */

static uint32_t turn(struct mech_sm *sm, uint32_t block, uint32_t byte)
{
	(void)sm;
	(void)block;
	return (byte / 128 + byte / 4) % 32 * 4; /* each row of banks begins one bank later */
}

static const struct mech turner = {.version = MECH_VERSION,
                                   .name = "turner",
                                   .policies = MECH_POLICY_SHARED_LAYOUT,
                                   .shared_place = turn,
                                   .shared_access = keep};

static void test_layout(void **state)
{
	static const char columns[] = ADDRESSES "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r2]; exit;";
	(void)state;
	run_with(&looker, columns, WARP);
	assert_int_equal(seen[0].bank_cycles, 32);
	assert_int_equal(seen[1].bank_cycles, 1);
	run_with(&turner, columns, WARP);
	assert_int_equal(seen[0].bank_cycles, 1);
	assert_int_equal(seen[1].bank_cycles, 1);
}

static uint32_t beyond(struct mech_sm *sm, uint32_t block, uint32_t byte)
{
	(void)block;
	return sm->machine->shared_bytes - (byte < 8);
}

static void test_layout_beyond(void **state)
{
	static const struct mech outsider = {.version = MECH_VERSION,
	                                     .name = "outsider",
	                                     .policies = MECH_POLICY_SHARED_LAYOUT,
	                                     .shared_place = beyond};
	static const struct mech *const set[] = {&outsider, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, "mov.u32 %r1, 4; ld.shared.u32 %r2, [%r1]; exit;");
	kit_run(&kit, 1, 1);
	kit_load(&kit, "mov.u32 %r1, 8; ld.shared.u32 %r2, [%r1]; exit;");
	kit_start(&kit, 1, 1);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	if (!strstr(kit.run.message, "places byte 8 of block slot 0 at 49152; shared memory has 49152 bytes"))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* --- requests that fill it --- */

static struct mech_request to_send[MOST];
static struct mech_reply reply[MOST];
static uint32_t sends, accepted, replies;

static bool at_event; /* sends at a pmevent, not at the block's begin */

static void send_all(struct mech_sm *sm, uint32_t block)
{
	for (uint32_t i = 0; i < sends; i++) {
		struct mech_request request = to_send[i];
		request.block = block;
		request.pc = MECH_NO_PC;
		accepted += mech_send(sm, &request);
	}
}

static void at_begin(struct mech_sm *sm, const struct mech_block *block)
{
	if (!at_event)
		send_all(sm, block->slot);
}

static void at_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (at_event && strcmp(issue->name, "pmevent") == 0)
		send_all(sm, issue->block);
}

static void keep_reply(struct mech_sm *sm, const struct mech_reply *answer)
{
	(void)sm;
	assert_in_range(replies, 0, MOST - 1);
	reply[replies++] = *answer;
}

static const struct mech filler = {.version = MECH_VERSION,
                                   .name = "filler",
                                   .sends = true,
                                   .block_begin = at_begin,
                                   .issue = at_issue,
                                   .on_reply = keep_reply,
                                   .shared_access = keep};

static struct mech_requests fill(const char *body, const char *mshrs)
{
	static const struct mech *const set[] = {&filler, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	count = replies = 0;
	KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16", mshrs);
	uint64_t base = kit_buffer(&kit, NULL, 4096);
	for (uint32_t i = 0; i < sends; i++)
		to_send[i].address += base;
	kit_load(&kit, body);
	accepted = 0;
	kit_run(&kit, 1, WARP);
	assert_int_equal(accepted, sends);
	for (uint32_t i = 0; i < sends; i++)
		to_send[i].address -= base;
	struct mech_requests requests = kit_requests(&kit, 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
	return requests;
}

/* The kernel lasts longer than any request. */
static const char waits[] = "mov.u32 %r1, 1; mov.u32 %r2, 0;\n"
			    "again: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra again; exit;";

static uint64_t answer_to(struct mech_request request)
{
	to_send[0] = request;
	sends = 1;
	fill(waits, "l1d.mshrs=32");
	assert_int_equal(replies, 1);
	assert_false(reply[0].filtered || reply[0].outside);
	return reply[0].cycle;
}

/* Adjacent words take the banks for one cycle; N words of one bank take them for N. */
static void test_bank_cycles(void **state)
{
	uint32_t column[CONFLICTS];
	(void)state;
	for (uint32_t i = 0; i < CONFLICTS; i++)
		column[i] = 32 * i;
	uint64_t dropped = answer_to((struct mech_request){.bytes = 128, .to = MECH_TO_NOTHING});
	struct mech_request request = {.bytes = 128, .to = MECH_TO_SHARED};
	assert_int_equal(answer_to(request), dropped);
	request.shared = BYTES - 128;
	assert_int_equal(answer_to(request), dropped);
	request.word = column;
	request.words = 32;
	assert_int_equal(answer_to(request), dropped + 31);
	request.words = CONFLICTS;
	assert_int_equal(answer_to(request), dropped + CONFLICTS - 1);
	request.no_mshr = true;
	assert_int_equal(answer_to(request), dropped + CONFLICTS - 1);
}

/* A mechanism's write takes the memory from the load/store unit, from the cycle after its acceptance. */
static void test_takes_the_port(void **state)
{
	static const char body[] = "mov.u32 %r1, 0; pmevent 1; ld.shared.u32 %r2, [%r1]; exit;";
	uint32_t column[CONFLICTS];
	(void)state;
	for (uint32_t i = 0; i < CONFLICTS; i++)
		column[i] = 32 * i;
	to_send[0] = (struct mech_request){.to = MECH_WRITE_SHARED, .word = column, .words = CONFLICTS};
	sends = 1;
	at_event = true;
	fill(body, "l1d.mshrs=32");
	assert_int_equal(replies, 1);
	assert_int_equal(reply[0].cycle, reply[0].sent + CONFLICTS);
	assert_int_equal(seen[0].cycle, reply[0].cycle + 1);
	to_send[0].words = 1;
	fill(body, "l1d.mshrs=32");
	assert_true(seen[0].cycle > reply[0].cycle && seen[0].cycle < reply[0].cycle + CONFLICTS / 2);
	at_event = false;
}

/* Only one write has the banks at a time. */
static void test_one_after_the_other(void **state)
{
	uint32_t column[CONFLICTS];
	(void)state;
	for (uint32_t i = 0; i < CONFLICTS; i++)
		column[i] = 32 * i;
	to_send[0] = to_send[1] = (struct mech_request){.to = MECH_WRITE_SHARED, .word = column, .words = CONFLICTS};
	sends = 2;
	fill(waits, "l1d.mshrs=32");
	assert_int_equal(replies, 2);
	assert_true(reply[1].sent > reply[0].cycle);
	assert_int_equal(reply[1].cycle, reply[1].sent + CONFLICTS);
	to_send[1] =
		(struct mech_request){.bytes = 128, .to = MECH_TO_SHARED}; /* it arrives after the write, or waits */
	fill(waits, "l1d.mshrs=32");
	assert_true(reply[1].cycle > reply[0].cycle);
}

/* The MSHR that it held is free for a load that waits for one. */
static uint64_t load_cycle;

static void note_load(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	load_cycle = access->cycle;
}

static void test_frees_the_mshr(void **state)
{
	struct mech with_access = filler;
	const struct mech *const set[] = {&with_access, NULL};
	struct gpu_kit kit;
	(void)state;
	with_access.access = note_load;
	kit_mechanisms = set;
	replies = 0;
	sends = 1;
	at_event = true;
	KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16", "l1d.mshrs=1", "sm.global_skips_l1=false");
	kit.param = kit_buffer(&kit, NULL, 4096);
	to_send[0] = (struct mech_request){.address = kit.param + 4096, .bytes = 128, .to = MECH_TO_SHARED};
	kit_load(&kit, "mov.u64 %rd1, %rd0; pmevent 1; ld.global.u32 %r1, [%rd1]; exit;");
	kit_run(&kit, 1, 1);
	assert_int_equal(replies, 1);
	assert_in_range(load_cycle, reply[0].cycle, reply[0].cycle + 1);
	at_event = false;
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* A request under way holds an MSHR, which others then lack. Requests with `no_mshr` need none. */
static void test_mshr(void **state)
{
	(void)state;
	sends = 2;
	for (uint32_t own = 0; own < 2; own++) {
		to_send[0] = (struct mech_request){.bytes = 128, .to = MECH_TO_SHARED};
		to_send[1] = (struct mech_request){.address = 128, .bytes = 128, .to = MECH_TO_SHARED, .no_mshr = own};
		fill(waits, "l1d.mshrs=1");
		assert_int_equal(replies, 2);
		if (own)
			assert_int_equal(reply[1].sent, reply[0].sent + 1);
		else
			assert_int_equal(reply[1].sent, reply[0].cycle);
	}
	to_send[1].to = MECH_TO_L1;
	to_send[1].no_mshr = false;
	fill(waits, "l1d.mshrs=1");
	assert_int_equal(reply[1].sent, reply[0].cycle);
}

/* Each of five requests has its own outcome: read; never read; overwritten by a store; read before its arrival; outside
 * memory. */
static void test_account(void **state)
{
	(void)state;
	sends = 5;
	for (uint32_t i = 0; i < 3; i++)
		to_send[i] = (struct mech_request){.to = MECH_WRITE_SHARED, .bytes = 4, .shared = 4 * i};
	to_send[3] = (struct mech_request){.address = 256, .bytes = 128, .to = MECH_TO_SHARED, .shared = 1024};
	to_send[4] = (struct mech_request){.address = 1ull << 39, .bytes = 128, .to = MECH_TO_SHARED, .shared = 2048};
	at_event = true;
	struct mech_requests r =
		fill("mov.u32 %r1, 0; mov.u32 %r2, 0; pmevent 1;\n"
	             "again: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5; @%p1 bra again;\n"
	             "ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r2, [%r1]; st.shared.u32 [%r1+8], %r1;\n"
	             "ld.shared.u32 %r3, [%r1+1028]; ld.shared.u32 %r3, [%r1+1028]; exit;",
	             "l1d.mshrs=32");
	at_event = false;
	assert_int_equal(r.asked, 5);
	assert_int_equal(r.outside, 1);
	assert_int_equal(r.issued, 4);
	assert_int_equal(r.useful, 1);
	assert_int_equal(r.redundant, 1);
	assert_int_equal(r.early_evicted, 1);
	assert_int_equal(r.late, 1);
}

/* An atomic counts as a read. Data that arrive when another block has the slot belong to no block. */
static void test_whose(void **state)
{
	static const struct mech *const set[] = {&filler, NULL};
	struct gpu_kit kit;
	(void)state;
	at_event = true;
	sends = 1;
	to_send[0] = (struct mech_request){.to = MECH_WRITE_SHARED, .bytes = 4};
	struct mech_requests r = fill("mov.u32 %r1, 0; mov.u32 %r2, 0; pmevent 1;\n"
	                              "again: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5; @%p1 bra again;\n"
	                              "atom.shared.add.u32 %r3, [%r1], 1; exit;",
	                              "l1d.mshrs=32");
	assert_int_equal(r.useful, 1);
	kit_mechanisms = set;
	count = replies = 0;
	KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16", "launch.max_block_threads=1024", "sm.blocks=1");
	kit.param = kit_buffer(&kit, NULL, 4096);
	to_send[0] = (struct mech_request){.address = kit.param, .bytes = 128, .to = MECH_TO_SHARED};
	kit_load(&kit, "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @!%p1 bra reads; pmevent 1; exit;\n"
	               "reads: mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1]; exit;");
	kit_run(&kit, 12, 1);
	r = kit_requests(&kit, 0);
	assert_int_equal(r.issued, 1);
	assert_int_equal(r.redundant, 1);
	at_event = false;
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Only an SM's own hooks can send requests to shared memory. */
static uint64_t send_from_gpu(struct mech_gpu *gpu, uint64_t cycle)
{
	const struct mech_request request = {.to = MECH_WRITE_SHARED, .bytes = 4, .pc = MECH_NO_PC};
	(void)cycle;
	mech_send_to(gpu, 0, &request);
	return MECH_NEVER;
}

static void test_from_gpu(void **state)
{
	static const struct mech dispatcher = {
		.version = MECH_VERSION, .name = "dispatcher", .sends = true, .gpu_cycle = send_from_gpu};
	static const struct mech *const set[] = {&dispatcher, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16");
	kit_load(&kit, waits);
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	assert_non_null(
		strstr(kit.run.message, "mech_send_to() to shared memory, which only the SM itself can request"));
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* A block that has ended uses nothing. When two requests fill the same words, the words belong to the later one. */
static void test_ends(void **state)
{
	(void)state;
	sends = 1;
	to_send[0] = (struct mech_request){.address = 256, .bytes = 128, .to = MECH_TO_SHARED};
	struct mech_requests r = fill("exit;", "l1d.mshrs=32");
	assert_int_equal(r.asked, r.issued + r.dropped);
	assert_int_equal(r.redundant, r.issued);
	sends = 2;
	to_send[1] = to_send[0];
	r = fill(waits, "l1d.mshrs=32");
	assert_int_equal(r.early_evicted, 1);
	assert_int_equal(r.redundant, 1);
}

static void test_mistakes(void **state)
{
	static const uint32_t beyond[] = {BYTES / 4};
	static const struct {
		struct mech_request request;
		const char *says;
	} row[] = {
		{{.bytes = 128, .to = MECH_TO_SHARED, .shared = BYTES - 127},
	         "128 bytes at 24449 of shared memory; a block has 24576"},
		{{.bytes = 0, .to = MECH_WRITE_SHARED}, "0 bytes at 0 of shared memory"},
		{{.bytes = 4, .to = MECH_TO_SHARED, .word = beyond, .words = 1},
	         "word 6144 of shared memory; a block has 6144"},
		{{.bytes = 4, .to = MECH_WRITE_SHARED, .word = beyond, .words = 257},
	         "257 words of shared memory; expected up to 256"},
		{{.bytes = 2000, .to = MECH_WRITE_SHARED}, "500 words of shared memory"},
		{{.address = 8, .bytes = 4, .to = MECH_TO_SHARED}, "expected a multiple of 32"},
		{{.bytes = 129, .to = MECH_TO_SHARED}, "129 bytes at"},
	};
	static const struct mech *const set[] = {&filler, NULL};
	(void)state;
	sends = 1;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		to_send[0] = row[i].request;
		replies = 0;
		KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=16");
		kit_load(&kit, waits);
		kit_start(&kit, 1, WARP);
		if (kit.run.end != GPU_MISTAKE || !strstr(kit.run.message, row[i].says))
			fail_msg("row %zu: %s", i, kit.run.message);
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),          cmocka_unit_test(test_veto),
		cmocka_unit_test(test_veto_for_ever),  cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_beyond),  cmocka_unit_test(test_bank_cycles),
		cmocka_unit_test(test_takes_the_port), cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_mshr),           cmocka_unit_test(test_frees_the_mshr),
		cmocka_unit_test(test_account),        cmocka_unit_test(test_whose),
		cmocka_unit_test(test_from_gpu),       cmocka_unit_test(test_ends),
		cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
