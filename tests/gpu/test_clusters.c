/* Protects the port that the SMs of a cluster share: the order of their requests, their waiting when the port is full,
 * and the common reply queue, whose first packet blocks all later ones.
 *
 * The bench steps clusters and crossbars by hand, all on one clock, and sends for the SMs, which do not tick. A packet
 * of one flit that is pushed at cycle t is seen at t + 8, one of n flits n - 1 later (memory/crossbar.h). An input or
 * an output that changes packets loses one cycle. */
#include "busy_kit.h"

enum {
	FLIT = 32,
	ALONE = 8,  /* from the push until it is seen */
	CHANGE = 1, /* between packets, at an input or an output */
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
	struct cluster *cluster; /* the second of two, so that an SM's number differs from its index in the cluster */
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

/* Runs to the beginning of a cycle. */
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

/* Makes a store of the SM. */
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

/* Checks that the slice sees this request at `cycle` and nothing before, and takes it there. */
static void expect_at_slice(struct bench *bench, const struct request *request, uint64_t cycle)
{
	struct port *port = &bench->gpu->slice[request->slice].entry.from_network;
	for (; bench->cycle < cycle; run_to(bench, bench->cycle + 1))
		if (port_front(port, bench->cycle))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
	assert_ptr_equal(port_front(port, bench->cycle), request);
	port_pop(port, bench->cycle);
}

/* Three SMs send at once. Their packets leave one after another. In the next such cycle the SM after the last one is
 * first. */
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
		/* one SM sends, and the turn continues after it */
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

/* In a router with two steps per cycle no packet waits for a change of another packet: the other SM's packet arrives
 * one cycle later. */
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

/* A packet of 9 flits fills the port. SM 1 has the turn and needs 5 flits; SM 2 needs one. SM 2 waits for SM 1 though
 * its own packet would fit. It sends after SM 1, in the same cycle if both fit. SM 0 is after both. */
static void test_no_room(void **state)
{
	struct bench bench;
	(void)state;
	open_bench(&bench, (const char *const[]){BENCH, NULL});
	assert_true(send(&bench, new_request(&bench, 0, 0, INJECTION)));
	struct request *line = new_request(&bench, 1, 1, LINE_FLITS), *small = new_request(&bench, 2, 2, 1);
	struct request *last = new_request(&bench, 0, 3, 4);
	uint64_t start = bench.cycle;
	/* the first flit leaves the port in start + 1, which the SMs see one cycle later */
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
	assert_non_null(strstr(text, "cluster 1: SM 4 waits for space in the request network"));
	assert_null(strstr(text, "cluster 0"));
	run_to(&bench, start + 1 + LINE_FLITS);
	assert_true(send(&bench, line));
	assert_false(send(&bench, small)); /* full: only SM 0 waits for it */
	assert_false(send(&bench, last));
	assert_int_equal(bench.cluster->stats.turn_waits, 2 * LINE_FLITS + 1);
	run_to(&bench, start + 2 + LINE_FLITS);
	assert_int_equal(cluster_in_turn(bench.cluster, 0), 2);
	assert_true(send(&bench, small));
	assert_false(send(&bench, last));
	assert_int_equal(bench.cluster->stats.turn_waits, 2 * LINE_FLITS + 1); /* no SM precedes it any more */
	run_to(&bench, start + 6 + LINE_FLITS);
	assert_true(send(&bench, last));
	assert_int_equal(bench.cluster->sm[0].stats.network_full, LINE_FLITS + 2);
	assert_int_equal(bench.cluster->sm[1].stats.network_full, LINE_FLITS);
	assert_int_equal(bench.cluster->sm[2].stats.network_full, LINE_FLITS + 1);
	kit_close(&bench.kit);
}

/* With turns by cycle, each SM is first in its own cycle, whichever SMs have sent. One that finds no space lets smaller
 * packets pass, and does not count as waiting for another SM. */
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

/* A flit that leaves the port wakes the SMs that found no space, in the cycle in which they see it, and no others. An
 * SM that is refused wakes those after it that were refused before it: they now wait for it. */
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
	end_cycle(&bench); /* the packet is not visible yet */
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

/* A slice's reply to a store: one flit. */
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

/* Checks that the SM takes the reply in this cycle and has seen nothing before. */
static void expect_at_sm(struct bench *bench, uint32_t sm, const struct request *request, uint64_t cycle)
{
	for (; bench->cycle < cycle; run_to(bench, bench->cycle + 1))
		if (seen_by(bench, sm))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
	assert_ptr_equal(seen_by(bench, sm), request);
	port_pop(&bench->cluster->sm[sm].network.replies, bench->cycle);
}

/* Two slices reply to two SMs at once, through one output. */
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

/* SM 0 takes nothing: it holds two of five replies, the cluster's queue three. SM 1's reply waits after them in the
 * network though that SM has space. When SM 0 takes one, the queue delivers the next in the following cycle, one per
 * cycle. */
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
	/* the third is the first that finds SM 0 full; when the last arrives, the queue has been full since the one
	 * before it */
	uint64_t full = start + ALONE + OWN * APART, stands = start + ALONE + HELD * APART, end = stands + 10;
	run_to(&bench, end);
	assert_null(seen_by(&bench, 1));
	assert_int_equal(bench.cluster->sm[0].network.replies.items, OWN);
	assert_int_equal(bench.cluster->replies.items, QUEUE);
	assert_int_equal(bench.cluster->from_network.items, 1);
	assert_int_equal(bench.cluster->stats.reply_waits, end - full + 1);
	assert_int_equal(bench.cluster->stats.queue_full, end - stands + 1);
	gpu_explain_deadlock(bench.gpu, text, sizeof text);
	assert_non_null(strstr(
		text, "cluster 1: 3 replies wait, 1 more in the network; the first is for SM 3, whose queue holds 2"));
	expect_at_sm(&bench, 0, held[0], end);
	expect_at_sm(&bench, 0, held[1], end);
	expect_at_sm(&bench, 0, held[2], end + 1);
	expect_at_sm(&bench, 0, held[3], end + 2);
	expect_at_sm(&bench, 0, held[4], end + 3);
	expect_at_sm(&bench, 1, behind, end + 4);
	/* the queue has had space again since the cycle in which its first packet left */
	assert_int_equal(bench.cluster->stats.queue_full, end - stands + 2);
	assert_int_equal(bench.cluster->stats.replies, HELD + 1);
	kit_close(&bench.kit);
}

/* One SM's replies pass while another's are blocked but none is in front of them. */
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
		cmocka_unit_test(test_no_room),      cmocka_unit_test(test_by_cycle),
		cmocka_unit_test(test_woken),        cmocka_unit_test(test_replies_at_once),
		cmocka_unit_test(test_head_of_line), cmocka_unit_test(test_other_is_not_held),
		cmocka_unit_test(test_check),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
