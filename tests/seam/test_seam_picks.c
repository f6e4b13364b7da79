/* Protects the contracts of the seats: what place_block is asked and how it waits, who is oldest and youngest, and that the
 * owner of a seat for whom the machine waits is named. */
#include "gpu_kit.h"

/* Oldest and youngest of any candidates of warps that were launched in any order. */
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

/* The placement's contract: only SMs that have room are shown, each gets one block a cycle at most, blocks come in order, and
 * one that goes nowhere is asked for again in the next cycle. */
struct patient_stats {
	uint64_t asked, wrong, first; /* cycle of the first block, plus one */
};

static const struct counter patient_counters[] = {
	{"asked", "", SCOPE_GPU, offsetof(struct patient_stats, asked), "", COMBINE_SUM},
	{"wrong", "", SCOPE_GPU, offsetof(struct patient_stats, wrong), "", COMBINE_SUM},
	{"first", "", SCOPE_GPU, offsetof(struct patient_stats, first), "", COMBINE_LARGEST},
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
	stats->wrong += at == MECH_NOWHERE; /* not asked then */
	own->in_cycle[at]++;
	own->next++;
	return at;
}

static void note_block(struct mech_gpu *gpu, uint32_t sm, const struct mech_block *block)
{
	struct patient_stats *stats = gpu->stats;
	(void)sm;
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
                                    .seats = MECH_SEAT_BLOCK_PLACE,
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

/* Who never places a block, and who never lets a warp compete, is named when the machine stands still. */
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

static uint32_t pick_next(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return mech_next(warps, candidates);
}

static const struct mech nowhere = {
	.version = MECH_VERSION, .name = "nowhere", .seats = MECH_SEAT_BLOCK_PLACE, .place_block = place_nowhere};
static const struct mech nobody = {.version = MECH_VERSION,
                                   .name = "nobody",
                                   .seats = MECH_SEAT_WARP_ORDER,
                                   .warps_that_compete = nobody_competes,
                                   .pick_warp = pick_next};

static void test_picks_for_ever(void **state)
{
	static const struct {
		const struct mech *set[2];
		const char *says;
	} row[] = {{{&nowhere, NULL}, "dispatcher: mechanism nowhere does not let the next block start"},
	           {{&nobody, NULL}, "ready, mechanism nobody does not let it compete"}};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_block_place_waits),
		cmocka_unit_test(test_picks_for_ever),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
