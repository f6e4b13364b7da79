/* Protects the vectors that mechanisms print together with counters. The parts' vectors combine by their rule into one,
 * for any number of host threads. An index outside a vector is the mechanism's mistake. */
#include "busy_kit.h"

enum { BY_WARP, BY_CLASS, LANES, LATENCY, BY_SLICE, BY_SM, VECTORS };
enum { NAMED_SMS = 2 };

static const char *const classes[] = {"arithmetic", "special", "memory", "branch", "barrier", "fence", "exit", NULL};

static const struct base_counter_vector vectors[] = {
	[BY_WARP] = {.name = "by_warp", .unit = "instructions", .meaning = "by warp slot", .scope = BASE_SCOPE_SM},
	[BY_CLASS] = {.name = "by_class", .unit = "instructions", .meaning = "", .length = 7, .labels = classes},
	[LANES] = {.name = "lanes", .unit = "lanes", .meaning = "that ran", .kind = BASE_VECTOR_POWERS, .length = 7},
	[LATENCY] =
		{.name = "at", .unit = "cycles", .meaning = "", .kind = BASE_VECTOR_LINEAR, .length = 4, .bin = 100},
	[BY_SLICE] = {.name = "by_slice", .unit = "accesses", .meaning = "", .scope = BASE_SCOPE_SLICE},
	[BY_SM] = {.name = "by_sm", .unit = "blocks", .meaning = "", .scope = BASE_SCOPE_GPU, .named = true},
};

static uint32_t vector_length(const void *config, const struct mech_machine *machine, uint32_t vector)
{
	(void)config;
	return vector == BY_WARP ? machine->warps : vector == BY_SLICE ? machine->partitions : machine->sms;
}

/* The first SMs have labels. The others appear when they have received a block. */
static const char *label(const struct mech_gpu *gpu, uint32_t vector, uint32_t index)
{
	static const char *const names[NAMED_SMS] = {"left", "right"};
	assert_null(gpu->launch);
	assert_int_equal(vector, BY_SM);
	return index < NAMED_SMS ? names[index] : NULL;
}

static void on_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	mech_count(sm->output, BY_WARP, issue->warp, 1);
	mech_count(sm->output, BY_CLASS, issue->type, 1);
	mech_observe(sm->output, LANES, (uint64_t)__builtin_popcount(issue->lanes));
	mech_observe(sm->output, LATENCY, issue->cycle);
}

static void on_partition(struct mech_partition *partition, const struct mech_access *access)
{
	(void)access;
	mech_count(partition->output, BY_SLICE, partition->slice, 1);
}

static void on_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	mech_count(gpu->output, BY_SM, block->sm, 1);
}

static const struct mech prints = {
	.version = MECH_VERSION,
	.name = "prints",
	.summary = "",
	.citation = "",
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_length = vector_length,
	.vector_label = label,
	.issue = on_issue,
	.partition_access = on_partition,
	.gpu_block = on_block,
};
static const struct mech *const only_prints[] = {&prints, NULL};

static void run_prints(struct vector vector[VECTORS], struct gpu_stats *stats, uint32_t threads)
{
	struct gpu_kit kit;
	char message[256];
	assert_true(seam_check_tables(&prints, message, sizeof message));
	kit_mechanisms = only_prints;
	kit_threads = threads;
	KIT_OPEN(&kit, "sm.count=4", "sm.blocks=1");
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	kit_load(&kit, busy_kernels[2]);
	kit_run(&kit, 1, 256); /* its counts are cleared when the next kernel begins */
	kit_run(&kit, 3, 256);
	*stats = kit.run.stats;
	for (uint32_t v = 0; v < VECTORS; v++)
		seam_vector(kit.gpu->seam, 0, v, &vector[v]);
	kit_close(&kit);
	kit_threads = 1;
	kit_mechanisms = NULL;
}

static void free_vectors(struct vector vector[VECTORS])
{
	for (uint32_t v = 0; v < VECTORS; v++)
		vector_free(&vector[v]);
}

/* The sums over all parts equal the machine's own counts. */
static void test_sums(void **state)
{
	struct vector vector[VECTORS];
	struct gpu_stats stats;
	(void)state;
	run_prints(vector, &stats, 1);
	assert_int_equal(vector[BY_WARP].length, 48);
	for (uint32_t w = 8; w < 48; w++) /* an SM's only block has 8 warps */
		assert_int_equal(vector[BY_WARP].value[w], 0);
	assert_int_equal(vector_total(&vector[BY_WARP]), stats.sm.warp_instructions);
	assert_int_equal(vector_total(&vector[BY_CLASS]), stats.sm.warp_instructions);
	assert_int_equal(vector[BY_CLASS].value[MECH_BARRIER], 2 * 3 * 8);
	assert_int_equal(vector[BY_CLASS].value[MECH_EXIT], 3 * 8);
	assert_int_equal(vector_total(&vector[LANES]), stats.sm.warp_instructions);
	assert_int_equal(vector[LANES].sum, stats.sm.thread_instructions);
	/* a loop of 1 to 8 iterations has at least 4 active lanes in each, */
	assert_int_equal(vector[LANES].value[1], 0);
	assert_true(vector[LANES].value[6] > 0); /* and all lanes after it */
	assert_int_equal(vector_total(&vector[BY_SLICE]), stats.l2.accesses);
	free_vectors(vector);
}

/* Elements with a label are always printed; others only if they are not zero. */
static void test_names(void **state)
{
	struct vector vector[VECTORS];
	struct gpu_stats stats;
	(void)state;
	run_prints(vector, &stats, 1);
	assert_non_null(vector[BY_SM].label);
	assert_null(vector[BY_CLASS].label);
	assert_string_equal(vector[BY_SM].label[0], "left");
	assert_string_equal(vector[BY_SM].label[1], "right");
	for (uint32_t i = NAMED_SMS; i < vector[BY_SM].length; i++)
		assert_int_equal(vector[BY_SM].value[i], 1);
	assert_int_equal(vector_total(&vector[BY_SM]), 3);
	free_vectors(vector);
}

static void test_threads(void **state)
{
	struct vector one[VECTORS], two[VECTORS];
	struct gpu_stats stats;
	(void)state;
	run_prints(one, &stats, 1);
	run_prints(two, &stats, 2);
	for (uint32_t v = 0; v < VECTORS; v++) {
		assert_int_equal(one[v].length, two[v].length);
		assert_int_equal(one[v].sum, two[v].sum);
		assert_memory_equal(one[v].value, two[v].value, one[v].length * sizeof *one[v].value);
	}
	free_vectors(one);
	free_vectors(two);
}

/* --- mistakes --- */

static uint32_t wrong_way;

static void wrong_sm(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)issue;
	if (wrong_way == 0)
		mech_count(sm->output, BY_CLASS, 7, 1);
	else if (wrong_way == 1)
		mech_count(sm->output, VECTORS, 0, 1);
	else if (wrong_way == 2)
		mech_count(sm->output, LANES, 0, 1);
	else if (wrong_way == 3)
		mech_observe(sm->output, BY_WARP, 0);
	else if (wrong_way == 4)
		mech_count(sm->gpu->output, BY_SM, 0, 1);
}

static void wrong_partition(struct mech_partition *partition, const struct mech_access *access)
{
	(void)access;
	if (wrong_way == 5)
		mech_count(partition->output, BY_SLICE, UINT32_MAX, 1);
}

static void wrong_gpu(struct mech_gpu *gpu, const struct mech_block *block)
{
	(void)block;
	if (wrong_way == 6)
		mech_observe(gpu->output, BY_SM, 1);
}

static void test_mistakes(void **state)
{
	static const char *const says[] = {
		"mechanism wrong, hook issue, SM 0, cycle ",
		"mech_count() of vector 6; the mechanism has 6",
		"mech_count() of lanes, which is a histogram; expected mech_observe()",
		"mech_observe() of by_warp, which is not a histogram; expected mech_count()",
		"mech_count() of the GPU's part outside a hook of the GPU",
		"counts in element 4294967295 of by_slice, which has 12",
		"hook gpu_block, cycle ",
	};
	struct mech wrong = prints;
	const struct mech *const set[] = {&wrong, NULL};
	(void)state;
	wrong.name = "wrong";
	wrong.issue = wrong_sm;
	wrong.partition_access = wrong_partition;
	wrong.gpu_block = wrong_gpu;
	kit_mechanisms = set;
	for (wrong_way = 0; wrong_way < sizeof says / sizeof *says; wrong_way++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, "sm.count=1");
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		kit_load(&kit, busy_kernels[0]);
		kit_start(&kit, 1, 256);
		assert_int_equal(kit.run.end, GPU_MISTAKE);
		if (!strstr(kit.run.message, says[wrong_way]))
			fail_msg("expected '%s', not '%s'", says[wrong_way], kit.run.message);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
