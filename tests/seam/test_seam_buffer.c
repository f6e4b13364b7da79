/* Protects the cost and the size of a buffer in front of L1 that is in shared memory. */
#include "request_kit.h"

/* A buffer in shared memory that is filled at once at each block's begin, with the data at the kernel's parameter.
 * Counts the accesses that hit it. */
static uint64_t put_address;
static uint32_t put_bytes;

static void put_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	mech_put(sm, put_address, put_bytes, block->slot);
}

static void put_access(struct mech_sm *sm, const struct mech_access *access)
{
	*(uint64_t *)sm->stats += access->result == MECH_BUFFER_HIT;
}

static struct mech_buffer put_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	return (struct mech_buffer){.sets = 4, .in_shared = true, .bytes = machine->shared_bytes};
}

static const struct base_counter put_counters[] = {{"hits", "", BASE_SCOPE_SM, 0, "", BASE_COMBINE_SUM}};

static const struct mech putter = {
	.version = MECH_VERSION,
	.name = "putter",
	.counters = put_counters,
	.counter_count = 1,
	.stats_size = sizeof(uint64_t),
	.policies = MECH_POLICY_BUFFER,
	.buffer = put_buffer,
	.block_begin = put_block_begin,
	.access = put_access,
};

static const struct mech *const only_putter[] = {&putter, NULL};

static uint64_t buffer_hits(const struct gpu_kit *kit)
{
	uint64_t hits;
	kit_mech_stats(kit, 0, &hits, sizeof hits);
	return hits;
}

/* A chain of loads that hit the buffer takes as long as one through shared memory, whatever the buffer's latency. */
static void test_buffer_costs_shared_latency(void **state)
{
	static const char *const latencies[] = {"sm.shared_latency=3", "sm.shared_latency=24"};
	(void)state;
	kit_mechanisms = only_putter;
	for (size_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, latencies[i]);
		uint64_t self = 0;
		kit.param = kit_buffer(&kit, &self, 1);
		memcpy(simt_host(kit.gpu->memory, kit.param), &kit.param, 8);
		put_address = kit.param;
		put_bytes = 32;
		uint64_t global = kit_cost(&kit, "mov.u64 %rd1, %rd0;", "ld.global.u64 %rd1, [%rd1];", 10, WARP);
		assert_int_equal(buffer_hits(&kit), 20);
		assert_int_equal(kit.run.stats.l1d.accesses, 0);
		uint64_t shared = kit_cost(&kit, "mov.u64 %rd1, 0;", "ld.shared.u64 %rd1, [%rd1];", 10, WARP);
		assert_int_equal(global, shared);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* The buffer cannot use memory that blocks have allocated. Of 48 KB, two blocks of 24 KB leave nothing. One block
 * leaves 24 KB, which hold the last 192 of 256 lines. When the second block ends, its half becomes free again. */
static void test_buffer_in_shared(void **state)
{
	static const struct {
		uint32_t blocks_per_sm, blocks, lines;
		uint64_t hits;
	} row[] = {{1, 1, 192, 192}, {1, 1, 256, 192}, {2, 2, 256, 0}, {1, 2, 256, 2 * 192}};
	(void)state;
	kit_mechanisms = only_putter;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, "launch.spread_small_grids=false");
		kit.param = kit_buffer(&kit, NULL, 256 * LINE / 8);
		put_address = kit.param;
		put_bytes = row[i].lines * LINE;
		kit.run.blocks_per_sm = row[i].blocks_per_sm;
		kit_load(&kit, "mov.u32 %r2, 256; mov.u64 %rd1, %rd0;\n"
		               "AGAIN: ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 128; sub.u32 %r2, %r2, 1;\n"
		               "setp.gt.u32 %p1, %r2, 0; @%p1 bra AGAIN; exit;");
		kit_run(&kit, row[i].blocks, WARP);
		assert_int_equal(buffer_hits(&kit), row[i].hits);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffer_costs_shared_latency),
		cmocka_unit_test(test_buffer_in_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
