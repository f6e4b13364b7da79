/* Protects the DRAM hooks of mechanisms. Every command is reported and is valid for its bank. The owner of the DRAM
 * policy sees the waiting requests in order, and the machine serves its pick. The dispatcher can read the partitions'
 * state. */
#include "busy_kit.h"

enum { BANKS = 64 };

/* --- read-only hooks --- */

struct command_stats {
	uint64_t commands[BASE_DRAM_COMMANDS], wrong, seen_by_gpu;
};

#define COUNTER(name)                                                                                                  \
	{                                                                                                              \
#name, "", BASE_SCOPE_SM, offsetof(struct command_stats, name), "", BASE_COMBINE_SUM                   \
	}
static const struct base_counter command_counters[] = {
	{"activates", "", BASE_SCOPE_SM, offsetof(struct command_stats, commands[MECH_ACTIVATE]), "", BASE_COMBINE_SUM},
	{"precharges", "", BASE_SCOPE_SM, offsetof(struct command_stats, commands[MECH_PRECHARGE]), "",
         BASE_COMBINE_SUM},
	{"reads", "", BASE_SCOPE_SM, offsetof(struct command_stats, commands[MECH_READ]), "", BASE_COMBINE_SUM},
	{"writes", "", BASE_SCOPE_SM, offsetof(struct command_stats, commands[MECH_WRITE]), "", BASE_COMBINE_SUM},
	COUNTER(wrong),
	COUNTER(seen_by_gpu),
};

struct banks {
	uint64_t commands, last;
	uint32_t row[BANKS]; /* open row, plus one; 0: none */
};

static void on_command(struct mech_partition *partition, const struct mech_command *command)
{
	struct banks *own = partition->state;
	struct command_stats *stats = partition->stats;
	uint32_t *row = &own->row[command->bank], open = command->command == MECH_ACTIVATE ? 0 : command->row + 1;
	stats->commands[command->command]++;
	stats->wrong += *row != open || command->cycle < own->last;
	own->commands++;
	own->last = command->cycle;
	if (command->command == MECH_ACTIVATE)
		*row = command->row + 1;
	else if (command->command == MECH_PRECHARGE)
		*row = 0;
}

/* After a kernel's end the dispatcher adds up the partitions' counts. */
static void add_up(struct mech_gpu *gpu)
{
	struct command_stats *stats = gpu->stats;
	for (uint32_t i = 0; i < gpu->machine->partitions; i++) {
		struct banks *banks = mech_partition_part(gpu, i)->state;
		stats->seen_by_gpu += banks->commands;
		banks->commands = 0;
	}
}

static const struct mech commands = {.version = MECH_VERSION,
                                     .name = "commands",
                                     .counters = command_counters,
                                     .counter_count = sizeof command_counters / sizeof *command_counters,
                                     .stats_size = sizeof(struct command_stats),
                                     .partition_size = sizeof(struct banks),
                                     .gpu_kernel_end = add_up,
                                     .partition_command = on_command};

static void test_commands(void **state)
{
	static const struct mech *const set[] = {&commands, NULL};
	static const char *const shapes[][4] = {{"l2.sets=8", NULL},
	                                        {"l2.sets=8", "dram.row_beside_column=true", NULL}};
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct outcome without[BUSY_KERNELS];
		uint8_t *memory = malloc(BUSY_BYTES);
		struct gpu_kit kit;
		run_busy(shapes[s], without, memory);
		kit_mechanisms = set;
		kit_open(&kit, shapes[s]);
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
			const struct dram_stats *dram = &kit.run.stats.dram;
			struct command_stats stats;
			kit_load(&kit, busy_kernels[i]);
			assert_int_equal(kit_run(&kit, 18, 256), without[i].cycles);
			compare_stats(&without[i].stats, &kit.run.stats, "looked at", i);
			kit_mech_stats(&kit, 0, &stats, sizeof stats);
			assert_int_equal(stats.wrong, 0);
			assert_int_equal(stats.commands[MECH_ACTIVATE], dram->activates);
			assert_int_equal(stats.commands[MECH_PRECHARGE], dram->precharges);
			assert_int_equal(stats.commands[MECH_READ], dram->reads);
			assert_int_equal(stats.commands[MECH_WRITE], dram->writes);
			assert_int_equal(stats.seen_by_gpu,
			                 dram->activates + dram->precharges + dram->reads + dram->writes);
		}
		kit_close(&kit);
		kit_mechanisms = NULL;
		free(memory);
	}
}

/* --- the scheduler --- */

enum choice { OLDEST, NEWEST, LATER, NONE_THERE, NEVER };

struct choice_config {
	uint32_t choice;
};

static struct choice_config choice_defaults;

struct choice_stats {
	uint64_t chosen, longest, wrong;
};

static const struct base_counter choice_counters[] = {
	{"chosen", "", BASE_SCOPE_SM, offsetof(struct choice_stats, chosen), "", BASE_COMBINE_SUM},
	{"longest", "", BASE_SCOPE_SM, offsetof(struct choice_stats, longest), "", BASE_COMBINE_LARGEST},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct choice_stats, wrong), "", BASE_COMBINE_SUM},
};

enum { OPENS = 4000 };

static uint32_t choose(struct mech_partition *partition, const struct mech_queue *queue)
{
	const struct choice_config *config = partition->config;
	struct choice_stats *stats = partition->stats;
	for (uint32_t i = 1; i < queue->count; i++)
		stats->wrong += queue->waiting[i].arrival <= queue->waiting[i - 1].arrival;
	if (config->choice == NONE_THERE)
		return queue->count;
	if (config->choice == NEVER || (config->choice == LATER && queue->cycle < OPENS))
		return MECH_NOWHERE;
	stats->chosen++;
	stats->longest = queue->count > stats->longest ? queue->count : stats->longest;
	return config->choice == NEWEST ? queue->count - 1 : 0;
}

static const struct mech chooser = {.version = MECH_VERSION,
                                    .name = "chooser",
                                    .config_size = sizeof(struct choice_config),
                                    .defaults = &choice_defaults,
                                    .counters = choice_counters,
                                    .counter_count = 3,
                                    .stats_size = sizeof(struct choice_stats),
                                    .policies = MECH_POLICY_DRAM,
                                    .dram_next = choose};

static void open_chooser(struct gpu_kit *kit, uint32_t choice)
{
	static const struct mech *const set[] = {&chooser, NULL};
	choice_defaults.choice = choice;
	kit_mechanisms = set;
	KIT_OPEN(kit, "l2.sets=8", "launch.watchdog=5000");
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, BUSY_BYTES / 8);
	kit_load(kit, busy_kernels[0]);
}

/* Whatever the policy, each request is served exactly once. Row hits are rarer than with the machine's own
 * scheduler. */
static void test_choices(void **state)
{
	static const char *const options[] = {"l2.sets=8", NULL};
	struct outcome without[BUSY_KERNELS];
	uint8_t *memory = malloc(BUSY_BYTES);
	(void)state;
	run_busy(options, without, memory);
	free(memory);
	for (uint32_t choice = OLDEST; choice <= LATER; choice++) {
		const struct dram_stats *own = &without[0].stats.dram;
		struct choice_stats stats;
		struct gpu_kit kit;
		open_chooser(&kit, choice);
		uint64_t cycles = kit_run(&kit, 18, 256);
		const struct dram_stats *dram = &kit.run.stats.dram;
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.wrong, 0);
		assert_int_equal(stats.chosen, dram->requests);
		assert_true(stats.longest > 2);
		assert_true(dram->row_hits * own->requests < own->row_hits * dram->requests);
		if (choice == LATER) /* the command clock is faster than the core's */
			assert_true(cycles > OPENS / 4);
		kit_close(&kit);
	}
}

static void test_wrong_choice(void **state)
{
	struct gpu_kit kit;
	(void)state;
	open_chooser(&kit, NONE_THERE);
	kit_start(&kit, 18, 256);
	assert_int_equal(kit.run.end, GPU_MISTAKE);
	assert_non_null(strstr(kit.run.message, "mechanism chooser, hook dram_next, L2 slice "));
	assert_non_null(strstr(kit.run.message, "of a DRAM channel's queue, which shows 1"));
	kit_close(&kit);
}

/* A policy that never picks stalls the machine, and the machine's report names it. */
static void test_no_choice(void **state)
{
	struct gpu_kit kit;
	(void)state;
	open_chooser(&kit, NEVER);
	kit_start(&kit, 18, 256);
	assert_int_equal(kit.run.end, GPU_STALLED);
	assert_non_null(strstr(kit.run.message, "DRAM: mechanism chooser selects none of the requests that wait in "));
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_wrong_choice),
		cmocka_unit_test(test_no_choice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
