/* Protects requests from the dispatcher into buffers of SMs. All statistics are the same for any number of host threads
 * and with sleep off. */
#include "busy_kit.h"
#include "request_kit.h"

/* The dispatcher holds every block until the buffer has all data that the block reads: 32 bytes per thread from the
 * parameter on. Meanwhile other blocks wait.
 * Another mechanism requests each load's next line, in L1 or L2, from the SM. All kinds of hook thus work together. */
enum { FETCH_BYTES = 2048 };

struct fetch_gpu {
	struct {
		uint32_t sm, slot;
		uint64_t next, end; /* addresses */
	} wanted[512];
	uint32_t head, count;
};

struct fetch_sm {
	uint32_t left[8]; /* requests, by slot */
};

static uint64_t fetch_address;

static void fetch_kernel_begin(struct mech_gpu *gpu)
{
	memset(gpu->state, 0, sizeof(struct fetch_gpu));
}

static void fetch_gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	struct fetch_gpu *own = gpu->state;
	uint64_t first = fetch_address + block->number % 64 * FETCH_BYTES;
	uint32_t at = (own->head + own->count++) % 512;
	own->wanted[at].sm = block->sm;
	own->wanted[at].slot = block->slot;
	own->wanted[at].next = first;
	own->wanted[at].end = first + FETCH_BYTES;
}

static uint64_t fetch_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	struct fetch_gpu *own = gpu->state;
	while (own->count && mech_room_to_send(gpu)) {
		uint64_t *next = &own->wanted[own->head].next;
		const struct mech_request request = {.address = *next,
		                                     .bytes = 32,
		                                     .to = MECH_TO_BUFFER,
		                                     .pc = MECH_NO_PC,
		                                     .block = own->wanted[own->head].slot,
		                                     .urgent = true};
		if (!mech_send_to(gpu, own->wanted[own->head].sm, &request))
			break;
		*next += 32;
		if (*next == own->wanted[own->head].end) {
			own->head = (own->head + 1) % 512;
			own->count--;
		}
	}
	return own->count ? cycle + 1 : MECH_NEVER;
}

static void fetching_open(struct mech_gpu *gpu)
{
	mech_prefer(gpu, MECH_ALTERNATE);
}

static bool fetch_may_start(struct mech_sm *sm, const struct mech_block *block)
{
	((struct fetch_sm *)sm->state)->left[block->slot] = FETCH_BYTES / 32;
	return false;
}

static void fetch_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct fetch_sm *own = sm->state;
	if (reply->request.to == MECH_TO_BUFFER && --own->left[reply->request.block] == 0)
		mech_release_block(sm, reply->request.block);
}

static void fetch_memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct mech_transaction *first = memory->transaction;
	const struct mech_request request = {.address = (first->address & ~(uint64_t)(LINE - 1)) + LINE,
	                                     .bytes = LINE,
	                                     .to = first->address / LINE % 2 ? MECH_TO_L1 : MECH_TO_L2,
	                                     .pc = memory->pc,
	                                     .block = memory->block};
	if (memory->kind == MECH_LOAD && !memory->local)
		mech_send(sm, &request);
}

static struct mech_buffer fetch_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 8, .ways = 16};
}

/* A random stall: the warp may not issue in some of every 64 cycles. */
static bool fetch_may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	return (issue->cycle >> 2) % 16 != issue->warp % 16;
}

static const struct mech fetcher = {
	.version = MECH_VERSION,
	.name = "fetcher",
	.sends = true,
	.gpu_size = sizeof(struct fetch_gpu),
	.sm_size = sizeof(struct fetch_sm),
	.policies = MECH_POLICY_BUFFER,
	.gpu_open = fetching_open,
	.gpu_kernel_begin = fetch_kernel_begin,
	.gpu_block = fetch_gpu_block,
	.gpu_cycle = fetch_cycle,
	.memory = fetch_memory,
	.may_start = fetch_may_start,
	.may_issue = fetch_may_issue,
	.on_reply = fetch_reply,
	.buffer = fetch_buffer,
};

static const struct mech *const only_fetcher[] = {&fetcher, NULL};

/* All data that a block reads arrive before it starts, sector by sector, though the queue is short. No request reaches
 * L1. */
static void test_dispatcher_fetches(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = only_fetcher;
	KIT_OPEN(&kit, "sm.count=3", "sm.send_queue=4");
	kit.param = kit_buffer(&kit, NULL, 8 * FETCH_BYTES / 8);
	fetch_address = kit.param;
	kit_load(&kit, "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1; mul.wide.u32 %rd1, "
	               "%r1, 8;\n"
	               "add.u64 %rd1, %rd1, %rd0; ld.global.u64 %rd2, [%rd1]; exit;");
	kit_run(&kit, 8, 256);
	const struct mech_requests all = requests_of(&kit, 0, NULL);
	check_account(&all);
	assert_int_equal(kit.run.stats.l1d.read_accesses, 0);
	assert_true(all.useful >= 8 * FETCH_BYTES / 32);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

struct fetched {
	struct outcome outcome;
	struct mech_requests requests;
};

static void run_fetched(const char *const *options, struct fetched *fetched, void *memory)
{
	struct gpu_kit kit;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	fetch_address = kit.param;
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		kit_load(&kit, busy_kernels[i]);
		fetched[i].outcome.cycles = kit_run(&kit, 6, 256);
		fetched[i].outcome.stats = kit.run.stats;
		fetched[i].requests = requests_of(&kit, 0, NULL);
		check_account(&fetched[i].requests);
	}
	memcpy(memory, simt_host(kit.gpu->memory, kit.param), BUSY_BYTES);
	kit_close(&kit);
}

static void test_host_changes_nothing(void **state)
{
	static const char *const shapes[][4] = {
		{"sm.count=3", "sm.send_queue=3", "dram.queue=2", NULL},
		{"sm.count=4", "clock.l2=350", "l1d.sectors=4", NULL},
		{"sm.count=3", "sm.zero_latency_memory=true", NULL},
	};
	uint8_t *memory[2] = {malloc(BUSY_BYTES), malloc(BUSY_BYTES)};
	(void)state;
	kit_mechanisms = only_fetcher;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct fetched want[BUSY_KERNELS], got[BUSY_KERNELS];
		run_fetched(shapes[s], want, memory[0]);
		for (uint32_t way = 1; way <= (s ? 2 : 3); way++) { /* without sleep; 2 and 3 threads */
			const char *options[5] = {"launch.sleep=true", shapes[s][0], shapes[s][1], shapes[s][2]};
			if (way == 1)
				options[0] = "launch.sleep=false";
			kit_threads = way;
			run_fetched(options, got, memory[1]);
			for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
				compare_stats(&want[i].outcome.stats, &got[i].outcome.stats, "host", i);
				assert_int_equal(want[i].outcome.cycles, got[i].outcome.cycles);
				assert_memory_equal(&want[i].requests, &got[i].requests, sizeof got[i].requests);
			}
			assert_memory_equal(memory[0], memory[1], BUSY_BYTES);
		}
		kit_threads = 1;
	}
	free(memory[0]);
	free(memory[1]);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dispatcher_fetches),
		cmocka_unit_test(test_host_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
