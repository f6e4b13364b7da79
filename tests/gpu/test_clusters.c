/* Protects the port that the SMs of a cluster share: whose request goes first and when the others' do, what waits when there is no
 * room, that replies come through one queue whose first holds up all behind it, which SM gets the next block, and that a lone SM
 * of a cluster is as fast as one that has a port of its own.
 *
 * The bench steps clusters and crossbars by hand, all on one clock, and sends for the SMs, which do not tick themselves. A packet of a
 * flit that is pushed at cycle t is seen at t + 8, one of n flits n - 1 later (memory/crossbar.h); an input or an output that changes
 * packets loses a cycle. */
#include "busy_kit.h"

enum {
	WARP = 32,
	FLIT = 32,
	ALONE = 8,  /* pushed to seen */
	CHANGE = 1, /* of packets, at an input or an output */
	LINE_FLITS = 5,
	INJECTION = 9,
	SMS = 3,
};

#define BENCH                                                                                                          \
	"sm.count=6", "sm.per_cluster=3", "sm.cluster_turns=held", "network.injection_flits=9",                        \
		"network.flit_bytes=32", "network.speedup=1", "network.boundary_flits=16"

struct bench {
	struct gpu_kit kit;
	struct gpu *gpu;
	struct cluster *cluster; /* the second of two, so that numbers of SMs are none of places in it */
	uint32_t first;          /* its first SM */
	uint64_t cycle;
};

static void begin_cycle(struct bench *bench)
{
	bench->cycle++;
	for (uint32_t i = 0; i < SMS; i++) {
		struct sm *sm = &bench->cluster->sm[i];
		sm->cycle = sm->now = bench->cycle;
		network_port_new_cycle(&sm->network);
	}
	if (bench->cluster->wake <= bench->cycle)
		cluster_tick(bench->cluster, bench->cycle);
	cluster_new_cycle(bench->cluster, bench->cycle);
}

static void end_cycle(struct bench *bench)
{
	crossbar_tick(&bench->gpu->to_slices, bench->cycle, bench->cycle);
	crossbar_tick(&bench->gpu->to_sms, bench->cycle, bench->cycle);
}

/* To the beginning of a cycle. */
static void run_to(struct bench *bench, uint64_t cycle)
{
	while (bench->cycle < cycle) {
		end_cycle(bench);
		begin_cycle(bench);
	}
}

static void open_bench(struct bench *bench, const char *const *options)
{
	*bench = (struct bench){.first = SMS};
	kit_open(&bench->kit, options);
	bench->gpu = bench->kit.gpu;
	bench->cluster = &bench->gpu->cluster[1];
	begin_cycle(bench);
}

static struct request *make(struct bench *bench, uint32_t sm, uint32_t slice, uint32_t flits)
{
	struct request *request = request_new(bench->cluster->sm->requests);
	request->sm = (uint16_t)(bench->first + sm);
	request->slice = (uint16_t)slice;
	request->bytes = flits * FLIT - REQUEST_HEADER_BYTES;
	return request;
}

/* A store of the SM. */
static struct request *new_request(struct bench *bench, uint32_t sm, uint32_t slice, uint32_t flits)
{
	struct request *request = make(bench, sm, slice, flits);
	request->kind = REQUEST_WRITE;
	request->is_write = true;
	return request;
}

static bool send(struct bench *bench, struct request *request)
{
	return network_port_send(&bench->gpu->sm[request->sm], request);
}

/* The slice sees this very request at `cycle`, and nothing before; it takes it there. */
static void expect_at_slice(struct bench *bench, const struct request *request, uint64_t cycle)
{
	struct port *port = &bench->gpu->slice[request->slice].from_network;
	for (; bench->cycle < cycle; run_to(bench, bench->cycle + 1))
		if (port_front(port, bench->cycle))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
	assert_ptr_equal(port_front(port, bench->cycle), request);
	port_pop(port, bench->cycle);
}

/* Three SMs send at once: they leave one behind the other, and in the next such cycle the one behind the last is first again. */
static void test_at_once(void **state)
{
	static const uint32_t order[][SMS] = {{0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, NULL});
	for (size_t round = 0; round < 4; round++) {
		struct request *request[SMS];
		uint64_t start = bench.cycle;
		for (uint32_t i = 0; i < SMS; i++) {
			uint32_t sm = cluster_in_turn(bench.cluster, i);
			assert_int_equal(sm, order[round][i]);
			request[i] = new_request(&bench, sm, i, 1);
			assert_true(send(&bench, request[i]));
		}
		for (uint32_t i = 0; i < SMS; i++)
			expect_at_slice(&bench, request[i], start + ALONE + i * (1 + CHANGE));
		/* alone, and the turn goes on behind it */
		uint32_t alone = order[round][0];
		if (round) {
			assert_true(send(&bench, request[0] = new_request(&bench, alone, 3, 1)));
			expect_at_slice(&bench, request[0], bench.cycle + ALONE);
		}
	}
	assert_int_equal(bench.cluster->stats.requests, 4 * SMS + 3);
	assert_int_equal(bench.cluster->stats.turn_waits, 0);
	assert_int_equal(bench.gpu->cluster[0].stats.requests, 0);
	kit_close(&bench.kit);
}

/* Under a router of two steps a cycle no packet waits for another one's change: the other SM's comes a cycle later. */
static void test_at_once_with_speedup(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, "network.speedup=2", NULL});
	struct request *one = new_request(&bench, 0, 0, 1), *other = new_request(&bench, 1, 1, 1);
	uint64_t start = bench.cycle;
	assert_true(send(&bench, one));
	assert_true(send(&bench, other));
	expect_at_slice(&bench, one, start + ALONE - 1);
	expect_at_slice(&bench, other, start + ALONE);
	kit_close(&bench.kit);
}

/* Behind a packet of 9 flits, which fills the port. SM 1, whose turn it is, wants 5 flits, SM 2 wants one: it waits for SM 1, though
 * there is room for its own, and goes when that has gone, in the same cycle if there is room for both. SM 0 is behind both. */
static void test_no_room(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, NULL});
	assert_true(send(&bench, new_request(&bench, 0, 0, INJECTION)));
	struct request *line = new_request(&bench, 1, 1, LINE_FLITS), *small = new_request(&bench, 2, 2, 1);
	struct request *last = new_request(&bench, 0, 3, 4);
	uint64_t start = bench.cycle;
	/* the first flit leaves the port in start + 1, which the SMs see in the cycle behind it */
	for (uint32_t waited = 1; waited <= LINE_FLITS; waited++) {
		run_to(&bench, start + waited);
		assert_int_equal(port_room(&bench.gpu->to_slices.input[1].port, bench.cycle), waited - 1);
		assert_int_equal(cluster_in_turn(bench.cluster, 0), 1);
		assert_false(send(&bench, line));
		assert_false(send(&bench, small));
		assert_int_equal(bench.cluster->stats.turn_waits, 2 * waited - 1);
		assert_false(send(&bench, last));
		assert_int_equal(bench.cluster->stats.turn_waits, 2 * waited);
		assert_true(bench.cluster->sm[0].wake <= bench.cycle + 1);
		assert_true(bench.cluster->sm[2].wake <= bench.cycle + 1);
	}
	char text[1024];
	gpu_explain_deadlock(bench.gpu, text, sizeof text);
	assert_non_null(strstr(text, "cluster 1: SM 4 waits for room in the request network"));
	assert_null(strstr(text, "cluster 0"));
	run_to(&bench, start + 1 + LINE_FLITS);
	assert_true(send(&bench, line));
	assert_false(send(&bench, small)); /* no room: none waits for it but SM 0 */
	assert_false(send(&bench, last));
	assert_int_equal(bench.cluster->stats.turn_waits, 2 * LINE_FLITS + 1);
	run_to(&bench, start + 2 + LINE_FLITS);
	assert_int_equal(cluster_in_turn(bench.cluster, 0), 2);
	assert_true(send(&bench, small));
	assert_false(send(&bench, last));
	assert_int_equal(bench.cluster->stats.turn_waits, 2 * LINE_FLITS + 1); /* nobody goes before it any more */
	run_to(&bench, start + 6 + LINE_FLITS);
	assert_true(send(&bench, last));
	assert_int_equal(bench.cluster->sm[0].stats.network_full, LINE_FLITS + 2);
	assert_int_equal(bench.cluster->sm[1].stats.network_full, LINE_FLITS);
	assert_int_equal(bench.cluster->sm[2].stats.network_full, LINE_FLITS + 1);
	kit_close(&bench.kit);
}

/* By cycle, each SM goes first in its cycle, whoever sent; who finds no room lets smaller packets pass, and counts as waiting for nobody. */
static void test_by_cycle(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, "sm.cluster_turns=by_cycle", NULL});
	struct sm *sm = bench.cluster->sm;
	for (uint32_t i = 0; i < 2 * SMS; run_to(&bench, bench.cycle + 1), i++) {
		assert_int_equal(cluster_in_turn(bench.cluster, 0), bench.cycle % SMS);
		assert_int_equal(cluster_in_turn(bench.cluster, 1), (bench.cycle + 1) % SMS);
		assert_true(send(&bench, new_request(&bench, 1, 0, 1)));
	}
	run_to(&bench, 100);
	assert_true(send(&bench, new_request(&bench, 1, 0, INJECTION - 1)));
	assert_false(send(&bench, new_request(&bench, 2, 1, LINE_FLITS)));
	for (uint32_t i = 0; i < SMS; i++)
		sm[i].wake = UINT64_MAX;
	assert_true(send(&bench, new_request(&bench, 0, 2, 1)));
	assert_false(send(&bench, new_request(&bench, 0, 2, 1)));
	assert_int_equal(sm[0].wake, UINT64_MAX); /* until a flit leaves */
	assert_int_equal(bench.cluster->stats.turn_waits, 0);
	kit_close(&bench.kit);
}

/* A flit that leaves the port wakes the SMs that have found no room, in the cycle in which they see it, and no others. One that is
 * refused wakes those behind it that were refused before it: they wait for it now. */
static void test_woken(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, NULL});
	struct sm *sm = bench.cluster->sm;
	assert_true(send(&bench, new_request(&bench, 2, 0, INJECTION)));
	for (uint32_t i = 0; i < SMS; i++)
		sm[i].wake = UINT64_MAX;
	assert_false(send(&bench, new_request(&bench, 1, 0, 1)));
	assert_int_equal(sm[1].wake, UINT64_MAX);
	assert_false(send(&bench, new_request(&bench, 0, 0, 1)));
	assert_int_equal(sm[0].wake, UINT64_MAX);
	assert_int_equal(sm[1].wake, bench.cycle);
	assert_int_equal(bench.cluster->stats.turn_waits, 0);
	sm[1].wake = UINT64_MAX;
	end_cycle(&bench); /* the packet is not seen yet */
	assert_int_equal(bench.cluster->wake, UINT64_MAX);
	cluster_tick(bench.cluster, ++bench.cycle);
	sm[0].wake = sm[1].wake = UINT64_MAX;
	end_cycle(&bench);
	assert_int_equal(bench.cluster->wake, bench.cycle + 1);
	cluster_tick(bench.cluster, ++bench.cycle);
	assert_int_equal(sm[0].wake, bench.cycle);
	assert_int_equal(sm[1].wake, bench.cycle);
	assert_int_equal(sm[2].wake, UINT64_MAX);
	assert_int_equal(bench.cluster->wake, UINT64_MAX);
	kit_close(&bench.kit);
}

/* --- replies --- */

/* The answer to a store, a flit, from a slice. */
static struct request *reply(struct bench *bench, uint32_t slice, uint32_t sm)
{
	struct request *request = make(bench, sm, slice, 1);
	request->is_write = request->is_reply = true;
	crossbar_send(&bench->gpu->to_sms, slice, request, bench->cycle);
	return request;
}

static struct request *seen_by(const struct bench *bench, uint32_t sm)
{
	return port_front(&bench->cluster->sm[sm].network.replies, bench->cycle);
}

/* The SM takes it at this cycle, and has seen nothing before. */
static void expect_at_sm(struct bench *bench, uint32_t sm, const struct request *request, uint64_t cycle)
{
	for (; bench->cycle < cycle; run_to(bench, bench->cycle + 1))
		if (seen_by(bench, sm))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
	assert_ptr_equal(seen_by(bench, sm), request);
	port_pop(&bench->cluster->sm[sm].network.replies, bench->cycle);
}

/* Two slices answer two SMs at once: through one output. */
static void test_replies_at_once(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, NULL});
	uint64_t start = bench.cycle;
	const struct request *one = reply(&bench, 0, 2), *other = reply(&bench, 1, 0);
	expect_at_sm(&bench, 2, one, start + ALONE);
	expect_at_sm(&bench, 0, other, start + ALONE + 1 + CHANGE);
	assert_int_equal(bench.cluster->stats.replies, 2);
	assert_int_equal(bench.cluster->stats.reply_waits, 0);
	assert_int_equal(bench.cluster->wake, UINT64_MAX);
	assert_int_equal(bench.gpu->cluster[0].stats.replies, 0);
	kit_close(&bench.kit);
}

/* SM 0 takes nothing: of five answers it keeps two, the cluster's queue three; SM 1's stands behind them in the network, though that SM has
 * room. When SM 0 takes one, the queue gives it the next in the cycle behind that, one a cycle. */
static void test_head_of_line(void **state)
{
	enum { OWN = 2, QUEUE = 3, HELD = OWN + QUEUE, APART = 1 + CHANGE };
	struct bench bench;
	char text[512];
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, "sm.replies=2", "sm.cluster_replies=3", NULL});
	const struct request *held[HELD], *behind;
	uint64_t start = bench.cycle;
	for (uint32_t i = 0; i < HELD; i++)
		held[i] = reply(&bench, 0, 0);
	behind = reply(&bench, 0, 1);
	/* the third is the first that finds SM 0 full; the last one comes when the queue has been so since the one before it */
	uint64_t full = start + ALONE + OWN * APART, stands = start + ALONE + HELD * APART, end = stands + 10;
	run_to(&bench, end);
	assert_null(seen_by(&bench, 1));
	assert_int_equal(bench.cluster->sm[0].network.replies.items, OWN);
	assert_int_equal(bench.cluster->replies.items, QUEUE);
	assert_int_equal(bench.cluster->from_network.items, 1);
	assert_int_equal(bench.cluster->stats.reply_waits, end - full + 1);
	assert_int_equal(bench.cluster->stats.queue_full, end - stands + 1);
	gpu_explain_deadlock(bench.gpu, text, sizeof text);
	assert_non_null(
		strstr(text, "cluster 1: 3 replies wait, 1 more in the network; the first is for SM 3, which keeps 2"));
	expect_at_sm(&bench, 0, held[0], end);
	expect_at_sm(&bench, 0, held[1], end);
	expect_at_sm(&bench, 0, held[2], end + 1);
	expect_at_sm(&bench, 0, held[3], end + 2);
	expect_at_sm(&bench, 0, held[4], end + 3);
	expect_at_sm(&bench, 1, behind, end + 4);
	/* the queue has had room again from the cycle on that gave the first of its packets away */
	assert_int_equal(bench.cluster->stats.queue_full, end - stands + 2);
	assert_int_equal(bench.cluster->stats.replies, HELD + 1);
	kit_close(&bench.kit);
}

/* One SM's replies come through while another's are held up behind nothing. */
static void test_other_is_not_held(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, "sm.replies=2", NULL});
	uint64_t start = bench.cycle;
	for (uint32_t i = 0; i < 2; i++)
		reply(&bench, 0, 0);
	const struct request *behind = reply(&bench, 0, 1);
	expect_at_sm(&bench, 1, behind, start + ALONE + 2 * (1 + CHANGE));
	assert_int_equal(bench.cluster->stats.reply_waits, 0);
	kit_close(&bench.kit);
}

/* --- whole kernels --- */

/* Which SM a block runs on. */
#define STORE_SM                                                                                                       \
	"mov.u32 %r1, %smid; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %rd0;\n"            \
	"st.global.u32 [%rd1], %r1; exit;"

/* Block by block to the next cluster, in each to the next of its SMs. */
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
	/* the next kernel goes on where this one ended */
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
	.version = MECH_VERSION, .name = "places", .seats = MECH_SEAT_BLOCK_PLACE, .place_block = place_on_first};

/* One that places blocks is asked for one a cluster and cycle, too. */
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
} packets_out; /* of loads and stores, in the order in which they went */

static void packet_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	(void)sm;
	if (packet->kind == MECH_PACKET_LOAD || packet->kind == MECH_PACKET_STORE)
		packets_out.sm[packets_out.count++] = packet->sm;
}

static const struct mech listener = {.version = MECH_VERSION, .name = "listener", .packet_out = packet_out};

/* One SM loads from 32 lines with each instruction, which are as many packets of a flit. The other does so too, or stores lines, in packets
 * of five: as long as both have something to send they do it in turn, whatever there is room for. */
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

/* Once. */
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

/* The dispatcher's requests have inputs of their own behind those of the clusters, one a slice, and their answers come to the SMs that
 * they are for through the clusters' ports. */
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

/* Whole clusters are shared out among host threads, and no thread is without one. */
static void test_shares(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_threads = 5;
	KIT_OPEN(&kit, "sm.count=12", "sm.per_cluster=4");
	assert_int_equal(kit.gpu->workers.count, 3);
	for (uint32_t w = 0; w < 3; w++) {
		assert_int_equal(kit.gpu->share[w].first_cluster, w);
		assert_int_equal(kit.gpu->share[w].end_cluster, w + 1);
		assert_int_equal(kit.gpu->share[w].first_sm, 4 * w);
		assert_int_equal(kit.gpu->share[w].end_sm, 4 * w + 4);
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

/* Misses of L1 and loads past it, in one cycle: more answers at once than an SM keeps of its cluster's. */
static const char many_answers[] =
	"mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 256; add.u64 %rd1, %rd1, %rd0;\n"
	"ld.global.u32 %r2, [%rd1]; ld.global.cg.u32 %r3, [%rd1+65536]; ld.global.u32 %r4, [%rd1+131072];\n"
	"ld.global.cg.u32 %r5, [%rd1+196608]; add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;\n"
	"st.global.u32 [%rd1+262144], %r2; exit;";

/* Everything that one block does alone takes as long, on every SM of the cluster; where the network stands still, whatever it does at once. */
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

/* With several host threads, and with SMs that never sleep: the same memory and the same figures, to the last counter. */
static void test_same_figures(void **state)
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

/* A cluster has no part of itself. */
static void test_check(void **state)
{
	struct machine machine;
	struct diag diag = {0};
	(void)state;
	assert_true(config_file_read(SOURCE_DIR "/machines/sharing-sm-config-2.yaml", machine_options,
	                             machine_option_count, &machine, &diag));
	assert_int_equal(machine.sms, 15);
	assert_int_equal(machine.cluster.sms, 5);
	assert_true(machine_check(&machine, &diag));
	machine.sms = 12;
	assert_false(machine_check(&machine, &diag));
	assert_non_null(strstr(diag.text, "sm.count is 12; expected a multiple of sm.per_cluster (5)"));
	diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),      cmocka_unit_test(test_at_once_with_speedup),
		cmocka_unit_test(test_no_room),      cmocka_unit_test(test_woken),
		cmocka_unit_test(test_by_cycle),     cmocka_unit_test(test_replies_at_once),
		cmocka_unit_test(test_head_of_line), cmocka_unit_test(test_other_is_not_held),
		cmocka_unit_test(test_dispatch),     cmocka_unit_test(test_places),
		cmocka_unit_test(test_in_turn),      cmocka_unit_test(test_dispatcher_sends),
		cmocka_unit_test(test_shares),       cmocka_unit_test(test_alone),
		cmocka_unit_test(test_same_figures),

		cmocka_unit_test(test_check),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
