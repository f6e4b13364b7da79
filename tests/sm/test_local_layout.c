/* Protects the addresses of local memory in the memory system, which decide the lines, sets and channels of spills and
 * local arrays. Each transaction of each warp of a small grid is compared with the layouts' definitions. */
#include "gpu_kit.h"
#include "sm/local_memory.h"

enum { SMS = 3, THREADS = 40, BLOCK_WARPS = 2, LINE = 128, MOST = 64 };

/* Stores one word at 4, and a value of two words at 16 and 20. */
static const char body[] = ".local .align 16 .b8 own[64];\n"
			   "mov.u64 %rd1, own; st.local.u32 [%rd1+4], %r1; st.local.u64 [%rd1+16], %rd1; exit;";

struct seen {
	uint32_t sm, block, warp;
	uint64_t address;
	uint32_t bytes;
};

static struct {
	struct seen transaction[MOST];
	uint32_t count;
} told;

static void look(struct mech_sm *sm, const struct mech_memory *memory)
{
	for (uint32_t i = 0; i < memory->transactions; i++) {
		assert_true(told.count < MOST);
		told.transaction[told.count++] = (struct seen){.sm = sm->sm,
		                                               .block = memory->block,
		                                               .warp = memory->warp_of_block,
		                                               .address = memory->transaction[i].address,
		                                               .bytes = memory->transaction[i].bytes};
	}
}

static const struct mech looker = {.version = MECH_VERSION, .name = "looker", .memory = look};
static const struct mech *const only_looker[] = {&looker, NULL};

/* Returns the line of a warp's word, in a layout for `warps` warps. */
static uint64_t line_of(uint32_t word, uint64_t warps, uint64_t warp)
{
	return LOCAL_PHYSICAL_BASE + (word * warps + warp) * LINE;
}

static void check(const char *layout, uint32_t blocks, uint64_t warps_of_all,
                  uint64_t (*warp_of)(const struct gpu_kit *, const struct seen *))
{
	static const uint32_t words[] = {1, 4, 5};
	struct gpu_kit kit;
	uint32_t found[3] = {0};
	told.count = 0;
	kit_mechanisms = only_looker;
	KIT_OPEN(&kit, "sm.count=3", "launch.spread_small_grids=true", layout);
	kit_load(&kit, body);
	kit_run(&kit, blocks, THREADS);
	assert_int_equal(told.count, blocks * BLOCK_WARPS * 3);
	for (uint32_t i = 0; i < told.count; i++) {
		const struct seen *seen = &told.transaction[i];
		uint64_t warps = warps_of_all ? warps_of_all : (uint64_t)SMS * kit.machine.sm.warps, which = 0;
		for (uint32_t w = 0; w < 3; w++)
			if (seen->address == line_of(words[w], warps, warp_of(&kit, seen))) {
				which = 1;
				found[w]++;
			}
		if (!which)
			fail_msg("%s: SM %u, block slot %u, warp %u: a transaction at %#llx", layout, seen->sm,
			         seen->block, seen->warp, (unsigned long long)seen->address);
		assert_int_equal(seen->bytes, seen->warp ? 32 : 128); /* the second warp has 8 threads */
	}
	for (uint32_t w = 0; w < 3; w++)
		assert_int_equal(found[w], blocks * BLOCK_WARPS);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

static uint64_t by_block(const struct gpu_kit *kit, const struct seen *seen)
{
	(void)kit;
	return (seen->block * SMS + seen->sm) * BLOCK_WARPS + seen->warp;
}

static uint64_t by_sm(const struct gpu_kit *kit, const struct seen *seen)
{
	return seen->sm * kit->machine.sm.warps + seen->block * BLOCK_WARPS + seen->warp;
}

/* Two blocks fit an SM: the words of 2 x 3 blocks are interleaved. In a small grid the words of one block per SM
 * are. */
static void test_by_block(void **state)
{
	(void)state;
	check("sm.local_layout=by_block", 7, 2 * SMS * BLOCK_WARPS, by_block);
	check("sm.local_layout=by_block", 1, SMS * BLOCK_WARPS, by_block);
}

/* The layout covers all warps that the machine can have, whatever the grid. */
static void test_by_sm(void **state)
{
	(void)state;
	check("sm.local_layout=by_sm", 7, 0, by_sm);
	check("sm.local_layout=by_sm", 1, 0, by_sm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_block),
		cmocka_unit_test(test_by_sm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
