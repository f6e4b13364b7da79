/* Protects the pick hooks and the contracts of exclusive policies: the owner decides. Covers when place_block is called
 * and how it can wait, and the oldest and youngest warp. When the machine stalls, the report names the policy's owner.
 * Conflicting mechanisms are refused. */
#include "gate_kit.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"

/* Finds the oldest and youngest of any candidates, for warps launched in any order. */
static void test_age(void **state)
{
	struct mech_warps warps = {.warps = MECH_MAX_SCHEDULER_WARPS};
	uint32_t rank[MECH_MAX_SCHEDULER_WARPS];
	(void)state;
	srand(7);
	for (uint32_t i = 0; i < MECH_MAX_SCHEDULER_WARPS; i++) {
		uint32_t other = (uint32_t)rand() % (i + 1);
		rank[i] = rank[other];
		rank[other] = i;
	}
	for (uint32_t i = 0; i < MECH_MAX_SCHEDULER_WARPS; i++)
		for (uint32_t k = 0; k < MECH_MAX_SCHEDULER_WARPS; k++)
			warps.older[i] |= (uint64_t)(rank[k] < rank[i]) << k;
	for (uint32_t n = 0; n < 1000; n++) {
		uint64_t candidates = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();
		candidates |= n % 2 ? 1ull << 63 : 1;
		uint32_t oldest = mech_oldest(&warps, candidates), youngest_bit = mech_youngest(&warps, candidates);
		assert_true(candidates >> oldest & 1 && candidates >> youngest_bit & 1);
		for (uint64_t left = candidates; left; left &= left - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(left);
			assert_true(rank[oldest] <= rank[bit] && rank[bit] <= rank[youngest_bit]);
		}
	}
}

/* The contract of the block-placement policy. It sees only SMs that have free space, each gets one block per cycle at
 * most, and blocks arrive in order. A block that it does not place is offered again in the next cycle. */
struct patient_stats {
	uint64_t asked, wrong, first; /* cycle of the first block, plus one */
};

static const struct base_counter patient_counters[] = {
	{"asked", "", BASE_SCOPE_GPU, offsetof(struct patient_stats, asked), "", BASE_COMBINE_SUM},
	{"wrong", "", BASE_SCOPE_GPU, offsetof(struct patient_stats, wrong), "", BASE_COMBINE_SUM},
	{"first", "", BASE_SCOPE_GPU, offsetof(struct patient_stats, first), "", BASE_COMBINE_LARGEST},
};

struct patient_gpu {
	uint64_t next;        /* block */
	uint32_t in_cycle[4]; /* blocks, by SM */
};

enum { PATIENCE = 100, PATIENT_BLOCKS = 2 };

static uint32_t place_in_time(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	struct patient_gpu *own = gpu->state;
	struct patient_stats *stats = gpu->stats;
	stats->wrong += block != own->next;
	if (stats->asked++ < PATIENCE)
		return MECH_NOWHERE;
	uint32_t at = MECH_NOWHERE;
	for (uint32_t i = 0; i < gpu->machine->sms; i++) {
		stats->wrong += has_room[i] && own->in_cycle[i];
		at = has_room[i] ? i : at;
	}
	stats->wrong += at == MECH_NOWHERE; /* no call then */
	own->in_cycle[at]++;
	own->next++;
	return at;
}

static void note_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	struct patient_stats *stats = gpu->stats;
	if (!stats->first)
		stats->first = block->cycle + 1;
}

static uint64_t forget_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	struct patient_gpu *own = gpu->state;
	memset(own->in_cycle, 0, sizeof own->in_cycle);
	return cycle + 1;
}

static const struct mech patient = {.version = MECH_VERSION,
                                    .name = "patient",
                                    .counters = patient_counters,
                                    .counter_count = 3,
                                    .stats_size = sizeof(struct patient_stats),
                                    .gpu_size = sizeof(struct patient_gpu),
                                    .policies = MECH_POLICY_BLOCK_PLACE,
                                    .place_block = place_in_time,
                                    .gpu_block = note_block,
                                    .gpu_cycle = forget_cycle};

static void test_block_place_waits(void **state)
{
	static const struct mech *const set[] = {&patient, NULL};
	struct patient_stats stats;
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=4", "launch.spread_small_grids=false");
	kit_load(&kit, "exit;");
	kit.run.blocks_per_sm = PATIENT_BLOCKS;
	kit_run(&kit, 20, 32);
	kit_mech_stats(&kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.wrong, 0);
	assert_int_equal(stats.first - 1, PATIENCE);
	assert_int_equal(stats.asked, PATIENCE + 20);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* When the machine stalls, its report names a mechanism that never places a block or never lets a warp compete. */
static uint32_t place_nowhere(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	(void)gpu;
	(void)block;
	(void)has_room;
	return MECH_NOWHERE;
}

static uint64_t nobody_competes(struct mech_sm *sm, const struct mech_warps *warps)
{
	(void)sm;
	(void)warps;
	return 0;
}

static const struct mech nowhere = {
	.version = MECH_VERSION, .name = "nowhere", .policies = MECH_POLICY_BLOCK_PLACE, .place_block = place_nowhere};
static const struct mech nobody = {.version = MECH_VERSION, .name = "nobody", .warps_that_compete = nobody_competes};

static void test_picks_for_ever(void **state)
{
	static const struct {
		const struct mech *set[2];
		const char *says;
	} row[] = {{{&nowhere, NULL}, "dispatcher: mechanism nowhere does not let the next block start"},
	           {{&nobody, NULL}, "ready, but mechanism nobody does not let it compete"}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		kit_mechanisms = row[i].set;
		KIT_OPEN(&kit, "sm.count=1", "launch.watchdog=5000");
		kit_load(&kit, "exit;");
		kit_start(&kit, 6, 128);
		assert_int_equal(kit.run.end, GPU_STALLED);
		if (!strstr(kit.run.message, row[i].says))
			fail_msg("expected '%s' in:\n%s", row[i].says, kit.run.message);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

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
	.version = MECH_VERSION, .name = "counts", .policies = MECH_POLICY_BLOCK_COUNT, .blocks_per_sm = count_blocks};
static const struct mech places = {
	.version = MECH_VERSION, .name = "places", .policies = MECH_POLICY_BLOCK_PLACE, .place_block = place_on_first};

/* The owner of the block count may set fewer blocks per SM than fit. */
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

/* The owner of the placement policy puts every block on one SM. The run takes as long as on a machine with one SM. */
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

/* Youngest first. All warps are ready when their block is released, so the first to issue is the youngest of each
 * scheduler. Every later issue is the last pick. */
struct young_stats {
	uint64_t issues, wrong;
};

static const struct base_counter young_counters[] = {
	{"issues", "", BASE_SCOPE_SM, offsetof(struct young_stats, issues), "", BASE_COMBINE_SUM},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct young_stats, wrong), "", BASE_COMBINE_SUM},
};

struct young_sm {
	uint32_t picked[MECH_MAX_SCHEDULERS]; /* slot, by scheduler */
	uint64_t issued;                      /* bit mask of schedulers that have issued */
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
	.policies = MECH_POLICY_WARP_ORDER,
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
	assert_int_equal(kit.attachments.count, 2); /* the machine's own warp order is not attached */
	kit.param = kit_buffer(&kit, NULL, 128);
	kit_load(&kit, who);
	kit_run(&kit, 1, 256);
	kit_mech_stats(&kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.issues, kit.run.stats.sm.warp_instructions);
	assert_int_equal(stats.wrong, 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Two throttles together with a warp order. One holds back each scheduler's first warp until a cycle, the other its
 * second warp until a later cycle. Each warp starts when its own throttle releases it, however long it has slept; all
 * others start at once. */
enum { FIRST_OPENS = 2000, SECOND_OPENS = 3000, BITS = 4 };

struct throttle_sm {
	bool open;
};

static uint64_t throttle(struct mech_sm *sm, uint64_t opens, uint64_t cycle)
{
	((struct throttle_sm *)sm->state)->open = cycle >= opens;
	return cycle < opens ? opens : MECH_NEVER;
}

static uint64_t first_cycle(struct mech_sm *sm, uint64_t cycle)
{
	return throttle(sm, FIRST_OPENS, cycle);
}

static uint64_t second_cycle(struct mech_sm *sm, uint64_t cycle)
{
	return throttle(sm, SECOND_OPENS, cycle);
}

static uint64_t first_competes(struct mech_sm *sm, const struct mech_warps *warps)
{
	(void)warps;
	return ((struct throttle_sm *)sm->state)->open ? UINT64_MAX : ~1ull;
}

static uint64_t second_competes(struct mech_sm *sm, const struct mech_warps *warps)
{
	(void)warps;
	return ((struct throttle_sm *)sm->state)->open ? UINT64_MAX : ~2ull;
}

static uint64_t first_issue_of[BITS];

static void note_first(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint64_t *first = &first_issue_of[issue->warp / sm->machine->schedulers];
	*first = *first ? *first : issue->cycle;
}

static const struct mech first_throttle = {.version = MECH_VERSION,
                                           .name = "first",
                                           .sm_size = sizeof(struct throttle_sm),
                                           .cycle = first_cycle,
                                           .warps_that_compete = first_competes,
                                           .issue = note_first};
static const struct mech second_throttle = {.version = MECH_VERSION,
                                            .name = "second",
                                            .sm_size = sizeof(struct throttle_sm),
                                            .cycle = second_cycle,
                                            .warps_that_compete = second_competes};

static void test_throttles(void **state)
{
	static const struct mech *const set[] = {&first_throttle, &second_throttle, NULL};
	static const char *const orders[] = {"gto", "two_level"};
	(void)state;
	kit_mechanisms = set;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		memset(first_issue_of, 0, sizeof first_issue_of);
		kit_describe(&kit, (const char *const[]){ONE_SM, NULL});
		kit_attach(&kit, orders[i]);
		kit_build(&kit);
		kit.param = kit_buffer(&kit, NULL, 256);
		kit_load(&kit, who);
		kit_run(&kit, 1, 256);
		assert_int_equal(first_issue_of[0], FIRST_OPENS + 1);
		assert_int_equal(first_issue_of[1], SECOND_OPENS + 1);
		assert_in_range(first_issue_of[2], 1, FIRST_OPENS - 1);
		assert_in_range(first_issue_of[3], 1, FIRST_OPENS - 1);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

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
		.name = "other", .policies = MECH_POLICY_BLOCK_PLACE, .place_block = place_on_first};
	static const struct mech no_hook = {.name = "no_hook", .policies = MECH_POLICY_WARP_ORDER};
	static const struct mech no_policy = {.name = "no_seat", .pick_warp = pick_youngest};
	static const struct mech sender = {.name = "sender", .sends = true};
	static const struct mech wide = {.name = "wide", .policies = MECH_POLICY_BUFFER, .buffer = any_buffer};
	(void)state;
	refused(&places, &other_place,
	        "mechanisms places and other both own the placement of blocks; only one of them can");
	refused(&places, &places, "mechanism places is attached twice");
	refused(&no_hook, NULL, "mechanism no_hook owns the warp order but has no hook pick_warp");
	refused(&no_policy, NULL, "mechanism no_seat does not own the warp order but has the hook pick_warp");
	refused(&sender, NULL, "mechanism sender sends requests, and sm.send_queue is not set: give it at least 1");
	refused(&wide, NULL, "mechanism wide: its buffer takes lines of at most 256 bytes; l1d.line_bytes is 1024");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_block_place_waits),
		cmocka_unit_test(test_picks_for_ever),
		cmocka_unit_test(test_block_count),
		cmocka_unit_test(test_block_place),
		cmocka_unit_test(test_warp_order),
		cmocka_unit_test(test_throttles),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
