/* Protects the limit of instructions. A kernel ends in the cycle in which it reaches the limit, independent of sleep
 * and host threads. Its counters agree, and the accounts of mechanisms' requests add up. A limit that is not reached
 * changes nothing. */
#include "busy_kit.h"

#include "mech/list.h"

enum { SMS = 3, GRID = 18, BLOCK = 256 };

/* One warp of dependent additions. */
static void load_chain(struct gpu_kit *kit)
{
	kit_load_repeated(kit, "mov.u32 %r1, 1;", "add.u32 %r1, %r1, 1;", 200, "exit;");
}

static void cut(struct gpu_kit *kit, uint64_t most, uint32_t blocks, uint32_t threads)
{
	char text[256];
	kit->run.max_thread_instructions = most;
	kit_start(kit, blocks, threads);
	assert_int_equal(kit->run.end, GPU_STOPPED);
	if (!gpu_check_stats(kit->gpu, &kit->run, text, sizeof text))
		fail_msg("ended at %llu: %s", (unsigned long long)most, text);
}

/* One warp on a new machine. */
static uint64_t cut_chain(struct gpu_kit *kit, uint64_t most, uint32_t threads)
{
	KIT_OPEN(kit, "sm.count=1", "l1i.sets=64");
	load_chain(kit);
	cut(kit, most, 1, threads);
	uint64_t cycles = kit->run.cycles;
	kit_close(kit);
	return cycles;
}

/* A warp issues 32 thread instructions at a time, or fewer if it has fewer threads. The kernel ends in the cycle of the
 * last of them. A limit between two issues counts as the later one, and the next instruction issues at a known
 * distance. */
static void test_one_warp(void **state)
{
	static const uint32_t threads[] = {32, 7};
	(void)state;
	for (uint32_t t = 0; t < 2; t++) {
		uint64_t last = 0;
		for (uint32_t i = 100; i <= 110; i++) {
			struct gpu_kit kit;
			uint64_t cycles = cut_chain(&kit, threads[t] * i, threads[t]);
			assert_int_equal(kit.run.stats.sm.thread_instructions, threads[t] * i);
			assert_int_equal(cut_chain(&kit, threads[t] * (i - 1) + 1, threads[t]), cycles);
			assert_int_equal(kit.run.stats.sm.thread_instructions, threads[t] * i);
			assert_true(!last || cycles >= last + kit.machine.sm.latency[PTX_LATENCY_ADD][PTX_DATA_INT]);
			last = cycles;
		}
	}
}

static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};

/* A kernel with many memory accesses, ended at several points. Statistics are the same with and without sleep and with
 * one or several threads. The excess over the limit is at most what issues in one cycle. */
static void test_same_cycle(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < BUSY_KERNELS; k++)
		for (uint64_t most = 1; most < 200000; most = most * 5 + 3) {
			struct outcome first = {0};
			for (uint32_t i = 0; i < 4; i++) {
				struct gpu_kit kit;
				kit_threads = 1 + i / 2;
				KIT_OPEN(&kit, "sm.count=3", sleeps[i % 2]);
				kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
				kit_load(&kit, busy_kernels[k]);
				kit.run.max_thread_instructions = most;
				kit_start(&kit, GRID, BLOCK);
				if (kit.run.end == GPU_STOPPED) {
					uint64_t count = kit.run.stats.sm.thread_instructions;
					char text[256];
					assert_true(count >= most);
					assert_true(count < most + SMS * kit.machine.sm.schedulers * WARP_SIZE);
					if (!gpu_check_stats(kit.gpu, &kit.run, text, sizeof text))
						fail_msg("%s", text);
				}
				if (i) {
					assert_int_equal(kit.run.cycles, first.cycles);
					compare_stats(&first.stats, &kit.run.stats, "threads or sleep", k);
				}
				first = (struct outcome){kit.run.cycles, kit.run.stats};
				kit_close(&kit);
			}
		}
	kit_threads = 1;
}

/* The last instruction is within the limit or not; a limit that is larger by one makes no difference. */
static void test_not_reached(void **state)
{
	struct gpu_kit kit;
	(void)state;
	for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
		struct outcome free = {0};
		for (uint64_t more = 0; more < 3; more++) {
			KIT_OPEN(&kit, "sm.count=3");
			kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
			kit_load(&kit, busy_kernels[k]);
			if (more == 2)
				cut(&kit, free.stats.sm.thread_instructions, GRID, BLOCK);
			kit.run.max_thread_instructions = more == 1 ? free.stats.sm.thread_instructions + 1 : 0;
			if (more < 2)
				kit_run(&kit, GRID, BLOCK);
			if (more == 1) {
				assert_int_equal(kit.run.cycles, free.cycles);
				compare_stats(&free.stats, &kit.run.stats, "a limit", k);
			}
			free = (struct outcome){kit.run.cycles, kit.run.stats};
			kit_close(&kit);
		}
	}
}

/* --- with mechanisms --- */

static void send_next(struct mech_sm *sm, const struct mech_access *access)
{
	uint64_t line = access->address & ~(uint64_t)(sm->machine->line_bytes - 1);
	if (access->kind != MECH_LOAD || access->local)
		return;
	for (uint32_t i = 0; i < 2; i++)
		mech_send(sm,
		          &(struct mech_request){.address = line + (i + 1) * sm->machine->line_bytes,
		                                 .bytes = i ? sm->machine->l2_sector_bytes : sm->machine->line_bytes,
		                                 .to = i ? MECH_TO_L2 : MECH_TO_L1,
		                                 .pc = access->pc});
}

static uint64_t array; /* of BUSY_BYTES */

/* The dispatcher's requests sometimes fill its queue. */
static uint64_t send_more(struct mech_gpu *gpu, uint64_t cycle)
{
	for (uint64_t line = cycle; mech_room_to_send(gpu); line += 7)
		mech_send_to(gpu, (uint32_t)(line % SMS),
		             &(struct mech_request){.address = array + line * 128 % BUSY_BYTES,
		                                    .bytes = gpu->machine->l2_sector_bytes,
		                                    .to = MECH_TO_L2,
		                                    .pc = MECH_NO_PC});
	return cycle + 40;
}

static uint32_t ends; /* of SMs, in one host thread */

static void count_end(struct mech_sm *sm)
{
	(void)sm;
	ends++;
}

static const struct mech sender = {.version = MECH_VERSION,
                                   .name = "sender",
                                   .summary = "requests the lines after each load's, to L1 and to L2",
                                   .citation = "tests",
                                   .sends = true,
                                   .access = send_next,
                                   .gpu_cycle = send_more,
                                   .kernel_end = count_end};

/* The kernel ends while requests wait, are under way, and have arrived. The account adds up, also by load, and
 * kernel_end is called. */
static void test_requests(void **state)
{
	static const struct mech *const mechanisms[] = {&sender, NULL};
	struct gpu_kit kit;
	uint32_t cuts = 0;
	uint64_t waiting = 0, by_load = 0; /* for nothing any more; requested by loads */
	(void)state;
	kit_mechanisms = mechanisms;
	for (uint64_t most = 20000; most < 120000; most += 7177, cuts++) {
		KIT_OPEN(&kit, "sm.count=3");
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		array = kit.param;
		kit_load(&kit, busy_kernels[0]);
		ends = 0;
		cut(&kit, most, 2 * GRID, BLOCK);
		assert_int_equal(ends, SMS);
		struct mech_requests all = kit_requests(&kit, 0), sum = {0};
		struct seam_load *by_pc = base_calloc(kit.program->count, sizeof *by_pc);
		seam_stats(kit.gpu->seam, 0, NULL, &all, by_pc);
		for (uint32_t pc = 0; pc < kit.program->count; pc++) {
			const struct mech_requests *load = &by_pc[pc].requests;
			assert_int_equal(load->issued,
			                 load->useful + load->late + load->early_evicted + load->redundant);
			seam_requests_add(&sum, load);
		}
		assert_true(sum.issued < all.issued); /* the dispatcher's belong to no load */
		by_load += sum.issued;
		waiting += all.redundant;
		free(by_pc);
		kit_close(&kit);
	}
	assert_true(cuts > 10 && waiting > cuts && by_load > cuts);
	kit_mechanisms = NULL;
}

struct counted {
	uint64_t value[64];
	struct mech_requests requests;
};

static struct counted counted_by(const struct gpu_kit *kit)
{
	const struct mech *mech = kit->attachments.list[0].mech;
	struct counted counted = {.requests = kit_requests(kit, 0)};
	for (size_t i = 0; i < mech->counter_count && i < 64; i++)
		counted.value[i] = kit_counter(kit, 0, mech->counters[i].name);
	return counted;
}

/* For each built-in mechanism, the counts up to that point are the same, too. */
static void test_built_in(void **state)
{
	static const uint64_t limits[] = {5000, 70001};
	uint32_t tried = 0;
	(void)state;
	for (size_t m = 0; m < mech_list_count; m++)
		for (size_t l = 0; l < 2; l++)
			for (uint32_t k = 0; k < 3; k += 2) {
				struct outcome first = {0};
				struct counted before = {0};
				for (uint32_t i = 0; i < 4; i++) {
					struct gpu_kit kit;
					kit_threads = 1 + i / 2;
					kit_describe(&kit, (const char *const[]){"sm.count=3", sleeps[i % 2], NULL});
					kit_attach(&kit, mech_list[m]->name);
					kit_build(&kit);
					kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
					kit_load(&kit, busy_kernels[k]);
					cut(&kit, limits[l], 2 * GRID, BLOCK);
					struct counted counted = counted_by(&kit);
					if (i) {
						assert_memory_equal(&counted, &before, sizeof counted);
						assert_int_equal(kit.run.cycles, first.cycles);
						compare_stats(&first.stats, &kit.run.stats, mech_list[m]->name, k);
					}
					first = (struct outcome){kit.run.cycles, kit.run.stats};
					before = counted;
					kit_close(&kit);
					tried++;
				}
			}
	assert_true(tried);
	kit_threads = 1;
}

/* The machine is as new afterwards. */
static void test_afterwards(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, "sm.count=3");
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	kit_load(&kit, busy_kernels[0]);
	cut(&kit, 30000, GRID, BLOCK);
	kit.run.max_thread_instructions = 0;
	kit_run(&kit, GRID, BLOCK);
	assert_int_equal(kit.run.stats.sm.blocks, GRID);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_warp), cmocka_unit_test(test_same_cycle), cmocka_unit_test(test_not_reached),
		cmocka_unit_test(test_requests), cmocka_unit_test(test_built_in),   cmocka_unit_test(test_afterwards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
