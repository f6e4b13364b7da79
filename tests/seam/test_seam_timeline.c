/* Protects the events of a timeline. They are taken in the order of the parts, independent of sleep and of the number
 * of host threads. A block's event spans its residence. Nothing is stored without a timeline or beyond its capacity.
 * Mistakes are reported. Events never change the simulation. */
#include "busy_kit.h"

enum { MOST = 1 << 20, BLOCKS = 18, EVERY = 500 };

enum { ISSUED, LOOKED_UP, TICKED, ROWS };

static const struct mech_event_row rows[] = {
	[ISSUED] = {"issued", "an instruction issues", {"pc", "lanes"}},
	[LOOKED_UP] = {"looked_up", "L2 is asked", {"bytes", NULL}},
	[TICKED] = {"ticked", "from a call of the dispatcher's hook to the next", {NULL, NULL}},
};

static void draw_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_draw(sm->output, &(struct mech_event){.row = ISSUED,
	                                           .track = issue->warp,
	                                           .begin = issue->cycle,
	                                           .end = issue->cycle,
	                                           .arguments = {issue->pc, issue->lanes}});
}

static void draw_access(struct mech_partition *partition, const struct mech_access *access)
{
	mech_draw(partition->output, &(struct mech_event){.row = LOOKED_UP,
	                                                  .begin = access->cycle,
	                                                  .end = access->cycle,
	                                                  .arguments = {access->bytes}});
}

static uint64_t draw_tick(struct mech_gpu *gpu, uint64_t cycle)
{
	mech_draw(gpu->output, &(struct mech_event){.row = TICKED, .begin = cycle, .end = cycle + 13});
	return cycle + 13;
}

static const struct mech drawer = {.version = MECH_VERSION,
                                   .name = "drawer",
                                   .events = rows,
                                   .event_count = ROWS,
                                   .issue = draw_issue,
                                   .partition_access = draw_access,
                                   .gpu_cycle = draw_tick};

static const struct mech *const only_drawer[] = {&drawer, NULL};

/* --- which events are taken --- */

struct taken {
	struct gpu *gpu;
	uint64_t hash, blocks, warps, events[ROWS], last_end;
	uint64_t resident; /* cycles of blocks */
	uint32_t last_unit;
};

static void take(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
                 const struct mech_event *event)
{
	struct taken *taken = user;
	const uint64_t all[] = {unit,
	                        index,
	                        number,
	                        event->row,
	                        event->track,
	                        event->begin,
	                        event->end,
	                        event->arguments[0],
	                        event->arguments[1]};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		taken->hash = (taken->hash ^ all[i]) * 0x9e3779b97f4a7c15u + 1;
	assert_true(event->begin <= event->end);
	if (mech) {
		assert_true(mech == &drawer && event->row < ROWS);
		taken->events[event->row]++;
		return;
	}
	assert_true(unit == SEAM_OF_SM && index < taken->gpu->machine.sms);
	taken->blocks++;
	taken->warps += event->arguments[1];
	taken->resident += event->end - event->begin;
	taken->last_end = event->end > taken->last_end ? event->end : taken->last_end;
}

static uint64_t take_some(void *user, uint64_t cycle)
{
	struct taken *taken = user;
	seam_take_events(taken->gpu->seam, &(struct seam_drawer){taken, take});
	return cycle + EVERY;
}

static void take_rest(void *user, uint64_t cycles)
{
	take_some(user, cycles);
}

static void run_taken(const char *sleep, uint32_t threads, uint64_t most, struct taken taken[BUSY_KERNELS],
                      struct outcome outcome[BUSY_KERNELS])
{
	struct gpu_kit kit;
	kit_mechanisms = only_drawer;
	kit_threads = threads;
	KIT_OPEN(&kit, "sm.count=4", "l2.sets=8", sleep);
	kit_threads = 1;
	kit_mechanisms = NULL;
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	seam_draw(kit.gpu->seam, most);
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		taken[i] = (struct taken){.gpu = kit.gpu};
		kit.run.visitor = (struct gpu_visitor){&taken[i], take_some, take_rest};
		kit_load(&kit, busy_kernels[i]);
		outcome[i].cycles = kit_run(&kit, BLOCKS, 256);
		outcome[i].stats = kit.run.stats;
	}
	kit_close(&kit);
}

static void test_same(void **state)
{
	static const char *const options[] = {"sm.count=4", "l2.sets=8", NULL};
	static const struct {
		const char *sleep;
		uint32_t threads;
	} ways[] = {{"launch.sleep=false", 1},
	            {"launch.sleep=true", 1},
	            {"launch.sleep=true", 2},
	            {"launch.sleep=true", 4}};
	struct outcome without[BUSY_KERNELS], with[BUSY_KERNELS];
	struct taken first[BUSY_KERNELS], taken[BUSY_KERNELS];
	uint8_t *memory = malloc(BUSY_BYTES);
	(void)state;
	run_busy(options, without, memory);
	free(memory);
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct taken *now = w ? taken : first;
		run_taken(ways[w].sleep, ways[w].threads, MOST, now, with);
		for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
			const struct gpu_stats *stats = &with[k].stats;
			assert_int_equal(with[k].cycles, without[k].cycles);
			compare_stats(&without[k].stats, stats, "drawn", k);
			assert_int_equal(now[k].hash, first[k].hash);
			assert_int_equal(now[k].blocks, BLOCKS);
			assert_int_equal(now[k].warps, BLOCKS * 256 / 32);
			assert_int_equal(now[k].events[ISSUED], stats->sm.warp_instructions);
			assert_int_equal(now[k].events[LOOKED_UP], stats->l2.accesses);
			assert_true(now[k].events[TICKED] >= now[k].last_end % 1000 / 13);
			/* each of its warps lives no longer than the block is resident */
			assert_true(now[k].resident * 8 >= stats->sm.resident_warp_cycles);
		}
	}
}

/* Each part stores no more events than a timeline can show, and none without a timeline. */
static void test_room(void **state)
{
	struct outcome outcome[BUSY_KERNELS];
	struct taken taken[BUSY_KERNELS];
	(void)state;
	run_taken("launch.sleep=true", 1, 0, taken, outcome);
	for (uint32_t k = 0; k < BUSY_KERNELS; k++)
		assert_int_equal(taken[k].hash | taken[k].blocks | taken[k].events[TICKED], 0);
	run_taken("launch.sleep=true", 1, 2, taken, outcome);
	for (uint32_t k = 0; k < BUSY_KERNELS; k++)
		assert_int_equal(taken[k].events[TICKED] <= 2 * (outcome[k].cycles / EVERY + 2), true);
}

/* --- mistakes --- */

static struct mech_event wrong;

static void draw_wrong(struct mech_sm *sm)
{
	mech_draw(sm->output, &wrong);
}

static void expect_mistake(struct mech_event event, const char *words)
{
	static const struct mech mech = {.version = MECH_VERSION,
	                                 .name = "wrong",
	                                 .events = rows,
	                                 .event_count = ROWS,
	                                 .kernel_begin = draw_wrong};
	static const struct mech *const set[] = {&mech, NULL};
	struct gpu_kit kit;
	wrong = event;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit_mechanisms = NULL;
	kit_load(&kit, "exit;");
	kit_run(&kit, 1, 32); /* without a timeline no event is checked */
	seam_draw(kit.gpu->seam, MOST);
	kit_start(&kit, 1, 32);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	if (!strstr(kit.run.message, words))
		fail_msg("%s", kit.run.message);
	kit_close(&kit);
}

static void test_mistakes(void **state)
{
	(void)state;
	expect_mistake((struct mech_event){.row = ROWS}, "mech_draw() of event 3; the mechanism has 3");
	expect_mistake((struct mech_event){.row = TICKED, .begin = 2, .end = 1},
	               "mech_draw() of ticked, which ends in cycle 1 and begins in 2");
}

static void expect_refused(const struct mech_event_row *events, size_t count, const char *words)
{
	const struct mech mech = {.version = MECH_VERSION,
	                          .name = "wrong",
	                          .summary = "",
	                          .citation = "",
	                          .events = events,
	                          .event_count = count};
	char message[512] = "";
	assert_false(seam_check_tables(&mech, message, sizeof message));
	if (!strstr(message, words))
		fail_msg("%s", message);
}

static void test_tables(void **state)
{
	static const struct mech_event_row twice[] = {{"a", "", {NULL}}, {"a", "", {NULL}}},
					   argument[] = {{"a", "", {"of bytes", NULL}}},
					   unsaid[] = {{"a", NULL, {NULL}}};
	(void)state;
	expect_refused(NULL, 1, "mechanism wrong has no table of its events");
	expect_refused(twice, 2, "event 1 (a): another one has this name");
	expect_refused(argument, 1, "argument 'of bytes'; expected small letters");
	expect_refused(unsaid, 1, "event 0 (a): no meaning");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
