/* Protects the requests of mechanisms. Each possible outcome occurs and is counted correctly, in total and for its
 * load. Covers the cost and contents of the buffer in front of L1. All statistics are the same for any number of host
 * threads and with sleep off. */
#include "busy_kit.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"

enum { WARP = 32, LINE = 128 };

static struct mech_requests requests_of(const struct gpu_kit *kit, uint32_t number, struct seam_load *by_pc)
{
	struct mech_requests all;
	uint64_t stats[16] = {0};
	seam_stats(kit->gpu->seam, number, stats, &all, by_pc);
	return all;
}

static void check_account(const struct mech_requests *account)
{
	assert_int_equal(account->asked,
	                 account->dropped + account->outside + account->filtered + account->refused + account->issued);
	assert_int_equal(account->issued,
	                 account->useful + account->late + account->early_evicted + account->redundant);
}

/* --- to L1, from an SM --- */

/* When the first load reaches the load/store unit, requests the line `ahead` bytes after it, `count` times. */
struct ask_config {
	uint32_t count, ahead, to;
};

struct ask_stats {
	uint64_t replies, filtered, refused, wrong;
	uint64_t waited;       /* cycles from the request to its sending */
	uint64_t not_demanded; /* fills that no instruction waited for */
};

static const struct base_counter ask_counters[] = {
	{"replies", "", BASE_SCOPE_SM, offsetof(struct ask_stats, replies), "", BASE_COMBINE_SUM},
	{"filtered", "", BASE_SCOPE_SM, offsetof(struct ask_stats, filtered), "", BASE_COMBINE_SUM},
	{"refused", "", BASE_SCOPE_SM, offsetof(struct ask_stats, refused), "", BASE_COMBINE_SUM},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct ask_stats, wrong), "", BASE_COMBINE_SUM},
	{"waited", "", BASE_SCOPE_SM, offsetof(struct ask_stats, waited), "", BASE_COMBINE_SUM},
	{"not_demanded", "", BASE_SCOPE_SM, offsetof(struct ask_stats, not_demanded), "", BASE_COMBINE_SUM},
};

struct ask_sm {
	bool asked;
	uint64_t address; /* of the first request */
	uint64_t cycle;   /* of the request */
};

static void ask_kernel_begin(struct mech_sm *sm)
{
	((struct ask_sm *)sm->state)->asked = false;
}

static void ask(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct ask_config *config = sm->config;
	struct ask_sm *own = sm->state;
	struct ask_stats *stats = sm->stats;
	if (own->asked || memory->kind != MECH_LOAD)
		return;
	own->asked = true;
	own->cycle = memory->cycle;
	own->address = memory->transaction[0].address + config->ahead;
	for (uint32_t i = 0; i < config->count; i++) {
		const struct mech_request request = {.address = own->address + 2 * LINE * i,
		                                     .bytes = LINE,
		                                     .to = config->to,
		                                     .pc = memory->pc,
		                                     .block = memory->block,
		                                     /* not bound to a warp, this value has no meaning */
		                                     .warp = UINT32_MAX,
		                                     .tag = i};
		stats->refused += !mech_send(sm, &request);
	}
}

static void ask_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	const struct ask_sm *own = sm->state;
	struct ask_stats *stats = sm->stats;
	stats->replies++;
	stats->filtered += reply->filtered;
	stats->waited += reply->sent - own->cycle;
	stats->wrong += reply->request.address != own->address + 2 * LINE * reply->request.tag ||
	                (!reply->filtered && reply->cycle <= reply->sent);
}

static void ask_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	((struct ask_stats *)sm->stats)->not_demanded += !fill->demanded;
}

static struct ask_config ask_defaults;

static struct mech_buffer ask_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 1};
}

#define ASKER                                                                                                          \
	.version = MECH_VERSION, .name = "asker", .config_size = sizeof(struct ask_config), .defaults = &ask_defaults, \
	.counters = ask_counters, .counter_count = 6, .stats_size = sizeof(struct ask_stats),                          \
	.sm_size = sizeof(struct ask_sm), .sends = true, .kernel_begin = ask_kernel_begin, .memory = ask,              \
	.on_reply = ask_reply, .fill = ask_fill

static const struct mech asker = {ASKER};
static const struct mech asker_with_buffer = {ASKER, .policies = MECH_POLICY_BUFFER, .buffer = ask_buffer};

#define LOAD_FIRST  "ld.global.u32 %r1, [%rd0];\n"
#define LONG        "div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3;\n"
#define VERY_LONG   LONG LONG LONG LONG
#define BEHIND      "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, %rd1;\n"
#define LOAD(ahead) "ld.global.u32 %r1, [%rd0+" #ahead "];\n"

/* Each outcome that a request can have: a kernel and its account. A line 256 bytes further on belongs to another
 * slice. */
static void test_ends(void **state)
{
	static const struct {
		const char *what, *option;
		struct ask_config config;
		const char *body;
		struct mech_requests account;
	} row[] = {
		{"useful",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .useful = 1}},
		{"late",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; ld.global.u32 %r3, [%rd0+256]; exit;",
	         {.asked = 1, .issued = 1, .late = 1}},
		{"early_evicted",
	         "l1d.sets=1",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(512) VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1}},
		{"evicted by a store",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "st.global.u32 [%rd0+256], %r1; exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1}},
		{"redundant",
	         "l1d.sets=32",
	         {1, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "exit;",
	         {.asked = 1, .issued = 1, .redundant = 1}},
		{"filtered", "l1d.sets=32", {1, 0, MECH_TO_L1}, LOAD_FIRST "exit;", {.asked = 1, .filtered = 1}},
		{"dropped",
	         "sm.send_queue=2",
	         {5, 256, MECH_TO_L1},
	         LOAD_FIRST VERY_LONG BEHIND "exit;",
	         {.asked = 5, .dropped = 3, .issued = 2, .redundant = 2}},
		{"to nothing",
	         "l1d.sets=32",
	         {3, 256, MECH_TO_NOTHING},
	         LOAD_FIRST VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 3, .issued = 3, .redundant = 3}},
	};
	static const struct mech *const set[] = {&asker, NULL};
	(void)state;
	kit_mechanisms = set;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		struct seam_load by_pc[64] = {0};
		struct mech_requests all;
		uint32_t loads = 0;
		print_message("%s\n", row[i].what);
		ask_defaults = row[i].config;
		KIT_OPEN(&kit, ONE_SM, "l1d.ways=1", row[i].option);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		all = requests_of(&kit, 0, by_pc);
		check_account(&all);
		for (uint32_t pc = 0; pc < kit.program->count; pc++)
			if (by_pc[pc].requests.asked) {
				assert_memory_equal(&by_pc[pc].requests, &all, sizeof all);
				loads++;
			}
		assert_int_equal(loads, 1);
		all.retries = 0; /* test_seam_turns checks them */
		assert_memory_equal(&all, &row[i].account, sizeof all);
		struct ask_stats stats;
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.replies, all.filtered + all.issued);
		assert_int_equal(stats.filtered, all.filtered);
		assert_int_equal(stats.refused, all.dropped);
		assert_int_equal(stats.wrong, 0);
		assert_int_equal(stats.not_demanded, row[i].config.to == MECH_TO_L1 ? all.issued - all.late : 0);
		assert_int_equal(kit.run.stats.l1d.prefetches, row[i].config.to == MECH_TO_L1 ? all.issued : 0);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A useful request turns the second load into a hit, which saves the kernel one round trip to DRAM. */
static void test_useful_saves_time(void **state)
{
	static const struct mech *const sets[][2] = {{NULL}, {&asker, NULL}};
	uint64_t cycles[2], hits[2];
	(void)state;
	ask_defaults = (struct ask_config){1, 256, MECH_TO_L1};
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		kit_mechanisms = sets[i];
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, LOAD_FIRST VERY_LONG BEHIND LOAD(256) "add.u32 %r1, %r1, 1; exit;");
		cycles[i] = kit_run(&kit, 1, WARP);
		hits[i] = kit.run.stats.l1d.hits;
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
	assert_int_equal(hits[1], hits[0] + 1);
	assert_true(cycles[1] + 200 < cycles[0]);
}

/* An instruction's accesses have L1's port first, one per cycle from the cycle in which a mechanism sees them. The
 * mechanism's request to L1 waits until they are done, and no longer. */
static void test_instructions_have_l1_first(void **state)
{
	static const struct mech *const set[] = {&asker, NULL};
	(void)state;
	kit_mechanisms = set;
	ask_defaults = (struct ask_config){1, 8192, MECH_TO_L1};
	for (uint32_t lines = 1; lines <= 16; lines *= 2) {
		struct gpu_kit kit;
		struct ask_stats stats;
		char body[256];
		snprintf(body, sizeof body,
		         "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, %u; add.u64 %%rd1, %%rd1, %%rd0;\n"
		         "ld.global.u32 %%r2, [%%rd1]; exit;",
		         lines * LINE / WARP);
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 16384 / 8);
		kit_load(&kit, body);
		kit_run(&kit, 1, WARP);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(kit.run.stats.l1d.read_accesses, lines);
		assert_int_equal(stats.replies - stats.filtered, 1);
		assert_int_equal(stats.waited, lines);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- to the buffer --- */

/* Requests from an SM. The load finds one (useful), none is replaced, an atomic drops one, and one is unused at the
 * block's end. */
static void test_buffer_ends(void **state)
{
	static const struct {
		const char *body;
		struct mech_requests account;
		uint32_t l1_reads;
	} row[] = {
		{LOAD_FIRST VERY_LONG BEHIND LOAD(256) LOAD(260) "exit;", {.asked = 1, .issued = 1, .useful = 1}, 1},
		{LOAD_FIRST VERY_LONG BEHIND "exit;", {.asked = 1, .issued = 1, .redundant = 1}, 1},
		{LOAD_FIRST VERY_LONG BEHIND "red.global.add.u32 [%rd0+256], 1;" VERY_LONG BEHIND LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .early_evicted = 1},
	         2},
		{LOAD_FIRST VERY_LONG BEHIND "st.global.u32 [%rd0+256], %r1;" LOAD(256) "exit;",
	         {.asked = 1, .issued = 1, .useful = 1},
	         1},
	};
	static const struct mech *const set[] = {&asker_with_buffer, NULL};
	(void)state;
	kit_mechanisms = set;
	ask_defaults = (struct ask_config){1, 256, MECH_TO_BUFFER};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		const struct mech_requests all = requests_of(&kit, 0, NULL);
		assert_memory_equal(&all, &row[i].account, sizeof all);
		assert_int_equal(kit.run.stats.l1d.read_accesses, row[i].l1_reads);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* A buffer in shared memory that is filled at once at each block's begin, with the data at the kernel's parameter.
 * Counts the accesses that hit it. */
static uint64_t put_address;
static uint32_t put_bytes;

static void put_block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	mech_put(sm, put_address, put_bytes, block->slot);
}

static void put_access(struct mech_sm *sm, const struct mech_access *access)
{
	*(uint64_t *)sm->stats += access->result == MECH_BUFFER_HIT;
}

static struct mech_buffer put_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	return (struct mech_buffer){.sets = 4, .in_shared = true, .bytes = machine->shared_bytes};
}

static const struct base_counter put_counters[] = {{"hits", "", BASE_SCOPE_SM, 0, "", BASE_COMBINE_SUM}};

static const struct mech putter = {
	.version = MECH_VERSION,
	.name = "putter",
	.counters = put_counters,
	.counter_count = 1,
	.stats_size = sizeof(uint64_t),
	.policies = MECH_POLICY_BUFFER,
	.buffer = put_buffer,
	.block_begin = put_block_begin,
	.access = put_access,
};

static const struct mech *const only_putter[] = {&putter, NULL};

static uint64_t buffer_hits(const struct gpu_kit *kit)
{
	uint64_t hits;
	kit_mech_stats(kit, 0, &hits, sizeof hits);
	return hits;
}

/* A chain of loads that hit the buffer takes as long as one through shared memory, whatever the buffer's latency. */
static void test_buffer_costs_shared_latency(void **state)
{
	static const char *const latencies[] = {"sm.shared_latency=3", "sm.shared_latency=24"};
	(void)state;
	kit_mechanisms = only_putter;
	for (size_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, latencies[i]);
		uint64_t self = 0;
		kit.param = kit_buffer(&kit, &self, 1);
		memcpy(simt_host(kit.gpu->memory, kit.param), &kit.param, 8);
		put_address = kit.param;
		put_bytes = 32;
		uint64_t global = kit_cost(&kit, "mov.u64 %rd1, %rd0;", "ld.global.u64 %rd1, [%rd1];", 10, WARP);
		assert_int_equal(buffer_hits(&kit), 20);
		assert_int_equal(kit.run.stats.l1d.accesses, 0);
		uint64_t shared = kit_cost(&kit, "mov.u64 %rd1, 0;", "ld.shared.u64 %rd1, [%rd1];", 10, WARP);
		assert_int_equal(global, shared);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* The buffer cannot use memory that blocks have allocated. Of 48 KB, two blocks of 24 KB leave nothing. One block
 * leaves 24 KB, which hold the last 192 of 256 lines. When the second block ends, its half becomes free again. */
static void test_buffer_in_shared(void **state)
{
	static const struct {
		uint32_t blocks_per_sm, blocks, lines;
		uint64_t hits;
	} row[] = {{1, 1, 192, 192}, {1, 1, 256, 192}, {2, 2, 256, 0}, {1, 2, 256, 2 * 192}};
	(void)state;
	kit_mechanisms = only_putter;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		KIT_OPEN(&kit, ONE_SM, "launch.spread_small_grids=false");
		kit.param = kit_buffer(&kit, NULL, 256 * LINE / 8);
		put_address = kit.param;
		put_bytes = row[i].lines * LINE;
		kit.run.blocks_per_sm = row[i].blocks_per_sm;
		kit_load(&kit, "mov.u32 %r2, 256; mov.u64 %rd1, %rd0;\n"
		               "AGAIN: ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 128; sub.u32 %r2, %r2, 1;\n"
		               "setp.gt.u32 %p1, %r2, 0; @%p1 bra AGAIN; exit;");
		kit_run(&kit, row[i].blocks, WARP);
		assert_int_equal(buffer_hits(&kit), row[i].hits);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

/* --- from the dispatcher --- */

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

/* A read that bypasses L1 leaves in the cycle of its request, a write one cycle later: the number of packets that an SM
 * may send in a cycle is known before that cycle. */
static void test_writes_leave_a_cycle_later(void **state)
{
	static const struct mech *const set[] = {&asker, NULL};
	static const enum mech_place to[] = {MECH_TO_NOTHING, MECH_WRITE_GLOBAL};
	(void)state;
	kit_mechanisms = set;
	for (uint64_t later = 0; later < 2; later++) {
		struct gpu_kit kit;
		struct ask_stats stats;
		ask_defaults = (struct ask_config){1, 256, to[later]};
		KIT_OPEN(&kit, ONE_SM);
		kit.param = kit_buffer(&kit, NULL, 4096 / 8);
		kit_load(&kit, LOAD_FIRST "exit;");
		kit_run(&kit, 1, WARP);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.replies, 1);
		assert_int_equal(stats.waited, later);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_useful_saves_time),
		cmocka_unit_test(test_instructions_have_l1_first),
		cmocka_unit_test(test_buffer_ends),
		cmocka_unit_test(test_buffer_costs_shared_latency),
		cmocka_unit_test(test_buffer_in_shared),
		cmocka_unit_test(test_dispatcher_fetches),
		cmocka_unit_test(test_writes_leave_a_cycle_later),
		cmocka_unit_test(test_host_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
