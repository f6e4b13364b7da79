/* Protects the GPU hooks' view of SMs when a mechanism holds some of them in step. An SM in step never runs ahead of
 * the dispatcher. Other SMs do where windows open, and so does an SM from its release on.
 * For the dispatcher a kernel ends in the cycle of its last block's end, however far that SM ran ahead. */
#include "gpu_kit.h"

enum { SMS = 2, LET_GO = 400 };

static uint64_t last[SMS], last_end;      /* cycle of each SM's last instruction; of the last block's end */
static uint64_t most_ahead[SMS][2];       /* relative to the dispatcher: before LET_GO, and from then on */
static uint64_t asked, refusals, answers; /* may_end: the cycle of its first call; the number of calls */
static bool lets_go;

static void keep_second(struct mech_gpu *gpu)
{
	mech_keep_in_step(gpu, 1);
}

static uint64_t every_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	if (lets_go && cycle == LET_GO)
		mech_let_go(gpu, 1);
	for (uint32_t s = 0; s < SMS; s++) {
		uint64_t *most = &most_ahead[s][cycle > LET_GO];
		uint64_t ahead = last[s] > cycle ? last[s] - cycle : 0;
		*most = ahead > *most ? ahead : *most;
	}
	return cycle + 1;
}

static void note_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	last[sm->sm] = issue->cycle;
}

static void note_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	last_end = block->cycle > last_end ? block->cycle : last_end;
}

static bool may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	(void)gpu;
	if (!answers++)
		asked = end->cycle;
	return answers > refusals;
}

static const struct mech watcher = {.version = MECH_VERSION,
                                    .name = "watcher",
                                    .keeps_in_step = true,
                                    .gpu_kernel_begin = keep_second,
                                    .gpu_cycle = every_cycle,
                                    .may_end = may_end,
                                    .issue = note_issue,
                                    .block_end = note_end};

/* Two blocks count: the second, which is the longer one, to 500. */
static const char counting[] =
	"mov.u32 %r1, %ctaid.x; mul.lo.u32 %r1, %r1, 200; add.u32 %r1, %r1, 300; mov.u32 %r2, 0;\n"
	"L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; exit;";

static uint64_t run(const char *window)
{
	static const struct mech *const set[] = {&watcher, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	memset(last, 0, sizeof last);
	memset(most_ahead, 0, sizeof most_ahead);
	last_end = asked = answers = 0;
	KIT_OPEN(&kit, "sm.count=2", window);
	kit_load(&kit, counting);
	kit.run.run_ahead.allowed = true;
	kit_run(&kit, 2, 32);
	uint64_t cycles = kit.run.cycles;
	kit_close(&kit);
	kit_mechanisms = NULL;
	return cycles;
}

static void one_that_is_kept_is_not_ahead(void **state)
{
	(void)state;
	lets_go = false;
	run("launch.window=64");
	assert_int_equal(most_ahead[1][0], 0);
	assert_int_equal(most_ahead[1][1], 0);
	assert_true(most_ahead[0][0] > 1);
	run("launch.window=1");
	assert_int_equal(most_ahead[0][0], 0);
}

static void one_that_is_let_go_is_ahead_from_then_on(void **state)
{
	(void)state;
	lets_go = true;
	run("launch.window=64");
	assert_int_equal(most_ahead[1][0], 0);
	assert_true(most_ahead[1][1] > 1);
}

static void a_kernel_ends_with_its_last_block(void **state)
{
	(void)state;
	for (refusals = 0; refusals < 3; refusals++) {
		lets_go = true;
		uint64_t together = run("launch.window=1"), end = last_end;
		assert_int_equal(asked, end);
		assert_int_equal(run("launch.window=64"), together);
		assert_int_equal(last_end, end);
		assert_int_equal(asked, end);
		assert_int_equal(answers, refusals + 1);
	}
	refusals = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_kept_is_not_ahead),
		cmocka_unit_test(one_that_is_let_go_is_ahead_from_then_on),
		cmocka_unit_test(a_kernel_ends_with_its_last_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
