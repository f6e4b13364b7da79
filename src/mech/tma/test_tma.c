/* Protects the engine's timing, in closed form: when its requests leave and its copies end, and what waits for them
 * and how long. Covers maps, limits, stores, borders of tiles and ends of blocks. Statistics depend neither on sleep
 * nor on host threads. */
#include "base/bulk.h"
#include "engine_kit.h"

enum { ARRAY = 1 << 16, MAPS = 4096 /* address of the maps within the array */ };

/* Log of instructions. */
static struct {
	uint32_t copies;
	uint64_t copy[LOG]; /* cycles in which copy instructions issued */
	uint64_t mark[8];   /* cycle in which pmevent N issued last */
} spy;

static void spied_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct mech_operands operands;
	if (strncmp(issue->name, "cp.async.bulk", 13) == 0 && !strstr(issue->name, "_group") && issue->lanes)
		spy.copy[spy.copies++] = issue->cycle;
	if (strcmp(issue->name, "pmevent") != 0)
		return;
	mech_operands(sm, issue, &operands);
	spy.mark[operands.source[0][0]] = issue->cycle;
}

static void spy_on(struct mech *mech)
{
	memset(&spy, 0, sizeof spy);
	mech->issue = spied_issue;
}

static void open_with(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	engine_open(kit, mechanism, options, ARRAY, spy_on);
}

#define OPEN(kit, mechanism, ...) open_with(kit, mechanism, (const char *const[]){__VA_ARGS__, NULL})

static void check_sums(const struct gpu_kit *kit)
{
	engine_check_sums(kit, "copies", "abandoned", "copy_cycles");
}

/* %r1: the thread; %r9: the mbarrier, at 0; %p1: whether it is thread 0. */
#define BEGIN                                                                                                          \
	"mov.u32 %r1, %tid.x; mov.u32 %r9, 0; setp.eq.u32 %p1, %r1, 0;\n"                                              \
	"@%p1 mbarrier.init.shared.b64 [%r9], 1; bar.sync 0;\n"
#define EXPECT(bytes) "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r9], " #bytes ";\n"
#define IN(shared, global, bytes)                                                                                      \
	"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9+" #shared "], [%rd0+" #global     \
	"], " #bytes ", [%r9];\n"
#define OUT(global, shared, bytes)                                                                                     \
	"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0+" #global "], [%r9+" #shared "], " #bytes ";\n"
#define WAIT "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0; @!%p2 bra wait;\n"

static void run(struct gpu_kit *kit, const char *mechanism, const char *body, uint32_t threads)
{
	char text[8192];
	OPEN(kit, mechanism, "sm.send_queue=16");
	snprintf(text, sizeof text, "%s%s\nexit;", BEGIN, body);
	kit_load(kit, text);
	kit_run(kit, 1, threads);
	check_sums(kit);
}

/* --- bytes --- */

/* A copy reaches the engine `latency` cycles after its issue. From the next cycle on, the engine requests a segment
 * every `interval` cycles, and the SM's queue forwards each one a cycle later. The mbarrier completes in the cycle
 * of the last reply. A waiting thread passes it soon after, and not before. */
static void test_latency(void **state)
{
	enum { LINES = 5, TURN = 100 };
	(void)state;
	for (unsigned latency = 0; latency < 60; latency += 29)
		for (unsigned interval = 1; interval < 20; interval += 9) {
			struct gpu_kit kit;
			char mechanism[64];
			snprintf(mechanism, sizeof mechanism, "tma:latency=%u,interval=%u", latency, interval);
			run(&kit, mechanism, EXPECT(640) IN(1024, 0, 640) WAIT "pmevent 1;", WARP);
			assert_int_equal(engine.replies, LINES);
			assert_int_equal(first_sent(), spy.copy[0] + latency + 2);
			assert_int_equal(last_sent(), first_sent() + (LINES - 1) * interval);
			assert_true(spy.mark[1] > last_answer());
			assert_true(spy.mark[1] < last_answer() + TURN);
			assert_int_equal(engine_counter(&kit, "copy_cycles"), last_answer() - spy.copy[0]);
			assert_int_equal(engine_counter(&kit, "bytes_in"), 640);
			kit_close(&kit);
		}
}

/* Segments are parts of lines of global memory; the copy gives their place in shared memory. */
static void test_segments(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t requests, bytes[8], word[8];
	} cases[] = {{"tma", 3, {96, 128, 64}, {256, 280, 312}},
	             {"tma:segment=64", 5, {32, 64, 64, 64, 64}, {256, 264, 280, 296, 312}},
	             {"tma:segment=32", 9, {32, 32, 32, 32, 32, 32, 32, 32}, {256, 264, 272, 280, 288, 296, 304, 312}}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gpu_kit kit;
		run(&kit, cases[i].mechanism, EXPECT(288) IN(1024, 32, 288) WAIT, WARP);
		assert_int_equal(engine.replies, cases[i].requests);
		uint32_t found = 0;
		for (uint32_t r = 0; r < engine.replies; r++)
			for (uint32_t k = 0; k < 8; k++)
				found += cases[i].bytes[k] == engine.request[r].bytes &&
				         cases[i].word[k] == engine.word[r][0];
		assert_int_equal(found, cases[i].requests < 8 ? cases[i].requests : 8);
		kit_close(&kit);
	}
}

/* With `limit` in flight, each further request leaves no earlier than a reply arrives. */
static void test_in_flight(void **state)
{
	enum { LINES = 12 };
	(void)state;
	for (uint32_t limit = 1; limit < 6; limit += 2) {
		struct gpu_kit kit;
		char mechanism[64];
		snprintf(mechanism, sizeof mechanism, "tma:in_flight=%u", limit);
		run(&kit, mechanism, EXPECT(1536) IN(1024, 0, 1536) WAIT, WARP);
		assert_int_equal(engine.replies, LINES);
		for (uint32_t i = limit; i < LINES; i++) {
			uint32_t under_way = 0;
			for (uint32_t k = 0; k < LINES; k++)
				under_way += k != i && engine.sent[k] <= engine.sent[i] &&
				             engine.answered[k] > engine.sent[i];
			assert_true(under_way < limit);
		}
		assert_true(engine_counter(&kit, "kept_cycles") > 0);
		kit_close(&kit);
	}
}

/* --- waiting --- */

/* The third copy issues when an entry is free: when the first has completed. */
static void test_entries(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run(&kit, "tma:entries=2", EXPECT(384) IN(1024, 0, 128) IN(2048, 128, 128) IN(4096, 256, 128) WAIT, 1);
	uint64_t first = engine.answered[0];
	for (uint32_t i = 0; i < 3; i++)
		first = engine.answered[i] < first ? engine.answered[i] : first;
	assert_int_equal(spy.copies, 3);
	assert_true(spy.copy[1] < first);
	assert_int_equal(spy.copy[2], first); /* in that cycle */
	assert_int_equal(engine_counter(&kit, "held_copies"), 1);
	kit_close(&kit);
}

/* A thread waits for its groups: until their stores are acknowledged, or with .read until they have left. It does
 * not wait for the last N groups. */
static void test_groups(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run(&kit, "tma",
	    OUT(0, 1024, 512) "cp.async.bulk.commit_group; pmevent 1; cp.async.bulk.wait_group 0; pmevent 2;", 1);
	assert_int_equal(engine_counter(&kit, "writes"), 4);
	assert_int_equal(engine_counter(&kit, "bytes_out"), 512);
	assert_true(spy.mark[1] < first_sent());
	assert_true(spy.mark[2] > last_answer());
	assert_true(spy.mark[2] < last_answer() + 40);
	kit_close(&kit);
	run(&kit, "tma", OUT(0, 1024, 512) "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; pmevent 2;",
	    1);
	for (uint32_t i = 0; i < engine.replies; i++) /* the last packet may still wait for the network */
		assert_true(spy.mark[2] > engine.sent[i] || engine.sent[i] == last_sent());
	assert_true(spy.mark[2] < last_answer());
	kit_close(&kit);
	run(&kit, "tma",
	    OUT(0, 1024, 512) "cp.async.bulk.commit_group;" OUT(
		    1024, 1024, 512) "cp.async.bulk.commit_group; cp.async.bulk.wait_group 1; pmevent 1; "
	                             "cp.async.bulk.wait_group 0; pmevent 2;",
	    1);
	assert_true(spy.mark[1] > engine.answered[3]);
	assert_true(spy.mark[1] < last_answer());
	assert_true(spy.mark[2] > last_answer());
	assert_int_equal(engine_counter(&kit, "held_waits") >= 2, 1);
	kit_close(&kit);
	run(&kit, "tma",
	    OUT(0, 1024,
	        512) "cp.async.bulk.wait_group 0; pmevent 2; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
	    1);
	assert_true(spy.mark[2] < first_sent()); /* it belongs to no group yet */
	kit_close(&kit);
}

/* A store reads its bytes from shared memory, which occupies the banks for a cycle and leaves the next one to the
 * load/store unit. Its packet leaves in the same cycle. A store that no thread waits for continues after its block's
 * end. */
static void test_stores_read(void **state)
{
	struct gpu_kit kit;
	(void)state;
	for (unsigned interval = 1; interval < 5; interval++) {
		char mechanism[32];
		snprintf(mechanism, sizeof mechanism, "tma:interval=%u", interval);
		OPEN(&kit, mechanism, "sm.send_queue=16", "network.flit_bytes=1024"); /* one packet per cycle */
		kit_load(&kit,
		         BEGIN OUT(0, 1024, 1024) "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; exit;");
		kit_run(&kit, 1, 1);
		assert_int_equal(last_sent() - first_sent(), 7 * (interval < 2 ? 2 : interval));
		assert_int_equal(first_sent(), spy.copy[0] + 32 + 3); /* `latency`, take, request, forward, read */
		kit_close(&kit);
	}
	run(&kit, "tma", OUT(0, 1024, 1024) "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", 1);
	assert_int_equal(engine.replies, 8);
	assert_int_equal(engine_counter(&kit, "abandoned"), 0);
	kit_close(&kit);
}

/* Returns the cycles in which threads' asynchronous copies, which read nothing, are written: 32 words of one bank
 * each. */
static uint64_t copies_of_threads(const char *bulk, const char *wait)
{
	enum { COPIES = 32 };
	struct gpu_kit kit;
	char text[4096];
	int at = snprintf(text, sizeof text, "%s%smul.lo.u32 %%r2, %%r1, 128; pmevent 0;\n", BEGIN, bulk);
	for (unsigned i = 0; i < COPIES; i++)
		at += snprintf(text + at, sizeof text - (size_t)at,
		               "cp.async.ca.shared.global [%%r2+16384], [%%rd0], 4, 0;\n");
	snprintf(text + at, sizeof text - (size_t)at, "cp.async.wait_all; pmevent 1;\n%sexit;", wait);
	OPEN(&kit, "tma", "sm.send_queue=16", "sm.async_copies=true");
	kit_load(&kit, text);
	kit_run(&kit, 1, WARP);
	kit_run(&kit, 1, WARP); /* with its code in the cache */
	kit_close(&kit);
	return spy.mark[1] - spy.mark[0];
}

/* The engine's fills have priority at the banks: 4096 bytes take 32 cycles. */
static void test_beside_copies_of_threads(void **state)
{
	(void)state;
	uint64_t alone = copies_of_threads("", ""), beside = copies_of_threads(EXPECT(4096) IN(8192, 0, 4096), WAIT);
	assert_in_range(beside, alone + 30, alone + 40);
}

/* A store invalidates the lines that it writes in L1, but not their neighbors. */
static void test_stores_and_l1(void **state)
{
	static const char *const machine[] = {"gtx480", "qv100", "rtx3070"};
	struct gpu_kit kit;
	(void)state;
	for (unsigned m = 0; m < 3; m++) {
		kit_machine = machine[m];
		run(&kit, "tma",
		    "ld.global.ca.u32 %r5, [%rd0]; ld.global.ca.u32 %r6, [%rd0+256]; add.u32 %r5, %r5, %r6; "
		    "st.shared.u32 [%r9+2048], %r5;\n" OUT(0, 1024,
		                                           128) "cp.async.bulk.commit_group; "
		                                                "cp.async.bulk.wait_group 0; ld.global.ca.u32 %r5, "
		                                                "[%rd0+64]; ld.global.ca.u32 %r6, [%rd0+256];",
		    1);
		assert_int_equal(kit.gpu->sm[0].l1.data.stats.misses, 3);
		assert_int_equal(kit.gpu->sm[0].l1.data.stats.hits, 1);
		kit_close(&kit);
	}
	kit_machine = "gtx480";
}

/* A block's end abandons its copies: nothing waits for them, and the next block finds an empty engine. */
static void test_block_ends(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "tma:entries=1", "sm.send_queue=16");
	kit_load(&kit, BEGIN EXPECT(4096) IN(1024, 0, 4096) "exit;");
	kit_run(&kit, 6, WARP);
	check_sums(&kit);
	assert_int_equal(engine_counter(&kit, "copies"), 6);
	assert_true(engine_counter(&kit, "abandoned") > 0);
	kit_close(&kit);
}

/* --- tiles --- */

static void put_map(struct gpu_kit *kit, uint32_t number, uint32_t swizzle)
{
	const struct tensor_map map = {.mark = TENSOR_MAP_MARK,
	                               .rank = 2,
	                               .type = TENSOR_F32,
	                               .swizzle = (uint8_t)swizzle,
	                               .global = kit->param,
	                               .stride = {256},
	                               .last = {63, 7},
	                               .box = {32, 4},
	                               .step = {1, 1}};
	memcpy((uint8_t *)simt_host(kit->gpu->memory, kit->param) + MAPS + number * sizeof map, &map, sizeof map);
}

static void run_tile(struct gpu_kit *kit, const char *mechanism, const char *body)
{
	char text[8192];
	OPEN(kit, mechanism, "sm.send_queue=16");
	put_map(kit, 0, TENSOR_STRAIGHT);
	put_map(kit, 1, TENSOR_SWIZZLE_128);
	snprintf(text, sizeof text, "%sadd.u64 %%rd5, %%rd0, %d; add.u64 %%rd6, %%rd5, 128;\n%s\nexit;", BEGIN, MAPS,
	         body);
	kit_load(kit, text);
	kit_run(kit, 1, WARP);
	check_sums(kit);
}

#define TILE_OF(map, x, y)                                                                                             \
	"@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9+1024], [" map      \
	", {" #x ", " #y "}], [%r9];\n"

/* A tile inside the tensor is four rows of one line each, requested after the map's line. Parts outside are written
 * without a fetch. */
static void test_tiles(void **state)
{
	static const struct {
		const char *body;
		uint32_t reads, fills;
	} cases[] = {{TILE_OF("%rd5", 0, 0), 4, 0},  {TILE_OF("%rd5", 32, 6), 2, 2},  {TILE_OF("%rd5", 16, 0), 8, 0},
	             {TILE_OF("%rd5", 48, 0), 4, 4}, {TILE_OF("%rd5", -8, -1), 3, 4}, {TILE_OF("%rd5", 64, 0), 0, 4},
	             {TILE_OF("%rd6", 0, 0), 4, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gpu_kit kit;
		char body[1024];
		snprintf(body, sizeof body, "%s%s%s", EXPECT(512), cases[i].body, WAIT);
		run_tile(&kit, "tma", body);
		assert_int_equal(engine_counter(&kit, "reads"), cases[i].reads);
		assert_int_equal(engine_counter(&kit, "fills"), cases[i].fills);
		assert_int_equal(engine_counter(&kit, "map_misses"), 1);
		assert_int_equal(engine_counter(&kit, "bytes_in"), 512);
		kit_close(&kit);
	}
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
	*random = *random * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*random >> 33) % limit;
}

/* A map of up to three dimensions within the array, and the position of its tile. */
static struct tensor_map random_map(const struct gpu_kit *kit, int32_t at[TENSOR_RANK], uint64_t *random)
{
	static const uint8_t types[] = {TENSOR_F32, TENSOR_F64, TENSOR_S32};
	struct tensor_map map = {.mark = TENSOR_MAP_MARK,
	                         .rank = (uint8_t)(1 + below(random, 3)),
	                         .type = types[below(random, 3)],
	                         .swizzle = (uint8_t)below(random, TENSOR_SWIZZLES),
	                         .global = kit->param + 8192 + 16 * below(random, 9)};
	uint32_t size = tensor_element_bytes((enum tensor_type)map.type);
	map.last[0] = below(random, 60);
	map.stride[0] = 512 + 16 * below(random, 5);
	map.stride[1] = map.stride[0] * 8;
	for (uint32_t d = 0; d < map.rank; d++) {
		map.box[d] =
			(uint16_t)(d ? 1 + below(random, 7) : (1 + below(random, map.swizzle ? 2 : 9)) * 16 / size);
		map.step[d] = (uint8_t)(1 + below(random, 3));
		map.last[d] = d ? below(random, 8) : map.last[d];
		at[d] = (int32_t)below(random, map.last[d] + 2u + map.box[d]) - (int32_t)map.box[d];
	}
	return map;
}

/* Each word of a random box is fetched once from its address if it lies in the tensor, else written once. Nothing
 * else is requested. */
static void check_words(const struct gpu_kit *kit, const struct tensor_map *map, const int32_t at[TENSOR_RANK])
{
	enum { WORDS = 24576 / 4 };
	static uint8_t fetched[WORDS], written[WORDS];
	uint32_t size = tensor_element_bytes((enum tensor_type)map->type), elements = 1;
	memset(fetched, 0, sizeof fetched);
	memset(written, 0, sizeof written);
	for (uint32_t r = 0; r < engine.replies; r++)
		for (uint32_t k = 0; k < engine.request[r].words; k++)
			(engine.request[r].to == MECH_TO_SHARED ? fetched : written)[engine.word[r][k]]++;
	for (uint32_t d = 0; d < map->rank; d++)
		elements *= tensor_box_elements(map, d);
	for (uint32_t e = 0; e < elements; e++) {
		bool inside = true;
		uint32_t left = e, byte = 1024 + e * size;
		for (uint32_t d = 0; d < map->rank; d++) {
			uint32_t count = tensor_box_elements(map, d);
			int64_t c = at[d] + (int64_t)(left % count) * (d ? map->step[d] : 1);
			inside &= c >= 0 && c <= map->last[d];
			left /= count;
		}
		byte ^= (byte / 128 & ((1u << map->swizzle) - 1)) * 16;
		for (uint32_t word = byte / 4; word < (byte + size) / 4; word++) {
			assert_int_equal(fetched[word], inside);
			assert_int_equal(written[word], !inside);
			fetched[word] = written[word] = 0;
		}
	}
	for (uint32_t word = 0; word < WORDS; word++)
		assert_int_equal(fetched[word] + written[word], 0);
	assert_int_equal(engine_counter(kit, "bytes_in"), elements * size);
}

static void test_random_tiles(void **state)
{
	uint64_t random = 1;
	(void)state;
	for (uint32_t n = 0; n < 60; n++) {
		struct gpu_kit kit;
		int32_t at[TENSOR_RANK] = {0};
		char text[4096], mechanism[64];
		snprintf(mechanism, sizeof mechanism, "tma:segment=%u,in_flight=%u", 128u >> below(&random, 3),
		         1 + below(&random, 20));
		OPEN(&kit, mechanism, "sm.send_queue=16");
		struct tensor_map map = random_map(&kit, at, &random);
		memcpy((uint8_t *)simt_host(kit.gpu->memory, kit.param) + MAPS, &map, sizeof map);
		uint32_t bytes = tensor_element_bytes((enum tensor_type)map.type);
		char coordinates[64];
		int length = snprintf(coordinates, sizeof coordinates, "%d", at[0]);
		for (uint32_t d = 0; d < map.rank; d++) {
			bytes *= tensor_box_elements(&map, d);
			if (d)
				length += snprintf(coordinates + length, sizeof coordinates - (size_t)length, ", %d",
				                   at[d]);
		}
		snprintf(text, sizeof text,
		         "%sadd.u64 %%rd5, %%rd0, %d; @%%p1 mbarrier.arrive.expect_tx.shared.b64 %%rd9, [%%r9], %u;\n"
		         "@%%p1 cp.async.bulk.tensor.%ud.shared::cluster.global.mbarrier::complete_tx::bytes "
		         "[%%r9+1024], [%%rd5, "
		         "{%s}], [%%r9];\n%sexit;",
		         BEGIN, MAPS, bytes, map.rank, coordinates, WAIT);
		kit_load(&kit, text);
		kit_run(&kit, 1, WARP);
		check_sums(&kit);
		check_words(&kit, &map, at);
		kit_close(&kit);
	}
}

/* A map in the cache costs nothing. Two maps that take turns in a cache of one are fetched each time. */
static void test_maps(void **state)
{
	struct gpu_kit kit;
	const char *body = EXPECT(2048) TILE_OF("%rd5", 0, 0) TILE_OF("%rd6", 0, 4) TILE_OF("%rd5", 32, 0)
		TILE_OF("%rd6", 32, 4) WAIT;
	(void)state;
	run_tile(&kit, "tma", body);
	assert_int_equal(engine_counter(&kit, "map_misses"), 2);
	assert_int_equal(engine_counter(&kit, "map_hits"), 2);
	assert_int_equal(engine.replies, 16 + 2);
	kit_close(&kit);
	run_tile(&kit, "tma:maps=1", body);
	assert_int_equal(engine_counter(&kit, "map_misses"), 4);
	kit_close(&kit);
}

/* --- reproducibility --- */

static void test_same(void **state)
{
	static const char *const ways[][3] = {{"launch.sleep=true", NULL}, {"launch.sleep=false", NULL}};
	uint64_t cycles[2], kept[2];
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct gpu_kit kit;
		open_with(&kit, "tma:in_flight=3,entries=2", ways[i]);
		put_map(&kit, 0, TENSOR_STRAIGHT);
		kit_load(&kit,
		         BEGIN "add.u64 %rd5, %rd0, 4096;" EXPECT(1024) IN(2048, 0, 256) TILE_OF("%rd5", 8,
		                                                                                 -1) IN(4096, 512, 256)
		                 OUT(8192, 1024,
		                     512) "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" WAIT "exit;");
		cycles[i] = kit_run(&kit, 4, WARP);
		kept[i] = engine_counter(&kit, "kept_cycles");
		check_sums(&kit);
		kit_close(&kit);
	}
	assert_int_equal(cycles[0], cycles[1]);
	assert_int_equal(kept[0], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_latency),
	                                   cmocka_unit_test(test_segments),
	                                   cmocka_unit_test(test_in_flight),
	                                   cmocka_unit_test(test_entries),
	                                   cmocka_unit_test(test_groups),
	                                   cmocka_unit_test(test_block_ends),
	                                   cmocka_unit_test(test_tiles),
	                                   cmocka_unit_test(test_maps),
	                                   cmocka_unit_test(test_random_tiles),
	                                   cmocka_unit_test(test_same),
	                                   cmocka_unit_test(test_stores_read),
	                                   cmocka_unit_test(test_stores_and_l1),
	                                   cmocka_unit_test(test_beside_copies_of_threads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
