/* Protects the account of requests that a mechanism can look at while the kernel runs: it is its own, it is up to date in
 * every hook, and it begins anew with each kernel. */
#include "gpu_kit.h"

enum { LINE = 128, LOADS = 16, WARP = 32 };

/* A prefetcher of the next line that keeps a second account, and what it last saw in the machine's. */
struct own {
	uint64_t asked, dropped, filtered;
	uint64_t seen_used; /* by the kernel's last load: found, or on their way */
	struct mech_requests at_end;
};

static void hold_against(struct mech_sm *sm)
{
	const struct own *own = sm->state;
	const struct mech_requests *account = mech_account(sm);
	assert_int_equal(account->asked, own->asked);
	assert_int_equal(account->dropped, own->dropped);
	assert_int_equal(account->filtered, own->filtered);
}

static void begin(struct mech_sm *sm)
{
	*(struct own *)sm->state = (struct own){0};
	hold_against(sm);
}

static void memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	struct own *own = sm->state;
	if (memory->kind != MECH_LOAD)
		return;
	hold_against(sm);
	own->seen_used = mech_account(sm)->useful + mech_account(sm)->late;
	const struct mech_request request = {
		.address = memory->transaction[0].address / LINE * LINE + LINE, .bytes = LINE, .pc = memory->pc};
	own->asked++;
	own->dropped += !mech_send(sm, &request);
	hold_against(sm);
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct own *own = sm->state;
	own->filtered += reply->filtered;
	hold_against(sm);
}

static void end(struct mech_sm *sm)
{
	((struct own *)sm->state)->at_end = *mech_account(sm);
}

static const struct mech next_line = {
	.version = MECH_VERSION,
	.name = "next_line",
	.summary = "of a test",
	.citation = "",
	.sm_size = sizeof(struct own),
	.sends = true,
	.kernel_begin = begin,
	.kernel_end = end,
	.memory = memory,
	.on_reply = on_reply,
};

static void test_account(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_describe(&kit, (const char *const[]){"sm.count=1", NULL});
	kit.attachments.list[kit.attachments.count++] = (struct seam_attached){.mech = &next_line};
	kit_build(&kit);
	kit.param = kit_buffer(&kit, NULL, (LOADS + 2) * LINE / 8);
	/* Each load waits for the one before, whose hook has sent for its line. */
	kit_load_repeated(&kit, "mov.u64 %rd2, 0;",
	                  "add.u64 %rd1, %rd0, %rd2; ld.global.u64 %rd2, [%rd1]; add.u64 %rd0, %rd0, 128;", LOADS, "");
	for (uint32_t run = 0; run < 2; run++) {
		kit_run(&kit, 1, WARP);
		const struct own *own = kit.gpu->seam->sm->part[0].state;
		const struct mech_requests told = kit_requests(&kit, 0);
		assert_int_equal(told.asked, LOADS);
		assert_memory_equal(&told, &own->at_end, sizeof told);
		if (run == 0) {
			assert_true(own->seen_used >= LOADS - 2);
			assert_true(told.issued >= LOADS - 2);
		}
	}
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_account)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
