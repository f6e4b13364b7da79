/* Protects kernels that run at the same time (gpu/together.c): a kernel alone takes the cycles that it takes without a
 * session; kernels share SMs only within an SM's resources; blocks are placed in order of priority and launch; kernels
 * see what others store; all counters add up. */
#include "busy_kit.h"
#include "together_kit.h"

/* Without other kernels a session is a run in lockstep. */
static void test_one_kernel(void **state)
{
	(void)state;
	const char *const options[] = {"sm.count=4", "l2.sets=8", "launch.window=1", NULL};
	struct outcome alone[BUSY_KERNELS];
	uint8_t *memory = malloc(BUSY_BYTES);
	assert_non_null(memory);
	run_busy(options, alone, memory);
	struct gpu_kit kit;
	kit_open(&kit, options);
	uint64_t buffer = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
		struct jobs *jobs = new_jobs();
		struct gpu_session session;
		add(&kit, jobs, busy_kernels[k], 18, 256, 20, 24576, buffer)->run.launch.code = 0;
		run_all(&kit, jobs, &session);
		assert_int_equal(session.cycles, alone[k].cycles);
		compare_stats(&alone[k].stats, &session.stats, "in a session", k);
		free_jobs(jobs);
	}
	assert_memory_equal(simt_host(kit.gpu->memory, buffer), memory, BUSY_BYTES);
	kit_close(&kit);
	free(memory);
}

/* The cycles of a session of `count` kernels of one block each. */
static uint64_t cycles_of_small(uint32_t concurrent, uint32_t count)
{
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	KIT_OPEN(&kit, "sm.count=15");
	jobs->concurrent = concurrent;
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	for (uint32_t i = 0; i < count; i++)
		add(&kit, jobs, long_loop, 1, 128, 20, 0, buffer + 128 * i);
	run_all(&kit, jobs, &session);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(*(uint32_t *)simt_host(kit.gpu->memory, buffer + 128 * i), 1000);
	free_jobs(jobs);
	kit_close(&kit);
	return session.cycles;
}

/* Fifteen kernels of one block take the time of one on fifteen SMs, and fifteen times that one after the other. */
static void test_small_kernels_overlap(void **state)
{
	(void)state;
	uint64_t one = cycles_of_small(16, 1);
	assert_in_range(cycles_of_small(16, 15), one, one * 105 / 100);
	assert_in_range(cycles_of_small(1, 15), one * 14, one * 152 / 10);
	/* at most five at a time: three rounds */
	assert_in_range(cycles_of_small(5, 15), one * 28 / 10, one * 31 / 10);
}

/* Three kernels read one line after each other, while a long one runs. Returns the misses of L1. */
static uint64_t misses_of_readers(uint32_t sms, bool flush)
{
	static const char reads[] = "ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1; exit;";
	char count[32];
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	snprintf(count, sizeof count, "sm.count=%u", sms);
	KIT_OPEN(&kit, count, flush ? "sm.flush_l1=true" : "sm.flush_l1=false");
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	/* with two SMs, a reader does not fit next to the long kernel */
	add(&kit, jobs, long_loop, 1, 32, 20, sms > 1 ? 40960 : 16384, buffer);
	for (int i = 0; i < 3; i++)
		add(&kit, jobs, reads, 1, 32, 20, 16384, buffer + 512)->after = i ? i : -1;
	run_all(&kit, jobs, &session);
	assert_true(jobs->job[3].run.started + jobs->job[3].run.cycles < jobs->job[0].run.cycles);
	free_jobs(jobs);
	kit_close(&kit);
	return session.stats.l1d.misses;
}

/* A kernel finds no lines of the one before on an SM that had no block in between. On one that the long kernel keeps
 * busy, it finds them. */
static void test_lines_of_kernel_before(void **state)
{
	(void)state;
	assert_int_equal(misses_of_readers(2, true) - misses_of_readers(2, false), 2);
	assert_int_equal(misses_of_readers(1, true), misses_of_readers(1, false));
}

static const char wait_for_flag[] =
	"WAIT: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;\n"
	"st.global.u32 [%rd0+4], 7; exit;";
static const char set_flag[] = "st.volatile.global.u32 [%rd0], 1; exit;";

/* A kernel that waits for a later one's store ends when both run, and is found to poll when they may not. */
static void test_one_waits_for_another(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=2", "launch.livelock=20000");
		jobs->concurrent = i ? 1 : 2;
		uint64_t buffer = kit_buffer(&kit, (uint64_t[2]){0, 0}, 2);
		add(&kit, jobs, wait_for_flag, 1, 32, 20, 0, buffer);
		add(&kit, jobs, set_flag, 1, 32, 20, 0, buffer);
		start_all(&kit, jobs, &session);
		assert_int_equal(session.end, i ? GPU_STALLED : GPU_DONE);
		assert_int_equal(session.livelock, i);
		const uint32_t *word = simt_host(kit.gpu->memory, buffer);
		assert_int_equal(word[1], i ? 0 : 7);
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* The blocks of the second kernel start when all blocks of the first have been placed; with a greater priority it is
 * first as soon as a block ends. */
static void test_order_of_blocks(void **state)
{
	(void)state;
	for (int priority = 0; priority < 2; priority++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=2");
		uint64_t buffer = kit_buffer(&kit, NULL, 1024);
		struct job *first =
			add(&kit, jobs, long_loop, 10, 32, 20, 24576, buffer); /* 4 at a time: three rounds */
		struct job *second = add(&kit, jobs, long_loop, 4, 32, 20, 24576, buffer + 128);
		second->run.priority = priority;
		run_all(&kit, jobs, &session);
		uint64_t start = second->run.first_block - session.start, all = session.cycles;
		/* 14 blocks in four rounds: the second kernel begins in the third, or with priority at the beginning */
		if (priority)
			assert_in_range(start, 0, 2);
		else
			assert_in_range(start, all * 45 / 100, all * 55 / 100);
		assert_true(first->run.cycles > all * 9 / 10 || !priority);
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* Two kernels use an SM together if their registers, shared memory, warps and slots fit, and take turns otherwise. */
static void test_resources_of_an_sm(void **state)
{
	(void)state;
	static const struct {
		uint32_t threads, registers, shared;
		bool together;
	} second[] = {
		{512, 20, 24576, true},  /* 24 + 24 of 48 KB */
		{512, 20, 24580, false}, /* shared memory is short */
		{1024, 20, 0, true},     /* 16 + 32 of 48 warps, 10,240 + 20,480 of 32,768 registers */
		{1024, 24, 0, false},    /* registers are short */
		{512, 40, 1024, true},   /* 10,240 + 20,480 */
		{512, 48, 1024, false},  /* 10,240 + 24,576 */
	};
	for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=1");
		uint64_t buffer = kit_buffer(&kit, NULL, 1024);
		struct job *a = add(&kit, jobs, long_loop, 1, 512, 20, 24576, buffer);
		struct job *b = add(&kit, jobs, long_loop, 1, second[i].threads, second[i].registers, second[i].shared,
		                    buffer + 128);
		run_all(&kit, jobs, &session);
		uint64_t last = a->run.started + a->run.cycles - 1; /* the dispatcher is the last unit of a cycle */
		bool together = b->run.first_block < last;
		if (together != second[i].together)
			fail_msg("pair %zu runs %s", i, together ? "together" : "in turn");
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* Blocks of two kernels share an SM's eight block slots. */
static void test_block_slots(void **state)
{
	(void)state;
	for (uint32_t first = 7; first <= 8; first++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=1");
		uint64_t buffer = kit_buffer(&kit, NULL, 1024);
		struct job *a = add(&kit, jobs, long_loop, first, 32, 20, 0, buffer);
		struct job *b = add(&kit, jobs, long_loop, 1, 32, 20, 0, buffer + 128);
		run_all(&kit, jobs, &session);
		bool waits = b->run.first_block > a->run.started + a->run.cycles / 2;
		assert_int_equal(waits, first == 8);
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* With a unified memory an SM divides it for the kernel whose block it gets when it has none. A kernel that needs more
 * shared memory than the division leaves waits for that. */
static void test_division_of_unified_memory(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		KIT_OPEN(&kit, "sm.count=1", "sm.unified_bytes=131072", "sm.carve_outs=0,16,64,96",
		         "sm.shared_bytes=98304", "sm.flush_l1=true", "launch.spread_small_grids=false");
		uint64_t buffer = kit_buffer(&kit, NULL, 1024);
		struct job *a = add(&kit, jobs, long_loop, 1, 64, 20, i ? 16384 : 0, buffer);
		struct job *b = add(&kit, jobs, long_loop, 1, 64, 20, 8192, buffer + 128);
		struct job *c = add(&kit, jobs, long_loop, 1, 64, 20, 65536, buffer + 256);
		run_all(&kit, jobs, &session);
		/* The first one leaves no shared memory, or 80 KiB. The second one leaves 56 KiB. */
		uint64_t end_a = a->run.started + a->run.cycles - 1, end_b = b->run.started + b->run.cycles - 1;
		assert_int_equal(b->run.first_block < end_a, i);
		assert_int_equal(c->run.first_block < end_b, i);
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* A kernel that depends on another one starts in the cycle in which that ends. */
static void test_successors(void **state)
{
	(void)state;
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	KIT_OPEN(&kit, "sm.count=4", "launch.latency=100");
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	for (int i = 0; i < 6; i++)
		add(&kit, jobs, long_loop, 2, 64, 20, 0, buffer + 128 * (uint64_t)i)->after = i - 2;
	run_all(&kit, jobs, &session);
	for (int i = 0; i < 6; i++) {
		const struct gpu_run *run = &jobs->job[i].run;
		const struct gpu_run *before = i < 2 ? NULL : &jobs->job[i - 2].run;
		assert_int_equal(run->started, before ? before->started + before->cycles : session.start);
		assert_int_equal(run->first_block, run->started + 100);
	}
	free_jobs(jobs);
	kit_close(&kit);
}

/* The busy kernels together, on different data, give the data that they give alone. */
static void test_data(void **state)
{
	(void)state;
	static const char *const options[] = {"sm.count=3", "l2.sets=8", NULL};
	for (int order = 0; order < 4; order++) {
		struct gpu_kit alone, kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		uint64_t expected[BUSY_KERNELS], buffer[BUSY_KERNELS];
		kit_open(&alone, options);
		kit_open(&kit, options);
		for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
			expected[k] = kit_buffer(&alone, NULL, BUSY_BYTES / 8);
			buffer[k] = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
			memset(simt_host(alone.gpu->memory, expected[k]), 0, BUSY_BYTES);
			memset(simt_host(kit.gpu->memory, buffer[k]), 0, BUSY_BYTES);
			alone.param = expected[k];
			kit_load(&alone, busy_kernels[k]);
			kit_run(&alone, 18, 256);
		}
		for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
			uint32_t k = (i + (uint32_t)order) % BUSY_KERNELS;
			add(&kit, jobs, busy_kernels[k], 18, 256, 20, k % 2 ? 8192 : 24576, buffer[k])->run.priority =
				(int32_t)(k * 7 % 3);
		}
		run_all(&kit, jobs, &session);
		for (uint32_t k = 0; k < BUSY_KERNELS; k++)
			if (k != 0) /* the first kernel's blocks race with each other */
				assert_memory_equal(simt_host(alone.gpu->memory, expected[k]),
				                    simt_host(kit.gpu->memory, buffer[k]), BUSY_BYTES);
		free_jobs(jobs);
		kit_close(&kit);
		kit_close(&alone);
	}
}

/* Kernels with few and with many registers share the scoreboards' memory. */
static void test_small_and_large_scoreboards(void **state)
{
	(void)state;
	struct gpu_kit kit;
	KIT_OPEN(&kit, "sm.count=1");
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	static const char few[] =
		".version 3.1\n.target sm_20\n.address_size 64\n.visible .entry few(.param .u64 param) {\n"
		".reg .u32 %r<4>; .reg .u64 %rd<2>; .reg .pred %p<2>;\n"
		"ld.param.u64 %rd0, [param]; mov.u32 %r1, 0;\n"
		"AGAIN: ld.global.u32 %r2, [%rd0]; add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, 500;\n"
		"@%p1 bra AGAIN; st.global.u32 [%rd0+4], %r1; exit;\n}\n";
	struct jobs *jobs = new_jobs();
	struct gpu_session session;
	*(uint32_t *)simt_host(kit.gpu->memory, buffer) = 1;
	struct job *small = add(&kit, jobs, long_loop, 1, 64, 20, 0, buffer);
	simt_program_free(small->program);
	ptx_free(small->module);
	small->module = ptx_parse("few.ptx", few, sizeof few - 1, &kit.diag);
	assert_non_null(small->module);
	small->program = simt_decode(small->module->functions, kit_reconverge, &kit.diag);
	assert_non_null(small->program);
	assert_true(small->program->registers <= 64);
	small->run.launch.program = small->program;
	/* the large one starts while loads of the small one are in flight */
	struct job *between = add(&kit, jobs, "exit;", 1, 32, 20, 0, buffer);
	char body[4096] = "";
	for (int i = 2; i < 40; i++)
		snprintf(body + strlen(body), sizeof body - strlen(body),
		         "mov.u32 %%r%d, %d; cvt.rn.f32.u32 %%f%d, %%r%d;\n", i, i, i, i);
	strcat(body, long_loop);
	struct job *large = add(&kit, jobs, body, 1, 64, 20, 0, buffer + 128);
	assert_true(large->program->registers > 64);
	(void)between;
	large->after = 1;
	run_all(&kit, jobs, &session);
	assert_true(large->run.started > small->run.started);
	assert_true(large->run.started < small->run.started + small->run.cycles);
	assert_int_equal(((uint32_t *)simt_host(kit.gpu->memory, buffer))[1], 500);
	assert_int_equal(*(uint32_t *)simt_host(kit.gpu->memory, buffer + 128), 1000);
	free_jobs(jobs);
	kit_close(&kit);
}

/* A fault ends all, and names the kernel. */
static void test_fault(void **state)
{
	(void)state;
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	KIT_OPEN(&kit, "sm.count=4");
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	add(&kit, jobs, long_loop, 2, 64, 20, 0, buffer);
	struct job *wrong =
		add(&kit, jobs, "mov.u64 %rd1, 16; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd0], %r1; exit;", 1, 32,
	            20, 0, buffer);
	add(&kit, jobs, long_loop, 2, 64, 20, 0, buffer + 128);
	start_all(&kit, jobs, &session);
	assert_int_equal(session.end, GPU_FAULT);
	assert_ptr_equal(session.failed, &wrong->run);
	assert_int_equal(session.fault.address, 16);
	free_jobs(jobs);
	/* the machine runs on */
	kit_load(&kit, long_loop);
	kit.param = buffer;
	kit_run(&kit, 4, 64);
	kit_close(&kit);
}

/* True once after each end of kernels. */
static bool after_each_end(void *user)
{
	struct jobs *jobs = user;
	bool is_new = jobs->ends != jobs->seen;
	jobs->seen = jobs->ends;
	return is_new;
}

static const char longer_loop[] = "mov.u32 %r1, 0;\n"
				  "AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9000; @%p1 bra AGAIN;\n"
				  "sub.u32 %r1, %r1, 8000; st.global.u32 [%rd0], %r1; exit;";

/* A chain of three kernels, and a longer kernel. Returns the session, and the runs in `jobs`. */
static struct gpu_session run_chain(struct gpu_kit *kit, struct jobs *jobs, bool (*has_enough)(void *user))
{
	KIT_OPEN(kit, "sm.count=2");
	uint64_t buffer = kit_buffer(kit, NULL, 1024);
	add(kit, jobs, longer_loop, 4, 128, 20, 0, buffer);
	for (int i = 1; i < 4; i++)
		add(kit, jobs, long_loop, 1, 64, 20, 0, buffer + 256 * (uint64_t)i)->after = i == 1 ? -1 : i - 1;
	struct gpu_session session = {
		.feed = {.user = jobs, .next = next_job, .ended = job_ended, .has_enough = has_enough},
		.concurrent = 16};
	return session;
}

/* A session that is suspended at every occasion gives the figures of one that is not. While it is suspended, the host
 * reads what kernels that have ended stored. */
static void test_suspended(void **state)
{
	(void)state;
	struct gpu_kit kit, other;
	struct jobs *jobs = new_jobs(), *whole = new_jobs();
	struct gpu_session session = run_chain(&kit, jobs, after_each_end), plain = run_chain(&other, whole, NULL);
	int suspended = 0;
	assert_true(gpu_run_together(other.gpu, &plain));
	while (!gpu_run_together(kit.gpu, &session)) {
		suspended++;
		for (int i = 0; i < jobs->count; i++)
			if (jobs->job[i].ended)
				assert_int_equal(*(uint32_t *)simt_host(kit.gpu->memory, jobs->job[i].param), 1000);
	}
	assert_int_equal(suspended, 3); /* at each end but the last */
	assert_int_equal(session.end, GPU_DONE);
	assert_int_equal(session.cycles, plain.cycles);
	compare_stats(&plain.stats, &session.stats, "suspended", 0);
	for (int i = 0; i < jobs->count; i++) {
		assert_int_equal(jobs->job[i].run.started, whole->job[i].run.started);
		assert_int_equal(jobs->job[i].run.cycles, whole->job[i].run.cycles);
	}
	free_jobs(jobs);
	free_jobs(whole);
	kit_close(&kit);
	kit_close(&other);
}

/* A session that is cut has counters that add up, and its kernels what they did so far. */
static void test_cut(void **state)
{
	(void)state;
	struct gpu_kit kit;
	struct jobs *jobs = new_jobs();
	struct gpu_session session = run_chain(&kit, jobs, after_each_end);
	char text[256];
	for (int i = 0; i < 2; i++)
		assert_false(gpu_run_together(kit.gpu, &session));
	gpu_cut_session(kit.gpu, &session);
	assert_int_equal(session.end, GPU_STOPPED);
	if (!gpu_check_session(kit.gpu, &session, text, sizeof text))
		fail_msg("%s", text);
	const struct gpu_run *first = &jobs->job[0].run;
	uint64_t warps = 0;
	for (int i = 0; i < jobs->count; i++)
		warps += jobs->job[i].run.own.warp_instructions;
	assert_int_equal(warps, session.stats.sm.warp_instructions);
	assert_int_equal(first->end, GPU_STOPPED);
	assert_int_equal(first->own.blocks, 0);
	assert_int_equal(first->cycles, session.cycles);
	free_jobs(jobs);
	kit_load(&kit, long_loop); /* the machine runs on */
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_run(&kit, 4, 64);
	kit_close(&kit);
}

/* A block has its warp slots until it ends, although seven of its eight warps have ended. */
static void test_warp_slots(void **state)
{
	(void)state;
	static const char one_goes_on[] = "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 exit; mov.u32 %r1, 0;\n"
					  "AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra AGAIN;\n"
					  "st.global.u32 [%rd0], %r1; exit;";
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	KIT_OPEN(&kit, "sm.count=1", "sm.warps=8");
	uint64_t buffer = kit_buffer(&kit, NULL, 8);
	const struct job *first = add(&kit, jobs, one_goes_on, 1, 256, 10, 0, buffer);
	const struct job *second = add(&kit, jobs, long_loop, 1, 32, 10, 0, buffer);
	run_all(&kit, jobs, &session);
	assert_true(second->run.first_block >= first->run.started + first->run.cycles - 1);
	free_jobs(jobs);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warp_slots),
		cmocka_unit_test(test_one_kernel),
		cmocka_unit_test(test_lines_of_kernel_before),
		cmocka_unit_test(test_small_kernels_overlap),
		cmocka_unit_test(test_one_waits_for_another),
		cmocka_unit_test(test_order_of_blocks),
		cmocka_unit_test(test_resources_of_an_sm),
		cmocka_unit_test(test_block_slots),
		cmocka_unit_test(test_division_of_unified_memory),
		cmocka_unit_test(test_successors),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_small_and_large_scoreboards),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_suspended),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
