/* Protects cap: the warps that it prefetches for, their order and cycle (CAPS, Fig. 8 and 9), the contents of its
 * tables, and what suppresses prefetches. The machine has one SM. A mechanism of this test lets the warps' loads
 * issue one by one in a given order. */
#include "gpu_kit.h"

enum { LANES = 32, WARPS = 3, GAP = 60, BLOCK_BYTES = 0x10000, STRIDE = 0x400, MOST = 64 };

/* The order, as in "A0 B0 A1": warps by block. `loads_done` counts the loads that have executed. The gap between two
 * loads leaves time for the prefetches to be sent. */
static const char *order;
static uint32_t loads_done;

/* Requests that cap has sent, in order. */
static struct sent {
	uint64_t address, cycle;
} sent[MOST];
static uint32_t sents;
static uint64_t load_cycle[MOST]; /* of the loads in `order` */
static struct bound {
	uint64_t address;
	uint32_t warp;
} bound[MOST];
static uint32_t bounds;

static uint32_t slot_in_order(uint32_t number)
{
	return number * 3 < strlen(order) ? (uint32_t)(order[number * 3] - 'A') * WARPS + order[number * 3 + 1] - '0'
	                                  : MECH_NOWHERE;
}

static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	bool is_load = issue->type == MECH_MEMORY && issue->space == MECH_GLOBAL && issue->kind == MECH_LOAD;
	uint32_t next = slot_in_order(loads_done);
	bool early = loads_done && issue->cycle < load_cycle[loads_done - 1] + GAP;
	return !is_load || next == MECH_NOWHERE || (next == issue->warp && !early);
}

static void note_load(struct mech_sm *sm, const struct mech_memory *memory)
{
	(void)sm;
	if (memory->kind == MECH_LOAD && loads_done < MOST)
		load_cycle[loads_done++] = memory->cycle;
}

static void note_packet(struct mech_sm *sm, const struct mech_packet *packet)
{
	(void)sm;
	if (packet->sender == 0 && sents < MOST)
		sent[sents++] = (struct sent){packet->address, packet->cycle};
}

static void note_fill(struct mech_sm *sm, const struct mech_fill *fill)
{
	(void)sm;
	if (fill->sender == 0 && bounds < MOST)
		bound[bounds++] = (struct bound){fill->address, fill->warp};
}

static const struct mech director = {.version = MECH_VERSION,
                                     .name = "director",
                                     .may_issue = may_issue,
                                     .memory = note_load,
                                     .packet_out = note_packet,
                                     .fill = note_fill};

/* Each warp loads once from %rd1. The blocks' bases are 64 KB times 1, 3 and 7, so no two differences of bases are
 * equal. */
#define HERE                                                                                                           \
	"mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; mov.u32 %r4, %ctaid.x;\n"                     \
	"mov.u32 %r5, 2; shl.b32 %r5, %r5, %r4; sub.u32 %r5, %r5, 1; mul.wide.u32 %rd2, %r5, 65536;\n"                 \
	"add.u64 %rd1, %rd0, %rd2; mul.wide.u32 %rd3, %r2, 1024; add.u64 %rd1, %rd1, %rd3;\n"                          \
	"mul.wide.u32 %rd4, %r3, 4; add.u64 %rd1, %rd1, %rd4;\n"
#define ONE_LOAD HERE "ld.global.u32 %r9, [%rd1]; add.u32 %r9, %r9, 1; exit;"

static uint64_t address_of(const struct gpu_kit *kit, const char *warp)
{
	static const uint64_t base[] = {1, 3, 7};
	return kit->param + base[warp[0] - 'A'] * BLOCK_BYTES + (uint64_t)(warp[1] - '0') * STRIDE;
}

static void start(struct gpu_kit *kit, const char *mechanism, const char *const *options, const char *body,
                  uint32_t blocks)
{
	static const struct mech *const own[] = {&director, NULL};
	loads_done = sents = bounds = 0;
	kit_describe(kit, options);
	kit_attach(kit, mechanism);
	kit_mechanisms = own;
	kit_build(kit);
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, (1 << 20) / 8);
	kit->run.blocks_per_sm = kit->machine.sm.blocks == 1 ? 1 : 3;
	kit_load(kit, body);
	kit_run(kit, blocks, WARPS * LANES);
}

static void run(struct gpu_kit *kit, const char *mechanism, const char *body)
{
	static const char *const options[] = {"sm.count=1", "launch.spread_small_grids=false", NULL};
	start(kit, mechanism, options, body, 3);
}

/* Asserts that the lines of these warps were sent, in this order, one per cycle for each load that triggered them. */
static void assert_sent(const struct gpu_kit *kit, const char *warps)
{
	uint32_t count = 0;
	for (const char *warp = warps; *warp; warp += 3, count++) {
		assert_in_range(count, 0, sents - 1);
		assert_int_equal(sent[count].address, address_of(kit, warp));
		if (!warp[2])
			break;
	}
	assert_int_equal(sents, *warps ? count + 1 : 0);
}

static uint64_t counted(const struct gpu_kit *kit, const char *name)
{
	return kit_counter(kit, 0, name);
}

/* --- section V-C --- */

/* Fig. 9a: all three bases are known when A1 gives the stride. A1 then triggers prefetches for B1 and C1, and A2 for
 * B2 and C2. */
static void test_bases_before_stride(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "A0 B0 C0 A1 A2 B1 B2 C1 C2";
	run(&kit, "cap", ONE_LOAD);
	assert_sent(&kit, "B1 C1 B2 C2");
	assert_true(sent[0].cycle > load_cycle[3] && sent[2].cycle > load_cycle[4]);
	assert_int_equal(sent[1].cycle, sent[0].cycle + 1);
	assert_int_equal(sent[3].cycle, sent[2].cycle + 1);
	assert_int_equal(sent[2].cycle - load_cycle[4], sent[0].cycle - load_cycle[3]);
	assert_int_equal(counted(&kit, "bases"), 3);
	assert_int_equal(counted(&kit, "strides"), 1);
	assert_int_equal(counted(&kit, "for_same_warp"), 4);
	assert_int_equal(counted(&kit, "for_block"), 0);
	assert_int_equal(counted(&kit, "verified"), 5); /* all except the first three and A1 */
	assert_int_equal(counted(&kit, "mispredicted"), 0);
	assert_int_equal(counted(&kit, "foreseen"), 4); /* B1, B2, C1 and C2 */
	assert_int_equal(counted(&kit, "foreseen_wrong"), 0);
	assert_int_equal(counted(&kit, "table_accesses"), 9 + 2 * 2);
	kit_close(&kit);
}

/* Fig. 9b: the stride is known when B0 and C0 load, so each triggers prefetches for all other warps of its block. A2
 * finds its line in flight. */
static void test_stride_before_bases(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "A0 A1 B0 C0 A2 B1 B2 C1 C2";
	run(&kit, "cap", ONE_LOAD);
	assert_sent(&kit, "B1 B2 C1 C2");
	assert_true(sent[0].cycle > load_cycle[2] && sent[2].cycle > load_cycle[3]);
	assert_int_equal(sent[1].cycle, sent[0].cycle + 1);
	assert_int_equal(sent[3].cycle, sent[2].cycle + 1);
	assert_int_equal(counted(&kit, "for_block"), 4);
	assert_int_equal(counted(&kit, "for_same_warp"), 2);
	assert_int_equal(kit_requests(&kit, 0).filtered, 2);
	kit_close(&kit);
}

/* The other reading of Fig. 9a: one warp of the leading block triggers prefetches for all warps of the others (Fig.
 * 8b). */
static void test_whole_block(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "A0 B0 C0 A1 A2 B1 B2 C1 C2";
	run(&kit, "cap:case_a=whole_block", ONE_LOAD);
	assert_sent(&kit, "B1 B2 C1 C2");
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(sent[i].cycle, sent[0].cycle + i);
	kit_close(&kit);
}

/* The first warp to load leads its block, whatever its number. Warps with smaller numbers lie a negative distance
 * away. */
static void test_any_warp_leads(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "B2 A1 C1 B0 A0 A2 C0 C2 B1";
	run(&kit, "cap", ONE_LOAD);
	assert_sent(&kit, "A0 C0"); /* B leads. B1 triggers nothing for A and C: warp 1 is their leading warp */
	kit_close(&kit);
}

/* Each prefetch is bound to the warp that will load the data. */
static void test_bound_warps(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "A0 A1 B0 C0";
	run(&kit, "cap", ONE_LOAD);
	assert_int_equal(bounds, 4);
	for (uint32_t i = 0; i < bounds; i++) {
		uint32_t block = bound[i].warp / WARPS, warp = bound[i].warp % WARPS;
		const char name[] = {(char)('A' + block), (char)('0' + warp), 0};
		assert_int_equal(bound[i].address, address_of(&kit, name));
	}
	kit_close(&kit);
}

/* --- prefetches cover the demand --- */

/* A load with four accesses per warp is prefetched in full; a load with five is ignored. */
static void test_accesses(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t spread, lines; /* bytes from lane to lane; lines per warp */
	} row[] = {{"cap:retry=yes", 16, 4},
	           {"cap:retry=yes", 20, 5},
	           {"cap:retry=yes,accesses=8", 20, 5},
	           {"cap:retry=yes,accesses=3", 16, 4}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		char body[1024];
		snprintf(body, sizeof body,
		         "%smul.wide.u32 %%rd5, %%r3, %u; add.u64 %%rd1, %%rd1, %%rd5; ld.global.u32 %%r9, [%%rd1]; "
		         "exit;",
		         HERE, row[i].spread - 4);
		order = "A0 A1 B0 C0 A2 B1 B2 C1 C2";
		run(&kit, row[i].mechanism, body);
		bool let_be = i % 2; /* more accesses than a row has addresses */
		assert_int_equal(counted(&kit, "wide"), let_be ? 9 : 0);
		assert_int_equal(counted(&kit, "addresses"), let_be ? 0 : 6 * row[i].lines);
		assert_int_equal(sents, let_be ? 0 : 4 * row[i].lines);
		for (uint32_t k = 1; k < row[i].lines && !let_be; k++)
			assert_int_equal(sent[k].address, sent[0].address + 128 * k);
		kit_close(&kit);
	}
}

/* With a sectored L1, each of the four sectors that a warp needs of a line is requested. */
static void test_sectors(void **state)
{
	static const char *const options[] = {"sm.count=1", "launch.spread_small_grids=false", NULL};
	struct gpu_kit kit;
	(void)state;
	kit_machine = "gtx480-v4";
	order = "A0 A1 B0 C0 A2 B1 B2 C1 C2";
	start(&kit, "cap", options, ONE_LOAD, 3);
	kit_machine = "gtx480";
	const struct mech_requests requests = kit_requests(&kit, 0);
	uint32_t sectors = LANES * 4 / (kit.machine.sm.l1d.line_bytes / kit.machine.sm.l1d.sectors);
	assert_true(sectors == 4 || sectors == 1);
	assert_int_equal(requests.asked, 6 * sectors);
	kit_close(&kit);
}

/* The stride between two warps of A differs between the two accesses. A's row is invalidated, and the next warp
 * leads. */
static void test_unequal_strides(void **state)
{
	static const char body[] = HERE
		"setp.lt.u32 %p1, %r3, 16; mul.wide.u32 %rd6, %r2, 128; mov.u64 %rd7, 2048; add.u64 %rd7, %rd7, %rd6;\n"
		"selp.b64 %rd7, 0, %rd7, %p1; add.u64 %rd1, %rd1, %rd7; ld.global.u32 %r9, [%rd1]; exit;";
	struct gpu_kit kit;
	(void)state;
	order = "A0 A1 A2 B0 B1 B2 C0 C1 C2";
	run(&kit, "cap", body);
	assert_int_equal(counted(&kit, "strides"), 0);
	assert_int_equal(counted(&kit, "unequal"), 3);
	assert_int_equal(counted(&kit, "bases"), 6);
	assert_sent(&kit, "");
	kit_close(&kit);
}

/* --- throttling --- */

/* A and B follow the stride, C's warps do not: each of them is one misprediction. */
static void test_mispredictions(void **state)
{
	static const char body[] =
		HERE "setp.eq.u32 %p1, %r4, 2; @%p1 add.u64 %rd1, %rd1, %rd3; ld.global.u32 %r9, [%rd1]; exit;";
	static const struct {
		const char *mechanism, *order;
		uint32_t silenced, foreseen; /* foreseen: C1 and C2; B1 and B2 unless B0 and A2 are silenced */
	} row[] = {
		{"cap:threshold=1", "A0 A1 C0 C1 B0 A2 B1 B2 C2", 0, 4},
		{"cap:threshold=1", "A0 A1 C0 C1 C2 B0 A2 B1 B2", 2, 2},
		{"cap:threshold=2", "A0 A1 C0 C1 C2 B0 A2 B1 B2", 0, 4},
		{"cap:threshold=0", "A0 A1 C0 C1 B0 A2 B1 B2 C2", 2, 2},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		order = row[i].order;
		run(&kit, row[i].mechanism, body);
		assert_int_equal(counted(&kit, "mispredicted"), 2);
		assert_int_equal(counted(&kit, "foreseen"), row[i].foreseen);
		assert_int_equal(counted(&kit, "foreseen_wrong"), 2);
		assert_int_equal(counted(&kit, "silenced"), row[i].silenced);
		assert_int_equal(counted(&kit, "for_block"), row[i].silenced ? 2 : 4);
		kit_close(&kit);
	}
}

/* --- tables --- */

/* Each warp executes several loads in turn, twice. A table with one row fewer has evicted every row before it is
 * needed again, unless it ignores the loads that find it full. */
static void test_table_is_full(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t loads, bases, rebased;
	} row[] = {{"cap", 4, 4, 4},
	           {"cap", 5, 10, 0},
	           {"cap:block_entries=5", 5, 5, 5},
	           {"cap:full=ignore", 5, 4, 4},
	           {"cap:loops=verify", 4, 4, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		static const char *const options[] = {"sm.count=1", NULL};
		struct gpu_kit kit;
		char body[2048] = HERE "mov.u32 %r8, 0;\nagain:\n";
		for (uint32_t k = 0; k < row[i].loads; k++)
			snprintf(body + strlen(body), sizeof body - strlen(body),
			         "ld.global.u32 %%r9, [%%rd1+%u]; add.u32 %%r9, %%r9, 1;\n", k * 128);
		strcat(body, "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 2; @%p1 bra again; exit;");
		order = "";
		kit_describe(&kit, options);
		kit_attach(&kit, row[i].mechanism);
		kit_build(&kit);
		kit.param = kit_buffer(&kit, NULL, (1 << 20) / 8);
		kit_load(&kit, body);
		kit_run(&kit, 1, LANES);
		assert_int_equal(counted(&kit, "bases"), row[i].bases);
		assert_int_equal(counted(&kit, "rebased"), row[i].rebased);
		kit_close(&kit);
	}
}

/* A block's rows end with it. The next block in the slot has its own leading warp and finds the stride in the table. */
static void test_next_block(void **state)
{
	static const char *const options[] = {"sm.count=1", "sm.blocks=1", NULL};
	struct gpu_kit kit;
	(void)state;
	order = "A0 A1 A2 A0 A1 A2";
	start(&kit, "cap", options, ONE_LOAD, 2);
	assert_int_equal(counted(&kit, "bases"), 2);
	assert_int_equal(counted(&kit, "strides"), 1);
	assert_int_equal(counted(&kit, "for_block"), 2);
	assert_int_equal(sent[0].address, address_of(&kit, "B1"));
	assert_int_equal(sents, 2);
	kit_close(&kit);
}

/* A loop: when the leading warp repeats the load, its block's base and the block's prefetches move along. With
 * loops=verify, each warp's second address is a misprediction, because the bases stay. */
static void test_loop(void **state)
{
	static const char body[] =
		HERE "mov.u32 %r8, 0;\nagain: ld.global.u32 %r9, [%rd1]; add.u32 %r9, %r9, 1; bar.sync 0;\n"
		     "add.u64 %rd1, %rd1, 128; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 2; @%p1 bra again; exit;";
	static const struct {
		const char *mechanism;
		uint32_t second, rebased, verified, mispredicted; /* second: prefetches of the second addresses */
	} row[] = {{"cap", 4, 3, 11, 0}, {"cap:loops=verify", 0, 0, 14, 9}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		uint32_t second = 0;
		order = "A0 A1 B0 B1 A2 B2 C0 C1 C2 B0 A0 C0";
		run(&kit, row[i].mechanism, body);
		for (uint32_t k = 0; k < sents; k++)
			second += sent[k].address == address_of(&kit, "B1") + 128 ||
			          sent[k].address == address_of(&kit, "B2") + 128 ||
			          sent[k].address == address_of(&kit, "C1") + 128 ||
			          sent[k].address == address_of(&kit, "C2") + 128;
		assert_int_equal(second, row[i].second);
		assert_int_equal(counted(&kit, "rebased"), row[i].rebased);
		assert_int_equal(counted(&kit, "verified"), row[i].verified);
		assert_int_equal(counted(&kit, "mispredicted"), row[i].mispredicted);
		kit_close(&kit);
	}
}

/* A0 repeats the load before any other warp executes it. That gives no stride: with loops=verify A0's row keeps its
 * first address, so A1's first address is one stride away. */
static void test_repeated_at_once(void **state)
{
	static const char body[] =
		HERE "mov.u32 %r8, 0;\nagain: ld.global.u32 %r9, [%rd1]; add.u32 %r9, %r9, 1;\n"
		     "add.u64 %rd1, %rd1, 128; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 2; @%p1 bra again; exit;";
	struct gpu_kit kit;
	(void)state;
	order = "A0 A0 A1 B0 A1 B0 A2 B1 B2";
	run(&kit, "cap:loops=verify", body);
	assert_int_equal(counted(&kit, "strides"), 1);
	assert_int_equal(counted(&kit, "unequal"), 0);
	assert_true(sents >= 2);
	assert_int_equal(sent[0].address, address_of(&kit, "B1"));
	assert_int_equal(sent[1].address, address_of(&kit, "B2"));
	kit_close(&kit);
}

/* --- the generator --- */

/* The generator holds one run; the run of C arrives while B's is still there. */
static void test_generator_is_full(void **state)
{
	struct gpu_kit kit;
	(void)state;
	order = "A0 B0 C0 A1 A2 B1 B2 C1 C2";
	run(&kit, "cap:runs=1", ONE_LOAD);
	assert_int_equal(counted(&kit, "generator_full"), 2);
	assert_sent(&kit, "B1 B2");
	kit_close(&kit);
}

/* Strides survive to the kernel's next launch, and its first blocks are prefetched for at once because no block
 * leads. Bases do not survive. */
static void test_next_launch(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t strides;
		const char *sent;
	} row[] = {{"cap", 0, "A1 A2 B1 B2 C1 C2"}, {"cap:keep_strides=no", 1, "B1 B2 C1 C2"}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		order = "A0 A1 A2 B0 B1 B2 C0 C1 C2";
		run(&kit, row[i].mechanism, ONE_LOAD);
		loads_done = sents = 0;
		kit.param += 8 * BLOCK_BYTES; /* lines that are not in L1 */
		kit_run(&kit, 3, WARPS * LANES);
		assert_int_equal(counted(&kit, "bases"), 3);
		assert_int_equal(counted(&kit, "strides"), row[i].strides);
		assert_sent(&kit, row[i].sent);
		kit_close(&kit);
	}
}

/* --- sizes --- */

static double cost_of(const struct mech_cost *cost, uint32_t count, const char *what)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(cost[i].what, what) == 0)
			return cost[i].value;
	fail_msg("no cost '%s'", what);
	return 0;
}

/* Tables I and II and section V-D: with the defaults, the paper's 708 bytes for an SM with 8 blocks, its energy and
 * its power. */
static void test_costs(void **state)
{
	static const struct mech_machine machine = {.blocks = 8};
	struct attachments attachments = {0};
	struct diag diag = {0};
	struct mech_cost cost[MECH_MAX_COSTS];
	struct mech_energy energy[MECH_MAX_ENERGIES];
	char text[512];
	(void)state;
	assert_true(attachments_add(&attachments, "cap", &diag));
	const struct seam_attached *cap = &attachments.list[0];
	attachments_print(cap, text, sizeof text);
	assert_string_equal(text,
	                    "cap:block_entries=4,stride_entries=4,accesses=4,threshold=128,runs=16,"
	                    "case_a=same_warp,loops=follow,full=replace,indirect=false,retry=false,keep_strides=true");
	uint32_t count = cap->mech->costs(cap->config, &machine, cost);
	assert_true(cost_of(cost, count, "row of a PerCTA table") == 21);
	assert_true(cost_of(cost, count, "row of the DIST table") == 9);
	assert_true(cost_of(cost, count, "PerCTA tables of each SM") == 672);
	assert_true(cost_of(cost, count, "DIST table of each SM") == 36);
	assert_true(cost_of(cost, count, "tables of each SM") == 708);
	assert_int_equal(cap->mech->energies(cap->config, &machine, energy), 2);
	assert_string_equal(energy[0].events, "table_accesses");
	assert_true(energy[0].picojoules == 15.07 && energy[0].node == 45);
	assert_true(energy[1].watts == 550e-6 && !energy[1].events && !energy[1].of_gpu && energy[1].node == 45);
	attachments_free(&attachments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bases_before_stride),
	                                   cmocka_unit_test(test_stride_before_bases),
	                                   cmocka_unit_test(test_whole_block),
	                                   cmocka_unit_test(test_any_warp_leads),
	                                   cmocka_unit_test(test_bound_warps),
	                                   cmocka_unit_test(test_accesses),
	                                   cmocka_unit_test(test_sectors),
	                                   cmocka_unit_test(test_unequal_strides),
	                                   cmocka_unit_test(test_mispredictions),
	                                   cmocka_unit_test(test_table_is_full),
	                                   cmocka_unit_test(test_next_block),
	                                   cmocka_unit_test(test_loop),
	                                   cmocka_unit_test(test_repeated_at_once),
	                                   cmocka_unit_test(test_generator_is_full),
	                                   cmocka_unit_test(test_next_launch),
	                                   cmocka_unit_test(test_costs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
