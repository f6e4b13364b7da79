/* Protects the packet hooks: each packet of both crossbars is reported once at each end, with its size. A packet
 * without contention takes the cycles that the crossbar's page gives. */
#include "busy_kit.h"

enum { WARP = 32, HEADER = 8 };

static uint32_t flit_bytes; /* of the machine */

enum end { SM_OUT, SLICE_IN, SLICE_OUT, SM_IN, ENDS };

struct seen {
	uint64_t packets[ENDS], flits[ENDS];
	uint64_t wrong;
	uint64_t load[ENDS]; /* cycles of the only load's packets */
};

#define ROW(member)                                                                                                    \
	{                                                                                                              \
#member, "", BASE_SCOPE_SM, offsetof(struct seen, member), "", BASE_COMBINE_SUM                        \
	}
static const struct base_counter counters[] = {
	ROW(packets[0]), ROW(packets[1]), ROW(packets[2]), ROW(packets[3]), ROW(flits[0]), ROW(flits[1]), ROW(flits[2]),
	ROW(flits[3]),   ROW(wrong),      ROW(load[0]),    ROW(load[1]),    ROW(load[2]),  ROW(load[3]),
};

static void see(struct seen *seen, enum end end, const struct mech_packet *packet)
{
	bool is_reply = end >= SLICE_OUT;
	seen->packets[end]++;
	seen->flits[end] += packet->flits;
	seen->wrong += packet->is_reply != is_reply || packet->bytes < HEADER;
	seen->wrong += packet->flits != (packet->bytes + flit_bytes - 1) / flit_bytes;
	seen->wrong += packet->sender != MECH_NOBODY;
	if (packet->kind == MECH_PACKET_LOAD)
		seen->load[end] += packet->cycle;
}

static void packet_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	see(sm->stats, SM_OUT, packet);
}

static void packet_in(struct mech_sm *sm, const struct mech_packet *packet)
{
	see(sm->stats, SM_IN, packet);
}

static void partition_packet_in(struct mech_partition *partition, const struct mech_packet *packet)
{
	see(partition->stats, SLICE_IN, packet);
}

static void partition_packet_out(struct mech_partition *partition, const struct mech_packet *packet)
{
	see(partition->stats, SLICE_OUT, packet);
}

static const struct mech watcher = {
	.version = MECH_VERSION,
	.name = "watcher",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct seen),
	.packet_out = packet_out,
	.packet_in = packet_in,
	.partition_packet_in = partition_packet_in,
	.partition_packet_out = partition_packet_out,
};
static const struct mech *const only_watcher[] = {&watcher, NULL};

static void expect_all(const struct gpu_kit *kit)
{
	const struct crossbar_stats *requests = &kit->run.stats.request_network,
				    *replies = &kit->run.stats.reply_network;
	struct seen seen;
	kit_mech_stats(kit, 0, &seen, sizeof seen);
	assert_int_equal(seen.wrong, 0);
	for (enum end end = SM_OUT; end < ENDS; end++) {
		const struct crossbar_stats *network = end < SLICE_OUT ? requests : replies;
		assert_true(network->packets > 0);
		assert_int_equal(seen.packets[end], network->packets);
		assert_int_equal(seen.flits[end], network->flits);
	}
}

/* The hooks report the same numbers of packets and flits at each end that the crossbars carry. One machine replies in
 * lines, one in sectors. */
static void test_all_packets(void **state)
{
	static const char *const machines[] = {"gtx480", "gtx480-v4"};
	(void)state;
	for (size_t m = 0; m < 2; m++)
		for (uint32_t threads = 1; threads <= 2; threads++) {
			struct gpu_kit kit;
			kit_machine = machines[m];
			kit_threads = threads;
			kit_mechanisms = only_watcher;
			KIT_OPEN(&kit, "sm.count=3");
			flit_bytes = kit.machine.network.flit_bytes;
			kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
			for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
				kit_load(&kit, busy_kernels[i]);
				kit_run(&kit, 6, 256);
				expect_all(&kit);
			}
			kit_close(&kit);
		}
	kit_machine = "gtx480";
	kit_threads = 1;
	kit_mechanisms = NULL;
}

/* A warp's only load, with equal clocks. Its request is one flit: it takes 6 cycles between the ports
 * (memory/crossbar.h) and one in each port. The reply is a line and its header in 5 flits and takes 4 more. */
static void test_times(void **state)
{
	struct gpu_kit kit;
	struct seen seen;
	(void)state;
	kit_mechanisms = only_watcher;
	KIT_OPEN(&kit, "sm.count=1", "clock.core=700", "clock.network=700", "clock.l2=700");
	flit_bytes = kit.machine.network.flit_bytes;
	kit.param = kit_buffer(&kit, NULL, 4096 / 8);
	kit_load(&kit, "ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1; exit;");
	kit_run(&kit, 1, WARP);
	kit_mech_stats(&kit, 0, &seen, sizeof seen);
	assert_int_equal(seen.load[SLICE_IN] - seen.load[SM_OUT], 8);
	assert_int_equal(seen.load[SM_IN] - seen.load[SLICE_OUT], 8 + 4);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_packets),
		cmocka_unit_test(test_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
