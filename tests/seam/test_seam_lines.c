/* Protects the hooks that see cache lines and decide about them. Every fill and eviction is reported with its position
 * and requester. The owner of the replacement policy picks the victim; picking the machine's own victim changes no
 * statistic.
 * A mechanism can answer a miss of L1 from its own storage below L1, after its own latency. */
#include "busy_kit.h"

enum { LINE = 128, SETS = 64, WAYS = 16, SLICE_SETS = 256 };

/* --- read-only hooks: a model of the lines in each cache --- */

struct line_stats {
	uint64_t fills, evictions, wrong, slice_fills, slice_evictions, slice_wrong;
};

#define COUNTER(name)                                                                                                  \
	{                                                                                                              \
#name, "", BASE_SCOPE_SM, offsetof(struct line_stats, name), "", BASE_COMBINE_SUM                      \
	}
static const struct base_counter line_counters[] = {COUNTER(fills),           COUNTER(evictions),
                                                    COUNTER(wrong),           COUNTER(slice_fills),
                                                    COUNTER(slice_evictions), COUNTER(slice_wrong)};

struct model {
	uint64_t line[SLICE_SETS * WAYS]; /* the line's address, or 0 */
};

static bool model_fill(struct model *model, const struct mech_fill *fill)
{
	uint64_t *line = &model->line[fill->set * WAYS + fill->way], address = fill->address / LINE * LINE;
	bool good = fill->way < WAYS && (*line == address || !*line) && fill->sender == MECH_NOBODY;
	*line = address;
	return good;
}

/* A line that was only written has entered without a fill. */
static bool model_evict(struct model *model, const struct mech_eviction *eviction)
{
	uint64_t *line = &model->line[eviction->set * WAYS + eviction->way];
	bool good = *line == eviction->address || (!*line && eviction->dirty);
	*line = 0;
	return good && eviction->sender == MECH_NOBODY;
}

static void on_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	struct line_stats *stats = sm->stats;
	stats->fills++;
	stats->wrong +=
		!model_fill(sm->state, fill) || (fill->pc != MECH_NO_PC && fill->pc >= sm->launch->instructions);
}

static void on_evict(struct mech_sm *sm, const struct mech_eviction *eviction)
{
	struct line_stats *stats = sm->stats;
	stats->evictions++;
	stats->wrong += !model_evict(sm->state, eviction);
}

static void on_slice_fill(struct mech_partition *partition, const struct mech_fill *fill)
{
	struct line_stats *stats = partition->stats;
	stats->slice_fills++;
	stats->slice_wrong += !model_fill(partition->state, fill);
}

static void on_slice_evict(struct mech_partition *partition, const struct mech_eviction *eviction)
{
	struct line_stats *stats = partition->stats;
	stats->slice_evictions++;
	stats->slice_wrong += !model_evict(partition->state, eviction);
}

static const struct mech watcher = {.version = MECH_VERSION,
                                    .name = "watcher",
                                    .counters = line_counters,
                                    .counter_count = sizeof line_counters / sizeof *line_counters,
                                    .stats_size = sizeof(struct line_stats),
                                    .sm_size = sizeof(struct model),
                                    .partition_size = sizeof(struct model),
                                    .fill = on_fill,
                                    .evict = on_evict,
                                    .partition_fill = on_slice_fill,
                                    .partition_evict = on_slice_evict};

/* Caches that fill up soon and keep their lines from kernel to kernel. */
#define SMALL "l1d.sets=4", "l2.sets=8", "sm.flush_l1=false"

static const char *const shapes[][8] = {
	{SMALL, NULL},
	{SMALL, "sm.l1_latency=35", "l1d.mshrs=2", NULL},
	{"launch.sleep=false", "sm.count=4", SMALL, NULL},
	{"l1d.sectors=4", SMALL, NULL},
};

/* Runs the busy kernels with and without a mechanism and checks that no statistic differs. `check` reads each kernel's
 * statistics. */
static void compare(const struct mech *mech, void (*check)(const struct gpu_kit *kit))
{
	const struct mech *const set[] = {mech, NULL};
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct outcome without[BUSY_KERNELS];
		uint8_t *memory = malloc(BUSY_BYTES);
		struct gpu_kit kit;
		kit_mechanisms = NULL;
		run_busy(shapes[s], without, memory);
		kit_mechanisms = set;
		kit_open(&kit, shapes[s]);
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
			kit_load(&kit, busy_kernels[i]);
			assert_int_equal(kit_run(&kit, 18, 256), without[i].cycles);
			compare_stats(&without[i].stats, &kit.run.stats, mech->name, i);
			check(&kit);
		}
		kit_close(&kit);
		free(memory);
	}
	kit_mechanisms = NULL;
}

static uint64_t evictions_seen;

static void check_lines(const struct gpu_kit *kit)
{
	struct line_stats stats;
	kit_mech_stats(kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.wrong, 0);
	assert_int_equal(stats.slice_wrong, 0);
	assert_int_equal(stats.fills, kit->run.stats.l1d.fills);
	assert_int_equal(stats.slice_fills, kit->run.stats.l2.fills);
	assert_true(stats.slice_evictions >= kit->run.stats.l2.writebacks);
	evictions_seen += stats.evictions * !!stats.slice_evictions;
}

static void test_lines(void **state)
{
	(void)state;
	evictions_seen = 0;
	compare(&watcher, check_lines);
	assert_true(evictions_seen > 1000);
}

/* --- replacement --- */

struct order_stats {
	uint64_t asked, used, wrong;
};

static const struct base_counter order_counters[] = {
	{"asked", "", BASE_SCOPE_SM, offsetof(struct order_stats, asked), "", BASE_COMBINE_SUM},
	{"used", "", BASE_SCOPE_SM, offsetof(struct order_stats, used), "", BASE_COMBINE_SUM},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct order_stats, wrong), "", BASE_COMBINE_SUM},
};

/* Each line's replacement word is its address from its insertion on. */
static uint32_t choose_as_usual(struct order_stats *stats, const struct mech_set *set)
{
	stats->asked++;
	for (uint32_t i = 0; i < set->ways; i++) {
		stats->wrong += set->data[i] != set->way[i].address;
		stats->wrong += set->way[i].may_go && set->way[i].order < set->way[set->usual].order;
	}
	stats->wrong += !set->way[set->usual].may_go;
	return set->usual;
}

static void note_use(struct order_stats *stats, const struct mech_use *use)
{
	stats->used += use->event == MECH_USED;
	if (use->event == MECH_INSERTED)
		*use->data = use->address;
	else
		stats->wrong += *use->data != use->address;
}

static uint32_t usual_of_l1(struct mech_sm *sm, const struct mech_set *set)
{
	return choose_as_usual(sm->stats, set);
}

static void used_in_l1(struct mech_sm *sm, const struct mech_use *use)
{
	note_use(sm->stats, use);
}

static uint32_t usual_of_l2(struct mech_partition *partition, const struct mech_set *set)
{
	return choose_as_usual(partition->stats, set);
}

static void used_in_l2(struct mech_partition *partition, const struct mech_use *use)
{
	note_use(partition->stats, use);
}

static const struct mech usual = {.version = MECH_VERSION,
                                  .name = "usual",
                                  .counters = order_counters,
                                  .counter_count = 3,
                                  .stats_size = sizeof(struct order_stats),
                                  .policies = MECH_POLICY_L1_REPLACEMENT | MECH_POLICY_L2_REPLACEMENT,
                                  .l1_victim = usual_of_l1,
                                  .l1_used = used_in_l1,
                                  .l2_victim = usual_of_l2,
                                  .l2_used = used_in_l2};

static uint64_t asked_in_all;

static void check_order(const struct gpu_kit *kit)
{
	struct order_stats stats;
	kit_mech_stats(kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.wrong, 0);
	assert_true(stats.used >= kit->run.stats.l1d.hits + kit->run.stats.l2.hits);
	asked_in_all += stats.asked;
}

static void test_usual(void **state)
{
	(void)state;
	asked_in_all = 0;
	compare(&usual, check_order);
	assert_true(asked_in_all > 1000);
}

/* One warp, one set of two ways, and loads of whole lines one after another. */
#define LOAD(ahead)                                                                                                    \
	"ld.global.u32 %r1, [%rd0+" #ahead "]; and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, "       \
	"%rd1;\n"
#define TWO_WAYS "sm.count=1", "l1d.sets=1", "l1d.ways=2", "l1d.index=linear"

static uint64_t way_that_goes; /* one SM, one host thread */

static uint32_t take_way(struct mech_sm *sm, const struct mech_set *set)
{
	(void)sm;
	(void)set;
	return (uint32_t)way_that_goes;
}

static const struct mech stubborn = {
	.version = MECH_VERSION, .name = "stubborn", .policies = MECH_POLICY_L1_REPLACEMENT, .l1_victim = take_way};

static uint64_t hits_with(const struct mech *mech, const char *body)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	kit_mechanisms = mech ? set : NULL;
	KIT_OPEN(&kit, TWO_WAYS);
	kit.param = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, body);
	kit_run(&kit, 1, 32);
	uint64_t hits = kit.run.stats.l1d.hits;
	kit_close(&kit);
	kit_mechanisms = NULL;
	return hits;
}

/* A loop over three lines never hits with least-recently-used replacement. With one protected way, the line in it hits
 * each time. */
static void test_victims(void **state)
{
	static const char loop[] =
		LOAD(0) LOAD(128) LOAD(256) LOAD(0) LOAD(128) LOAD(256) LOAD(0) LOAD(128) LOAD(256) "exit;";
	(void)state;
	assert_int_equal(hits_with(NULL, loop), 0);
	for (way_that_goes = 0; way_that_goes < 2; way_that_goes++)
		assert_int_equal(hits_with(&stubborn, loop), 2);
}

/* A way that does not exist is the mechanism's mistake, in either cache. */
static uint32_t way_too_far(struct mech_partition *partition, const struct mech_set *set)
{
	(void)partition;
	return set->ways;
}

static const struct mech too_far = {
	.version = MECH_VERSION, .name = "too_far", .policies = MECH_POLICY_L2_REPLACEMENT, .l2_victim = way_too_far};

static uint32_t never_comes(struct mech_sm *sm, const struct mech_access *miss)
{
	(void)sm;
	(void)miss;
	return MECH_MAX_ANSWER + 1;
}

static const struct mech never = {
	.version = MECH_VERSION, .name = "never", .policies = MECH_POLICY_L1_MISS, .answer_miss = never_comes};

static void test_mistakes(void **state)
{
	static const struct {
		const struct mech *set[2];
		const char *says;
	} row[] = {
		{{&stubborn}, "mechanism stubborn, hook l1_victim, SM 0, cycle "},
		{{&stubborn}, "evicts way 2 of set 0, which does not exist"},
		{{&too_far}, "mechanism too_far, hook l2_victim, L2 slice "},
		{{&never}, "answers a miss in 1048577 cycles; expected 0 to 1048576"},
	};
	(void)state;
	way_that_goes = 2;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		kit_mechanisms = row[i].set;
		KIT_OPEN(&kit, TWO_WAYS, "l2.sets=1", "l2.ways=1");
		kit.param = kit_buffer(&kit, NULL, 65536);
		kit_load(&kit, LOAD(0) LOAD(128) LOAD(256) LOAD(65536) LOAD(131072) LOAD(262144) "exit;");
		kit_start(&kit, 1, 32);
		if (kit.run.end != GPU_MISTAKE || !strstr(kit.run.message, row[i].says))
			fail_msg("expected '%s'; the kernel ended by %d: %s", row[i].says, kit.run.end,
			         kit.run.message);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- below L1 --- */

/* Stores every line that leaves L1 and returns it on a miss. */
struct victim_stats {
	uint64_t asked, kept, answered;
};

static const struct base_counter victim_counters[] = {
	{"asked", "", BASE_SCOPE_SM, offsetof(struct victim_stats, asked), "", BASE_COMBINE_SUM},
	{"kept", "", BASE_SCOPE_SM, offsetof(struct victim_stats, kept), "", BASE_COMBINE_SUM},
	{"answered", "", BASE_SCOPE_SM, offsetof(struct victim_stats, answered), "", BASE_COMBINE_SUM},
};

struct victim_config {
	uint32_t cycles;
};

enum { VICTIMS = 4 };

struct victims {
	uint64_t line[VICTIMS];
	uint32_t next;
};

static void keep_victim(struct mech_sm *sm, const struct mech_eviction *eviction)
{
	struct victims *own = sm->state;
	((struct victim_stats *)sm->stats)->kept++;
	own->line[own->next++ % VICTIMS] = eviction->address;
}

static uint32_t give_back(struct mech_sm *sm, const struct mech_access *miss)
{
	struct victims *own = sm->state;
	struct victim_stats *stats = sm->stats;
	stats->asked++;
	for (uint32_t i = 0; i < VICTIMS; i++)
		if (own->line[i] == miss->address / LINE * LINE) {
			own->line[i] = 0;
			stats->answered++;
			return ((const struct victim_config *)sm->config)->cycles;
		}
	return 0;
}

static struct victim_config victim_defaults = {.cycles = 10};

static const struct mech victim_cache = {.version = MECH_VERSION,
                                         .name = "victim_cache",
                                         .config_size = sizeof(struct victim_config),
                                         .defaults = &victim_defaults,
                                         .counters = victim_counters,
                                         .counter_count = 3,
                                         .stats_size = sizeof(struct victim_stats),
                                         .sm_size = sizeof(struct victims),
                                         .policies = MECH_POLICY_L1_MISS,
                                         .evict = keep_victim,
                                         .answer_miss = give_back};

static uint64_t cycles_of_victims(uint32_t cycles, const char *const *options)
{
	static const struct mech *const set[] = {&victim_cache, NULL};
	struct victim_stats stats;
	struct gpu_kit kit;
	victim_defaults.cycles = cycles;
	kit_mechanisms = set;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, LOAD(0) LOAD(128) LOAD(256) LOAD(0) LOAD(128) LOAD(256) "exit;");
	uint64_t took = kit_run(&kit, 1, 32);
	kit_mech_stats(&kit, 0, &stats, sizeof stats);
	assert_int_equal(stats.asked, 6); /* once each */
	assert_int_equal(stats.answered, 3);
	assert_int_equal(stats.kept, 4);
	assert_int_equal(kit.run.stats.l2.read_accesses - kit.run.stats.l1i.misses - kit.run.stats.l1c.misses, 3);
	kit_close(&kit);
	kit_mechanisms = NULL;
	return took;
}

/* The mechanism answers three of six misses, each after the latency that it named. These three go no further, with and
 * without sleep. */
static void test_victim_cache(void **state)
{
	static const char *const asleep[] = {TWO_WAYS, NULL}, *const awake[] = {TWO_WAYS, "launch.sleep=false", NULL};
	(void)state;
	uint64_t ten = cycles_of_victims(10, asleep);
	assert_int_equal(cycles_of_victims(1, asleep), ten - 3 * 9);
	assert_int_equal(cycles_of_victims(200, asleep), ten + 3 * 190);
	assert_int_equal(cycles_of_victims(10, awake), ten);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),    cmocka_unit_test(test_usual),        cmocka_unit_test(test_victims),
		cmocka_unit_test(test_mistakes), cmocka_unit_test(test_victim_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
