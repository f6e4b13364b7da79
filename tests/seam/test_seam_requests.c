/* Protects the requests of mechanisms from an SM. Each possible outcome occurs and is counted correctly, in total and
 * for its load. */
#include "request_kit.h"

/* --- to L1, from an SM --- */

/* When the first load reaches the load/store unit, requests the line `ahead` bytes after it, `count` times. */
struct ask_config {
	uint32_t count, ahead, to;
};

struct ask_stats {
	uint64_t replies, filtered, refused, wrong;
	uint64_t waited;       /* cycles from the request to its sending */
	uint64_t not_demanded; /* fills that no instruction waited for */
};

static const struct base_counter ask_counters[] = {
	{"replies", "", BASE_SCOPE_SM, offsetof(struct ask_stats, replies), "", BASE_COMBINE_SUM},
	{"filtered", "", BASE_SCOPE_SM, offsetof(struct ask_stats, filtered), "", BASE_COMBINE_SUM},
	{"refused", "", BASE_SCOPE_SM, offsetof(struct ask_stats, refused), "", BASE_COMBINE_SUM},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct ask_stats, wrong), "", BASE_COMBINE_SUM},
	{"waited", "", BASE_SCOPE_SM, offsetof(struct ask_stats, waited), "", BASE_COMBINE_SUM},
	{"not_demanded", "", BASE_SCOPE_SM, offsetof(struct ask_stats, not_demanded), "", BASE_COMBINE_SUM},
};

struct ask_sm {
	bool asked;
	uint64_t address; /* of the first request */
	uint64_t cycle;   /* of the request */
};

static void ask_kernel_begin(struct mech_sm *sm)
{
	((struct ask_sm *)sm->state)->asked = false;
}

static void ask(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct ask_config *config = sm->config;
	struct ask_sm *own = sm->state;
	struct ask_stats *stats = sm->stats;
	if (own->asked || memory->kind != MECH_LOAD)
		return;
	own->asked = true;
	own->cycle = memory->cycle;
	own->address = memory->transaction[0].address + config->ahead;
	for (uint32_t i = 0; i < config->count; i++) {
		const struct mech_request request = {.address = own->address + 2 * LINE * i,
		                                     .bytes = LINE,
		                                     .to = config->to,
		                                     .pc = memory->pc,
		                                     .block = memory->block,
		                                     /* not bound to a warp, this value has no meaning */
		                                     .warp = UINT32_MAX,
		                                     .tag = i};
		stats->refused += !mech_send(sm, &request);
	}
}

static void ask_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	const struct ask_sm *own = sm->state;
	struct ask_stats *stats = sm->stats;
	stats->replies++;
	stats->filtered += reply->filtered;
	stats->waited += reply->sent - own->cycle;
	stats->wrong += reply->request.address != own->address + 2 * LINE * reply->request.tag ||
	                (!reply->filtered && reply->cycle <= reply->sent);
}

static void ask_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	((struct ask_stats *)sm->stats)->not_demanded += !fill->demanded;
}

static struct ask_config ask_defaults;

static struct mech_buffer ask_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1};
}

#define ASKER                                                                                                          \
	.version = MECH_VERSION, .name = "asker", .config_size = sizeof(struct ask_config), .defaults = &ask_defaults, \
	.counters = ask_counters, .counter_count = 6, .stats_size = sizeof(struct ask_stats),                          \
	.sm_size = sizeof(struct ask_sm), .sends = true, .kernel_begin = ask_kernel_begin, .memory = ask,              \
	.on_reply = ask_reply, .fill = ask_fill

static const struct mech asker = {ASKER};
static const struct mech asker_with_buffer = {ASKER, .policies = MECH_POLICY_BUFFER, .buffer = ask_buffer};

#define LOAD_FIRST  "ld.global.u32 %r1, [%rd0];\n"
#define LONG        "div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3;\n"
#define VERY_LONG   LONG LONG LONG LONG
#define BEHIND      "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, %rd1;\n"
#define LOAD(ahead) "ld.global.u32 %r1, [%rd0+" #ahead "];\n"

/* Each outcome that a request can have: a kernel and its account. A line 256 bytes further on belongs to another
 * slice. */
static void test_ends(void **state)
{
	static const struct {
		const char *what, *option;
		struct ask_config config;
		const char *body;
		struct mech_requests account;
	} row[] = {
		{"useful",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .useful = 1}},
		{"late",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; ld.global.u32 %r3, [%rd0+256]; exit;",
	         {.asked = 1, .issued = 1, .late = 1}},
		{"early_evicted",
	         "l1d.sets=1",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(512) VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1}},
		{"evicted by a store",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "st.global.u32 [%rd0+256], %r1; exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1}},
		{"redundant",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "exit;",
	         {.asked = 1, .issued = 1, .redundant = 1}},
		{"filtered", "l1d.sets=32", {1, 0, MECH_TO_L1}, LOAD_FIRST "exit;", {.asked = 1, .filtered = 1}},
		{"dropped",
	         "sm.send_queue=2",
	         {5, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "exit;",
	         {.asked = 5, .dropped = 3, .issued = 2, .redundant = 2}},
		{"to nothing",
	         "l1d.sets=32",
	         {3, 256, MECH_TO_NOTHING},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 3, .issued = 3, .redundant = 3}},
	};
	static const struct mech *const set[] = {&asker, NULL};
	(void)state;
	kit_mechanisms = set;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct seam_load by_pc[64] = {0};
		struct mech_requests all;
		uint32_t loads = 0;
		print_message("%s\n", row[i].what);
		ask_defaults = row[i].config;
		KIT_OPEN(&kit, ONE_SM, "l1d.ways=1", row[i].option);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		all = requests_of(&kit, 0, by_pc);
		check_account(&all);
		for (uint32_t pc = 0; pc < kit.program->count; pc++)
			if (by_pc[pc].requests.asked) {
				assert_memory_equal(&by_pc[pc].requests, &all, sizeof all);
				loads++;
			}
		assert_int_equal(loads, 1);
		all.retries = 0; /* test_seam_turns checks them */
		assert_memory_equal(&all, &row[i].account, sizeof all);
		struct ask_stats stats;
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.replies, all.filtered + all.issued);
		assert_int_equal(stats.filtered, all.filtered);
		assert_int_equal(stats.refused, all.dropped);
		assert_int_equal(stats.wrong, 0);
		assert_int_equal(stats.not_demanded, row[i].config.to == MECH_TO_L1 ? all.issued - all.late : 0);
		assert_int_equal(kit.run.stats.l1d.prefetches, row[i].config.to == MECH_TO_L1 ? all.issued : 0);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A useful request turns the second load into a hit, which saves the kernel one round trip to DRAM. */
static void test_useful_saves_time(void **state)
{
	static const struct mech *const sets[][2] = {{NULL}, {&asker, NULL}};
	uint64_t cycles[2], hits[2];
	(void)state;
	ask_defaults = (struct ask_config){1, 256, MECH_TO_L1};
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_mechanisms = sets[i];
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, LOAD_FIRST VERY_LONG BEHIND LOAD(256) "add.u32 %r1, %r1, 1; exit;");
		cycles[i] = kit_run(&kit, 1, WARP);
		hits[i] = kit.run.stats.l1d.hits;
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
	assert_int_equal(hits[1], hits[0] + 1);
	assert_true(cycles[1] + 200 < cycles[0]);
}

/* An instruction's accesses have L1's port first, one per cycle from the cycle in which a mechanism sees them. The
 * mechanism's request to L1 waits until they are done, and no longer. */
static void test_instructions_have_l1_first(void **state)
{
	static const struct mech *const set[] = {&asker, NULL};
	(void)state;
	kit_mechanisms = set;
	ask_defaults = (struct ask_config){1, 8192, MECH_TO_L1};
	for (uint32_t lines = 1; lines <= 16; lines *= 2) {
		struct gpu_kit kit;
		struct ask_stats stats;
		char body[256];
		snprintf(body, sizeof body,
		         "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, %u; add.u64 %%rd1, %%rd1, %%rd0;\n"
		         "ld.global.u32 %%r2, [%%rd1]; exit;",
		         lines * LINE / WARP);
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 16384 / 8);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARP);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(kit.run.stats.l1d.read_accesses, lines);
		assert_int_equal(stats.replies - stats.filtered, 1);
		assert_int_equal(stats.waited, lines);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- to the buffer --- */

/* Requests from an SM. The load finds one (useful), none is replaced, an atomic drops one, and one is unused at the
 * block's end. */
static void test_buffer_ends(void **state)
{
	static const struct {
		const char *body;
		struct mech_requests account;
		uint32_t l1_reads;
	} row[] = {
		{LOAD_FIRST VERY_LONG BEHIND LOAD(256) LOAD(260) "exit;", {.asked = 1, .issued = 1, .useful = 1}, 1},
		{LOAD_FIRST VERY_LONG BEHIND "exit;", {.asked = 1, .issued = 1, .redundant = 1}, 1},
		{LOAD_FIRST VERY_LONG BEHIND "red.global.add.u32 [%rd0+256], 1;" VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1},
	         2},
		{LOAD_FIRST VERY_LONG BEHIND "st.global.u32 [%rd0+256], %r1;" LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .useful = 1},
	         1},
	};
	static const struct mech *const set[] = {&asker_with_buffer, NULL};
	(void)state;
	kit_mechanisms = set;
	ask_defaults = (struct ask_config){1, 256, MECH_TO_BUFFER};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		const struct mech_requests all = requests_of(&kit, 0, NULL);
		assert_memory_equal(&all, &row[i].account, sizeof all);
		assert_int_equal(kit.run.stats.l1d.read_accesses, row[i].l1_reads);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A read that bypasses L1 leaves in the cycle of its request, a write one cycle later: the number of packets that an SM
 * may send in a cycle is known before that cycle. */
static void test_writes_leave_a_cycle_later(void **state)
{
	static const struct mech *const set[] = {&asker, NULL};
	static const enum mech_place to[] = {MECH_TO_NOTHING, MECH_WRITE_GLOBAL};
	(void)state;
	kit_mechanisms = set;
	for (uint64_t later = 0; later < 2; later++) {
		struct gpu_kit kit;
		struct ask_stats stats;
		ask_defaults = (struct ask_config){1, 256, to[later]};
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, LOAD_FIRST "exit;");
		kit_run(&kit, 1, WARP);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.replies, 1);
		assert_int_equal(stats.waited, later);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_useful_saves_time),
		cmocka_unit_test(test_instructions_have_l1_first),
		cmocka_unit_test(test_buffer_ends),
		cmocka_unit_test(test_writes_leave_a_cycle_later),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
