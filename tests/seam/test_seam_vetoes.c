/* Protects the veto hooks: while a mechanism refuses, the machine waits and calls it in every cycle; a stall report
 * names it.
 * See test_seam_picks for picks, test_seam_looks for read-only hooks and test_seam_requests for requests. */
#include "gate_kit.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"

static const struct mech *const only_gate[] = {&gate, NULL};

/* Nothing issues before the cycle, and everything in it: the machine sleeps until the requested wake-up. A held block's
 * instructions are fetched meanwhile, so its warps issue in the cycle after their release. */
static void test_vetoes_end(void **state)
{
	enum { OPENS = 3000 };
	static const struct {
		uint64_t block, issue; /* MECH_NEVER: some time later */
	} earliest[WAYS] = {{OPENS, MECH_NEVER}, {0, OPENS + 1}, {0, OPENS + 1}, {0, OPENS + 1}, {0, OPENS}};
	(void)state;
	kit_mechanisms = only_gate;
	for (uint32_t way = 0; way < WAYS; way++)
		for (uint32_t sleepless = 0; sleepless < 2; sleepless++) {
			struct gpu_kit kit;
			struct gate_stats stats;
			gate_defaults = (struct gate_config){way, OPENS};
			KIT_OPEN(&kit, "sm.count=3", sleepless ? "launch.sleep=false" : "launch.sleep=true");
			kit.param = kit_buffer(&kit, NULL, 6 * 128);
			kit_load(&kit, who);
			kit_run(&kit, 6, 128);
			check_who(&kit, 6 * 128);
			kit_mech_stats(&kit, 0, &stats, sizeof stats);
			assert_int_equal(stats.first_block - 1, earliest[way].block);
			if (earliest[way].issue != MECH_NEVER)
				assert_int_equal(stats.first_issue - 1, earliest[way].issue);
			else
				assert_true(stats.first_issue > OPENS);
			assert_true(kit.run.cycles > OPENS && kit.run.cycles < OPENS + 2000);
			kit_close(&kit);
		}
	kit_mechanisms = NULL;
}

/* When the machine stalls, its report names a mechanism that never agrees. After that the machine is as new. */
static void test_vetoes_for_ever(void **state)
{
	static const char *const says[WAYS] = {"dispatcher: mechanism gate does not let the next block start",
	                                       "mechanism gate holds its block", "mechanism gate holds its block",
	                                       "mechanism gate holds its block",
	                                       "ready, but mechanism gate does not let it issue"};
	(void)state;
	kit_mechanisms = only_gate;
	for (uint32_t way = 0; way < WAYS; way++) {
		struct gpu_kit kit;
		gate_defaults = (struct gate_config){way, MECH_NEVER};
		KIT_OPEN(&kit, ONE_SM, "launch.watchdog=5000");
		struct gate_config *config = kit.attachments.list[0].config;
		kit.param = kit_buffer(&kit, NULL, 6 * 128);
		kit_load(&kit, who);
		kit_start(&kit, 6, 128);
		assert_int_equal(kit.run.end, GPU_STALLED);
		if (!strstr(kit.run.message, says[way]))
			fail_msg("expected '%s' in:\n%s", says[way], kit.run.message);
		config->way = WAYS;
		kit_run(&kit, 6, 128);
		check_who(&kit, 6 * 128);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A mechanism that agrees at the tenth call is called in each of ten cycles, whatever sleeps and however the other
 * clocks advance. */
struct patience_gpu {
	uint64_t asked;
};

enum { PATIENCE = 10 };

static bool patience_may_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	struct patience_gpu *own = gpu->state;
	(void)dispatch;
	return ++own->asked >= PATIENCE;
}

static void patience_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	uint64_t *started = gpu->stats;
	*started = block->cycle;
}

static const struct base_counter patience_counters[] = {{"started", "", BASE_SCOPE_GPU, 0, "", BASE_COMBINE_LARGEST}};

static const struct mech patience = {.version = MECH_VERSION,
                                     .name = "patience",
                                     .counters = patience_counters,
                                     .counter_count = 1,
                                     .stats_size = sizeof(uint64_t),
                                     .gpu_size = sizeof(struct patience_gpu),
                                     .may_dispatch = patience_may_dispatch,
                                     .gpu_block = patience_block};

static void test_asked_each_cycle(void **state)
{
	static const char *const clocks[] = {"clock.core=700", "clock.core=100", "clock.core=701", "clock.core=3000"};
	static const struct mech *const only_patience[] = {&patience, NULL};
	(void)state;
	kit_mechanisms = only_patience;
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, clocks[i]);
		kit_load(&kit, "exit;");
		kit_run(&kit, 1, 32);
		assert_int_equal(kit_counter(&kit, 0, "started"), PATIENCE - 1);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A mechanism that does not let the kernel end continues to request lines, one in every 50th cycle, though its block
 * ends long before. The kernel lasts until the last request has left. After it agrees it is not called again; a stall
 * report names one that never agrees. */
enum { LATE_LINES = 20, LATE_STEP = 50 };

enum late_way { WHEN_DONE, AT_ONCE, NEVER, LATE_WAYS };

struct late_config {
	enum late_way agrees;
};

static struct late_config late_defaults;

static uint64_t late_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	const struct late_config *config = gpu->config;
	uint64_t *left = gpu->state;
	const struct mech_request request = {
		.address = *left * 128, .bytes = 32, .to = MECH_TO_NOTHING, .pc = MECH_NO_PC};
	*left -= *left && mech_send_to(gpu, 0, &request);
	return *left || config->agrees == NEVER ? cycle + LATE_STEP : MECH_NEVER;
}

static void late_begin(struct mech_gpu *gpu)
{
	*(uint64_t *)gpu->state = LATE_LINES;
}

static bool late_may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	const struct late_config *config = gpu->config;
	(void)end;
	bool waits = *(uint64_t *)gpu->state || mech_room_to_send(gpu) < gpu->machine->send_queue;
	return config->agrees == AT_ONCE || (config->agrees == WHEN_DONE && !waits);
}

static const struct mech late = {.version = MECH_VERSION,
                                 .name = "late",
                                 .config_size = sizeof(struct late_config),
                                 .defaults = &late_defaults,
                                 .sends = true,
                                 .gpu_size = sizeof(uint64_t),
                                 .gpu_kernel_begin = late_begin,
                                 .gpu_cycle = late_cycle,
                                 .may_end = late_may_end};

static void test_kernel_is_kept_open(void **state)
{
	static const struct mech *const only_late[] = {&late, NULL};
	(void)state;
	kit_mechanisms = only_late;
	for (enum late_way agrees = 0; agrees < LATE_WAYS; agrees++) {
		struct gpu_kit kit;
		late_defaults.agrees = agrees;
		KIT_OPEN(&kit, ONE_SM, "launch.watchdog=5000");
		kit_load(&kit, "exit;");
		kit_start(&kit, 1, 32);
		kit_start(&kit, 1, 32); /* with the code in its cache */
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(kit.run.end, agrees == NEVER ? GPU_STALLED : GPU_DONE);
		if (agrees == NEVER) {
			assert_non_null(strstr(kit.run.message, "mechanism late does not let the kernel end"));
			kit_close(&kit);
			continue;
		}
		assert_int_equal(requests.dropped, 0);
		if (agrees == AT_ONCE) {
			assert_in_range(requests.asked, 1, LATE_LINES - 1);
			assert_in_range(kit.run.cycles, 1, 2 * LATE_STEP);
			/* requested in cycles 0, 1 (after the block's start), 51, ...; the last leaves one cycle
			 * later */
		} else {
			assert_int_equal(requests.outside, LATE_LINES);
			assert_int_equal(kit.run.cycles, 1 + (LATE_LINES - 2) * LATE_STEP + 2);
		}
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A block waits for its predecessor's end, whatever its SM and whichever mechanism places it: the veto is called for
 * every block that is placed. */
struct order_stats {
	uint64_t at_a_time; /* blocks, at most */
};

static const struct base_counter order_counters[] = {
	{"at_a_time", "", BASE_SCOPE_GPU, offsetof(struct order_stats, at_a_time), "", BASE_COMBINE_LARGEST},
};

struct order_sm {
	uint64_t ended;
};

static bool order_may_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	uint64_t ended = 0;
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		ended += ((const struct order_sm *)mech_part(gpu, s)->state)->ended;
	return dispatch->block == ended;
}

static void order_gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	uint64_t ended = 0, *most = &((struct order_stats *)gpu->stats)->at_a_time;
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		ended += ((const struct order_sm *)mech_part(gpu, s)->state)->ended;
	*most = block->number + 1 - ended > *most ? block->number + 1 - ended : *most;
}

static void order_block_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	((struct order_sm *)sm->state)->ended++;
}

static uint32_t place_last(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	uint32_t sm = gpu->machine->sms - 1;
	(void)block;
	while (sm && !has_room[sm])
		sm--;
	return sm;
}

static const struct mech in_order = {
	.version = MECH_VERSION,
	.name = "in_order",
	.counters = order_counters,
	.counter_count = 1,
	.stats_size = sizeof(struct order_stats),
	.sm_size = sizeof(struct order_sm),
	.gpu_block = order_gpu_block,
	.may_dispatch = order_may_dispatch,
	.block_end = order_block_end,
};
static const struct mech last_first = {
	.version = MECH_VERSION, .name = "last_first", .policies = MECH_POLICY_BLOCK_PLACE, .place_block = place_last};

static void test_veto_of_each_block(void **state)
{
	static const struct mech *const sets[][3] = {{&in_order, NULL}, {&in_order, &last_first, NULL}};
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		struct order_stats stats;
		kit_mechanisms = sets[i];
		KIT_OPEN(&kit, "sm.count=4");
		kit.param = kit_buffer(&kit, NULL, 12 * 128);
		kit_load(&kit, who);
		kit_run(&kit, 12, 128);
		check_who(&kit, 12 * 128);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.at_a_time, 1);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* Loads that may not allocate bypass L1 with correct results. Stores and local memory do not call the hook. */
static bool never_allocate(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	return access->kind != MECH_LOAD || access->local;
}

static const struct mech no_l1 = {.version = MECH_VERSION, .name = "no_l1", .may_allocate = never_allocate};

static void test_loads_that_bypass_l1(void **state)
{
	static const struct mech *const sets[][2] = {{NULL}, {&no_l1, NULL}};
	uint32_t value[64], got[64];
	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		value[i] = 3 * i + 1;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_mechanisms = sets[i];
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 32);
		memcpy(simt_host(kit.gpu->memory, kit.param), value, sizeof value);
		kit_load(&kit, ".local .u32 mine[2]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;\n"
		               "add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r2, [%rd1]; mov.u64 %rd3, mine;\n"
		               "st.local.u32 [%rd3], %r2; ld.local.u32 %r4, [%rd3]; ld.global.u32 %r5, [%rd1];\n"
		               "add.u32 %r4, %r4, %r5; st.global.u32 [%rd1], %r4; exit;");
		kit_run(&kit, 1, 64);
		memcpy(got, simt_host(kit.gpu->memory, kit.param), sizeof got);
		for (uint32_t k = 0; k < 64; k++)
			assert_int_equal(got[k], 2 * value[k]);
		/* each of the two warps has two global loads, a local load and a store of each kind */
		assert_int_equal(kit.run.stats.l1d.read_accesses, i ? 2 : 6);
		assert_int_equal(kit.run.stats.l1d.write_accesses, 4);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* The hook is called once for each transaction of a load, even where L1's banks take several per cycle. */
struct questions {
	uint64_t asked;
};

static bool count_question(struct mech_sm *sm, const struct mech_access *access)
{
	(void)access;
	((struct questions *)sm->stats)->asked++;
	return true;
}

static const struct base_counter question_counters[] = {
	{"asked", "transactions", BASE_SCOPE_SM, offsetof(struct questions, asked), "asked about", BASE_COMBINE_SUM}};
static const struct mech asks = {.version = MECH_VERSION,
                                 .name = "asks",
                                 .stats_size = sizeof(struct questions),
                                 .counters = question_counters,
                                 .counter_count = 1,
                                 .may_allocate = count_question};

static void test_each_transaction_once(void **state)
{
	static const struct mech *const set[] = {&asks, NULL};
	static const char *const machines[] = {"gtx480", "qv100"};
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		kit_machine = machines[i];
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 1024);
		kit_load(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 64; add.u64 %rd1, %rd1, %rd0;\n"
		               "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; exit;");
		kit_run(&kit, 1, 64);
		assert_int_equal(kit_counter(&kit, 0, "asked"), kit.run.stats.l1d.read_accesses);
		assert_int_equal(kit.run.stats.l1d.read_accesses, i ? 64 : 32); /* sectors, or lines */
		kit_close(&kit);
	}
	kit_machine = "gtx480";
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vetoes_end),
		cmocka_unit_test(test_vetoes_for_ever),
		cmocka_unit_test(test_asked_each_cycle),
		cmocka_unit_test(test_kernel_is_kept_open),
		cmocka_unit_test(test_veto_of_each_block),
		cmocka_unit_test(test_loads_that_bypass_l1),
		cmocka_unit_test(test_each_transaction_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
