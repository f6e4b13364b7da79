/* Protects the live statistics that mechanisms can query: they add up, agree with the final statistics, and name what a
 * waiting load waits for. They do not depend on launch.sleep or on the number of host threads. */
#include "busy_kit.h"

enum { BLOCK = 64, EVERY = 64, WATCHED = 200 };

static uint64_t warps_of(const struct mech_sm_live_stats *f)
{
	return f->warps_ready + f->warps_arithmetic + f->warps_load + f->warps_barrier + f->warps_held +
	       f->warps_no_instruction;
}

static uint64_t slots_of(const struct mech_sm_live_stats *f)
{
	return f->stack_issued + f->stack_arithmetic + f->stack_shared + f->stack_l1 + f->stack_l2 + f->stack_dram +
	       f->stack_load + f->stack_barrier + f->stack_held + f->stack_replayed + f->stack_conflict +
	       f->stack_no_instruction + f->stack_idle;
}

/* --- they add up --- */

static uint64_t looks;

static void check_sums(const struct mech_sm_live_stats *f, const struct mech_machine *machine, uint64_t cycles)
{
	assert_int_equal(warps_of(f), f->live_warps);
	assert_int_equal(slots_of(f), cycles * machine->schedulers);
	assert_true(f->l1_mshrs <= f->l1_mshrs_all && f->l1_mshrs_all == machine->l1_mshrs);
	assert_true(f->network_flits <= f->network_flits_all && f->l1_miss_queue <= f->l1_miss_queue_all);
	looks++;
}

static uint64_t check_from_sm(struct mech_sm *sm, uint64_t cycle)
{
	struct mech_sm_live_stats live;
	mech_look_at_sm(sm, &live);
	check_sums(&live, sm->machine, cycle + 1);
	return MECH_NEVER;
}

static uint64_t check_from_gpu(struct mech_gpu *gpu, uint64_t cycle)
{
	struct mech_sm_live_stats live;
	for (uint32_t i = 0; i < gpu->machine->sms; i++) {
		mech_look_at_sm(mech_part(gpu, i), &live);
		check_sums(&live, gpu->machine, cycle + 1);
	}
	return cycle + 7;
}

static const struct mech adder = {
	.version = MECH_VERSION, .name = "adder", .cycle = check_from_sm, .gpu_cycle = check_from_gpu};

static void test_sums(void **state)
{
	static const struct mech *const set[] = {&adder, NULL};
	(void)state;
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		looks = 0;
		KIT_OPEN(&kit, "sm.count=4");
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		kit_load(&kit, busy_kernels[i]);
		kit_run(&kit, 18, 256);
		assert_true(looks > 100);
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

/* --- they do not depend on sleep and threads --- */

/* The last value of a hash of all statistics that the mechanism read. */
struct seen {
	uint64_t hash;
};

static void mix(uint64_t *hash, const void *live, size_t size)
{
	const uint64_t *value = live;
	for (size_t i = 0; i < size / sizeof *value; i++)
		*hash = (*hash ^ value[i]) * 0x9e3779b97f4a7c15u + 1;
}

static uint64_t see_sm(struct mech_sm *sm, uint64_t cycle)
{
	struct mech_sm_live_stats live;
	struct seen *stats = sm->stats;
	if (cycle % EVERY == 0) {
		mech_look_at_sm(sm, &live);
		mix(&stats->hash, &live, sizeof live);
	}
	return cycle + EVERY - cycle % EVERY;
}

static void see_access(struct mech_partition *partition, const struct mech_access *access)
{
	struct mech_partition_live_stats live;
	struct seen *stats = partition->stats;
	(void)access;
	mech_look_at_partition(partition, &live);
	mix(&stats->hash, &live, sizeof live);
}

static uint64_t see_all(struct mech_gpu *gpu, uint64_t cycle)
{
	struct seen *stats = gpu->stats;
	for (uint32_t i = 0; i < gpu->machine->sms; i++) {
		struct mech_sm_live_stats live;
		mech_look_at_sm(mech_part(gpu, i), &live);
		mix(&stats->hash, &live, sizeof live);
	}
	for (uint32_t i = 0; i < gpu->machine->partitions; i++) {
		struct mech_partition_live_stats live;
		mech_look_at_partition(mech_partition_part(gpu, i), &live);
		mix(&stats->hash, &live, sizeof live);
	}
	return cycle + 11;
}

static const struct base_counter seen_counters[] = {
	{"hash", "", BASE_SCOPE_GPU, offsetof(struct seen, hash), "", BASE_COMBINE_SUM},
};

static const struct mech seer = {.version = MECH_VERSION,
                                 .name = "seer",
                                 .counters = seen_counters,
                                 .counter_count = 1,
                                 .stats_size = sizeof(struct seen),
                                 .cycle = see_sm,
                                 .partition_access = see_access,
                                 .gpu_cycle = see_all};

static uint64_t hash_of(const char *sleep, uint32_t threads, struct outcome outcome[BUSY_KERNELS])
{
	static const struct mech *const set[] = {&seer, NULL};
	struct gpu_kit kit;
	uint64_t hash = 0;
	kit_mechanisms = set;
	kit_threads = threads;
	KIT_OPEN(&kit, "sm.count=4", "l2.sets=8", sleep);
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		kit_load(&kit, busy_kernels[i]);
		outcome[i].cycles = kit_run(&kit, 18, 256);
		outcome[i].stats = kit.run.stats;
		uint64_t value = kit_counter(&kit, 0, "hash");
		mix(&hash, &value, sizeof value);
	}
	kit_close(&kit);
	kit_mechanisms = NULL;
	kit_threads = 1;
	return hash;
}

static void test_same(void **state)
{
	static const char *const options[] = {"sm.count=4", "l2.sets=8", NULL};
	static const struct {
		const char *sleep;
		uint32_t threads;
	} ways[] = {{"launch.sleep=true", 1},
	            {"launch.sleep=false", 1},
	            {"launch.sleep=true", 2},
	            {"launch.sleep=true", 4},
	            {"launch.sleep=false", 4}};
	struct outcome without[BUSY_KERNELS], with[BUSY_KERNELS];
	uint8_t *memory = malloc(BUSY_BYTES);
	uint64_t first = 0;
	(void)state;
	run_busy(options, without, memory);
	free(memory);
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		uint64_t hash = hash_of(ways[w].sleep, ways[w].threads, with);
		first = w ? first : hash;
		assert_int_equal(hash, first);
		for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
			assert_int_equal(with[i].cycles, without[i].cycles);
			compare_stats(&without[i].stats, &with[i].stats, "looked at", i);
		}
	}
}

/* --- what they report of a waiting load, and what is left at the end --- */

static struct {
	struct mech_sm_live_stats waiting, last;
	struct mech_partition_live_stats memory[64];
	uint64_t begin; /* of the kernel, plus one */
} load_seen;

/* Two warps each wait for a line from DRAM. WATCHED cycles after the launch both requests are below the SM, and nothing
 * else is. */
static uint64_t watch_load(struct mech_gpu *gpu, uint64_t cycle)
{
	load_seen.begin = load_seen.begin ? load_seen.begin : cycle + 1;
	mech_look_at_sm(mech_part(gpu, 0), &load_seen.last);
	if (cycle + 1 == load_seen.begin + WATCHED)
		load_seen.waiting = load_seen.last;
	for (uint32_t i = 0; i < gpu->machine->partitions; i++)
		mech_look_at_partition(mech_partition_part(gpu, i), &load_seen.memory[i]);
	return cycle + 1;
}

static const struct mech watcher = {.version = MECH_VERSION, .name = "watcher", .gpu_cycle = watch_load};

static void test_load(void **state)
{
	static const struct mech *const set[] = {&watcher, NULL};
	struct gpu_kit kit;
	uint64_t reads = 0, data_cycles = 0, misses = 0;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1", "l1i.sets=64");
	kit.param = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
	               "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1; exit;");
	kit_run(&kit, 1, BLOCK); /* the caches now hold the code; the data are at other addresses */
	kit.param = kit_buffer(&kit, NULL, 1024);
	load_seen.begin = 0;
	kit_run(&kit, 1, BLOCK);
	const struct mech_sm_live_stats *f = &load_seen.waiting;
	assert_int_equal(f->blocks, 1);
	assert_int_equal(f->live_warps, 2);
	assert_int_equal(f->warps_load, 2);
	assert_int_equal(f->l1_mshrs, 2);
	assert_int_equal(f->instructions_in_flight, 2);
	assert_int_equal(f->l1_miss_queue + f->network_flits + f->stores_in_flight + f->atomics_in_flight, 0);
	assert_true(f->stack_load > 0 && f->stack_dram == 0);
	assert_int_equal(load_seen.last.stack_load, 0);
	assert_int_equal(load_seen.last.stack_dram, kit.run.stats.sm.stack_dram);
	assert_int_equal(load_seen.last.warp_instructions, kit.run.stats.sm.warp_instructions);
	for (uint32_t i = 0; i < kit.gpu->slices; i++) {
		const struct mech_partition_live_stats *memory = &load_seen.memory[i];
		misses += memory->l2_misses;
		assert_int_equal(memory->l2_mshrs + memory->dram_queue + memory->dram_transfers, 0);
		if (i % kit.machine.map.slices_per_channel)
			continue;
		reads += memory->dram_reads;
		data_cycles += memory->dram_data_cycles;
	}
	assert_int_equal(misses, kit.run.stats.l2.misses);
	assert_int_equal(reads, kit.run.stats.dram.reads);
	assert_int_equal(data_cycles, kit.run.stats.dram.data_cycles);
	assert_true(reads > 0);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* --- a mistake --- */

static void look_late(struct mech_sm *sm)
{
	struct mech_sm_live_stats live;
	mech_look_at_sm(sm, &live);
}

static void look_late_at_memory(struct mech_gpu *gpu)
{
	struct mech_partition_live_stats live;
	mech_look_at_partition(mech_partition_part(gpu, 0), &live);
}

static void expect_mistake(const struct mech *mech, const char *words)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_load(&kit, "exit;");
	kit_start(&kit, 1, BLOCK);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	if (!strstr(kit.run.message, words))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

static void test_too_late(void **state)
{
	static const struct mech late = {.version = MECH_VERSION, .name = "late", .kernel_end = look_late};
	static const struct mech memory = {
		.version = MECH_VERSION, .name = "late", .gpu_kernel_end = look_late_at_memory};
	(void)state;
	expect_mistake(&late, "hook kernel_end, SM 0, cycle");
	expect_mistake(&late, "mech_look_at_sm() while no kernel runs");
	expect_mistake(&memory, "mech_look_at_partition() while no kernel runs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_too_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
