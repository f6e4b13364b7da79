/* Protects the idealised machines: the costs of a perfect L1 and of a memory without latency, and that no request
 * bypasses them. test_gpu shows that they change no result. The cycles are those of test_sm and test_gpu. */
#include "gpu_kit.h"

enum {
	WARP = 32,
	TO_LSU = 4, /* from issue to the load/store unit, where a hit is answered */
	MISS_QUEUE = 1,
	SEEN = 1,    /* from the sending until it is seen at the port of the replies */
	WRITTEN = 2, /* ... until the register is written */
};

#define ONE_SM "sm.count=1", "l1i.sets=64"

enum { NODES = 20 };

/* Returns the cost of a load in a chain whose nodes are all in different lines, none of which L1 holds. */
static uint64_t chase(struct gpu_kit *kit, const char *load)
{
	enum { APART = 512 };
	uint64_t value[NODES * APART / 8] = {0};
	kit->param = kit_buffer(kit, value, NODES * APART / 8);
	for (uint64_t i = 0; i < NODES; i++)
		value[i * APART / 8] = kit->param + (i + 1) % NODES * APART;
	memcpy(simt_host(kit->gpu->memory, kit->param), value, sizeof value);
	uint64_t cost = kit_cost(kit, "mov.u64 %rd1, %rd0;", load, NODES / 2, WARP);
	assert_int_equal(cost % (NODES / 2), 0);
	return cost / (NODES / 2);
}

/* Every load hits, even one that asks to bypass L1, and one of a machine whose loads all bypass it. */
static void test_perfect_l1_loads(void **state)
{
	static const char *const loads[] = {"ld.global.u64 %rd1, [%rd1];", "ld.global.cg.u64 %rd1, [%rd1];",
	                                    "ld.global.cv.u64 %rd1, [%rd1];"};
	static const struct {
		const char *option;
		uint64_t latency;
	} row[] = {{"sm.l1_latency=0", 0}, {"sm.l1_latency=35", 35}, {"sm.global_skips_l1=true", 0}};
	(void)state;
	for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
		for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++) {
			struct gpu_kit kit;
			KIT_OPEN(&kit, ONE_SM, "sm.perfect_l1=true", row[r].option, "l1d.sets=1", "l1d.ways=1");
			assert_int_equal(chase(&kit, loads[l]), TO_LSU + row[r].latency);
			assert_int_equal(kit.run.stats.l1d.accesses, NODES);
			assert_int_equal(kit.run.stats.l1d.hits, NODES);
			kit_close(&kit);
		}
	}
}

/* Stores of global and local memory end in L1, too, so a fence has nothing to wait for. Atomics do not. The only other
 * requests to L2 are for code and parameters. */
static void test_perfect_l1_sends_nothing(void **state)
{
	static const struct {
		const char *body;
		uint32_t l1, l2;
	} row[] = {
		{"st.global.u32 [%rd1], %r1; membar.gl; ld.global.u32 %r2, [%rd1]; exit;", 2 * WARP, 0},
		{".local .u32 mine[64]; mov.u64 %rd2, mine; st.local.u32 [%rd2], %r1; ld.local.u32 %r2, [%rd2]; exit;",
	         2, 0},
		{"atom.global.add.u32 %r2, [%rd1], 1; exit;", 0, WARP},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct gpu_kit kit;
		char body[512];
		KIT_OPEN(&kit, ONE_SM, "sm.perfect_l1=true");
		kit.param = kit_buffer(&kit, NULL, WARP * 128 / 8);
		snprintf(body, sizeof body,
		         "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, 128; add.u64 %%rd1, %%rd1, %%rd0;\n%s",
		         row[i].body);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARP);
		const struct gpu_stats *s = &kit.run.stats;
		assert_int_equal(s->l1d.accesses, row[i].l1);
		assert_int_equal(s->l1d.hits, row[i].l1);
		assert_true(s->l1i.misses > 0 && s->l1c.misses > 0);
		assert_int_equal(s->l2.accesses, s->l1i.misses + s->l1c.misses + row[i].l2);
		kit_close(&kit);
	}
}

static void nothing_beyond(const struct gpu_stats *s)
{
	assert_int_equal(s->request_network.packets, 0);
	assert_int_equal(s->reply_network.packets, 0);
	assert_int_equal(s->l2.accesses, 0);
	assert_int_equal(s->dram.reads + s->dram.writes, 0);
}

/* The reply to a miss arrives in the cycle after its sending. A load that bypasses L1 has no miss queue on its path and
 * is one cycle faster. */
static void test_zero_latency_loads(void **state)
{
	static const struct {
		const char *load;
		uint64_t cycles, misses;
	} row[] = {
		{"ld.global.u64 %rd1, [%rd1];", TO_LSU + MISS_QUEUE + SEEN + WRITTEN, NODES},
		{"ld.global.cg.u64 %rd1, [%rd1];", TO_LSU + SEEN + WRITTEN, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, "sm.zero_latency_memory=true", "l1d.sets=1", "l1d.ways=1");
		assert_int_equal(chase(&kit, row[i].load), row[i].cycles);
		assert_int_equal(kit.run.stats.l1d.misses, row[i].misses);
		nothing_beyond(&kit.run.stats);
		kit_close(&kit);
	}
}

/* Everything that an SM sends is answered, from cold caches on: code, parameters, stores, atomics, local write-backs.
 * This also holds while replies wait at a full port for lines that L1 fills in four cycles each. */
static void test_zero_latency_sends_nothing(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, "sm.count=1", "sm.zero_latency_memory=true", "l1d.sets=8", "l1d.port_bytes=32", "l1i.sets=1",
	         "network.boundary_flits=5");
	kit.param = kit_buffer(&kit, NULL, 8 * WARP * 128 / 8);
	kit_load(&kit, ".local .u32 mine[64];\n"
	               "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 128; add.u64 %rd1, %rd1, %rd0;\n"
	               "atom.global.add.u32 %r2, [%rd1], %r1; membar.gl; ld.global.u32 %r3, [%rd1];\n"
	               "mov.u64 %rd2, mine; st.local.u32 [%rd2], %r3; ld.local.u32 %r4, [%rd2];\n"
	               "st.local.u32 [%rd2], %r4; ld.local.u32 %r4, [%rd2]; add.u32 %r4, %r4, %r3; st.global.u32 "
	               "[%rd1+4], %r4; exit;");
	kit_run(&kit, 1, 8 * WARP);
	const struct gpu_stats *s = &kit.run.stats;
	nothing_beyond(s);
	assert_true(s->l1i.misses > 0 && s->l1c.misses > 0 && s->l1d.misses > 0 && s->l1d.writebacks > 0);
	assert_int_equal(s->sm.network_full, 0);
	const uint32_t *word = simt_host(kit.gpu->memory, kit.param);
	for (uint32_t t = 0; t < 8 * WARP; t++) {
		assert_int_equal(word[32 * t], t);
		assert_int_equal(word[32 * t + 1], 2 * t);
	}
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfect_l1_loads),
		cmocka_unit_test(test_perfect_l1_sends_nothing),
		cmocka_unit_test(test_zero_latency_loads),
		cmocka_unit_test(test_zero_latency_sends_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
