/* Protects visits between cycles, the basis of samples. They occur in the requested cycles, even while the whole
 * machine sleeps. The counters that they see do not depend on sleep or on host threads, grow up to the kernel's
 * statistics, and do not change these. */
#include "busy_kit.h"

#include "gpu/stats.h"

enum { EVERY = 50, MOST = 2000 };

struct seen {
	struct gpu *gpu;
	struct gpu_stats stats[MOST];
	uint64_t cycle[MOST], ended;
	uint32_t count;
};

static uint64_t see(void *user, uint64_t cycle)
{
	struct seen *seen = user;
	assert_true(seen->count < MOST && !seen->ended);
	stats_collect(seen->gpu, &seen->stats[seen->count]);
	seen->cycle[seen->count++] = cycle;
	return cycle + EVERY;
}

static void see_end(void *user, uint64_t cycles)
{
	struct seen *seen = user;
	struct gpu_stats stats;
	stats_collect(seen->gpu, &stats);
	assert_true(cycles >= seen->cycle[seen->count - 1]);
	seen->ended = cycles;
	seen->stats[seen->count] = stats;
}

static void run_seen(const char *clock, const char *sleep, uint32_t threads, struct seen seen[BUSY_KERNELS],
                     struct outcome outcome[BUSY_KERNELS])
{
	struct gpu_kit kit;
	kit_threads = threads;
	KIT_OPEN(&kit, "sm.count=4", "l2.sets=8", clock, sleep);
	kit_threads = 1;
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		seen[i].count = 0;
		seen[i].ended = 0;
		seen[i].gpu = kit.gpu;
		kit.run.visitor = (struct gpu_visitor){&seen[i], see, see_end};
		kit_load(&kit, busy_kernels[i]);
		outcome[i].cycles = kit_run(&kit, 18, 256);
		outcome[i].stats = kit.run.stats;
	}
	kit_close(&kit);
}

static void expect_same(const char *clock)
{
	const char *const options[] = {"sm.count=4", "l2.sets=8", clock, NULL};
	static const struct {
		const char *sleep;
		uint32_t threads;
	} ways[] = {{"launch.sleep=false", 1},
	            {"launch.sleep=true", 1},
	            {"launch.sleep=true", 2},
	            {"launch.sleep=true", 4}};
	struct outcome without[BUSY_KERNELS], with[BUSY_KERNELS];
	struct seen *first = calloc(BUSY_KERNELS, sizeof *first), *seen = calloc(BUSY_KERNELS, sizeof *seen);
	uint8_t *memory = malloc(BUSY_BYTES);
	assert_true(first && seen && memory);
	run_busy(options, without, memory);
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct seen *now = w ? seen : first;
		run_seen(clock, ways[w].sleep, ways[w].threads, now, with);
		for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
			assert_int_equal(with[k].cycles, without[k].cycles);
			compare_stats(&without[k].stats, &with[k].stats, "visited", k);
			assert_int_equal(now[k].ended, without[k].cycles);
			assert_int_equal(now[k].count, (without[k].cycles + EVERY) / EVERY);
			compare_stats(&without[k].stats, &now[k].stats[now[k].count], "at the end", k);
			for (uint32_t i = 0; i < now[k].count; i++) {
				assert_int_equal(now[k].cycle[i], i * EVERY);
				compare_stats(&first[k].stats[i], &now[k].stats[i], "in a visit", k);
			}
		}
	}
	free(memory);
	free(seen);
	free(first);
}

/* Includes core cycles that pass while all units wait for the next L2 cycle. */
static void test_same(void **state)
{
	(void)state;
	expect_same("clock.l2=700");
	expect_same("clock.l2=200");
}

/* The counters that a visit sees are consistent. All slots of all earlier cycles are charged, except those that still
 * wait for a load, and every instruction is counted on one pipe. */
static uint64_t add_up(void *user, uint64_t cycle)
{
	struct gpu *gpu = user;
	struct gpu_stats stats;
	uint64_t waiting = 0;
	stats_collect(gpu, &stats);
	for (uint32_t s = 0; s < gpu->machine.sms; s++)
		for (uint32_t w = 0; w < gpu->machine.sm.warps; w++)
			waiting += gpu->sm[s].warp[w].waited;
	assert_int_equal(stats_stack_slots(&stats.sm) + waiting, cycle * gpu->machine.sms * gpu->machine.sm.schedulers);
	assert_int_equal(stats.sm.warp_instructions,
	                 stats.sm.sp_instructions + stats.sm.sfu_instructions + stats.sm.mem_instructions);
	return cycle + 1;
}

static void test_adds_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, "sm.count=2");
		kit.run.visitor = (struct gpu_visitor){.user = kit.gpu, .visit = add_up};
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		kit_load(&kit, busy_kernels[i]);
		kit_run(&kit, 6, 256);
		kit_close(&kit);
	}
}

/* Only a mechanism's hook extends the kernel. Visits are in time while blocks are still to start. When all have ended,
 * no visit comes after the kernel's end or is missing from its statistics. */
enum { OPENS = 3000, HELD = 2 };

static uint64_t wake_late(struct mech_gpu *gpu, uint64_t cycle)
{
	uint64_t *now = gpu->state;
	*now = cycle;
	return cycle < OPENS ? OPENS : cycle + 10 * OPENS;
}

static bool open_late(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	return dispatch->block < HELD || *(uint64_t *)gpu->state >= OPENS;
}

static const struct mech late = {.version = MECH_VERSION,
                                 .name = "late",
                                 .gpu_size = sizeof(uint64_t),
                                 .gpu_cycle = wake_late,
                                 .may_dispatch = open_late};

static void test_idle(void **state)
{
	static const struct mech *const set[] = {&late, NULL};
	struct seen *seen = calloc(1, sizeof *seen);
	struct gpu_kit kit;
	(void)state;
	assert_non_null(seen);
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_mechanisms = NULL;
	seen->gpu = kit.gpu;
	kit.run.visitor = (struct gpu_visitor){seen, see, see_end};
	kit_load(&kit, "exit;");
	uint64_t cycles = kit_run(&kit, HELD + 1, 32);
	assert_true(cycles > OPENS && cycles < 2 * OPENS);
	assert_int_equal(seen->ended, cycles);
	for (uint32_t i = 0; i < seen->count; i++)
		assert_int_equal(seen->cycle[i], i * EVERY);
	assert_true(seen->count > OPENS / EVERY);
	kit_close(&kit);
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_idle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
