/* Protects functional launches that take turns (simt_run_together()): one may wait for a later one; a launch begins
 * when the feed has it; a suspended run continues; after a failure no launch goes on. */
#include "simt_kit.h"

enum { LAUNCHES = 5, BROKEN = 99 };

/* Waits for word[role + 1] unless it is the last one, then sets word[role] to the number of words that were set. */
static const char chain[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
			    ".visible .entry k(.param .u64 words, .param .u32 role, .param .u32 last)\n{\n"
			    ".reg .b64 %w, %a;\n.reg .b32 %role, %last, %x;\n.reg .pred %p;\n"
			    "ld.param.u64 %w, [words];\nld.param.u32 %role, [role];\nld.param.u32 %last, [last];\n"
			    "mul.wide.u32 %a, %role, 4;\nadd.u64 %a, %a, %w;\nmov.u32 %x, 0;\n"
			    "setp.eq.u32 %p, %last, 99;\n@%p trap;\n"
			    "setp.eq.u32 %p, %role, %last;\n@%p bra SET;\n"
			    "WAIT: ld.volatile.global.u32 %x, [%a+4];\nsetp.eq.u32 %p, %x, 0;\n@%p bra WAIT;\n"
			    "SET: add.u32 %x, %x, 1;\nst.volatile.global.u32 [%a], %x;\nret;\n}\n";

struct params {
	uint64_t words;
	uint32_t role, last;
};

struct jobs {
	struct simt_job job[LAUNCHES];
	struct simt_launch launch[LAUNCHES];
	struct params params[LAUNCHES];
	int after[LAUNCHES]; /* the launch that must have ended, or -1 */
	bool started[LAUNCHES], ended[LAUNCHES + 1];
	int count, ends;
	int wanted; /* a launch, or LAUNCHES: none */
	bool failed;
};

static struct simt_job *next(void *user)
{
	struct jobs *jobs = user;
	for (int i = 0; i < jobs->count && !jobs->failed; i++)
		if (!jobs->started[i] && (jobs->after[i] < 0 || jobs->ended[jobs->after[i]])) {
			jobs->started[i] = true;
			return &jobs->job[i];
		}
	return NULL;
}

static void ended(void *user, struct simt_job *job)
{
	struct jobs *jobs = user;
	jobs->ended[job - jobs->job] = true;
	jobs->failed |= job->run.fault.what != NULL;
	jobs->ends++;
}

/* True after a failure, and when the wanted launch has ended. */
static bool has_enough(void *user)
{
	const struct jobs *jobs = user;
	return jobs->failed || jobs->ended[jobs->wanted];
}

static void add(struct kit *kit, struct jobs *jobs, uint64_t words, uint32_t role, uint32_t last, int after)
{
	int i = jobs->count++;
	jobs->params[i] = (struct params){words, role, last};
	jobs->launch[i] = kit->launch;
	jobs->launch[i].params = (const uint8_t *)&jobs->params[i];
	jobs->job[i].launch = &jobs->launch[i];
	jobs->after[i] = after;
}

static bool run(struct jobs *jobs, struct simt_turns **turns)
{
	return simt_run_together(
		&(struct simt_feed){.user = jobs, .next = next, .ended = ended, .has_enough = has_enough}, turns);
}

static void run_to_end(struct jobs *jobs)
{
	struct simt_turns *turns = NULL;
	jobs->wanted = LAUNCHES;
	assert_true(run(jobs, &turns));
	assert_null(turns);
}

/* Each launch waits for the next one, in both orders of their beginning. */
static void test_chain(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct kit kit;
		struct jobs jobs = {0};
		kit_open(&kit, chain);
		uint64_t words = simt_alloc(kit.memory, 4 * LAUNCHES);
		for (uint32_t i = 0; i < LAUNCHES; i++)
			add(&kit, &jobs, words, order ? LAUNCHES - 1 - i : i, LAUNCHES - 1, -1);
		run_to_end(&jobs);
		assert_int_equal(jobs.ends, LAUNCHES);
		const uint32_t *word = simt_host(kit.memory, words);
		for (uint32_t i = 0; i < LAUNCHES; i++)
			assert_int_equal(word[i], LAUNCHES - i);
		kit_close(&kit);
	}
}

/* The first launch waits for a third one, which begins when the second has ended. */
static void test_successor(void **state)
{
	(void)state;
	struct kit kit;
	struct jobs jobs = {0};
	kit_open(&kit, chain);
	uint64_t words = simt_alloc(kit.memory, 4 * LAUNCHES);
	add(&kit, &jobs, words, 0, 1, -1);
	add(&kit, &jobs, words, 2, 2, -1);
	add(&kit, &jobs, words, 1, 2, 1);
	run_to_end(&jobs);
	assert_int_equal(jobs.ends, 3);
	const uint32_t *word = simt_host(kit.memory, words);
	assert_int_equal(word[0], 3);
	assert_true(jobs.job[0].run.warp_instructions > jobs.job[1].run.warp_instructions);
	kit_close(&kit);
}

/* After a fault the other launches are cut off, and none begins. */
static void test_failure(void **state)
{
	(void)state;
	struct kit kit;
	struct jobs jobs = {0};
	kit_open(&kit, chain);
	uint64_t words = simt_alloc(kit.memory, 4 * LAUNCHES);
	add(&kit, &jobs, words, 0, 3, -1); /* waits for a word that none sets */
	add(&kit, &jobs, words, 2, BROKEN, -1);
	add(&kit, &jobs, words, 1, 1, 1);
	struct simt_turns *turns = NULL;
	jobs.wanted = LAUNCHES;
	assert_false(run(&jobs, &turns));
	simt_cut_turns(&turns);
	assert_int_equal(jobs.ends, 1);
	assert_true(jobs.ended[1] && jobs.failed && !jobs.started[2]);
	assert_non_null(jobs.job[1].run.fault.what);
	kit_close(&kit);
}

/* A run is suspended when the wanted launch has ended, and goes on where it was. A launch that is fed later ends the
 * wait of the one in progress. */
static void test_suspended(void **state)
{
	(void)state;
	struct kit kit;
	struct jobs jobs = {.wanted = 1};
	struct simt_turns *turns = NULL;
	kit_open(&kit, chain);
	uint64_t words = simt_alloc(kit.memory, 4 * LAUNCHES);
	add(&kit, &jobs, words, 0, 1, -1); /* waits for word 1 */
	add(&kit, &jobs, words, 3, 3, -1);
	assert_false(run(&jobs, &turns));
	assert_true(jobs.ends == 1 && jobs.ended[1]);
	add(&kit, &jobs, words, 1, 1, -1);
	jobs.wanted = LAUNCHES;
	assert_true(run(&jobs, &turns));
	assert_null(turns);
	assert_int_equal(jobs.ends, 3);
	const uint32_t *word = simt_host(kit.memory, words);
	assert_int_equal(word[0], 2);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_successor),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_suspended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
