/* Protects the read-only hooks of the seam. They report exactly the events that the machine's own counters count, and
 * they change nothing.
 * See test_seam_vetoes for vetoes, test_seam_picks for picks and test_seam_requests for requests. */
#include "busy_kit.h"

#define LOOKS(X)                                                                                                       \
	X(kernels_begun)                                                                                               \
	X(kernels_ended)                                                                                               \
	X(begun)                                                                                                       \
	X(ended)                                                                                                       \
	X(issues)                                                                                                      \
	X(lanes)                                                                                                       \
	X(transactions)                                                                                                \
	X(accesses)                                                                                                    \
	X(hits)                                                                                                        \
	X(misses)                                                                                                      \
	X(merged)                                                                                                      \
	X(past_l1)                                                                                                     \
	X(local)                                                                                                       \
	X(fills)                                                                                                       \
	X(not_demanded)                                                                                                \
	X(slice_accesses)                                                                                              \
	X(slice_hits)                                                                                                  \
	X(gpu_blocks)                                                                                                  \
	X(gpu_kernels_begun)                                                                                           \
	X(gpu_kernels_ended)                                                                                           \
	X(calls)                                                                                                       \
	X(gpu_calls)                                                                                                   \
	X(wrong)

struct looks {
#define X(name) uint64_t name;
	LOOKS(X)
#undef X
};

static const struct base_counter look_counters[] = {
#define X(name) {#name, "", BASE_SCOPE_SM, offsetof(struct looks, name), "", BASE_COMBINE_SUM},
	LOOKS(X)
#undef X
};

enum { PERIOD = 97 };

struct look_sm {
	struct mech_block block[8]; /* by slot */
	uint64_t resident;          /* bit mask of slots */
	uint64_t due;               /* the next cycle hook; MECH_NEVER: no call yet since the SM was last empty */
};

struct look_gpu {
	uint64_t due, last_block;
};

static void look_kernel_begin(struct mech_sm *sm)
{
	((struct looks *)sm->stats)->kernels_begun++;
	((struct looks *)sm->stats)->wrong += !sm->launch || sm->launch->grid.x != 18 || sm->launch->warps != 8;
	((struct look_sm *)sm->state)->due = MECH_NEVER;
}

static void look_kernel_end(struct mech_sm *sm)
{
	((struct looks *)sm->stats)->kernels_ended++;
	((struct looks *)sm->stats)->wrong += !sm->launch || ((struct look_sm *)sm->state)->resident;
}

static void look_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct look_sm *own = sm->state;
	struct looks *looks = sm->stats;
	looks->begun++;
	looks->wrong += (own->resident >> block->slot & 1) || block->warps != 8 ||
	                block->first_warp != 8 * block->slot || block->index.x != block->number;
	own->resident |= 1ull << block->slot;
	own->block[block->slot] = *block;
}

static void look_block_end(struct mech_sm *sm, const struct mech_block *block)
{
	struct look_sm *own = sm->state;
	struct looks *looks = sm->stats;
	looks->ended++;
	looks->wrong += !(own->resident >> block->slot & 1) || own->block[block->slot].number != block->number ||
	                block->cycle <= own->block[block->slot].cycle;
	own->resident &= ~(1ull << block->slot);
	if (!own->resident)
		own->due = MECH_NEVER;
}

static void look_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct look_sm *own = sm->state;
	struct looks *looks = sm->stats;
	looks->issues++;
	looks->lanes += (uint64_t)__builtin_popcount(issue->lanes);
	looks->wrong += !(own->resident >> issue->block & 1) || issue->warp / 8 != issue->block ||
	                issue->warp % sm->machine->schedulers != issue->scheduler ||
	                issue->pc >= sm->launch->instructions;
}

static void look_memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	struct looks *looks = sm->stats;
	looks->transactions += memory->transactions;
	for (uint32_t i = 1; i < memory->transactions && memory->kind != MECH_ATOMIC; i++)
		looks->wrong += memory->transaction[i].address == memory->transaction[i - 1].address;
	looks->wrong += memory->warp_of_block != memory->warp % 8;
}

static void look_access(struct mech_sm *sm, const struct mech_access *access)
{
	struct looks *looks = sm->stats;
	looks->accesses++;
	looks->hits += access->result == MECH_HIT;
	looks->misses += access->result == MECH_MISS;
	looks->merged += access->result == MECH_MERGED;
	looks->past_l1 += access->result == MECH_BYPASS_L1;
	looks->local += access->local;
	looks->wrong += access->sm != sm->sm || access->result == MECH_BUFFER_HIT;
}

static void look_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	struct looks *looks = sm->stats;
	looks->fills++;
	looks->not_demanded += !fill->demanded;
}

static uint64_t look_cycle(struct mech_sm *sm, uint64_t cycle)
{
	struct look_sm *own = sm->state;
	struct looks *looks = sm->stats;
	looks->calls++;
	looks->wrong += own->due != MECH_NEVER && cycle > own->due;
	if (!own->resident)
		return MECH_NEVER;
	if (own->due == MECH_NEVER || cycle == own->due)
		own->due = cycle + PERIOD;
	return own->due;
}

static void look_gpu_begin(struct mech_gpu *gpu)
{
	struct look_gpu *own = gpu->state;
	((struct looks *)gpu->stats)->gpu_kernels_begun++;
	own->due = 0;
	own->last_block = MECH_NEVER - 1;
}

static void look_gpu_end(struct mech_gpu *gpu)
{
	((struct looks *)gpu->stats)->gpu_kernels_ended++;
}

static void look_gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	struct look_gpu *own = gpu->state;
	struct looks *looks = gpu->stats;
	const struct look_sm *at = mech_part(gpu, block->sm)->state;
	looks->wrong += !(at->resident >> block->slot & 1) || block->number != looks->gpu_blocks;
	looks->gpu_blocks++;
	own->last_block = block->cycle;
}

/* Checks that the hook runs when it is due, in the kernel's first cycle or after a block's start, and at no other
 * time. */
static uint64_t look_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	struct look_gpu *own = gpu->state;
	struct looks *looks = gpu->stats;
	looks->gpu_calls++;
	looks->wrong += own->due && cycle != own->due && cycle != own->last_block + 1;
	if (!own->due || cycle == own->due)
		own->due = cycle + PERIOD;
	return own->due;
}

static void look_partition(struct mech_partition *partition, const struct mech_access *access)
{
	struct looks *looks = partition->stats;
	looks->slice_accesses++;
	looks->slice_hits += access->result == MECH_HIT;
}

static const struct mech looker = {
	.version = MECH_VERSION,
	.name = "looker",
	.counters = look_counters,
	.counter_count = sizeof look_counters / sizeof *look_counters,
	.stats_size = sizeof(struct looks),
	.gpu_size = sizeof(struct look_gpu),
	.sm_size = sizeof(struct look_sm),
	.partition_size = 1,
	.gpu_kernel_begin = look_gpu_begin,
	.gpu_kernel_end = look_gpu_end,
	.gpu_block = look_gpu_block,
	.gpu_cycle = look_gpu_cycle,
	.kernel_begin = look_kernel_begin,
	.kernel_end = look_kernel_end,
	.block_begin = look_block_begin,
	.block_end = look_block_end,
	.issue = look_issue,
	.memory = look_memory,
	.access = look_access,
	.fill = look_fill,
	.cycle = look_cycle,
	.partition_access = look_partition,
};

static const struct mech *const only_looker[] = {&looker, NULL};

static void check_looks(const struct gpu_kit *kit, const struct looks *looks, uint32_t sms)
{
	const struct gpu_stats *stats = &kit->run.stats;
	assert_int_equal(looks->wrong, 0);
	assert_int_equal(looks->kernels_begun, sms);
	assert_int_equal(looks->kernels_ended, sms);
	assert_int_equal(looks->gpu_kernels_begun, 1);
	assert_int_equal(looks->gpu_kernels_ended, 1);
	assert_int_equal(looks->begun, 18);
	assert_int_equal(looks->ended, 18);
	assert_int_equal(looks->gpu_blocks, 18);
	assert_int_equal(looks->issues, stats->sm.warp_instructions);
	assert_int_equal(looks->lanes, stats->sm.thread_instructions);
	assert_int_equal(looks->accesses, looks->transactions);
	assert_int_equal(looks->accesses - looks->past_l1, stats->l1d.accesses);
	assert_int_equal(looks->hits, stats->l1d.hits);
	assert_int_equal(looks->misses, stats->l1d.misses);
	assert_int_equal(looks->merged, stats->l1d.merged);
	assert_true(!stats->sm.local_accesses == !looks->local);
	assert_int_equal(looks->fills, stats->l1d.fills);
	assert_int_equal(looks->not_demanded, 0);
	assert_int_equal(looks->slice_accesses, stats->l2.accesses);
	assert_int_equal(looks->slice_hits, stats->l2.hits);
	assert_true(looks->calls >= kit->run.cycles / PERIOD);
	assert_true(looks->gpu_calls >= kit->run.cycles / PERIOD);
}

/* Hooks report what happened, on machines of several shapes, and change nothing. */
static void test_looks(void **state)
{
	static const char *const shapes[][5] = {
		{NULL},
		{"sm.l1_latency=35", "l1d.mshrs=2", NULL},
		{"launch.sleep=false", "sm.count=4", NULL},
		{"l1d.sectors=4", "clock.l2=350", "sm.warp_order=two_level", NULL},
		{"sm.global_skips_l1=true", "sm.warp_order=lrr", NULL},
	};
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct outcome without[BUSY_KERNELS];
		uint8_t *memory = malloc(BUSY_BYTES);
		struct gpu_kit kit;
		kit_mechanisms = NULL;
		run_busy(shapes[s], without, memory);
		kit_mechanisms = only_looker;
		kit_open(&kit, shapes[s]);
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
			struct looks looks;
			kit_load(&kit, busy_kernels[i]);
			assert_int_equal(kit_run(&kit, 18, 256), without[i].cycles);
			compare_stats(&without[i].stats, &kit.run.stats, "looked at", i);
			kit_mech_stats(&kit, 0, &looks, sizeof looks);
			check_looks(&kit, &looks, kit.machine.sms);
		}
		assert_memory_equal(simt_host(kit.gpu->memory, kit.param), memory, BUSY_BYTES);
		kit_close(&kit);
		free(memory);
	}
	kit_mechanisms = NULL;
}

enum { CLASSES = MECH_EXIT + 1 };

static uint32_t issues_of_class[CLASSES]; /* one SM, one host thread */

static void count_class(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	issues_of_class[issue->type]++;
}

static const struct mech classifier = {
	.version = MECH_VERSION,
	.name = "classifier",
	.sm_size = 1,
	.issue = count_class,
};

static const struct mech *const only_classifier[] = {&classifier, NULL};

/* Every issue is reported with its instruction class: divisions and special functions are not arithmetic, parameter
 * accesses are memory. */
static void test_classes(void **state)
{
	static const uint32_t want[CLASSES] = {
		[MECH_ARITHMETIC] = 3, [MECH_SPECIAL] = 4, [MECH_MEMORY] = 5, [MECH_BRANCH] = 1,
		[MECH_BARRIER] = 1,    [MECH_FENCE] = 1,   [MECH_EXIT] = 1};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = only_classifier;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, 1);
	kit_load(&kit,
	         "mov.u32 %r1, 7; add.u32 %r2, %r1, 1; fma.rn.f32 %f1, %f2, %f3, %f4;\n"
	         "div.u32 %r3, %r2, 3; div.rn.f64 %fd1, %fd2, %fd3; sqrt.rn.f32 %f5, %f1; sin.approx.f32 %f6, %f5;\n"
	         "ld.global.u32 %r4, [%rd0]; st.global.u32 [%rd0], %r4; atom.global.add.u32 %r5, [%rd0], 1;\n"
	         "st.shared.u32 [0], %r5; bra NEXT; NEXT: bar.sync 0; membar.gl; exit;");
	kit_run(&kit, 1, 32);
	for (uint32_t class = 0; class < CLASSES; class ++)
		assert_int_equal(issues_of_class[class], want[class]);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
