/* Protects kernels on clusters of SMs:
 * - the SM that gets the next block, and the SMs' turns at their port,
 * - the speed of a lone SM of a cluster, which equals that of an SM with its own port,
 * - the inputs of the dispatcher's requests, and statistics that do not depend on the host. */
#include "busy_kit.h"

enum { WARP = 32 };

/* Stores the SM on which a block runs. */
#define STORE_SM                                                                                                       \
	"mov.u32 %r1, %smid; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %rd0;\n"            \
	"st.global.u32 [%rd1], %r1; exit;"

/* Blocks go to the next cluster one by one, and in each cluster to the next of its SMs. */
static void test_dispatch(void **state)
{
	struct gpu_kit kit;
	(void)state;
	KIT_OPEN(&kit, "sm.count=12", "sm.per_cluster=3");
	kit.param = kit_buffer(&kit, NULL, 32);
	kit_load(&kit, STORE_SM);
	const uint32_t *sm = (const uint32_t *)simt_host(kit.gpu->memory, kit.param);
	kit_run(&kit, 10, WARP);
	for (uint32_t block = 0; block < 10; block++)
		assert_int_equal(sm[block], block % 4 * 3 + block / 4);
	/* the next kernel continues where this one ended */
	kit_run(&kit, 3, WARP);
	assert_int_equal(sm[0], 2 * 3 + 2);
	assert_int_equal(sm[1], 3 * 3 + 2);
	assert_int_equal(sm[2], 0 * 3 + 0);
	kit_close(&kit);
}

static uint32_t place_on_first(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	(void)block;
	for (uint32_t sm = 0; sm < gpu->machine->sms; sm++)
		if (has_room[sm])
			return sm;
	return MECH_NOWHERE;
}

static const struct mech places = {
	.version = MECH_VERSION, .name = "places", .policies = MECH_POLICY_BLOCK_PLACE, .place_block = place_on_first};

/* A mechanism that places blocks is called once per cluster and cycle, too. */
static void test_places(void **state)
{
	static const uint32_t expected[] = {0, 3, 1, 4, 2, 5};
	static const struct mech *const set[] = {&places, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=6", "sm.per_cluster=3");
	kit.param = kit_buffer(&kit, NULL, 32);
	kit_load(&kit, STORE_SM);
	kit_run(&kit, 6, WARP);
	assert_memory_equal(simt_host(kit.gpu->memory, kit.param), expected, sizeof expected);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

static struct {
	uint32_t sm[4096], count;
} packets_out; /* of loads and stores, in the order in which they left */

static void packet_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	(void)sm;
	if (packet->kind == MECH_PACKET_LOAD || packet->kind == MECH_PACKET_STORE)
		packets_out.sm[packets_out.count++] = packet->sm;
}

static const struct mech listener = {.version = MECH_VERSION, .name = "listener", .packet_out = packet_out};

/* One SM loads from 32 lines with each instruction: 32 packets of one flit each. The other does the same, or stores
 * lines in packets of five flits. While both have packets to send they alternate, whatever the free space. */
static void test_in_turn(void **state)
{
	enum { LOADS = 16, STORES = 200, BEGINNING = 40 };
	static const struct mech *const set[] = {&listener, NULL};
	(void)state;
	for (uint32_t stores = 0; stores < 2; stores++) {
		struct gpu_kit kit;
		char body[16384];
		size_t at = (size_t)snprintf(
			body, sizeof body,
			"mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mad.lo.u32 %%r3, %%r2, 32, %%r1;\n"
			"mul.wide.u32 %%rd1, %%r3, 256; add.u64 %%rd1, %%rd1, %%rd0;\n"
			"mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd2, %%rd2, %%rd0;\n"
			"setp.eq.u32 %%p1, %%r2, %u; @%%p1 bra STORE;\n",
			stores ? 0 : 2);
		for (uint32_t i = 0; i < LOADS; i++)
			at += (size_t)snprintf(body + at, sizeof body - at, "ld.global.cg.u32 %%r%u, [%%rd1+%u];\n",
			                       10 + i, 16384 * i);
		at += (size_t)snprintf(body + at, sizeof body - at, "exit;\nSTORE:\n");
		for (uint32_t i = 0; i < STORES; i++)
			at += (size_t)snprintf(body + at, sizeof body - at, "st.global.u32 [%%rd2+%u], %%r1;\n",
			                       524288 + 128 * i);
		snprintf(body + at, sizeof body - at, "exit;");
		kit_mechanisms = set;
		KIT_OPEN(&kit, "sm.count=2", "sm.per_cluster=2", "sm.cluster_turns=held", "l1i.sets=64");
		kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
		kit_load(&kit, body);
		kit_run(&kit, 2, WARP);
		packets_out.count = 0;
		kit_run(&kit, 2, WARP); /* its code is in the caches */
		uint32_t turns = 0, sent[2] = {0, 0};
		for (uint32_t i = 0; i < packets_out.count; i++)
			sent[packets_out.sm[i]]++;
		assert_int_equal(sent[0], stores ? STORES : 32 * LOADS);
		assert_int_equal(sent[1], 32 * LOADS);
		uint32_t end = 2 * (stores ? STORES : 32 * LOADS) - BEGINNING;
		for (uint32_t i = BEGINNING; i < end; i++)
			turns += packets_out.sm[i] != packets_out.sm[i - 1];
		assert_int_equal(turns, end - BEGINNING);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

enum { FETCHED = 24 };
static uint64_t fetch_from;

static void prefers(struct mech_gpu *gpu)
{
	mech_prefer(gpu, MECH_BEFORE_SMS);
}

/* Sends once. */
static uint64_t fetches(struct mech_gpu *gpu, uint64_t cycle)
{
	(void)cycle;
	for (uint32_t i = 0; fetch_from && i < FETCHED; i++) {
		const struct mech_request request = {
			.address = fetch_from + 256 * i, .bytes = 128, .to = MECH_TO_L2, .pc = MECH_NO_PC};
		assert_true(mech_send_to(gpu, i % gpu->machine->sms, &request));
	}
	fetch_from = 0;
	return MECH_NEVER;
}

static const struct mech fetcher = {
	.version = MECH_VERSION, .name = "fetcher", .sends = true, .gpu_open = prefers, .gpu_cycle = fetches};

/* The dispatcher's requests have their own inputs after those of the clusters, one per slice. Their replies reach their
 * SMs through the clusters' ports. */
static void test_dispatcher_sends(void **state)
{
	static const struct mech *const set[] = {&fetcher, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=6", "sm.per_cluster=3", "network.flit_bytes=32");
	kit.param = fetch_from = kit_buffer(&kit, NULL, 1024);
	kit_load(&kit, "ld.global.u32 %r1, [%rd0+8000]; add.u32 %r1, %r1, 1; exit;");
	kit_run(&kit, 6, WARP);
	const struct crossbar *network = &kit.gpu->to_slices;
	uint64_t flits = 0;
	assert_int_equal(network->inputs, 2 + kit.gpu->slices);
	assert_int_equal(network->preferred, 2);
	assert_int_equal(network->preferences, kit.gpu->slices);
	for (uint32_t slice = 0; slice < kit.gpu->slices; slice++)
		flits += network->input[2 + slice].entered;
	const struct mech_requests requests = kit_requests(&kit, 0);
	assert_int_equal(requests.issued, FETCHED);
	assert_int_equal(flits, FETCHED);
	assert_int_equal(network->stats.packets, kit.run.stats.cluster.requests + FETCHED);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Host threads get whole clusters, and no thread is without one. */
static void test_shares(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_threads = 5;
	KIT_OPEN(&kit, "sm.count=12", "sm.per_cluster=4");
	assert_int_equal(kit.gpu->workers.count, 3);
	for (uint32_t w = 0; w < 3; w++) {
		assert_int_equal(kit.gpu->worker_sms[w].first_cluster, w);
		assert_int_equal(kit.gpu->worker_sms[w].end_cluster, w + 1);
		assert_int_equal(kit.gpu->worker_sms[w].first_sm, 4 * w);
		assert_int_equal(kit.gpu->worker_sms[w].end_sm, 4 * w + 4);
	}
	kit_close(&kit);
	kit_threads = 1;
}

static void run_alone(const char *body, const char *const *options, struct outcome *outcome, uint32_t runs,
                      uint32_t threads)
{
	struct gpu_kit kit;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	kit_load(&kit, body);
	for (uint32_t i = 0; i < runs; i++) {
		outcome[i].cycles = kit_run(&kit, 1, threads);
		outcome[i].stats = kit.run.stats;
	}
	kit_close(&kit);
}

/* Misses of L1 and loads past it, in one cycle: more simultaneous replies than an SM's queue in its cluster holds. */
static const char many_answers[] =
	"mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 256; add.u64 %rd1, %rd1, %rd0;\n"
	"ld.global.u32 %r2, [%rd1]; ld.global.cg.u32 %r3, [%rd1+65536]; ld.global.u32 %r4, [%rd1+131072];\n"
	"ld.global.cg.u32 %r5, [%rd1+196608]; add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;\n"
	"st.global.u32 [%rd1+262144], %r2; exit;";

/* Everything that a single block does takes as long on every SM of the cluster. With an idle network this holds for any
 * concurrency inside the SM. */
static void test_alone(void **state)
{
	enum { RUNS = 5 };
	static const struct {
		const char *latency, *replies;
		uint32_t threads;
	} memory[] = {{"sm.zero_latency_memory=false", "sm.replies=2", WARP},
	              {"sm.zero_latency_memory=true", "sm.replies=1", 8 * WARP}};
	(void)state;
	for (uint32_t k = 0; k <= BUSY_KERNELS; k++)
		for (uint32_t m = k == BUSY_KERNELS; m < 2; m++) {
			const char *body = k < BUSY_KERNELS ? busy_kernels[k] : many_answers;
			struct outcome own[RUNS], shared[RUNS];
			const char *latency = memory[m].latency;
			run_alone(body, (const char *const[]){"sm.count=4", latency, NULL}, own, RUNS,
			          memory[m].threads);
			run_alone(body,
			          (const char *const[]){"sm.count=4", latency, "sm.per_cluster=4", memory[m].replies,
			                                NULL},
			          shared, RUNS, memory[m].threads);
			for (uint32_t i = 0; i < RUNS; i++) {
				assert_int_equal(own[i].cycles, shared[i].cycles);
				assert_int_equal(own[i].stats.cluster.requests, 0);
				assert_int_equal(shared[i].stats.cluster.requests,
				                 shared[i].stats.request_network.packets);
				shared[i].stats.cluster = (struct cluster_stats){0};
				compare_stats(&own[i].stats, &shared[i].stats, "in a cluster", k);
			}
		}
}

/* With several host threads and with SMs that never sleep, memory and all counters are the same. */
static void test_same_results(void **state)
{
	static char memory[2][BUSY_BYTES];
	static const char *const ways[][10] = {
		{"sm.count=15", "sm.per_cluster=5", "sm.cluster_turns=held", NULL},
		{"sm.count=8", "sm.per_cluster=2", "sm.cluster_turns=held", "sm.cluster_replies=1", "sm.replies=1",
	         NULL},
		{"sm.count=6", "sm.per_cluster=3", "network.flit_bytes=128", "network.injection_flits=2",
	         "network.boundary_flits=2", "l1d.port_bytes=32", "sm.replies=1", NULL},
	};
	(void)state;
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct outcome first[BUSY_KERNELS], other[BUSY_KERNELS];
		uint64_t turn_waits = 0, reply_waits = 0;
		run_busy(ways[w], first, memory[0]);
		for (uint32_t run = 0; run < 4; run++) {
			const char *options[11] = {run == 3 ? "launch.sleep=false" : "launch.sleep=true"};
			for (size_t i = 0; ways[w][i]; i++)
				options[i + 1] = ways[w][i];
			kit_threads = run == 3 ? 1 : run + 1;
			run_busy(options, other, memory[1]);
			assert_memory_equal(memory[0], memory[1], BUSY_BYTES);
			for (uint32_t k = 0; k < BUSY_KERNELS; k++) {
				assert_int_equal(first[k].cycles, other[k].cycles);
				compare_stats(&first[k].stats, &other[k].stats, "as before", k);
				turn_waits += other[k].stats.cluster.turn_waits;
				reply_waits += other[k].stats.cluster.reply_waits;
			}
		}
		kit_threads = 1;
		assert_true(w < 2 ? turn_waits > 0 : turn_waits == 0);
		assert_true(w < 2 || reply_waits > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dispatch),         cmocka_unit_test(test_places), cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_dispatcher_sends), cmocka_unit_test(test_shares), cmocka_unit_test(test_alone),
		cmocka_unit_test(test_same_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
