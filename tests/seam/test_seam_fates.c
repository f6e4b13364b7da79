/* Protects the reports of request outcomes to the sender: one report for each request, with the sender's tag and the
 * cycles of the sending, the data and the end.
 * Protects also the account's two histograms and their sums by load, which count the same cycles. */
#include "gpu_kit.h"

enum { WARP = 32, LINE = 128, AHEAD = 256, TAG = 77 };

/* When the first load reaches the load/store unit, requests the line AHEAD of it. */
struct config {
	uint32_t to;
};

/* Everything that the hooks report. */
struct heard {
	bool asked;
	uint64_t line, demand; /* the requested line; the cycle of its first demand access */
	uint32_t outcomes, replies;
	uint32_t replies_before; /* before the outcome */
	uint32_t pc;
	bool is_over; /* in kernel_end */
	struct mech_outcome outcome;
	struct mech_reply reply;
};

static void ask(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct config *config = sm->config;
	struct heard *heard = sm->state;
	uint64_t address = memory->transaction[0].address;
	if (heard->asked && address == heard->line && !heard->demand)
		heard->demand = memory->cycle;
	if (heard->asked || memory->kind != MECH_LOAD)
		return;
	heard->asked = true;
	heard->line = address + AHEAD;
	heard->pc = memory->pc;
	const struct mech_request request = {.address = heard->line,
	                                     .bytes = LINE,
	                                     .to = config->to,
	                                     .pc = memory->pc,
	                                     .block = memory->block,
	                                     .tag = TAG};
	assert_true(mech_send(sm, &request));
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
	assert_false(heard->is_over);
	heard->outcomes++;
	heard->replies_before = heard->replies;
	heard->outcome = *outcome;
}

static void end(struct mech_sm *sm)
{
	((struct heard *)sm->state)->is_over = true;
}

static struct config defaults;

static struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1, .merges = 4};
}

#define TOLD                                                                                                           \
	.version = MECH_VERSION, .name = "told", .config_size = sizeof(struct config), .defaults = &defaults,          \
	.sm_size = sizeof(struct heard), .sends = true, .memory = ask, .on_reply = on_reply, .kernel_end = end

static const struct mech told = {TOLD, .on_outcome = on_outcome};
static const struct mech told_with_buffer = {TOLD, .on_outcome = on_outcome, .policies = MECH_POLICY_BUFFER,
                                             .buffer = buffer};

static void expect_histogram(const struct gpu_kit *kit, uint32_t row, uint32_t count, uint64_t value)
{
	struct vector vector;
	seam_vector(kit->gpu->seam, 0, row, &vector);
	assert_int_equal(vector_total(&vector), count);
	assert_int_equal(vector.sum, count ? value : 0);
	assert_int_equal(vector.value[vector_bin(output_row(&told, row), vector.length, value)], count);
	vector_free(&vector);
}

/* Checks that the cycles belong to the load on whose behalf the request was sent. That load is not the one that needed
 * the line, and no other load has any. */
static void expect_load(const struct gpu_kit *kit, uint32_t pc, uint64_t distance, uint64_t wait)
{
	struct mech_requests all;
	struct seam_load *load = base_calloc(kit->program->count, sizeof *load);
	seam_stats(kit->gpu->seam, 0, NULL, &all, load);
	for (uint32_t i = 0; i < kit->program->count; i++) {
		assert_int_equal(load[i].requests.issued, i == pc);
		assert_int_equal(load[i].sum[OUTPUT_prefetch_distance], i == pc ? distance : 0);
		assert_int_equal(load[i].sum[OUTPUT_late_wait], i == pc ? wait : 0);
	}
	free(load);
}

#define FIRST  "ld.global.u32 %r1, [%rd0];\n"
#define LONG   "div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3;\n"
#define WAIT   LONG LONG LONG LONG "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, %rd1;\n"
#define DEMAND "ld.global.u32 %r3, [%rd0+256];\n"

static const struct row {
	uint32_t to;
	const char *body;
	enum base_prefetch_outcome outcome;
} rows[] = {
	{MECH_TO_L1, FIRST WAIT DEMAND "exit;", MECH_USEFUL},
	{MECH_TO_L1, FIRST DEMAND "exit;", MECH_LATE},
	/* two loads wait; the outcome is reported once */
	{MECH_TO_L1, FIRST DEMAND "ld.global.u32 %r4, [%rd0+256]; exit;", MECH_LATE},
	{MECH_TO_L1, FIRST WAIT "st.global.u32 [%rd0+256], %r1; exit;", MECH_EARLY_EVICTED},
	{MECH_TO_L1, FIRST WAIT "exit;", MECH_REDUNDANT},
	{MECH_TO_BUFFER, FIRST WAIT DEMAND "exit;", MECH_USEFUL},
	{MECH_TO_BUFFER, FIRST DEMAND "exit;", MECH_LATE},
	{MECH_TO_BUFFER, FIRST WAIT "red.global.add.u32 [%rd0+256], 1; exit;", MECH_EARLY_EVICTED},
	{MECH_TO_BUFFER, FIRST WAIT "exit;", MECH_REDUNDANT},
	{MECH_TO_NOTHING, FIRST WAIT DEMAND "exit;", MECH_REDUNDANT},
};

static void expect_times(const struct heard *heard, const struct row *row)
{
	const struct mech_outcome *outcome = &heard->outcome;
	bool is_late = row->outcome == MECH_LATE;
	assert_int_equal(outcome->sent, heard->reply.sent);
	assert_int_equal(outcome->came, is_late ? 0 : heard->reply.cycle);
	assert_true(outcome->cycle >= heard->reply.cycle || is_late);
	if (row->outcome == MECH_USEFUL || is_late)
		assert_int_equal(outcome->cycle, heard->demand);
	/* a request to MECH_TO_NOTHING has its outcome when its reply arrives */
	assert_int_equal(heard->replies_before, !is_late && row->to != MECH_TO_NOTHING);
}

/* One request for each outcome and each destination. FIRST reaches the load/store unit and waits for memory; DEMAND
 * follows. */
static void test_outcomes(void **state)
{
	static const struct mech *const sets[][2] = {{&told, NULL}, {&told_with_buffer, NULL}};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		struct gpu_kit kit;
		bool is_late = row->outcome == MECH_LATE, demanded = row->outcome == MECH_USEFUL || is_late;
		defaults.to = row->to;
		kit_mechanisms = sets[row->to == MECH_TO_BUFFER];
		KIT_OPEN(&kit, "sm.count=1", "l1i.sets=64", "l1d.sets=32");
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, row->body);
		kit_run(&kit, 1, WARP);
		const struct heard *heard = kit.gpu->seam->sm->part[0].state;
		kit_requests(&kit, 0);
		assert_int_equal(heard->outcomes, 1);
		assert_int_equal(heard->replies, 1);
		assert_int_equal(heard->outcome.outcome, row->outcome);
		assert_int_equal(heard->outcome.address, heard->line);
		assert_int_equal(heard->outcome.tag, TAG);
		assert_int_equal(heard->outcome.pc, heard->pc);
		expect_times(heard, row);
		uint64_t distance = demanded ? heard->demand - heard->reply.sent : 0;
		uint64_t wait = is_late ? heard->reply.cycle - heard->demand : 0;
		expect_histogram(&kit, OUTPUT_prefetch_distance, demanded, distance);
		expect_histogram(&kit, OUTPUT_late_wait, is_late, wait);
		expect_load(&kit, heard->pc, distance, wait);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- what hooks may do while they hear an outcome --- */

/* One mechanism answers each outcome with another request; another fills the buffer in that hook. */
static void ask_on(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	struct heard *heard = sm->state;
	const struct mech_request request = {
		.address = outcome->address, .bytes = LINE, .to = MECH_TO_L1, .pc = outcome->pc};
	heard->outcomes++;
	assert_false(mech_send(sm, &request));
}

static void put_there(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	mech_put(sm, outcome->address, LINE, 0);
}

static const struct mech asks_on = {TOLD, .on_outcome = ask_on};
static const struct mech puts_there = {TOLD, .on_outcome = put_there, .policies = MECH_POLICY_BUFFER, .buffer = buffer};

/* Requests after the kernel's last cycle count as dropped. */
static void test_asked_at_the_end(void **state)
{
	static const struct mech *const set[] = {&asks_on, NULL};
	struct gpu_kit kit;
	(void)state;
	defaults.to = MECH_TO_L1;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, FIRST WAIT "exit;");
	kit_run(&kit, 1, WARP);
	const struct mech_requests requests = kit_requests(&kit, 0);
	assert_int_equal(requests.asked, 2);
	assert_int_equal(requests.dropped, 1);
	assert_int_equal(requests.redundant, 1);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* The buffer is changing, so a change to it in this hook is a mistake. The message names this hook. */
static void test_put_is_a_mistake(void **state)
{
	static const struct mech *const set[] = {&puts_there, NULL};
	struct gpu_kit kit;
	(void)state;
	defaults.to = MECH_TO_BUFFER;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, FIRST WAIT DEMAND "exit;");
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	assert_non_null(strstr(kit.run.message, "mechanism told, hook on_outcome, SM 0"));
	assert_non_null(strstr(kit.run.message, "mech_put()"));
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* After the outcome it is no mistake. */
static void put_later(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct heard *heard = sm->state;
	if (heard->outcomes)
		mech_put(sm, heard->line, LINE, memory->block);
	ask(sm, memory);
}

static const struct mech puts_later = {.version = MECH_VERSION,
                                       .name = "told",
                                       .config_size = sizeof(struct config),
                                       .defaults = &defaults,
                                       .sm_size = sizeof(struct heard),
                                       .sends = true,
                                       .policies = MECH_POLICY_BUFFER,
                                       .buffer = buffer,
                                       .memory = put_later,
                                       .on_outcome = on_outcome};

static void test_put_behind_the_outcome(void **state)
{
	static const struct mech *const set[] = {&puts_later, NULL};
	struct gpu_kit kit;
	(void)state;
	defaults.to = MECH_TO_BUFFER;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, FIRST WAIT DEMAND WAIT DEMAND "exit;");
	kit_run(&kit, 1, WARP);
	const struct heard *heard = kit.gpu->seam->sm->part[0].state;
	assert_int_equal(heard->outcomes, 1);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* A call in a hook can report an outcome from a nested hook. A later mistake of the outer hook is reported as the outer
 * hook's. */
static struct mech_buffer buffer_of_a_line(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1, .ways = 1};
}

static void put_over(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct heard *heard = sm->state;
	if (heard->replies) {
		mech_put(sm, heard->line + LINE, LINE, memory->block);
		assert_int_equal(heard->outcomes, 1);
		mech_put(sm, heard->line, LINE, MECH_MAX_BLOCKS);
	}
	ask(sm, memory);
}

static const struct mech puts_over = {.version = MECH_VERSION,
                                      .name = "told",
                                      .config_size = sizeof(struct config),
                                      .defaults = &defaults,
                                      .sm_size = sizeof(struct heard),
                                      .sends = true,
                                      .policies = MECH_POLICY_BUFFER,
                                      .buffer = buffer_of_a_line,
                                      .memory = put_over,
                                      .on_reply = on_reply,
                                      .on_outcome = on_outcome};

static void test_mistake_around_a_outcome(void **state)
{
	static const struct mech *const set[] = {&puts_over, NULL};
	struct gpu_kit kit;
	(void)state;
	defaults.to = MECH_TO_BUFFER;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, FIRST WAIT DEMAND "exit;");
	kit_start(&kit, 1, WARP);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	assert_non_null(strstr(kit.run.message, "hook memory"));
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_asked_at_the_end),
		cmocka_unit_test(test_put_is_a_mistake),
		cmocka_unit_test(test_put_behind_the_outcome),
		cmocka_unit_test(test_mistake_around_a_outcome),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
