/* Protects launch.policy (gpu/policy.h): which SMs the blocks of several kernels get, and which share of an SM, in
 * closed forms; data and counts do not depend on it. */
#include "together_kit.h"

#include "gpu/policy.h"

/* Shared memory with which one, two or four blocks fit on an SM. */
enum { WHOLE = 49152, HALF = 24576, QUARTER = 12288 };

/* The number of rounds, of the time of one block, that a number of cycles is. */
static uint64_t rounds(uint64_t cycles)
{
	static uint64_t one;
	if (!one) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=1");
		add(&kit, jobs, long_loop, 1, 32, 20, WHOLE, kit_buffer(&kit, NULL, 1024));
		run_all(&kit, jobs, &session);
		one = session.cycles;
		free_jobs(jobs);
		kit_close(&kit);
	}
	return (cycles + one / 2) / one;
}

struct kernel {
	uint32_t blocks, shared;
	uint64_t stream;
	int priority, after;
};

/* Runs the kernels with the options. Writes the rounds in which each one's first block starts and its last one ends. */
static void run(const char *const *options, const struct kernel *kernels, int count, uint64_t *first, uint64_t *last)
{
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	kit_open(&kit, options);
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	for (int i = 0; i < count; i++) {
		struct job *job = add(&kit, jobs, long_loop, kernels[i].blocks, 32, 20, kernels[i].shared,
		                      buffer + 128 * (uint64_t)i);
		job->run.stream = kernels[i].stream;
		job->run.priority = kernels[i].priority;
		job->after = kernels[i].after - 1;
	}
	run_all(&kit, jobs, &session);
	for (int i = 0; i < count; i++) {
		const struct gpu_run *own = &jobs->job[i].run;
		first[i] = rounds(own->first_block - session.start);
		last[i] = rounds(own->started + own->cycles - session.start);
		assert_int_equal(*(uint32_t *)simt_host(kit.gpu->memory, buffer + 128 * (uint64_t)i), 1000);
	}
	free_jobs(jobs);
	kit_close(&kit);
}

/* Checks the rounds of up to four kernels. */
static void expect(const char *const *options, const struct kernel *kernels, int count, const uint64_t *want)
{
	uint64_t first[4], last[4];
	run(options, kernels, count, first, last);
	for (int i = 0; i < count; i++)
		if (first[i] != want[2 * i] || last[i] != want[2 * i + 1])
			fail_msg("kernel %d runs from round %d to %d instead of %d to %d", i, (int)first[i],
			         (int)last[i], (int)want[2 * i], (int)want[2 * i + 1]);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define EXPECT(options, kernels, ...)                                                                                  \
	expect(options, kernels, (int)(sizeof(kernels) / sizeof *(kernels)), (const uint64_t[]){__VA_ARGS__})

/* Two kernels of eight blocks that each fill one of four SMs. */
static void test_two_equal_kernels(void **state)
{
	(void)state;
	const struct kernel kernels[] = {{8, WHOLE, 1, 0, 0}, {8, WHOLE, 2, 0, 0}};
	EXPECT(OPTIONS("sm.count=4", "launch.policy=leftover"), kernels, 0, 2, 2, 4);
	EXPECT(OPTIONS("sm.count=4", "launch.policy=even"), kernels, 0, 4, 0, 4);
	EXPECT(OPTIONS("sm.count=4", "launch.policy=partitions", "launch.partitions=1,3"), kernels, 0, 3, 0, 8);
	EXPECT(OPTIONS("sm.count=4", "launch.policy=partitions", "launch.partitions=3"), kernels, 0, 3, 2, 6);
}

/* A kernel that is left alone gets all SMs, at the ends of the other's blocks. With partitions it keeps its own. */
static void test_division_after_an_end(void **state)
{
	(void)state;
	const struct kernel kernels[] = {{2, WHOLE, 1, 0, 0}, {10, WHOLE, 2, 0, 0}};
	EXPECT(OPTIONS("sm.count=4", "launch.policy=even"), kernels, 0, 1, 0, 3); /* 2 + 4 + 4 blocks */
	EXPECT(OPTIONS("sm.count=4", "launch.policy=partitions", "launch.partitions=2,2"), kernels, 0, 1, 0, 5);
}

/* A kernel that starts later gets its SMs as blocks there end: the first one's SMs are drained. */
static void test_division_after_a_start(void **state)
{
	(void)state;
	const struct kernel kernels[] = {{1, QUARTER, 1, 0, 0}, {12, WHOLE, 2, 0, 0}, {2, WHOLE, 3, 0, 1}};
	/* SMs 0 and 1 are those of the first kernel in round 0, then of the second; the third has two others */
	uint64_t first[3], last[3];
	run(OPTIONS("sm.count=4", "launch.policy=even"), kernels, 3, first, last);
	assert_int_equal(first[1], 0);
	assert_int_equal(first[2], 1);
	assert_int_equal(last[2], 2);
	assert_in_range(last[1], 4, 5); /* 2 + 2 + 4 + 4 blocks */
}

/* More kernels than SMs: the third one has the SM of the first. */
static void test_even_with_many_kernels(void **state)
{
	(void)state;
	const struct kernel kernels[] = {{2, WHOLE, 1, 0, 0}, {2, WHOLE, 2, 0, 0}, {2, WHOLE, 3, 0, 0}};
	EXPECT(OPTIONS("sm.count=2", "launch.policy=even"), kernels, 0, 2, 0, 2, 2, 3);
}

static void test_shares(void **state)
{
	(void)state;
	const char *const *options = OPTIONS("sm.count=1", "launch.policy=shares");
	const struct kernel equal[] = {{8, QUARTER, 1, 0, 0}, {8, QUARTER, 2, 0, 0}};
	EXPECT(options, equal, 0, 4, 0, 4);
	/* two small blocks and a large one at a time, until the large ones are done: 2, 2, 4 small ones */
	const struct kernel unequal[] = {{8, QUARTER, 1, 0, 0}, {2, HALF, 2, 0, 0}};
	EXPECT(options, unequal, 0, 3, 0, 2);
	/* the third kernel starts when the first has ended, and needs half an SM, for which two blocks must end */
	const struct kernel later[] = {{1, QUARTER, 1, 0, 0}, {11, QUARTER, 2, 0, 0}, {2, HALF, 3, 0, 1}};
	EXPECT(options, later, 0, 1, 0, 4, 1, 3);
	/* a block that is larger than the share of its kernel: one at a time */
	const struct kernel large[] = {{3, 36864, 1, 0, 0}, {4, QUARTER, 2, 0, 0}};
	EXPECT(options, large, 0, 3, 0, 4);
	/* with priority a kernel gets what it can use */
	const struct kernel first[] = {{8, QUARTER, 1, 0, 0}, {8, QUARTER, 2, 1, 0}};
	EXPECT(options, first, 2, 4, 0, 2);
}

/* A kernel alone: only partitions limit it. */
static void test_one_kernel(void **state)
{
	(void)state;
	const struct kernel kernel[] = {{8, WHOLE, 3, 0, 0}};
	EXPECT(OPTIONS("sm.count=4", "launch.policy=even"), kernel, 0, 2);
	EXPECT(OPTIONS("sm.count=4", "launch.policy=shares"), kernel, 0, 2);
	EXPECT(OPTIONS("sm.count=4", "launch.policy=partitions", "launch.partitions=2,2"), kernel, 0, 4);
	struct gpu_kit kit;
	kit_open(&kit, OPTIONS("sm.count=4", "launch.policy=partitions", "launch.partitions=3,1"));
	assert_int_equal(policy_sms(&kit.gpu->machine, 0), 3);
	assert_int_equal(policy_sms(&kit.gpu->machine, 7), 1);
	kit_close(&kit);
}

/* SMs that share a port to the networks. */
static void test_clusters(void **state)
{
	(void)state;
	const struct kernel kernels[] = {{8, WHOLE, 1, 0, 0}, {8, WHOLE, 2, 0, 0}};
	EXPECT(OPTIONS("sm.count=4", "sm.per_cluster=2", "launch.policy=even"), kernels, 0, 4, 0, 4);
	EXPECT(OPTIONS("sm.count=4", "sm.per_cluster=2", "launch.policy=partitions", "launch.partitions=1,3"), kernels,
	       0, 3, 0, 8);
	const struct kernel small[] = {{8, QUARTER, 1, 0, 0}, {8, QUARTER, 2, 0, 0}};
	EXPECT(OPTIONS("sm.count=2", "sm.per_cluster=2", "launch.policy=shares"), small, 0, 2, 0, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_equal_kernels),
		cmocka_unit_test(test_division_after_an_end),
		cmocka_unit_test(test_division_after_a_start),
		cmocka_unit_test(test_even_with_many_kernels),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_one_kernel),
		cmocka_unit_test(test_clusters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
