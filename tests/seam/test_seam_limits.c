/* Protects the machine and mechanisms from each other's limits. A mechanism with every hook and every policy runs on
 * the largest machines that options allow, with every SM slot in use. Every value that it sees is within the limits of
 * seam/mech.h.
 * With the address and undefined-behavior sanitizers this test finds arrays that are too short. A machine beyond a
 * limit is refused. */
#include "gpu_kit.h"

enum { LINE = 128, SHARED = 24576 };

struct all_stats {
	uint64_t calls, replies, highest_warp, wrong;
};

static const struct base_counter all_counters[] = {
	{"calls", "", BASE_SCOPE_SM, offsetof(struct all_stats, calls), "", BASE_COMBINE_SUM},
	{"replies", "", BASE_SCOPE_SM, offsetof(struct all_stats, replies), "", BASE_COMBINE_SUM},
	{"highest_warp", "", BASE_SCOPE_SM, offsetof(struct all_stats, highest_warp), "", BASE_COMBINE_LARGEST},
	{"wrong", "", BASE_SCOPE_SM, offsetof(struct all_stats, wrong), "", BASE_COMBINE_SUM},
};

/* One array for each limit, so that a sanitizer finds an index beyond it. */
struct all_sm {
	uint64_t issued[MECH_MAX_WARPS], refused[MECH_MAX_WARPS], blocks[MECH_MAX_BLOCKS];
	uint64_t picked[MECH_MAX_SCHEDULERS][MECH_MAX_SCHEDULER_WARPS];
};

static struct all_stats *count(void *stats, bool wrong)
{
	struct all_stats *all = stats;
	all->calls++;
	all->wrong += wrong;
	return all;
}

static void gpu_hook(struct mech_gpu *gpu)
{
	count(gpu->stats, !mech_alloc(gpu->pool, 1) || !mech_alloc(gpu->kernel_pool, 1));
}

static void gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	struct mech_sm *part = mech_part(gpu, block->sm);
	const struct mech_request request = {.address = (uint64_t)1 << 50,
	                                     .bytes = LINE,
	                                     .to = MECH_TO_BUFFER,
	                                     .pc = MECH_NO_PC,
	                                     .block = block->slot};
	count(gpu->stats, block->slot >= gpu->machine->blocks);
	mech_send_to(gpu, block->sm, &request);
	mech_put(part, 0, 5 * LINE, block->slot);
	mech_hold_block(part, block->slot);
	mech_release_block(part, block->slot);
}

static uint64_t gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	count(gpu->stats, false);
	return cycle + 3;
}

static bool may_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *dispatch)
{
	count(gpu->stats, dispatch->sm >= gpu->machine->sms || dispatch->block >= gpu->launch->grid.x);
	return true;
}

static bool may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	(void)end;
	count(gpu->stats, false);
	return true;
}

static uint32_t blocks_per_sm(struct mech_gpu *gpu, uint32_t blocks)
{
	(void)gpu;
	return blocks;
}

static uint32_t place_block(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	uint32_t sm = (uint32_t)(block % gpu->machine->sms);
	while (!has_room[sm])
		sm = (sm + 1) % gpu->machine->sms;
	return sm;
}

static void sm_hook(struct mech_sm *sm)
{
	count(sm->stats, !mech_alloc(sm->pool, 100) || !mech_alloc(sm->kernel_pool, 100000));
}

static void block_hook(struct mech_sm *sm, const struct mech_block *block)
{
	((struct all_sm *)sm->state)->blocks[block->slot]++;
	count(sm->stats, block->slot >= sm->machine->blocks || block->first_warp + block->warps > sm->machine->warps);
}

static void issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct all_stats *stats = count(sm->stats, issue->warp % sm->machine->schedulers != issue->scheduler);
	((struct all_sm *)sm->state)->issued[issue->warp]++;
	stats->highest_warp = issue->warp > stats->highest_warp ? issue->warp : stats->highest_warp;
}

static void memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	const struct mech_request request = {.address = memory->transaction[0].address & ~(uint64_t)(LINE - 1),
	                                     .bytes = LINE,
	                                     .to = memory->warp % 3,
	                                     .pc = memory->pc,
	                                     .block = memory->block};
	count(sm->stats, memory->transactions > MECH_MAX_ACCESSES);
	mech_send(sm, &request);
}

static void access_hook(struct mech_sm *sm, const struct mech_access *access)
{
	count(sm->stats, access->warp >= sm->machine->warps || access->block >= sm->machine->blocks);
}

static void fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	count(sm->stats, fill->address % LINE);
}

static void evict(struct mech_sm *sm, const struct mech_eviction *eviction)
{
	count(sm->stats, eviction->set >= sm->machine->l1_sets || eviction->way >= sm->machine->l1_ways);
}

static uint32_t l1_victim(struct mech_sm *sm, const struct mech_set *set)
{
	count(sm->stats, set->ways != sm->machine->l1_ways);
	return set->usual;
}

static void l1_used(struct mech_sm *sm, const struct mech_use *use)
{
	count(sm->stats, use->set >= sm->machine->l1_sets);
	*use->data = use->cycle;
}

static uint32_t answer_miss(struct mech_sm *sm, const struct mech_access *miss)
{
	count(sm->stats, miss->address % LINE);
	return miss->address / LINE % 5;
}

static uint64_t cycle(struct mech_sm *sm, uint64_t cycle)
{
	(void)sm;
	return cycle + 7;
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct all_stats *stats = count(sm->stats, reply->filtered && reply->outside);
	stats->replies++;
}

static void on_outcome(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	count(sm->stats, outcome->outcome > MECH_REDUNDANT || outcome->sent > outcome->cycle);
}

static void packet(struct mech_sm *sm, const struct mech_packet *packet)
{
	count(sm->stats, packet->sm != sm->sm || packet->kind >= MECH_PACKET_KINDS);
}

static void partition_packet(struct mech_partition *partition, const struct mech_packet *packet)
{
	count(partition->stats, packet->slice != partition->slice || packet->kind >= MECH_PACKET_KINDS);
}

static void partition_outcome(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	count(partition->stats, outcome->outcome > MECH_REDUNDANT || outcome->sent > outcome->cycle);
}

static bool may_start(struct mech_sm *sm, const struct mech_block *block)
{
	block_hook(sm, block);
	return true;
}

/* Refuses each warp every second time. */
static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	return ++((struct all_sm *)sm->state)->refused[issue->warp] & 1;
}

static bool may_allocate(struct mech_sm *sm, const struct mech_access *access)
{
	access_hook(sm, access);
	return true;
}

static uint64_t compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	count(sm->stats, warps->index >= sm->machine->schedulers || warps->warps > MECH_MAX_SCHEDULER_WARPS);
	return UINT64_MAX;
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	uint32_t bit = mech_youngest(warps, candidates);
	((struct all_sm *)sm->state)->picked[warps->index][bit]++;
	return bit;
}

static struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	return (struct mech_buffer){.sets = 4, .in_shared = true, .bytes = machine->shared_bytes};
}

static void partition_open(struct mech_partition *partition)
{
	count(partition->stats, !mech_alloc(partition->pool, 64));
}

/* A mechanism's own request has no warp here. */
static void partition_access(struct mech_partition *partition, const struct mech_access *access)
{
	bool has_warp = access->pc != MECH_NO_PC && access->sender == MECH_NOBODY;
	count(partition->stats, access->sm >= partition->machine->sms ||
	                                (has_warp && access->warp >= partition->machine->warps) ||
	                                (access->sender != MECH_NOBODY && access->warp != MECH_NOBODY) ||
	                                (access->pc != MECH_NO_PC && access->pc >= partition->launch->instructions));
}

static void partition_fill(struct mech_partition *partition, const struct mech_fill *fill)
{
	count(partition->stats, fill->address % MECH_SECTOR);
}

static void partition_evict(struct mech_partition *partition, const struct mech_eviction *eviction)
{
	count(partition->stats, eviction->address % LINE);
}

static void partition_command(struct mech_partition *partition, const struct mech_command *command)
{
	count(partition->stats, command->command > MECH_WRITE);
}

static uint32_t dram_next(struct mech_partition *partition, const struct mech_queue *queue)
{
	count(partition->stats, !queue->count || queue->waiting[0].sm >= partition->machine->sms);
	return queue->count - 1;
}

static uint32_t l2_victim(struct mech_partition *partition, const struct mech_set *set)
{
	count(partition->stats, set->usual >= set->ways);
	return set->usual;
}

static void l2_used(struct mech_partition *partition, const struct mech_use *use)
{
	count(partition->stats, use->address % LINE);
	*use->data = use->cycle;
}

static void on_shared(struct mech_sm *sm, const struct mech_shared *access)
{
	count(sm->stats, access->block >= sm->machine->blocks || access->end > sm->launch->shared_bytes);
	const struct mech_request request = {.bytes = LINE,
	                                     .to = MECH_WRITE_SHARED,
	                                     .pc = access->pc,
	                                     .block = access->block,
	                                     .shared = SHARED - LINE};
	mech_send(sm, &request);
}

static bool may_access_shared(struct mech_sm *sm, const struct mech_shared *access)
{
	((struct all_sm *)sm->state)->refused[access->warp]++;
	return true;
}

static uint32_t shared_room(struct mech_gpu *gpu, const struct mech_room *room)
{
	count(gpu->stats, room->slots > MECH_MAX_BLOCKS);
	return MECH_MAX_BLOCKS;
}

static uint32_t shared_full(struct mech_gpu *gpu)
{
	count(gpu->stats, gpu->launch->blocks_per_sm > gpu->machine->blocks);
	return 0;
}

static uint32_t shared_taken(struct mech_sm *sm, uint64_t slots)
{
	count(sm->stats, sm->machine->blocks < 64 && slots >> sm->machine->blocks);
	return 0;
}

static uint32_t shared_place(struct mech_sm *sm, uint32_t block, uint32_t byte)
{
	count(sm->stats, block >= sm->machine->blocks || byte >= sm->launch->shared_bytes);
	return byte % sm->machine->shared_bytes;
}

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	count(sm->stats, own || issue->warp >= sm->machine->warps);
	return MECH_MAX_LATENCY;
}

static const char *const own_opcodes[] = {"pmevent"};

/* Not called: these runs have no journal. */
static void keep_gpu(struct mech_gpu *gpu, struct mech_kept *kept)
{
	mech_keep(kept, gpu->state, 0);
}

static void keep_sm(struct mech_sm *sm, struct mech_kept *kept)
{
	mech_keep(kept, sm->state, 0);
}

static void keep_partition(struct mech_partition *partition, struct mech_kept *kept)
{
	mech_keep(kept, partition->state, 0);
}

static const struct mech everything = {
	.version = MECH_VERSION,
	.name = "everything",
	.summary = "has every hook",
	.citation = "",
	.counters = all_counters,
	.counter_count = sizeof all_counters / sizeof *all_counters,
	.stats_size = sizeof(struct all_stats),
	.sm_size = sizeof(struct all_sm),
	.policies = MECH_POLICY_WARP_ORDER | MECH_POLICY_BLOCK_COUNT | MECH_POLICY_BLOCK_PLACE | MECH_POLICY_BUFFER |
                    MECH_POLICY_L1_REPLACEMENT | MECH_POLICY_L2_REPLACEMENT | MECH_POLICY_L1_MISS | MECH_POLICY_DRAM |
                    MECH_POLICY_SHARED_ROOM | MECH_POLICY_SHARED_LAYOUT | MECH_POLICY_WARP_RANK,
	.opcodes = own_opcodes,
	.opcode_count = 1,
	.sends = true,
	.gpu_open = gpu_hook,
	.gpu_kernel_begin = gpu_hook,
	.gpu_kernel_end = gpu_hook,
	.gpu_block = gpu_block,
	.gpu_cycle = gpu_cycle,
	.may_dispatch = may_dispatch,
	.may_end = may_end,
	.blocks_per_sm = blocks_per_sm,
	.place_block = place_block,
	.sm_open = sm_hook,
	.kernel_begin = sm_hook,
	.kernel_end = sm_hook,
	.block_begin = block_hook,
	.block_end = block_hook,
	.issue = issue,
	.memory = memory,
	.access = access_hook,
	.fill = fill,
	.evict = evict,
	.l1_victim = l1_victim,
	.l1_used = l1_used,
	.answer_miss = answer_miss,
	.cycle = cycle,
	.on_reply = on_reply,
	.on_outcome = on_outcome,
	.partition_outcome = partition_outcome,
	.packet_out = packet,
	.packet_in = packet,
	.partition_packet_in = partition_packet,
	.partition_packet_out = partition_packet,
	.may_start = may_start,
	.may_issue = may_issue,
	.may_allocate = may_allocate,
	.warps_that_compete = compete,
	.pick_warp = pick_warp,
	.buffer = buffer,
	.partition_open = partition_open,
	.partition_access = partition_access,
	.partition_fill = partition_fill,
	.partition_evict = partition_evict,
	.partition_command = partition_command,
	.dram_next = dram_next,
	.l2_victim = l2_victim,
	.l2_used = l2_used,
	.shared_access = on_shared,
	.may_access_shared = may_access_shared,
	.shared_room = shared_room,
	.shared_full = shared_full,
	.shared_taken = shared_taken,
	.shared_place = shared_place,
	.run_opcode = run_opcode,
	.forgets = true,
	.gpu_keep = keep_gpu,
	.sm_keep = keep_sm,
	.partition_keep = keep_partition,
};

/* Every hook is set. Add each new hook of struct mech here. */
static void test_has_every_hook(void **state)
{
	(void)state;
	const void *const *hook = (const void *const *)(const void *)&everything.gpu_open;
	size_t hooks = (offsetof(struct mech, kernels) - offsetof(struct mech, gpu_open)) / sizeof *hook;
	for (size_t i = 0; i < hooks; i++)
		assert_non_null(hook[i]);
}

/* Each thread loads and stores its own word; all threads share one atomic. */
static const char busy[] =
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
	"mad.lo.u32 %r3, %r2, %r4, %r1; mul.wide.u32 %rd1, %r3, 8; add.u64 %rd1, %rd1, %rd0;\n"
	"ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; shl.b32 %r7, %r1, 2; st.shared.u32 [%r7], %r5;\n"
	"pmevent 3; bar.sync 0; ld.shared.u32 %r5, [%r7]; st.global.u32 [%rd1], %r5;\n"
	"atom.global.add.u32 %r6, [%rd0+4], 1; exit;";

/* Fills every slot of every SM and counts the hooks' events. */
static void run_full(const char *machine, const char *const *options)
{
	static const struct mech *const set[] = {&everything, NULL};
	struct all_stats stats;
	struct gpu_kit kit;
	kit_mechanisms = set;
	kit_machine = machine;
	kit_open(&kit, options);
	kit_machine = "gtx480";
	uint32_t warps = kit.machine.sm.warps, blocks = kit.machine.sm.blocks, each = warps / blocks;
	uint32_t grid = 2 * blocks * kit.machine.sms, threads = 32 * each;
	kit.param = kit_buffer(&kit, NULL, grid * threads);
	kit.run.blocks_per_sm = blocks;
	kit_load(&kit, busy);
	for (uint32_t launch = 0; launch < 2; launch++) {
		kit_run(&kit, grid, threads);
		kit_requests(&kit, 0);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.wrong, 0);
		assert_int_equal(stats.highest_warp, each * blocks - 1);
		assert_true(stats.replies > grid);
	}
	const uint32_t *value = simt_host(kit.gpu->memory, kit.param);
	assert_int_equal(value[0], 2);
	assert_int_equal(value[1], 2 * grid * threads);
	assert_int_equal(value[2 * (grid * threads - 1)], 2);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* The machine for scratchpad sharing has 3072 threads per SM. */
static void test_sharing_machine(void **state)
{
	(void)state;
	run_full("sharing-14sm", (const char *const[]){"sm.send_queue=64", "sm.registers=262144", NULL});
}

static void test_limits(void **state)
{
	char warps[32], blocks[32], schedulers[32];
	(void)state;
	snprintf(warps, sizeof warps, "sm.warps=%d", MECH_MAX_WARPS);
	snprintf(blocks, sizeof blocks, "sm.blocks=%d", MECH_MAX_BLOCKS);
	static const uint32_t few[] = {MECH_MAX_WARPS / MECH_MAX_SCHEDULER_WARPS, MECH_MAX_SCHEDULERS};
	for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
		snprintf(schedulers, sizeof schedulers, "sm.schedulers=%u", few[i]);
		run_full("gtx480", (const char *const[]){"sm.count=3", "sm.send_queue=7", "sm.shared_bytes=1048576",
		                                         "sm.registers=262144", warps, blocks, schedulers, NULL});
	}
}

/* A machine beyond a limit is refused with a message that names key, value and limit. */
static void test_beyond(void **state)
{
	static const struct {
		const char *option[3], *says;
	} row[] = {
		{{"sm.warps=129"}, "sm.warps: expected a whole number from 1 to 128 in warps, not '129'"},
		{{"sm.blocks=65"}, "sm.blocks: expected a whole number from 1 to 64 in blocks, not '65'"},
		{{"sm.schedulers=9"}, "sm.schedulers: expected a whole number from 1 to 8 in schedulers, not '9'"},
		{{"sm.shared_banks=65"}, "sm.shared_banks: expected a whole number from 1 to 64 in banks, not '65'"},
		{{"sm.register_banks=64"},
	         "sm.register_banks: expected a whole number from 1 to 32 in banks, not '64'"},
		{{"map.banks=128"}, "map.banks: expected a whole number from 1 to 64 in banks, not '128'"},
		{{"launch.max_block_threads=2049"},
	         "launch.max_block_threads: expected a whole number from 32 to 2048 in threads, not '2049'"},
		{{"sm.warps=128", "sm.schedulers=1"},
	         "sm.warps is 128; a scheduler holds at most 64 warps, and sm.schedulers is 1"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct machine machine = {0};
		struct diag diag = {0};
		assert_true(config_file_read(SOURCE_DIR "/machines/gtx480.yaml", machine_options, machine_option_count,
		                             &machine, &diag));
		bool good = true;
		for (const char *const *option = row[i].option; good && *option; option++)
			good = config_assign(*option, machine_options, machine_option_count, &machine, &diag);
		assert_false(good && machine_check(&machine, &diag));
		if (!strstr(diag.text, row[i].says))
			fail_msg("expected '%s' in:\n%s", row[i].says, diag.text);
		diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_has_every_hook),
		cmocka_unit_test(test_sharing_machine),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_beyond),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
