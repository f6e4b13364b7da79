/* Protects the seam's vetoes and picks: the machine waits for those who refuse and says who they are, and the owner of a seat
 * decides. Looks are test_seam_looks, requests test_seam_requests. */
#include "gpu_kit.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"

enum { WARP = 32 };

/* --- vetoes --- */

/* A mechanism that lets nothing go before a cycle, in each of the ways there are. */
enum way { AT_DISPATCH, AT_START, AT_START_FROM_GPU, AT_HOLD, AT_ISSUE, WAYS };

struct gate_config {
	uint32_t way;
	uint64_t opens;
};

struct gate_stats {
	uint64_t first_issue, first_block; /* cycles, plus one */
};

static const struct counter gate_counters[] = {
	{"first_issue", "", SCOPE_SM, offsetof(struct gate_stats, first_issue), "", COMBINE_LARGEST},
	{"first_block", "", SCOPE_SM, offsetof(struct gate_stats, first_block), "", COMBINE_LARGEST},
};

struct gate_sm {
	uint64_t held; /* slots, as bits */
};

struct gate_gpu {
	uint64_t cycle;
};

static uint64_t gate_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	const struct gate_config *config = gpu->config;
	((struct gate_gpu *)gpu->state)->cycle = cycle;
	if (cycle == config->opens && config->way == AT_START_FROM_GPU)
		for (uint32_t s = 0; s < gpu->machine->sms; s++) {
			struct mech_sm *sm = mech_part(gpu, s);
			for (uint64_t left = ((struct gate_sm *)sm->state)->held; left; left &= left - 1)
				mech_release_block(sm, (uint32_t)__builtin_ctzll(left));
		}
	return cycle < config->opens ? config->opens : MECH_NEVER;
}

static bool gate_may_dispatch(struct mech_gpu *gpu, uint32_t sm, uint64_t block)
{
	const struct gate_config *config = gpu->config;
	(void)sm;
	(void)block;
	return config->way != AT_DISPATCH || ((struct gate_gpu *)gpu->state)->cycle >= config->opens;
}

static void gate_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	const struct gate_config *config = sm->config;
	struct gate_stats *stats = sm->stats;
	if (!stats->first_block)
		stats->first_block = block->cycle + 1;
	if (config->way == AT_HOLD)
		mech_hold_block(sm, block->slot);
}

static bool gate_may_start(struct mech_sm *sm, const struct mech_block *block)
{
	const struct gate_config *config = sm->config;
	struct gate_sm *own = sm->state;
	own->held |= 1ull << block->slot;
	return config->way != AT_START && config->way != AT_START_FROM_GPU;
}

static uint64_t gate_cycle(struct mech_sm *sm, uint64_t cycle)
{
	const struct gate_config *config = sm->config;
	const struct gate_sm *own = sm->state;
	if (cycle < config->opens)
		return config->opens;
	if (cycle == config->opens && (config->way == AT_START || config->way == AT_HOLD))
		for (uint64_t left = own->held; left; left &= left - 1)
			mech_release_block(sm, (uint32_t)__builtin_ctzll(left));
	return MECH_NEVER;
}

static bool gate_may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct gate_config *config = sm->config;
	return config->way != AT_ISSUE || issue->cycle >= config->opens;
}

static void gate_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct gate_stats *stats = sm->stats;
	if (!stats->first_issue)
		stats->first_issue = issue->cycle + 1;
}

static struct gate_config gate_defaults;

static const struct mech gate = {
	.version = MECH_VERSION,
	.name = "gate",
	.config_size = sizeof(struct gate_config),
	.defaults = &gate_defaults,
	.counters = gate_counters,
	.counter_count = 2,
	.stats_size = sizeof(struct gate_stats),
	.gpu_size = sizeof(struct gate_gpu),
	.sm_size = sizeof(struct gate_sm),
	.gpu_cycle = gate_gpu_cycle,
	.may_dispatch = gate_may_dispatch,
	.block_begin = gate_block_begin,
	.may_start = gate_may_start,
	.cycle = gate_cycle,
	.may_issue = gate_may_issue,
	.issue = gate_issue,
};

static const struct mech *const only_gate[] = {&gate, NULL};

/* Four warps that write who they are. */
static const char who[] = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1;\n"
			  "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r3; exit;";

static void check_who(const struct gpu_kit *kit, uint32_t threads)
{
	const uint32_t *value = simt_host(kit->gpu->memory, kit->param);
	for (uint32_t i = 0; i < threads; i++)
		assert_int_equal(value[i], i);
}

/* Nothing goes before the cycle, and everything in it: with asked-for wake-ups the machine sleeps till then. A held block's
 * instructions are fetched meanwhile, so that its warps issue in the cycle behind their release. */
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

/* Who never agrees is named when the machine stands still, and the machine is as new behind that. */
static void test_vetoes_for_ever(void **state)
{
	static const char *const says[WAYS] = {"dispatcher: mechanism gate does not let the next block start",
	                                       "mechanism gate holds its block", "mechanism gate holds its block",
	                                       "mechanism gate holds its block",
	                                       "ready, mechanism gate does not let it issue"};
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

/* Who agrees the tenth time is asked in each of ten cycles, whatever sleeps, and whatever time goes by in the other clocks. */
struct patience_gpu {
	uint64_t asked;
};

enum { PATIENCE = 10 };

static bool patience_may_dispatch(struct mech_gpu *gpu, uint32_t sm, uint64_t block)
{
	struct patience_gpu *own = gpu->state;
	(void)sm;
	(void)block;
	return ++own->asked >= PATIENCE;
}

static void patience_block(struct mech_gpu *gpu, uint32_t sm, const struct mech_block *block)
{
	uint64_t *started = gpu->stats;
	(void)sm;
	*started = block->cycle;
}

static const struct counter patience_counters[] = {{"started", "", SCOPE_GPU, 0, "", COMBINE_LARGEST}};

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

/* Who does not let the kernel end goes on asking for lines, one in every 50th cycle, though its block ends long before; the
 * kernel lasts until the last has left. Who agrees is not called any more; who never agrees is named when the machine stands still. */
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

static bool late_may_end(struct mech_gpu *gpu)
{
	const struct late_config *config = gpu->config;
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
		} else { /* asked for in cycles 0, behind the block's start in 1, 51, ...; the last leaves a cycle later */
			assert_int_equal(requests.outside, LATE_LINES);
			assert_int_equal(kit.run.cycles, 1 + (LATE_LINES - 2) * LATE_STEP + 2);
		}
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A block waits for its predecessor's end, wherever its place is and whoever chooses it: a veto is asked for of every block
 * that is placed. */
struct order_stats {
	uint64_t at_a_time; /* blocks, at most */
};

static const struct counter order_counters[] = {
	{"at_a_time", "", SCOPE_GPU, offsetof(struct order_stats, at_a_time), "", COMBINE_LARGEST},
};

struct order_sm {
	uint64_t ended;
};

static bool order_may_dispatch(struct mech_gpu *gpu, uint32_t sm, uint64_t block)
{
	uint64_t ended = 0;
	(void)sm;
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		ended += ((const struct order_sm *)mech_part(gpu, s)->state)->ended;
	return block == ended;
}

static void order_gpu_block(struct mech_gpu *gpu, uint32_t sm, const struct mech_block *block)
{
	uint64_t ended = 0, *most = &((struct order_stats *)gpu->stats)->at_a_time;
	(void)sm;
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
	.version = MECH_VERSION, .name = "last_first", .seats = MECH_SEAT_BLOCK_PLACE, .place_block = place_last};

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

/* Loads that may not allocate go past L1 with right results; stores and local memory do not ask. */
static bool never_allocate(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	return access->kind != MECH_LOAD || access->local;
}

static const struct mech no_l1 = {.version = MECH_VERSION, .name = "no_l1", .may_allocate = never_allocate};

static void test_loads_past_l1(void **state)
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
		/* of each of the two warps: two global loads, a local one, a store of each kind */
		assert_int_equal(kit.run.stats.l1d.read_accesses, i ? 2 : 6);
		assert_int_equal(kit.run.stats.l1d.write_accesses, 4);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- picks --- */

static uint32_t wanted_blocks;

static uint32_t count_blocks(struct mech_gpu *gpu, uint32_t blocks)
{
	return gpu->launch && gpu->launch->grid.x == 40 && blocks == 5 ? wanted_blocks : 4;
}

static uint32_t place_on_first(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	(void)gpu;
	(void)block;
	return has_room[0] ? 0 : MECH_NOWHERE;
}

static const struct mech counts = {
	.version = MECH_VERSION, .name = "counts", .seats = MECH_SEAT_BLOCK_COUNT, .blocks_per_sm = count_blocks};
static const struct mech places = {
	.version = MECH_VERSION, .name = "places", .seats = MECH_SEAT_BLOCK_PLACE, .place_block = place_on_first};

/* The owner of the count may have fewer blocks an SM than fit. */
static void test_block_count(void **state)
{
	static const uint32_t wanted[] = {1, 2, 5};
	static const struct mech *const both[] = {&counts, NULL};
	(void)state;
	kit_mechanisms = both;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct gpu_kit kit;
		wanted_blocks = wanted[i];
		KIT_OPEN(&kit, "sm.count=2", "launch.spread_small_grids=false");
		kit.param = kit_buffer(&kit, NULL, 40 * 64);
		kit.run.blocks_per_sm = 5;
		kit_load(&kit, who);
		kit_run(&kit, 40, 128);
		check_who(&kit, 40 * 128);
		assert_int_equal(kit.run.blocks_limit, wanted[i]);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* The owner of the placement puts every block on one SM and lets the others idle: it takes as long as a machine of one SM. */
static void test_block_place(void **state)
{
	static const struct mech *const set[] = {&places, NULL};
	uint32_t sm[20];
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=4", "launch.spread_small_grids=false");
	kit.param = kit_buffer(&kit, NULL, 10);
	kit_load(&kit, "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid; add.u32 %r2, %r2, 7; mul.wide.u32 %rd1, %r1, 4;\n"
	               "add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r2; exit;");
	kit.run.blocks_per_sm = 3;
	kit_run(&kit, 20, WARP);
	memcpy(sm, simt_host(kit.gpu->memory, kit.param), sizeof sm);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(sm[i], 7);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Youngest first. All warps stand ready when their block is released, so that the first to go are the last of each
 * scheduler; every later issue is that of the last pick. */
struct young_stats {
	uint64_t issues, wrong;
};

static const struct counter young_counters[] = {
	{"issues", "", SCOPE_SM, offsetof(struct young_stats, issues), "", COMBINE_SUM},
	{"wrong", "", SCOPE_SM, offsetof(struct young_stats, wrong), "", COMBINE_SUM},
};

struct young_sm {
	uint32_t picked[MECH_MAX_SCHEDULERS]; /* slot, by scheduler */
	uint64_t issued;                      /* schedulers that have, as bits */
};

static uint32_t pick_youngest(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	struct young_sm *own = sm->state;
	uint32_t best = mech_youngest(warps, candidates);
	own->picked[warps->index] = best * sm->machine->schedulers + warps->index;
	return best;
}

static void check_pick(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct young_sm *own = sm->state;
	struct young_stats *stats = sm->stats;
	bool first = !(own->issued >> issue->scheduler & 1);
	own->issued |= 1ull << issue->scheduler;
	stats->issues++;
	stats->wrong += issue->warp != own->picked[issue->scheduler];
	stats->wrong += first && issue->warp != 6 + issue->scheduler;
}

static const struct mech youngest = {
	.version = MECH_VERSION,
	.name = "youngest",
	.counters = young_counters,
	.counter_count = 2,
	.stats_size = sizeof(struct young_stats),
	.sm_size = sizeof(struct young_sm),
	.seats = MECH_SEAT_WARP_ORDER,
	.pick_warp = pick_youngest,
	.issue = check_pick,
};

static void test_warp_order(void **state)
{
	static const struct mech *const both[] = {&youngest, &gate, NULL};
	struct young_stats stats;
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = both;
	gate_defaults = (struct gate_config){AT_START, 2000};
	KIT_OPEN(&kit, ONE_SM);
	assert_int_equal(kit.attachments.count, 2); /* the machine's own order stays away */
	kit.param = kit_buffer(&kit, NULL, 128);
	kit_load(&kit, who);
	kit_run(&kit, 1, 256);
	kit_mech_stats(&kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.issues, kit.run.stats.sm.warp_instructions);
	assert_int_equal(stats.wrong, 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* --- what cannot be together --- */

static void refused(const struct mech *one, const struct mech *other, const char *expected)
{
	struct seam_attached list[] = {{one, NULL}, {other, NULL}};
	const struct mech_machine machine = {.line_bytes = 1024};
	char message[256] = "";
	assert_false(seam_check(list, other ? 2 : 1, &machine, message, sizeof message));
	assert_string_equal(message, expected);
}

static struct mech_buffer any_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1};
}

static void test_refusals(void **state)
{
	static const struct mech other_place = {
		.name = "other", .seats = MECH_SEAT_BLOCK_PLACE, .place_block = place_on_first};
	static const struct mech no_hook = {.name = "no_hook", .seats = MECH_SEAT_WARP_ORDER};
	static const struct mech no_seat = {.name = "no_seat", .pick_warp = pick_youngest};
	static const struct mech sender = {.name = "sender", .sends = true};
	static const struct mech wide = {.name = "wide", .seats = MECH_SEAT_BUFFER, .buffer = any_buffer};
	(void)state;
	refused(&places, &other_place,
	        "mechanisms places and other both own the placement of blocks; only one of them can");
	refused(&places, &places, "mechanism places is attached twice");
	refused(&no_hook, NULL, "mechanism no_hook owns the warp order but has no hook pick_warp");
	refused(&no_seat, NULL, "mechanism no_seat does not own the warp order but has the hook pick_warp");
	refused(&sender, NULL, "mechanism sender sends requests, and sm.send_queue is not set: give it at least 1");
	refused(&wide, NULL, "mechanism wide: its buffer takes lines of at most 256 bytes; l1d.line_bytes is 1024");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vetoes_end),         cmocka_unit_test(test_vetoes_for_ever),
		cmocka_unit_test(test_asked_each_cycle),   cmocka_unit_test(test_kernel_is_kept_open),
		cmocka_unit_test(test_veto_of_each_block), cmocka_unit_test(test_loads_past_l1),
		cmocka_unit_test(test_block_count),        cmocka_unit_test(test_block_place),
		cmocka_unit_test(test_warp_order),         cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
