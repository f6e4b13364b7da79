/* Protects cap against a second implementation (cap_model.h). Random valid loads of random blocks, warps and kernels
 * pass through the hooks, with random options. Each prefetch must have the model's cycle, bytes and warp, and all
 * counters must be equal. Extra calls of the cycle hook must change nothing.
 *
 *   test_cap_random [CASES [SEED]]      runs CASES cases from SEED on; default: about one second's worth */
#include "ptx_random.h"

#include "cap_model.h"
#include "gpu_kit.h"

static uint32_t cases = 2000;
static uint64_t first_seed = 1;

enum { LOADS = 8, PCS = 2 * LOADS, CYCLES = 400, LONG = 4000, LINE = 128, SENT = 64, PREFETCHER = 3 };

/* The address pattern of one load: from the block's base, with a stride between warps and a step per loop iteration. */
struct pattern {
	uint32_t accesses;
	struct model_access access[MODEL_ACCESSES]; /* relative to the base */
	int64_t stride, step;
	uint64_t origin;
	bool indirect, uneven; /* the distance between a warp's accesses grows with the warp's number */
	uint32_t noise;        /* one load in this many has another address; 0: none */
};

struct test {
	uint64_t state, seed, cycle, blocks_begun;
	struct attachments attachments;
	struct cap_config config;
	struct mech_machine machine;
	struct mech_launch launch;
	char name[2][8]; /* of the kernel */
	uint32_t launches;
	struct mech_pool pool;
	struct arena arena;
	struct mech_gpu gpu;
	struct mech_sm sm;
	struct mech_load load[LOADS];
	struct pattern pattern[PCS];
	uint32_t warps, busy; /* per block; L1 accepts a request in one of this many cycles */
	bool is_long;         /* a single launch of one load that is often mispredicted */
	struct model model;
	uint64_t number[MODEL_BLOCKS]; /* of blocks, in the launch */
	uint32_t round[MODEL_BLOCKS][MODEL_WARPS][PCS];
	uint32_t queued; /* in the queue before L1 */
	struct mech_request sent[SENT];
	uint32_t sents;
	uint64_t due;
};

static uint32_t below(struct test *t, uint32_t bound)
{
	return (uint32_t)(random_number(&t->state) % bound);
}

/* --- the machine's services --- */

static void *alloc(struct mech_pool *pool, size_t bytes)
{
	struct test *t = (struct test *)(void *)((char *)pool - offsetof(struct test, pool));
	return arena_alloc(&t->arena, bytes);
}

static bool send(struct mech_sm *sm, const struct mech_request *request)
{
	struct test *t = sm->host;
	assert_in_range(t->sents, 0, SENT - 1);
	t->sent[t->sents++] = *request;
	if (t->queued == t->machine.send_queue)
		return false;
	t->queued++;
	return true;
}

static uint32_t waiting_to_send(const struct mech_sm *sm)
{
	return ((const struct test *)sm->host)->queued;
}

static const struct mech_load *loads(struct mech_gpu *gpu, uint32_t *count)
{
	*count = LOADS;
	return ((const struct test *)gpu->host)->load;
}

static const struct mech_services services = {.send = send, .waiting_to_send = waiting_to_send, .loads = loads};

/* --- a test case --- */

static void random_config(struct test *t)
{
	static const uint32_t thresholds[] = {0, 1, 2, 5, 128, 210, 255}, runs[] = {1, 2, 4, 16, 32};
	struct diag diag = {0};
	char text[320];
	snprintf(text, sizeof text,
	         "cap:block_entries=%u,stride_entries=%u,accesses=%u,threshold=%u,runs=%u,case_a=%s,loops=%s,full=%s,"
	         "indirect=%s,retry=%s,keep_strides=%s",
	         1 + below(t, MODEL_ROWS), 1 + below(t, MODEL_ROWS), 1 + below(t, 6),
	         thresholds[t->is_long ? 4 + below(t, 3) : below(t, 7)], runs[below(t, 5)],
	         below(t, 3) ? "same_warp" : "whole_block", below(t, 3) ? "follow" : "verify",
	         below(t, 3) ? "replace" : "ignore", below(t, 4) ? "no" : "yes", below(t, 2) ? "no" : "yes",
	         below(t, 3) ? "yes" : "no");
	if (!attachments_add(&t->attachments, text, &diag))
		fail_msg("%s", diag.text);
	t->config = *(const struct cap_config *)t->attachments.list[0].config;
}

static void random_pattern(struct test *t, struct pattern *pattern)
{
	static const int64_t strides[] = {128, 512, 1024, 4096, 32, 0, -256, 96};
	*pattern = (struct pattern){.accesses = 1 + below(t, below(t, 3) ? 3 : 7),
	                            .stride = strides[below(t, 8)],
	                            .step = below(t, 3) ? 128 * (int64_t)below(t, 40) : -64,
	                            .origin = (1 + below(t, 1000)) * 65536ull,
	                            .indirect = below(t, 5) == 0,
	                            .uneven = below(t, 8) == 0,
	                            .noise = below(t, 3) ? 0 : 1 + below(t, 12)};
	if (t->is_long)
		pattern->indirect = pattern->uneven = false, pattern->noise = 3, pattern->accesses = 1;
	uint64_t at = 0;
	for (uint32_t i = 0; i < pattern->accesses; i++) {
		uint32_t bytes = 32u << below(t, t->machine.l1_sector_bytes == 32 ? 1 : 3);
		at = (at + bytes - 1) / bytes * bytes;
		pattern->access[i] = (struct model_access){at, bytes};
		at += bytes * (1 + (uint64_t)below(t, 3));
	}
}

static void open_case(struct test *t, uint64_t seed)
{
	*t = (struct test){.state = seed * 0xd1342543de82ef95, .seed = seed, .pool = {.alloc = alloc}};
	t->is_long = seed % 64 == 0;
	random_config(t);
	t->warps = 1 + below(t, MODEL_WARPS);
	t->busy = 1 + below(t, 4);
	t->machine = (struct mech_machine){.sms = 1,
	                                   .blocks = 1 + below(t, MODEL_BLOCKS),
	                                   .warps = MODEL_BLOCKS * MODEL_WARPS,
	                                   .line_bytes = LINE,
	                                   .l1_sector_bytes = below(t, 3) ? LINE : 32,
	                                   .send_queue = 1 + below(t, 8)};
	const struct mech *mech = t->attachments.list[0].mech;
	t->gpu = (struct mech_gpu){.mech = mech,
	                           .config = t->attachments.list[0].config,
	                           .state = alloc(&t->pool, mech->gpu_size),
	                           .machine = &t->machine,
	                           .launch = &t->launch,
	                           .pool = &t->pool,
	                           .kernel_pool = &t->pool,
	                           .services = &services,
	                           .host = t};
	t->sm = (struct mech_sm){.mech = mech,
	                         .config = t->gpu.config,
	                         .state = alloc(&t->pool, mech->sm_size),
	                         .stats = alloc(&t->pool, mech->stats_size),
	                         .number = PREFETCHER,
	                         .machine = &t->machine,
	                         .launch = &t->launch,
	                         .gpu = &t->gpu,
	                         .pool = &t->pool,
	                         .kernel_pool = &t->pool,
	                         .services = &services,
	                         .host = t};
	t->model = (struct model){.config = &t->config, .machine = &t->machine};
	mech->sm_open(&t->sm);
}

static void close_case(struct test *t)
{
	arena_free(&t->arena);
	attachments_free(&t->attachments);
}

/* --- simulated events --- */

static void end_block(struct test *t, uint32_t slot)
{
	const struct model_block *block = &t->model.block[slot];
	const struct mech_block event = {.number = t->number[slot],
	                                 .slot = slot,
	                                 .first_warp = block->first_warp,
	                                 .warps = block->warps,
	                                 .cycle = t->cycle};
	model_end_block(&t->model, slot);
	t->sm.mech->block_end(&t->sm, &event);
}

static void begin_block(struct test *t, uint32_t slot)
{
	const struct mech_block event = {.number = t->blocks_begun++,
	                                 .slot = slot,
	                                 .first_warp = slot * t->warps,
	                                 .warps = t->warps,
	                                 .cycle = t->cycle};
	memset(t->round[slot], 0, sizeof t->round[slot]);
	t->number[slot] = event.number;
	model_begin_block(&t->model, &event);
	t->sm.mech->block_begin(&t->sm, &event);
}

/* Starts one of three kernels. The name's address may differ from the last time. */
static void begin_kernel(struct test *t)
{
	static const char *const names[] = {"add", "add2", "ad"};
	char *name = t->name[++t->launches % 2];
	uint32_t kernel = below(t, 3);
	for (uint32_t slot = 0; slot < t->machine.blocks; slot++)
		if (t->model.block[slot].resident)
			end_block(t, slot);
	memset(t->name, 0, sizeof t->name);
	snprintf(name, sizeof *t->name, "%s", names[kernel]);
	t->launch = (struct mech_launch){.kernel = name, .instructions = PCS};
	for (uint32_t i = 0; i < LOADS; i++) {
		uint32_t pc = 2 * i + 1;
		random_pattern(t, &t->pattern[pc]);
		t->load[i] = (struct mech_load){.pc = pc, .indirect = t->pattern[pc].indirect};
	}
	t->queued = t->blocks_begun = 0;
	t->sm.mech->gpu_kernel_begin(&t->gpu);
	model_begin_kernel(&t->model, kernel);
	t->sm.mech->kernel_begin(&t->sm);
	for (uint32_t slot = 0; slot < t->machine.blocks; slot++)
		if (below(t, 2))
			begin_block(t, slot);
}

/* The accesses of a warp's load. Accesses that the buffer before L1 serves are left out of the model's. */
static void random_accesses(struct test *t, struct model_load *load, struct mech_memory *memory,
                            struct mech_transaction *transaction)
{
	const struct pattern *pattern = &t->pattern[load->pc];
	uint64_t number = t->model.block[load->slot].number;
	uint32_t round = t->round[load->slot][load->warp][load->pc]++,
		 buffered = below(t, 20) == 0 ? 1 + below(t, 3) : 0;
	uint64_t at = pattern->origin + number * number * 8192 + (uint64_t)(pattern->stride * (int64_t)load->warp) +
	              (uint64_t)(pattern->step * (int64_t)round);
	if (pattern->noise && below(t, pattern->noise) == 0)
		at += 32ull * below(t, 64);
	memory->transactions = pattern->noise && below(t, 4) == 0 ? 1 + below(t, pattern->accesses) : pattern->accesses;
	for (uint32_t i = 0; i < memory->transactions; i++) {
		struct model_access access = pattern->access[i];
		access.address += at + (pattern->uneven ? 256ull * i * load->warp : 0);
		bool in_buffer = buffered >> i & 1;
		transaction[i] = (struct mech_transaction){access.address, access.bytes, 1, in_buffer};
		if (!in_buffer)
			load->access[load->accesses++] = access;
	}
}

static void random_load(struct test *t)
{
	struct mech_transaction transaction[MODEL_ACCESSES];
	uint32_t slot = below(t, t->machine.blocks);
	const struct model_block *block = &t->model.block[slot];
	if (!block->resident)
		return;
	struct model_load load = {.slot = slot,
	                          .warp = below(t, block->warps),
	                          .pc = 1 + (t->is_long ? 0 : 2 * below(t, 1 + below(t, LOADS))),
	                          .cycle = t->cycle};
	struct mech_memory memory = {.warp = block->first_warp + load.warp,
	                             .block = slot,
	                             .warp_of_block = load.warp,
	                             .pc = load.pc,
	                             .kind = MECH_LOAD,
	                             .transaction = transaction,
	                             .cycle = t->cycle};
	random_accesses(t, &load, &memory, transaction);
	bool other = below(t, 16) == 0; /* an access that cap must ignore */
	if (other && below(t, 2))
		memory.kind = below(t, 2) ? MECH_STORE : MECH_ATOMIC;
	else if (other)
		memory.local = true;
	if (!other && load.accesses)
		model_load(&t->model, &load, t->pattern[load.pc].indirect);
	t->sm.mech->memory(&t->sm, &memory);
}

static void check_sent(struct test *t, const struct model_prefetch *made, uint32_t pc, const struct model_access *piece,
                       uint32_t pieces)
{
	if (t->sents != pieces)
		fail_msg("case %llu, cycle %llu: %u requests, not %u", (unsigned long long)t->seed,
		         (unsigned long long)t->cycle, t->sents, pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		const struct mech_request *sent = &t->sent[i];
		bool same = sent->address == piece[i].address && sent->bytes == piece[i].bytes && sent->pc == pc &&
		            sent->to == MECH_TO_L1 && sent->bound && sent->warp == made->warp &&
		            sent->once == !t->config.retry;
		if (!same)
			fail_msg("case %llu, cycle %llu: 0x%llx, %u bytes, for warp %u; expected 0x%llx, %u, %u",
			         (unsigned long long)t->seed, (unsigned long long)t->cycle,
			         (unsigned long long)sent->address, sent->bytes, sent->warp,
			         (unsigned long long)piece[i].address, piece[i].bytes, made->warp);
	}
}

/* Calls the cycle hook when it is due, or when the SM ticks for another reason. */
static void end_cycle(struct test *t, bool ticks)
{
	struct model_access piece[MODEL_PIECES];
	struct model_prefetch made = {0};
	uint32_t pc = 0,
		 pieces = model_cycle(&t->model, t->cycle, t->machine.send_queue - t->queued, &made, &pc, piece);
	t->sents = 0;
	for (uint32_t calls = ticks || t->due <= t->cycle ? 1 + (below(t, 8) == 0 && !pieces) : 0; calls; calls--) {
		t->due = t->sm.mech->cycle(&t->sm, t->cycle);
		assert_true(t->due > t->cycle);
	}
	check_sent(t, &made, pc, piece, pieces);
}

static void one_cycle(struct test *t)
{
	uint32_t slot = below(t, t->machine.blocks), what = below(t, 100);
	bool resident = t->model.block[slot].resident, loads_now = below(t, 3) > 0;
	if (t->queued && below(t, t->busy) == 0)
		t->queued--;
	if (what == 0 && below(t, 3) == 0 && !t->is_long)
		begin_kernel(t);
	else if (what < 4 && resident)
		end_block(t, slot);
	else if (what < 30 && !resident)
		begin_block(t, slot);
	if (loads_now)
		random_load(t);
	end_cycle(t, what < 50 || loads_now);
}

static void check_counters(const struct test *t)
{
	const struct cap_stats *stats = t->sm.stats, *model = &t->model.counted;
#define X(name, unit, meaning)                                                                                         \
	if (stats->name != model->name)                                                                                \
		fail_msg("case %llu: %s is %llu, not %llu", (unsigned long long)t->seed, #name,                        \
		         (unsigned long long)stats->name, (unsigned long long)model->name);
	CAP_COUNTERS(X)
#undef X
	assert_int_equal(stats->loads, stats->bases + stats->rebased + stats->strides + stats->unequal +
	                                       stats->verified + t->model.finds_full + t->model.repeats);
}

static void test_random(void **state)
{
	static struct test t;
	struct cap_stats all = {0};
	uint64_t finds_full = 0, repeats = 0;
	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		open_case(&t, first_seed + i);
		begin_kernel(&t);
		for (uint32_t cycle = 0; cycle < (t.is_long ? LONG : CYCLES); cycle++, t.cycle++)
			one_cycle(&t);
		check_counters(&t);
#define X(name, unit, meaning) all.name += t.model.counted.name;
		CAP_COUNTERS(X)
#undef X
		finds_full += t.model.finds_full;
		repeats += t.model.repeats;
		close_case(&t);
	}
#define X(name, unit, meaning) assert_true(all.name || cases < 100); /* each counter has been exercised */
	CAP_COUNTERS(X)
#undef X
	assert_true((finds_full && repeats) || cases < 100);
}

int main(int count, char **arguments)
{
	if (count > 1)
		cases = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		first_seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
