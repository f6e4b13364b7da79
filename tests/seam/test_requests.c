/* Protects the account of requests that a mechanism can read while the kernel runs. It covers only this mechanism, is
 * up to date in every hook, and restarts with each kernel.
 * Requests that run past the end of an array are not mistakes: they are counted. */
#include "gpu_kit.h"

enum { LINE = 128, LOADS = 16, WARP = 32 };

/* A next-line prefetcher that has a second account, and the values that it last read in the machine's account. */
struct own {
	uint64_t asked, dropped, filtered;
	uint64_t seen_used; /* up to the kernel's last load: hits, or requests under way */
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
	/* Each load waits for the previous one, whose hook has requested its line. */
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

struct ahead_stats {
	uint64_t outside, others;
};

static const struct base_counter ahead_counters[] = {
	{"outside_replies", "", BASE_SCOPE_SM, offsetof(struct ahead_stats, outside), "", BASE_COMBINE_SUM},
	{"others", "", BASE_SCOPE_SM, offsetof(struct ahead_stats, others), "", BASE_COMBINE_SUM},
};

/* Requests the load's line, the seven lines after it, and one that no memory can hold. */
static void ask_ahead(struct mech_sm *sm, const struct mech_memory *memory)
{
	uint64_t line = memory->transaction[0].address & ~(uint64_t)(LINE - 1);
	struct mech_request request = {.bytes = LINE, .to = MECH_TO_NOTHING, .pc = memory->pc};
	if (memory->kind != MECH_LOAD)
		return;
	for (uint32_t i = 0; i < 8; i++) {
		request.address = line + i * LINE;
		assert_true(mech_send(sm, &request));
	}
	request.address = 0 - (uint64_t)LINE;
	assert_true(mech_send(sm, &request));
}

static void count_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct ahead_stats *stats = sm->stats;
	*(reply->outside ? &stats->outside : &stats->others) += 1;
}

static const struct mech ahead = {
	.version = MECH_VERSION,
	.name = "ahead",
	.counters = ahead_counters,
	.counter_count = 2,
	.stats_size = sizeof(struct ahead_stats),
	.sends = true,
	.memory = ask_ahead,
	.on_reply = count_reply,
};

/* In an allocation of two lines and a byte, three lines count as memory. So does local memory. */
static void test_past_the_end(void **state)
{
	static const struct mech *const set[] = {&ahead, NULL};
	static const struct {
		const char *body;
		uint32_t outside;
	} row[] = {
		{"ld.global.u8 %r2, [%rd0]; st.global.u32 [%rd0+4], %r2; exit;", 6},
		{"ld.global.u8 %r2, [%rd0+256]; st.global.u32 [%rd0+4], %r2; exit;", 8},
		{".local .u32 mine[512]; mov.u64 %rd3, mine; ld.local.u32 %r2, [%rd3]; st.global.u32 [%rd0+4], %r2; "
	         "exit;",
	         1},
	};
	(void)state;
	kit_mechanisms = set;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct ahead_stats stats;
		struct gpu_kit kit;
		KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=32");
		kit.param = simt_alloc(kit.gpu->memory, 2 * LINE + 1);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(requests.asked, 9);
		assert_int_equal(requests.outside, row[i].outside);
		assert_int_equal(requests.issued, 9 - row[i].outside);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.outside, row[i].outside);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_account),
		cmocka_unit_test(test_past_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
