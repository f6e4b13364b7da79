/* Protects requests to L2: each outcome that one can have, and its cost in the networks, in DRAM and in L2. The sender
 * hears when the line has arrived, or that L2 had it. */
#include "gpu_kit.h"

enum { WARP = 32, LINE = 128, TAG = 9 };

/* When a load reaches the load/store unit, requests the line that lies `ahead` bytes after the kernel's parameter. */
struct config {
	uint32_t ahead;
	uint32_t behind; /* loads that come before that one */
	bool from_gpu;   /* the dispatcher sends the request when the kernel begins */
};

static struct config defaults;
static const char *const usual[2], *const ideal[2] = {"sm.zero_latency_memory=true"};
static uint64_t param; /* of the kernel */

struct heard {
	uint32_t seen; /* memory instructions */
	uint32_t replies, outcomes;
	uint32_t packets; /* of these requests, and their replies */
	struct mech_reply reply;
	struct mech_outcome outcome;
};

static struct mech_request request_for(const struct config *config, uint32_t pc)
{
	return (struct mech_request){
		.address = param + config->ahead, .bytes = MECH_SECTOR, .to = MECH_TO_L2, .pc = pc, .tag = TAG};
}

static void ask(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct config *config = sm->config;
	struct heard *heard = sm->state;
	if (config->from_gpu || heard->seen++ != config->behind)
		return;
	const struct mech_request request = request_for(config, memory->pc);
	assert_true(mech_send(sm, &request));
}

static void ask_from_gpu(struct mech_gpu *gpu)
{
	const struct config *config = gpu->config;
	const struct mech_request request = request_for(config, MECH_NO_PC);
	if (config->from_gpu)
		assert_true(mech_send_to(gpu, 0, &request));
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct heard *heard = sm->state;
	heard->replies++;
	heard->reply = *reply;
}

static void on_outcome(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	struct heard *heard = sm->state;
	heard->outcomes++;
	heard->outcome = *outcome;
}

static void partition_outcome(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	struct heard *heard = partition->state;
	heard->outcomes++;
	heard->outcome = *outcome;
}

static void see_packet(struct mech_partition *partition, const struct mech_packet *packet)
{
	struct heard *heard = partition->state;
	heard->packets += packet->kind == MECH_PACKET_L2_PREFETCH && packet->sender == partition->number;
}

static const struct mech asker = {
	.version = MECH_VERSION,
	.name = "asker",
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.sm_size = sizeof(struct heard),
	.partition_size = sizeof(struct heard),
	.sends = true,
	.gpu_kernel_begin = ask_from_gpu,
	.memory = ask,
	.on_reply = on_reply,
	.on_outcome = on_outcome,
	.partition_outcome = partition_outcome,
	.partition_packet_in = see_packet,
	.partition_packet_out = see_packet,
};

#define FIRST  "ld.global.u32 %r1, [%rd0];\n"
#define LONG   "div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3;\n"
#define WAIT   LONG LONG LONG LONG "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, %rd1;\n"
#define DEMAND "ld.global.u32 %r3, [%rd0+256];\n"
#define STORE  "st.global.u32 [%rd0+256], %r1;\n"
#define OTHERS                                                                                                         \
	"mov.u32 %r5, %tid.x; mul.wide.u32 %rd5, %r5, 256; add.u64 %rd5, %rd5, %rd0;\n"                                \
	"ld.global.u32 %r1, [%rd5+1024];\n"
#define USE "add.u32 %r3, %r3, 1; exit;"

struct outcome {
	uint64_t cycles;
	struct gpu_stats stats;
	struct mech_requests requests;
	uint32_t packets;
	struct heard sm, l2; /* what the SM's hooks heard; what the hook of the slice heard */
};

static void collect(const struct gpu_kit *kit, struct outcome *outcome)
{
	const struct seam *seam = kit->gpu->seam;
	outcome->sm = *(const struct heard *)seam->sm->part[0].state;
	outcome->l2 = (struct heard){0};
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		const struct heard *heard = seam->partition[s].part[0].state;
		assert_true(!heard->outcomes || !outcome->l2.outcomes);
		outcome->packets += heard->packets;
		outcome->l2 = heard->outcomes ? *heard : outcome->l2;
	}
	outcome->requests = kit_requests(kit, 0);
}

/* Runs the kernel's body with one warp. Without `asks` the mechanism is absent. */
static struct outcome run(bool asks, const char *body, const char *const option[2])
{
	static const struct mech *const sets[][2] = {{NULL}, {&asker, NULL}};
	struct gpu_kit kit;
	struct outcome outcome = {0};
	kit_mechanisms = sets[asks];
	KIT_OPEN(&kit, "sm.count=1", "l1i.sets=64", option[0], option[1]);
	param = kit.param = kit_buffer(&kit, NULL, 65536 / 8);
	kit_load(&kit, body);
	outcome.cycles = kit_run(&kit, 1, WARP);
	outcome.stats = kit.run.stats;
	if (asks)
		collect(&kit, &outcome);
	kit_close(&kit);
	kit_mechanisms = NULL;
	return outcome;
}

static const struct row {
	const char *body;
	uint32_t ahead;
	struct mech_requests account;
	const char *option[2];
} rows[] = {
	{FIRST WAIT DEMAND USE, 256, {.asked = 1, .issued = 1, .useful = 1}, {NULL}},
	{FIRST DEMAND USE, 256, {.asked = 1, .issued = 1, .late = 1}, {NULL}},
	{FIRST WAIT "exit;", 256, {.asked = 1, .issued = 1, .redundant = 1}, {NULL}},
	/* a store evicts nothing: L2 writes back */
	{FIRST WAIT STORE WAIT DEMAND USE, 256, {.asked = 1, .issued = 1, .useful = 1}, {NULL}},
	{FIRST WAIT STORE "exit;", 256, {.asked = 1, .issued = 1, .redundant = 1}, {NULL}},
	/* the first load's line: L2 has it, or waits for it */
	{FIRST WAIT DEMAND "exit;", 0, {.asked = 1, .issued = 1, .redundant = 1}, {NULL}},
	{FIRST DEMAND "exit;", 0, {.asked = 1, .issued = 1, .redundant = 1}, {"sm.l1_latency=0"}},
	/* L2 has one line per slice; other loads reach each slice */
	{FIRST WAIT OTHERS WAIT DEMAND USE,
         256,
         {.asked = 1, .issued = 1, .early_evicted = 1},
         {"l2.sets=1", "l2.ways=1"}},
};

static bool is_found(const struct row *row)
{
	return row->ahead == 0;
}

static void expect_told(const struct outcome *outcome, const struct row *row)
{
	const struct heard *told = is_found(row) ? &outcome->sm : &outcome->l2;
	const struct mech_reply *reply = &outcome->sm.reply;
	assert_int_equal(outcome->packets, 2);
	assert_int_equal(outcome->sm.replies, 1);
	assert_int_equal(reply->filtered, is_found(row));
	assert_int_equal(reply->request.tag, TAG);
	assert_int_equal(outcome->sm.outcomes, is_found(row));
	assert_int_equal(outcome->l2.outcomes, !is_found(row));
	assert_int_equal(told->outcome.tag, TAG);
	assert_int_equal(told->outcome.address, param + row->ahead);
	assert_int_equal(told->outcome.sent, reply->sent);
	assert_true(told->outcome.came < reply->cycle); /* the header still travels */
	assert_int_equal(told->outcome.came > reply->sent, !is_found(row) && !row->account.late);
	assert_int_equal(told->outcome.outcome, row->account.useful          ? MECH_USEFUL
	                                        : row->account.late          ? MECH_LATE
	                                        : row->account.early_evicted ? MECH_EARLY_EVICTED
	                                                                     : MECH_REDUNDANT);
}

static void test_ends(void **state)
{
	static const char *const machines[] = {"gtx480", "gtx480-v4"};
	(void)state;
	for (size_t m = 0; m < 2; m++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const struct row *row = &rows[i];
			print_message("%s, row %zu\n", machines[m], i);
			defaults = (struct config){.ahead = row->ahead, .behind = is_found(row)};
			kit_machine = machines[m];
			const struct outcome outcome = run(true, row->body, row->option);
			kit_machine = "gtx480";
			assert_memory_equal(&outcome.requests, &row->account, sizeof outcome.requests);
			assert_int_equal(outcome.stats.l2.prefetches, !is_found(row));
			expect_told(&outcome, row);
		}
}

/* The cost of a request that no load uses: a header in each direction and one line from DRAM, but no access of L1 or
 * L2. */
static void test_costs(void **state)
{
	static const char body[] = FIRST WAIT WAIT "exit;";
	(void)state;
	defaults = (struct config){.ahead = 256};
	const struct outcome without = run(false, body, usual), with = run(true, body, usual);
	assert_int_equal(with.stats.request_network.packets, without.stats.request_network.packets + 1);
	assert_int_equal(with.stats.request_network.flits, without.stats.request_network.flits + 1);
	assert_int_equal(with.stats.reply_network.packets, without.stats.reply_network.packets + 1);
	assert_int_equal(with.stats.reply_network.flits, without.stats.reply_network.flits + 1);
	assert_int_equal(with.stats.dram.requests, without.stats.dram.requests + 1);
	assert_int_equal(with.stats.l2.accesses, without.stats.l2.accesses);
	assert_int_equal(with.stats.l2.fills, without.stats.l2.fills + 1);
	assert_int_equal(with.stats.l1d.fills, without.stats.l1d.fills);
	assert_int_equal(with.cycles, without.cycles);
}

/* A later load hits L2 and saves the DRAM latency. */
static void test_saves_dram(void **state)
{
	static const char body[] = FIRST WAIT DEMAND USE;
	(void)state;
	defaults = (struct config){.ahead = 256};
	const struct outcome without = run(false, body, usual), with = run(true, body, usual);
	assert_int_equal(with.stats.l2.hits, without.stats.l2.hits + 1);
	assert_int_equal(with.stats.dram.requests, without.stats.dram.requests);
	assert_true(with.cycles + 100 < without.cycles);
}

/* The dispatcher requests the line when the kernel begins. The line arrives before the first load, which hits L2. */
static void test_from_dispatcher(void **state)
{
	static const char body[] = "mov.u32 %r1, 1;\n" WAIT DEMAND USE;
	(void)state;
	defaults = (struct config){.ahead = 256, .from_gpu = true};
	const struct outcome outcome = run(true, body, usual);
	const struct mech_requests useful = {.asked = 1, .issued = 1, .useful = 1};
	assert_memory_equal(&outcome.requests, &useful, sizeof useful);
	assert_int_equal(outcome.sm.replies, 1);
	assert_false(outcome.sm.reply.filtered);
}

/* Without memory latency the machine has no L2: every request is redundant. */
static void test_zero_latency(void **state)
{
	(void)state;
	defaults = (struct config){.ahead = 256};
	const struct outcome outcome = run(true, FIRST WAIT DEMAND USE, ideal);
	const struct mech_requests redundant = {.asked = 1, .issued = 1, .redundant = 1};
	assert_memory_equal(&outcome.requests, &redundant, sizeof redundant);
	assert_true(outcome.sm.reply.filtered);
}

/* The message about a mistake in partition_outcome names that hook. */
static void count_in_none(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	(void)outcome;
	mech_count(partition->output, 0, 0, 1);
}

static const struct mech mistaken = {.version = MECH_VERSION,
                                     .name = "mistaken",
                                     .config_size = sizeof(struct config),
                                     .defaults = &defaults,
                                     .sm_size = sizeof(struct heard),
                                     .sends = true,
                                     .memory = ask,
                                     .partition_outcome = count_in_none};

static void test_mistake(void **state)
{
	static const struct mech *const set[] = {&mistaken, NULL};
	struct gpu_kit kit;
	(void)state;
	defaults = (struct config){.ahead = 256};
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	param = kit.param = kit_buffer(&kit, NULL, 65536 / 8);
	kit_load(&kit, FIRST WAIT DEMAND USE);
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	assert_non_null(strstr(kit.run.message, "mechanism mistaken, hook partition_outcome"));
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),         cmocka_unit_test(test_costs),
		cmocka_unit_test(test_saves_dram),   cmocka_unit_test(test_from_dispatcher),
		cmocka_unit_test(test_zero_latency), cmocka_unit_test(test_mistake),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
